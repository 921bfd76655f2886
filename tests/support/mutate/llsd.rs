use super::{
    Dice,
    bytes::{bytes as change_bytes, lie},
};
use std::ops::Range;

/// Tags of values, and bytes that are no tags.
const TAGS: &[u8] = b"!10irusbld'\"[]{}kx\0\xff";

/// Keys that decoders look for.
const KEYS: [&str; 18] = [
    "Min",
    "Max",
    "HullList",
    "Positions",
    "Position",
    "BoundingVerts",
    "PositionDomain",
    "TriangleList",
    "NoGeometry",
    "Normal",
    "TexCoord0",
    "joint_names",
    "offset",
    "size",
    "version",
    "mesh",
    "instance",
    "high_lod",
];

/// One piece of binary LLSD: a value without parts, a key, or a bracket with its count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub tag: u8,
    pub range: Range<usize>,
}

impl Token {
    /// Returns the position of the count or the length after the tag.
    fn count(&self) -> Option<Range<usize>> {
        let start = self.range.start + 1;
        matches!(self.tag, b'{' | b'[' | b'k' | b's' | b'l' | b'b').then_some(start..start + 4)
    }

    /// Returns the text of a key or a string.
    pub fn text<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.range.start + 5..self.range.end).unwrap_or_default()
    }
}

/// Returns the pieces of a document, up to the first invalid one.
pub fn tokens(bytes: &[u8]) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), prefix(bytes));
    while let Some(&tag) = bytes.get(at) {
        let number =
            |at: usize| bytes.get(at..at + 4).map(|n| u32::from_be_bytes(n.try_into().unwrap()) as usize);
        let length = match tag {
            b'!' | b'0' | b'1' | b'}' | b']' => Some(1),
            b'i' | b'{' | b'[' => Some(5),
            b'r' | b'd' => Some(9),
            b'u' => Some(17),
            b'k' | b's' | b'l' | b'b' => number(at + 1).map(|length| 5 + length),
            _ => None,
        };
        let Some(end) = length.map(|length| at + length).filter(|&end| end <= bytes.len()) else { break };
        tokens.push(Token { tag, range: at..end });
        at = end;
    }
    tokens
}

/// Returns the length of the deprecated text prefix in bytes.
fn prefix(bytes: &[u8]) -> usize {
    let text = bytes.starts_with(b"<?").then(|| bytes.iter().take(40).position(|&byte| byte == b'\n'));
    text.flatten().map_or(0, |newline| newline + 1)
}

/// Changes a document in binary LLSD: its bytes, or its counts, lengths and keys.
pub fn llsd(dice: &mut Dice, document: &mut Vec<u8>, other: &[u8]) {
    let tokens = tokens(document);
    if tokens.is_empty() || dice.once_in(8) {
        return change_bytes(dice, document, other);
    }
    let sized: Vec<_> = tokens.iter().filter(|token| matches!(token.tag, b'b' | b's')).collect();
    if !sized.is_empty() && dice.once_in(2) {
        let token = *dice.pick(&sized);
        return change_content(dice, document, token, other);
    }
    let token = dice.pick(&tokens).clone();
    let start = token.range.start;
    match dice.below(6) {
        0 => document[start] = *dice.pick(TAGS),
        1 => change_token(dice, document, &token),
        2 => drop(document.drain(token.range)),
        3 => {
            let to = dice.pick(&tokens).range.start;
            let moved = document[token.range].to_vec();
            drop(document.splice(to..to, moved));
        }
        4 => rename(dice, document, &tokens),
        _ => match tokens.iter().filter(|token| token.count().is_some()).collect::<Vec<_>>() {
            counted if counted.is_empty() => change_token(dice, document, &token),
            counted => {
                let token = *dice.pick(&counted);
                change_token(dice, document, token);
            }
        },
    }
}

/// Changes binary data or a text and states its correct length. So decoders accept the document and get the changed
/// content.
fn change_content(dice: &mut Dice, document: &mut Vec<u8>, token: &Token, other: &[u8]) {
    let mut content = token.text(document).to_vec();
    change_bytes(dice, &mut content, other);
    let length = (content.len() as u32).to_be_bytes();
    drop(document.splice(token.range.start + 1..token.range.end, [length.as_slice(), &content].concat()));
}

/// Changes a count, a length or a number. A token without one is changed itself.
fn change_token(dice: &mut Dice, document: &mut [u8], token: &Token) {
    let Range { start, end } = token.range;
    if let Some(count) = token.count() {
        let now = u32::from_be_bytes(document[count.clone()].try_into().unwrap());
        return document[count].copy_from_slice(&lie(dice, now).to_be_bytes());
    }
    match token.tag {
        b'i' => {
            let value = lie(dice, 0).to_be_bytes();
            document[start + 1..end].copy_from_slice(&value);
        }
        b'r' => {
            let odd = [f64::NAN, f64::INFINITY, -0.0, 1e308, -1e308, 5e-324, 0.5, 1e9, -1.0];
            let value = dice.pick(&odd).to_be_bytes();
            document[start + 1..end].copy_from_slice(&value);
        }
        _ => document[start] = *dice.pick(TAGS),
    }
}

/// Gives a key the name of another, with its correct length.
fn rename(dice: &mut Dice, document: &mut Vec<u8>, tokens: &[Token]) {
    let keys: Vec<_> = tokens.iter().filter(|token| token.tag == b'k').collect();
    if keys.is_empty() {
        return;
    }
    let range = dice.pick(&keys).range.clone();
    let name = match dice.once_in(2) {
        true => dice.pick(&KEYS).as_bytes().to_vec(),
        false => dice.pick(&keys).text(document).to_vec(),
    };
    let mut key = vec![b'k'];
    key.extend((name.len() as u32).to_be_bytes());
    key.extend(name);
    drop(document.splice(range, key));
}
