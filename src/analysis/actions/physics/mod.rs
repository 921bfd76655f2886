//! The goal of a physics weight: the fewest edits that bring one object to it, each with its saving.
//!
//! [`PhysicsPlan::find`] measures each part as it would be after an edit, so the audit would find the cost that is offered.
//! [`Coarser`] describes a simpler physics mesh.
//!
//! The possible edits are:
//!
//! * **Convex Hull** for a part that is set to Prim, if that is cheaper.
//! * **None** for a child prim, if allowed. No simulator lets a root prim be None.
//!
//! An edit is not offered if its cost or the present cost of its part is unknown, because the saving is unknown too.
//! With such parts the cost before and after is a lower bound.
//!
//! The largest savings are used until the budget is reached, so fewer edits cannot reach it. If a part may have both,
//! None is used only if Convex Hull would not be enough.

mod coarser;
#[cfg(test)]
mod tests;

pub use coarser::Coarser;

use super::{Kind, Terms};
use crate::{
    assets::{Assets, Body},
    cost::{Cost, physics},
    measure::{self, Collision, ObjectMeasures, PartMeasures},
    physics_shape::Representation,
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::Profile;
use hullmark_util::number_text::{counted, grouped};
use std::f64::consts::FRAC_PI_6;

/// Assumed difference between the volumes of a part's own form and its hull, as a share of the part's box. It is used if
/// the volume of the hull is unknown. Both are in the box, so the difference is at most the whole box; half of it is a
/// convention.
const HULL_SHARE: f64 = 0.5;

/// Returns the cap of the target grid for physical objects. `None` if it has none.
pub fn physical_cap(profile: &Profile) -> Option<f64> {
    Some(profile.physics.physical_cap).filter(|cap| cap.is_finite())
}

/// Returns by how much an edit changes the volume that collides, in m³.
///
/// For Convex Hull it is the difference of the hull's volume and that of the hulls of a decomposition (triangles
/// have no volume). For None it is the present volume of a box, sphere or cylinder. For other shapes it is that of
/// the bounding box, which is the maximum.
fn volume_m3(kind: Kind, part: &Part, present: Representation, body: &Body<'_>) -> f64 {
    let share = match (kind, present) {
        (Kind::ConvexHull, Representation::Decomposition) => body
            .hull_volume(part)
            .zip(body.decomposition_volume())
            .map_or(HULL_SHARE, |(hull, hulls)| (hull - hulls).abs()),
        (Kind::ConvexHull, _) => body.hull_volume(part).unwrap_or(HULL_SHARE),
        (_, Representation::Sphere) => FRAC_PI_6,
        (_, Representation::Cylinder) => FRAC_PI_6 * 1.5,
        _ => 1.0,
    };
    let volume = part.scale.abs().element_product() * share;
    if volume.is_finite() { volume } else { 0.0 }
}

/// One edit of a plan: a part with another physics shape type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeChange {
    /// Index of the part, from 0.
    pub part: usize,
    /// Kind of the edit: [`Kind::ConvexHull`] or [`Kind::ShapeNone`].
    pub kind: Kind,
    /// Present physics cost of the part.
    pub before: Cost,
    /// Physics cost after the change.
    pub after: Cost,
    /// Shape that collides at rest after the change.
    pub representation: Representation,
    /// Estimated change of the volume that collides, in m³.
    pub volume_change_m3: f64,
}

impl ShapeChange {
    /// Returns by how much the cost falls.
    pub fn saving(&self) -> f64 {
        self.before.value().unwrap_or(0.0) - self.after.value().unwrap_or(0.0)
    }
}

/// A plan to reduce an object's physics weight to a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct PhysicsPlan {
    /// Pure cost at rest.
    pub before: Cost,
    /// The fewest changes that reach the budget, in link order; all changes that save if none do.
    pub steps: Vec<ShapeChange>,
    /// Cost after the changes; the lowest possible if the budget is not reached.
    pub after: Cost,
    /// Whether the changes reach the budget, as far as the cost is known.
    pub reaches: bool,
    /// Physics meshes that could be coarser. Each of them alone reaches the budget: instead of the steps if these reach
    /// it, else after them.
    pub coarser: Vec<Coarser>,
}

impl PhysicsPlan {
    /// Returns a plan to reduce an object's cost at rest to the budget. `None` if the known cost is not above the budget, or
    /// if the object has no cost.
    pub fn find(
        object: &ObjectFacts,
        measures: &ObjectMeasures,
        assets: &Assets<'_>,
        budget: f64,
        terms: Terms,
        profile: &Profile,
    ) -> Option<Self> {
        let before = measures.physics_cost;
        if !before.value().is_some_and(|cost| physics::exceeds(cost, budget)) {
            return None;
        }
        let parts = object.linkset.parts.iter().zip(&measures.parts).enumerate();
        let offers: Vec<Vec<ShapeChange>> = parts
            .map(|(number, (part, measures))| {
                offers(number, part, measures, &assets.body(part), terms, profile)
            })
            .collect();
        let reaches = |steps: &[ShapeChange]| {
            let cost = Cost::sum(costs_after(measures, steps)).value();
            !cost.is_some_and(|cost| physics::exceeds(cost, budget))
        };
        let steps = fewest(&offers, reaches);
        let (reaches, after) = (reaches(&steps), costs_after(measures, &steps));
        let base = if reaches { costs_after(measures, &[]) } else { after.clone() };
        let coarser = coarser::coarser(object, measures, &base, budget, profile);
        Some(Self { before, steps, after: Cost::sum(after), reaches, coarser })
    }

    /// Returns the number of steps of this kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.steps.iter().filter(|step| step.kind == kind).count()
    }

    /// Returns a short text of the plan, to follow a sentence about the object.
    pub fn in_short(&self) -> String {
        let least = self.after.value().map_or_else(|| "unknown".into(), decimals);
        let more = if self.after.is_complete() { "" } else { " or more" };
        if self.steps.is_empty() {
            return "no prim is known to be cheaper as Convex Hull".into();
        }
        let named = |kind: Kind| {
            let count = Some(self.count(kind)).filter(|count| *count > 0)?;
            Some(format!("{} to {}", counted(count as u64, "prim"), kind.shape_type()?.1))
        };
        let what: Vec<String> = [Kind::ConvexHull, Kind::ShapeNone].into_iter().filter_map(named).collect();
        let what = what.join(" and ");
        let lowest = if self.reaches { "" } else { ", the lowest possible" };
        format!("setting {what} lowers it to {least}{more}{lowest}")
    }
}

/// Returns a cost as text with at most three decimals.
pub fn decimals(cost: f64) -> String {
    grouped((cost * 1000.0).round() / 1000.0)
}

/// Returns the fewest changes that suffice, at most one for each part; the largest saving of each part if nothing
/// suffices. A number of changes suffices if and only if that number of the largest savings does.
fn fewest(offers: &[Vec<ShapeChange>], suffice: impl Fn(&[ShapeChange]) -> bool) -> Vec<ShapeChange> {
    // The later of equal maxima is used; in reverse order that is Convex Hull.
    let best = |offers: &Vec<ShapeChange>| {
        offers.iter().rev().copied().max_by(|a, b| a.saving().total_cmp(&b.saving()))
    };
    let mut steps: Vec<ShapeChange> = offers.iter().filter_map(best).collect();
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
fn milder(steps: &mut [ShapeChange], offers: &[Vec<ShapeChange>], suffice: impl Fn(&[ShapeChange]) -> bool) {
    let given_up = |step: &ShapeChange| step.saving() - offers[step.part][0].saving();
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
fn costs_after(measures: &ObjectMeasures, steps: &[ShapeChange]) -> Vec<Cost> {
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
) -> Vec<ShapeChange> {
    let before = measures.collision.physics_cost;
    let Some(cost) = before.exact() else { return Vec::new() };
    let offer = |kind: Kind| {
        let (shape_type, _) = kind.shape_type().filter(|_| kind.may_set(number, part))?;
        let changed = Part { physics_shape_type: Some(shape_type), ..part.clone() };
        let Collision { representation, physics_cost: after, .. } =
            measure::collision(&changed, body, profile);
        let volume_change_m3 = volume_m3(kind, part, measures.collision.representation, body);
        let step = ShapeChange { part: number, kind, before, after, representation, volume_change_m3 };
        after.exact().is_some_and(|after| after < cost).then_some(step)
    };
    let kinds = [Kind::ConvexHull, Kind::ShapeNone];
    kinds.into_iter().filter(|kind| *kind != Kind::ShapeNone || terms.allow_none).filter_map(offer).collect()
}
