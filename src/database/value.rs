//! Values of rows, as lenient as the loaders of OpenSimulator.

use glam::{DQuat, DVec3};
use hullmark_format::xml::NAME_BYTES;
use hullmark_util::base64;
use std::{borrow::Cow, collections::HashMap, sync::Arc};
use uuid::Uuid;

#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value<'a> {
    #[default]
    Null,
    /// A whole number.
    Int(i64),
    Real(f64),
    /// A text in UTF-8 or any other charset, or a blob.
    Bytes(Cow<'a, [u8]>),
    /// A value of this many bytes, which was not kept because it exceeds a limit. Readers take it for none.
    LeftOut(u64),
}

impl<'a> Value<'a> {
    /// Creates a text or a blob from bytes that live elsewhere.
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok().map(str::trim_ascii),
            _ => None,
        }
    }

    /// Returns a whole number. A text may hold one, and True and False are 1 and 0.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Null | Self::LeftOut(_) => None,
            Self::Int(number) => Some(*number),
            // The column of a whole number may have a type with fractions.
            Self::Real(number) => (number.fract() == 0.0 && number.abs() < 9e15).then_some(*number as i64),
            Self::Bytes(_) => match self.as_text()? {
                text if text.eq_ignore_ascii_case("true") || text == "t" => Some(1),
                text if text.eq_ignore_ascii_case("false") || text == "f" => Some(0),
                text => text.parse().ok(),
            },
        }
    }

    pub fn real(&self) -> Option<f64> {
        match self {
            Self::Null | Self::LeftOut(_) => None,
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            Self::Bytes(_) => self.as_text()?.parse().ok(),
        }
    }

    /// Returns a UUID, in upper or lower case and with or without dashes.
    pub fn uuid(&self) -> Option<Uuid> {
        match self {
            Self::Bytes(bytes) if bytes.len() == 16 => Uuid::from_slice(bytes).ok(),
            _ => Uuid::try_parse(self.as_text()?).ok(),
        }
    }

    /// Returns a text that may be a name. A longer one is empty.
    pub fn name(&self) -> String {
        match self {
            Self::Bytes(bytes) if bytes.len() > NAME_BYTES => String::new(),
            value => value.text(),
        }
    }

    /// Returns a text. Bytes that are not UTF-8 are read as Latin-1, the charset of old tables. A text that was encoded
    /// twice is read as it was meant.
    pub fn text(&self) -> String {
        match self {
            Self::Null | Self::LeftOut(_) => String::new(),
            Self::Int(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => meant(text).unwrap_or_else(|| text.to_owned()),
                Err(_) => from_latin1(bytes),
            },
        }
    }
}

/// The characters of Windows-1252 from 0x80, where Latin-1 has none. MySQL fills the gaps.
const FROM_0X80: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Most times that a text is decoded again.
const AGAIN: usize = 3;

/// Returns a text as it was meant before its bytes in UTF-8 were taken for Latin-1 and encoded once more. `None` if
/// nothing shows that.
///
/// Hardly any text in Latin-1 is valid UTF-8, so letters that form such bytes throughout were bytes once.
pub fn meant(text: &str) -> Option<String> {
    let mut found: Option<String> = None;
    for _ in 0..AGAIN {
        match decoded_again(found.as_deref().unwrap_or(text)) {
            Some(decoded) => found = Some(decoded),
            None => break,
        }
    }
    found
}

fn decoded_again(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let byte = |letter: char| match u8::try_from(letter) {
        Ok(byte) => Some(byte),
        Err(_) => FROM_0X80.iter().position(|known| *known == letter).map(|place| 0x80 + place as u8),
    };
    String::from_utf8(text.chars().map(byte).collect::<Option<Vec<u8>>>()?).ok()
}

/// Whether a text has a question mark inside of a word, where a charset had no letter.
pub fn has_lost_letters(text: &str) -> bool {
    // Addresses have question marks, too.
    if !text.contains('?') || ["://", "=", "/"].iter().any(|sign| text.contains(sign)) {
        return false;
    }
    let letters: Vec<char> = text.chars().collect();
    letters.array_windows().any(|[a, mark, b]| *mark == '?' && a.is_alphabetic() && b.is_alphabetic())
}

/// Returns a text in Latin-1, which is Windows-1252 in MySQL.
fn from_latin1(bytes: &[u8]) -> String {
    let letter = |byte: u8| match byte {
        0x80..0xa0 => FROM_0X80[usize::from(byte - 0x80)],
        other => char::from(other),
    };
    bytes.iter().copied().map(letter).collect()
}

/// Maximum bytes of the name of a column. MySQL has 64, and OpenSimulator's are shorter.
const COLUMN_NAME: usize = 64;

/// Bytes of memory for a column, in addition to its name.
const COLUMN: usize = 80;

/// Positions of the columns of a table, by name in any case. Longer names than any product allows are left out.
#[derive(Debug, Clone, Default)]
pub struct Columns(Arc<HashMap<String, usize>>);

impl Columns {
    /// Creates the columns from their names in the order of values.
    pub fn new(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let names = names.into_iter().zip(0..).filter(|(name, _)| name.as_ref().len() <= COLUMN_NAME);
        Self(Arc::new(names.map(|(name, place)| (name.as_ref().to_ascii_lowercase(), place)).collect()))
    }

    /// Returns about the memory of the names, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.keys().map(|name| name.len() + COLUMN).sum()
    }

    /// Whether there is a column of this name, in lower case.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the place of a column, from 0.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}

/// One row of a table. Names of columns are in lower case. A missing column has no value.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    columns: &'r Columns,
    values: &'r [Value<'r>],
    /// Values of all columns for rows that have fewer. Columns may be added to a table of SQLite.
    defaults: &'r [Value<'r>],
    /// The column that has the number of the row, and the number. It replaces a missing value.
    rowid: Option<(usize, &'r Value<'r>)>,
}

impl<'r> Row<'r> {
    /// Creates a row from the values in the order of the columns.
    pub fn new(columns: &'r Columns, values: &'r [Value<'r>]) -> Self {
        Self { columns, values, defaults: &[], rowid: None }
    }

    /// The same row of a table with these values for columns that the row lacks, and a column with its number.
    pub fn completed(self, defaults: &'r [Value<'r>], rowid: Option<(usize, &'r Value<'r>)>) -> Self {
        Self { defaults, rowid, ..self }
    }

    /// Returns the bytes of its texts and blobs.
    pub fn size(&self) -> u64 {
        let size = |value: &Value<'_>| if let Value::Bytes(bytes) = value { bytes.len() as u64 } else { 0 };
        self.values.iter().map(size).sum()
    }

    pub fn columns(&self) -> &'r Columns {
        self.columns
    }

    pub fn has(&self, column: &str) -> bool {
        self.columns.has(column)
    }

    pub fn get(&self, column: &str) -> &'r Value<'r> {
        let Some(&place) = self.columns.0.get(column) else { return &Value::Null };
        let value = self.values.get(place).or_else(|| self.defaults.get(place)).unwrap_or(&Value::Null);
        match self.rowid {
            Some((column, number)) if column == place && *value == Value::Null => number,
            _ => value,
        }
    }

    /// Returns the bytes of a value that was not kept. `None` if it was kept, or is missing.
    pub fn left_out(&self, column: &str) -> Option<u64> {
        match self.get(column) {
            Value::LeftOut(bytes) => Some(*bytes),
            _ => None,
        }
    }

    /// Returns a whole number.
    pub fn int(&self, column: &str) -> Option<i64> {
        self.get(column).int()
    }

    /// Returns 32 bits, which a database may hold as a signed number.
    pub fn bits(&self, column: &str) -> Option<u32> {
        let number = self.int(column)?;
        u32::try_from(number).ok().or_else(|| i32::try_from(number).ok().map(|number| number as u32))
    }

    pub fn flag(&self, column: &str) -> Option<bool> {
        self.int(column).map(|number| number != 0)
    }

    pub fn real(&self, column: &str) -> Option<f64> {
        self.get(column).real()
    }

    /// Returns a UUID; nil if it is missing.
    pub fn uuid(&self, column: &str) -> Uuid {
        self.get(column).uuid().unwrap_or_default()
    }

    /// Returns a text; empty if it is missing.
    pub fn text(&self, column: &str) -> String {
        self.get(column).text()
    }

    /// Returns a name. A long one is cut, as in documents.
    pub fn name(&self, column: &str) -> String {
        let mut name = self.text(column);
        if name.len() > NAME_BYTES {
            name.truncate(name.floor_char_boundary(NAME_BYTES));
            name.shrink_to_fit();
            name.push('…');
        }
        name
    }

    /// Returns the bytes of a blob; empty if it is missing.
    pub fn blob(&self, column: &str) -> &'r [u8] {
        match self.get(column) {
            Value::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// Returns the bytes of a column that SQLite holds as base64. `None` if they cannot be decoded.
    ///
    /// SQLite turns a text of digits into a number. Digits of a whole number are restored, others are lost.
    pub fn base64(&self, column: &str) -> Option<Vec<u8>> {
        match self.get(column) {
            Value::Null => Some(Vec::new()),
            Value::Real(_) => None,
            value => base64::decode(value.text().trim_ascii()),
        }
    }

    /// Returns a single-precision number, as OpenSimulator has and writes it.
    ///
    /// Columns of double precision show digits that the number does not have: 205.51738 is 205.5173797607422 there. The
    /// shortest digits are those of an archive of the same region.
    pub fn single(&self, column: &str) -> Option<f64> {
        let single = self.real(column)? as f32;
        let shortest = single.to_string().parse();
        Some(shortest.unwrap_or_else(|_| f64::from(single)))
    }

    /// Returns the vector of the columns `{name}x`, `{name}y` and `{name}z`. A missing component is 0.
    pub fn vector(&self, name: &str) -> DVec3 {
        let at = |axis: &str| self.single(&format!("{name}{axis}")).unwrap_or(0.0);
        DVec3::new(at("x"), at("y"), at("z"))
    }

    /// Returns the rotation of four columns.
    pub fn rotation(&self, name: &str) -> DQuat {
        let vector = self.vector(name);
        DQuat::from_xyzw(vector.x, vector.y, vector.z, self.single(&format!("{name}w")).unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_the_loaders_read_them() {
        assert_eq!(Value::bytes(b"True").int(), Some(1));
        assert_eq!(Value::bytes(b"f").int(), Some(0));
        assert_eq!(Value::bytes(b" -7 ").int(), Some(-7));
        assert_eq!(Value::Real(3.0).int(), Some(3));
        assert_eq!(Value::Real(3.5).int(), None);
        assert_eq!(Value::Int(2).real(), Some(2.0));
        assert_eq!(Value::bytes(b"1023.46").real(), Some(1023.46));
        let uuid = Value::bytes(b"47397B0A7C254905B82D946CBE329328").uuid().unwrap();
        assert_eq!(uuid.to_string(), "47397b0a-7c25-4905-b82d-946cbe329328");
        assert_eq!(Value::bytes(uuid.as_bytes()).uuid(), Some(uuid));
        assert_eq!(Value::bytes("M\u{fc}hle".as_bytes()).text(), "Mühle");
        assert_eq!(Value::bytes(b"M\xfchle \x80").text(), "Mühle €", "Latin-1 of MySQL");
        let (columns, values) = (Columns::new(["name"]), [Value::bytes("ü".as_bytes())]);
        assert_eq!(Row::new(&columns, &values).text("name"), "ü");
        for (stored, text) in [
            ("Ciudad NiÃ±a", "Ciudad Niña"),
            ("CafÃƒÂ©", "Café"),
            ("ÐœÐ¾Ñ\u{81}ÐºÐ²Ð°", "Москва"),
            ("â‚¬ 5", "€ 5"),
        ] {
            assert_eq!(Value::bytes(stored.as_bytes()).text(), text, "encoded twice");
        }
        for text in ["Niña", "Ärger über Öl", "Äther", "日本", "©", "À la carte", "NÃO", "plain"] {
            assert_eq!((meant(text), Value::bytes(text.as_bytes()).text()), (None, text.into()));
        }
        let lost = ["Caf? Mar?a", "Stra?e", "What? No", "who?", "http://a.b/c?d", "???", "50?50"];
        assert_eq!(lost.map(has_lost_letters), [true, true, false, false, false, false, false]);
    }

    #[test]
    fn columns_are_found_by_name_in_any_case() {
        let columns = Columns::new(["UUID", "ObjectFlags", "Particles", "ScaleX", "ScaleZ"]);
        let digits = Value::Real(205.517_379_760_742_2);
        let values = [Value::Null, Value::Int(-1), Value::bytes(b"AAEC"), digits, Value::Int(2)];
        let row = Row::new(&columns, &values);
        assert!(row.has("objectflags") && !row.has("linknumber"));
        assert_eq!((row.uuid("uuid"), row.int("linknumber")), (Uuid::nil(), None));
        assert_eq!(row.bits("objectflags"), Some(u32::MAX));
        assert_eq!(row.base64("particles"), Some(vec![0, 1, 2]));
        assert_eq!(row.base64("scalex"), None, "base64 that SQLite turned into a number");
        assert_eq!(row.vector("scale"), DVec3::new(205.51738, 0.0, 2.0));
    }
}
