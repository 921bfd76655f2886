//! `COPY … FROM stdin` of pg_dump: one row in each line, with tabs between values.

use super::{Cell, Rows, SqlReader, Token, Type};
use std::io::{self, BufRead};

impl<R: BufRead> SqlReader<'_, R> {
    /// Reads a copy after its first word.
    pub(super) fn copy(&mut self, rows: &mut dyn Rows) -> io::Result<bool> {
        let Some(name) = self.table_name()? else { return self.skip_statement() };
        self.schema.has_rows = true;
        let columns = match self.lexer.skip_blanks()? {
            Some(b'(') => Some(self.column_list(&name.1, rows)?),
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
        let Some(table) = self.wanted_table(&name, columns, rows) else { return self.skip_lines() };
        let longest = self.longest(&name.1);
        loop {
            self.row.begin(table.width, longest);
            if !self.read_line(&table.types)? {
                return Ok(true);
            }
            if !self.give(&name, &table, rows) {
                return Ok(true);
            }
        }
    }

    /// Skips the lines of a copy, with its last one.
    fn skip_lines(&mut self) -> io::Result<bool> {
        loop {
            let (mut start, mut length) = ([0; 3], 0_usize);
            let ended = self.lexer.line(|bytes| {
                let free = &mut start[length.min(3)..];
                let taken = bytes.len().min(free.len());
                free[..taken].copy_from_slice(&bytes[..taken]);
                length += bytes.len();
            })?;
            if matches!((&start, length), (b"\\.\0", 2) | (b"\\.\r", 3)) {
                return Ok(true);
            }
            if !ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Reads the values of a line. Returns `false` if it is the last line of the copy.
    fn read_line(&mut self, types: &[Type]) -> io::Result<bool> {
        loop {
            let place = self.row.count;
            let kind = types.get(place).copied().unwrap_or_default();
            let Some(cell) = self.read_field(kind, place == 0)? else { return Ok(false) };
            self.row.push(cell);
            if self.lexer.next()? == b'\n' {
                return Ok(true);
            }
        }
    }

    /// Reads a value up to a tab or a line end. `None` for the last line.
    fn read_field(&mut self, kind: Type, is_first: bool) -> io::Result<Option<Cell>> {
        let Self { lexer, row, .. } = self;
        let mut value = row.begin_value();
        let mut is_start = true;
        loop {
            let stop = lexer.plain_bytes(|bytes| {
                is_start &= bytes.is_empty();
                row.extend(&mut value, bytes);
            })?;
            if stop != b'\\' {
                break;
            }
            lexer.skip(1);
            let escaped = match lexer.peek()?.ok_or(io::ErrorKind::UnexpectedEof)? {
                // A backslash at the end of a value is a plain byte.
                b'\t' | b'\n' => {
                    row.extend(&mut value, b"\\");
                    break;
                }
                byte => byte,
            };
            lexer.skip(1);
            let next = lexer.peek()?;
            match (escaped, next) {
                (b'N', Some(b'\t' | b'\n')) if is_start => return Ok(Some(Cell::Null)),
                (b'.', None | Some(b'\n')) if is_start && is_first => {
                    lexer.line(|_| ())?;
                    return Ok(None);
                }
                (b'.', Some(b'\r')) if is_start && is_first => {
                    lexer.skip(1);
                    if matches!(lexer.peek()?, None | Some(b'\n')) {
                        lexer.line(|_| ())?;
                        return Ok(None);
                    }
                    row.extend(&mut value, b".\r");
                }
                (b'\\', Some(b'x')) if is_start && kind == Type::Bytea => {
                    lexer.skip(1);
                    lexer.hex(|bytes| row.extend(&mut value, bytes))?;
                }
                _ => row.extend(&mut value, &[unescaped(escaped)]),
            }
            is_start = false;
        }
        Ok(Some(row.end_value(&value).map_or_else(|left_out| left_out, Cell::Bytes)))
    }
}

/// Returns the byte of a backslash and this byte.
fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        other => other,
    }
}
