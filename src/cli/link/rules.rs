//! The three rules applied to a selection: numbers and reasons.

use super::{
    Rule,
    select::{Label, Selection},
    view::PieceView,
};
use crate::cli::Settings;
use glam::DVec3;
use hullmark_analysis::linkability::{
    current::{self, SOURCES_DIFFER, Verdict},
    havok1,
    havok4::{self, Trial},
    link_order::{Order, order},
    split::{Boxes, Plan, Spheres, split as plan},
};
use hullmark_finding::{Code, Severity};
use hullmark_settings::profile::Linkability;
use hullmark_util::{
    number_text::plain,
    terminal_text::{clean, counted},
};
use serde::Serialize;

/// Maximum number of refused pairs in the reasons.
const NAMED: usize = 4;
/// Maximum number of pieces whose pairs are all listed.
const MOST_PAIRED: usize = 32;

pub(super) struct Answer {
    pub(super) verdict: &'static str,
    pub(super) linkable: Option<bool>,
    pub(super) severity: Option<Severity>,
    pub(super) reasons: Vec<String>,
    pub(super) measures: Measures,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Measures {
    /// The numbers of [`current`].
    Current {
        /// Diameter of the smallest sphere around the centres, metres.
        diameter_m: Option<f64>,
        /// The diameter must be less than this, metres. `None` if the target has no such rule.
        max_diameter_m: Option<f64>,
        /// `max_diameter_m` minus `diameter_m`, metres.
        margin_m: Option<f64>,
        /// Maximum number of prims. `None` if the target has no such rule.
        max_prims: Option<u32>,
        /// Number of prims that may be added.
        margin_prims: Option<i64>,
        /// The prims that determine the sphere.
        support: Vec<Label>,
        /// The greatest distance between two centres, metres.
        greatest_distance_m: Option<f64>,
        /// The two prims with this distance.
        farthest: Vec<Label>,
    },
    /// The numbers of [`havok4`].
    Havok4 {
        /// The resulting pieces; one if all prims are linked.
        pieces: Vec<PieceView>,
        /// The refused pairs of pieces. If there are many pieces, only the pairs with the piece of the root.
        refused: Vec<Refused>,
        /// The distance of the closest decision from its limit, metres.
        least_margin_m: Option<f64>,
        /// Whether another order of the prims gives another result. `None` if this is unknown.
        order_matters: Option<bool>,
    },
    /// The numbers of [`havok1`].
    Havok1 {
        /// Sides of the box in the axes of the region, metres.
        size_m: Option<[f64; 3]>,
        /// The rotation about the vertical axis that minimizes the longer horizontal side, degrees.
        best_turn_degrees: Option<f64>,
        /// Sides of the box after this rotation, metres.
        size_turned_m: Option<[f64; 3]>,
    },
}

/// Two pieces that cannot be linked.
#[derive(Debug, Serialize)]
pub(super) struct Refused {
    /// Their numbers in the list of pieces, from 1. The piece of the root is 1.
    pieces: [usize; 2],
    /// From the near edge of one sphere to the far edge of the other, metres.
    span_m: f64,
    /// Limit of the span, metres.
    limit_m: f64,
}

pub(super) fn ask(selection: &Selection, rule: Rule, settings: &Settings) -> Answer {
    match rule {
        Rule::Current => ask_current(selection, settings),
        Rule::Havok4 => ask_havok4(selection, settings),
        Rule::Havok1 => ask_havok1(selection),
    }
}

/// Plans how to split the selection under the rule. `None` if there is no plan.
pub(super) fn split(selection: &Selection, rule: Rule, settings: &Settings) -> Option<Plan> {
    let limits = &settings.profile.linkability;
    match rule {
        Rule::Current => plan(&Spheres::new(&selection.centres, limits)),
        Rule::Havok1 => plan(&Boxes::new(&selection.prims, havok1::FITS_BELOW_M, usize::MAX)),
        // The pieces of this rule depend on the order, so they are the plan.
        Rule::Havok4 => None,
    }
}

fn metres(length: f64) -> String {
    match plain(length) {
        zero if zero == "0" => "less than 0.000001 m".into(),
        number if number.len() > 20 => format!("{length:e} m"),
        number => format!("{number} m"),
    }
}

fn ask_current(selection: &Selection, settings: &Settings) -> Answer {
    let limits = &settings.profile.linkability;
    let outcome = current::evaluate(&selection.centres, limits);
    let support = outcome.sphere.iter().flat_map(|sphere| &sphere.support);
    let support = selection.named(support);
    let code = match (outcome.span_exceeded, outcome.count_exceeded) {
        (true, _) => Some(Code::LNK001),
        (_, true) => Some(Code::LNK002),
        _ => None,
    };
    Answer {
        verdict: outcome.verdict.name(),
        linkable: outcome.verdict.linkable(),
        severity: code.and_then(|code| settings.severity(code)),
        reasons: current_reasons(&outcome, &support, limits),
        measures: Measures::Current {
            diameter_m: outcome.diameter_m(),
            max_diameter_m: Some(limits.max_diameter_m).filter(|limit| limit.is_finite()),
            margin_m: outcome.margin_m(),
            max_prims: Some(limits.max_prims).filter(|&limit| limit < u32::MAX),
            margin_prims: outcome.margin_prims(),
            support,
            greatest_distance_m: outcome.greatest_distance_m(),
            farthest: selection.named(outcome.farthest.iter().flat_map(|pair| &pair.points)),
        },
    }
}

fn current_reasons(outcome: &current::Outcome, support: &[Label], limits: &Linkability) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(diameter) = outcome.evaluated_diameter_m() {
        let limit = match outcome.margin_m() {
            None => "the target has no limit".to_owned(),
            Some(margin) if outcome.span_exceeded => {
                format!(
                    "less than {} is allowed, so it is {} too wide",
                    metres(limits.max_diameter_m),
                    metres(-margin)
                )
            }
            Some(margin) => {
                format!("the limit is {}, so {} remains", metres(limits.max_diameter_m), metres(margin))
            }
        };
        reasons.push(format!("The prims span {}; {limit}.", metres(diameter)));
        if outcome.span_exceeded {
            let names: Vec<String> = support.iter().map(named).collect();
            reasons.push(format!("Farthest out: {}.", names.join(", ")));
        }
    } else {
        reasons.push("A position is not a number, so the sphere is unknown.".into());
    }
    let count = counted(outcome.count.into(), "prim");
    reasons.push(match outcome.margin_prims() {
        Some(_) if outcome.sources_differ() => {
            format!("The selection has {count}, 1 more than the limit: {SOURCES_DIFFER}.")
        }
        None => format!("The selection has {count}; the target has no limit."),
        Some(margin) if margin < 0 => {
            format!("The selection has {count}, {} more than the limit of {}.", -margin, limits.max_prims)
        }
        Some(margin) => format!("The selection has {count}; {margin} more can be linked."),
    });
    reasons
}

fn named(prim: &Label) -> String {
    let object =
        if prim.object == prim.name { String::new() } else { format!(" of \"{}\"", clean(&prim.object)) };
    format!("\"{}\" (link {}{object})", clean(&prim.name), prim.link_number)
}

fn ask_havok4(selection: &Selection, settings: &Settings) -> Answer {
    let counts: Vec<usize> = selection.objects.iter().map(|object| object.prims).collect();
    let (outcome, order) = if let [_] = counts.as_slice() {
        // For one object: whether it could be linked again from its prims.
        let outcome = havok4::evaluate(&selection.prims);
        let order = order(&selection.prims, &outcome);
        (outcome, order)
    } else {
        (havok4::evaluate_objects(&selection.prims, &counts), None)
    };
    let code = (outcome.verdict.linkable() == Some(false)).then_some(Code::LNK003);
    let piece = |piece: &havok4::Piece| selection.piece(&piece.prims, 2.0 * piece.ball.radius);
    Answer {
        verdict: outcome.verdict.name(),
        linkable: outcome.verdict.linkable(),
        severity: code.and_then(|code| settings.severity(code)),
        reasons: havok4_reasons(&outcome, order.as_ref()),
        measures: Measures::Havok4 {
            pieces: outcome.pieces.iter().map(piece).collect(),
            refused: refused(&outcome),
            least_margin_m: outcome.least_margin_m,
            order_matters: order.as_ref().and_then(Order::matters),
        },
    }
}

/// Returns all pairs of the pieces. If there are many, returns only the pairs with the piece of the root.
fn refused(outcome: &havok4::Outcome) -> Vec<Refused> {
    let pieces = &outcome.pieces;
    let first = if pieces.len() > MOST_PAIRED { 1 } else { pieces.len() };
    let pair = |a: usize, b: usize| {
        let trial = Trial::new(&pieces[a].ball, &pieces[b].ball);
        Refused { pieces: [a + 1, b + 1], span_m: trial.span_m, limit_m: trial.limit_m }
    };
    (0..first).flat_map(|a| (a + 1..pieces.len()).map(move |b| pair(a, b)).collect::<Vec<_>>()).collect()
}

fn havok4_reasons(outcome: &havok4::Outcome, order: Option<&Order>) -> Vec<String> {
    let mut reasons = Vec::new();
    match outcome.pieces() {
        None => {
            let why =
                if let Verdict::NotEvaluated(reason) = outcome.verdict { reason.name() } else { "unknown" };
            reasons.push(format!("Not evaluated: {why}."));
        }
        Some([whole]) => {
            reasons
                .push(format!("All prims are linked, in a sphere {} wide.", metres(2.0 * whole.ball.radius)));
        }
        Some(pieces) => {
            reasons.push(format!("{} remain.", counted(pieces.len() as u64, "piece")));
            for Refused { pieces: [a, b], span_m, limit_m } in refused(outcome).into_iter().take(NAMED) {
                reasons.push(format!(
                    "Pieces {a} and {b} span {}; the limit is {}, so they are {} too far apart.",
                    metres(span_m),
                    metres(limit_m),
                    metres(span_m - limit_m)
                ));
            }
        }
    }
    if let Some(margin) = outcome.least_margin_m {
        reasons.push(format!("The closest decision was {} from its limit.", metres(margin)));
    }
    match order {
        Some(Order::Matters(_)) => reasons.push("Another order of the prims gives another result.".into()),
        Some(Order::CannotMatter) => reasons.push("No order of the prims gives another result.".into()),
        Some(Order::NoneFound(0)) => {
            reasons.push("Other orders were not tried: the selection has too many prims.".into());
        }
        Some(Order::NoneFound(tried)) => {
            reasons.push(format!("None of {tried} other orders gives another result."));
        }
        None if outcome.verdict.linkable().is_some() => {
            reasons.push("Other orders of the objects were not tried.".into());
        }
        None => {}
    }
    reasons
}

fn ask_havok1(selection: &Selection) -> Answer {
    let outcome = havok1::evaluate(&selection.prims);
    let mut reasons = Vec::new();
    match outcome.size {
        None => reasons.push("A position or a size is not a number, so the box is unknown.".into()),
        Some(size) => {
            let verdict = match outcome.verdict {
                havok1::Verdict::Fits => "is within",
                havok1::Verdict::Exceeds => "exceeds",
                _ => "is about as large as",
            };
            reasons.push(format!(
                "The box along the region's axes is {}: it {verdict} the limit of about 32 m. The exact limit was \
                 never published.",
                sides(size)
            ));
            reasons.push("The axes do not rotate with the object, so rotating it changes the result.".into());
        }
    }
    if let Some(turn) = outcome.turn_to_fit {
        reasons.push(format!(
            "Rotated by {}° about the vertical axis, it fits: {}.",
            plain((turn.degrees * 100.0).round() / 100.0),
            sides(turn.size)
        ));
    } else if outcome.size.is_some() && outcome.verdict != havok1::Verdict::Fits {
        reasons.push("No rotation about the vertical axis makes it fit.".into());
    }
    let best_turn = havok1::best_turn(&selection.prims);
    Answer {
        verdict: outcome.verdict.name(),
        linkable: None,
        severity: None,
        reasons,
        measures: Measures::Havok1 {
            size_m: outcome.size.map(|size| size.to_array()),
            best_turn_degrees: best_turn.map(|turn| turn.degrees),
            size_turned_m: best_turn.map(|turn| turn.size.to_array()),
        },
    }
}

fn sides(size: DVec3) -> String {
    let [x, y, z] = size.to_array().map(|side| format!("{side:.3}"));
    format!("{x} × {y} × {z} m")
}
