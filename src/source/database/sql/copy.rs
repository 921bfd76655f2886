//! `COPY … FROM stdin` of pg_dump: one row in each line, with tabs between values.

use super::{Cell, Rows, SqlReader, Token, Type};
use std::io::{self, BufRead};

impl<R: BufRead> SqlReader<'_, R> {
    /// Reads a copy after its first word.
    pub(super) fn copy(&mut self, rows: &mut dyn Rows) -> io::Result<bool> {
        let Some(name) = self.table_name()? else { return self.skip_statement() };
        let columns = match self.lexer.skip_blanks()? {
            Some(b'(') => Some(self.column_list()?),
            _ => None,
        };
        let mut is_from_here = false;
        loop {
            match self.lexer.token()? {
                Some(Token::Symbol(b';')) => break,
                Some(token) => is_from_here |= token.is("stdin"),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        if !is_from_here {
            return Ok(true);
        }
        self.lexer.line(|_| ())?;
        let table = self.table_of(&name, columns);
        let is_wanted = rows.wants(&name.0, &name.1);
        if is_wanted {
            self.note_table(&name.1, &table);
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            let (longest, mut is_short) = (self.longest.saturating_mul(3), true);
            let ended = self.lexer.line(|bytes| {
                is_short &= line.len() + bytes.len() <= longest;
                if is_short {
                    line.extend_from_slice(bytes);
                }
            })?;
            if line.strip_suffix(b"\r").unwrap_or(&line) == b"\\." {
                return Ok(true);
            }
            if !ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if !is_wanted {
                continue;
            }
            if !is_short {
                self.too_long += 1;
                continue;
            }
            self.row.clear();
            for (value, place) in line.split(|&byte| byte == b'\t').zip(0..) {
                let start = self.row.bytes.len();
                if value == b"\\N" {
                    self.row.cells.push(Cell::Null);
                    continue;
                }
                match (table.types.get(place), value.strip_prefix(b"\\\\x")) {
                    (Some(Type::Bytea), Some(digits)) => self.row.bytes.extend(from_hex(digits)),
                    _ => unescape(value, &mut self.row.bytes),
                }
                self.row.cells.push(Cell::Bytes(start..self.row.bytes.len()));
            }
            if !self.give(&name, &table, rows) {
                return Ok(true);
            }
        }
    }
}

fn from_hex(digits: &[u8]) -> impl Iterator<Item = u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    digits.as_chunks().0.iter().map(move |&[high, low]| digit(high) << 4 | digit(low))
}

/// Appends a value without its escapes.
fn unescape(value: &[u8], to: &mut Vec<u8>) {
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        to.push(match (byte, byte == b'\\') {
            (byte, false) => byte,
            _ => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'v') => 11,
                Some(other) => other,
                None => b'\\',
            },
        });
    }
}
