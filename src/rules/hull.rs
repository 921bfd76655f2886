//! HUL: convex hulls against the published limits.

use crate::{
    facts::{ConvexFacts, HullFacts, HullSource, MeshFacts},
    finding::{Code, Finding},
    join::Case,
};

fn at(mesh: &MeshFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&mesh.entry);
    finding.place.asset = mesh.uuid;
    finding
}

fn convex_blocks<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'a MeshFacts, &'a ConvexFacts)> {
    case.ledger.meshes.iter().filter_map(|mesh| mesh.convex.as_ref().map(|convex| (mesh, convex)))
}

/// Every hull of a convex block, the base hull first: its finding to be, its name, and its facts.
fn hulls<'a>(
    mesh: &'a MeshFacts,
    convex: &'a ConvexFacts,
    code: Code,
) -> impl Iterator<Item = (Finding, String, &'a HullFacts)> {
    let base = convex
        .base
        .iter()
        .map(move |hull| (at(mesh, code).within("base hull"), "The base hull".to_owned(), hull));
    base.chain(convex.hulls.iter().enumerate().map(move |(index, hull)| {
        let finding = at(mesh, code).within("decomposition").index(index);
        (finding, format!("Hull {index} of the decomposition"), hull)
    }))
}

/// "A single convex hull with no more than 256 vertices", and as many in each hull of a decomposition.
pub(super) fn hul001_too_many_vertices(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let limit = case.profile.hulls.max_vertices;
    for (mesh, convex) in convex_blocks(case) {
        for (finding, name, hull) in hulls(mesh, convex, Code::HUL001) {
            if hull.points > limit {
                findings.push(finding.detail(name).measured(hull.points).limit(limit));
            }
        }
    }
}

/// "Up to 256 hulls."
pub(super) fn hul002_too_many_hulls(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let limit = case.profile.hulls.max_hulls;
    for (mesh, convex) in convex_blocks(case) {
        let count = convex.hulls.len();
        if count > limit as usize {
            findings.push(at(mesh, Code::HUL002).measured(count as f64).limit(limit));
        }
    }
}

/// A hull of fewer than four different points, or of points in one plane, has no inside.
pub(super) fn hul005_degenerate(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (mesh, convex) in convex_blocks(case) {
        for (finding, name, hull) in hulls(mesh, convex, Code::HUL005) {
            let shape = match (hull.unique_points, hull.rank) {
                (_, 3..) => continue,
                (0, _) => "is empty",
                (_, 0) => "is one point",
                (_, 1) => "lies on a line",
                _ => "lies in a plane",
            };
            let finding = finding.detail(format!("{name} {shape}"));
            findings.push(finding.measured(hull.unique_points).limit(4));
        }
    }
}

/// A hull of 256 points is written as 0 in `HullList`; only a decomposition has such a list.
pub(super) fn hul006_written_as_zero(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (mesh, convex) in convex_blocks(case) {
        let count = convex.hulls.iter().filter(|hull| hull.points == 256).count();
        if count > 0 {
            let detail = format!("{count} of {} hulls", convex.hulls.len());
            findings.push(at(mesh, Code::HUL006).measured(count as f64).detail(detail));
        }
    }
}

/// The base hull wraps the decomposition and the physics mesh. A level of detail that is only drawn may stick
/// out: nine in ten base hulls of real exports were made from a coarser source than the one that the
/// specification names.
pub(super) fn hul009_base_does_not_wrap(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for mesh in &case.ledger.meshes {
        let Some(convex) = &mesh.convex else { continue };
        let hulls = convex.hulls.iter().filter_map(|hull| hull.outside_base);
        let hulls_outside = hulls.clone().filter(|&distance| distance > 0.0).count();
        let worst_hull = hulls.fold(0.0, f64::max);
        if hulls_outside > 0 {
            let detail = format!("The decomposition ({hulls_outside} of {} hulls)", convex.hulls.len());
            findings.push(at(mesh, Code::HUL009).within("decomposition").detail(detail).measured(worst_hull));
        }
        let physics = mesh.source_hull.filter(|hull| hull.source == HullSource::PhysicsMesh);
        if let Some(wrap) = physics.and_then(|hull| hull.wrap).filter(|wrap| wrap.points_outside > 0) {
            let finding = at(mesh, Code::HUL009).within("physics mesh").detail("The physics mesh");
            findings.push(finding.measured(wrap.worst_distance));
        }
    }
}
