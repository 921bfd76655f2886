use super::Dice;
use std::ops::Range;

/// Maximum bytes of a repeated or inserted piece: files keep about their length.
const PIECE: usize = 16 * 1024;

/// Numbers around the limits of common integer types.
const EDGES: [u32; 12] =
    [0, 1, 2, 255, 256, 257, 0x7fff, 0xffff, 0x1_0000, i32::MAX as u32, i32::MAX as u32 + 1, u32::MAX];

/// Changes bytes without knowledge of the format. `other` supplies foreign pieces.
pub fn bytes(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        return bytes.extend(piece(dice, other));
    }
    let at = dice.below(bytes.len());
    match dice.below(9) {
        0 => bytes[at] = bytes[at].wrapping_add(1 + dice.below(255) as u8),
        1 => bytes[at] ^= 1 << dice.below(8),
        2 => number(dice, bytes, at),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(range(dice, bytes.len()))),
        5 => {
            let repeated = bytes[range(dice, bytes.len())].to_vec();
            drop(bytes.splice(at..at, repeated));
        }
        6 => {
            let end = at + range(dice, bytes.len() - at).len();
            drop(bytes.splice(at..end, piece(dice, other)));
        }
        7 => {
            let other = dice.below(bytes.len());
            bytes.swap(at, other);
        }
        _ => {
            let value = *dice.pick(&[0, 1, b' ', b'0', 0x7f, 0x80, 0xff]);
            let range = range(dice, bytes.len());
            bytes[range].fill(value);
        }
    }
}

/// Returns one of the numbers in `EDGES`, or one next to `now`.
pub fn lie(dice: &mut Dice, now: u32) -> u32 {
    match dice.below(4) {
        0 => now.wrapping_add(1),
        1 => now.wrapping_sub(1),
        2 => now.wrapping_mul(2),
        _ => *dice.pick(&EDGES),
    }
}

/// Overwrites the bytes at a position with a number from `EDGES`.
fn number(dice: &mut Dice, bytes: &mut [u8], at: usize) {
    let value = *dice.pick(&EDGES);
    let (big, little) = (value.to_be_bytes(), value.to_le_bytes());
    let new: &[u8] = match dice.below(4) {
        0 => &big,
        1 => &little,
        2 => &big[2..],
        _ => &little[..2],
    };
    let fitting = new.len().min(bytes.len() - at);
    bytes[at..at + fitting].copy_from_slice(&new[..fitting]);
}

/// Returns a random range within this length.
fn range(dice: &mut Dice, length: usize) -> Range<usize> {
    let wanted = dice.length(length).min(length).min(PIECE);
    let start = dice.below(length - wanted + 1);
    start..start + wanted
}

/// Returns a piece of another file.
fn piece(dice: &mut Dice, other: &[u8]) -> Vec<u8> {
    other[range(dice, other.len())].to_vec()
}
