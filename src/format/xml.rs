//! What all XML documents of an export share: a cursor over quick-xml that forgives what exporters do.
//!
//! quick-xml gives events; decoders want "the next child", "the text of this element", "skip this". That is
//! [`Xml`]. It is iterative throughout, so a hostile document can nest as it likes, and it borrows from the
//! document, so an element that nobody reads costs no allocation.
//!
//! Nearly all tags of an object are *plain*: a name of letters and digits between angle brackets. These are read here,
//! because what quick-xml makes of each tag costs more than all that is done with it. Whatever is not as plain is left to
//! quick-xml, untouched; so the names of open elements are kept here as well, and ends are compared with them.
//!
//! Three kinds of trouble are kept apart. A [`Fault`] ends the reading: the document is not well-formed, or too
//! deep. A finding says that the text is not clean (not UTF-8, a DTD) although it could be read. A note records
//! an oddity of exporters that does no harm.

use crate::finding::{Code, Finding};
use memchr::memchr2;
use quick_xml::{
    errors::IllFormedError,
    events::{BytesDecl, BytesEnd, BytesRef, BytesStart, Event},
    reader::Reader,
};
use std::{borrow::Cow, io::BufRead};
use uuid::Uuid;

/// Nested elements allowed in the small documents of an archive: control file, settings, parcels, items.
pub const SMALL_DOCUMENT_DEPTH: usize = 64;

/// Declared prefixes that are told apart; where there are more, any is taken for declared.
const PREFIXES: usize = 64;

/// Names of the oddities that do no harm.
pub mod oddity {
    /// NUL bytes after the document's end: every object asset of an archive has one.
    pub const TRAILING_NUL: &str = "trailing-nul";
    /// `encoding="utf-16"` over a document in UTF-8, as .NET's `StringWriter` makes it.
    pub const SAYS_UTF_16: &str = "says-utf-16";
    /// A document really in UTF-16, with a byte order mark.
    pub const UTF_16: &str = "utf-16";
    /// A byte order mark before a document in UTF-8.
    pub const BYTE_ORDER_MARK: &str = "byte-order-mark";
    /// `xmlns:xmlns:xsi`.
    pub const DOUBLED_XMLNS: &str = "doubled-xmlns";
    /// `&#x0;` and others that XML does not allow; read as nothing.
    pub const ILLEGAL_CHARACTER_REFERENCE: &str = "illegal-character-reference";
}

/// Why OpenSim refuses a document of an archive that has these oddities, although it can be read. It decodes all
/// of them as UTF-8 and hands the text to its XML reader, which sees something stand before the root element.
pub fn refused_by_opensim(oddities: &[&str]) -> Option<&'static str> {
    if oddities.contains(&oddity::UTF_16) {
        Some("it is UTF-16, and OpenSim reads all text as UTF-8")
    } else if oddities.contains(&oddity::BYTE_ORDER_MARK) {
        Some("it begins with a byte order mark, which OpenSim takes for text before the root element")
    } else {
        None
    }
}

/// Why the reading of a document ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What was wrong.
    pub what: String,
    /// Byte of the document where it was seen.
    pub offset: usize,
    /// The limit, where the fault is that elements nest deeper than it.
    pub depth_limit: Option<usize>,
}

/// What reading gives; the fault is boxed because the good way is taken a million times as often.
pub type Result<T> = std::result::Result<T, Box<Fault>>;

impl Fault {
    /// The finding for this fault: of code `malformed`, or ARC012 where a limit was reached. `aside` says what
    /// was saved.
    pub fn finding(&self, malformed: Code, aside: &str) -> Finding {
        let detail = format!("{} at byte {}{aside}", self.what, self.offset);
        let finding = match self.depth_limit {
            Some(limit) => Finding::new(Code::ARC012)
                .measured(limit as f64 + 1.0)
                .limit(limit as f64)
                .within("xml_depth"),
            None => Finding::new(malformed),
        };
        finding.detail(detail).offset(self.offset)
    }
}

/// What was noticed besides the content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// Oddities that do no harm, each once.
    pub oddities: Vec<&'static str>,
    /// That the text is not clean; of the code that the caller gave.
    pub findings: Vec<Finding>,
}

impl Notes {
    /// Records an oddity.
    pub fn oddity(&mut self, name: &'static str) {
        if !self.oddities.contains(&name) {
            self.oddities.push(name);
        }
    }
}

/// A document as text, whatever its bytes were.
#[derive(Debug)]
pub struct Source<'a> {
    text: Cow<'a, str>,
    /// Bytes before the text: those of a byte order mark.
    before: usize,
    unclean: Code,
    notes: Notes,
}

impl<'a> Source<'a> {
    /// Makes text of `bytes`. What is not clean becomes a finding of code `unclean`.
    pub fn new(bytes: &'a [u8], unclean: Code) -> Self {
        let mut source = Self { text: Cow::Borrowed(""), before: 0, unclean, notes: Notes::default() };
        source.text = source.decode(bytes);
        source.trim();
        source.check_characters();
        source
    }

    /// UTF-16 needs its byte order mark: without one, a declaration of utf-16 is an exporter's mistake.
    fn decode(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match bytes {
            [0xEF, 0xBB, 0xBF, rest @ ..] => {
                self.before = 3;
                self.notes.oddity(oddity::BYTE_ORDER_MARK);
                self.decode_utf8(rest)
            }
            [0xFF, 0xFE, rest @ ..] => self.decode_utf16(rest, u16::from_le_bytes),
            [0xFE, 0xFF, rest @ ..] => self.decode_utf16(rest, u16::from_be_bytes),
            _ => self.decode_utf8(bytes),
        }
    }

    fn decode_utf8(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                self.unclean("it is not UTF-8", error.valid_up_to());
                String::from_utf8_lossy(bytes)
            }
        }
    }

    fn decode_utf16(&mut self, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'a, str> {
        self.notes.oddity(oddity::UTF_16);
        let mut units = bytes.chunks_exact(2);
        let mut clean = true;
        let text: String = char::decode_utf16(units.by_ref().map(|pair| unit([pair[0], pair[1]])))
            .map(|read| {
                read.unwrap_or_else(|_| {
                    clean = false;
                    char::REPLACEMENT_CHARACTER
                })
            })
            .collect();
        if !clean || !units.remainder().is_empty() {
            self.unclean("it has a UTF-16 byte order mark and is not UTF-16", 0);
        }
        Cow::Owned(text)
    }

    /// Cuts off NULs at the end, with white space among them.
    fn trim(&mut self) {
        let kept = self.text.trim_end_matches(|c: char| c == '\0' || c.is_ascii_whitespace()).len();
        if self.text[kept..].contains('\0') {
            self.notes.oddity(oddity::TRAILING_NUL);
            match &mut self.text {
                Cow::Borrowed(text) => *text = &text[..kept],
                Cow::Owned(text) => text.truncate(kept),
            }
        }
    }

    /// Control characters are refused by every XML reader, and they are no reason for us to stop.
    fn check_characters(&mut self) {
        let illegal = |&b: &u8| b < 0x20 && b != b'\t' && b != b'\n' && b != b'\r';
        // Folding over whole blocks lets the compiler use vectors; the exact byte is looked for only once.
        let block = 4096;
        let found = self.text.as_bytes().chunks(block).enumerate().find_map(|(n, bytes)| {
            let any = bytes.iter().fold(false, |any, byte| any | illegal(byte));
            any.then(|| n * block + bytes.iter().position(illegal).unwrap_or(0))
        });
        if let Some(offset) = found {
            let byte = self.text.as_bytes()[offset];
            self.unclean(&format!("control character {byte:#04x}"), offset);
        }
    }

    fn unclean(&mut self, what: &str, offset: usize) {
        let offset = self.before + offset;
        let finding = Finding::new(self.unclean).detail(format!("{what} (byte {offset})")).offset(offset);
        self.notes.findings.push(finding);
    }
}

/// A start tag.
#[derive(Debug)]
pub struct Element<'a>(Tag<'a>);

#[derive(Debug)]
enum Tag<'a> {
    Event(BytesStart<'a>),
    Plain(&'a str),
}

/// What stands plainly at a place.
enum Plain<'a> {
    /// The tag that begins an element.
    Open(&'a str),
    /// An element with nothing but text in it, which may be empty.
    Leaf(&'a str, &'a str),
    /// The tag that ends the innermost open element.
    Close,
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
    unclean: Code,
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
            unclean: source.unclean,
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
    pub fn fault(&self, what: impl Into<String>) -> Box<Fault> {
        let offset = self.before + self.reader.buffer_position() as usize;
        Box::new(Fault { what: what.into(), offset, depth_limit: None })
    }

    /// The root element.
    pub fn root(&mut self) -> Result<Element<'a>> {
        loop {
            match self.step()? {
                Step::Open(element) => return Ok(element),
                Step::End => return Err(self.fault("there is no element in it")),
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
            Box::new(Fault { what: error.to_string(), offset, depth_limit: None })
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
                    return Err(self.fault("text outside of the root element"));
                }
                Some(Step::Text(text))
            }
            Event::GeneralRef(reference) => self.resolve(&reference).map(Step::Character),
            Event::CData(data) => Some(Step::Text(data.into_inner())),
            Event::Decl(declaration) => {
                // The reader has passed it: before it stand its own bytes and whatever should not be there.
                let bytes = declaration.len() + "<??>".len();
                if self.reader.buffer_position() as usize > bytes {
                    self.unclean("an XML declaration that is not at the start");
                }
                self.declared(&declaration);
                None
            }
            Event::DocType(_) => {
                self.unclean("it contains a DTD, which is not expanded");
                None
            }
            Event::Comment(_) | Event::PI(_) => None,
            // quick-xml does not mind unclosed elements.
            Event::Eof if self.depth() > 0 => {
                return Err(self.fault(format!("the document ends with {} elements open", self.depth())));
            }
            Event::Eof => Some(Step::End),
            Event::Start(_) | Event::End(_) => None,
        })
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        if self.depth() == 0 {
            if self.rooted {
                return Err(self.fault("a second root element"));
            }
            self.rooted = true;
        }
        if self.depth() >= self.depth_limit {
            let mut fault = self.fault("elements nest too deep");
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
        let mut fault = self.fault(quick_xml::Error::from(wrong).to_string());
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
                Err(_) => self.unclean("something in a tag that is no attribute"),
            }
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            self.unclean("an attribute that stands twice in its tag");
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
            self.unclean("a prefix that is not declared");
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
                self.unclean("an entity that XML does not know");
                return None;
            }
        };
        Some(character)
    }

    /// Each kind of it once, at its first place.
    fn unclean(&mut self, what: &'static str) {
        if self.notes.findings.iter().any(|known| known.detail.starts_with(what)) {
            return;
        }
        let offset = self.before + self.reader.buffer_position() as usize;
        let finding = Finding::new(self.unclean).detail(format!("{what} (byte {offset})")).offset(offset);
        self.notes.findings.push(finding);
    }
}

/// The element or the tag that begins behind this `<`, if it is plain, and what is behind it.
#[inline]
fn plain_element(tag: &str) -> Option<(Plain<'_>, &str)> {
    let name = &tag[..tag.bytes().position(|byte| !byte.is_ascii_alphanumeric())?];
    if name.is_empty() {
        return None;
    }
    let behind = &tag[name.len()..];
    let Some(content) = behind.strip_prefix('>') else {
        let after = behind.strip_prefix(" />").or_else(|| behind.strip_prefix("/>"))?;
        return Some((Plain::Leaf(name, ""), after));
    };
    let text = &content[..memchr2(b'<', b'&', content.as_bytes())?];
    let end = content[text.len()..].strip_prefix("</").and_then(|end| end.strip_prefix(name));
    Some(match end.and_then(|end| end.strip_prefix('>')) {
        Some(after) => (Plain::Leaf(name, text), after),
        None => (Plain::Open(name), content),
    })
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

/// The name of the root element, from the first bytes of a file; `None` if they do not begin an XML document or
/// are cut before the name's end.
pub fn root_element(bytes: &[u8]) -> Option<String> {
    // Cut in the middle of a character is fine here, and a tag's name is ASCII in all formats we know.
    let source =
        Source { text: Cow::Borrowed(""), before: 0, unclean: Code::OBJ002, notes: Notes::default() };
    let text = { source }.decode(bytes);
    let mut rest = text.as_ref();
    loop {
        rest = rest.trim_ascii_start();
        rest = match () {
            () if rest.starts_with("<?") => rest.split_once("?>")?.1,
            () if rest.starts_with("<!--") => rest[4..].split_once("-->")?.1,
            () if rest.starts_with("<!") => after_doctype(rest)?,
            () => break,
        };
    }
    let tag = rest.strip_prefix('<')?;
    let end = tag.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/')?;
    let name = &tag[..end];
    let good = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
    good.then(|| name.to_owned())
}

/// What follows a DTD, whose declarations stand in brackets.
fn after_doctype(text: &str) -> Option<&str> {
    let end = text.find(['>', '['])?;
    if text[end..].starts_with('>') {
        return Some(&text[end + 1..]);
    }
    let close = end + text[end..].find(']')?;
    Some(text[close..].split_once('>')?.1)
}

/// `true`, `false`, `1` or `0`, in any case.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text.trim_ascii() {
        "false" | "False" | "0" => Some(false),
        "true" | "True" | "1" => Some(true),
        other if other.eq_ignore_ascii_case("true") => Some(true),
        other if other.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A UUID in any of the usual ways of writing.
pub fn parse_uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text.trim_ascii()).ok()
}

/// The first characters of a text, to show what could not be read.
pub fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> Source<'_> {
        Source::new(bytes, Code::OBJ002)
    }

    /// Reads a document to its end.
    fn read(bytes: &[u8]) -> (Result<()>, Notes) {
        let source = source(bytes);
        let mut xml = Xml::new(&source, 8);
        let result = xml.finish();
        (result, xml.into_notes())
    }

    fn text_of(document: &str) -> String {
        let source = source(document.as_bytes());
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        xml.text().unwrap().into_owned()
    }

    #[test]
    fn text_is_gathered_over_references_and_cdata() {
        assert_eq!(text_of("<a>Dred&amp;Teal &lt;3 &#65;&#x42;<![CDATA[<&>]]></a>"), "Dred&Teal <3 AB<&>");
        assert_eq!(text_of("<a>x<b>not this</b>y</a>"), "xy");
        assert_eq!(text_of("<a/>"), "");
    }

    #[test]
    fn children_are_walked_and_subtrees_skipped() {
        let source = source(b"<r> <a/> <b><c><b>1</b></c></b> <d>2</d> </r><!-- end -->");
        let mut xml = Xml::new(&source, 8);
        assert_eq!(xml.root().unwrap().name(), "r");
        assert_eq!(xml.child().unwrap().unwrap().name(), "a");
        xml.skip().unwrap();
        assert_eq!(xml.child().unwrap().unwrap().name(), "b");
        xml.skip().unwrap();
        assert_eq!(xml.child().unwrap().unwrap().name(), "d");
        assert_eq!(xml.text().unwrap(), "2");
        assert!(xml.child().unwrap().is_none());
        xml.finish().unwrap();
    }

    #[test]
    fn a_leaf_is_bare_or_in_a_child() {
        for (document, name, text) in [
            ("<U>bare</U>", None, "bare"),
            ("<U> <Guid>1&amp;2</Guid> <x/> </U>", Some("Guid"), "1&2"),
            ("<U><UUID/></U>", Some("UUID"), ""),
            ("<U/>", None, ""),
        ] {
            let source = source(document.as_bytes());
            let mut xml = Xml::new(&source, 8);
            xml.root().unwrap();
            let (element, value) = xml.leaf().unwrap();
            assert_eq!(element.as_ref().map(Element::name), name);
            assert_eq!(value, text);
            xml.finish().unwrap();
        }
    }

    #[test]
    fn oddities_are_forgiven_and_recorded() {
        let (result, notes) = read(
            b"<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<a xmlns:xmlns:xsi=\"x\"><b>&#x0;&#2;</b></a>\n\0\0",
        );
        result.unwrap();
        let mut oddities = notes.oddities;
        oddities.sort_unstable();
        assert_eq!(oddities, ["doubled-xmlns", "illegal-character-reference", "says-utf-16", "trailing-nul"]);
        assert_eq!(notes.findings, []);
    }

    #[test]
    fn utf_16_with_a_mark_is_decoded() {
        let document = "<?xml version=\"1.0\" encoding=\"utf-16\"?><a>Größe 🙂</a>";
        let little: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain(document.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let big: Vec<u8> =
            [0xFE, 0xFF].into_iter().chain(document.encode_utf16().flat_map(u16::to_be_bytes)).collect();
        for bytes in [&little, &big] {
            let source = source(bytes);
            let mut xml = Xml::new(&source, 8);
            xml.root().unwrap();
            assert_eq!(xml.text().unwrap(), "Größe 🙂");
            assert_eq!(xml.into_notes().oddities, ["utf-16"]);
        }
        let (_, notes) = read(&little[..little.len() - 1]);
        assert_eq!(notes.findings[0].code, Code::OBJ002);
    }

    #[test]
    fn unclean_text_is_a_finding_and_no_fault() {
        let findings = |bytes| {
            let (result, notes) = read(bytes);
            result.unwrap();
            notes.findings.into_iter().map(|f| (f.code, f.place.offset)).collect::<Vec<_>>()
        };
        assert_eq!(findings(b"\xEF\xBB\xBF<a>caf\xE9</a>"), [(Code::OBJ002, Some(9))]);
        assert_eq!(findings(b"<a>\x01</a>"), [(Code::OBJ002, Some(3))]);
        assert_eq!(
            findings(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;&b;</a>"),
            [(Code::OBJ002, Some(30)), (Code::OBJ002, Some(36))]
        );
        assert_eq!(findings(b"\xEF\xBB\xBF<a>\t\r\n</a>"), []);
    }

    #[test]
    fn what_xml_readers_refuse_and_quick_xml_lets_pass_is_told() {
        let told = |document: &str| {
            let (result, notes) = read(document.as_bytes());
            result.unwrap();
            notes.findings.into_iter().map(|finding| finding.detail).collect::<Vec<_>>()
        };
        for (document, detail) in [
            (" <?xml version='1.0'?><a/>", "an XML declaration that is not at the start (byte 22)"),
            ("<a b='1' c='2' b='3'/>", "an attribute that stands twice in its tag (byte 22)"),
            ("<a b/>", "something in a tag that is no attribute (byte 6)"),
            ("<a><x:b/></a>", "a prefix that is not declared (byte 9)"),
            ("<a xsi:nil='true'/>", "a prefix that is not declared (byte 19)"),
            ("<a><b xmlns:x='y'/><b x:c=''/></a>", "a prefix that is not declared (byte 30)"),
        ] {
            assert_eq!(told(document), [detail], "{document}");
        }
        for sound in [
            "<?xml version='1.0'?><a xmlns:x='y' x:c='1'><x:b xml:lang='en'><x:b/></x:b></a>",
            "<a xmlns:xmlns:xsi='x'><b xsi:nil='true'/></a>",
            "<a b='1' c='1'/>",
        ] {
            assert_eq!(told(sound), [""; 0], "{sound}");
        }
    }

    /// What is read must not depend on which elements are simple enough for the short way.
    #[test]
    fn simple_leaves_are_read_as_all_others() {
        let simple = "<r><a>1</a><b></b><c>x > y</c><d><e>é</e><f/></d><a>2</a> <g>3</g></r>";
        let special = simple.replace("<a>", "<a >").replace("<b>", "<b x='y'>").replace("3<", "&#x33;<");
        let read = |document: &str, skipped: &str| {
            let source = source(document.as_bytes());
            let mut xml = Xml::new(&source, 8);
            xml.root().unwrap();
            let mut seen = Vec::new();
            while let Some(element) = xml.child().unwrap() {
                let name = element.name().to_owned();
                match name == skipped {
                    true => xml.skip().unwrap(),
                    false => seen.push((name, xml.leaf().unwrap().1.into_owned())),
                }
            }
            xml.finish().unwrap();
            assert_eq!(xml.depth(), 0);
            seen
        };
        for skipped in ["", "a", "b", "c", "d", "g"] {
            assert_eq!(read(simple, skipped), read(&special, skipped));
        }
        let all = [("a", "1"), ("b", ""), ("c", "x > y"), ("d", "é"), ("a", "2"), ("g", "3")];
        assert_eq!(read(simple, ""), all.map(|(name, text)| (name.to_owned(), text.to_owned())));
        // A byte order mark more than there should be must not shift what is read.
        assert_eq!(read(&format!("\u{FEFF}\u{FEFF}{simple}"), "b"), read(simple, "b"));
    }

    #[test]
    fn faults_have_their_byte() {
        for (document, offset) in [
            (&b"<a><b></a>"[..], 6),
            (b"<a><b>", 6),
            (b"<a/><b/>", 8),
            (b"<a/>tail", 8),
            (b"", 0),
            (b"<a>AT&T</a>", 5),
        ] {
            let source = source(document);
            let mut xml = Xml::new(&source, 8);
            let fault = xml.root().and_then(|_| xml.finish()).unwrap_err();
            assert_eq!(fault.offset, offset, "{}: {}", String::from_utf8_lossy(document), fault.what);
            assert_eq!(fault.finding(Code::OBJ001, "").code, Code::OBJ001);
        }
    }

    #[test]
    fn an_end_is_told_from_that_of_another_element_however_either_is_written() {
        let wrong = |found: &str| format!("ill-formed document: expected `</b>`, but `</{found}>` was found");
        for (document, what, offset) in [
            ("<a><b></a>", wrong("a"), 6),
            ("<a><b x='>'></a>", wrong("a"), 12),
            ("<a><b>1<c/></bb>", wrong("bb"), 11),
            ("<a><b>1</a</b>", wrong("a</b"), 7),
            ("<a><b x='y'><c/></b ></b>", wrong("b").replace("</b>`, but", "</a>`, but"), 21),
            (
                "<a x='y'/></a >",
                "ill-formed document: close tag `</a>` does not match any open tag".into(),
                10,
            ),
        ] {
            let fault = read(document.as_bytes()).0.unwrap_err();
            assert_eq!((&fault.what, fault.offset), (&what, offset), "{document}");
        }
        read(b"<a x='y'><b\n><c d='e' /></b\n></a>").0.unwrap();
    }

    #[test]
    fn depth_is_limited_also_in_what_is_skipped() {
        let document = b"<a>".repeat(100_000);
        let source = source(&document);
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        let fault = xml.skip().unwrap_err();
        assert_eq!(fault.depth_limit, Some(8));
        let finding = fault.finding(Code::OBJ001, "");
        assert_eq!((finding.code, finding.measured, finding.limit), (Code::ARC012, Some(9.0), Some(8.0)));
    }

    #[test]
    fn the_root_is_sniffed_from_a_cut_file() {
        let root = |bytes: &[u8]| root_element(bytes);
        assert_eq!(root(b"<scene><SceneObjectG").as_deref(), Some("scene"));
        assert_eq!(
            root(b"\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- <x> -->\n<LandData xm").as_deref(),
            Some("LandData")
        );
        assert_eq!(root(b"<!DOCTYPE a [<!ENTITY b \"c\">]><archive/>").as_deref(), Some("archive"));
        assert_eq!(root("<a>é".as_bytes().split_last().unwrap().1).as_deref(), Some("a"));
        assert_eq!(root(b"\xFF\xFE<\0a\0>\0").as_deref(), Some("a"));
        for other in
            [&b""[..], b"<scen", b"text", b"<?xml", b"<!-- ", b"<!DOCTYPE", b"<3 you>", b"< a>", b"{}"]
        {
            assert_eq!(root(other), None, "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn values_are_read_as_dotnet_reads_them() {
        assert_eq!(parse_bool(" TRUE "), Some(true));
        assert_eq!(parse_bool("0"), Some(false));
        assert_eq!(parse_bool("yes"), None);
        assert_eq!(parse_uuid("oops"), None);
        assert_eq!(excerpt(&"é".repeat(50)).chars().count(), 41);
    }
}
