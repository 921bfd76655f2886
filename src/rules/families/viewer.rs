//! VWR: content that viewers' files lack.

use super::link::at;
use crate::{RuleOutcomes, at_links, links};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_util::number_text::counted;
use std::collections::BTreeMap;

/// Placeholders of meshes, or of parts that may not be exported.
pub(crate) fn vwr001_placeholders(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let links = links(object.linkset.parts.iter().filter(|part| part.placeholder));
        if !links.is_empty() {
            let detail = format!("{} at {}", counted(links.len() as u64, "prim"), at_links(&links));
            verdicts.push(at(object, Code::VWR001).measured(links.len() as f64).detail(detail));
        }
    }
}

/// Meshes with blocks that a viewer did not fetch: one finding for an input.
pub(crate) fn vwr002_holes(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let mut blocks: BTreeMap<&str, u64> = BTreeMap::new();
    let mut meshes = 0;
    for mesh in measured.ledger.meshes.iter().filter(|mesh| !mesh.absent.is_empty()) {
        meshes += 1;
        mesh.absent.iter().for_each(|block| *blocks.entry(block).or_default() += 1);
    }
    if meshes > 0 {
        let blocks: Vec<String> = blocks.iter().map(|(block, count)| format!("{block} ({count})")).collect();
        let detail = format!("{}: {}", counted(meshes, "mesh"), blocks.join(", "));
        verdicts.push(Finding::new(Code::VWR002).measured(meshes as f64).detail(detail));
    }
}
