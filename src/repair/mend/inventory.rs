//! The layout of objects in an inventory.

use super::{document::Document, edits::Edits, value};
use hullmark_finding::Code;
use hullmark_format::{defect::DocumentType, loader::is_of_inventories};
use std::ops::Range;

/// Returns an object in the layout of an inventory: its root in `RootPart`, and each other prim in a `Part`. `None` if it
/// is not one group.
///
/// Source: OpenSim, `SceneObjectSerializer.ToOriginalXmlFormat`, which `FromOriginalXmlFormat` reads.
pub(crate) fn in_inventory_layout(bytes: &[u8]) -> Option<Vec<u8>> {
    let document = Document::new(bytes, DocumentType::Object, Code::OBJ001);
    if is_of_inventories(&document.text) {
        return Some(bytes.to_vec());
    }
    let elements = document.elements();
    let is_group =
        elements.last().is_some_and(|(root, _)| root.depth == 0 && root.name == "SceneObjectGroup");
    let at = |depth| {
        elements
            .iter()
            .filter(move |(element, _)| element.depth == depth && element.name == "SceneObjectPart")
    };
    let mut roots = at(1);
    let (Some((_, root)), None, true) = (roots.next(), roots.next(), is_group) else { return None };
    let mut edits = Edits::default();
    let mut wrap = |range: &Range<usize>, name: &str| {
        edits.replace(range.start..range.start, format!("<{name}>"));
        edits.replace(range.end..range.end, format!("</{name}>"));
    };
    wrap(root, "RootPart");
    at(2).for_each(|(_, range)| wrap(range, "Part"));
    Some(edits.apply(&document.text).into_bytes())
}

/// Returns the texts of the first elements with these names in the root of an object. Empty without one.
pub(crate) fn plain_texts<const N: usize>(bytes: &[u8], names: [&str; N]) -> [String; N] {
    let document = Document::new(bytes, DocumentType::Object, Code::OBJ001);
    let elements = document.elements();
    names.map(|name| {
        let first = elements.iter().find(|(element, _)| element.depth == 3 && element.name == name);
        first.map(|(_, range)| value::text_of(&document.text, range.start)).unwrap_or_default()
    })
}
