//! MariaDB and MySQL, by their text protocol.
//!
//! That protocol writes numbers of the type FLOAT with six digits. Simulators use it as well, so they load the same
//! numbers, and dumps have them. Prepared statements would give others.

use super::super::{Failure, Server, Table, url::ServerUrl};
use super::{
    ANSWER, CONNECT, LOCK, SLOW, STATEMENT, TableList, locked, lost, no_database, no_right, refused, too_slow,
};
use hullmark_database::{Columns, Row, Value};
use hullmark_settings::{limits::Limits, passwords::Password};
use mysql::{Conn, OptsBuilder, prelude::Queryable};
use std::mem;

/// Bytes of a row in addition to those of its largest value.
const ROW: u64 = 16 << 20;

pub(super) struct Client {
    /// `None` after an answer that was not read to its end.
    connection: Option<Conn>,
    url: ServerUrl,
}

impl Client {
    /// Connects and makes the session read-only.
    pub(super) fn connect(
        url: &ServerUrl,
        password: Option<&Password>,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let packet = usize::try_from(limits.entry_bytes.saturating_add(ROW)).unwrap_or(usize::MAX);
        let socket = url.socket.as_ref().map(|path| path.to_string_lossy().into_owned());
        let options = OptsBuilder::new()
            .ip_or_hostname(Some(url.host.clone()))
            .tcp_port(url.port)
            .socket(socket)
            .prefer_socket(url.socket.is_some())
            .user(Some(url.user.clone()))
            .pass(password.map(Password::reveal))
            .db_name(Some(url.database.clone()))
            .tcp_connect_timeout(Some(CONNECT))
            .read_timeout(Some(ANSWER))
            .write_timeout(Some(ANSWER))
            .max_allowed_packet(Some(packet));
        let connection = Conn::new(options).map_err(|error| match &error {
            mysql::Error::MySqlError(sql) if [1045, 1698].contains(&sql.code) => refused(url, password),
            _ => failure(&error, url),
        })?;
        let mut client = Self { connection: Some(connection), url: url.clone() };
        client.prepare()?;
        Ok(client)
    }

    fn prepare(&mut self) -> Result<(), Failure> {
        self.run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")?;
        self.run(&format!("SET SESSION lock_wait_timeout = {LOCK}, net_write_timeout = {SLOW}"))?;
        // The names differ, and old servers have neither.
        let named = ["max_statement_time", "max_execution_time"];
        let mut known = Vec::new();
        self.select("SHOW VARIABLES LIKE 'max%time'", &mut |row| {
            known.push(row.text("variable_name").to_lowercase());
            true
        })?;
        match named.into_iter().find(|name| known.iter().any(|known| known == name)) {
            Some("max_statement_time") => self.run(&format!("SET SESSION max_statement_time = {STATEMENT}")),
            Some(_) => self.run(&format!("SET SESSION max_execution_time = {}", STATEMENT * 1000)),
            None => Ok(()),
        }
    }

    fn run(&mut self, statement: &str) -> Result<(), Failure> {
        let Self { connection, url } = self;
        let connection = connection.as_mut().ok_or_else(|| lost("it ended"))?;
        connection.query_drop(statement).map_err(|error| failure(&error, url))
    }
}

impl Server for Client {
    fn tables(&mut self) -> Result<Vec<Table>, Failure> {
        let mut tables = TableList::default();
        let query = "SELECT t.TABLE_NAME AS table_name, t.ENGINE AS engine, c.COLUMN_NAME AS column_name, \
                     c.COLUMN_KEY AS column_key FROM information_schema.TABLES t JOIN information_schema.COLUMNS c \
                     ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME \
                     WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE' \
                     ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION";
        self.select(query, &mut |row| {
            let is_key = row.text("column_key") == "PRI";
            // A table without an engine is damaged. It has no transactions.
            let engine = Some(row.text("engine")).filter(|engine| !engine.is_empty());
            let engine = engine.unwrap_or_else(|| "none".into());
            tables.add(row.text("table_name"), engine, row.text("column_name"), is_key);
            true
        })?;
        Ok(tables.finish())
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.run("ROLLBACK")
    }

    fn select(&mut self, query: &str, take: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<(), Failure> {
        let Self { connection, url } = self;
        let opened = connection.as_mut().ok_or_else(|| lost("it ended"))?;
        let mut answer = opened.query_iter(query).map_err(|error| failure(&error, url))?;
        let columns = Columns::new(answer.columns().as_ref().iter().map(mysql::Column::name_str));
        let mut is_done = true;
        for row in answer.by_ref() {
            let row = row.map_err(|error| failure(&error, url))?;
            let values: Vec<Value<'_>> = (0..row.len()).map(|place| value(row.as_ref(place))).collect();
            if !take(&Row::new(&columns, &values)) {
                is_done = false;
                break;
            }
        }
        if !is_done {
            // Dropped, it would read the rest, which may take an hour. The connection ends instead.
            mem::forget(answer);
            *connection = None;
        }
        Ok(())
    }
}

/// Returns a value of the text protocol.
fn value(value: Option<&mysql::Value>) -> Value<'_> {
    match value {
        Some(mysql::Value::Bytes(bytes)) => Value::bytes(bytes),
        // The protocol has texts only.
        _ => Value::Null,
    }
}

fn failure(error: &mysql::Error, url: &ServerUrl) -> Failure {
    match error {
        mysql::Error::MySqlError(sql) => match sql.code {
            1049 | 1044 => no_database(url),
            1142 | 1143 => no_right(url, &sql.message),
            1205 => locked(),
            3024 | 1969 => too_slow(),
            // The server ends, or somebody ended the connection.
            1053 | 1317 | 1927 | 2006 | 2013 => lost(&sql.message),
            code => Failure::lasting(format!("the server reports error {code}: {}", sql.message)),
        },
        error => lost(error),
    }
}
