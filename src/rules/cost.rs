//! CST: costs and capacity.

use super::link::at;
use crate::{
    finding::{Code, Finding},
    join::Case,
};
use std::collections::BTreeMap;

/// Land impact against what a region and its parcels hold.
pub(super) fn cst001_over_capacity(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mut check = |entry: &str, what: String, impact: Option<f64>, capacity: Option<f64>| {
        if let (Some(impact), Some(capacity)) = (impact, capacity)
            && impact > capacity
        {
            findings
                .push(Finding::new(Code::CST001).entry(entry).measured(impact).limit(capacity).detail(what));
        }
    };
    for (facts, region) in case.ledger.regions.iter().zip(&case.regions) {
        let what = format!("region \"{}\"", facts.name);
        check(&facts.folder, what, region.total.land_impact.value(), Some(region.capacity));
        for (facts, parcel) in facts.parcels.iter().zip(&region.parcels) {
            let what = format!("parcel \"{}\"", facts.parcel.name);
            check(&facts.entry, what, parcel.total.land_impact.value(), parcel.capacity);
        }
    }
}

/// Land impact by this profile against further ones. The lesser of two must be known whole: a lower bound might
/// be as great as the other.
pub(super) fn cst003_cost_differs(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for other in &case.others {
        for ((object, here), there) in case.objects().zip(&other.objects) {
            let (here, there) = (here.land_impact, there.land_impact);
            let (Some(ours), Some(theirs)) = (here.value(), there.value()) else { continue };
            let (lesser, greater) = if ours <= theirs { (here, there) } else { (there, here) };
            let apart = (ours - theirs).abs() > other.cost_difference * ours.max(theirs);
            if apart && lesser.is_complete() {
                let detail = if greater.is_complete() { "" } else { "; the greater is a lower bound" };
                let finding = at(object, Code::CST003).within(other.named.name.clone()).detail(detail);
                findings.push(finding.measured(theirs).limit(ours));
            }
        }
    }
}

/// A cost that is charged and not known is said to be so, never taken as 0. Under legacy accounting none is
/// charged, and the basis of `physics_cost_if_new` says enough.
pub(super) fn cst005_not_evaluated(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (object, measures) in case.objects().filter(|(_, measures)| !measures.physics_cost.is_complete()) {
        let mut reasons: BTreeMap<_, u32> = BTreeMap::new();
        let unknown = measures.parts.iter().filter(|part| !part.physics_cost.is_complete());
        for reason in unknown.filter_map(|part| part.physics_cost.basis().reason()) {
            *reasons.entry(reason.name()).or_default() += 1;
        }
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        let finding = at(object, Code::CST005).detail(reasons.join(", "));
        findings.push(finding.measured(measures.unevaluated_parts).limit(object.linkset.parts.len() as f64));
    }
}
