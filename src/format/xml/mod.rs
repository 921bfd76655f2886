//! The base of all XML decoders: a cursor over quick-xml that accepts the oddities of exporters.
//!
//! quick-xml gives events; decoders want "the next child", "the text of this element", "skip this". [`Xml`] provides
//! these. It never recurses, so hostile nesting does no harm. It borrows from the document, so unread elements cost no
//! allocation.
//!
//! Nearly all tags of an object are *plain*: a name of letters and digits between angle brackets. They are read here
//! (`fast_tags.rs`), because quick-xml takes longer for each than all later work on it. Other tags go to quick-xml
//! unchanged. So the names of open elements are also stored here, and end tags are compared with them.
//!
//! Three kinds of trouble are distinguished. A [`Fault`] ends the reading: the document is not well-formed, or too
//! deep. A defect reports that the text is not clean (not UTF-8, a DTD), although it could be read. A note records a
//! harmless oddity of exporters.

mod error;
mod fast_tags;
mod root;
mod source;
#[cfg(test)]
mod tests;
mod value;

use crate::{
    finding::Capped,
    format::defect::{Defect, DocumentDefect, DocumentType},
};
pub use error::{Fault, Notes, Unclean, XmlFault, marked, oddity};
use fast_tags::{Plain, plain_element};
use memchr::memchr2;
use quick_xml::{
    errors::IllFormedError,
    events::{BytesDecl, BytesEnd, BytesRef, BytesStart, Event},
    reader::Reader,
};
pub use root::{after_doctype, root_element};
pub use source::{Source, control_character};
use std::{borrow::Cow, io::BufRead};
pub use value::{excerpt, parse_bool, parse_uuid};

/// Nested elements allowed in the small documents of an archive: control file, settings, parcels, items.
pub const SMALL_DOCUMENT_DEPTH: usize = 64;

/// Defects of one kind that are kept by themselves in a parcel, settings or an item, which have each element once.
pub const SMALL_DOCUMENT_ROWS: usize = 100;

/// Bytes of a name; grids store at most 255 characters.
const NAME_BYTES: usize = 1024;

/// Declared prefixes that are told apart; where there are more, any is taken for declared.
const PREFIXES: usize = 64;

/// What reading gives; the fault is boxed because the good way is taken a million times as often.
pub type Result<T> = std::result::Result<T, Box<Fault>>;

/// A start tag.
#[derive(Debug)]
pub struct Element<'a>(Tag<'a>);

#[derive(Debug)]
enum Tag<'a> {
    Event(BytesStart<'a>),
    Plain(&'a str),
}

impl Element<'_> {
    /// The name as written, prefix included.
    #[inline]
    pub fn name(&self) -> &str {
        match &self.0 {
            Tag::Event(tag) => tag.name().into_inner(),
            Tag::Plain(name) => name,
        }
    }

    /// The value of an attribute, as written.
    pub fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        match &self.0 {
            Tag::Event(tag) => tag.try_get_attribute(name).ok().flatten().map(|attribute| attribute.value),
            Tag::Plain(_) => None,
        }
    }
}

/// One step through a document.
#[derive(Debug)]
pub enum Step<'a> {
    /// An element begins.
    Open(Element<'a>),
    /// The innermost open element ends.
    Close,
    /// Text, or a piece of it.
    Text(Cow<'a, str>),
    /// One character of text, written as a reference.
    Character(char),
    /// The document ends, with everything closed.
    End,
}

/// A place in a document.
///
/// After [`Xml::child`] gave an element, its content is read by exactly one of [`Xml::text`], [`Xml::leaf`],
/// [`Xml::skip`], or by calling `child` until it gives `None`.
#[derive(Debug)]
pub struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    /// The whole document; what the reader has left is its tail.
    text: &'a str,
    /// The reader stands behind a tag, not in the middle of text or a reference.
    behind_tag: bool,
    /// The innermost open element is a plain leaf, and this is its text.
    leaf: Option<&'a str>,
    /// The end of the innermost open element has been read, and is still to be told.
    closing: bool,
    /// The names of open elements, innermost last.
    open: Vec<&'a str>,
    depth_limit: usize,
    /// The root element has been seen.
    rooted: bool,
    /// Prefixes that open elements declare, each with the depth of its element.
    prefixes: Vec<(usize, String)>,
    before: usize,
    of: DocumentType,
    notes: Notes,
}

impl<'a> Xml<'a> {
    /// Starts before the root element.
    pub fn new(source: &'a Source<'_>, depth_limit: usize) -> Self {
        let mut reader = Reader::from_str(&source.text);
        // It does not see all of the tags.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        Self {
            reader,
            text: &source.text,
            behind_tag: false,
            leaf: None,
            closing: false,
            open: Vec::new(),
            depth_limit,
            rooted: false,
            prefixes: Vec::new(),
            before: source.before,
            of: source.of,
            notes: source.notes.clone(),
        }
    }

    /// Elements that are open here.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Records an oddity.
    pub fn note(&mut self, oddity: &'static str) {
        self.notes.oddity(oddity);
    }

    /// What was noticed, once the reading is over.
    pub fn into_notes(self) -> Notes {
        self.notes
    }

    /// A fault at this place.
    pub fn fault(&self, what: XmlFault) -> Box<Fault> {
        let offset = self.before + self.reader.buffer_position() as usize;
        Box::new(Fault { what, offset, depth_limit: None })
    }

    /// The root element.
    pub fn root(&mut self) -> Result<Element<'a>> {
        loop {
            match self.step()? {
                Step::Open(element) => return Ok(element),
                Step::End => return Err(self.fault(XmlFault::NoElement)),
                _ => {}
            }
        }
    }

    /// The next child of the innermost open element; `None` when that element ends.
    #[inline]
    pub fn child(&mut self) -> Result<Option<Element<'a>>> {
        loop {
            self.pass_text();
            match self.step()? {
                Step::Open(element) => return Ok(Some(element)),
                Step::Close | Step::End => return Ok(None),
                Step::Text(_) | Step::Character(_) => {}
            }
        }
    }

    /// The text of the innermost open element, up to its end. Elements inside it are passed over.
    #[inline]
    pub fn text(&mut self) -> Result<Cow<'a, str>> {
        if let Some(text) = self.take_leaf() {
            return Ok(Cow::Borrowed(text));
        }
        let mut text = Cow::Borrowed("");
        loop {
            match self.step()? {
                Step::Text(piece) => append(&mut text, piece),
                Step::Character(c) => text.to_mut().push(c),
                Step::Open(_) => self.skip()?,
                Step::Close | Step::End => return Ok(text),
            }
        }
    }

    /// As [`Xml::text`], for names: a longer one is cut. It stands in each row that is about what it names.
    pub fn name(&mut self) -> Result<String> {
        let mut name = self.text()?.into_owned();
        if name.len() > NAME_BYTES {
            name.truncate(name.floor_char_boundary(NAME_BYTES));
            name.push('…');
            self.note(oddity::NAME_CUT);
        }
        Ok(name)
    }

    /// As [`Xml::text`], for values that stand either bare or in one child: the first child's name and text win.
    pub fn leaf(&mut self) -> Result<(Option<Element<'a>>, Cow<'a, str>)> {
        let mut bare = Cow::Borrowed("");
        let mut inner = None;
        loop {
            match self.step()? {
                Step::Text(piece) => append(&mut bare, piece),
                Step::Character(c) => bare.to_mut().push(c),
                Step::Open(element) if inner.is_none() => inner = Some((element, self.text()?)),
                Step::Open(_) => self.skip()?,
                Step::Close | Step::End => break,
            }
        }
        Ok(match inner {
            Some((element, text)) => (Some(element), text),
            None => (None, bare),
        })
    }

    /// What is made of the text of the innermost open element; `None`, and a defect, where that is nothing.
    pub fn value<T>(
        &mut self,
        element: &str,
        defects: &mut Capped<Defect>,
        parse: fn(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        let text = self.text()?;
        let value = parse(&text);
        if value.is_none() {
            let kind = DocumentDefect::Field { of: self.of, text: excerpt(&text) };
            defects.push(Defect::new(kind).within(element.to_owned()));
        }
        Ok(value)
    }

    /// Passes over what is left of the innermost open element.
    #[inline]
    pub fn skip(&mut self) -> Result<()> {
        let outside = self.depth().saturating_sub(1);
        while self.depth() > outside {
            if self.take_leaf().is_some() {
                continue;
            }
            self.pass_text();
            if matches!(self.step()?, Step::End) {
                break;
            }
        }
        Ok(())
    }

    /// The text of the innermost open element, if that is a plain leaf, which is closed by this.
    #[inline]
    fn take_leaf(&mut self) -> Option<&'a str> {
        let text = self.leaf.take()?;
        self.open.pop();
        Some(text)
    }

    /// What is left of the document, where tags may be read here: inside of the root element and behind a tag.
    #[inline]
    fn rest(&self) -> Option<&'a str> {
        let here = self.behind_tag && !self.closing && self.leaf.is_none() && !self.open.is_empty();
        here.then(|| self.text.get(self.text.len() - self.reader.get_ref().len()..))?
    }

    /// Goes on to the next tag, if there is no reference before it.
    #[inline]
    fn pass_text(&mut self) {
        let Some(rest) = self.rest() else { return };
        if rest.starts_with('<') {
            return;
        }
        match memchr2(b'<', b'&', rest.as_bytes()) {
            Some(bytes) if rest[bytes..].starts_with('<') => self.reader.stream().consume(bytes),
            _ => {}
        }
    }

    /// Passes over what stands plainly at this place, if anything does.
    #[inline]
    fn plain(&mut self) -> Option<Plain<'a>> {
        let rest = self.rest()?;
        let tag = rest.strip_prefix('<')?;
        let (plain, after) = match tag.strip_prefix('/') {
            Some(end) => (Plain::Close, end.strip_prefix(*self.open.last()?)?.strip_prefix('>')?),
            None if self.depth() < self.depth_limit => plain_element(tag)?,
            None => return None,
        };
        self.reader.stream().consume(rest.len() - after.len());
        Some(plain)
    }

    /// Reads on to the document's end, so that a fault behind the root element is seen.
    pub fn finish(&mut self) -> Result<()> {
        while !matches!(self.step()?, Step::End) {}
        Ok(())
    }

    /// The next thing in the document.
    #[inline]
    pub fn step(&mut self) -> Result<Step<'a>> {
        if let Some(text) = self.leaf.take() {
            self.closing = true;
            return Ok(Step::Text(Cow::Borrowed(text)));
        }
        if std::mem::take(&mut self.closing) {
            self.close();
            return Ok(Step::Close);
        }
        match self.plain() {
            Some(Plain::Open(name)) => {
                self.open.push(name);
                Ok(Step::Open(Element(Tag::Plain(name))))
            }
            Some(Plain::Leaf(name, text)) => {
                self.open.push(name);
                self.leaf = Some(text);
                Ok(Step::Open(Element(Tag::Plain(name))))
            }
            Some(Plain::Close) => {
                self.close();
                Ok(Step::Close)
            }
            None => self.other_step(),
        }
    }

    /// The next thing that is not plain.
    fn other_step(&mut self) -> Result<Step<'a>> {
        loop {
            let begin = self.before + self.passed().len();
            match self.event()? {
                Event::End(tag) => {
                    self.check_end(&tag, begin)?;
                    self.close();
                    return Ok(Step::Close);
                }
                Event::Start(tag) => {
                    self.open(&tag)?;
                    return Ok(Step::Open(Element(Tag::Event(tag))));
                }
                Event::Text(text) if self.depth() > 0 => return Ok(Step::Text(text.into_inner())),
                other => {
                    if let Some(step) = self.rare(other)? {
                        return Ok(step);
                    }
                }
            }
        }
    }

    #[inline]
    fn event(&mut self) -> Result<Event<'a>> {
        let event = self.reader.read_event().map_err(|error| {
            let offset = self.before + self.reader.error_position() as usize;
            let what = XmlFault::Syntax { words: error.to_string() };
            Box::new(Fault { what, offset, depth_limit: None })
        })?;
        self.behind_tag = matches!(event, Event::Start(_) | Event::End(_) | Event::Empty(_));
        Ok(event)
    }

    /// What an event means that is not one of the commonest; `None` where it means nothing.
    #[inline(never)]
    fn rare(&mut self, event: Event<'a>) -> Result<Option<Step<'a>>> {
        Ok(match event {
            Event::Empty(tag) => {
                self.open(&tag)?;
                self.closing = true;
                Some(Step::Open(Element(Tag::Event(tag))))
            }
            Event::Text(text) => {
                let text = text.into_inner();
                if self.depth() == 0 && !text.trim_ascii().is_empty() {
                    return Err(self.fault(XmlFault::TextOutside));
                }
                Some(Step::Text(text))
            }
            Event::GeneralRef(reference) => self.resolve(&reference).map(Step::Character),
            Event::CData(data) => Some(Step::Text(data.into_inner())),
            Event::Decl(declaration) => {
                // The reader has passed it: before it stand its own bytes and whatever should not be there.
                let bytes = declaration.len() + "<??>".len();
                if self.reader.buffer_position() as usize > bytes {
                    self.unclean(Unclean::LateDeclaration);
                }
                self.declared(&declaration);
                None
            }
            Event::DocType(_) => {
                self.unclean(Unclean::Dtd);
                None
            }
            Event::Comment(_) | Event::PI(_) => None,
            // quick-xml does not mind unclosed elements.
            Event::Eof if self.depth() > 0 => {
                return Err(self.fault(XmlFault::EndsOpen { elements: self.depth() as u64 }));
            }
            Event::Eof => Some(Step::End),
            Event::Start(_) | Event::End(_) => None,
        })
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        if self.depth() == 0 {
            if self.rooted {
                return Err(self.fault(XmlFault::SecondRoot));
            }
            self.rooted = true;
        }
        if self.depth() >= self.depth_limit {
            let mut fault = self.fault(XmlFault::TooDeep);
            fault.depth_limit = Some(self.depth_limit);
            return Err(fault);
        }
        self.open.push(self.name_of(tag));
        if !tag.attributes_raw().is_empty() {
            self.attributes(tag);
        }
        if let Some((prefix, _)) = tag.name().into_inner().split_once(':') {
            self.prefixed(prefix);
        }
        Ok(())
    }

    /// What stands before this place.
    fn passed(&self) -> &'a str {
        &self.text[..self.text.len() - self.reader.get_ref().len()]
    }

    /// The name in the tag that was just read, as a piece of the document.
    fn name_of(&self, tag: &BytesStart<'_>) -> &'a str {
        let passed = self.passed();
        let inside = passed.strip_suffix("/>").or_else(|| passed.strip_suffix('>')).unwrap_or(passed);
        &inside[inside.len() - tag.len()..][..tag.name().into_inner().len()]
    }

    /// Whether this tag, which begins here, is the end of the innermost open element.
    fn check_end(&self, tag: &BytesEnd<'_>, begin: usize) -> Result<()> {
        let found = tag.name().into_inner();
        let wrong = match self.open.last() {
            Some(&expected) if expected == found => return Ok(()),
            Some(&expected) => {
                IllFormedError::MismatchedEndTag { expected: expected.into(), found: found.into() }
            }
            None => IllFormedError::UnmatchedEndTag(found.into()),
        };
        let mut fault = self.fault(XmlFault::Syntax { words: quick_xml::Error::from(wrong).to_string() });
        // As quick-xml tells of faults: where the tag begins.
        fault.offset = begin;
        Err(fault)
    }

    #[inline]
    fn close(&mut self) {
        while self.prefixes.last().is_some_and(|(depth, _)| *depth >= self.depth()) {
            self.prefixes.pop();
        }
        self.open.pop();
    }

    /// What quick-xml lets pass and XML readers refuse: attributes that are none or stand twice, and prefixes that
    /// nobody declared.
    fn attributes(&mut self, tag: &BytesStart<'_>) {
        let mut names = Vec::new();
        // Its own search for doubles takes the square of their number.
        for attribute in tag.attributes().with_checks(false) {
            match attribute {
                Ok(attribute) => names.push(attribute.key.into_inner()),
                Err(_) => self.unclean(Unclean::NoAttribute),
            }
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            self.unclean(Unclean::AttributeTwice);
        }
        for name in &names {
            let Some(mut declared) = name.strip_prefix("xmlns:") else { continue };
            if let Some(name) = declared.strip_prefix("xmlns:") {
                self.note(oddity::DOUBLED_XMLNS);
                declared = name;
            }
            if self.prefixes.len() < PREFIXES {
                self.prefixes.push((self.depth(), declared.to_owned()));
            }
        }
        for (prefix, _) in names.iter().filter_map(|name| name.split_once(':')) {
            self.prefixed(prefix);
        }
    }

    /// A name with this prefix stands here.
    fn prefixed(&mut self, prefix: &str) {
        let known = matches!(prefix, "xml" | "xmlns")
            || self.prefixes.len() >= PREFIXES
            || self.prefixes.iter().any(|(_, declared)| declared == prefix);
        if !known {
            self.unclean(Unclean::UndeclaredPrefix);
        }
    }

    fn declared(&mut self, declaration: &BytesDecl<'_>) {
        let utf_16 = matches!(declaration.encoding(), Some(Ok(name)) if name.eq_ignore_ascii_case("utf-16"));
        if utf_16 && !self.notes.oddities.contains(&oddity::UTF_16) {
            self.note(oddity::SAYS_UTF_16);
        }
    }

    /// The character that a reference stands for; `None` for one that XML does not allow.
    fn resolve(&mut self, reference: &BytesRef<'_>) -> Option<char> {
        let name: &str = reference;
        if let Some(number) = name.strip_prefix('#') {
            let character = character_reference(number);
            if character.is_none() {
                self.note(oddity::ILLEGAL_CHARACTER_REFERENCE);
            }
            return character;
        }
        let character = match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                self.unclean(Unclean::UnknownEntity);
                return None;
            }
        };
        Some(character)
    }

    /// Each kind of it once, at its first place.
    fn unclean(&mut self, what: Unclean) {
        let defect = Defect::new(DocumentDefect::Unclean { of: self.of, what });
        if self.notes.defects.iter().any(|known| known.kind == defect.kind) {
            return;
        }
        let offset = self.before + self.reader.buffer_position() as usize;
        self.notes.defects.push(defect.offset(offset));
    }
}

/// Nearly always there is one piece, and it stays borrowed.
#[inline]
fn append<'a>(text: &mut Cow<'a, str>, piece: Cow<'a, str>) {
    if text.is_empty() {
        *text = piece;
    } else {
        text.to_mut().push_str(&piece);
    }
}

/// The character with this number, if XML 1.0 allows it.
fn character_reference(number: &str) -> Option<char> {
    let value = match number.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    char::from_u32(value.ok()?)
        .filter(|&c| c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}' || c == '\t' || c == '\n' || c == '\r')
}
