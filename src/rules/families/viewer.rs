//! VWR: what files of viewers do not hold.

use super::link::at;
use crate::{
    analysis::Measured,
    finding::{Code, Finding},
    rules::{RuleOutcomes, at_links, links},
    util::number_text::counted,
};
use std::collections::BTreeMap;

/// Parts that stand in for meshes, or for parts that may not be exported.
pub(crate) fn vwr001_stand_ins(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let links = links(object.linkset.parts.iter().filter(|part| part.stand_in));
        if !links.is_empty() {
            let detail = format!("{} at {}", counted(links.len() as u64, "prim"), at_links(&links));
            verdicts.push(at(object, Code::VWR001).measured(links.len() as f64).detail(detail));
        }
    }
}

/// Meshes of which a viewer did not fetch every block: one finding for an input.
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
