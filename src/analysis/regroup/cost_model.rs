//! The costs of several linksets, separate and as one, computed quickly while a group grows.

use super::{Candidate, ROUNDING_NOISE};
use crate::{
    cost::{Cost, land, simulation},
    measure::Accounting,
};
use hullmark_settings::profile::{LandModel, Profile};

/// The additive values from which the costs of linksets follow. The linksets have no scripts and do not move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CostModel {
    pub(super) parts: u32,
    /// Accounting as one linkset: one part under new accounting changes that of all others.
    accounting: Accounting,
    land_impact: f64,
    /// Streaming and physics cost under new accounting; `None` if one is unknown.
    if_new: Option<[f64; 2]>,
}

impl CostModel {
    /// Creates the values of one linkset; `None` if its land impact is unknown.
    pub(super) fn new(linkset: &Candidate<'_>) -> Option<Self> {
        let measures = linkset.measures;
        Some(Self {
            parts: measures.link.current.count,
            accounting: measures.accounting,
            land_impact: measures.land_impact.exact()?,
            if_new: measures.streaming_cost.exact().zip(measures.physics_cost_if_new.exact()).map(Into::into),
        })
    }

    /// Combines the values of two sets of linksets.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            parts: self.parts + other.parts,
            accounting: self.accounting.max(other.accounting),
            land_impact: self.land_impact + other.land_impact,
            if_new: self.if_new.zip(other.if_new).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]),
        }
    }

    /// Returns the simulator resource cost as one linkset.
    pub(super) fn simulator(&self, profile: &Profile) -> Cost {
        simulation::simulator_resource_cost(self.parts, false, &profile.simulation)
    }

    /// Returns land impact as one linkset; `None` if it is unknown.
    fn linked_land_impact(&self, profile: &Profile) -> Option<f64> {
        if profile.land.model == LandModel::Opensim || self.accounting == Accounting::Legacy {
            return land::per_prim(self.parts).exact();
        }
        let [streaming, physics] = self.if_new?.map(Cost::spec);
        let server = simulation::server_weight(self.parts, 0, &profile.simulation);
        land::second_life(streaming, physics, server).exact()
    }

    /// Whether linking certainly does not raise land impact. It may rise: three meshes of 1.4 cost 1 each, and 4
    /// together.
    pub(super) fn is_no_dearer_linked(&self, profile: &Profile) -> bool {
        self.linked_land_impact(profile).is_some_and(|linked| linked <= self.land_impact + ROUNDING_NOISE)
    }
}
