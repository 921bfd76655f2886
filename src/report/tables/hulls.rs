//! `hulls`: one row for each convex hull.

use super::column;
use crate::{
    analysis::Measured,
    ledger::facts::{HullFacts, MeshFacts},
    report::table::{Column, Table},
};

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
        column!("mesh_uuid", (_, mesh, ..) => mesh.uuid, "The mesh it belongs to."),
        column!("hull", (_, _, number, _) => if number.is_some() { "decomposition" } else { "base" }, "`base` or `decomposition`."),
        column!("index", (_, _, number, _) => *number, "Its number in the decomposition, from 0; empty for the base hull."),
        column!("points", (.., hull) => hull.points, "Points that are stored."),
        column!("unique_points", (.., hull) => hull.unique_points, "Different points."),
        column!("rank", (.., hull) => hull.rank, "Dimension of what they span: 3 a solid, 2 a plane, 1 a line, 0 a point."),
        column!("vertices", (.., hull) => hull.vertices, "Extreme points: those that the hull really has."),
        column!("convex", (.., hull) => hull.convex(), "Whether every different point is extreme."),
        column!("volume", (.., hull) => hull.volume, "Volume in the unit cube; a part multiplies it by its three sides."),
        column!("outside_base", (.., hull) => hull.outside_base, "For a hull of a decomposition: how far it sticks out of the base hull, in units of the unit cube; 0 where it does not."),
        column!("over_the_limit", (measured, _, _, hull) => hull.points > measured.profile.hulls.max_vertices, "Whether it has more points than the limit."),
    ];
}
