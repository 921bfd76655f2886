//! The values of a row of an insert.

use super::SqlReader;
use hullmark_database::Value;
use std::{
    io::{self, BufRead},
    ops::Range,
};

/// Bytes of a value that is handed over in the buffer of its row. Others are copied.
const HANDED: usize = 1 << 20;

/// Bytes of a buffer that waits for the next row. A larger one is given back.
const KEPT: usize = 16 << 20;

/// The values of a row. All bytes are in one buffer, so rows need no new memory.
#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    pub(super) bytes: Vec<u8>,
    pub(super) cells: Vec<Cell>,
    /// Number of all values, also of those that are not kept.
    pub(super) count: usize,
    /// Number of columns. Further values are counted and not kept.
    width: usize,
    /// Maximum bytes of all values together.
    longest: usize,
    /// Number of values that are left out because of it.
    pub(super) left_out: u64,
    /// Bytes of all values.
    pub(super) size: u64,
}

#[derive(Debug, Clone)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Real(f64),
    /// A text, or bytes that are written like one.
    Bytes(Range<usize>),
    /// Bytes that are certainly no text.
    Blob(Range<usize>),
    /// This many bytes, which are not kept.
    LeftOut(u64),
}

/// A value whose bytes are being read.
pub(super) struct Growing {
    start: usize,
    length: u64,
    fits: bool,
}

impl RowBuffer {
    /// Begins a row of this many columns, with at most this many bytes.
    pub(super) fn begin(&mut self, width: usize, longest: usize) {
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.cells.clear();
        (self.count, self.width, self.longest, self.left_out, self.size) = (0, width, longest, 0, 0);
    }

    pub(super) fn push(&mut self, cell: Cell) {
        self.count += 1;
        if self.cells.len() < self.width {
            self.cells.push(cell);
        }
    }

    pub(super) fn begin_value(&self) -> Growing {
        Growing { start: self.bytes.len(), length: 0, fits: self.cells.len() < self.width }
    }

    /// Adds bytes to a value, as far as the row may have them.
    pub(super) fn extend(&mut self, value: &mut Growing, bytes: &[u8]) {
        value.length += bytes.len() as u64;
        value.fits &= self.bytes.len().saturating_add(bytes.len()) <= self.longest;
        if value.fits {
            self.bytes.extend_from_slice(bytes);
        }
    }

    pub(super) fn end_value(&mut self, value: &Growing) -> Result<Range<usize>, Cell> {
        self.size += value.length;
        if value.fits {
            return Ok(value.start..self.bytes.len());
        }
        self.bytes.truncate(value.start);
        self.left_out += u64::from(self.cells.len() < self.width);
        Err(Cell::LeftOut(value.length))
    }

    pub(super) fn values(&self) -> Vec<Value<'_>> {
        let value = |cell: &Cell| match cell {
            Cell::Null => Value::Null,
            Cell::Int(number) => Value::Int(*number),
            Cell::Real(number) => Value::Real(*number),
            Cell::Bytes(range) | Cell::Blob(range) => Value::bytes(&self.bytes[range.clone()]),
            Cell::LeftOut(bytes) => Value::LeftOut(*bytes),
        };
        self.cells.iter().map(value).collect()
    }

    /// Takes the bytes of a value out of the row.
    pub(super) fn hand_over(&mut self, place: usize) -> Vec<u8> {
        let Some(Cell::Bytes(range) | Cell::Blob(range)) = self.cells.get(place) else { return Vec::new() };
        let range = range.clone();
        self.cells.clear();
        if range.len() < HANDED {
            return self.bytes[range].to_vec();
        }
        let length = range.len();
        self.bytes.copy_within(range, 0);
        self.bytes.truncate(length);
        std::mem::take(&mut self.bytes)
    }
}

impl<R: BufRead> SqlReader<'_, R> {
    /// Reads the values of a row after its parenthesis.
    pub(super) fn read_row(&mut self, width: usize, longest: usize) -> io::Result<()> {
        self.row.begin(width, longest);
        loop {
            match self.lexer.peek()?.ok_or(io::ErrorKind::UnexpectedEof)? {
                b')' => {
                    self.lexer.skip(1);
                    return Ok(());
                }
                b',' => self.lexer.skip(1),
                b' ' | b'\n' | b'\r' | b'\t' => {
                    self.lexer.skip_to(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))?;
                }
                _ => {
                    let cell = self.read_value()?;
                    self.row.push(cell);
                }
            }
        }
    }

    /// Skips the values of a row after its parenthesis.
    pub(super) fn skip_row(&mut self) -> io::Result<()> {
        loop {
            self.skip_expression()?;
            if self.lexer.next()? == b')' {
                return Ok(());
            }
        }
    }

    /// Reads one value. Any number of words may be before it: the charset of a text, or the E of PostgreSQL.
    fn read_value(&mut self) -> io::Result<Cell> {
        let mut is_binary = false;
        loop {
            let cell = match self.lexer.peek()?.ok_or(io::ErrorKind::UnexpectedEof)? {
                b'\'' => self.read_text()?,
                b'0'..=b'9' | b'-' | b'.' => self.read_number()?,
                byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                    let word = self.lexer.word()?;
                    let next = self.lexer.peek()?;
                    match (word.to_ascii_lowercase().as_str(), next) {
                        ("x", Some(b'\'')) => {
                            let cell = self.read_hex(true)?;
                            self.lexer.skip(1);
                            cell
                        }
                        ("true", _) => Cell::Int(1),
                        ("false", _) => Cell::Int(0),
                        ("null", _) => Cell::Null,
                        (word, Some(b' ' | b'\'')) if word.starts_with('_') || word == "e" || word == "n" => {
                            is_binary |= word == "_binary";
                            self.lexer.skip_blanks()?;
                            continue;
                        }
                        _ => {
                            self.skip_expression()?;
                            Cell::Null
                        }
                    }
                }
                _ => {
                    self.skip_expression()?;
                    Cell::Null
                }
            };
            return Ok(match cell {
                Cell::Bytes(range) if is_binary => Cell::Blob(range),
                cell => cell,
            });
        }
    }

    /// Skips an expression up to the next value or the end of the row.
    fn skip_expression(&mut self) -> io::Result<()> {
        let mut depth = 0_usize;
        loop {
            let stop = self.lexer.skip_to(|byte| matches!(byte, b'\'' | b'(' | b')' | b','))?;
            match stop.ok_or(io::ErrorKind::UnexpectedEof)? {
                b'\'' => self.lexer.text(|_| ())?,
                b',' | b')' if depth == 0 => return Ok(()),
                byte => {
                    depth = match byte {
                        b'(' => depth + 1,
                        b')' => depth - 1,
                        _ => depth,
                    };
                    self.lexer.skip(1);
                }
            }
        }
    }

    fn read_text(&mut self) -> io::Result<Cell> {
        let Self { lexer, row, .. } = self;
        let mut value = row.begin_value();
        lexer.text(|bytes| row.extend(&mut value, bytes))?;
        Ok(row.end_value(&value).map_or_else(|left_out| left_out, Cell::Bytes))
    }

    /// Reads hexadecimal digits, after a quote if there is one.
    pub(super) fn read_hex(&mut self, has_quotes: bool) -> io::Result<Cell> {
        if has_quotes {
            self.lexer.skip(1);
        }
        let Self { lexer, row, .. } = self;
        let mut value = row.begin_value();
        lexer.hex(|bytes| row.extend(&mut value, bytes))?;
        Ok(row.end_value(&value).map_or_else(|left_out| left_out, Cell::Blob))
    }

    /// Reads a number, or hexadecimal digits after `0x`.
    fn read_number(&mut self) -> io::Result<Cell> {
        let mut digits = [0_u8; 40];
        let mut length = 0;
        while let Some(byte) = self.lexer.peek()? {
            if length == 1 && digits[0] == b'0' && byte == b'x' {
                self.lexer.skip(1);
                return self.read_hex(false);
            }
            if !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') || length == digits.len() {
                break;
            }
            digits[length] = byte;
            length += 1;
            self.lexer.skip(1);
        }
        let text = std::str::from_utf8(&digits[..length]).unwrap_or_default();
        let cell = match (text.parse(), text.parse()) {
            (Ok(number), _) => Cell::Int(number),
            (_, Ok(number)) => Cell::Real(number),
            _ => Cell::Null,
        };
        // Digits that no number has, and other rests of an expression.
        if !matches!(self.lexer.peek()?, Some(b',' | b')')) {
            self.skip_expression()?;
        }
        Ok(cell)
    }
}
