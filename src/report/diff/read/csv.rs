//! Rows of a table in CSV.

use super::{
    ReadReportError,
    files::{TableFile, Then},
};
use crate::{
    csv::restore,
    table::{Cell, Kind},
};
use std::io::BufReader;

/// Reads the compared columns row by row.
pub(super) fn rows(file: &TableFile<'_>, then: &mut Then<'_>) -> Result<(), ReadReportError> {
    let mut reader = csv::Reader::from_reader(BufReader::new(&file.file));
    let head = reader.headers().map_err(|error| file.damaged(error))?;
    let columns = file.columns(|name| head.iter().position(|head| head == name))?;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| file.damaged(error))? {
        let mut row = vec![Cell::Empty; file.width];
        for &(column, index) in &columns {
            row[column.place] = cell(record.get(index).unwrap_or_default(), column.kind);
        }
        then(&row)?;
    }
    Ok(())
}

/// A cell from its text.
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
