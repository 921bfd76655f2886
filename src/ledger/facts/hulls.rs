//! Convex hulls: the stored hulls, whether they are valid, and the hull that an uploader would create.

use super::{HullPoints, ubode_meshes};
use glam::DVec3;
use hullmark_format::mesh;
use hullmark_geometry::{
    hull::{FloatHull, Frame, Hull, Outside, Solid},
    quantized::Domain,
    rank,
    ubode::Built,
};
use hullmark_util::{json_number::Number, named, work::Work};
use serde::{Deserialize, Serialize};

/// Maximum number of points for which a hull is built.
///
/// No hull that a grid accepts has more than 256 points, but a source may be a whole level of detail. Above the maximum
/// only the rank is computed, which takes linear time.
const BUILT_POINTS: usize = 262_144;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvexFacts {
    /// The base hull (`BoundingVerts`); `None` if the block has none.
    pub base: Option<HullFacts>,
    /// The hulls of the decomposition in file order; empty if there is no decomposition or it is incomplete.
    pub hulls: Vec<HullFacts>,
    /// Number of points in `Positions`, regardless of `HullList`.
    pub positions: Option<u32>,
    /// Number of points that `HullList` announces; `None` if it equals the number in `Positions`, or there are no
    /// hulls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<u64>,
    /// The base hull as OpenSimulator's ubODE builds it; `None` if the work limit is reached, or if the block's domain
    /// is not finite.
    pub built_base: Option<Built>,
    /// The decomposition as ubODE builds it; `None` in the same cases.
    pub built_hulls: Option<Built>,
    /// Points of all hulls. Only those meshes of an input keep them that have the most; `None` for the others, and if
    /// a hull could not be built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<HullPoints>,
}

impl ConvexFacts {
    /// Whether `HullList` announces as many points as `Positions` holds.
    pub fn adds_up(&self) -> bool {
        self.announced.is_none_or(|announced| self.positions.is_some_and(|held| announced == u64::from(held)))
    }

    /// Counts the points of every hull, and measures their rank and volume in the block's domain. Values beyond the
    /// work limit are `None`.
    pub fn new(convex: &mesh::Convex, base: Option<&Base>, work: &mut Work) -> Self {
        let domain = &convex.domain;
        let mut hulls: Vec<HullFacts> =
            convex.hulls().map(|points| HullFacts::new(points, domain, work)).collect();
        // After the hulls themselves, because more results depend on those.
        for (facts, points) in hulls.iter_mut().zip(convex.hulls()) {
            let points = points.iter().map(|&point| domain.point(point));
            let wrap = base.and_then(|base| base.wrap(points, 0.0, work));
            facts.outside_base =
                wrap.map(|wrap| if wrap.points_outside == 0 { Number(0.0) } else { wrap.worst_distance });
        }
        let announced: Option<u64> =
            convex.hull_sizes.as_ref().map(|sizes| sizes.iter().copied().map(u64::from).sum());
        let held = convex.positions.as_ref().map(|points| points.len() as u64);
        let base = base.map(|base| base.facts);
        let are_built = hulls.iter().chain(&base).all(|hull| hull.vertices.is_some());
        Self {
            points: HullPoints::new(convex).filter(|_| are_built),
            announced: announced.filter(|_| !hulls.is_empty() && announced != held),
            base,
            hulls,
            positions: convex.positions.as_ref().map(|points| points.len() as u32),
            built_base: ubode_meshes::base_hull(convex, work),
            built_hulls: ubode_meshes::decomposition(convex, work),
        }
    }
}

/// The base hull of a mesh. It is built once for all comparisons with it.
pub struct Base {
    facts: HullFacts,
    /// The hull in units of the unit cube. `None` if there are no points, if there are too many to build it, or if the
    /// domain is not finite.
    solid: Option<Solid>,
    /// Maximum distance by which rounding in the domain moves a point.
    rounding: f64,
}

impl Base {
    /// Builds the base hull; `None` if the block has none.
    pub fn new(convex: &mesh::Convex, work: &mut Work) -> Option<Self> {
        let (points, domain) = (convex.base.as_deref()?, &convex.domain);
        let hull = built(points, domain, work);
        Some(Self {
            facts: HullFacts::from_hull(hull.as_ref(), points, domain),
            solid: hull.and_then(|hull| hull.solid_in(domain)),
            rounding: Frame::of_domain(domain).rounding(),
        })
    }

    /// Returns how the hull wraps `points`, whose error may be `noise` in addition to their rounding. `None` if the
    /// work limit is reached, or if a number is not finite.
    fn wrap(&self, points: impl Iterator<Item = DVec3>, noise: f64, work: &mut Work) -> Option<Wrap> {
        let wraps = self.solid.as_ref()?.wraps(points, noise + self.rounding, work);
        let Outside { worst_distance, points_outside, of } = wraps.ok()??;
        // Domains may have any size. A distance that is not finite is unknown.
        worst_distance.is_finite().then_some(Wrap {
            worst_distance: Number(worst_distance),
            points_outside,
            of,
        })
    }
}

/// Builds the hull of points; `None` if there are too many points, or the work limit is reached.
fn built(points: &[[u16; 3]], domain: &Domain, work: &mut Work) -> Option<Hull> {
    let few = points.len() <= BUILT_POINTS;
    few.then(|| Hull::within_in_domain(points, domain, work))?.ok()
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HullFacts {
    /// Number of stored points.
    pub points: u32,
    /// Number of distinct points.
    pub unique_points: u32,
    /// Dimension of the space that the points span: 0 point, 1 line, 2 plane, 3 solid.
    pub rank: u8,
    /// Number of extreme points, the vertices of the hull. `None` if it takes too much work to count them.
    pub vertices: Option<u32>,
    /// Volume as a fraction of the unit cube; a part multiplies it by its three sides. `None` if the computation takes
    /// too much work, or the domain is not finite.
    pub volume: Option<Number>,
    /// Only for a hull of a decomposition: distance from the base hull to its farthest point, in units of the unit
    /// cube.
    ///
    /// 0 if all points are inside, apart from their rounding. `None` if there is no base hull, or if the computation
    /// takes too much work.
    pub outside_base: Option<Number>,
}

impl HullFacts {
    /// Computes the facts of a hull exactly: see [`Hull`]. Points that differ only along an axis on which the domain is
    /// flat are one point.
    pub fn new(points: &[[u16; 3]], domain: &Domain, work: &mut Work) -> Self {
        Self::from_hull(built(points, domain, work).as_ref(), points, domain)
    }

    /// Creates the facts of points from their hull, if it is built.
    fn from_hull(hull: Option<&Hull>, points: &[[u16; 3]], domain: &Domain) -> Self {
        let Some(hull) = hull else {
            let unique = rank::unique(points, domain);
            let (points, unique_points, rank) =
                (points.len() as u32, unique.len() as u32, rank::dimension(&unique));
            return Self { points, unique_points, rank, vertices: None, volume: None, outside_base: None };
        };
        Self {
            points: hull.points as u32,
            unique_points: hull.distinct as u32,
            rank: hull.rank,
            vertices: Some(hull.vertices.len() as u32),
            volume: Some(hull.volume(domain)).filter(|volume| volume.is_finite()).map(Number),
            outside_base: None,
        }
    }

    /// Whether every distinct point is extreme; `None` if there are too many points.
    pub fn convex(&self) -> Option<bool> {
        self.vertices.map(|vertices| vertices == self.unique_points)
    }
}

/// How a hull wraps points, in units of the unit cube.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wrap {
    /// Distance from the hull to the farthest point; 0 if all points are inside.
    pub worst_distance: Number,
    /// Number of points that are outside by more than their rounding.
    pub points_outside: u32,
    /// Number of all points.
    pub of: u32,
}

named! {
/// Source from which an uploader makes the base hull: the physics shape, else the medium, else the high level of
/// detail (*Mesh/Mesh physics*, "Hull").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HullSource {
    PhysicsMesh = "physics_mesh",
    MediumLod = "medium_lod",
    HighLod = "high_lod",
}
}

/// The hull of the source that an uploader would use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SourceHull {
    pub source: HullSource,
    pub vertices: u32,
    /// Volume as a fraction of the unit cube.
    pub volume: Number,
    /// How the stored base hull wraps the vertices; `None` if there is no base hull, or if the computation takes too
    /// much work.
    pub wrap: Option<Wrap>,
}

impl SourceHull {
    /// Builds the hull of the first source that has triangles.
    ///
    /// `None` if no source has triangles, or if a point is not finite. `None` also if the source has more than
    /// `BUILT_POINTS` points or needs too much work.
    pub fn new(mesh: &mesh::Mesh, base: Option<&Base>, work: &mut Work) -> Option<Self> {
        let [.., medium, high] = &mesh.lods;
        let sources = [
            (HullSource::PhysicsMesh, &mesh.physics_mesh),
            (HullSource::MediumLod, medium),
            (HullSource::HighLod, high),
        ];
        let (source, points) = sources
            .into_iter()
            .filter_map(|(source, faces)| Some((source, used_points(faces.as_deref()?))))
            .find(|(_, points)| !points.is_empty())?;
        if points.len() > BUILT_POINTS {
            return None;
        }
        let found = FloatHull::within_of_points(&points, 0.0, work).ok()??;
        let corners = found.hull.vertices.iter().map(|&index| points[index]);
        let wrap = base.and_then(|base| base.wrap(corners, found.tolerance, work));
        let volume = Some(found.volume()).filter(|volume| volume.is_finite())?;
        Some(Self { source, vertices: found.hull.vertices.len() as u32, volume: Number(volume), wrap })
    }
}

/// Returns the positions of vertices that a triangle uses, in units of the unit cube.
fn used_points(faces: &[mesh::Submesh]) -> Vec<DVec3> {
    let mut points = Vec::new();
    for face in faces {
        let mut used = vec![false; face.positions.len()];
        for triangle in face.triangles.iter().filter(|&&triangle| face.holds(triangle)) {
            triangle.iter().for_each(|&index| used[usize::from(index)] = true);
        }
        let used = face.positions.iter().zip(used).filter(|(_, used)| *used);
        points.extend(used.map(|(&position, _)| face.domain.point(position)));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(side: u16) -> Vec<[u16; 3]> {
        let at = |corner: u16, bit: u16| if corner & bit == 0 { 32_768 - side } else { 32_767 + side };
        (0..8).map(|corner| [at(corner, 1), at(corner, 2), at(corner, 4)]).collect()
    }

    fn convex(base: Vec<[u16; 3]>, hull: &[[u16; 3]]) -> mesh::Convex {
        mesh::Convex {
            domain: Domain::UNIT,
            base: Some(base),
            hull_sizes: Some(vec![hull.len() as u32]),
            positions: Some(hull.to_vec()),
        }
    }

    fn mesh_with(physics: Vec<[u16; 3]>, convex: mesh::Convex) -> mesh::Mesh {
        let triangles = (2..physics.len() as u16).map(|i| [0, i - 1, i]).collect();
        let face = mesh::Submesh { positions: physics, triangles, ..mesh::Submesh::default() };
        mesh::Mesh { physics_mesh: Some(vec![face]), convex: Some(convex), ..mesh::Mesh::default() }
    }

    #[test]
    fn a_hull_is_counted_and_measured() {
        let mut points = corners(32_768);
        points.push([32_768; 3]);
        points.push(points[0]);
        let facts = HullFacts::new(&points, &Domain::UNIT, &mut Work::unlimited());
        assert_eq!((facts.points, facts.unique_points, facts.vertices, facts.rank), (10, 9, Some(8), 3));
        assert!((facts.volume.unwrap().0 - 1.0).abs() < 1e-12);
        assert_eq!(facts.convex(), Some(false));
    }

    #[test]
    fn a_base_hull_that_is_too_small_does_not_wrap() {
        let distance = |base, hull: Vec<_>| {
            let convex = convex(base, &hull);
            let work = &mut Work::unlimited();
            let base = Base::new(&convex, work);
            ConvexFacts::new(&convex, base.as_ref(), work).hulls[0].outside_base.unwrap().0
        };
        assert_eq!(distance(corners(32_768), corners(10_000)), 0.0);
        let expected = 3.0_f64.sqrt() * 22_768.0 / 65_535.0;
        assert!((distance(corners(10_000), corners(32_768)) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_source_is_the_physics_mesh_first_and_only_its_used_points() {
        let mut stray = corners(10_000);
        stray.push([0; 3]);
        let mut mesh = mesh_with(stray, convex(corners(10_000), &[]));
        // The stray point is in no triangle.
        if let Some(faces) = &mut mesh.physics_mesh {
            faces[0].triangles.pop();
        }
        let source = |mesh: &mesh::Mesh| {
            let work = &mut Work::unlimited();
            let base = mesh.convex.as_ref().and_then(|convex| Base::new(convex, work));
            SourceHull::new(mesh, base.as_ref(), work)
        };
        let found = source(&mesh).unwrap();
        assert_eq!((found.source, found.vertices), (HullSource::PhysicsMesh, 8));
        assert_eq!(found.wrap.unwrap().points_outside, 0);
        assert!((found.volume.0 - (20_000.0_f64 - 1.0).powi(3) / 65_535.0_f64.powi(3)).abs() < 1e-6);

        mesh.lods[2] = mesh.physics_mesh.take();
        assert_eq!(source(&mesh).unwrap().source, HullSource::MediumLod);
        mesh.lods[3] = mesh.lods[2].take();
        assert_eq!(source(&mesh).unwrap().source, HullSource::HighLod);
        mesh.lods[3] = None;
        assert_eq!(source(&mesh), None);
    }
}
