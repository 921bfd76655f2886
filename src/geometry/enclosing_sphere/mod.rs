//! The smallest sphere around points: a special case of [`of_balls`].

pub mod exact;
pub mod of_balls;

use super::enclosing_sphere::of_balls::Ball;
use glam::DVec3;

#[derive(Debug, Clone, PartialEq)]
pub struct Sphere {
    pub centre: DVec3,
    pub radius: f64,
    /// Indices, ascending, of one to four points on the surface that have the centre in their convex hull. No smaller
    /// sphere contains even these.
    pub support: Vec<usize>,
}

impl Sphere {
    /// Returns twice the radius.
    pub fn diameter(&self) -> f64 {
        2.0 * self.radius
    }
}

/// Returns the smallest sphere that contains all points. They may coincide, or lie on a line, a plane or a sphere.
///
/// `None` without points, or if a coordinate is not finite. All points lie within `radius · (1 + 1e-12)`, and the
/// radius is within 1e-12 of the minimum.
pub fn smallest_enclosing(points: &[DVec3]) -> Option<Sphere> {
    let balls = points.iter().copied().map(Ball::point).collect();
    let found = of_balls::enclosing(balls, None)?;
    Some(Sphere { centre: found.ball.centre, radius: found.ball.radius, support: found.support })
}

#[cfg(test)]
pub(super) mod tests {
    use super::{
        of_balls::tests::{check as check_balls, prove},
        *,
    };
    use crate::noise;
    use proptest::prelude::*;

    /// Returns the circumcentre of one to four points in the flat that they span, and the smallest of its weights. It
    /// lies in their convex hull if that weight is not negative. `None` if the points are not independent.
    fn circumcentre(corners: &[DVec3]) -> Option<(DVec3, f64)> {
        let origin = corners[0];
        let edge = |index: usize| corners[index] - origin;
        let (offset, least) = match corners.len() {
            1 => (DVec3::ZERO, 1.0),
            2 => (edge(1) * 0.5, 0.5),
            3 => {
                let (a, b) = (edge(1), edge(2));
                let (aa, bb, ab) = (a.length_squared(), b.length_squared(), a.dot(b));
                let double = 2.0 * a.cross(b).length_squared();
                let (wa, wb) = (bb * (aa - ab) / double, aa * (bb - ab) / double);
                (a * wa + b * wb, wa.min(wb).min(1.0 - wa - wb))
            }
            _ => {
                let (a, b, c) = (edge(1), edge(2), edge(3));
                let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
                let volume = a.dot(bc);
                let offset = (bc * a.length_squared() + ca * b.length_squared() + ab * c.length_squared())
                    / (2.0 * volume);
                let (wa, wb, wc) =
                    (offset.dot(bc) / volume, offset.dot(ca) / volume, offset.dot(ab) / volume);
                (offset, wa.min(wb).min(wc).min(1.0 - wa - wb - wc))
            }
        };
        (offset.is_finite() && least.is_finite()).then_some((origin + offset, least))
    }

    /// Returns a lower bound for the radius of spheres around these points: points with their circumcentre in their
    /// hull need a sphere of their circumradius. `middle` is a place near the points.
    pub fn lower_bound(points: &[DVec3], middle: DVec3) -> f64 {
        let corners: Vec<DVec3> = points.iter().map(|&point| point - middle).collect();
        let mut best = 0.0f64;
        for mask in 1u8..1 << corners.len() {
            let chosen: Vec<DVec3> =
                (0..corners.len()).filter(|b| mask >> b & 1 == 1).map(|b| corners[b]).collect();
            if let Some((centre, least)) = circumcentre(&chosen)
                && least >= -1e-6
            {
                // A weight of −1e-6 is rounding in a sliver; its effect on the bound is of second order.
                best = best.max(chosen.iter().map(|p| p.distance(centre)).fold(f64::INFINITY, f64::min));
            }
        }
        best
    }

    /// Returns the sphere around points, proven like that around balls. Points touch it more precisely.
    fn check(points: &[DVec3]) -> Sphere {
        let sphere = smallest_enclosing(points).unwrap();
        let balls: Vec<Ball> = points.iter().copied().map(Ball::point).collect();
        let found = prove(&balls, &check_balls(&balls)).ball;
        assert_eq!((sphere.centre, sphere.radius), (found.centre, found.radius));
        let slack = sphere.radius * 1e-11 + 1e-15 * points[0].abs().max_element();
        let touches = |&index: &usize| (points[index].distance(sphere.centre) - sphere.radius).abs() <= slack;
        assert!(sphere.support.iter().all(touches), "{sphere:?}");
        sphere
    }

    #[test]
    fn two_points_exactly_54_metres_apart_measure_54() {
        let sphere = check(&[DVec3::new(3.0, 5.0, 7.0), DVec3::new(57.0, 5.0, 7.0)]);
        assert_eq!(sphere.diameter(), 54.0);
        assert_eq!(sphere.centre, DVec3::new(30.0, 5.0, 7.0));
    }

    #[test]
    fn cube_and_grid_are_cospherical() {
        let corners: Vec<DVec3> = (0..8u8)
            .map(|bits| DVec3::new((bits & 1).into(), (bits >> 1 & 1).into(), (bits >> 2).into()) * 10.0)
            .collect();
        assert!((check(&corners).diameter() - 300f64.sqrt()).abs() < 1e-14);
        let grid: Vec<DVec3> =
            (0..1000).map(|n| DVec3::new((n % 10).into(), (n / 10 % 10).into(), (n / 100).into())).collect();
        assert!((check(&grid).diameter() - 243f64.sqrt()).abs() < 1e-13);
    }

    #[test]
    fn lines_planes_and_circles() {
        let line: Vec<DVec3> = (0..50).map(|n| DVec3::new(0.1, 0.7, -0.3) * f64::from(n)).collect();
        assert!((check(&line).diameter() - 49.0 * 0.59f64.sqrt()).abs() < 1e-12);
        let circle: Vec<DVec3> = (0..360)
            .map(|n| f64::from(n).to_radians())
            .map(|angle| DVec3::new(angle.cos(), angle.sin(), 0.0) * 5.0 + DVec3::new(100.0, 100.0, 9905.0))
            .collect();
        assert!((check(&circle).diameter() - 10.0).abs() < 1e-11);
    }

    #[test]
    fn nearly_cospherical_within_some_ulp() {
        for jitter in [0.0, 1e-16, 3e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6] {
            let mut next = noise(7);
            let points: Vec<DVec3> = (0..500)
                .map(|_| {
                    (DVec3::new(next(), next(), next()) - 0.5).normalize() * (1.0 + jitter * (next() - 0.5))
                })
                .collect();
            let sphere = check(&points);
            assert!((sphere.radius - 1.0).abs() < 1e-12 + jitter, "{jitter}");
        }
    }

    #[test]
    fn antipodes_and_a_point_barely_outside() {
        // The third point changes the radius by less than one ulp, but must still be inside.
        for out in [1e-3, 1e-6, 1e-9, 1e-11] {
            check(&[DVec3::X, DVec3::NEG_X, DVec3::Y * (1.0 + out), DVec3::Z * (1.0 + out / 2.0)]);
        }
    }

    #[test]
    fn a_centre_by_accident_of_symmetry_carries_nothing() {
        let points = [DVec3::X, DVec3::NEG_X, DVec3::Y * 2.0, DVec3::NEG_Y * 2.0];
        for turn in 0..4 {
            let mut points = points;
            points.rotate_left(turn);
            assert_eq!(check(&points).radius, 2.0);
        }
    }

    #[test]
    fn slivers() {
        for height in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
            check(&[
                DVec3::new(1.0, 0.0, height),
                DVec3::new(-0.6, 0.8, -height),
                DVec3::new(-0.5, -0.866, height),
                DVec3::new(0.1, -0.995, -height),
                DVec3::new(0.0, 1.0, height),
            ]);
        }
    }

    #[test]
    fn a_hundred_thousand_points() {
        let mut next = noise(3);
        let ball: Vec<DVec3> = (0..100_000).map(|_| DVec3::new(next(), next(), next()) - 0.5).collect();
        check(&ball);
        let shell: Vec<DVec3> = ball.iter().map(|point| point.normalize()).collect();
        assert!((check(&shell).radius - 1.0).abs() < 1e-9);
    }

    proptest! {
        /// Clusters of points that carry the sphere together, and points that are nearly on a line.
        #[test]
        fn clusters_and_lines(
            corners in prop::collection::vec(0usize..4, 1..10),
            noise in prop::collection::vec(prop::array::uniform3(-1e-2..1e-2), 10),
        ) {
            let all = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::Z];
            let near = || corners.iter().zip(&noise).map(|(&corner, &noise)| (all[corner], DVec3::from_array(noise)));
            check(&near().map(|(corner, noise)| corner + noise).collect::<Vec<_>>());
            check(&near().map(|(_, noise)| noise * DVec3::new(5e3, 1e-7, 1e-7)).collect::<Vec<_>>());
        }
    }
}
