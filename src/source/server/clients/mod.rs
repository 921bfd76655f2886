//! Clients of MySQL and PostgreSQL.

mod mysql;
mod postgresql;

use super::{Failure, Server, Table, tables::is_read, url::ServerUrl};
use hullmark_database::Dialect;
use hullmark_settings::{limits::Limits, passwords::Password};
use std::time::Duration;

/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Time for the next bytes of an answer.
const ANSWER: Duration = Duration::from_secs(120);

/// Seconds that the server lets a statement wait for a lock.
const LOCK: u64 = 10;

/// Seconds that the server lets a statement take.
const STATEMENT: u64 = 3600;

/// Seconds that the server waits for a slow reader, before it ends the connection.
const SLOW: u64 = 600;

pub(super) fn connect(
    url: &ServerUrl,
    password: Option<&Password>,
    limits: &Limits,
) -> Result<Box<dyn Server>, Failure> {
    Ok(match url.dialect {
        Dialect::PostgreSql => Box::new(postgresql::Client::connect(url, password)?),
        _ => Box::new(mysql::Client::connect(url, password, limits)?),
    })
}

fn refused(url: &ServerUrl, password: Option<&Password>) -> Failure {
    let why = match password {
        Some(_) => format!("the server refuses the user \"{}\" with this password", url.user),
        None => format!("the server refuses the user \"{}\" without a password", url.user),
    };
    Failure::lasting(format!("{why}. Check the user, and --password-file or HULLMARK_DB_PASSWORD"))
}

fn no_database(url: &ServerUrl) -> Failure {
    Failure::lasting(format!("the server has no database \"{}\" for the user \"{}\"", url.database, url.user))
}

fn no_right(url: &ServerUrl, detail: &str) -> Failure {
    Failure::lasting(format!(
        "the user \"{}\" may not read it: {detail}. It needs the right SELECT",
        url.user
    ))
}

fn locked() -> Failure {
    Failure::lasting(format!(
        "another session locked a table for more than {LOCK} s. Read the database again later"
    ))
}

fn too_slow() -> Failure {
    Failure::lasting(format!("a statement took more than {STATEMENT} s, so it was ended"))
}

fn lost(detail: impl std::fmt::Display) -> Failure {
    Failure { why: format!("the connection to the server failed: {detail}"), is_lost: true }
}

/// The tables of rows with their names, engines, and columns, each with whether it is in the primary key.
#[derive(Default)]
struct TableList(Vec<(Table, usize)>);

impl TableList {
    /// Adds a column. Those of one table come together. Tables that are not read are left out.
    fn add(&mut self, table: String, engine: String, column: String, is_key: bool) {
        if !is_read(&table) {
            return;
        }
        if self.0.last().is_none_or(|(last, _)| last.name != table) {
            self.0.push((Table { name: table, engine, ..Table::default() }, 0));
        }
        let Some((table, keys)) = self.0.last_mut() else { return };
        if is_key {
            *keys += 1;
            // A key of two columns has no simple order.
            table.key = (*keys == 1).then(|| column.clone());
        }
        table.columns.push(column);
    }

    fn finish(self) -> Vec<Table> {
        self.0.into_iter().map(|(table, _)| table).collect()
    }
}
