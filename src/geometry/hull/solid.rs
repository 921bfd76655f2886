//! A hull in metres, and how far other points are outside of it.

use super::{Domain, Hull};
use glam::{DVec3, I64Vec3};

/// How grid points become places: `origin + step · point`, axis by axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Where the grid point 0 is.
    pub origin: DVec3,
    /// Sides of a cell; of either sign, and 0 on an axis on which all points coincide.
    pub step: DVec3,
}

impl Frame {
    /// The frame of points that are decoded in `domain`.
    pub fn of_domain(domain: &Domain) -> Self {
        Self { origin: domain.min, step: (domain.max - domain.min) / 65_535.0 }
    }

    /// Farthest that rounding to the grid can move a point: half the diagonal of a cell.
    pub fn rounding(&self) -> f64 {
        0.5 * self.step.length()
    }

    fn place(&self, point: [i64; 3]) -> DVec3 {
        self.origin + self.step * I64Vec3::from_array(point).as_dvec3()
    }
}

/// Sides times points that are bearable: a base hull of 256 points, as grids allow, around 131,072 corners. Files that are
/// made to take long have as many of both.
const MOST_DISTANCES: usize = 1 << 26;

/// A convex solid in metres, or a polygon, a segment, a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// Planes with normals of unit length that point outwards, and `normal · p` of their points. Empty where
    /// the solid is flat.
    planes: Vec<(DVec3, f64)>,
    /// What covers the surface. One of a segment or point is degenerate.
    triangles: Vec<[DVec3; 3]>,
    /// For each a ball that holds it: its middle, and its radius.
    balls: Vec<(DVec3, f64)>,
    origin: DVec3,
}

/// How a set of points lies to a hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside {
    /// Distance from the hull to the farthest of them; 0 where all are inside.
    pub worst_distance: f64,
    /// Those that are outside by more than the tolerance.
    pub points_outside: u32,
    /// All of them.
    pub of: u32,
}

impl Solid {
    pub(super) fn new(hull: &Hull, frame: &Frame) -> Option<Self> {
        let known = frame.origin.is_finite() && frame.step.is_finite() && !hull.vertices.is_empty();
        let place = |index| frame.place(hull.at(index)) - frame.origin;
        known.then(|| {
            let triangles: Vec<_> = cover(hull).map(|corners| corners.map(place)).collect();
            let balls = triangles.iter().map(ball).collect();
            Self { planes: planes(hull, frame), triangles, balls, origin: frame.origin }
        })
    }

    /// Area of its surface. A flat one has an upper and a lower side.
    pub fn area(&self) -> f64 {
        let sides = if self.planes.is_empty() { 2.0 } else { 1.0 };
        sides * self.triangles.iter().map(|&corners| crate::geometry::triangle::area(corners)).sum::<f64>()
    }

    /// Distance from the hull to a point; 0 inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        let point = point - self.origin;
        if !self.planes.is_empty() && self.planes.iter().all(|&(normal, offset)| normal.dot(point) <= offset)
        {
            return 0.0;
        }
        let mut nearest = f64::INFINITY;
        for (&corners, &(middle, radius)) in self.triangles.iter().zip(&self.balls) {
            let reach = nearest + radius;
            // Most are farther away than the nearest so far, whatever their inside is.
            if middle.distance_squared(point) <= reach * reach {
                nearest = nearest.min(from_triangle(point, corners));
            }
        }
        nearest
    }

    /// Whether it can be told in bearable time how it lies to so many points: each is held against each side.
    pub fn bears(&self, points: usize) -> bool {
        points.saturating_mul(self.triangles.len()) <= MOST_DISTANCES
    }

    /// Whether the hull wraps these points, with a tolerance for their rounding and the hull's: a point is
    /// outside where its distance is greater. `None` where a point is not of finite numbers.
    pub fn wraps(&self, points: impl IntoIterator<Item = DVec3>, tolerance: f64) -> Option<Outside> {
        let mut found = Outside { worst_distance: 0.0, points_outside: 0, of: 0 };
        for point in points {
            if !point.is_finite() {
                return None;
            }
            let distance = self.distance(point);
            found.worst_distance = found.worst_distance.max(distance);
            found.points_outside += u32::from(distance > tolerance);
            found.of += 1;
        }
        Some(found)
    }
}

/// The planes of a solid hull, in its frame's axes and relative to its origin. They come from the exact ones: a
/// normal is divided by the steps, so mirrored axes need no care.
fn planes(hull: &Hull, frame: &Frame) -> Vec<(DVec3, f64)> {
    if hull.rank < 3 || frame.step.cmpeq(DVec3::ZERO).any() {
        return Vec::new();
    }
    let scaled = |plane: &super::Plane| {
        let normal = I64Vec3::from_array(plane.normal).as_dvec3() / frame.step;
        (normal / normal.length(), plane.offset as f64 / normal.length())
    };
    hull.planes().iter().map(scaled).collect()
}

/// Triangles of vertices that cover what the distance to a hull is measured to.
pub(super) fn cover(hull: &Hull) -> Box<dyn Iterator<Item = [usize; 3]> + '_> {
    match hull.outline[..] {
        [] => Box::new(hull.faces.iter().copied()),
        [only] => Box::new(std::iter::once([only; 3])),
        [from, to] => Box::new(std::iter::once([from, to, to])),
        [first, ref rest @ ..] => Box::new(rest.windows(2).map(move |pair| [first, pair[0], pair[1]])),
    }
}

/// A ball that holds a triangle, with room for rounding.
fn ball(&[a, b, c]: &[DVec3; 3]) -> (DVec3, f64) {
    let middle = (a + b + c) / 3.0;
    let radius = [a, b, c].map(|corner| corner.distance(middle)).into_iter().fold(0.0, f64::max);
    (middle, radius * (1.0 + 1e-9) + 1e-12 * middle.length())
}

/// Distance from a point to a triangle, which may be degenerate.
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
