//! A [`Snapshot`] from the tables of a report.

use super::{
    Snapshot,
    snapshot_sink::{SnapshotSink, brief},
};
use crate::{
    csv::restore,
    output,
    table::{Cell, Key, Kind, Table},
    tables::{
        archives::{Archives, key as archive},
        findings::{Findings, key as finding},
        is_column,
        objects::{Objects, key as object},
        regions::{Regions, key as region},
    },
};
use hullmark_ledger as ledger;
use hullmark_rules::history::{self, Copies, Rank};
use hullmark_util::named_file;
use serde_json::Value;
use std::{
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

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
    let has_copies = each(folder, archive::COMPARED, |row| rows.push(row))?;
    if !has_copies {
        rank_copies(&mut rows);
    }
    rows.iter().for_each(|row| sink.take(Archives::NAME, row));
    each(folder, region::COMPARED, |row| sink.take(Regions::NAME, &row))?;
    each(folder, object::COMPARED, |row| sink.take(Objects::NAME, &row))?;
    let unique_fingerprints = each(folder, finding::COMPARED, |row| sink.take(Findings::NAME, &row))?;
    let inputs = audit["manifest"]["inputs"].as_array();
    let inputs = inputs.into_iter().flatten().map(|input| input["archive"].as_str().unwrap_or_default());
    let archives = rows.iter().filter(|row| archive::KIND.text(row) != ledger::ABSENT);
    match inputs.eq(archives.map(|row| archive::ARCHIVE.text(row))) {
        true => Ok(Snapshot { unique_fingerprints, ..sink.finish(&audit) }),
        false => Err(ReadReportError::Mixed(folder.into())),
    }
}

/// Finds the dated copies in a report of an earlier version, which evaluated all of them.
fn rank_copies(rows: &mut [Vec<Cell<'_>>]) {
    let is_input = |row: &&Vec<Cell<'_>>| ![ledger::ABSENT, ledger::STORE].contains(&archive::KIND.text(row));
    let archives: Vec<history::Archive> = rows.iter().filter(is_input).map(|row| brief(row)).collect();
    let copies = Copies::find(&archives);
    for row in rows {
        let name = archive::ARCHIVE.text(row).to_owned();
        let mut set = |key: Key<Archives>, text: &str| row[key.place()] = Cell::show(text);
        set(archive::SERIES, copies.matched_by(&name).unwrap_or_default());
        match copies.rank_of(&name) {
            Rank::Superseded { by } => set(archive::SUPERSEDED_BY, by),
            Rank::InPlaceOf { newest } => set(archive::IN_PLACE_OF, newest),
            Rank::Newest { .. } | Rank::Replaced { .. } => {}
        }
    }
}

/// Columns that earlier versions did not write. Without `old_fingerprint`, several findings may share a fingerprint.
const LATER: [&str; 4] = ["old_fingerprint", "series", "superseded_by", "in_place_of"];

/// Reads the compared columns of a table, row by row. Returns whether it has all of them, including [`LATER`] ones.
fn each<T: Table>(
    folder: &Path,
    compared: &[Key<T>],
    mut then: impl FnMut(Vec<Cell<'static>>),
) -> Result<bool, ReadReportError> {
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
        match head.iter().position(|name| is_column(name, column.name)) {
            Some(place) => found.push((key.place(), place, column.kind)),
            None if LATER.contains(&column.name) => {}
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
    Ok(found.len() == compared.len())
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
