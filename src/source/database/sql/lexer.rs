//! Tokens of SQL, from a stream of bytes in any charset.

use memchr::{memchr, memchr2, memchr3, memmem};
use std::{
    cell::Cell,
    io::{self, BufRead},
};

/// Maximum bytes of a comment, and of a name or a word if nothing else is said. Of a longer one, one more byte is kept.
const LONGEST_NAME: usize = 1024;

/// Bytes of a comment that may set the charset.
const STATEMENT: usize = 64;

/// The value of each hexadecimal digit; above 15 for all other bytes.
const DIGITS: [u8; 256] = {
    let mut digits = [16; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// One token outside of the values of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::database) enum Token {
    /// A keyword, a number or a name without quotes.
    Word(String),
    /// A name in quotes.
    Name(String),
    /// A text in quotes, whose content is not kept.
    Text,
    /// Any other character.
    Symbol(u8),
}

impl Token {
    /// Whether this is a keyword, in any case.
    pub(in crate::database) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Returns a name, with or without quotes.
    pub(in crate::database) fn into_name(self) -> Option<String> {
        match self {
            Self::Word(name) | Self::Name(name) => Some(name),
            Self::Text | Self::Symbol(_) => None,
        }
    }
}

/// The bytes of a dump, and how many were read.
pub(in crate::database) struct Lexer<R> {
    bytes: R,
    pub(in crate::database) position: u64,
    /// Whether a backslash escapes the next character in a text.
    pub(in crate::database) has_escapes: bool,
    /// Maximum bytes of a name or a word. Of a longer one, one more byte is kept.
    pub(in crate::database) longest_name: usize,
    /// The last comment to the end of a line that has any words.
    pub(in crate::database) comment: Vec<u8>,
    /// The start of the last comment in `/* */`.
    block: Vec<u8>,
    /// The charset that such a comment sets, until it is taken.
    pub(in crate::database) charset: Option<String>,
    /// The database that a comment names, until it is taken. A dump of one database has no statement with its name.
    pub(in crate::database) database: Option<String>,
}

impl<R: BufRead> Lexer<R> {
    pub(in crate::database) fn new(bytes: R) -> Self {
        let (comment, block) = (Vec::new(), Vec::new());
        let (charset, database) = (None, None);
        let longest_name = LONGEST_NAME;
        Self { bytes, position: 0, has_escapes: true, longest_name, comment, block, charset, database }
    }

    pub(in crate::database) fn into_inner(self) -> R {
        self.bytes
    }

    /// Returns the next byte without reading it.
    #[inline]
    pub(in crate::database) fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.bytes.fill_buf()?.first().copied())
    }

    #[inline]
    pub(in crate::database) fn skip(&mut self, bytes: usize) {
        self.bytes.consume(bytes);
        self.position += bytes as u64;
    }

    /// Reads a byte that must be there.
    #[inline]
    pub(in crate::database) fn next(&mut self) -> io::Result<u8> {
        let byte = self.peek()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.skip(1);
        Ok(byte)
    }

    /// Reads bytes until one for which `is_end` finds a place. Passes all before it to `take`. Returns `false` at the
    /// end of the input.
    #[inline]
    fn until(
        &mut self,
        is_end: impl Fn(&[u8]) -> Option<usize>,
        mut take: impl FnMut(&[u8]),
    ) -> io::Result<bool> {
        loop {
            let buffer = self.bytes.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = is_end(buffer);
            let length = end.unwrap_or(buffer.len());
            take(&buffer[..length]);
            self.skip(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Skips blanks and comments. Returns the next byte; `None` at the end.
    pub(in crate::database) fn skip_blanks(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(byte) if byte.is_ascii_whitespace() => {
                    self.skip_to(|byte| !byte.is_ascii_whitespace())?;
                }
                Some(b'#') => self.line_comment()?,
                Some(b'-') => {
                    self.skip(1);
                    match self.peek()? {
                        Some(b'-') => self.line_comment()?,
                        // A minus before a number: the caller sees the number without it.
                        other => return Ok(other),
                    }
                }
                Some(b'/') => {
                    self.skip(1);
                    if self.peek()? == Some(b'*') {
                        self.block_comment()?;
                    }
                }
                other => return Ok(other),
            }
        }
    }

    fn line_comment(&mut self) -> io::Result<()> {
        let mut comment = Vec::new();
        self.until(
            |bytes| memchr(b'\n', bytes),
            |bytes| comment.extend(&bytes[..bytes.len().min(LONGEST_NAME - comment.len().min(LONGEST_NAME))]),
        )?;
        // pg_dump frames its comments with empty ones.
        if comment.iter().any(u8::is_ascii_alphanumeric) {
            self.database = named_database(&comment).or(self.database.take());
            self.comment = comment;
        }
        Ok(())
    }

    /// Skips a comment in `/* */`. Some hold statements for certain versions. An audit needs the charset.
    fn block_comment(&mut self) -> io::Result<()> {
        self.skip(1);
        let mut block = std::mem::take(&mut self.block);
        block.clear();
        // The end may be in two buffers.
        let after_star = Cell::new(false);
        let end = |bytes: &[u8]| match bytes {
            [b'/', ..] if after_star.get() => Some(0),
            _ => memmem::find(bytes, b"*/").map(|star| star + 1),
        };
        let is_whole = self.until(end, |bytes| {
            block.extend(&bytes[..bytes.len().min(STATEMENT - block.len())]);
            after_star.set(bytes.last() == Some(&b'*'));
        })?;
        if !is_whole {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.skip(1);
        while block.last() == Some(&b'*') {
            block.pop();
        }
        self.charset = charset_of(&block).or(self.charset.take());
        self.block = block;
        Ok(())
    }

    /// Returns the next token; `None` at the end of the input.
    pub(in crate::database) fn token(&mut self) -> io::Result<Option<Token>> {
        let Some(byte) = self.skip_blanks()? else { return Ok(None) };
        Ok(Some(match byte {
            b'`' | b'"' => Token::Name(self.quoted_name(byte)?),
            b'[' => Token::Name(self.quoted_name(b']')?),
            b'\'' => {
                self.text(|_| ())?;
                Token::Text
            }
            byte if is_word(byte) => Token::Word(self.word()?),
            other => {
                self.skip(1);
                Token::Symbol(other)
            }
        }))
    }

    pub(in crate::database) fn word(&mut self) -> io::Result<String> {
        let (mut word, longest) = (Vec::new(), self.longest_name.saturating_add(1));
        self.until(
            |bytes| bytes.iter().position(|&byte| !is_word(byte)),
            |bytes| word.extend(&bytes[..bytes.len().min(longest - word.len())]),
        )?;
        Ok(String::from_utf8_lossy(&word).into_owned())
    }

    /// Reads a name up to this quote, which is doubled inside the name.
    fn quoted_name(&mut self, quote: u8) -> io::Result<String> {
        self.skip(1);
        let (mut name, longest) = (Vec::new(), self.longest_name.saturating_add(1));
        loop {
            let is_whole = self.until(
                |bytes| memchr(quote, bytes),
                |bytes| name.extend(&bytes[..bytes.len().min(longest - name.len())]),
            )?;
            if !is_whole {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.skip(1);
            if self.peek()? != Some(quote) {
                return Ok(String::from_utf8_lossy(&name).into_owned());
            }
            self.skip(1);
            if name.len() < longest {
                name.push(quote);
            }
        }
    }

    /// Reads a text in single quotes and passes its bytes to `take`, without escapes.
    pub(in crate::database) fn text(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        self.skip(1);
        let has_escapes = self.has_escapes;
        loop {
            let stop = |bytes: &[u8]| match has_escapes {
                true => memchr2(b'\'', b'\\', bytes),
                false => memchr(b'\'', bytes),
            };
            if !self.until(stop, &mut take)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match self.next()? {
                b'\\' => {
                    let byte = unescaped(self.next()?);
                    take(&[byte]);
                }
                _ if self.peek()? == Some(b'\'') => {
                    self.skip(1);
                    take(b"'");
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads hexadecimal digits and passes their bytes to `take`.
    pub(in crate::database) fn hex(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut high = None;
        let mut some = [0; 1024];
        self.until(
            |bytes| bytes.iter().position(|&byte| DIGITS[usize::from(byte)] > 15),
            |bytes| {
                for piece in bytes.chunks(some.len()) {
                    let mut length = 0;
                    for &byte in piece {
                        let digit = DIGITS[usize::from(byte)];
                        match high.take() {
                            None => high = Some(digit),
                            Some(high) => {
                                some[length] = high << 4 | digit;
                                length += 1;
                            }
                        }
                    }
                    take(&some[..length]);
                }
            },
        )?;
        Ok(())
    }

    /// Skips bytes up to one of these. Returns it without reading it; `None` at the end of the input.
    pub(in crate::database) fn skip_to(&mut self, is_end: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        self.until(|bytes| bytes.iter().position(|&byte| is_end(byte)), |_| ())?;
        self.peek()
    }

    /// Reads bytes of a copy up to a tab, a line end or a backslash, which it returns without reading it.
    pub(in crate::database) fn plain_bytes(&mut self, take: impl FnMut(&[u8])) -> io::Result<u8> {
        self.until(|bytes| memchr3(b'\t', b'\n', b'\\', bytes), take)?;
        self.peek()?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// Reads a line. Returns `false` at the end of the input.
    pub(in crate::database) fn line(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<bool> {
        let ended = self.until(|bytes| memchr(b'\n', bytes), &mut take)?;
        if ended {
            self.skip(1);
        }
        Ok(ended)
    }
}

/// Returns the database in a comment of mysqldump, `- Host: localhost    Database: opensim`, or of phpMyAdmin.
fn named_database(comment: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(comment).ok()?.trim_start_matches('-').trim_start();
    let starts = text.starts_with("Host:") || text.starts_with("Database:");
    let (_, name) = text.split_once("Database:").filter(|_| starts)?;
    let name = name.trim().trim_matches('`');
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the charset that a statement in a comment sets: `!40101 SET NAMES utf8mb4`.
fn charset_of(comment: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(comment).ok()?.strip_prefix('!')?;
    let mut words = text.trim_start_matches(|digit: char| digit.is_ascii_digit()).split_ascii_whitespace();
    let is = |word: Option<&str>, keyword| word.is_some_and(|word: &str| word.eq_ignore_ascii_case(keyword));
    let sets = is(words.next(), "set") && is(words.next(), "names");
    words.next().filter(|_| sets).map(|name| name.trim_matches(['\'', '"', ';']).to_owned())
}

/// Whether a byte belongs to a word. Bytes above ASCII may be letters of any charset.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'+') || byte >= 0x80
}

/// Returns the character of a backslash and this byte.
pub(super) fn unescaped(byte: u8) -> u8 {
    match byte {
        b'0' => 0,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'Z' => 26,
        other => other,
    }
}
