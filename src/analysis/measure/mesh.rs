//! Measures one mesh asset, at unit scale or a given scale.

use super::{
    Collision,
    accounting::{Weights, accounting},
    collision,
};
use crate::{
    assets::{Body, Surfaces, Triangles},
    cost::{Cost, NotEvaluated, physics, streaming},
    physics_shape,
};
use glam::DVec3;
use hullmark_format::object::{Part, Sculpt, Shape};
use hullmark_ledger::facts::MeshFacts;
use hullmark_settings::profile::{Physics, Profile};
use uuid::Uuid;

/// Physics shape types of a part.
const PRIM: u8 = 0;
const CONVEX: u8 = 2;

/// The measures of one mesh asset.
///
/// The physics costs use Second Life's formulas with the constants of the profile, regardless of its engine. They
/// describe the asset, not the cost of a part with it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshMeasures {
    pub base_hull_points: Option<u32>,
    /// Number of hulls in the decomposition; 0 if there is none, `None` if the convex block is unreadable.
    pub hulls: Option<u32>,
    /// Total number of points in those hulls.
    pub decomposition_points: Option<u64>,
    /// Number of triangles in the physics mesh; `None` if it is missing or unreadable.
    pub physics_triangles: Option<u64>,
    /// Physics cost as base hull, at any scale.
    pub base_hull_cost: Cost,
    /// Physics cost as decomposition, at any scale.
    pub decomposition_cost: Cost,
    /// Physics cost as triangles, at 1 m × 1 m × 1 m.
    pub triangle_cost: Cost,
    /// Streaming cost of a cube of 1 m.
    pub streaming_cost_1m: Cost,
    /// Streaming cost of a cube of 10 m.
    pub streaming_cost_10m: Cost,
    /// Streaming cost in an animated object, without the cost of its root; not applicable without joints.
    pub animated_streaming_cost: Cost,
    /// OpenSimulator's upload estimate for a cube of 1 m.
    pub upload_streaming_estimate: Cost,
}

/// The measures of one mesh asset at a given scale, in addition to [`MeshMeasures`]. Those of a part depend on the
/// target grid.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshAtScale {
    /// Harmonic mean of the widths of the physics mesh's triangles, in metres.
    pub mean_width_m: Option<f64>,
    /// Physics cost as triangles.
    pub triangle_cost: Cost,
    pub streaming_cost: Cost,
    /// OpenSimulator's upload estimate.
    pub upload_streaming_estimate: Cost,
    /// Physics shape of a part with this mesh and the shape type Prim.
    pub as_prim: Collision,
    /// Physics shape of a part with this mesh and the shape type Convex Hull.
    pub as_convex: Collision,
    /// Server weight of one prim without scripts.
    pub server_weight: Cost,
    /// Land impact of one prim with this mesh and the shape type Prim, at rest and without scripts.
    pub land_impact_as_prim: Cost,
    /// The same with the shape type Convex Hull.
    pub land_impact_as_convex: Cost,
    /// Scales at which the cost of triangles changes; `None` without triangles that collide.
    pub thresholds: Option<Thresholds>,
}

/// Uniform factors on a scale at which the triangle formula reaches its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Factor from which the cost is at most the cap; 0 if it always is. `None` if it never is, or the grid has no cap.
    pub cap: Option<f64>,
    /// Factor from which the cost is the minimum for a triangle mesh; 0 and `None` as for `cap`.
    pub floor: Option<f64>,
    /// Factor below which a side is so short that the base hull collides instead. `None` for a mesh with a
    /// decomposition, which still collides.
    pub base_hull_below: Option<f64>,
}

/// Measures one mesh asset at unit scale.
pub fn measure_mesh(mesh: &MeshFacts, profile: &Profile) -> MeshMeasures {
    let cube = |side| streaming::of_static(mesh, DVec3::splat(side), &profile.streaming).cost;
    let convex = mesh.convex.as_ref();
    MeshMeasures {
        base_hull_points: convex.and_then(|convex| convex.base).map(|base| base.points),
        hulls: physics_shape::decomposition_hulls(mesh),
        decomposition_points: convex
            .map(|convex| convex.hulls.iter().map(|hull| u64::from(hull.points)).sum()),
        physics_triangles: physics_shape::physics_triangles(mesh),
        base_hull_cost: physics::base_hull(mesh, &profile.physics),
        decomposition_cost: physics::mesh_decomposition(mesh, &profile.physics),
        triangle_cost: physics::mesh_triangles(mesh, DVec3::ONE, &profile.physics),
        streaming_cost_1m: cube(1.0),
        streaming_cost_10m: cube(10.0),
        animated_streaming_cost: animated_streaming(mesh, profile),
        upload_streaming_estimate: upload_estimate(mesh, DVec3::ONE, profile),
    }
}

/// Measures one mesh asset at this scale in metres.
pub fn measure_mesh_at(mesh: &MeshFacts, scale: DVec3, profile: &Profile) -> MeshAtScale {
    let body = Body { mesh: Some(mesh), sculpt: None, surfaces: &Surfaces::default() };
    let parts = [PRIM, CONVEX].map(|shape_type| mesh_part(scale, shape_type));
    let [as_prim, as_convex] = parts.each_ref().map(|part| collision(part, &body, profile));
    let streaming_cost = streaming::of_static(mesh, scale, &profile.streaming).cost;
    let alone = |part: &Part, collision: &Collision| Weights {
        accounting: accounting(std::slice::from_ref(part), profile),
        uncertain: false,
        prims: 1,
        physical: false,
        scripts: Some(0),
        physics: collision.physics_cost,
        physics_if_physical: collision.physics_cost_dynamic,
        streaming: streaming_cost,
    };
    let [weights_as_prim, weights_as_convex] = [alone(&parts[0], &as_prim), alone(&parts[1], &as_convex)];
    let figures = body.physics_triangles(scale, profile.physics.model).ok();
    MeshAtScale {
        mean_width_m: figures.map(|figures| figures.mean_width_m),
        triangle_cost: physics::mesh_triangles(mesh, scale, &profile.physics),
        streaming_cost,
        upload_streaming_estimate: upload_estimate(mesh, scale, profile),
        thresholds: figures.map(|figures| thresholds(mesh, &figures, scale, &profile.physics)),
        server_weight: weights_as_prim.server_weight(profile),
        land_impact_as_prim: weights_as_prim.land_impact(profile),
        land_impact_as_convex: weights_as_convex.land_impact(profile),
        as_prim,
        as_convex,
    }
}

fn thresholds(mesh: &MeshFacts, figures: &Triangles, scale: DVec3, physics: &Physics) -> Thresholds {
    let from = |cost: f64| physics::factor_for(figures, cost, physics).filter(|_| cost.is_finite());
    let shortest = scale.min_element();
    Thresholds {
        cap: from(physics.physical_cap),
        floor: from(physics.minimum_mesh_cost),
        base_hull_below: (!physics_shape::has_decomposition(mesh) && shortest > 0.0)
            .then(|| physics.convex_below_m / shortest),
    }
}

/// Returns a part with a mesh like those of uploaders: its prim parameters describe a cut and hollow box, which is
/// neither plain nor whole.
fn mesh_part(scale: DVec3, shape_type: u8) -> Part {
    let sculpt = Some(Sculpt { asset: Uuid::nil(), kind: 5 });
    let shape = Shape { profile_begin: 12_500, profile_hollow: 27_500, sculpt, ..Shape::default() };
    Part { scale, shape, physics_shape_type: Some(shape_type), ..Part::default() }
}

fn animated_streaming(mesh: &MeshFacts, profile: &Profile) -> Cost {
    if !streaming::is_rigged(mesh) {
        return Cost::not_applicable(NotEvaluated::Absent);
    }
    streaming::animated(streaming::level_bytes(mesh), &profile.streaming)
        .map_or(Cost::not_evaluated(NotEvaluated::HighLodMissing), Cost::spec)
}

pub(super) fn upload_estimate(mesh: &MeshFacts, scale: DVec3, profile: &Profile) -> Cost {
    streaming::upload_estimate(streaming::level_bytes(mesh), scale, &profile.streaming)
        .map_or(Cost::not_evaluated(NotEvaluated::HighLodMissing), Cost::estimated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        measure::tests::{close, on, sized},
        physics_shape::{Representation, tests::mesh},
    };
    use proptest::prelude::*;

    #[test]
    fn meshes_at_unit_scale() {
        let measures = measure_mesh(
            &sized([500, 1000, 4000, 16_000], mesh(Some(8), &[8, 8], Some(12))),
            &Profile::default(),
        );
        close(measures.base_hull_cost, 0.36);
        close(measures.decomposition_cost, 0.72);
        close(measures.triangle_cost, 0.848_528);
        close(measures.streaming_cost_1m, 0.572_090 * 0.85);
        close(measures.streaming_cost_10m, 11.250_566 * 0.85);
        close(measures.upload_streaming_estimate, 0.537_115);
        assert_eq!(measures.animated_streaming_cost, Cost::not_applicable(NotEvaluated::Absent));
        assert_eq!(
            (measures.base_hull_points, measures.hulls, measures.decomposition_points),
            (Some(8), Some(2), Some(16))
        );
        assert_eq!(measures.physics_triangles, Some(12));
        let bare = measure_mesh(&mesh(None, &[], None), &Profile::default());
        assert_eq!(bare.base_hull_cost, Cost::not_evaluated(NotEvaluated::BaseHullMissing));
        assert_eq!(bare.triangle_cost, Cost::not_applicable(NotEvaluated::Absent));
        assert_eq!(bare.streaming_cost_1m, Cost::not_evaluated(NotEvaluated::HighLodMissing));
    }

    #[test]
    fn meshes_at_a_scale_and_the_cost_of_their_parts() {
        let profile = Profile::default();
        let terrain = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[], Some(12)));
        let at = |side| measure_mesh_at(&terrain, DVec3::splat(side), &profile);
        let (one, ten, small) = (at(1.0), at(10.0), at(0.4));
        assert!((one.mean_width_m.unwrap() - 0.5f64.sqrt()).abs() < 1e-4);
        assert!((ten.mean_width_m.unwrap() - 50f64.sqrt()).abs() < 1e-3);
        close(one.triangle_cost, 0.848_528);
        close(ten.triangle_cost, 0.5);
        close(ten.streaming_cost, 11.250_566 * 0.85);
        let got = |collision: Collision| (collision.representation, collision.representation_dynamic);
        assert_eq!(got(one.as_prim), (Representation::TriangleMesh, Representation::BaseHull));
        assert_eq!(got(one.as_convex), (Representation::BaseHull, Representation::BaseHull));
        assert_eq!(got(small.as_prim), (Representation::BaseHull, Representation::BaseHull), "thin");
        assert_eq!(one.as_prim.physics_cost, one.triangle_cost);
        close(one.as_prim.physics_cost_dynamic, 0.36);
    }

    #[test]
    fn the_land_impact_is_that_of_an_object_of_one_part() {
        for name in ["second-life", "opensim-ubode", "opensim-bulletsim"] {
            let profile = Profile::load(name).unwrap();
            let facts = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[8, 60], Some(12)));
            for (side, shape_type) in [(0.3, PRIM), (4.0, CONVEX), (30.0, PRIM)] {
                let mut part = mesh_part(DVec3::splat(side), shape_type);
                part.shape.sculpt = physics_shape::tests::mesh_part().shape.sculpt;
                let at_scale = measure_mesh_at(&facts, part.scale, &profile);
                let object = on(name, vec![part], Some(&facts));
                let land_impact = if shape_type == PRIM {
                    at_scale.land_impact_as_prim
                } else {
                    at_scale.land_impact_as_convex
                };
                assert_eq!(land_impact, object.land_impact, "{name} at {side} m");
                assert_eq!(at_scale.server_weight, object.server_weight, "{name}");
                assert!(land_impact.value() >= Some(1.0), "{name}");
            }
        }
    }

    #[test]
    fn thresholds_are_where_the_cost_meets_them() {
        let profile = Profile::default();
        let (mesh, scale) = (mesh(Some(8), &[], Some(500)), DVec3::new(2.0, 1.0, 0.8));
        let found = measure_mesh_at(&mesh, scale, &profile).thresholds.unwrap();
        let cost = |factor: f64| measure_mesh_at(&mesh, scale * factor, &profile).triangle_cost;
        close(cost(found.cap.unwrap()), 32.0);
        assert_eq!(found.floor, None, "500 triangles cost more than 0.5 even at 20 m");
        assert_eq!(found.base_hull_below, Some(0.625));
        let representation =
            |factor: f64| measure_mesh_at(&mesh, scale * factor, &profile).as_prim.representation;
        assert_eq!(representation(0.63), Representation::TriangleMesh);
        assert_eq!(representation(0.62), Representation::BaseHull);
    }

    proptest! {
        #[test]
        fn triangles_cost_less_as_they_grow_and_hulls_the_same(
            factor in 1.0..6.0_f64,
            scale in prop::array::uniform3(0.6..2.0),
        ) {
            let (mesh, profile) = (mesh(Some(8), &[], Some(500)), Profile::default());
            let scale = DVec3::from_array(scale);
            let at = |factor: f64| measure_mesh_at(&mesh, scale * factor, &profile);
            let (small, large) = (at(1.0), at(factor));
            let product = large.triangle_cost.value().unwrap() * factor;
            prop_assert!((product - small.triangle_cost.value().unwrap()).abs() < 1e-9 * product);
            prop_assert_eq!(small.as_convex.physics_cost, large.as_convex.physics_cost);
        }
    }
}
