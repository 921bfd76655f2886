//! How to get an object under a budget: the fewest changes, each with its saving.
//!
//! [`slim`] measures each part as it would be after a change, so the audit would find the cost that is offered.
//! [`Coarser`] describes a simpler physics mesh.
//!
//! Changes on offer:
//!
//! * **Convex Hull** for a part that is set to Prim, if that is cheaper.
//! * **None** for a child prim, if allowed. No simulator lets a root prim be None.
//!
//! A change is not offered if its cost or the present cost of its part is unknown, because the saving is unknown too.
//! With such parts the cost before and after is a lower bound.
//!
//! The largest savings are taken until the budget is reached, so fewer changes cannot reach it. If a part may have
//! both, None is used only if Convex Hull would not be enough.

mod coarser;
#[cfg(test)]
mod tests;

pub use coarser::Coarser;

use crate::{
    analysis::{
        assets::{Assets, Body},
        cost::{Cost, physics},
        measure::{self, Collision, ObjectMeasures, PartMeasures},
        physics_shape::{self, Representation, ShapeType},
    },
    format::object::Part,
    ledger::facts::ObjectFacts,
    settings::profile::Profile,
    util::{
        named,
        number_text::{counted, grouped},
    },
};
use std::f64::consts::FRAC_PI_6;

/// How far what collides is taken to differ between a part's own form and its hull, as a share of its box, where
/// the hull's volume is not known. Both lie in the box, so the whole of it bounds the difference; half of it is a
/// convention.
const HULL_SHARE: f64 = 0.5;

named! {
    /// A change of one part.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Change {
        /// Set its physics shape type to Convex Hull.
        ConvexHull = "convex_hull",
        /// Set it to None: it no longer collides.
        None = "none",
    }
}

impl Change {
    /// As viewers call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ConvexHull => "Convex Hull",
            Self::None => "None",
        }
    }

    /// The number of the physics shape type.
    fn shape_type(self) -> u8 {
        match self {
            Self::ConvexHull => 2,
            Self::None => 1,
        }
    }

    /// By how much this changes what collides, m³: for Convex Hull what the hull fills beyond the hulls of a
    /// decomposition (triangles fill nothing); for None all that collides now, which is known of box, sphere and
    /// cylinder and otherwise at most the part's box.
    pub fn volume_m3(self, part: &Part, present: Representation, body: &Body<'_>) -> f64 {
        let share = match (self, present) {
            (Self::ConvexHull, Representation::Decomposition) => body
                .hull_volume(part)
                .zip(body.decomposition_volume())
                .map_or(HULL_SHARE, |(hull, hulls)| (hull - hulls).abs()),
            (Self::ConvexHull, _) => body.hull_volume(part).unwrap_or(HULL_SHARE),
            (Self::None, Representation::Sphere) => FRAC_PI_6,
            (Self::None, Representation::Cylinder) => FRAC_PI_6 * 1.5,
            (Self::None, _) => 1.0,
        };
        let volume = part.scale.abs().element_product() * share;
        if volume.is_finite() { volume } else { 0.0 }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The pure cost at rest may be this much.
    pub budget: f64,
    /// Whether parts may be set to None.
    pub allow_none: bool,
}

impl Terms {
    /// The cap of the target grid, without None; nothing where it has no cap.
    pub fn cap(profile: &Profile) -> Option<Self> {
        let budget = profile.physics.physical_cap;
        budget.is_finite().then_some(Self { budget, allow_none: false })
    }
}

/// One change of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Number of the part, from 0.
    pub part: usize,
    /// What to do.
    pub change: Change,
    /// What its physics cost is.
    pub before: Cost,
    /// What it will be.
    pub after: Cost,
    /// What will collide at rest.
    pub representation: Representation,
    /// What [`Change::volume_m3`] gives.
    pub volume_change_m3: f64,
}

impl Step {
    /// By how much the cost falls.
    pub fn saving(&self) -> f64 {
        self.before.value().unwrap_or(0.0) - self.after.value().unwrap_or(0.0)
    }
}

/// How an object gets under a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Slim {
    /// Its pure cost at rest.
    pub before: Cost,
    /// The fewest changes that do, in link order. Where the budget is not reached, all that make it cheaper.
    pub steps: Vec<Step>,
    /// Its cost after them; where the budget is not reached, the least there is.
    pub after: Cost,
    /// Whether they bring it under the budget, as far as its cost is known.
    pub reaches: bool,
    /// Physics meshes that could be coarser. Each of them alone brings the object under the budget: in the place of
    /// the steps where those reach it, and after them where they do not.
    pub coarser: Vec<Coarser>,
}

impl Slim {
    /// How many of the steps are this change.
    pub fn count(&self, change: Change) -> usize {
        self.steps.iter().filter(|step| step.change == change).count()
    }

    /// The plan in a few words, to follow a sentence about the object.
    pub fn in_short(&self) -> String {
        let least = self.after.value().map_or_else(|| "unknown".into(), decimals);
        let more = if self.after.is_complete() { "" } else { " or more" };
        if self.steps.is_empty() {
            return "no prim is known to be cheaper as Convex Hull".into();
        }
        let named = |change: Change| match self.count(change) {
            0 => None,
            count => Some(format!("{} to {}", counted(count as u64, "prim"), change.title())),
        };
        let what: Vec<String> = [Change::ConvexHull, Change::None].into_iter().filter_map(named).collect();
        let what = what.join(" and ");
        let lowest = if self.reaches { "" } else { ", the lowest possible" };
        format!("setting {what} lowers it to {least}{more}{lowest}")
    }
}

/// A cost in words: at most three decimals.
pub fn decimals(cost: f64) -> String {
    grouped((cost * 1000.0).round() / 1000.0)
}

/// How an object gets under a budget; `None` where its cost is not above it as far as is known, or where it has
/// none.
pub fn slim(
    object: &ObjectFacts,
    measures: &ObjectMeasures,
    assets: &Assets<'_>,
    terms: Terms,
    profile: &Profile,
) -> Option<Slim> {
    let before = measures.physics_cost;
    if !before.value().is_some_and(|cost| physics::exceeds(cost, terms.budget)) {
        return None;
    }
    let parts = object.linkset.parts.iter().zip(&measures.parts).enumerate();
    let offers: Vec<Vec<Step>> = parts
        .map(|(number, (part, measures))| offers(number, part, measures, &assets.body(part), terms, profile))
        .collect();
    let reaches = |steps: &[Step]| {
        !Cost::sum(costs_after(measures, steps))
            .value()
            .is_some_and(|cost| physics::exceeds(cost, terms.budget))
    };
    let steps = fewest(&offers, reaches);
    let (reaches, after) = (reaches(&steps), costs_after(measures, &steps));
    let base = if reaches { costs_after(measures, &[]) } else { after.clone() };
    let coarser = coarser::coarser(object, measures, &base, terms.budget, profile);
    Some(Slim { before, steps, after: Cost::sum(after), reaches, coarser })
}

/// The fewest changes that suffice, at most one of each part's; the largest saving of each part where nothing
/// suffices. So many changes suffice if and only if the largest savings do.
fn fewest(offers: &[Vec<Step>], suffice: impl Fn(&[Step]) -> bool) -> Vec<Step> {
    // The later of equal maxima is taken: from the end, that is Convex Hull.
    let best =
        |offers: &Vec<Step>| offers.iter().rev().copied().max_by(|a, b| a.saving().total_cmp(&b.saving()));
    let mut steps: Vec<Step> = offers.iter().filter_map(best).collect();
    steps.sort_by(|a, b| b.saving().total_cmp(&a.saving()));
    let count = first(0, steps.len(), |count| suffice(&steps[..count]));
    steps.truncate(count);
    if suffice(&steps) {
        milder(&mut steps, offers, suffice);
    }
    steps.sort_by_key(|step| step.part);
    steps
}

/// Puts the first offer of a part in the place of the one that saves most, in as many parts as still suffice: the
/// one that gives up least comes first.
fn milder(steps: &mut [Step], offers: &[Vec<Step>], suffice: impl Fn(&[Step]) -> bool) {
    let given_up = |step: &Step| step.saving() - offers[step.part][0].saving();
    steps.sort_by(|a, b| given_up(a).total_cmp(&given_up(b)));
    let with = |count: usize| {
        let mut steps = steps.to_vec();
        steps[..count].iter_mut().for_each(|step| *step = offers[step.part][0]);
        steps
    };
    let count = first(1, steps.len() + 1, |count| !suffice(&with(count))) - 1;
    steps.copy_from_slice(&with(count));
}

/// The first number from `low` on for which something holds that holds for all behind it; `high` where it holds for
/// none below that.
fn first(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The cost of each part after these changes.
fn costs_after(measures: &ObjectMeasures, steps: &[Step]) -> Vec<Cost> {
    let mut costs: Vec<Cost> = measures.parts.iter().map(|part| part.collision.physics_cost).collect();
    for step in steps {
        costs[step.part] = step.after;
    }
    costs
}

/// What may be done to a part. Its cost afterwards is measured as the audit would.
fn offers(
    number: usize,
    part: &Part,
    measures: &PartMeasures,
    body: &Body<'_>,
    terms: Terms,
    profile: &Profile,
) -> Vec<Step> {
    let before = measures.collision.physics_cost;
    let Some(cost) = before.exact() else { return Vec::new() };
    let offer = |change: Change| {
        let changed = Part { physics_shape_type: Some(change.shape_type()), ..part.clone() };
        let Collision { representation, physics_cost: after, .. } =
            measure::collision(&changed, body, profile);
        let volume_change_m3 = change.volume_m3(part, measures.collision.representation, body);
        let step = Step { part: number, change, before, after, representation, volume_change_m3 };
        after.exact().is_some_and(|after| after < cost).then_some(step)
    };
    let hull = ShapeType::from_part(part) == ShapeType::Prim && !physics_shape::is_plant(part);
    let none = terms.allow_none && number > 0 && ShapeType::from_part(part) != ShapeType::None;
    let offered = [(hull, Change::ConvexHull), (none, Change::None)];
    offered.into_iter().filter(|(allowed, _)| *allowed).filter_map(|(_, change)| offer(change)).collect()
}
