//! A [`Snapshot`] from the tables of a report.

use super::{
    Snapshot,
    snapshot_sink::{Row, SnapshotSink, TABLES, brief},
};
use crate::{
    ledger,
    report::{
        csv::restore,
        output,
        table::{Key, Table},
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
        if row.text(archive::KIND) != ledger::ABSENT {
            archives.push(row.text(archive::ARCHIVE).to_owned());
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
    let is_input = |row: &&Row<'_>| ![ledger::ABSENT, ledger::STORE].contains(&row.text(archive::KIND));
    let archives: Vec<history::Archive> = rows.iter().filter(is_input).map(brief).collect();
    let copies = Copies::of(&archives);
    for row in rows {
        let name = row.text(archive::ARCHIVE).to_owned();
        row.set(archive::SERIES, copies.matched_by(&name).unwrap_or_default());
        match copies.rank_of(&name) {
            Rank::Superseded { by } => row.set(archive::SUPERSEDED_BY, by),
            Rank::InPlaceOf { newest } => row.set(archive::IN_PLACE_OF, newest),
            Rank::Newest { .. } | Rank::Replaced { .. } => {}
        }
    }
}

/// The columns that earlier versions did not write. Without `old_fingerprint` one fingerprint may be of several findings.
const LATER: [&str; 4] = ["old_fingerprint", "series", "superseded_by", "in_place_of"];

/// The columns of a table that are read, with their places.
fn columns(table: &str) -> Vec<(usize, &'static str)> {
    match table {
        Archives::NAME => named(&[
            archive::ARCHIVE,
            archive::HOME,
            archive::SERIES,
            archive::KIND,
            archive::STATUS,
            archive::SUPERSEDED_BY,
            archive::IN_PLACE_OF,
            archive::CREATED,
            archive::BYTES,
            archive::EXPANDED_BYTES,
            archive::ASSETS,
            archive::EMPTY_ASSETS,
            archive::OBJECTS,
            archive::PARTS,
            archive::NESTED_OBJECTS,
            archive::LOOSE_OBJECTS,
        ]),
        Regions::NAME => named(&[
            region::ARCHIVE,
            region::HOME,
            region::REGION,
            region::REGION_UUID,
            region::OBJECTS,
            region::PARTS,
            region::SCRIPTS,
            region::LAND_IMPACT,
            region::LAND_IMPACT_BASIS,
            region::PHYSICS_COST,
            region::PHYSICS_COST_BASIS,
            region::STREAMING_COST,
            region::STREAMING_COST_BASIS,
            region::SERVER_WEIGHT,
        ]),
        Objects::NAME => named(&[
            object::ARCHIVE,
            object::HOME,
            object::ENTRY,
            object::ROLE,
            object::OBJECT_UUID,
            object::ASSET_UUID,
            object::OWNER_UUID,
            object::NAME,
            object::REGION,
            object::PARTS,
            object::SCRIPTS,
            object::LAND_IMPACT,
            object::LAND_IMPACT_BASIS,
            object::PHYSICS_COST,
            object::PHYSICS_COST_BASIS,
        ]),
        _ => named(&[
            finding::ARCHIVE,
            finding::CODE,
            finding::SEVERITY,
            finding::COUNT,
            finding::MEASURED,
            finding::LIMIT,
            finding::MESSAGE,
            finding::ENTRY,
            finding::OBJECT_UUID,
            finding::OBJECT_NAME,
            finding::REGION,
            finding::FINGERPRINT,
            finding::WAIVED_UNTIL,
            finding::OLD_FINGERPRINT,
        ]),
    }
}

/// Keys with their places and names, in the order of the table.
fn named<T: Table>(keys: &[Key<T>]) -> Vec<(usize, &'static str)> {
    let mut named: Vec<_> = keys.iter().map(|key| (key.place(), key.name())).collect();
    named.sort_unstable();
    named
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
    let head = reader.headers().map_err(damaged)?;
    let wanted = columns(table);
    let mut places: Vec<Option<usize>> = Vec::new();
    for &(place, name) in &wanted {
        let found = head.iter().position(|column| column == name);
        if found.is_none() && !LATER.contains(&name) {
            return Err(NightError::Column { path, column: name });
        }
        places.resize(place, None);
        places.push(found);
    }
    let has_all = wanted.iter().all(|(place, _)| places[*place].is_some());
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let cell = |place: &Option<usize>| place.and_then(|place| record.get(place)).unwrap_or_default();
        then(Row::Words(places.iter().map(|place| restore(cell(place)).into_owned()).collect()));
    }
    Ok(has_all)
}
