//! A small document while it is mended.

use super::{Change, Mended, edits::Edits, markup};
use hullmark_finding::Code;
use hullmark_format::{defect::DocumentType, loader::element_at, xml::Source};
use quick_xml::{Reader, events::Event};
use std::ops::Range;

pub(super) struct Document {
    pub(super) text: String,
    pub(super) changes: Vec<Change>,
    /// The rule about documents of this kind that cannot be read.
    code: Code,
}

/// An element of a document.
pub(super) struct Element {
    pub(super) name: String,
    /// Number of elements around it.
    pub(super) depth: usize,
}

impl Document {
    /// Begins with the text of a document, in UTF-8 without a byte order mark.
    pub(super) fn new(bytes: &[u8], of: DocumentType, code: Code) -> Self {
        // An editor may have added a mark to a text that had one.
        let text = Source::new(bytes, of).text().trim_start_matches('\u{feff}').to_owned();
        let mut changes = Vec::new();
        if matches!(bytes, [0xEF, 0xBB, 0xBF, ..] | [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]) {
            changes.push(Change::new(code, "byte order mark", "OpenSim reads UTF-8 without a mark"));
        }
        Self { text, changes, code }
    }

    /// Makes the document well-formed. Returns whether something changed.
    pub(super) fn mend_markup(&mut self) -> bool {
        let (text, changes) = markup::mend(&self.text, false);
        self.text = text;
        let is_changed = !changes.is_empty();
        self.changes.extend(changes.into_iter().map(|change| Change { code: self.code, ..change }));
        is_changed
    }

    /// Applies edits, which one change describes. Returns whether there are any.
    pub(super) fn edit(&mut self, edits: Edits, change: Change) -> bool {
        if edits.is_empty() {
            return false;
        }
        self.text = edits.apply(&self.text);
        self.changes.push(change);
        true
    }

    /// Replaces the element at this position.
    pub(super) fn replace_element(&mut self, offset: usize, new: &str, change: Change) -> bool {
        if !self.text.get(offset..).is_some_and(|rest| rest.starts_with('<')) {
            return false;
        }
        let range = element_at(&self.text, offset);
        let change = change.replacing(&self.text[range.clone()], new);
        let mut edits = Edits::default();
        edits.replace(range, new);
        self.edit(edits, change)
    }

    /// Removes the element at this position.
    pub(super) fn remove_element(&mut self, offset: usize, code: Code, why: &str) -> bool {
        let rest = self.text.get(offset + 1..).unwrap_or_default();
        let name =
            rest.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next().unwrap_or_default();
        let change = Change::new(code, name, why);
        self.replace_element(offset, "", change)
    }

    /// Returns the elements, with their ranges.
    pub(super) fn elements(&self) -> Vec<(Element, Range<usize>)> {
        let mut reader = Reader::from_str(&self.text);
        let (mut elements, mut open) = (Vec::new(), Vec::new());
        let mut begin = 0;
        while let Ok(event) = reader.read_event() {
            let end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            match event {
                Event::Start(tag) => open.push((tag.name().as_ref().to_owned(), begin)),
                Event::Empty(tag) => {
                    let element = Element { name: tag.name().as_ref().to_owned(), depth: open.len() };
                    elements.push((element, begin..end));
                }
                Event::End(_) => {
                    if let Some((name, start)) = open.pop() {
                        elements.push((Element { name, depth: open.len() }, start..end));
                    }
                }
                Event::Eof => break,
                _ => {}
            }
            begin = end;
        }
        elements
    }

    /// Returns the result, given the bytes before.
    pub(super) fn mended(self, before: &[u8]) -> Mended {
        match self.changes.is_empty() || self.text.as_bytes() == before {
            true => Mended::Sound,
            false => Mended::Changed { bytes: self.text.into_bytes(), changes: self.changes },
        }
    }
}
