//! PHY: physics.

use super::link::at;
use crate::{
    cost::physics::CapVerdict,
    facts::ObjectFacts,
    finding::{Code, Finding},
    join::Case,
    measure::ObjectMeasures,
    shape::{self, Kind, Representation, ShapeType},
    slim::{Terms, slim},
};
use std::collections::BTreeMap;

/// Objects over the cap that are physical, or that are not.
fn over_the_cap<'a>(
    case: &'a Case<'_>,
    physical: bool,
) -> impl Iterator<Item = (&'a ObjectFacts, &'a ObjectMeasures)> {
    let over = |measures: &ObjectMeasures| measures.physical_cap == CapVerdict::Exceeded;
    case.objects().filter(move |(_, measures)| over(measures) && measures.physical == physical)
}

fn cap_finding(case: &Case<'_>, code: Code, object: &ObjectFacts, measures: &ObjectMeasures) -> Finding {
    let cost = measures.physics_cost.value().unwrap_or(f64::NAN);
    let finding = at(object, code).measured(cost).limit(case.profile.physics.physical_cap);
    let terms = Terms::cap(case.profile);
    let plan = terms.and_then(|terms| slim(object, measures, &case.assets, terms, case.profile));
    match plan {
        Some(plan) => finding.detail(format!("; {}", plan.in_short())),
        None => finding,
    }
}

/// "No linkset or prim with a pure physics resource cost exceeding 32.0 may be set physical."
pub(super) fn phy001_physical_over_the_cap(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let over = over_the_cap(case, true);
    findings.extend(over.map(|(object, measures)| cap_finding(case, Code::PHY001, object, measures)));
}

/// The same of an object that does not move: for builders to know.
pub(super) fn phy002_too_costly_to_become_physical(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let over = over_the_cap(case, false);
    findings.extend(over.map(|(object, measures)| cap_finding(case, Code::PHY002, object, measures)));
}

/// "A mesh object uploaded without an explicit physics shape or decomposition cannot be changed to shape type
/// prim and will always be represented as a single convex hull."
pub(super) fn phy007_prim_without_physics_shape(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (object, measures) in case.objects() {
        let parts = object.linkset.parts.iter().zip(&measures.parts);
        // A base hull: a block that is there and cannot be read leaves unknown what collides.
        let concerned = parts.filter(|(part, measures)| {
            measures.class.kind == Kind::UserMesh
                && ShapeType::of(part) == ShapeType::Prim
                && measures.representation == Representation::BaseHull
        });
        let links: Vec<String> = concerned.map(|(part, _)| part.link_number.to_string()).collect();
        if !links.is_empty() {
            let detail = format!("{} parts, link {}", links.len(), abridged(&links));
            findings.push(at(object, Code::PHY007).measured(links.len() as f64).detail(detail));
        }
    }
}

/// What collides at rest by this profile against further ones, part by part. What is unknown by either is not
/// compared, and through a phantom object everything passes on any grid.
pub(super) fn phy008_shape_changes(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for other in &case.others {
        for ((object, here), there) in case.objects().zip(&other.objects) {
            let solid = !here.phantom || here.physical || here.volume_detect;
            let changes = if solid { changes(object, here, there) } else { BTreeMap::new() };
            let count: usize = changes.values().map(Vec::len).sum();
            if count > 0 {
                let detail: Vec<String> = changes
                    .iter()
                    .map(|((from, to), links)| format!("link {}: {from} → {to}", abridged(links)))
                    .collect();
                let finding = at(object, Code::PHY008).within(other.named.name.clone());
                findings.push(finding.measured(count as f64).detail(detail.join("; ")));
            }
        }
    }
}

/// Link numbers of the parts whose representation changes, by what it changes from and to.
fn changes(
    object: &ObjectFacts,
    here: &ObjectMeasures,
    there: &ObjectMeasures,
) -> BTreeMap<(String, String), Vec<String>> {
    let mut changes: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for ((part, here), there) in object.linkset.parts.iter().zip(&here.parts).zip(&there.parts) {
        let (from, to) = (here.representation, there.representation);
        let known = from != Representation::Unknown && to != Representation::Unknown;
        if known && !shape::same_solid(part, from, to) {
            let words = |representation: Representation| representation.name().replace('_', " ");
            changes.entry((words(from), words(to))).or_default().push(part.link_number.to_string());
        }
    }
    changes
}

/// The first of a list, and how many more there are.
pub(super) fn abridged(words: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = words[..words.len().min(SHOWN)].join(", ");
    match words.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
