//! HUL: convex hulls against the published limits.

use crate::{
    facts::{ConvexFacts, HullFacts, MeshFacts},
    finding::{Code, Finding},
    join::Case,
};

/// The base hull's name in findings.
const BASE: &str = "the base hull";
/// The decomposition's name in findings.
const DECOMPOSITION: &str = "the decomposition";

fn at(mesh: &MeshFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&mesh.entry);
    finding.place.asset = mesh.uuid;
    finding
}

fn convex_blocks<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'a MeshFacts, &'a ConvexFacts)> {
    case.ledger.meshes.iter().filter_map(|mesh| mesh.convex.as_ref().map(|convex| (mesh, convex)))
}

/// Every hull of a convex block, the base hull first, with its name and its number.
fn hulls(convex: &ConvexFacts) -> impl Iterator<Item = (&'static str, usize, &HullFacts)> {
    let base = convex.base.iter().map(|hull| (BASE, 0, hull));
    base.chain(convex.hulls.iter().enumerate().map(|(index, hull)| (DECOMPOSITION, index, hull)))
}

/// "A single convex hull with no more than 256 vertices", and as many in each hull of a decomposition.
pub(super) fn hul001_too_many_vertices(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let limit = case.profile.hulls.max_vertices;
    for (mesh, convex) in convex_blocks(case) {
        for (within, index, hull) in hulls(convex).filter(|(.., hull)| hull.points > limit) {
            let finding = at(mesh, Code::HUL001).within(within).index(index);
            findings.push(finding.measured(hull.points).limit(limit));
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
        for (within, index, hull) in hulls(convex).filter(|(.., hull)| hull.rank < 3) {
            let shape = ["; they are one point", "; they lie on a line", "; they lie in a plane"];
            let finding =
                at(mesh, Code::HUL005).within(within).index(index).detail(shape[usize::from(hull.rank)]);
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
