//! Advice compared with numbers computed by hand, and with all possible pairs.

use super::measure_result::relink;
use super::*;
use crate::{
    linkability::current::{Verdict, evaluate},
    measure::{measure_object, tests::object},
    physics_shape::tests::{curved, prim},
};
use glam::{DQuat, DVec3};
use hullmark_format::object::Item;
use hullmark_ledger::{
    Ledger,
    facts::{RegionFacts, Role, Status},
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;
use uuid::Uuid;

const OWNER: u128 = 1;

fn script() -> Item {
    Item { asset_type: 10, inventory_type: 10, ..Item::default() }
}

/// Returns a part whose physics shape type is Convex Hull, so that its linkset is under new accounting.
fn convex() -> Part {
    Part { physics_shape_type: Some(2), ..prim() }
}

/// Returns a linkset of region 0 at this distance eastward; all its parts are at the position of its root.
fn linkset(number: u128, x: f64, parts: Vec<Part>) -> ObjectFacts {
    let mut facts = object(parts);
    facts.region = Some(0);
    for (index, part) in facts.linkset.parts.iter_mut().enumerate() {
        part.uuid = Uuid::from_u128(1000 * number + index as u128);
        part.owner = Uuid::from_u128(OWNER);
        part.group_position = DVec3::new(x, 20.0, 30.0);
    }
    facts
}

fn ledger(objects: Vec<ObjectFacts>) -> Ledger {
    Ledger {
        regions: vec![RegionFacts::of_folder(""); 2],
        objects,
        ..Ledger::empty("", hullmark_ledger::InputKind::Unknown, Status::Complete)
    }
}

/// Advice for region 0: kind, UUIDs, saving, land impact before and after, notes.
type Row = (Kind, Vec<u128>, f64, [f64; 2], Vec<Note>);

fn advice_rows(objects: &[ObjectFacts], profile: &Profile) -> Vec<Row> {
    let ledger = ledger(objects.to_vec());
    let measured = Measured::new(&ledger, profile);
    let reported = |advice: &Advice| {
        assert_eq!(advice.saving().basis(), crate::cost::Basis::Estimated);
        let uuids = advice.prims_of(&ledger).iter().map(|part| part.uuid.as_u128()).collect();
        let impact = [advice.before.land_impact, advice.after.land_impact].map(|cost| cost.exact().unwrap());
        (advice.kind, uuids, advice.saving().exact().unwrap(), impact, advice.notes.clone())
    };
    advise(&measured, 0, 10).iter().map(reported).collect()
}

fn by_default(objects: &[ObjectFacts]) -> Vec<Row> {
    advice_rows(objects, &Profile::default())
}

#[test]
fn two_boxes_save_three_quarters() {
    // Apart 2 × 0.5 × (1 + 1), linked 0.5 × (2 + 1/2).
    let pair = [linkset(1, 10.0, vec![prim()]), linkset(2, 20.0, vec![prim()])];
    assert_eq!(by_default(&pair), [(Kind::Link, vec![1000, 2000], 0.75, [2.0, 2.0], vec![])]);
    let ledger = ledger(pair.to_vec());
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let advice = &advise(&measured, 0, 10)[0];
    assert_eq!((advice.objects.len(), advice.prims, advice.diameter_m), (2, 2, 10.0));
    assert!(advise(&measured, 1, 10).is_empty() && advise(&measured, 0, 0).is_empty());
}

#[test]
fn fifty_four_metres_are_too_far_on_every_grid() {
    let at = |distance: f64| [linkset(1, 10.0, vec![prim()]), linkset(2, 10.0 + distance, vec![prim()])];
    for profile in [Profile::default(), Profile::load("opensim-ubode").unwrap()] {
        assert_eq!(advice_rows(&at(53.999), &profile).len(), 1);
        assert_eq!(advice_rows(&at(54.0), &profile), []);
    }
    let mut narrow = Profile::default();
    narrow.linkability.max_diameter_m = 5.0;
    assert_eq!(advice_rows(&at(10.0), &narrow), []);
}

#[test]
fn a_linkset_takes_255_prims_and_the_rest_is_the_next_best() {
    let boxes: Vec<_> = (0..258_u32).map(|n| linkset(n.into(), f64::from(n) * 0.1, vec![prim()])).collect();
    let reported = by_default(&boxes);
    let sizes: Vec<usize> = reported.iter().map(|(_, uuids, ..)| uuids.len()).collect();
    assert_eq!(sizes, [255, 3]);
    // 255 × 1 − 0.5 × (255 + 1/255).
    assert!((reported[0].2 - (127.5 - 0.5 / 255.0)).abs() < 1e-9);
}

#[test]
fn a_crowd_is_linked_until_nothing_is_left() {
    let boxes: Vec<_> = (0..900_u32).map(|n| linkset(n.into(), f64::from(n % 9), vec![prim()])).collect();
    let sizes: Vec<usize> = by_default(&boxes).iter().map(|(_, uuids, ..)| uuids.len()).collect();
    assert_eq!(sizes, [255, 255, 255, 135]);
}

#[test]
fn a_small_one_farther_away_is_better_than_a_large_one_that_fills_the_linkset() {
    let house = linkset(1, 11.0, vec![prim(); 254]);
    let small = [linkset(2, 10.0, vec![prim()]), linkset(3, 40.0, vec![prim()])];
    let reported = by_default(&[vec![house], small.to_vec()].concat());
    assert_eq!(
        reported.iter().map(|reported| (&reported.1[..], reported.2)).collect::<Vec<_>>(),
        [(&[2000, 3000][..], 0.75)]
    );
}

#[test]
fn the_linkset_with_the_most_prims_keeps_its_root() {
    let linksets = [linkset(1, 10.0, vec![prim()]), linkset(2, 11.0, vec![prim(); 3])];
    assert_eq!(by_default(&linksets)[0].1, [2000, 1000]);
}

#[test]
fn some_are_left_alone() {
    let with = |change: fn(&mut ObjectFacts)| {
        let mut changed = [linkset(1, 10.0, vec![prim()]), linkset(2, 11.0, vec![prim()])];
        change(&mut changed[1]);
        by_default(&changed)
    };
    assert_eq!(with(|_| ()).len(), 1);
    assert_eq!(with(|object| object.role = Role::Nested), []);
    assert_eq!(with(|object| object.region = Some(1)), []);
    assert_eq!(with(|object| object.linkset.keyframe_motion = true), []);
    let changes: [fn(&mut Part); 12] = [
        |root| root.owner = Uuid::from_u128(2),
        |root| root.inventory.push(script()),
        |root| root.flags = flag::PHYSICS,
        |root| root.flags = flag::PHANTOM,
        |root| root.flags = flag::TEMPORARY_ON_REZ,
        |root| root.volume_detect = true,
        |root| root.velocity.x = 1.0,
        |root| root.angular_velocity.z = 1.0,
        |root| root.state = 6,
        |root| root.shape.animesh = true,
        |root| root.shape.pcode = 255,
        |root| root.group_position.x = f64::NAN,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = [linkset(1, 10.0, vec![prim()]), linkset(2, 11.0, vec![prim()])];
        change(&mut changed[1].linkset.parts[0]);
        assert_eq!(by_default(&changed), [], "change {number}");
    }
    let nobodys = [1, 2].map(|number| {
        let mut object = linkset(number, 10.0, vec![prim()]);
        object.linkset.parts[0].owner = Uuid::nil();
        object
    });
    assert_eq!(by_default(&nobodys), []);
}

#[test]
fn a_box_comes_under_new_accounting_and_is_reported_so() {
    let pair = [linkset(1, 10.0, vec![prim()]), linkset(2, 11.0, vec![convex()])];
    // Weights of the two together: server 2 × 0.5, the others less.
    assert_eq!(
        by_default(&pair),
        [(Kind::Link, vec![1000, 2000], 0.75, [2.0, 1.0], vec![Note::NewAccounting])]
    );
}

#[test]
fn nothing_is_linked_that_would_raise_land_impact_or_nobody_knows_by_what() {
    let ring = || curved(0, 32);
    let rings = [linkset(1, 10.0, vec![ring()]), linkset(2, 11.0, vec![ring()])];
    assert_eq!(by_default(&rings)[0].3, [2.0, 2.0], "legacy stays legacy");
    let dear = [linkset(1, 10.0, vec![ring()]), linkset(2, 11.0, vec![convex()])];
    assert_eq!(by_default(&dear), []);
    let mut sculpted = prim();
    sculpted.shape.sculpt = Some(hullmark_format::object::Sculpt { asset: Uuid::from_u128(5), kind: 1 });
    let lost = [linkset(1, 10.0, vec![sculpted.clone()]), linkset(2, 11.0, vec![convex()])];
    assert_eq!(by_default(&lost), [], "its map is missing, so its weight under new accounting is not known");
}

fn scripted(parts: usize, mut root: Part) -> ObjectFacts {
    root.inventory.push(script());
    let mut all = vec![root];
    all.resize(parts, prim());
    linkset(1, 10.0, all)
}

#[test]
fn ten_boxes_with_two_that_must_stay() {
    let mut cabinet = scripted(10, prim());
    cabinet.linkset.parts[0].inventory.clear();
    cabinet.linkset.parts[2].inventory.push(script());
    // Before 10 + 1/10; after 2 + 1/2 and 0.5 × (8 + 1/8).
    let reported = by_default(&[cabinet.clone()]);
    assert_eq!(reported.len(), 1);
    let (kind, leaving, saving, impact, notes) = &reported[0];
    assert_eq!(
        (*kind, leaving.as_slice()),
        (Kind::Split, &[1001, 1003, 1004, 1005, 1006, 1007, 1008, 1009][..])
    );
    assert!((saving - (10.1 - 2.5 - 4.0625)).abs() < 1e-12);
    assert_eq!((*impact, notes.as_slice()), ([10.0, 10.0], &[Note::Scripts][..]));
    // The prims that are split off must be linkable, and here they are not.
    cabinet.linkset.parts[9].offset_position.x = 60.0;
    assert_eq!(by_default(&[cabinet]), []);
}

#[test]
fn a_pair_is_not_worth_splitting_and_a_triple_is() {
    // 2 + 1/2 against 2 + 1; 3 + 1/3 against 2 + 1.25.
    assert_eq!(by_default(&[scripted(2, prim())]), []);
    let reported = by_default(&[scripted(3, prim())]);
    assert!((reported[0].2 - (10.0 / 3.0 - 3.25)).abs() < 1e-12);
}

#[test]
fn prims_split_off_a_physical_linkset_stay_behind() {
    let mut cart = linkset(1, 10.0, vec![prim(); 4]);
    cart.linkset.parts[0].flags = flag::PHYSICS;
    assert_eq!(by_default(&[cart])[0].4, [Note::Motion]);
}

#[test]
fn a_split_that_raises_land_impact_says_so() {
    // 10 × 0.5 + 0.25 rounds to 5; nine separate prims cost 9.
    let reported = by_default(&[scripted(10, convex())]);
    assert_eq!(
        (reported[0].3, reported[0].4.as_slice()),
        ([5.0, 10.0], &[Note::Scripts, Note::LandImpact][..])
    );
    let mut sensor = scripted(10, prim());
    sensor.linkset.parts[0].volume_detect = true;
    assert_eq!(by_default(&[sensor]), [], "it notices with all of its prims");
}

#[test]
fn a_part_that_does_not_collide_becomes_no_root() {
    let mut lamp = scripted(5, prim());
    lamp.linkset.parts[1].physics_shape_type = Some(1);
    let reported = by_default(&[lamp.clone()]);
    assert_eq!(reported[0].1, [1002, 1001, 1003, 1004]);
    // 2.75 rounds to 3; apart 1 and 2.
    assert_eq!(reported[0].3, [3.0, 3.0]);
    lamp.linkset.parts.truncate(2);
    lamp.linkset.parts.resize(5, lamp.linkset.parts[1].clone());
    assert_eq!(by_default(&[lamp]), []);
}

#[test]
fn relinked_parts_stay_where_they_are() {
    let mut parts = vec![prim(); 3];
    parts[0].rotation = DQuat::from_rotation_z(1.0);
    (parts[1].offset_position, parts[1].rotation) = (DVec3::X * 3.0, DQuat::from_rotation_x(0.7));
    parts[2].offset_position = DVec3::new(1.0, -2.0, 0.5);
    let facts = linkset(1, 10.0, parts);
    let measure =
        |object: &ObjectFacts| measure_object(object, &crate::assets::Assets::default(), &Profile::default());
    let before = measure(&facts);
    let turned = facts.linkset.parts.iter().zip(&before.parts).rev();
    let after = measure(&relink(turned));
    for (before, after) in before.parts.iter().zip(after.parts.iter().rev()) {
        assert!(before.position.distance(after.position) < 1e-12);
        assert!(before.rotation.angle_between(after.rotation) < 1e-6);
    }
}

/// Returns a profile with limits that a few linksets reach.
fn tight(base: &str) -> Profile {
    let mut profile = Profile::load(base).unwrap();
    (profile.linkability.max_diameter_m, profile.linkability.max_prims) = (12.0, 6);
    profile
}

/// Up to seven linksets of two owners, some of them scripted or physical.
fn regions() -> impl Strategy<Value = Vec<ObjectFacts>> {
    let place = prop::array::uniform3(0..12_i32);
    let one = (place, 0..5_u8, 1..5_usize, 0..8_u8, 0..4_u8);
    vec(one, 0..8).prop_map(|all| {
        let object =
            |(number, ([x, y, z], kind, count, state, owner)): (usize, ([i32; 3], u8, _, u8, u8))| {
                let part = match kind {
                    0 => convex(),
                    1 => curved(0, 32),
                    _ => prim(),
                };
                let mut facts = linkset(100 - number as u128, f64::from(x), vec![part; count]);
                for (index, part) in facts.linkset.parts.iter_mut().enumerate() {
                    part.group_position += DVec3::new(0.0, f64::from(y), f64::from(z));
                    part.offset_position.x = index as f64 * 0.5;
                    part.owner = Uuid::from_u128(if owner == 0 { 2 } else { OWNER });
                }
                match state {
                    0 => facts.linkset.parts[count - 1].inventory.push(script()),
                    1 => facts.linkset.parts[0].flags = flag::PHYSICS,
                    _ => {}
                }
                facts
            };
        all.into_iter().enumerate().map(object).collect()
    })
}

/// Returns the saving of a link by the formula; `None` if the link is not sound.
fn by_hand(group: &[Candidate<'_>], profile: &Profile) -> Option<f64> {
    let centres: Vec<DVec3> =
        group.iter().flat_map(Candidate::parts).map(|(_, measures)| measures.position).collect();
    let linked = relink(group.iter().flat_map(Candidate::parts));
    let linked = measure_object(&linked, &crate::assets::Assets::default(), profile);
    let impact: f64 = group.iter().map(|linkset| linkset.measures.land_impact.exact().unwrap()).sum();
    let sound = evaluate(&centres, &profile.linkability).verdict == Verdict::Linkable
        && linked.land_impact.exact().unwrap() <= impact
        && group.iter().all(|linkset| !linkset.active() && linkset.root.owner == group[0].root.owner);
    let low = |parts: usize| 0.5 * (parts as f64 + 1.0 / parts as f64);
    let apart: f64 = group.iter().map(|linkset| low(linkset.measures.parts.len())).sum();
    sound.then(|| apart - low(centres.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn advice_is_sound_and_no_pair_is_better(objects in regions(), second_life: bool) {
        let profile = tight(if second_life { "second-life" } else { "opensim-ubode" });
        let ledger = ledger(objects.clone());
        let measured = Measured::new(&ledger, &profile);
        let here = candidates(&measured, 0);
        let advice = advise(&measured, 0, 10);
        let mut seen = BTreeSet::new();
        for linking in advice.iter().filter(|advice| advice.kind == Kind::Link) {
            let mut roots = linking.prims_of(&ledger).into_iter();
            prop_assert!(roots.all(|root| seen.insert(root.uuid)), "it is in two groups");
            let group: Vec<_> =
                here.iter().filter(|one| linking.objects.contains(&one.number)).copied().collect();
            prop_assert_eq!(group.len(), linking.objects.len());
            let saving = by_hand(&group, &profile);
            prop_assert!(saving.is_some_and(|saving| (saving - linking.saving().value().unwrap()).abs() < 1e-9));
        }
        let pairs = here.iter().enumerate().flat_map(|(n, a)| here[n + 1..].iter().map(move |b| [*a, *b]));
        let best = pairs.filter_map(|pair| by_hand(&pair, &profile)).fold(0.0, f64::max);
        let found = advice.iter().find(|advice| advice.kind == Kind::Link);
        let found = found.map_or(0.0, |advice| advice.saving().value().unwrap());
        prop_assert!(found >= best - 1e-9, "{found} is less than {best}");

        for splitting in advice.iter().filter(|advice| advice.kind == Kind::Split) {
            let split = &ledger.objects[splitting.objects[0]];
            prop_assert!(seen.insert(split.linkset.parts[0].uuid));
            let all = splitting.prims as f64;
            let leaving = splitting.parts.len() as f64;
            let staying = all - leaving;
            let after = staying + 1.0 / staying + 0.5 * (leaving + 1.0 / leaving);
            let saving = splitting.saving().value().unwrap();
            prop_assert!(saving > 0.0 && (saving - (all + 1.0 / all - after)).abs() < 1e-9);
            prop_assert!(splitting.prims_of(&ledger).iter().all(|part| part.inventory.is_empty()));
        }
    }

    #[test]
    fn the_order_of_the_export_changes_nothing(objects in regions(), turn in 0..7_usize) {
        let mut turned = objects.clone();
        turned.rotate_left(turn.min(objects.len()));
        let profile = tight("second-life");
        prop_assert_eq!(advice_rows(&objects, &profile), advice_rows(&turned, &profile));
    }
}
