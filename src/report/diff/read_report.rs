//! A [`Snapshot`] from the tables of a report.

use super::{Snapshot, snapshot_sink::SnapshotSink};
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
use hullmark_util::named_file;
use serde_json::Value;
use std::{
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
}

/// Reads the report in a folder.
///
/// # Errors
/// The report is incomplete or has no CSV tables.
pub fn of_report(folder: &Path) -> Result<Snapshot, ReadReportError> {
    let path = folder.join(output::LAST);
    let text = named_file::read_regular(&path, named_file::PLAN);
    let text = text.map_err(|source| ReadReportError::Unreadable(path.clone(), source))?;
    let audit: Value =
        serde_json::from_slice(&text).map_err(|error| ReadReportError::Damaged(path, error.to_string()))?;
    let mut sink = SnapshotSink::default();
    let mut rows = Vec::new();
    each(folder, archive::COMPARED, |row| rows.push(row))?;
    rows.iter().for_each(|row| sink.take(Archives::NAME, row));
    each(folder, region::COMPARED, |row| sink.take(Regions::NAME, &row))?;
    each(folder, object::COMPARED, |row| sink.take(Objects::NAME, &row))?;
    each(folder, finding::COMPARED, |row| sink.take(Findings::NAME, &row))?;
    let inputs = audit["manifest"]["inputs"].as_array();
    let inputs = inputs.into_iter().flatten().map(|input| input["archive"].as_str().unwrap_or_default());
    let archives = rows.iter().filter(|row| archive::KIND.text(row) != InputKind::Absent.name());
    match inputs.eq(archives.map(|row| archive::ARCHIVE.text(row))) {
        true => Ok(sink.finish(&audit)),
        false => Err(ReadReportError::Mixed(folder.into())),
    }
}

/// Reads the compared columns of a table, row by row.
fn each<T: Table>(
    folder: &Path,
    compared: &[Key<T>],
    mut then: impl FnMut(Vec<Cell<'static>>),
) -> Result<(), ReadReportError> {
    let path = folder.join(format!("{}.csv", T::NAME));
    let damaged = |error: csv::Error| ReadReportError::Damaged(path.clone(), error.to_string());
    let file = match named_file::open_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ReadReportError::WithoutCsv(folder.into(), T::NAME));
        }
        Err(source) => return Err(ReadReportError::Unreadable(path, source)),
        Ok(file) => file,
    };
    let mut reader = csv::Reader::from_reader(io::BufReader::new(file));
    let head = reader.headers().map_err(damaged)?;
    let mut found = Vec::new();
    for key in compared {
        let column = &T::COLUMNS[key.place()];
        match head.iter().position(|name| name == column.name) {
            Some(place) => found.push((key.place(), place, column.kind)),
            None if ADDED.contains(&column.name) => {}
            None => return Err(ReadReportError::Column(path, column.name)),
        }
    }
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let mut row = vec![Cell::Empty; T::COLUMNS.len()];
        for &(to, from, kind) in &found {
            row[to] = cell(record.get(from).unwrap_or_default(), kind);
        }
        then(row);
    }
    Ok(())
}

/// A cell from its text in CSV.
fn cell(word: &str, kind: Kind) -> Cell<'static> {
    match kind {
        Kind::Int | Kind::Real | Kind::Percent => match (word.parse(), word.parse()) {
            (Ok(count), _) => Cell::Int(count),
            (_, Ok(number)) => Cell::Real(number),
            _ => Cell::Empty,
        },
        _ => Cell::show(restore(word)),
    }
}
