//! Whether a growing set of points still fits the rule's sphere.

use glam::DVec3;
use hullmark_geometry::enclosing_sphere::{Sphere, smallest_enclosing};

/// Relative difference of diameter and limit below which the smallest sphere itself is needed.
const MARGIN: f64 = 1e-9;

/// Points with a sphere around them that is only as small as necessary. A growing set is checked some hundred times,
/// and the smallest sphere takes as long as hundreds of points.
#[derive(Debug, Clone)]
pub(super) struct Span {
    /// Points on which a later sphere may depend.
    points: Vec<DVec3>,
    centre: DVec3,
    radius: f64,
    /// Whether this is the smallest sphere around the points.
    smallest: bool,
}

impl Span {
    /// Creates a span of points from the smallest sphere around them.
    pub(super) fn new(points: impl Iterator<Item = DVec3>, around: &Sphere) -> Self {
        Self { points: points.collect(), centre: around.centre, radius: around.radius, smallest: true }
    }

    /// Adds points, with the smallest sphere around them, if the smallest sphere around all has a diameter below the
    /// limit in metres. Returns whether they were added.
    pub(super) fn take(
        &mut self,
        more: impl Iterator<Item = DVec3> + Clone,
        around: &Sphere,
        limit_m: f64,
    ) -> bool {
        if self.widen(around, limit_m) || self.tighten(limit_m) && self.widen(around, limit_m) {
            self.points.extend(more);
            return true;
        }
        if more.clone().any(|point| self.must_reach(point, limit_m)) {
            return false;
        }
        let known = self.points.len();
        self.points.extend(more);
        match smallest_enclosing(&self.points) {
            Some(sphere) if sphere.diameter() < limit_m => {
                self.settle(&sphere, limit_m);
                true
            }
            _ => {
                self.points.truncate(known);
                false
            }
        }
    }

    /// Widens the sphere to the smallest that also contains another sphere, if it is below the limit.
    fn widen(&mut self, other: &Sphere, limit_m: f64) -> bool {
        let apart = self.centre.distance(other.centre);
        if apart + other.radius <= self.radius {
            return true;
        }
        let radius = ((apart + self.radius + other.radius) / 2.0).max(other.radius);
        if 2.0 * radius >= limit_m * (1.0 - MARGIN) {
            return false;
        }
        self.centre = if radius > other.radius {
            self.centre + (other.centre - self.centre) * ((radius - self.radius) / apart)
        } else {
            other.centre
        };
        (self.radius, self.smallest) = (radius, false);
        true
    }

    /// Replaces the sphere by the smallest one. Returns whether that changed it.
    fn tighten(&mut self, limit_m: f64) -> bool {
        if self.smallest {
            return false;
        }
        if let Some(sphere) = smallest_enclosing(&self.points) {
            self.settle(&sphere, limit_m);
        }
        self.smallest = true;
        true
    }

    /// Uses the smallest sphere (c, r), and drops the points that are inside every larger sphere to come.
    ///
    /// A later sphere whose centre is k from c has a radius of √(r² + k²) or more (see [`Self::must_reach`]). Its
    /// radius is at most R, half the limit, so k is below √(R² − r²). A point at distance d from c is at most d + k
    /// from that centre. This is at most the radius for each such k if d ≤ R − √(R² − r²).
    fn settle(&mut self, sphere: &Sphere, limit_m: f64) {
        (self.centre, self.radius, self.smallest) = (sphere.centre, sphere.radius, true);
        let (least, most) = (self.radius * (1.0 - MARGIN), limit_m / 2.0);
        let inner = (most - (most * most - least * least).sqrt()) * (1.0 - MARGIN);
        self.points.retain(|point| point.distance_squared(sphere.centre) >= inner * inner);
    }

    /// Whether every sphere around the points and this one has a diameter of the limit or more.
    ///
    /// A smallest sphere (c, r) has points on its surface in every half space at c. From a centre at distance k from c,
    /// some point of the surface is √(r² + k²) or more away. A point at distance d from c is d − k or more away. The
    /// radius is at least the value where both are equal, (d² + r²) / 2d.
    fn must_reach(&self, point: DVec3, limit_m: f64) -> bool {
        let apart = self.centre.distance(point);
        apart > self.radius && apart + self.radius * self.radius / apart >= limit_m * (1.0 + MARGIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn sets() -> impl Strategy<Value = Vec<Vec<DVec3>>> {
        // A coarse grid, so that equal points and distances of exactly the limit are common.
        let coarse = prop::array::uniform3(-4..5_i32).prop_map(|at| DVec3::from_array(at.map(f64::from)));
        let fine = prop::array::uniform3(-4.0..4.0).prop_map(DVec3::from_array);
        vec(vec(prop_oneof![coarse, fine], 1..4), 1..30)
    }

    proptest! {
        #[test]
        fn it_answers_as_the_smallest_sphere_does(sets in sets(), limit in 1..14_u8) {
            let limit = f64::from(limit);
            let mut kept = sets[0].clone();
            let mut span = Span::new(kept.iter().copied(), &smallest_enclosing(&kept).unwrap());
            prop_assume!(2.0 * span.radius < limit);
            for set in &sets[1..] {
                let all = [kept.as_slice(), set].concat();
                let diameter = smallest_enclosing(&all).unwrap().diameter();
                let took = span.take(set.iter().copied(), &smallest_enclosing(set).unwrap(), limit);
                prop_assert_eq!(took, diameter < limit, "{} against {}", diameter, limit);
                if took {
                    kept = all;
                }
                let held = |point: &DVec3| point.distance(span.centre) <= span.radius * (1.0 + MARGIN);
                prop_assert!(kept.iter().all(held), "{:?}", span);
            }
        }
    }
}
