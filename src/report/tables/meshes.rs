//! `meshes`: one row for each mesh asset.

use super::columns;
use crate::{
    analysis::{Measured, measure::MeshMeasures},
    finding::Severity,
    ledger::facts::MeshFacts,
    report::{
        counts::About,
        table::{Cell, Column, Table},
    },
};

/// The table.
#[derive(Debug)]
pub struct Meshes;

/// A mesh with its measures and its findings.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its input.
    pub measured: &'a Measured<'a>,
    /// Its facts.
    pub mesh: &'a MeshFacts,
    /// Its measures.
    pub measures: &'a MeshMeasures,
    /// Parts that use it.
    pub users: u64,
    /// The findings about it.
    pub about: About,
}

impl Table for Meshes {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "meshes";
    const ABOUT: &'static str = "One row for each mesh asset.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Meshes:
    "archive", row => &row.measured.ledger.input, "Path of the input.";
    ENTRY = "entry", row => &row.mesh.entry, "Entry of the archive, or file; `#n` is the n-th mesh of a scene, from 0.";
    MESH_UUID = "mesh_uuid", row => row.mesh.uuid, "Its UUID, from its name.";
    BYTES = "bytes", row => row.mesh.bytes, "Size of the asset.";
    "version", row => row.mesh.version, "Version that the header states.";
    "blocks", row => blocks(row.mesh), "Blocks that the header lists, in the order of the file.";
    "joints", row => row.mesh.joints, "Joints of its skin; empty where it is not rigged.";
    "submeshes", row => row.mesh.lods[3].map(|lod| lod.submeshes), "Faces of the highest level of detail.";
    "high_vertices", row => row.mesh.lods[3].map(|lod| lod.vertices), "Vertices of the highest level of detail.";
    "high_triangles", row => row.mesh.lods[3].map(|lod| lod.triangles), "Triangles of the highest level of detail.";
    "medium_triangles", row => row.mesh.lods[2].map(|lod| lod.triangles), "Triangles of the medium level.";
    "low_triangles", row => row.mesh.lods[1].map(|lod| lod.triangles), "Triangles of the low level.";
    "lowest_triangles", row => row.mesh.lods[0].map(|lod| lod.triangles), "Triangles of the lowest level.";
    "base_hull_vertices", row => row.measures.base_hull_points, "Points of the base hull.";
    "source_hull", row => row.mesh.source_hull.map(|hull| hull.source.name()), "What an uploader would make the base hull from: `physics_mesh`, `medium_lod` or `high_lod`.";
    "source_hull_vertices", row => row.mesh.source_hull.map(|hull| hull.vertices), "Vertices of the hull of that source.";
    "source_outside_base", row => row.mesh.source_hull.and_then(|hull| hull.wrap).map(|wrap| wrap.worst_distance), "How far that source sticks out of the base hull that is stored, in units of the unit cube.";
    "hulls", row => row.measures.hulls, "Hulls of the decomposition; 0 where there is none.";
    "decomposition_points", row => row.measures.decomposition_points, "Points of those hulls together.";
    "largest_hull_vertices", row => largest_hull(row.mesh), "Points of the largest hull of the decomposition.";
    "physics_triangles", row => row.measures.physics_triangles, "Triangles of the physics mesh.";
    "base_hull_cost", row => row.measures.base_hull_cost, "Physics cost as its base hull, at any scale.", "What that rests on.";
    "decomposition_cost", row => row.measures.decomposition_cost, "Physics cost as its decomposition, at any scale.", "What that rests on.";
    "triangle_cost_1m", row => row.measures.triangle_cost, "Physics cost as its physics mesh, at 1 m × 1 m × 1 m.", "What that rests on.";
    "streaming_cost_1m", row => row.measures.streaming_cost_1m, "Streaming cost as a cube of 1 m.", "What that rests on.";
    "streaming_cost_10m", row => row.measures.streaming_cost_10m, "Streaming cost as a cube of 10 m.", "What that rests on.";
    "upload_streaming_estimate", row => row.measures.upload_streaming_estimate, "OpenSimulator's estimate at upload, as a cube of 1 m.", "What that rests on.";
    "parts_using_it", row => row.users, "Prims of this input that use it, contents included.";
    WORST_SEVERITY = "worst_severity", row => row.about.worst.map(Severity::name), "Severity of the worst finding about it.";
    "findings", row => row.about.findings, "Findings about it.";
    "oddities", row => Cell::words(&row.mesh.oddities), "Departures from the format that do no harm.";
    "content_hash", row => &row.mesh.content_hash, "xxh3-128 of the asset.";
}

fn blocks(mesh: &MeshFacts) -> Cell<'_> {
    let names: Vec<String> = mesh.blocks.iter().map(|block| block.name.clone()).collect();
    Cell::words(&names)
}

fn largest_hull(mesh: &MeshFacts) -> Option<u32> {
    mesh.convex.as_ref()?.hulls.iter().map(|hull| hull.points).max()
}
