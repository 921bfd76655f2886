//! AST: assets that objects refer to.

use crate::{
    finding::{Code, Finding},
    join::Case,
};
use std::collections::BTreeMap;

/// A mesh that is not in the export; one finding for each asset, at the first part that uses it.
pub(super) fn ast001_mesh_missing(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mut missing: BTreeMap<_, (Finding, u32)> = BTreeMap::new();
    for object in &case.ledger.objects {
        let root = object.linkset.parts.first().map(|root| root.uuid);
        for part in &object.linkset.parts {
            let Some(asset) = part.mesh().filter(|&asset| case.mesh(asset).is_none()) else { continue };
            let (_, count) = missing.entry(asset).or_insert_with(|| {
                let mut finding = Finding::new(Code::AST001).entry(&object.entry);
                finding.place.object = root;
                finding.place.part = Some(part.uuid);
                finding.place.link_number = Some(part.link_number);
                finding.place.asset = Some(asset);
                (finding, 0)
            });
            *count += 1;
        }
    }
    findings.extend(missing.into_iter().map(|(asset, (finding, count))| {
        let parts = if count == 1 { "1 part".to_owned() } else { format!("{count} parts") };
        finding.measured(count).detail(format!("{asset}, used by {parts}"))
    }));
}
