//! Findings with the places of their subjects.

use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::{AssetFacts, MeshFacts, ObjectFacts};

/// The place of a whole object.
pub(super) fn at_object(object: &ObjectFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&object.entry);
    finding.place.object = object.linkset.parts.first().map(|root| root.uuid);
    finding
}

pub(super) fn at_mesh(mesh: &MeshFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&mesh.entry);
    finding.place.asset = mesh.uuid;
    finding
}

pub(super) fn at_asset(asset: &AssetFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(asset.entry.to_string());
    finding.place.asset = asset.uuid();
    finding
}

/// The first place that uses an asset, or that of the asset if none does.
pub(super) fn at_user(measured: &Measured<'_>, asset: &AssetFacts, code: Code) -> Finding {
    let mut finding = at_asset(asset, code);
    if let Some(used) = asset.uuid().and_then(|uuid| measured.uses.get(&uuid)) {
        finding.place = used.first.place();
        finding.place.asset = asset.uuid();
    }
    finding
}
