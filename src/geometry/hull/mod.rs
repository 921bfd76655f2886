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
use crate::util::work::{Stopped, Work};
use exact::{Plane, Point, cross, difference, dot};
use std::collections::{BTreeMap, BTreeSet};

/// Greatest amount of a coordinate: normals then fit in `i64`, and everything else in `i128`.
pub const LIMIT: i32 = 1 << 21;

/// Units of work that sorting takes for each point, and the hull of what is flat.
const SORT: u64 = 64;

/// The convex hull of points with integer coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hull {
    /// Points given.
    pub points: usize,
    /// Different points given.
    pub distinct: usize,
    /// Dimension of what they span: 0 for none or one, 1 for a line, 2 for a plane, 3 for a solid.
    pub rank: u8,
    /// Indices of the extreme points, ascending: those that are not in the hull of the others. Of equal points
    /// only the first is named.
    pub vertices: Vec<usize>,
    /// Triangles over the vertices, counter-clockwise seen from outside; none where the rank is below 3.
    pub faces: Vec<[usize; 3]>,
    /// Where the rank is below 3: the vertices in their order around the polygon, else nothing.
    pub outline: Vec<usize>,
    /// Where the vertices are, in their order.
    corners: Vec<Point>,
    /// The plane of a polygon.
    plane: Option<Plane>,
}

impl Hull {
    /// The hull of points as files store them, in a domain that may be flat on an axis: there, all points lie at one place
    /// of it, whatever the file holds (see [`super::rank::unique`]).
    pub fn in_domain(points: &[[u16; 3]], domain: &Domain) -> Self {
        whole(Self::within_in_domain(points, domain, &mut Work::unlimited()))
    }

    /// The same within a budget of work.
    ///
    /// # Errors
    /// The budget is spent, or the deadline has come.
    pub fn within_in_domain(points: &[[u16; 3]], domain: &Domain, work: &mut Work) -> Result<Self, Stopped> {
        let flat = domain.min.cmpeq(domain.max);
        let flatten = |&[x, y, z]: &[u16; 3]| {
            [if flat.x { 0 } else { x }, if flat.y { 0 } else { y }, if flat.z { 0 } else { z }]
                .map(i64::from)
        };
        Self::build(&points.iter().map(flatten).collect::<Vec<_>>(), work)
    }

    /// The hull of any integer points; `None` where a coordinate is beyond [`LIMIT`].
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

    /// The flat faces, each as indices of its corners in their order, counter-clockwise seen from outside. A hull that
    /// is no solid has one: its polygon, segment or point.
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

    /// Six times the volume in cubes of the grid, exact.
    pub fn volume6(&self) -> i128 {
        let Some(&origin) = self.corners.first() else { return 0 };
        let six = |&face: &[usize; 3]| {
            let [a, b, c] = face.map(|index| difference(self.at(index), origin));
            dot(cross(a, b), c)
        };
        self.faces.iter().map(six).sum()
    }

    /// Volume where the points are decoded in `domain`: cubic units of the unit cube, so for a part it is to be
    /// multiplied by the product of its sides to give m³.
    pub fn volume(&self, domain: &Domain) -> f64 {
        let step = Frame::of_domain(domain).step;
        self.volume6() as f64 / 6.0 * (step.x * step.y * step.z).abs()
    }

    /// The hull with its points decoded in `domain`, for distances. `None` without points, or where the domain
    /// is not of finite numbers.
    pub fn solid_in(&self, domain: &Domain) -> Option<Solid> {
        Solid::new(self, &Frame::of_domain(domain))
    }

    /// Where the vertex with this index among the given points is.
    fn at(&self, index: usize) -> Point {
        let place = self.vertices.binary_search(&index).expect("faces and outlines are made of vertices");
        self.corners[place]
    }
}

/// What no budget can stop.
fn whole<T>(built: Result<T, Stopped>) -> T {
    built.expect("there is no budget and no deadline")
}

/// The way around triangles of one plane: along the edges that no two of them share.
fn border(edges: &[[usize; 2]]) -> Vec<usize> {
    let all: BTreeSet<[usize; 2]> = edges.iter().copied().collect();
    let outer = edges.iter().filter(|&&[from, to]| !all.contains(&[to, from]));
    let next: BTreeMap<usize, usize> = outer.map(|&[from, to]| (from, to)).collect();
    let first = next.keys().next().copied();
    let way = std::iter::successors(first, |at| next.get(at).copied().filter(|&to| Some(to) != first));
    way.take(next.len()).collect()
}

/// Indices of the different points, sorted by place, the first of equal ones: so that all that follows depends
/// on the set alone.
fn distinct(points: &[Point]) -> Vec<usize> {
    // A place as one number, with the index behind it, is sorted without looking anything up. Differences of
    // coordinates have 23 bits with their sign.
    let place = |point: &Point| point.iter().fold(0, |place: u128, c| place << 24 | (c + (1 << 23)) as u128);
    let mut order: Vec<u128> =
        points.iter().enumerate().map(|(index, point)| place(point) << 32 | index as u128).collect();
    order.sort_unstable();
    order.dedup_by_key(|key| *key >> 32);
    order.into_iter().map(|key| key as u32 as usize).collect()
}
