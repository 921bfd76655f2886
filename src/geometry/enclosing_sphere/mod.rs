//! The smallest sphere around points: that of [`of_balls`] around balls without extent.

pub mod exact;
pub mod of_balls;

use super::enclosing_sphere::of_balls::Ball;
use glam::DVec3;

/// A sphere around points.
#[derive(Debug, Clone, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub centre: DVec3,
    /// Its radius.
    pub radius: f64,
    /// Indices of one to four points on its surface that have the centre in their convex hull, ascending: no
    /// smaller sphere holds even these.
    pub support: Vec<usize>,
}

impl Sphere {
    /// Twice the radius.
    pub fn diameter(&self) -> f64 {
        2.0 * self.radius
    }
}

/// The smallest sphere that contains all points, which may coincide, lie on a line, a plane or a sphere.
///
/// `None` where there is no point, or where a coordinate is not finite. All points lie within
/// `radius · (1 + 1e-12)`, and the radius is within 1e-12 of the least possible.
pub fn smallest_enclosing(points: &[DVec3]) -> Option<Sphere> {
    let balls = points.iter().copied().map(Ball::point).collect();
    let found = of_balls::enclosing(balls, None)?;
    Some(Sphere { centre: found.ball.centre, radius: found.ball.radius, support: found.support })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The point equally far from one to four points in the flat that they span, and the least of its weights: it
    /// lies in their convex hull where that is not negative. `None` where they span less than their number.
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

    /// The distance of the farthest point from a place.
    fn farthest(points: &[DVec3], place: DVec3) -> f64 {
        points.iter().map(|point| point.distance(place)).fold(0.0, f64::max)
    }

    /// The radius by definition: of all spheres through at most four points, the smallest around all.
    fn oracle(points: &[DVec3]) -> f64 {
        let count = points.len();
        let mut best = f64::INFINITY;
        let mut consider = |indices: &[usize]| {
            let corners: Vec<DVec3> = indices.iter().map(|&index| points[index]).collect();
            if let Some((centre, _)) = circumcentre(&corners) {
                best = best.min(farthest(points, centre));
            }
        };
        for a in 0..count {
            consider(&[a]);
            for b in a + 1..count {
                consider(&[a, b]);
                for c in b + 1..count {
                    consider(&[a, b, c]);
                    for d in c + 1..count {
                        consider(&[a, b, c, d]);
                    }
                }
            }
        }
        best
    }

    /// A radius that no sphere around these points can be below: those that have their own circumcentre in their
    /// hull need a sphere of their circumradius. `middle` is a place near them.
    pub(crate) fn lower_bound(points: &[DVec3], middle: DVec3) -> f64 {
        let corners: Vec<DVec3> = points.iter().map(|&point| point - middle).collect();
        let mut best = 0.0f64;
        for mask in 1u8..1 << corners.len() {
            let chosen: Vec<DVec3> =
                (0..corners.len()).filter(|b| mask >> b & 1 == 1).map(|b| corners[b]).collect();
            if let Some((centre, least)) = circumcentre(&chosen)
                && least >= -1e-6
            {
                // A weight of −1e-6 is rounding in a sliver; it moves the bound in second order.
                best = best.max(chosen.iter().map(|p| p.distance(centre)).fold(f64::INFINITY, f64::min));
            }
        }
        best
    }

    fn check(points: &[DVec3]) -> Sphere {
        let sphere = smallest_enclosing(points).unwrap();
        let slack = sphere.radius * 1e-12 + 1e-15 * points[0].abs().max_element();
        for point in points {
            assert!(point.distance(sphere.centre) <= sphere.radius + slack, "outside: {point} {sphere:?}");
        }
        assert!((1..=4).contains(&sphere.support.len()));
        for &index in &sphere.support {
            assert!(
                (points[index].distance(sphere.centre) - sphere.radius).abs()
                    <= slack.max(1e-11 * sphere.radius),
                "{sphere:?}"
            );
        }
        let support: Vec<DVec3> = sphere.support.iter().map(|&index| points[index]).collect();
        let bound = lower_bound(&support, sphere.centre);
        assert!(
            sphere.radius - bound <= slack + 1e-10 * sphere.radius,
            "{} above {bound}: {sphere:?} {points:?}",
            sphere.radius
        );
        sphere
    }

    /// A fixed sequence that looks like chance.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
    }

    #[test]
    fn no_sphere_without_points_or_with_lost_ones() {
        assert_eq!(smallest_enclosing(&[]), None);
        assert_eq!(smallest_enclosing(&[DVec3::ZERO, DVec3::NAN]), None);
        assert_eq!(smallest_enclosing(&[DVec3::X * f64::INFINITY]), None);
    }

    #[test]
    fn one_point_and_its_twins_have_no_diameter() {
        for count in [1, 2, 7] {
            let sphere = check(&vec![DVec3::new(128.1, 33.3, 9905.7); count]);
            assert_eq!((sphere.radius, sphere.support), (0.0, vec![0]));
        }
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
                .map(|_| DVec3::new(next(), next(), next()).normalize() * (1.0 + jitter * next()))
                .collect();
            let sphere = check(&points);
            assert!((sphere.radius - 1.0).abs() < 1e-12 + jitter, "{jitter}");
        }
    }

    #[test]
    fn antipodes_and_a_point_barely_outside() {
        // The third point changes the radius by less than one ulp, and still has to be inside.
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
    fn extreme_numbers() {
        for size in [1e-320, 1e-300, 1e-150, 1e150, 1e300] {
            let points = [DVec3::ZERO, DVec3::X * size, DVec3::Y * size];
            let sphere = smallest_enclosing(&points).unwrap();
            assert!((sphere.radius / size - 0.5f64.sqrt()).abs() < 1e-3, "{size} {sphere:?}");
        }
        assert!(smallest_enclosing(&[DVec3::MAX, DVec3::MIN]).is_some());
    }

    #[test]
    fn a_hundred_thousand_points() {
        let mut next = noise(3);
        let ball: Vec<DVec3> = (0..100_000).map(|_| DVec3::new(next(), next(), next())).collect();
        check(&ball);
        let shell: Vec<DVec3> = ball.iter().map(|point| point.normalize()).collect();
        assert!((check(&shell).radius - 1.0).abs() < 1e-9);
    }

    fn clouds(most: usize) -> impl Strategy<Value = Vec<DVec3>> {
        // A coarse grid makes cospherical, coplanar and equal points common.
        let coarse =
            (-3i32..4, -3i32..4, -3i32..4).prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()));
        let fine = (-50.0..50.0, -50.0..50.0, -50.0..50.0).prop_map(|(x, y, z)| DVec3::new(x, y, z + 9905.0));
        let flat = (-50.0..50.0, -1e-9..1e-9, -1e-9..1e-9).prop_map(|(x, y, z)| DVec3::new(x, y, z));
        // Points that stand close together and carry the sphere together.
        let corners = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::Z];
        let clustered = (0usize..4, -1e-2..1e-2, -1e-2..1e-2, -1e-2..1e-2)
            .prop_map(move |(corner, x, y, z)| corners[corner] + DVec3::new(x, y, z));
        prop_oneof![
            prop::collection::vec(coarse, 1..most),
            prop::collection::vec(fine, 1..most),
            prop::collection::vec(flat, 1..most),
            prop::collection::vec(clustered, 1..most),
        ]
    }

    proptest! {
        #[test]
        fn equals_the_oracle(points in clouds(10)) {
            let sphere = check(&points);
            // The oracle works in the points' own coordinates: it is the less exact of the two.
            prop_assert!((sphere.radius - oracle(&points)).abs() <= 1e-10 * sphere.radius + 1e-10);
        }

        #[test]
        fn the_order_of_points_does_not_change_the_diameter(points in clouds(60), turn in 0usize..60) {
            let sphere = check(&points);
            let mut other = points.clone();
            other.reverse();
            let turn = turn % points.len();
            other.rotate_left(turn);
            let again = check(&other);
            prop_assert!((sphere.diameter() - again.diameter()).abs() <= 1e-12 * sphere.diameter());
        }
    }
}
