//! The plans compared with all possible plans, and with objects.

use super::*;
use crate::{
    assets::Assets,
    measure::{measure_object, tests::object},
    physics_shape::tests::{mesh, mesh_part, prim},
};
use glam::DVec3;
use hullmark_format::object::Sculpt;
use hullmark_ledger::facts::MeshFacts;
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

/// Returns the possible changes of parts from costs before and after, in eighths.
fn offers(parts: &[(u16, Vec<u16>)]) -> Vec<Vec<ShapeChange>> {
    let cost = |eighths: u16| Cost::spec(f64::from(eighths) / 8.0);
    let step = |part, kind, before, after| ShapeChange {
        part,
        kind,
        before: cost(before),
        after: cost(after),
        representation: Representation::None,
        volume_change_m3: 0.0,
    };
    let of_part = |(part, (before, after)): (usize, &(u16, Vec<u16>))| {
        let changes = [Kind::ConvexHull, Kind::ShapeNone].into_iter().zip(after);
        let cheaper = changes.filter(|(_, after)| *after < before);
        cheaper.map(|(kind, after)| step(part, kind, *before, *after)).collect()
    };
    parts.iter().enumerate().map(of_part).collect()
}

fn saved(steps: &[ShapeChange]) -> f64 {
    steps.iter().map(ShapeChange::saving).sum()
}

/// Returns all ways to choose at most one change of each part.
fn all_choices(offers: &[Vec<ShapeChange>]) -> Vec<Vec<ShapeChange>> {
    let Some((first, rest)) = offers.split_first() else { return vec![Vec::new()] };
    let rest = all_choices(rest);
    let with =
        |step: &ShapeChange| rest.iter().map(|steps| [&[*step], &steps[..]].concat()).collect::<Vec<_>>();
    first.iter().flat_map(with).chain(rest.iter().cloned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_choice_has_fewer_changes(
        // Few distinct numbers, so that ties and equal parts are common.
        parts in vec((prop_oneof![0_u16..6, 0_u16..200], vec(prop_oneof![0_u16..6, 0_u16..200], 0..3)), 0..8),
        need in 1_u16..600,
    ) {
        let offers = offers(&parts);
        let suffice = |steps: &[ShapeChange]| saved(steps) >= f64::from(need) / 8.0;
        let found = fewest(&offers, suffice);
        let choices = all_choices(&offers);
        prop_assert!(choices.contains(&found), "one change of a part, in link order");
        match choices.iter().filter(|steps| suffice(steps)).map(Vec::len).min() {
            Some(least) => prop_assert!(suffice(&found) && found.len() == least, "{found:?}"),
            None => prop_assert!(choices.iter().all(|steps| saved(steps) <= saved(&found)), "{found:?}"),
        }
        for place in 0..found.len() {
            let mut hull = found.clone();
            hull[place] = offers[found[place].part][0];
            prop_assert!(hull == found || !suffice(&hull), "None where Convex Hull does: {found:?}");
        }
    }
}

#[test]
fn the_largest_savings_of_equal_ones_the_first() {
    let offers = offers(&[(50, vec![5]), (100, vec![10]), (100, vec![10]), (100, vec![20])]);
    let parts = |need: f64| -> Vec<usize> {
        fewest(&offers, |steps| saved(steps) >= need).iter().map(|step| step.part).collect()
    };
    assert_eq!((parts(1.0), parts(12.0), parts(20.0)), (vec![1], vec![1, 2], vec![1, 2]));
    assert_eq!(parts(1000.0), [0, 1, 2, 3]);
}

#[test]
fn ten_thousand_parts() {
    let parts: Vec<(u16, Vec<u16>)> = (0..10_000_u16).map(|n| (40 + n % 101, vec![n % 37, 0])).collect();
    let offers = offers(&parts);
    for share in [0.05, 0.5, 0.9] {
        let need = share * saved(&fewest(&offers, |_| false));
        let found = fewest(&offers, |steps| saved(steps) >= need);
        assert!(saved(&found) >= need && found.len() < 10_000, "{share}");
    }
}

fn planned(parts: Vec<Part>, mesh: &MeshFacts, budget: f64, allow_none: bool) -> Option<PhysicsPlan> {
    let (object, profile) = (object(parts), Profile::default());
    let mesh = MeshFacts { uuid: mesh_part().mesh(), ..mesh.clone() };
    let assets = Assets::new([&mesh], []);
    let measures = measure_object(&object, &assets, &profile);
    PhysicsPlan::find(&object, &measures, &assets, budget, Terms { allow_none, ..Terms::default() }, &profile)
}

/// Three parts of 1 m with 200 triangles, which cost 14.14 each and 0.36 as hulls.
fn heavy() -> (Vec<Part>, MeshFacts) {
    (vec![mesh_part(); 3], mesh(Some(8), &[], Some(200)))
}

fn about(cost: Cost, expected: f64) {
    assert!(cost.value().is_some_and(|cost| (cost - expected).abs() < 1e-3), "{cost:?} is not {expected}");
}

#[test]
fn triangles_become_a_hull_and_no_more_than_must() {
    let (parts, mesh) = heavy();
    let plan = planned(parts.clone(), &mesh, 32.0, false).unwrap();
    about(plan.before, 42.426);
    about(plan.after, 28.644);
    assert!(plan.reaches);
    assert_eq!((plan.steps.len(), plan.steps[0].part), (1, 0), "of equal parts the first");
    assert_eq!(plan.steps[0].representation, Representation::BaseHull);
    assert_eq!(plan.steps[0].volume_change_m3, 0.5);
    assert_eq!(plan.in_short(), "setting 1 prim to Convex Hull lowers it to 28.644");
    assert!(planned(parts, &mesh, 42.5, true).is_none(), "it is not above that");
}

#[test]
fn none_is_for_children_and_for_those_who_ask() {
    let (parts, mesh) = heavy();
    let without = planned(parts.clone(), &mesh, 1.0, false).unwrap();
    assert!(!without.reaches);
    about(without.after, 1.08);
    assert_eq!(without.in_short(), "setting 3 prims to Convex Hull lowers it to 1.08, the lowest possible");
    let with = planned(parts.clone(), &mesh, 1.0, true).unwrap();
    assert!(with.reaches);
    let changes: Vec<Kind> = with.steps.iter().map(|step| step.kind).collect();
    // One None suffices, for any part but the root.
    assert_eq!(changes, [Kind::ConvexHull, Kind::ConvexHull, Kind::ShapeNone]);
    about(with.after, 0.72);
    let most = planned(parts, &mesh, 0.1, true).unwrap();
    assert!(!most.reaches, "the root stays");
    about(most.after, 0.36);
    assert_eq!(
        most.in_short(),
        "setting 1 prim to Convex Hull and 2 prims to None lowers it to 0.36, the lowest possible"
    );
}

#[test]
fn a_lighter_child_is_no_reason_for_none() {
    let (parts, mesh) = heavy();
    let plan = planned(parts, &mesh, 32.0, true).unwrap();
    assert_eq!(plan.count(Kind::ShapeNone), 0, "Convex Hull comes first");
}

#[test]
fn a_decomposition_becomes_a_hull() {
    let mesh = mesh(Some(8), &[256; 4], None);
    let plan = planned(vec![mesh_part()], &mesh, 32.0, false).unwrap();
    about(plan.before, 41.12);
    about(plan.after, 0.36);
    assert!(plan.reaches && plan.coarser.is_empty());
}

#[test]
fn unknown_savings_are_not_offered() {
    let (mut parts, mesh) = heavy();
    let mut lost = mesh_part();
    lost.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(8), kind: 5 });
    parts.push(lost);
    let plan = planned(parts, &mesh, 1.0, true).unwrap();
    assert!(plan.reaches && plan.steps.iter().all(|step| step.part != 3));
    assert!(!plan.before.is_complete() && !plan.after.is_complete());
    assert_eq!(
        plan.in_short(),
        "setting 2 prims to Convex Hull and 1 prim to None lowers it to 0.72 or more"
    );
}

#[test]
fn a_mesh_without_base_hull_must_be_coarser() {
    let bare = mesh(None, &[], Some(1000));
    let mut parts = vec![mesh_part(), prim(), prim()];
    let plan = planned(parts.clone(), &bare, 32.0, false).unwrap();
    assert!(!plan.reaches && plan.steps.is_empty());
    assert_eq!(plan.in_short(), "no prim is known to be cheaper as Convex Hull");
    let [coarser] = &plan.coarser[..] else { panic!("{plan:?}") };
    // 32 − 0.2 are left; a triangle 0.7071 m wide costs 0.070711.
    assert_eq!((coarser.triangles, coarser.at_most), (1000, Some(449)));
    assert!((coarser.width_m - 0.5_f64.sqrt()).abs() < 1e-9);
    // 1,000 triangles of 1.573 m: 31.786.
    assert_eq!(coarser.wide_m, Some(1.573));
    parts.push(mesh_part());
    let plan = planned(parts, &bare, 32.0, false).unwrap();
    assert_eq!((plan.coarser[0].at_most, &plan.coarser[0].parts), (Some(224), &vec![0, 3]));
}

#[test]
fn a_grid_without_cap_asks_for_nothing() {
    assert_eq!(physical_cap(&Profile::load("opensim-ubode").unwrap()), None);
    assert_eq!(physical_cap(&Profile::default()), Some(32.0));
}

#[test]
fn volumes_as_far_as_they_are_known() {
    let mut part = prim();
    part.scale = DVec3::splat(2.0);
    let assets = Assets::default();
    let body = assets.body(&part);
    assert_eq!(volume_m3(Kind::ShapeNone, &part, Representation::Box, &body), 8.0);
    let ball = volume_m3(Kind::ShapeNone, &part, Representation::Sphere, &body);
    assert!((ball - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-12);
    // The hull of a box is the box, except for the rounding of its corners.
    assert!((volume_m3(Kind::ConvexHull, &part, Representation::SurfaceMesh, &body) - 8.0).abs() < 1e-3);
    let lost = Part { scale: part.scale, ..mesh_part() };
    assert_eq!(volume_m3(Kind::ConvexHull, &lost, Representation::TriangleMesh, &assets.body(&lost)), 4.0);
    part.scale.x = f64::NAN;
    assert_eq!(volume_m3(Kind::ShapeNone, &part, Representation::Box, &body), 0.0);
}
