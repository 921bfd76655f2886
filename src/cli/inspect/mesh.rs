//! One mesh, as it is shown.

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
    /// Its file or member, with `#n` for the n-th of a scene.
    pub(super) name: String,
    /// From that name.
    pub(super) uuid: Option<Uuid>,
    /// Size of the asset.
    pub(super) bytes: u64,
    /// xxh3-128 of the asset.
    pub(super) content_hash: String,
    /// Version that the header states.
    pub(super) header_version: Option<i64>,
    /// Blocks as the header lists them; offsets count from the end of the header.
    pub(super) blocks: Vec<Block>,
    /// The four levels of detail, highest first.
    pub(super) levels_of_detail: Vec<LevelView>,
    /// The base hull.
    pub(super) base_hull: Option<HullView>,
    /// The most vertices of a hull.
    pub(super) max_hull_vertices: u32,
    /// Hulls of the decomposition; null where the convex block cannot be read.
    pub(super) hulls: Option<u32>,
    /// The most hulls.
    pub(super) max_hulls: u32,
    /// Vertices of these hulls together.
    pub(super) decomposition_vertices: Option<u64>,
    /// Each hull of the decomposition.
    pub(super) decomposition: Vec<HullView>,
    /// Triangles of the physics mesh.
    pub(super) physics_triangles: Option<u64>,
    /// Harmonic mean of their widths at the scale.
    pub(super) physics_mean_width_m: Option<f64>,
    /// Joints of the skin.
    pub(super) joints: Option<u32>,
    /// What the simulator left in the header.
    pub(super) physics_cost_data: Option<PhysicsCostData>,
    /// The scale that the following is for.
    pub(super) scale_m: [f64; 3],
    /// Costs at that scale.
    #[serde(flatten)]
    pub(super) costs: Figures,
    /// Where the cost of its triangles changes, in these proportions.
    pub(super) thresholds: Option<ThresholdsView>,
    /// What a part with this mesh gets.
    pub(super) parts_set_to: Vec<PartSetTo>,
    /// Departures from the format that do no harm.
    pub(super) oddities: Vec<String>,
    /// Findings about it.
    pub(super) findings: Vec<FindingView>,
}

/// A level of detail; numbers are null where the block is absent or unreadable.
#[derive(Debug, Serialize)]
pub(super) struct LevelView {
    /// Name of its block.
    pub(super) name: &'static str,
    /// Faces.
    pub(super) submeshes: Option<u32>,
    /// Faces without geometry.
    pub(super) empty_submeshes: Option<u32>,
    /// Vertices of all faces.
    pub(super) vertices: Option<u32>,
    /// Triangles of all faces.
    pub(super) triangles: Option<u32>,
}

/// A hull.
#[derive(Debug, Serialize)]
pub(super) struct HullView {
    /// Points stored.
    pub(super) vertices: u32,
    /// Different points.
    pub(super) unique_vertices: u32,
    /// Dimension of what they span: 3 for a solid.
    pub(super) dimension: u8,
}

impl From<&HullFacts> for HullView {
    fn from(hull: &HullFacts) -> Self {
        Self { vertices: hull.points, unique_vertices: hull.unique_points, dimension: hull.rank }
    }
}

/// What a part gets that has the mesh and one of the two shape types.
#[derive(Debug, Serialize)]
pub(super) struct PartSetTo {
    /// `prim` or `convex_hull`.
    pub(super) shape_type: &'static str,
    /// Kind of physics shape.
    pub(super) shape: &'static str,
    /// Why this collides.
    pub(super) reason: &'static str,
    /// What collides at rest.
    pub(super) representation: &'static str,
    /// What collides in motion.
    pub(super) representation_dynamic: &'static str,
    /// What that costs.
    #[serde(flatten)]
    pub(super) costs: Figures,
}

/// Sizes in the proportions of the scale at which the cost of a mesh's triangles meets a bound.
#[derive(Debug, Serialize)]
pub(super) struct ThresholdsView {
    /// The cap on physical objects; null where the grid has none.
    pub(super) cap: Option<f64>,
    /// From this size on the cost is at most the cap; null where it never is. Zeros: it always is.
    pub(super) under_cap_from_m: Option<[f64; 3]>,
    /// The least that a triangle mesh is charged.
    pub(super) floor: f64,
    /// From this size on the cost is that; as for the cap.
    pub(super) at_floor_from_m: Option<[f64; 3]>,
    /// Shorter sides than this make the base hull collide, metres.
    pub(super) shortest_side_m: f64,
    /// Below this size one is; null for a mesh with a decomposition.
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
    /// Shows a mesh at this scale.
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

/// Levels, highest first, as people name them.
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
