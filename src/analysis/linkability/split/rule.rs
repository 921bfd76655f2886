//! The interface of rules for the planner: which prims may be together.

use crate::{
    analysis::linkability::Prim,
    geometry::{
        bounds::Bounds,
        enclosing_sphere::{self, exact, of_balls::Ball},
    },
    settings::profile::Linkability,
};
use glam::DVec3;

/// A size this close to the limit, as a share of it, is never judged by an estimate.
const NEAR: f64 = 1e-9;

/// A rule that is *hereditary*: what is part of a set that passes, passes.
///
/// A set passes if its size, which no further prim makes smaller, is below a limit, and if it has no more prims
/// than are allowed. Prims are named by their index.
pub trait Rule {
    /// What is known of prims that pass together.
    type Fit: Clone;

    /// The prims as boxes, metres: points, where the rule looks at centres only. Prims with equal boxes are the
    /// same to the rule.
    fn boxes(&self) -> &[Bounds];

    /// The size of a set must be below this, metres. Prims whose boxes have their middles this far apart on an axis
    /// are never together.
    fn limit_m(&self) -> f64;

    /// The most prims of a set.
    fn max_prims(&self) -> usize;

    /// Whether these prims pass, whatever their number. All estimates below give way to it.
    fn fit(&self, prims: &[usize]) -> Option<Self::Fit>;

    /// The size of a set, metres.
    fn size_m(&self, fit: &Self::Fit) -> f64;

    /// Least and greatest size that the set can have with one more prim, metres.
    fn size_with_m(&self, fit: &Self::Fit, prim: usize) -> (f64, f64);

    /// Whether this prim passes with every set that these are part of and that passes. May be `false` in doubt.
    fn holds(&self, fit: &Self::Fit, prim: usize) -> bool;

    /// The size of a set of two, metres, but for rounding.
    fn apart_m(&self, one: usize, other: usize) -> f64;

    /// Whether no set of this size passes, with room for rounding.
    fn exceeds(&self, size_m: f64) -> bool {
        self.limit_m() < f64::INFINITY && size_m >= self.limit_m() * (1.0 + NEAR)
    }

    /// Whether no set that passes has both.
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
    /// For prims with these centres, metres, in any axes.
    pub fn new(centres: &[DVec3], limits: &Linkability) -> Self {
        // As the target holds them: a plan for other numbers would pass where the rule does not.
        let held = centres.iter().map(|centre| centre.as_vec3().as_dvec3());
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

    /// Let the point be `d > r` from the centre. A sphere around the set has its centre some `t` from the old one,
    /// in a direction in which it holds a point of the old surface that is at least `√(r² + t²)` from it; and it
    /// holds the new point, `d − t` from it or more. Both are least at `(d² + r²) / 2d`. The sphere around the old
    /// one and the point has the radius `(d + r) / 2`.
    fn size_with_m(&self, ball: &Ball, prim: usize) -> (f64, f64) {
        let distance = self.points[prim].min.distance(ball.centre);
        if distance <= ball.radius {
            (2.0 * ball.radius, 2.0 * ball.radius)
        } else {
            (distance + ball.radius * (ball.radius / distance), distance + ball.radius)
        }
    }

    /// A sphere of the radius `R` around the set has its centre at most `√(R² − r²)` from that of the smallest one,
    /// as above, so it holds all that is `R` minus this from it.
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
    /// For these prims, in the axes of the region.
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
