//! Makes a document well-formed. All text and all elements that can be read stay.

use super::Change;
use hullmark_finding::Code;
use hullmark_format::loader::{Take, field_in, is_known};
use hullmark_util::number_text::thousands;
use quick_xml::{Reader, events::Event};
use std::{borrow::Cow, ops::Range};

/// Most elements inside of each other, attributes of a tag, and prefixes. More of them are left out.
const MOST: usize = 256;

/// White space of XML.
const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

/// A namespace that documents may not declare.
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// Returns a well-formed document, and what was changed. `of_inventories`: the reader for inventories reads it.
pub(super) fn mend(text: &str, of_inventories: bool) -> (String, Vec<Change>) {
    let mut mender = Mender {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        open: Vec::new(),
        prefixes: vec!["xml", "xmlns"],
        is_rooted: false,
        renamed: 0,
        absent: Vec::new(),
        of_inventories,
        changes: Vec::new(),
        further: 0,
    };
    while mender.at < text.len() {
        mender.node();
    }
    while !mender.open.is_empty() {
        mender.close("the document ends before the element");
    }
    mender.finish()
}

/// Returns the declarations of default namespaces in a well-formed document.
pub(super) fn default_namespaces(text: &str) -> Vec<Range<usize>> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    let mut begin = 0;
    while let Ok(event) = reader.read_event() {
        let end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let is_tag = matches!(event, Event::Start(_) | Event::Empty(_));
        if let Some(tag) = text.get(begin..end).filter(|_| is_tag)
            && let Some(at) = tag.find(" xmlns=")
            && let Some((length, _)) = attribute(&tag[at + 1..])
        {
            found.push(begin + at..begin + at + 1 + length);
        }
        begin = end;
        if matches!(event, Event::Eof) {
            break;
        }
    }
    found
}

/// An open element.
struct Open<'a> {
    /// Its name in the document.
    name: &'a str,
    /// Its name in the result, without a prefix that nothing declares.
    written: Cow<'a, str>,
    /// Position of its name in the result.
    at: usize,
}

struct Mender<'a> {
    text: &'a str,
    at: usize,
    out: String,
    open: Vec<Open<'a>>,
    /// Prefixes that the document has declared so far.
    prefixes: Vec<&'a str>,
    /// Whether the root element has begun.
    is_rooted: bool,
    /// Number of damaged start tags that were renamed.
    renamed: usize,
    /// Ends of nodes that do not follow any more.
    absent: Vec<&'static str>,
    of_inventories: bool,
    changes: Vec<Change>,
    /// Number of changes that are not listed.
    further: u64,
}

/// Maximum number of listed changes: a large document may have one at each byte.
const LISTED: usize = 10_000;

impl<'a> Mender<'a> {
    fn finish(mut self) -> (String, Vec<Change>) {
        if self.further > 0 {
            let why = format!("{} further changes of the markup", thousands(self.further));
            self.changes.push(Change::new(Code::OBJ001, "", why));
        }
        (self.out, self.changes)
    }

    /// Whether the next change is listed. If not, it is counted.
    fn lists(&mut self) -> bool {
        let lists = self.changes.len() < LISTED;
        self.further += u64::from(!lists);
        lists
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn node(&mut self) {
        let rest = self.rest();
        match () {
            () if !rest.starts_with('<') => self.characters(rest),
            () if rest.starts_with("<!--") => self.comment(rest),
            () if rest.starts_with("<![CDATA[") => self.cdata(rest),
            () if rest.starts_with("<!") => self.declaration(rest),
            () if rest.starts_with("<?") => self.instruction(rest),
            () if rest.starts_with("</") => self.end_tag(rest),
            () => self.start_tag(rest),
        }
    }

    /// Returns the next place of a mark that ends a node. An absent one is only looked for once.
    fn find(&mut self, mark: &'static str) -> Option<usize> {
        let found = if self.absent.contains(&mark) { None } else { self.rest().find(mark) };
        if found.is_none() {
            self.absent.push(mark);
        }
        found
    }

    /// Copies the next bytes.
    fn keep(&mut self, length: usize) {
        self.out.push_str(&self.text[self.at..self.at + length]);
        self.at += length;
    }

    /// Replaces the next bytes.
    fn put(&mut self, length: usize, new: &str, why: &str) {
        let old = &self.text[self.at..self.at + length];
        self.change(old, new, why);
        self.out.push_str(new);
        self.at += length;
    }

    /// Inserts the end of the innermost element.
    fn close(&mut self, why: &str) {
        if let Some(Open { written, .. }) = self.open.pop() {
            let end = format!("</{written}>");
            if self.lists() {
                self.changes.push(Change::new(Code::OBJ001, &*written, why).replacing("", &end));
            }
            self.out.push_str(&end);
        }
    }

    fn change(&mut self, old: &str, new: &str, why: &str) {
        if self.lists() {
            let has_forbidden = old.chars().any(is_forbidden);
            let code = if has_forbidden { Code::OBJ002 } else { Code::OBJ001 };
            let field = self.open.last().map_or("", |open| &*open.written);
            self.changes.push(Change::new(code, field, why).replacing(old, new));
        }
    }

    fn characters(&mut self, rest: &'a str) {
        let length = rest.find('<').unwrap_or(rest.len());
        let text = &rest[..length];
        if self.open.is_empty() {
            match text.trim_matches(WHITE).is_empty() {
                true => self.keep(length),
                false => self.put(length, "", "text is outside of the root element"),
            }
            return;
        }
        let clean = clean(text);
        match clean == text {
            true => self.keep(length),
            false => self.put(length, &clean, "XML forbids characters of the text"),
        }
    }

    fn comment(&mut self, rest: &'a str) {
        match self.find("-->") {
            Some(end) if end >= "<!--".len() && !rest["<!--".len()..end].contains("--") => {
                let comment = &rest[..end + "-->".len()];
                match comment.contains(is_forbidden) {
                    true => self.put(comment.len(), "", "the comment has characters that XML forbids"),
                    false => self.keep(comment.len()),
                }
            }
            Some(end) => self.put(end + "-->".len(), "", "the comment is malformed"),
            None => self.put("<!--".len(), "", "the comment does not end"),
        }
    }

    fn cdata(&mut self, rest: &'a str) {
        let end = if self.open.is_empty() { None } else { self.find("]]>") };
        match end.map(|end| end + "]]>".len()) {
            Some(length) => {
                let clean: String = rest[..length].chars().filter(|c| !is_forbidden(*c)).collect();
                match clean.len() == length {
                    true => self.keep(length),
                    false => self.put(length, &clean, "XML forbids characters of the text"),
                }
            }
            None => self.put("<![CDATA[".len(), "", "the CDATA section is misplaced or does not end"),
        }
    }

    /// Keeps a document type in the place for one: the reader skips it.
    fn declaration(&mut self, rest: &'a str) {
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        let is_plain =
            !rest[..end].contains('[') && rest.starts_with("<!DOCTYPE") && rest[..end].ends_with('>');
        match is_plain && !self.is_rooted && !self.of_inventories {
            true => self.keep(end),
            false => self.put(end, "", "the declaration is not allowed there"),
        }
    }

    fn instruction(&mut self, rest: &'a str) {
        let Some(length) = self.find("?>").map(|end| end + "?>".len()) else {
            return self.put("<?".len(), "", "the instruction does not end");
        };
        // The question mark of `<?>` begins and ends it.
        let content = rest.get("<?".len()..length - "?>".len()).unwrap_or_default();
        let name = content.split(WHITE).next().unwrap_or_default();
        let is_declaration = name.eq_ignore_ascii_case("xml");
        let is_first = self.out.is_empty();
        match () {
            () if is_declaration && is_first && !is_common_declaration(&rest[..length]) => {
                self.put(
                    length,
                    "<?xml version=\"1.0\" encoding=\"utf-16\"?>",
                    "the XML declaration is malformed",
                );
            }
            () if is_declaration != is_first || !is_name(name) || rest[..length].contains(is_forbidden) => {
                let is_good = !is_declaration && is_name(name) && !rest[..length].contains(is_forbidden);
                match is_good {
                    true => self.keep(length),
                    false => self.put(length, "", "the instruction is misplaced or malformed"),
                }
            }
            () => self.keep(length),
        }
    }

    fn end_tag(&mut self, rest: &'a str) {
        let inside = &rest["</".len()..];
        let named = inside.find(|c| WHITE.contains(&c) || matches!(c, '>' | '<')).unwrap_or(inside.len());
        let name = &inside[..named];
        let behind = inside[named..].trim_start_matches(WHITE);
        let is_closed = behind.starts_with('>');
        let length = rest.len() - behind.len() + usize::from(is_closed);
        let depth = match self.open.iter().rposition(|open| open.name == name) {
            Some(depth) => depth,
            None if self.ends_the_last(name) => self.open.len() - 1,
            None => return self.put(length, "", "no element with this name is open"),
        };
        while self.open.len() > depth + 1 {
            self.close("the element has no end");
        }
        let Some(Open { mut written, at, .. }) = self.open.pop() else { return };
        if self.is_damaged_start(&written, name) {
            self.renamed += 1;
            self.out.replace_range(at..at + written.len(), name);
            self.change(&written, name, "the start tag is damaged, and its end is not");
            written = name.into();
        }
        if is_closed && written == name {
            self.keep(length);
        } else {
            self.put(length, &format!("</{written}>"), "the end tag is not that of the open element");
        }
    }

    /// Whether an end that matches no open element is that of the innermost one. A value has no elements.
    fn ends_the_last(&self, name: &str) -> bool {
        let Some(last) = self.open.last() else { return false };
        is_similar(&last.written, name)
            || matches!(self.field(&last.written, 1), Some(take) if is_value(take))
    }

    /// How an element is read that is inside of as many open elements but the last ones.
    fn field(&self, name: &str, last: usize) -> Option<Take> {
        let around = self.open.len().checked_sub(last + 1)?;
        field_in(&self.open[around].written, name)
    }

    /// Whether a field has a damaged name at its start and the right one at its end.
    fn is_damaged_start(&self, written: &str, name: &str) -> bool {
        written != name
            && self.renamed < MOST
            && !is_known(written)
            && is_known(name)
            && is_similar(written, name)
    }

    /// Whether the end of the innermost element is missing before an element of this name.
    fn lacks_end(&self, name: &str) -> bool {
        let Some(last) = self.open.last() else { return false };
        let take = self.field(&last.written, 1);
        let is_next = self.field(name, 1).is_some();
        match take {
            Some(Take::Uuid) => is_next && name != "UUID",
            Some(Take::Vector | Take::Quaternion | Take::Color) => is_next,
            Some(take) => is_next && is_value(take),
            None => false,
        }
    }

    fn start_tag(&mut self, rest: &'a str) {
        let inside = &rest[1..];
        let named =
            inside.find(|c| WHITE.contains(&c) || matches!(c, '>' | '<' | '/' | '=')).unwrap_or(inside.len());
        let name = &inside[..named];
        if !is_name(name) {
            return self.nameless_tag(inside);
        }
        let tag = Tag::new(inside, named);
        if named == inside.len() || tag.length == inside.len() && !tag.is_closed {
            return self.put(rest.len(), "", "the document ends inside a tag");
        }
        if self.open.len() >= MOST && !tag.is_empty {
            return self.put(1 + tag.length, "", "elements are nested too deep");
        }
        if self.open.is_empty() && self.is_rooted {
            return self.put(rest.len(), "", "a second document follows the first");
        }
        if self.lacks_end(name) {
            self.close("the element has no end");
        }
        self.is_rooted = true;
        let declared = tag.attributes.iter().filter_map(|(name, _)| name.strip_prefix("xmlns:"));
        self.prefixes.extend(declared.take(MOST.saturating_sub(self.prefixes.len())));
        let is_declared =
            |name: &str| name.split_once(':').is_none_or(|(prefix, _)| self.prefixes.contains(&prefix));
        let bare = name.rsplit(':').next().unwrap_or(name);
        let written = if is_declared(name) { name } else { bare };
        let kept: Vec<&str> = tag
            .attributes
            .iter()
            .filter(|(name, _)| is_declared(name))
            .map(|(_, attribute)| *attribute)
            .collect();
        let is_whole = tag.is_well_formed && written == name && kept.len() == tag.attributes.len();
        let length = 1 + tag.length;
        let at = self.out.len() + 1;
        match is_whole {
            true => self.keep(length),
            false => {
                let attributes: String = kept.iter().map(|attribute| format!(" {attribute}")).collect();
                let end = if tag.is_empty { "/>" } else { ">" };
                self.put(length, &format!("<{written}{attributes}{end}"), "the tag is malformed");
            }
        }
        if !tag.is_empty {
            self.open.push(Open { name, written: written.into(), at });
        }
    }

    /// Begins an element whose name is damaged, so that its end can say the name. Other text becomes text.
    fn nameless_tag(&mut self, inside: &'a str) {
        let end = inside.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>')).unwrap_or(inside.len());
        let name = &inside[..end];
        let is_tag = inside[end..].starts_with('>') && (3..MOST).contains(&end) && !name.contains('/');
        let written: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !is_tag || !is_name(&written) || self.open.is_empty() || self.open.len() >= MOST {
            let new = if self.open.is_empty() { "" } else { "&lt;" };
            return self.put(1, new, "a tag has no valid name");
        }
        let at = self.out.len() + 1;
        self.put("<>".len() + end, &format!("<{written}>"), "a tag has no valid name");
        self.open.push(Open { name, written: written.into(), at });
    }
}

/// A start tag, given the text behind its `<`.
struct Tag<'a> {
    /// Names of attributes that can be read, and the attributes.
    attributes: Vec<(&'a str, &'a str)>,
    is_empty: bool,
    is_closed: bool,
    is_well_formed: bool,
    /// Bytes behind the `<`.
    length: usize,
}

impl<'a> Tag<'a> {
    fn new(inside: &'a str, named: usize) -> Self {
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        let (mut at, mut is_well_formed) = (named, true);
        loop {
            let rest = &inside[at..];
            let trimmed = rest.trim_start_matches(WHITE);
            at = inside.len() - trimmed.len();
            let (is_empty, is_closed, length) = match () {
                () if trimmed.starts_with("/>") => (true, true, 2),
                () if trimmed.starts_with('>') => (false, true, 1),
                () if trimmed.is_empty() || trimmed.starts_with('<') => (false, false, 0),
                () => {
                    let attribute = attribute(trimmed);
                    let (length, name) = attribute.unwrap_or_else(|| {
                        (
                            trimmed
                                .find(|c: char| WHITE.contains(&c) || matches!(c, '>' | '<'))
                                .unwrap_or(trimmed.len())
                                .max(1),
                            "",
                        )
                    });
                    let is_twice = attributes.iter().any(|(other, _)| *other == name);
                    let is_kept = attribute.is_some()
                        && !is_twice
                        && attributes.len() < MOST
                        && trimmed.len() < rest.len();
                    is_well_formed &= is_kept;
                    if is_kept {
                        attributes.push((name, &trimmed[..length]));
                    }
                    at += length;
                    continue;
                }
            };
            is_well_formed &= is_closed;
            return Self { attributes, is_empty, is_closed, is_well_formed, length: at + length };
        }
    }
}

/// Returns the length and the name of the attribute at the start of a text.
fn attribute(text: &str) -> Option<(usize, &str)> {
    let named = text.find(|c| WHITE.contains(&c) || matches!(c, '=' | '>' | '<' | '/'))?;
    let name = &text[..named];
    let value = text[named..].trim_start_matches(WHITE).strip_prefix('=')?.trim_start_matches(WHITE);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (value, after) = value[1..].split_once(quote)?;
    let is_allowed = match name.split_once(':') {
        Some(("xmlns", prefix)) => !matches!(prefix, "xml" | "xmlns") && !value.is_empty() && value != XMLNS,
        Some(("xml", "space")) => matches!(value, "preserve" | "default"),
        Some(_) => true,
        None => name != "xmlns" || value != XMLNS,
    };
    let is_good = is_allowed && is_name(name) && !value.contains('<') && clean(value) == value;
    is_good.then_some((text.len() - after.len(), name))
}

/// Returns a text without forbidden characters, and with references for those that have a meaning.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| matches!(c, '&' | ']') || is_forbidden(c)) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = rest.chars().next().map_or(0, char::len_utf8);
        match rest.as_bytes()[0] {
            b'&' => match reference(rest) {
                Some(length) => {
                    out.push_str(&rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
                // A number of no character.
                None if rest.starts_with("&#") && name_of(rest).is_some() => {
                    rest = &rest[name_of(rest).map_or(0, str::len) + 2..];
                    continue;
                }
                None => out.push_str("&amp;"),
            },
            b']' if rest.starts_with("]]>") => {
                out.push_str("]]&gt;");
                rest = &rest["]]>".len()..];
                continue;
            }
            b']' => out.push(']'),
            _ => {}
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// Most bytes of the name of a reference.
const LONGEST_NAME: usize = 12;

/// Returns the name of the reference at the start of a text.
fn name_of(text: &str) -> Option<&str> {
    let end = text.bytes().take(LONGEST_NAME).position(|byte| byte == b';')?;
    text.get(1..end)
}

/// Returns the length of the reference at the start of a text, if every reader knows its character.
fn reference(text: &str) -> Option<usize> {
    let name = name_of(text)?;
    let number = |digits: &str, base| {
        let is_plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
        u32::from_str_radix(digits, base).ok().filter(|_| is_plain).and_then(char::from_u32)
    };
    let is_known = match name.strip_prefix('#') {
        None => matches!(name, "amp" | "lt" | "gt" | "quot" | "apos"),
        Some(decimal) => match decimal.strip_prefix('x') {
            Some(hexadecimal) => number(hexadecimal, 16).is_some(),
            None => number(decimal, 10).is_some(),
        },
    };
    is_known.then_some(name.len() + 2)
}

fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

fn is_name(name: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() && c < '\u{FFFE}' || matches!(c, '_' | '-' | '.');
    let is_plain =
        |half: &str| half.starts_with(|c: char| c.is_alphabetic() || c == '_') && half.chars().all(is_inside);
    let mut halves = name.split(':');
    halves.by_ref().take(2).all(is_plain) && halves.next().is_none()
}

/// Whether this is the declaration that .NET or a common program writes.
fn is_common_declaration(text: &str) -> bool {
    let inside = text.strip_prefix("<?xml").and_then(|rest| rest.strip_suffix("?>")).unwrap_or_default();
    let words: Vec<&str> = inside.split(WHITE).filter(|word| !word.is_empty()).collect();
    let is_encoding = |word: &str| {
        let value = word.strip_prefix("encoding=\"").and_then(|rest| rest.strip_suffix('"'));
        value.is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
    };
    match &words[..] {
        [version] => *version == "version=\"1.0\"",
        [version, encoding] => *version == "version=\"1.0\"" && is_encoding(encoding),
        _ => false,
    }
}

/// Whether an element has a value and no elements.
fn is_value(take: Take) -> bool {
    matches!(
        take,
        Take::Content
            | Take::Text
            | Take::PlainText
            | Take::Boolean
            | Take::Int
            | Take::Long
            | Take::Float
            | Take::Unsigned
            | Take::Flags
            | Take::Base64
            | Take::PackedText
            | Take::Profile
            | Take::Hole
    )
}

/// Whether two names differ in two neighbouring characters at most, as damage leaves them.
fn is_similar(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let start = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let longest = one.len().max(other.len());
    longest < MOST && longest > 2 && start + end + 2 >= longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::loader;
    use hullmark_settings::limits::Limits;
    use proptest::prelude::*;

    fn mended(text: &str) -> String {
        mend(text, false).0
    }

    #[test]
    fn what_can_be_read_stays() {
        for (text, expected) in [
            ("<a>x & y &amp; &#65; &bad; &#0;</a>", "<a>x &amp; y &amp; &#65; &amp;bad; &#0;</a>"),
            ("<a>\u{1}x\u{1F}</a>", "<a>x</a>"),
            ("<a><b>x</a>", "<a><b>x</b></a>"),
            (
                "<SceneObjectPart><Name>x</Nix><LinkNum>1</LinkNum></SceneObjectPart>",
                "<SceneObjectPart><Name>x</Name><LinkNum>1</LinkNum></SceneObjectPart>",
            ),
            (
                "<SceneObjectPart><Name>x<LinkNum>1</LinkNum></SceneObjectPart>",
                "<SceneObjectPart><Name>x</Name><LinkNum>1</LinkNum></SceneObjectPart>",
            ),
            (
                "<SceneObjectPart><Scale><X>1</X></Scalf><Link\u{1}um>1</LinkNum><Scale><X>1</X><LinkNum>2</LinkNum></SceneObjectPart>",
                "<SceneObjectPart><Scale><X>1</X></Scale><LinkNum>1</LinkNum><Scale><X>1</X></Scale><LinkNum>2</LinkNum></SceneObjectPart>",
            ),
            ("<a><b>x</c></b></a>", "<a><b>x</b></a>"),
            ("<a><b c=1 d=\"2\" d=\"3\">x</b>", "<a><b d=\"2\">x</b></a>"),
            ("<a>1 < 2</a>", "<a>1 &lt; 2</a>"),
            ("<a><!-- x -- y --><b/></a>", "<a><b/></a>"),
            ("no<a>]]></a>tail", "<a>]]&gt;</a>"),
            ("<a><b>x</b", "<a><b>x</b></a>"),
            ("<a><b", "<a></a>"),
            ("<?xml version=\"1.0\" encoding=utf-8?><a/>", "<?xml version=\"1.0\" encoding=\"utf-16\"?><a/>"),
        ] {
            assert_eq!(mended(text), expected, "{text}");
        }
    }

    #[test]
    fn a_well_formed_document_stays() {
        let text = "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<!-- c --><a b='1' xml:space=\"preserve\"> <c /><![CDATA[<&]]>é</a>\n";
        assert_eq!(mend(text, false), (text.to_owned(), vec![]));
    }

    proptest! {
        #[test]
        fn every_text_becomes_well_formed(
            pieces in prop::collection::vec(
                prop_oneof![
                    Just("<a>"), Just("</a>"), Just("<Name>"), Just("</Name"), Just("<SceneObjectPart>"), Just("</Nime>"), Just("<Na\u{1}e>"), Just("<b c='1' c='2'"), Just(">"), Just("/>"),
                    Just("<!--"), Just("-->"), Just("--"), Just("<![CDATA["), Just("]]>"), Just("<?xml?>"), Just("<?p ?>"), Just("<?"), Just("?"),
                    Just("<!DOCTYPE a>"), Just("&"), Just("&#x1;"), Just("x"), Just("\u{1}"), Just("<"), Just("é"),
                    Just("<LinkNum>"), Just("="), Just("'"), Just("<p:q>"), Just("\u{FFFF}"), Just(" "),
                ],
                0..40,
            ),
            of_inventories in any::<bool>(),
        ) {
            let text = format!("<root>{}", pieces.concat());
            let text = if of_inventories { text.replacen("<a>", "<RootPart>", 1) } else { text };
            let (once, _) = mend(&text, loader::is_of_inventories(&text));
            let survey = loader::survey(&once, &Limits::default(), true);
            prop_assert_eq!(survey.ill_formed, None, "{}\n{}", text, once);
        }
    }
}
