//! Splits a text into lines, as viewers read the old formats. A line ends with a newline, and a word with a blank or
//! tab.

use uuid::Uuid;

/// The unread lines of a text.
pub(super) struct Lines<'a>(pub(super) &'a [u8]);

impl<'a> Lines<'a> {
    /// Returns the next line without its line end.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.iter().position(|&byte| byte == b'\n').unwrap_or(self.0.len());
        let line = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        Some(line.trim_ascii())
    }

    /// Returns the next line as a number; `None` if it is not a number.
    pub(super) fn number(&mut self) -> Option<u64> {
        number(self.next()?)
    }
}

pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b' ' || byte == b'\t').filter(|word| !word.is_empty())
}

pub(super) fn number(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

pub(super) fn uuid(word: &[u8]) -> Option<Uuid> {
    Uuid::try_parse_ascii(word).ok()
}
