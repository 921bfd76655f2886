//! Reads tags without attributes, a name of letters and digits between angle brackets, as are nearly all of an object.
//! Quick-xml takes longer for each such tag than all later work on it.

use memchr::memchr2;

/// What stands plainly at a place.
pub(super) enum Plain<'a> {
    /// The tag that begins an element.
    Open(&'a str),
    /// An element with nothing but text in it, which may be empty.
    Leaf(&'a str, &'a str),
    /// The tag that ends the innermost open element.
    Close,
}

/// The element or the tag that begins behind this `<`, if it is plain, and what is behind it.
#[inline]
pub(super) fn plain_element(tag: &str) -> Option<(Plain<'_>, &str)> {
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
