//! The files of a table in a report: one, or several in a lake.

use super::ReadReportError;
use crate::table::{Cell, Key, Kind, Table};
use hullmark_settings::config::Format;
use hullmark_storage as storage;
use hullmark_util::{deadline::Deadline, named_file};
use std::{
    fs::File,
    io::{self, Seek},
    path::{Path, PathBuf},
};

/// Columns that reports of earlier versions lack. Nothing of those is matched by content.
const ADDED: [&str; 2] = ["content", "content_fingerprint"];

/// A column that is compared.
pub(super) struct Compared {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Its index in a row.
    pub(super) place: usize,
}

impl Compared {
    fn of<T: Table>(keys: &[Key<T>]) -> Vec<Self> {
        let of_key = |key: &Key<T>| {
            let column = &T::COLUMNS[key.place()];
            Self { name: column.name, kind: column.kind, place: key.place() }
        };
        keys.iter().map(of_key).collect()
    }

    /// Whether all reports have it.
    pub(super) fn is_in_all(&self) -> bool {
        !ADDED.contains(&self.name)
    }
}

/// Takes a row with the compared columns of a table. The other columns are empty.
pub(super) type Then<'t> = dyn FnMut(&[Cell<'_>]) -> Result<(), ReadReportError> + 't;

/// Returns the files of a table in a format. `None` if the report lacks it.
pub(super) fn paths(folder: &Path, table: &str, format: Format) -> Option<Vec<PathBuf>> {
    let file = folder.join(format!("{table}.{}", format.name()));
    if !storage::is_gone(&file) {
        return Some(vec![file]);
    }
    let mut parts = storage::entries(&folder.join(table)).unwrap_or_default();
    parts.retain(|part| part.extension().is_some_and(|ending| ending == format.name()));
    parts.sort();
    (!parts.is_empty()).then_some(parts)
}

/// A file of a table, on a disk.
pub(super) struct TableFile<'p> {
    path: &'p Path,
    pub(super) file: File,
    /// The columns that are read.
    pub(super) compared: Vec<Compared>,
    /// Number of columns of a row.
    pub(super) width: usize,
}

impl<'p> TableFile<'p> {
    /// Opens a file. An object in a store is first copied to the disk of `scratch`.
    pub(super) fn open<T: Table>(
        path: &'p Path,
        compared: &[Key<T>],
        scratch: &Path,
    ) -> Result<Self, ReadReportError> {
        let file = match storage::is_url(path) {
            true => copy(path, scratch),
            false => named_file::open_regular(path),
        };
        let file = file.map_err(|source| ReadReportError::Unreadable(path.into(), source))?;
        Ok(Self { path, file, compared: Compared::of(compared), width: T::COLUMNS.len() })
    }

    /// Returns each compared column with its index in the file.
    pub(super) fn columns(
        &self,
        find: impl Fn(&str) -> Option<usize>,
    ) -> Result<Vec<(&Compared, usize)>, ReadReportError> {
        let mut columns = Vec::new();
        for column in &self.compared {
            match find(column.name) {
                Some(index) => columns.push((column, index)),
                None if column.is_in_all() => return Err(self.lacks(column)),
                None => {}
            }
        }
        Ok(columns)
    }

    pub(super) fn lacks(&self, column: &Compared) -> ReadReportError {
        ReadReportError::Column(self.path.into(), column.name)
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers have values, not references")]
    pub(super) fn damaged(&self, error: impl ToString) -> ReadReportError {
        ReadReportError::Damaged(self.path.into(), error.to_string())
    }
}

fn copy(url: &Path, scratch: &Path) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(scratch)?;
    let objects = storage::list(url)?;
    let object = objects.first().ok_or(io::ErrorKind::NotFound)?;
    let mut bytes = storage::open(&object.path, object.bytes, Some(object.stamp), Deadline::default())?;
    io::copy(&mut bytes, &mut file)?;
    file.rewind()?;
    Ok(file)
}
