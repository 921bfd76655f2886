//! The worst or heaviest rows of a table, in bounded memory.

use super::columns::Shown;
use crate::{
    finding::Severity,
    ledger::facts::Role,
    report::{
        csv::real,
        diff::BaselineStatus,
        table::{Cell, Head, Key, Table},
    },
    util::escape::clean,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of rows of a table on the page. With more rows a browser is slow.
pub(super) const ROWS: usize = 50_000;

/// The place of a row: by its weight, then in the order of rows.
pub(super) type Place = (Vec<i64>, u64);

/// The rows of a table that the page shows.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) shown: &'static Shown,
    pub(super) head: Head,
    /// Number of all rows.
    pub(super) seen: u64,
    most: usize,
    /// The rows, the worst first, and equal rows in their order. Each is a JSON array, to save memory.
    rows: BTreeMap<Place, Box<str>>,
}

impl Kept {
    /// Creates an empty table for at most `most` rows.
    pub(super) fn new(shown: &'static Shown, head: Head, most: usize) -> Self {
        Self { shown, head, seen: 0, most, rows: BTreeMap::new() }
    }

    /// Returns the place of the next row.
    pub(super) fn place(&self, cells: &[Cell<'_>]) -> Place {
        let cell = |column: usize| cells.get(column).unwrap_or(&Cell::Empty);
        let is_last = self.shown.last.is_some_and(|column| *cell(column) != Cell::Empty);
        let weights = self.shown.worst_first.iter().map(|&column| rank(cell(column)));
        ([i64::from(is_last)].into_iter().chain(weights).collect(), self.seen)
    }

    /// Takes a row, and drops the least severe if there are too many.
    pub(super) fn take(&mut self, cells: &[Cell<'_>]) {
        let place = self.place(cells);
        self.seen += 1;
        if self.rows.len() == self.most {
            if self.rows.last_key_value().is_some_and(|(mildest, _)| place > *mildest) {
                return;
            }
            self.rows.pop_last();
        }
        self.rows.insert(place, json(cells).into());
    }

    /// Number of kept rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the places of the rows, the worst first.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.rows.keys()
    }

    /// Returns the cells of the rows, the worst first.
    pub(super) fn cells(&self) -> impl Iterator<Item = Vec<Value>> + '_ {
        self.rows.values().map(|row| serde_json::from_str(row).unwrap_or_default())
    }
}

/// Returns a number by which rows are sorted, the worst or heaviest first.
pub(super) fn rank(cell: &Cell<'_>) -> i64 {
    heavy_first(weight(cell))
}

/// Returns a number that decreases with the weight, in the order of [`f64::total_cmp`].
fn heavy_first(weight: f64) -> i64 {
    let bits = weight.to_bits() as i64;
    // The bits of negative numbers increase away from zero.
    !(bits ^ ((bits >> 63) as u64 >> 1) as i64)
}

/// Returns the text in a column of a row.
pub(super) fn words<T: Table>(key: Key<T>, row: &[Value]) -> &str {
    row.get(key.place()).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the number in a column of a row. `None` if it has none.
pub(super) fn number<T: Table>(key: Key<T>, row: &[Value]) -> Option<f64> {
    row.get(key.place()).and_then(Value::as_f64)
}

/// Returns the severity or weight of a row, from a cell.
fn weight(cell: &Cell<'_>) -> f64 {
    let weight = match cell {
        Cell::Int(value) => *value as f64,
        Cell::Real(value) => *value,
        Cell::Text(name) => {
            let severity = Severity::WORST_FIRST.iter().rev().position(|severity| severity.name() == name);
            // New findings come before known ones.
            let status = || BaselineStatus::ALL.iter().rev().position(|status| status.name() == name);
            // Objects in regions come before those in inventories: only they count on the land.
            let role = || Role::ALL.iter().rev().position(|role| role.name() == name);
            severity.or_else(status).or_else(role).map_or(f64::NEG_INFINITY, |place| place as f64)
        }
        Cell::Empty | Cell::Bool(_) => f64::NEG_INFINITY,
    };
    if weight.is_nan() { f64::NEG_INFINITY } else { weight }
}

/// Returns a row as JSON. Numbers that are not finite become text.
fn json(cells: &[Cell<'_>]) -> String {
    let cells = cells.iter().map(|cell| match cell {
        Cell::Empty => "null".to_owned(),
        Cell::Bool(value) => value.to_string(),
        Cell::Int(value) => value.to_string(),
        Cell::Real(value) if value.is_finite() => real(*value),
        Cell::Real(value) => Value::from(value.to_string()).to_string(),
        Cell::Text(words) => Value::from(clean(words)).to_string(),
    });
    format!("[{}]", cells.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    static SHOWN: Shown =
        Shown { table: "rows", title: "", worst_first: &[0, 1], last: Some(2), columns: "", filters: "" };

    fn kept(rows: &[[Cell<'static>; 3]], most: usize) -> (u64, Vec<Value>) {
        let mut kept = Kept::new(&SHOWN, Head { name: "rows", about: "", columns: Vec::new() }, most);
        rows.iter().for_each(|row| kept.take(row));
        (kept.seen, kept.cells().map(Value::from).collect())
    }

    #[test]
    fn the_worst_are_kept_and_of_equals_the_first() {
        let rows = [
            ("info", Cell::Real(9.0)),
            ("error", Cell::Empty),
            ("error", Cell::Real(f64::NAN)),
            ("blocker", Cell::Int(1)),
            ("error", Cell::Real(0.5)),
            ("error", Cell::Int(-7)),
        ]
        .map(|(severity, cost)| [severity.into(), cost, Cell::Empty]);
        let (seen, rows) = kept(&rows, 4);
        assert_eq!(seen, 6);
        let expected = serde_json::json!([
            ["blocker", 1, null],
            ["error", 0.5, null],
            ["error", -7, null],
            ["error", null, null]
        ]);
        assert_eq!(Value::from(rows), expected);
    }

    #[test]
    fn a_row_with_words_in_the_last_column_comes_last() {
        let rows = [("blocker", "2027-01-31"), ("info", ""), ("error", "")]
            .map(|(severity, waived)| [severity.into(), Cell::Empty, waived.into()]);
        let rows = Value::from(kept(&rows, 2).1);
        assert_eq!(rows, serde_json::json!([["error", null, null], ["info", null, null]]));
    }

    #[test]
    fn words_and_odd_numbers_survive() {
        let rows = [("</script>\u{1}\"", f64::INFINITY), ("x", 1e21)]
            .map(|(words, number)| [words.into(), number.into(), Cell::Empty]);
        let (_, rows) = kept(&rows, 9);
        assert!(rows.contains(&serde_json::json!(["</script>·\"", "inf", null])), "{rows:?}");
        assert!(rows.contains(&serde_json::json!(["x", 1e21, null])), "{rows:?}");
    }
}
