//! Groups of linksets to link into one.

use super::{Candidate, ROUNDING_NOISE, cost_model::CostModel, growing_sphere::Span};
use crate::cost::Cost;
use glam::DVec3;
use hullmark_geometry::enclosing_sphere::{Sphere, smallest_enclosing};
use hullmark_settings::profile::{Linkability, Profile};
use std::cmp::Reverse;

/// A linkset that may be linked with others.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) linkset: Candidate<'a>,
    pub(super) charge: CostModel,
    /// The smallest sphere around its prim centres, in the axes of the region.
    pub(super) sphere: Sphere,
}

impl<'a> Member<'a> {
    /// Creates a member. `None` if the linkset must not be linked with others, already breaks the rule, or has an
    /// unknown cost.
    ///
    /// Scripted and moving linksets are excluded. Scripts address prims by their link numbers and act on their linkset.
    /// A moving linkset also moves the prims that are linked to it. The cost page agrees: active linksets should be
    /// small.
    pub(super) fn new(linkset: &Candidate<'a>, bounds: &Linkability) -> Option<Self> {
        let measures = linkset.measures;
        let turning = linkset.root.angular_velocity.length_squared() > 0.0;
        measures.region_resource_cost.exact()?;
        let centres: Vec<DVec3> = measures.parts.iter().map(|part| part.position).collect();
        let sphere = smallest_enclosing(&centres)?;
        let keeps_the_rule =
            sphere.diameter() < bounds.max_diameter_m && measures.link.current.count <= bounds.max_prims;
        if linkset.active() || measures.moving || turning || !keeps_the_rule {
            return None;
        }
        Some(Self { linkset: *linkset, charge: CostModel::new(linkset)?, sphere })
    }

    fn centres(&self) -> impl Iterator<Item = DVec3> + Clone {
        self.linkset.measures.parts.iter().map(|part| part.position)
    }
}

/// Members, by their indices, that would be one linkset.
#[derive(Debug)]
pub(super) struct Group {
    /// Member from which the group grew.
    pub(super) seed: usize,
    /// Indices of the members, ascending.
    pub(super) members: Vec<usize>,
    /// Reduction of the simulator resource cost by linking; above 0.
    pub(super) saving: f64,
}

impl Group {
    /// Adds as many of the others to a seed, in their order, as the rule and land impact allow. `None` if that saves
    /// nothing.
    pub(super) fn grow(
        seed: usize,
        others: &[usize],
        all: &[Member<'_>],
        bounds: &Linkability,
        profile: &Profile,
    ) -> Option<Self> {
        let mut members = vec![seed];
        let mut charge = all[seed].charge;
        let mut span = Span::new(all[seed].centres(), &all[seed].sphere);
        for &number in others {
            if charge.parts == bounds.max_prims {
                break;
            }
            let other = &all[number];
            let both = charge.and(other.charge);
            let fits = both.parts <= bounds.max_prims
                && both.is_no_dearer_linked(profile)
                && span.take(other.centres(), &other.sphere, bounds.max_diameter_m);
            if fits {
                members.push(number);
                charge = both;
            }
        }
        members.sort_unstable();
        let apart = members.iter().map(|&member| all[member].linkset.measures.simulator_resource_cost);
        let saving = Cost::sum(apart).value()? - charge.simulator(profile).value()?;
        (saving > ROUNDING_NOISE).then_some(Self { seed, members, saving })
    }

    /// Returns the member whose root remains a root: the one with the most prims.
    pub(super) fn kept(&self, all: &[Member<'_>]) -> usize {
        let worth = |&number: &usize| (Reverse(all[number].charge.parts), number);
        self.members.iter().copied().min_by_key(worth).unwrap_or(self.seed)
    }
}
