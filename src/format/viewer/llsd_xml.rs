//! LLSD as XML (`llsdserialize_xml.cpp`).
//!
//! Exports have binary data in no place. So binary values are read as undefined.

use crate::{
    llsd::{Map, Value},
    xml::{Element, Fault, Result, Xml, XmlFault, parse_bool, parse_uuid},
};
use std::borrow::Cow;

/// Maximum nesting of arrays and maps, above any setting. Reading and dropping a value both use stack for each level.
const HARD_DEPTH: usize = 64;

/// A document with its root value.
pub(super) struct Document {
    pub(super) value: Value<'static>,
    /// Whether values are left out, because there are more than allowed, or they are nested too deeply.
    pub(super) is_cut: bool,
}

/// Reads the value of a document, with at most `most` values.
pub(super) fn read(xml: &mut Xml<'_>, most: usize) -> Result<Document> {
    let root = xml.root()?;
    if root.name() != "llsd" {
        return Err(other_root(xml, root.name()));
    }
    let mut reader = Reader { xml, left: most, is_cut: false };
    let value = match reader.xml.child()? {
        Some(element) => reader.value(&element, HARD_DEPTH)?,
        None => Value::Undef,
    };
    let is_cut = reader.is_cut;
    xml.finish()?;
    Ok(Document { value, is_cut })
}

/// Creates the fault of a document with another root element.
pub(super) fn other_root(xml: &Xml<'_>, name: &str) -> Box<Fault> {
    xml.fault(XmlFault::OtherRoot { found: name.to_owned(), expected: None })
}

struct Reader<'x, 'a> {
    xml: &'x mut Xml<'a>,
    left: usize,
    is_cut: bool,
}

impl Reader<'_, '_> {
    /// Reads the value in an open element, with `depth` levels of nesting left.
    fn value(&mut self, element: &Element<'_>, depth: usize) -> Result<Value<'static>> {
        if self.left == 0 || depth == 0 {
            self.is_cut = true;
            self.xml.skip()?;
            return Ok(Value::Undef);
        }
        self.left -= 1;
        Ok(match element.name() {
            "map" => Value::Map(self.map(depth - 1)?),
            "array" => {
                let mut values = Vec::new();
                while let Some(element) = self.xml.child()? {
                    if self.left > 0 {
                        values.push(self.value(&element, depth - 1)?);
                    } else {
                        self.is_cut = true;
                        self.xml.skip()?;
                    }
                }
                Value::Array(values)
            }
            "string" => Value::String(Cow::Owned(self.xml.text()?.into_owned().into_bytes())),
            "integer" => number(&self.xml.text()?).map_or(Value::Undef, |value: i32| Value::Integer(value)),
            "real" => number(&self.xml.text()?).map_or(Value::Undef, |value: f64| Value::Real(value)),
            "boolean" => Value::Boolean(parse_bool(&self.xml.text()?).unwrap_or_default()),
            "uuid" => Value::Uuid(parse_uuid(&self.xml.text()?).unwrap_or_default()),
            _ => {
                self.xml.skip()?;
                Value::Undef
            }
        })
    }

    /// Reads a map: keys and values in turn.
    fn map(&mut self, depth: usize) -> Result<Map<'static>> {
        let mut entries = Vec::new();
        let mut key = String::new();
        while let Some(element) = self.xml.child()? {
            if element.name() == "key" {
                key = self.xml.text()?.into_owned();
            } else if self.left > 0 {
                let value = self.value(&element, depth)?;
                entries.push((Cow::Owned(std::mem::take(&mut key).into_bytes()), value));
            } else {
                self.is_cut = true;
                self.xml.skip()?;
            }
        }
        Ok(entries.into_iter().collect())
    }
}

/// Parses a number. An empty one is 0.
fn number<T: std::str::FromStr + Default>(text: &str) -> Option<T> {
    match text.trim_ascii() {
        "" => Some(T::default()),
        text => text.parse().ok(),
    }
}
