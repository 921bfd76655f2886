use super::ledgers::{empty, evaluated, returns};
use hullmark_finding::Finding;
use hullmark_format::viewer::{self, Export, oxp};
use hullmark_ledger::facts::{ObjectFacts, Role};
use hullmark_settings::limits::Limits;

/// Decodes and evaluates a viewer's export. It has at most the parts of one document, and the ledger must be the same
/// after writing and reading.
pub fn viewer_export(bytes: &[u8]) -> Vec<Finding> {
    let limits = Limits::default();
    let (Export { layout, linksets }, defects) = viewer::decode(bytes, &limits);
    let parts: usize = linksets.iter().map(|linkset| linkset.parts.len()).sum();
    assert!(parts <= limits.parts && linksets.iter().all(|linkset| !linkset.parts.is_empty()));
    let mut ledger = empty();
    ledger.defects = defects;
    ledger.objects.extend(linksets.into_iter().map(|linkset| ObjectFacts {
        entry: "mutant.oxp".into(),
        role: Role::Loose,
        layout,
        ..ObjectFacts::rezzed(linkset)
    }));
    let mut held = 0;
    oxp::assets(bytes, &limits, |_, _, asset| held += asset.len() as u64);
    assert!(held <= limits.entry_bytes);
    evaluated(&returns(&ledger))
}
