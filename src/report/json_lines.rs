//! JSON Lines: one file for each table, one object on each line, one key for each column.
//!
//! Empty is `null`. Words are as in the export, with nothing put in front. JSON has no way to write a number that is
//! not finite; such ones are the strings `NaN`, `Infinity` and `-Infinity`, because `null` would say that there is
//! none. `docs/schema` says so of each column.

use super::{
    Summary,
    output::{Output, OutputError},
    table::{Cell, Head, Sink},
};
use crate::number::Number;
use serde::{Serialize, Serializer};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
};

/// Writes tables as JSON Lines.
pub struct JsonLines {
    tables: BTreeMap<&'static str, Table>,
}

struct Table {
    /// The columns' names as JSON.
    keys: Vec<String>,
    file: BufWriter<File>,
}

impl JsonLines {
    /// Opens a file for each table.
    pub fn open(output: &mut Output, tables: &[Head]) -> Result<Self, OutputError> {
        let open = |table: &Head| {
            let keys = table.columns.iter().map(|column| serde_json::Value::from(&*column.name).to_string());
            let file = output.open(&format!("{}.jsonl", table.name))?;
            Ok((table.name, Table { keys: keys.collect(), file }))
        };
        Ok(Self { tables: tables.iter().map(open).collect::<Result<_, _>>()? })
    }
}

impl Sink for JsonLines {
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> io::Result<()> {
        let Some(Table { keys, file }) = self.tables.get_mut(table) else { return Ok(()) };
        for (number, (key, cell)) in keys.iter().zip(cells).enumerate() {
            file.write_all(if number == 0 { b"{" } else { b"," })?;
            file.write_all(key.as_bytes())?;
            file.write_all(b":")?;
            serde_json::to_writer(&mut *file, &Json(&cell))?;
        }
        file.write_all(b"}\n")
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.tables.values_mut().try_for_each(|table| table.file.flush())
    }
}

/// A cell as JSON.
pub(super) struct Json<'a>(pub(super) &'a Cell<'a>);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Empty => serializer.serialize_unit(),
            Cell::Bool(value) => serializer.serialize_bool(*value),
            Cell::Int(value) => serializer.serialize_i64(*value),
            // Adding 0 makes 0 of -0, which means nothing here.
            Cell::Real(value) => Number(value + 0.0).serialize(serializer),
            Cell::Text(text) => serializer.serialize_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_type_and_words_stay_as_they_are() {
        let json = |cell: Cell<'_>| serde_json::to_string(&Json(&cell)).unwrap();
        assert_eq!(json(Cell::Empty), "null");
        assert_eq!(json(Cell::Bool(false)), "false");
        assert_eq!(json(Cell::Int(i64::MIN)), "-9223372036854775808");
        assert_eq!(json(Cell::Real(0.1 + 0.2)), "0.30000000000000004");
        assert_eq!(json(Cell::Real(-0.0)), "0.0");
        assert_eq!(json(Cell::from(u64::MAX)), "1.8446744073709552e+19");
        assert_eq!(json(Cell::Real(f64::NAN)), "\"NaN\"");
        assert_eq!(json(Cell::Real(f64::INFINITY)), "\"Infinity\"");
        assert_eq!(json(Cell::Real(f64::NEG_INFINITY)), "\"-Infinity\"");
        assert_eq!(json(Cell::from("=1+1 \"a\"\n\u{1}")), r#""=1+1 \"a\"\n\u0001""#);
    }
}
