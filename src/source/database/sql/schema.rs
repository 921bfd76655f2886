//! The tables of a dump: `CREATE TABLE` gives their columns.

use super::{Encoding, Messages, Over, Rows, SqlReader, charset::Charset, lexer::Token};
use hullmark_database::{Columns, Dialect};
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufRead},
    rc::Rc,
};

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) columns: Columns,
    /// Number of columns; 0 if the dump does not say them.
    pub(super) width: usize,
    pub(super) types: Vec<Type>,
    /// Whether the table is MyISAM, which no transaction covers.
    pub(super) is_my_isam: bool,
}

/// The type of a column, as far as its values are read differently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Type {
    /// A number or a blob.
    #[default]
    Other,
    Text,
    /// Bytes in the hexadecimal form of PostgreSQL.
    Bytea,
    /// Bytes as a text, in a file of lines.
    Encoded(Encoding),
}

impl Type {
    fn named(name: &str) -> Self {
        const TEXTS: [&str; 7] =
            ["char", "varchar", "character", "text", "tinytext", "mediumtext", "longtext"];
        match name.to_ascii_lowercase().as_str() {
            "bytea" => Self::Bytea,
            name if TEXTS.contains(&name) => Self::Text,
            _ => Self::Other,
        }
    }
}

/// The tables of a dump, and their defects. The files of one dump share it.
#[derive(Debug)]
pub struct Schema {
    pub dialect: Dialect,
    /// The database of the next statement.
    pub database: String,
    pub(super) tables: HashMap<(String, String), Rc<Table>>,
    /// Tables with rows whose columns are unknown.
    pub unknown_columns: BTreeSet<String>,
    /// Number of rows with another number of values than columns.
    pub odd_rows: u64,
    /// MyISAM tables with wanted rows.
    pub my_isam: BTreeSet<String>,
    pub charset: Charset,
    /// Number of wanted texts in another charset.
    pub odd_texts: u64,
    /// The parts that exceed a limit.
    pub over: Over,
    /// Number of tables that were defined.
    pub defined: u64,
    /// Whether any table has rows.
    pub has_rows: bool,
    /// Messages of programs between the statements.
    pub messages: Messages,
}

/// The columns in a statement with rows.
#[derive(Debug)]
pub(super) enum ColumnList {
    /// Their names. Without any if nobody wants the rows.
    Names(Vec<String>),
    /// There are more than the limit.
    TooLong,
}

/// Bytes of memory for a table, in addition to its names.
const TABLE: usize = 256;

impl Schema {
    /// Creates the schema of a dump from this product.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            database: String::new(),
            tables: HashMap::new(),
            unknown_columns: BTreeSet::new(),
            odd_rows: 0,
            my_isam: BTreeSet::new(),
            charset: Charset::Unknown,
            odd_texts: 0,
            over: Over::default(),
            defined: 0,
            has_rows: false,
            messages: Messages::default(),
        }
    }
}

impl<R: BufRead> SqlReader<'_, R> {
    pub(super) fn create(&mut self, rows: &mut dyn Rows) -> io::Result<bool> {
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
                return self.columns((self.schema.database.clone(), word.to_ascii_lowercase()), rows);
            }
            self.lexer.token()?;
            self.lexer.token()?;
        }
        match self.table_name()? {
            Some(name) => self.columns(name, rows),
            None => self.skip_statement(),
        }
    }

    fn columns(&mut self, name: (String, String), rows: &mut dyn Rows) -> io::Result<bool> {
        if self.lexer.skip_blanks()? != Some(b'(') {
            return self.skip_statement();
        }
        self.lexer.skip(1);
        self.schema.defined += 1;
        let is_known = rows.knows(&name.1) && self.schema.defined <= self.limits.tables;
        // One more than the limit shows that there are more.
        let most = if is_known { self.limits.columns.saturating_add(1) } else { 0 };
        let (mut names, mut types) = (Vec::new(), Vec::new());
        let (mut depth, mut tokens) = (1_usize, 0_usize);
        let mut column: Option<String> = None;
        while depth > 0 {
            let Some(token) = self.lexer.token()? else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            match token {
                Token::Symbol(b'(') => depth += 1,
                Token::Symbol(b')') => depth -= 1,
                Token::Symbol(b',') if depth == 1 => {
                    names.extend(column.take());
                    types.resize(names.len(), Type::Other);
                    tokens = 0;
                    continue;
                }
                token if tokens == 0 && names.len() < most => column = column_name(token),
                Token::Word(kind) if tokens == 1 && column.is_some() => {
                    types.resize(names.len(), Type::Other);
                    types.push(Type::named(&kind));
                }
                _ => {}
            }
            tokens += 1;
        }
        names.extend(column);
        types.resize(names.len(), Type::Other);
        let (mut is_my_isam, mut is_engine, mut goes_on) = (false, false, false);
        while let Some(token) = self.lexer.token()? {
            match token {
                Token::Symbol(b';') => {
                    goes_on = true;
                    break;
                }
                Token::Symbol(b'=') => {}
                token => {
                    is_my_isam |= is_engine && token.is("myisam");
                    is_engine = token.is("engine");
                }
            }
        }
        if !is_known {
            rows.define(&name.0, &name.1, &Columns::default());
        } else {
            let known = Columns::new(&names);
            rows.define(&name.0, &name.1, &known);
            let table = Table { columns: known, width: names.len(), types, is_my_isam };
            self.keep(name, table, rows);
        }
        Ok(goes_on)
    }

    /// Keeps a table that was defined, as far as limits allow.
    fn keep(&mut self, name: (String, String), table: Table, rows: &mut dyn Rows) {
        self.schema.tables.remove(&name);
        if table.width > self.limits.columns {
            self.schema.over.columns.insert(name.1);
            return;
        }
        let bytes = TABLE + name.0.len() + name.1.len() + table.types.len() + table.columns.bytes();
        if !rows.takes_name(bytes) {
            self.schema.over.names.insert(name.1);
            return;
        }
        self.schema.tables.insert(name, Rc::new(table));
    }

    /// Reads a list of columns in parentheses, in a statement with rows of this table.
    pub(super) fn column_list(&mut self, table: &str, rows: &dyn Rows) -> io::Result<ColumnList> {
        self.lexer.skip(1);
        let most = if rows.knows(table) { self.limits.columns } else { 0 };
        let (mut names, mut count) = (Vec::new(), 0_usize);
        loop {
            match self.lexer.token()?.ok_or(io::ErrorKind::UnexpectedEof)? {
                Token::Symbol(b')') => break,
                token => {
                    let name = token.into_name();
                    count += usize::from(name.is_some());
                    names.extend(name.filter(|_| names.len() < most));
                }
            }
        }
        if most > 0 && count > most {
            self.schema.over.columns.insert(table.to_owned());
            return Ok(ColumnList::TooLong);
        }
        Ok(ColumnList::Names(names))
    }

    /// Returns the table of rows: as it was created, or with these columns.
    pub(super) fn table_of(&self, name: &(String, String), columns: Option<Vec<String>>) -> Rc<Table> {
        let created = self.schema.tables.get(name).cloned().unwrap_or_default();
        let Some(columns) = columns else { return created };
        let known = Columns::new(&columns);
        let type_of = |column: &String| {
            let place = created.columns.place(&column.to_ascii_lowercase());
            place.and_then(|place| created.types.get(place).copied()).unwrap_or_default()
        };
        let types = columns.iter().map(type_of).collect();
        Rc::new(Table { width: columns.len(), types, columns: known, is_my_isam: created.is_my_isam })
    }
}

/// Returns the column that a definition begins with. `None` for a key or a constraint.
fn column_name(token: Token) -> Option<String> {
    const OTHERS: &str = "primary key unique index constraint fulltext spatial foreign check exclude";
    match token {
        Token::Word(word) if OTHERS.split(' ').any(|other| word.eq_ignore_ascii_case(other)) => None,
        token => token.into_name(),
    }
}
