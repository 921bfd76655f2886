//! HUL: convex hulls against the published limits.

use super::mesh::{at, unread};
use crate::{RuleOutcomes, abridged};
use hullmark_analysis::{Measured, physics_shape};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_ledger::facts::{ConvexFacts, HullFacts, HullSource, MeshFacts};
use hullmark_util::number_text::{counted, grouped};
use std::collections::HashMap;
use uuid::Uuid;

/// Thickness, in metres, of a hull whose points are in one plane. It is the same at any scale of the part.
const FLAT_M: f64 = 0.0;

/// A part that extends beyond the base hull by less than this is harmless, in metres.
const HARMLESS_M: f64 = 0.01;

/// Returns every readable convex block. Counts the meshes whose block could not be read.
fn convex_blocks<'a>(
    measured: &Measured<'a>,
    code: Code,
    verdicts: &mut RuleOutcomes,
) -> impl Iterator<Item = (&'a MeshFacts, &'a ConvexFacts)> + use<'a> {
    let meshes = &measured.ledger.meshes;
    unread(measured, code, verdicts, |mesh| mesh.convex.is_none() && physics_shape::lists_convex(mesh));
    meshes.iter().filter_map(|mesh| mesh.convex.as_ref().map(|convex| (mesh, convex)))
}

/// Returns every hull of a convex block, the base hull first: the finding to complete, the name and the facts.
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

/// "A single convex hull with no more than 256 vertices". The same limit applies to each hull of a decomposition.
pub(crate) fn hul001_too_many_vertices(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let limit = measured.profile.hulls.max_vertices;
    for (mesh, convex) in convex_blocks(measured, Code::HUL001, verdicts) {
        for (finding, name, hull) in hulls(mesh, convex, Code::HUL001) {
            if hull.points > limit {
                verdicts.push(finding.detail(name).measured(hull.points).limit(limit));
            }
        }
    }
}

/// "Up to 256 hulls."
pub(crate) fn hul002_too_many_hulls(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let limit = measured.profile.hulls.max_hulls;
    for (mesh, convex) in convex_blocks(measured, Code::HUL002, verdicts) {
        let count = convex.hulls.len();
        if count > limit as usize {
            verdicts.push(at(mesh, Code::HUL002).measured(count as f64).limit(limit));
        }
    }
}

/// A hull of fewer than four different points, or of points in one plane, has no volume. The hulls of a decomposition
/// share one finding.
pub(crate) fn hul005_degenerate(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (mesh, convex) in convex_blocks(measured, Code::HUL005, verdicts) {
        if let Some(base) = convex.base.filter(|base| base.rank < 3) {
            let detail = format!("the base hull {}", span(&base));
            let finding = at(mesh, Code::HUL005).within("base hull").detail(detail);
            verdicts.push(finding.measured(FLAT_M));
        }
        let flat = convex.hulls.iter().enumerate().filter(|(_, hull)| hull.rank < 3);
        let (numbers, flat): (Vec<String>, Vec<&HullFacts>) =
            flat.map(|(index, hull)| (index.to_string(), hull)).unzip();
        let Some(worst) = flat.iter().min_by_key(|hull| (hull.rank, hull.unique_points)) else { continue };
        let detail = format!(
            "{} of {} in the decomposition (number {}); the flattest {}",
            flat.len(),
            counted(convex.hulls.len() as u64, "hull"),
            abridged(&numbers),
            span(worst),
        );
        let finding = at(mesh, Code::HUL005).within("decomposition").detail(detail);
        verdicts.push(finding.measured(FLAT_M));
    }
}

/// Describes the span of the points of a hull without volume.
fn span(hull: &HullFacts) -> String {
    match (hull.unique_points, hull.rank) {
        (0, _) => "is empty".into(),
        (_, 0) => "is one point".into(),
        (count, 1) => format!("is a line of {}", counted(count.into(), "point")),
        (count, _) => format!("has {} in one plane", counted(count.into(), "point")),
    }
}

/// A hull of 256 points is written as 0 in `HullList`. Only a decomposition has such a list.
pub(crate) fn hul006_written_as_zero(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (mesh, convex) in convex_blocks(measured, Code::HUL006, verdicts) {
        let count = convex.hulls.iter().filter(|hull| hull.points == 256).count();
        if count > 0 {
            let detail = format!("{count} of {}", counted(convex.hulls.len() as u64, "hull"));
            verdicts.push(at(mesh, Code::HUL006).measured(count as f64).detail(detail));
        }
    }
}

/// The base hull must enclose the decomposition and the physics mesh. A level of detail that is only drawn may extend
/// beyond it. Nine in ten base hulls of real exports come from a coarser source than the specification names.
pub(crate) fn hul009_base_does_not_wrap(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let longest_sides = longest_sides(measured);
    for (mesh, convex) in convex_blocks(measured, Code::HUL009, verdicts) {
        let side_m = mesh.uuid.and_then(|uuid| longest_sides.get(&uuid)).copied();
        let hulls = convex.hulls.iter().filter_map(|hull| hull.outside_base).map(f64::from);
        let hulls_outside = hulls.clone().filter(|&distance| distance > 0.0).count();
        let worst_hull = hulls.fold(0.0, f64::max);
        if hulls_outside > 0 {
            let hulls = counted(convex.hulls.len() as u64, "hull");
            let what = format!("The decomposition ({hulls_outside} of {hulls})");
            verdicts.push(beyond_base(
                at(mesh, Code::HUL009).within("decomposition"),
                &what,
                worst_hull,
                side_m,
            ));
        }
        let physics = mesh.source_hull.filter(|hull| hull.source == HullSource::PhysicsMesh);
        if let Some(wrap) = physics.and_then(|hull| hull.wrap).filter(|wrap| wrap.points_outside > 0) {
            let finding = at(mesh, Code::HUL009).within("physics mesh");
            verdicts.push(beyond_base(finding, "The physics mesh", wrap.worst_distance.0, side_m));
        }
    }
}

/// Returns the longest side in metres at which each mesh is used.
fn longest_sides(measured: &Measured<'_>) -> HashMap<Uuid, f64> {
    let mut sides: HashMap<Uuid, f64> = HashMap::new();
    let parts = measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    for part in parts.filter(|part| part.scale.is_finite()) {
        if let Some(mesh) = part.mesh() {
            let longest = sides.entry(mesh).or_default();
            *longest = longest.max(part.scale.max_element());
        }
    }
    sides
}

/// Completes a finding about something that extends beyond the base hull by a distance in the unit cube. In metres, this
/// is at most the distance times the longest side. Below [`HARMLESS_M`] it is information.
fn beyond_base(finding: Finding, what: &str, distance: f64, longest_side_m: Option<f64>) -> Finding {
    let Some(side_m) = longest_side_m else {
        let share = grouped(distance);
        return finding.detail(format!("{what} extends beyond the base hull by {share} of the mesh's size"));
    };
    let beyond_m = distance * side_m;
    let words = match beyond_m < 0.001 {
        true => "less than 0.001 m".to_owned(),
        false => format!("up to {} m", grouped((beyond_m * 1000.0).round() / 1000.0)),
    };
    let detail = format!("{what} extends beyond the base hull by {words} at the largest scale in use");
    let finding = finding.measured(beyond_m).detail(detail);
    if beyond_m < HARMLESS_M { finding.at_most(Severity::Info) } else { finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres_at_the_largest_scale_grade_a_base_hull() {
        let graded = |distance, side_m| {
            let finding = beyond_base(Finding::new(Code::HUL009), "It", distance, side_m);
            (finding.detail, finding.measured, finding.at_most)
        };
        let metres =
            |words: &str| format!("It extends beyond the base hull by {words} at the largest scale in use");
        let info = Some(Severity::Info);
        assert_eq!(graded(0.5, Some(64.0)), (metres("up to 32 m"), Some(32.0), None));
        assert_eq!(graded(0.25, Some(0.0625)), (metres("up to 0.016 m"), Some(0.015_625), None));
        assert_eq!(graded(0.125, Some(0.0625)), (metres("up to 0.008 m"), Some(0.007_812_5), info));
        assert_eq!(graded(0.0001, Some(1.0)), (metres("less than 0.001 m"), Some(0.0001), info));
        let share = "It extends beyond the base hull by 0.5 of the mesh's size";
        assert_eq!(graded(0.5, None), (share.into(), None, None));
    }
}
