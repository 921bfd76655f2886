//! LLSD as XML (`llsdserialize_xml.cpp`).
//!
//! Exports have binary data in no place. So binary values are read as undefined. A text is read as far as any reader of
//! exports uses it. Values have a budget of memory, because a document may have 100 MB already.

use crate::{
    llsd::{Map, Value},
    xml::{Element, Fault, Result, Xml, XmlFault, parse_bool, parse_uuid},
};
use std::borrow::Cow;

/// Maximum nesting of arrays and maps, above any setting. Reading and dropping a value both use stack for each level.
const HARD_DEPTH: usize = 64;
/// Most bytes of a text. A name may have 1,024, which are cut with care for characters.
const TEXT: usize = 4096;

/// Bytes of memory for each value that is allowed. In binary LLSD a value takes as much.
const VALUE: usize = size_of::<Value<'static>>();

/// Bytes that the allocator adds to a text.
const OWNED: usize = 16;

pub(super) struct Document {
    pub(super) value: Value<'static>,
    /// Whether values are left out, because there are more than allowed, or they are nested too deeply.
    pub(super) is_cut: bool,
}

/// Reads the value of a document, with at most `most` values and the memory of as many.
pub(super) fn read(xml: &mut Xml<'_>, most: usize) -> Result<Document> {
    let root = xml.root()?;
    if root.name() != "llsd" {
        return Err(other_root(xml, root.name()));
    }
    let mut reader = LlsdXmlReader { xml, left: most, bytes: most.saturating_mul(VALUE), is_cut: false };
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

struct LlsdXmlReader<'x, 'a> {
    xml: &'x mut Xml<'a>,
    left: usize,
    /// Bytes of memory that are left.
    bytes: usize,
    is_cut: bool,
}

impl LlsdXmlReader<'_, '_> {
    /// Reads the value in an open element, with `depth` levels of nesting left.
    fn value(&mut self, element: &Element<'_>, depth: usize) -> Result<Value<'static>> {
        self.left = self.left.saturating_sub(1);
        if depth == 0 {
            self.is_cut = true;
            self.xml.skip()?;
            return Ok(Value::Undef);
        }
        Ok(match element.name() {
            "map" => Value::Map(self.map(depth - 1)?),
            "array" => {
                let mut values = Vec::new();
                while let Some(element) = self.xml.child()? {
                    if self.has_room(VALUE) {
                        values.push(self.value(&element, depth - 1)?);
                    } else {
                        self.xml.skip()?;
                    }
                }
                Value::Array(values)
            }
            "string" => {
                let text = self.xml.start(TEXT)?;
                self.bytes = self.bytes.saturating_sub(text.len() + OWNED);
                Value::String(Cow::Owned(text.into_bytes()))
            }
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
                key = self.xml.start(TEXT)?;
            } else if self.has_room(size_of::<(Cow<'static, [u8]>, Value<'static>)>() + key.len() + OWNED) {
                let value = self.value(&element, depth)?;
                entries.push((Cow::Owned(std::mem::take(&mut key).into_bytes()), value));
            } else {
                self.xml.skip()?;
            }
        }
        Ok(entries.into_iter().collect())
    }

    /// Charges the memory of a value before it is read. Without room, the rest is left out.
    fn has_room(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes).filter(|_| self.left > 0);
        self.is_cut |= left.is_none();
        self.bytes = left.unwrap_or(0);
        left.is_some()
    }
}

/// Parses a number. An empty one is 0.
fn number<T: std::str::FromStr + Default>(text: &str) -> Option<T> {
    match text.trim_ascii() {
        "" => Some(T::default()),
        text => text.parse().ok(),
    }
}
