//! One mesh as plain data.

use super::view::FindingView;
use crate::{
    analysis::measure::{self, Collision, MeshAtScale, MeshMeasures, Thresholds},
    cli::json_figures::Figures,
    format::mesh::{Block, LODS, PhysicsCostData},
    ledger::facts::{HullFacts, MeshFacts},
    settings::profile::Profile,
};
use glam::DVec3;
use serde::Serialize;
use uuid::Uuid;

/// A mesh.
#[derive(Debug, Serialize)]
pub(super) struct MeshView {
    /// Its file or member, followed by `#n` for the n-th mesh of a scene.
    pub(super) name: String,
    /// Its UUID from that name. `None` if the name has none.
    pub(super) uuid: Option<Uuid>,
    /// Size of the asset, bytes.
    pub(super) bytes: u64,
    /// xxh3-128 of the asset.
    pub(super) content_hash: String,
    /// Version that the header states. `None` if it states none.
    pub(super) header_version: Option<i64>,
    /// Blocks in the order of the header. Offsets count from the end of the header, in bytes.
    pub(super) blocks: Vec<Block>,
    /// The four levels of detail, the highest first.
    pub(super) levels_of_detail: Vec<LevelView>,
    /// The base hull.
    pub(super) base_hull: Option<HullView>,
    /// Maximum number of vertices of a hull on the target.
    pub(super) max_hull_vertices: u32,
    /// Number of hulls of the decomposition. `None` if the convex block cannot be read.
    pub(super) hulls: Option<u32>,
    /// Maximum number of hulls on the target.
    pub(super) max_hulls: u32,
    /// Number of vertices of all these hulls.
    pub(super) decomposition_vertices: Option<u64>,
    /// The hulls of the decomposition.
    pub(super) decomposition: Vec<HullView>,
    /// Number of triangles of the physics mesh.
    pub(super) physics_triangles: Option<u64>,
    /// Harmonic mean of the widths of these triangles at the scale, metres.
    pub(super) physics_mean_width_m: Option<f64>,
    /// Number of joints of the skin.
    pub(super) joints: Option<u32>,
    /// The physics costs that the simulator stored in the header.
    pub(super) physics_cost_data: Option<PhysicsCostData>,
    /// The scale of the following figures, metres.
    pub(super) scale_m: [f64; 3],
    /// Costs at this scale.
    #[serde(flatten)]
    pub(super) costs: Figures,
    /// Sizes, in these proportions, at which the cost of the triangles meets a bound.
    pub(super) thresholds: Option<ThresholdsView>,
    /// The physics shape of a part with this mesh, by shape type.
    pub(super) parts_set_to: Vec<PartSetTo>,
    /// Harmless departures from the format.
    pub(super) oddities: Vec<String>,
    /// Findings about the mesh.
    pub(super) findings: Vec<FindingView>,
}

/// A level of detail. The numbers are `None` if the block is absent or cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct LevelView {
    /// Name of its block.
    pub(super) name: &'static str,
    /// Number of faces.
    pub(super) submeshes: Option<u32>,
    /// Number of faces without geometry.
    pub(super) empty_submeshes: Option<u32>,
    /// Number of vertices of all faces.
    pub(super) vertices: Option<u32>,
    /// Number of triangles of all faces.
    pub(super) triangles: Option<u32>,
}

/// A hull.
#[derive(Debug, Serialize)]
pub(super) struct HullView {
    /// Number of stored points.
    pub(super) vertices: u32,
    /// Number of different points.
    pub(super) unique_vertices: u32,
    /// Dimension of the span of the points: 3 for a solid.
    pub(super) dimension: u8,
}

impl From<&HullFacts> for HullView {
    fn from(hull: &HullFacts) -> Self {
        Self { vertices: hull.points, unique_vertices: hull.unique_points, dimension: hull.rank }
    }
}

/// The physics shape of a part with the mesh and one of two shape types.
#[derive(Debug, Serialize)]
pub(super) struct PartSetTo {
    /// `prim` or `convex_hull`.
    pub(super) shape_type: &'static str,
    /// Kind of physics shape.
    pub(super) shape: &'static str,
    /// Reason for this shape.
    pub(super) reason: &'static str,
    /// Collision shape at rest.
    pub(super) representation: &'static str,
    /// Collision shape in motion.
    pub(super) representation_dynamic: &'static str,
    /// Costs of these shapes.
    #[serde(flatten)]
    pub(super) costs: Figures,
}

/// Sizes, in the proportions of the scale, at which the cost of a mesh's triangles meets a bound.
#[derive(Debug, Serialize)]
pub(super) struct ThresholdsView {
    /// Physics cost above which an object may not be physical. `None` if the grid has no such cap.
    pub(super) cap: Option<f64>,
    /// From this size on, the cost is at most the cap. `None` if it never is; zeros if it always is. Metres.
    pub(super) under_cap_from_m: Option<[f64; 3]>,
    /// Least cost of a triangle mesh.
    pub(super) floor: f64,
    /// From this size on, the cost is the least cost. `None` and zeros as for the cap. Metres.
    pub(super) at_floor_from_m: Option<[f64; 3]>,
    /// If a side of a part is shorter than this, the base hull collides. Metres.
    pub(super) shortest_side_m: f64,
    /// Below this size, a side is that short. `None` for a mesh with a decomposition. Metres.
    pub(super) base_hull_below_m: Option<[f64; 3]>,
}

impl ThresholdsView {
    fn new(found: Thresholds, scale: DVec3, profile: &Profile) -> Self {
        let at = |factor: Option<f64>| factor.map(|factor| (scale * factor).to_array());
        let physics = &profile.physics;
        Self {
            cap: Some(physics.physical_cap).filter(|cap| cap.is_finite()),
            under_cap_from_m: at(found.cap),
            floor: physics.minimum_mesh_cost,
            at_floor_from_m: at(found.floor),
            shortest_side_m: physics.convex_below_m,
            base_hull_below_m: at(found.base_hull_below),
        }
    }
}

impl PartSetTo {
    fn new(shape_type: &'static str, collision: &Collision) -> Self {
        Self {
            shape_type,
            shape: collision.class.kind.name(),
            reason: collision.reason(),
            representation: collision.representation.name(),
            representation_dynamic: collision.representation_dynamic.name(),
            costs: Figures::new([
                ("physics_cost", "at rest", collision.physics_cost),
                ("physics_cost_dynamic", "in motion", collision.physics_cost_dynamic),
            ]),
        }
    }
}

impl MeshView {
    /// Returns the view of a mesh at this scale.
    pub(super) fn new(mesh: &MeshFacts, scale: DVec3, profile: &Profile, findings: Vec<FindingView>) -> Self {
        let measures = measure::measure_mesh(mesh, profile);
        let scaled = measure::measure_mesh_at(mesh, scale, profile);
        let convex = mesh.convex.as_ref();
        Self {
            name: mesh.entry.clone(),
            uuid: mesh.uuid,
            bytes: mesh.bytes,
            content_hash: mesh.content_hash.clone(),
            header_version: mesh.version,
            blocks: mesh.blocks.clone(),
            levels_of_detail: levels(mesh),
            base_hull: convex.and_then(|convex| convex.base.as_ref()).map(HullView::from),
            max_hull_vertices: profile.hulls.max_vertices,
            hulls: measures.hulls,
            max_hulls: profile.hulls.max_hulls,
            decomposition_vertices: measures.decomposition_points,
            decomposition: convex.iter().flat_map(|convex| &convex.hulls).map(HullView::from).collect(),
            physics_triangles: measures.physics_triangles,
            physics_mean_width_m: scaled.mean_width_m,
            joints: mesh.joints,
            physics_cost_data: mesh.cost_data.clone(),
            scale_m: scale.to_array(),
            costs: costs(&measures, &scaled),
            thresholds: scaled.thresholds.map(|found| ThresholdsView::new(found, scale, profile)),
            parts_set_to: vec![
                PartSetTo::new("prim", &scaled.as_prim),
                PartSetTo::new("convex_hull", &scaled.as_convex),
            ],
            oddities: mesh.oddities.clone(),
            findings,
        }
    }
}

fn costs(measures: &MeshMeasures, scaled: &MeshAtScale) -> Figures {
    Figures::new([
        ("base_hull_cost", "physics weight, as base hull", measures.base_hull_cost),
        ("decomposition_cost", "physics weight, as decomposition", measures.decomposition_cost),
        ("triangle_cost", "physics weight, as triangle mesh", scaled.triangle_cost),
        ("streaming_cost", "download weight (streaming)", scaled.streaming_cost),
        ("animated_streaming_cost", "download weight, if animated", measures.animated_streaming_cost),
        ("upload_streaming_estimate", "OpenSim's estimate at upload", scaled.upload_streaming_estimate),
    ])
}

/// Returns the levels of detail, the highest first.
fn levels(mesh: &MeshFacts) -> Vec<LevelView> {
    let levels = LODS.iter().zip(&mesh.lods).rev().map(|(name, lod)| LevelView {
        name,
        submeshes: lod.map(|lod| lod.submeshes),
        empty_submeshes: lod.map(|lod| lod.empty_submeshes),
        vertices: lod.map(|lod| lod.vertices),
        triangles: lod.map(|lod| lod.triangles),
    });
    levels.collect()
}
