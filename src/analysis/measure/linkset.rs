//! Measures one linkset from its parts.

use super::{
    PartMeasures,
    accounting::{Accounting, Governing, Weights, accounting, charged_physics, pbr_may_opt_in},
    count,
    part::Stage,
};
use crate::{
    assets::Assets,
    cost::{
        Cost, NotEvaluated,
        physics::{self, CapVerdict},
        simulation,
    },
    linkability::{Judgement, Prim},
};
use glam::{DQuat, DVec3};
use hullmark_format::object::{Linkset, Part, part::flag};
use hullmark_geometry::bounds::Bounds;
use hullmark_ledger::{facts::ObjectFacts, object_content};
use hullmark_settings::profile::{BoxAxes, Physics, PhysicsModel, Profile};

#[derive(Debug, Clone, PartialEq)]
pub struct ObjectMeasures {
    /// Measures of its parts, in link order.
    pub parts: Vec<PartMeasures>,
    /// Key of its content: see [`object_content`].
    pub content: u64,
    /// Accounting of the linkset on the grid.
    pub accounting: Accounting,
    /// Whether its PBR materials may give it new accounting, so that [`accounting`](Self::accounting) is uncertain.
    pub pbr_may_opt_in: bool,
    /// Result of each of the three rules of linkability.
    pub link: Judgement,
    /// Bounding box in the root's axes, relative to the root's centre, in metres: the size that a viewer shows. `None`
    /// if a number is not finite.
    pub root_box: Option<Bounds>,
    /// Bounding box in the axes of the region; `None` if a number is not finite.
    pub region_box: Option<Bounds>,
    /// Mean face area of the bounding box in the profile's choice of axes, in m²; `None` if a number is not finite.
    pub mean_face_area: Option<f64>,
    /// Pure physics cost at rest. Not applicable under legacy accounting.
    pub physics_cost: Cost,
    /// Value that [`physics_cost`](Self::physics_cost) has under new accounting.
    pub physics_cost_if_new: Cost,
    /// Cost of the shapes in motion with the penalty. It only counts if the linkset is physical.
    pub physics_cost_if_physical: Cost,
    /// The cost that applies now. A moving linkset has the shapes of a physical one, without the penalty.
    pub physics_cost_in_force: Cost,
    pub physical_cap: CapVerdict,
    /// Number of parts with a known physics cost at rest.
    pub evaluated_parts: u32,
    /// Number of parts whose physics cost at rest is not evaluated. Above 0, `physics_cost_if_new` is a lower bound.
    pub unevaluated_parts: u32,
    /// Sum of the parts' streaming costs.
    pub streaming_cost: Cost,
    /// Simulator resource cost (SRC) of the specification.
    pub simulator_resource_cost: Cost,
    /// Region resource cost (RRC) of the specification: the maximum of SRC and streaming cost.
    pub region_resource_cost: Cost,
    /// Server weight, from which land impact is computed.
    pub server_weight: Cost,
    /// Minimum and maximum server weight of the published formulas.
    pub server_weight_range: [Cost; 2],
    /// Land impact: the share of a parcel's capacity that the linkset uses.
    pub land_impact: Cost,
    /// The figure that determines land impact; `None` if a weight is not completely known.
    pub governing: Option<Governing>,
    /// Minimum and maximum land impact, by the ranges of its weights.
    pub land_impact_range: [Cost; 2],
    /// Land impact under new accounting.
    pub land_impact_if_new: Cost,
    pub land_impact_if_physical: Cost,
    /// Whether the physics engine moves it, by the root's flag.
    pub physical: bool,
    /// Whether it does not collide, by the root's flag.
    pub phantom: bool,
    /// Whether it is deleted after a while, by the root's flag.
    pub temporary: bool,
    /// Whether it collides only to notify its scripts, by the root's value.
    pub volume_detect: bool,
    /// Whether it moves without being physical: keyframed motion, or a velocity in the export.
    pub moving: bool,
    /// Whether its contents have scripts. The flag of the same name is ignored, because it may be stale.
    pub scripted: bool,
    /// Whether its root is marked as an animated object, and one of its meshes has joints.
    pub animated: bool,
    /// Number of scripts in all contents. `None` if some were not read.
    pub scripts: Option<u32>,
}

pub fn measure_parts(object: &ObjectFacts, assets: &Assets<'_>, profile: &Profile) -> Vec<PartMeasures> {
    Stage::new(object, is_moving(&object.linkset), assets, profile).measured()
}

pub fn measure_object(object: &ObjectFacts, assets: &Assets<'_>, profile: &Profile) -> ObjectMeasures {
    let linkset = &object.linkset;
    let root = linkset.parts.first();
    let moving = is_moving(linkset);
    let stage = Stage::new(object, moving, assets, profile);
    let parts = stage.measured();
    let root_box =
        Bounds::around(linkset.parts.iter().enumerate().map(|(index, part)| in_root_axes(part, index)));
    let prims = prims(&parts, linkset);
    let region_box = Bounds::around(prims.iter().copied());
    let overall = match profile.physics.overall_box {
        BoxAxes::Root => root_box,
        BoxAxes::Region => region_box,
    };
    let mean_face_area = overall.map(|bounds| bounds.mean_face_area());
    let has = |flag| root.is_some_and(|root| root.has(flag));
    let weights = weights(object, &parts, mean_face_area, profile);
    let Weights { accounting, uncertain, physics: physics_cost_if_new, .. } = weights;
    let physics_cost = charged_physics(accounting, physics_cost_if_new);
    let streaming_cost_high = Cost::sum(parts.iter().map(|part| part.streaming_cost_high));
    let active = weights.physical || weights.scripts != Some(0);
    let simulator_resource_cost = match weights.scripts {
        None => Cost::not_evaluated(NotEvaluated::RowsUnread),
        Some(_) => simulation::simulator_resource_cost(weights.prims, active, &profile.simulation),
    };
    let in_force = match (weights.physical, moving && profile.physics.model == PhysicsModel::SecondLife) {
        (true, _) => weights.physics_if_physical,
        (false, true) => Cost::sum(parts.iter().map(|part| part.collision.physics_cost_dynamic)),
        (false, false) => physics_cost_if_new,
    };
    ObjectMeasures {
        content: object_content::of_object(object),
        accounting,
        pbr_may_opt_in: uncertain,
        link: Judgement::new(&prims, &centres(&parts, linkset), &profile.linkability),
        root_box,
        region_box,
        mean_face_area,
        physics_cost,
        physics_cost_if_new,
        physics_cost_if_physical: weights.physics_if_physical,
        physics_cost_in_force: charged_physics(accounting, in_force),
        physical_cap: physics::cap(physics_cost, &profile.physics),
        evaluated_parts: count(parts.iter().filter(|part| part.collision.physics_cost.exact().is_some())),
        unevaluated_parts: count(parts.iter().filter(|part| !part.collision.physics_cost.is_complete())),
        streaming_cost: weights.streaming,
        simulator_resource_cost,
        region_resource_cost: Cost::greatest([simulator_resource_cost, weights.streaming]),
        server_weight: weights.server_weight(profile),
        server_weight_range: weights.server_weight_range(profile),
        land_impact: weights.land_impact(profile),
        governing: weights.governing(profile),
        land_impact_range: weights.land_impact_range(streaming_cost_high, profile),
        land_impact_if_new: weights.if_new().land_impact(profile),
        land_impact_if_physical: Weights { physical: true, ..weights }.land_impact(profile),
        physical: weights.physical,
        phantom: has(flag::PHANTOM),
        temporary: has(flag::TEMPORARY_ON_REZ),
        volume_detect: root.is_some_and(|root| root.volume_detect),
        moving,
        scripted: scripts(&parts).is_some_and(|scripts| scripts > 0),
        animated: stage.animated,
        scripts: scripts(&parts),
        parts,
    }
}

/// Returns the number of scripts in all parts. `None` if contents were not read.
fn scripts(parts: &[PartMeasures]) -> Option<u32> {
    parts.iter().map(|part| part.scripts).sum()
}

fn weights(
    object: &ObjectFacts,
    parts: &[PartMeasures],
    mean_face_area: Option<f64>,
    profile: &Profile,
) -> Weights {
    let root = object.linkset.parts.first();
    Weights {
        accounting: accounting(&object.linkset.parts, profile),
        uncertain: pbr_may_opt_in(&object.linkset.parts, profile),
        prims: count(object.linkset.parts.iter()),
        physical: root.is_some_and(|root| root.has(flag::PHYSICS)),
        scripts: if object.linkset.parts.iter().any(Part::is_unread) { None } else { scripts(parts) },
        physics: Cost::sum(parts.iter().map(|part| part.collision.physics_cost)),
        physics_if_physical: penalised(parts, mean_face_area, &profile.physics),
        streaming: Cost::sum(parts.iter().map(|part| part.streaming_cost)),
    }
}

/// Returns the land impact of a linkset from the measures of its parts. A change of shape types or levels of detail
/// keeps the mean face area, which follows from sizes and positions.
pub fn land_impact(
    object: &ObjectFacts,
    parts: &[PartMeasures],
    mean_face_area: Option<f64>,
    profile: &Profile,
) -> Cost {
    weights(object, parts, mean_face_area, profile).land_impact(profile)
}

/// Whether a linkset moves, even if it is not physical.
fn is_moving(linkset: &Linkset) -> bool {
    let root = linkset.parts.first();
    linkset.keyframe_motion || root.is_some_and(|root| root.velocity.length_squared() > 0.0)
}

/// Returns the prims of a linkset for the rules of linkability, in the axes of the region and in link order.
pub fn prims(parts: &[PartMeasures], linkset: &Linkset) -> Vec<Prim> {
    let prim = |(measures, part): (&PartMeasures, &Part)| Prim {
        centre: measures.position,
        rotation: measures.rotation,
        scale: part.scale,
    };
    parts.iter().zip(&linkset.parts).map(prim).collect()
}

/// Returns the prims' centres in the axes of the root and in link order.
///
/// These are the exact numbers of the file, and positions in the region are rounded. The size of a sphere is the same
/// in all axes. The centre is NaN if the position in the region is not finite: such an object is not evaluated.
pub fn centres(parts: &[PartMeasures], linkset: &Linkset) -> Vec<DVec3> {
    let centre = |(index, part): (usize, &Part)| {
        let stands = parts[index].position.is_finite();
        if stands { in_root_axes(part, index).centre } else { DVec3::NAN }
    };
    linkset.parts.iter().enumerate().map(centre).collect()
}

/// Returns a part's box in the root's axes. The root is at the origin, regardless of the offset in its document.
fn in_root_axes(part: &Part, index: usize) -> Prim {
    let (centre, rotation) =
        if index == 0 { (DVec3::ZERO, DQuat::IDENTITY) } else { (part.offset_position, part.rotation) };
    Prim { centre, rotation, scale: part.scale }
}

fn penalised(parts: &[PartMeasures], mean_face_area: Option<f64>, settings: &Physics) -> Cost {
    let sum = Cost::sum(parts.iter().map(|part| part.collision.physics_cost_dynamic));
    match (settings.model, mean_face_area) {
        (PhysicsModel::OpensimUbode | PhysicsModel::OpensimBulletsim, _) => sum,
        (PhysicsModel::SecondLife, Some(area)) => sum.map(|cost| cost * physics::penalty(area, settings)),
        (PhysicsModel::SecondLife, None) if sum.value().is_none() => sum,
        (PhysicsModel::SecondLife, None) => Cost::not_evaluated(NotEvaluated::NotFinite),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cost::Basis,
        linkability::current::Verdict,
        measure::tests::{close, measured, object, sized, with_mesh},
        physics_shape::tests::{curved, mesh, mesh_part, prim},
    };
    use hullmark_format::{mesh::PhysicsCostData, object::Item};
    use hullmark_util::json_number::Number;
    use proptest::prelude::*;
    use std::f64::consts::FRAC_PI_2;

    /// The specification's linkset: ten boxes, one of them Convex Hull, with a bounding box of 3 m × 4 m × 5 m.
    fn ten_boxes() -> Vec<Part> {
        let mut parts: Vec<Part> = (0..10)
            .map(|n| {
                let mut part = prim();
                part.group_position = DVec3::new(128.0, 128.0, 9905.0);
                part.scale = DVec3::ONE;
                part.offset_position = DVec3::new((n % 3).into(), (n % 4).into(), (n % 5).into());
                part
            })
            .collect();
        parts[9].offset_position = DVec3::new(2.0, 3.0, 4.0);
        parts[9].physics_shape_type = Some(2);
        parts
    }

    #[test]
    fn the_ten_boxes_of_the_specification() {
        let rest = measured(ten_boxes());
        assert_eq!(rest.accounting, Accounting::New);
        assert_eq!(rest.root_box.unwrap().size(), DVec3::new(3.0, 4.0, 5.0));
        assert_eq!(rest.physics_cost, Cost::spec(1.0));
        assert_eq!(rest.physical_cap, CapVerdict::Allowed);
        close(rest.physics_cost_if_physical, 1.626_667);
        close(rest.streaming_cost, 0.6);
        close(rest.server_weight, 5.0);
        assert_eq!(rest.land_impact.value(), Some(5.0));
        assert_eq!((rest.evaluated_parts, rest.unevaluated_parts), (10, 0));

        let mut parts = ten_boxes();
        parts[0].flags = flag::PHYSICS;
        let physical = measured(parts);
        assert!(physical.physical);
        assert_eq!(physical.land_impact.value(), Some(5.0));
        assert_eq!(physical.land_impact, rest.land_impact_if_physical);
        close(physical.simulator_resource_cost, 10.1);
        close(physical.region_resource_cost, 10.1);
        close(rest.simulator_resource_cost, 5.05);
    }

    #[test]
    fn a_child_at_54_metres_is_too_far_at_any_place_and_rotation() {
        let verdict = |offset: DVec3, position: f64, turn: f64| {
            let (mut root, mut child) = (prim(), prim());
            root.group_position = DVec3::new(position, 20.3, 3_999.7);
            root.rotation = DQuat::from_euler(glam::EulerRot::XYZ, turn, 0.3 * turn, 0.7 * turn);
            child.offset_position = offset;
            measured(vec![root, child]).link.current.verdict
        };
        for (position, turn) in [0.0, 100.1, 255.9, 8_191.3].into_iter().zip([0.0, 1.0, 2.0, 3.0]) {
            for whole in [DVec3::X * 54.0, DVec3::NEG_Z * 54.0, DVec3::new(36.0, -36.0, 18.0)] {
                assert_eq!(verdict(whole, position, turn), Verdict::NotLinkable);
                let less = whole * (1.0 - 1e-12);
                assert_eq!(verdict(less, position, turn), Verdict::NotLinkable, "32 bits hold 54 m for it");
                assert_eq!(verdict(whole * (1.0 - 1e-6), position, turn), Verdict::Linkable);
            }
        }
    }

    #[test]
    fn the_duck_of_the_specification() {
        // 13 prim equivalents at 10 m, according to the simulator.
        let mut duck = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[8], None));
        duck.cost_data = Some(PhysicsCostData { decomposition: Some(Number(13.0)), ..Default::default() });
        let mut part = mesh_part();
        part.scale = DVec3::splat(10.0);
        part.flags = flag::PHYSICS;
        let measures = with_mesh(vec![part], &duck);
        assert_eq!(measures.physics_cost, Cost::simulator(13.0));
        close(measures.physics_cost_if_physical, 65.0);
        assert_eq!(measures.physical_cap, CapVerdict::Allowed, "the penalty does not count for the cap");
        assert_eq!(measures.land_impact.value(), Some(65.0));
        assert_eq!(measures.land_impact.basis(), Basis::Approximation, "the server weight is one");
    }

    #[test]
    fn an_unknown_part_makes_a_lower_bound() {
        let mut boxy = prim();
        boxy.physics_shape_type = Some(2);
        let measures = measured(vec![boxy, mesh_part(), mesh_part()]);
        assert_eq!(measures.physics_cost.basis(), Basis::LowerBound(NotEvaluated::MeshMissing));
        assert_eq!((measures.physics_cost.value(), measures.physics_cost.exact()), (Some(0.1), None));
        assert_eq!((measures.evaluated_parts, measures.unevaluated_parts), (1, 2));
        assert_eq!(measures.physical_cap, CapVerdict::NotEvaluated(NotEvaluated::MeshMissing));
        assert!(!measures.land_impact.is_complete());
        assert!(!measures.region_resource_cost.is_complete());
        let alone = measured(vec![mesh_part()]);
        assert_eq!(alone.physics_cost, Cost::not_evaluated(NotEvaluated::MeshMissing));
        assert_eq!(alone.land_impact.value(), Some(1.0));
        assert!(!alone.land_impact.is_complete());
    }

    #[test]
    fn children_turn_with_their_root() {
        let (mut root, mut child) = (prim(), prim());
        root.group_position = DVec3::new(10.0, 10.0, 10.0);
        root.rotation = DQuat::from_rotation_z(FRAC_PI_2);
        root.offset_position = DVec3::splat(99.0);
        child.offset_position = DVec3::X * 4.0;
        child.scale = DVec3::new(2.0, 0.5, 0.5);
        let measures = measured(vec![root, child]);
        assert!((measures.parts[1].position - DVec3::new(10.0, 14.0, 10.0)).length() < 1e-12);
        assert!((measures.link.current.diameter_m().unwrap() - 4.0).abs() < 1e-12);
        let size = |bounds: Option<Bounds>| bounds.unwrap().size();
        assert!((size(measures.root_box) - DVec3::new(5.25, 0.5, 0.5)).length() < 1e-12);
        assert!((size(measures.region_box) - DVec3::new(0.5, 5.25, 0.5)).length() < 1e-12);
    }

    #[test]
    fn non_finite_numbers_reach_no_sum() {
        let mut lost = mesh_part();
        lost.scale.x = f64::NAN;
        lost.offset_position.y = f64::NAN;
        let measures = with_mesh(vec![prim(), lost], &sized([0, 0, 0, 900], mesh(Some(8), &[], Some(2))));
        assert_eq!((measures.root_box, measures.region_box, measures.mean_face_area), (None, None, None));
        assert_eq!(measures.link.current.verdict, Verdict::NotEvaluated(NotEvaluated::NotFinite));
        assert_eq!(measures.physics_cost.basis(), Basis::LowerBound(NotEvaluated::NotFinite));
        assert_eq!(measures.physics_cost_if_physical, Cost::not_evaluated(NotEvaluated::NotFinite));
        assert_eq!(measures.streaming_cost.basis(), Basis::LowerBound(NotEvaluated::NotFinite));
    }

    #[test]
    fn flags_scripts_and_motion() {
        let mut root = prim();
        root.flags = flag::PHANTOM | flag::TEMPORARY_ON_REZ | flag::SCRIPTED;
        root.velocity.z = 0.1;
        let quiet = measured(vec![root.clone()]);
        assert!(quiet.phantom && quiet.temporary && quiet.moving && !quiet.physical);
        assert!(!quiet.scripted, "the flag alone may be stale");
        let script = Item { asset_type: 10, inventory_type: 10, ..Item::default() };
        root.inventory = vec![script; 3];
        let scripted = measured(vec![root]);
        assert_eq!((scripted.scripted, scripted.scripts), (true, Some(3)));
        close(scripted.server_weight, 1.0);
        let mut keyframed = object(vec![prim()]);
        keyframed.linkset.keyframe_motion = true;
        assert!(measure_object(&keyframed, &Assets::default(), &Profile::default()).moving);
    }

    #[test]
    fn an_object_without_parts_is_no_reason_to_panic() {
        assert_eq!(measured(Vec::new()).link.current.count, 0);
    }

    /// A linkset of boxes, cut prims and meshes.
    fn any_linkset() -> impl Strategy<Value = Vec<Part>> {
        let part = (0..4_u8, prop::array::uniform3(0.6..9.0), prop::array::uniform3(-20.0..20.0));
        let turn = prop::array::uniform4(-1.0..1.0_f64);
        proptest::collection::vec((part, turn), 1..6).prop_map(|parts| {
            let part = |((kind, scale, offset), [x, y, z, w]): ((u8, [f64; 3], [f64; 3]), [f64; 4])| {
                let mut part = match kind {
                    0 => prim(),
                    1 => curved(0, 32),
                    2 => mesh_part(),
                    _ => Part { physics_shape_type: Some(2), ..mesh_part() },
                };
                part.scale = DVec3::from_array(scale);
                part.offset_position = DVec3::from_array(offset);
                part.rotation = DQuat::from_xyzw(x, y, z, w + 1.1).normalize();
                part
            };
            let mut parts: Vec<Part> = parts.into_iter().map(part).collect();
            parts[0].offset_position = DVec3::ZERO;
            parts
        })
    }

    proptest! {
        #[test]
        fn turning_a_linkset_changes_no_cost(parts in any_linkset(), turn in prop::array::uniform3(-3.0..3.0)) {
            let mesh = mesh(Some(8), &[], Some(40));
            let [x, y, z] = turn;
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, x, y, z);
            let mut turned = parts.clone();
            turned[0].rotation = (turn * turned[0].rotation).normalize();
            let (before, after) = (with_mesh(parts, &mesh), with_mesh(turned, &mesh));
            prop_assert_eq!(before.physics_cost_if_new, after.physics_cost_if_new);
            prop_assert_eq!(before.physics_cost_if_physical, after.physics_cost_if_physical);
            prop_assert_eq!(before.streaming_cost, after.streaming_cost);
            prop_assert_eq!(before.land_impact, after.land_impact);
            let (before, after) = (before.link.current.diameter_m().unwrap(), after.link.current.diameter_m().unwrap());
            prop_assert!((before - after).abs() < 1e-9);
        }
    }
}
