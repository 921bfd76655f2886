//! How .NET's `Xml·XmlReader` responds to OpenSim's calls: how it moves, and at which position it throws.
//!
//! The next node read depends on the position of the exception, so each call leaves the position where .NET leaves it.

use super::{position::Position, reader::NodeKind};
use crate::{
    defect::{LoadFault, Node},
    xml::{MOST_JOINED, excerpt},
};
use std::borrow::Cow;

/// The reason why a value was not read.
#[derive(Debug)]
pub(super) enum CallFailure {
    /// An exception, which OpenSim catches for each element of a part.
    Threw(LoadFault),
    Hangs(LoadFault),
}

impl CallFailure {
    pub(super) fn why(self) -> LoadFault {
        let (Self::Threw(why) | Self::Hangs(why)) = self;
        why
    }
}

pub(super) type Called<T> = Result<T, CallFailure>;

pub(super) fn threw<T>(why: LoadFault) -> Called<T> {
    Err(CallFailure::Threw(why))
}

impl<'a> Position<'a> {
    pub(super) fn here(&self) -> Node {
        match self.kind() {
            NodeKind::None => Node::End,
            NodeKind::Element => Node::Element(excerpt(self.name())),
            NodeKind::EndElement => Node::EndOf(excerpt(self.name())),
            NodeKind::Text | NodeKind::CData => Node::Text,
            NodeKind::White => Node::White,
            NodeKind::Aside => Node::Comment,
        }
    }

    /// `MoveToContent`.
    fn move_to_content(&mut self) -> NodeKind {
        while matches!(self.kind(), NodeKind::Aside | NodeKind::White) {
            self.read();
        }
        self.kind()
    }

    /// `IsStartElement(name)`.
    pub(super) fn is_start_of(&mut self, name: &str) -> bool {
        self.move_to_content() == NodeKind::Element && self.name() == name
    }

    /// `ReadStartElement()`, for any name.
    pub(super) fn read_any_start(&mut self) -> Called<()> {
        if self.move_to_content() != NodeKind::Element {
            return threw(LoadFault::NoElement { found: self.here() });
        }
        self.read();
        Ok(())
    }

    /// `ReadStartElement(name)`.
    pub(super) fn read_start(&mut self, name: &str) -> Called<()> {
        if self.move_to_content() != NodeKind::Element || self.name() != name {
            return threw(LoadFault::NotElement { found: self.here(), wanted: name.into() });
        }
        self.read();
        Ok(())
    }

    /// `ReadStartElement(name, "")`.
    pub(super) fn read_plain_start(&mut self, name: &str) -> Called<()> {
        if self.move_to_content() == NodeKind::Element && self.node().is_namespaced() {
            return threw(LoadFault::Namespace { name: excerpt(self.name()) });
        }
        self.read_start(name)
    }

    /// `ReadEndElement`.
    pub(super) fn read_end(&mut self) -> Called<()> {
        if self.move_to_content() != NodeKind::EndElement {
            return threw(LoadFault::NotEnd { found: self.here() });
        }
        self.read();
        Ok(())
    }

    /// `CheckElement`, for a name without a namespace.
    fn check_element(&self, name: &str) -> Called<()> {
        if self.kind() != NodeKind::Element || self.name() != name || self.node().is_namespaced() {
            return threw(LoadFault::NoValue { found: self.here() });
        }
        Ok(())
    }

    /// `ReadElementContentAs…(name, "")`, up to the parsing. An empty element yields the empty text.
    pub(super) fn read_named_content<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Called<T>,
    ) -> Called<T> {
        self.check_element(name)?;
        self.read_content_of_element(parse)
    }

    /// `ReadElementContentAsString(name, "")`.
    pub(super) fn read_named_text(&mut self, name: &str) -> Called<Cow<'a, str>> {
        self.check_element(name)?;
        self.take_content(Ok)
    }

    /// `ReadElementContentAs…()`.
    pub(super) fn read_content_of_element<T>(&mut self, parse: impl FnOnce(&str) -> Called<T>) -> Called<T> {
        self.take_content(|text| parse(&text))
    }

    fn take_content<T>(&mut self, parse: impl FnOnce(Cow<'a, str>) -> Called<T>) -> Called<T> {
        if self.kind() != NodeKind::Element {
            return threw(LoadFault::NoValue { found: self.here() });
        }
        let empty = self.is_empty_element();
        self.read();
        match self.kind() {
            _ if empty => return parse("".into()),
            NodeKind::EndElement => {
                self.read();
                return parse("".into());
            }
            NodeKind::Element => return threw(LoadFault::InsideValue { found: self.here() }),
            _ => {}
        }
        let value = parse(self.content())?;
        if self.kind() != NodeKind::EndElement {
            return threw(LoadFault::InsideValue { found: self.here() });
        }
        self.read();
        Ok(value)
    }

    /// `ReadContentAsString`.
    pub(super) fn read_content(&mut self) -> Called<Cow<'a, str>> {
        if matches!(self.kind(), NodeKind::Element | NodeKind::None) {
            return threw(LoadFault::NoText { found: self.here() });
        }
        Ok(self.content())
    }

    /// Returns the text from here to the next tag, without comments.
    fn content(&mut self) -> Cow<'a, str> {
        self.gather(|kind| {
            matches!(kind, NodeKind::Text | NodeKind::CData | NodeKind::White | NodeKind::Aside)
        })
    }

    /// `ReadElementString(name)`, which does not skip comments.
    pub(super) fn read_element_string(&mut self, name: &str) -> Called<Cow<'a, str>> {
        if self.move_to_content() != NodeKind::Element || self.name() != name {
            return threw(LoadFault::NotElement { found: self.here(), wanted: name.into() });
        }
        let empty = self.is_empty_element();
        self.read();
        if empty {
            return Ok("".into());
        }
        let value = self.gather(|kind| matches!(kind, NodeKind::Text | NodeKind::CData | NodeKind::White));
        if self.kind() != NodeKind::EndElement {
            return threw(LoadFault::InsideText { found: self.here() });
        }
        self.read();
        Ok(value)
    }

    /// `ReadElementString(name, "")`.
    pub(super) fn read_plain_element_string(&mut self, name: &str) -> Called<Cow<'a, str>> {
        if self.move_to_content() == NodeKind::Element && self.node().is_namespaced() {
            return threw(LoadFault::Namespace { name: self.name().into() });
        }
        self.read_element_string(name)
    }

    fn gather(&mut self, takes: impl Fn(NodeKind) -> bool) -> Cow<'a, str> {
        let mut text = Cow::Borrowed("");
        while takes(self.kind()) {
            let piece = self.node().value();
            match text.is_empty() {
                true => text = piece,
                // The other reader refuses a document with a longer text.
                false if text.len() + piece.len() > MOST_JOINED => {}
                false => text.to_mut().push_str(&piece),
            }
            self.read();
        }
        text
    }

    /// `ReadOuterXml`: skips an element, or one other node.
    pub(super) fn pass(&mut self) {
        if self.kind() != NodeKind::Element || self.is_empty_element() {
            return self.read();
        }
        self.read_to_end_of(self.node().depth());
    }

    /// `ReadInnerXml`: skips an element and returns its content.
    pub(super) fn read_inner(&mut self) -> &'a str {
        if self.kind() != NodeKind::Element {
            self.read();
            return "";
        }
        let (inside, depth) = (self.node().end(), self.node().depth());
        if self.is_empty_element() {
            // .NET then takes the end of the outer element for the end of this one.
            self.read();
            if self.kind() == NodeKind::EndElement {
                self.read();
            }
            return "";
        }
        let end = self.read_to_end_of(depth);
        &self.node().text()[inside..end]
    }

    /// Reads past the end of the element at this depth. Returns the position of its end tag.
    fn read_to_end_of(&mut self, depth: usize) -> usize {
        loop {
            self.read();
            let end = self.start();
            if self.is_at_end() || self.kind() == NodeKind::EndElement && self.node().depth() == depth {
                self.read();
                return end;
            }
        }
    }
}
