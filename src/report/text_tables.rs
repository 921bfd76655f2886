//! Tables as text: one file for each table, one row after another.
//!
//! The text of a row does not depend on other rows, so several threads can make rows: see `row_buffer.rs`.

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    table::{Cell, Head, Rows, Sink},
};
use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write},
    sync::Arc,
};

/// A text format.
pub trait Text: Send + Sync {
    /// The extension of its files.
    fn ending(&self) -> &'static str;
    /// Writes the header of a table.
    fn begin(&self, _table: &Head, _text: &mut Vec<u8>) {}
    /// Writes a row.
    fn row(&self, table: &'static str, cells: &[Cell<'_>], text: &mut Vec<u8>) -> io::Result<()>;
}

/// The files of tables as text.
pub struct TextFiles {
    text: Arc<dyn Text>,
    files: BTreeMap<&'static str, BufWriter<OutputFile>>,
    /// Buffer of the current row.
    row: Vec<u8>,
}

impl TextFiles {
    /// Opens a file for each table and writes its header.
    pub fn open(
        output: &mut Output,
        tables: &[Head],
        text: impl Text + 'static,
    ) -> Result<Self, OutputError> {
        let mut files = BTreeMap::new();
        for table in tables {
            let name = format!("{}.{}", table.name, text.ending());
            let mut file = output.open(&name)?;
            let mut begin = Vec::new();
            text.begin(table, &mut begin);
            file.write_all(&begin).map_err(|source| OutputError { path: name.into(), source })?;
            files.insert(table.name, file);
        }
        Ok(Self { text: Arc::new(text), files, row: Vec::new() })
    }

    /// Returns the format.
    pub fn text(&self) -> Arc<dyn Text> {
        Arc::clone(&self.text)
    }

    /// Appends rows that another thread made.
    pub fn append(&mut self, table: &'static str, rows: &[u8]) -> io::Result<()> {
        self.files.get_mut(table).map_or(Ok(()), |file| file.write_all(rows))
    }
}

impl Rows for TextFiles {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        let Some(file) = self.files.get_mut(table) else { return Ok(()) };
        self.row.clear();
        self.text.row(table, row, &mut self.row)?;
        file.write_all(&self.row)
    }
}

impl Sink for TextFiles {
    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.files.values_mut().try_for_each(BufWriter::flush)
    }

    fn as_text(&mut self) -> Option<&mut TextFiles> {
        Some(self)
    }
}
