use super::{Dice, bytes::bytes as change_bytes};
use std::ops::Range;

/// Odd values in place of a number, a word or a UUID.
const ODD: [&str; 26] = [
    "",
    " ",
    "-1",
    "0",
    "NaN",
    "INF",
    "-Infinity",
    "1e999",
    "-1e308",
    "1e-320",
    "4294967296",
    "-2147483649",
    "99999999999999999999",
    "0,5",
    "0x10",
    "true",
    "False",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "&#x0;",
    "&#xD800;",
    "&lt;a&gt;",
    "&bomb;",
    "<![CDATA[x]]>",
    "=1+1",
    "\u{1b}[31m\u{202e}",
];

/// Odd texts before a document.
const PROLOGUES: [&str; 4] = [
    "<!DOCTYPE a [<!ENTITY bomb \"ha\"><!ENTITY b \"&bomb;&bomb;&bomb;\">]>",
    "<!DOCTYPE a SYSTEM \"file:///etc/passwd\">",
    "<?xml version=\"1.0\" encoding=\"utf-16\"?>",
    "\u{feff}\u{feff}",
];

/// A tag: its range, the range of its name, and whether it opens an element.
#[derive(Debug, Clone)]
struct Tag {
    range: Range<usize>,
    name: Range<usize>,
    opens: bool,
}

/// Changes an XML document: its bytes, its elements, or their content.
pub fn xml(dice: &mut Dice, document: &mut Vec<u8>, other: &[u8]) {
    let tags = tags(document);
    if tags.is_empty() || dice.once_in(4) {
        return change_bytes(dice, document, other);
    }
    let tag = dice.pick(&tags).clone();
    match dice.below(8) {
        0 | 1 => replace_text(dice, document, &tag),
        2 => drop(document.drain(element(document, &tags, &tag))),
        3 => {
            let copied = document[element(document, &tags, &tag)].to_vec();
            let at = dice.pick(&tags).range.start;
            drop(document.splice(at..at, copied));
        }
        4 => {
            let name = document[dice.pick(&tags).name.clone()].to_vec();
            drop(document.splice(tag.name, name));
        }
        5 => nest(dice, document, &tag),
        6 => drop(document.splice(0..0, dice.pick(&PROLOGUES).bytes())),
        _ => {
            let borrowed = self::tags(other);
            if let Some(from) = borrowed.get(dice.below(borrowed.len())) {
                let foreign = other[element(other, &borrowed, from)].to_vec();
                drop(document.splice(tag.range.start..tag.range.start, foreign));
            }
        }
    }
}

/// Returns all tags, according to angle brackets.
fn tags(document: &[u8]) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(start) = document[at..].iter().position(|&byte| byte == b'<').map(|found| at + found) {
        let Some(end) =
            document[start..].iter().position(|&byte| byte == b'>').map(|found| start + found + 1)
        else {
            break;
        };
        let opens = document[start + 1] != b'/';
        let from = start + if opens { 1 } else { 2 };
        let ends = |byte: &u8| matches!(byte, b' ' | b'/' | b'>' | b'\n' | b'\r' | b'\t');
        let length = document[from..end].iter().position(ends).unwrap_or(0);
        if length > 0 {
            tags.push(Tag { range: start..end, name: from..from + length, opens });
        }
        at = end;
    }
    tags
}

/// Returns the element that a tag opens, up to the next closing tag with its name. A closing tag is returned alone.
fn element(document: &[u8], tags: &[Tag], tag: &Tag) -> Range<usize> {
    let start = tag.range.start;
    if !tag.opens || document[tag.range.end - 2] == b'/' {
        return tag.range.clone();
    }
    let closes = |other: &&Tag| {
        other.range.start > start
            && !other.opens
            && document[other.name.clone()] == document[tag.name.clone()]
    };
    start..tags.iter().find(closes).map_or(tag.range.end, |other| other.range.end)
}

/// Replaces the text after a tag by an odd value.
fn replace_text(dice: &mut Dice, document: &mut Vec<u8>, tag: &Tag) {
    let start = tag.range.end;
    let length = document[start..].iter().position(|&byte| byte == b'<').unwrap_or(0);
    let text = match dice.below(12) {
        0 => "9".repeat(dice.length(4000)),
        1 => "AAAA".repeat(dice.length(1000)),
        _ => (*dice.pick(&ODD)).to_owned(),
    };
    drop(document.splice(start..start + length, text.bytes()));
}

/// Opens an element many times. Closes it as often in half of the cases.
fn nest(dice: &mut Dice, document: &mut Vec<u8>, tag: &Tag) {
    let name = document[tag.name.clone()].to_vec();
    let times = dice.length(300);
    let mut inserted = [b"<", name.as_slice(), b">"].concat().repeat(times);
    if dice.once_in(2) {
        inserted.extend([b"</", name.as_slice(), b">"].concat().repeat(times));
    }
    drop(document.splice(tag.range.start..tag.range.start, inserted));
}
