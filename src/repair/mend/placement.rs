//! Moves objects: those that a loader drops into their region, and others where somebody wants them.

use super::{Change, document::Document, edits::Edits, value};
use glam::DVec3;
use hullmark_finding::Code;
use hullmark_format::defect::DocumentType;
use hullmark_ledger::{Ledger, facts::Role};
use hullmark_settings::profile::Placement;
use std::collections::HashMap;

/// Distance from the border at which an object is put, in metres.
const FROM_BORDER_M: f64 = 0.5;

/// The place of an object, and the one that it gets, in metres.
pub(crate) type Move = [DVec3; 2];

/// Returns the moves of objects whose root is outside of their region, too low or too high, by their members.
pub(crate) fn moves<'l>(ledger: &'l Ledger, placement: &Placement) -> HashMap<&'l str, Move> {
    let rezzed = ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
    let moved = rezzed.filter_map(|object| {
        let from = object.linkset.parts.first()?.group_position;
        let region = ledger.regions.get(object.region? as usize)?;
        let [east, north] = match placement.region_size_m {
            [0, _] | [_, 0] => region.size,
            sides => sides,
        };
        let inside = |value: f64, side: u32| within(value, 0.0, f64::from(side), FROM_BORDER_M);
        let z = within(from.z, placement.lowest_m, placement.highest_m, 1.0);
        let to = DVec3::new(inside(from.x, east), inside(from.y, north), z);
        (to != from && from.is_finite()).then_some((object.entry.as_str(), [from, to]))
    });
    moved.collect()
}

/// Returns the value nearest to this one between two borders. Loaders compare 32-bit numbers.
fn within(value: f64, least: f64, most: f64, margin: f64) -> f64 {
    match value as f32 {
        small if small < least as f32 => least + margin,
        large if large >= most as f32 => most - margin,
        _ => value,
    }
}

/// Moves an object by this, in metres. `None` if no element states its place.
pub(crate) fn shifted(bytes: &[u8], by: DVec3) -> Option<Vec<u8>> {
    let document = Document::new(bytes, DocumentType::Object, Code::POS002);
    let mut edits = Edits::default();
    // Children state the place of the root, too.
    for (_, range) in document.elements().into_iter().filter(|(element, _)| element.name == "GroupPosition") {
        if let Some(place) = value::coordinates(&document.text[range.clone()]) {
            // Loaders keep 32-bit numbers.
            let [x, y, z] = (DVec3::from(place) + by).as_vec3().to_array();
            edits.replace(range, format!("<GroupPosition><X>{x}</X><Y>{y}</Y><Z>{z}</Z></GroupPosition>"));
        }
    }
    (!edits.is_empty()).then(|| edits.apply(&document.text).into_bytes())
}

/// Moves an object into its region. `None` if no element states its place.
pub(crate) fn moved(bytes: &[u8], [from, to]: Move) -> Option<(Vec<u8>, Change)> {
    let shifted = shifted(bytes, to - from)?;
    let code = if from.truncate() == to.truncate() { Code::POS003 } else { Code::POS002 };
    let change = Change::new(code, "GroupPosition", "a loader drops an object there");
    let place = |place: DVec3| format!("{}, {}, {}", place.x, place.y, place.z);
    Some((shifted, change.replacing(&place(from), &place(to))))
}
