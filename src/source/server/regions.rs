//! Regions and inventories: all their tables at one moment.

use super::{
    Failure, ServerReader,
    tables::{BY_KEY, Table, after, buffered, quoted},
};
use crate::database::Rows;
use hullmark_database::{Columns, ESTATE_TABLES};
use hullmark_format::defect::{Defect, InputDefect};
use std::time::Duration;

/// Tables of an asset or inventory service, and the list of a grid.
const OF_SERVICES: [&str; 6] =
    ["migrations", FSASSETS, "useraccounts", "inventoryfolders", "inventoryitems", "regions"];

/// The tables of regions. Prims come last: where a reading ends early, those that are there have their shapes.
const OF_REGIONS: [&str; 8] = [
    "regionsettings",
    "regionenvironment",
    "spawn_points",
    "land",
    "terrain",
    "primitems",
    "primshapes",
    "prims",
];

/// The table of files in an FSAssets store.
const FSASSETS: &str = "fsassets";

/// Rows of the first piece of a table.
const FIRST_PIECE: u64 = 64;

impl ServerReader<'_, '_> {
    /// Reads the rows of a store that name the files of another one.
    pub(super) fn store_rows(&mut self, tables: &[Table]) -> Result<(), Failure> {
        let Some(table) = tables.iter().find(|table| table.is(FSASSETS)) else { return Ok(()) };
        self.rows.begin_again();
        self.whole_table(table, FSASSETS)
    }

    /// Reads regions and inventories in one snapshot. If the connection is lost, they are read again once, in a new snapshot.
    pub(super) fn regions(&mut self, tables: &[Table]) -> Result<(), Failure> {
        let mut read = self.snapshot(tables);
        if read.as_ref().is_err_and(|failure| failure.is_lost) && !self.is_over() {
            self.server = None;
            // Without a new connection, the rows that were read remain.
            self.rows.is_cut = true;
            self.patiently(|reader| reader.server().map(drop))?;
            self.rows.begin_again();
            read = self.snapshot(tables);
        }
        self.rows.is_cut |= self.is_over() || read.is_err();
        read?.into_iter().for_each(|defect| self.rows.reading.give_up(defect));
        if let Some(defect) = outside_snapshot(tables) {
            self.rows.reading.defects.push(defect);
        }
        Ok(())
    }

    /// Reads all tables in one transaction. Returns the defects of single tables.
    fn snapshot(&mut self, tables: &[Table]) -> Result<Vec<Defect>, Failure> {
        self.server()?.begin()?;
        let (mut defects, mut unread) = (Vec::new(), Vec::new());
        for table in tables {
            self.rows.define("", &table.name.to_ascii_lowercase(), &Columns::new(&table.columns));
        }
        for name in OF_SERVICES.into_iter().chain(ESTATE_TABLES).chain(OF_REGIONS) {
            let table = tables.iter().find(|table| table.is(name));
            let read = match table {
                _ if self.is_over() => break,
                _ if name == "prims" && unread.contains(&"primshapes") => {
                    Err(Failure::lasting("prims were not read, because their shapes are unknown"))
                }
                None => continue,
                Some(table) => self.whole_table(table, name),
            };
            match read {
                Err(failure) if failure.is_lost => return Err(failure),
                Err(failure) => {
                    // Rows may have come before the failure.
                    self.rows.is_cut |= name == "prims";
                    defects.push(failure.of(name));
                    unread.push(name);
                }
                Ok(()) => {}
            }
        }
        // The rows are here, so it does not matter whether the server hears it.
        if self.server.as_mut().is_some_and(|server| server.end().is_err()) {
            self.server = None;
        }
        Ok(defects)
    }

    fn whole_table(&mut self, table: &Table, name: &str) -> Result<(), Failure> {
        if let Some(column) = table.missing_column() {
            let why = format!("the table {name} has no column {column}, so it was not read");
            return Err(Failure::lasting(why));
        }
        if table.is_transactional() {
            let query = format!("SELECT * FROM {}", quoted(self.dialect, &table.name));
            return self.select(&query, name, "").map(drop);
        }
        self.in_pieces(table, name)
    }

    /// Reads a table of MyISAM. Its writers wait while a statement reads it, so each one reads few rows and lets the
    /// server store them before it sends them.
    fn in_pieces(&mut self, table: &Table, name: &str) -> Result<(), Failure> {
        let (mut piece, mut last, mut done) = (Piece::new(FIRST_PIECE), None, 0);
        let from = quoted(self.dialect, &table.name);
        let key = table.key.as_deref().unwrap_or_default();
        loop {
            let rows = piece.rows;
            let rest = match key {
                // Without a key there is no other order than that of the file.
                "" => format!(" LIMIT {rows} OFFSET {done}"),
                key => {
                    let key = quoted(self.dialect, key);
                    format!("{BY_KEY} {}", after(self.dialect, &key, last.as_deref(), rows))
                }
            };
            let query = buffered(&format!("SELECT * FROM {from}{rest}"));
            let selected = self.select(&query, name, &key.to_ascii_lowercase())?;
            done += selected.rows;
            if selected.rows < rows || self.is_over() {
                return Ok(());
            }
            last = selected.last;
            piece.took(selected.wait);
        }
    }
}

/// Whether a database has regions. The list of a grid alone does not count.
pub(super) fn are_in(tables: &[Table]) -> bool {
    tables.iter().any(|table| OF_REGIONS.iter().any(|name| table.is(name)))
}

/// Returns the defect of tables that are not in the snapshot.
fn outside_snapshot(tables: &[Table]) -> Option<Defect> {
    let is_read = |table: &Table| OF_SERVICES.iter().chain(&OF_REGIONS).any(|name| table.is(name));
    let is_outside = |table: &&Table| !table.is_transactional() && is_read(table);
    let names: Vec<&str> = tables.iter().filter(is_outside).map(|table| table.name.as_str()).collect();
    let defect = || Defect::new(InputDefect::OutsideSnapshot { tables: names.join(", ") });
    (!names.is_empty()).then(|| defect().measured(names.len() as f64))
}

/// How many rows a statement reads of a table whose writers wait for it.
pub(super) struct Piece {
    pub rows: u64,
}

impl Piece {
    /// A statement above this time reads too many rows, in a quarter of the time that a writer may wait.
    const LONG: Duration = Duration::from_millis(25);
    /// A statement below this time could read more rows.
    const SHORT: Duration = Duration::from_millis(8);
    /// More rows in a statement save no time.
    const MOST: u64 = 4096;

    pub(super) fn new(rows: u64) -> Self {
        Self { rows }
    }

    /// Takes the time of the last statement into account.
    pub(super) fn took(&mut self, time: Option<Duration>) {
        match time {
            Some(time) if time > Self::LONG => self.rows = (self.rows / 2).max(1),
            Some(time) if time < Self::SHORT => self.rows = (self.rows * 2).min(Self::MOST),
            _ => {}
        }
    }
}
