//! Dumps of databases as SQL text: mysqldump, mariadb-dump, phpMyAdmin, Workbench, pg_dump and sqlite3.
//!
//! Statements are read and never executed. `CREATE TABLE` gives the columns, `INSERT` and `COPY` give rows, `USE` gives
//! the database. All other statements are skipped.

mod charset;
mod copy;
mod lexer;
mod lines;
mod messages;
mod over;
mod schema;
mod start;
mod values;

use super::{Rows, longest_row};
pub use charset::Charset;
use hullmark_database::{Dialect, Row};
use hullmark_settings::limits::Limits;
pub(super) use lexer::{Lexer, Token};
pub use lines::{Encoding, LinesOf};
pub use messages::{Messages, is_message};
pub use over::Over;
pub use schema::Schema;
use schema::{ColumnList, Table, Type};
pub use start::{LONG_START, START, Start};
use std::{
    io::{self, BufRead},
    rc::Rc,
};
use values::{Cell, RowBuffer};

/// Most messages before the first statement.
const MESSAGES: usize = 32;

/// Returns the text behind the messages of programs at its start.
fn without_messages(text: &str) -> &str {
    let mut text = text.trim_ascii_start();
    for _ in 0..MESSAGES {
        match text.split_once('\n') {
            Some((line, rest)) if is_message(line) => text = rest.trim_ascii_start(),
            _ => break,
        }
    }
    text
}

/// Returns the message of a program that a file has instead of a dump.
pub fn message_of(start: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(&start[..start.len().min(START)]).ok()?;
    let line = text.trim_start_matches('\u{feff}').trim_ascii_start().lines().next()?.trim_ascii_end();
    is_message(line).then(|| &line[..line.floor_char_boundary(messages::LONGEST)])
}

/// Returns the table that the first bytes of a dump are about, if the dump names its database and begins with one table.
pub fn table_of_workbench(start: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    let text = without_messages(&text);
    // New versions of MariaDB begin with a line that older servers skip.
    let text =
        text.strip_prefix("/*M!").and_then(|rest| rest.split_once('\n')).map_or(text, |(_, rest)| rest);
    let is_of_mysql = text.starts_with("-- MySQL dump") || text.starts_with("-- MariaDB dump");
    let (_, rest) = text.split_once("-- Table structure for table `").filter(|_| is_of_mysql)?;
    let (table, rest) = rest.split_once('`')?;
    // A dump of a whole database has the next table soon, if the first is small.
    (!rest.contains("-- Table structure for table `")).then(|| table.to_owned())
}

const LONGEST_CHARSET: usize = 64;

/// Bytes of a command of psql in addition to its name.
const LONGEST_COMMAND: usize = 64;

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

pub struct SqlReader<'s, R> {
    lexer: Lexer<R>,
    schema: &'s mut Schema,
    limits: &'s Limits,
    row: RowBuffer,
}

impl<'s, R: BufRead> SqlReader<'s, R> {
    /// Creates a reader of a dump, or of a file of one. What exceeds a limit is left out and noted in the schema.
    pub fn new(bytes: R, schema: &'s mut Schema, limits: &'s Limits) -> Self {
        let mut lexer = Lexer::new(bytes);
        lexer.has_escapes = schema.dialect == Dialect::MySql;
        lexer.longest_name = limits.name_bytes;
        Self { lexer, schema, limits, row: RowBuffer::default() }
    }

    pub fn into_inner(self) -> R {
        self.lexer.into_inner()
    }

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
        if let Some(charset) = self.lexer.charset.take() {
            self.schema.charset = Charset::named(&charset);
        }
        if let Some(database) = self.lexer.database.take() {
            self.schema.database = database;
        }
        if first == Token::Symbol(b';') {
            return Ok(true);
        }
        if let Token::Word(word) = &first
            && self.may_be_message(word)?
        {
            return self.message(word);
        }
        if first.is("use") {
            if let Some(name) = self.lexer.token()?.and_then(Token::into_name) {
                self.use_database(&name, name.len() as u64);
            }
        } else if first.is("create") {
            return self.create(rows);
        } else if first.is("insert") || first.is("replace") {
            return self.insert(rows);
        } else if first.is("copy") {
            return self.copy(rows);
        } else if first.is("set") {
            self.set()?;
        }
        self.skip_statement()
    }

    /// Whether a word may begin a message: the name of a program, and a colon.
    fn may_be_message(&mut self, word: &str) -> io::Result<bool> {
        let begins = ["warning", "error", "enter"].iter().any(|begin| word.eq_ignore_ascii_case(begin));
        Ok(begins || matches!(self.lexer.peek()?, Some(b':' | b'-' | b'.' | b'/' | b'\\')))
    }

    /// Reads a line that may be a message, after its first word.
    fn message(&mut self, word: &str) -> io::Result<bool> {
        let mut line = word.as_bytes().to_vec();
        let has_next = self.lexer.line(|bytes| {
            line.extend(&bytes[..bytes.len().min(messages::LONGEST.saturating_sub(line.len()))]);
        })?;
        let line = String::from_utf8_lossy(&line);
        if is_message(&line) {
            self.schema.messages.note(&line);
        } else if !line.trim_ascii_end().ends_with(';') {
            return self.skip_statement();
        }
        Ok(has_next)
    }

    /// Reads a setting after its first word. Only the charset matters.
    fn set(&mut self) -> io::Result<()> {
        let Some(Token::Word(setting)) = self.lexer.token()? else { return Ok(()) };
        let is_encoding = setting.eq_ignore_ascii_case("client_encoding");
        if !is_encoding && !setting.eq_ignore_ascii_case("names") {
            return Ok(());
        }
        let mut next = self.lexer.skip_blanks()?;
        if next == Some(b'=') {
            self.lexer.skip(1);
            next = self.lexer.skip_blanks()?;
        }
        let mut name = Vec::new();
        match next {
            Some(b'\'') => self.lexer.text(|bytes| {
                name.extend(&bytes[..bytes.len().min(LONGEST_CHARSET - name.len())]);
            })?,
            Some(byte) if byte.is_ascii_alphabetic() => name = self.lexer.word()?.into_bytes(),
            _ => return Ok(()),
        }
        self.schema.charset = Charset::named(&String::from_utf8_lossy(&name));
        Ok(())
    }

    /// Reads a command of psql, such as the change of the database.
    fn meta_command(&mut self) -> io::Result<bool> {
        let (mut line, mut length) = (Vec::new(), 0);
        // A name has blanks and quotes around it.
        let most = self.limits.name_bytes.saturating_add(LONGEST_COMMAND);
        self.lexer.line(|bytes| {
            length += bytes.len() as u64;
            line.extend(&bytes[..bytes.len().min(most - line.len())]);
        })?;
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split_ascii_whitespace();
        if let (Some("\\connect" | "\\c"), Some(name)) = (words.next(), words.next()) {
            let name = name.trim_matches('"');
            let is_cut = length > most as u64;
            self.use_database(name, if is_cut { length } else { name.len() as u64 });
        }
        Ok(true)
    }

    /// Changes the database to one whose name has this many bytes. A name above the limit is cut.
    fn use_database(&mut self, name: &str, bytes: u64) {
        let most = self.limits.name_bytes;
        if bytes > most as u64 {
            self.schema.over.long_name(bytes);
        }
        self.schema.database = name[..name.floor_char_boundary(most)].to_owned();
    }

    fn skip_statement(&mut self) -> io::Result<bool> {
        while let Some(token) = self.lexer.token()? {
            if token == Token::Symbol(b';') {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn table_name(&mut self) -> io::Result<Option<(String, String)>> {
        match self.lexer.token()?.and_then(Token::into_name) {
            Some(first) => self.after_first(first).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the rest of a name after its first part: the database of MySQL, the schema of PostgreSQL, or the table.
    fn after_first(&mut self, first: String) -> io::Result<(String, String)> {
        if self.lexer.skip_blanks()? != Some(b'.') {
            return Ok((self.schema.database.clone(), first.to_ascii_lowercase()));
        }
        self.lexer.skip(1);
        let table = self.lexer.token()?.and_then(Token::into_name).unwrap_or_default();
        let database =
            if self.schema.dialect == Dialect::MySql { first } else { self.schema.database.clone() };
        Ok((database, table.to_ascii_lowercase()))
    }

    fn insert(&mut self, rows: &mut dyn Rows) -> io::Result<bool> {
        let name = self.inserted_table()?;
        let Some(name) = name else { return self.skip_statement() };
        self.schema.has_rows = true;
        let columns = match self.lexer.skip_blanks()? {
            Some(b'(') => Some(self.column_list(&name.1, rows)?),
            _ => None,
        };
        if !self.lexer.token()?.is_some_and(|token| token.is("values")) {
            return self.skip_statement();
        }
        let table = self.wanted_table(&name, columns, rows);
        let longest = self.longest(&name.1);
        loop {
            match self.lexer.skip_blanks()? {
                Some(b'(') => {
                    self.lexer.skip(1);
                    let Some(table) = &table else {
                        self.skip_row()?;
                        continue;
                    };
                    self.read_row(table.width, longest)?;
                    if !self.give(&name, table, rows) {
                        return Ok(true);
                    }
                }
                Some(b',') => self.lexer.skip(1),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(_) => return self.after_rows(),
            }
        }
    }

    /// Reads the end of an insert. A program that fails there writes its message and goes on with another statement.
    fn after_rows(&mut self) -> io::Result<bool> {
        match self.lexer.token()? {
            None => Ok(false),
            Some(Token::Symbol(b';')) => Ok(true),
            Some(Token::Word(word)) if self.may_be_message(&word)? => self.message(&word),
            Some(_) => self.skip_statement(),
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

    /// Returns the table of rows: as it was created, or with these columns. `None` if nobody wants its rows, or if its
    /// columns are unknown.
    fn wanted_table(
        &mut self,
        name: &(String, String),
        columns: Option<ColumnList>,
        rows: &mut dyn Rows,
    ) -> Option<Rc<Table>> {
        if !rows.wants(&name.0, &name.1) {
            return None;
        }
        let columns = match columns {
            Some(ColumnList::TooLong) => return None,
            Some(ColumnList::Names(names)) => Some(names),
            None => None,
        };
        let table = self.table_of(name, columns);
        if table.is_my_isam {
            self.schema.my_isam.insert(name.1.clone());
        }
        if table.width == 0 {
            self.schema.unknown_columns.insert(name.1.clone());
            return None;
        }
        Some(table)
    }

    fn longest(&self, table: &str) -> usize {
        usize::try_from(longest_row(table, self.limits)).unwrap_or(usize::MAX)
    }

    /// Gives the row to the receiver. Returns `false` if that has enough.
    fn give(&mut self, name: &(String, String), table: &Table, rows: &mut dyn Rows) -> bool {
        if self.row.left_out > 0 {
            self.schema.over.values(&name.1, self.row.left_out, self.row.size);
        }
        if table.width != self.row.count {
            self.schema.odd_rows += 1;
            return true;
        }
        let charset = &self.schema.charset;
        for (cell, kind) in self.row.cells.iter().zip(&table.types) {
            if let (Cell::Bytes(range), Type::Text) = (cell, kind) {
                self.schema.odd_texts += u64::from(charset.is_wrong_for(&self.row.bytes[range.clone()]));
            }
        }
        let values = self.row.values();
        let row = Row::new(&table.columns, &values);
        let wanted = rows.row(&name.0, &name.1, &row);
        if let Some(place) = wanted.and_then(|column| table.columns.place(column)) {
            drop(values);
            rows.bytes(self.row.hand_over(place));
        }
        !rows.enough()
    }
}

#[cfg(test)]
mod tests;
