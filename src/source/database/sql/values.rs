//! The values of a row of an insert.

use super::SqlReader;
use hullmark_format::database::Value;
use std::{
    io::{self, BufRead},
    ops::Range,
};

/// The values of a row. All bytes are in one buffer, so rows need no new memory.
#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    pub(super) bytes: Vec<u8>,
    pub(super) cells: Vec<Cell>,
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
}

impl RowBuffer {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.cells.clear();
    }

    pub(super) fn values(&self) -> Vec<Value<'_>> {
        let value = |cell: &Cell| match cell {
            Cell::Null => Value::Null,
            Cell::Int(number) => Value::Int(*number),
            Cell::Real(number) => Value::Real(*number),
            Cell::Bytes(range) | Cell::Blob(range) => Value::bytes(&self.bytes[range.clone()]),
        };
        self.cells.iter().map(value).collect()
    }
}

impl<R: BufRead> SqlReader<'_, R> {
    /// Reads the values of a row after its parenthesis.
    pub(super) fn read_row(&mut self, is_wanted: bool) -> io::Result<()> {
        self.row.clear();
        loop {
            match self.lexer.peek()?.ok_or(io::ErrorKind::UnexpectedEof)? {
                b')' => {
                    self.lexer.skip(1);
                    return Ok(());
                }
                b',' | b' ' | b'\n' | b'\r' | b'\t' => self.lexer.skip(1),
                _ => {
                    let cell = self.read_value(is_wanted)?;
                    self.row.cells.push(cell);
                }
            }
        }
    }

    /// Reads one value.
    pub(super) fn read_value(&mut self, is_wanted: bool) -> io::Result<Cell> {
        match self.lexer.peek()?.ok_or(io::ErrorKind::UnexpectedEof)? {
            b'\'' => self.read_text(is_wanted),
            b'0'..=b'9' | b'-' | b'.' => self.read_number(),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let word = self.lexer.word()?;
                let next = self.lexer.peek()?;
                Ok(match (word.to_ascii_lowercase().as_str(), next) {
                    ("x", Some(b'\'')) => {
                        let cell = self.read_hex(true)?;
                        self.lexer.skip(1);
                        cell
                    }
                    ("true", _) => Cell::Int(1),
                    ("false", _) => Cell::Int(0),
                    ("null", _) => Cell::Null,
                    // A charset before a text, or the E of PostgreSQL.
                    (word, Some(b' ' | b'\'')) if word.starts_with('_') || word == "e" || word == "n" => {
                        let is_binary = word == "_binary";
                        self.lexer.skip_blanks()?;
                        return Ok(match self.read_value(is_wanted)? {
                            Cell::Bytes(range) if is_binary => Cell::Blob(range),
                            cell => cell,
                        });
                    }
                    _ => {
                        self.skip_expression()?;
                        Cell::Null
                    }
                })
            }
            _ => {
                self.skip_expression()?;
                Ok(Cell::Null)
            }
        }
    }

    /// Skips an expression up to the next value or the end of the row.
    pub(super) fn skip_expression(&mut self) -> io::Result<()> {
        let mut depth = 0_usize;
        loop {
            match self.lexer.peek()?.ok_or(io::ErrorKind::UnexpectedEof)? {
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

    pub(super) fn read_text(&mut self, is_wanted: bool) -> io::Result<Cell> {
        let Self { lexer, row, longest, too_long, .. } = self;
        let start = row.bytes.len();
        if !is_wanted {
            lexer.text(|_| ())?;
            return Ok(Cell::Null);
        }
        let mut is_short = true;
        lexer.text(|bytes| {
            is_short &= row.bytes.len() - start + bytes.len() <= *longest;
            if is_short {
                row.bytes.extend_from_slice(bytes);
            }
        })?;
        if !is_short {
            *too_long += 1;
            row.bytes.truncate(start);
            return Ok(Cell::Null);
        }
        Ok(Cell::Bytes(start..row.bytes.len()))
    }

    /// Reads hexadecimal digits, after a quote if there is one.
    pub(super) fn read_hex(&mut self, has_quotes: bool) -> io::Result<Cell> {
        if has_quotes {
            self.lexer.skip(1);
        }
        let Self { lexer, row, longest, too_long, .. } = self;
        let start = row.bytes.len();
        let mut length = 0_usize;
        lexer.hex(|byte| {
            length += 1;
            if length <= *longest {
                row.bytes.push(byte);
            }
        })?;
        if length > *longest {
            *too_long += 1;
            row.bytes.truncate(start);
            return Ok(Cell::Null);
        }
        Ok(Cell::Blob(start..row.bytes.len()))
    }

    /// Reads a number, or hexadecimal digits after `0x`.
    pub(super) fn read_number(&mut self) -> io::Result<Cell> {
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
