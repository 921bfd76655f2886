//! Reduces the cost of an object to a budget: the fewest changes, each with its saving.
//!
//! [`slim`] measures each part as it would be after a change, so the audit would find the cost that is offered.
//! [`Coarser`] describes a simpler physics mesh.
//!
//! The possible changes are:
//!
//! * **Convex Hull** for a part that is set to Prim, if that is cheaper.
//! * **None** for a child prim, if allowed. No simulator lets a root prim be None.
//!
//! A change is not offered if its cost or the present cost of its part is unknown, because the saving is unknown too.
//! With such parts the cost before and after is a lower bound.
//!
//! The largest savings are used until the budget is reached, so fewer changes cannot reach it. If a part may have both,
//! None is used only if Convex Hull would not be enough.

mod coarser;
#[cfg(test)]
mod tests;

pub use coarser::Coarser;

use crate::{
    assets::{Assets, Body},
    cost::{Cost, physics},
    measure::{self, Collision, ObjectMeasures, PartMeasures},
    physics_shape::{self, Representation, ShapeType},
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::Profile;
use hullmark_util::{
    named,
    number_text::{counted, grouped},
};
use std::f64::consts::FRAC_PI_6;

/// Assumed difference between the volumes of a part's own form and its hull, as a share of the part's box. It is used if
/// the volume of the hull is unknown. Both are in the box, so the difference is at most the whole box; half of it is a
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
    /// Returns the name in viewers.
    pub fn title(self) -> &'static str {
        match self {
            Self::ConvexHull => "Convex Hull",
            Self::None => "None",
        }
    }

    /// Returns the number of the physics shape type.
    fn shape_type(self) -> u8 {
        match self {
            Self::ConvexHull => 2,
            Self::None => 1,
        }
    }

    /// Returns by how much this changes the volume that collides, in m³.
    ///
    /// For Convex Hull it is the difference of the hull's volume and that of the hulls of a decomposition (triangles
    /// have no volume). For None it is the present volume of a box, sphere or cylinder. For other shapes it is that of
    /// the bounding box, which is the maximum.
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

/// The conditions of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Maximum pure cost at rest.
    pub budget: f64,
    /// Whether parts may be set to None.
    pub allow_none: bool,
}

impl Terms {
    /// Returns terms with the cap of the target grid as budget, and without [`Change::None`]. `None` if it has no cap.
    pub fn cap(profile: &Profile) -> Option<Self> {
        let budget = profile.physics.physical_cap;
        budget.is_finite().then_some(Self { budget, allow_none: false })
    }
}

/// One change of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Index of the part, from 0.
    pub part: usize,
    /// The change.
    pub change: Change,
    /// Present physics cost of the part.
    pub before: Cost,
    /// Physics cost after the change.
    pub after: Cost,
    /// Shape that collides at rest after the change.
    pub representation: Representation,
    /// Result of [`Change::volume_m3`].
    pub volume_change_m3: f64,
}

impl Step {
    /// Returns by how much the cost falls.
    pub fn saving(&self) -> f64 {
        self.before.value().unwrap_or(0.0) - self.after.value().unwrap_or(0.0)
    }
}

/// A plan to reduce an object's cost to a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Slim {
    /// Pure cost at rest.
    pub before: Cost,
    /// The fewest changes that reach the budget, in link order; all changes that save if none do.
    pub steps: Vec<Step>,
    /// Cost after the changes; the lowest possible if the budget is not reached.
    pub after: Cost,
    /// Whether the changes reach the budget, as far as the cost is known.
    pub reaches: bool,
    /// Physics meshes that could be coarser. Each of them alone reaches the budget: instead of the steps if these reach
    /// it, else after them.
    pub coarser: Vec<Coarser>,
}

impl Slim {
    /// Returns the number of steps with this change.
    pub fn count(&self, change: Change) -> usize {
        self.steps.iter().filter(|step| step.change == change).count()
    }

    /// Returns a short text of the plan, to follow a sentence about the object.
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

/// Returns a cost as text with at most three decimals.
pub fn decimals(cost: f64) -> String {
    grouped((cost * 1000.0).round() / 1000.0)
}

/// Returns a plan to reduce an object's cost to the budget. `None` if the known cost is not above the budget, or if the
/// object has no cost.
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

/// Returns the fewest changes that suffice, at most one for each part; the largest saving of each part if nothing
/// suffices. A number of changes suffices if and only if that number of the largest savings does.
fn fewest(offers: &[Vec<Step>], suffice: impl Fn(&[Step]) -> bool) -> Vec<Step> {
    // The later of equal maxima is used; in reverse order that is Convex Hull.
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

/// Replaces the change that saves most by the first offer of its part, in as many parts as possible while the changes
/// suffice. Parts where this costs least come first.
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

/// Returns the first number from `low` on for which `holds` is true; it must stay true for all higher numbers. `high`
/// if there is none below it.
fn first(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// Returns the cost of each part after these changes.
fn costs_after(measures: &ObjectMeasures, steps: &[Step]) -> Vec<Cost> {
    let mut costs: Vec<Cost> = measures.parts.iter().map(|part| part.collision.physics_cost).collect();
    for step in steps {
        costs[step.part] = step.after;
    }
    costs
}

/// Returns the possible changes of a part. The cost after each is measured as the audit would.
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
