//! `meshes`: one row for each mesh asset.

use super::columns;
use crate::{
    counts::About,
    table::{Cell, Column, Table},
};
use hullmark_analysis::{Measured, measure::MeshMeasures};
use hullmark_finding::Severity;
use hullmark_ledger::facts::MeshFacts;

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
    /// Number of prims that use it.
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
    "entry", row => &row.mesh.entry, "Entry of the archive, or file. `#n` is mesh n of a scene, from 0.";
    "mesh_uuid", row => row.mesh.uuid, "UUID of the asset, from its name.";
    BYTES = "bytes", row => row.mesh.bytes, "Size of the asset, bytes.";
    "version", row => row.mesh.version, "Version in the header.";
    "blocks", row => blocks(row.mesh), "Blocks in the header, in file order.";
    "joints", row => row.mesh.joints, "Number of joints of the skin. Empty if the mesh is not rigged.";
    "submeshes", row => row.mesh.lods[3].map(|lod| lod.submeshes), "Number of faces of the highest level of detail.";
    "high_vertices", row => row.mesh.lods[3].map(|lod| lod.vertices), "Number of vertices of the highest level of detail.";
    "high_triangles", row => row.mesh.lods[3].map(|lod| lod.triangles), "Number of triangles of the highest level of detail.";
    "medium_triangles", row => row.mesh.lods[2].map(|lod| lod.triangles), "Number of triangles of the medium level of detail.";
    "low_triangles", row => row.mesh.lods[1].map(|lod| lod.triangles), "Number of triangles of the low level of detail.";
    "lowest_triangles", row => row.mesh.lods[0].map(|lod| lod.triangles), "Number of triangles of the lowest level of detail.";
    "base_hull_vertices", row => row.measures.base_hull_points, "Number of points of the base hull.";
    "source_hull", row => row.mesh.source_hull.map(|hull| hull.source.name()), "Source from which an uploader would build the base hull: `physics_mesh`, `medium_lod` or `high_lod`.";
    "source_hull_vertices", row => row.mesh.source_hull.map(|hull| hull.vertices), "Number of vertices of the hull of that source.";
    "source_outside_base", row => row.mesh.source_hull.and_then(|hull| hull.wrap).map(|wrap| wrap.worst_distance.0), "Distance by which that source extends beyond the stored base hull, in units of the unit cube.";
    "hulls", row => row.measures.hulls, "Number of hulls of the hull decomposition; 0 without one.";
    "decomposition_points", row => row.measures.decomposition_points, "Number of points of these hulls.";
    "largest_hull_vertices", row => largest_hull(row.mesh), "Number of points of the largest of these hulls.";
    "physics_triangles", row => row.measures.physics_triangles, "Number of triangles of the physics mesh.";
    "base_hull_cost", row => row.measures.base_hull_cost, "Physics cost as base hull, at any scale.", "Basis of `base_hull_cost`.";
    "decomposition_cost", row => row.measures.decomposition_cost, "Physics cost as hull decomposition, at any scale.", "Basis of `decomposition_cost`.";
    "triangle_cost_1m", row => row.measures.triangle_cost, "Physics cost as physics mesh, at 1 m × 1 m × 1 m.", "Basis of `triangle_cost_1m`.";
    "streaming_cost_1m", row => row.measures.streaming_cost_1m, "Download weight (streaming cost) as a cube of 1 m.", "Basis of `streaming_cost_1m`.";
    "streaming_cost_10m", row => row.measures.streaming_cost_10m, "Download weight (streaming cost) as a cube of 10 m.", "Basis of `streaming_cost_10m`.";
    "upload_streaming_estimate", row => row.measures.upload_streaming_estimate, "OpenSimulator's estimate of the download weight at upload, as a cube of 1 m.", "Basis of `upload_streaming_estimate`.";
    "parts_using", row => row.users, "Number of prims of this input that use the mesh, inventories included.";
    WORST_SEVERITY = "worst_severity", row => row.about.severity().map(Severity::name), "Severity of the worst finding about the mesh.";
    "findings", row => row.about.findings, "Number of findings about the mesh.";
    "oddities", row => Cell::words(&row.mesh.oddities), "Harmless deviations from the format.";
    "content_hash", row => &row.mesh.content_hash, "xxh3-128 of the asset.";
}

fn blocks(mesh: &MeshFacts) -> Cell<'_> {
    let names: Vec<String> = mesh.blocks.iter().map(|block| block.name.clone()).collect();
    Cell::words(&names)
}

fn largest_hull(mesh: &MeshFacts) -> Option<u32> {
    mesh.convex.as_ref()?.hulls.iter().map(|hull| hull.points).max()
}
