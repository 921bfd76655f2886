//! Converts the bytes of a document to text, in any encoding that exporters produce.

use super::error::{Notes, Unclean, oddity};
use crate::defect::{Defect, DocumentDefect, DocumentType};
use std::{borrow::Cow, str::Utf8Chunk};

/// Most bytes of the text of a document that is not its own bytes. A document may have 100 MB, and other encodings take up
/// to three times as much. No object comes near: linksets of hundreds of prims are below 10 MB.
pub const MOST_RECODED: usize = 48 << 20;

/// A document as text, regardless of its encoding.
#[derive(Debug)]
pub struct Source<'a> {
    pub(super) text: Cow<'a, str>,
    /// Number of bytes before the text: those of a byte order mark.
    pub(super) before: usize,
    pub(crate) of: DocumentType,
    pub(super) notes: Notes,
    /// Bytes that the text would take, if they are more than the limit. The text is then empty.
    pub(super) too_long: Option<usize>,
}

impl<'a> Source<'a> {
    /// Decodes the bytes of a document and notes faults in the text.
    pub fn new(bytes: &'a [u8], of: DocumentType) -> Self {
        let mut source = Self::blank(of);
        source.text = source.decode(bytes);
        source.trim();
        source.check_characters();
        source
    }

    /// Returns the document without its byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn blank(of: DocumentType) -> Self {
        Self { text: Cow::Borrowed(""), before: 0, of, notes: Notes::default(), too_long: None }
    }

    /// UTF-16 needs a byte order mark: a declaration of utf-16 without one is an exporter's mistake.
    pub(super) fn decode(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
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
                self.unclean(Unclean::NotUtf8, error.valid_up_to());
                let replaced = char::REPLACEMENT_CHARACTER.len_utf8();
                let length = |chunk: Utf8Chunk<'_>| {
                    chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { replaced }
                };
                if self.is_too_long(bytes.utf8_chunks().map(length).sum()) {
                    return Cow::Borrowed("");
                }
                String::from_utf8_lossy(bytes)
            }
        }
    }

    fn decode_utf16(&mut self, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'a, str> {
        self.notes.oddity(oddity::UTF_16);
        let mut units = bytes.chunks_exact(2);
        let mut clean = true;
        let unit_of = |pair: &[u8]| unit([pair[0], pair[1]]);
        let length = |read: Result<char, _>| read.unwrap_or(char::REPLACEMENT_CHARACTER).len_utf8();
        if self.is_too_long(char::decode_utf16(units.clone().map(unit_of)).map(length).sum()) {
            return Cow::Borrowed("");
        }
        let text: String = char::decode_utf16(units.by_ref().map(unit_of))
            .map(|read| {
                read.unwrap_or_else(|_| {
                    clean = false;
                    char::REPLACEMENT_CHARACTER
                })
            })
            .collect();
        if !clean || !units.remainder().is_empty() {
            self.unclean(Unclean::NotUtf16, 0);
        }
        Cow::Owned(text)
    }

    /// Whether a text of this length is not made.
    fn is_too_long(&mut self, length: usize) -> bool {
        let is_too_long = length > MOST_RECODED;
        self.too_long = is_too_long.then_some(length);
        is_too_long
    }

    /// Removes NULs at the end, with white space among them.
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

    /// Notes control characters. All XML readers refuse them, but this program can read on.
    fn check_characters(&mut self) {
        if let Some(offset) = control_character(&self.text) {
            let byte = self.text.as_bytes()[offset];
            self.unclean(Unclean::ControlCharacter(byte), offset);
        }
    }

    fn unclean(&mut self, what: Unclean, offset: usize) {
        let defect = Defect::new(DocumentDefect::Unclean { of: self.of, what });
        self.notes.defects.push(defect.offset(self.before + offset));
    }
}

/// Returns the position of the first control character that XML forbids.
pub fn control_character(text: &str) -> Option<usize> {
    let illegal = |&b: &u8| b < 0x20 && b != b'\t' && b != b'\n' && b != b'\r';
    // A fold over whole blocks can be vectorized; the exact byte is searched only once.
    let block = 4096;
    text.as_bytes().chunks(block).enumerate().find_map(|(n, bytes)| {
        let any = bytes.iter().fold(false, |any, byte| any | illegal(byte));
        any.then(|| n * block + bytes.iter().position(illegal).unwrap_or(0))
    })
}
