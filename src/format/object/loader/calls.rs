//! How .NET's `XmlReader` responds to OpenSim's calls: how it moves, and at which position it throws.
//!
//! The next node read depends on the position of the exception, so each call leaves the position where .NET leaves it.

use super::{
    reader::{Kind, Reader},
    text::resolve,
};
use crate::format::defect::{LoadFault, Node};
use std::borrow::Cow;

/// What ends the reading of a value.
#[derive(Debug)]
pub(super) enum Trouble {
    /// An exception, which OpenSim catches for each element of a part.
    Threw(LoadFault),
    /// A loop without end.
    Hangs(LoadFault),
}

pub(super) type Called<T> = Result<T, Trouble>;

/// An exception.
pub(super) fn threw<T>(why: LoadFault) -> Called<T> {
    Err(Trouble::Threw(why))
}

/// The position in a part, which is known to be well-formed.
#[derive(Debug)]
pub(super) struct Position<'a>(Reader<'a>);

impl<'a> Position<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Self {
        Self(reader)
    }

    pub(super) fn kind(&self) -> Kind {
        self.0.kind()
    }

    pub(super) fn name(&self) -> &'a str {
        self.0.name()
    }

    pub(super) fn start(&self) -> usize {
        self.0.start()
    }

    pub(super) fn is_empty_element(&self) -> bool {
        self.0.is_empty_element()
    }

    /// Behind the last node.
    pub(super) fn is_at_end(&self) -> bool {
        self.kind() == Kind::None
    }

    /// `Read`. A document that was read to its end before holds nothing malformed.
    pub(super) fn read(&mut self) {
        let _ = self.0.read();
    }

    /// What stands here.
    fn here(&self) -> Node {
        match self.kind() {
            Kind::None => Node::End,
            Kind::Element => Node::Element(self.name().into()),
            Kind::EndElement => Node::EndOf(self.name().into()),
            Kind::Text | Kind::CData => Node::Text,
            Kind::White => Node::White,
            Kind::Aside => Node::Comment,
        }
    }

    /// `MoveToContent`.
    fn move_to_content(&mut self) -> Kind {
        while matches!(self.kind(), Kind::Aside | Kind::White) {
            self.read();
        }
        self.kind()
    }

    /// `ReadStartElement()`, of any name.
    pub(super) fn read_any_start(&mut self) -> Called<()> {
        if self.move_to_content() != Kind::Element {
            return threw(LoadFault::NoElement { found: self.here() });
        }
        self.read();
        Ok(())
    }

    /// `ReadStartElement(name)`.
    pub(super) fn read_start(&mut self, name: &str) -> Called<()> {
        if self.move_to_content() != Kind::Element || self.name() != name {
            return threw(LoadFault::NotElement { found: self.here(), wanted: name.into() });
        }
        self.read();
        Ok(())
    }

    /// `ReadStartElement(name, "")`.
    pub(super) fn read_plain_start(&mut self, name: &str) -> Called<()> {
        if self.move_to_content() == Kind::Element && self.0.is_namespaced() {
            return threw(LoadFault::Namespace { name: self.name().into() });
        }
        self.read_start(name)
    }

    /// `ReadEndElement`.
    pub(super) fn read_end(&mut self) -> Called<()> {
        if self.move_to_content() != Kind::EndElement {
            return threw(LoadFault::NotEnd { found: self.here() });
        }
        self.read();
        Ok(())
    }

    /// `CheckElement`, of a name that is not in a namespace.
    fn check_element(&self, name: &str) -> Called<()> {
        if self.kind() != Kind::Element || self.name() != name || self.0.is_namespaced() {
            return threw(LoadFault::NoValue { found: self.here() });
        }
        Ok(())
    }

    /// `ReadElementContentAs…(name, "")`, up to the parsing: none stands for the empty text.
    pub(super) fn read_named_content<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Called<T>,
    ) -> Called<T> {
        self.check_element(name)?;
        self.read_content_of_element(parse)
    }

    /// `ReadElementContentAs…()`.
    pub(super) fn read_content_of_element<T>(&mut self, parse: impl FnOnce(&str) -> Called<T>) -> Called<T> {
        if self.kind() != Kind::Element {
            return threw(LoadFault::NoValue { found: self.here() });
        }
        let empty = self.is_empty_element();
        self.read();
        match self.kind() {
            _ if empty => return parse(""),
            Kind::EndElement => {
                self.read();
                return parse("");
            }
            Kind::Element => return threw(LoadFault::InsideValue { found: self.here() }),
            _ => {}
        }
        let value = parse(&self.content())?;
        if self.kind() != Kind::EndElement {
            return threw(LoadFault::InsideValue { found: self.here() });
        }
        self.read();
        Ok(value)
    }

    /// `ReadContentAsString`.
    pub(super) fn read_content(&mut self) -> Called<String> {
        if matches!(self.kind(), Kind::Element | Kind::None) {
            return threw(LoadFault::NoText { found: self.here() });
        }
        Ok(self.content().into_owned())
    }

    /// The text from here to the next tag; comments inside it do not count.
    fn content(&mut self) -> Cow<'a, str> {
        self.gather(|kind| matches!(kind, Kind::Text | Kind::CData | Kind::White | Kind::Aside))
    }

    /// `ReadElementString(name)`, which does not pass over comments.
    pub(super) fn read_element_string(&mut self, name: &str) -> Called<Cow<'a, str>> {
        if self.move_to_content() != Kind::Element || self.name() != name {
            return threw(LoadFault::NotElement { found: self.here(), wanted: name.into() });
        }
        let empty = self.is_empty_element();
        self.read();
        if empty {
            return Ok("".into());
        }
        let value = self.gather(|kind| matches!(kind, Kind::Text | Kind::CData | Kind::White));
        if self.kind() != Kind::EndElement {
            return threw(LoadFault::InsideText { found: self.here() });
        }
        self.read();
        Ok(value)
    }

    /// `ReadElementString(name, "")`.
    pub(super) fn read_plain_element_string(&mut self, name: &str) -> Called<Cow<'a, str>> {
        if self.move_to_content() == Kind::Element && self.0.is_namespaced() {
            return threw(LoadFault::Namespace { name: self.name().into() });
        }
        self.read_element_string(name)
    }

    fn gather(&mut self, takes: impl Fn(Kind) -> bool) -> Cow<'a, str> {
        let mut text = Cow::Borrowed("");
        while takes(self.kind()) {
            let piece = match self.kind() {
                Kind::Text | Kind::White => resolve(self.0.raw_value()),
                Kind::CData => Cow::Borrowed(self.0.raw_value()),
                _ => Cow::Borrowed(""),
            };
            match text.is_empty() {
                true => text = piece,
                false => text.to_mut().push_str(&piece),
            }
            self.read();
        }
        text
    }

    /// `ReadOuterXml`: passes over an element or over one other node.
    pub(super) fn pass(&mut self) {
        if self.kind() != Kind::Element || self.is_empty_element() {
            return self.read();
        }
        self.read_to_end_of(self.0.depth());
    }

    /// `ReadInnerXml`: what is inside of an element, which is passed over.
    pub(super) fn read_inner(&mut self) -> &'a str {
        if self.kind() != Kind::Element {
            self.read();
            return "";
        }
        let (inside, depth) = (self.0.end(), self.0.depth());
        if self.is_empty_element() {
            // .NET then takes the end of the element around it for the end of this one.
            self.read();
            if self.kind() == Kind::EndElement {
                self.read();
            }
            return "";
        }
        let end = self.read_to_end_of(depth);
        &self.0.text()[inside..end]
    }

    /// Reads past the end of the element at this depth, and tells where that end begins.
    fn read_to_end_of(&mut self, depth: usize) -> usize {
        loop {
            self.read();
            let end = self.start();
            if self.is_at_end() || self.kind() == Kind::EndElement && self.0.depth() == depth {
                self.read();
                return end;
            }
        }
    }
}
