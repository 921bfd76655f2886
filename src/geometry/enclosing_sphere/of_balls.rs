//! The smallest sphere around balls, with a certificate; points are balls of radius 0.
//!
//! The radius always lies between two bounds. It is at most the distance from any centre to the farthest far side of a
//! ball. It is at least the radius of the smallest sphere around *points* of the balls, and any weights of these points
//! give such a bound. The search ends when the bounds meet, so no rounding error in the equations can affect the
//! result.
//!
//! The sphere is grown from a support of at most four balls. While a ball reaches outside, the farthest one joins. Of
//! these at most five balls, those whose sphere has the closest bounds stay. This is the pivoting of linear
//! programming, and real sets take some ten passes. Nothing is random, so the same balls give the same sphere.
//!
//! If the equations of a support are ill-conditioned, for example of balls that nearly touch from within, the bounds
//! may stay apart. Then a cutting-plane method replaces the balls by points. The far side of each relevant ball, as
//! seen from the last centre, joins a set of points. The smallest sphere around this set gives the next centre. That is
//! slower, but needs no equations of balls.

use glam::DVec3;

/// Bounds with this relative difference are good enough.
const TOLERANCE: f64 = 1e-13;

/// A relative difference of bounds up to this is rounding.
const EXACT: f64 = 4e-15;

/// Maximum number of passes of the growth.
const PASSES: usize = 64;

/// Maximum number of rounds of the cutting planes. After them the best sphere so far is used.
const ROUNDS: usize = 64;

/// Supports in the order in which they are tried, as bit masks of five balls, smaller ones first. All include the first
/// ball. It was outside the last sphere, so it carries the next one.
const SUBSETS: [u8; 15] = [
    0b00001, //
    0b00011, 0b00101, 0b01001, 0b10001, //
    0b00111, 0b01011, 0b01101, 0b10011, 0b10101, 0b11001, //
    0b01111, 0b10111, 0b11011, 0b11101,
];

/// A solid sphere, in the coordinates of its set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    pub centre: DVec3,
    /// The radius; 0 for a point.
    pub radius: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Enclosing {
    pub ball: Ball,
    /// Indices, ascending, of one to four balls that touch it from within. No smaller sphere contains even these.
    pub support: Vec<usize>,
    /// The minimum radius is smaller by at most this.
    pub gap: f64,
}

impl Ball {
    /// Creates a ball of radius 0.
    pub fn point(centre: DVec3) -> Self {
        Self { centre, radius: 0.0 }
    }

    /// Returns the distance from a place to the far side of the ball.
    fn reach(&self, place: DVec3) -> f64 {
        self.centre.distance(place) + self.radius
    }

    /// Returns the point of the ball farthest from a place; if the place is the centre, any such point.
    fn far_side(&self, place: DVec3) -> DVec3 {
        self.centre + (self.centre - place).normalize_or(DVec3::X) * self.radius
    }
}

/// Returns the smallest sphere that contains all balls. They may be nested, coincide or be points.
///
/// `None` without balls, or if a number is not finite or a radius is negative. All balls lie within
/// `radius · (1 + 1e-12)`, and the radius is within 1e-11 of the minimum; `gap` bounds the difference. The centre
/// is within `√(2 · radius · gap)` of the best one, because the radius grows only with the square of a shift.
pub fn smallest_enclosing(balls: &[Ball]) -> Option<Enclosing> {
    enclosing(balls.to_vec(), None)
}

/// Like [`smallest_enclosing`], but faster: `before` is the sphere around the first of the balls.
pub fn grown(balls: &[Ball], before: &Enclosing) -> Option<Enclosing> {
    enclosing(balls.to_vec(), Some(before))
}

/// Like [`smallest_enclosing`] and [`grown`], but takes ownership of the balls.
pub(crate) fn enclosing(mut balls: Vec<Ball>, before: Option<&Enclosing>) -> Option<Enclosing> {
    let sound = |ball: &Ball| ball.centre.is_finite() && ball.radius.is_finite() && ball.radius >= 0.0;
    if balls.is_empty() || !balls.iter().all(sound) {
        return None;
    }
    let frame = Frame::new(&balls);
    for ball in &mut balls {
        *ball = frame.inward(ball);
    }
    let mut search = Search::new(&balls);
    if let Some(before) = before {
        search.start(&frame.inward(&before.ball), before.gap * frame.scale, &before.support);
    }
    search.grow();
    if !search.is_within(TOLERANCE) {
        search.cut();
    }
    let Search { lower, upper, centre, mut support, .. } = search;
    support.sort_unstable();
    let ball = frame.outward(&Ball { centre, radius: upper });
    Some(Enclosing { ball, support, gap: (upper - lower).max(0.0) / frame.scale })
}

/// Coordinates relative to the middle of a set, scaled by a power of two. Sets may be at z = 9,905 m with sides of
/// centimetres, and squares of large numbers overflow. Powers of two preserve every digit.
struct Frame {
    middle: DVec3,
    scale: f64,
}

impl Frame {
    fn new(balls: &[Ball]) -> Self {
        let start = (balls[0].centre, balls[0].centre, 0.0f64);
        let (min, max, widest) = balls.iter().fold(start, |(min, max, widest), ball| {
            (min.min(ball.centre), max.max(ball.centre), widest.max(ball.radius))
        });
        let middle = min * 0.5 + max * 0.5;
        let extent = (max * 0.5 - min * 0.5).max_element().max(widest);
        let exponent = if extent > 0.0 { extent.log2().ceil().clamp(-1000.0, 1000.0) } else { 0.0 };
        Self { middle, scale: (-exponent).exp2() }
    }

    fn inward(&self, ball: &Ball) -> Ball {
        // Scaling comes first, so that the difference of two huge numbers cannot overflow.
        let centre = if self.scale < 1.0 {
            ball.centre * self.scale - self.middle * self.scale
        } else {
            (ball.centre - self.middle) * self.scale
        };
        Ball { centre, radius: ball.radius * self.scale }
    }

    fn outward(&self, ball: &Ball) -> Ball {
        Ball { centre: ball.centre / self.scale + self.middle, radius: ball.radius / self.scale }
    }
}

/// The bounds and the sphere found so far.
struct Search<'a> {
    balls: &'a [Ball],
    /// No sphere with a smaller radius contains even the support.
    lower: f64,
    support: Vec<usize>,
    /// The sphere with this radius around the centre contains all balls.
    upper: f64,
    centre: DVec3,
}

impl<'a> Search<'a> {
    /// Creates a search that begins with the widest ball.
    fn new(balls: &'a [Ball]) -> Self {
        let mut widest = 0;
        for (index, ball) in balls.iter().enumerate() {
            if ball.radius > balls[widest].radius {
                widest = index;
            }
        }
        let Ball { centre, radius } = balls[widest];
        Self { balls, lower: radius, support: vec![widest], upper: f64::MAX, centre }
    }

    /// Begins with the sphere around some of the balls instead.
    fn start(&mut self, sphere: &Ball, gap: f64, support: &[usize]) {
        self.raise(sphere.radius - gap, support);
        self.centre = sphere.centre;
    }

    fn is_within(&self, tolerance: f64) -> bool {
        self.upper - self.lower <= self.upper * tolerance
    }

    fn raise(&mut self, lower: f64, support: &[usize]) {
        if lower > self.lower {
            self.lower = lower;
            self.support.clear();
            self.support.extend_from_slice(support);
        }
    }

    /// Tries a centre, and returns the ball that reaches farthest from it.
    fn measure(&mut self, centre: DVec3) -> usize {
        let (far, reach) = farthest(self.balls, centre);
        if reach < self.upper {
            (self.upper, self.centre) = (reach, centre);
        }
        far
    }

    /// Grows the sphere: the ball that reaches farthest outside joins the support, until none does.
    fn grow(&mut self) {
        let mut support = self.support.clone();
        let mut far = self.measure(self.centre);
        for _ in 0..PASSES {
            if self.is_within(EXACT) {
                return;
            }
            let before = support.len();
            support.retain(|&index| index != far);
            // If a ball of the support itself reaches outside, that is rounding. One more pass gives the best result.
            let is_last = support.len() < before;
            support.insert(0, far);
            let next = carry(self.balls, &support);
            let mut bits = (0..).map(|bit| next.support >> bit & 1 == 1);
            support.retain(|_| bits.next() == Some(true));
            self.raise(next.lower, &support);
            far = self.measure(next.centre);
            if is_last {
                return;
            }
        }
    }

    /// Replaces the balls by a growing set of their points, until the sphere around the points contains the balls.
    fn cut(&mut self) {
        let (mut points, mut owners) = (Vec::new(), Vec::new());
        let mut active = self.support.clone();
        let mut centre = self.centre;
        active.push(farthest(self.balls, centre).0);
        for _ in 0..ROUNDS {
            points.extend(active.iter().map(|&index| Ball::point(self.balls[index].far_side(centre))));
            owners.append(&mut active);
            let mut around = Search::new(&points);
            around.grow();
            centre = around.centre;
            active.extend(around.support.iter().map(|&point| owners[point]));
            active.sort_unstable();
            active.dedup();
            self.raise(around.lower, &active);
            let far = self.measure(centre);
            if self.is_within(TOLERANCE) {
                return;
            }
            active.push(far);
        }
    }
}

/// Returns the ball that reaches farthest from a place, the first of equals, and its reach.
fn farthest(balls: &[Ball], place: DVec3) -> (usize, f64) {
    let (mut found, mut reach) = (0, balls[0].reach(place));
    for (index, ball) in balls.iter().enumerate().skip(1) {
        // Skip the square root for most balls: it would dominate the cost.
        let beyond = reach - ball.radius;
        if beyond < 0.0 || ball.centre.distance_squared(place) > beyond * beyond {
            let further = ball.reach(place);
            if further > reach {
                (found, reach) = (index, further);
            }
        }
    }
    (found, reach)
}

/// A sphere around at most five balls.
struct Candidate {
    centre: DVec3,
    /// The balls from which it was computed, as a bit mask.
    support: u8,
    /// No sphere with a smaller radius contains even the support.
    lower: f64,
    /// The sphere with this radius contains all five balls.
    upper: f64,
}

/// Returns the smallest sphere around at most five balls, of which the first one carries it.
fn carry(balls: &[Ball], five: &[usize]) -> Candidate {
    let mut near = [balls[five[0]]; 5];
    for (ball, &index) in near.iter_mut().zip(five) {
        *ball = balls[index];
    }
    let near = &near[..five.len()];
    let mut best = Candidate { centre: near[0].centre, support: 1, lower: 0.0, upper: f64::INFINITY };
    for support in SUBSETS.into_iter().filter(|mask| mask >> near.len() == 0) {
        let mut chosen = [near[0]; 4];
        let mut count = 0;
        for (_, ball) in near.iter().enumerate().filter(|(bit, _)| support >> bit & 1 == 1) {
            chosen[count] = *ball;
            count += 1;
        }
        let chosen = &mut chosen[..count];
        let Some((centre, weights)) = touching(chosen) else { continue };
        let lower = lower_bound(chosen, centre, weights);
        let upper = near.iter().map(|ball| ball.reach(centre)).fold(0.0, f64::max);
        if upper - lower < best.upper - best.lower {
            best = Candidate { centre, support, lower, upper };
            if upper - lower <= upper * EXACT {
                break;
            }
        }
    }
    best
}

/// Returns a lower bound for the radius of spheres around these balls. It is exact if the centre and the weights are.
///
/// Let `p` be the point of each ball farthest from the centre, with non-negative weights of sum 1. For any centre, the
/// squared radius of a sphere around these points is at least the weighted mean of their squared distances. That mean
/// is smallest at the weighted mean of the points: `Σ w·|p|² − |Σ w·p|²`.
fn lower_bound(balls: &[Ball], centre: DVec3, weights: [f64; 4]) -> f64 {
    let (mut total, mut squares, mut mean) = (0.0, 0.0, DVec3::ZERO);
    for (ball, weight) in balls.iter().zip(weights) {
        let toward = ball.centre - centre;
        let distance = toward.length();
        let reach = distance + ball.radius;
        // Multiplying by the distance converts a weight of the ball's centre to one of its far point.
        let weight = weight.max(0.0);
        total += weight * distance;
        squares += weight * distance * reach * reach;
        mean += toward * (weight * reach);
    }
    // A sphere around the balls is at least as large as the first ball, which is the largest.
    let points = if total > 0.0 { squares / total - (mean / total).length_squared() } else { 0.0 };
    points.max(0.0).sqrt().max(balls[0].radius)
}

/// Returns the centre of the smallest sphere that one to four balls touch from within, in the flat of their centres,
/// and its barycentric coordinates. `None` if there is none. The largest ball is moved to the front.
///
/// The origin is that ball's centre, and `s` is the sphere's radius minus the ball's. A further ball at `q` whose
/// radius differs by `ρ` gives `|c − q| = s − ρ`. With `|c| = s` that is `c·q = (|q|² − ρ²) / 2 + ρ·s`, hence
/// `c = a + s·b`. Then `|c| = s` is a quadratic equation for `s`.
fn touching(balls: &mut [Ball]) -> Option<(DVec3, [f64; 4])> {
    for index in 1..balls.len() {
        if balls[index].radius > balls[0].radius {
            balls.swap(0, index);
        }
    }
    let (first, others) = balls.split_first()?;
    let mut weights = [0.0; 4];
    let offset = match others {
        [] => DVec3::ZERO,
        [other] => {
            let edge = other.centre - first.centre;
            let length = edge.length();
            weights[1] = 0.5 * (length + other.radius - first.radius) / length;
            edge * weights[1]
        }
        _ => {
            let mut edges = [DVec3::ZERO; 3];
            for (edge, ball) in edges.iter_mut().zip(others) {
                *edge = ball.centre - first.centre;
            }
            let duals = duals(&edges[..others.len()]);
            let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
            for (ball, (edge, dual)) in others.iter().zip(edges.into_iter().zip(duals)) {
                let (length, difference) = (edge.length(), ball.radius - first.radius);
                a += dual * ((length - difference) * (length + difference) * 0.5);
                b += dual * difference;
            }
            let offset = a + b * lesser_root(a, b)?;
            for (weight, dual) in weights[1..].iter_mut().zip(duals) {
                *weight = offset.dot(dual);
            }
            offset
        }
    };
    weights[0] = 1.0 - weights.iter().sum::<f64>();
    (offset.is_finite() && weights[0].is_finite()).then_some((first.centre + offset, weights))
}

/// Returns the smallest non-negative `s` with `|a + s·b| = s`.
fn lesser_root(a: DVec3, b: DVec3) -> Option<f64> {
    let (square, product) = (a.length_squared(), a.dot(b));
    let root = (square - a.cross(b).length_squared()).sqrt();
    // Of the two forms of the root, this one has no cancellation.
    let s = if product <= 0.0 {
        square / (root - product)
    } else {
        (product + root) / (1.0 - b.length_squared())
    };
    (s >= 0.0).then_some(s)
}

/// Returns the dual basis of two or three vectors in the flat that they span. The product with its own vector is 1, and
/// 0 with the others. Zeros for fewer vectors; not finite if the vectors are dependent.
fn duals(edges: &[DVec3]) -> [DVec3; 3] {
    match *edges {
        [a, b] => {
            let normal = a.cross(b);
            let square = normal.length_squared();
            [b.cross(normal) / square, normal.cross(a) / square, DVec3::ZERO]
        }
        [a, b, c] => {
            let volume = a.dot(b.cross(c));
            [b.cross(c) / volume, c.cross(a) / volume, a.cross(b) / volume]
        }
        _ => [DVec3::ZERO; 3],
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{super::tests::lower_bound as of_points, *};
    use proptest::prelude::*;

    /// The guaranteed precision of a radius. If balls touch from within up to some ulp, the error is an ulp of their
    /// radii times the distance of their centres. That is more than for points.
    const NEAR: f64 = 1e-11;

    /// Returns the radius by definition: the smallest of all spheres around all balls that touch at most four.
    fn oracle(balls: &[Ball]) -> f64 {
        let masks = (1u32..1 << balls.len()).filter(|mask| mask.count_ones() <= 4);
        let radii = masks.filter_map(|mask| {
            let chosen = (0..balls.len()).filter(|bit| mask >> bit & 1 == 1);
            let (centre, _) = touching(&mut chosen.map(|index| balls[index]).collect::<Vec<_>>())?;
            Some(balls.iter().map(|ball| ball.reach(centre)).fold(0.0, f64::max))
        });
        radii.fold(f64::INFINITY, f64::min)
    }

    /// Returns the effect on a length of rounding the coordinates of these balls.
    fn rounding(balls: &[Ball]) -> f64 {
        balls.iter().map(|ball| ball.centre.abs().max_element() + ball.radius).fold(0.0, f64::max) * 1e-15
    }

    pub fn check(balls: &[Ball]) -> Enclosing {
        let found = smallest_enclosing(balls).unwrap();
        let Ball { centre, radius } = found.ball;
        let rounding = rounding(balls);
        let slack = radius * NEAR + rounding;
        for ball in balls {
            assert!(ball.reach(centre) <= radius * (1.0 + 1e-12) + rounding, "outside: {ball:?} {found:?}");
        }
        assert!((0.0..=radius * NEAR).contains(&found.gap), "{found:?} {balls:?}");
        assert!((1..=4).contains(&found.support.len()) && found.support.is_sorted());
        let support: Vec<Ball> = found.support.iter().map(|&index| balls[index]).collect();
        // Touching is less precise than the radius: an offset of the centre along a flat support affects it by its
        // square.
        for ball in &support {
            assert!(ball.reach(centre) >= radius - slack - 1e-6 * radius, "{ball:?} {found:?}");
        }
        let alone = smallest_enclosing(&support).unwrap();
        assert!(alone.ball.radius >= radius - slack, "{alone:?} carries less than {found:?}");
        found
    }

    /// Proves the radius from the distances of the far points to the centre, without the weights above.
    pub fn prove<'a>(balls: &[Ball], found: &'a Enclosing) -> &'a Enclosing {
        let points: Vec<DVec3> =
            found.support.iter().map(|&index| balls[index].far_side(found.ball.centre)).collect();
        let inside = balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        let bound = of_points(&points, found.ball.centre).max(inside);
        let slack = found.ball.radius * 1e-10 + rounding(balls);
        assert!(found.ball.radius - bound <= slack, "{} above {bound}: {balls:?}", found.ball.radius);
        found
    }

    fn ball(x: f64, y: f64, z: f64, radius: f64) -> Ball {
        Ball { centre: DVec3::new(x, y, z), radius }
    }

    /// Found at random: each ball except the second lies in it, or reaches out by 1e-12 of its radius.
    #[test]
    fn balls_that_reach_out_of_another_by_less_than_can_be_reported() {
        check(&[
            ball(-0.2998723680243629, 0.6808966499801477, -0.516311604670417, 0.09439447982244098),
            ball(-2.510745091841909e-16, 1.3319151611960047e-15, -6.256723790669288e-16, 0.9999999999999986),
            ball(-1.0954887606466846e-9, 2.783752074850233e-9, -1.6147723595519473e-10, 0.9999999970040951),
            ball(0.929866156621849, -0.33381161062566805, 0.10394873983271774, 0.006578336692827185),
            ball(-1.1025319906522734e-6, 1.737498947118876e-7, -1.6267563842079974e-6, 0.9999980271613633),
        ]);
    }

    #[test]
    fn no_sphere_around_empty_sets_or_invalid_balls() {
        assert_eq!(smallest_enclosing(&[]), None);
        for radius in [-1e-9, f64::NAN, f64::INFINITY] {
            assert_eq!(smallest_enclosing(&[ball(0.0, 0.0, 0.0, 1.0), ball(1.0, 0.0, 0.0, radius)]), None);
        }
        assert_eq!(smallest_enclosing(&[ball(f64::NAN, 0.0, 0.0, 1.0)]), None);
    }

    #[test]
    fn one_ball_and_its_twins_are_the_sphere() {
        for count in [1, 2, 9] {
            let found = check(&vec![ball(128.1, 33.3, 9905.7, 2.5); count]);
            assert_eq!(
                (found.ball, found.support, found.gap),
                (ball(128.1, 33.3, 9905.7, 2.5), vec![0], 0.0)
            );
        }
    }

    #[test]
    fn two_balls_reach_from_far_side_to_far_side() {
        let found = check(&[ball(0.0, 0.0, 0.0, 1.0), ball(10.0, 0.0, 0.0, 3.0)]);
        assert_eq!((found.ball, found.support), (ball(6.0, 0.0, 0.0, 7.0), vec![0, 1]));
    }

    #[test]
    fn a_ball_inside_another_changes_nothing() {
        let large = ball(1.0, 2.0, 3.0, 4.0);
        // The second ball touches the first from within.
        let found = check(&[ball(1.0, 2.0, 4.0, 0.5), ball(4.0, 2.0, 3.0, 1.0), large]);
        assert_eq!((found.ball, found.support), (large, vec![2]));
    }

    #[test]
    fn extreme_numbers() {
        for size in [1e-320, 1e-300, 1e-150, 1e150, 1e300] {
            let found = smallest_enclosing(&[ball(0.0, 0.0, 0.0, size), ball(size, 0.0, 0.0, size)]).unwrap();
            assert!((found.ball.radius / size - 1.5).abs() < 1e-3, "{size} {found:?}");
        }
        let wide = Ball { centre: DVec3::MAX, radius: f64::MAX };
        assert!(smallest_enclosing(&[wide, Ball::point(DVec3::MIN)]).is_some());
    }

    #[test]
    fn growth_from_a_sphere_is_growth_from_nothing() {
        let balls: Vec<Ball> = (0..60)
            .map(f64::from)
            .map(|n| ball((n * 1.7).sin() * n, (n * 0.9).cos() * n, 9905.0 + n * 0.3, (n * 5.3).sin().abs()))
            .collect();
        let mut before = smallest_enclosing(&balls[..1]).unwrap();
        for count in 2..=balls.len() {
            before = grown(&balls[..count], &before).unwrap();
            let fresh = check(&balls[..count]);
            assert!((before.ball.radius - fresh.ball.radius).abs() <= 1e-12 * fresh.ball.radius, "{count}");
            assert_eq!(before.support, fresh.support, "{count}");
        }
    }

    fn directions() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    /// Numbers of all orders of magnitude from 1e-16 to 1.
    fn magnitudes() -> impl Strategy<Value = f64> {
        (-16.0..0.0).prop_map(|exponent: f64| 10f64.powf(exponent))
    }

    /// Balls at the height of a sky platform, tiny and huge ones, and balls on a coarse grid. On the grid many are
    /// equal, nested, tangent or cospherical.
    fn scattered() -> impl Strategy<Value = Vec<Ball>> {
        let coarse = (-3i32..4, -3i32..4, -3i32..4, 0i32..4)
            .prop_map(|(x, y, z, radius)| ball(x.into(), y.into(), z.into(), radius.into()));
        let high = (directions(), 0.0..20.0)
            .prop_map(|(centre, radius)| Ball { centre: centre * 50.0 + DVec3::Z * 9905.0, radius });
        let at = |size: f64| {
            (directions(), 0.0..1.0)
                .prop_map(move |(centre, radius)| Ball { centre: centre * size, radius: radius * size })
        };
        prop_oneof![
            prop::collection::vec(coarse, 1..9),
            prop::collection::vec(high, 1..9),
            prop::collection::vec(at(1e-9), 1..9),
            prop::collection::vec(at(1e9), 1..9),
        ]
    }

    /// Balls with centres nearly on a plane or a line.
    fn thin() -> impl Strategy<Value = Vec<Ball>> {
        let flat = (directions(), 0.0..1.0, magnitudes(), any::<bool>());
        let flat = flat.prop_map(|(centre, radius, thickness, is_line)| {
            let y = if is_line { thickness } else { 1.0 };
            Ball { centre: centre * DVec3::new(1.0, y, thickness), radius }
        });
        prop::collection::vec(flat, 1..9)
    }

    /// Balls that nearly touch a sphere of radius 1 from within. Some are almost as wide as the sphere, and all
    /// directions are close to a plane.
    fn touching_one_sphere() -> impl Strategy<Value = Vec<Ball>> {
        let one = (directions(), magnitudes(), magnitudes(), -1.0..1.0, 0.0..1.0, 0u8..3);
        let list = prop::collection::vec(one, 1..9);
        (list, magnitudes()).prop_map(|(list, thickness)| {
            let balls = list.into_iter().map(|(toward, near, noise, sign, small, kind)| {
                let toward = (toward * DVec3::new(1.0, 1.0, thickness)).normalize_or(DVec3::X);
                let inset = if kind == 0 { small } else { near };
                let noise = if kind == 2 { 0.0 } else { noise * 1e-3 * sign };
                Ball { centre: toward * inset, radius: (1.0 - inset + noise).max(0.0) }
            });
            balls.collect()
        })
    }

    fn any_balls() -> impl Strategy<Value = Vec<Ball>> {
        prop_oneof![scattered(), thin(), touching_one_sphere()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn equals_the_oracle(balls in any_balls()) {
            let found = check(&balls);
            // The oracle works in the balls' own coordinates, so it is less exact.
            let slack = 1e-11 * found.ball.radius + 10.0 * rounding(&balls);
            let oracle = oracle(&balls);
            prop_assert!((found.ball.radius - oracle).abs() <= slack, "{} {oracle}", found.ball.radius);
        }

        #[test]
        fn far_points_prove_it(balls in prop_oneof![scattered(), thin()]) {
            prove(&balls, &check(&balls));
        }

        #[test]
        fn balls_without_extent_are_points(balls in any_balls()) {
            check(&balls.iter().map(|ball| Ball::point(ball.centre)).collect::<Vec<_>>());
        }

        #[test]
        fn the_order_of_balls_does_not_change_the_radius(balls in any_balls(), turn in 0usize..8) {
            let radius = check(&balls).ball.radius;
            let mut other = balls.clone();
            other.reverse();
            other.rotate_left(turn % balls.len());
            prop_assert!((check(&other).ball.radius - radius).abs() <= NEAR * radius);
        }

        #[test]
        fn cutting_planes_find_the_same_sphere(balls in scattered()) {
            let found = check(&balls);
            let frame = Frame::new(&balls);
            let local: Vec<Ball> = balls.iter().map(|ball| frame.inward(ball)).collect();
            let mut search = Search::new(&local);
            search.measure(search.centre);
            search.cut();
            let radius = found.ball.radius * frame.scale;
            prop_assert!(search.lower <= radius * (1.0 + 1e-12));
            prop_assert!(search.upper >= radius * (1.0 - 1e-12));
            prop_assert!(search.upper - search.lower <= 1e-6 * radius);
        }
    }
}
