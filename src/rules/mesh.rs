//! MSH: mesh assets, as far as facts tell. What only bytes tell is found by the decoder.

use crate::{
    finding::{Code, Finding},
    format::mesh::LODS,
    geometry::triangle,
    join::Case,
};

/// "Each lower level must have fewer triangles than any higher one": the wiki's page of the format.
pub(super) fn msh005_level_not_simpler(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for mesh in &case.ledger.meshes {
        let levels: Vec<_> = LODS
            .iter()
            .zip(&mesh.lods)
            .filter_map(|(name, lod)| lod.map(|lod| (name, lod.triangles)))
            .collect();
        for pair in levels.windows(2) {
            let [(name, triangles), (_, above)] = pair else { continue };
            if triangles > above {
                let mut finding = Finding::new(Code::MSH005).entry(&mesh.entry).within(**name);
                finding.place.asset = mesh.uuid;
                findings.push(finding.measured(*triangles).limit(*above));
            }
        }
    }
}

/// A triangle without width makes the average width 0, which is then taken as its least value.
pub(super) fn msh010_triangles_without_width(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for mesh in &case.ledger.meshes {
        let Some(physics_mesh) = &mesh.physics_mesh else { continue };
        let (mut flat, mut all) = (0_u32, 0_u32);
        for face in &physics_mesh.submeshes {
            for corners in
                face.triangles.iter().map(|triangle| triangle.map(|i| face.points.get(usize::from(i))))
            {
                let [Some(&a), Some(&b), Some(&c)] = corners else { continue };
                all += 1;
                let corners = [a, b, c].map(|point| face.domain.point(point));
                flat += u32::from(triangle::width(corners) == 0.0);
            }
        }
        if flat > 0 {
            let mut finding = Finding::new(Code::MSH010).entry(&mesh.entry);
            finding.place.asset = mesh.uuid;
            findings.push(finding.measured(flat).limit(all));
        }
    }
}
