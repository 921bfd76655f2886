//! Sets the physics shape type of prims.

use super::{
    Change,
    document::Document,
    edits::Edits,
    prims::{Prim, prims},
};
use hullmark_finding::Code;
use hullmark_format::defect::DocumentType;
use std::{collections::BTreeSet, ops::RangeInclusive};

const FIELD: &str = "PhysicsShapeType";

/// Sets the physics shape type of the prims with these link numbers, and of all without numbers. `None` if nothing
/// changes, or if two prims share a number.
pub(crate) fn shaped(
    bytes: &[u8],
    links: &[RangeInclusive<i32>],
    number: u8,
) -> Option<(Vec<u8>, Vec<Change>)> {
    let document = Document::new(bytes, DocumentType::Object, Code::REG001);
    let prims = prims(&document, &[FIELD, "LinkNum", "UUID"]);
    let has_link = |link| links.iter().any(|range| range.contains(&link));
    let is_wanted = |prim: &&Prim| links.is_empty() || prim.link_number(&document).is_some_and(has_link);
    let wanted: Vec<&Prim> = prims.iter().filter(is_wanted).collect();
    let numbers: BTreeSet<Option<i32>> = wanted.iter().map(|prim| prim.link_number(&document)).collect();
    if !links.is_empty() && wanted.len() > numbers.len() {
        return None;
    }
    let new = format!("<{FIELD}>{number}</{FIELD}>");
    let (mut edits, mut changes) = (Edits::default(), Vec::new());
    for prim in wanted {
        let place = prim.element(FIELD).unwrap_or(prim.end..prim.end);
        let old = &document.text[place.clone()];
        if *old != new {
            let change = Change::new(Code::REG001, FIELD, "the table of --apply sets this shape");
            changes.push(Change { part: prim.uuid(&document), ..change.replacing(old, &new) });
            edits.replace(place, new.clone());
        }
    }
    (!changes.is_empty()).then(|| (edits.apply(&document.text).into_bytes(), changes))
}
