//! Whether the order of the prims decides what the rule of Havok4 links.
//!
//! The specification says that order never matters if all prims link ("Failure modes"), and leaves the proof to the
//! reader. It does matter: a sphere that includes one candidate moves away from another. Less can be proven.
//!
//! # When the order cannot matter
//!
//! Let the smallest sphere around the spheres of all prims have the radius `R` and be at most 54/√2 m wide. Let the
//! prims be connected by pairs that would link alone: `|x − y| ≤ 2 (rx + ry) + 2`. Then all link in any order.
//!
//! 1. *54 m refuses nothing.* Let `a` be the centre and `r` the radius of the smallest sphere around some prims. Let
//!    `c` be the centre of the smallest sphere around all. `a` is in the convex hull of points where prims touch their
//!    sphere. So one of these, `p`, has `(p − a)·(a − c) ≥ 0`, hence `|p − c|² ≥ r² + |a − c|²`. It lies in a prim's
//!    sphere, so `|p − c| ≤ R`, and `|a − c| + r ≤ √2·R`. Two pieces span at most `2·√2·R ≤ 54`.
//! 2. *Pieces link if a prim of one would link with a prim of the other*. The sphere of `x` lies in that of its piece,
//!    so `|a − x| ≤ rA − rx`, and `|a − b| ≤ (rA − rx) + (2 (rx + ry) + 2) + (rB − ry)`, which is
//!    `rA + rB + rx + ry + 2 ≤ 2 (rA + rB) + 2`.
//! 3. Linking ends when no two pieces link. Then no such pair joins two pieces, so only one piece is left.

use super::{
    Prim,
    havok4::{LARGEST_MAX_M, LINK_BONUS_M, Outcome, ball, evaluate},
};
use glam::DVec3;
use hullmark_geometry::enclosing_sphere::of_balls::Ball;
use std::{f64::consts::SQRT_2, iter};

/// Margin in metres by which the premises must hold: more than rounding may move a sphere.
const NOISE: f64 = 1e-4;

/// Maximum number of children for which all orders are tried: 24 orders.
const MOST_PERMUTED: usize = 4;

/// Maximum number of prims for which other orders are tried: each order takes quadratic time.
const MOST_PRIMS: usize = 1_000;

/// The effect of other orders of the children. The root stays first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// This order of prim indices gives other pieces.
    Matters(Vec<usize>),
    /// All orders give the same pieces: all were tried, or the proof above applies.
    CannotMatter,
    /// This number of orders gives the same pieces, and others were not tried.
    NoneFound(usize),
}

impl Order {
    /// Whether the order matters; `None` if that is not proven.
    pub fn matters(&self) -> Option<bool> {
        match self {
            Self::Matters(_) => Some(true),
            Self::CannotMatter => Some(false),
            Self::NoneFound(_) => None,
        }
    }
}

/// Searches for an order that gives other pieces than `outcome`, the result in link order. That takes as long as
/// several evaluations. `None` if the rule was not evaluated.
pub fn order(prims: &[Prim], outcome: &Outcome) -> Option<Order> {
    outcome.verdict.linkable()?;
    let balls: Vec<Ball> = prims.iter().map(ball).collect();
    if all_link_in_any_order(&balls, outcome) {
        return Some(Order::CannotMatter);
    }
    let children: Vec<usize> = (1..prims.len()).collect();
    let is_exhaustive = children.len() <= MOST_PERMUTED;
    let orders = match prims.len() {
        _ if is_exhaustive => permutations(&children),
        ..=MOST_PRIMS => other_orders(&balls, &children),
        _ => Vec::new(),
    };
    let tried = orders.len();
    for children in orders {
        let order: Vec<usize> = iter::once(0).chain(children).collect();
        if partition(prims, &order).iter().ne(outcome.partition()) {
            return Some(Order::Matters(order));
        }
    }
    Some(if is_exhaustive { Order::CannotMatter } else { Order::NoneFound(tried) })
}

/// Returns the prims of each piece after linking in this order, sorted like the pieces of an outcome.
pub(super) fn partition(prims: &[Prim], order: &[usize]) -> Vec<Vec<usize>> {
    let turned: Vec<Prim> = order.iter().map(|&prim| prims[prim]).collect();
    let named = |places: &[usize]| {
        let mut named: Vec<usize> = places.iter().map(|&place| order[place]).collect();
        named.sort_unstable();
        named
    };
    let mut pieces: Vec<Vec<usize>> = evaluate(&turned).partition().into_iter().map(named).collect();
    pieces.sort_unstable();
    pieces
}

fn all_link_in_any_order(balls: &[Ball], outcome: &Outcome) -> bool {
    let [all] = &outcome.pieces[..] else { return false };
    2.0 * all.ball.radius <= LARGEST_MAX_M / SQRT_2 - NOISE && hang_together(balls)
}

/// Whether every prim is connected to the root by pairs that would link alone, without the limit of 54 m.
fn hang_together(balls: &[Ball]) -> bool {
    let mut apart: Vec<usize> = (1..balls.len()).collect();
    let mut reached = vec![0];
    while let Some(index) = reached.pop() {
        let one = &balls[index];
        apart.retain(|&candidate| {
            let other = &balls[candidate];
            let reach = 2.0 * (one.radius + other.radius) + LINK_BONUS_M - NOISE;
            let is_near = one.centre.distance(other.centre) <= reach;
            if is_near {
                reached.push(candidate);
            }
            !is_near
        });
    }
    apart.is_empty()
}

fn permutations(indices: &[usize]) -> Vec<Vec<usize>> {
    if indices.is_empty() {
        return vec![Vec::new()];
    }
    let first = |position: usize| {
        let mut rest = indices.to_vec();
        let first = rest.remove(position);
        permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..indices.len()).flat_map(first).collect()
}

/// Returns very different orders: backwards, by distance from the root, and along the axis of greatest extent, the last
/// two in both directions. One order begins at the side opposite the root, where the first piece grows far from it.
fn other_orders(balls: &[Ball], children: &[usize]) -> Vec<Vec<usize>> {
    let sorted = |key: &dyn Fn(DVec3) -> f64| {
        let mut order = children.to_vec();
        order.sort_by(|&a, &b| key(balls[a].centre).total_cmp(&key(balls[b].centre)));
        order
    };
    let backwards = |order: &[usize]| order.iter().rev().copied().collect::<Vec<_>>();
    let root = balls[0].centre;
    let centres = || balls.iter().map(|sphere| sphere.centre);
    let (min, max) = centres().fold((root, root), |(min, max), centre| (min.min(centre), max.max(centre)));
    let axis = (max - min).max_position();
    let mean = centres().sum::<DVec3>() / balls.len() as f64;
    let nearest_first = sorted(&|centre| centre.distance_squared(root));
    let along = sorted(&|centre| centre[axis]);
    vec![
        sorted(&|centre| (centre - mean).dot(root - mean)),
        backwards(children),
        backwards(&nearest_first),
        nearest_first,
        backwards(&along),
        along,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkability::havok4::{Trial, evaluate};
    use glam::DQuat;
    use hullmark_geometry::enclosing_sphere::of_balls::smallest_enclosing;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn cube(x: f64, y: f64, z: f64, side: f64) -> Prim {
        Prim { centre: DVec3::new(x, y, z), rotation: DQuat::IDENTITY, scale: DVec3::splat(side) }
    }

    fn order_of(prims: &[Prim]) -> Order {
        order(prims, &evaluate(prims)).unwrap()
    }

    /// Four cubes that all link in link order, and split into two pairs if the second comes last.
    ///
    /// Each test has a margin of more than 3.9 m. The second reaches the first, and both reach the third, then the
    /// fourth: 50.06 m and 49.97 m of 54 m. Without the second the first reaches neither of the others (47.40 m of
    /// 40.97 m, 44.90 m of 27.98 m). These two link, and the pairs are too far apart: 58.23 m of 54 m.
    #[test]
    fn four_cubes_that_all_link_or_do_not() {
        let cubes = [
            cube(32.0, 4.0, 1.0, 5.0),
            cube(36.0, 14.0, 5.0, 10.0),
            cube(20.0, 36.0, 5.0, 10.0),
            cube(4.0, 27.0, 1.0, 5.0),
        ];
        let outcome = evaluate(&cubes);
        assert_eq!(outcome.pieces.len(), 1);
        assert!((outcome.least_margin_m.unwrap() - 3.9449).abs() < 1e-4);
        let turned = evaluate(&[0, 2, 3, 1].map(|index| cubes[index]));
        assert_eq!(turned.partition(), [[0, 3], [1, 2]]);
        assert!((turned.least_margin_m.unwrap() - 4.2315).abs() < 1e-4);
        let Some(Order::Matters(order)) = order(&cubes, &outcome) else { panic!("it matters") };
        assert_eq!(order[0], 0, "the root stays the root");
        assert_eq!(partition(&cubes, &order), [[0, 1], [2, 3]]);
    }

    /// A set 6 m wide: the first prim that the root links to moves its sphere away from the last.
    #[test]
    fn a_small_set_can_depend_on_the_order() {
        let dot = |x, y| cube(x, y, 0.0, 0.01);
        let dots = [dot(0.0, 0.94), dot(0.0, -0.94), dot(-3.8, 0.0), dot(1.6, 0.0)];
        let outcome = evaluate(&dots);
        assert_eq!(outcome.pieces.len(), 1);
        assert!(2.0 * outcome.pieces[0].ball.radius < 6.0);
        assert!(outcome.least_margin_m.unwrap() > 0.1);
        let Some(Order::Matters(order)) = order(&dots, &outcome) else { panic!("it matters") };
        assert_eq!(partition(&dots, &order), [vec![0, 1, 3], vec![2]]);
    }

    #[test]
    fn the_order_cannot_matter_where_that_is_proven() {
        // 26 m wide, and each next to another.
        let row: Vec<Prim> = (0..26).map(|n| cube(f64::from(n), 0.0, 0.0, 0.5)).collect();
        assert_eq!(order_of(&row), Order::CannotMatter);
        assert_eq!(order_of(&row[..1]), Order::CannotMatter);
        // 39 m is more than 54/√2 m, and there are too many prims for all orders.
        let row: Vec<Prim> = (0..39).map(|n| cube(f64::from(n), 0.0, 0.0, 0.5)).collect();
        assert_eq!(order_of(&row), Order::NoneFound(6));
    }

    #[test]
    fn few_children_are_tried_in_all_orders() {
        let row: Vec<Prim> = (0..5).map(|n| cube(f64::from(n) * 100.0, 0.0, 0.0, 0.5)).collect();
        assert_eq!(order_of(&row), Order::CannotMatter);
        let all: BTreeSet<Vec<usize>> = permutations(&[1, 2, 3, 4]).into_iter().collect();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn unevaluated_sets_have_no_order() {
        let lost = [cube(0.0, f64::NAN, 0.0, 1.0)];
        assert_eq!(order(&lost, &evaluate(&lost)), None);
    }

    #[test]
    fn orders_that_are_tried() {
        let row = [5.0, 1.0, 9.0, 2.0].map(|y| Ball { centre: DVec3::Y * y, radius: 1.0 });
        let orders = other_orders(&row, &[1, 2, 3]);
        assert_eq!(orders, [[1, 3, 2], [3, 2, 1], [2, 1, 3], [3, 1, 2], [2, 3, 1], [1, 3, 2]]);
    }

    fn any_prim() -> impl Strategy<Value = Prim> {
        (0.0..26.0, 0.0..26.0, 0.0..10.0, 0.5..10.0).prop_map(|(x, y, z, side)| cube(x, y, z, side))
    }

    proptest! {
        /// The first step of the proof, for any two parts of a set.
        #[test]
        fn pieces_span_at_most_the_diagonal(prims in prop::collection::vec(any_prim(), 2..12), cut in 1usize..11) {
            let spheres = prims.iter().map(ball).collect::<Vec<_>>();
            let cut = cut.min(spheres.len() - 1);
            let around = |balls: &[Ball]| smallest_enclosing(balls).unwrap().ball;
            let test = Trial::new(&around(&spheres[..cut]), &around(&spheres[cut..]));
            prop_assert!(test.span_m <= SQRT_2 * 2.0 * around(&spheres).radius * (1.0 + 1e-12));
        }

        #[test]
        fn a_proof_holds_in_any_order(
            (prims, shuffled) in prop::collection::vec(any_prim(), 2..12).prop_flat_map(|prims| {
                let order = Just((0..prims.len()).collect::<Vec<_>>()).prop_shuffle();
                (Just(prims), order)
            })
        ) {
            let spheres = prims.iter().map(ball).collect::<Vec<_>>();
            prop_assume!(all_link_in_any_order(&spheres, &evaluate(&prims)));
            prop_assert_eq!(partition(&prims, &shuffled).len(), 1);
        }

        #[test]
        fn the_other_order_gives_the_stated_result(prims in prop::collection::vec(any_prim(), 2..8), spread in 1.0..4.0) {
            let prims: Vec<Prim> =
                prims.into_iter().map(|prim| Prim { centre: prim.centre * spread, ..prim }).collect();
            let outcome = evaluate(&prims);
            if let Some(Order::Matters(order)) = order(&prims, &outcome) {
                prop_assert_eq!(order[0], 0);
                prop_assert!(partition(&prims, &order).iter().ne(outcome.partition()));
            }
        }
    }
}
