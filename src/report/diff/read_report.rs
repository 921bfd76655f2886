//! A [`Snapshot`] from the tables of a report.

use super::{
    Snapshot,
    snapshot_sink::{IN_PLACE_OF, LATER, Row, SERIES, SUPERSEDED_BY, SnapshotSink, TABLES, brief, columns},
};
use crate::{
    ledger,
    report::{
        csv::restore,
        output,
        table::Table,
        tables::{archives::Archives, findings::Findings},
    },
    rules::history::{self, Copies, Rank},
};
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a night cannot be compared.
#[derive(Debug, Error)]
pub enum NightError {
    /// A file could not be read.
    #[error("{} cannot be read, so there is nothing to compare with; give the folder of a whole report, or ledgers", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The report was written without CSV.
    #[error(
        "The report in {} has no {table}.csv, and nights are compared by their tables: write it with csv among its \
         --format, as csv,html; if it cannot be written again, leave --baseline out once",
        folder.display()
    )]
    WithoutCsv {
        /// The folder.
        folder: PathBuf,
        /// The table.
        table: &'static str,
    },
    /// The tables lack what is compared.
    #[error(
        "{} has no column {column}: it was written by another version of hullmark; write that report again, from its \
         ledgers or its exports",
        path.display()
    )]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
    /// What is read is no CSV, or no JSON.
    #[error("{} is damaged ({why}); write that report again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The tables were written by another run than `audit.json`.
    #[error(
        "The tables in {} are not of the same run as its audit.json, which was written without csv; write that \
         report again with csv among its --format, or leave --baseline out once",
        folder.display()
    )]
    Mixed {
        /// The folder.
        folder: PathBuf,
    },
}

/// Reads the night of which this folder holds the report.
///
/// # Errors
/// The report is not whole, or was written without CSV.
pub fn of_report(folder: &Path) -> Result<Snapshot, NightError> {
    let path = folder.join(output::LAST);
    let text = fs::read(&path).map_err(|source| NightError::Unreadable { path: path.clone(), source })?;
    let audit: Value = serde_json::from_slice(&text)
        .map_err(|error| NightError::Damaged { path, why: error.to_string() })?;
    let mut gather = SnapshotSink::default();
    gather.set_made(&audit);
    let mut archives = Vec::new();
    let mut rows = Vec::new();
    let tells_copies = each(folder, Archives::NAME, |row| rows.push(row))?;
    if !tells_copies {
        rank_copies(&mut rows);
    }
    for row in &rows {
        if row.text("kind") != ledger::ABSENT {
            archives.push(row.text("archive").to_owned());
        }
        gather.take(Archives::NAME, row);
    }
    for table in TABLES.into_iter().filter(|table| *table != Archives::NAME) {
        let has_all = each(folder, table, |row| gather.take(table, &row))?;
        if table == Findings::NAME {
            gather.set_tells_apart(has_all);
        }
    }
    let inputs = audit["manifest"]["inputs"].as_array();
    let inputs = inputs.into_iter().flatten().map(|input| input["archive"].as_str().unwrap_or_default());
    match inputs.eq(archives.iter().map(String::as_str)) {
        true => Ok(gather.night()),
        false => Err(NightError::Mixed { folder: folder.into() }),
    }
}

/// Says which archives are dated copies, for a report of an earlier version, which judged all of them.
fn rank_copies(rows: &mut [Row<'_>]) {
    let is_input = |row: &&Row<'_>| ![ledger::ABSENT, ledger::STORE].contains(&row.text("kind"));
    let archives: Vec<history::Archive> = rows.iter().filter(is_input).map(brief).collect();
    let copies = Copies::of(&archives);
    for row in rows {
        let name = row.text("archive").to_owned();
        row.set(SERIES, copies.matched_by(&name).unwrap_or_default());
        match copies.rank_of(&name) {
            Rank::Superseded { by } => row.set(SUPERSEDED_BY, by),
            Rank::InPlaceOf { newest } => row.set(IN_PLACE_OF, newest),
            Rank::Newest { .. } | Rank::Replaced { .. } => {}
        }
    }
}

/// Reads a table row by row. Tells whether it has every column, those too that earlier versions did not write.
fn each(folder: &Path, table: &'static str, mut then: impl FnMut(Row<'static>)) -> Result<bool, NightError> {
    let path = folder.join(format!("{table}.csv"));
    let damaged = |error: csv::Error| NightError::Damaged { path: path.clone(), why: error.to_string() };
    let file = match fs::File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(NightError::WithoutCsv { folder: folder.into(), table });
        }
        Err(source) => return Err(NightError::Unreadable { path, source }),
        Ok(file) => file,
    };
    let mut reader = csv::Reader::from_reader(io::BufReader::new(file));
    let names = columns(table);
    let head = reader.headers().map_err(damaged)?;
    let places = names.iter().map(|name| match head.iter().position(|column| column == *name) {
        None if !LATER.contains(name) => Err(NightError::Column { path: path.clone(), column: name }),
        place => Ok(place),
    });
    let places: Vec<Option<usize>> = places.collect::<Result<_, _>>()?;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let cell = |place: &Option<usize>| place.and_then(|place| record.get(place)).unwrap_or_default();
        let cells = places.iter().map(|place| restore(cell(place)).into_owned().into());
        then(Row { names, cells: cells.collect() });
    }
    Ok(places.iter().all(Option::is_some))
}
