//! The planner compared with all possible plans, and with sets whose best plan is known.

use super::*;
use crate::linkability::{
    Prim,
    current::{as_held, evaluate},
};
use glam::{DQuat, DVec3};
use hullmark_geometry::{bounds::Bounds, noise};
use hullmark_settings::profile::{Linkability, Profile};
use proptest::{collection::vec, prelude::*};

fn limits() -> Linkability {
    Profile::default().linkability
}

fn capped(max_prims: u32) -> Linkability {
    Linkability { max_prims, ..limits() }
}

/// Returns a plan after checks: every prim in one piece, the root in the first, every piece linkable.
fn plan(centres: &[DVec3], limits: &Linkability) -> Plan {
    let plan = split(&Spheres::new(centres, limits)).unwrap();
    for piece in &plan.pieces {
        let of_piece: Vec<DVec3> = piece.prims.iter().map(|&prim| as_held(centres[prim])).collect();
        let outcome = evaluate(&of_piece, limits);
        assert!(!outcome.span_exceeded && !outcome.count_exceeded, "{piece:?}");
        assert_eq!(outcome.diameter_m(), Some(piece.size_m));
    }
    whole(&plan, centres.len());
    plan
}

fn whole(plan: &Plan, count: usize) {
    let mut all: Vec<usize> = plan.pieces.iter().flat_map(|piece| piece.prims.clone()).collect();
    assert_eq!(plan.pieces[0].prims[0], 0);
    assert!(plan.pieces.iter().all(|piece| piece.prims.is_sorted()));
    assert!(plan.at_least <= plan.pieces.len() && plan.pieces[0].prims.len() <= plan.root_at_most);
    all.sort_unstable();
    assert_eq!(all, (0..count).collect::<Vec<_>>());
}

fn counts(plan: &Plan) -> Vec<usize> {
    plan.pieces.iter().map(|piece| piece.prims.len()).collect()
}

/// Returns the best of all partitions: the fewest pieces, and then the most prims in the root's piece.
fn oracle(count: usize, passes: impl Fn(&[usize]) -> bool) -> (usize, usize) {
    let mut best = (usize::MAX, Reverse(0));
    let mut open: Vec<Vec<Vec<usize>>> = vec![vec![vec![0]]];
    while let Some(pieces) = open.pop() {
        let next = pieces.iter().map(Vec::len).sum();
        if next == count {
            if pieces.iter().all(|piece| passes(piece)) {
                best = best.min((pieces.len(), Reverse(pieces[0].len())));
            }
            continue;
        }
        for piece in 0..=pieces.len() {
            let mut more = pieces.clone();
            more.resize(pieces.len().max(piece + 1), Vec::new());
            more[piece].push(next);
            open.push(more);
        }
    }
    (best.0, best.1.0)
}

fn assert_best(plan: &Plan, (fewest, root): (usize, usize)) {
    assert_eq!((plan.pieces.len(), plan.at_least), (fewest, fewest), "{plan:?}");
    assert_eq!((plan.pieces[0].prims.len(), plan.root_at_most), (root, root), "{plan:?}");
    assert!(plan.fewest() && plan.root_largest());
}

/// Centres of which about half of the pairs may be together. The coarse grid makes equal distances common.
fn centres() -> impl Strategy<Value = Vec<DVec3>> {
    let coarse =
        (0u8..5, 0u8..5, 0u8..3).prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()) * 18.0);
    let fine = (0.0..90.0, 0.0..70.0, 0.0..50.0).prop_map(|(x, y, z)| DVec3::new(x, y, z + 3000.0));
    prop_oneof![vec(coarse, 1..8), vec(fine, 1..8)]
}

/// Checks the search alone: no plan with fewer pieces, and the best plan with as many.
fn assert_found<R: Rule>(rule: &R, (fewest, root): (usize, usize)) {
    let group = Group::whole(rule);
    let all = |pieces| search(&group, Goal { pieces, root: 1, enough: usize::MAX }, &mut (1 << 40)).unwrap();
    let found = all(fewest);
    let cover = found.cover.unwrap();
    assert_eq!((found.complete, cover.len(), root_count(&cover)), (true, fewest, root));
    if fewest > 1 {
        let found = all(fewest - 1);
        assert!(found.complete && found.cover.is_none());
    }
}

/// Compares the estimates of a rule with its result for the whole set.
fn assert_estimates<R: Rule>(rule: &R) {
    let all: Vec<usize> = (0..rule.boxes().len()).collect();
    let (&last, rest) = all.split_last().unwrap();
    let Some(fit) = rule.fit(&rest[..rest.len().div_ceil(2)]) else { return };
    let prims = [&rest[..rest.len().div_ceil(2)], &[last]].concat();
    let (least, greatest) = rule.size_with_m(&fit, last);
    match rule.fit(&prims).map(|with| rule.size_m(&with)) {
        Some(size) => assert!(least <= size + 1e-9 && size <= greatest + 1e-9 && !rule.exceeds(least)),
        None => assert!(greatest > rule.limit_m() - 1e-9),
    }
    if rule.holds(&fit, last) && rule.fit(rest).is_some() {
        assert!(rule.fit(&all).is_some());
    }
    assert_eq!(rule.never_together(0, last), rule.fit(&[0, last]).is_none());
}

#[test]
fn a_small_middle_is_held() {
    // Spheres of radius 27 m around prims 20 m from the centre have their centre at most 18.14 m from it.
    let middle = [DVec3::Y * 20.0, DVec3::Y * -20.0, DVec3::X * 8.85, DVec3::X * 8.87];
    let rule = Spheres::new(&middle, &limits());
    let pair = rule.fit(&[0, 1]).unwrap();
    assert!(rule.holds(&pair, 2) && !rule.holds(&pair, 3));
}

fn turned_box() -> impl Strategy<Value = Prim> {
    let place = (0.0..60.0, 0.0..45.0, 0.0..20.0).prop_map(DVec3::from);
    let scale = (0.5..10.0, 0.5..10.0, 0.5..30.0).prop_map(DVec3::from);
    (place, scale, 0.0..3.0).prop_map(|(centre, scale, angle)| Prim {
        centre,
        rotation: DQuat::from_rotation_z(angle),
        scale,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_plan_is_better(centres in centres(), max_prims in prop_oneof![1u32..5, Just(u32::MAX)]) {
        let limits = capped(max_prims);
        let passes = |prims: &[usize]| {
            let centres: Vec<DVec3> = prims.iter().map(|&prim| centres[prim]).collect();
            evaluate(&centres, &limits).verdict.linkable() == Some(true)
        };
        let best = oracle(centres.len(), passes);
        assert_best(&plan(&centres, &limits), best);
        assert_found(&Spheres::new(&centres, &limits), best);
    }

    #[test]
    fn no_plan_of_boxes_is_better(prims in vec(turned_box(), 1..8), max_prims in 2usize..8) {
        let passes = |chosen: &[usize]| {
            let boxes = chosen.iter().map(|&prim| prims[prim]);
            chosen.len() <= max_prims && Bounds::around(boxes).unwrap().size().max_element() < 31.5
        };
        let best = oracle(prims.len(), passes);
        let rule = Boxes::new(&prims, 31.5, max_prims);
        let plan = split(&rule).unwrap();
        whole(&plan, prims.len());
        prop_assert!(plan.pieces.iter().all(|piece| passes(&piece.prims)));
        assert_best(&plan, best);
        assert_found(&rule, best);
    }

    /// The hardest case: a distant prim moves the sphere away from a prim that was inside.
    #[test]
    fn held_prims_stay_held(half in 1.0..26.9, at in 0.0..27.0, far in 0.0..53.9) {
        let pair = [DVec3::Y * half, DVec3::NEG_Y * half];
        let rule = Spheres::new(&[pair[0], pair[1], DVec3::X * at, DVec3::NEG_X * far], &limits());
        let held = rule.holds(&rule.fit(&[0, 1]).unwrap(), 2);
        prop_assert!(!held || rule.fit(&[0, 1, 3]).is_none() || rule.fit(&[0, 1, 2, 3]).is_some());
    }

    #[test]
    fn estimates_hold(
        centres in vec((0.0..60.0, 0.0..30.0, 0.0..30.0).prop_map(DVec3::from), 2..9),
        prims in vec(turned_box(), 2..5),
    ) {
        assert_estimates(&Spheres::new(&centres, &limits()));
        assert_estimates(&Boxes::new(&prims, 31.5, 255));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_behind_the_root_changes_nothing(centres in vec((0u8..9, 0u8..9), 2..60), turn in 0usize..60) {
        let centres: Vec<DVec3> =
            centres.iter().map(|&(x, y)| DVec3::new(x.into(), y.into(), 0.0) * 11.0).collect();
        let mut other = centres.clone();
        let turn = turn % (centres.len() - 1);
        other[1..].rotate_left(turn);
        let (one, two) = (plan(&centres, &capped(20)), plan(&other, &capped(20)));
        prop_assert_eq!((counts(&one), one.at_least, one.root_at_most), (counts(&two), two.at_least, two.root_at_most));
    }
}

/// Returns prims with a uniform distribution in a box.
fn cloud(count: usize, sides: [f64; 3], seed: u64) -> Vec<DVec3> {
    let mut next = noise(seed);
    (0..count).map(|_| DVec3::new(next(), next(), next()) * DVec3::from(sides)).collect()
}

#[test]
fn a_passing_linkset_is_one_piece() {
    let near = plan(&[DVec3::ZERO, DVec3::X * 53.999], &limits());
    assert_best(&near, (1, 2));
    assert_eq!(near.in_short(), "can be linked as 1 linkset of 2 prims");
    assert_best(&plan(&[DVec3::ZERO], &limits()), (1, 1));
}

#[test]
fn at_54_metres_are_two() {
    let far = plan(&[DVec3::ZERO, DVec3::X * 54.0], &limits());
    assert_best(&far, (2, 1));
    assert_eq!(far.in_short(), "can be linked as 2 linksets of 1 and 1 prim");
}

#[test]
fn no_plan_for_prims_that_are_nowhere_or_too_many_alone() {
    let none = |centres: &[DVec3], limits: &Linkability| split(&Spheres::new(centres, limits)).is_none();
    assert!(none(&[], &limits()));
    assert!(none(&[DVec3::ZERO, DVec3::NAN], &limits()));
    assert!(none(&[DVec3::INFINITY], &limits()));
    assert!(none(&[DVec3::ZERO], &capped(0)));
    let long = Prim { centre: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::new(1.0, 1.0, 32.0) };
    assert_eq!(split(&Boxes::new(&[long], 31.5, 255)), None);
}

#[test]
fn either_limit_may_be_absent() {
    let far: Vec<DVec3> = (0..25).map(|n| DVec3::X * 100.0 * f64::from(n)).collect();
    let unlimited = Linkability { max_diameter_m: f64::INFINITY, max_prims: u32::MAX, ..limits() };
    assert_best(&plan(&far, &unlimited), (1, 25));
    let counted = Linkability { max_prims: 10, ..unlimited };
    let counted = plan(&far, &counted);
    assert_best(&counted, (3, 10));
    assert_eq!(counts(&counted), [10, 10, 5]);
    assert_best(&plan(&far, &capped(u32::MAX)), (25, 1));
}

#[test]
fn two_clusters() {
    let mut centres = cloud(20, [30.0, 30.0, 20.0], 1);
    centres.extend(cloud(30, [30.0, 30.0, 20.0], 2).iter().map(|centre| centre + DVec3::X * 70.0));
    let plan = plan(&centres, &limits());
    assert_best(&plan, (2, 20));
    assert_eq!(plan.in_short(), "can be linked as 2 linksets of 20 and 30 prims");
}

#[test]
fn a_row_of_prims_each_metre() {
    // 54 prims span 53 m, 55 of them 54 m; 201 are 3 · 54 + 39.
    let row: Vec<DVec3> = (0..=200).map(|n| DVec3::Y * f64::from(n)).collect();
    assert_best(&plan(&row, &limits()), (4, 54));
}

#[test]
fn coinciding_prims_are_counted_out() {
    let plan = plan(&[DVec3::ONE; 300], &limits());
    assert_best(&plan, (2, 255));
    assert_eq!(counts(&plan), [255, 45]);
    assert_eq!(plan.pieces[0].prims, (0..255).collect::<Vec<_>>());
}

#[test]
fn both_limits_at_once() {
    // Too near for separate groups, too far for one linkset: 300 here and 300 there need four, not 600 / 255.
    let centres: Vec<DVec3> = (0..600).map(|n| DVec3::X * 60.0 * f64::from(n % 2)).collect();
    let plan = plan(&centres, &limits());
    assert_best(&plan, (4, 255));
    assert_eq!(counts(&plan), [255, 255, 45, 45]);
}

#[test]
fn a_grid_of_rooms() {
    // Prims three steps apart on an axis are never together, and there are 4 · 4 · 4 of them. The 125 cubes of 2 · 2 ·
    // 2 pass.
    let step = |n: u32| f64::from(n % 10) * 20.0;
    let grid: Vec<DVec3> = (0..1000).map(|n| DVec3::new(step(n), step(n / 10), step(n / 100))).collect();
    let plan = plan(&grid, &limits());
    assert!(plan.at_least >= 64 && plan.pieces.len() <= 125, "{}", plan.in_short());
}

#[test]
fn clusters_far_apart_are_found_however_many() {
    let mut centres = Vec::new();
    for number in 0..60_u32 {
        let corner = DVec3::new((number % 4).into(), (number / 4 % 4).into(), (number / 16).into()) * 90.0;
        centres.extend(cloud(260, [20.0, 20.0, 20.0], number.into()).iter().map(|centre| centre + corner));
    }
    let plan = plan(&centres, &limits());
    assert_best(&plan, (120, 255));
    assert_eq!(
        plan.in_short(),
        "can be linked as 120 linksets of 255, 255, 255, 255, 255, 255 prims and so on"
    );
}

#[test]
fn a_hostile_number_of_prims_has_a_plan_with_a_bound() {
    let plan = plan(&cloud(8192, [2000.0, 2000.0, 50.0], 5), &limits());
    assert!(plan.at_least > 1000 && plan.pieces.len() < 2 * plan.at_least, "{}", plan.in_short());
    let far = [DVec3::ZERO, DVec3::MAX, DVec3::MIN, DVec3::X * 1e300, DVec3::X * 1e20];
    assert_best(&self::plan(&far, &limits()), (5, 1));
}

/// The depth of the search is the number of prims. The stack must be large enough for it.
#[test]
fn the_deepest_search_ends() {
    let centres: Vec<DVec3> = (0..1024).map(|n| DVec3::X * f64::from(n)).collect();
    let rule = Spheres::new(&centres, &limits());
    let found = search(&Group::whole(&rule), Goal { pieces: 1024, root: 1, enough: 1 }, &mut (1 << 40));
    assert!(found.unwrap().cover.is_some());
}

#[test]
fn an_unproven_plan_says_so() {
    let piece = |count| Piece { prims: (0..count).collect(), size_m: 1.0 };
    let plan = Plan { pieces: [7, 5, 4, 1].map(piece).into(), at_least: 3, root_at_most: 9 };
    assert!(!plan.fewest() && !plan.root_largest());
    assert_eq!(plan.in_short(), "can be linked as 4 linksets (at least 3) of 7, 5, 4 and 1 prim");
}
