//! Parses values as exporters write them.

use uuid::Uuid;

/// Parses `true`, `false`, `1` or `0`, in any case.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text.trim_ascii() {
        "false" | "False" | "0" => Some(false),
        "true" | "True" | "1" => Some(true),
        other if other.eq_ignore_ascii_case("true") => Some(true),
        other if other.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

pub fn parse_uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text.trim_ascii()).ok()
}

/// Returns the first characters of a text, to show a value that cannot be read.
pub fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
