//! CST: costs and capacity.

use super::{land, link::at};
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{
    Measured,
    cost::{Cost, land::second_life},
    measure::{Accounting, ObjectMeasures},
};
use hullmark_finding::Code;
use hullmark_settings::profile::{LandModel, PhysicsModel};
use hullmark_util::number_text::plain;
use std::collections::BTreeMap;

/// Land impact above the capacity of a region or of the parcels of one owner. Also above the budget of one object, if
/// the profile sets one.
pub(crate) fn cst001_over_capacity(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    // On grids that count prims, REG001 applies.
    if measured.profile.land.model == LandModel::SecondLife {
        land::over_capacity(measured, Code::CST001, verdicts);
    }
    let budget = measured.profile.land.max_object_impact;
    for (object, measures) in measured.objects() {
        if let Some(impact) = measures.land_impact.value().filter(|&impact| impact > budget) {
            verdicts.push(at(object, Code::CST001).detail("one linkset").measured(impact).limit(budget));
        }
    }
}

/// A linkset under legacy accounting that would overfill its land after one edit that opts it in.
pub(crate) fn cst002_opt_in_would_overfill(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.land.model != LandModel::SecondLife {
        return;
    }
    let more = |measures: &ObjectMeasures| {
        let legacy = measures.accounting == Accounting::Legacy;
        rise(measures.land_impact, measures.land_impact_if_new).filter(|_| legacy)
    };
    land::overfilled(measured, Code::CST002, more, verdicts);
}

/// Returns the increase of land impact. `None` if `now` is a lower bound, because its true value may be as great as
/// `then`.
pub fn rise(now: Cost, then: Cost) -> Option<f64> {
    Some(then.value()? - now.value().filter(|_| now.is_complete())?)
}

/// Land impact by this profile compared with further ones. The lesser must be exact: a lower bound might be as great as
/// the other.
pub(crate) fn cst003_cost_differs(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.others.is_empty() {
        verdicts.not_evaluated(Code::CST003, SkipReason::OneProfile, measured.objects.len());
    }
    for other in &measured.others {
        for ((object, here), there) in measured.objects().zip(&other.objects) {
            let (here, there) = (here.land_impact, there.land_impact);
            let (Some(ours), Some(theirs)) = (here.value(), there.value()) else {
                verdicts.not_evaluated(Code::CST003, SkipReason::CostUnknown, 1);
                continue;
            };
            let (lesser, greater) = if ours <= theirs { (here, there) } else { (there, here) };
            let apart = (ours - theirs).abs() > other.cost_difference * ours.max(theirs);
            if apart && lesser.is_complete() {
                let detail = if greater.is_complete() { "" } else { "; the greater number is a lower bound" };
                let finding = at(object, Code::CST003).within(other.named.name.clone()).detail(detail);
                verdicts.push(finding.measured(theirs).limit(ours));
            } else if !here.is_complete() || !there.is_complete() {
                verdicts.not_evaluated(Code::CST003, SkipReason::CostUnknown, 1);
            }
        }
    }
}

/// A physical linkset whose land impact is greater because of the penalty on its size.
pub(crate) fn cst004_penalty_counts(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let profile = measured.profile;
    if profile.physics.model != PhysicsModel::SecondLife || profile.land.model != LandModel::SecondLife {
        return;
    }
    let charged = |measures: &ObjectMeasures| measures.physical && measures.accounting == Accounting::New;
    for (object, measures) in measured.objects().filter(|(_, measures)| charged(measures)) {
        let base = Cost::sum(measures.parts.iter().map(|part| part.collision.physics_cost_dynamic));
        let without = second_life(measures.streaming_cost, base, measures.server_weight);
        let Some(rise) = rise(without, measures.land_impact) else {
            verdicts.not_evaluated(Code::CST004, SkipReason::CostUnknown, 1);
            continue;
        };
        if rise <= 0.0 {
            continue;
        }
        let (base, penalised) = (base.value(), measures.physics_cost_if_physical.value());
        if let (Some(base), Some(penalised)) = (base, penalised) {
            let detail = format!(" by {}", plain(rise));
            verdicts.push(at(object, Code::CST004).measured(penalised).limit(base).detail(detail));
        }
    }
}

/// A cost that is charged but unknown is reported, never taken as 0. Legacy accounting charges no physics cost, and the
/// basis of `physics_cost_if_new` already shows this.
pub(crate) fn cst005_not_evaluated(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| !measures.physics_cost.is_complete())
    {
        let mut reasons: BTreeMap<_, u32> = BTreeMap::new();
        let unknown = measures.parts.iter().filter(|part| !part.collision.physics_cost.is_complete());
        for reason in unknown.filter_map(|part| part.collision.physics_cost.basis().reason()) {
            *reasons.entry(reason.name()).or_default() += 1;
        }
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        let finding = at(object, Code::CST005).detail(reasons.join(", "));
        verdicts.push(finding.measured(measures.unevaluated_parts).limit(object.linkset.parts.len() as f64));
    }
}
