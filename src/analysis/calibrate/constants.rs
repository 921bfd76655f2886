//! The constants of estimated formulas, by their places in a profile.

use super::compare::Quantity;
use hullmark_settings::profile::Profile;

/// A constant that may be fitted.
pub(super) struct Constant {
    pub(super) section: &'static str,
    pub(super) key: &'static str,
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

/// All constants. If data cannot distinguish two constants, the first one is fitted.
pub(super) const ALL: [Constant; 11] = [
    constant!(physics.hull_vertex_cost, Physics),
    constant!(physics.hull_offset, Physics),
    constant!(physics.cylinder_factor, Physics),
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
    /// Returns the section and the key, for example `physics.hull_vertex_cost`.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }
}

pub(super) fn values(profile: &Profile) -> Vec<f64> {
    let mut profile = profile.clone();
    ALL.iter().map(|constant| *(constant.place)(&mut profile)).collect()
}

pub(super) fn with(profile: &Profile, values: &[f64]) -> Profile {
    let mut changed = profile.clone();
    for (constant, &value) in ALL.iter().zip(values) {
        *(constant.place)(&mut changed) = value;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assets::Assets,
        measure::{
            measure_object,
            tests::{object, sized},
        },
        physics_shape::tests::{curved, mesh, mesh_part, prim, sculpt_map},
    };
    use hullmark_format::object::{Part, Sculpt};
    use hullmark_ledger::facts::MeshFacts;
    use uuid::Uuid;

    /// Returns physics and streaming cost of a part under a profile in which this constant is multiplied by `factor`.
    fn costs(part: &Part, profile: &Profile, name: &str, factor: f64) -> [f64; 2] {
        let hull = sized([500, 1000, 4000, 16_000], mesh(Some(20), &[], None));
        let hull = MeshFacts { uuid: mesh_part().mesh(), ..hull };
        // A ramp in three channels.
        let rgb: Vec<u8> =
            (0..64_u32).flat_map(|i| [(i % 8 * 36) as u8, (i / 8 * 36) as u8, (i * 4) as u8]).collect();
        let map = sculpt_map(8, &rgb);
        let assets = Assets::new([&hull], [&map]);
        let mut values = values(profile);
        let at = ALL.iter().position(|constant| constant.name() == name).unwrap();
        values[at] *= factor;
        let measures = measure_object(&object(vec![part.clone()]), &assets, &with(profile, &values));
        [measures.physics_cost_if_new, measures.streaming_cost].map(|cost| cost.value().unwrap())
    }

    #[test]
    fn each_constant_scales_only_its_formula() {
        let large = |part: Part| Part { scale: part.scale * 8.0, ..part };
        let convex = |part: Part| Part { physics_shape_type: Some(2), ..part };
        let (torus, cylinder) = (large(curved(0, 32)), curved(0, 16));
        let mut sculpt = large(prim());
        sculpt.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(9), kind: 3 });
        let hull = convex(mesh_part());
        let table = [
            ("physics.hull_vertex_cost", &hull, 1.5, 1.0),
            ("physics.hull_offset", &hull, (20.0 + 1.5) / 21.0, 1.0),
            ("physics.cylinder_factor", &cylinder, 1.5, 1.0),
            ("physics.prim_hull_factor", &convex(torus.clone()), 1.5, 1.0),
            ("physics.prim_hull_factor", &hull, 1.0, 1.0),
            ("physics.prim_mesh_factor", &torus, 1.5, 1.0),
            ("physics.sculpt_factor", &sculpt, 1.5, 1.0),
            ("physics.sculpt_factor", &torus, 1.0, 1.0),
            ("streaming.static_factor", &hull, 1.0, 1.5),
            ("streaming.prim_factor", &cylinder, 1.0, 1.5),
            ("streaming.sculpt_factor", &cylinder, 1.0, 1.0),
            ("streaming.sculpt_factor", &sculpt, 1.0, 1.5),
            ("streaming.prim_cap", &large(torus.clone()), 1.0, 1.5),
        ];
        let profile = Profile::default();
        for (name, part, physics, streaming) in table {
            let (before, after) = (costs(part, &profile, name, 1.0), costs(part, &profile, name, 1.5));
            let found = [after[0] / before[0], after[1] / before[1]];
            let expected = [physics, streaming];
            let near = (0..2).all(|at| (found[at] - expected[at]).abs() < 1e-9);
            assert!(near, "{name}: {found:?} is not {expected:?}");
        }
    }

    #[test]
    fn factors_come_before_the_least_cost() {
        let profile = Profile::default();
        let torus = curved(0, 32);
        let least = profile.physics.minimum_mesh_cost;
        assert!(costs(&torus, &profile, "physics.prim_mesh_factor", 1.0)[0] > least);
        assert_eq!(costs(&torus, &profile, "physics.prim_mesh_factor", 1e-6)[0], least);
    }
}
