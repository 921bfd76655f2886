//! Compares measured costs with costs computed from an export.

use super::{
    fit::median,
    measured::{Row, Scope},
};
use crate::{
    cost::Cost,
    measure::{ObjectMeasures, PartMeasures},
    physics_shape::is_plant,
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::{PhysicsModel, Profile};
use hullmark_util::named;
use serde::Serialize;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Maximum relative difference of figures that agree.
const AGREES: f64 = 0.005;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Quantity {
        /// `OBJECT_PHYSICS_COST`.
        Physics = "physics cost",
        /// `OBJECT_STREAMING_COST`.
        Streaming = "streaming cost",
        /// `OBJECT_SERVER_COST`.
        Server = "server cost",
        /// `OBJECT_PRIM_EQUIVALENCE`.
        PrimEquivalence = "prim equivalence",
    }
}

impl Quantity {
    fn value(self, row: &Row) -> Option<f64> {
        match self {
            Self::Physics => row.physics_cost,
            Self::Streaming => row.streaming_cost,
            Self::Server => row.server_cost,
            Self::PrimEquivalence => row.prim_equivalence,
        }
    }
}

/// A measured row and its part.
pub(super) struct Pair<'a> {
    pub(super) row: &'a Row,
    pub(super) object: usize,
    pub(super) facts: &'a ObjectFacts,
    pub(super) part: usize,
    /// Whether this is the first pair of an unchanged object: figures of a linkset are compared once.
    pub(super) first: bool,
}

pub(super) struct Comparison<'a> {
    pub(super) pair: &'a Pair<'a>,
    pub(super) quantity: Quantity,
    shape: String,
    pub(super) measured: f64,
    pub(super) computed: Cost,
    /// Whether the cost is for the physics shape in motion.
    pub(super) in_motion: bool,
    /// Whether the figure is used to fit constants of formulas.
    pub(super) decides: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    pub quantity: Quantity,
    /// Source of the part's form, and its physics shape; `mixed linkset` if the parts of a linkset differ.
    pub shape: String,
    pub basis: &'static str,
    pub count: usize,
    /// Number of figures that differ by at most 0.5%.
    pub within_half_percent: usize,
    /// Median difference in percent of the measured figure; infinite if most measured figures are 0.
    pub median_error_percent: f64,
    /// Maximum difference in percent of the measured figure.
    pub worst_error_percent: f64,
    pub worst: Worst,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worst {
    pub line: u64,
    pub uuid: Uuid,
    pub name: String,
    pub measured: f64,
    pub computed: f64,
}

impl Comparison<'_> {
    /// Returns the difference relative to the measured value.
    fn error(&self) -> f64 {
        let difference = (self.computed.value().unwrap_or(f64::NAN) - self.measured).abs();
        if difference == 0.0 { 0.0 } else { difference / self.measured }
    }

    pub(super) fn agrees(&self) -> bool {
        self.error() <= AGREES
    }
}

/// Compares every figure that the row of a pair has.
pub(super) fn comparisons<'a>(
    pair: &'a Pair<'a>,
    measures: &ObjectMeasures,
    profile: &Profile,
) -> Vec<Comparison<'a>> {
    let part = &measures.parts[pair.part];
    let whole = pair.row.scope == Scope::Linkset;
    let second_life = profile.physics.model == PhysicsModel::SecondLife;
    // OpenSimulator only uses the flag, regardless of what moves the object.
    let in_motion = measures.physical || measures.moving && second_life;
    let physics = match (whole, measures.physical) {
        (true, true) => measures.physics_cost_if_physical,
        (true, false) => {
            Cost::sum(measures.parts.iter().map(|part| of_part(part, Quantity::Physics, in_motion)))
        }
        (false, _) => of_part(part, Quantity::Physics, in_motion),
    };
    let streaming = if whole { measures.streaming_cost } else { part.streaming_cost };
    let shape = if whole { shape_of_all(pair, measures) } else { shape(pair.facts, measures, pair.part) };
    // It is not documented whether Second Life's cost of a physical linkset includes the penalty. An object that moves
    // in the export may have been at rest during the measurement.
    let decides = !(in_motion && second_life);
    let of_parts = [(Quantity::Physics, physics), (Quantity::Streaming, streaming)];
    let of_linksets =
        [(Quantity::Server, measures.server_weight), (Quantity::PrimEquivalence, measures.land_impact)];
    let of_parts = of_parts.into_iter().filter(|_| !whole || pair.first).map(|it| (it, shape.clone()));
    let of_linksets = of_linksets.into_iter().filter(|_| pair.first).map(|it| (it, "linkset".to_owned()));
    let comparison = |((quantity, computed), shape): ((Quantity, Cost), String)| {
        let measured = quantity.value(pair.row)?;
        Some(Comparison { pair, quantity, shape, measured, computed, in_motion, decides })
    };
    of_parts.chain(of_linksets).filter_map(comparison).collect()
}

/// Returns the cost of a part while its linkset is in motion or at rest.
pub(super) fn of_part(part: &PartMeasures, quantity: Quantity, in_motion: bool) -> Cost {
    match (quantity, in_motion) {
        (Quantity::Physics, true) => part.collision.physics_cost_dynamic,
        (Quantity::Physics, false) => part.collision.physics_cost,
        _ => part.streaming_cost,
    }
}

/// Returns the source of a part's form, and its physics shape.
fn shape(facts: &ObjectFacts, measures: &ObjectMeasures, part: usize) -> String {
    let representation = measures.parts[part].representation_in_force;
    let part: &Part = &facts.linkset.parts[part];
    let form = match part {
        part if is_plant(part) => return "plant".into(),
        part if part.mesh().is_some() => "mesh",
        part if part.shape.sculpted().is_some() => "sculpt",
        _ => "prim",
    };
    format!("{form}, {}", representation.name())
}

/// Returns the shape that all parts share, or `mixed linkset`.
fn shape_of_all(pair: &Pair<'_>, measures: &ObjectMeasures) -> String {
    let mut shapes: Vec<String> =
        (0..measures.parts.len()).map(|part| shape(pair.facts, measures, part)).collect();
    shapes.sort_unstable();
    shapes.dedup();
    if let [shape] = shapes.as_slice() { shape.clone() } else { "mixed linkset".into() }
}

/// Groups comparisons by kind and computes their agreement. Costs that are not exact are left out.
pub(super) fn agreement(comparisons: &[Comparison<'_>]) -> Vec<Agreement> {
    let mut groups: BTreeMap<(Quantity, &str, &'static str), Vec<&Comparison<'_>>> = BTreeMap::new();
    for it in comparisons.iter().filter(|it| it.computed.exact().is_some()) {
        groups.entry((it.quantity, &it.shape, it.computed.basis().name())).or_default().push(it);
    }
    let agreement = |((quantity, shape, basis), group): ((Quantity, &str, _), Vec<&Comparison<'_>>)| {
        // Of equal errors the first row is reported.
        let worst = group.iter().rev().max_by(|a, b| a.error().total_cmp(&b.error()))?;
        Some(Agreement {
            quantity,
            shape: shape.into(),
            basis,
            count: group.len(),
            within_half_percent: group.iter().filter(|it| it.agrees()).count(),
            median_error_percent: 100.0 * median(group.iter().map(|it| it.error()).collect()),
            worst_error_percent: 100.0 * worst.error(),
            worst: Worst {
                line: worst.pair.row.line,
                uuid: worst.pair.row.uuid,
                name: worst.pair.row.name.clone(),
                measured: worst.measured,
                computed: worst.computed.value()?,
            },
        })
    };
    groups.into_iter().filter_map(agreement).collect()
}
