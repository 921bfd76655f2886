//! Whether a text is a dump: the first that it has are statements of SQL, behind nothing but comments.
//!
//! Texts about databases have the words of statements, too, and scripts begin with comments like those of dumps.

use super::{
    lexer::{Lexer, Token},
    without_messages,
};
use hullmark_database::Dialect;
use std::io::{self, BufRead};

/// Bytes that show whether a file is a dump, in most cases.
pub const START: usize = 8 * 1024;

/// Bytes that show it behind long comments.
pub const LONG_START: usize = 132 * 1024;

/// Most statements that other languages have, too, before the first one of SQL.
const STATEMENTS: usize = 64;

/// The beginnings of dumps, in lower case.
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

/// What the first bytes of a text show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Dump(Dialect),
    /// Comments, or the beginning of a statement. More bytes must show the rest.
    Undecided,
    Other,
}

impl Start {
    /// Looks at no more bytes than it needs: nearly all files are no dumps.
    pub fn of(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match Self::of_first(START, bytes) {
            Self::Undecided if bytes.len() > START => Self::of_first(LONG_START, bytes),
            start => start,
        }
    }

    fn of_first(count: usize, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(count)]).replace('\r', "");
        let text = without_messages(&text).to_ascii_lowercase();
        let known = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning));
        if let Some((_, dialect)) = known {
            return Self::Dump(*dialect);
        }
        match statements(&mut Lexer::new(text.as_bytes())) {
            Ok(true) => Self::Dump(dialect(&text)),
            Ok(false) => Self::Other,
            Err(_) if text.is_empty() => Self::Other,
            Err(_) => Self::Undecided,
        }
    }

    /// Returns the product that wrote a text. `None` if it is no dump. Of an undecided one it is known otherwise.
    pub fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Dump(dialect) => Some(dialect),
            Self::Undecided => Some(Dialect::MySql),
            Self::Other => None,
        }
    }
}

/// Returns the product that wrote statements, which are in lower case.
fn dialect(text: &str) -> Dialect {
    match (text.contains('`'), text.contains("from stdin")) {
        (true, _) => Dialect::MySql,
        (_, true) => Dialect::PostgreSql,
        _ if text.contains("postgresql") => Dialect::PostgreSql,
        _ if text.contains("pragma ") => Dialect::Sqlite,
        _ => Dialect::MySql,
    }
}

/// Whether a text begins with statements, and one of them is of SQL alone.
///
/// # Errors
/// The text ends before.
fn statements(lexer: &mut Lexer<impl BufRead>) -> io::Result<bool> {
    for _ in 0..STATEMENTS {
        if lexer.skip_blanks()? == Some(b'\\') {
            // A command of psql.
            lexer.line(|_| ())?;
            continue;
        }
        let head = Head::read(lexer)?;
        if head.is_of_sql() {
            return Ok(true);
        }
        match head.end {
            End::Semicolon if head.is_of_many_languages() => {}
            End::Text if head.may_be_of_sql() => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => return Ok(false),
        }
    }
    Ok(false)
}

/// Most words of a statement that are looked at. A list of columns is shorter.
const WORDS: usize = 512;

/// A statement of SQL alone.
struct Pattern {
    begins: &'static str,
    /// Words that may follow.
    with: &'static [&'static str],
    /// One of these words follows then.
    of: &'static [&'static str],
    /// Words that may be before the name.
    before: &'static [&'static str],
    /// One of these words is behind the name.
    behind: &'static [&'static str],
}

const OF_SQL: [Pattern; 8] = [
    Pattern {
        begins: "create",
        with: &["global", "local", "or", "replace", "temp", "temporary", "unlogged"],
        of: &["table"],
        before: &["if", "not", "exists"],
        behind: &["("],
    },
    Pattern {
        begins: "create",
        with: &[],
        of: &["database", "schema"],
        before: &["if", "not", "exists"],
        behind: &[";", "authorization", "character", "charset", "collate", "default", "owner", "with"],
    },
    Pattern {
        begins: "drop",
        with: &[],
        of: &["database", "schema", "table"],
        before: &["if", "exists"],
        behind: &[";", ",", "cascade", "restrict"],
    },
    Pattern {
        begins: "insert",
        with: &[
            "abort",
            "delayed",
            "fail",
            "high_priority",
            "ignore",
            "low_priority",
            "or",
            "replace",
            "rollback",
        ],
        of: &["into"],
        before: &[],
        behind: &["(", "overriding", "select", "set", "value", "values"],
    },
    Pattern {
        begins: "replace",
        with: &["delayed", "low_priority"],
        of: &["into"],
        before: &[],
        behind: &["(", "select", "set", "value", "values"],
    },
    Pattern { begins: "lock", with: &[], of: &["tables"], before: &[], behind: &["read", "write"] },
    Pattern {
        begins: "alter",
        with: &[],
        of: &["table"],
        before: &["if", "exists", "only"],
        behind: &["add", "alter", "change", "disable", "drop", "enable", "engine", "modify", "owner"],
    },
    Pattern { begins: "copy", with: &[], of: &[], before: &[], behind: &["(", "from"] },
];

/// Beginnings of statements that other languages have, too.
const OF_MANY: [&str; 16] = [
    "analyze", "begin", "comment", "commit", "create", "delete", "drop", "grant", "pragma", "revoke",
    "select", "set", "start", "truncate", "unlock", "use",
];

/// How the words of a statement end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Semicolon,
    /// There are more.
    More,
    /// The text ends inside of the statement.
    Text,
}

/// The first words of a statement. Anything in quotes is a quote.
struct Head {
    words: Vec<String>,
    end: End,
}

impl Head {
    fn read(lexer: &mut Lexer<impl BufRead>) -> io::Result<Self> {
        let mut words = Vec::new();
        let end = loop {
            if words.len() == WORDS {
                break End::More;
            }
            match lexer.token() {
                Ok(Some(Token::Symbol(b';'))) => break End::Semicolon,
                Ok(Some(Token::Word(word))) => words.push(word),
                Ok(Some(Token::Name(_) | Token::Text)) => words.push("'".into()),
                Ok(Some(Token::Symbol(symbol))) => words.push(char::from(symbol).into()),
                Ok(None) => break End::Text,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break End::Text,
                Err(error) => return Err(error),
            }
        };
        if end == End::Semicolon {
            words.push(";".into());
        }
        Ok(Self { words, end })
    }

    fn is_of_sql(&self) -> bool {
        OF_SQL.iter().any(|pattern| self.is(pattern))
    }

    fn is(&self, pattern: &Pattern) -> bool {
        let mut words = self.words.iter().map(String::as_str).peekable();
        if words.next() != Some(pattern.begins) {
            return false;
        }
        while words.next_if(|word| pattern.with.contains(word)).is_some() {}
        if !pattern.of.is_empty() && words.next_if(|word| pattern.of.contains(word)).is_none() {
            return false;
        }
        while words.next_if(|word| pattern.before.contains(word)).is_some() {}
        // The name, perhaps of a table in a database.
        let is_named = words.next_if(|word| word.starts_with(is_of_name)).is_some();
        while words.next_if_eq(&".").is_some() {
            words.next();
        }
        let is_copy = pattern.begins == "copy";
        is_named
            && words.next().is_some_and(|word| pattern.behind.contains(&word))
            && (!is_copy || self.words.array_windows().any(|[from, of]| from == "from" && of == "stdin"))
    }

    /// Whether more words may show a statement of SQL.
    fn may_be_of_sql(&self) -> bool {
        let begins = |first: &str| OF_MANY.contains(&first) || OF_SQL.iter().any(|of| of.begins == first);
        // The only word may be cut.
        self.words.len() < 2 || begins(&self.words[0])
    }

    /// Whether a whole statement may be one of SQL.
    fn is_of_many_languages(&self) -> bool {
        let Some((first, others)) = self.words.split_first() else { return false };
        match first.as_str() {
            ";" => true,
            "use" => others.len() == 2,
            "set" => others.iter().take(3).any(|word| matches!(word.as_str(), "=" | "names" | "to")),
            first => OF_MANY.contains(&first),
        }
    }
}

fn is_of_name(first: char) -> bool {
    first.is_alphanumeric() || matches!(first, '_' | '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_begin_with_statements() {
        for (text, dialect) in [
            ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;", Dialect::Sqlite),
            ("\u{feff}-- phpMyAdmin SQL Dump", Dialect::MySql),
            (
                "/*\r\nNavicat MySQL Data Transfer\r\n*/\r\nSET NAMES utf8;\r\nCREATE TABLE `prims` (",
                Dialect::MySql,
            ),
            (
                "# HeidiSQL\n/*!40101 SET NAMES utf8 */;\nCREATE DATABASE IF NOT EXISTS `opensim`;",
                Dialect::MySql,
            ),
            ("CREATE TABLE t (a int);", Dialect::MySql),
            (
                "-- a comment\nUSE opensim;\nset @a = 1;\nINSERT IGNORE INTO `opensim`.`prims` VALUES (",
                Dialect::MySql,
            ),
            ("DROP TABLE IF EXISTS \"t\";\n", Dialect::MySql),
            ("\\connect opensim\nCOPY public.prims (a, b) FROM stdin;\n", Dialect::PostgreSql),
            ("lock tables `prims` write;", Dialect::MySql),
        ] {
            assert_eq!(Start::of(text.as_bytes()), Start::Dump(dialect), "{text}");
        }
    }

    #[test]
    fn texts_and_scripts_are_no_dumps() {
        for text in [
            "-- a comment\nand prose",
            "// script\ndefault { state_entry() { } }",
            "Create table lamps, and insert into them.",
            "# Backups\n\nKeep a copy of each file. Don't copy from stdin.\n```sql\nDROP TABLE t;\n```\n",
            "#!/bin/sh\n# insert into nothing\nset -e\nmysqldump opensim > dump.sql # create table\n",
            "#!/usr/bin/perl\nuse strict;\nuse warnings;\nmy $insert = 'insert into t values (1)';\n",
            "/* A licence: copy it. */\n// insert into\ninteger copy;\ndefault { }",
            "-- Copyright\n-- create table\nlocal t = {}\nreturn t\n",
            "Copy it (the table) from the old disk, and insert into it.",
            "```sql\nCREATE TABLE t (a int);\n```\n",
            "set a = 1; set b = 2; unset c;",
        ] {
            assert!(!matches!(Start::of(text.as_bytes()), Start::Dump(_)), "{text}");
        }
    }

    #[test]
    fn what_follows_a_comment_decides() {
        let comments = "-- a line of a long licence\n".repeat(3_000);
        assert_eq!(Start::of(&comments.as_bytes()[..START]), Start::Undecided);
        assert_eq!(
            Start::of(format!("{comments}INSERT INTO t VALUES (1);").as_bytes()),
            Start::Dump(Dialect::MySql)
        );
        assert_eq!(Start::of(format!("{comments}create ta").as_bytes()), Start::Undecided);
        assert_eq!(Start::of(format!("{comments}local t").as_bytes()), Start::Other);
        assert_eq!(Start::of(b"/* without an end"), Start::Undecided);
        assert_eq!(Start::of(b""), Start::Other);
    }
}
