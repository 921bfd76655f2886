//! The tables of a database and their columns.

use super::{
    cursor::Cursor,
    snapshot::{Failed, Snapshot},
};
use crate::database::{
    left_out, left_out_above,
    sql::{Lexer, Token},
};
use hullmark_database::{Columns, Row, Value, sqlite::decode};
use hullmark_format::defect::{Defect, LeftOut, SqliteFault};
use hullmark_settings::limits::Limits;
use std::io;

/// Columns of the list of tables: type, name, name of the table, root, statement.
const LIST: usize = 5;

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

/// The tables of a database that somebody knows, and those of their list that exceed a limit.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) list: Vec<Table>,
    count: u64,
    /// Number of definitions that are too long, and the bytes of the longest.
    too_long: (u64, u64),
    /// Tables with too many columns.
    wide: Vec<String>,
}

impl Tables {
    /// Reads the tables of a database that `knows` knows by name. Each fault of their list goes to `fault`.
    pub(super) fn read(
        snapshot: &mut Snapshot,
        limits: &Limits,
        knows: &dyn Fn(&str) -> bool,
        fault: &mut dyn FnMut(SqliteFault),
    ) -> Result<Self, io::Error> {
        let mut tables = Self::default();
        let mut cursor = Cursor::new(1, None);
        let mut record = Vec::new();
        while let Some(row) = cursor.next(snapshot, limits.statement_bytes, &mut record) {
            match row {
                Ok(_) => match decode(&record, snapshot.header.encoding, LIST) {
                    Some(values) => tables.add(&values, limits, knows, fault),
                    None => fault(SqliteFault::Row { page: 1 }),
                },
                Err(Failed::Fault(why)) => fault(why),
                Err(Failed::Io(error)) => return Err(error),
                Err(Failed::Changed) => break,
            }
        }
        tables.too_long = cursor.too_long;
        Ok(tables)
    }

    /// Adds the table of a row of the list, unless it is an index, a view, a trigger, or a table of SQLite itself.
    fn add(
        &mut self,
        values: &[Value<'_>],
        limits: &Limits,
        knows: &dyn Fn(&str) -> bool,
        fault: &mut dyn FnMut(SqliteFault),
    ) {
        let [kind, name, _, root, statement] = values else { return };
        let name = name.name().to_ascii_lowercase();
        let root = root.int().and_then(|root| u32::try_from(root).ok()).filter(|&root| root > 0);
        let Some(root) = root.filter(|_| kind.name() == "table" && !name.starts_with("sqlite_")) else {
            return;
        };
        self.count += 1;
        if self.count > limits.tables || !knows(&name) {
            return;
        }
        // Each table is in the list once.
        if self.list.iter().any(|table| table.name == name) {
            return fault(SqliteFault::Row { page: 1 });
        }
        // A statement that ends in the middle still has the columns before.
        match columns(statement.text().as_bytes(), limits.columns) {
            Some(columns) => self.list.push(Table::new(name, root, columns)),
            None if self.wide.contains(&name) => {}
            None => self.wide.push(name),
        }
    }

    /// Whether something is left out because of a limit.
    pub(super) fn is_cut(&self, limits: &Limits) -> bool {
        self.too_long.0 > 0 || !self.wide.is_empty() || self.count > limits.tables
    }

    pub(super) fn left_out(&self, limits: &Limits) -> Vec<Defect> {
        let wide = |table: &String| left_out_above(LeftOut::Columns, table, 1, limits.columns as u64);
        let mut defects: Vec<Defect> = self.wide.iter().map(wide).collect();
        let (too_long, longest) = self.too_long;
        if too_long > 0 {
            defects.push(left_out(LeftOut::Definitions, "", too_long, longest, limits.statement_bytes));
        }
        if self.count > limits.tables {
            let further = self.count - limits.tables;
            defects.push(left_out(LeftOut::Tables, "", further, self.count, limits.tables));
        }
        defects
    }
}

impl Table {
    fn new(name: String, root: u32, columns: Vec<Column>) -> Self {
        Self {
            name,
            root,
            width: columns.len(),
            rowid: columns.iter().position(|column| column.is_rowid),
            defaults: columns.iter().map(|column| column.default.clone()).collect(),
            columns: Columns::new(columns.into_iter().map(|column| column.name)),
        }
    }

    /// Returns the row of a record, which may lack values, with this number.
    pub(super) fn row<'r>(&'r self, values: &'r [Value<'r>], number: &'r Value<'r>) -> Row<'r> {
        Row::new(&self.columns, values).completed(&self.defaults, self.rowid.map(|place| (place, number)))
    }
}

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

/// Returns the columns of `CREATE TABLE`. `None` if there are more than `most`.
fn columns(statement: &[u8], most: usize) -> Option<Vec<Column>> {
    let mut reader = Statement { lexer: Lexer::new(statement), columns: Vec::new(), most, has_key: false };
    reader.lexer.has_escapes = false;
    // The statement is in memory, so an error is its end.
    let _ = reader.read();
    let mut columns = reader.columns;
    if columns.len() > most {
        return None;
    }
    columns.retain(|column| !column.is_virtual);
    Some(columns)
}

struct Statement<'a> {
    lexer: Lexer<&'a [u8]>,
    columns: Vec<Column>,
    most: usize,
    /// Whether a constraint has named the primary key. There is one.
    has_key: bool,
}

impl Statement<'_> {
    fn read(&mut self) -> io::Result<()> {
        while self.token()? != Token::Symbol(b'(') {}
        loop {
            let is_last = self.definition()?;
            if is_last || self.columns.len() > self.most {
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
                        column.kind.push_str(if column.kind.is_empty() { "" } else { " " });
                        column.kind.push_str(&word.to_ascii_lowercase());
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
        let mut is_key = first.is("primary") && !self.has_key;
        self.has_key |= is_key;
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
                token => {
                    is_key |= token.is("primary") && !self.has_key;
                    self.has_key |= is_key;
                }
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
                    self.lexer.hex(|some| bytes.extend(some))?;
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
        let columns = columns(statement.as_bytes(), 100).unwrap();
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
