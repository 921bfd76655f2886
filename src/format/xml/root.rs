//! Determines the type of a file from the root element of its document.

use super::source::Source;
use crate::format::defect::DocumentType;

/// The name of the root element, from the first bytes of a file; `None` if they do not begin an XML document or
/// are cut before the name's end.
pub fn root_element(bytes: &[u8]) -> Option<String> {
    // Cut in the middle of a character is fine here, and a tag's name is ASCII in all formats we know.
    let text = Source::blank(DocumentType::Object).decode(bytes).into_owned();
    let mut rest = text.as_str();
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
pub fn after_doctype(text: &str) -> Option<&str> {
    let end = text.find(['>', '['])?;
    if text[end..].starts_with('>') {
        return Some(&text[end + 1..]);
    }
    let close = end + text[end..].find(']')?;
    Some(text[close..].split_once('>')?.1)
}
