//! Dumps with the rows of tables in files of their own: those of MySQL Shell, and of `mysqldump --tab`.
//!
//! MySQL Shell names its files by database, table and number: `opensim@prims@@0.tsv.zst`. A file of JSON has the columns
//! of each table. `mysqldump --tab` writes `prims.sql` and `prims.txt`.

use super::sql::{Encoding, LinesOf};
use crate::dump_folders::{self, unpacked_name};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

/// Bytes of a file of JSON that are read.
pub(super) const DESCRIPTION: u64 = 4 * 1024 * 1024;

/// The file of JSON of a table.
#[derive(Deserialize)]
struct Description {
    options: Options,
    #[serde(default = "yes", rename = "includesData")]
    includes_data: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    schema: String,
    table: String,
    columns: Vec<String>,
    #[serde(default)]
    decode_columns: BTreeMap<String, String>,
    #[serde(default = "tab")]
    fields_terminated_by: String,
    #[serde(default)]
    fields_enclosed_by: String,
    #[serde(default = "backslash")]
    fields_escaped_by: String,
    #[serde(default = "line_end")]
    lines_terminated_by: String,
    #[serde(default)]
    default_character_set: String,
}

fn yes() -> bool {
    true
}

fn tab() -> String {
    "\t".into()
}

fn backslash() -> String {
    "\\".into()
}

fn line_end() -> String {
    "\n".into()
}

/// What a file of a dump is, by its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Statements.
    Statements,
    /// The columns of a table, as JSON.
    Description,
    /// Says that the dump was finished.
    Finished,
    /// A row in each line.
    Lines,
    /// Nothing that is read.
    Other,
}

impl Role {
    pub(super) fn of(name: &str) -> Self {
        let unpacked = unpacked_name(name);
        match name {
            "@.done.json" => Self::Finished,
            _ if unpacked.ends_with(".tsv") || unpacked.ends_with(".txt") => Self::Lines,
            _ if name.ends_with(".json") && name.contains('@') && !name.starts_with('@') => Self::Description,
            _ if name.ends_with(".json") || name.ends_with(".idx") || name.starts_with('@') => Self::Other,
            _ => Self::Statements,
        }
    }
}

/// The tables of a dump whose rows are in files of their own.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// By the start of the names of their files.
    tables: BTreeMap<String, LinesOf>,
    /// Starts of the names of files with rows.
    with_lines: BTreeSet<String>,
    /// Whether the rows of all tables are in files with lines.
    pub(super) has_lines: bool,
    pub(super) charset: String,
}

impl Files {
    /// Notes the file of JSON of a table.
    pub(super) fn describe(&mut self, name: &str, json: &[u8]) -> io::Result<()> {
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        let description: Description = serde_json::from_slice(json)
            .map_err(|error| invalid(format!("it does not say the columns of its table: {error}")))?;
        let Description { options, includes_data } = description;
        let is_plain = options.fields_terminated_by == "\t"
            && options.fields_enclosed_by.is_empty()
            && options.fields_escaped_by == "\\"
            && options.lines_terminated_by == "\n";
        if !is_plain {
            return Err(invalid("its table has lines of another dialect than the default one".into()));
        }
        let encoding = |function: &String| match function.to_ascii_uppercase().as_str() {
            "UNHEX" => Encoding::Hex,
            _ => Encoding::Base64,
        };
        let encoded =
            options.decode_columns.iter().map(|(column, function)| (column.clone(), encoding(function)));
        let lines = LinesOf {
            database: options.schema,
            table: options.table,
            encoded: encoded.collect(),
            columns: Some(options.columns),
        };
        self.charset = options.default_character_set;
        if includes_data {
            self.has_lines = true;
            self.tables.insert(start_of(name), lines);
        }
        Ok(())
    }

    /// Returns the table of a file with lines. `database` is that of the statements.
    pub(super) fn lines_of(&mut self, name: &str, database: &str) -> LinesOf {
        let start = start_of(name);
        self.with_lines.insert(start.clone());
        let plain = || LinesOf { database: database.to_owned(), table: start.clone(), ..LinesOf::default() };
        self.tables.get(&start).cloned().unwrap_or_else(plain)
    }

    /// Notes a file of statements whose rows are in another one.
    pub(super) fn structure(&mut self, name: &str, database: &str) {
        let table = dump_folders::without_ending(name).unwrap_or(name).to_owned();
        let lines = LinesOf { database: database.to_owned(), table: table.clone(), ..LinesOf::default() };
        self.tables.entry(table).or_insert(lines);
    }

    /// Returns the tables without a file of rows, by database.
    pub(super) fn without_lines(&self) -> Vec<(String, String)> {
        let without = self.tables.iter().filter(|(start, _)| !self.with_lines.contains(*start));
        without.map(|(_, lines)| (lines.database.clone(), lines.table.to_ascii_lowercase())).collect()
    }
}

/// Returns the start of the name of a file: its database and its table.
fn start_of(name: &str) -> String {
    let name = unpacked_name(name);
    let name = [".json", ".tsv", ".txt"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let steps: Vec<&str> = name.split('@').collect();
    match steps.as_slice() {
        [database, table, ..] => format!("{database}@{table}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_is() {
        assert_eq!(Role::of("opensim@prims.json"), Role::Description);
        assert_eq!(Role::of("opensim@prims@@0.tsv.zst"), Role::Lines);
        assert_eq!(Role::of("opensim@prims@@0.tsv.zst.idx"), Role::Other);
        assert_eq!(Role::of("@.post.sql"), Role::Other);
        assert_eq!(Role::of("opensim@prims.sql"), Role::Statements);
        assert_eq!(Role::of("prims.txt"), Role::Lines);
        assert_eq!(Role::of("metadata"), Role::Statements);
        assert_eq!(start_of("opensim@prims@12.tsv.zst"), "opensim@prims");
        assert_eq!(start_of("opensim@prims@@13.tsv.gz"), "opensim@prims");
        assert_eq!(
            (start_of("opensim@prims.json"), start_of("prims.txt")),
            ("opensim@prims".into(), "prims".into())
        );
    }

    #[test]
    fn a_description_names_the_columns_or_is_an_error() {
        let mut files = Files::default();
        let json = br#"{"options": {"schema": "opensim", "table": "primshapes", "columns": ["UUID", "Texture"],
            "decodeColumns": {"Texture": "FROM_BASE64"}, "defaultCharacterSet": "utf8mb4",
            "fieldsTerminatedBy": "\t", "fieldsEscapedBy": "\\", "linesTerminatedBy": "\n"}, "includesData": true}"#;
        files.describe("opensim@primshapes.json", json).unwrap();
        assert_eq!(files.without_lines(), [("opensim".to_owned(), "primshapes".to_owned())]);
        let lines = files.lines_of("opensim@primshapes@@0.tsv.zst", "");
        assert_eq!(lines.encoded, [("Texture".to_owned(), Encoding::Base64)]);
        assert!(files.without_lines().is_empty());
        assert!(files.describe("a@b.json", b"{").is_err());
        let csv = String::from_utf8_lossy(json).replace("\"\\t\"", "\",\"");
        assert!(files.describe("a@b.json", csv.as_bytes()).is_err());
    }
}
