//! Plans applied to objects, and measured again.

use super::*;
use crate::{
    measure::{measure_object, tests::sized},
    physics_shape::tests::{curved, mesh, mesh_part, prim},
};
use glam::DVec3;
use hullmark_format::object::{Item, Part, part::flag};
use hullmark_ledger::{
    Ledger,
    facts::{MeshFacts, ObjectFacts, RegionFacts, Status},
};
use hullmark_settings::profile::Profile;
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

fn terrain() -> MeshFacts {
    let mesh = MeshFacts { uuid: mesh_part().mesh(), ..mesh(Some(8), &[], Some(400)) };
    sized([9_000, 12_000, 16_000, 40_000], mesh)
}

fn part(form: u8, shape_type: Option<u8>, side: f64) -> Part {
    let form = match form {
        0 => prim(),
        1 => curved(0, 16),
        2 => curved(0, 32),
        _ => mesh_part(),
    };
    Part { physics_shape_type: shape_type, scale: DVec3::splat(side), ..form }
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let shape_type = prop_oneof![Just(None), Just(Some(0)), Just(Some(2))];
    let prim = (0_u8..4, shape_type, 0.1_f64..20.0, 0_usize..3);
    (vec(prim, 1..7), any::<bool>()).prop_map(|(parts, physical)| {
        let mut parts: Vec<Part> = parts
            .into_iter()
            .map(|(form, shape_type, side, scripts)| {
                let mut part = part(form, shape_type, side);
                part.inventory =
                    vec![Item { asset_type: 10, inventory_type: 10, ..Item::default() }; scripts];
                part
            })
            .collect();
        if physical {
            parts[0].flags |= flag::PHYSICS;
        }
        for (index, part) in parts.iter_mut().enumerate() {
            part.link_number = index as i32 + 1;
        }
        parts
    })
}

fn ledger(linksets: Vec<Vec<Part>>) -> Ledger {
    let object = |(number, mut parts): (usize, Vec<Part>)| {
        for (index, part) in parts.iter_mut().enumerate() {
            part.uuid = Uuid::from_u128((1000 * number + index) as u128);
        }
        ObjectFacts { region: Some(0), ..crate::measure::tests::object(parts) }
    };
    Ledger {
        regions: vec![RegionFacts::of_folder("")],
        objects: linksets.into_iter().enumerate().map(object).collect(),
        meshes: vec![terrain()],
        ..Ledger::empty("", hullmark_ledger::InputKind::Unknown, Status::Complete)
    }
}

fn apply(ledger: &mut Ledger, action: &Action) {
    let shape_type = match action.kind {
        Kind::ConvexHull => 2,
        Kind::ShapeNone => 1,
        Kind::RemoveCopy => {
            action.objects.iter().for_each(|&object| ledger.objects[object].region = None);
            return;
        }
        Kind::CoarserLevels | Kind::ReplacePhysics | Kind::Link | Kind::SplitOff => return,
    };
    for &object in &action.objects {
        for &part in &action.parts {
            ledger.objects[object].linkset.parts[part].physics_shape_type = Some(shape_type);
        }
    }
}

fn total(ledger: &Ledger, profile: &Profile) -> f64 {
    Measured::new(ledger, profile).regions[0].total.land_impact.value().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn applied_actions_give_the_promised_land_impact(linksets in vec(parts(), 1..5), allow_none in any::<bool>()) {
        let profile = Profile::default();
        let mut ledger = ledger(linksets);
        let before = ledger.clone();
        let measured = Measured::new(&before, &profile);
        let actions = of_region(&measured, 0, &[], Terms { allow_none, ..Terms::default() });
        let actions = joined(actions, 0.1, &measured);
        let mut promised = total(&ledger, &profile);
        prop_assert!(actions.is_sorted_by(|a, b| a.saved_per_edit >= b.saved_per_edit));
        for action in actions.iter().filter(|action| action.kind != Kind::CoarserLevels) {
            prop_assert!(action.saving() > 0.5);
            apply(&mut ledger, action);
            promised -= action.saving();
            // A step for levels of detail is last in its plan, so shapes alone give the same sum.
            prop_assert_eq!(total(&ledger, &profile), promised);
        }
        let saved: f64 = actions.iter().map(Action::saving).sum();
        let all: f64 = measured.regions[0].total.land_impact.value().unwrap();
        prop_assert!(saved <= all - measured.objects.len() as f64, "each object keeps 1");
    }

    #[test]
    fn a_goal_is_reached_and_needs_all_its_actions(linksets in vec(parts(), 1..6), share in 0.0_f64..1.0) {
        let (profile, ledger) = (Profile::default(), ledger(linksets));
        let measured = Measured::new(&ledger, &profile);
        let actions = of_region(&measured, 0, &[], Terms::default());
        let present = total(&ledger, &profile);
        let goal = Goal { present, at_most: (present * share).floor() };
        let found = goal.reach(&actions);
        let least: f64 = present - actions.iter().map(Action::saving).sum::<f64>();
        prop_assert_eq!(found.reached, least <= goal.at_most);
        prop_assert_eq!(found.after, present - found.actions.iter().map(Action::saving).sum::<f64>());
        for (index, action) in found.actions.iter().enumerate().filter(|_| found.reached) {
            let needed_by_a_later_step =
                found.actions[index + 1..].iter().any(|later| later.objects == action.objects);
            prop_assert!(needed_by_a_later_step || found.after + action.saving() > goal.at_most);
        }
    }
}

#[test]
fn one_prim_as_convex_hull_halves_a_legacy_linkset() {
    let ledger = ledger(vec![vec![prim(); 32]]);
    let (profile, numbers) = (Profile::default(), 1..=32);
    let measured = Measured::new(&ledger, &profile);
    assert_eq!(measured.objects[0].land_impact.value(), Some(f64::from(numbers.count() as u32)));
    let [action] = &of_region(&measured, 0, &[], Terms::default())[..] else { panic!("one action") };
    assert_eq!((action.kind, action.edits, action.parts.as_slice()), (Kind::ConvexHull, 1, &[0][..]));
    assert_eq!([action.before.value(), action.after.value()], [Some(32.0), Some(16.0)]);
}

#[test]
fn alike_objects_share_an_action() {
    let bench = |owner: u128| {
        let root = Part { name: "Bench".into(), owner: Uuid::from_u128(owner), ..prim() };
        vec![root, prim(), prim(), prim()]
    };
    let mut ledger = ledger(vec![bench(1), bench(2), bench(1)]);
    for (number, object) in ledger.objects.iter_mut().enumerate() {
        object.linkset.parts[0].group_position.x = number as f64;
    }
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let actions = of_region(&measured, 0, &[], Terms::default());
    let shapes: Vec<&Action> = actions.iter().filter(|action| action.kind == Kind::ConvexHull).collect();
    assert_eq!(shapes.iter().map(|action| &action.objects[..]).collect::<Vec<_>>(), [&[0, 2][..], &[1]]);
    assert_eq!(shapes[0].edits, 2);
    assert_eq!(shapes[0].saving(), 2.0 * shapes[1].saving());
    assert_eq!(shapes[0].saved_per_edit, shapes[1].saved_per_edit);
}

#[test]
fn a_copy_is_deleted_and_has_no_other_plan() {
    let ledger = ledger(vec![vec![prim(); 4], vec![prim(); 4], vec![prim(); 4]]);
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let actions = of_region(&measured, 0, &[], Terms::default());
    let rows: Vec<_> = actions.iter().map(|it| (it.kind, &it.objects[..], it.edits, it.saving())).collect();
    assert_eq!(rows, [(Kind::RemoveCopy, &[1, 2][..], 2, 8.0), (Kind::ConvexHull, &[0], 1, 2.0)]);
}

#[test]
fn coarser_levels_give_the_promised_land_impact() {
    let tree = Part { physics_shape_type: Some(2), ..part(3, Some(2), 4.0) };
    let ledger = ledger(vec![vec![tree]]);
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let promised = [None, Some(FEW)].map(|lowest_at_most| {
        let terms = Terms { lowest_at_most, ..Terms::default() };
        let [action] = &of_region(&measured, 0, &[], terms)[..] else { panic!("one action") };
        assert_eq!((action.kind, action.edits), (Kind::CoarserLevels, 1));
        // The header of the new mesh has the sizes that such levels take: 16 bytes for each triangle, and 384.
        let [Upload::Levels(target)] = &action.uploads[..] else { panic!("{action:?}") };
        let sizes = target.triangles.map(|count| count as i64 * 16 + 384);
        let coarser = sized(sizes, terrain());
        let assets = crate::assets::Assets::new([&coarser], []);
        let after = measure_object(&ledger.objects[0], &assets, &profile).land_impact;
        assert_eq!(after.value(), action.after.value());
        assert!(target.triangles[2] <= target.triangles[3] / 3 + 1);
        assert!(lowest_at_most.is_none_or(|most| target.triangles[0] == u64::from(most)));
        after.value().unwrap()
    });
    assert!(promised[1] < promised[0], "{promised:?}");
}

#[test]
fn a_target_that_charges_each_prim_alike_has_no_plan() {
    let ledger = ledger(vec![vec![part(3, Some(0), 10.0); 3]]);
    let profile = Profile::load("opensim-ubode").unwrap();
    let measured = Measured::new(&ledger, &profile);
    assert!(of_region(&measured, 0, &[], Terms { allow_none: true, ..Terms::default() }).is_empty());
}

#[test]
fn openings_are_kept_by_boxes_whose_weight_is_measured() {
    let mut ledger = ledger(vec![vec![part(3, Some(0), 2.0)]]);
    let door = MeshFacts { uuid: mesh_part().mesh(), ..mesh(Some(8), &[], Some(4_000)) };
    ledger.meshes = vec![sized([900, 1_200, 1_600, 4_000], door)];
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let terms = Terms { keep_openings: true, ..Terms::default() };
    let actions = of_region(&measured, 0, &[], terms);
    let action = actions.iter().find(|action| action.kind == Kind::ReplacePhysics).unwrap();
    let [Upload::Physics(target)] = &action.uploads[..] else { panic!("{action:?}") };
    // The new asset has a decomposition of boxes and no triangles: 0.04 · (8 + 1) for each box.
    let boxed = mesh(Some(8), &vec![8; target.boxes as usize], None);
    let boxed = MeshFacts { uuid: Some(target.mesh), ..boxed };
    let boxed = sized([900, 1_200, 1_600, 4_000], boxed);
    let assets = crate::assets::Assets::new([&boxed], []);
    let after = measure_object(&ledger.objects[0], &assets, &profile);
    assert_eq!(after.land_impact.value(), action.after.value());
    let weight = after.physics_cost_if_new.value().unwrap();
    assert!((weight - 0.36 * f64::from(target.boxes)).abs() < 1e-9, "{weight}");
    assert!((2..=16).contains(&target.boxes));
}

#[test]
fn a_flat_base_hull_is_replaced_and_never_used() {
    let mut ledger = ledger(vec![vec![part(3, Some(0), 2.0)]]);
    let mut flat = MeshFacts { uuid: mesh_part().mesh(), ..mesh(Some(8), &[], Some(4_000)) };
    flat.convex.as_mut().and_then(|convex| convex.base.as_mut()).unwrap().rank = 2;
    ledger.meshes = vec![sized([900, 1_200, 1_600, 4_000], flat)];
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let kinds: Vec<Kind> =
        of_region(&measured, 0, &[], Terms::default()).iter().map(|action| action.kind).collect();
    assert_eq!(kinds[0], Kind::ReplacePhysics);
    assert!(!kinds.contains(&Kind::ConvexHull));
}

/// Convex Hull does not help where the base hulls are heavy. The object is built as advised, and measured.
#[test]
fn heavy_base_hulls_are_uploaded_again_as_bounding_boxes() {
    let convex = |number: u32| {
        let mut part = mesh_part();
        (part.link_number, part.physics_shape_type) = (i32::try_from(number).unwrap(), Some(2));
        part
    };
    let mut ledger = ledger(vec![vec![convex(1), convex(2)]]);
    let uuid = mesh_part().mesh();
    ledger.meshes = vec![sized([400; 4], MeshFacts { uuid, ..mesh(Some(200), &[], None) })];
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    // 0.04 · (200 + 1) for each of two prims.
    assert_eq!(measured.objects[0].land_impact.value(), Some(16.0));
    let actions = of_region(&measured, 0, &[], Terms::default());
    let action = actions.iter().find(|action| action.kind == Kind::ReplacePhysics).unwrap();
    let [Upload::Physics(PhysicsTarget { boxes: 1, .. })] = &action.uploads[..] else { panic!("{action:?}") };
    assert_eq!((action.edits, &*action.parts), (1, &[0, 1][..]), "one mesh, two prims");
    let boxed = sized([400; 4], MeshFacts { uuid, ..mesh(Some(8), &[8], None) });
    let assets = crate::assets::Assets::new([&boxed], []);
    let after = measure_object(&ledger.objects[0], &assets, &profile);
    assert_eq!((after.land_impact.value(), action.after.value()), (Some(1.0), Some(1.0)));
    let kept = Terms { keep_openings: true, ..Terms::default() };
    let kinds: Vec<Kind> = of_region(&measured, 0, &[], kept).iter().map(|action| action.kind).collect();
    assert!(!kinds.contains(&Kind::ReplacePhysics), "a bounding box closes openings: {kinds:?}");
}
