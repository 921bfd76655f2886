//! Invisible prims that collide in place of others, for an object that no other edit brings under a physics weight.
//!
//! Builders of vehicles do so: the tyres get the shape None, and invisible cylinders roll.

use super::{Kind, physics_plan::first};
use crate::{
    assets::Assets,
    cost::{Cost, physics},
    measure,
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::Profile;

/// A child part that becomes None, and gets an invisible box of its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Substitute {
    /// Index of the part, from 0.
    pub part: usize,
    /// Present physics cost of the part.
    pub before: Cost,
    /// Physics cost of the box.
    pub after: Cost,
}

/// Returns the fewest substitutes that bring an object of these costs within the budget, in link order. Empty if none do.
pub(super) fn substitutes(
    object: &ObjectFacts,
    costs: &[Cost],
    assets: &Assets<'_>,
    budget: f64,
    profile: &Profile,
) -> Vec<Substitute> {
    let parts = object.linkset.parts.iter().zip(costs).enumerate();
    let mut all: Vec<Substitute> = parts
        .filter(|(index, (part, _))| Kind::ShapeNone.may_set(*index, part))
        .map(|(index, (part, &before))| Substitute {
            part: index,
            before,
            after: of_box(part, assets, profile),
        })
        .filter(|substitute| super::saved(substitute.before, substitute.after) > 0.0)
        .collect();
    all.sort_by(|a, b| super::saved(b.before, b.after).total_cmp(&super::saved(a.before, a.after)));
    let reaches = |count: usize| {
        let cost = Cost::sum(costs_with(costs, &all[..count])).value();
        cost.is_some_and(|cost| !physics::exceeds(cost, budget))
    };
    if !reaches(all.len()) {
        return Vec::new();
    }
    all.truncate(first(0, all.len(), reaches));
    all.sort_by_key(|substitute| substitute.part);
    all
}

/// Returns the costs of all parts with the substitutes.
pub(super) fn costs_with(costs: &[Cost], substitutes: &[Substitute]) -> Vec<Cost> {
    let mut costs = costs.to_vec();
    for substitute in substitutes {
        costs[substitute.part] = substitute.after;
    }
    costs
}

fn of_box(part: &Part, assets: &Assets<'_>, profile: &Profile) -> Cost {
    let substitute = Part { scale: part.scale, ..Part::default() };
    measure::collision(&substitute, &assets.body(&substitute), profile).physics_cost
}
