//! Meshes that are only worn. Nothing collides with an attachment, so faults of its physics are notes.

use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding, Severity};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, Role};
use std::collections::HashSet;
use uuid::Uuid;

/// The meshes that only attachments use.
#[derive(Debug, Default)]
pub(crate) struct Worn(HashSet<Uuid>);

impl Worn {
    pub(crate) fn of(measured: &Measured<'_>) -> Self {
        let meshes = |objects: &mut dyn Iterator<Item = &ObjectFacts>| -> HashSet<Uuid> {
            objects.flat_map(|object| &object.linkset.parts).filter_map(Part::mesh).collect()
        };
        let objects = || measured.ledger.objects.iter();
        let mut worn = meshes(&mut objects().filter(|object| is_worn(object)));
        if !worn.is_empty() {
            let others = meshes(&mut objects().filter(|object| !is_worn(object)));
            worn.retain(|mesh| !others.contains(mesh));
        }
        Self(worn)
    }

    /// Makes a finding about the physics of such a mesh a note.
    pub(crate) fn soften(&self, finding: Finding) -> Finding {
        let is_about_physics =
            finding.code.name().starts_with("HUL") || matches!(finding.code, Code::MSH008 | Code::MSH010);
        match finding.place.asset.is_some_and(|mesh| self.0.contains(&mesh)) && is_about_physics {
            true => finding.at_most(Severity::Info),
            false => finding,
        }
    }
}

/// Whether an object is an attachment. One that is rezzed may stay in the region.
fn is_worn(object: &ObjectFacts) -> bool {
    object.role != Role::Rezzed && object.linkset.parts.first().is_some_and(Part::is_attachment)
}
