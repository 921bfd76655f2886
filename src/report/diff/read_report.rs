//! A [`Snapshot`] from the tables of a report.

use super::{
    Snapshot,
    snapshot_sink::{SnapshotSink, brief},
};
use crate::{
    ledger,
    report::{
        csv::restore,
        output,
        table::{Cell, Key, Kind, Table},
        tables::{
            archives::{Archives, key as archive},
            findings::{Findings, key as finding},
            objects::{Objects, key as object},
            regions::{Regions, key as region},
        },
    },
    rules::history::{self, Copies, Rank},
};
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a night cannot be compared: the file or the folder, and why.
#[derive(Debug, Error)]
pub enum NightError {
    /// A file could not be read.
    #[error("{at} cannot be read, so there is nothing to compare with; give the folder of a whole report, or ledgers", at = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// The report was written without this table as CSV.
    #[error(
        "The report in {at} has no {1}.csv, and nights are compared by their tables: write it with csv among its \
         --format, as csv,html; if it cannot be written again, leave --baseline out once",
        at = .0.display()
    )]
    WithoutCsv(PathBuf, &'static str),
    /// The tables lack a column that is compared.
    #[error(
        "{at} has no column {1}: it was written by another version of hullmark; write that report again, from its \
         ledgers or its exports",
        at = .0.display()
    )]
    Column(PathBuf, &'static str),
    /// What is read is no CSV, or no JSON.
    #[error("{at} is damaged ({1}); write that report again", at = .0.display())]
    Damaged(PathBuf, String),
    /// The tables were written by another run than `audit.json`.
    #[error(
        "The tables in {at} are not of the same run as its audit.json, which was written without csv; write that \
         report again with csv among its --format, or leave --baseline out once",
        at = .0.display()
    )]
    Mixed(PathBuf),
}

/// Reads the night of which this folder holds the report.
///
/// # Errors
/// The report is not whole, or was written without CSV.
pub fn of_report(folder: &Path) -> Result<Snapshot, NightError> {
    let path = folder.join(output::LAST);
    let text = fs::read(&path).map_err(|source| NightError::Unreadable(path.clone(), source))?;
    let audit: Value =
        serde_json::from_slice(&text).map_err(|error| NightError::Damaged(path, error.to_string()))?;
    let mut gather = SnapshotSink::default();
    let mut rows = Vec::new();
    let tells_copies = each(folder, archive::COMPARED, |row| rows.push(row))?;
    if !tells_copies {
        rank_copies(&mut rows);
    }
    rows.iter().for_each(|row| gather.take(Archives::NAME, row));
    each(folder, region::COMPARED, |row| gather.take(Regions::NAME, &row))?;
    each(folder, object::COMPARED, |row| gather.take(Objects::NAME, &row))?;
    let tells_apart = each(folder, finding::COMPARED, |row| gather.take(Findings::NAME, &row))?;
    let inputs = audit["manifest"]["inputs"].as_array();
    let inputs = inputs.into_iter().flatten().map(|input| input["archive"].as_str().unwrap_or_default());
    let archives = rows.iter().filter(|row| archive::KIND.text(row) != ledger::ABSENT);
    match inputs.eq(archives.map(|row| archive::ARCHIVE.text(row))) {
        true => Ok(Snapshot { tells_apart, ..gather.night(&audit) }),
        false => Err(NightError::Mixed(folder.into())),
    }
}

/// Says which archives are dated copies, for a report of an earlier version, which judged all of them.
fn rank_copies(rows: &mut [Vec<Cell<'_>>]) {
    let is_input = |row: &&Vec<Cell<'_>>| ![ledger::ABSENT, ledger::STORE].contains(&archive::KIND.text(row));
    let archives: Vec<history::Archive> = rows.iter().filter(is_input).map(|row| brief(row)).collect();
    let copies = Copies::of(&archives);
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

/// The columns that earlier versions did not write. Without `old_fingerprint` one fingerprint may be of several findings.
const LATER: [&str; 4] = ["old_fingerprint", "series", "superseded_by", "in_place_of"];

/// Reads what is compared of a table, row by row. Tells whether it has all of that, columns too that earlier versions did
/// not write.
fn each<T: Table>(
    folder: &Path,
    compared: &[Key<T>],
    mut then: impl FnMut(Vec<Cell<'static>>),
) -> Result<bool, NightError> {
    let path = folder.join(format!("{}.csv", T::NAME));
    let damaged = |error: csv::Error| NightError::Damaged(path.clone(), error.to_string());
    let file = match fs::File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(NightError::WithoutCsv(folder.into(), T::NAME));
        }
        Err(source) => return Err(NightError::Unreadable(path, source)),
        Ok(file) => file,
    };
    let mut reader = csv::Reader::from_reader(io::BufReader::new(file));
    let head = reader.headers().map_err(damaged)?;
    let mut found = Vec::new();
    for key in compared {
        let column = &T::COLUMNS[key.place()];
        match head.iter().position(|name| name == column.name) {
            Some(place) => found.push((key.place(), place, column.kind)),
            None if LATER.contains(&column.name) => {}
            None => return Err(NightError::Column(path, column.name)),
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

/// A cell as it was before it was written.
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
