//! The base of all XML decoders: a cursor over quick-xml that accepts the oddities of exporters.
//!
//! quick-xml yields events, but decoders need "the next child", "the text of this element" and "skip this". [`Xml`]
//! provides these. It never recurses, so hostile nesting does no harm. It borrows from the document, so unread elements
//! cost no allocation.
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

use crate::defect::{Defect, DocumentDefect, DocumentType};
pub use error::{Fault, Notes, Unclean, XmlFault, marked, oddity};
pub use fast_tags::plain_name;
use fast_tags::{Plain, plain_element};
use hullmark_finding::Capped;
use memchr::memchr2;
use quick_xml::{
    errors::IllFormedError,
    events::{BytesDecl, BytesEnd, BytesRef, BytesStart, Event},
    reader::Reader,
};
pub use root::{after_doctype, root_element};
pub use source::{MOST_RECODED, Source, control_character};
use std::{borrow::Cow, io::BufRead};
pub use value::{excerpt, parse_bool, parse_uuid};

/// Nested elements allowed in the small documents of an archive: control file, settings, parcels, items.
pub const SMALL_DOCUMENT_DEPTH: usize = 64;

/// Rows for defects of one kind in a parcel, in settings or in an item. Each element of these documents occurs once.
pub const SMALL_DOCUMENT_ROWS: usize = 100;

/// Maximum number of bytes in a name; grids store at most 255 characters.
pub const NAME_BYTES: usize = 1024;

/// Maximum number of bytes of a text that is put together from pieces, because it has references or comments. Other texts
/// are parts of the document. Scripts and the bytes of faces stay below 1 MB.
pub const MOST_JOINED: usize = 16 << 20;

/// Maximum number of declared prefixes that are tracked. Beyond it, every prefix counts as declared.
const PREFIXES: usize = 64;

/// A result of reading. The fault is boxed because success is a million times as frequent.
pub type Result<T> = std::result::Result<T, Box<Fault>>;

#[derive(Debug)]
pub struct Element<'a>(Tag<'a>);

#[derive(Debug)]
enum Tag<'a> {
    Event(BytesStart<'a>),
    Plain(&'a str),
}

impl Element<'_> {
    /// Returns the name as written, with its prefix.
    #[inline]
    pub fn name(&self) -> &str {
        match &self.0 {
            Tag::Event(tag) => tag.name().into_inner(),
            Tag::Plain(name) => name,
        }
    }

    /// Returns the value of an attribute, as written.
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
    Open(Element<'a>),
    /// The innermost open element ends.
    Close,
    Text(Cow<'a, str>),
    /// One character of text that was written as a reference.
    Character(char),
    /// The document ends with all elements closed.
    End,
}

/// A position in a document.
///
/// After [`Xml::child`] returns an element, read its content with exactly one of [`Xml::text`], [`Xml::leaf`] and
/// [`Xml::skip`], or call `child` until it returns `None`.
#[derive(Debug)]
pub struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    /// The whole document. The unread bytes of the reader are its tail.
    text: &'a str,
    /// Whether the reader is directly after a tag, not inside text or a reference.
    behind_tag: bool,
    /// The text of the innermost open element, if that is a plain leaf.
    leaf: Option<&'a str>,
    /// Whether the end of the innermost open element has been read but not yet returned.
    closing: bool,
    /// The names of open elements, innermost last.
    open: Vec<&'a str>,
    depth_limit: usize,
    rooted: bool,
    /// Prefixes that open elements declare, each with the depth of its element.
    prefixes: Vec<(usize, String)>,
    before: usize,
    of: DocumentType,
    notes: Notes,
    /// Bytes of the text, if it was left out because of them.
    too_long: Option<usize>,
}

impl<'a> Xml<'a> {
    /// Creates a cursor before the root element.
    pub fn new(source: &'a Source<'_>, depth_limit: usize) -> Self {
        let mut reader = Reader::from_str(&source.text);
        // The reader does not see all tags, so it cannot match them.
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
            too_long: source.too_long,
        }
    }

    /// Returns the number of open elements.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    pub fn note(&mut self, oddity: &'static str) {
        self.notes.oddity(oddity);
    }

    /// Returns the notes, after the document was read.
    pub fn into_notes(self) -> Notes {
        self.notes
    }

    /// Creates a fault at this position.
    pub fn fault(&self, what: XmlFault) -> Box<Fault> {
        let offset = self.before + self.reader.buffer_position() as usize;
        Box::new(Fault { what, offset, depth_limit: None, too_long: None })
    }

    /// Creates the fault of a text of more bytes than are allowed.
    fn of_long_text(&self, bytes: usize, limit: usize) -> Box<Fault> {
        let mut fault = self.fault(XmlFault::TooLong);
        fault.too_long = Some((bytes, limit));
        fault
    }

    pub fn root(&mut self) -> Result<Element<'a>> {
        loop {
            match self.step()? {
                Step::Open(element) => return Ok(element),
                Step::End => return Err(self.fault(XmlFault::NoElement)),
                _ => {}
            }
        }
    }

    /// Returns the next child of the innermost open element; `None` when that element ends.
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

    /// Returns the text of the innermost open element, up to its end. Elements inside it are skipped.
    #[inline]
    pub fn text(&mut self) -> Result<Cow<'a, str>> {
        if let Some(text) = self.take_leaf() {
            return Ok(Cow::Borrowed(text));
        }
        let mut text = Cow::Borrowed("");
        loop {
            match self.step()? {
                Step::Text(piece) => self.append(&mut text, piece)?,
                Step::Character(c) => self.push(&mut text, c.encode_utf8(&mut [0; 4]))?,
                Step::Open(_) => self.skip()?,
                Step::Close | Step::End => return Ok(text),
            }
        }
    }

    /// Like [`Xml::text`], for names: a long name is cut, because it is in every row about the named thing.
    pub fn name(&mut self) -> Result<String> {
        let text = self.text()?;
        if text.len() <= NAME_BYTES {
            return Ok(text.into_owned());
        }
        self.note(oddity::NAME_CUT);
        Ok(format!("{}…", &text[..text.floor_char_boundary(NAME_BYTES)]))
    }

    /// Like [`Xml::text`], without what follows these bytes. For texts that are compared with short ones.
    pub fn start(&mut self, bytes: usize) -> Result<String> {
        let text = self.text()?;
        Ok(text[..text.floor_char_boundary(bytes)].to_owned())
    }

    /// Appends a piece of text. There is usually only one piece, which stays borrowed.
    #[inline]
    fn append(&self, text: &mut Cow<'a, str>, piece: Cow<'a, str>) -> Result<()> {
        if !text.is_empty() {
            return self.push(text, &piece);
        }
        *text = piece;
        Ok(())
    }

    /// Appends a piece to a text that is put together.
    fn push(&self, text: &mut Cow<'a, str>, piece: &str) -> Result<()> {
        let bytes = text.len() + piece.len();
        if bytes > MOST_JOINED {
            return Err(self.of_long_text(bytes, MOST_JOINED));
        }
        text.to_mut().push_str(piece);
        Ok(())
    }

    /// Like [`Xml::text`], for values that are either bare or in one child. The name and text of the first child win.
    pub fn leaf(&mut self) -> Result<(Option<Element<'a>>, Cow<'a, str>)> {
        let mut bare = Cow::Borrowed("");
        let mut inner = None;
        loop {
            match self.step()? {
                Step::Text(piece) => self.append(&mut bare, piece)?,
                Step::Character(c) => self.push(&mut bare, c.encode_utf8(&mut [0; 4]))?,
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

    /// Parses the text of the innermost open element. If that fails, adds a defect and returns `None`.
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

    /// Skips the rest of the innermost open element.
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

    /// Returns the text of the innermost open element if that is a plain leaf, and closes it.
    #[inline]
    fn take_leaf(&mut self) -> Option<&'a str> {
        let text = self.leaf.take()?;
        self.open.pop();
        Some(text)
    }

    /// Returns the rest of the document if plain tags can be read here: inside the root element and directly after a
    /// tag.
    #[inline]
    fn rest(&self) -> Option<&'a str> {
        let here = self.behind_tag && !self.closing && self.leaf.is_none() && !self.open.is_empty();
        here.then(|| self.text.get(self.text.len() - self.reader.get_ref().len()..))?
    }

    /// Advances to the next tag, if no reference precedes it.
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

    /// Reads the plain tag or element at this position, if there is one.
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

    /// Reads to the end of the document, so that a fault after the root element is found.
    pub fn finish(&mut self) -> Result<()> {
        while !matches!(self.step()?, Step::End) {}
        Ok(())
    }

    /// Returns the next step through the document.
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

    /// Returns the next step at a position without a plain tag.
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
        if let Some(bytes) = self.too_long {
            return Err(self.of_long_text(bytes, MOST_RECODED));
        }
        let event = self.reader.read_event().map_err(|error| {
            let offset = self.before + self.reader.error_position() as usize;
            let what = XmlFault::Syntax { words: error.to_string() };
            Box::new(Fault { what, offset, depth_limit: None, too_long: None })
        })?;
        self.behind_tag = matches!(event, Event::Start(_) | Event::End(_) | Event::Empty(_));
        Ok(event)
    }

    /// Handles the rarer events; `None` if an event has no meaning for decoders.
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
                // The reader is past the declaration. If more bytes than its own were read, other content precedes it.
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
            // quick-xml accepts unclosed elements.
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

    /// Returns the text before this position.
    fn passed(&self) -> &'a str {
        &self.text[..self.text.len() - self.reader.get_ref().len()]
    }

    /// Returns the name in the tag that was just read, borrowed from the document.
    fn name_of(&self, tag: &BytesStart<'_>) -> &'a str {
        let passed = self.passed();
        let inside = passed.strip_suffix("/>").or_else(|| passed.strip_suffix('>')).unwrap_or(passed);
        &inside[inside.len() - tag.len()..][..tag.name().into_inner().len()]
    }

    /// Checks that this end tag, which starts at `begin`, closes the innermost open element.
    fn check_end(&self, tag: &BytesEnd<'_>, begin: usize) -> Result<()> {
        let found = tag.name().into_inner();
        let wrong = match self.open.last() {
            Some(&expected) if expected == found => return Ok(()),
            Some(&expected) => {
                IllFormedError::MismatchedEndTag { expected: excerpt(expected), found: excerpt(found) }
            }
            None => IllFormedError::UnmatchedEndTag(excerpt(found)),
        };
        let mut fault = self.fault(XmlFault::Syntax { words: quick_xml::Error::from(wrong).to_string() });
        // Like quick-xml, report the start of the tag.
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

    /// Notes faults that quick-xml accepts and XML readers refuse: invalid attributes, repeated attributes and
    /// undeclared prefixes.
    fn attributes(&mut self, tag: &BytesStart<'_>) {
        let mut names = Vec::new();
        // quick-xml's own search for repeated attributes takes quadratic time.
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

    /// Returns the character of a reference; `None` if XML does not allow it.
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

    /// Adds a defect for each kind of fault once, at its first position.
    fn unclean(&mut self, what: Unclean) {
        let defect = Defect::new(DocumentDefect::Unclean { of: self.of, what });
        if self.notes.defects.iter().any(|known| known.kind == defect.kind) {
            return;
        }
        let offset = self.before + self.reader.buffer_position() as usize;
        self.notes.defects.push(defect.offset(offset));
    }
}

/// Returns the character with this number, if XML 1.0 allows it.
fn character_reference(number: &str) -> Option<char> {
    let value = match number.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    char::from_u32(value.ok()?)
        .filter(|&c| c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}' || c == '\t' || c == '\n' || c == '\r')
}
