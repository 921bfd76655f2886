//! A [`Snapshot`] from the tables of a report. A lake has several files of each table.

mod csv;
mod files;
mod json_lines;
#[cfg(feature = "parquet")]
mod parquet;

use super::{
    Snapshot,
    snapshot_sink::{ContentRows, SnapshotSink},
};
use crate::{
    output,
    table::{Cell, Key, Table},
    tables::{
        archives::{Archives, key as archive},
        findings::{Findings, key as finding},
        objects::{Objects, key as object},
        regions::{Regions, key as region},
    },
};
use files::{TableFile, Then};
use hullmark_ledger::InputKind;
use hullmark_settings::config::Format;
use hullmark_storage as storage;
use hullmark_util::named_file;
use rayon::prelude::*;
use serde_json::Value;
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// Formats of tables that can be compared, the one that is read first before others. All have the same rows.
const FORMATS: &[Format] = &[
    Format::Csv,
    #[cfg(feature = "parquet")]
    Format::Parquet,
    Format::Jsonl,
];

/// Why a report cannot be compared.
#[derive(Debug, Error)]
pub enum ReadReportError {
    /// A file could not be read.
    #[error("{at} cannot be read. Name the folder of a complete report, or ledgers", at = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// No format has all compared tables.
    #[error(
        "The report in {at} lacks tables that can be compared ({formats}). Write it again with --format csv,html. If \
         that is not possible, leave out --baseline once",
        at = .0.display(),
        formats = FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    )]
    WithoutTables(PathBuf),
    /// A table lacks a compared column.
    #[error(
        "{at} has no column {1}: another version of hullmark wrote it. Write that report again from its ledgers or \
         exports",
        at = .0.display()
    )]
    Column(PathBuf, &'static str),
    /// A file is not valid.
    #[error("{at} is damaged ({1}). Write that report again", at = .0.display())]
    Damaged(PathBuf, String),
    /// The tables and `audit.json` are from different runs.
    #[error(
        "The tables in {at} are not from the run of its audit.json. Write that report again with --format csv,html, \
         or leave out --baseline once",
        at = .0.display()
    )]
    Mixed(PathBuf),
    /// The rows cannot wait on the disk.
    #[error(
        "Rows of a report cannot wait in {at}. Make room there, or choose an --out on another disk",
        at = .0.display()
    )]
    Waiting(PathBuf, #[source] io::Error),
}

/// How much of a report is read. Each has all that the one before has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Archives and their regions.
    Archives,
    /// And findings.
    Findings,
    /// And objects.
    Objects,
}

/// Reads the report in a folder. Its objects and findings wait on the disk of `scratch`.
///
/// # Errors
/// The report is incomplete, or lacks tables that can be compared.
pub fn of_report(folder: &Path, scratch: &Path, extent: Extent) -> Result<Snapshot, ReadReportError> {
    let path = folder.join(output::LAST);
    let text = match storage::is_url(&path) {
        true => storage::read(&path),
        false => named_file::read_regular(&path, named_file::PLAN),
    };
    let text = text.map_err(|source| ReadReportError::Unreadable(path.clone(), source))?;
    let audit: Value =
        serde_json::from_slice(&text).map_err(|error| ReadReportError::Damaged(path, error.to_string()))?;
    let checksum = format!("{:032x}", xxh3_128(&text));
    Ok(Snapshot { checksum, ..of_tables(folder, &audit, scratch, extent)? })
}

/// Reads the tables of a report with this `audit.json`, which may not be written yet.
///
/// # Errors
/// Tables that can be compared are missing, or of another run.
pub fn of_tables(
    folder: &Path,
    audit: &Value,
    scratch: &Path,
    extent: Extent,
) -> Result<Snapshot, ReadReportError> {
    let report = Report::new(folder, scratch)?;
    let waiting = |source| ReadReportError::Waiting(scratch.into(), source);
    let mut sink = SnapshotSink::new(scratch);
    let mut rows = Vec::new();
    report.each(archive::COMPARED, |row| {
        rows.push(row.iter().cloned().map(Cell::into_owned).collect::<Vec<_>>());
        Ok(())
    })?;
    // The files of a lake have archives in another order.
    rows.sort_by(|one, other| archive::ARCHIVE.text(one).cmp(archive::ARCHIVE.text(other)));
    rows.iter().try_for_each(|row| sink.archive(row)).map_err(waiting)?;
    report.each(region::COMPARED, |row| {
        sink.region(row);
        Ok(())
    })?;
    if extent >= Extent::Findings {
        report.content(finding::COMPARED, &sink, &waiting)?;
    }
    if extent >= Extent::Objects {
        report.content(object::COMPARED, &sink, &waiting)?;
    }
    let inputs = audit["manifest"]["inputs"].as_array();
    let inputs = inputs.into_iter().flatten().map(|input| input["archive"].as_str().unwrap_or_default());
    let mut inputs: Vec<&str> = inputs.collect();
    inputs.sort_unstable();
    let archives = rows.iter().filter(|row| archive::KIND.text(row) != InputKind::Absent.name());
    match inputs.into_iter().eq(archives.map(|row| archive::ARCHIVE.text(row))) {
        true => sink.finish(audit).map_err(waiting),
        false => Err(ReadReportError::Mixed(folder.into())),
    }
}

/// A report whose tables are read.
struct Report<'f> {
    format: Format,
    /// The files of each table.
    files: HashMap<&'static str, Vec<PathBuf>>,
    scratch: &'f Path,
}

impl<'f> Report<'f> {
    /// Chooses the first format that has all compared tables.
    fn new(folder: &Path, scratch: &'f Path) -> Result<Self, ReadReportError> {
        let tables = [Archives::NAME, Regions::NAME, Objects::NAME, Findings::NAME];
        let find = |format: Format| {
            let files = |table| Some((table, files::paths(folder, table, format)?));
            let files = tables.into_iter().map(files).collect::<Option<_>>()?;
            Some(Self { format, files, scratch })
        };
        let report = FORMATS.iter().copied().find_map(find);
        report.ok_or_else(|| ReadReportError::WithoutTables(folder.into()))
    }

    /// Reads the compared columns of all rows in a table.
    fn each<T: Table>(
        &self,
        compared: &[Key<T>],
        mut then: impl FnMut(&[Cell<'_>]) -> Result<(), ReadReportError>,
    ) -> Result<(), ReadReportError> {
        self.files[T::NAME].iter().try_for_each(|path| self.rows(path, compared, &mut then))
    }

    /// Reads the files of a table about content, side by side.
    fn content<T: Table>(
        &self,
        compared: &'static [Key<T>],
        sink: &SnapshotSink,
        waiting: &(impl Fn(io::Error) -> ReadReportError + Sync),
    ) -> Result<(), ReadReportError> {
        let (keys, contents) = sink.content();
        self.files[T::NAME].par_iter().enumerate().try_for_each(|(part, path)| {
            let mut rows = ContentRows::new(contents, part as u32);
            self.rows(path, compared, &mut |row| rows.take(keys, T::NAME, row).map_err(waiting))?;
            rows.write().map_err(waiting)
        })
    }

    /// Reads the compared columns of a file row by row.
    fn rows<T: Table>(
        &self,
        path: &Path,
        compared: &[Key<T>],
        then: &mut Then<'_>,
    ) -> Result<(), ReadReportError> {
        let file = TableFile::open(path, compared, self.scratch)?;
        match self.format {
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::rows(&file, then),
            Format::Jsonl => json_lines::rows(&file, then),
            _ => csv::rows(&file, then),
        }
    }
}
