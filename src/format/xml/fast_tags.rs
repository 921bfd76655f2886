//! Reads plain tags: a name of letters and digits between angle brackets, without attributes. Nearly all tags of an
//! object are plain, and quick-xml takes longer for each than all later work on it.

use memchr::memchr2;

pub(super) enum Plain<'a> {
    /// The start tag of an element.
    Open(&'a str),
    /// An element that contains only text, possibly empty.
    Leaf(&'a str, &'a str),
    /// The end tag of the innermost open element.
    Close,
}

/// Whether a byte is a letter or a digit. Every byte of every name is asked for, and a table answers fastest.
const IN_PLAIN_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// Returns the letters and digits at the start of a tag; `None` if nothing follows them.
#[inline]
pub fn plain_name(tag: &str) -> Option<&str> {
    let length = tag.bytes().position(|byte| !IN_PLAIN_NAME[usize::from(byte)])?;
    Some(&tag[..length])
}

/// Returns the plain element or tag after this `<`, and the rest of the text; `None` if the tag is not plain.
#[inline]
pub(super) fn plain_element(tag: &str) -> Option<(Plain<'_>, &str)> {
    let name = plain_name(tag)?;
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
