//! Whether a growing set of points still fits the rule's sphere.

use glam::DVec3;
use hullmark_geometry::enclosing_sphere::{
    Sphere,
    of_balls::{Ball, Enclosing, at_least_around, grown, smallest_enclosing},
};

/// Relative difference of diameter and limit below which the smallest sphere itself is needed.
const MARGIN: f64 = 1e-9;

/// Points with a sphere around them that is only as small as necessary. A growing set is checked some hundred times,
/// and the smallest sphere takes as long as hundreds of points.
#[derive(Debug, Clone)]
pub(super) struct Span {
    /// Points on which a later sphere may depend, as balls of radius 0.
    points: Vec<Ball>,
    /// A sphere around the points.
    cover: Ball,
    /// The smallest sphere around the points, or around those that were there before. It shows what does not fit.
    smallest: Enclosing,
    /// The points that carry it.
    carriers: Vec<Ball>,
    /// Whether no point was added since.
    is_smallest: bool,
}

impl Span {
    /// Creates a span of points from the smallest sphere around them.
    pub(super) fn new(points: impl Iterator<Item = DVec3>, around: &Sphere) -> Self {
        let cover = Ball { centre: around.centre, radius: around.radius };
        let smallest = Enclosing {
            ball: cover,
            support: around.support.clone(),
            gap: around.radius * Sphere::PRECISION,
        };
        let points: Vec<Ball> = points.map(Ball::point).collect();
        let carriers = smallest.support.iter().map(|&index| points[index]).collect();
        Self { points, cover, smallest, carriers, is_smallest: true }
    }

    /// Adds points, with the smallest sphere around them, if the smallest sphere around all has a diameter below the
    /// limit in metres. Returns whether they were added.
    pub(super) fn take(
        &mut self,
        more: impl Iterator<Item = DVec3> + Clone,
        around: &Sphere,
        limit_m: f64,
    ) -> bool {
        let more = more.map(Ball::point);
        if self.widen(around, limit_m) {
            self.points.extend(more);
            return true;
        }
        if self.is_too_wide_with(more.clone(), limit_m) {
            return false;
        }
        if self.tighten(limit_m) {
            if self.widen(around, limit_m) {
                self.points.extend(more);
                return true;
            }
            if self.is_too_wide_with(more.clone(), limit_m) {
                return false;
            }
        }
        let known = self.points.len();
        self.points.extend(more);
        match smallest_enclosing(&self.points) {
            Some(sphere) if 2.0 * sphere.ball.radius < limit_m => {
                self.settle(sphere, limit_m);
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
        let Ball { centre, radius } = self.cover;
        let apart = centre.distance(other.centre);
        if apart + other.radius <= radius {
            return true;
        }
        let wider = ((apart + radius + other.radius) / 2.0).max(other.radius);
        if 2.0 * wider >= limit_m * (1.0 - MARGIN) {
            return false;
        }
        let middle = if wider > other.radius {
            centre + (other.centre - centre) * ((wider - radius) / apart)
        } else {
            other.centre
        };
        (self.cover, self.is_smallest) = (Ball { centre: middle, radius: wider }, false);
        true
    }

    /// Replaces the sphere by the smallest one. Returns whether that changed it.
    fn tighten(&mut self, limit_m: f64) -> bool {
        if self.is_smallest {
            return false;
        }
        if let Some(sphere) = grown(&self.points, &self.smallest) {
            self.settle(sphere, limit_m);
        }
        self.is_smallest = true;
        true
    }

    /// Uses the smallest sphere (c, r), and drops the points that are inside every larger sphere to come.
    ///
    /// A later sphere whose centre is k from c has a radius of √(r² + k²) or more (see [`Self::must_reach`]). Its
    /// radius is at most R, half the limit, so k is below √(R² − r²). A point at distance d from c is at most d + k
    /// from that centre. This is at most the radius for each such k if d ≤ R − √(R² − r²).
    fn settle(&mut self, sphere: Enclosing, limit_m: f64) {
        let Ball { centre, radius } = sphere.ball;
        let (least, most) = (radius * (1.0 - MARGIN), limit_m / 2.0);
        let inner = (most - (most * most - least * least).sqrt()) * (1.0 - MARGIN);
        let is_kept = |point: &Ball| point.centre.distance_squared(centre) >= inner * inner;
        self.carriers.clear();
        self.carriers.extend(sphere.support.iter().map(|&index| self.points[index]));
        self.points.retain(is_kept);
        let place = |carrier: &Ball| self.points.iter().position(|point| point == carrier);
        let support = self.carriers.iter().filter_map(place).collect();
        self.smallest = Enclosing { support, ..sphere };
        (self.cover, self.is_smallest) = (sphere.ball, true);
    }

    /// Whether every sphere around the points and these has a diameter of the limit or more.
    fn is_too_wide_with(&self, mut more: impl Iterator<Item = Ball>, limit_m: f64) -> bool {
        more.any(|point| self.must_reach(point.centre, limit_m) || self.is_carried_too_far_by(point, limit_m))
    }

    /// Whether every sphere around the points and this one has a diameter of the limit or more.
    ///
    /// A smallest sphere (c, r) has points on its surface in every half space at c. From a centre at distance k from c,
    /// some point of the surface is √(r² + k²) or more away. A point at distance d from c is d − k or more away. The
    /// radius is at least the value where both are equal, (d² + r²) / 2d.
    fn must_reach(&self, point: DVec3, limit_m: f64) -> bool {
        let Ball { centre, radius } = self.smallest.ball;
        let apart = centre.distance(point);
        apart > radius && apart + radius * radius / apart >= limit_m * (1.0 + MARGIN)
    }

    /// Whether the sphere around this point and those that carry the smallest one has a diameter of the limit or more.
    fn is_carried_too_far_by(&self, point: Ball, limit_m: f64) -> bool {
        let Ball { centre, radius } = self.smallest.ball;
        centre.distance(point.centre) > radius
            && 2.0 * at_least_around(&self.carriers, point) >= limit_m * (1.0 + MARGIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_geometry::enclosing_sphere::smallest_enclosing;
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
            prop_assume!(2.0 * span.cover.radius < limit);
            for set in &sets[1..] {
                let all = [kept.as_slice(), set].concat();
                let diameter = smallest_enclosing(&all).unwrap().diameter();
                let took = span.take(set.iter().copied(), &smallest_enclosing(set).unwrap(), limit);
                prop_assert_eq!(took, diameter < limit, "{} against {}", diameter, limit);
                if took {
                    kept = all;
                }
                let held = |point: &DVec3| point.distance(span.cover.centre) <= span.cover.radius * (1.0 + MARGIN);
                prop_assert!(kept.iter().all(held), "{:?}", span);
            }
        }
    }
}
