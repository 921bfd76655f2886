//! Reads one database.
//!
//! Rows of regions wait in memory until all are there, so they may be read first and checked afterwards. An asset goes
//! to the decoders at once, so the files are checked before each one.

use super::{
    cursor::Cursor,
    files::{DatabaseFiles, Patience},
    schema::{Table, Tables},
    snapshot::{Failed, Snapshot},
};
use crate::{
    FileSystem, ReadRequest,
    database::{Rows, left_out, longest_row},
    not_read,
};
use hullmark_database::{Value, sqlite::decode};
use hullmark_finding::Capped;
use hullmark_format::defect::{Defect, InputDefect, LeftOut, SnapshotDoubt, SqliteFault};
use std::{
    borrow::Cow,
    cell::Cell,
    collections::HashMap,
    io,
    path::Path,
    time::{Duration, Instant},
};
use xxhash_rust::xxh3::xxh3_64;

/// Number of times to read a database that changes meanwhile. The last time takes each row as it is.
const READINGS: u32 = 5;

/// Pause before the second reading. Each further one is longer.
const PAUSE: Duration = Duration::from_millis(50);

/// Number of times that the last reading opens the database again to continue behind the last row.
const RESUMES: u32 = 100;

/// Time that these openings may take together.
const RESUMING: Duration = Duration::from_secs(5);

/// The table whose rows go to the decoders at once.
const ASSETS: &str = "assets";

/// Bytes of memory for the number and the hash of an asset.
const GIVEN: usize = 40;

enum ReadingEnd {
    /// All rows are of one committed state.
    Whole,
    /// The files changed. In the last reading, each row is of some committed state.
    Changed,
    /// The visitor has enough, or the deadline is over.
    Enough,
    Failed(io::Error),
}

/// Assets that went to the decoders, by the numbers of their rows, with a hash of each.
#[derive(Debug, Default)]
struct GivenAssets {
    assets: HashMap<i64, u64>,
    /// Number of those that the current reading has seen unchanged or given.
    confirmed: usize,
}

impl GivenAssets {
    /// Returns the number of assets that are others in the state of the current reading, or absent.
    fn changed(&self) -> u64 {
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

/// Reads one database until its files do not change meanwhile, or for the last time.
pub(super) struct DatabaseReader<'r> {
    files: DatabaseFiles,
    patience: Patience,
    name: String,
    request: &'r ReadRequest<'r>,
    rows: &'r mut dyn Rows,
    unreported: &'r Cell<u64>,
    given: GivenAssets,
    is_last: bool,
    resumes: u32,
    resuming: Duration,
    /// Bytes of all rows of the current reading.
    bytes: u64,
    /// Whether another database decides which rows are in force.
    is_shared: bool,
}

impl<'r> DatabaseReader<'r> {
    pub(super) fn new(
        system: &FileSystem,
        path: &Path,
        request: &'r ReadRequest<'r>,
        rows: &'r mut dyn Rows,
        unreported: &'r Cell<u64>,
    ) -> Self {
        Self {
            files: DatabaseFiles::of(system, path),
            patience: Patience::new(system, request.deadline.clone()),
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            request,
            rows,
            unreported,
            given: GivenAssets::default(),
            is_last: false,
            resumes: 0,
            resuming: Duration::ZERO,
            bytes: 0,
            is_shared: false,
        }
    }

    /// Reads the database. Returns the bytes of all rows, and why it is not known to be read completely, if so.
    pub(super) fn read(&mut self) -> (u64, Vec<Defect>) {
        let mut readings = 1;
        loop {
            self.is_last = readings == READINGS || readings > 1 && self.patience.is_over();
            (self.resumes, self.resuming) = (0, Duration::ZERO);
            (self.given.confirmed, self.bytes, self.is_shared) = (0, 0, false);
            let (ended, mut defects) = self.read_once();
            let mut doubt = |why: SnapshotDoubt| {
                let database = self.name.clone();
                defects.push(Defect::new(InputDefect::DoubtfulSnapshot { database, why }));
            };
            if self.is_shared {
                doubt(SnapshotDoubt::SharedTransaction);
            }
            match ended {
                ReadingEnd::Changed if !self.is_last => {
                    self.rows.forget(&self.name);
                    self.patience.wait(PAUSE * readings);
                    readings += 1;
                    continue;
                }
                ReadingEnd::Changed => doubt(SnapshotDoubt::Changing { readings }),
                ReadingEnd::Whole if self.given.changed() > 0 => {
                    doubt(SnapshotDoubt::AssetsChanged { assets: self.given.changed() });
                }
                ReadingEnd::Whole | ReadingEnd::Enough => {}
                ReadingEnd::Failed(error) => defects.push(not_read(&error)),
            }
            return (self.bytes, defects);
        }
    }

    /// Reads all wanted tables.
    fn read_once(&mut self) -> (ReadingEnd, Vec<Defect>) {
        let mut defects = Capped::new(self.request.limits.findings_per_code);
        let ended = self.read_tables(&mut defects);
        let mut defects = defects.finish();
        let ended = ended.unwrap_or_else(|failed| match failed {
            Failed::Io(error) => ReadingEnd::Failed(error),
            Failed::Changed => ReadingEnd::Changed,
            Failed::Fault(why) => {
                defects.push(self.broken("", why));
                ReadingEnd::Whole
            }
        });
        (ended, defects)
    }

    fn read_tables(&mut self, defects: &mut Capped<Defect>) -> Result<ReadingEnd, Failed> {
        let (mut snapshot, tables) = self.open(defects)?;
        self.is_shared = snapshot.is_shared();
        defects.extend(tables.left_out(self.request.limits));
        if snapshot.missing() > 0 {
            defects.push(self.broken("", SqliteFault::Cut { pages: snapshot.missing() }));
        }
        for table in tables.list {
            self.rows.define(&self.name, &table.name, &table.columns);
            if !self.rows.wants(&self.name, &table.name) {
                continue;
            }
            match self.read_table(&mut snapshot, table, defects)? {
                ReadingEnd::Whole => {}
                ended => return Ok(ended),
            }
        }
        let is_one_state = self.resumes == 0 && snapshot.is_unchanged();
        Ok(if is_one_state { ReadingEnd::Whole } else { ReadingEnd::Changed })
    }

    /// Opens the database in its present state.
    fn open(&self, defects: &mut Capped<Defect>) -> Result<(Snapshot, Tables), Failed> {
        let mut snapshot = Snapshot::open(&self.files, Some(&self.patience))?;
        snapshot.deadline = self.request.deadline.clone();
        let knows = |table: &str| self.rows.knows(table);
        let fault = &mut |why| defects.push(self.broken("", why));
        let tables = Tables::read(&mut snapshot, self.request.limits, &knows, fault)?;
        Ok((snapshot, tables))
    }

    /// Reads the rows of a table. The last reading continues behind the last row if the files changed.
    fn read_table(
        &mut self,
        snapshot: &mut Snapshot,
        mut table: Table,
        defects: &mut Capped<Defect>,
    ) -> Result<ReadingEnd, Failed> {
        let is_checked = self.is_last || table.name == ASSETS;
        let mut cursor = Cursor::new(table.root, None);
        let mut record = Vec::new();
        let mut after = None;
        let longest = longest_row(&table.name, self.request.limits);
        while let Some(next) = cursor.next(snapshot, longest, &mut record) {
            self.unreported.update(|bytes| bytes + std::mem::take(&mut snapshot.unreported));
            if (is_checked || next.is_err()) && !snapshot.is_unchanged() {
                let table_now = if self.is_last { self.resume(snapshot, &table.name)? } else { None };
                let Some(now) = table_now else { return Ok(ReadingEnd::Changed) };
                table = now;
                let too_long = std::mem::replace(&mut cursor, Cursor::new(table.root, after)).too_long;
                cursor.too_long = too_long;
                continue;
            }
            match next {
                Ok(rowid) => {
                    after = Some(rowid);
                    if !self.give(snapshot, &table, rowid, &mut record) {
                        defects.push(self.broken(&table.name, SqliteFault::Row { page: table.root }));
                    }
                }
                Err(Failed::Fault(why)) => defects.push(self.broken(&table.name, why)),
                Err(failed) => return Err(failed),
            }
            if self.rows.enough() {
                return Ok(ReadingEnd::Enough);
            }
        }
        let (count, bytes) = cursor.too_long;
        if count > 0 {
            defects.push(left_out(LeftOut::Rows, &table.name, count, bytes, longest));
        }
        Ok(ReadingEnd::Whole)
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
        let (now, tables) = self.open(&mut Capped::new(1))?;
        self.resuming += begun.elapsed();
        *snapshot = now;
        Ok(tables.list.into_iter().find(|table| table.name == name))
    }

    /// Gives a row to the receiver. Returns `false` if its record is damaged.
    fn give(&mut self, snapshot: &Snapshot, table: &Table, rowid: i64, record: &mut Vec<u8>) -> bool {
        let Some(mut values) = decode(record, snapshot.header.encoding, table.width) else { return false };
        self.bytes += record.len() as u64;
        if table.name == ASSETS && !self.takes_asset(rowid, record) {
            return true;
        }
        let number = Value::Int(rowid);
        let wanted = self.rows.row(&self.name, &table.name, &table.row(&values, &number));
        let place =
            wanted.and_then(|column| table.columns.place(column)).filter(|&place| place < values.len());
        let Some(place) = place else { return true };
        let bytes = match values.swap_remove(place) {
            Value::Bytes(Cow::Owned(bytes)) => bytes,
            Value::Bytes(Cow::Borrowed(bytes)) => {
                let (start, length) = (bytes.as_ptr() as usize - record.as_ptr() as usize, bytes.len());
                drop(values);
                // The record becomes the asset, so that none of them is in memory twice.
                record.copy_within(start..start + length, 0);
                record.truncate(length);
                std::mem::take(record)
            }
            _ => Vec::new(),
        };
        self.rows.bytes(bytes);
        true
    }

    /// Whether an asset of the current reading is to be given. Without room for its number it is not.
    fn takes_asset(&mut self, rowid: i64, record: &[u8]) -> bool {
        let has_room = self.given.assets.contains_key(&rowid) || self.rows.takes(GIVEN);
        has_room && self.given.takes(rowid, record)
    }

    fn broken(&self, table: &str, why: SqliteFault) -> Defect {
        let (database, table) = (self.name.clone(), table.to_owned());
        Defect::new(InputDefect::BrokenSqlite { database, table, why })
    }
}
