//! The examples of the specification and its second procedure.

use super::*;
use glam::DQuat;
use proptest::prelude::*;

fn prim(centre: [f64; 3], scale: [f64; 3]) -> Prim {
    Prim { centre: centre.into(), rotation: DQuat::IDENTITY, scale: scale.into() }
}

fn cube(centre: [f64; 3], side: f64) -> Prim {
    prim(centre, [side; 3])
}

fn trial(a: &Prim, b: &Prim) -> Trial {
    Trial::new(&ball(a), &ball(b))
}

#[test]
fn the_examples_of_the_page() {
    // "2 very small prims": radius 0.01 m each.
    let tiny = prim([0.0; 3], [0.02 / 3f64.sqrt(); 3]);
    assert!((trial(&tiny, &tiny).limit_m - 2.06).abs() < 1e-12);
    // "one large prim and one small prim" and "2 very large prims"; the page rounds.
    let large = cube([0.0; 3], 10.0);
    assert!((ball(&large).radius - 8.66).abs() < 0.001);
    assert!((trial(&large, &tiny).limit_m - 28.01).abs() < 0.005);
    assert!((trial(&large, &large).limit_m - 53.96).abs() < 0.005);
    // "The max distance between the centers is approximately 36.64 m."
    let apart = |distance| evaluate(&[large, cube([distance, 0.0, 0.0], 10.0)]).verdict;
    assert_eq!((apart(36.64), apart(36.65)), (Verdict::Linkable, Verdict::NotLinkable));
    // "the diameter of a 10m x 1m x 1m prim is square root (100+1+1) = ~10.1m".
    assert!((2.0 * ball(&prim([0.0; 3], [10.0, 1.0, 1.0])).radius - 10.1).abs() < 0.01);
}

#[test]
fn sides_of_megaprims_count_as_ten_metres() {
    assert_eq!(ball(&prim([0.0; 3], [64.0, 10.0, 0.5])), ball(&prim([0.0; 3], [10.0, 10.0, 0.5])));
}

#[test]
fn the_limit_itself_links() {
    // With radii of 0.5 m the span may be 5 m, which is a distance of 4 m.
    let sphere = |x: f64| prim([x, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(evaluate(&[sphere(0.0), sphere(4.0)]).verdict, Verdict::Linkable);
    let far = evaluate(&[sphere(0.0), sphere(4.0 + 1e-12)]);
    assert_eq!(far.verdict, Verdict::NotLinkable);
    assert_eq!(far.pieces.len(), 2);
    assert!(far.refused[0].margin_m() < 0.0 && far.least_margin_m.unwrap() < 2e-12);
}

#[test]
fn pieces_grow_and_then_reach_farther() {
    // Only its neighbours can reach the middle one: 0 – 4 – 8 link one after the other.
    let line: Vec<Prim> = (0..4).map(|n| cube([f64::from(n) * 3.9, 0.0, 0.0], 1.0)).collect();
    let outcome = evaluate(&line);
    assert_eq!((outcome.verdict, outcome.linked_with_root()), (Verdict::Linkable, Some(4)));
    assert!((outcome.pieces[0].ball.radius - (3.9 * 3.0 + 3f64.sqrt()) / 2.0).abs() < 1e-9);
    // In reverse order: the unlinked prims link with each other first.
    let outcome = evaluate(&[line[0], line[3], line[2], line[1]]);
    assert_eq!(outcome.verdict, Verdict::Linkable);
}

#[test]
fn linked_prims_stay_linked() {
    // Two objects, one with two distant prims: they are one piece regardless of the distance.
    let prims = [cube([0.0; 3], 1.0), cube([40.0, 0.0, 0.0], 1.0), cube([20.0, 0.0, 0.0], 1.0)];
    assert_eq!(evaluate(&prims).verdict, Verdict::NotLinkable);
    let objects = evaluate_objects(&prims, &[2, 1]);
    assert_eq!((objects.verdict, objects.pieces.len()), (Verdict::Linkable, 1));
}

#[test]
fn non_finite_values_are_not_evaluated() {
    let lost = evaluate(&[cube([0.0; 3], 1.0), cube([f64::NAN, 0.0, 0.0], 1.0)]);
    assert_eq!(lost.verdict, Verdict::NotEvaluated(NotEvaluated::NotFinite));
    assert_eq!(evaluate(&[]).verdict, Verdict::NotEvaluated(NotEvaluated::NotFinite));
}

#[test]
fn so_many_pieces_that_no_time_suffices_are_not_evaluated() {
    let scattered: Vec<Prim> = (0..7000).map(|n| cube([f64::from(n) * 100.0, 0.0, 0.0], 0.5)).collect();
    assert_eq!(evaluate(&scattered).verdict, Verdict::NotEvaluated(NotEvaluated::TooManyPieces));
}

fn prims(most: usize, extent: f64) -> impl Strategy<Value = Vec<Prim>> {
    let one = (prop::array::uniform3(0.0..extent), prop::array::uniform3(0.01..20.0f64))
        .prop_map(|(centre, scale)| prim(centre, scale));
    prop::collection::vec(one, 1..most)
}

proptest! {
    /// The page's quick method: add 1 m to each ball's diameter, then double it. The balls link if they touch, unless
    /// the ball around both is larger than 54 m.
    #[test]
    fn the_quick_overview_is_the_formula(
        a in prims(2, 60.0), b in prims(2, 60.0),
    ) {
        let (a, b) = (ball(&a[0]), ball(&b[0]));
        let trial = Trial::new(&a, &b);
        prop_assume!(trial.margin_m().abs() > 1e-9);
        let doubled = |ball: &Ball| (2.0 * ball.radius + 1.0) * 2.0 / 2.0;
        let touch = a.centre.distance(b.centre) <= doubled(&a) + doubled(&b);
        let span = a.centre.distance(b.centre) + a.radius + b.radius;
        prop_assert_eq!(trial.links(), touch && span <= LARGEST_MAX_M);
    }

    /// No two remaining pieces can be linked, every prim is in one piece, and each ball contains its prims.
    #[test]
    fn remaining_pieces_cannot_be_linked(prims in prims(40, 120.0)) {
        let outcome = evaluate(&prims);
        let mut seen: Vec<usize> = outcome.pieces.iter().flat_map(|piece| piece.prims.clone()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..prims.len()).collect::<Vec<_>>());
        for (number, piece) in outcome.pieces.iter().enumerate() {
            for other in &outcome.pieces[number + 1..] {
                prop_assert!(!Trial::new(&piece.ball, &other.ball).links());
            }
            for &index in &piece.prims {
                let own = ball(&prims[index]);
                let reach = own.centre.distance(piece.ball.centre) + own.radius;
                prop_assert!(reach <= piece.ball.radius * (1.0 + 1e-9));
            }
        }
        prop_assert_eq!(outcome.verdict.linkable(), Some(outcome.pieces.len() == 1));
    }
}
