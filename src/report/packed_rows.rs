//! Rows in a compact form, for formats that cannot write a row before they have others.
//!
//! A row has one or more groups of cells. A group begins with the length of its cells and that of their texts, 8 bytes
//! each. Then come the cells, and the texts, which are checked at once.

use super::{page::Part, table::Cell};
use std::io;

// The tag of a cell.
const EMPTY: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const REAL: u8 = 4;
const TEXT: u8 = 5;

/// Appends cells to a row.
pub fn pack<'c>(cells: impl IntoIterator<Item = &'c Cell<'c>, IntoIter: Clone>, to: &mut Vec<u8>) {
    let cells = cells.into_iter();
    let head = to.len();
    to.extend([0; 16]);
    for cell in cells.clone() {
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
            }
        }
    }
    let texts = to.len();
    for cell in cells {
        if let Cell::Text(text) = cell {
            to.extend_from_slice(text.as_bytes());
        }
    }
    let lengths = [texts - head - 16, to.len() - texts].map(|length| (length as u64).to_le_bytes());
    to[head..head + 16].copy_from_slice(lengths.as_flattened());
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
    while !row.is_empty() {
        let lengths = [length(&mut row)?, length(&mut row)?];
        let (group, rest) = row.split_at_checked(lengths[0].checked_add(lengths[1])?)?;
        let (group, texts) = group.split_at(lengths[0]);
        unpack_group(group, std::str::from_utf8(texts).ok()?, &mut cells)?;
        row = rest;
    }
    Some(cells)
}

/// Appends the cells of a group. `None` if it is damaged.
fn unpack_group<'r>(mut group: &[u8], mut texts: &'r str, cells: &mut Vec<Cell<'r>>) -> Option<()> {
    while let Some((&tag, rest)) = group.split_first() {
        group = rest;
        cells.push(match tag {
            EMPTY => Cell::Empty,
            FALSE => Cell::Bool(false),
            TRUE => Cell::Bool(true),
            INT => Cell::Int(i64::from_le_bytes(eight(&mut group)?)),
            REAL => Cell::Real(f64::from_le_bytes(eight(&mut group)?)),
            TEXT => {
                let (text, rest) = texts.split_at_checked(length(&mut group)?)?;
                texts = rest;
                Cell::from(text)
            }
            _ => return None,
        });
    }
    texts.is_empty().then_some(())
}

fn length(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(eight(bytes)?)).ok()
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
    pub fn push<'c>(
        &mut self,
        table: &'static str,
        cells: impl IntoIterator<Item = &'c Cell<'c>, IntoIter: Clone>,
        with: T,
    ) {
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
        let with = |at: usize, byte: u8| {
            let mut row = row.clone();
            row[at] = byte;
            row
        };
        // Cut, an unknown tag, a text beyond the texts, one before their end, cells beyond the row, and no UTF-8.
        let cut = row[..row.len() - 1].to_vec();
        let damaged = [cut, with(16, 9), with(17, 6), with(17, 4), with(7, 255), with(25, 255)];
        for damaged in damaged {
            assert_eq!(unpack(&damaged).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn cells_can_be_added_to_a_row() {
        let mut row = Vec::new();
        pack(&[Cell::from("ä"), Cell::Empty], &mut row);
        pack(Some(&Cell::Int(7)), &mut row);
        pack(&[Cell::from("")], &mut row);
        assert_eq!(unpack(&row).unwrap(), [Cell::from("ä"), Cell::Empty, Cell::Int(7), Cell::from("")]);
    }
}
