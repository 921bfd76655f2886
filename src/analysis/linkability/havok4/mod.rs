//! The rule of Havok4, from 2008 until December 2010: spheres around the prims, linked piece by piece.
//!
//! `linkability-rules.txt`, "Old Linkability Rules". Every prim is a ball. A linked piece is the smallest ball around
//! its prims' balls. Two pieces link if the span over both is not too large for their size. With many prims the result
//! depends on the order of the attempts. Here they are tried in link order, and [`order`] checks whether another order
//! could give another result.

pub mod order;
#[cfg(test)]
mod tests;

use super::{Prim, current::Verdict};
use crate::cost::NotEvaluated;
use glam::DVec3;
use hullmark_geometry::enclosing_sphere::of_balls::{self, Ball, Enclosing};
use std::ops::Range;

/// `LINK_BONUS` in metres.
const LINK_BONUS_M: f64 = 2.0;

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

/// A set of linked prims.
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

/// The state of the linking process.
struct Linking {
    pieces: Vec<Growing>,
    least_margin_m: f64,
    trials: u64,
}

/// A piece that may still grow.
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
