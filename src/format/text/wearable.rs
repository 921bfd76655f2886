//! Clothing and body parts (V `llwearable.cpp`, `LLWearable::importStream`).

use super::{
    Text,
    lines::{Lines, number, uuid, words},
};
use std::collections::BTreeSet;

/// Reads a wearable. Its textures are references.
pub(super) fn decode(text: &[u8]) -> Result<Text, String> {
    let mut lines = Lines(text);
    if !lines.next().is_some_and(|line| line.starts_with(b"LLWearable version")) {
        return Err("it does not begin with \"LLWearable version\"".into());
    }
    // The name and the description can be any text.
    lines.next();
    lines.next();
    let mut references = BTreeSet::new();
    while let Some(line) = lines.next() {
        let mut words = words(line);
        let (key, count) = (words.next().unwrap_or_default(), words.next().and_then(number));
        match (key, count) {
            (b"parameters", Some(count)) => {
                for _ in 0..count {
                    lines.next().ok_or_else(|| format!("it ends among its {count} parameters"))?;
                }
            }
            (b"textures", Some(count)) => {
                for _ in 0..count {
                    let line = lines.next().ok_or_else(|| format!("it ends among its {count} textures"))?;
                    references.extend(self::words(line).nth(1).and_then(uuid));
                }
                return Ok(Text::new(references, BTreeSet::new()));
            }
            _ => {}
        }
    }
    Err("it has no list of textures".into())
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};

    #[test]
    fn textures_are_references_and_owners_are_not() {
        let (owner, shirt) = (uuid(1), uuid(2));
        let head = format!(
            "LLWearable version 22\nNew Shirt\ntextures 9\n\tpermissions 0\n\t{{\n\t\towner_id\t{owner}\n\t}}\n\
             type 4\nparameters 2\n781 .78\n800 .65\n"
        );
        let textures = format!("textures 2\n1 {shirt}\n7 {}\n", uuid::Uuid::nil());
        let read = decode((head.clone() + &textures).as_bytes()).unwrap();
        assert_eq!((read.references, read.mentions), (vec![shirt], vec![]));
        let why = |text: String| decode(text.as_bytes()).unwrap_err();
        assert_eq!(why(format!("{head}textures 3\n1 {shirt}\n")), "it ends among its 3 textures");
        assert_eq!(why(head.replace("parameters 2", "parameters 3")), "it ends among its 3 parameters");
        assert_eq!(why(head), "it has no list of textures");
        assert_eq!(why("New Shirt".into()), "it does not begin with \"LLWearable version\"");
    }
}
