//! Finds UUIDs in a text.

use crate::llsd::Value;
use std::collections::BTreeSet;
use uuid::Uuid;

const WRITTEN: usize = 36;
const FIRST_HYPHEN: usize = 8;

/// Returns the UUIDs in a text, regardless of the text around them, like OpenSim's gatherer.
pub(super) fn in_text(text: &[u8]) -> BTreeSet<Uuid> {
    let mut found = BTreeSet::new();
    let mut at = 0;
    while let Some(hyphen) = text[at..].iter().position(|&byte| byte == b'-').map(|next| at + next) {
        // Bytes of one UUID are not used for another.
        let start = hyphen.checked_sub(FIRST_HYPHEN).filter(|&start| start >= at);
        let written = start.and_then(|start| text.get(start..start + WRITTEN));
        at = match written.and_then(|written| Uuid::try_parse_ascii(written).ok()) {
            Some(uuid) => {
                found.insert(uuid);
                hyphen - FIRST_HYPHEN + WRITTEN
            }
            None => hyphen + 1,
        };
    }
    found
}

/// Collects the UUIDs among the values of an LLSD document. Parsing has limited its nesting.
pub(super) fn in_llsd(value: &Value<'_>, found: &mut BTreeSet<Uuid>) {
    match value {
        Value::Uuid(uuid) => {
            found.insert(*uuid);
        }
        Value::Array(values) => values.iter().for_each(|value| in_llsd(value, found)),
        Value::Map(map) => map.iter().for_each(|(_, value)| in_llsd(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};
    use proptest::prelude::*;

    #[test]
    fn uuids_are_found_among_letters_and_hyphens() {
        let (a, b) = (uuid(1), uuid(2));
        let text = format!("x{a}{b}y-{}--- {}", &a.to_string()[..35], b.to_string().to_uppercase());
        assert_eq!(in_text(text.as_bytes()), BTreeSet::from([a, b]));
        assert!(in_text(b"--------------------------------------------").is_empty());
        assert!(in_text(a.simple().to_string().as_bytes()).is_empty());
    }

    proptest! {
        /// Compares with every 36-byte window that does not overlap an earlier match.
        #[test]
        fn as_many_as_trying_every_place(pieces in prop::collection::vec((0..5_u128, "[-a0 ]{0,9}"), 0..8)) {
            let text: String =
                pieces.iter().map(|(number, between)| format!("{}{between}", uuid(*number))).collect();
            let mut expected = BTreeSet::new();
            let mut at = 0;
            while at + 36 <= text.len() {
                match Uuid::try_parse(&text[at..at + 36]) {
                    Ok(uuid) => {
                        expected.insert(uuid);
                        at += 36;
                    }
                    Err(_) => at += 1,
                }
            }
            prop_assert_eq!(in_text(text.as_bytes()), expected);
        }
    }
}
