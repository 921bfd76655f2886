//! Measures a linkset made of prims of others, as a simulator would link them.

use crate::measure::PartMeasures;
use glam::DVec3;
use hullmark_format::object::{Linkset, Part};
use hullmark_ledger::facts::ObjectFacts;

/// Returns the linkset of these prims, which keep their positions; the first is the root. Its measures are those that
/// the audit would find.
pub(super) fn relink<'a>(parts: impl Iterator<Item = (&'a Part, &'a PartMeasures)>) -> ObjectFacts {
    let mut root: Option<&PartMeasures> = None;
    let parts = parts.map(|(part, measures)| match root {
        None => {
            root = Some(measures);
            Part {
                group_position: measures.position,
                offset_position: DVec3::ZERO,
                rotation: measures.rotation,
                ..part.clone()
            }
        }
        Some(root) => {
            let back = root.rotation.inverse();
            Part {
                group_position: root.position,
                offset_position: back * (measures.position - root.position),
                rotation: back * measures.rotation,
                ..part.clone()
            }
        }
    });
    let linkset = Linkset { parts: parts.collect(), document_in_link_order: true, ..Linkset::default() };
    ObjectFacts::rezzed(linkset)
}
