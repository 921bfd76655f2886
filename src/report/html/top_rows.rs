//! The worst or heaviest rows of a table, in bounded memory.

use crate::{
    finding::Severity,
    report::{
        csv::real,
        diff::BaselineStatus,
        table::{Cell, Head, Key, Table},
    },
    util::escape::clean,
};
use serde_json::Value;
use std::{cmp::Ordering, collections::BinaryHeap};

/// Rows that a page has of one table. More make a browser slow; CSV has them all.
pub(super) const ROWS: usize = 50_000;

/// What the page has of a table.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) head: Head,
    /// Rows that there were.
    pub(super) seen: u64,
    /// Columns by which a row is worse or heavier than another, by number.
    rank: Vec<usize>,
    /// The column that puts a row behind all others.
    last: Option<usize>,
    most: usize,
    heap: BinaryHeap<Row>,
}

/// A row on the page: its place in the order, and its cells as a JSON array, which takes the least memory.
#[derive(Debug)]
struct Row {
    rank: Vec<f64>,
    number: u64,
    cells: Box<str>,
}

impl Ord for Row {
    /// The worst row is the least, and of equals the first, so that a heap has on top what goes first.
    fn cmp(&self, other: &Self) -> Ordering {
        let ranks = self.rank.iter().zip(&other.rank).map(|(a, b)| b.total_cmp(a));
        ranks.fold(Ordering::Equal, Ordering::then).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Row {}

impl Kept {
    /// Of nothing yet. `worst_first` are the places of the columns by which rows are ordered, `last` that of the one whose
    /// words put a row behind all others.
    pub(super) fn new(head: Head, worst_first: &[usize], last: Option<usize>, most: usize) -> Self {
        Self { head, seen: 0, rank: worst_first.to_vec(), last, most, heap: BinaryHeap::new() }
    }

    /// Takes a row, and gives up the mildest where there are too many.
    pub(super) fn take(&mut self, cells: &[Cell<'_>]) {
        let is_last = self.last.and_then(|column| cells.get(column)).is_some_and(|cell| *cell != Cell::Empty);
        let weights = self.rank.iter().map(|&column| weight(cells.get(column).unwrap_or(&Cell::Empty)));
        let rank = [-f64::from(u8::from(is_last))].into_iter().chain(weights).collect();
        let mut row = Row { rank, number: self.seen, cells: Box::default() };
        self.seen += 1;
        let full = self.heap.len() == self.most;
        if full && self.heap.peek().is_some_and(|mildest| row > *mildest) {
            return;
        }
        row.cells = json(cells).into();
        if full {
            self.heap.pop();
        }
        self.heap.push(row);
    }

    /// The rows, the worst first.
    pub(super) fn rows(&mut self) -> Rows {
        let rows = std::mem::take(&mut self.heap).into_sorted_vec();
        Rows(rows.into_iter().map(|row| row.cells).collect())
    }
}

/// Rows in their order.
#[derive(Debug)]
pub(super) struct Rows(Vec<Box<str>>);

impl Rows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Their cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = Vec<Value>> + '_ {
        self.0.iter().map(|row| serde_json::from_str(row).unwrap_or_default())
    }
}

/// The words in a column of a row of the page.
pub(super) fn words<T: Table>(key: Key<T>, row: &[Value]) -> &str {
    row.get(key.place()).and_then(Value::as_str).unwrap_or_default()
}

/// The number in it.
pub(super) fn number<T: Table>(key: Key<T>, row: &[Value]) -> Option<f64> {
    row.get(key.place()).and_then(Value::as_f64)
}

/// How bad or heavy a cell makes its row.
fn weight(cell: &Cell<'_>) -> f64 {
    let weight = match cell {
        Cell::Int(value) => *value as f64,
        Cell::Real(value) => *value,
        Cell::Text(name) => {
            let severity = Severity::WORST_FIRST.iter().rev().position(|severity| severity.name() == name);
            // What is new stands above what is known.
            let news = || BaselineStatus::ALL.iter().rev().position(|news| news.name() == name);
            severity.or_else(news).map_or(f64::NEG_INFINITY, |place| place as f64)
        }
        Cell::Empty | Cell::Bool(_) => f64::NEG_INFINITY,
    };
    if weight.is_nan() { f64::NEG_INFINITY } else { weight }
}

/// A row as JSON, for a page that people read. What is no finite number is words, as JSON has no other way.
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
    use crate::report::table::{ColumnHead, Kind};

    fn kept(rows: &[(&'static str, Cell<'static>)], most: usize) -> (u64, Vec<Value>) {
        let column = |name: &'static str, kind| ColumnHead { name: name.into(), about: "", kind };
        let columns = vec![column("severity", Kind::Text), column("cost", Kind::Real)];
        let mut kept = Kept::new(Head { name: "rows", about: "", columns }, &[0, 1], None, most);
        for (severity, cost) in rows {
            kept.take(&[Cell::from(*severity), cost.clone()]);
        }
        (kept.seen, kept.rows().cells().map(Value::from).collect())
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
        ];
        let (seen, rows) = kept(&rows, 4);
        assert_eq!(seen, 6);
        let expected = serde_json::json!([["blocker", 1], ["error", 0.5], ["error", -7], ["error", null]]);
        assert_eq!(Value::from(rows), expected);
    }

    #[test]
    fn a_row_with_words_in_the_last_column_stands_behind_all() {
        let column = |name: &'static str| ColumnHead { name: name.into(), about: "", kind: Kind::Text };
        let columns = vec![column("severity"), column("waived_until")];
        let head = Head { name: "rows", about: "", columns };
        let mut kept = Kept::new(head, &[0], Some(1), 2);
        for (severity, waived) in [("blocker", "2027-01-31"), ("info", ""), ("error", "")] {
            kept.take(&[Cell::from(severity), Cell::from(waived)]);
        }
        let rows: Vec<Value> = kept.rows().cells().map(Value::from).collect();
        assert_eq!(Value::from(rows), serde_json::json!([["error", null], ["info", null]]));
    }

    #[test]
    fn words_and_odd_numbers_survive() {
        let rows = [("</script>\u{1}\"", Cell::Real(f64::INFINITY)), ("x", Cell::Real(1e21))];
        let (_, rows) = kept(&rows, 9);
        assert!(rows.contains(&serde_json::json!(["</script>·\"", "inf"])), "{rows:?}");
        assert!(rows.contains(&serde_json::json!(["x", 1e21])), "{rows:?}");
    }
}
