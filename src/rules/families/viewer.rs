//! VWR: content that viewers' files lack.

use super::place::at_object;
use crate::{RuleOutcomes, at_links, links};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_util::number_text::counted;
use std::collections::BTreeMap;

rules! {
    VWR001 "prims" "Placeholders of meshes" {
        about: Object,
        effect: Loses,
        check: placeholders,
        message: "The export has boxes in the place of other parts: {detail}",
        why: "Firestorm exports no mesh. In Second Life it writes a plain box for each mesh, and for each prim that may \
              not be exported. The box has the place and the size of the part, but neither its form nor its name. So \
              its costs, and the sums with them, are not evaluated.",
        engines: [
            "Firestorm" => "Imports the boxes. In OpenSimulator it does not export an object with a mesh at all.",
        ],
        fix: "Take the object from an archive (OAR, IAR) or from a database, which have the mesh.",
        fix_owner: "Export again with the creator of these parts, or keep the object in the inventory as its backup.",
        source: "Firestorm, fsfloaterexport.cpp, addPrim; fsexportperms.cpp",
    }

    VWR002 "meshes" "Meshes in a viewer's cache have holes" {
        about: Archive,
        effect: Note,
        check: holes,
        message: "Meshes in the viewer's cache lack blocks: {detail}",
        why: "A viewer fetches the blocks of a mesh when it needs them: levels of detail by distance, and hulls for its \
              display of physics. The physics mesh is mostly never kept. Costs that need these blocks are not \
              evaluated. The blocks are neither missing in the mesh nor damaged.",
        fix: "Use the mesh of an archive, a database or a store of assets for its costs.",
        source: "Second Life viewer, llmeshrepository.cpp, write_preamble",
    }
}

fn placeholders(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let links = links(object.linkset.parts.iter().filter(|part| part.placeholder));
        if !links.is_empty() {
            let detail = format!("{} at {}", counted(links.len() as u64, "prim"), at_links(&links));
            outcomes.push(at_object(object, Code::VWR001).measured(links.len() as f64).detail(detail));
        }
    }
}

fn holes(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let mut blocks: BTreeMap<&str, u64> = BTreeMap::new();
    let mut meshes = 0;
    for mesh in measured.ledger.meshes.iter().filter(|mesh| !mesh.absent.is_empty()) {
        meshes += 1;
        mesh.absent.iter().for_each(|block| *blocks.entry(block).or_default() += 1);
    }
    if meshes > 0 {
        let blocks: Vec<String> = blocks.iter().map(|(block, count)| format!("{block} ({count})")).collect();
        let detail = format!("{}: {}", counted(meshes, "mesh"), blocks.join(", "));
        outcomes.push(Finding::new(Code::VWR002).measured(meshes as f64).detail(detail));
    }
}
