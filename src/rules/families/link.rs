//! LNK: linkability.

use super::place::at_object;
use crate::{RuleOutcomes, SkipReason, source_of_limit};
use hullmark_analysis::{
    Measured,
    linkability::{
        current::{SOURCES_DIFFER, Verdict},
        link_order::Order,
        split::{Spheres, split},
    },
    measure::{ObjectMeasures, centres},
};
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::simulator::limits::LimitKey;
use hullmark_util::number_text::counted;

rules! {
    LNK001 "m" "Prims are too far apart to link" {
        about: Object,
        effect: Changes,
        check: too_far_apart,
        message: "The prim centers span {measured} m; the span must be less than {limit} m{detail}",
        why: "Since December 2010 the prim centers of a linkset must fit into a sphere less than 54 m across. Sizes \
              and rotations do not count. A larger linkset cannot be linked again once taken apart, and may come \
              apart when rezzed.",
        engines: [
            "Second Life" => "Enforces the rule.",
            "OpenSimulator" => "Has no distance rule, so content built there may break it.",
        ],
        fix: "Before the move, unlink the prims that are farthest out: the grid will refuse to relink them. \
              `hullmark link --split` suggests a split.",
        fix_owner: "Before the move, unlink the prims that are farthest out. In the viewer: Edit > Edit linked, \
              select the prims, then Build > Unlink.",
        source: "Second Life wiki, Linkability Rules: LINKABLE = D < 54 AND N < 256",
    }

    LNK002 "prims" "Linkset has too many prims" {
        about: Object,
        effect: Changes,
        check: too_many_prims,
        message: "The linkset has {measured} prims; at most {limit} can be linked{detail}",
        why: "The linkability rule of 2010 allows fewer than 256 prims. A linkset with more prims cannot be linked \
              again once taken apart. Exactly 256 prims are a warning at most, because viewers and another page of the \
              wiki accept them.",
        engines: [
            "Viewers" => "Let a root prim have 255 child prims, which makes 256, and refuse only more.",
            "OpenSimulator" => "Sets no limit unless the operator sets LinksetPrims, and does not check it on \
                loading.",
        ],
        fix: "Split the object into several linksets; `hullmark link --split` suggests how.",
        fix_owner: "Split the object into several linksets. In the viewer: Edit > Edit linked, select the prims, \
              then Build > Unlink and Build > Link.",
        source: "Second Life wiki, Linkability Rules and Limits; viewer, llselectmgr.cpp, MAX_CHILDREN_PER_TASK",
    }

    LNK003 "m" "Havok4 rule splits the linkset" {
        about: Object,
        effect: Note,
        check: old_rule,
        message: "The Havok4 rule leaves {within} pieces: the second needs a span of {measured} m, and {limit} m is \
              allowed{detail}",
        why: "Before December 2010 two pieces linked only up to a certain span over both their spheres. The limit \
              was three times both radii plus 2 m, and at most 54 m. Small prims far apart failed this rule and pass \
              today's.",
        engines: [
            "Second Life" => "No longer applies this rule.",
            "OpenSimulator" => "Does not apply this rule; a fork that does takes such a linkset apart.",
        ],
        fix: "Do nothing, unless the target still applies the old rule. In that case, list the pieces with `hullmark \
              link --rule havok4`.",
        fix_owner: "Do nothing, unless your new grid still applies the rule from before 2010.",
        source: "Second Life wiki, Linkability Rules: Old Linkability Rules, formulas 1 and 7",
    }

    LNK005 "prims" "Link order decides what links" {
        about: Object,
        effect: Note,
        check: order_matters,
        message: "With the Havok4 rule the order of the prims matters: in link order, {measured} of {limit} prims \
              can link to the root prim{detail}",
        why: "The old rule tries one prim after the other. A growing piece moves its center, and near 54 m the last \
              prim finds no room. The specification says that a set that can be linked whole never depends on the \
              order; it can.",
        fix: "Select the prims in another order, nearest to the root prim first, or split the object.",
        source: "Second Life wiki, Linkability Rules: Linkability algorithm, Failure modes",
    }
}

/// Most names of parts in a finding.
const NAMED: usize = 4;

/// D < 54, where D is the diameter of the smallest sphere around the prim centres (`linkability-rules.txt`).
fn too_far_apart(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| measures.link.current.span_exceeded) {
        let detail = format!("; {}{}", farthest(object, measures), pieces(measured, object, measures));
        let finding = at_object(object, Code::LNK001).detail(detail);
        let diameter = measures.link.current.evaluated_diameter_m().unwrap_or(f64::NAN);
        outcomes.push(finding.measured(diameter).limit(measured.profile.linkability.max_diameter_m));
    }
    for (_, measures) in measured.objects() {
        if let Some(reason) = doubt(measures.link.current.verdict) {
            outcomes.not_evaluated(Code::LNK001, reason, 1);
        }
    }
}

/// Why the linkability is unknown. `None` if it is known.
fn doubt(verdict: Verdict) -> Option<SkipReason> {
    match verdict {
        Verdict::NotEvaluated(_) => Some(SkipReason::NotFinite),
        Verdict::AtTheLimit => Some(SkipReason::AtTheLimit),
        Verdict::Linkable | Verdict::NotLinkable | Verdict::NoRule => None,
    }
}

fn pieces(measured: &Measured<'_>, object: &ObjectFacts, measures: &ObjectMeasures) -> String {
    let centres = centres(&measures.parts, &object.linkset);
    let plan = split(&Spheres::new(&centres, &measured.profile_of(object).linkability));
    let parted = plan.filter(|plan| plan.pieces.len() > 1);
    parted.map_or_else(String::new, |plan| format!("; {}", plan.in_short()))
}

/// Describes the parts on the surface of the sphere.
fn farthest(object: &ObjectFacts, measures: &ObjectMeasures) -> String {
    let support = measures.link.current.sphere.iter().flat_map(|sphere| &sphere.support);
    let mut numbers: Vec<usize> = support.copied().collect();
    numbers.sort_unstable();
    let names: Vec<String> = numbers
        .iter()
        .take(NAMED)
        .filter_map(|&number| object.linkset.parts.get(number))
        .map(|part| format!("\"{}\" (link {})", part.name, part.link_number))
        .collect();
    format!("farthest out: {}", names.join(", "))
}

/// N < 256 (`linkability-rules.txt`).
fn too_many_prims(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| measures.link.current.count_exceeded)
    {
        let limit = measured.profile_of(object).linkability.max_prims;
        let count = measures.link.current.count;
        let source = source_of_limit(measured, object.region, LimitKey::LinksetPrims);
        let differ = measures.link.current.sources_differ();
        let sources = if differ { format!("; {SOURCES_DIFFER}") } else { String::new() };
        let detail = format!("{sources}{source}{}", pieces(measured, object, measures));
        let finding = at_object(object, Code::LNK002).measured(count).limit(limit).detail(detail);
        // If the page is right, the linkset cannot be linked again, so it is more than a note.
        outcomes.push(if differ { finding.at_most(Severity::Warning) } else { finding });
    }
}

/// span > min(3 · (rA + rB) + 2, 54), piece by piece: the rule before December 2010. Evaluated only if the profile
/// selects it.
fn old_rule(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !measured.profile.linkability.old_rules {
        return outcomes.not_evaluated(Code::LNK003, SkipReason::NoOldRules, measured.objects.len());
    }
    for (object, measures) in measured.objects() {
        let outcome = &measures.link.havok4;
        if let Some(refused) = outcome.refused.first() {
            let finding = at_object(object, Code::LNK003).within(outcome.pieces.len().to_string());
            let largest = outcome.pieces.iter().map(|piece| piece.prims.len()).max().unwrap_or_default();
            let all = counted(object.linkset.parts.len() as u64, "prim");
            let detail = format!("; the largest piece has {largest} of {all}");
            outcomes.push(finding.measured(refused.span_m).limit(refused.limit_m).detail(detail));
        } else if let Some(reason) = doubt(outcome.verdict) {
            outcomes.not_evaluated(Code::LNK003, reason, 1);
        }
    }
}

/// "The final subset of linkable parts is determined by the order in which the candidates were submitted."
fn order_matters(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !measured.profile.linkability.old_rules {
        return outcomes.not_evaluated(Code::LNK005, SkipReason::NoOldRules, measured.objects.len());
    }
    for (object, measures) in measured.objects() {
        match measures.link.havok4_order.as_ref().map(Order::matters) {
            Some(Some(true)) => {
                let linked = measures.link.havok4.linked_with_root().unwrap_or_default();
                let all = object.linkset.parts.len();
                outcomes.push(at_object(object, Code::LNK005).measured(linked as f64).limit(all as f64));
            }
            Some(Some(false)) => {}
            Some(None) => outcomes.not_evaluated(Code::LNK005, SkipReason::NotProven, 1),
            None => outcomes.not_evaluated(
                Code::LNK005,
                doubt(measures.link.havok4.verdict).unwrap_or(SkipReason::NotProven),
                1,
            ),
        }
    }
}
