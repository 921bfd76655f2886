//! A [`Snapshot`] from the tables of a report. A lake has several files of each table.

use super::{
    Snapshot,
    snapshot_sink::{ContentRows, SnapshotSink},
};
use crate::{
    csv::restore,
    output,
    table::{Cell, Key, Kind, Table},
    tables::{
        archives::{Archives, key as archive},
        findings::{Findings, key as finding},
        objects::{Objects, key as object},
        regions::{Regions, key as region},
    },
};
use hullmark_ledger::InputKind;
use hullmark_storage as storage;
use hullmark_util::named_file;
use rayon::prelude::*;
use serde_json::Value;
use std::{
    borrow::Cow,
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Columns that reports of earlier versions lack. Nothing of those is matched by content.
const ADDED: [&str; 2] = ["content", "content_fingerprint"];

/// Why a report cannot be compared.
#[derive(Debug, Error)]
pub enum ReadReportError {
    /// A file could not be read.
    #[error("{at} cannot be read. Name the folder of a complete report, or ledgers", at = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// The report was written without this table as CSV.
    #[error(
        "The report in {at} has no {1}.csv. Runs are compared by their CSV tables: write the report again with \
         --format csv,html. If that is not possible, leave out --baseline once",
        at = .0.display()
    )]
    WithoutCsv(PathBuf, &'static str),
    /// A table lacks a compared column.
    #[error(
        "{at} has no column {1}: another version of hullmark wrote it. Write that report again from its ledgers or \
         exports",
        at = .0.display()
    )]
    Column(PathBuf, &'static str),
    /// A file is not valid CSV or JSON.
    #[error("{at} is damaged ({1}). Write that report again", at = .0.display())]
    Damaged(PathBuf, String),
    /// The tables and `audit.json` are from different runs.
    #[error(
        "The tables in {at} are not from the run of its audit.json, which wrote no CSV. Write that report again with \
         --format csv,html, or leave out --baseline once",
        at = .0.display()
    )]
    Mixed(PathBuf),
    /// The rows cannot wait on the disk.
    #[error("Rows of a report cannot wait in {at}. Make room there", at = .0.display())]
    Waiting(PathBuf, #[source] io::Error),
}

/// Reads the report in a folder. Its objects and findings wait on the disk of `scratch`.
///
/// # Errors
/// The report is incomplete or has no CSV tables.
pub fn of_report(folder: &Path, scratch: &Path) -> Result<Snapshot, ReadReportError> {
    let path = folder.join(output::LAST);
    let text = named_file::read_regular(&path, named_file::PLAN);
    let text = text.map_err(|source| ReadReportError::Unreadable(path.clone(), source))?;
    let audit: Value =
        serde_json::from_slice(&text).map_err(|error| ReadReportError::Damaged(path, error.to_string()))?;
    let waiting = |source| ReadReportError::Waiting(scratch.into(), source);
    let mut sink = SnapshotSink::new(scratch);
    let mut rows = Vec::new();
    for file in files::<Archives>(folder)? {
        each(&file, archive::COMPARED, |row| {
            rows.push(row.into_iter().map(owned).collect::<Vec<_>>());
            Ok(())
        })?;
    }
    // The files of a lake have archives in another order.
    rows.sort_by(|one, other| archive::ARCHIVE.text(one).cmp(archive::ARCHIVE.text(other)));
    rows.iter().try_for_each(|row| sink.archive(row)).map_err(waiting)?;
    for file in files::<Regions>(folder)? {
        each(&file, region::COMPARED, |row| {
            sink.region(&row);
            Ok(())
        })?;
    }
    content::<Objects>(folder, object::COMPARED, &sink, &waiting)?;
    content::<Findings>(folder, finding::COMPARED, &sink, &waiting)?;
    let inputs = audit["manifest"]["inputs"].as_array();
    let inputs = inputs.into_iter().flatten().map(|input| input["archive"].as_str().unwrap_or_default());
    let mut inputs: Vec<&str> = inputs.collect();
    inputs.sort_unstable();
    let archives = rows.iter().filter(|row| archive::KIND.text(row) != InputKind::Absent.name());
    match inputs.into_iter().eq(archives.map(|row| archive::ARCHIVE.text(row))) {
        true => sink.finish(&audit).map_err(waiting),
        false => Err(ReadReportError::Mixed(folder.into())),
    }
}

/// Reads the files of a table about content, side by side.
fn content<T: Table>(
    folder: &Path,
    compared: &'static [Key<T>],
    sink: &SnapshotSink,
    waiting: &(impl Fn(io::Error) -> ReadReportError + Sync),
) -> Result<(), ReadReportError> {
    let (keys, contents) = sink.content();
    files::<T>(folder)?.into_par_iter().enumerate().try_for_each(|(part, file)| {
        let mut rows = ContentRows::new(contents, part as u32);
        each(&file, compared, |row| rows.take(keys, T::NAME, &row).map_err(waiting))?;
        rows.write().map_err(waiting)
    })
}

/// Returns the CSV files of a table: one in a report, several in a lake.
fn files<T: Table>(folder: &Path) -> Result<Vec<PathBuf>, ReadReportError> {
    let name = format!("{}.csv", T::NAME);
    let file = folder.join(&name);
    if !storage::is_gone(&file) {
        return Ok(vec![file]);
    }
    let mut parts = storage::entries(&folder.join(T::NAME)).unwrap_or_default();
    parts.retain(|part| part.extension().is_some_and(|ending| ending == "csv"));
    parts.sort();
    match parts.is_empty() {
        true => Err(ReadReportError::WithoutCsv(folder.into(), T::NAME)),
        false => Ok(parts),
    }
}

/// Reads the compared columns of a table, row by row.
fn each<T: Table>(
    path: &Path,
    compared: &[Key<T>],
    mut then: impl FnMut(Vec<Cell<'_>>) -> Result<(), ReadReportError>,
) -> Result<(), ReadReportError> {
    let damaged = |error: csv::Error| ReadReportError::Damaged(path.into(), error.to_string());
    let file = named_file::open_regular(path);
    let file = file.map_err(|source| ReadReportError::Unreadable(path.into(), source))?;
    let mut reader = csv::Reader::from_reader(io::BufReader::new(file));
    let head = reader.headers().map_err(damaged)?;
    let mut found = Vec::new();
    for key in compared {
        let column = &T::COLUMNS[key.place()];
        match head.iter().position(|name| name == column.name) {
            Some(place) => found.push((key.place(), place, column.kind)),
            None if ADDED.contains(&column.name) => {}
            None => return Err(ReadReportError::Column(path.into(), column.name)),
        }
    }
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let mut row = vec![Cell::Empty; T::COLUMNS.len()];
        for &(to, from, kind) in &found {
            row[to] = cell(record.get(from).unwrap_or_default(), kind);
        }
        then(row)?;
    }
    Ok(())
}

/// A cell from its text in CSV.
fn cell(word: &str, kind: Kind) -> Cell<'_> {
    match kind {
        Kind::Int | Kind::Real | Kind::Percent => match (word.parse(), word.parse()) {
            (Ok(count), _) => Cell::Int(count),
            (_, Ok(number)) => Cell::Real(number),
            _ => Cell::Empty,
        },
        _ if word.is_empty() => Cell::Empty,
        _ => Cell::Text(restore(word)),
    }
}

fn owned(cell: Cell<'_>) -> Cell<'static> {
    match cell {
        Cell::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
        Cell::Empty => Cell::Empty,
        Cell::Bool(value) => Cell::Bool(value),
        Cell::Int(value) => Cell::Int(value),
        Cell::Real(value) => Cell::Real(value),
    }
}
