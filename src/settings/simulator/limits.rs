//! Limits on prims: of one region in its file, or of all regions of a simulator in `[Startup]`.
//!
//! A simulator takes the value of the region if it is above 0, else that of `[Startup]`.

use super::compose::Composed;
use crate::profile::{Grid, Profile};
use hullmark_util::named;
use serde::Serialize;

named! {
    /// The key of a limit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum LimitKey {
        /// Maximum number of prims in the region.
        MaxPrims = "MaxPrims",
        /// Maximum number of prims of one user in the region.
        MaxPrimsPerUser = "MaxPrimsPerUser",
        /// Maximum number of prims in a linkset.
        LinksetPrims = "LinksetPrims",
        /// Maximum number of parts of a physical linkset that collide.
        LinksetPhysPrims = "LinksetPhysPrims",
        /// Minimum side of a prim, in metres.
        NonPhysicalPrimMin = "NonPhysicalPrimMin",
        /// Maximum side of a prim, in metres.
        NonPhysicalPrimMax = "NonPhysicalPrimMax",
        /// Minimum side of a physical prim, in metres.
        PhysicalPrimMin = "PhysicalPrimMin",
        /// Maximum side of a physical prim, in metres.
        PhysicalPrimMax = "PhysicalPrimMax",
        /// Whether sides beyond the limits are changed to them; 1 if so.
        ClampPrimSize = "ClampPrimSize",
    }
}

/// OpenSimulator lowers a larger `NonPhysicalPrimMax` to this, in metres.
const MOST_NON_PHYSICAL_M: f64 = 65_536.0;

/// OpenSimulator lowers a larger `PhysicalPrimMax` to this, in metres.
const MOST_PHYSICAL_M: f64 = 2048.0;

/// A limit and the setting that has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limit {
    /// The key.
    pub key: LimitKey,
    /// The value.
    pub value: f64,
    /// Section and key, and the file.
    pub from: String,
}

/// The limits of a region.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RegionLimits(Vec<Limit>);

impl RegionLimits {
    /// Adds a limit. A value that is not above 0 is no limit.
    pub fn add(&mut self, key: LimitKey, text: &str, from: String) {
        let text = text.trim();
        let value = if text.eq_ignore_ascii_case("true") { Ok(1.0) } else { text.parse::<f64>() };
        if let Ok(value) = value
            && value > 0.0
            && value.is_finite()
        {
            self.0.push(Limit { key, value, from });
        }
    }

    /// Adds the limits of the simulator that the region does not have itself.
    pub(super) fn fill(&mut self, simulator: &Composed) {
        for key in LimitKey::ALL.into_iter().filter(|key| key.is_of_simulators()) {
            if self.get(key).is_none()
                && let Some(setting) = simulator.get("Startup", key.name())
            {
                self.add(key, &setting.value, setting.from);
            }
        }
    }

    /// Removes a limit, because a flag has another.
    pub fn remove(&mut self, key: LimitKey) {
        self.0.retain(|limit| limit.key != key);
    }

    pub fn get(&self, key: LimitKey) -> Option<&Limit> {
        self.0.iter().find(|limit| limit.key == key)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Limit> {
        self.0.iter()
    }

    /// Returns the profile of a region with these limits. `None` if they change nothing, or if the target is no
    /// OpenSimulator.
    pub fn profile(&self, target: &Profile) -> Option<Profile> {
        if self.0.is_empty() || target.loader() != Grid::OpenSim {
            return None;
        }
        let value = |key| self.get(key).map(|limit| limit.value);
        // A larger number than fits is the largest that does.
        let count = |key| value(key).map(|value| value as u32);
        let mut profile = target.clone();
        let set = |field: &mut u32, key| *field = count(key).unwrap_or(*field);
        set(&mut profile.land.object_capacity, LimitKey::MaxPrims);
        let side = |field: &mut f64, key, most| *field = value(key).map_or(*field, |side| side.min(most));
        side(&mut profile.placement.smallest_side_m, LimitKey::NonPhysicalPrimMin, f64::INFINITY);
        side(&mut profile.placement.largest_side_m, LimitKey::NonPhysicalPrimMax, MOST_NON_PHYSICAL_M);
        profile.placement.clamps_sides |= value(LimitKey::ClampPrimSize).is_some();
        if target.limits() == Grid::OpenSim {
            set(&mut profile.linkability.max_prims, LimitKey::LinksetPrims);
            set(&mut profile.physics.max_physical_parts, LimitKey::LinksetPhysPrims);
            side(&mut profile.physics.max_side_m, LimitKey::NonPhysicalPrimMax, MOST_NON_PHYSICAL_M);
            side(&mut profile.physics.max_physical_side_m, LimitKey::PhysicalPrimMax, MOST_PHYSICAL_M);
        }
        (profile != *target).then_some(profile)
    }
}

impl LimitKey {
    /// Whether a file of regions may have the key.
    pub(super) fn is_of_regions(self) -> bool {
        self != Self::LinksetPhysPrims
    }

    /// Whether `[Startup]` may have the key.
    fn is_of_simulators(self) -> bool {
        !matches!(self, Self::MaxPrims | Self::MaxPrimsPerUser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(limits: &[(LimitKey, &str)]) -> RegionLimits {
        let mut all = RegionLimits::default();
        for (key, text) in limits {
            all.add(*key, text, "here".into());
        }
        all
    }

    #[test]
    fn only_values_above_zero_are_limits() {
        let limits = limits(&[
            (LimitKey::MaxPrims, "0"),
            (LimitKey::MaxPrimsPerUser, "-1"),
            (LimitKey::PhysicalPrimMin, "many"),
            (LimitKey::NonPhysicalPrimMin, " 0.5 "),
            (LimitKey::ClampPrimSize, "True"),
        ]);
        let found: Vec<_> = limits.iter().map(|limit| (limit.key, limit.value)).collect();
        assert_eq!(found, [(LimitKey::NonPhysicalPrimMin, 0.5), (LimitKey::ClampPrimSize, 1.0)]);
    }

    #[test]
    fn limits_change_profiles_of_opensimulator_only() {
        let limits = limits(&[
            (LimitKey::MaxPrims, "1000"),
            (LimitKey::LinksetPrims, "99999999999"),
            (LimitKey::LinksetPhysPrims, "12"),
            (LimitKey::NonPhysicalPrimMin, "0.25"),
            (LimitKey::NonPhysicalPrimMax, "1024"),
            (LimitKey::PhysicalPrimMax, "4096"),
            (LimitKey::ClampPrimSize, "true"),
        ]);
        let opensim = Profile::load("opensim-ubode").unwrap();
        let own = limits.profile(&opensim).unwrap();
        assert_eq!((own.land.object_capacity, own.linkability.max_prims), (1000, u32::MAX));
        let physics = &own.physics;
        assert_eq!(
            (physics.max_physical_parts, physics.max_side_m, physics.max_physical_side_m),
            (12, 1024.0, 2048.0)
        );
        let placement = &own.placement;
        assert_eq!(
            (placement.smallest_side_m, placement.largest_side_m, placement.clamps_sides),
            (0.25, 1024.0, true)
        );
        assert_eq!(limits.profile(&Profile::default()), None);
        assert_eq!(RegionLimits::default().profile(&opensim), None);
    }
}
