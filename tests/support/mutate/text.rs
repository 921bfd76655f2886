use super::{Dice, bytes::bytes as change_bytes};
use std::ops::Range;

/// Odd values in place of a number or a word.
const ODD: [&str; 20] = [
    "",
    "0",
    "-1",
    "1e999",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "255",
    "256",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "99999999999999999999999999",
    "\u{feff}",
];

/// Changes a text that programs read, such as TOML or JSON: its words, its lines, or its bytes.
pub fn text(dice: &mut Dice, text: &mut Vec<u8>, other: &[u8]) {
    let words = words(text);
    if words.is_empty() || dice.once_in(6) {
        return change_bytes(dice, text, other);
    }
    let word = dice.pick(&words).clone();
    match dice.below(5) {
        0 | 1 => drop(text.splice(word, dice.pick(&ODD).bytes())),
        2 => {
            let new = text[dice.pick(&words).clone()].to_vec();
            drop(text.splice(word, new));
        }
        3 => drop(text.drain(line(text, word.start))),
        _ => {
            let copied = text[line(text, word.start)].to_vec();
            let at = line(text, dice.pick(&words).start).start;
            drop(text.splice(at..at, copied));
        }
    }
}

/// Returns runs of letters, digits, and the punctuation of numbers.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    let (mut words, mut start) = (Vec::new(), None);
    for (at, &byte) in text.iter().chain(b" ").enumerate() {
        match (start, is_of_word(byte)) {
            (None, true) => start = Some(at),
            (Some(begun), false) => {
                words.push(begun..at);
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Returns the line around a position, with its line end.
fn line(text: &[u8], at: usize) -> Range<usize> {
    let start = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let end =
        text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |newline| at + newline + 1);
    start..end
}
