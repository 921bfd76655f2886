//! MSH: mesh assets, from facts. Decoders report defects in the bytes.

use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{Measured, cost::physics, physics_shape};
use hullmark_finding::{Code, Finding};
use hullmark_format::mesh::LODS;
use hullmark_geometry::triangle;
use hullmark_ledger::facts::MeshFacts;
use hullmark_settings::profile::{Physics, PhysicsModel};
use hullmark_util::number_text::{plain, thousands};

/// Number of indices above which ubODE logs "large mesh data" (`ODEPrim.cs`, `GetMeshGeom`).
const UBODE_INDICES: u64 = 64_000;

/// Creates a finding about a mesh asset.
pub fn at(mesh: &MeshFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&mesh.entry);
    finding.place.asset = mesh.uuid;
    finding
}

/// Counts the meshes with a block without content that the rule needs.
pub(super) fn unread(
    measured: &Measured<'_>,
    code: Code,
    verdicts: &mut RuleOutcomes,
    is_unread: impl Fn(&MeshFacts) -> bool,
) {
    let unread = measured.ledger.meshes.iter().filter(|mesh| is_unread(mesh));
    let (damaged, holed): (Vec<_>, Vec<_>) = unread.partition(|mesh| mesh.absent.is_empty());
    verdicts.not_evaluated(code, SkipReason::Damaged, damaged.len());
    verdicts.not_evaluated(code, SkipReason::NotFetched, holed.len());
}

/// Counts the meshes whose physics mesh cannot be read.
fn unread_physics_mesh(measured: &Measured<'_>, code: Code, verdicts: &mut RuleOutcomes) {
    unread(measured, code, verdicts, |mesh| {
        mesh.physics_mesh.is_none() && physics_shape::lists_physics_mesh(mesh)
    });
}

/// "Each lower level must have fewer triangles than any higher one" (the wiki's page of the format).
pub(crate) fn msh005_level_not_simpler(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for mesh in &measured.ledger.meshes {
        let levels: Vec<_> = LODS
            .iter()
            .zip(&mesh.lods)
            .filter_map(|(name, lod)| lod.map(|lod| (name, lod.triangles)))
            .collect();
        let larger = levels.windows(2).filter_map(|pair| match pair {
            [(name, triangles), (_, above)] if triangles > above => {
                Some(at(mesh, Code::MSH005).within(**name).measured(*triangles).limit(*above))
            }
            _ => None,
        });
        let larger: Vec<Finding> = larger.collect();
        let is_lost = |(name, lod): (&&str, &Option<_>)| {
            lod.is_none() && mesh.blocks.iter().any(|block| block.size > 0 && block.name == *name)
        };
        if larger.is_empty() && LODS.iter().zip(&mesh.lods).any(is_lost) {
            let reason = if mesh.absent.is_empty() { SkipReason::Damaged } else { SkipReason::NotFetched };
            verdicts.not_evaluated(Code::MSH005, reason, 1);
        }
        verdicts.extend(larger);
    }
}

/// A mesh asset above its limit, or the different meshes of a region above theirs.
pub(crate) fn msh007_too_large(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let limits = &measured.profile.meshes;
    for mesh in measured.ledger.meshes.iter().filter(|mesh| mesh.bytes as f64 > limits.max_bytes) {
        let finding = at(mesh, Code::MSH007).detail("The mesh asset has");
        verdicts.push(finding.measured(mesh.bytes as f64).limit(limits.max_bytes));
    }
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        let bytes = region.meshes.bytes as f64;
        if bytes > limits.max_region_bytes {
            let detail = format!(
                "The {} different meshes of region \"{}\" have",
                thousands(region.meshes.assets),
                facts.name
            );
            let finding = Finding::new(Code::MSH007).entry(&facts.folder).detail(detail);
            verdicts.push(finding.measured(bytes).limit(limits.max_region_bytes));
        }
    }
}

/// A physics mesh with more indices than ubODE accepts silently. It counts vertices too, but drops unused ones, so
/// there are never more vertices than indices.
pub(crate) fn msh008_physics_mesh_too_large(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.physics.model != PhysicsModel::OpensimUbode {
        return;
    }
    unread_physics_mesh(measured, Code::MSH008, verdicts);
    for (mesh, measures) in measured.ledger.meshes.iter().zip(&measured.meshes) {
        let indices = measures.physics_triangles.map_or(0, |triangles| 3 * triangles);
        if indices > UBODE_INDICES {
            verdicts.push(at(mesh, Code::MSH008).measured(indices as f64).limit(UBODE_INDICES as f64));
        }
    }
}

/// Triangles that a viewer's uploader calls degenerate. A triangle without any width makes the average width 0, which
/// is then replaced by its least value.
pub(crate) fn msh010_degenerate_triangles(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    unread_physics_mesh(measured, Code::MSH010, verdicts);
    for mesh in &measured.ledger.meshes {
        let Some(physics_mesh) = &mesh.physics_mesh else { continue };
        let (mut degenerate, mut without_width, mut all) = (0_u32, 0_u32, 0_u32);
        for face in &physics_mesh.submeshes {
            for corners in
                face.triangles.iter().map(|triangle| triangle.map(|i| face.points.get(usize::from(i))))
            {
                let [Some(&a), Some(&b), Some(&c)] = corners else { continue };
                all += 1;
                let corners = [a, b, c].map(|point| face.domain.point(point));
                let is_flat = triangle::width(corners) == 0.0;
                without_width += u32::from(is_flat);
                degenerate += u32::from(is_flat || triangle::is_degenerate(corners));
            }
        }
        if degenerate > 0 {
            let detail = match without_width {
                0 => String::new(),
                count => format!("; {count} without any width, so every triangle costs 50"),
            };
            verdicts.push(at(mesh, Code::MSH010).measured(degenerate).limit(all).detail(detail));
        }
    }
}

/// Figures that the simulator stored in an asset, compared with our formulas.
pub(crate) fn msh012_simulator_differs(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let share = measured.profile.physics.self_check_percent / 100.0;
    let ours = Physics { trust_simulator: false, ..measured.profile.physics.clone() };
    for mesh in &measured.ledger.meshes {
        let Some(data) = &mesh.cost_data else { continue };
        let figures = [
            ("cost as base hull", physics::base_hull(mesh, &ours).value(), data.hull),
            ("cost as decomposition", physics::mesh_decomposition(mesh, &ours).value(), data.decomposition),
            (
                "physics mesh triangles",
                physics_shape::physics_triangles(mesh).map(|count| count as f64),
                data.mesh_triangles,
            ),
        ];
        let unknown = figures.iter().any(|(_, ours, theirs)| ours.is_none() && theirs.is_some());
        let differing: Vec<_> = figures
            .into_iter()
            .filter_map(|(name, ours, theirs)| Some((name, ours?, f64::from(theirs?))))
            .filter(|(_, ours, theirs)| (ours - theirs).abs() > share * ours.abs().max(theirs.abs()))
            .collect();
        if let [(name, ours, theirs), others @ ..] = differing.as_slice() {
            let more = others
                .iter()
                .map(|(name, ours, theirs)| format!("; {} and {}: {name}", plain(*ours), plain(*theirs)));
            let detail = format!("{name}{}", more.collect::<String>());
            verdicts.push(at(mesh, Code::MSH012).measured(*ours).limit(*theirs).detail(detail));
        } else if unknown {
            verdicts.not_evaluated(Code::MSH012, SkipReason::CostUnknown, 1);
        }
    }
}
