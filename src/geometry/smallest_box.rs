//! Finds the rotation at which points in a plane fit the smallest axis-aligned square.

use super::polygon;
use glam::DVec2;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A rotation that reduces the square by a smaller part than this only gains rounding.
const GAIN: f64 = 1e-12;

/// A rotation of points in their plane, and their bounding box after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turned {
    /// Counter-clockwise angle in radians, from 0 to below π/2: a quarter turn only swaps the sides.
    pub angle: f64,
    /// Sides of the box along x and y.
    pub size: DVec2,
}

/// Returns the rotation that minimizes the longer side of the box around the points; of equal ones the smallest. `None`
/// without points, or if a coordinate is not finite.
///
/// While the points rotate, those that touch the four sides change only when an edge of their convex hull aligns with a
/// side. In between, each side of the box is the projection of a fixed vector, so it has no minimum inside. The longer
/// of the two has one only where both are equal.
pub fn smallest_by_turning(points: &[DVec2]) -> Option<Turned> {
    if points.is_empty() || !points.iter().all(|point| point.is_finite()) {
        return None;
    }
    let hull = Hull::around(points);
    let mut stops: Vec<f64> =
        hull.directions.iter().map(|direction| (-direction).rem_euclid(FRAC_PI_2)).collect();
    stops.extend([0.0, FRAC_PI_2]);
    stops.sort_unstable_by(f64::total_cmp);
    let between = stops.windows(2).filter_map(|ends| hull.equal_sides(ends[0], ends[1])).collect::<Vec<_>>();
    stops.extend(between);
    stops.sort_unstable_by(f64::total_cmp);
    let mut best = hull.turned(0.0);
    for turned in stops.into_iter().filter(|&angle| angle < FRAC_PI_2).map(|angle| hull.turned(angle)) {
        if turned.size.max_element() < best.size.max_element() * (1.0 - GAIN) {
            best = turned;
        }
    }
    Some(best)
}

struct Hull {
    /// Counter-clockwise, from the lowest of the leftmost corners.
    corners: Vec<DVec2>,
    /// Directions of the edges from each corner to the next, in radians above -π/2 up to 3π/2, ascending. Only the edge
    /// that returns to the first corner can point straight down.
    directions: Vec<f64>,
}

impl Hull {
    fn around(points: &[DVec2]) -> Self {
        let mut points = points.to_vec();
        points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        let corners = polygon::around(&points, |a, b, point| (b - a).perp_dot(point - b) <= 0.0);
        let next = corners.iter().cycle().skip(1);
        let mut directions: Vec<f64> = corners
            .iter()
            .zip(next)
            .map(|(&from, &to)| (to - from).to_angle())
            .map(|angle| if angle <= -FRAC_PI_2 { angle + TAU } else { angle })
            .collect();
        // The polygon is convex up to rounding.
        directions.sort_unstable_by(f64::total_cmp);
        Self { corners, directions }
    }

    /// Returns the corner farthest in a direction: there the edges turn to its left.
    fn farthest(&self, direction: f64) -> DVec2 {
        let tangent = (direction + PI).rem_euclid(TAU) - FRAC_PI_2;
        let edge = self.directions.partition_point(|&edge| edge < tangent);
        self.corners[edge % self.corners.len()]
    }

    /// Returns the vector between the extreme corners along a direction.
    fn across(&self, direction: f64) -> DVec2 {
        self.farthest(direction) - self.farthest(direction + PI)
    }

    /// Rotates the axes back, which is equivalent to rotating the points.
    fn turned(&self, angle: f64) -> Turned {
        let side = |direction: f64| self.across(direction).dot(DVec2::from_angle(direction));
        Turned { angle, size: DVec2::new(side(-angle), side(FRAC_PI_2 - angle)) }
    }

    /// Returns the angle between two stops at which the sides are equal, if there is one. Between stops, the sides are
    /// `a·(cos, -sin)` and `b·(sin, cos)` of the angle, with fixed vectors.
    fn equal_sides(&self, from: f64, to: f64) -> Option<f64> {
        let middle = (from + to) / 2.0;
        let (a, b) = (self.across(-middle), self.across(FRAC_PI_2 - middle));
        let angle = (a.x - b.y).atan2(a.y + b.x).rem_euclid(PI);
        (from < angle && angle < to).then_some(angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the box after a rotation, from all points.
    fn size_at(points: &[DVec2], angle: f64) -> DVec2 {
        let turned = || points.iter().map(|&point| DVec2::from_angle(angle).rotate(point));
        turned().reduce(DVec2::max).unwrap() - turned().reduce(DVec2::min).unwrap()
    }

    /// Compares with an angle in degrees and a size that were computed by hand.
    fn check(points: &[DVec2], degrees: f64, size: DVec2) {
        let turned = smallest_by_turning(points).unwrap();
        assert!((turned.angle.to_degrees() - degrees).abs() < 1e-9, "{turned:?}");
        assert!((turned.size - size).length() < 1e-12, "{turned:?}");
    }

    fn box_of(size: DVec2) -> [DVec2; 4] {
        [DVec2::ZERO, DVec2::new(size.x, 0.0), size, DVec2::new(0.0, size.y)]
    }

    #[test]
    fn boxes_fit_best_on_their_corner_and_squares_on_their_side() {
        check(&box_of(DVec2::new(40.0, 10.0)), 45.0, DVec2::splat(50.0 / 2f64.sqrt()));
        check(&box_of(DVec2::splat(31.0)), 0.0, DVec2::splat(31.0));
        let leaning = box_of(DVec2::splat(31.0)).map(|point| DVec2::from_angle(0.3).rotate(point));
        check(&leaning, 90.0 - 0.3f64.to_degrees(), DVec2::splat(31.0));
    }

    #[test]
    fn points_and_lines() {
        check(&[DVec2::splat(7.0); 3], 0.0, DVec2::ZERO);
        let line = [0.0, 10.0, 4.0].map(|along| DVec2::new(along, 0.0));
        check(&line, 45.0, DVec2::splat(50f64.sqrt()));
        let wall = [3.0, 0.0, 10.0].map(|along| DVec2::new(0.0, along));
        check(&wall, 45.0, DVec2::splat(50f64.sqrt()));
    }

    #[test]
    fn empty_and_non_finite_sets_cannot_be_turned() {
        assert_eq!(smallest_by_turning(&[]), None);
        assert_eq!(smallest_by_turning(&[DVec2::ZERO, DVec2::new(f64::NAN, 0.0)]), None);
        assert!(smallest_by_turning(&[DVec2::MAX, DVec2::MIN, DVec2::X]).is_some());
    }

    #[test]
    fn half_a_million_points() {
        let circle: Vec<DVec2> =
            (0..524_288).map(|index| DVec2::from_angle(f64::from(index)) * 16.0).collect();
        let turned = smallest_by_turning(&circle).unwrap();
        assert!((turned.size - DVec2::splat(32.0)).length() < 1e-6, "{turned:?}");
    }

    proptest! {
        #[test]
        fn no_sampled_turn_is_better(
            coarse in prop::collection::vec(prop::array::uniform2(-3..4), 0..12),
            fine in prop::collection::vec(prop::array::uniform2(-4.0..4.0), 1..12),
        ) {
            let coarse = coarse.into_iter().map(|point| point.map(f64::from));
            let points: Vec<DVec2> = coarse.chain(fine).map(DVec2::from_array).collect();
            let turned = smallest_by_turning(&points).unwrap();
            prop_assert!((0.0..FRAC_PI_2).contains(&turned.angle));
            prop_assert!((turned.size - size_at(&points, turned.angle)).length() < 1e-12);
            let (least, step) = (turned.size.max_element(), FRAC_PI_2 / 1000.0);
            let sampled = (0..1000).map(|count| size_at(&points, step * f64::from(count)).max_element());
            let sampled = sampled.fold(f64::INFINITY, f64::min);
            // A side changes by at most its diagonal per radian.
            prop_assert!((-1e-11..=step * turned.size.length()).contains(&(sampled - least)), "{sampled} {turned:?}");
        }
    }
}
