//! An item of an inventory archive as OpenSim's `UserInventoryItemSerializer` reads it. A field that throws keeps its
//! default. The load only ends where the end of the item is missed.

use super::{
    fields, malformed,
    part::{Broken, PartOutcome},
    position::{Position, Stop},
    reader::XmlReader,
    text::ascii_document,
};
use crate::{
    defect::{Defect, DocumentDefect, DocumentType, LoadFault},
    xml::SMALL_DOCUMENT_DEPTH,
};

const ROOT: &str = "InventoryItem";

/// Returns the defect at which the load of the archive ends; `None` if OpenSim reads the item.
pub(crate) fn stops(bytes: &[u8]) -> Option<Defect> {
    let text = ascii_document(bytes);
    let mut at = Position::without_parts(XmlReader::new(&text).with_white_space(), SMALL_DOCUMENT_DEPTH);
    at.read();
    let read = item(&mut at);
    if let Some(Stop::TooDeep) = at.stop() {
        return None;
    }
    if let Some(malformed) = malformed(&at, &text) {
        let kind = DocumentDefect::IllFormed { of: DocumentType::InventoryItem, why: malformed.why.into() };
        return Some(Defect::new(kind).offset(malformed.offset));
    }
    let (offset, why) = read.err()?;
    Some(Defect::new(DocumentDefect::ItemStops { why }).within(ROOT).offset(offset))
}

/// Reads the item; the fault at which the load ends, with its position.
fn item(at: &mut Position<'_>) -> Result<(), (usize, LoadFault)> {
    let begin = at.start();
    at.read_start(ROOT).map_err(|failure| (begin, failure.why()))?;
    let read = PartOutcome::default().elements(at, fields::ARCHIVED_ITEM);
    let thrown = read.map_err(|Broken { offset, why, .. }| (offset, why))?;
    let past_end = thrown.into_iter().find(|broken| matches!(broken.why, LoadFault::PastEnd { .. }));
    if let Some(Broken { offset, why, .. }) = past_end {
        return Err((offset, why));
    }
    let end = at.start();
    at.read_end().map_err(|failure| (end, failure.why()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the name of the defect at which the load ends.
    fn said(item: &str) -> Option<String> {
        stops(item.as_bytes()).map(|stop| stop.name())
    }

    fn item(fields: &str) -> String {
        format!("<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<InventoryItem>\n  {fields}\n</InventoryItem>")
    }

    #[test]
    fn only_a_missed_end_ends_the_load() {
        for fields in [
            "<Name>Café</Name>",
            "<InvType>six</InvType>\n  <Owner>nobody</Owner>",
            "<Unknown><Inside>1</Inside></Unknown>",
            "<GroupOwned />\n  <Flags>0</Flags>",
            "<!-- a --><Name />",
            "<GroupOwned>perhaps</GroupOwned>",
        ] {
            assert_eq!(said(&item(fields)), None, "{fields}");
        }
        assert_eq!(said(&item("<Name>a</Name>").replace("?>", "?><!DOCTYPE x>")), None);
        assert_eq!(said(&(item("<Name>a</Name>") + "\n\n<late")), None, "nothing is read behind the item");
        assert_eq!(said(&(item("<Name>a</Name>") + "\0\0")), None);
    }

    #[test]
    fn the_load_ends() {
        for (document, kind) in [
            (format!("\u{FEFF}{}", item("<Name>a</Name>")), "ill-formed"),
            (item("<Name>a&b</Name>"), "ill-formed"),
            (item("<Name>a\u{1}b</Name>"), "ill-formed"),
            (item("<Name>a</Name>").replace("</InventoryItem>", ""), "ill-formed"),
            (item("<GroupOwned />"), "item-stops"),
            ("<InventoryFolder/>".into(), "item-stops"),
        ] {
            assert_eq!(said(&document).as_deref(), Some(kind), "{document}");
        }
    }
}
