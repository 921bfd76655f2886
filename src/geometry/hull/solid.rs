//! A hull in metres, and the distance of points outside it.

use super::{Domain, Hull};
use glam::{DVec3, I64Vec3};
use hullmark_util::work::{Stopped, Work};

/// Converts grid points to places: `origin + step · point`, for each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The place of the grid point 0.
    pub origin: DVec3,
    /// Sides of a cell, of either sign; 0 on an axis on which all points coincide.
    pub step: DVec3,
}

impl Frame {
    /// Returns the frame of points that are decoded in `domain`.
    pub fn of_domain(domain: &Domain) -> Self {
        Self { origin: domain.min, step: (domain.max - domain.min) / 65_535.0 }
    }

    /// Returns the maximum shift of a point by rounding to the grid: half the diagonal of a cell.
    pub fn rounding(&self) -> f64 {
        0.5 * self.step.length()
    }

    fn place(&self, point: [i64; 3]) -> DVec3 {
        self.origin + self.step * I64Vec3::from_array(point).as_dvec3()
    }
}

/// Units of work for measuring the distance of a point from a triangle.
const TRIANGLE: u64 = 24;

/// Upper bound for the relative error of distances.
const ROUNDING: f64 = 1e-9;

/// A convex solid in metres, or a polygon, a segment or a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    corners: Vec<DVec3>,
    /// Triangles that cover the surface; degenerate for a segment or a point.
    sides: Vec<Side>,
    /// For each side its outward unit normal, and `normal · p` of its points. Kept separately, because most points need
    /// nothing else. Empty if the solid is flat, because no point is inside it.
    planes: Vec<(DVec3, f64)>,
    /// Distance of the farthest corner from the origin.
    reach: f64,
    origin: DVec3,
}

#[derive(Debug, Clone, PartialEq)]
struct Side {
    corners: [DVec3; 3],
    /// A ball around the triangle: its centre and its radius.
    ball: (DVec3, f64),
}

/// The position of a set of points relative to a hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside {
    /// Distance from the hull to the farthest point; 0 if all are inside.
    pub worst_distance: f64,
    /// Number of points that are farther outside than the tolerance.
    pub points_outside: u32,
    /// Number of all points.
    pub of: u32,
}

impl Solid {
    pub(super) fn new(hull: &Hull, frame: &Frame) -> Option<Self> {
        let known = frame.origin.is_finite() && frame.step.is_finite() && !hull.vertices.is_empty();
        let place = |index| frame.place(hull.at(index)) - frame.origin;
        known.then(|| {
            let side = |face: [usize; 3]| {
                let corners = face.map(place);
                Side { corners, ball: ball(&corners) }
            };
            let cover = cover(hull);
            let is_solid = hull.rank == 3 && !frame.step.cmpeq(DVec3::ZERO).any();
            let planes = cover.iter().filter(|_| is_solid).map(|face| plane(hull, face, frame)).collect();
            let corners: Vec<DVec3> = hull.vertices.iter().map(|&index| place(index)).collect();
            let reach = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
            Self {
                sides: cover.into_iter().map(side).collect(),
                planes,
                corners,
                reach,
                origin: frame.origin,
            }
        })
    }

    /// Returns the distance from the hull to a point; 0 inside. It may also be 0 if the distance is at most `floor`.
    pub(super) fn distance(&self, point: DVec3, floor: f64, work: &mut Work) -> Result<f64, Stopped> {
        work.charge(self.corners.len() as u64)?;
        let point = point - self.origin;
        let squares = self.corners.iter().map(|corner| corner.distance_squared(point));
        // The distance is at most that to the nearest corner.
        let mut reach = squares.fold(f64::INFINITY, f64::min).sqrt() * (1.0 + ROUNDING);
        if reach <= floor {
            return Ok(0.0);
        }
        work.charge(self.sides.len() as u64)?;
        let above = |&(normal, offset): &(DVec3, f64)| normal.dot(point) - offset;
        if !self.planes.is_empty() && self.planes.iter().all(|plane| above(plane) <= 0.0) {
            return Ok(0.0);
        }
        // The nearest point lies in a side that the point sees, apart from rounding.
        let rounding = ROUNDING * (self.reach + point.length());
        let mut nearest = f64::INFINITY;
        let mut measured = 0;
        work.charge(self.sides.len() as u64)?;
        for (number, side) in self.sides.iter().enumerate() {
            let is_seen = self.planes.get(number).is_none_or(|plane| above(plane) > -rounding);
            if is_seen && side.is_within(reach, point) {
                nearest = nearest.min(from_triangle(point, side.corners));
                reach = reach.min(nearest);
                measured += 1;
            }
        }
        work.charge(TRIANGLE * measured)?;
        Ok(nearest)
    }

    /// Whether the hull contains these points, with a tolerance for their rounding and the hull's: a point at a greater
    /// distance is outside. `None` if a point is not finite.
    pub fn wraps(
        &self,
        points: impl IntoIterator<Item = DVec3>,
        tolerance: f64,
        work: &mut Work,
    ) -> Result<Option<Outside>, Stopped> {
        let mut found = Outside { worst_distance: 0.0, points_outside: 0, of: 0 };
        for point in points {
            if !point.is_finite() {
                return Ok(None);
            }
            // Only the worst distance and the number of points beyond the tolerance are needed.
            let distance = self.distance(point, found.worst_distance.min(tolerance), work)?;
            found.worst_distance = found.worst_distance.max(distance);
            found.points_outside += u32::from(distance > tolerance);
            found.of += 1;
        }
        Ok(Some(found))
    }
}

impl Side {
    /// Whether the side may be within `reach` of a point.
    fn is_within(&self, reach: f64, point: DVec3) -> bool {
        let (middle, radius) = self.ball;
        middle.distance_squared(point) <= (reach + radius).powi(2)
    }
}

/// Returns the plane of a face of a solid hull, in its frame's axes and relative to its origin. It is derived from the
/// exact plane: the normal is divided by the steps, so mirrored axes need no special case.
fn plane(hull: &Hull, face: &[usize; 3], frame: &Frame) -> (DVec3, f64) {
    let exact = hull.plane_of(face);
    let normal = I64Vec3::from_array(exact.normal).as_dvec3() / frame.step;
    (normal / normal.length(), exact.offset as f64 / normal.length())
}

/// Returns triangles of vertices that cover the surface of a hull, for distances.
pub(super) fn cover(hull: &Hull) -> Vec<[usize; 3]> {
    match hull.outline[..] {
        [] => hull.faces.clone(),
        [only] => vec![[only; 3]],
        [from, to] => vec![[from, to, to]],
        ref outline => polygon(outline),
    }
}

/// Splits a polygon into triangles. Ears are cut off all the way around, then from the rest, so that nearly all
/// triangles are small. In a fan, all would be as long as the polygon, and a point would be near each of them.
fn polygon(outline: &[usize]) -> Vec<[usize; 3]> {
    let mut triangles = Vec::new();
    let mut left = outline.to_vec();
    while left.len() > 2 {
        triangles.extend(left.chunks(2).enumerate().filter_map(|(ear, pair)| {
            let &[from, tip] = pair else { return None };
            Some([from, tip, *left.get(2 * ear + 2).unwrap_or(&left[0])])
        }));
        left = left.into_iter().step_by(2).collect();
    }
    triangles
}

/// Returns a ball around a triangle, with room for rounding.
fn ball(&[a, b, c]: &[DVec3; 3]) -> (DVec3, f64) {
    let middle = (a + b + c) / 3.0;
    let radius = [a, b, c].map(|corner| corner.distance(middle)).into_iter().fold(0.0, f64::max);
    (middle, radius * (1.0 + ROUNDING) + 1e-12 * middle.length())
}

/// Returns the distance from a point to a triangle, which may be degenerate.
pub(super) fn from_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let edges = [(a, b), (b, c), (c, a)];
    let above = |(from, to): (DVec3, DVec3)| normal.dot((to - from).cross(point - from)) >= 0.0;
    if normal != DVec3::ZERO && edges.into_iter().all(above) {
        return (normal.dot(point - a) / normal.length()).abs();
    }
    edges.into_iter().map(|(from, to)| from_segment(point, from, to)).fold(f64::INFINITY, f64::min)
}

fn from_segment(point: DVec3, from: DVec3, to: DVec3) -> f64 {
    let along = to - from;
    let length = along.length_squared();
    let part = if length > 0.0 { ((point - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + along * part)
}
