//! Measures one part in its linkset.

use super::{Collision, collision, count, mesh};
use crate::{
    assets::{Assets, Body},
    cost::{
        Cost, NotEvaluated, physics,
        streaming::{self, PartCost},
    },
    physics_shape::{self, Representation},
};
use glam::{DQuat, DVec3};
use hullmark_format::object::{Part, part::flag};
use hullmark_ledger::facts::{ObjectFacts, Role};
use hullmark_settings::profile::{Physics, PhysicsModel, Profile, StreamingModel};
use std::borrow::Cow;

#[derive(Debug, Clone, PartialEq)]
pub struct PartMeasures {
    /// Position of its centre in the region, in metres; for a nested object in the axes in which it was taken.
    pub position: DVec3,
    /// Rotation in the same axes.
    pub rotation: DQuat,
    /// Physics shape and its cost. A part that is not in OpenSimulator's engine has the flat cost at rest.
    pub collision: Collision,
    /// Shape that collides now: a part in motion has the dynamic one.
    pub representation_in_force: Representation,
    /// Number of hulls in the mesh's decomposition; `None` if it has none.
    pub hulls: Option<u32>,
    /// Streaming cost. That of an animated object's root includes the cost of the object.
    pub streaming_cost: Cost,
    /// Maximum streaming cost of all sources.
    pub streaming_cost_high: Cost,
    /// OpenSimulator's estimate for the upload of the part's mesh at this scale.
    pub upload_streaming_estimate: Cost,
    /// Number of scripts in its contents. `None` if these were not read.
    pub scripts: Option<u32>,
}

pub(super) struct Stage<'o> {
    parts: &'o [Part],
    /// The root with the shape type that the loader gives it; `None` if that is the same.
    loaded_root: Option<Part>,
    bodies: Vec<Body<'o>>,
    profile: &'o Profile,
    pub(super) animated: bool,
    /// Whether the linkset is physical or moves.
    in_motion: bool,
    /// Maximum side of a part on the target, in metres.
    longest_side_m: f64,
    /// The parts that OpenSimulator adds to its physics engine.
    known_to_engine: Known,
}

/// The parts of a linkset at rest that are in the physics engine (`SceneObjectPart.ApplyPhysics`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    All,
    /// Only these parts of a phantom object.
    VolumeDetectors,
    /// No part of an attachment. In OpenSimulator a root prim whose state is an attach point is one, even in a region.
    None,
}

impl<'o> Stage<'o> {
    pub(super) fn new(
        object: &'o ObjectFacts,
        moving: bool,
        assets: &'o Assets<'_>,
        profile: &'o Profile,
    ) -> Self {
        let parts = &object.linkset.parts;
        let bodies: Vec<Body<'_>> = parts.iter().map(|part| assets.body(part)).collect();
        let marked = parts.first().is_some_and(|root| root.shape.animesh);
        let animated = marked && bodies.iter().filter_map(|body| body.mesh).any(streaming::is_rigged);
        let opensim = profile.physics.model != PhysicsModel::SecondLife;
        let root = parts.first();
        let physical = root.is_some_and(|root| root.has(flag::PHYSICS));
        let known_to_engine = match root.filter(|_| opensim) {
            Some(root) if root.is_attachment() && object.role == Role::Rezzed => Known::None,
            Some(root) if root.has(flag::PHANTOM) && !physical => Known::VolumeDetectors,
            _ => Known::All,
        };
        // OpenSimulator only uses the flag, regardless of what moves the object.
        let in_motion = physical || moving && !opensim;
        let loaded_root = root.filter(|_| opensim).and_then(physics_shape::opensim_root);
        let Physics { max_side_m, max_physical_side_m, .. } = profile.physics;
        let longest_side_m = if physical { max_side_m.min(max_physical_side_m) } else { max_side_m };
        Self { parts, loaded_root, bodies, profile, animated, in_motion, longest_side_m, known_to_engine }
    }

    /// Measures every part, in link order.
    pub(super) fn measured(&self) -> Vec<PartMeasures> {
        (0..self.parts.len()).map(|index| self.part(index)).collect()
    }

    fn part(&self, index: usize) -> PartMeasures {
        let loaded_root = self.loaded_root.as_ref().filter(|_| index == 0);
        let part = loaded_root.unwrap_or(&self.parts[index]);
        let (body, profile) = (&self.bodies[index], self.profile);
        let (position, rotation) = in_region_axes(part, index, &self.parts[0]);
        let mut collision = collision(&self.clamped(part), body, profile);
        let streaming = self.streaming(index);
        let known = match self.known_to_engine {
            Known::All => true,
            Known::VolumeDetectors => part.volume_detect,
            Known::None => false,
        };
        if !known && !part.is_unknown() {
            collision.physics_cost = physics::opensim_flat(part);
        }
        PartMeasures {
            position,
            rotation,
            representation_in_force: match self.in_motion {
                true => collision.representation_dynamic,
                false => collision.representation,
            },
            hulls: body.mesh.and_then(physics_shape::decomposition_hulls).filter(|&hulls| hulls > 0),
            collision,
            streaming_cost: streaming.cost,
            streaming_cost_high: streaming.high,
            upload_streaming_estimate: self.upload_estimate(index),
            scripts: (!part.contents_unread).then(|| count(part.scripts())),
        }
    }

    /// Returns a part with its sides clamped to those of the target (`SceneObjectPart.ClampScale`).
    fn clamped<'p>(&self, part: &'p Part) -> Cow<'p, Part> {
        if part.scale.cmpgt(DVec3::splat(self.longest_side_m)).any() {
            let scale =
                part.scale.map(|side| if side > self.longest_side_m { self.longest_side_m } else { side });
            return Cow::Owned(Part { scale, ..part.clone() });
        }
        Cow::Borrowed(part)
    }

    fn streaming(&self, index: usize) -> PartCost {
        let PartCost { cost, high } =
            streaming::of_part(&self.parts[index], self.bodies[index].mesh, self.animated, self.profile);
        let settings = &self.profile.streaming;
        let is_root = index == 0 && self.animated && settings.model == StreamingModel::SecondLife;
        let with_root = |cost| match is_root {
            true => Cost::sum([cost, Cost::spec(settings.animated_root)]),
            false => cost,
        };
        PartCost { cost: with_root(cost), high: with_root(high) }
    }

    fn upload_estimate(&self, index: usize) -> Cost {
        let part = &self.parts[index];
        match self.bodies[index].mesh {
            _ if part.mesh().is_none() => Cost::not_applicable(NotEvaluated::Absent),
            None => Cost::not_evaluated(NotEvaluated::MeshMissing),
            Some(mesh) => mesh::upload_estimate(mesh, part.scale, self.profile),
        }
    }
}

/// Returns position and rotation of a part in the region: `GroupPosition + rootRotation · OffsetPosition`. The root's
/// group position is used for all parts, because every part repeats it.
fn in_region_axes(part: &Part, index: usize, root: &Part) -> (DVec3, DQuat) {
    if index == 0 {
        (root.group_position, root.rotation)
    } else {
        (root.group_position + root.rotation * part.offset_position, root.rotation * part.rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        measure::tests::{close, measured, on, sized, with_mesh},
        physics_shape::tests::{curved, mesh, mesh_part, prim},
    };

    #[test]
    fn motion_turns_triangles_into_a_hull() {
        let terrain = sized([0, 0, 0, 20_000], mesh(Some(8), &[], Some(12)));
        let measures = with_mesh(vec![mesh_part()], &terrain);
        let part = &measures.parts[0];
        assert_eq!(part.collision.representation, Representation::TriangleMesh);
        assert_eq!(part.collision.representation_dynamic, Representation::BaseHull);
        close(measures.physics_cost, 0.848_528);
        close(measures.physics_cost_if_physical, 0.36 * 1.04);
        close(measures.streaming_cost, 73.56 * 0.85);
        close(part.upload_streaming_estimate, 78.464);
    }

    #[test]
    fn animated_objects_pay_for_their_root() {
        let mut rigged = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[], None));
        rigged.joints = Some(2);
        let mut part = mesh_part();
        close(with_mesh(vec![part.clone()], &rigged).streaming_cost, 0.572_090 * 0.85);
        part.shape.animesh = true;
        let measures = with_mesh(vec![part], &rigged);
        assert!(measures.animated);
        close(measures.streaming_cost, 16.464);
    }

    #[test]
    fn ubode_does_not_know_phantom_objects() {
        let of = |part: &Part| on("opensim-ubode", vec![part.clone()], Some(&mesh(Some(8), &[], Some(600))));
        let mut part = Part { scale: DVec3::splat(10.0), ..mesh_part() };
        close(of(&part).physics_cost, 0.622_440_311 * 50.0);
        part.flags = flag::PHANTOM;
        let phantom = of(&part);
        close(phantom.physics_cost, 0.1);
        close(phantom.physics_cost_if_physical, 0.622_440_311 * 50.0 * (1.0 + 0.01333 * 300.0));
        close(phantom.land_impact, 1.0);
        part.volume_detect = true;
        close(of(&part).physics_cost, 0.622_440_311 * 50.0);
        part.state = 3;
        close(of(&part).physics_cost, 0.1);
    }

    #[test]
    fn children_of_a_phantom_root_collide_where_they_detect_volumes() {
        for detects in [[false, false], [false, true], [true, false]] {
            let part = |flags, volume_detect| Part {
                scale: DVec3::splat(10.0),
                flags,
                volume_detect,
                ..mesh_part()
            };
            let parts = vec![part(flag::PHANTOM, detects[0]), part(0, detects[1])];
            let measures = on("opensim-ubode", parts, Some(&mesh(Some(8), &[], Some(600))));
            let costs = [0, 1].map(|part| measures.parts[part].collision.physics_cost.value().unwrap());
            assert_eq!(costs.map(|cost| cost > 0.1), detects);
        }
    }

    #[test]
    fn opensim_clamps_parts_that_are_too_large() {
        let of = |side: f64, flags| {
            on("opensim-ubode", vec![Part { scale: DVec3::splat(side), flags, ..curved(0, 16) }], None)
        };
        let cost = |side| of(side, 0).physics_cost_if_new;
        assert!(cost(300.0) == cost(256.0) && cost(256.0) != cost(255.0));
        let physical = [100.0, 64.0].map(|side| of(side, flag::PHYSICS).physics_cost_if_physical);
        assert_eq!(physical[0], physical[1]);
    }

    #[test]
    fn opensim_knows_no_motion_without_physics() {
        let measures = on("opensim-ubode", vec![Part { velocity: DVec3::Z, ..curved(0, 16) }], None);
        assert!(measures.moving);
        assert_eq!(measures.physics_cost_in_force, measures.physics_cost);
    }

    #[test]
    fn a_root_without_a_shape_gets_one_from_opensims_loader() {
        let none = |part: Part| Part { physics_shape_type: Some(1), scale: DVec3::splat(5.0), ..part };
        let of = |parts| on("opensim-ubode", parts, Some(&mesh(Some(8), &[], Some(12))));
        // A mesh becomes Convex: the 12 triangles of its base hull, 0.0013 · 36 · 0.266 · 3 · 2.5².
        let [root, child] = &of(vec![none(mesh_part()), none(prim())]).parts[..] else { panic!("two parts") };
        assert_eq!(
            (root.collision.representation, child.collision.representation),
            (Representation::BaseHull, Representation::None)
        );
        close(root.collision.physics_cost, 0.233_415);
        assert_eq!(child.collision.physics_cost, Cost::spec(0.0), "a child has none");
        // The running simulator's cost of a box's hull: 0.2396, for sides of 4, 5 and 6 m.
        let uneven = Part { scale: DVec3::new(4.0, 5.0, 6.0), ..none(mesh_part()) };
        close(of(vec![uneven]).physics_cost_if_new, 0.239_640);
        // Other parts become Prim.
        let measures = of(vec![none(prim())]);
        assert_eq!(measures.parts[0].collision.representation, Representation::Box);
        assert_eq!(
            (measures.parts[0].collision.physics_cost, measures.accounting.name()),
            (Cost::measured(0.1), "legacy")
        );
        assert_eq!(measured(vec![none(prim())]).physics_cost, Cost::spec(0.0));
    }

    #[test]
    fn opensim_charges_trees_as_prims() {
        let mut tree = prim();
        tree.shape.pcode = 255;
        for grid in ["opensim-ubode", "opensim-bulletsim"] {
            let part = &on(grid, vec![tree.clone()], None).parts[0];
            assert_eq!(
                (part.collision.physics_cost.value(), part.streaming_cost.value()),
                (Some(0.1), Some(1.0))
            );
        }
    }

    #[test]
    fn ubode_has_triangles_without_widths() {
        let of = |part| on("opensim-ubode", vec![part], None).parts[0].clone();
        let whole = of(curved(0, 16));
        assert_eq!((whole.collision.triangle_count, whole.collision.triangles), (Some(96), None));
        let hull = of(Part { physics_shape_type: Some(2), ..curved(0, 16) });
        assert_eq!(hull.collision.representation, Representation::SurfaceHull);
        assert_eq!((hull.collision.triangle_count, hull.collision.hull_vertices), (Some(92), None));
    }
}
