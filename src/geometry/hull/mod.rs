//! Convex hulls, exact on integer points.
//!
//! Every decision is the sign of an integer, so points inside a face or on an edge are distinguished from vertices
//! without a tolerance. Points that are not integers are snapped to a grid first: see [`FloatHull`].
//!
//! `surface` builds the hull of a solid by inserting points one after the other, and `flat` handles points that span
//! less than a solid. [`Solid`] is a hull in metres, for distances.

mod exact;
mod flat;
mod float;
mod solid;
mod surface;
#[cfg(test)]
mod tests;

pub use float::FloatHull;
pub use solid::{Frame, Outside, Solid};

use super::quantized::Domain;
use exact::{Plane, Point, cross, difference, dot};
use hullmark_util::work::{Stopped, Work};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum absolute value of a coordinate: normals then fit in `i64`, and everything else in `i128`.
pub const LIMIT: i32 = 1 << 21;

/// Units of work per point for sorting and for a flat hull.
const SORT: u64 = 64;

/// The convex hull of points with integer coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hull {
    /// Number of given points.
    pub points: usize,
    /// Number of distinct given points.
    pub distinct: usize,
    /// Dimension of the points: 0 for at most one, 1 for a line, 2 for a plane, 3 for a solid.
    pub rank: u8,
    /// Indices of the extreme points, ascending: those that are not in the hull of the others. Of equal points only the
    /// first is included.
    pub vertices: Vec<usize>,
    /// Triangles over the vertices, counter-clockwise from outside; empty if the rank is below 3.
    pub faces: Vec<[usize; 3]>,
    /// The vertices in order around the polygon; empty if the rank is 3.
    pub outline: Vec<usize>,
    /// Coordinates of the vertices, in their order.
    corners: Vec<Point>,
    plane: Option<Plane>,
}

impl Hull {
    /// Computes the hull of points as stored in files, in a domain that may be flat on an axis. On that axis all points
    /// coincide, regardless of the values in the file (see [`super::rank::unique`]).
    pub fn in_domain(points: &[[u16; 3]], domain: &Domain) -> Self {
        whole(Self::within_in_domain(points, domain, &mut Work::unlimited()))
    }

    /// Like [`Self::in_domain`], within a budget of work.
    pub fn within_in_domain(points: &[[u16; 3]], domain: &Domain, work: &mut Work) -> Result<Self, Stopped> {
        let flat = domain.min.cmpeq(domain.max);
        let flatten = |&[x, y, z]: &[u16; 3]| {
            [if flat.x { 0 } else { x }, if flat.y { 0 } else { y }, if flat.z { 0 } else { z }]
                .map(i64::from)
        };
        Self::build(&points.iter().map(flatten).collect::<Vec<_>>(), work)
    }

    /// Computes the hull of integer points; `None` if a coordinate exceeds [`LIMIT`].
    fn within_of_integers(points: &[[i32; 3]], work: &mut Work) -> Result<Option<Self>, Stopped> {
        if !points.iter().flatten().all(|c| c.unsigned_abs() <= LIMIT.unsigned_abs()) {
            return Ok(None);
        }
        let points: Vec<Point> = points.iter().map(|point| point.map(i64::from)).collect();
        Self::build(&points, work).map(Some)
    }

    fn build(points: &[Point], work: &mut Work) -> Result<Self, Stopped> {
        work.charge(SORT * points.len() as u64)?;
        let order = distinct(points);
        let sites: Vec<Point> = order.iter().map(|&index| points[index]).collect();
        let mut hull = match surface::build(&sites, work)? {
            Some(surface) => Self::solid(&order, &surface),
            None => Self::flat(&order, &flat::build(&sites)),
        };
        hull.points = points.len();
        hull.distinct = order.len();
        hull.corners = hull.vertices.iter().map(|&index| points[index]).collect();
        Ok(hull)
    }

    fn solid(order: &[usize], surface: &surface::Surface) -> Self {
        let faces: Vec<_> = surface.faces.iter().map(|face| face.map(|site| order[site])).collect();
        let mut vertices = faces.as_flattened().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        Self { rank: 3, vertices, faces, ..Self::EMPTY }
    }

    fn flat(order: &[usize], flat: &flat::Flat) -> Self {
        let outline: Vec<_> = flat.outline.iter().map(|&site| order[site]).collect();
        let mut vertices = outline.clone();
        vertices.sort_unstable();
        Self { rank: flat.rank, vertices, outline, plane: flat.plane, ..Self::EMPTY }
    }

    const EMPTY: Self = Self {
        points: 0,
        distinct: 0,
        rank: 0,
        vertices: Vec::new(),
        faces: Vec::new(),
        outline: Vec::new(),
        corners: Vec::new(),
        plane: None,
    };

    /// Returns the flat faces, each as indices of its corners in order, counter-clockwise from outside. A hull that is
    /// not a solid has one: its polygon, segment or point.
    pub fn facets(&self) -> Vec<Vec<usize>> {
        if self.rank < 3 {
            return vec![self.outline.clone()];
        }
        let mut planes: BTreeMap<Plane, Vec<[usize; 2]>> = BTreeMap::new();
        for face @ &[a, b, c] in &self.faces {
            planes.entry(self.plane_of(face).reduced()).or_default().extend([[a, b], [b, c], [c, a]]);
        }
        planes.into_values().map(|edges| border(&edges)).collect()
    }

    fn plane_of(&self, face: &[usize; 3]) -> Plane {
        Plane::through(face.map(|index| self.at(index)))
    }

    /// Returns six times the volume in cubes of the grid, exactly.
    pub fn volume6(&self) -> i128 {
        let Some(&origin) = self.corners.first() else { return 0 };
        let six = |&face: &[usize; 3]| {
            let [a, b, c] = face.map(|index| difference(self.at(index), origin));
            dot(cross(a, b), c)
        };
        self.faces.iter().map(six).sum()
    }

    /// Returns the volume of the points decoded in `domain`, in the unit cube of a part. Multiplied by the product of
    /// the part's sides it gives m³.
    pub fn volume(&self, domain: &Domain) -> f64 {
        let step = Frame::of_domain(domain).step;
        self.volume6() as f64 / 6.0 * (step.x * step.y * step.z).abs()
    }

    /// Returns the hull with its points decoded in `domain`, for distances. `None` without points, or if the domain is
    /// not finite.
    pub fn solid_in(&self, domain: &Domain) -> Option<Solid> {
        Solid::new(self, &Frame::of_domain(domain))
    }

    /// Returns the coordinates of the vertex with this index among the given points.
    fn at(&self, index: usize) -> Point {
        let place = self.vertices.binary_search(&index).expect("faces and outlines are made of vertices");
        self.corners[place]
    }
}

/// Unwraps a result that no budget can stop.
fn whole<T>(built: Result<T, Stopped>) -> T {
    built.expect("there is no budget and no deadline")
}

/// Returns the outline of triangles in one plane: the edges that only one of them has.
fn border(edges: &[[usize; 2]]) -> Vec<usize> {
    let all: BTreeSet<[usize; 2]> = edges.iter().copied().collect();
    let outer = edges.iter().filter(|&&[from, to]| !all.contains(&[to, from]));
    let next: BTreeMap<usize, usize> = outer.map(|&[from, to]| (from, to)).collect();
    let first = next.keys().next().copied();
    let way = std::iter::successors(first, |at| next.get(at).copied().filter(|&to| Some(to) != first));
    way.take(next.len()).collect()
}

/// Returns the indices of distinct points, sorted by place; of equal points the first. So all further results depend
/// only on the set.
fn distinct(points: &[Point]) -> Vec<usize> {
    // A place packed in one number, followed by its index, sorts without further lookups. Differences of coordinates
    // have 23 bits with their sign.
    let place = |point: &Point| point.iter().fold(0, |place: u128, c| place << 24 | (c + (1 << 23)) as u128);
    let mut order: Vec<u128> =
        points.iter().enumerate().map(|(index, point)| place(point) << 32 | index as u128).collect();
    order.sort_unstable();
    order.dedup_by_key(|key| *key >> 32);
    order.into_iter().map(|key| key as u32 as usize).collect()
}
