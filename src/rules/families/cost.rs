//! CST: costs and capacity.

use super::{land, place::at_object};
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{
    Measured,
    cost::{Cost, land::second_life},
    measure::{Accounting, ObjectMeasures},
};
use hullmark_finding::{Code, Severity};
use hullmark_settings::profile::{LandModel, PhysicsModel};
use hullmark_util::number_text::plain;
use std::collections::BTreeMap;

rules! {
    CST001 "" "Land impact is over capacity" {
        about: Land,
        effect: Overfills,
        check: over_capacity,
        message: "Land impact is {measured}; the limit is {limit} for {detail}",
        why: "A region holds a certain land impact, and a parcel its share of that by area, times the object bonus. \
              Over capacity nothing more can be rezzed, and objects are returned to their owners.",
        engines: [
            "OpenSimulator" => "Holds 15,000 in a region unless MaxPrims sets another limit.",
            "Second Life" => "Holds 22,500 in a full region of the mainland, 20,000 in a private one, or 30,000 for a \
                fee. A Homestead holds 5,000 and an Openspace 1,000.",
        ],
        fix: "Remove objects, lower their land impact with `hullmark fix --to-capacity`, or ask for a \
              larger capacity. State the capacity of your region with --capacity.",
        fix_owner: "Remove objects, or set prims to Convex Hull. In the viewer: Edit > Edit linked > Features > \
              Physics Shape Type > Convex Hull.",
        source: "OpenSim, LandObject.cs; Second Life knowledge base, Calculating land impact; wiki, Land; support \
                 article Guidelines for Land Impact Change",
    }

    CST002 "" "One edit would overfill its land" {
        about: Land,
        effect: Overfills,
        check: opt_in_would_overfill,
        message: "One edit would add {measured} land impact to the linkset, with {limit} left on \
              {detail}",
        why: "A linkset of plain prims counts 1 for each prim. A shape type, a material or a linked mesh opts all of \
              it in to new accounting, where twisted or hollow prims are expensive. One edit turned linksets of 10 \
              prims into 300, and objects of neighbors were returned. One finding covers a region, or all parcels of \
              one owner; the column land_impact_if_new shows every linkset.",
        engines: [
            "Second Life" => "Returns objects.",
            "OpenSimulator" => "Counts prims under any accounting.",
        ],
        fix: "Before such an edit, set the prims to Convex Hull on land with room. Or leave the linkset as it is.",
        fix_owner: "Before you set a shape type or material, or link a mesh, set the prims to Convex Hull on land \
              with room. In the viewer: Edit > Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Opt-In; beqsother, July 2016; cityofnewbabbage",
    }

    CST003 "" "Land impact differs between grids" {
        about: Object,
        effect: Note,
        check: cost_differs,
        message: "Land impact is {limit}, but {measured} with profile {within}{detail}",
        why: "The same object takes another share of a parcel on another grid. The setting cost_difference_percent \
              states from which difference on this is reported.",
        engines: [
            "Second Life" => "Takes the greatest of three weights, each summed over the linkset, and rounds it.",
            "OpenSimulator" => "Counts 1 for each prim.",
        ],
        fix: "Plan the parcel with the land impact on the target grid.",
        source: "Second Life knowledge base, Calculating land impact; OpenSim 0.9.2.2, as measured",
    }

    CST004 "" "Size raises a physical linkset's cost" {
        about: Object,
        effect: Note,
        check: penalty_counts,
        message: "Size raises the physical linkset's physics weight (physics cost) from {limit} to {measured}, and \
              its land impact{detail}",
        why: "The physics weight (physics cost) of a physical linkset is multiplied by (1 + 0.04 A). A is the mean \
              face area of the box around it, in square metres. The penalty raises the land impact and does not \
              count for the cap.",
        engines: [
            "Second Life" => "Takes the box around the linkset.",
            "OpenSimulator" => "Takes 0.01333 times the squared diagonal of each prim, which is the same only for a \
                cube.",
        ],
        fix: "Make the linkset smaller or cheaper; `hullmark fix --to-physics` lists the prims.",
        fix_owner: "Make the linkset smaller, or set prims to Convex Hull. In the viewer: Edit > Edit linked > \
              Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics: \"penalized_cost = base_physics_cost * ( 1 + 0.04 * A )\"; \
                 OpenSim, SceneObjectPart.cs, PhysicsCost",
    }

    CST005 "prims" "Physics weight is not fully known" {
        about: Object,
        effect: Unknown,
        check: not_evaluated,
        message: "The physics weight (physics cost) is unknown for {measured} of {limit} prims: {detail}",
        why: "The export lacks or damages the mesh or sculpt map of a prim, so its cost cannot be calculated. An \
              unknown cost is never taken as 0: sums with it are lower bounds.",
        fix: "Find the missing assets and add them with --assets. Until then take the costs as lower bounds.",
        fix_owner: "Ask the operator of your grid to find the missing assets.",
        source: "hullmark, docs/numbers.md",
    }

    CST006 "" "PBR materials may change the cost" {
        about: Object,
        effect: Note,
        check: pbr_may_opt_in,
        message: "Land impact is {limit} as a linkset of plain prims, but {measured} if its PBR materials opt it in to \
              new accounting{detail}",
        why: "The specification's page does not know PBR materials, so hullmark counts 1 for each prim. Viewers take \
              land impact as changed when a PBR material changes, and residents report new accounting. No server was \
              measured. The columns land_impact_low and land_impact_high have both figures.",
        engines: [
            "Second Life" => "Sends new costs to viewers. Whether PBR materials change the accounting is not published.",
            "OpenSimulator" => "Counts 1 for each prim.",
        ],
        fix: "Rez the linkset in Second Life and look at its land impact: Edit > More info. `hullmark calibrate` does \
              this for a region. If it is high, set the prims to Convex Hull.",
        source: "Second Life viewer, llviewerobject.cpp, setRenderMaterialID; residents' page \
                 sites.google.com/view/randomprimstuff/important; Second Life wiki, Mesh/Mesh physics, Opt-In",
    }
}

/// Land impact above the capacity of a region or of the parcels of one owner. Also above the budget of one object, if
/// the profile sets one.
fn over_capacity(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    // On grids that count prims, REG001 applies.
    if land::holds_land_impact(measured, Code::CST001, outcomes) {
        land::over_capacity(measured, Code::CST001, outcomes);
    }
    let budget = measured.profile.land.max_object_impact;
    for (object, measures) in measured.objects() {
        if let Some(impact) = measures.land_impact.value().filter(|&impact| impact > budget) {
            outcomes
                .push(at_object(object, Code::CST001).detail("one linkset").measured(impact).limit(budget));
        }
    }
}

fn opt_in_would_overfill(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !land::holds_land_impact(measured, Code::CST002, outcomes) {
        return;
    }
    let more = |measures: &ObjectMeasures| {
        let legacy = measures.accounting == Accounting::Legacy;
        rise(measures.land_impact, measures.land_impact_if_new).filter(|_| legacy)
    };
    land::overfilled(measured, Code::CST002, more, outcomes);
}

/// Returns the increase of land impact. `None` if `now` is a lower bound, because its true value may be as great as
/// `then`.
pub fn rise(now: Cost, then: Cost) -> Option<f64> {
    Some(then.value()? - now.value().filter(|_| now.is_complete())?)
}

/// Share of the land impact from which a doubt about the accounting is reported.
const WORTH_A_FINDING: f64 = 0.1;

/// Land impact of linksets whose PBR materials may change their accounting.
fn pbr_may_opt_in(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| measures.pbr_may_opt_in) {
        let (legacy, new) = (measures.land_impact, measures.land_impact_if_new);
        let (Some(before), Some(after)) = (legacy.exact(), new.value()) else {
            outcomes.not_evaluated(Code::CST006, SkipReason::CostUnknown, 1);
            continue;
        };
        // A lower bound below the legacy figure may also be above it.
        let is_bound = !new.is_complete();
        let differs = (after - before).abs() > WORTH_A_FINDING * before;
        if differs && (after > before || !is_bound) {
            let detail = if is_bound { "; the latter is a lower bound" } else { "" };
            let finding = at_object(object, Code::CST006).measured(after).limit(before).detail(detail);
            // Less than expected harms nobody.
            outcomes.push(if after > before { finding } else { finding.at_most(Severity::Info) });
        } else if is_bound {
            outcomes.not_evaluated(Code::CST006, SkipReason::CostUnknown, 1);
        }
    }
}

/// Land impact by this profile compared with further ones. The lesser must be exact: a lower bound might be as great as
/// the other.
fn cost_differs(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.others.is_empty() {
        outcomes.not_evaluated(Code::CST003, SkipReason::OneProfile, measured.objects.len());
    }
    for other in &measured.others {
        for ((object, here), there) in measured.objects().zip(&other.objects) {
            let (here, there) = (here.land_impact, there.land_impact);
            let (Some(ours), Some(theirs)) = (here.value(), there.value()) else {
                outcomes.not_evaluated(Code::CST003, SkipReason::CostUnknown, 1);
                continue;
            };
            let (lesser, greater) = if ours <= theirs { (here, there) } else { (there, here) };
            let apart = (ours - theirs).abs() > other.cost_difference * ours.max(theirs);
            if apart && lesser.is_complete() {
                let detail = if greater.is_complete() { "" } else { "; the greater number is a lower bound" };
                let finding = at_object(object, Code::CST003).within(other.named.name.clone()).detail(detail);
                outcomes.push(finding.measured(theirs).limit(ours));
            } else if !here.is_complete() || !there.is_complete() {
                outcomes.not_evaluated(Code::CST003, SkipReason::CostUnknown, 1);
            }
        }
    }
}

fn penalty_counts(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let profile = measured.profile;
    if profile.physics.model != PhysicsModel::SecondLife || profile.land.model != LandModel::SecondLife {
        return;
    }
    let charged = |measures: &ObjectMeasures| measures.physical && measures.accounting == Accounting::New;
    for (object, measures) in measured.objects().filter(|(_, measures)| charged(measures)) {
        let base = Cost::sum(measures.parts.iter().map(|part| part.collision.physics_cost_dynamic));
        let without = second_life(measures.streaming_cost, base, measures.server_weight);
        let Some(rise) = rise(without, measures.land_impact) else {
            outcomes.not_evaluated(Code::CST004, SkipReason::CostUnknown, 1);
            continue;
        };
        if rise <= 0.0 {
            continue;
        }
        let (base, penalised) = (base.value(), measures.physics_cost_if_physical.value());
        if let (Some(base), Some(penalised)) = (base, penalised) {
            let detail = format!(" by {}", plain(rise));
            outcomes.push(at_object(object, Code::CST004).measured(penalised).limit(base).detail(detail));
        }
    }
}

/// A cost that is charged but unknown is reported, never taken as 0. Legacy accounting charges no physics cost, and the
/// basis of `physics_cost_if_new` already shows this.
fn not_evaluated(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| !measures.physics_cost.is_complete())
    {
        let mut reasons: BTreeMap<_, u32> = BTreeMap::new();
        let unknown = measures.parts.iter().filter(|part| !part.collision.physics_cost.is_complete());
        for reason in unknown.filter_map(|part| part.collision.physics_cost.basis().reason()) {
            *reasons.entry(reason.name()).or_default() += 1;
        }
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        let finding = at_object(object, Code::CST005).detail(reasons.join(", "));
        outcomes.push(finding.measured(measures.unevaluated_parts).limit(object.linkset.parts.len() as f64));
    }
}
