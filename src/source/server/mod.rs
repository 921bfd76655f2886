//! Databases on servers of MariaDB, MySQL and PostgreSQL.
//!
//! ```text
//! clients/ ─▶ Server ─┬─▶ regions.rs: one snapshot ─────────────┬─▶ DatabaseRows
//!                     └─▶ assets.rs: those in use, in pieces ───┘
//! ```
//!
//! Nothing is ever written. Sessions and transactions are read-only, and the only statements are SELECT, SHOW, SET
//! SESSION, BEGIN, START TRANSACTION and ROLLBACK. No statement makes a simulator wait: a table that blocks its writers
//! while it is read is read in small pieces.

mod assets;
#[cfg_attr(not(feature = "database"), path = "clients_disabled.rs")]
mod clients;
mod regions;
mod tables;
#[cfg(test)]
mod tests;
pub(super) mod url;

use super::{
    Access, Input, Place, ReadRequest, Reading, Visitor, What,
    archive::over_budget,
    database::{DatabaseRows, Rows, left_out, longest_row, uses::Uses},
};
use hullmark_database::{Dialect, Row};
use hullmark_format::defect::{Budget, Defect, InputDefect, LeftOut};
use hullmark_ledger::InputKind;
use std::{
    cell::Cell,
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use tables::Table;
use url::ServerUrl;

/// Times to connect again after a connection was lost, with growing pauses.
const TRIES: u32 = 3;

/// The pause before the first of them.
const PAUSE: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 1000 });

/// A connection to a server, for one database.
trait Server {
    /// Returns the tables that the user may read, with their columns.
    fn tables(&mut self) -> Result<Vec<Table>, Failure>;
    /// Begins a read-only transaction that shows all transactional tables at one moment.
    fn begin(&mut self) -> Result<(), Failure>;
    fn end(&mut self) -> Result<(), Failure>;
    /// Passes the rows of a query on while they arrive. `take` returns whether it wants more. The connection ends if it
    /// does not.
    fn select(&mut self, query: &str, take: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<(), Failure>;
}

/// Why a server did not answer a question.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    /// The reason, as a part of a sentence.
    why: String,
    /// Whether the connection was lost, so that a new one may help.
    is_lost: bool,
}

impl Failure {
    /// Creates a failure that a new connection does not repair.
    fn lasting(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_lost: false }
    }

    /// Returns the defect of a table, or of the whole database if `table` is empty.
    fn of(&self, table: &str) -> Defect {
        Defect::new(InputDefect::Unreadable { why: self.why.clone() }).entry(table)
    }
}

type Connect<'a> = &'a dyn Fn() -> Result<Box<dyn Server>, Failure>;

struct ServerReader<'a, 'rows> {
    connect: Connect<'a>,
    /// The connection. `None` before the first one, and after it was lost.
    server: Option<Box<dyn Server>>,
    rows: &'a mut DatabaseRows<'rows>,
    dialect: Dialect,
    request: &'a ReadRequest<'a>,
    /// Bytes of all rows so far.
    bytes: u64,
    unreported: &'a Cell<u64>,
}

/// Returns the input of a database that was named.
pub(super) fn inputs(path: PathBuf) -> io::Result<Vec<Input>> {
    let name = super::shown(&path);
    ServerUrl::parse(&name).map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
    Ok(vec![Input::new(name, path, What::Place(Place::Server))])
}

pub(super) fn read(input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) -> Reading {
    match ServerUrl::parse(&super::shown(&input.path)) {
        Err(why) => {
            let mut reading = Reading::new(request.limits);
            reading.give_up(Failure::lasting(why).of(""));
            reading
        }
        Ok(url) => {
            let connect = || clients::connect(&url, input.access.password.as_ref(), request.limits);
            read_with(&connect, url.dialect, &input.access, request, visitor)
        }
    }
}

/// Reads a database over connections of this kind.
fn read_with(
    connect: Connect<'_>,
    dialect: Dialect,
    access: &Access,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
) -> Reading {
    let mut reading = Reading::new(request.limits);
    reading.kind =
        Some(if dialect == Dialect::PostgreSql { InputKind::Postgresql } else { InputKind::Mysql });
    let unreported = Cell::new(0);
    let mut rows = DatabaseRows::new(dialect, request, visitor, &mut reading, &unreported);
    rows.uses = (!request.limits.all_assets).then(Uses::default);
    if let (Some(uses), Some(lacked)) = (&mut rows.uses, &access.lacked) {
        lacked.iter().for_each(|&asset| uses.add(asset));
    }
    let (server, bytes, unreported) = (None, 0, &unreported);
    let mut reader = ServerReader { connect, server, rows: &mut rows, dialect, request, bytes, unreported };
    if let Err(failure) = reader.read(access.lacked.is_some()) {
        reader.rows.reading.give_up(failure.of(""));
    }
    let unpacked = reader.bytes;
    rows.finish();
    reading.unpacked = unpacked;
    reading
}

impl ServerReader<'_, '_> {
    /// Reads regions and inventories, then the assets that they use. A store has assets only.
    fn read(&mut self, is_store: bool) -> Result<(), Failure> {
        // A server that is not there at first will not come.
        self.server()?;
        let tables = self.patiently(|reader| reader.server()?.tables())?;
        let has_inventories = tables.iter().any(|table| table.is("inventoryitems"));
        let has_users = regions::are_in(&tables) || has_inventories && self.rows.evaluates_inventories();
        match is_store {
            true => self.patiently(|reader| reader.store_rows(&tables))?,
            false => self.regions(&tables)?,
        }
        self.rows.pass_regions();
        if self.is_over() {
            return Ok(());
        }
        self.assets(&tables, has_users || is_store)
    }

    /// Returns the connection. Connects first if needed.
    fn server(&mut self) -> Result<&mut dyn Server, Failure> {
        let server = match self.server.take() {
            Some(server) => server,
            None => (self.connect)()?,
        };
        Ok(&mut **self.server.insert(server))
    }

    /// Repeats what a lost connection interrupted, a few times.
    fn patiently<T>(&mut self, work: impl Fn(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut pause = PAUSE;
        for _ in 0..TRIES {
            match work(self) {
                Err(failure) if failure.is_lost && !self.is_over() => self.server = None,
                done => return done,
            }
            thread::sleep(pause);
            pause *= 2;
        }
        work(self)
    }

    /// Whether to stop: there is enough, the time is over, or there are too many bytes.
    fn is_over(&self) -> bool {
        self.rows.enough() || self.bytes > self.request.limits.archive_bytes
    }

    /// Passes the rows of a query on as rows of a table. Returns their number, the value of `key` in the last one, and
    /// the time until the first one.
    fn select(&mut self, query: &str, table: &str, key: &str) -> Result<Selected, Failure> {
        let (begin, limit, unreported) = (Instant::now(), self.request.limits.archive_bytes, self.unreported);
        let longest = longest_row(table, self.request.limits);
        let mut selected = Selected::default();
        let mut bytes = self.bytes;
        self.server()?;
        let Self { server, rows, .. } = self;
        let Some(server) = server else { return Ok(selected) };
        let mut is_over = false;
        let done = server.select(query, &mut |row| {
            selected.wait.get_or_insert_with(|| begin.elapsed());
            selected.rows += 1;
            let size = row.size();
            bytes = bytes.saturating_add(size);
            unreported.set(unreported.get() + size);
            if !key.is_empty() {
                selected.last = Some(row.blob(key).to_vec());
            }
            // The query itself leaves large assets out.
            if size > longest && table != "assets" {
                selected.too_long = (selected.too_long.0 + 1, selected.too_long.1.max(size));
            } else if rows.wants("", table)
                && let Some(column) = rows.row("", table, row)
            {
                rows.bytes(row.blob(column).to_vec());
            }
            is_over = bytes > limit || rows.enough();
            !is_over
        });
        self.bytes = bytes;
        if bytes > limit {
            let defect = over_budget(Budget::BytesInAll, bytes, limit);
            self.rows.reading.give_up_once(defect);
        }
        let (count, size) = selected.too_long;
        if count > 0 {
            self.rows.reading.give_up(left_out(LeftOut::Rows, table, count, size, longest));
        }
        if is_over {
            // The rest of the answer is not read, so nothing else can be asked.
            self.server = None;
        }
        selected.wait.get_or_insert_with(|| begin.elapsed());
        done.map(|()| selected)
    }
}

/// The answer to a query.
#[derive(Debug, Default)]
struct Selected {
    rows: u64,
    last: Option<Vec<u8>>,
    wait: Option<Duration>,
    /// Number of rows that are longer than the limit, and the bytes of the longest.
    too_long: (u64, u64),
}

/// Returns the URL of a server without its password, for messages.
pub(super) fn without_password(path: &Path) -> String {
    url::without_password(&super::shown(path))
}
