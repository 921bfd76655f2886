//! Whether the smallest sphere around points is smaller than a limit, decided exactly if f64 cannot.
//!
//! Every f64 is an integer times a power of two. So the coordinates of a set and the limit are integers in units of the
//! smallest such power. The sphere is grown in integers as in [`sphere`](super). While a point lies outside, the
//! farthest one joins the support. Of these at most five points, those that define the smallest sphere around them
//! stay. Nothing is rounded, so the radius strictly grows, no support occurs twice, and the search ends. Fractions have
//! separate divisors and are compared crosswise. Reducing them would cost more than all other steps.

use super::Sphere;
use glam::DVec3;
use num_bigint::BigInt;
use num_traits::float::FloatCore;
use std::collections::BTreeSet;

/// If diameter and limit differ by more than this part of the limit, the f64 result is used: it is exact to 1e-12.
const DOUBT: f64 = 1e-9;

/// Maximum number of tests of a point against a sphere: a tenth of a second at worst. Linksets that Second Life accepts
/// have 255 points and need some ten spheres. Only a hostile file has thousands of points on one sphere.
const MOST_TRIALS: usize = 10_000;

/// A point or a vector, in integer multiples of a power of two.
type Vector = [BigInt; 3];

/// Whether the smallest sphere around these points has a diameter below the limit, in the same unit. The points count
/// as exact numbers. `sphere` is the result of [`smallest_enclosing`](super::smallest_enclosing) for them.
///
/// `None` if an exact decision is needed and too many points are near the surface.
pub fn smaller_than(limit: f64, sphere: &Sphere, points: &[DVec3]) -> Option<bool> {
    let excess = sphere.diameter() - limit;
    if excess.abs() > limit * DOUBT {
        return Some(excess < 0.0);
    }
    let near = near_surface(sphere, points);
    if near.len() > MOST_TRIALS {
        return None;
    }
    let unit = unit(near.iter().flat_map(DVec3::to_array).chain([limit]));
    let near: Vec<Vector> = near.iter().map(|&point| vector(point, unit)).collect();
    let support = sphere.support.iter().map(|&index| vector(points[index], unit)).collect();
    smallest_is_below(&count(limit, unit), support, &near)
}

/// Returns the distinct points that can affect the result.
///
/// Let c* and R be centre and radius of the smallest sphere around the kept points. Let ρ be the distance of the
/// farthest point from the rounded centre c. From any place c, some kept point is at √(R² + |c − c*|²) or farther,
/// because c* lies in the hull of those at R. So |c − c*|² ≤ ρ² − R². A point nearer to c than R − √(ρ² − R²) is thus
/// nearer to c* than R, and can be left out. R is not yet known. But the support is kept, and apart from rounding it
/// alone requires the rounded radius.
///
/// A radius that is exact to 1e-12 still allows an error of 1e-6 in the centre. So the shell of kept points is much
/// thicker than the doubt.
fn near_surface(sphere: &Sphere, points: &[DVec3]) -> Vec<DVec3> {
    // In units of the radius, so that no square overflows or underflows.
    let unit = sphere.radius.max(f64::MIN_POSITIVE);
    let distance = |point: &DVec3| ((point - sphere.centre) / unit).length();
    let least = sphere.radius / unit * (1.0 - DOUBT);
    let reach = points.iter().map(distance).fold(least, f64::max);
    let drift = ((reach - least) * (reach + least)).sqrt();
    let near = points.iter().filter(|point| distance(point) >= least - drift);
    let distinct: BTreeSet<[u64; 3]> = near.map(|point| point.to_array().map(f64::to_bits)).collect();
    distinct.into_iter().map(|bits| DVec3::from_array(bits.map(f64::from_bits))).collect()
}

/// Decides in integers, from an initial support.
fn smallest_is_below(limit: &BigInt, mut support: Vec<Vector>, points: &[Vector]) -> Option<bool> {
    for _ in 0..MOST_TRIALS / points.len().max(1) {
        let ball = Ball::around(&support)?;
        // All points need at least the sphere that some of them need.
        if !ball.is_below(limit) {
            return Some(false);
        }
        let (height, farthest) = points.iter().map(|point| (ball.height(point), point)).max()?;
        if height <= BigInt::ZERO {
            return Some(true);
        }
        support = ball.support;
        support.push(farthest.clone());
    }
    None
}

/// Returns subsets of one to four of at most five points as bit masks, smaller ones first.
fn subsets(points: usize) -> impl Iterator<Item = u8> {
    (1..=4).flat_map(move |size| (1..1u8 << points).filter(move |mask| mask.count_ones() == size))
}

/// A sphere with its support on its surface. The centre is `offset / divisor` from the first point of the support.
struct Ball {
    support: Vec<Vector>,
    offset: Vector,
    divisor: BigInt,
}

impl Ball {
    /// Returns the smallest sphere around one to five points. It is the only one that contains them all and has its
    /// centre in the convex hull of those on its surface.
    fn around(points: &[Vector]) -> Option<Self> {
        subsets(points.len()).find_map(|mask| {
            let support = (0..points.len()).filter(|bit| mask >> bit & 1 == 1);
            let ball = Self::carried_by(support.map(|bit| points[bit].clone()).collect())?;
            points.iter().all(|point| ball.height(point) <= BigInt::ZERO).then_some(ball)
        })
    }

    /// Returns the sphere whose centre is equally far from all of these points, in the flat that they span. `None` if
    /// the points are not independent, or if that centre is outside their convex hull.
    ///
    /// With edges `eᵢ` from the first point, the centre is `Σ λᵢ eᵢ` with `2 Σⱼ (eᵢ·eⱼ) λⱼ = eᵢ·eᵢ`. Cramer's rule
    /// solves it with one common divisor.
    fn carried_by(support: Vec<Vector>) -> Option<Self> {
        let edges: Vec<Vector> = support[1..].iter().map(|point| difference(point, &support[0])).collect();
        let products: Vec<Vec<BigInt>> =
            edges.iter().map(|a| edges.iter().map(|b| dot(a, b)).collect()).collect();
        let divisor = determinant(&products) * 2;
        let weights: Vec<BigInt> = (0..edges.len())
            .map(|column| {
                let mut replaced = products.clone();
                for (row, line) in replaced.iter_mut().enumerate() {
                    line[column] = products[row][row].clone();
                }
                determinant(&replaced)
            })
            .collect();
        let in_hull =
            weights.iter().all(|weight| *weight >= BigInt::ZERO) && weights.iter().sum::<BigInt>() <= divisor;
        // A determinant of dot products is never negative, and 0 if the edges are dependent.
        (divisor > BigInt::ZERO && in_hull).then(|| {
            let offset = [0, 1, 2]
                .map(|axis| weights.iter().zip(&edges).map(|(weight, edge)| weight * &edge[axis]).sum());
            Self { support, offset, divisor }
        })
    }

    /// Returns (squared distance from the centre − squared radius) × divisor, which is positive outside.
    fn height(&self, point: &Vector) -> BigInt {
        let from_first = difference(point, &self.support[0]);
        dot(&from_first, &from_first) * &self.divisor - dot(&from_first, &self.offset) * 2
    }

    fn is_below(&self, limit: &BigInt) -> bool {
        dot(&self.offset, &self.offset) * 4 < (limit * &self.divisor).pow(2)
    }
}

/// Returns the exponent of a power of two that divides all of these numbers.
fn unit(numbers: impl Iterator<Item = f64>) -> i16 {
    let exponents = numbers.filter(|&number| number != 0.0).map(|number| number.integer_decode().1);
    exponents.min().unwrap_or(0)
}

/// Returns the number as a multiple of that power of two.
fn count(number: f64, unit: i16) -> BigInt {
    let (mantissa, exponent, sign) = number.integer_decode();
    // Only zero has an exponent below that of the unit.
    (BigInt::from(mantissa) * sign) << (exponent - unit).max(0)
}

fn vector(point: DVec3, unit: i16) -> Vector {
    point.to_array().map(|number| count(number, unit))
}

fn difference(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|axis| &a[axis] - &b[axis])
}

fn dot(a: &Vector, b: &Vector) -> BigInt {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes the determinant by expansion along the first row. Without rows it is 1.
fn determinant(rows: &[Vec<BigInt>]) -> BigInt {
    let Some((first, rest)) = rows.split_first() else { return BigInt::from(1) };
    (0..first.len())
        .map(|column| {
            let without = |row: &Vec<BigInt>| [&row[..column], &row[column + 1..]].concat();
            let minor: Vec<Vec<BigInt>> = rest.iter().map(without).collect();
            let product = &first[column] * determinant(&minor);
            if column % 2 == 0 { product } else { -product }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosing_sphere::smallest_enclosing;
    use glam::DQuat;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn fraction(number: f64) -> BigRational {
        BigRational::from_float(number).unwrap()
    }

    fn whole(number: i32) -> BigRational {
        BigRational::from(BigInt::from(number))
    }

    /// Returns the squared diameter by another method: the largest circumsphere of up to four points that contain their
    /// circumcentre in their hull. The weights solve `Σⱼ |pᵢ − pⱼ|² λⱼ = 2R²`, `Σ λⱼ = 1`.
    fn square_of_diameter(points: &[DVec3]) -> BigRational {
        let points: Vec<[BigRational; 3]> =
            points.iter().map(|point| point.to_array().map(fraction)).collect();
        let sets = (1u32..1 << points.len()).filter(|set| set.count_ones() <= 4);
        let asked = sets.filter_map(|set| {
            let corners: Vec<_> = (0..points.len()).filter(|bit| set >> bit & 1 == 1).collect();
            let square = |a: usize, b: usize| {
                (0..3).map(|axis| &points[a][axis] - &points[b][axis]).map(|d| &d * &d).sum::<BigRational>()
            };
            let mut rows: Vec<Vec<BigRational>> = corners
                .iter()
                .map(|&a| corners.iter().map(|&b| square(a, b)).chain([whole(-1), whole(0)]).collect())
                .collect();
            rows.push(corners.iter().map(|_| whole(1)).chain([whole(0), whole(1)]).collect());
            let mut weights = solve(rows)?;
            let twice_square_of_radius = weights.pop()?;
            weights.iter().all(|weight| *weight >= whole(0)).then(|| twice_square_of_radius * whole(2))
        });
        asked.max().unwrap()
    }

    /// Gauss-Jordan elimination of as many equations as unknowns, with the right side last in each row.
    fn solve(mut rows: Vec<Vec<BigRational>>) -> Option<Vec<BigRational>> {
        for column in 0..rows.len() {
            let pivot = (column..rows.len()).find(|&row| rows[row][column] != whole(0))?;
            rows.swap(column, pivot);
            let lead = rows[column][column].clone();
            rows[column].iter_mut().for_each(|number| *number /= &lead);
            let line = rows[column].clone();
            for (_, other) in rows.iter_mut().enumerate().filter(|&(row, _)| row != column) {
                let factor = other[column].clone();
                other.iter_mut().zip(&line).for_each(|(number, above)| *number -= &factor * above);
            }
        }
        rows.into_iter().map(|mut row| row.pop()).collect()
    }

    fn decided(limit: f64, points: &[DVec3]) -> Option<bool> {
        smaller_than(limit, &smallest_enclosing(points).unwrap(), points)
    }

    /// Decides without f64: from the first point, with all points.
    fn grown(limit: f64, points: &[DVec3]) -> Option<bool> {
        let unit = unit(points.iter().flat_map(DVec3::to_array).chain([limit]));
        let points: Vec<Vector> = points.iter().map(|&point| vector(point, unit)).collect();
        smallest_is_below(&count(limit, unit), points[..1].to_vec(), &points)
    }

    fn directions(count: usize) -> Vec<DVec3> {
        let golden = 5f64.sqrt() - 1.0;
        let at = |index: usize| {
            let z = (2 * index + 1) as f64 / count as f64 - 1.0;
            let angle = std::f64::consts::PI * golden * index as f64;
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * angle.cos(), r * angle.sin(), z)
        };
        (0..count).map(at).collect()
    }

    #[test]
    fn two_points_at_the_limit_in_every_whole_direction() {
        let axis = || -54..=54i32;
        let mut directions = 0;
        for (x, y) in axis().flat_map(|x| axis().map(move |y| (x, y))) {
            let rest = 54 * 54 - x * x - y * y;
            let z = f64::from(rest.max(0)).sqrt();
            if rest >= 0 && z.fract() == 0.0 {
                let point = DVec3::new(x.into(), y.into(), z);
                assert_eq!(decided(54.0, &[DVec3::ZERO, point]), Some(false), "{point}");
                assert_eq!(decided(54.0f64.next_up(), &[DVec3::ZERO, point]), Some(true), "{point}");
                assert_eq!(decided(54.0, &[DVec3::ZERO, point * (1.0 - 1e-12)]), Some(true), "{point}");
                directions += 1;
            }
        }
        assert!(directions > 50);
    }

    #[test]
    fn three_four_and_eight_points_at_the_limit() {
        let cube: Vec<DVec3> = (0..8)
            .map(|bits| [bits & 1, bits >> 1 & 1, bits >> 2].map(|bit| f64::from(2 * bit - 1)))
            .map(DVec3::from_array)
            .collect();
        let tetrahedron = [0, 3, 5, 6].map(|corner| cube[corner]);
        let triangle = [DVec3::X, DVec3::Y, DVec3::Z];
        let radii = [(2.0 / 3.0f64).sqrt(), 3f64.sqrt(), 3f64.sqrt()];
        for (shape, radius) in [&triangle[..], &tetrahedron, &cube].into_iter().zip(radii) {
            let mut verdicts = BTreeSet::new();
            for (ulps, turn) in (-2..=2).flat_map(|ulps| (0..4).map(move |turn| (ulps, turn))) {
                let factor = 27.0 / radius * (1.0 + f64::from(ulps) * f64::EPSILON);
                let turn = DQuat::from_rotation_x(f64::from(turn)) * DQuat::from_rotation_z(f64::from(turn));
                let points: Vec<DVec3> = shape.iter().map(|&corner| turn * corner * factor).collect();
                let expected = square_of_diameter(&points) < whole(54 * 54);
                assert_eq!(decided(54.0, &points), Some(expected), "{ulps} {points:?}");
                verdicts.insert(expected);
            }
            assert_eq!(verdicts.len(), 2, "both sides of the limit");
        }
    }

    #[test]
    fn a_point_outside_by_less_than_f64_precision() {
        let out = DVec3::Y * 27.0f64.next_up();
        let below = 54.0f64.next_up();
        assert_eq!(decided(below, &[DVec3::X * 27.0, DVec3::X * -27.0, out]), Some(true));
        assert_eq!(decided(54.0, &[DVec3::X * 27.0f64.next_down(), DVec3::X * -27.0, out]), Some(true));
        assert_eq!(decided(54.0, &[DVec3::X * 27.0, DVec3::X * -27.0, out]), Some(false));
    }

    #[test]
    fn extreme_numbers() {
        for size in [1e-320, 1e-300, 1e150, 1e300] {
            assert_eq!(decided(size, &[DVec3::ZERO, DVec3::X * size]), Some(false), "{size}");
            assert_eq!(decided(size.next_up(), &[DVec3::ZERO, DVec3::X * size]), Some(true), "{size}");
        }
        assert_eq!(decided(0.0, &[DVec3::ONE]), Some(false));
        assert_eq!(decided(54.0, &[DVec3::ZERO, DVec3::X * 54.0, DVec3::Y * 1e-300]), Some(false));
    }

    #[test]
    fn many_points_on_the_sphere_are_tried_up_to_a_bound() {
        let ends = [DVec3::X * -27.0, DVec3::X * 27.0].repeat(32_768);
        assert_eq!(decided(54.0, &ends), Some(false), "twins are one point");
        let shell: Vec<DVec3> = directions(65_536).into_iter().map(|point| point * 27.0).collect();
        assert_eq!(decided(54.0, &shell), None);
        let few: Vec<DVec3> = directions(255).into_iter().map(|point| point * 27.0).collect();
        assert_eq!(decided(54.0, &few), grown(54.0, &few));
        assert!(decided(54.0, &few).is_some());
    }

    fn sets() -> impl Strategy<Value = Vec<DVec3>> {
        // Small integers are often cospherical, coplanar or equal.
        let coarse = prop::array::uniform3(-3..4).prop_map(|point| DVec3::from_array(point.map(f64::from)));
        let fine = prop::array::uniform3(-27.0..27.0).prop_map(DVec3::from_array);
        prop_oneof![prop::collection::vec(coarse, 1..8), prop::collection::vec(fine, 1..6)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn agrees_with_fractions_at_the_limit(points in sets()) {
            let square = square_of_diameter(&points);
            let diameter = smallest_enclosing(&points).unwrap().diameter();
            for limit in [diameter, diameter.next_down().max(0.0), diameter.next_up()] {
                let expected = square < fraction(limit) * fraction(limit);
                prop_assert_eq!(decided(limit, &points), Some(expected), "{}", limit);
            }
        }

        #[test]
        fn agrees_with_f64_away_from_the_limit(points in sets(), away in 1e-9..1e-3f64) {
            let diameter = smallest_enclosing(&points).unwrap().diameter();
            prop_assert_eq!(grown(diameter + away, &points), Some(true));
            prop_assert_eq!(grown((diameter - away).max(0.0), &points), Some(false));
        }

        #[test]
        fn points_under_the_surface_have_no_say(
            inner in prop::collection::vec(prop::array::uniform3(-16.0..16.0), 0..60),
            skin in 1e-16..1e-6,
        ) {
            let surface = directions(40).into_iter().enumerate();
            let surface = surface.map(|(index, point)| point * 27.0 * (1.0 - skin * (index % 7) as f64));
            let points: Vec<DVec3> = inner.into_iter().map(DVec3::from_array).chain(surface).collect();
            let diameter = smallest_enclosing(&points).unwrap().diameter();
            for limit in [diameter, diameter.next_down(), diameter.next_up()] {
                prop_assert_eq!(decided(limit, &points), grown(limit, &points));
            }
        }
    }
}
