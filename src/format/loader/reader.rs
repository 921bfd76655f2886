//! The nodes of a document, in order, as .NET's `XmlTextReader` returns them.
//!
//! It refuses the same documents and skips the white space that `XmlDocument` drops, so positions here equal positions
//! there. White space that `XmlDocument` retains is a node, as in the text that it writes for a part. quick-xml is more
//! lenient, which suits facts but not a verdict.

use super::text::{has_decimal, is_name, is_white, references, resolve, trim};
use crate::xml::{MOST_JOINED, after_doctype, plain_name};
use memchr::{memchr, memchr3, memmem};
use std::borrow::Cow;

/// Maximum number of declared prefixes that are tracked. Beyond it, every prefix counts as declared.
const PREFIXES: usize = 64;

/// The namespace of the prefix `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The namespace of the prefix `xmlns`, which documents may not declare.
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// Before the first node or after the last.
    None,
    Element,
    EndElement,
    Text,
    CData,
    /// White space that is kept: under `xml:space="preserve"`, or with a decimal reference in it. .NET reads the latter
    /// as text in the document, but as white space when it reads the part again.
    White,
    /// A comment or a processing instruction.
    Aside,
}

/// Why a document is not well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) why: &'static str,
    pub(super) offset: usize,
}

pub(super) type Read<T> = Result<T, Malformed>;

pub(super) const FORBIDDEN: &str = "a character that XML forbids";

/// An open element, and the scope inside it.
#[derive(Debug, Clone, Copy)]
struct Open<'a> {
    name: &'a str,
    scope: Scope,
}

/// The effect of attributes of outer elements on inner ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// Whether names without a prefix are in a namespace.
    namespaced: bool,
    /// Whether white space is kept (`xml:space="preserve"`).
    preserves: bool,
}

#[derive(Debug, Clone)]
pub(super) struct XmlReader<'a> {
    text: &'a str,
    /// Position of the next node.
    next: usize,
    kind: NodeKind,
    name: &'a str,
    /// The text of a text node, with unresolved references.
    value: &'a str,
    referenced: bool,
    start: usize,
    /// Whether the element ends in its own tag.
    empty: bool,
    /// Whether the name of the element has a prefix or a namespace.
    namespaced: bool,
    depth: usize,
    outer: Scope,
    open: Vec<Open<'a>>,
    /// Number of elements that are open while reading continues. An element that was entered ends the reading.
    least: usize,
    rooted: bool,
    /// Prefixes declared anywhere before; usually none or two.
    prefixes: Vec<&'a str>,
    /// Whether repeated `xmlns:` prefixes are read as one, because OpenSim repairs the document first.
    mended: bool,
    /// Whether all white space is a node, as for `XmlTextReader` without `XmlDocument`.
    white_space: bool,
    /// Position of the first character that XML forbids.
    forbidden: usize,
    /// The kind of the last node at each depth, if an error shows it again.
    shown: Vec<NodeKind>,
}

impl<'a> XmlReader<'a> {
    /// Creates a reader before the first node of a document.
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            next: 0,
            kind: NodeKind::None,
            name: "",
            value: "",
            referenced: false,
            start: 0,
            empty: false,
            namespaced: false,
            depth: 0,
            outer: Scope::default(),
            open: Vec::new(),
            least: 0,
            rooted: false,
            prefixes: Vec::new(),
            mended: false,
            white_space: false,
            forbidden: usize::MAX,
            shown: Vec::new(),
        }
    }

    /// Returns the reader that keeps all white space.
    pub(super) fn with_white_space(self) -> Self {
        Self { white_space: true, ..self }
    }

    /// Returns the reader for a document that OpenSim repairs first. The character at `forbidden` is refused when it is
    /// read.
    pub(super) fn mended(self, forbidden: usize) -> Self {
        Self { mended: true, forbidden, ..self }
    }

    /// Whether .NET's reader shows the end of an element after the fault that was found. It shows the last node at that
    /// depth, unless it has read a text or a name before the fault.
    pub(super) fn shows_end_after_fault(&self) -> bool {
        let rest = &self.text[self.start..];
        let reads_name = rest.starts_with('<') && !rest.starts_with("<!");
        let shows_end = self.shown.get(self.open.len()) == Some(&NodeKind::EndElement);
        let (value, _) = text(rest);
        let Err(at) = references(value, self.mended) else { return !reads_name && shows_end };
        let reference = &value[at + 1..];
        match reference.split_once(';') {
            // An entity that was not declared.
            Some((name, _)) if is_name(name) => true,
            _ if at > 0 && !reference.starts_with('#') => false,
            _ => shows_end,
        }
    }

    /// Returns a reader before the element at `offset`, as if the element were the root.
    pub(super) fn within(&self, offset: usize, outer: Scope) -> Self {
        let (prefixes, mended) = (self.prefixes.clone(), self.mended);
        Self { next: offset, outer, prefixes, mended, ..Self::new(self.text) }
    }

    /// Returns a reader of the content of an element, as a document of its own.
    pub(super) fn of_inner(&self, inner: &'a str) -> Self {
        let (prefixes, mended) = (self.prefixes.clone(), self.mended);
        Self { prefixes, mended, ..Self::new(inner) }.with_white_space()
    }

    /// Reads nothing beyond the element at this position, until [`XmlReader::leave`].
    pub(super) fn enter(&mut self) {
        self.least = self.depth + 1;
    }

    /// Reads on behind an element that was entered and read to its end.
    pub(super) fn leave(&mut self) {
        self.least = 0;
    }

    pub(super) fn stop(&mut self) {
        self.least = usize::MAX;
        self.end_of_document();
    }

    pub(super) fn kind(&self) -> NodeKind {
        self.kind
    }

    /// Returns the name of an element or an instruction; empty for other nodes.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    /// Whether the node is an element that ends in its own tag.
    pub(super) fn is_empty_element(&self) -> bool {
        self.kind == NodeKind::Element && self.empty
    }

    /// Whether the name of the element has a prefix or a namespace.
    pub(super) fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// Returns the text of a text node; empty for other nodes.
    pub(super) fn value(&self) -> Cow<'a, str> {
        match self.referenced && self.kind != NodeKind::CData {
            true => resolve(self.value),
            false => Cow::Borrowed(self.value),
        }
    }

    /// Returns the position of the node.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Returns the position of the next node.
    pub(super) fn end(&self) -> usize {
        self.next
    }

    /// Returns the text inside the element, of all its elements, up to a fault. The position stays.
    pub(super) fn inner_text(&self) -> String {
        let mut inside = self.within(self.start, self.scope());
        let mut text = String::new();
        while let Ok(true) = inside.read() {
            match inside.kind {
                NodeKind::Text | NodeKind::CData | NodeKind::White if text.len() < MOST_JOINED => {
                    text.push_str(&inside.value());
                }
                NodeKind::EndElement if inside.open.is_empty() => break,
                NodeKind::Element if inside.empty && inside.open.is_empty() => break,
                _ => {}
            }
        }
        text
    }

    /// Returns the name of the element around this one.
    pub(super) fn parent(&self) -> Option<&'a str> {
        self.open.get(..self.depth).and_then(<[_]>::last).map(|open| open.name)
    }

    /// Returns the number of elements around the node.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether all white space around the node is a node, too.
    pub(super) fn keeps_white_space(&self) -> bool {
        self.white_space || self.scope().preserves
    }

    /// Continues behind this many bytes of elements, from the start of the one at this position.
    pub(super) fn leave_behind(&mut self, bytes: usize) {
        if !self.empty {
            self.open.pop();
        }
        self.next = self.start + bytes;
    }

    pub(super) fn scope(&self) -> Scope {
        self.open.get(..self.depth).and_then(<[_]>::last).map_or(self.outer, |open| open.scope)
    }

    /// Advances to the next node; false after the last.
    pub(super) fn read(&mut self) -> Read<bool> {
        if self.open.len() < self.least {
            return Ok(self.end_of_document());
        }
        let is_read = self.read_next()?;
        if self.mended {
            if self.next > self.forbidden {
                return Err(Malformed { why: FORBIDDEN, offset: self.forbidden });
            }
            self.shown.resize(self.shown.len().max(self.depth + 1), NodeKind::None);
            self.shown[self.depth] = self.kind;
        }
        Ok(is_read)
    }

    fn read_next(&mut self) -> Read<bool> {
        loop {
            let rest = &self.text[self.next..];
            self.start = self.next;
            match rest.as_bytes() {
                [] if self.rooted && self.open.is_empty() => return Ok(self.end_of_document()),
                [] => return self.refuse("it ends with open elements"),
                [b'<', b'/', ..] => return self.end_tag(rest),
                [b'<', b'!', ..] => {
                    if self.declaration(rest)? {
                        return Ok(true);
                    }
                }
                [b'<', b'?', ..] => {
                    if self.instruction(rest)? {
                        return Ok(true);
                    }
                }
                [b'<', ..] => return self.start_tag(rest),
                _ => {
                    if self.characters(rest)? {
                        return Ok(true);
                    }
                }
            }
        }
    }

    fn end_of_document(&mut self) -> bool {
        (self.kind, self.name, self.value, self.start) = (NodeKind::None, "", "", self.next);
        false
    }

    fn refuse<T>(&self, why: &'static str) -> Read<T> {
        Err(Malformed { why, offset: self.start })
    }

    /// Stores a node that is not an element, and returns true.
    fn node(&mut self, kind: NodeKind, name: &'a str, value: &'a str) -> bool {
        (self.kind, self.name, self.value, self.depth) = (kind, name, value, self.open.len());
        true
    }

    /// Reads text up to the next tag; false if it is white space that is dropped.
    fn characters(&mut self, rest: &'a str) -> Read<bool> {
        let (value, plain) = text(rest);
        self.next += value.len();
        let white = value.bytes().all(is_white);
        if self.open.is_empty() {
            // The reader for inventories passes over a mark at the start.
            let is_mark = self.mended && self.start == 0 && value == "\u{FEFF}";
            return match white {
                true => Ok(self.white_space && self.node(NodeKind::White, "", value)),
                false if is_mark => Ok(false),
                false => self.refuse("text outside the root element"),
            };
        }
        let preserves = self.inner().preserves || self.white_space;
        if white && !preserves {
            return Ok(false);
        }
        self.referenced = !plain;
        match plain {
            true => Ok(self.node(if white { NodeKind::White } else { NodeKind::Text }, "", value)),
            false => self.referring_characters(value, preserves),
        }
    }

    /// Reads text with references or square brackets; false if it is white space that is dropped.
    ///
    /// Like the readers of other rare nodes it is not inlined, so that the common ones have little to save.
    #[inline(never)]
    fn referring_characters(&mut self, value: &'a str, preserves: bool) -> Read<bool> {
        if value.contains("]]>") {
            return self.refuse("\"]]>\" in text");
        }
        let Ok(blank) = references(value, self.mended) else {
            return self.refuse("an unknown entity reference");
        };
        Ok(match blank {
            false => self.node(NodeKind::Text, "", value),
            true => (preserves || has_decimal(value)) && self.node(NodeKind::White, "", value),
        })
    }

    /// Reads a comment, CDATA or a document type; false for a document type, which is not a node.
    #[inline(never)]
    fn declaration(&mut self, rest: &'a str) -> Read<bool> {
        if let Some(body) = rest.strip_prefix("<!--") {
            let Some(end) = memmem::find(body.as_bytes(), b"--") else {
                return self.refuse("an unterminated comment");
            };
            if !body[end..].starts_with("-->") {
                return self.refuse("\"--\" in a comment");
            }
            self.next += "<!---->".len() + end;
            return Ok(self.node(NodeKind::Aside, "", ""));
        }
        if let Some(body) = rest.strip_prefix("<![CDATA[").filter(|_| !self.open.is_empty()) {
            let Some(end) = memmem::find(body.as_bytes(), b"]]>") else {
                return self.refuse("an unterminated CDATA section");
            };
            self.next += "<![CDATA[]]>".len() + end;
            return Ok(self.node(NodeKind::CData, "", &body[..end]));
        }
        // The reader for inventories forbids document types.
        if rest.starts_with("<!DOCTYPE") && !self.rooted && !self.mended {
            let Some(after) = after_doctype(rest) else {
                return self.refuse("an unterminated document type");
            };
            self.next = self.text.len() - after.len();
            return Ok(false);
        }
        self.refuse("a misplaced markup declaration")
    }

    /// Reads a processing instruction; false for the XML declaration, which is not a node.
    #[inline(never)]
    fn instruction(&mut self, rest: &'a str) -> Read<bool> {
        let Some((body, _)) = rest["<?".len()..].split_once("?>") else {
            return self.refuse("an unterminated processing instruction");
        };
        let name = &body[..body.bytes().position(is_white).unwrap_or(body.len())];
        self.next += "<??>".len() + body.len();
        if name.eq_ignore_ascii_case("xml") {
            if name != "xml" || self.start != 0 {
                return self.refuse("an XML declaration that is not at the start");
            }
            return match declares_xml(&body[name.len()..]) {
                true => Ok(false),
                false => self.refuse("a malformed XML declaration"),
            };
        }
        if !is_name(name) || name.contains(':') {
            return self.refuse("a processing instruction without a name");
        }
        Ok(self.node(NodeKind::Aside, name, ""))
    }

    fn end_tag(&mut self, rest: &'a str) -> Read<bool> {
        let Some(open) = self.open.pop() else { return self.refuse("an end tag without a start tag") };
        let behind = rest["</".len()..].strip_prefix(open.name);
        let Some(behind) = behind.map(trim_start) else {
            return self.refuse("an end tag that does not match the open element");
        };
        let Some(after) = behind.strip_prefix('>') else { return self.refuse("an unclosed tag") };
        self.next = self.text.len() - after.len();
        self.node(NodeKind::EndElement, open.name, "");
        Ok(true)
    }

    fn start_tag(&mut self, rest: &'a str) -> Read<bool> {
        let tag = &rest[1..];
        if let Some(name) = plain_tag(tag).filter(|_| !self.open.is_empty()) {
            self.next += name.len() + "<>".len();
            let scope = self.inner();
            return Ok(self.element(name, scope, scope.namespaced, false));
        }
        self.other_start_tag(tag)
    }

    /// Reads a start tag that is not plain, or that of the root element.
    #[inline(never)]
    fn other_start_tag(&mut self, tag: &'a str) -> Read<bool> {
        let length = tag.bytes().position(|byte| is_white(byte) || matches!(byte, b'>' | b'/' | b'<' | b'='));
        let Some(length) = length else { return self.refuse("an unclosed tag") };
        let name = &tag[..length];
        if !is_name(name) {
            return self.refuse("a tag without a valid name");
        }
        if self.open.is_empty() && std::mem::replace(&mut self.rooted, true) {
            return self.refuse("a second root element");
        }
        let mut scope = self.inner();
        let behind = match tag[length..].strip_prefix('>') {
            Some(_) => &tag[length..],
            None => self.attributes(&tag[length..], &mut scope)?,
        };
        let (empty, after) = match behind.strip_prefix("/>") {
            Some(after) => (true, after),
            None => match behind.strip_prefix('>') {
                Some(after) => (false, after),
                None => return self.refuse("an unclosed tag"),
            },
        };
        let prefix = prefix(name);
        if prefix.is_some_and(|prefix| !self.is_declared(prefix)) {
            return self.refuse("an undeclared namespace prefix");
        }
        self.next = self.text.len() - after.len();
        Ok(self.element(name, scope, scope.namespaced || prefix.is_some(), empty))
    }

    /// Stores an element, and returns true.
    fn element(&mut self, name: &'a str, scope: Scope, namespaced: bool, empty: bool) -> bool {
        self.node(NodeKind::Element, name, "");
        (self.empty, self.namespaced) = (empty, namespaced);
        if !empty {
            self.open.push(Open { name, scope });
        }
        true
    }

    /// Returns the scope inside the innermost open element.
    fn inner(&self) -> Scope {
        self.open.last().map_or(self.outer, |open| open.scope)
    }

    fn is_declared(&self, prefix: &str) -> bool {
        prefix == "xml" || self.prefixes.len() >= PREFIXES || self.prefixes.contains(&prefix)
    }

    /// Reads attributes, and returns the text after them.
    fn attributes(&mut self, mut rest: &'a str, scope: &mut Scope) -> Read<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        loop {
            let trimmed = trim_start(rest);
            if trimmed.starts_with(['>', '/']) {
                break rest = trimmed;
            }
            let end =
                trimmed.find(|c: char| c.is_ascii() && (is_white(c as u8) || matches!(c, '=' | '>' | '/')));
            let (name, behind) = trimmed.split_at(end.unwrap_or(trimmed.len()));
            let name = if self.mended { without_doubled_xmlns(name) } else { name };
            let Some((value, after)) = quoted(behind) else {
                return self.refuse("an attribute without a value");
            };
            if trimmed.len() == rest.len()
                || !is_name(name)
                || value.contains('<')
                || references(value, self.mended).is_err()
            {
                return self.refuse("invalid text in a tag");
            }
            names.push(name);
            self.declare(name, &resolve(value), scope)?;
            rest = after;
        }
        // .NET also refuses one local name under two prefixes of one namespace. This reader does not check that: it
        // would need the namespace of each prefix at each element.
        names.sort_unstable();
        if names.array_windows().any(|[one, next]| one == next) {
            return self.refuse("a duplicate attribute");
        }
        let prefixed = names.iter().filter_map(|name| name.split_once(':'));
        if prefixed.into_iter().any(|(prefix, _)| prefix != "xmlns" && !self.is_declared(prefix)) {
            return self.refuse("an undeclared namespace prefix");
        }
        Ok(rest)
    }

    /// Applies an attribute to the scope of the elements inside.
    fn declare(&mut self, name: &'a str, value: &str, scope: &mut Scope) -> Read<()> {
        if is_reserved(name, value) {
            return self.refuse("a reserved namespace");
        }
        match (name, trim(value)) {
            ("xmlns", _) => scope.namespaced = !value.is_empty(),
            ("xml:space", "preserve") => scope.preserves = true,
            ("xml:space", "default") => scope.preserves = false,
            ("xml:space", _) => return self.refuse("an invalid xml:space value"),
            _ => {
                let declared = name.strip_prefix("xmlns:").filter(|_| self.prefixes.len() < PREFIXES);
                self.prefixes.extend(declared);
            }
        }
        Ok(())
    }
}

/// Returns the text up to the next tag, and whether it has neither references nor square brackets.
fn text(rest: &str) -> (&str, bool) {
    let plain = memchr3(b'<', b'&', b']', rest.as_bytes()).unwrap_or(rest.len());
    let behind = &rest.as_bytes()[plain..];
    let more = if behind.starts_with(b"<") { 0 } else { memchr(b'<', behind).unwrap_or(behind.len()) };
    (&rest[..plain + more], more == 0)
}

/// Returns the name in a tag of letters and digits alone, as nearly all are, given the text after its `<`.
fn plain_tag(tag: &str) -> Option<&str> {
    let name = plain_name(tag)?;
    let is_plain = tag[name.len()..].starts_with('>') && name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_plain.then_some(name)
}

/// Whether an attribute declares a namespace that .NET does not allow.
fn is_reserved(name: &str, namespace: &str) -> bool {
    match name.strip_prefix("xmlns:") {
        Some("xml") => namespace != XML,
        Some("xmlns") => true,
        Some(_) => namespace.is_empty() || namespace == XMLNS,
        None => name == "xmlns" && namespace == XMLNS,
    }
}

/// Returns the value of an attribute of a tag that was read.
pub(super) fn attribute<'a>(tag: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let mut rest = &tag[tag.bytes().position(is_white)?..];
    loop {
        let named = trim_start(rest);
        let (name, _) =
            named.split_at(named.find(|c: char| c.is_ascii() && (is_white(c as u8) || c == '='))?);
        let (value, after) = quoted(&named[name.len()..])?;
        if name == wanted {
            return Some(resolve(value));
        }
        rest = after;
    }
}

/// Returns the value of an attribute from the text after its name, and the text after the value.
fn quoted(behind: &str) -> Option<(&str, &str)> {
    let value = trim_start(trim_start(behind).strip_prefix('=')?);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote)
}

/// Whether these are the attributes of an XML declaration, in their fixed order. .NET reads a text here, so it does not
/// check whether the encoding is known.
fn declares_xml(attributes: &str) -> bool {
    let Some(rest) = next_declared(attributes, "version", |version| version == "1.0") else { return false };
    let is_plain = |encoding: &str| !encoding.contains(['<', '>', '&', '"', '\'', '\t', '\n', '\r']);
    let rest = next_declared(rest, "encoding", is_plain).unwrap_or(rest);
    let rest = next_declared(rest, "standalone", |value| matches!(value, "yes" | "no")).unwrap_or(rest);
    trim_start(rest).is_empty()
}

/// Returns the text after the next attribute of an XML declaration, if it has this name and an accepted value.
fn next_declared<'a>(text: &'a str, name: &str, takes: impl Fn(&str) -> bool) -> Option<&'a str> {
    let attribute = trim_start(text);
    let (value, after) = quoted(attribute.strip_prefix(name)?)?;
    (attribute.len() < text.len() && takes(value)).then_some(after)
}

/// Returns the prefix of a name. Names are short, so an optimized search does not pay.
fn prefix(name: &str) -> Option<&str> {
    name.bytes().position(|byte| byte == b':').map(|colon| &name[..colon])
}

/// Returns the text after white space.
fn trim_start(text: &str) -> &str {
    &text[text.bytes().take_while(|&byte| is_white(byte)).count()..]
}

/// Returns a name without prefixes that an OpenSim bug of 2014 repeated.
fn without_doubled_xmlns(mut name: &str) -> &str {
    while let Some(rest) = name.strip_prefix("xmlns:").filter(|rest| rest.starts_with("xmlns:")) {
        name = rest;
    }
    name
}
