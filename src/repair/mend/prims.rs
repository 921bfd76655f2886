//! The prims of a document, with the places of some of their elements.

use super::{
    document::{Document, Element},
    value,
};
use hullmark_format::xml::parse_uuid;
use std::ops::Range;
use uuid::Uuid;

/// A prim of a document.
pub(super) struct Prim {
    pub(super) range: Range<usize>,
    /// Where a further element fits.
    pub(super) end: usize,
    children: Vec<(String, Range<usize>)>,
}

impl Prim {
    /// Returns the place of an element directly in it.
    pub(super) fn element(&self, name: &str) -> Option<Range<usize>> {
        self.children.iter().find(|(child, _)| child == name).map(|(_, range)| range.clone())
    }

    /// Returns the text of an element directly in it.
    pub(super) fn text(&self, document: &Document, name: &str) -> Option<String> {
        self.element(name).map(|range| value::text_of(&document.text, range.start))
    }

    pub(super) fn link_number(&self, document: &Document) -> Option<i32> {
        self.text(document, "LinkNum")?.parse().ok()
    }

    pub(super) fn uuid(&self, document: &Document) -> Option<Uuid> {
        parse_uuid(&self.text(document, "UUID")?)
    }
}

/// Returns the prims of a document in their order, with those of their elements that have these names.
pub(super) fn prims(document: &Document, names: &[&str]) -> Vec<Prim> {
    let (mut prims, mut inside): (Vec<Prim>, Vec<(Element, Range<usize>)>) = (Vec::new(), Vec::new());
    // Elements come in the order of their ends, so those of a prim come before it.
    for (element, range) in document.elements() {
        if element.name != "SceneObjectPart" {
            if names.contains(&element.name.as_str()) {
                inside.push((element, range));
            }
            continue;
        }
        let is_child = |child: &Element| child.depth == element.depth + 1;
        let children = inside.drain(..).filter(|(child, _)| is_child(child));
        let children = children.map(|(child, range)| (child.name, range)).collect();
        // An empty tag has no room.
        if let Some(end) = document.text[range.clone()].rfind("</") {
            prims.push(Prim { end: range.start + end, range, children });
        }
    }
    prims
}
