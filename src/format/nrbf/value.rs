//! The objects of a serialized file.

use std::collections::HashMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    /// A whole number or a truth.
    Number(i64),
    /// The object with this number, which may follow later.
    Object(i32),
    /// A value of another type, which no asset needs.
    Other,
}

#[derive(Debug)]
pub(super) struct Object<'a> {
    pub(super) class: &'a str,
    pub(super) members: Vec<(&'a str, Value)>,
}

impl Object<'_> {
    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.members.iter().find(|(member, _)| *member == name).map(|(_, value)| value)
    }
}

#[derive(Debug)]
pub(super) enum Item<'a> {
    Object(Object<'a>),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// All objects of a file, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    pub(super) root: i32,
    pub(super) items: HashMap<i32, Item<'a>>,
}

impl<'a> Graph<'a> {
    pub(super) fn root(&self) -> Option<&Object<'a>> {
        self.object(&Value::Object(self.root))
    }

    pub(super) fn object(&self, value: &Value) -> Option<&Object<'a>> {
        match self.item(value)? {
            Item::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn text(&self, value: &Value) -> Option<&'a str> {
        match self.item(value)? {
            Item::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn bytes(&self, value: &Value) -> Option<&'a [u8]> {
        match self.item(value)? {
            Item::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn item(&self, value: &Value) -> Option<&Item<'a>> {
        let Value::Object(number) = value else { return None };
        self.items.get(number)
    }
}
