//! The weights of one object, its levels of detail, and what other sizes and levels would cost.

use hullmark_analysis::{
    Measured,
    actions::FEW,
    assets::Assets,
    cost::{
        Cost,
        streaming::{estimated_triangles, level_bytes, level_shares, static_mesh},
    },
    measure::{Governing, measure_object},
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{MeshFacts, ObjectFacts};
use hullmark_report::figures::Figures;
use hullmark_settings::profile::{Profile, StreamingModel};
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Names of the levels, lowest first.
const LEVELS: [&str; 4] = ["lowest", "low", "medium", "high"];
/// Maximum number of meshes whose levels are shown.
const MESHES: usize = 5;

#[derive(Debug, Serialize)]
pub(super) struct ObjectWeights {
    pub(super) name: String,
    pub(super) prims: usize,
    /// Physics weight, download weight, server weight and land impact.
    #[serde(flatten)]
    pub(super) weights: Figures,
    /// The figure that determines land impact: `physics`, `download`, `server` or `prims`. `None` if a weight is unknown.
    pub(super) governing: Option<&'static str>,
    /// Levels of detail of its meshes with the largest download weights.
    pub(super) meshes: Vec<MeshLevels>,
    /// Alternatives, each with the land impact or download weight that it would have.
    pub(super) alternatives: Vec<Alternative>,
}

#[derive(Debug, Serialize)]
pub(super) struct MeshLevels {
    pub(super) link_number: i32,
    pub(super) mesh_uuid: Uuid,
    #[serde(flatten)]
    pub(super) cost: Figures,
    /// The levels, lowest first.
    pub(super) levels: Vec<Level>,
}

#[derive(Debug, Serialize)]
pub(super) struct Level {
    pub(super) level: &'static str,
    /// Number of triangles. Of an unreadable level, as the viewer estimates it from the compressed size.
    pub(super) triangles: f64,
    /// Distance from which the level is shown, metres. The lowest is shown up to the largest distance.
    pub(super) from_m: f64,
    pub(super) share: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Alternative {
    pub(super) change: String,
    /// The figure before and after it.
    #[serde(flatten)]
    pub(super) figures: Figures,
}

impl ObjectWeights {
    /// Returns the weights of an object. `None` without a prim.
    pub(super) fn new(measured: &Measured<'_>, number: usize) -> Option<Self> {
        let (object, measures) = (&measured.ledger.objects[number], &measured.objects[number]);
        let root = object.linkset.parts.first()?;
        let physics =
            if measures.physical { measures.physics_cost_if_physical } else { measures.physics_cost_if_new };
        let weights = [
            ("physics_weight", "physics weight", physics),
            ("download_weight", "download weight", measures.streaming_cost),
            ("server_weight", "server weight", measures.server_weight),
        ];
        let [a, b, c] = weights;
        Some(Self {
            name: root.name.clone(),
            prims: object.linkset.parts.len(),
            weights: Figures::new([a, b, c, ("land_impact", "land impact", measures.land_impact)]),
            governing: measures.governing.map(Governing::name),
            meshes: meshes(measured, object),
            alternatives: alternatives(measured, number, object),
        })
    }
}

fn value(cost: Cost) -> f64 {
    cost.value().unwrap_or(0.0)
}

type Shown<'a> = (&'a Part, &'a MeshFacts, Cost);

/// Returns the prims with meshes, one for each mesh, the largest download weight first.
fn shown<'a>(measured: &'a Measured<'_>, object: &'a ObjectFacts) -> Vec<Shown<'a>> {
    let settings = &measured.profile.streaming;
    let mut shown: Vec<Shown<'a>> = Vec::new();
    let mut seen = BTreeSet::new();
    if settings.model != StreamingModel::SecondLife {
        return shown;
    }
    for part in &object.linkset.parts {
        let Some(mesh) = part.mesh().and_then(|uuid| measured.assets.mesh(uuid)) else { continue };
        let cost = static_mesh(level_bytes(mesh), part.scale, settings).cost;
        if seen.insert(mesh.uuid) {
            shown.push((part, mesh, cost));
        }
    }
    // Stable: of equal weights the first prim comes first.
    shown.sort_by(|a, b| value(b.2).total_cmp(&value(a.2)));
    shown.truncate(MESHES);
    shown
}

fn meshes(measured: &Measured<'_>, object: &ObjectFacts) -> Vec<MeshLevels> {
    let settings = &measured.profile.streaming;
    let levels = |(part, mesh, cost): Shown<'_>| {
        let triangles = estimated_triangles(level_bytes(mesh), settings)?;
        let shares = level_shares(triangles, part.scale);
        let level = |index: usize| Level {
            level: LEVELS[index],
            triangles: stored(mesh, index).unwrap_or(triangles[index]),
            from_m: shares[index].from_m,
            share: shares[index].share,
        };
        Some(MeshLevels {
            link_number: part.link_number,
            mesh_uuid: mesh.uuid?,
            cost: Figures::new([("download_weight", "download weight", cost)]),
            levels: (0..4).map(level).collect(),
        })
    };
    shown(measured, object).into_iter().filter_map(levels).collect()
}

/// Returns the number of triangles of a level; `None` if it is not readable.
fn stored(mesh: &MeshFacts, level: usize) -> Option<f64> {
    mesh.lods[level].map(|lod| lod.triangles.into())
}

/// Returns alternatives: half the size, and fewer triangles in the lowest level of the heaviest mesh.
fn alternatives(measured: &Measured<'_>, number: usize, object: &ObjectFacts) -> Vec<Alternative> {
    let present = measured.objects[number].land_impact;
    let half = measure_object(&resized(object, 0.5), &measured.assets, measured.profile).land_impact;
    let mut alternatives =
        vec![Alternative { change: "Half as large".into(), figures: figures("land impact", present, half) }];
    if let Some((part, mesh, _)) = shown(measured, object).first()
        && let Some(coarser) = with_lowest(mesh, FEW.into(), measured.profile)
    {
        // The measured object takes the first mesh of a UUID.
        let assets = Assets::new([&coarser], []).backed_by(&measured.assets);
        let after = measure_object(object, &assets, measured.profile).streaming_cost;
        let before = measured.objects[number].streaming_cost;
        alternatives.push(Alternative {
            change: format!("Lowest level of link {} with {FEW} triangles", part.link_number),
            figures: figures("download weight", before, after),
        });
    }
    alternatives
}

fn figures(label: &'static str, before: Cost, after: Cost) -> Figures {
    match label {
        "land impact" => {
            Figures::new([("land_impact_before", label, before), ("land_impact_after", label, after)])
        }
        _ => {
            Figures::new([("download_weight_before", label, before), ("download_weight_after", label, after)])
        }
    }
}

/// Returns the object with all sizes and offsets multiplied by a factor.
fn resized(object: &ObjectFacts, factor: f64) -> ObjectFacts {
    let mut object = object.clone();
    for part in &mut object.linkset.parts {
        part.scale *= factor;
        part.offset_position *= factor;
    }
    object
}

/// Returns a mesh whose lowest level has this number of triangles. `None` if it has no more now.
fn with_lowest(mesh: &MeshFacts, triangles: f64, profile: &Profile) -> Option<MeshFacts> {
    let settings = &profile.streaming;
    let now = estimated_triangles(level_bytes(mesh), settings)?;
    // The compressed size changes in proportion.
    let stored = stored(mesh, 0).unwrap_or(now[0]);
    if stored <= triangles {
        return None;
    }
    let triangles = now[0] * triangles / stored;
    let mut coarser = mesh.clone();
    let lowest = coarser.blocks.iter_mut().find(|block| block.name == "lowest_lod")?;
    lowest.size = (triangles * settings.bytes_per_triangle + settings.metadata_bytes) as i64;
    Some(coarser)
}
