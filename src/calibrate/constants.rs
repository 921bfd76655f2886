//! The constants of formulas that are estimated, by their places in a profile.

use super::compare::Quantity;
use crate::profile::Profile;

/// A constant that may be fitted.
pub(super) struct Constant {
    /// Its section of a profile.
    pub(super) section: &'static str,
    /// Its key there.
    pub(super) key: &'static str,
    /// What it is part of.
    pub(super) quantity: Quantity,
    place: fn(&mut Profile) -> &mut f64,
}

macro_rules! constant {
    ($section:ident.$key:ident, $quantity:ident) => {
        Constant {
            section: stringify!($section),
            key: stringify!($key),
            quantity: Quantity::$quantity,
            place: |profile| &mut profile.$section.$key,
        }
    };
}

/// All of them. Of two that data cannot tell apart the first one is fitted.
pub(super) const ALL: [Constant; 12] = [
    constant!(physics.hull_vertex_cost, Physics),
    constant!(physics.hull_offset, Physics),
    constant!(physics.cylinder_factor, Physics),
    constant!(physics.mesh_hull_factor, Physics),
    constant!(physics.prim_hull_factor, Physics),
    constant!(physics.prim_mesh_factor, Physics),
    constant!(physics.sculpt_factor, Physics),
    constant!(streaming.static_factor, Streaming),
    constant!(streaming.prim_factor, Streaming),
    constant!(streaming.sculpt_factor, Streaming),
    constant!(streaming.prim_cap, Streaming),
    constant!(streaming.sculpt_cap, Streaming),
];

impl Constant {
    /// As `physics.hull_vertex_cost`.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }
}

/// The values that a profile has for them.
pub(super) fn values(profile: &Profile) -> Vec<f64> {
    let mut profile = profile.clone();
    ALL.iter().map(|constant| *(constant.place)(&mut profile)).collect()
}

/// The profile with these values.
pub(super) fn with(profile: &Profile, values: &[f64]) -> Profile {
    let mut changed = profile.clone();
    for (constant, &value) in ALL.iter().zip(values) {
        *(constant.place)(&mut changed) = value;
    }
    changed
}
