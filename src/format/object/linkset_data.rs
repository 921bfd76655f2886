//! `lnkstdt`: the data that scripts store in a linkset.

use hullmark_util::base64;

/// Maximum number of characters that OpenSim accepts, regardless of the limit in the object.
const MOST_CHARACTERS: u32 = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinksetData {
    /// Characters of all keys, values and passwords in UTF-16 units, as .NET counts them.
    pub used: u64,
    /// Maximum number of characters in the linkset. OpenSim drops the data after them.
    pub limit: u32,
}

/// Measures the element's text; `None` if it cannot be decoded, and then OpenSim drops all data.
pub fn measure(text: &str) -> Option<LinksetData> {
    unpack(&base64::decode(text)?)
}

/// Unpacks version, limit and a count, then that many of: key, value, password.
pub fn unpack(mut bytes: &[u8]) -> Option<LinksetData> {
    let rest = &mut bytes;
    let _version = number(rest)?;
    let limit = number(rest)?.min(MOST_CHARACTERS);
    let mut used = 0;
    for _ in 0..number(rest)? {
        for _ in ["key", "value", "password"] {
            let length = usize::try_from(number(rest)?).ok()?;
            let text = String::from_utf8_lossy(rest.split_off(..length)?);
            used += text.encode_utf16().count() as u64;
        }
    }
    Some(LinksetData { used, limit })
}

/// Reads a number with seven bits in each byte, the lowest first. The eighth bit marks that another byte follows.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *rest.split_off_first()?;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version 1, a limit of 32,768, two entries; the second has a password of two letters.
    const DATA: &[u8] = b"\x01\x80\x80\x02\x02\x01k\x05value\x00\x03k\xC3\xA9\x01v\x02pw";

    #[test]
    fn characters_are_counted() {
        // “é” is one character of two bytes.
        assert_eq!(unpack(DATA), Some(LinksetData { used: 6 + 5, limit: 32_768 }));
        let long = [&b"\x01\x08\x01\x01k\xC8\x01"[..], &[b'v'; 200], &[0]].concat();
        assert_eq!(unpack(&long), Some(LinksetData { used: 201, limit: 8 }));
        let boundless = b"\x01\xFF\xFF\xFF\xFF\x07\x00";
        assert_eq!(unpack(boundless), Some(LinksetData { used: 0, limit: 262_144 }));
    }

    #[test]
    fn cut_or_forged_data_are_refused() {
        for cut in 0..DATA.len() {
            assert_eq!(unpack(&DATA[..cut]), None, "{cut}");
        }
        assert_eq!(unpack(b"\x01\xFF\xFF\xFF\xFF\x1F\x00"), None, "no number of 32 bits");
        assert_eq!(measure("not base64"), None);
    }
}
