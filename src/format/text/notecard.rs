//! Notecards: a list of embedded items before the text (V `llnotecard.cpp`, `LLNotecard::importStream`). The oldest
//! notecards have only the text.

use super::{
    Text, appearance,
    lines::{Lines, number, uuid, words},
    uuids,
};
use std::collections::BTreeSet;
use uuid::Uuid;

/// The mask that hides the asset in a `shadow_id`: V `llinventory.cpp`, `MAGIC_ID`.
const SHADOW: u128 = 0x3c11_5e51_04f4_523c_9fa6_98af_f103_4730;

/// Reads a notecard. Its embedded items are references; UUIDs in its text are mentions, unless it saves an appearance.
pub(super) fn decode(text: &[u8]) -> Result<Text, String> {
    if !text.starts_with(b"Linden text version") {
        return Ok(of(BTreeSet::new(), text));
    }
    let mut references = BTreeSet::new();
    let mut lines = Lines(text);
    while let Some(line) = lines.next() {
        let mut words = words(line);
        let value = |word: Option<&[u8]>| word.and_then(uuid);
        match words.next() {
            Some(b"asset_id") => references.extend(value(words.next())),
            Some(b"shadow_id") => references.extend(value(words.next()).map(unshadowed)),
            Some(b"Text") if words.next() == Some(b"length") => {
                let stated = words.next().and_then(number);
                let stated = stated.ok_or("the length of its text cannot be read")?;
                let found = lines.0.len() as u64;
                if found < stated {
                    return Err(format!("its text is cut: {found} of {stated} bytes are there"));
                }
                return Ok(of(references, lines.0));
            }
            _ => {}
        }
    }
    Err("it has no text, as a notecard must".into())
}

/// Returns the facts of a notecard with these embedded items.
fn of(mut references: BTreeSet<Uuid>, written: &[u8]) -> Text {
    let appearance = appearance::decode(written).unwrap_or_default();
    let mut mentions = uuids::in_text(written);
    mentions.retain(|uuid| !appearance.others.contains(uuid));
    references.extend(appearance.assets.keys());
    let mut text = Text::new(references, mentions);
    text.appearance = appearance.assets;
    text.appearance.retain(|asset, _| text.references.binary_search(asset).is_ok());
    text
}

fn unshadowed(shadow: Uuid) -> Uuid {
    Uuid::from_u128(shadow.as_u128() ^ SHADOW)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};

    fn notecard(items: &[String], text: &str, length: usize) -> String {
        let items: String = items
            .iter()
            .enumerate()
            .map(|(number, asset)| {
                format!(
                    "{{\next char index {number}\n\tinv_item\t0\n\t{{\n\t\titem_id\t{}\n\tpermissions 0\n\t{{\n\
                     \t\tcreator_id\t{}\n\t}}\n\t\t{asset}\n\t\ttype\ttexture\n\t\tname\tasset_id {}|\n\t}}\n}}\n",
                    uuid(90),
                    uuid(91),
                    uuid(92)
                )
            })
            .collect();
        format!(
            "Linden text version 2\n{{\nLLEmbeddedItems version 1\n{{\ncount 1\n{items}}}\nText length {length}\n\
             {text}}}\n"
        )
    }

    #[test]
    fn embedded_items_are_references_and_the_text_only_mentions() {
        let (picture, landmark, spoken) = (uuid(1), uuid(2), uuid(3));
        let shadow = Uuid::from_u128(landmark.as_u128() ^ SHADOW);
        let items = [format!("asset_id\t{picture}"), format!("shadow_id\t{shadow}")];
        let text = format!("asset_id {spoken}\nand {picture}");
        let read = decode(notecard(&items, &text, text.len()).as_bytes()).unwrap();
        assert_eq!((read.references, read.mentions), (vec![picture, landmark], vec![spoken]));
    }

    #[test]
    fn the_oldest_are_text_and_a_cut_one_is_named() {
        let spoken = uuid(3);
        let read = decode(format!("Hello, see {spoken}.").as_bytes()).unwrap();
        assert_eq!((read.references, read.mentions), (vec![], vec![spoken]));
        assert_eq!(
            decode(notecard(&[], "short", 100).as_bytes()).unwrap_err(),
            "its text is cut: 7 of 100 bytes are there"
        );
        assert_eq!(decode(b"Linden text version 2\n{\n").unwrap_err(), "it has no text, as a notecard must");
    }
}
