//! Files with a row in each line, as `mysqldump --tab` and MySQL Shell write them: tabs between values, and escapes.

use super::{
    Cell, ColumnList, End, Rows, SqlReader,
    lexer::unescaped,
    schema::{Table, Type},
};
use hullmark_util::base64;
use std::{
    io::{self, BufRead},
    rc::Rc,
};

/// How the bytes of a column are written as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Base64,
    Hex,
}

/// The table of a file with lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinesOf {
    pub database: String,
    pub table: String,
    /// The columns in the order of values. `None` if they are those of the table.
    pub columns: Option<Vec<String>>,
    /// Columns whose bytes are written as a text.
    pub encoded: Vec<(String, Encoding)>,
}

impl<R: BufRead> SqlReader<'_, R> {
    /// Reads all lines as rows of a table.
    ///
    /// # Errors
    /// The source of the bytes fails. A line that is cut is no error.
    pub fn read_lines(&mut self, of: &LinesOf, rows: &mut dyn Rows) -> io::Result<End> {
        self.schema.has_rows = true;
        let name = (of.database.clone(), of.table.to_ascii_lowercase());
        let columns = of.columns.clone().map(ColumnList::Names);
        let Some(table) = self.wanted_table(&name, columns, rows) else { return Ok(End::Whole) };
        let table = encoded(&table, &of.encoded);
        let longest = self.longest(&name.1);
        loop {
            match self.line(&table, longest) {
                Ok(true) => {}
                Ok(false) => return Ok(End::Complete),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(End::Cut),
                Err(error) => return Err(error),
            }
            if self.decode(&table.types).is_none() {
                self.schema.odd_rows += 1;
                continue;
            }
            if !self.give(&name, &table, rows) {
                return Ok(End::Enough);
            }
        }
    }

    /// Reads a line. Returns `false` at the end of the file.
    fn line(&mut self, table: &Table, longest: usize) -> io::Result<bool> {
        if self.lexer.peek()?.is_none() {
            return Ok(false);
        }
        self.row.begin(table.width, longest);
        loop {
            let cell = self.field_of_line()?;
            self.row.push(cell);
            if self.lexer.next()? == b'\n' {
                return Ok(true);
            }
        }
    }

    /// Reads a value up to a tab or a line end. Behind a backslash, both belong to the value.
    fn field_of_line(&mut self) -> io::Result<Cell> {
        let Self { lexer, row, .. } = self;
        let mut value = row.begin_value();
        let mut is_start = true;
        while lexer.plain_bytes(|bytes| {
            is_start &= bytes.is_empty();
            row.extend(&mut value, bytes);
        })? == b'\\'
        {
            lexer.skip(1);
            let escaped = lexer.next()?;
            if escaped == b'N' && is_start && matches!(lexer.peek()?, Some(b'\t' | b'\n')) {
                return Ok(Cell::Null);
            }
            row.extend(&mut value, &[unescaped(escaped)]);
            is_start = false;
        }
        Ok(row.end_value(&value).map_or_else(|left_out| left_out, Cell::Bytes))
    }

    /// Decodes the values that are written as texts. `None` if one of them cannot be decoded.
    fn decode(&mut self, types: &[Type]) -> Option<()> {
        for (cell, kind) in self.row.cells.iter_mut().zip(types) {
            let (Cell::Bytes(range), Type::Encoded(encoding)) = (&*cell, kind) else { continue };
            let text = std::str::from_utf8(&self.row.bytes[range.clone()]).ok()?;
            let decoded = match encoding {
                Encoding::Base64 => base64::decode(text)?,
                Encoding::Hex => from_hex(text)?,
            };
            // The bytes are fewer than those of the text.
            let end = range.start + decoded.len();
            let range = range.start..end;
            self.row.bytes.get_mut(range.clone())?.copy_from_slice(&decoded);
            *cell = Cell::Blob(range);
        }
        Some(())
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8)).collect()
}

/// Returns a table with the types of columns that are written as texts.
fn encoded(table: &Rc<Table>, columns: &[(String, Encoding)]) -> Rc<Table> {
    if columns.is_empty() {
        return Rc::clone(table);
    }
    let mut types = table.types.clone();
    types.resize(table.width, Type::Other);
    for (column, encoding) in columns {
        let place = table.columns.place(&column.to_ascii_lowercase());
        if let Some(kind) = place.and_then(|place| types.get_mut(place)) {
            *kind = Type::Encoded(*encoding);
        }
    }
    let Table { columns, width, is_my_isam, .. } = &**table;
    Rc::new(Table { columns: columns.clone(), width: *width, types, is_my_isam: *is_my_isam })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::sql::Schema;
    use hullmark_database::{Dialect, Row};
    use hullmark_settings::limits::Limits;
    use proptest::prelude::*;
    use std::io::BufReader;

    /// Keeps the bytes of the columns `id` and `data` of each row.
    #[derive(Default)]
    struct Seen(Vec<[Vec<u8>; 2]>);

    impl Rows for Seen {
        fn wants(&mut self, _: &str, _: &str) -> bool {
            true
        }
        fn row(&mut self, _: &str, _: &str, row: &Row<'_>) -> Option<&'static str> {
            self.0.push(["id", "data"].map(|column| row.blob(column).to_vec()));
            None
        }
    }

    /// Reads a file of lines in pieces. Returns its rows, its end, and the number of rows that were left out.
    fn read(bytes: &[u8], encoding: Option<Encoding>) -> (Vec<[Vec<u8>; 2]>, End, u64) {
        let encoded = encoding.map(|encoding| ("Data".to_owned(), encoding));
        let of = LinesOf {
            table: "t".into(),
            columns: Some(vec!["id".into(), "data".into()]),
            encoded: encoded.into_iter().collect(),
            ..LinesOf::default()
        };
        let (limits, mut schema, mut seen) =
            (Limits::default(), Schema::new(Dialect::MySql), Seen::default());
        let mut reader = SqlReader::new(BufReader::with_capacity(3, bytes), &mut schema, &limits);
        let end = reader.read_lines(&of, &mut seen).unwrap();
        (seen.0, end, schema.odd_rows)
    }

    #[test]
    fn lines_are_rows_and_a_cut_line_is_none() {
        let rows = |rows: &[[&str; 2]]| -> Vec<[Vec<u8>; 2]> {
            rows.iter().map(|row| row.map(|text| text.as_bytes().to_vec())).collect()
        };
        let (found, end, odd) = read(b"1\ta\\\tb\n2\t\\N\n3\n4\tx\ty\n5\t\\0\\Z\\\\\n", None);
        assert_eq!((end, odd), (End::Complete, 2), "two lines have another number of values");
        assert_eq!(found, rows(&[["1", "a\tb"], ["2", ""], ["5", "\0\u{1a}\\"]]));
        assert_eq!(read(b"1\ta\n2\tb", None), (rows(&[["1", "a"]]), End::Cut, 0));
        assert_eq!(read(b"", None), (vec![], End::Complete, 0));
        let (found, _, odd) = read(b"1\tAAEC\n2\t!\n", Some(Encoding::Base64));
        assert_eq!((found, odd), (vec![[b"1".to_vec(), vec![0, 1, 2]]], 1));
        let (found, _, odd) = read(b"1\t00fF\n2\t0\n", Some(Encoding::Hex));
        assert_eq!((found, odd), (vec![[b"1".to_vec(), vec![0, 255]]], 1));
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut line = b"1\t".to_vec();
            for &byte in &bytes {
                match byte {
                    0 => line.extend(b"\\0"),
                    b'\t' | b'\n' | b'\\' => line.extend([b'\\', byte]),
                    _ => line.push(byte),
                }
            }
            line.push(b'\n');
            prop_assert_eq!(read(&line, None), (vec![[b"1".to_vec(), bytes]], End::Complete, 0));
        }

        #[test]
        fn no_bytes_make_it_panic(
            bytes in prop::collection::vec(prop::sample::select(b"a1\t\n\\N0=/+".to_vec()), 0..200),
            encoding in prop::sample::select(vec![None, Some(Encoding::Base64), Some(Encoding::Hex)]),
        ) {
            read(&bytes, encoding);
        }
    }
}
