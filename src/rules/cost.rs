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
