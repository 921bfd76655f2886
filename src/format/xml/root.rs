//! Determines the type of a file from the root element of its document.

use super::source::Source;
use crate::defect::DocumentType;

/// Returns the name of the root element from the first bytes of a file. `None` if they do not begin an XML document, or
/// end before the end of the name.
pub fn root_element(bytes: &[u8]) -> Option<String> {
    // A character cut in the middle is harmless: tag names are ASCII in all known formats.
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

/// Returns the text after a DTD, whose declarations are in brackets.
pub fn after_doctype(text: &str) -> Option<&str> {
    let end = text.find(['>', '['])?;
    if text[end..].starts_with('>') {
        return Some(&text[end + 1..]);
    }
    let close = end + text[end..].find(']')?;
    Some(text[close..].split_once('>')?.1)
}
