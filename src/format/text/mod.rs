//! Text assets: scripts, notecards, gestures, wearables, landmarks, materials and settings, and the assets they name.
//!
//! As in OpenSim, assets are named in two ways. A *reference* is in a place where only an asset is valid. A *mention*
//! is any other UUID, as in a script: perhaps an asset, an avatar, or nothing (`UuidGatherer`, its "uncertain" assets).
//! Every decoder takes time proportional to its input.

mod appearance;
mod environment;
mod gesture;
mod lines;
mod links;
mod lua;
mod material;
mod notecard;
mod script;
mod uuids;
mod wearable;

use crate::reference::Use;
pub use script::{Language, Script};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Maximum number of UUIDs kept of one text in each list. Viewers save at most 64 kB of text, which holds fewer.
const MOST_UUIDS: usize = 4096;

/// The facts of a text. Lists are sorted and without repetition.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Text {
    /// UUIDs in places where only an asset is valid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Uuid>,
    /// The use of each reference of a saved appearance. Empty for other texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub appearance: BTreeMap<Uuid, Use>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Uuid>,
    /// Number of UUIDs in both lists that were not kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
}

impl Text {
    /// Creates a text with these UUIDs, without nil.
    fn new(mut references: BTreeSet<Uuid>, mut mentions: BTreeSet<Uuid>) -> Self {
        references.remove(&Uuid::nil());
        mentions.retain(|uuid| !uuid.is_nil() && !references.contains(uuid));
        let mut left_out = 0;
        let references = first_of(references, MOST_UUIDS, &mut left_out);
        let mentions = first_of(mentions, MOST_UUIDS, &mut left_out);
        Self { references, mentions, left_out, ..Self::default() }
    }
}

/// Reads an asset by the suffix of its name.
///
/// # Errors If the asset does not match its suffix. The message completes a sentence that begins with the asset.
pub fn decode(suffix: &str, bytes: &[u8]) -> Result<Text, String> {
    // OpenSim ends some texts with a NUL.
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let text = &bytes[..end];
    match suffix {
        "_script.lsl" => script::decode(text),
        "_notecard.txt" => notecard::decode(text),
        "_gesture.txt" => gesture::decode(text),
        "_clothing.txt" | "_bodypart.txt" => wearable::decode(text),
        "_landmark.txt" => landmark(text),
        "_material.xml" => material::decode_legacy(bytes),
        "_prmat.dat" => material::decode_gltf(bytes),
        "_settings.bin" => environment::decode(bytes),
        _ => Ok(Text::default()),
    }
}

/// Checks a landmark, which names a region but no asset.
fn landmark(text: &[u8]) -> Result<Text, String> {
    match text.starts_with(b"Landmark version") {
        true => Ok(Text::default()),
        false => Err("it does not begin with \"Landmark version\"".into()),
    }
}

/// Returns the first elements of a set and counts the rest.
fn first_of<T>(set: BTreeSet<T>, most: usize, left_out: &mut u64) -> Vec<T> {
    *left_out += set.len().saturating_sub(most) as u64;
    set.into_iter().take(most).collect()
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn uuid(number: u128) -> Uuid {
        Uuid::from_u128(0x1111_2222_3333_4444_5555_0000_0000_0000 + number)
    }

    const SUFFIXES: [&str; 9] = [
        "_script.lsl",
        "_notecard.txt",
        "_gesture.txt",
        "_clothing.txt",
        "_bodypart.txt",
        "_landmark.txt",
        "_material.xml",
        "_prmat.dat",
        "_settings.bin",
    ];

    const STARTS: [&str; 9] = [
        "//",
        "Linden text version 2\n{\n",
        "2\n\n\n\n\n9\n",
        "LLWearable version 22\n\n\n",
        "LLWearable version 22\nn\nd\ntextures 4000000000\n",
        "Landmark version 2\n",
        "<llsd>",
        "<? LLSD/Binary ?>\n{\0\0\0\x01k\0\0\0\x04datas",
        "<? LLSD/Binary ?>\n",
    ];

    #[test]
    fn lists_are_short_and_name_missing_parts() {
        let many: BTreeSet<Uuid> = (0..5000).map(uuid).chain([Uuid::nil()]).collect();
        let text = Text::new(many.clone(), many);
        assert_eq!((text.references.len(), text.mentions.len(), text.left_out), (4096, 0, 904));
    }

    #[test]
    fn a_landmark_is_known_by_its_first_words() {
        assert_eq!(decode("_landmark.txt", b"Landmark version 2\nregion_id 1\n"), Ok(Text::default()));
        assert!(decode("_landmark.txt", b"landmark").is_err());
    }

    proptest! {
        /// A text of any bytes survives its ledger.
        #[test]
        fn hostile_bytes_are_read_or_named(
            which in 0..9_usize,
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b"\"'/*\\\n-:.{}<>0123 os(A"[..])], 0..300),
        ) {
            let bytes = [STARTS[which].as_bytes(), &bytes].concat();
            if let Ok(text) = decode(SUFFIXES[which], &bytes) {
                let json = serde_json::to_string(&text).unwrap();
                prop_assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text);
            }
        }
    }
}
