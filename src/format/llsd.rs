//! Binary LLSD, the serialization of mesh assets.
//!
//! Two crates exist, but both abort the process on a few hostile bytes, and the files are untrusted. So this parser is
//! our own. It borrows from its input and compares every length and count with the remaining bytes before use. The
//! caller limits nesting and the number of values.
//!
//! The layout follows the viewer's `LLSDBinaryParser` (`llcommon/llsdserialize.cpp`). In some cases the viewer only
//! logs, for example at a number cut by the end of the data. This parser fails there.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use thiserror::Error;
use uuid::Uuid;

/// Maximum number of values in a document if no setting limits it. A value takes up to 56 bytes in memory and as little
/// as one byte in a file. A file may be deflated to a thousandth, so its size gives no bound. Genuine scenes of
/// hundreds of instances stay below 100,000.
pub const MAX_VALUES: usize = 1 << 20;

/// Hard limit for nesting, above any setting. Reading and dropping a value both use stack for each level.
const HARD_DEPTH: usize = 128;

/// A value. Text is bytes: it may not be UTF-8, and a scene stores whole meshes as strings.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// `!`
    Undef,
    /// `1` or `0`
    Boolean(bool),
    /// `i`
    Integer(i32),
    /// `r`
    Real(f64),
    /// `u`
    Uuid(Uuid),
    /// `s`, or text in quotes
    String(Cow<'a, [u8]>),
    /// `l`
    Uri(&'a [u8]),
    /// `d`: seconds since 1970, UTC
    Date(f64),
    /// `b`
    Binary(&'a [u8]),
    /// `[`
    Array(Vec<Self>),
    /// `{`
    Map(Map<'a>),
}

impl<'a> Value<'a> {
    /// Returns the kind of this value, with its article, for use in a sentence.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Undef => "undefined",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Real(_) => "a real",
            Self::Uuid(_) => "a UUID",
            Self::String(_) => "a string",
            Self::Uri(_) => "a URI",
            Self::Date(_) => "a date",
            Self::Binary(_) => "binary data",
            Self::Array(_) => "an array",
            Self::Map(_) => "a map",
        }
    }

    /// Returns the map; `None` for another kind.
    pub fn as_map(&self) -> Option<&Map<'a>> {
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// Returns the elements of an array; `None` for another kind.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(values) = self { Some(values) } else { None }
    }

    /// Returns the bytes of binary data; `None` for another kind.
    pub fn as_binary(&self) -> Option<&'a [u8]> {
        if let Self::Binary(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns the bytes of a string; `None` for another kind.
    pub fn as_string(&self) -> Option<&[u8]> {
        if let Self::String(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns an integer or a real as a number; `None` for another kind.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Integer(value) => Some(value.into()),
            Self::Real(value) => Some(value),
            _ => None,
        }
    }

    /// Returns an integer, or a real that some programs write instead; `None` for another kind. A fraction is cut off,
    /// as in every reader.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Integer(value) => Some(value.into()),
            Self::Real(value) if value.is_finite() => Some(value as i64),
            _ => None,
        }
    }
}

/// A map in file order, with unique keys. Of repeated keys the first is kept, as in the viewer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Map<'a> {
    entries: Vec<(Cow<'a, [u8]>, Value<'a>)>,
}

impl<'a> Map<'a> {
    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.entries.iter().find(|(name, _)| **name == *key.as_bytes()).map(|(_, value)| value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns the entries in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &Value<'a>)> {
        self.entries.iter().map(|(name, value)| (&**name, value))
    }

    /// Removes later entries with a repeated key. Returns the first such key and the number of entries removed.
    fn drop_doubles(&mut self) -> Option<(Vec<u8>, usize)> {
        // A map may have a million keys. Sorted numbers take less than a set of keys.
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        let key = |number: u32| &self.entries[number as usize].0;
        order.sort_by(|&one, &other| key(one).cmp(key(other)).then(one.cmp(&other)));
        let mut doubles: Vec<u32> =
            order.windows(2).filter(|pair| key(pair[0]) == key(pair[1])).map(|pair| pair[1]).collect();
        doubles.sort_unstable();
        let first = key(*doubles.first()?).to_vec();
        let mut left = doubles.iter().peekable();
        let mut number = 0;
        self.entries.retain(|_| {
            let is_double = left.next_if_eq(&&number).is_some();
            number += 1;
            !is_double
        });
        Some((first, doubles.len()))
    }
}

impl<'a> FromIterator<(Cow<'a, [u8]>, Value<'a>)> for Map<'a> {
    fn from_iter<T: IntoIterator<Item = (Cow<'a, [u8]>, Value<'a>)>>(entries: T) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Document<'a> {
    pub value: Value<'a>,
    /// Bytes that were read, including the text prefix.
    pub consumed: usize,
    /// Whether the document begins with the deprecated text `<? LLSD/Binary ?>`.
    pub prefixed: bool,
    /// Keys that a map contains more than once; `None` if there are none.
    pub doubles: Option<Doubles>,
}

/// Keys that occur more than once in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubles {
    /// The first of these keys, printable and shortened.
    pub key: String,
    /// Number of entries that were left out.
    pub count: usize,
}

/// Why and where a document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{problem}, at byte {offset}")]
pub struct LlsdError {
    /// The reason.
    pub problem: Problem,
    /// Position in bytes from the start of the document.
    pub offset: usize,
}

/// The reason why a document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum Problem {
    /// The document ends too early.
    #[error("the data ends in the middle of a value")]
    Truncated,
    /// A length exceeds the remaining bytes.
    #[error("a length of {length} bytes, but only {left} bytes are left")]
    Length { length: u32, left: usize },
    /// A count exceeds the remaining bytes.
    #[error("a count of {count}, but only {left} bytes are left")]
    Count { count: u32, left: usize },
    /// No value starts with this byte.
    #[error("no value starts with the byte 0x{0:02x}")]
    Tag(u8),
    /// No key starts with this byte.
    #[error("no map key starts with the byte 0x{0:02x}")]
    Key(u8),
    /// An array or map does not end at its stated count.
    #[error("an array or map has more than the {0} values that it announces")]
    End(u32),
    /// The nesting exceeds the limit.
    #[error("arrays and maps are nested deeper than {0}")]
    TooDeep(usize),
    /// The number of values exceeds the limit, or their memory that of as many.
    #[error("there are more than {0} values, with the keys of maps")]
    TooMany(usize),
}

/// Parses the value at the start of `bytes`. Arrays and maps may nest `depth` deep, but never more than 128. Bytes
/// after the value are ignored: see [`Document::consumed`].
///
/// # Errors
///
/// If the viewer's parser refuses the data, a number is cut by the end of the data, or there are too many values.
pub fn parse(bytes: &[u8], depth: usize) -> Result<Document<'_>, LlsdError> {
    parse_at_most(bytes, depth, MAX_VALUES)
}

/// Parses like [`parse`], with at most `most` values.
///
/// # Errors
///
/// As for [`parse`].
pub fn parse_at_most(bytes: &[u8], depth: usize, most: usize) -> Result<Document<'_>, LlsdError> {
    let prefix = prefix_length(bytes);
    let depth = depth.min(HARD_DEPTH);
    let mut parser = Parser { bytes, at: prefix, limit: depth, most, values: 0, entries: 0, doubles: None };
    let value = parser.value(depth)?;
    Ok(Document { value, consumed: parser.at, prefixed: prefix > 0, doubles: parser.doubles })
}

/// Whether `bytes` can be the start of a map in binary LLSD. JSON and notation LLSD begin with the same brace, but no
/// count with a first byte of zero follows.
pub fn looks_like_map(bytes: &[u8]) -> bool {
    let rest = &bytes[prefix_length(bytes)..];
    match rest {
        // The first byte of the count is zero: no map has 16 million keys.
        [b'{', 0, a, b, c, next, ..] => match next {
            b'}' => [a, b, c] == [&0; 3],
            b'k' => rest.get(6).is_none_or(|&length| length == 0),
            b'\'' | b'"' => true,
            _ => false,
        },
        _ => false,
    }
}

/// Returns the keys of the map at the start of `bytes`, each with the tag of its value, as far as the bytes go. This
/// identifies a file by its first few kilobytes.
pub fn keys(bytes: &[u8]) -> Vec<(Cow<'_, [u8]>, u8)> {
    let mut found = Vec::new();
    if !looks_like_map(bytes) {
        return found;
    }
    let at = prefix_length(bytes) + 5;
    let mut parser =
        Parser { bytes, at, limit: HARD_DEPTH, most: MAX_VALUES, values: 0, entries: 0, doubles: None };
    while let Ok(key) = parser.key(0) {
        let Some(&tag) = bytes.get(parser.at) else { break };
        found.push((key, tag));
        if parser.value(HARD_DEPTH).is_err() {
            break;
        }
    }
    found
}

/// Returns the length of the deprecated text before a document: `<? LLSD/Binary ?>` or `<?llsd/binary?>`, with the
/// newline after it. The current viewer passes the newline to a parser that refuses it, which is a bug: all earlier
/// viewers removed 18 bytes.
fn prefix_length(bytes: &[u8]) -> usize {
    let strip = |at: usize, text: &[u8]| {
        let end = at + text.len();
        bytes.get(at..end).filter(|found| found.eq_ignore_ascii_case(text)).map(|_| end)
    };
    let spaced = |at| strip(at, b" ").unwrap_or(at);
    let text = strip(0, b"<?")
        .and_then(|at| strip(spaced(at), b"llsd/binary"))
        .and_then(|at| strip(spaced(at), b"?>"));
    text.map_or(0, |at| strip(at, b"\n").or_else(|| strip(at, b"\r\n")).unwrap_or(at))
}

/// The position in the bytes, and the remaining budgets.
struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    limit: usize,
    most: usize,
    values: usize,
    /// Entries of maps so far. Each takes more memory than a value in an array, for its key.
    entries: usize,
    doubles: Option<Doubles>,
}

/// Bytes of a value in memory, and of an entry of a map.
const VALUE: usize = size_of::<Value<'static>>();
const ENTRY: usize = size_of::<(Cow<'static, [u8]>, Value<'static>)>();

impl<'a> Parser<'a> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns an error at the byte just read.
    fn behind(&self, problem: Problem) -> LlsdError {
        LlsdError { problem, offset: self.at - 1 }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], LlsdError> {
        let taken = self.bytes[self.at..].get(..length);
        let taken = taken.ok_or(LlsdError { problem: Problem::Truncated, offset: self.bytes.len() })?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], LlsdError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, LlsdError> {
        self.array().map(|[byte]| byte)
    }

    fn number(&mut self) -> Result<u32, LlsdError> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads bytes that follow their length.
    fn sized(&mut self) -> Result<&'a [u8], LlsdError> {
        let offset = self.at;
        let (length, left) = (self.number()?, self.left());
        if length as usize > left {
            return Err(LlsdError { problem: Problem::Length { length, left }, offset });
        }
        self.take(length as usize)
    }

    /// Reads a count of items that take at least `smallest` bytes each.
    fn count(&mut self, smallest: usize) -> Result<u32, LlsdError> {
        let offset = self.at;
        let (count, left) = (self.number()?, self.left());
        if count as usize > left / smallest {
            return Err(LlsdError { problem: Problem::Count { count, left }, offset });
        }
        Ok(count)
    }

    /// Reads one value, with `depth` levels of nesting left.
    fn value(&mut self, depth: usize) -> Result<Value<'a>, LlsdError> {
        self.values += 1;
        let bytes = self.values * VALUE + self.entries * (ENTRY - VALUE);
        if self.values > self.most || bytes > self.most.saturating_mul(VALUE) {
            return Err(LlsdError { problem: Problem::TooMany(self.most), offset: self.at });
        }
        Ok(match self.byte()? {
            b'!' => Value::Undef,
            b'1' => Value::Boolean(true),
            b'0' => Value::Boolean(false),
            b'i' => Value::Integer(i32::from_be_bytes(self.array()?)),
            b'r' => Value::Real(f64::from_be_bytes(self.array()?)),
            b'u' => Value::Uuid(Uuid::from_bytes(self.array()?)),
            b's' => Value::String(Cow::Borrowed(self.sized()?)),
            b'l' => Value::Uri(self.sized()?),
            // The viewer does not swap the bytes of a date, and runs on little-endian machines.
            b'd' => Value::Date(f64::from_le_bytes(self.array()?)),
            b'b' => Value::Binary(self.sized()?),
            quote @ (b'\'' | b'"') => Value::String(self.quoted(quote)?),
            b'[' | b'{' if depth == 0 => return Err(self.behind(Problem::TooDeep(self.limit))),
            b'[' => Value::Array(self.elements(depth - 1)?),
            b'{' => Value::Map(self.map(depth - 1)?),
            tag => return Err(self.behind(Problem::Tag(tag))),
        })
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Value<'a>>, LlsdError> {
        let count = self.count(1)?;
        let mut values = Vec::new();
        for _ in 0..count {
            if self.bytes.get(self.at) == Some(&b']') {
                return Err(LlsdError { problem: Problem::End(count), offset: self.at });
            }
            values.push(self.value(depth)?);
        }
        self.end(b']', count)?;
        Ok(values)
    }

    fn map(&mut self, depth: usize) -> Result<Map<'a>, LlsdError> {
        // The smallest entry is an empty key in quotes with a value of one byte.
        let count = self.count(3)?;
        let mut map = Map::default();
        for _ in 0..count {
            let key = self.key(count)?;
            self.entries += 1;
            map.entries.push((key, self.value(depth)?));
        }
        self.end(b'}', count)?;
        if let Some((key, count)) = map.drop_doubles() {
            let key = key[..key.len().min(40)].escape_ascii().to_string();
            self.doubles.get_or_insert(Doubles { key, count: 0 }).count += count;
        }
        Ok(map)
    }

    fn key(&mut self, count: u32) -> Result<Cow<'a, [u8]>, LlsdError> {
        match self.byte()? {
            b'k' => self.sized().map(Cow::Borrowed),
            quote @ (b'\'' | b'"') => self.quoted(quote),
            b'}' => Err(self.behind(Problem::End(count))),
            byte => Err(self.behind(Problem::Key(byte))),
        }
    }

    fn end(&mut self, terminator: u8, count: u32) -> Result<(), LlsdError> {
        if self.byte()? == terminator { Ok(()) } else { Err(self.behind(Problem::End(count))) }
    }

    /// Reads text up to its quote, and copies it only if it contains an escape.
    fn quoted(&mut self, quote: u8) -> Result<Cow<'a, [u8]>, LlsdError> {
        let text = &self.bytes[self.at..];
        let stop = text.iter().position(|&byte| byte == quote || byte == b'\\');
        match stop {
            Some(length) if text[length] == quote => {
                self.at += length + 1;
                Ok(Cow::Borrowed(&text[..length]))
            }
            _ => self.escaped(quote).map(Cow::Owned),
        }
    }

    fn escaped(&mut self, quote: u8) -> Result<Vec<u8>, LlsdError> {
        let mut text = Vec::new();
        loop {
            match self.byte()? {
                b'\\' => text.push(self.escape()?),
                byte if byte == quote => return Ok(text),
                byte => text.push(byte),
            }
        }
    }

    /// Returns the byte that the characters after a backslash mean (the viewer's `deserialize_string_delim`).
    fn escape(&mut self) -> Result<u8, LlsdError> {
        Ok(match self.byte()? {
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'x' => {
                let [high, low] =
                    self.array()?.map(|digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8);
                high << 4 | low
            }
            byte => byte,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8]) -> Value<'_> {
        let document = parse(bytes, 96).expect("it parses");
        assert_eq!(document.consumed, bytes.len());
        document.value
    }

    fn problem(bytes: &[u8]) -> (Problem, usize) {
        let error = parse(bytes, 96).expect_err("it does not parse");
        (error.problem, error.offset)
    }

    #[test]
    fn every_tag_has_its_value() {
        assert_eq!(value(b"!"), Value::Undef);
        assert_eq!(value(b"1"), Value::Boolean(true));
        assert_eq!(value(b"0"), Value::Boolean(false));
        assert_eq!(value(b"i\xff\xff\xff\xfe"), Value::Integer(-2));
        assert_eq!(value(b"r\x3f\xf8\0\0\0\0\0\0"), Value::Real(1.5));
        assert_eq!(value(b"d\0\0\0\0\0\0\xf8\x3f"), Value::Date(1.5));
        assert_eq!(value(b"u0123456789abcdef"), Value::Uuid(Uuid::from_bytes(*b"0123456789abcdef")));
        assert_eq!(value(b"s\0\0\0\x02\xff}"), Value::String(Cow::Borrowed(b"\xff}")));
        assert_eq!(value(b"l\0\0\0\x01x"), Value::Uri(b"x"));
        assert_eq!(value(b"b\0\0\0\x01\0"), Value::Binary(&[0]));
        assert_eq!(value(b"[\0\0\0\x02!1]"), Value::Array(vec![Value::Undef, Value::Boolean(true)]));
        assert!(value(b"{\0\0\0\0}").as_map().is_some_and(|map| map.iter().len() == 0));
    }

    #[test]
    fn quoted_text_is_borrowed_until_it_has_an_escape() {
        assert!(matches!(value(b"'it\"s'"), Value::String(Cow::Borrowed(b"it\"s"))));
        assert_eq!(value(br#""\"\\\n\x41\q""#), Value::String(Cow::Owned(b"\"\\\nAq".to_vec())));
        let map = value(b"{\0\0\0\x01'a'1}");
        assert_eq!(map.as_map().and_then(|map| map.get("a")), Some(&Value::Boolean(true)));
    }

    #[test]
    fn the_text_in_front_is_optional_with_or_without_newline() {
        for text in
            ["<? LLSD/Binary ?>\n1", "<? LLSD/Binary ?>1", "<?llsd/binary?>\n1", "<?llsd/binary?>\r\n1"]
        {
            let document = parse(text.as_bytes(), 1).expect("it parses");
            assert_eq!((document.value, document.prefixed), (Value::Boolean(true), true), "{text:?}");
            assert_eq!(document.consumed, text.len());
        }
        assert_eq!(problem(b"<? llsd/notation ?>\n1"), (Problem::Tag(b'<'), 0));
        assert_eq!(problem(b" 1"), (Problem::Tag(b' '), 0));
    }

    #[test]
    fn bytes_after_the_document_are_left() {
        let document = parse(b"1tail", 1).expect("it parses");
        assert_eq!(document.consumed, 1);
    }

    #[test]
    fn counts_must_be_exact() {
        // A count of 2 fits the 2 bytes left, so the early end is the fault that is found.
        assert_eq!(problem(b"[\0\0\0\x02!]"), (Problem::End(2), 6));
        assert_eq!(problem(b"[\0\0\0\x01!!]"), (Problem::End(1), 6));
        assert_eq!(problem(b"{\0\0\0\x02k\0\0\0\x01a1}"), (Problem::End(2), 12));
        assert_eq!(problem(b"{\0\0\0\x01k\0\0\0\x01a1k"), (Problem::End(1), 12));
        assert_eq!(problem(b"{\0\0\0\x01x\0\0\0\x01a1}"), (Problem::Key(b'x'), 5));
    }

    #[test]
    fn lengths_and_counts_are_not_believed() {
        assert_eq!(problem(b"s\xff\xff\xff\xff"), (Problem::Length { length: u32::MAX, left: 0 }, 1));
        assert_eq!(problem(b"b\0\0\0\x05abcd"), (Problem::Length { length: 5, left: 4 }, 1));
        assert_eq!(problem(b"[\x7f\xff\xff\xff"), (Problem::Count { count: 0x7fff_ffff, left: 0 }, 1));
        assert_eq!(problem(b"{\0\0\0\x02'"), (Problem::Count { count: 2, left: 1 }, 1));
        assert_eq!(problem(b"i\0\0"), (Problem::Truncated, 3));
        assert_eq!(problem(b""), (Problem::Truncated, 0));
        assert_eq!(problem(b"'abc"), (Problem::Truncated, 4));
        assert_eq!(problem(b"'\\x4"), (Problem::Truncated, 4));
    }

    #[test]
    fn nesting_is_limited_regardless_of_the_setting() {
        let nested = b"[\0\0\0\x01".repeat(200_000);
        assert_eq!(problem(&nested).0, Problem::TooDeep(96));
        let error = parse(&nested, usize::MAX).expect_err("too deep");
        assert_eq!((error.problem, error.offset), (Problem::TooDeep(128), 128 * 5));
        assert!(parse(b"[\0\0\0\x01[\0\0\0\0]]", 2).is_ok());
        assert!(parse(b"[\0\0\0\x01[\0\0\0\0]]", 1).is_err());
    }

    #[test]
    fn the_first_of_doubled_keys_is_kept_and_they_are_reported() {
        let few = b"{\0\0\0\x03k\0\0\0\x01a1k\0\0\0\x01b!k\0\0\0\x01a0}";
        let document = parse(few, 1).expect("it parses");
        assert_eq!(document.doubles, Some(Doubles { key: "a".into(), count: 1 }));
        let map = document.value.as_map().expect("a map");
        assert_eq!(map.get("a"), Some(&Value::Boolean(true)));
        assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>(), [b"a", b"b"]);

        let mut many = b"{\0\0\0\x28".to_vec();
        for index in 0..40_u8 {
            many.extend([b'k', 0, 0, 0, 1, b'a' + index % 20]);
            many.extend([b'i', 0, 0, 0, index]);
        }
        many.push(b'}');
        let document = parse(&many, 1).expect("it parses");
        assert_eq!(document.doubles.map(|doubles| doubles.count), Some(20));
        let map = document.value.as_map().expect("a map");
        assert!(map.iter().all(|(_, value)| value.as_i64().is_some_and(|value| value < 20)));
    }

    #[test]
    fn text_formats_are_reported_apart() {
        assert!(looks_like_map(b"{\0\0\0\x01k\0\0"));
        assert!(looks_like_map(b"<? LLSD/Binary ?>\n{\0\0\0\x01'a"));
        assert!(looks_like_map(b"{\0\0\0\0}"));
        for text in ["{\"a\":\"b\"}", "{'a':i1}", "{ }", "{}", "{\n  \"k\":", "[", ""] {
            assert!(!looks_like_map(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn keys_are_reported_as_far_as_the_bytes_go() {
        let bytes = b"{\0\0\0\x03k\0\0\0\x01a[\0\0\0\0]k\0\0\0\x01bs\0\0\xff\0cut";
        let keys = keys(bytes);
        assert_eq!(keys, [(Cow::Borrowed(&b"a"[..]), b'['), (Cow::Borrowed(&b"b"[..]), b's')]);
    }
}
