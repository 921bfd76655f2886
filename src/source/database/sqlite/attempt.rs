//! One reading of a database.
//!
//! Rows of regions wait in memory until all are there, so they may be read first and checked afterwards. An asset goes
//! to the decoders at once, so the files are checked before each one.

use super::{
    cursor::Cursor,
    files::{Files, Patience},
    schema::{self, Table},
    snapshot::{Failed, Snapshot},
};
use crate::{archive::over_budget, database::Rows};
use hullmark_finding::Capped;
use hullmark_format::{
    database::Row,
    defect::{Budget, Defect, InputDefect, SqliteFault},
    sqlite::decode,
};
use hullmark_settings::limits::Limits;
use std::{
    cell::Cell,
    collections::HashMap,
    io,
    time::{Duration, Instant},
};
use xxhash_rust::xxh3::xxh3_64;

/// Number of times that the last reading opens the database again to continue behind the last row.
const RESUMES: u32 = 100;

/// Time that these openings may take together.
const RESUMING: Duration = Duration::from_secs(5);

/// The table whose rows go to the decoders at once.
const ASSETS: &str = "assets";

/// How a reading ended.
pub(super) enum Ended {
    /// All rows are of one committed state.
    Whole,
    /// The files changed. In the last reading, each row is of some committed state.
    Changed,
    /// The visitor has enough, or the deadline is over.
    Enough,
    /// The disk failed.
    Failed(io::Error),
}

/// Assets that went to the decoders, by the numbers of their rows, with a hash of each.
#[derive(Debug, Default)]
pub(super) struct Given {
    assets: HashMap<i64, u64>,
    /// Number of those that the current reading has seen unchanged or given.
    confirmed: usize,
}

impl Given {
    /// Returns the number of assets that are others in the state of the current reading, or absent.
    pub(super) fn changed(&self) -> u64 {
        (self.assets.len() - self.confirmed.min(self.assets.len())) as u64
    }

    /// Notes an asset of the current reading. Returns whether it is to be given.
    fn takes(&mut self, rowid: i64, record: &[u8]) -> bool {
        let hash = xxh3_64(record);
        let earlier = self.assets.get(&rowid).copied();
        self.assets.entry(rowid).or_insert(hash);
        self.confirmed += usize::from(earlier.is_none_or(|earlier| earlier == hash));
        earlier.is_none()
    }
}

/// One reading.
pub(super) struct Attempt<'r> {
    files: &'r Files,
    patience: &'r Patience,
    name: &'r str,
    is_last: bool,
    limits: &'r Limits,
    rows: &'r mut dyn Rows,
    unreported: &'r Cell<u64>,
    given: &'r mut Given,
    resumes: u32,
    resuming: Duration,
    /// Bytes of all rows.
    pub(super) bytes: u64,
    pub(super) defects: Vec<Defect>,
    /// Whether another database decides which rows are in force.
    pub(super) is_shared: bool,
}

impl<'r> Attempt<'r> {
    #[allow(clippy::too_many_arguments, reason = "each is another part of the reading")]
    pub(super) fn new(
        files: &'r Files,
        patience: &'r Patience,
        name: &'r str,
        is_last: bool,
        limits: &'r Limits,
        rows: &'r mut dyn Rows,
        unreported: &'r Cell<u64>,
        given: &'r mut Given,
    ) -> Self {
        given.confirmed = 0;
        Self {
            files,
            patience,
            name,
            is_last,
            limits,
            rows,
            unreported,
            given,
            resumes: 0,
            resuming: Duration::ZERO,
            bytes: 0,
            defects: Vec::new(),
            is_shared: false,
        }
    }

    /// Reads all wanted tables.
    pub(super) fn read(&mut self) -> Ended {
        let mut defects = Capped::new(self.limits.findings_per_code);
        let ended = self.read_tables(&mut defects);
        self.defects = defects.finish();
        match ended {
            Ok(ended) => ended,
            Err(Failed::Io(error)) => Ended::Failed(error),
            Err(Failed::Changed) => Ended::Changed,
            Err(Failed::Fault(why)) => {
                self.defects.push(self.broken("", why));
                Ended::Whole
            }
        }
    }

    fn read_tables(&mut self, defects: &mut Capped<Defect>) -> Result<Ended, Failed> {
        let mut snapshot = Snapshot::open(self.files, Some(self.patience))?;
        let (tables, faults) = schema::tables(&mut snapshot)?;
        self.is_shared = snapshot.is_shared();
        defects.extend(faults.into_iter().map(|why| self.broken("", why)));
        if snapshot.missing() > 0 {
            defects.push(self.broken("", SqliteFault::Cut { pages: snapshot.missing() }));
        }
        for table in tables {
            if !self.rows.wants(self.name, &table.name) {
                continue;
            }
            match self.read_table(&mut snapshot, table, defects)? {
                Ended::Whole => {}
                ended => return Ok(ended),
            }
        }
        let is_one_state = self.resumes == 0 && snapshot.is_unchanged();
        Ok(if is_one_state { Ended::Whole } else { Ended::Changed })
    }

    /// Reads the rows of a table. The last reading continues behind the last row if the files changed.
    fn read_table(
        &mut self,
        snapshot: &mut Snapshot,
        mut table: Table,
        defects: &mut Capped<Defect>,
    ) -> Result<Ended, Failed> {
        let is_checked = self.is_last || table.name == ASSETS;
        let mut cursor = Cursor::new(table.root, None);
        let mut record = Vec::new();
        let mut after = None;
        while let Some(next) = cursor.next(snapshot, self.limits.entry_bytes, &mut record) {
            self.unreported.update(|bytes| bytes + std::mem::take(&mut snapshot.unreported));
            if (is_checked || next.is_err()) && !snapshot.is_unchanged() {
                let table_now = if self.is_last { self.resume(snapshot, &table.name)? } else { None };
                let Some(now) = table_now else { return Ok(Ended::Changed) };
                table = now;
                let too_long = std::mem::replace(&mut cursor, Cursor::new(table.root, after)).too_long;
                cursor.too_long = too_long;
                continue;
            }
            match next {
                Ok(rowid) => {
                    after = Some(rowid);
                    if !self.give(snapshot, &table, rowid, &record) {
                        defects.push(self.broken(&table.name, SqliteFault::Row { page: table.root }));
                    }
                }
                Err(Failed::Fault(why)) => defects.push(self.broken(&table.name, why)),
                Err(failed) => return Err(failed),
            }
            if self.rows.enough() {
                return Ok(Ended::Enough);
            }
        }
        if cursor.too_long > 0 {
            let limit = self.limits.entry_bytes;
            defects.push(over_budget(Budget::BytesInMember, cursor.too_long, limit));
        }
        Ok(Ended::Whole)
    }

    /// Opens the database again. Returns the table in its new state; `None` if it is gone or the database changes too
    /// often.
    fn resume(&mut self, snapshot: &mut Snapshot, name: &str) -> Result<Option<Table>, Failed> {
        self.resumes += 1;
        if self.resumes > RESUMES || self.resuming > RESUMING {
            return Ok(None);
        }
        // While a program writes all the time, an opening takes longer than the next change. So time ends it, too.
        let begun = Instant::now();
        *snapshot = Snapshot::open(self.files, Some(self.patience))?;
        let (tables, _) = schema::tables(snapshot)?;
        self.resuming += begun.elapsed();
        Ok(tables.into_iter().find(|table| table.name == name))
    }

    /// Gives a row to the receiver. Returns `false` if its record is damaged.
    fn give(&mut self, snapshot: &Snapshot, table: &Table, rowid: i64, record: &[u8]) -> bool {
        let Some(mut values) = decode(record, snapshot.header.encoding, table.width) else { return false };
        table.complete(rowid, &mut values);
        self.bytes += record.len() as u64;
        if table.name != ASSETS || self.given.takes(rowid, record) {
            self.rows.row(self.name, &table.name, &Row::new(&table.columns, &values));
        }
        true
    }

    fn broken(&self, table: &str, why: SqliteFault) -> Defect {
        let (database, table) = (self.name.to_owned(), table.to_owned());
        Defect::new(InputDefect::BrokenSqlite { database, table, why })
    }
}
