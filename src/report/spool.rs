//! Spools rows to a temporary file, because their number or order is known only at the end.

use crate::{
    packed_rows::{pack, unpack},
    table::Cell,
};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// The place of a row in its spool.
pub type Offset = u64;

/// Rows in an unnamed temporary file.
pub struct Spool {
    file: BufWriter<SpooledTempFile>,
    row: Vec<u8>,
    rows: u64,
    bytes: Offset,
}

impl Spool {
    /// Creates an empty spool in this file.
    pub fn new(file: SpooledTempFile) -> Self {
        Self { file: BufWriter::new(file), row: Vec::new(), rows: 0, bytes: 0 }
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a packed row, with one more cell if there is one, and returns its place.
    pub fn push(&mut self, row: &[u8], more: Option<&Cell<'_>>) -> io::Result<Offset> {
        self.row.clear();
        self.row.extend_from_slice(row);
        pack(more, &mut self.row);
        let length = (self.row.len() as u64).to_le_bytes();
        self.file.write_all(&length)?;
        self.file.write_all(&self.row)?;
        let offset = self.bytes;
        self.rows += 1;
        self.bytes += (length.len() + self.row.len()) as u64;
        Ok(offset)
    }

    /// Calls `then` with each row and its place. Only one row is in memory.
    pub fn each(&mut self, mut then: impl FnMut(Offset, &[Cell<'_>]) -> io::Result<()>) -> io::Result<()> {
        self.file.rewind()?;
        let mut reader = BufReader::new(self.file.get_mut());
        let mut offset = 0;
        for _ in 0..self.rows {
            let length = read(&mut reader, &mut self.row)?;
            then(offset, &unpack(&self.row)?)?;
            offset += length;
        }
        Ok(())
    }

    /// Appends the row at this place, with its length before it.
    pub fn copy(&mut self, offset: Offset, to: &mut Vec<u8>) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        let length = read(self.file.get_mut(), &mut self.row)? - 8;
        to.extend(length.to_le_bytes());
        to.extend_from_slice(&self.row);
        Ok(())
    }

    /// Returns the row at this place.
    pub fn at(&mut self, offset: Offset) -> io::Result<Vec<Cell<'_>>> {
        self.file.seek(SeekFrom::Start(offset))?;
        read(self.file.get_mut(), &mut self.row)?;
        unpack(&self.row)
    }
}

/// Reads a row, and returns the number of bytes.
fn read(from: &mut impl Read, row: &mut Vec<u8>) -> io::Result<u64> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    row.resize(u64::from_le_bytes(length) as usize, 0);
    from.read_exact(row)?;
    Ok((length.len() + row.len()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_as_often_as_one_likes() {
        let folder = tempfile::tempdir().unwrap();
        let rows = [
            vec![Cell::Empty, Cell::Bool(true), Cell::Bool(false), Cell::Int(i64::MIN)],
            vec![],
            vec![Cell::Real(-0.1), Cell::from("=ä\u{0}"), Cell::Int(3)],
        ];
        let mut spool = Spool::new(SpooledTempFile::new_in(0, folder.path()));
        let push = |row: &Vec<Cell<'_>>| {
            let mut packed = Vec::new();
            pack(row, &mut packed);
            spool.push(&packed, None).unwrap()
        };
        let offsets: Vec<Offset> = rows.iter().map(push).collect();
        for _ in 0..2 {
            let mut seen = 0;
            let compared = spool.each(|offset, cells| {
                assert_eq!((offset, cells), (offsets[seen], &*rows[seen]));
                seen += 1;
                Ok(())
            });
            compared.unwrap();
            assert_eq!((seen, spool.rows()), (3, 3));
            for (offset, row) in offsets.iter().zip(&rows).rev() {
                assert_eq!(spool.at(*offset).unwrap(), *row);
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
