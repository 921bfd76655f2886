//! Databases of SQLite, read where they lie, also while a simulator changes them.
//!
//! No lock is taken, so the simulator never waits. A [`snapshot`] has committed pages only. If the files change
//! meanwhile, the database is read again.
//!
//! | file | does |
//! |---|---|
//! | `files.rs` | the files of a database, and whether they changed |
//! | `overlay.rs` | pages in a journal or a write-ahead log |
//! | `snapshot.rs` | the pages of one committed state |
//! | `cursor.rs` | the rows of a table |
//! | `schema.rs` | tables and columns |
//! | `reader.rs` | reads one database |
//! | `find.rs` | which databases belong to a simulator |

mod cursor;
mod files;
mod find;
mod overlay;
mod reader;
mod schema;
mod snapshot;

use super::{DatabaseRows, Rows};
use crate::{FileSystem, Input, ReadRequest, Reading, Stamp, Visitor, archive::over_budget, not_read};
pub(crate) use files::{BESIDE, beside, beside_all};
use find::parts_beside;
pub(crate) use find::{inputs, sorted};
use hullmark_database::Dialect;
use hullmark_format::defect::Budget;
use hullmark_ledger::InputKind;
use reader::DatabaseReader;
use std::{
    cell::Cell,
    io,
    path::{Path, PathBuf},
};

/// Reads a database and then its parts: those of assets, inventories and accounts.
pub(crate) fn read(input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) -> Reading {
    let limits = request.limits;
    let mut reading = Reading::new(limits);
    reading.kind = Some(InputKind::Sqlite);
    let path = match &input.stream {
        Some(stream) => stream.database(&input.path, limits),
        None => Ok((FileSystem::Disk, input.path.clone())),
    };
    let (system, path) = match path {
        Ok(found) => found,
        Err(error) => {
            reading.give_up(not_read(&error));
            return reading;
        }
    };
    let unreported = Cell::new(0);
    let mut rows = DatabaseRows::new(Dialect::Sqlite, request, visitor, &mut reading, &unreported);
    let mut bytes = 0;
    for path in databases(&system, &path, input.access.parts.as_deref()) {
        if rows.enough() {
            break;
        }
        bytes += system.length(&path).unwrap_or_default();
        if bytes > limits.archive_bytes {
            rows.reading.give_up(over_budget(Budget::BytesInAll, bytes, limits.archive_bytes));
            break;
        }
        let mut reader = DatabaseReader::new(&system, &path, request, &mut rows, &unreported);
        let (bytes, defects) = reader.read();
        rows.reading.unpacked += bytes;
        defects.into_iter().for_each(|defect| rows.reading.give_up(defect));
    }
    if let Err(over) = request.deadline.check() {
        rows.reading.give_up_once(not_read(&over));
    }
    rows.finish();
    visitor.progress(unreported.take());
    reading
}

/// Returns a hash of the state of all databases of an input. `None` if one of them cannot be read.
pub(crate) fn stamp_now(input: &Input) -> Option<Stamp> {
    stamp_of(&files_of(&FileSystem::Disk, &input.path, input.access.parts.as_deref()))
}

/// Returns a hash of the state of these files. `None` if one of them cannot be read.
fn stamp_of(files: &[PathBuf]) -> Option<Stamp> {
    Stamp::of_all(files.iter().map(|file| Stamp::of_file_now(file)))
}

/// Returns a hash of the content of all databases of an input.
pub(crate) fn content_stamp(input: &Input) -> io::Result<Stamp> {
    let files = files_of(&FileSystem::Disk, &input.path, input.access.parts.as_deref());
    Stamp::of_bytes_of_all(files.iter().map(|file| (file.as_path(), 0, None)))
}

/// Returns the databases of an input: the one at this path, and its parts in the same folder.
fn databases(system: &FileSystem, path: &Path, parts: Option<&[PathBuf]>) -> Vec<PathBuf> {
    let mut all = vec![path.to_owned()];
    match parts {
        Some(parts) => all.extend_from_slice(parts),
        None => all.extend(parts_beside(system, path)),
    }
    all
}

/// Returns the files of an input, with journals and logs.
fn files_of(system: &FileSystem, path: &Path, parts: Option<&[PathBuf]>) -> Vec<PathBuf> {
    let files = |database: &PathBuf| {
        let files = files::DatabaseFiles::of(system, database);
        files.present().map(Path::to_owned).collect::<Vec<_>>()
    };
    databases(system, path, parts).iter().flat_map(files).collect()
}

#[cfg(test)]
mod tests;
