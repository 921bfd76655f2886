//! The type of an asset from its bytes, where nothing states it.

use super::{
    mesh::{self, Sniffed},
    xml,
};

pub const OBJECT: i64 = 6;

/// Bytes at the start of an asset that show its type.
const START: usize = 16 * 1024;

/// Returns the type of an asset, as in inventories. `None` if its bytes do not show it.
pub fn of_bytes(bytes: &[u8]) -> Option<i64> {
    let start = &bytes[..bytes.len().min(START)];
    if mesh::sniff(start) == Sniffed::Mesh {
        return Some(49);
    }
    match start {
        [0xff, 0x4f, 0xff, 0x51, ..] | [0, 0, 0, 12, b'j', b'P', ..] => return Some(0),
        [b'O', b'g', b'g', b'S', ..] => return Some(1),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => return Some(17),
        _ => {}
    }
    let begins = |words: &str| start.starts_with(words.as_bytes());
    match () {
        () if begins("LLWearable version") => Some(wearable(start)),
        () if begins("Linden text version") => Some(7),
        () if begins("Landmark version") => Some(3),
        () => match xml::root_element(start)?.as_str() {
            "SceneObjectGroup" | "SceneObjectPart" | "CoalescedObject" => Some(OBJECT),
            _ => None,
        },
    }
}

/// Returns the type of a wearable: body parts are shape, skin, hair and eyes, from 0 to 3.
fn wearable(start: &[u8]) -> i64 {
    let mut lines = start.split(|&byte| byte == b'\n');
    let kind = lines.find_map(|line| line.strip_prefix(b"type "));
    if matches!(kind.map(<[u8]>::trim_ascii), Some(b"0" | b"1" | b"2" | b"3")) { 13 } else { 5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_show_types() {
        assert_eq!(of_bytes(b"<?xml version=\"1.0\"?>\n<SceneObjectGroup>"), Some(OBJECT));
        assert_eq!(of_bytes(b"OggS\0\x02"), Some(1));
        assert_eq!(of_bytes(b"\xff\x4f\xff\x51\0"), Some(0));
        assert_eq!(of_bytes(b"RIFF\0\0\0\0WAVEfmt "), Some(17));
        assert_eq!(
            of_bytes(b"LLWearable version 22\nHair\n\n\ttype 2\n"),
            Some(5),
            "not at the start of a line"
        );
        assert_eq!(of_bytes(b"LLWearable version 22\nHair\ntype 2\n"), Some(13));
        assert_eq!(of_bytes(b"LLWearable version 22\nShirt\ntype 4\n"), Some(5));
        assert_eq!(of_bytes(b"Linden text version 2\n{"), Some(7));
        assert_eq!(of_bytes(b"default { state_entry() { } }"), None);
        assert_eq!(of_bytes(b""), None);
    }
}
