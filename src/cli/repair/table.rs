//! The table of all changes, OUT.repairs.csv.

use anyhow::Context;
use hullmark_repair::{Repair, beside, persist};
use hullmark_report::csv::defuse;
use hullmark_storage as storage;
use std::{
    io,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;
use uuid::Uuid;

/// Columns of the table of changes.
const COLUMNS: [&str; 8] = ["code", "member", "object", "part", "field", "old", "new", "why"];

/// The table of all changes, a CSV file. It gets its name at the end.
pub(super) struct Table {
    path: PathBuf,
    rows: csv::Writer<NamedTempFile>,
}

/// Returns the file with all changes of a copy.
pub(super) fn table_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".repairs.csv");
    out.with_file_name(name)
}

impl Table {
    pub(super) fn create(out: &Path) -> anyhow::Result<Self> {
        let path = table_of(out);
        let file = beside(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        let mut rows = csv::Writer::from_writer(file);
        rows.write_record(COLUMNS)?;
        Ok(Self { path, rows })
    }

    pub(super) fn add(&mut self, Repair { member, object, change }: &Repair) -> io::Result<()> {
        let uuid = |uuid: Option<Uuid>| uuid.map(|uuid| uuid.to_string()).unwrap_or_default();
        let cells = [
            change.code.name(),
            member,
            &uuid(*object),
            &uuid(change.part),
            &change.field,
            &change.old,
            &change.new,
            &change.why,
        ];
        self.rows.write_record(cells.map(|cell| defuse(cell).into_owned())).map_err(io::Error::other)
    }

    /// Gives the table its name. Without changes there is no table, also not that of an earlier run.
    pub(super) fn finish(self, changes: u64) -> anyhow::Result<Option<PathBuf>> {
        let written = format!("{} cannot be written", self.path.display());
        if changes == 0 {
            storage::remove(&self.path).context(written)?;
            return Ok(None);
        }
        let file =
            self.rows.into_inner().map_err(csv::IntoInnerError::into_error).context(written.clone())?;
        persist(file, &self.path, true).context(written)?;
        Ok(Some(self.path))
    }
}
