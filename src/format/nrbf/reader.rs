//! The records of a serialized file, one after another.

use super::{
    NrbfFault,
    value::{Graph, Item, Object, Value},
};
use std::{collections::HashMap, rc::Rc};

/// Objects in objects. A serialized asset has three levels.
const DEPTH: usize = 16;
/// Objects of a file. A serialized asset has about ten.
const OBJECTS: usize = 1024;
/// Members of a class. Those of an asset have at most 12.
const MEMBERS: usize = 256;

/// The members of a class, and how their values are written.
struct Class<'a> {
    name: &'a str,
    members: Vec<(&'a str, Type)>,
}

/// How a value is written.
#[derive(Debug, Clone, Copy)]
enum Type {
    Primitive(u8),
    Record,
}

/// The state while a file is read.
pub(super) struct RecordReader<'a> {
    bytes: &'a [u8],
    at: usize,
    graph: Graph<'a>,
    classes: HashMap<i32, Rc<Class<'a>>>,
    objects: usize,
}

impl<'a> RecordReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, graph: Graph::default(), classes: HashMap::new(), objects: 0 }
    }

    /// Reads all records up to the end record.
    pub(super) fn read(mut self) -> Result<Graph<'a>, NrbfFault> {
        if self.bytes.is_empty() {
            return Err(NrbfFault::Empty);
        }
        if self.byte()? != 0 {
            return Err(NrbfFault::NoHeader);
        }
        self.graph.root = self.number()?;
        let [_, major, _] = [self.number()?, self.number()?, self.number()?];
        if major != 1 {
            return Err(NrbfFault::NoHeader);
        }
        while self.record(0)?.is_some() {}
        Ok(self.graph)
    }

    /// Reads a record. Returns its value, or `None` at the end record.
    fn record(&mut self, depth: usize) -> Result<Option<Value>, NrbfFault> {
        if depth > DEPTH {
            return Err(NrbfFault::TooComplex);
        }
        let position = self.at as u64;
        Ok(Some(match self.byte()? {
            // An object of a class that came before.
            1 => {
                let (number, like) = (self.number()?, self.number()?);
                let class = self.classes.get(&like).map(Rc::clone);
                let class = class.ok_or_else(|| invalid("class", position))?;
                self.members(number, &class, depth)?
            }
            4 => self.object(false, depth)?,
            5 => self.object(true, depth)?,
            6 => {
                let number = self.number()?;
                let text = self.text()?;
                self.keep(number, Item::Text(text))?
            }
            8 => {
                let primitive = self.byte()?;
                self.primitive(primitive)?
            }
            9 => Value::Object(self.number()?),
            10 => Value::Null,
            11 => return Ok(None),
            // The name of a library precedes the object that needs it.
            12 => {
                self.number()?;
                self.text()?;
                return self.record(depth + 1);
            }
            15 => {
                let (number, length) = (self.number()?, self.number()?);
                let primitive = self.byte()?;
                let size = fixed_size(primitive).ok_or_else(|| invalid("type of an array", position))?;
                let length = usize::try_from(length).ok().and_then(|length| length.checked_mul(size));
                let bytes = self.take(length.ok_or_else(|| invalid("length", position))?)?;
                self.keep(number, Item::Bytes(bytes))?
            }
            record => return Err(NrbfFault::UnknownRecord { record, position }),
        }))
    }

    fn object(&mut self, has_library: bool, depth: usize) -> Result<Value, NrbfFault> {
        let position = self.at as u64;
        let number = self.number()?;
        let name = self.text()?;
        let count = usize::try_from(self.number()?).ok().filter(|count| *count <= MEMBERS);
        let count = count.ok_or_else(|| invalid("number of members", position))?;
        let names = (0..count).map(|_| self.text()).collect::<Result<Vec<_>, _>>()?;
        let kinds = self.take(count)?;
        let members = names.into_iter().zip(kinds).map(|(name, &kind)| Ok((name, self.type_of(kind)?)));
        let class = Rc::new(Class { name, members: members.collect::<Result<_, NrbfFault>>()? });
        if has_library {
            self.number()?;
        }
        self.classes.insert(number, Rc::clone(&class));
        self.members(number, &class, depth)
    }

    /// Reads what follows the kind of a member in the description of a class.
    fn type_of(&mut self, kind: u8) -> Result<Type, NrbfFault> {
        let position = self.at as u64;
        Ok(match kind {
            0 => Type::Primitive(self.byte()?),
            // Text, any object, arrays of both.
            1 | 2 | 5 | 6 => Type::Record,
            3 => {
                self.text()?;
                Type::Record
            }
            4 => {
                self.text()?;
                self.number()?;
                Type::Record
            }
            7 => {
                self.byte()?;
                Type::Record
            }
            _ => return Err(invalid("type of a member", position)),
        })
    }

    fn members(&mut self, number: i32, class: &Class<'a>, depth: usize) -> Result<Value, NrbfFault> {
        let mut members = Vec::with_capacity(class.members.len());
        for &(name, written) in &class.members {
            let value = match written {
                Type::Primitive(primitive) => self.primitive(primitive)?,
                Type::Record => {
                    let position = self.at as u64;
                    self.record(depth + 1)?.ok_or_else(|| invalid("value of a member", position))?
                }
            };
            members.push((name, value));
        }
        self.keep(number, Item::Object(Object { class: class.name, members }))
    }

    fn keep(&mut self, number: i32, item: Item<'a>) -> Result<Value, NrbfFault> {
        self.objects += 1;
        if self.objects > OBJECTS {
            return Err(NrbfFault::TooComplex);
        }
        self.graph.items.insert(number, item);
        Ok(Value::Object(number))
    }

    fn primitive(&mut self, primitive: u8) -> Result<Value, NrbfFault> {
        let position = self.at as u64;
        if matches!(primitive, 5 | 18) {
            self.text()?;
            return Ok(Value::Other);
        }
        let size = fixed_size(primitive).ok_or_else(|| invalid("primitive type", position))?;
        let bytes = self.take(size)?;
        Ok(match (primitive, bytes) {
            (1 | 2, &[byte]) => Value::Number(byte.into()),
            (10, &[byte]) => Value::Number((byte as i8).into()),
            (7, &[a, b]) => Value::Number(i16::from_le_bytes([a, b]).into()),
            (8, &[a, b, c, d]) => Value::Number(i32::from_le_bytes([a, b, c, d]).into()),
            _ => Value::Other,
        })
    }

    /// Reads a text: its length in steps of seven bits, then UTF-8.
    fn text(&mut self) -> Result<&'a str, NrbfFault> {
        let position = self.at as u64;
        let mut length = 0_u64;
        for step in 0..5 {
            let byte = self.byte()?;
            length |= u64::from(byte & 0x7f) << (7 * step);
            if byte & 0x80 == 0 {
                let length = usize::try_from(length).map_err(|_| invalid("length", position))?;
                return std::str::from_utf8(self.take(length)?).map_err(|_| invalid("text", position));
            }
        }
        Err(invalid("length", position))
    }

    fn number(&mut self) -> Result<i32, NrbfFault> {
        let bytes = self.take(4)?;
        Ok(i32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn byte(&mut self) -> Result<u8, NrbfFault> {
        Ok(self.take(1)?[0])
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], NrbfFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or(NrbfFault::Cut { position: self.bytes.len() as u64 })?;
        self.at += count;
        Ok(taken)
    }
}

/// Returns the bytes of a primitive type. `None` if it is unknown, or its length varies.
fn fixed_size(primitive: u8) -> Option<usize> {
    Some(match primitive {
        1 | 2 | 10 => 1,
        7 | 14 => 2,
        8 | 11 | 15 => 4,
        6 | 9 | 12 | 13 | 16 => 8,
        _ => return None,
    })
}

fn invalid(what: &'static str, position: u64) -> NrbfFault {
    NrbfFault::Invalid { what: what.into(), position }
}
