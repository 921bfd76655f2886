//! JSON Lines: one file for each table, one object on each line, one key for each column.
//!
//! An empty cell is `null`. Text is unchanged. JSON has no numbers that are not finite: they are the strings `NaN`,
//! `Infinity` and `-Infinity`, because `null` means absent. `docs/schema` has the schema of each table.

use super::{
    table::{Cell, Head},
    text_tables::Text,
};
use hullmark_util::json_number::Number;
use serde::{Serialize, Serializer};
use std::{collections::BTreeMap, io};

/// Writes tables as JSON Lines.
pub struct JsonLines {
    /// The names of columns as JSON.
    keys: BTreeMap<&'static str, Vec<String>>,
}

impl JsonLines {
    /// Creates a writer of these tables.
    pub fn new(tables: &[Head]) -> Self {
        let key = |name: &str| serde_json::Value::from(name).to_string();
        let keys = |table: &Head| table.columns.iter().map(|column| key(&column.name)).collect();
        Self { keys: tables.iter().map(|table| (table.name, keys(table))).collect() }
    }
}

impl Text for JsonLines {
    fn ending(&self) -> &'static str {
        "jsonl"
    }

    fn row(&self, table: &'static str, cells: &[Cell<'_>], text: &mut Vec<u8>) -> io::Result<()> {
        let Some(keys) = self.keys.get(table) else { return Ok(()) };
        for (number, (key, cell)) in keys.iter().zip(cells).enumerate() {
            text.push(if number == 0 { b'{' } else { b',' });
            text.extend_from_slice(key.as_bytes());
            text.push(b':');
            serde_json::to_writer(&mut *text, &Json(cell))?;
        }
        text.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// A cell as JSON.
pub struct Json<'a>(pub &'a Cell<'a>);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Empty => serializer.serialize_unit(),
            Cell::Bool(value) => serializer.serialize_bool(*value),
            Cell::Int(value) => serializer.serialize_i64(*value),
            // Adding 0 turns -0 into 0.
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
