//! `hulls`: one row for each convex hull.

use super::column;
use crate::table::{Column, Table};
use hullmark_analysis::Measured;
use hullmark_ledger::facts::{HullFacts, MeshFacts};

/// The table.
#[derive(Debug)]
pub struct Hulls;

impl Table for Hulls {
    /// A hull: its number in the decomposition, or `None` for the base hull.
    type Row<'a> = (&'a Measured<'a>, &'a MeshFacts, Option<usize>, &'a HullFacts);
    const NAME: &'static str = "hulls";
    const ABOUT: &'static str =
        "One row for each convex hull: the base hull, and each hull of a decomposition.";
    const COLUMNS: &'static [Column<Self>] = &[
        column!("archive", (measured, ..) => &measured.ledger.input, "Path of the input."),
        column!("entry", (_, mesh, ..) => &mesh.entry, "Entry of the archive, or file."),
        column!("mesh_uuid", (_, mesh, ..) => mesh.uuid, "UUID of the mesh asset."),
        column!("hull", (_, _, number, _) => if number.is_some() { "decomposition" } else { "base" }, "`base` or `decomposition`."),
        column!("index", (_, _, number, _) => *number, "Number in the decomposition, from 0. Empty for the base hull."),
        column!("points", (.., hull) => hull.points, "Number of stored points."),
        column!("unique_points", (.., hull) => hull.unique_points, "Number of different points."),
        column!("rank", (.., hull) => hull.rank, "Dimension that the points span: 3 solid, 2 plane, 1 line, 0 point."),
        column!("vertices", (.., hull) => hull.vertices, "Number of extreme points: the vertices of the convex hull."),
        column!("convex", (.., hull) => hull.convex(), "Whether every different point is a vertex."),
        column!("volume", (.., hull) => hull.volume.map(f64::from), "Volume in the unit cube. Multiply by the three sides of the prim."),
        column!("outside_base", (.., hull) => hull.outside_base.map(f64::from), "Distance by which a hull of the decomposition extends beyond the base hull, in units of the unit cube; 0 if it does not."),
        column!("over_limit", (measured, _, _, hull) => hull.points > measured.profile.hulls.max_vertices, "Whether the hull has more points than the limit."),
    ];
}
