//! The rule of Havok4, from 2008 until December 2010: spheres around the prims, linked piece by piece.
//!
//! `linkability-rules.txt`, "Old Linkability Rules". Every prim is a ball. A linked piece is the smallest ball around
//! its prims' balls. Two pieces link if the span over both is not too large for their size. With many prims the result
//! depends on the order of the attempts. Here they are tried in link order, and [`link_order`](super::link_order) checks whether another order
//! could give another result.

use super::{Prim, current::Verdict};
use crate::cost::NotEvaluated;
use glam::DVec3;
use hullmark_geometry::enclosing_sphere::of_balls::{self, Ball, Enclosing};
use std::ops::Range;

/// `LINK_BONUS` in metres.
pub(super) const LINK_BONUS_M: f64 = 2.0;

/// `LARGEST_MAX` in metres: the maximum span for pieces of any size.
pub const LARGEST_MAX_M: f64 = 54.0;

/// Maximum side of a prim in metres, which longer sides are clamped to. No prim was longer before megaprims.
const LONGEST_SIDE_M: f64 = 10.0;

/// Maximum number of tried pairs. Linksets of the time had at most 255 prims, which are 32,385 pairs in a round.
const MOST_TRIALS: u64 = 20_000_000;

/// The result of the rule for a set of prims.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Whether all are linked into one piece.
    pub verdict: Verdict,
    /// The linked pieces: the root's first, then by the lowest index of a prim. Empty if the rule was not evaluated.
    pub pieces: Vec<Piece>,
    /// For each further piece, its comparison with the root's piece.
    pub refused: Vec<Trial>,
    /// Minimum distance of a decision from its limit, in metres.
    pub least_margin_m: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Indices of the prims, ascending.
    pub prims: Vec<usize>,
    /// The smallest ball around the balls of the prims.
    pub ball: Ball,
}

/// The comparison of two pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Distance from the far edge of one ball to the far edge of the other, in metres.
    pub span_m: f64,
    /// Maximum span in metres.
    pub limit_m: f64,
}

impl Trial {
    /// `length(center_A − center_B) + radius_A + radius_B` against
    /// `minimum(3 · (radius_A + radius_B) + LINK_BONUS, LARGEST_MAX)`.
    pub fn new(a: &Ball, b: &Ball) -> Self {
        let radii = a.radius + b.radius;
        Self {
            span_m: a.centre.distance(b.centre) + radii,
            limit_m: (3.0 * radii + LINK_BONUS_M).min(LARGEST_MAX_M),
        }
    }

    /// Whether the pieces link: `<=`, unlike the current rule.
    pub fn links(&self) -> bool {
        self.span_m <= self.limit_m
    }

    /// Returns the limit less the span; negative if the span is too large.
    pub fn margin_m(&self) -> f64 {
        self.limit_m - self.span_m
    }
}

/// Returns the smallest ball around a prim's box. Its rotation does not matter, and sides over 10 m count as 10 m.
pub fn ball(prim: &Prim) -> Ball {
    Ball { centre: prim.centre, radius: prim.scale.min(DVec3::splat(LONGEST_SIDE_M)).length() / 2.0 }
}

/// Evaluates the rule for the prims of one linkset, the root first and the others in link order.
pub fn evaluate(prims: &[Prim]) -> Outcome {
    evaluate_objects(prims, &vec![1; prims.len()])
}

/// Evaluates the rule for objects that are to be linked. `prims` contains the prims of all objects in order, and
/// `counts` the number of prims in each. Linked prims stay linked.
///
/// "First the root object is tested against each candidate object and the larger bounding sphere is recomputed after a
/// successful link. Then any unlinked pieces are tested between themselves and merged into larger collections […]. The
/// root object is then re-tested against the modified candidates and the process continues until all objects are
/// linked, or no new links have been found."
pub fn evaluate_objects(prims: &[Prim], counts: &[usize]) -> Outcome {
    let balls: Vec<Ball> = prims.iter().map(ball).collect();
    if prims.iter().any(|prim| !prim.centre.is_finite() || !prim.scale.is_finite()) || prims.is_empty() {
        return Outcome::not_evaluated(NotEvaluated::NotFinite);
    }
    let Some(mut linking) = Linking::new(&balls, counts) else {
        return Outcome::not_evaluated(NotEvaluated::NotFinite);
    };
    while linking.round() {}
    if linking.trials > MOST_TRIALS {
        return Outcome::not_evaluated(NotEvaluated::TooManyPieces);
    }
    linking.outcome()
}

impl Outcome {
    /// Returns the pieces; `None` if the rule was not evaluated.
    pub fn pieces(&self) -> Option<&[Piece]> {
        (!self.pieces.is_empty()).then_some(self.pieces.as_slice())
    }

    fn not_evaluated(reason: NotEvaluated) -> Self {
        Self {
            verdict: Verdict::NotEvaluated(reason),
            pieces: Vec::new(),
            refused: Vec::new(),
            least_margin_m: None,
        }
    }

    /// Returns the number of prims in the root's piece, including the root.
    pub fn linked_with_root(&self) -> Option<usize> {
        self.pieces.first().map(|piece| piece.prims.len())
    }

    /// Returns the prims of each piece. It is equal for outcomes that link the same prims.
    pub fn partition(&self) -> Vec<&[usize]> {
        self.pieces.iter().map(|piece| piece.prims.as_slice()).collect()
    }
}

struct Linking {
    pieces: Vec<Growing>,
    least_margin_m: f64,
    trials: u64,
}

struct Growing {
    prims: Vec<usize>,
    /// Balls of `prims`, in the same order.
    balls: Vec<Ball>,
    sphere: Enclosing,
}

impl Linking {
    fn new(balls: &[Ball], counts: &[usize]) -> Option<Self> {
        let mut pieces = Vec::with_capacity(counts.len());
        let mut start = 0;
        for &count in counts.iter().filter(|&&count| count > 0) {
            let prims = start..start + count;
            pieces.push(Growing::new(prims.clone(), balls.get(prims)?)?);
            start += count;
        }
        Some(Self { pieces, least_margin_m: f64::INFINITY, trials: 0 })
    }

    /// Tries every piece with those after it, the root's first. Returns whether any pieces were linked.
    fn round(&mut self) -> bool {
        let before = self.pieces.len();
        let mut first = 0;
        while first < self.pieces.len() && self.trials <= MOST_TRIALS {
            self.collect(first);
            first += 1;
        }
        self.pieces.len() < before && self.trials <= MOST_TRIALS
    }

    /// Links later pieces to a piece if they can be linked; each is tried once.
    fn collect(&mut self, first: usize) {
        let (head, later) = self.pieces.split_at_mut(first + 1);
        let piece = &mut head[first];
        let mut linked = false;
        for candidate in later {
            let trial = Trial::new(&piece.sphere.ball, &candidate.sphere.ball);
            self.trials += 1;
            self.least_margin_m = self.least_margin_m.min(trial.margin_m().abs());
            if trial.links() {
                piece.take(candidate);
                linked = true;
            }
        }
        if linked {
            self.pieces.retain(|piece| !piece.prims.is_empty());
        }
    }

    fn outcome(self) -> Outcome {
        let mut pieces: Vec<Piece> = self.pieces.into_iter().map(Growing::done).collect();
        pieces[1..].sort_by_key(|piece| piece.prims[0]);
        let root = pieces[0].ball;
        let refused: Vec<Trial> = pieces[1..].iter().map(|piece| Trial::new(&root, &piece.ball)).collect();
        Outcome {
            verdict: if refused.is_empty() { Verdict::Linkable } else { Verdict::NotLinkable },
            pieces,
            refused,
            least_margin_m: self.least_margin_m.is_finite().then_some(self.least_margin_m),
        }
    }
}

impl Growing {
    fn new(prims: Range<usize>, balls: &[Ball]) -> Option<Self> {
        let sphere = match balls {
            [ball] => Enclosing { ball: *ball, support: vec![0], gap: 0.0 },
            _ => of_balls::smallest_enclosing(balls)?,
        };
        Some(Self { prims: prims.collect(), balls: balls.to_vec(), sphere })
    }

    /// Moves all prims of another piece into this one, and leaves the other empty.
    fn take(&mut self, other: &mut Self) {
        let (own, more) = (self.sphere.ball, other.sphere.ball);
        self.prims.append(&mut other.prims);
        self.balls.append(&mut other.balls);
        let inside = own.centre.distance(more.centre) + more.radius <= own.radius;
        if !inside && let Some(sphere) = of_balls::grown(&self.balls, &self.sphere) {
            self.sphere = sphere;
        }
    }

    fn done(mut self) -> Piece {
        self.prims.sort_unstable();
        Piece { prims: self.prims, ball: self.sphere.ball }
    }
}

#[cfg(test)]
mod tests {
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
}
