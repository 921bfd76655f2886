//! Links objects into one, and splits prims off an object.

use super::{
    document::Document,
    edits::Edits,
    prims::{Prim, prims},
};
use glam::{DQuat, DVec3};
use hullmark_finding::Code;
use hullmark_format::{defect::DocumentType, loader::is_of_inventories, object::Part};
use std::collections::HashSet;
use uuid::Uuid;

/// Elements that state the place of a prim in its object.
const PLACES: [&str; 5] = ["GroupPosition", "OffsetPosition", "RotationOffset", "LinkNum", "UUID"];

/// An object of a region: its document, and its prims as they were read.
pub(crate) struct Object<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) parts: &'a [Part],
}

/// Links objects into one with the root of the first. `None` if one of them has more than prims, or prims share a UUID.
pub(crate) fn linked(objects: &[Object<'_>]) -> Option<Vec<u8>> {
    let pieces: Vec<Vec<Piece>> = objects.iter().map(pieces).collect::<Option<_>>()?;
    let pieces = pieces.concat();
    let mut uuids = HashSet::new();
    pieces.iter().all(|piece| uuids.insert(piece.uuid)).then(|| group(&pieces))
}

/// Splits prims off an object, the first of them as the root of a new one. `None` if the object has more than prims, lacks
/// one of these, or would lose its root.
pub(crate) fn split(object: &Object<'_>, off: &[Uuid]) -> Option<[Vec<u8>; 2]> {
    let pieces = pieces(object)?;
    let take = |uuid: &Uuid| pieces[1..].iter().find(|piece| piece.uuid == *uuid).cloned();
    let gone: Vec<Piece> = off.iter().map(take).collect::<Option<_>>()?;
    let stays = |piece: &&Piece| !off.contains(&piece.uuid);
    let kept: Vec<Piece> = pieces.iter().filter(stays).cloned().collect();
    (!gone.is_empty()).then(|| [group(&kept), group(&gone)])
}

/// A prim at its place in the region.
#[derive(Clone)]
struct Piece {
    text: String,
    uuid: Uuid,
    place: DVec3,
    rotation: DQuat,
}

/// Returns the prims of an object, its root first. `None` if it has more than prims, such as a motion.
fn pieces(object: &Object<'_>) -> Option<Vec<Piece>> {
    let document = Document::new(object.bytes, DocumentType::Object, Code::REG001);
    let is_plain = |name: &str| ["SceneObjectGroup", "OtherParts", "SceneObjectPart"].contains(&name);
    let has_more = document.elements().into_iter().any(|(element, range)| {
        let is_empty = document.text[range].ends_with("/>");
        element.depth < 2 && !is_plain(&element.name) && !is_empty
    });
    let prims = prims(&document, &PLACES[4..]);
    let root = object.parts.first()?;
    if has_more || is_of_inventories(&document.text) || prims.len() != object.parts.len() {
        return None;
    }
    let piece = |(prim, part): (&Prim, &Part)| {
        let is_root = part.uuid == root.uuid;
        let place = root.group_position + root.rotation * part.offset_position;
        let piece = Piece {
            text: document.text[prim.range.clone()].to_owned(),
            uuid: part.uuid,
            place: if is_root { root.group_position } else { place },
            rotation: if is_root { root.rotation } else { root.rotation * part.rotation },
        };
        let is_it = prim.uuid(&document) == Some(part.uuid);
        (is_it && piece.place.is_finite() && piece.rotation.is_finite()).then_some(piece)
    };
    prims.iter().zip(object.parts).map(piece).collect()
}

/// Returns an object of these prims. The first one is its root.
fn group(pieces: &[Piece]) -> Vec<u8> {
    let Some((root, others)) = pieces.split_first() else { return Vec::new() };
    let number = |index: usize| if others.is_empty() { 0 } else { index + 1 };
    let parts: Vec<String> =
        pieces.iter().enumerate().map(|(index, piece)| piece.in_group(root, number(index))).collect();
    let others = match others.is_empty() {
        true => "<OtherParts />".to_owned(),
        false => format!("<OtherParts>{}</OtherParts>", parts[1..].concat()),
    };
    format!("<SceneObjectGroup>{}{others}</SceneObjectGroup>", parts[0]).into_bytes()
}

impl Piece {
    /// Returns the prim as one of an object with this root.
    fn in_group(&self, root: &Self, link_number: usize) -> String {
        let is_root = self.uuid == root.uuid;
        let back = root.rotation.inverse();
        let (offset, rotation) = match is_root {
            true => (DVec3::ZERO, self.rotation),
            false => (back * (self.place - root.place), back * self.rotation),
        };
        let document = Document::new(self.text.as_bytes(), DocumentType::Object, Code::REG001);
        let Some(prim) = prims(&document, &PLACES).pop() else { return self.text.clone() };
        let mut edits = Edits::default();
        let mut set = |name: &str, content: String| {
            let place = prim.element(name).unwrap_or(prim.end..prim.end);
            edits.replace(place, format!("<{name}>{content}</{name}>"));
        };
        set("GroupPosition", vector(root.place));
        set("OffsetPosition", vector(offset));
        let [x, y, z, w] = rotation.as_quat().to_array();
        set("RotationOffset", format!("<X>{x}</X><Y>{y}</Y><Z>{z}</Z><W>{w}</W>"));
        set("LinkNum", link_number.to_string());
        edits.apply(&document.text)
    }
}

/// Returns the elements of a vector. Loaders keep 32-bit numbers.
fn vector(value: DVec3) -> String {
    let [x, y, z] = value.as_vec3().to_array();
    format!("<X>{x}</X><Y>{y}</Y><Z>{z}</Z>")
}
