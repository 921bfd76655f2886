//! Reduces the cost of a region for its simulator: which linksets to link, and which prims to split off.
//!
//! The specification (*Mesh/Mesh physics*) gives a linkset of n prims the cost
//! `SRC = simulation_factor · active_cost · (n + linkset_factor / n)`. The high active cost is for scripted or physical
//! linksets. Its own conclusions are: few linksets, few small ones, few scripted or physical ones, and those as small
//! as possible. `link.rs` follows the first two, `split.rs` the last.
//!
//! The constants were never published, so every saving is an estimate. The order of the links does not depend on them.
//! The choice and order of the splits depend on the ratio of the active costs.
//!
//! Advice excludes objects that it would break: temporary objects, attachments, animated objects, plants (no grid links
//! them), and objects without owner. The facts do not show whether prims may be modified.
//!
//! Links never raise land impact or region resource cost, and need both to be known. Splits may raise land impact, and
//! a note says so. No advice breaks the current rule of linkability. If the target has no such rule, or a wider one,
//! Second Life's applies. Otherwise a whole region would be one linkset.

mod cost_model;
mod group;
mod growing_sphere;
mod link;
mod measure_result;
mod neighbours;
mod split;
#[cfg(test)]
mod tests;

use crate::{
    Measured,
    cost::Cost,
    linkability::current,
    measure::{ObjectMeasures, PartMeasures},
    physics_shape::is_plant,
};
use hullmark_format::object::{Part, part::flag};
use hullmark_ledger::{Ledger, facts::ObjectFacts};
use hullmark_settings::profile::{Linkability, Profile};
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Costs that differ by less than this are equal: sums have rounding errors.
const ROUNDING_NOISE: f64 = 1e-9;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Kind {
        Link = "link",
        /// Split prims without scripts off a scripted or physical linkset, as one linkset.
        Split = "split",
    }
}

/// A side effect of advice that its reader must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Note {
    /// Prims of legacy linksets change to new accounting with the rest.
    NewAccounting,
    /// Scripts no longer reach the prims that are split off.
    Scripts,
    /// The prims that are split off no longer move with the rest.
    Motion,
    LandImpact,
}

impl Note {
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NewAccounting => {
                "Prims that are charged one for each come under new accounting; the land impact after it says what \
                 that costs."
            }
            Self::Scripts => {
                "Scripts no longer reach the prims that are split off, and link numbers change: check the scripts \
                 that use them."
            }
            Self::Motion => "What is split off no longer moves with the rest.",
            Self::LandImpact => {
                "Land impact rises, because each linkset is rounded and has a minimum of its own."
            }
        }
    }
}

/// The total cost of linksets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Charges {
    /// Sum of their simulator resource costs.
    pub simulator: Cost,
    pub land_impact: Cost,
}

impl Charges {
    fn new<'m>(linksets: impl IntoIterator<Item = &'m ObjectMeasures>) -> (Self, Cost) {
        let linksets: Vec<_> = linksets.into_iter().collect();
        let sum = |cost: fn(&ObjectMeasures) -> Cost| Cost::sum(linksets.iter().copied().map(cost));
        let charges = Self {
            simulator: sum(|linkset| linkset.simulator_resource_cost),
            land_impact: sum(|linkset| linkset.land_impact),
        };
        (charges, sum(|linkset| linkset.region_resource_cost))
    }

    /// Returns the costs of linksets before and after a change. `None` unless simulator resource cost certainly falls,
    /// and neither land impact nor region resource cost rises.
    fn falling<'m>(
        before: impl IntoIterator<Item = &'m ObjectMeasures>,
        after: impl IntoIterator<Item = &'m ObjectMeasures>,
    ) -> Option<(Self, Self)> {
        let ((before, region_before), (after, region_after)) = (Self::new(before), Self::new(after));
        let sound = falls_by(before.simulator, after.simulator)? > ROUNDING_NOISE
            && falls_by(before.land_impact, after.land_impact)? >= -ROUNDING_NOISE
            && falls_by(region_before, region_after)? >= -ROUNDING_NOISE;
        sound.then_some((before, after))
    }

    /// Returns the costs of one linkset before and after it becomes two. `None` unless simulator resource cost
    /// certainly falls.
    ///
    /// Land impact may rise, because that of each linkset is rounded. The owner decides whether that is worth it, and
    /// both numbers are in the table.
    fn falling_apart(before: &ObjectMeasures, after: [&ObjectMeasures; 2]) -> Option<(Self, Self)> {
        let ((before, _), (after, _)) = (Self::new([before]), Self::new(after));
        (falls_by(before.simulator, after.simulator)? > ROUNDING_NOISE).then_some((before, after))
    }

    /// Whether land impact certainly rises.
    fn land_impact_rises(before: &Self, after: &Self) -> bool {
        falls_by(before.land_impact, after.land_impact).is_some_and(|falls| falls < -ROUNDING_NOISE)
    }
}

/// Returns by how much a cost falls; `None` if one of both is unknown.
fn falls_by(before: Cost, after: Cost) -> Option<f64> {
    Some(before.exact()? - after.exact()?)
}

/// Linksets to link, or prims to split off, by their numbers in a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    pub kind: Kind,
    /// The linksets that change. The root of the first one remains a root: of links, it is the one with the most prims.
    pub objects: Vec<usize>,
    /// The prims to split off, by their places in the linkset, the new root first. Empty for a link.
    pub parts: Vec<usize>,
    pub prims: usize,
    /// Diameter of the smallest sphere around the prim centres of the new linkset, in metres.
    pub diameter_m: f64,
    /// Present costs.
    pub before: Charges,
    pub after: Charges,
    pub notes: Vec<Note>,
}

impl Advice {
    /// Returns by how much the simulator resource cost falls.
    pub fn saving(&self) -> Cost {
        self.before.simulator.map(|before| before - self.after.simulator.value().unwrap_or(0.0))
    }

    /// Whether a ledger has all linksets and prims that this names.
    pub fn is_of(&self, ledger: &Ledger) -> bool {
        let first = self.objects.first().map_or(&[][..], |&object| prims_in(ledger, object));
        !first.is_empty()
            && self.objects.iter().all(|&object| !prims_in(ledger, object).is_empty())
            && self.parts.iter().all(|&part| part < first.len())
    }

    /// Returns the roots of the linksets to link, the remaining root first; or the prims to split off.
    pub fn prims_of<'l>(&self, ledger: &'l Ledger) -> Vec<&'l Part> {
        let of_objects = self.objects.iter().map(|&object| prims_in(ledger, object));
        match self.kind {
            Kind::Link => of_objects.filter_map(<[Part]>::first).collect(),
            Kind::Split => {
                of_objects.flat_map(|prims| self.parts.iter().filter_map(|&part| prims.get(part))).collect()
            }
        }
    }
}

/// Returns the prims of an object in link order; none if the ledger lacks the object.
fn prims_in(ledger: &Ledger, object: usize) -> &[Part] {
    ledger.objects.get(object).map_or(&[], |object| &object.linkset.parts)
}

/// Returns the largest savings in a region, at most `top` of each kind: links, then splits, the largest first. No
/// linkset is in two of them.
pub fn advise(measured: &Measured<'_>, region: usize, top: usize) -> Vec<Advice> {
    let bounds = bounds(measured.profile_in(Some(region)));
    let here = candidates(measured, region);
    let mut advice = link::best(&here, &bounds, measured, top);
    advice.extend(split::best(&here, &bounds, measured, top));
    advice
}

/// Returns the linksets of a region for which advice may be given.
fn candidates<'a>(measured: &'a Measured<'a>, region: usize) -> Vec<Candidate<'a>> {
    let numbers = measured.regions[region].standing.iter();
    let candidate =
        |&number: &usize| Candidate::new(number, &measured.ledger.objects[number], &measured.objects[number]);
    numbers.filter_map(candidate).collect()
}

/// Returns the limits of a new linkset: those of the target, and at most those of Second Life.
fn bounds(profile: &Profile) -> Linkability {
    static WIDEST: LazyLock<Linkability> = LazyLock::new(|| Profile::default().linkability);
    let (own, widest) = (&profile.linkability, WIDEST.clone());
    Linkability {
        max_diameter_m: own.max_diameter_m.min(widest.max_diameter_m),
        max_prims: own.max_prims.min(widest.max_prims),
        ..widest
    }
}

/// Returns the diameter of the sphere around a new linkset; `None` if the linkset breaks the rule.
fn diameter_within(measures: &ObjectMeasures, bounds: &Linkability) -> Option<f64> {
    let centres: Vec<_> = measures.parts.iter().map(|part| part.position).collect();
    let outcome = current::evaluate(&centres, bounds);
    outcome.diameter_m().filter(|_| outcome.verdict == current::Verdict::Linkable)
}

/// A linkset for which advice may be given.
#[derive(Debug, Clone, Copy)]
struct Candidate<'a> {
    number: usize,
    object: &'a ObjectFacts,
    measures: &'a ObjectMeasures,
    root: &'a Part,
}

impl<'a> Candidate<'a> {
    /// Creates a candidate; `None` if the linkset must not be changed.
    fn new(number: usize, object: &'a ObjectFacts, measures: &'a ObjectMeasures) -> Option<Self> {
        let root = object.linkset.parts.first()?;
        // Except for plants, the state is the attachment point.
        let attached = root.state != 0;
        let left_alone = attached
            || root.has(flag::TEMPORARY_ON_REZ)
            || root.shape.animesh
            || root.owner.is_nil()
            || object.linkset.parts.iter().any(is_plant);
        (!left_alone).then_some(Self { number, object, measures, root })
    }

    /// Returns its prims in link order, with their measures.
    fn parts(&self) -> impl Iterator<Item = (&'a Part, &'a PartMeasures)> + use<'a> {
        self.object.linkset.parts.iter().zip(&self.measures.parts)
    }

    /// Whether the high active cost applies.
    fn active(&self) -> bool {
        self.measures.physical || self.measures.scripted
    }
}
