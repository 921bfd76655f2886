//! Records: the values of one row.

use super::Encoding;
use crate::Value;
use std::borrow::Cow;

/// Reads a number of one to nine bytes. Returns its length as well.
pub fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0_u64;
    for (&byte, length) in bytes.iter().zip(1..=8) {
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((number, length));
        }
    }
    Some((number << 8 | u64::from(*bytes.get(8)?), 9))
}

/// Reads at most this many values of a record. `None` if the record is damaged.
pub fn decode(record: &[u8], encoding: Encoding, columns: usize) -> Option<Vec<Value<'_>>> {
    let (length, start) = varint(record)?;
    let length = usize::try_from(length).ok()?;
    let mut types = record.get(start..length)?;
    let mut content = &record[length..];
    let mut values = Vec::new();
    while !types.is_empty() && values.len() < columns {
        let (kind, length) = varint(types)?;
        types = &types[length..];
        let (taken, rest) = content.split_at_checked(size_of_type(kind)?)?;
        content = rest;
        values.push(value(kind, taken, encoding)?);
    }
    Some(values)
}

/// Returns the number of bytes of a value of this type.
fn size_of_type(kind: u64) -> Option<usize> {
    Some(match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => usize::try_from((kind - 12) / 2).ok()?,
    })
}

fn value(kind: u64, bytes: &[u8], encoding: Encoding) -> Option<Value<'_>> {
    Some(match kind {
        0 => Value::Null,
        1..=6 => Value::Int(signed(bytes)),
        7 => match f64::from_bits(signed(bytes) as u64) {
            // SQLite reads it so.
            number if number.is_nan() => Value::Null,
            number => Value::Real(number),
        },
        8 => Value::Int(0),
        9 => Value::Int(1),
        _ if kind.is_multiple_of(2) => Value::bytes(bytes),
        _ => text(bytes, encoding),
    })
}

/// Returns a signed big-endian number.
fn signed(bytes: &[u8]) -> i64 {
    let start = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 };
    bytes.iter().fold(start, |number, &byte| number << 8 | i64::from(byte))
}

/// Returns a text in UTF-8.
fn text(bytes: &[u8], encoding: Encoding) -> Value<'_> {
    let unit = match encoding {
        Encoding::Utf8 => return Value::bytes(bytes),
        Encoding::Utf16Le => u16::from_le_bytes,
        Encoding::Utf16Be => u16::from_be_bytes,
    };
    let units = bytes.as_chunks().0.iter().map(|&pair| unit(pair));
    let characters = char::decode_utf16(units).map(|each| each.unwrap_or(char::REPLACEMENT_CHARACTER));
    Value::Bytes(Cow::Owned(characters.collect::<String>().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_to_nine_bytes() {
        assert_eq!(varint(&[0x7f]), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00]), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9]), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0xff; 8]), None);
        assert_eq!(varint(&[]), None);
    }

    #[test]
    fn every_type_of_a_record() {
        let mut record = vec![12, 0, 1, 2, 5, 6, 7, 8, 9, 16, 17, 17];
        record.extend([0xff, 0x80, 0x00]);
        record.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]);
        record.extend(i64::MIN.to_be_bytes());
        record.extend(1.5_f64.to_be_bytes());
        record.extend([1, 2, b'a', 0, 0xfc, 0]);
        let values = decode(&record, Encoding::Utf16Le, 20).unwrap();
        let expected = [
            Value::Null,
            Value::Int(-1),
            Value::Int(-32768),
            Value::Int(-2),
            Value::Int(i64::MIN),
            Value::Real(1.5),
            Value::Int(0),
            Value::Int(1),
            Value::bytes(&[1, 2]),
            Value::bytes(b"a"),
            Value::bytes("\u{fc}".as_bytes()),
        ];
        assert_eq!(values, expected);
        assert_eq!(decode(&record, Encoding::Utf16Le, 2).unwrap().len(), 2);
        for cut in 0..record.len() - 1 {
            assert_eq!(decode(&record[..cut], Encoding::Utf16Le, 20), None, "{cut}");
        }
        assert_eq!(decode(&[2, 10], Encoding::Utf8, 1), None, "a reserved type");
    }
}
