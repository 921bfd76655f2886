//! Passes over plain elements: those whose text shows at once that their call reads them to their end.
//!
//! Nearly all elements are plain, and no call has to be followed for them. A tag has only its name, a text has neither
//! references nor comments, and a value has its usual form. Everything else is left to the calls.

use super::{
    fields::{self, Table, Take},
    part::{PartOutcome, float, packed, whole},
    text::{are_flags, is_channel, is_decimal, is_hole, is_profile, is_white},
};
use memchr::memchr3;
use std::collections::HashSet;
use uuid::Uuid;

/// Levels of elements inside of a plain element: an item in an inventory has UUIDs with an element around them.
pub(super) const LEVELS: usize = 4;

/// A text at the start of an element.
#[derive(Debug)]
pub(super) struct Plain<'a> {
    rest: &'a str,
}

impl<'a> Plain<'a> {
    pub(super) fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    /// Passes over plain elements of a table and keeps their UUIDs. Returns the text after them, from the start of
    /// the next node.
    pub(super) fn pass(&mut self, table: Table, outcome: &mut PartOutcome) -> &'a str {
        let mut expected = 0;
        loop {
            let begin = self.rest;
            self.white_space();
            if self.element(table, &mut expected, outcome).is_none() {
                self.rest = begin;
                return begin;
            }
        }
    }

    /// Passes over an element. `expected` is the index of the element in the table that is written next.
    fn element(&mut self, table: Table, expected: &mut usize, outcome: &mut PartOutcome) -> Option<()> {
        let tag = self.rest.strip_prefix('<')?;
        let (index, behind) = find(table, *expected, tag)?;
        let (field, take) = table[index];
        *expected = index + 1;
        match behind.strip_prefix('>') {
            Some(inside) => {
                self.rest = inside;
                self.value(field, take, outcome)
            }
            None => {
                self.rest = behind.strip_prefix(" />")?;
                may_be_empty(take).then_some(())
            }
        }
    }

    /// Passes over the content and the end tag of an element.
    fn value(&mut self, field: &'static str, take: Take, outcome: &mut PartOutcome) -> Option<()> {
        match take {
            Take::Content | Take::Text | Take::PlainText | Take::Boolean | Take::Forgiven => {
                self.text(field).map(drop)
            }
            Take::Int => self.right_text(field, is_whole::<i32>),
            Take::Long => self.right_text(field, is_whole::<i64>),
            Take::Unsigned => self.right_text(field, is_whole::<u32>),
            Take::Float => self.right_text(field, is_number),
            Take::Flags => self.right_text(field, are_flags),
            Take::Profile => self.right_text(field, is_profile),
            Take::Hole => self.right_text(field, is_hole),
            Take::Base64 | Take::PackedText => self.right_text(field, |text| packed(text).is_ok()),
            Take::Uuid => self.uuid(field).map(|text| outcome.keep_uuid(field, text)),
            Take::Vector => self.components(field, &["X", "Y", "Z"], is_number),
            Take::Quaternion => self.components(field, &["X", "Y", "Z", "W"], is_number),
            Take::Color => {
                self.components(field, &["R", "G", "B", "A"], |text| float(text).is_ok_and(is_channel))
            }
            Take::Shape => {
                self.inside(field, fields::SHAPE, outcome)?;
                outcome.has_shape = true;
                Some(())
            }
            Take::Contents => self.contents(field, outcome),
            Take::Vehicle
            | Take::Inertia
            | Take::DynamicAttributes
            | Take::Media
            | Take::AnyInt
            | Take::AnyFloat
            | Take::AnyFloats(_) => None,
        }
    }

    fn contents(&mut self, field: &str, outcome: &mut PartOutcome) -> Option<()> {
        let mut items = HashSet::new();
        loop {
            self.white_space();
            let Some(inside) = self.rest.strip_prefix("<TaskInventoryItem>") else { return self.end(field) };
            self.rest = inside;
            outcome.item = Uuid::nil();
            self.inside("TaskInventoryItem", fields::ITEM, outcome)?;
            if !items.insert(outcome.item) {
                return None;
            }
        }
    }

    /// Passes over elements of a table and the end tag of the element around them.
    fn inside(&mut self, field: &str, table: Table, outcome: &mut PartOutcome) -> Option<()> {
        self.pass(table, outcome);
        self.white_space();
        self.end(field)
    }

    /// Passes over a text that is right, and the end tag of its element.
    fn right_text(&mut self, field: &str, is_right: impl Fn(&str) -> bool) -> Option<()> {
        self.text(field).filter(|text| is_right(text)).map(drop)
    }

    /// Passes over components and the end tag of the element around them.
    fn components(&mut self, field: &str, names: &[&str], is_right: fn(&str) -> bool) -> Option<()> {
        for name in names {
            self.white_space();
            self.rest = self.rest.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
            self.text(name).filter(|text| is_right(text))?;
        }
        self.white_space();
        self.end(field)
    }

    /// Passes over the text and the end tag of a UUID, which may have an element of its own.
    fn uuid(&mut self, field: &str) -> Option<&'a str> {
        self.white_space();
        for (wrapper, start) in [("UUID", "<UUID>"), ("Guid", "<Guid>")] {
            if let Some(inside) = self.rest.strip_prefix(start) {
                self.rest = inside;
                let text = self.text(wrapper)?;
                self.white_space();
                return self.end(field).map(|()| text);
            }
        }
        // An empty text is no node.
        self.text(field).filter(|text| !text.is_empty())
    }

    /// Passes over a text and the end tag of its element.
    fn text(&mut self, field: &str) -> Option<&'a str> {
        let (text, behind) = self.rest.split_at(length_of_text(self.rest.as_bytes())?);
        self.rest = behind;
        self.end(field).map(|()| text)
    }

    fn end(&mut self, field: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix("</")?.strip_prefix(field)?.strip_prefix('>')?;
        Some(())
    }

    /// Passes over white space between elements, which is no node.
    fn white_space(&mut self) {
        if !self.rest.starts_with('<') {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii() && is_white(c as u8));
        }
    }
}

/// Finds the element of a tag, given the text after its `<`: its index, and the text after its name.
fn find(table: Table, expected: usize, tag: &str) -> Option<(usize, &str)> {
    if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (passed, ahead) = table.split_at(expected);
    let behind =
        |(field, _): &(&str, Take)| tag.strip_prefix(field).filter(|behind| behind.starts_with(['>', ' ']));
    let mut order = (expected..).zip(ahead).chain((0..).zip(passed));
    order.find_map(|(index, row)| Some((index, behind(row)?)))
}

/// Whether the call for this value takes an element that ends in its own tag.
fn may_be_empty(take: Take) -> bool {
    matches!(
        take,
        Take::Content | Take::Text | Take::PlainText | Take::Forgiven | Take::Base64 | Take::PackedText
    )
}

/// Returns the length of a text without references up to the next tag; `None` if it has square brackets, too.
fn length_of_text(bytes: &[u8]) -> Option<usize> {
    const SHORT: usize = 16;
    let (short, long) = bytes.split_at(bytes.len().min(SHORT));
    let found = short.iter().position(|byte| matches!(byte, b'<' | b'&' | b']'));
    found.or_else(|| memchr3(b'<', b'&', b']', long).map(|more| SHORT + more))
}

fn is_whole<T: TryFrom<i128>>(text: &str) -> bool {
    whole::<T>(text).is_ok()
}

fn is_number(text: &str) -> bool {
    is_decimal(text) || float(text).is_ok()
}
