//! Hulls of points that are not integers.
//!
//! Points are snapped to a grid of 2²⁰ steps over their greatest extent, which moves them by at most 0.87 steps. The
//! hull on the grid is exact. But snapping, and the rounding in the source of the points, raise bumps on flat and
//! straight parts. Each bump would be a vertex. So vertices that hardly protrude are dropped, flattest first. Every
//! given point stays within [`FloatHull::tolerance`] of the remaining hull.

use super::{
    Hull,
    exact::{Point, difference},
    solid::{Frame, cover, from_triangle},
    whole,
};
use glam::DVec3;
use hullmark_util::work::{Stopped, Work};
use std::collections::BTreeMap;

/// Steps of the grid over the greatest extent.
const STEPS: f64 = (1 << 20) as f64;

/// Units of work for processing the neighbours of a vertex.
const AROUND: u64 = 256;

/// Snapping turns a flat part into bumps of at most 1.74 steps; a few of them may add up.
const SLACK: f64 = 8.0;

#[derive(Debug, Clone, PartialEq)]
pub struct FloatHull {
    /// The hull on the grid. Its indices refer to the given points; its `points` and `distinct` count the points left
    /// after dropping.
    pub hull: Hull,
    /// The position and the steps of the grid.
    pub frame: Frame,
    /// Maximum distance from a given point, as snapped, to the hull. Snapping adds at most [`Frame::rounding`].
    pub tolerance: f64,
}

impl FloatHull {
    /// Computes the hull of points whose coordinates may have an error of `noise` (0: only that of snapping). `None`
    /// without points, or if a coordinate or the extent is not finite.
    pub fn of_points(points: &[DVec3], noise: f64) -> Option<Self> {
        whole(Self::within_of_points(points, noise, &mut Work::unlimited()))
    }

    /// Like [`Self::of_points`], within a budget of work.
    pub fn within_of_points(points: &[DVec3], noise: f64, work: &mut Work) -> Result<Option<Self>, Stopped> {
        let Some(frame) = frame(points) else { return Ok(None) };
        let scale = if frame.step.x > 0.0 { frame.step.x.recip() } else { 0.0 };
        let snapped: Vec<[i32; 3]> = points
            .iter()
            .map(|&point| ((point - frame.origin) * scale).round().as_ivec3().to_array())
            .collect();
        // With a noise above the extent there is no shape to find. NaN counts as no noise.
        let slack = SLACK + (2.0 * noise.max(0.0) * scale).min(STEPS);
        let hull = simplify(&snapped, slack, work)?;
        Ok(hull.map(|hull| Self { hull, frame, tolerance: slack * frame.step.x }))
    }

    /// Returns the volume in cubes of the points' unit.
    pub fn volume(&self) -> f64 {
        self.hull.volume6() as f64 / 6.0 * self.frame.step.x.powi(3)
    }
}

/// Returns a grid around the middle of the points, with equal steps on all axes.
fn frame(points: &[DVec3]) -> Option<Frame> {
    let &first = points.first()?;
    if !points.iter().all(|point| point.is_finite()) {
        return None;
    }
    let (min, max) =
        points.iter().fold((first, first), |(min, max), &point| (min.min(point), max.max(point)));
    let step = (max - min).max_element() / STEPS;
    // The reciprocal of a subnormal step would be infinite, so such a set counts as one point.
    let step = if step.is_normal() || step.is_infinite() { step } else { 0.0 };
    step.is_finite().then_some(Frame { origin: min * 0.5 + max * 0.5, step: DVec3::splat(step) })
}

/// Computes the hull of the points without the vertices that hardly protrude.
fn simplify(points: &[[i32; 3]], slack: f64, work: &mut Work) -> Result<Option<Hull>, Stopped> {
    let Some(mut hull) = Hull::within_of_integers(points, work)? else { return Ok(None) };
    let mut debts: BTreeMap<usize, f64> = BTreeMap::new();
    loop {
        let dropped = droppable(&hull, slack, &mut debts, work)?;
        if dropped.is_empty() {
            return Ok(Some(hull));
        }
        let kept: Vec<usize> =
            hull.vertices.iter().copied().filter(|index| dropped.binary_search(index).is_err()).collect();
        let places: Vec<Point> = kept.iter().map(|&index| points[index].map(i64::from)).collect();
        hull = renamed(Hull::build(&places, work)?, &kept);
    }
}

/// Translates the indices of a hull of some points to those of all points.
fn renamed(mut hull: Hull, kept: &[usize]) -> Hull {
    let names = hull.vertices.iter_mut().chain(hull.faces.as_flattened_mut()).chain(&mut hull.outline);
    names.for_each(|index| *index = kept[*index]);
    hull
}

/// Returns vertices that can be dropped at once, ascending. No two of them are neighbours.
///
/// Each vertex keeps a *debt* for vertices dropped next to it: the maximum distance of one of those from the current
/// hull. Dropping the vertex moves the hull there by at most its own prominence. So the debts of a chain add up, and
/// the sum stays below the slack.
fn droppable(
    hull: &Hull,
    slack: f64,
    debts: &mut BTreeMap<usize, f64>,
    work: &mut Work,
) -> Result<Vec<usize>, Stopped> {
    work.charge(AROUND * hull.vertices.len() as u64)?;
    let around = Around::new(hull);
    let mut flattest: Vec<(f64, usize)> = Vec::new();
    for (vertex, outwards) in around.outwards().into_iter().enumerate() {
        // Most vertices protrude far, which is quick to check. The last one or two of a hull have no neighbours and are
        // kept.
        if around.neighbours(vertex).is_empty() || around.least_prominence(vertex, outwards) > 2.0 * slack {
            continue;
        }
        let total = around.prominence(vertex, work)? + debts.get(&hull.vertices[vertex]).unwrap_or(&0.0);
        if total <= slack {
            flattest.push((total, vertex));
        }
    }
    flattest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut dropped: Vec<usize> = Vec::new();
    let mut held = vec![false; hull.vertices.len()];
    for (total, vertex) in flattest {
        if held[vertex] {
            continue;
        }
        for &other in around.neighbours(vertex) {
            held[other] = true;
            let debt = debts.entry(hull.vertices[other]).or_default();
            *debt = debt.max(total);
        }
        dropped.push(hull.vertices[vertex]);
    }
    dropped.sort_unstable();
    Ok(dropped)
}

/// The vertices of a hull, numbered from 0, with their neighbours.
struct Around<'a> {
    places: &'a [Point],
    faces: Vec<[usize; 3]>,
    /// The neighbours of all vertices, in the order of the vertices.
    others: Vec<usize>,
    /// For each vertex the index of its first neighbour, and at the end the total number.
    starts: Vec<usize>,
}

impl<'a> Around<'a> {
    fn new(hull: &'a Hull) -> Self {
        let number = |index: usize| hull.vertices.partition_point(|&vertex| vertex < index);
        let faces: Vec<[usize; 3]> = hull.faces.iter().map(|face| face.map(number)).collect();
        // Each edge is in two faces, once in each direction.
        let mut sides: Vec<[usize; 2]> =
            faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        if hull.rank == 2 {
            let outline = hull.outline.iter().map(|&index| number(index));
            let next = outline.clone().cycle().skip(1);
            sides.extend(outline.zip(next).flat_map(|(from, to)| [[from, to], [to, from]]));
        }
        let mut starts = vec![0; hull.vertices.len() + 1];
        sides.iter().for_each(|&[from, _]| starts[from + 1] += 1);
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let (mut others, mut ends) = (vec![0; sides.len()], starts.clone());
        for [from, to] in sides {
            others[ends[from]] = to;
            ends[from] += 1;
        }
        Self { places: &hull.corners, faces, others, starts }
    }

    fn neighbours(&self, vertex: usize) -> &[usize] {
        &self.others[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// Returns the vector from one vertex to another.
    fn step(&self, from: usize, to: usize) -> DVec3 {
        DVec3::from_array(difference(self.places[to], self.places[from]).map(|c| c as f64))
    }

    /// Returns an outward direction for each vertex of a solid: the sum of its faces' normals.
    fn outwards(&self) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.places.len()];
        for &[a, b, c] in &self.faces {
            let normal = self.step(a, b).cross(self.step(a, c)).normalize_or_zero();
            [a, b, c].into_iter().for_each(|corner| sums[corner] += normal);
        }
        sums
    }

    /// Returns the height of a vertex above its neighbours in one direction, in steps. Its distance to their hull is at
    /// least that, because a plane lies between them. 0 if the direction is zero.
    fn least_prominence(&self, vertex: usize, outwards: DVec3) -> f64 {
        let Some(direction) = outwards.try_normalize() else { return 0.0 };
        let above = |&other: &usize| direction.dot(self.step(other, vertex));
        self.neighbours(vertex).iter().map(above).fold(f64::INFINITY, f64::min)
    }

    /// Returns the distance from a vertex to the hull of its neighbours, in steps. It equals the distance to the hull
    /// without the vertex, because neighbours span the faces that would appear.
    fn prominence(&self, vertex: usize, work: &mut Work) -> Result<f64, Stopped> {
        let from = |&other: &usize| difference(self.places[other], self.places[vertex]);
        let around: Vec<Point> = self.neighbours(vertex).iter().map(from).collect();
        let ring = Hull::build(&around, work)?;
        let corner = |index: usize| DVec3::from_array(around[index].map(|c| c as f64));
        let distances =
            cover(&ring).into_iter().map(|corners| from_triangle(DVec3::ZERO, corners.map(corner)));
        Ok(distances.fold(f64::INFINITY, f64::min))
    }
}
