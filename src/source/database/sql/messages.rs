//! Messages of programs in a dump. A script that sends errors to the file of the dump mixes both.

use super::super::is_known;
use hullmark_format::defect::{Defect, InputDefect, TableLoss};
use std::collections::BTreeMap;

/// Programs that write dumps, start them or pack them.
const PROGRAMS: [&str; 16] = [
    "mysqldump",
    "mariadb-dump",
    "mysqlpump",
    "mydumper",
    "mysqlsh",
    "mysql",
    "mariadb",
    "pg_dump",
    "pg_dumpall",
    "psql",
    "sqlite3",
    "gzip",
    "zstd",
    "docker",
    "ssh",
    "sudo",
];

/// Bytes at the start of a line in which the name of a program is looked for. A shell and a path may come first.
const NAME_WITHIN: usize = 120;

/// Maximum bytes of a message.
pub(in crate::database) const LONGEST: usize = 400;

/// First words of lines without the name of a program.
const BEGINNINGS: [&str; 5] = ["warning: ", "error: ", "enter password:", "[warning] ", "[error] "];

/// Whether a line is a message of a program: `mysqldump: Got error: 1045`.
pub fn is_message(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    let mut end = line.len().min(NAME_WITHIN);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let lower = line[..end].to_ascii_lowercase();
    if lower.starts_with("--") || lower.starts_with("/*") || lower.starts_with('#') {
        return false;
    }
    let is_code = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
        || lower.strip_prefix("error ").is_some_and(is_code)
        || lower.contains("is not recognized as an internal or external command")
        || PROGRAMS.iter().any(|program| names(&lower, program))
}

/// Whether a line names a program before a colon.
fn names(line: &str, program: &str) -> bool {
    line.match_indices(program).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = &line[start + program.len()..];
        let after = after.strip_prefix(".exe").unwrap_or(after).trim_start();
        let is_word = before.is_none_or(|before| matches!(before, '/' | '\\' | ' ' | ':'));
        is_word && after.starts_with(':') && !after.starts_with("://")
    })
}

/// Whether a message is an error, and no warning or hint.
pub fn is_error(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    let harmless = ["[warning]", "warning:", "[note]", "enter password", "deprecated", "error: 0"];
    !harmless.iter().any(|word| lower.contains(word))
}

/// Returns why rows are missing, by the words of a message.
fn loss_of(message: &str) -> TableLoss {
    let lower = message.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match () {
        () if has(&[
            "crashed",
            "1194",
            "errno: 145",
            "incorrect key file",
            "incorrect file format",
            "1034",
            "corrupt",
        ]) =>
        {
            TableLoss::Crashed
        }
        () if has(&[
            "couldn't find table",
            "doesn't exist",
            "does not exist",
            "1146",
            "no matching tables",
        ]) =>
        {
            TableLoss::NotFound
        }
        () if has(&["denied", "1142", "permission"]) => TableLoss::Denied,
        () => TableLoss::Failed,
    }
}

/// Returns the table of a simulator that a message names, in quotes and perhaps behind the name of its database.
fn table_of(message: &str) -> Option<String> {
    let words = message.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let mut known = words.map(str::to_ascii_lowercase).filter(|word| is_known(word) && !is_plain_word(word));
    known.next_back()
}

/// Whether the name of a table is also a word of messages.
fn is_plain_word(name: &str) -> bool {
    matches!(name, "land" | "regions" | "assets" | "terrain" | "migrations")
}

/// The messages of a dump.
#[derive(Debug, Default)]
pub struct Messages {
    pub count: u64,
    pub errors: u64,
    /// The first error; without any, the first message.
    pub first: String,
    /// Tables of simulators in errors, with what happened to them.
    pub tables: BTreeMap<String, TableLoss>,
}

impl Messages {
    pub(super) fn note(&mut self, line: &str) {
        let line = line.trim_start_matches('\u{feff}').trim();
        let line = &line[..line.floor_char_boundary(LONGEST)];
        let is_error = is_error(line);
        if self.count == 0 || is_error && self.errors == 0 {
            line.clone_into(&mut self.first);
        }
        self.count += 1;
        self.errors += u64::from(is_error);
        if let Some(table) = named_table(line).filter(|_| is_error) {
            self.tables.entry(table).or_insert_with(|| loss_of(line));
        }
    }

    /// Notes the messages in the last bytes of a dump that was cut.
    pub(in crate::database) fn note_end(&mut self, tail: &[u8]) {
        let tail = String::from_utf8_lossy(tail);
        let lines = tail.lines().skip(1).filter(|line| is_message(line)).map(str::to_owned);
        lines.collect::<Vec<_>>().iter().for_each(|line| self.note(line));
    }

    /// Returns the defect that shows them.
    pub fn defect(&self) -> Option<Defect> {
        let kind = || InputDefect::DumpMessages { errors: self.errors, first: self.first.clone() };
        (self.count > 0).then(|| Defect::new(kind()).measured(self.count as f64))
    }
}

/// Returns the table that a message is about.
fn named_table(line: &str) -> Option<String> {
    let quoted = |text: &str| {
        let text = text.to_ascii_lowercase();
        let text = [".myd", ".myi"].iter().find_map(|ending| text.strip_suffix(ending)).unwrap_or(&text);
        let name = text.rsplit(['.', '/']).next().unwrap_or(text);
        is_known(name).then(|| name.to_owned())
    };
    // A name in quotes may be any table.
    line.split(['\'', '`', '"']).skip(1).find_map(quoted).or_else(|| table_of(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_statements_and_texts() {
        for line in [
            "mysqldump: [Warning] Using a password on the command line interface can be insecure.",
            "Warning: Using a password on the command line interface can be insecure.",
            "mysqldump: Couldn't find table: \"primshapes\"",
            "/usr/bin/mysqldump: Deprecated program name. It will be removed in a future release",
            "C:\\Program Files\\MySQL\\bin\\mysqldump.exe: Got error: 2002",
            "pg_dump: error: connection to server at \"localhost\" failed",
            "bash: mysqldump: command not found",
            "./backup.sh: line 3: mysqldump: command not found",
            "ERROR 1045 (28000): Access denied for user 'opensim'@'localhost'",
            "\u{feff}mysqldump: Error 2013: Lost connection",
        ] {
            assert!(is_message(line), "{line}");
        }
        for line in [
            "-- MySQL dump 10.13",
            "-- mysqldump: a comment",
            "INSERT INTO t VALUES ('mysqldump : x');",
            "mysql://user@host/db",
            "Keep the output of mysqldump in a safe place.",
            "Error handling of this grid",
        ] {
            assert!(!is_message(line), "{line}");
        }
        assert!(!is_error("mysqldump: [Warning] Using a password") && is_error("mysqldump: Got error: 1045"));
    }

    #[test]
    fn errors_name_their_tables() {
        let mut messages = Messages::default();
        for line in [
            "mysqldump: [Warning] Using a password on the command line interface can be insecure.",
            "mysqldump: Couldn't find table: \"primshapes\"",
            "mysqldump: Error 1194: Table 'prims' is marked as crashed and should be repaired",
            "mariadb-dump: Got error: 130: \"Incorrect file format 'terrain'\" when using LOCK TABLES",
            "mysqldump: Got error: 1034: Incorrect key file for table './opensim/land.MYI'; try to repair it",
            "mysqldump: Got error: 1142: SELECT command denied to user 'a'@'b' for table `primitems`",
        ] {
            messages.note(line);
        }
        let tables: Vec<(&str, TableLoss)> =
            messages.tables.iter().map(|(table, loss)| (table.as_str(), *loss)).collect();
        let expected = [
            ("land", TableLoss::Crashed),
            ("primitems", TableLoss::Denied),
            ("prims", TableLoss::Crashed),
            ("primshapes", TableLoss::NotFound),
            ("terrain", TableLoss::Crashed),
        ];
        assert_eq!(tables, expected);
        assert_eq!((messages.count, messages.errors), (6, 5));
        assert!(messages.first.contains("Couldn't find table"));
        let mut end = Messages::default();
        end.note_end(b"varchar(\n`Tok\nmysqldump: Error 2013: Lost connection to MySQL server\n");
        assert_eq!((end.errors, end.first.contains("Lost connection")), (1, true));
    }
}
