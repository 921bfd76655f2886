//! Rows of a table in JSON Lines.

use super::{
    ReadReportError,
    files::{TableFile, Then},
};
use crate::table::Cell;
use hullmark_util::number_text::thousands;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    io::{BufRead, BufReader, Read},
};

/// Maximum size of a line, bytes. The longest one of real reports has some kilobytes.
const LINE: u64 = 16 << 20;

/// Reads the compared columns row by row.
pub(super) fn rows(file: &TableFile<'_>, then: &mut Then<'_>) -> Result<(), ReadReportError> {
    let columns: HashMap<&str, usize> =
        file.compared.iter().map(|column| (column.name, column.place)).collect();
    let mut reader = BufReader::new(&file.file);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = reader.by_ref().take(LINE).read_until(b'\n', &mut line);
        let bytes = read.map_err(|error| file.damaged(error))?;
        if bytes == 0 {
            break;
        }
        let at = || format!("line {}", thousands(number));
        if bytes as u64 == LINE {
            return Err(file.damaged(format!("{} has more than {} bytes", at(), thousands(LINE))));
        }
        let mut json = serde_json::Deserializer::from_slice(&line);
        let cells = Row { columns: &columns, width: file.width }.deserialize(&mut json);
        let cells = cells.and_then(|cells| json.end().map(|()| cells));
        let cells = cells.map_err(|error| file.damaged(format!("{}: {error}", at())))?;
        let missing = file.compared.iter().find(|column| column.is_in_all() && cells[column.place].is_none());
        if let Some(column) = missing {
            return Err(file.lacks(column));
        }
        let cells: Vec<_> = cells.into_iter().map(|cell| cell.unwrap_or(Cell::Empty)).collect();
        then(&cells)?;
    }
    Ok(())
}

/// Reads an object as a row. A column without a key is `None`.
struct Row<'c> {
    columns: &'c HashMap<&'c str, usize>,
    width: usize,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = Vec<Option<Cell<'de>>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = Vec<Option<Cell<'de>>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with the columns of a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut row = vec![None; self.width];
        while let Some(place) = object.next_key_seed(Name(self.columns))? {
            match place {
                Some(place) => row[place] = Some(object.next_value_seed(Value)?),
                None => _ = object.next_value::<IgnoredAny>()?,
            }
        }
        Ok(row)
    }
}

/// Reads a key as the place of its column, if that is compared.
struct Name<'c>(&'c HashMap<&'c str, usize>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a column")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.get(name).copied())
    }
}

/// Reads a value as a cell.
struct Value;

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Cell<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = Cell<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, text, true, false or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Cell::Empty)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Cell::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Cell::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Cell::Real(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(text.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(if text.is_empty() { Cell::Empty } else { Cell::Text(Cow::Owned(text.to_owned())) })
    }
}
