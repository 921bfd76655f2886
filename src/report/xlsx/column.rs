//! A column found by its name, so that a new one in front of it moves nothing.

use crate::report::table::{Cell, Head};

/// Where a column stands, if the table has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column(Option<usize>);

impl Column {
    /// One that no table has.
    pub(super) const NONE: Self = Self(None);

    /// The column of this name.
    pub(super) fn of(head: &Head, name: &str) -> Self {
        Self(head.columns.iter().position(|column| column.name == name))
    }

    /// Its place from the left.
    pub(super) fn place(self) -> Option<usize> {
        self.0
    }

    /// What stands in it.
    pub(super) fn cell<'r>(self, row: &'r [Cell<'r>]) -> &'r Cell<'r> {
        self.0.and_then(|place| row.get(place)).unwrap_or(&Cell::Empty)
    }

    /// The words in it; none are empty words.
    pub(super) fn text<'r>(self, row: &'r [Cell<'r>]) -> &'r str {
        match self.cell(row) {
            Cell::Text(text) => text,
            _ => "",
        }
    }

    /// The number in it.
    pub(super) fn number(self, row: &[Cell<'_>]) -> Option<f64> {
        match *self.cell(row) {
            Cell::Int(value) => Some(value as f64),
            Cell::Real(value) => Some(value),
            _ => None,
        }
    }

    /// The count in it.
    pub(super) fn count(self, row: &[Cell<'_>]) -> u64 {
        match *self.cell(row) {
            Cell::Int(value) => u64::try_from(value).unwrap_or(0),
            _ => 0,
        }
    }
}
