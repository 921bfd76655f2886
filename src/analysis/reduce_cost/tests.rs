//! The planner against all plans there are, and against objects.

use super::{
    plan::{Candidate, Choice, Pick, Plan, WORK, plan},
    *,
};
use crate::{
    analysis::{
        assets::Assets,
        measure::{measure_object, tests::object},
        physics_shape::tests::{mesh, mesh_part, prim},
    },
    format::object::Sculpt,
    ledger::facts::MeshFacts,
};
use glam::DVec3;
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

/// Changes, volume and saving with its sign turned: what a plan is judged by, less being better.
type Worth = (usize, i64, i64);

fn candidate_of(cost: u16, choices: &[(u16, u16)]) -> Candidate {
    let choice = |&(cost, volume): &(u16, u16)| Choice {
        cost: f64::from(cost) / 8.0,
        volume_change_m3: f64::from(volume) / 8.0,
    };
    Candidate { cost: f64::from(cost) / 8.0, choices: choices.iter().map(choice).collect() }
}

fn eighths(value: f64) -> i64 {
    (value * 8.0) as i64
}

fn total(candidates: &[Candidate]) -> i64 {
    candidates.iter().map(|candidate| eighths(candidate.cost)).sum()
}

fn worth(candidates: &[Candidate], picks: &[Pick]) -> Worth {
    let mut worth = (picks.len(), 0, 0);
    for pick in picks {
        let candidate = &candidates[pick.candidate];
        let choice = candidate.choices[pick.choice];
        worth.1 += eighths(choice.volume_change_m3);
        worth.2 -= eighths(candidate.cost) - eighths(choice.cost);
    }
    worth
}

/// The best of all subsets with all their choices; the greatest saving of all.
fn oracle(candidates: &[Candidate], need: i64) -> (Option<Worth>, i64) {
    let (mut best, mut most) = (None::<Worth>, 0);
    let mut open = vec![(0, Vec::new())];
    while let Some((number, picks)) = open.pop() {
        let Some(candidate) = candidates.get(number) else {
            let found = worth(candidates, &picks);
            most = most.max(-found.2);
            if -found.2 >= need {
                best = Some(best.map_or(found, |best| best.min(found)));
            }
            continue;
        };
        open.push((number + 1, picks.clone()));
        for choice in 0..candidate.choices.len() {
            let mut picks = picks.clone();
            picks.push(Pick { candidate: number, choice });
            open.push((number + 1, picks));
        }
    }
    (best, most)
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    // Few different numbers, so that ties and equal parts are common.
    let number = prop_oneof![0_u16..6, 0_u16..200];
    let part = (number.clone(), vec((number.clone(), number), 0..3));
    vec(part.prop_map(|(cost, choices)| candidate_of(cost, &choices)), 0..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_plan_is_better_than_the_one_found(candidates in candidates(), budget in 0_u16..600) {
        let budget = f64::from(budget) / 8.0;
        let need = total(&candidates) - eighths(budget);
        let found = plan(&candidates, budget, WORK);
        prop_assert!(found.proven);
        let worth = worth(&candidates, &found.picks);
        match oracle(&candidates, need) {
            (Some(best), _) if found.reaches => prop_assert_eq!(worth, best),
            (None, most) if !found.reaches => prop_assert_eq!(-worth.2, most),
            other => prop_assert!(false, "{other:?} against {found:?}"),
        }
    }

    #[test]
    fn cut_short_a_plan_is_still_one(candidates in candidates(), budget in 0_u16..600, work in 0_u64..20) {
        let budget = f64::from(budget) / 8.0;
        let (all, cut) = (plan(&candidates, budget, WORK), plan(&candidates, budget, work));
        prop_assert_eq!((all.reaches, all.picks.len()), (cut.reaches, cut.picks.len()));
        let (all, found) = (worth(&candidates, &all.picks), worth(&candidates, &cut.picks));
        let right = if cut.proven { found == all } else { found >= all };
        prop_assert!(right);
        if cut.reaches {
            prop_assert!(-found.2 >= total(&candidates) - eighths(budget));
        }
    }

    #[test]
    fn the_order_of_parts_does_not_matter(candidates in candidates(), budget in 0_u16..600) {
        let budget = f64::from(budget) / 8.0;
        let turned: Vec<Candidate> = candidates.iter().rev().cloned().collect();
        let (one, other) = (plan(&candidates, budget, WORK), plan(&turned, budget, WORK));
        prop_assert_eq!(worth(&candidates, &one.picks), worth(&turned, &other.picks));
    }
}

#[test]
fn the_order_of_goods() {
    // Either of the first two would do alone; the second changes less. The third saves as much and changes less
    // still, but only in two changes.
    let parts = [
        candidate_of(100, &[(10, 9)]),
        candidate_of(100, &[(20, 8)]),
        candidate_of(50, &[(5, 0)]),
        candidate_of(50, &[(5, 0)]),
    ];
    let picks = |budget: f64| plan(&parts, budget, WORK).picks;
    assert_eq!(picks(30.0), [Pick { candidate: 1, choice: 0 }]);
    // 10 eighths are missing: now all do, and the third and the fourth change nothing. The earlier stands.
    assert_eq!(picks(36.25), [Pick { candidate: 2, choice: 0 }]);
    assert_eq!(plan(&parts, 1.0, WORK), Plan { reaches: false, proven: true, picks: picks(0.0) });
    assert_eq!(plan(&parts, 300.0, WORK), Plan { reaches: true, proven: true, picks: Vec::new() });
}

/// Numbers that look like chance, the same each time.
fn scattered(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

#[test]
fn ten_thousand_parts() {
    let numbers: Vec<f64> = scattered(30_000).collect();
    let different: Vec<Candidate> = numbers
        .chunks(3)
        .map(|three| Candidate {
            cost: 5.0 + three[0] * 10.0,
            choices: vec![
                Choice { cost: 0.4 + three[1] * 4.0, volume_change_m3: three[2] },
                Choice { cost: 0.0, volume_change_m3: three[2] * 2.0 },
            ],
        })
        .collect();
    let equal = vec![different[0].clone(); 10_000];
    for (parts, what) in [(different, "different"), (equal, "equal")] {
        let total: f64 = parts.iter().map(|part| part.cost).sum();
        for share in [0.05, 0.5, 0.9] {
            let found = plan(&parts, total * share, WORK);
            assert!(found.reaches, "{what} {share}");
            assert!(found.proven, "{what} {share}: {} changes", found.picks.len());
        }
    }
}

fn slimmed(parts: Vec<Part>, mesh: &MeshFacts, budget: f64, allow_none: bool) -> Option<Slim> {
    let (object, profile) = (object(parts), Profile::default());
    let mesh = MeshFacts { uuid: mesh_part().mesh(), ..mesh.clone() };
    let assets = Assets::new([&mesh], []);
    let measures = measure_object(&object, &assets, &profile);
    slim(&object, &measures, &assets, Terms { budget, allow_none }, &profile)
}

/// Three parts of a metre with 200 triangles, which cost 14.14 each and 0.36 as hulls.
fn heavy() -> (Vec<Part>, MeshFacts) {
    (vec![mesh_part(); 3], mesh(Some(8), &[], Some(200)))
}

fn about(cost: Cost, expected: f64) {
    assert!(cost.value().is_some_and(|cost| (cost - expected).abs() < 1e-3), "{cost:?} is not {expected}");
}

#[test]
fn triangles_become_a_hull_and_no_more_than_must() {
    let (parts, mesh) = heavy();
    let plan = slimmed(parts.clone(), &mesh, 32.0, false).unwrap();
    about(plan.before, 42.426);
    about(plan.after, 28.644);
    assert!(plan.reaches && plan.proven);
    assert_eq!((plan.steps.len(), plan.steps[0].part), (1, 0), "of equal parts the first");
    assert_eq!(plan.steps[0].representation, Representation::BaseHull);
    assert_eq!(plan.steps[0].volume_change_m3, 0.5);
    assert_eq!(plan.in_short(), "1 part to Convex Hull brings it to 28.644");
    assert!(slimmed(parts, &mesh, 42.5, true).is_none(), "it is not above that");
}

#[test]
fn none_is_for_children_and_for_those_who_ask() {
    let (parts, mesh) = heavy();
    let without = slimmed(parts.clone(), &mesh, 1.0, false).unwrap();
    assert!(!without.reaches);
    about(without.after, 1.08);
    assert_eq!(without.in_short(), "3 parts to Convex Hull bring it to 1.08, which is the least");
    let with = slimmed(parts.clone(), &mesh, 1.0, true).unwrap();
    assert!(with.reaches);
    let changes: Vec<Change> = with.steps.iter().map(|step| step.change).collect();
    // One None suffices; the first could be any but the root.
    assert_eq!(changes, [Change::ConvexHull, Change::None, Change::ConvexHull]);
    about(with.after, 0.72);
    let most = slimmed(parts, &mesh, 0.1, true).unwrap();
    assert!(!most.reaches, "the root stays");
    about(most.after, 0.36);
    assert_eq!(
        most.in_short(),
        "1 part to Convex Hull and 2 parts to None bring it to 0.36, which is the least"
    );
}

#[test]
fn a_lighter_child_is_no_reason_for_none() {
    let (parts, mesh) = heavy();
    let plan = slimmed(parts, &mesh, 32.0, true).unwrap();
    assert_eq!(plan.count(Change::None), 0, "Convex Hull comes first");
}

#[test]
fn a_decomposition_becomes_a_hull() {
    let mesh = mesh(Some(8), &[256; 4], None);
    let plan = slimmed(vec![mesh_part()], &mesh, 32.0, false).unwrap();
    about(plan.before, 41.12);
    about(plan.after, 0.36);
    assert!(plan.reaches && plan.coarser.is_empty());
}

#[test]
fn what_is_not_known_is_not_offered() {
    let (mut parts, mesh) = heavy();
    let mut lost = mesh_part();
    lost.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(8), kind: 5 });
    parts.push(lost);
    let plan = slimmed(parts, &mesh, 1.0, true).unwrap();
    assert!(plan.reaches && plan.steps.iter().all(|step| step.part != 3));
    assert!(!plan.before.is_complete() && !plan.after.is_complete());
    assert_eq!(plan.in_short(), "2 parts to Convex Hull and 1 part to None bring it to 0.72 or more");
}

#[test]
fn a_mesh_without_base_hull_must_be_coarser() {
    let bare = mesh(None, &[], Some(1000));
    let mut parts = vec![mesh_part(), prim(), prim()];
    let plan = slimmed(parts.clone(), &bare, 32.0, false).unwrap();
    assert!(!plan.reaches && plan.steps.is_empty());
    assert_eq!(plan.in_short(), "no part is known to be cheaper as Convex Hull");
    let [coarser] = &plan.coarser[..] else { panic!("{plan:?}") };
    // 32 − 0.2 are left; a triangle 0.7071 m wide costs 0.070711.
    assert_eq!((coarser.triangles, coarser.at_most), (1000, Some(449)));
    assert!((coarser.width_m - 0.5_f64.sqrt()).abs() < 1e-9);
    // 1,000 triangles of 1.573 m: 31.786.
    assert_eq!(coarser.wide_m, Some(1.573));
    parts.push(mesh_part());
    let plan = slimmed(parts, &bare, 32.0, false).unwrap();
    assert_eq!((plan.coarser[0].at_most, &plan.coarser[0].parts), (Some(224), &vec![0, 3]));
}

#[test]
fn a_grid_without_cap_asks_for_nothing() {
    assert!(Terms::cap(&Profile::load("opensim-ubode").unwrap()).is_none());
    assert_eq!(Terms::cap(&Profile::default()), Some(Terms { budget: 32.0, allow_none: false }));
}

#[test]
fn volumes_as_far_as_they_are_known() {
    let mut part = prim();
    part.scale = DVec3::splat(2.0);
    let assets = Assets::default();
    let body = assets.body(&part);
    assert_eq!(Change::None.volume_m3(&part, Representation::Box, &body), 8.0);
    let ball = Change::None.volume_m3(&part, Representation::Sphere, &body);
    assert!((ball - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-12);
    // The hull of a box is the box, but for the snapping of its corners.
    assert!((Change::ConvexHull.volume_m3(&part, Representation::SurfaceMesh, &body) - 8.0).abs() < 1e-3);
    let lost = Part { scale: part.scale, ..mesh_part() };
    assert_eq!(Change::ConvexHull.volume_m3(&lost, Representation::TriangleMesh, &assets.body(&lost)), 4.0);
    part.scale.x = f64::NAN;
    assert_eq!(Change::None.volume_m3(&part, Representation::Box, &body), 0.0);
}
