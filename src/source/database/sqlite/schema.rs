//! The tables of a database and their columns.

use super::{
    cursor::Cursor,
    snapshot::{Failed, Snapshot},
};
use crate::database::sql::{Lexer, Token};
use hullmark_format::{
    database::{Columns, Value},
    defect::SqliteFault,
    sqlite::decode,
};
use std::io;

/// Columns of the list of tables: type, name, name of the table, root, statement.
const LIST: usize = 5;

/// Longest statement that creates a table, in bytes.
const LONGEST: u64 = 1_000_000;

/// A table.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Name in lower case.
    pub(super) name: String,
    /// The page where its tree begins.
    pub(super) root: u32,
    pub(super) columns: Columns,
    /// Number of values of a whole record.
    pub(super) width: usize,
    /// The column that has no value in records: the number of the row is its value.
    rowid: Option<usize>,
    /// Values of columns that rows lack, because the column was added later.
    defaults: Vec<Value<'static>>,
}

/// Returns the tables of a database, and the faults of their list.
pub(super) fn tables(snapshot: &mut Snapshot) -> Result<(Vec<Table>, Vec<SqliteFault>), io::Error> {
    let (mut tables, mut faults) = (Vec::new(), Vec::new());
    let mut cursor = Cursor::new(1, None);
    let mut record = Vec::new();
    while let Some(row) = cursor.next(snapshot, LONGEST, &mut record) {
        match row {
            Ok(_) => match decode(&record, snapshot.header.encoding, LIST) {
                Some(values) => tables.extend(Table::of_row(&values)),
                None => faults.push(SqliteFault::Row { page: 1 }),
            },
            Err(Failed::Fault(fault)) => faults.push(fault),
            Err(Failed::Io(error)) => return Err(error),
            Err(Failed::Changed) => break,
        }
    }
    Ok((tables, faults))
}

impl Table {
    /// Reads a row of the list. `None` for an index, a view, a trigger, or a table of SQLite itself.
    fn of_row(values: &[Value<'_>]) -> Option<Self> {
        let [kind, name, _, root, statement] = values else { return None };
        let name = name.text().to_ascii_lowercase();
        let root = root.int().and_then(|root| u32::try_from(root).ok()).filter(|&root| root > 0)?;
        if kind.text() != "table" || name.starts_with("sqlite_") {
            return None;
        }
        // A statement that ends in the middle still has the columns before.
        let columns = columns(statement.text().as_bytes());
        let place = columns.iter().position(|column| column.is_rowid);
        Some(Self {
            name,
            root,
            width: columns.len(),
            rowid: place,
            defaults: columns.iter().map(|column| column.default.clone()).collect(),
            columns: Columns::new(columns.into_iter().map(|column| column.name)),
        })
    }

    /// Completes the values of a record to those of the row with this number.
    pub(super) fn complete(&self, rowid: i64, values: &mut Vec<Value<'_>>) {
        let missing = self.defaults.get(values.len()..).unwrap_or_default();
        values.extend(missing.iter().cloned());
        if let Some(value) = self.rowid.and_then(|place| values.get_mut(place))
            && *value == Value::Null
        {
            *value = Value::Int(rowid);
        }
    }
}

/// A column in a statement.
#[derive(Debug, Default)]
struct Column {
    name: String,
    /// Words of the type, in lower case.
    kind: String,
    is_rowid: bool,
    default: Value<'static>,
    /// Whether records have no place for it, because it is calculated.
    is_virtual: bool,
}

/// Returns the columns of `CREATE TABLE`.
fn columns(statement: &[u8]) -> Vec<Column> {
    let mut reader = Statement { lexer: Lexer::new(statement), columns: Vec::new() };
    reader.lexer.has_escapes = false;
    // The statement is in memory, so an error is its end.
    let _ = reader.read();
    let mut columns = reader.columns;
    columns.retain(|column| !column.is_virtual);
    columns
}

struct Statement<'a> {
    lexer: Lexer<&'a [u8]>,
    columns: Vec<Column>,
}

impl Statement<'_> {
    fn read(&mut self) -> io::Result<()> {
        while self.token()? != Token::Symbol(b'(') {}
        loop {
            let is_last = self.definition()?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Reads a token that must be there. A name may be in single quotes as well.
    fn token(&mut self) -> io::Result<Token> {
        if self.lexer.skip_blanks()? == Some(b'\'') {
            return Ok(Token::Name(self.text()?));
        }
        self.lexer.token()?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn text(&mut self) -> io::Result<String> {
        let mut text = Vec::new();
        self.lexer.text(|bytes| text.extend(bytes))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Reads a column or a constraint. Returns whether it is the last one.
    fn definition(&mut self) -> io::Result<bool> {
        let first = self.token()?;
        let is_constraint = TABLE_CONSTRAINTS.iter().any(|word| first.is(word));
        let Some(name) = first.clone().into_name().filter(|_| !is_constraint) else {
            return self.constraint(&first);
        };
        let mut column = Column { name, ..Column::default() };
        let mut is_type = true;
        let ended = loop {
            match self.token() {
                Ok(Token::Symbol(b',')) => break Ok(false),
                Ok(Token::Symbol(b')')) => break Ok(true),
                Ok(Token::Symbol(b'(')) => _ = self.group(),
                Ok(token) if token.is("default") => {
                    is_type = false;
                    column.default = self.default().unwrap_or_default();
                }
                Ok(token) if token.is("primary") => {
                    is_type = false;
                    column.is_rowid = column.kind == "integer";
                }
                // With this word SQLite takes the column for an ordinary one.
                Ok(token) if token.is("desc") => column.is_rowid = false,
                Ok(token) if token.is("as") => (is_type, column.is_virtual) = (false, true),
                Ok(token) if token.is("stored") => column.is_virtual = false,
                Ok(token) => {
                    is_type &= !CONSTRAINTS.iter().any(|word| token.is(word));
                    if let Some(word) = token.into_name().filter(|_| is_type) {
                        let gap = if column.kind.is_empty() { "" } else { " " };
                        column.kind = format!("{}{gap}{}", column.kind, word.to_ascii_lowercase());
                    }
                }
                Err(error) => break Err(error),
            }
        };
        column.default = with_affinity(std::mem::take(&mut column.default), &column.kind);
        self.columns.push(column);
        ended
    }

    /// Reads a constraint of the table, which may name the column of row numbers.
    fn constraint(&mut self, first: &Token) -> io::Result<bool> {
        let mut is_key = first.is("primary");
        loop {
            match self.token()? {
                Token::Symbol(b',') => return Ok(false),
                Token::Symbol(b')') => return Ok(true),
                Token::Symbol(b'(') => {
                    let names = self.group()?;
                    if let ([name], true) = (names.as_slice(), std::mem::take(&mut is_key)) {
                        let is_it = |column: &&mut Column| {
                            column.name.eq_ignore_ascii_case(name) && column.kind == "integer"
                        };
                        self.columns.iter_mut().filter(is_it).for_each(|column| column.is_rowid = true);
                    }
                }
                token => is_key |= token.is("primary"),
            }
        }
    }

    /// Reads to the end of a group in parentheses. Returns its names.
    fn group(&mut self) -> io::Result<Vec<String>> {
        let (mut depth, mut names) = (1_usize, Vec::new());
        while depth > 0 {
            match self.token()? {
                Token::Symbol(b'(') => depth += 1,
                Token::Symbol(b')') => depth -= 1,
                token if token.is("asc") || token.is("desc") => {}
                token => names.extend(token.into_name()),
            }
        }
        Ok(names)
    }

    /// Reads a constant after DEFAULT. An expression has no value here.
    fn default(&mut self) -> io::Result<Value<'static>> {
        while self.lexer.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.lexer.skip(1);
        }
        let is_negative = self.lexer.peek()? == Some(b'-');
        if is_negative || self.lexer.peek()? == Some(b'+') {
            self.lexer.skip(1);
        }
        if self.lexer.peek()? == Some(b'\'') {
            return self.text().map(|text| Value::Bytes(text.into_bytes().into()));
        }
        let mut number = String::new();
        while let Some(byte) = self.lexer.peek()?
            && (byte.is_ascii_digit() || byte == b'.' || (matches!(byte, b'e' | b'E') && !number.is_empty()))
        {
            number.push(char::from(byte));
            self.lexer.skip(1);
        }
        if number.is_empty() {
            return Ok(match self.token()? {
                Token::Symbol(b'(') => {
                    self.group()?;
                    Value::Null
                }
                token if token.is("x") => {
                    let mut bytes = Vec::new();
                    self.lexer.next()?;
                    self.lexer.hex(|byte| bytes.push(byte))?;
                    self.lexer.next()?;
                    Value::Bytes(bytes.into())
                }
                token if token.is("true") => Value::Int(1),
                token if token.is("false") => Value::Int(0),
                Token::Name(text) => Value::Bytes(text.into_bytes().into()),
                _ => Value::Null,
            });
        }
        let number = if is_negative { format!("-{number}") } else { number };
        Ok(numeric(&number).unwrap_or_default())
    }
}

/// Words that begin a constraint of a table.
const TABLE_CONSTRAINTS: [&str; 5] = ["constraint", "primary", "unique", "check", "foreign"];

/// Words that end the type of a column.
const CONSTRAINTS: [&str; 9] =
    ["constraint", "primary", "not", "null", "unique", "check", "collate", "references", "generated"];

fn numeric(text: &str) -> Option<Value<'static>> {
    let text = text.trim_ascii();
    match (text.parse(), text.parse::<f64>()) {
        (Ok(number), _) => Some(Value::Int(number)),
        (_, Ok(number)) if number.is_finite() => Some(Value::Real(number)),
        _ => None,
    }
}

/// Converts a default to the type of its column, as SQLite does.
fn with_affinity(value: Value<'static>, kind: &str) -> Value<'static> {
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    let is_text = !has(&["int"]) && has(&["char", "clob", "text"]);
    let is_raw = kind.is_empty() || (!has(&["int", "char", "clob", "text"]) && has(&["blob"]));
    match value {
        Value::Int(_) | Value::Real(_) if is_text => Value::Bytes(value.text().into_bytes().into()),
        Value::Bytes(_) if !is_text && !is_raw => numeric(&value.text()).unwrap_or(value),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the columns as `name:default`, with `#` before the column of row numbers.
    fn shown(statement: &str) -> String {
        let columns = columns(statement.as_bytes());
        let shown = columns.iter().map(|Column { name, is_rowid, default, .. }| {
            format!("{}{name}:{}", if *is_rowid { "#" } else { "" }, default.text())
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_of_statements() {
        let opensim = "CREATE TABLE prims(UUID varchar(255) primary key not null, `Desc` varchar(255), [A b] float \
            NOT NULL default '0.60', \"c\" tinyint(4) default -7, d string NOT NULL default X'41', e TEXT default 5,\n\
            -- a comment, with (commas)\n f blob DEFAULT (1+2), PRIMARY KEY(UUID))";
        assert_eq!(shown(opensim), "UUID: Desc: A b:0.6 c:-7 d:A e:5 f:");
        assert_eq!(shown("create table t (id INTEGER PRIMARY KEY AUTOINCREMENT, b)"), "#id: b:");
        assert_eq!(shown("create table t (id INTEGER PRIMARY KEY DESC, b)"), "id: b:");
        assert_eq!(shown("create table t (b, ID integer, constraint k primary key (id asc))"), "b: #ID:");
        assert_eq!(shown("create table t (a integer, b integer, primary key (a, b))"), "a: b:");
        assert_eq!(shown("create table t (id int primary key, c as (id+1), d int as (2) stored)"), "id: d:");
        assert_eq!(shown("CREATE TABLE \"x(y\"('a''b' text default 'it''s (', z)"), "a'b:it's ( z:");
        assert_eq!(shown("CREATE TABLE t(a int default 1, b"), "a:1 b:");
        for cut in ["default x", "default x'0", "default", "default -", "default '", "(", "-"] {
            assert_eq!(
                shown(&format!("CREATE TABLE t(a, b {cut}")).replace(char::from(0), ""),
                "a: b:",
                "{cut}"
            );
        }
        assert_eq!(shown("CREATE TABLE t(key text, index_ text, [primary] int)"), "key: index_: primary:");
        assert_eq!(shown("nonsense"), "");
    }
}
