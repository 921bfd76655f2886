//! One mesh as plain data.

use super::finding::FindingView;
use glam::DVec3;
use hullmark_analysis::{
    cost::{self, Cost, streaming},
    measure::{self, Collision, MeshAtScale, MeshMeasures, Thresholds},
};
use hullmark_format::mesh::{Block, LODS, LevelOrigin, PhysicsCostData};
use hullmark_ledger::facts::{HullFacts, MeshFacts};
use hullmark_report::figures::Figures;
use hullmark_settings::profile::Profile;
use serde::Serialize;
use uuid::Uuid;

/// A mesh.
#[derive(Debug, Serialize)]
pub struct MeshView {
    /// Its file or member, followed by `#n` for the n-th mesh of a scene.
    pub name: String,
    /// Its UUID from that name. `None` if the name has none.
    pub uuid: Option<Uuid>,
    /// Size of the asset, bytes.
    pub bytes: u64,
    /// xxh3-128 of the asset.
    pub content_hash: String,
    /// Version that the header states. `None` if it states none.
    pub header_version: Option<i64>,
    /// Blocks in the order of the header. Offsets count from the end of the header, in bytes.
    pub blocks: Vec<Block>,
    /// The four levels of detail, the highest first.
    pub levels_of_detail: Vec<LevelView>,
    /// The base hull.
    pub base_hull: Option<HullView>,
    /// Maximum number of vertices of a hull on the target.
    pub max_hull_vertices: u32,
    /// Number of hulls of the decomposition. `None` if the convex block cannot be read.
    pub hulls: Option<u32>,
    /// Maximum number of hulls on the target.
    pub max_hulls: u32,
    /// Number of vertices of all these hulls.
    pub decomposition_vertices: Option<u64>,
    /// The hulls of the decomposition.
    pub decomposition: Vec<HullView>,
    /// Number of triangles of the physics mesh.
    pub physics_triangles: Option<u64>,
    /// Harmonic mean of the widths of these triangles at the scale, metres.
    pub physics_mean_width_m: Option<f64>,
    /// Number of joints of the skin.
    pub joints: Option<u32>,
    /// The physics costs that the simulator stored in the header.
    pub physics_cost_data: Option<PhysicsCostData>,
    /// The part of a model from which an upload would make the mesh. `None` for an asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelView>,
    /// The scale of the following figures, metres.
    pub scale_m: [f64; 3],
    /// Radius that decides which level of detail is seen: half the diagonal, metres.
    pub(crate) radius_m: f64,
    /// Costs at this scale.
    #[serde(flatten)]
    pub costs: Figures,
    /// Sizes, in these proportions, at which the cost of the triangles meets a bound.
    pub thresholds: Option<ThresholdsView>,
    /// The physics shape of a part with this mesh, by shape type.
    pub parts_set_to: Vec<PartSetTo>,
    /// Harmless departures from the format.
    pub oddities: Vec<String>,
    /// Findings about the mesh.
    pub findings: Vec<FindingView>,
}

/// A part of a model, before its upload.
#[derive(Debug, Serialize)]
pub struct ModelView {
    /// Name in the file, without the suffix of a level.
    pub part: String,
    /// Size in the file, metres.
    pub size_m: [f64; 3],
    /// The uploader whose work is repeated.
    pub uploader: &'static str,
    /// Origin of each level, the highest first.
    pub origins: Vec<LevelOrigin>,
    /// Download weight at the scale with the smallest and the largest levels that the upload may make. `None` without
    /// levels.
    pub streaming_cost_range: Option<[f64; 2]>,
}

impl ModelView {
    fn new(mesh: &MeshFacts, scale: DVec3, profile: &Profile) -> Option<Self> {
        let part = mesh.model.as_ref()?;
        let cost = |bytes| streaming::static_mesh(bytes, scale, &profile.streaming).cost.value();
        let range = streaming::bytes_of_upload(mesh).map(|range| range.map(cost));
        Some(Self {
            part: part.name.clone(),
            size_m: part.size.to_array(),
            uploader: hullmark_model::UPLOADER_VERSION,
            origins: part.origins.iter().rev().copied().collect(),
            streaming_cost_range: range.and_then(|[least, most]| Some([least?, most?])),
        })
    }
}

/// A level of detail. The numbers are `None` if the block is absent or cannot be read.
#[derive(Debug, Serialize)]
pub struct LevelView {
    /// Name of its block.
    pub name: &'static str,
    /// Number of faces.
    pub submeshes: Option<u32>,
    /// Number of faces without geometry.
    pub empty_submeshes: Option<u32>,
    /// Number of vertices of all faces.
    pub vertices: Option<u32>,
    /// Number of triangles of all faces.
    pub triangles: Option<u32>,
}

/// A hull.
#[derive(Debug, Serialize)]
pub struct HullView {
    /// Number of stored points.
    pub vertices: u32,
    /// Number of different points.
    pub unique_vertices: u32,
    /// Dimension of the span of the points: 3 for a solid.
    pub dimension: u8,
    /// Its physics cost by the formula of Second Life.
    pub physics_cost: f64,
    /// Whether it exceeds a limit of the target.
    pub(crate) over_limit: bool,
}

impl HullView {
    fn new(hull: &HullFacts, profile: &Profile) -> Self {
        Self {
            vertices: hull.points,
            unique_vertices: hull.unique_points,
            dimension: hull.rank,
            physics_cost: cost::physics::hull(hull.points, &profile.physics),
            over_limit: hull.points > profile.hulls.max_vertices,
        }
    }

    /// Returns the hulls of a decomposition.
    fn of_decomposition(hulls: &[HullFacts], profile: &Profile) -> Vec<Self> {
        let of = |(number, hull)| {
            let hull = Self::new(hull, profile);
            Self { over_limit: hull.over_limit || number >= profile.hulls.max_hulls as usize, ..hull }
        };
        hulls.iter().enumerate().map(of).collect()
    }
}

/// The physics shape of a part with the mesh and one of two shape types.
#[derive(Debug, Serialize)]
pub struct PartSetTo {
    /// `prim` or `convex_hull`.
    pub shape_type: &'static str,
    /// Kind of physics shape.
    pub shape: &'static str,
    /// Reason for this shape.
    pub reason: &'static str,
    /// Collision shape at rest.
    pub representation: &'static str,
    /// Collision shape in motion.
    pub representation_dynamic: &'static str,
    /// Costs of these shapes, and the land impact of this prim alone, at rest and without scripts.
    #[serde(flatten)]
    pub costs: Figures,
    /// Whether such a prim may be physical: verdict on the cap.
    pub physical_cap: &'static str,
    /// The cap. `None` if the grid has none.
    pub physical_cap_limit: Option<f64>,
}

/// Sizes, in the proportions of the scale, at which the cost of a mesh's triangles meets a bound.
#[derive(Debug, Serialize)]
pub struct ThresholdsView {
    /// Physics cost above which an object may not be physical. `None` if the grid has no such cap.
    pub cap: Option<f64>,
    /// From this size on, the cost is at most the cap. `None` if it never is; zeros if it always is. Metres.
    pub under_cap_from_m: Option<[f64; 3]>,
    /// Least cost of a triangle mesh.
    pub floor: f64,
    /// From this size on, the cost is the least cost. `None` and zeros as for the cap. Metres.
    pub at_floor_from_m: Option<[f64; 3]>,
    /// If a side of a part is shorter than this, the base hull collides. Metres.
    pub shortest_side_m: f64,
    /// Below this size, a side is that short. `None` for a mesh with a decomposition. Metres.
    pub base_hull_below_m: Option<[f64; 3]>,
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
    fn new(shape_type: &'static str, collision: &Collision, land_impact: Cost, profile: &Profile) -> Self {
        let physics = &profile.physics;
        Self {
            shape_type,
            shape: collision.class.kind.name(),
            reason: collision.reason(),
            representation: collision.representation.name(),
            representation_dynamic: collision.representation_dynamic.name(),
            costs: Figures::new([
                ("physics_cost", "at rest", collision.physics_cost),
                ("physics_cost_dynamic", "in motion", collision.physics_cost_dynamic),
                ("land_impact", "land impact", land_impact),
            ]),
            physical_cap: cost::physics::cap(collision.physics_cost, physics).name(),
            physical_cap_limit: Some(physics.physical_cap).filter(|cap| cap.is_finite()),
        }
    }
}

impl MeshView {
    /// Returns the view of a mesh at this scale.
    pub fn new(mesh: &MeshFacts, scale: DVec3, profile: &Profile, findings: Vec<FindingView>) -> Self {
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
            base_hull: convex
                .and_then(|convex| convex.base.as_ref())
                .map(|hull| HullView::new(hull, profile)),
            max_hull_vertices: profile.hulls.max_vertices,
            hulls: measures.hulls,
            max_hulls: profile.hulls.max_hulls,
            decomposition_vertices: measures.decomposition_points,
            decomposition: convex
                .map_or(Vec::new(), |convex| HullView::of_decomposition(&convex.hulls, profile)),
            physics_triangles: measures.physics_triangles,
            physics_mean_width_m: scaled.mean_width_m,
            joints: mesh.joints,
            physics_cost_data: mesh.cost_data.clone(),
            model: ModelView::new(mesh, scale, profile),
            scale_m: scale.to_array(),
            radius_m: scale.length() / 2.0,
            costs: costs(&measures, &scaled),
            thresholds: scaled.thresholds.map(|found| ThresholdsView::new(found, scale, profile)),
            parts_set_to: vec![
                PartSetTo::new("prim", &scaled.as_prim, scaled.land_impact_as_prim, profile),
                PartSetTo::new("convex_hull", &scaled.as_convex, scaled.land_impact_as_convex, profile),
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
        ("server_weight", "server weight, without scripts", scaled.server_weight),
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
