//! The limits for a simpler physics mesh. This is advice only, because it needs an upload and not a click.

use super::physics_plan::first;
use crate::{
    cost::{Cost, physics},
    measure::ObjectMeasures,
    physics_shape::Representation,
};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::{Physics, PhysicsModel, Profile};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A physics mesh that alone could bring an object within its budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Coarser {
    pub mesh: Uuid,
    /// Indices of the parts that collide as its triangles, from 0.
    pub parts: Vec<usize>,
    pub triangles: u64,
    /// Clamped average width of the triangles in metres, in the part where it is least.
    pub width_m: f64,
    /// Maximum number of triangles of that average width within the budget; `None` if not even one is.
    pub at_most: Option<u64>,
    /// Minimum average width in metres of the present number of triangles within the budget; `None` if no width is.
    pub wide_m: Option<f64>,
}

/// Returns the meshes of an object that could be coarser, with the limits for each alone. The other parts have the
/// costs `costs`. The limits follow from the specification's formula, hence there are none for other engines.
pub(super) fn coarser(
    object: &ObjectFacts,
    measures: &ObjectMeasures,
    costs: &[Cost],
    budget: f64,
    profile: &Profile,
) -> Vec<Coarser> {
    if profile.physics.model != PhysicsModel::SecondLife {
        return Vec::new();
    }
    let mut users: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (number, (part, measures)) in object.linkset.parts.iter().zip(&measures.parts).enumerate() {
        if let Some(uuid) =
            part.mesh().filter(|_| measures.collision.representation == Representation::TriangleMesh)
        {
            users.entry(uuid).or_default().push(number);
        }
    }
    let advice = users.into_iter().filter_map(|(uuid, parts)| {
        let others = costs.iter().enumerate().filter(|(number, _)| !parts.contains(number));
        let left = physics::most_allowed(budget) - Cost::sum(others.map(|(_, &cost)| cost)).value()?;
        let width = |&number: &usize| {
            let figures = measures.parts[number].collision.triangles.as_ref();
            figures.map(|figures| physics::charged_width(figures.mean_width_m, &profile.physics))
        };
        let widths: Vec<f64> = parts.iter().map(width).collect::<Option<_>>()?;
        let triangles = measures.parts[*parts.first()?].collision.triangles?.count;
        let uses = Uses { widths, left, physics: &profile.physics };
        let (at_most, wide_m) = (uses.most_triangles(triangles), uses.least_width(triangles));
        let found = at_most.is_some() || wide_m.is_some();
        let width_m = uses.narrowest();
        found.then_some(Coarser { mesh: uuid, parts, triangles, width_m, at_most, wide_m })
    });
    advice.collect()
}

/// The uses of a mesh: the average width of its triangles in each part, and the maximum cost of these parts together.
struct Uses<'a> {
    widths: Vec<f64>,
    left: f64,
    physics: &'a Physics,
}

impl Uses<'_> {
    fn narrowest(&self) -> f64 {
        self.widths.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the cost of all parts with this number of triangles and widths multiplied by a factor.
    fn cost(&self, triangles: u64, factor: f64) -> f64 {
        let cost = |width: &f64| physics::triangle_cost(triangles as f64, width * factor, self.physics);
        self.widths.iter().map(cost).sum()
    }

    /// Returns the maximum number of triangles at the present widths. The cost does not fall when the number grows.
    fn most_triangles(&self, now: u64) -> Option<u64> {
        let too_many = first(1, now as usize, |count| self.cost(count as u64, 1.0) > self.left);
        Some(too_many as u64 - 1).filter(|&count| count > 0)
    }

    /// Returns the minimum width of triangles in the narrowest part, rounded up to 1 mm, if all widths grow alike.
    fn least_width(&self, triangles: u64) -> Option<f64> {
        let narrowest = self.narrowest();
        let fits =
            |millimetres: usize| self.cost(triangles, millimetres as f64 / 1000.0 / narrowest) <= self.left;
        let widest = (self.physics.max_width_m * 1000.0).ceil() as usize;
        let wider = ((narrowest * 1000.0).floor() as usize).saturating_add(1);
        fits(widest).then(|| first(wider.min(widest), widest, fits) as f64 / 1000.0)
    }
}
