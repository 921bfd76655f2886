//! Tables as text: one file for each table, one row after another.
//!
//! The text of a row does not depend on other rows, so any thread can make it.

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    page::{Page, Part, Writer},
    reported::Piece,
    table::{Cell, Head},
};
use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write},
};

/// A text format.
pub trait Text: Send + Sync + 'static {
    /// The extension of its files.
    fn ending(&self) -> &'static str;
    /// Writes the header of a table.
    fn begin(&self, _table: &Head, _text: &mut Vec<u8>) {}
    /// Writes a row.
    fn row(&self, table: &'static str, cells: &[Cell<'_>], text: &mut Vec<u8>) -> io::Result<()>;
}

/// Opens a file for each table and writes its header.
pub fn open(output: &mut Output, tables: &[Head], text: impl Text) -> Result<Writer, OutputError> {
    let mut files = BTreeMap::new();
    for table in tables {
        let name = format!("{}.{}", table.name, text.ending());
        let mut begin = Vec::new();
        text.begin(table, &mut begin);
        let mut file = output.open_table(&name, &begin)?;
        file.write_all(&begin).map_err(|source| OutputError { path: name.into(), source })?;
        files.insert(table.name, file);
    }
    let row = move |rows: &mut TextRows, table, cells: &[Cell<'_>]| {
        text.row(table, cells, rows.0.entry(table).or_default())
    };
    Ok(Writer::of_rows(|_| TextRows::default(), row, TextFiles(files)))
}

/// The files of the tables.
struct TextFiles(BTreeMap<&'static str, BufWriter<OutputFile>>);

/// The rows of a piece by table.
#[derive(Default)]
struct TextRows(BTreeMap<&'static str, Vec<u8>>);

impl Part for TextRows {
    fn bytes(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

impl Page for TextFiles {
    type Part = TextRows;

    fn append(&mut self, _: &Piece<'_>, rows: TextRows) -> io::Result<()> {
        rows.0
            .iter()
            .try_for_each(|(table, text)| self.0.get_mut(table).map_or(Ok(()), |file| file.write_all(text)))
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.0.values_mut().try_for_each(BufWriter::flush)
    }
}
