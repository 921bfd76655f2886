//! Parses values in XML as .NET does.

use crate::xml::MOST_JOINED;
use std::borrow::Cow;

pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns a text without the white space around it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii() && is_white(c as u8))
}

/// Whether this is the name of an element or an attribute, with or without a prefix.
pub(super) fn is_name(name: &str) -> bool {
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return name.starts_with(|c: char| c.is_ascii_alphabetic());
    }
    let mut halves = name.split(':');
    // XML 1.0 has its own list of letters. It has none above U+FFFF, and none between ASCII and À. It also lacks
    // ligatures and letters of later Unicode versions; this function accepts them.
    let is_listed = |c: char| c.is_ascii() || matches!(c, '\u{C0}'..='\u{FFFF}');
    let is_inside = |c: char| is_listed(c) && c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{B7}');
    let is_plain =
        |half: &str| half.starts_with(|c: char| c.is_alphabetic() || c == '_') && half.chars().all(is_inside);
    halves.by_ref().take(2).all(is_plain) && halves.next().is_none()
}

/// Returns a document as `Encoding.ASCII` decodes it: other bytes become question marks. Zeros at the end are left out.
pub(super) fn ascii_document(bytes: &[u8]) -> Cow<'_, str> {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) if text.is_ascii() => text.into(),
        _ => bytes[..end].iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect(),
    }
}

/// Whether a text is only white space after resolving its references; the position of one that cannot be resolved.
/// `any_number`: references may have the number of no character.
pub(super) fn references(text: &str, any_number: bool) -> Result<bool, usize> {
    let mut blank = true;
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        blank = blank && rest.bytes().take(at).all(is_white);
        let behind = &rest[at + 1..];
        let number = || {
            let (name, after) = behind.split_once(';').filter(|_| any_number)?;
            code(name).filter(|code| i32::try_from(*code).is_ok())?;
            Some((char::REPLACEMENT_CHARACTER, after))
        };
        let found = reference(behind).or_else(number);
        let (character, after) = found.ok_or(text.len() - rest.len() + at)?;
        blank = blank && character.is_ascii() && is_white(character as u8);
        rest = after;
    }
    Ok(blank && rest.bytes().all(is_white))
}

pub(super) fn has_decimal(text: &str) -> bool {
    text.split("&#").skip(1).any(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the character of a reference, given the text after its `&`, and the text after the reference. Two references
/// may be the halves of one surrogate pair. A lone half is refused, because .NET refuses it when it writes the part
/// again.
fn reference(text: &str) -> Option<(char, &str)> {
    let (name, after) = text.split_once(';')?;
    let high = code(name)?;
    if !matches!(high, 0xD800..=0xDBFF) {
        return Some((char::from_u32(high)?, after));
    }
    let (name, after) = after.strip_prefix('&')?.split_once(';')?;
    let low = code(name).filter(|low| matches!(low, 0xDC00..=0xDFFF))?;
    Some((char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))?, after))
}

/// Returns the number of a referenced character. .NET accepts characters here that XML forbids, so parsers of numbers
/// see unusual characters after a number.
fn code(name: &str) -> Option<u32> {
    let number = match name {
        "amp" => return Some('&'.into()),
        "lt" => return Some('<'.into()),
        "gt" => return Some('>'.into()),
        "quot" => return Some('"'.into()),
        "apos" => return Some('\''.into()),
        _ => name.strip_prefix('#')?,
    };
    let (digits, base) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let all_digits = digits.chars().all(|c| c.is_digit(base));
    u32::from_str_radix(digits, base).ok().filter(|_| all_digits)
}

/// Resolves the references in a text that [`references`] accepted.
pub(super) fn resolve(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    // The other reader refuses a document with a longer text.
    let text = &text[..text.floor_char_boundary(MOST_JOINED)];
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        resolved.push_str(before);
        let (character, after) = reference(behind).unzip();
        resolved.extend(character);
        rest = after.unwrap_or(behind);
    }
    resolved.push_str(rest);
    Cow::Owned(resolved)
}

/// Parses an integer as .NET does: white space around it, a sign, and digits.
pub(super) fn whole_number(text: &str) -> Option<i128> {
    // Nearly all numbers are plain, and short enough for every type.
    if (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits = text.bytes().map(|byte| i64::from(byte - b'0'));
        return Some(digits.fold(0, |number, digit| number * 10 + digit).into());
    }
    let white = |c: char| matches!(c, '\t'..='\r' | ' ');
    let text = text.trim_start_matches(white).trim_end_matches('\0').trim_end_matches(white);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let good = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A number that overflows i128 overflows every type.
    good.then(|| text.parse().unwrap_or(i128::MAX))
}

/// Parses a number as `XmlConvert.ToSingle` does. A number too large for a float is infinite.
pub(super) fn number(text: &str) -> Option<f64> {
    if is_numeric(text) {
        return text.parse().ok();
    }
    let text = trim(text);
    match text {
        "INF" | "Infinity" => return Some(f64::INFINITY),
        "-INF" | "-Infinity" => return Some(f64::NEG_INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    let text = text.trim_end_matches('\0');
    text.parse().ok().filter(|_| is_numeric(text))
}

/// Parses a number as `double.Parse` does: digits before the point may have commas between them.
pub(super) fn thousands(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    for (word, value) in [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)] {
        if text.eq_ignore_ascii_case(word) {
            return Some(value);
        }
    }
    let point = text.find(['.', 'e', 'E']).unwrap_or(text.len());
    let (whole, rest) = text.split_at(point);
    let digits = whole.trim_start_matches(['+', '-']);
    let grouped = digits.starts_with(|c: char| c.is_ascii_digit()) || !digits.contains(',');
    let text = format!("{}{rest}", whole.replace(',', ""));
    text.parse().ok().filter(|_| grouped && is_numeric(&text))
}

/// Whether a text is a number in its plainest form: digits, perhaps with a sign before and a point between them.
pub(super) fn is_decimal(text: &str) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let unsigned = text.strip_prefix('-').unwrap_or(text).as_bytes();
    match unsigned.iter().position(|&byte| byte == b'.') {
        Some(point) => digits(&unsigned[..point]) && digits(&unsigned[point + 1..]),
        None => digits(unsigned),
    }
}

fn is_numeric(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
}

const MOST_NAMES: usize = 64 * 1024;

/// Whether `Enum.Parse` accepts a text as names of an enumeration or as a number up to `most`, after OpenSim has
/// inserted commas.
fn is_enumerated(text: &str, names: &[&str], most: u32) -> bool {
    // All names together are shorter.
    if text.len() > MOST_NAMES {
        return false;
    }
    let with_commas = match text.contains(' ') && !text.contains(',') {
        true => Cow::Owned(text.replace(' ', ", ")),
        false => Cow::Borrowed(text),
    };
    let text = with_commas.trim();
    let starts_as_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    let number = whole_number(text).filter(|number| (0..=i128::from(most)).contains(number));
    starts_as_number && number.is_some() || text.split(',').all(|name| names.contains(&name.trim()))
}

pub(super) fn are_flags(text: &str) -> bool {
    is_enumerated(text, &PRIM_FLAGS, u32::MAX)
}

pub(super) fn is_profile(text: &str) -> bool {
    is_enumerated(text, &PROFILES, u8::MAX.into())
}

pub(super) fn is_hole(text: &str) -> bool {
    is_enumerated(text, &HOLES, u8::MAX.into())
}

/// Whether a number is a channel of a colour, which OpenSim cuts to a byte.
pub(super) fn is_channel(number: f64) -> bool {
    (0.0..256.0).contains(&number.trunc())
}

/// The names in OpenMetaverse's `PrimFlags`, case-sensitive in .NET: `None`, then the bits from the lowest up.
pub(crate) const PRIM_FLAGS: [&str; 33] = [
    "None",
    "Physics",
    "CreateSelected",
    "ObjectModify",
    "ObjectCopy",
    "ObjectAnyOwner",
    "ObjectYouOwner",
    "Scripted",
    "Touch",
    "ObjectMove",
    "Money",
    "Phantom",
    "InventoryEmpty",
    "JointHinge",
    "JointP2P",
    "JointLP2P",
    "JointWheel",
    "AllowInventoryDrop",
    "ObjectTransfer",
    "ObjectGroupOwned",
    "ObjectYouOfficer",
    "CameraDecoupled",
    "AnimSource",
    "CameraSource",
    "CastShadows",
    "DieAtEdge",
    "ReturnAtEdge",
    "Sandbox",
    "Flying",
    "ObjectOwnerModify",
    "TemporaryOnRez",
    "Temporary",
    "ZlibCompressed",
];

/// The names in OpenSim's `ProfileShape`, numbered from 0.
pub(crate) const PROFILES: [&str; 6] =
    ["Circle", "Square", "IsometricTriangle", "EquilateralTriangle", "RightTriangle", "HalfCircle"];

/// The names in OpenSim's `HollowShape`, numbered in steps of 16 from 0.
pub(crate) const HOLES: [&str; 4] = ["Same", "Circle", "Square", "Triangle"];
