//! Rows in a compact form, for formats that cannot write a row before they have others.

use super::{page::Part, table::Cell};
use std::io;

// The tag of a cell.
const EMPTY: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const REAL: u8 = 4;
const TEXT: u8 = 5;

/// Appends a row.
pub fn pack<'c>(cells: impl IntoIterator<Item = &'c Cell<'c>>, to: &mut Vec<u8>) {
    for cell in cells {
        match cell {
            Cell::Empty => to.push(EMPTY),
            Cell::Bool(value) => to.push(if *value { TRUE } else { FALSE }),
            Cell::Int(value) => {
                to.push(INT);
                to.extend(value.to_le_bytes());
            }
            Cell::Real(value) => {
                to.push(REAL);
                to.extend(value.to_le_bytes());
            }
            Cell::Text(text) => {
                to.push(TEXT);
                to.extend((text.len() as u64).to_le_bytes());
                to.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// Returns the cells of a row.
///
/// # Errors
/// The row is damaged.
pub fn unpack(row: &[u8]) -> io::Result<Vec<Cell<'_>>> {
    unpacked(row).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Returns the cells of a row. `None` if it is damaged.
fn unpacked(mut row: &[u8]) -> Option<Vec<Cell<'_>>> {
    // Enough for most tables.
    let mut cells = Vec::with_capacity(96);
    while let Some((&tag, rest)) = row.split_first() {
        row = rest;
        cells.push(match tag {
            EMPTY => Cell::Empty,
            FALSE => Cell::Bool(false),
            TRUE => Cell::Bool(true),
            INT => Cell::Int(i64::from_le_bytes(eight(&mut row)?)),
            REAL => Cell::Real(f64::from_le_bytes(eight(&mut row)?)),
            TEXT => {
                let length = usize::try_from(u64::from_le_bytes(eight(&mut row)?)).ok()?;
                let (text, rest) = row.split_at_checked(length)?;
                row = rest;
                Cell::from(std::str::from_utf8(text).ok()?)
            }
            _ => return None,
        });
    }
    Some(cells)
}

fn eight(row: &mut &[u8]) -> Option<[u8; 8]> {
    let (eight, rest) = row.split_first_chunk()?;
    *row = rest;
    Some(*eight)
}

/// Rows of some tables in their order, each with something that the format needs.
pub struct PackedRows<T = ()> {
    bytes: Vec<u8>,
    /// The table of each row, and the end of its bytes.
    rows: Vec<(&'static str, usize, T)>,
}

impl<T> Default for PackedRows<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), rows: Vec::new() }
    }
}

impl<T> PackedRows<T> {
    pub fn push<'c>(&mut self, table: &'static str, cells: impl IntoIterator<Item = &'c Cell<'c>>, with: T) {
        pack(cells, &mut self.bytes);
        self.rows.push((table, self.bytes.len(), with));
    }

    /// Returns each packed row with its table.
    pub fn into_rows(self, mut then: impl FnMut(&'static str, &[u8], T) -> io::Result<()>) -> io::Result<()> {
        let mut start = 0;
        self.rows.into_iter().try_for_each(|(table, end, with)| {
            let row = &self.bytes[start..end];
            start = end;
            then(table, row, with)
        })
    }
}

impl<T: Send + 'static> Part for PackedRows<T> {
    fn bytes(&self) -> usize {
        self.bytes.len() + size_of::<(&str, usize, T)>() * self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went() {
        let rows = [
            vec![Cell::Empty, Cell::Bool(true), Cell::Bool(false), Cell::Int(i64::MIN)],
            vec![],
            vec![Cell::Real(-0.1), Cell::from("=ä\u{0}"), Cell::Int(3)],
        ];
        let mut packed = PackedRows::default();
        for (table, row, with) in [("a", &rows[0], 7), ("b", &rows[1], 8), ("a", &rows[2], 9)] {
            packed.push(table, row, with);
        }
        let mut seen = Vec::new();
        packed
            .into_rows(|table, row, with| {
                let cells = unpack(row)?;
                seen.push((table, rows.iter().position(|row| *row == cells), with));
                Ok(())
            })
            .unwrap();
        assert_eq!(seen, [("a", Some(0), 7), ("b", Some(1), 8), ("a", Some(2), 9)]);
    }

    #[test]
    fn a_damaged_row_is_an_error() {
        let mut row = Vec::new();
        pack(&[Cell::from("chair")], &mut row);
        assert_eq!(unpack(&row).unwrap(), [Cell::from("chair")]);
        for damaged in [&row[..row.len() - 1], &[9], &[INT, 0]] {
            assert_eq!(unpack(damaged).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
