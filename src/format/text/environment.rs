//! Skies, water and days: LLSD in any of its three notations. Like OpenSim, this counts their UUIDs as mentions.

use super::{Text, uuids};
use crate::llsd;
use std::collections::BTreeSet;

/// Maximum nesting of values; a day nests four deep.
const DEPTH: usize = 32;

pub(super) fn decode(bytes: &[u8]) -> Result<Text, String> {
    let start = &bytes[..bytes.len().min(32)].to_ascii_lowercase();
    let is_text = [&b"<? llsd/notation ?>"[..], b"<?xml", b"<llsd", b"<? llsd/xml ?>", b"{'"];
    let mentions = if is_text.iter().any(|&text| start.starts_with(text)) {
        uuids::in_text(bytes)
    } else {
        let document = llsd::parse(bytes, DEPTH).map_err(|error| error.to_string())?;
        let mut found = BTreeSet::new();
        uuids::in_llsd(&document.value, &mut found);
        found
    };
    Ok(Text::new(BTreeSet::new(), mentions))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};

    #[test]
    fn all_three_notations_are_read() {
        let cloud = uuid(1);
        let notation = format!("<? llsd/notation ?>\n{{'cloud_id':u{cloud},'gamma':r1}}");
        let xml = format!("<llsd><map><key>cloud_id</key><uuid>{cloud}</uuid></map></llsd>");
        let mut binary = b"<? LLSD/Binary ?>\n{\0\0\0\x01k\0\0\0\x08cloud_idu".to_vec();
        binary.extend(cloud.as_bytes());
        binary.push(b'}');
        for bytes in [notation.as_bytes(), xml.as_bytes(), &binary] {
            assert_eq!(decode(bytes).unwrap().mentions, [cloud]);
        }
        assert!(decode(b"Sunrise").unwrap_err().contains("no value starts"));
    }
}
