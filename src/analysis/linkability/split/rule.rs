//! The interface of rules for the planner: which prims may be together.

use crate::linkability::{Prim, current::as_held};
use glam::DVec3;
use hullmark_geometry::{
    bounds::Bounds,
    enclosing_sphere::{self, exact, of_balls::Ball},
};
use hullmark_settings::profile::Linkability;

/// A size this close to the limit, relative to it, is never evaluated by an estimate.
const NEAR: f64 = 1e-9;

/// A *hereditary* rule: every subset of a passing set passes.
///
/// A set passes if its size is below a limit, and if it does not have too many prims. An additional prim never makes a
/// set smaller. Prims are identified by their index.
pub trait Rule {
    /// The state of a set of prims that pass together.
    type Fit: Clone;

    /// Returns the boxes of the prims in metres. They are points if the rule only uses centres. Prims with equal boxes
    /// are equal under the rule.
    fn boxes(&self) -> &[Bounds];

    /// Returns the limit in metres, which the size of a set must be below. Prims whose boxes have their centres this
    /// far apart on an axis are never together.
    fn limit_m(&self) -> f64;

    fn max_prims(&self) -> usize;

    /// Evaluates whether these prims pass, regardless of their number. It overrides all estimates below.
    fn fit(&self, prims: &[usize]) -> Option<Self::Fit>;

    /// Returns the size of a set in metres.
    fn size_m(&self, fit: &Self::Fit) -> f64;

    /// Returns the minimum and maximum size of the set with one more prim, in metres.
    fn size_with_m(&self, fit: &Self::Fit, prim: usize) -> (f64, f64);

    /// Whether the prim can be added to every passing set that contains this set. May be `false` in doubt.
    fn holds(&self, fit: &Self::Fit, prim: usize) -> bool;

    /// Returns the size of a set of two prims in metres, except for rounding.
    fn apart_m(&self, one: usize, other: usize) -> f64;

    /// Whether no set of this size passes, with a margin for rounding.
    fn exceeds(&self, size_m: f64) -> bool {
        self.limit_m() < f64::INFINITY && size_m >= self.limit_m() * (1.0 + NEAR)
    }

    fn never_together(&self, one: usize, other: usize) -> bool {
        let apart = self.apart_m(one, other);
        self.exceeds(apart) || apart >= self.limit_m() * (1.0 - NEAR) && self.fit(&[one, other]).is_none()
    }
}

/// The rule since 2010: the smallest sphere around the centres is smaller than the limit.
#[derive(Debug, Clone)]
pub struct Spheres {
    points: Vec<Bounds>,
    limits: Linkability,
}

impl Spheres {
    /// Creates the rule for prims with these centres in metres, in any axes.
    pub fn new(centres: &[DVec3], limits: &Linkability) -> Self {
        // A plan for unrounded numbers would pass where the rule does not.
        let held = centres.iter().map(|&centre| as_held(centre));
        let points = held.map(|centre| Bounds { min: centre, max: centre }).collect();
        Self { points, limits: limits.clone() }
    }
}

impl Rule for Spheres {
    type Fit = Ball;

    fn boxes(&self) -> &[Bounds] {
        &self.points
    }

    fn limit_m(&self) -> f64 {
        self.limits.max_diameter_m
    }

    fn max_prims(&self) -> usize {
        self.limits.max_prims as usize
    }

    fn fit(&self, prims: &[usize]) -> Option<Ball> {
        let centres: Vec<DVec3> = prims.iter().map(|&prim| self.points[prim].min).collect();
        let sphere = enclosing_sphere::smallest_enclosing(&centres)?;
        let passes =
            self.limit_m() == f64::INFINITY || exact::smaller_than(self.limit_m(), &sphere, &centres)?;
        passes.then_some(Ball { centre: sphere.centre, radius: sphere.radius })
    }

    fn size_m(&self, ball: &Ball) -> f64 {
        2.0 * ball.radius
    }

    /// Let the point be `d > r` from the centre. A sphere around the set and the point has its centre at some distance
    /// `t` from the old one. In that direction it contains a point of the old surface that is at least `√(r² + t²)`
    /// from its centre. It contains the new point, which is at least `d − t` from its centre. So its radius is at least
    /// `(d² + r²) / 2d`, where both distances are equal. The sphere around the old sphere and the point has the radius
    /// `(d + r) / 2`.
    fn size_with_m(&self, ball: &Ball, prim: usize) -> (f64, f64) {
        let distance = self.points[prim].min.distance(ball.centre);
        if distance <= ball.radius {
            (2.0 * ball.radius, 2.0 * ball.radius)
        } else {
            (distance + ball.radius * (ball.radius / distance), distance + ball.radius)
        }
    }

    /// A sphere of radius `R` around the set has its centre at most `√(R² − r²)` from that of the smallest one, as
    /// above. So it contains all points within `R` minus this distance of the old centre.
    fn holds(&self, ball: &Ball, prim: usize) -> bool {
        let most = self.limit_m() / 2.0;
        let shift = (most * most - ball.radius * ball.radius).sqrt();
        self.points[prim].min.distance(ball.centre) <= most * (1.0 - NEAR) - shift
    }

    fn apart_m(&self, one: usize, other: usize) -> f64 {
        self.points[one].min.distance(self.points[other].min)
    }
}

/// A rule of boxes: the axis-aligned box around the prims' boxes has every side below the limit.
#[derive(Debug, Clone)]
pub struct Boxes {
    boxes: Vec<Bounds>,
    limit_m: f64,
    max_prims: usize,
}

impl Boxes {
    /// Creates the rule for these prims, in the axes of the region.
    pub fn new(prims: &[Prim], limit_m: f64, max_prims: usize) -> Self {
        Self { boxes: prims.iter().map(Prim::bounds).collect(), limit_m, max_prims }
    }
}

impl Rule for Boxes {
    type Fit = Bounds;

    fn boxes(&self) -> &[Bounds] {
        &self.boxes
    }

    fn limit_m(&self) -> f64 {
        self.limit_m
    }

    fn max_prims(&self) -> usize {
        self.max_prims
    }

    fn fit(&self, prims: &[usize]) -> Option<Bounds> {
        let whole = prims.iter().map(|&prim| self.boxes[prim]).reduce(union)?;
        (self.limit_m == f64::INFINITY || longest(&whole) < self.limit_m).then_some(whole)
    }

    fn size_m(&self, bounds: &Bounds) -> f64 {
        longest(bounds)
    }

    fn size_with_m(&self, bounds: &Bounds, prim: usize) -> (f64, f64) {
        let size = longest(&union(*bounds, self.boxes[prim]));
        (size, size)
    }

    fn holds(&self, bounds: &Bounds, prim: usize) -> bool {
        union(*bounds, self.boxes[prim]) == *bounds
    }

    fn apart_m(&self, one: usize, other: usize) -> f64 {
        longest(&union(self.boxes[one], self.boxes[other]))
    }
}

fn union(one: Bounds, other: Bounds) -> Bounds {
    Bounds { min: one.min.min(other.min), max: one.max.max(other.max) }
}

fn longest(bounds: &Bounds) -> f64 {
    bounds.size().max_element()
}
