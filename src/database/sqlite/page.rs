//! Pages of the tree of a table.

use super::{HEADER, number, varint};

const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// It has other pages of the tree.
    Interior,
    Leaf,
}

#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The part of the page that tables use.
    bytes: &'a [u8],
    /// Where the page begins: after the header of the file in the first page.
    start: usize,
    kind: PageKind,
    cells: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafCell<'a> {
    /// Number of the row.
    pub rowid: i64,
    /// Bytes of the record.
    pub size: u64,
    pub local: &'a [u8],
    /// The page where the record continues.
    pub overflow: Option<u32>,
}

impl<'a> Page<'a> {
    /// Reads the page with this number. `None` if it is no page of a table.
    pub fn new(bytes: &'a [u8], number: u32, usable: usize) -> Option<Self> {
        let bytes = bytes.get(..usable)?;
        let start = if number == 1 { HEADER } else { 0 };
        let kind = match *bytes.get(start)? {
            INTERIOR => PageKind::Interior,
            LEAF => PageKind::Leaf,
            _ => return None,
        };
        let cells = usize::from(u16::from_be_bytes([*bytes.get(start + 3)?, *bytes.get(start + 4)?]));
        let page = Self { bytes, start, kind, cells };
        (page.pointers() + 2 * cells <= usable).then_some(page)
    }

    pub fn kind(&self) -> PageKind {
        self.kind
    }

    /// Returns the number of cells: rows of a leaf, or children with a key.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Returns a child and the largest number of a row below it. The child after all cells has no such number.
    pub fn child(&self, index: usize) -> Option<(u32, Option<i64>)> {
        if index == self.cells {
            return Some((number(self.bytes, self.start + 8)?, None));
        }
        let cell = self.cell(index)?;
        let (key, _) = varint(cell.get(4..)?)?;
        Some((number(cell, 0)?, Some(key as i64)))
    }

    /// Returns a row. `None` if it does not fit into the page.
    pub fn row(&self, index: usize) -> Option<LeafCell<'a>> {
        let cell = self.cell(index)?;
        let (size, length) = varint(cell)?;
        let cell = &cell[length..];
        let (rowid, length) = varint(cell)?;
        let cell = &cell[length..];
        let local = local_bytes(size, self.bytes.len());
        let overflow = if local as u64 == size { None } else { Some(number(cell, local)?) };
        Some(LeafCell { rowid: rowid as i64, size, local: cell.get(..local)?, overflow })
    }

    fn cell(&self, index: usize) -> Option<&'a [u8]> {
        let at = self.pointers() + 2 * index;
        let at = usize::from(u16::from_be_bytes([*self.bytes.get(at)?, *self.bytes.get(at + 1)?]));
        self.bytes.get(at..)
    }

    fn pointers(&self) -> usize {
        self.start + if self.kind == PageKind::Leaf { 8 } else { 12 }
    }
}

/// Returns the number of bytes of a record that are in the leaf itself.
fn local_bytes(size: u64, usable: usize) -> usize {
    let (most, fewest) = (usable - 35, (usable - 12) * 32 / 255 - 23);
    if size <= most as u64 {
        return size as usize;
    }
    let rest = (size - fewest as u64) % (usable as u64 - 4);
    let wanted = fewest + rest as usize;
    if wanted <= most { wanted } else { fewest }
}
