//! Hulls of points that are not integers.
//!
//! Points are snapped to a grid of 2²⁰ steps over their greatest extent, which moves them by at most 0.87 steps,
//! and the hull on the grid is exact. But snapping, and the rounding of whoever made the points, raise bumps on
//! flat and on straight parts, and each bump would be a vertex. So vertices that hardly stick out are dropped,
//! flattest first: every point given stays within [`FloatHull::tolerance`] of what is left.

use super::{
    Hull, Solid,
    solid::{Frame, from_triangle},
};
use glam::{DVec3, I64Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of the grid over the greatest extent.
const STEPS: f64 = (1 << 20) as f64;

/// Snapping makes a bump of at most 1.74 steps out of a flat part; a few of these may add up.
const SLACK: f64 = 8.0;

/// The hull of points that are not integers.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatHull {
    /// The hull on the grid; its indices name the points given, those of `points` and `distinct` count what is
    /// left after dropping.
    pub hull: Hull,
    /// Where the grid is.
    pub frame: Frame,
    /// Greatest distance from a point given, as it lies on the grid, to the hull; snapping itself adds at most
    /// [`Frame::rounding`].
    pub tolerance: f64,
}

impl FloatHull {
    /// The hull of points whose coordinates may be wrong by `noise` (0: only by what snapping needs). `None`
    /// for no points, or where a coordinate or the extent is not finite.
    pub fn of_points(points: &[DVec3], noise: f64) -> Option<Self> {
        let frame = frame(points)?;
        let scale = if frame.step.x > 0.0 { frame.step.x.recip() } else { 0.0 };
        let snapped: Vec<[i32; 3]> = points
            .iter()
            .map(|&point| ((point - frame.origin) * scale).round().as_ivec3().to_array())
            .collect();
        // A noise above the extent leaves no shape to look for. What is not a number counts as none.
        let slack = SLACK + (2.0 * noise.max(0.0) * scale).min(STEPS);
        let hull = simplify(&snapped, slack)?;
        Some(Self { hull, frame, tolerance: slack * frame.step.x })
    }

    /// The hull in the units of the points, for distances.
    pub fn solid(&self) -> Option<Solid> {
        Solid::new(&self.hull, &self.frame)
    }

    /// Its volume in cubes of the points' unit.
    pub fn volume(&self) -> f64 {
        self.hull.volume6() as f64 / 6.0 * self.frame.step.x.powi(3)
    }
}

/// A grid in the middle of the points, with equal steps on all axes.
fn frame(points: &[DVec3]) -> Option<Frame> {
    let &first = points.first()?;
    if !points.iter().all(|point| point.is_finite()) {
        return None;
    }
    let (min, max) =
        points.iter().fold((first, first), |(min, max), &point| (min.min(point), max.max(point)));
    let step = (max - min).max_element() / STEPS;
    // Below the normal range its reciprocal would be infinite: such a set is one point.
    let step = if step.is_normal() || step.is_infinite() { step } else { 0.0 };
    step.is_finite().then_some(Frame { origin: min * 0.5 + max * 0.5, step: DVec3::splat(step) })
}

/// The hull of the points without the vertices that hardly stick out.
fn simplify(points: &[[i32; 3]], slack: f64) -> Option<Hull> {
    let mut hull = Hull::of_integers(points)?;
    let mut debts: BTreeMap<usize, f64> = BTreeMap::new();
    loop {
        let dropped = droppable(&hull, slack, &mut debts);
        if dropped.is_empty() {
            return Some(hull);
        }
        let kept: Vec<usize> =
            hull.vertices.iter().copied().filter(|index| dropped.binary_search(index).is_err()).collect();
        let places: Vec<[i32; 3]> = kept.iter().map(|&index| points[index]).collect();
        hull = renamed(Hull::of_integers(&places)?, &kept);
    }
}

/// A hull of some points, with the indices of all.
fn renamed(mut hull: Hull, kept: &[usize]) -> Hull {
    let names = hull.vertices.iter_mut().chain(hull.faces.as_flattened_mut()).chain(&mut hull.outline);
    names.for_each(|index| *index = kept[*index]);
    hull
}

/// Vertices that can be dropped at once, none the neighbour of another, ascending.
///
/// A vertex has to answer for those that were dropped beside it: its *debt* is the farthest that one of them may
/// be from the hull by now. Dropping it moves these by no more than itself, so the debts of a chain add up, and
/// the sum stays below the slack.
fn droppable(hull: &Hull, slack: f64, debts: &mut BTreeMap<usize, f64>) -> Vec<usize> {
    let around = neighbours(hull);
    let outwards = outwards(hull);
    let mut flattest: Vec<(f64, usize)> = Vec::new();
    for (&vertex, others) in &around {
        // Most stick out far, and that is quickly seen.
        if least_prominence(hull, vertex, others, outwards.get(&vertex)) > 2.0 * slack {
            continue;
        }
        let total = prominence(hull, vertex, others) + debts.get(&vertex).unwrap_or(&0.0);
        if total <= slack {
            flattest.push((total, vertex));
        }
    }
    flattest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut dropped: Vec<usize> = Vec::new();
    let mut held: BTreeSet<usize> = BTreeSet::new();
    for (total, vertex) in flattest {
        if held.contains(&vertex) {
            continue;
        }
        for &other in &around[&vertex] {
            held.insert(other);
            let debt = debts.entry(other).or_default();
            *debt = debt.max(total);
        }
        dropped.push(vertex);
    }
    dropped.sort_unstable();
    dropped
}

/// For each vertex those that it shares a side with. The last two or one of a hull have none: they stay.
fn neighbours(hull: &Hull) -> BTreeMap<usize, Vec<usize>> {
    let mut around: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &[a, b, c] in &hull.faces {
        // Each edge is in two faces, once in each direction.
        for (from, to) in [(a, b), (b, c), (c, a)] {
            around.entry(from).or_default().push(to);
        }
    }
    if let [.., last] = hull.outline[..]
        && hull.rank == 2
    {
        let before = std::iter::once(&last).chain(&hull.outline);
        for (&before, &vertex) in before.zip(&hull.outline) {
            around.entry(vertex).or_default().push(before);
            around.entry(before).or_default().push(vertex);
        }
    }
    around
}

/// For each vertex of a solid a direction that leads away from it: the mean of its faces' normals.
fn outwards(hull: &Hull) -> BTreeMap<usize, DVec3> {
    let mut sums: BTreeMap<usize, DVec3> = BTreeMap::new();
    for face in &hull.faces {
        let [a, b, c] = face.map(|index| I64Vec3::from_array(hull.at(index)).as_dvec3());
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for &corner in face {
            *sums.entry(corner).or_default() += normal;
        }
    }
    sums
}

/// How far a vertex is above its neighbours in one direction, in steps: it is no nearer to their hull, because a plane
/// lies between them. 0 where the direction tells nothing.
fn least_prominence(hull: &Hull, vertex: usize, others: &[usize], outwards: Option<&DVec3>) -> f64 {
    let Some(direction) = outwards.and_then(|direction| direction.try_normalize()) else { return 0.0 };
    let place = hull.at(vertex);
    let above = |&other: &usize| {
        direction.dot(I64Vec3::from_array(super::difference(place, hull.at(other))).as_dvec3())
    };
    others.iter().map(above).fold(f64::INFINITY, f64::min)
}

/// Distance from a vertex to the hull of its neighbours, in steps: that is its distance to the hull without it,
/// because the faces that would appear are spanned by neighbours.
fn prominence(hull: &Hull, vertex: usize, others: &[usize]) -> f64 {
    let place = hull.at(vertex);
    let from = |&other: &usize| super::difference(hull.at(other), place);
    let around: Vec<[i64; 3]> = others.iter().map(from).collect();
    let ring = Hull::build(&around);
    let corner = |index: usize| I64Vec3::from_array(around[index]).as_dvec3();
    super::solid::cover(&ring)
        .map(|corners| from_triangle(DVec3::ZERO, corners.map(corner)))
        .fold(f64::INFINITY, f64::min)
}
