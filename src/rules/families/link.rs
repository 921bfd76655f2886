//! LNK: linkability.

use crate::{RuleOutcomes, SkipReason, source_of_limit};
use hullmark_analysis::{
    Measured,
    linkability::{
        current::Verdict,
        havok4::order::Order,
        split::{Spheres, split},
    },
    measure::{ObjectMeasures, centres},
};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::simulator::limits::LimitKey;
use hullmark_util::number_text::counted;

/// Most names of parts in a finding.
const NAMED: usize = 4;

/// Creates a finding about a whole object.
pub fn at(object: &ObjectFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&object.entry);
    finding.place.object = object.linkset.parts.first().map(|root| root.uuid);
    finding
}

/// D < 54, where D is the diameter of the smallest sphere around the prim centres (`linkability-rules.txt`).
pub(crate) fn lnk001_too_far_apart(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| measures.link.current.span_exceeded) {
        let detail = format!("; {}{}", farthest(object, measures), pieces(measured, object, measures));
        let finding = at(object, Code::LNK001).detail(detail);
        let diameter = measures.link.current.evaluated_diameter_m().unwrap_or(f64::NAN);
        verdicts.push(finding.measured(diameter).limit(measured.profile.linkability.max_diameter_m));
    }
    for (_, measures) in measured.objects() {
        if let Some(reason) = doubt(measures.link.current.verdict) {
            verdicts.not_evaluated(Code::LNK001, reason, 1);
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

/// Describes a possible split.
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
pub(crate) fn lnk002_too_many_prims(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| measures.link.current.count_exceeded)
    {
        let limit = measured.profile_of(object).linkability.max_prims;
        let count = measures.link.current.count;
        // The limit of the specification is below 256, that of viewers above it.
        let viewers = if (limit, count) == (255, 256) { "; current viewers still accept 256" } else { "" };
        let source = source_of_limit(measured, object.region, LimitKey::LinksetPrims);
        let detail = format!("{viewers}{source}{}", pieces(measured, object, measures));
        verdicts.push(at(object, Code::LNK002).measured(count).limit(limit).detail(detail));
    }
}

/// span > min(3 · (rA + rB) + 2, 54), piece by piece: the rule before December 2010. Evaluated only if the profile
/// selects it.
pub(crate) fn lnk003_old_rule(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if !measured.profile.linkability.old_rules {
        return verdicts.not_evaluated(Code::LNK003, SkipReason::NoOldRules, measured.objects.len());
    }
    for (object, measures) in measured.objects() {
        let outcome = &measures.link.havok4;
        if let Some(refused) = outcome.refused.first() {
            let finding = at(object, Code::LNK003).within(outcome.pieces.len().to_string());
            let largest = outcome.pieces.iter().map(|piece| piece.prims.len()).max().unwrap_or_default();
            let all = counted(object.linkset.parts.len() as u64, "prim");
            let detail = format!("; the largest piece has {largest} of {all}");
            verdicts.push(finding.measured(refused.span_m).limit(refused.limit_m).detail(detail));
        } else if let Some(reason) = doubt(outcome.verdict) {
            verdicts.not_evaluated(Code::LNK003, reason, 1);
        }
    }
}

/// "The final subset of linkable parts is determined by the order in which the candidates were submitted."
pub(crate) fn lnk005_order_matters(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if !measured.profile.linkability.old_rules {
        return verdicts.not_evaluated(Code::LNK005, SkipReason::NoOldRules, measured.objects.len());
    }
    for (object, measures) in measured.objects() {
        match measures.link.havok4_order.as_ref().map(Order::matters) {
            Some(Some(true)) => {
                let linked = measures.link.havok4.linked_with_root().unwrap_or_default();
                let all = object.linkset.parts.len();
                verdicts.push(at(object, Code::LNK005).measured(linked as f64).limit(all as f64));
            }
            Some(Some(false)) => {}
            Some(None) => verdicts.not_evaluated(Code::LNK005, SkipReason::NotProven, 1),
            None => verdicts.not_evaluated(
                Code::LNK005,
                doubt(measures.link.havok4.verdict).unwrap_or(SkipReason::NotProven),
                1,
            ),
        }
    }
}
