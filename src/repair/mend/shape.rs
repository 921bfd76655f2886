//! Sets the physics shape type of prims.

use super::{
    Change,
    document::{Document, Element},
    edits::Edits,
    value,
};
use hullmark_finding::Code;
use hullmark_format::{defect::DocumentType, xml::parse_uuid};
use std::{
    collections::BTreeSet,
    ops::{Range, RangeInclusive},
};
use uuid::Uuid;

const FIELD: &str = "PhysicsShapeType";

/// A prim of a document.
struct Prim {
    field: Option<Range<usize>>,
    link: Option<i32>,
    uuid: Option<Uuid>,
    /// Where a further element fits.
    end: usize,
}

/// Sets the physics shape type of the prims with these link numbers, and of all without numbers. `None` if nothing
/// changes, or if two prims share a number.
pub(crate) fn shaped(
    bytes: &[u8],
    links: &[RangeInclusive<i32>],
    number: u8,
) -> Option<(Vec<u8>, Vec<Change>)> {
    let document = Document::new(bytes, DocumentType::Object, Code::REG001);
    let prims = prims(&document);
    let has_link = |link| links.iter().any(|range| range.contains(&link));
    let is_wanted = |prim: &&Prim| links.is_empty() || prim.link.is_some_and(has_link);
    let wanted: Vec<&Prim> = prims.iter().filter(is_wanted).collect();
    let numbers: BTreeSet<Option<i32>> = wanted.iter().map(|prim| prim.link).collect();
    if !links.is_empty() && wanted.len() > numbers.len() {
        return None;
    }
    let new = format!("<{FIELD}>{number}</{FIELD}>");
    let (mut edits, mut changes) = (Edits::default(), Vec::new());
    for prim in wanted {
        let place = prim.field.clone().unwrap_or(prim.end..prim.end);
        let old = &document.text[place.clone()];
        if *old != new {
            let change = Change::new(Code::REG001, FIELD, "the table of --apply sets this shape");
            changes.push(Change { part: prim.uuid, ..change.replacing(old, &new) });
            edits.replace(place, new.clone());
        }
    }
    (!changes.is_empty()).then(|| (edits.apply(&document.text).into_bytes(), changes))
}

fn prims(document: &Document) -> Vec<Prim> {
    let (mut prims, mut inside) = (Vec::new(), Vec::new());
    // Elements come in the order of their ends, so those of a prim come before it.
    for (element, range) in document.elements() {
        if element.name != "SceneObjectPart" {
            inside.push((element, range));
            continue;
        }
        let child = |name: &str| {
            let is_it = |(child, _): &&(Element, _)| child.depth == element.depth + 1 && child.name == name;
            inside.iter().find(is_it).map(|(_, range)| range.clone())
        };
        let text = |name| child(name).map(|range| value::text_of(&document.text, range.start));
        // An empty tag has no room.
        if let Some(end) = document.text[range.clone()].rfind("</") {
            prims.push(Prim {
                field: child(FIELD),
                link: text("LinkNum").and_then(|number| number.parse().ok()),
                uuid: text("UUID").and_then(|uuid| parse_uuid(&uuid)),
                end: range.start + end,
            });
        }
        inside.clear();
    }
    prims
}
