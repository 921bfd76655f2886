//! The physics shape of a part: hulls where all pieces of the physics model are convex, else its triangles.
//!
//! The uploader stores a physics model as triangles, and as hulls after *Analyze*. A convex piece becomes one hull there.

use crate::{asset::Physics, scene::Face, shape::Extent, weld::Points};
use glam::{DVec3, Vec3};
use hullmark_geometry::{hull::Hull, quantized::Domain};
use hullmark_util::work::{Stopped, Work};
use std::collections::BTreeMap;

/// Most points of a hull: viewer, `llconvexdecompositionvhacd.cpp` `MAX_VERTICES_PER_HULL`.
pub(crate) const MOST_POINTS: usize = 256;
/// How far the volume of a convex piece may differ from that of its hull. Positions of files are rounded.
const ROUNDING: f64 = 0.005;
/// Units of work for a corner of a triangle.
const CORNER: u64 = 64;

/// What hinders a physics model from becoming hulls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Hindrances {
    /// Pieces with open edges.
    pub(crate) open: u32,
    /// Pieces that are not convex.
    pub(crate) hollow: u32,
    /// Vertices of the convex piece with the most, if these are more than a hull may have.
    pub(crate) most_vertices: Option<u32>,
}

/// Returns a hull for each piece of the faces, or what hinders it.
pub(crate) fn hulls(faces: &[Face], work: &mut Work) -> Result<Result<Vec<Vec<Vec3>>, Hindrances>, Stopped> {
    let pieces = Pieces::of(faces, work)?;
    let (mut hulls, mut hindrances) = (Vec::new(), Hindrances::default());
    for triangles in pieces.triangles.values() {
        if !is_closed(triangles) {
            hindrances.open += 1;
            continue;
        }
        let Some(hull) = convex(triangles, &pieces.points, work)? else {
            hindrances.hollow += 1;
            continue;
        };
        if hull.len() > MOST_POINTS {
            hindrances.most_vertices = hindrances.most_vertices.max(u32::try_from(hull.len()).ok());
        }
        hulls.push(hull);
    }
    Ok(if hindrances == Hindrances::default() && !hulls.is_empty() { Ok(hulls) } else { Err(hindrances) })
}

/// The pieces of a model: triangles that share positions, by the least of these.
struct Pieces {
    points: Vec<Vec3>,
    triangles: BTreeMap<u32, Vec<[u32; 3]>>,
}

impl Pieces {
    fn of(faces: &[Face], work: &mut Work) -> Result<Self, Stopped> {
        let mut points = Points::default();
        let mut triangles = Vec::new();
        for face in faces {
            work.charge(3 * face.triangles.len() as u64 * CORNER)?;
            let corners: Vec<u32> =
                face.vertices.iter().map(|vertex| points.number(vertex.position)).collect();
            triangles.extend(
                face.triangles.iter().map(|triangle| triangle.map(|corner| corners[corner as usize])),
            );
        }
        let mut roots: Vec<u32> = (0..points.positions.len() as u32).collect();
        for &[a, b, c] in &triangles {
            join(&mut roots, a, b);
            join(&mut roots, b, c);
        }
        let mut by_root: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for triangle in triangles {
            let [a, b, c] = triangle;
            // A triangle without area bounds nothing.
            if a != b && b != c && c != a {
                by_root.entry(root(&mut roots, a)).or_default().push(triangle);
            }
        }
        Ok(Self { points: points.positions, triangles: by_root })
    }
}

fn root(roots: &mut [u32], mut of: u32) -> u32 {
    while roots[of as usize] != of {
        let above = roots[roots[of as usize] as usize];
        roots[of as usize] = above;
        of = above;
    }
    of
}

fn join(roots: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(roots, a), root(roots, b));
    roots[a.max(b) as usize] = a.min(b);
}

/// Whether each edge has one triangle on each of its sides.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    let is_once = edges.windows(2).all(|pair| pair[0] != pair[1]);
    is_once && edges.iter().all(|&[from, to]| edges.binary_search(&[to, from]).is_ok())
}

/// Returns the corners of a closed piece if it is convex.
fn convex(triangles: &[[u32; 3]], points: &[Vec3], work: &mut Work) -> Result<Option<Vec<Vec3>>, Stopped> {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let own: Vec<Vec3> = used.iter().map(|&point| points[point as usize]).collect();
    let (hull, domain) = hull(&own, work)?;
    let at = |corner: u32| points[corner as usize].as_dvec3();
    let volume: f64 =
        triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c)))).sum::<f64>().abs() / 6.0;
    let around = hull.volume(&domain);
    let is_convex = hull.rank == 3 && (around - volume).abs() <= ROUNDING * around;
    Ok(is_convex.then(|| hull.vertices.iter().map(|&corner| own[corner]).collect()))
}

/// Returns the hull of points that are rounded to their own box.
fn hull(points: &[Vec3], work: &mut Work) -> Result<(Hull, Domain), Stopped> {
    let bounds = points.iter().map(|point| point.as_dvec3());
    let (min, max) = bounds
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), point| (min.min(point), max.max(point)));
    let domain = Domain { min, max };
    let stored = points.iter().map(|point| {
        let unit = (point.as_dvec3() - min) / (max - min);
        (unit * 65_535.0).to_array().map(|part| part.round() as u16)
    });
    let hull = Hull::within_in_domain(&stored.collect::<Vec<_>>(), &domain, work)?;
    Ok((hull, domain))
}

/// Returns the base hull around faces, and whether they are solid. Around flat ones, it is their box
/// (`llmeshrepository.cpp` `doDecompositionSingleHull`, `make_box`).
///
/// Of more corners than a hull may have, those that lie farthest in evenly spread directions are kept. The viewer adds
/// the farthest corner again and again, so both have 256 points, but not the same ones.
pub(crate) fn base_hull(faces: &[Face], work: &mut Work) -> Result<(Vec<Vec3>, bool), Stopped> {
    let points: Vec<Vec3> =
        faces.iter().flat_map(|face| &face.vertices).map(|vertex| vertex.position).collect();
    let (hull, domain) = hull(&points, work)?;
    if hull.rank < 3 {
        let (min, max) = (domain.min.as_vec3(), domain.max.as_vec3());
        let corner = |at: u8| {
            let side = |bit: u8, min: f32, max: f32| if at >> bit & 1 == 0 { min } else { max };
            Vec3::new(side(0, min.x, max.x), side(1, min.y, max.y), side(2, min.z, max.z))
        };
        return Ok(((0..8).map(corner).collect(), false));
    }
    let corners: Vec<Vec3> = hull.vertices.iter().map(|&corner| points[corner]).collect();
    if corners.len() <= MOST_POINTS {
        return Ok((corners, true));
    }
    work.charge((corners.len() * MOST_POINTS) as u64)?;
    let mut kept: Vec<usize> = (0..MOST_POINTS).filter_map(|at| farthest(&corners, direction(at))).collect();
    kept.sort_unstable();
    kept.dedup();
    Ok((kept.into_iter().map(|corner| corners[corner]).collect(), true))
}

/// Returns evenly spread directions on a spiral over the sphere.
fn direction(at: usize) -> Vec3 {
    let height = 1.0 - (2 * at + 1) as f32 / MOST_POINTS as f32;
    let (sin, cos) = (at as f32 * 2.399_963).sin_cos();
    let radius = (1.0 - height * height).sqrt();
    Vec3::new(radius * cos, radius * sin, height)
}

fn farthest(corners: &[Vec3], direction: Vec3) -> Option<usize> {
    let reach = |corner: usize| corners[corner].dot(direction);
    (0..corners.len()).max_by(|&a, &b| reach(a).total_cmp(&reach(b)).then(b.cmp(&a)))
}

/// Returns the shapes of a part whose physics model is already as it was uploaded: hulls for faces, or triangles.
pub(crate) fn as_hulls(faces: &[Face]) -> Vec<Vec<Vec3>> {
    faces.iter().map(|face| face.vertices.iter().map(|vertex| vertex.position).collect()).collect()
}

impl Physics {
    /// Whether the part collides as its physics model. Otherwise it collides as its base hull.
    pub(crate) fn has_model(&self) -> bool {
        !self.hulls.is_empty() || !self.triangles.is_empty()
    }
}

/// Returns how much a level must be stretched to fit the highest one: the ratio that differs most from 1.
pub(crate) fn stretch(level: &Extent, high: &Extent) -> f32 {
    let ratios = (high.size / level.size).to_array();
    let off = |ratio: f32| ratio.max(1.0 / ratio);
    ratios.into_iter().max_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap_or(1.0)
}
