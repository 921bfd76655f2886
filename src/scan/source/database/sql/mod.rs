//! Dumps of databases as SQL text: mysqldump, mariadb-dump, phpMyAdmin, Workbench, pg_dump and sqlite3.
//!
//! Statements are read and never executed. `CREATE TABLE` gives the columns, `INSERT` and `COPY` give rows, `USE` gives
//! the database. All other statements are skipped.

mod copy;
mod lexer;

use super::Rows;
use crate::format::database::{Columns, Dialect, Row, Value};
pub(super) use lexer::{Lexer, Token};
use std::{
    collections::HashMap,
    io::{self, BufRead},
    ops::Range,
};

/// Returns the product that wrote a dump, from its first bytes. `None` if this is no dump.
pub fn dialect_of(start: &[u8]) -> Option<Dialect> {
    const BEGINNINGS: [(&str, Dialect); 9] = [
        ("-- mysql dump", Dialect::MySql),
        ("-- mariadb dump", Dialect::MySql),
        ("/*m!999999", Dialect::MySql),
        ("-- phpmyadmin sql dump", Dialect::MySql),
        ("-- adminer", Dialect::MySql),
        ("/*!40", Dialect::MySql),
        ("--\n-- postgresql database", Dialect::PostgreSql),
        ("pragma foreign_keys", Dialect::Sqlite),
        ("begin transaction;", Dialect::Sqlite),
    ];
    let start = &start[..start.len().min(START)];
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let text = String::from_utf8_lossy(start).to_ascii_lowercase().replace('\r', "");
    let text = text.trim_ascii_start();
    let known = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning));
    if let Some((_, dialect)) = known {
        return Some(*dialect);
    }
    let begins = ["--", "/*", "#", "create ", "insert ", "drop ", "set ", "use ", "begin", "start ", "lock "];
    let has_statement = ["create table", "insert into", "create database", "replace into", "copy "]
        .iter()
        .any(|words| text.contains(words));
    if !has_statement || !begins.iter().any(|begin| text.starts_with(begin)) {
        return None;
    }
    Some(match (text.contains('`'), text.contains("from stdin")) {
        (true, _) => Dialect::MySql,
        (_, true) => Dialect::PostgreSql,
        _ if text.contains("postgresql") => Dialect::PostgreSql,
        _ if text.contains("pragma ") => Dialect::Sqlite,
        _ => Dialect::MySql,
    })
}

/// Bytes that show whether a file is a dump.
pub const START: usize = 8 * 1024;

/// How a dump ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With the line of a complete dump.
    Complete,
    /// After a whole statement, without that line.
    Whole,
    /// Inside of a statement.
    Cut,
    /// The receiver has enough.
    Enough,
}

/// A table of the dump.
#[derive(Debug, Clone, Default)]
struct Table {
    columns: Columns,
    /// Number of columns; 0 if the dump does not say them.
    width: usize,
    /// Whether each column has bytes in the hexadecimal form of PostgreSQL.
    is_bytea: Vec<bool>,
}

/// Reads a dump from its first byte to its last.
pub struct SqlReader<R> {
    lexer: Lexer<R>,
    dialect: Dialect,
    database: String,
    tables: HashMap<(String, String), Table>,
    /// Tables with rows whose columns are unknown.
    pub unknown_columns: Vec<String>,
    /// Number of rows with another number of values than columns.
    pub odd_rows: u64,
    /// Number of values above the limit, which are left out.
    pub too_long: u64,
    /// Largest value in bytes.
    longest: usize,
    row: RowBuffer,
}

/// The values of a row. All bytes are in one buffer, so rows need no new memory.
#[derive(Debug, Default)]
struct RowBuffer {
    bytes: Vec<u8>,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone)]
enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Bytes(Range<usize>),
}

impl RowBuffer {
    fn clear(&mut self) {
        self.bytes.clear();
        self.cells.clear();
    }

    fn values(&self) -> Vec<Value<'_>> {
        let value = |cell: &Cell| match cell {
            Cell::Null => Value::Null,
            Cell::Int(number) => Value::Int(*number),
            Cell::Real(number) => Value::Real(*number),
            Cell::Bytes(range) => Value::bytes(&self.bytes[range.clone()]),
        };
        self.cells.iter().map(value).collect()
    }
}

impl<R: BufRead> SqlReader<R> {
    /// Creates a reader of a dump from this product. Values above `longest` bytes are left out.
    pub fn new(bytes: R, dialect: Dialect, longest: usize) -> Self {
        let mut lexer = Lexer::new(bytes);
        lexer.has_escapes = dialect == Dialect::MySql;
        Self {
            lexer,
            dialect,
            database: String::new(),
            tables: HashMap::new(),
            unknown_columns: Vec::new(),
            odd_rows: 0,
            too_long: 0,
            longest,
            row: RowBuffer::default(),
        }
    }

    /// Returns the source of the bytes.
    pub fn into_inner(self) -> R {
        self.lexer.into_inner()
    }

    /// Number of bytes that were read.
    pub fn position(&self) -> u64 {
        self.lexer.position
    }

    /// Reads all statements.
    ///
    /// # Errors
    /// The source of the bytes fails. A dump that is cut is no error.
    pub fn read(&mut self, rows: &mut dyn Rows) -> io::Result<End> {
        loop {
            match self.statement(rows) {
                Ok(true) if rows.enough() => return Ok(End::Enough),
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(End::Cut),
                Err(error) => return Err(error),
            }
        }
        let last = String::from_utf8_lossy(&self.lexer.comment).to_ascii_lowercase();
        let is_complete = last.contains("dump completed") || last.contains("dump complete");
        Ok(if is_complete { End::Complete } else { End::Whole })
    }

    /// Reads one statement. Returns `false` at the end of the dump.
    fn statement(&mut self, rows: &mut dyn Rows) -> io::Result<bool> {
        if self.lexer.skip_blanks()? == Some(b'\\') {
            return self.meta_command();
        }
        let Some(first) = self.lexer.token()? else { return Ok(false) };
        if first == Token::Symbol(b';') {
            return Ok(true);
        }
        if first.is("use") {
            if let Some(name) = self.lexer.token()?.and_then(Token::into_name) {
                self.database = name;
            }
        } else if first.is("create") {
            return self.create();
        } else if first.is("insert") || first.is("replace") {
            return self.insert(rows);
        } else if first.is("copy") {
            return self.copy(rows);
        }
        self.skip_statement()
    }

    /// Reads a command of psql, such as the change of the database.
    fn meta_command(&mut self) -> io::Result<bool> {
        let mut line = Vec::new();
        self.lexer.line(|bytes| line.extend(bytes))?;
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split_ascii_whitespace();
        if let (Some("\\connect" | "\\c"), Some(name)) = (words.next(), words.next()) {
            self.database = name.trim_matches('"').to_owned();
        }
        Ok(true)
    }

    /// Skips the rest of a statement.
    fn skip_statement(&mut self) -> io::Result<bool> {
        while let Some(token) = self.lexer.token()? {
            if token == Token::Symbol(b';') {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads the name of a table and its database.
    fn table_name(&mut self) -> io::Result<Option<(String, String)>> {
        match self.lexer.token()?.and_then(Token::into_name) {
            Some(first) => self.after_first(first).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the rest of a name after its first part: the database of MySQL, the schema of PostgreSQL, or the table.
    fn after_first(&mut self, first: String) -> io::Result<(String, String)> {
        if self.lexer.skip_blanks()? != Some(b'.') {
            return Ok((self.database.clone(), first.to_ascii_lowercase()));
        }
        self.lexer.skip(1);
        let table = self.lexer.token()?.and_then(Token::into_name).unwrap_or_default();
        let database = if self.dialect == Dialect::MySql { first } else { self.database.clone() };
        Ok((database, table.to_ascii_lowercase()))
    }

    /// Reads `CREATE TABLE` or `CREATE DATABASE`.
    fn create(&mut self) -> io::Result<bool> {
        let mut token = self.lexer.token()?;
        while token.as_ref().is_some_and(|token| ["temporary", "unlogged"].iter().any(|word| token.is(word)))
        {
            token = self.lexer.token()?;
        }
        if !token.is_some_and(|token| token.is("table")) {
            return self.skip_statement();
        }
        if matches!(self.lexer.skip_blanks()?, Some(b'i' | b'I')) {
            // IF NOT EXISTS, or a table whose name begins like that.
            let word = self.lexer.word()?;
            if !word.eq_ignore_ascii_case("if") {
                return self.columns((self.database.clone(), word.to_ascii_lowercase()));
            }
            self.lexer.token()?;
            self.lexer.token()?;
        }
        match self.table_name()? {
            Some(name) => self.columns(name),
            None => self.skip_statement(),
        }
    }

    /// Reads the columns of a table.
    fn columns(&mut self, name: (String, String)) -> io::Result<bool> {
        if self.lexer.skip_blanks()? != Some(b'(') {
            return self.skip_statement();
        }
        self.lexer.skip(1);
        let (mut names, mut is_bytea) = (Vec::new(), Vec::new());
        let (mut depth, mut tokens) = (1, 0);
        let mut column: Option<String> = None;
        while depth > 0 {
            let Some(token) = self.lexer.token()? else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            match token {
                Token::Symbol(b'(') => depth += 1,
                Token::Symbol(b')') => depth -= 1,
                Token::Symbol(b',') if depth == 1 => {
                    names.extend(column.take());
                    is_bytea.resize(names.len(), false);
                    tokens = 0;
                    continue;
                }
                token if tokens == 0 => column = column_name(token),
                Token::Word(kind)
                    if tokens == 1 && column.is_some() && kind.eq_ignore_ascii_case("bytea") =>
                {
                    is_bytea.resize(names.len(), false);
                    is_bytea.push(true);
                }
                _ => {}
            }
            tokens += 1;
        }
        names.extend(column);
        is_bytea.resize(names.len(), false);
        let table = Table { columns: Columns::new(&names), width: names.len(), is_bytea };
        self.tables.insert(name, table);
        self.skip_statement()
    }

    /// Reads a list of columns in parentheses.
    fn column_list(&mut self) -> io::Result<Vec<String>> {
        self.lexer.skip(1);
        let mut names = Vec::new();
        loop {
            match self.lexer.token()?.ok_or(io::ErrorKind::UnexpectedEof)? {
                Token::Symbol(b')') => return Ok(names),
                token => names.extend(token.into_name()),
            }
        }
    }

    /// Returns the table of rows: as it was created, or with these columns.
    fn table_of(&self, name: &(String, String), columns: Option<Vec<String>>) -> Table {
        let created = self.tables.get(name).cloned().unwrap_or_default();
        let Some(columns) = columns else { return created };
        let known = Columns::new(&columns);
        let is_bytea = |column: &String| {
            let place = created.columns.place(&column.to_ascii_lowercase());
            place.is_some_and(|place| created.is_bytea[place])
        };
        Table { width: columns.len(), is_bytea: columns.iter().map(is_bytea).collect(), columns: known }
    }

    /// Reads `INSERT` or `REPLACE`.
    fn insert(&mut self, rows: &mut dyn Rows) -> io::Result<bool> {
        let name = self.inserted_table()?;
        let Some(name) = name else { return self.skip_statement() };
        let columns = match self.lexer.skip_blanks()? {
            Some(b'(') => Some(self.column_list()?),
            _ => None,
        };
        if !self.lexer.token()?.is_some_and(|token| token.is("values")) {
            return self.skip_statement();
        }
        let table = self.table_of(&name, columns);
        let is_wanted = rows.wants(&name.0, &name.1);
        if is_wanted && table.width == 0 {
            self.unknown_columns.push(name.1.clone());
            self.unknown_columns.dedup();
        }
        loop {
            match self.lexer.skip_blanks()? {
                Some(b'(') => {
                    self.lexer.skip(1);
                    self.read_row(is_wanted)?;
                    if is_wanted && !self.give(&name, &table, rows) {
                        return Ok(true);
                    }
                }
                Some(b',') => self.lexer.skip(1),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(_) => return self.skip_statement(),
            }
        }
    }

    /// Reads the table of an insert. MySQL does not require INTO, and allows words before it.
    fn inserted_table(&mut self) -> io::Result<Option<(String, String)>> {
        const BEFORE: [&str; 6] = ["low_priority", "high_priority", "delayed", "ignore", "overwrite", "or"];
        loop {
            if matches!(self.lexer.skip_blanks()?, Some(b'`' | b'"' | b'[')) {
                return self.table_name();
            }
            let Some(Token::Word(word)) = self.lexer.token()? else { return Ok(None) };
            if word.eq_ignore_ascii_case("into") {
                return self.table_name();
            }
            if !BEFORE.iter().any(|before| word.eq_ignore_ascii_case(before)) {
                return self.after_first(word).map(Some);
            }
        }
    }

    /// Gives the row to the receiver. Returns `false` if that has enough.
    fn give(&mut self, name: &(String, String), table: &Table, rows: &mut dyn Rows) -> bool {
        if table.width != self.row.cells.len() {
            self.odd_rows += u64::from(table.width > 0);
            return true;
        }
        rows.row(&name.0, &name.1, &Row::new(&table.columns, &self.row.values()));
        !rows.enough()
    }

    /// Reads the values of a row after its parenthesis.
    fn read_row(&mut self, is_wanted: bool) -> io::Result<()> {
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
    fn read_value(&mut self, is_wanted: bool) -> io::Result<Cell> {
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
                        self.lexer.skip_blanks()?;
                        return self.read_value(is_wanted);
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
    fn skip_expression(&mut self) -> io::Result<()> {
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

    fn read_text(&mut self, is_wanted: bool) -> io::Result<Cell> {
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
    fn read_hex(&mut self, has_quotes: bool) -> io::Result<Cell> {
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
        Ok(Cell::Bytes(start..row.bytes.len()))
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

/// Returns the column that a definition begins with. `None` for a key or a constraint.
fn column_name(token: Token) -> Option<String> {
    const OTHERS: [&str; 10] = [
        "primary",
        "key",
        "unique",
        "index",
        "constraint",
        "fulltext",
        "spatial",
        "foreign",
        "check",
        "exclude",
    ];
    match token {
        Token::Word(word) if OTHERS.iter().any(|other| word.eq_ignore_ascii_case(other)) => None,
        token => token.into_name(),
    }
}

#[cfg(test)]
mod tests;
