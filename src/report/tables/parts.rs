//! `parts`: one row for each prim.

use super::columns;
use crate::table::{Cell, Column, Table};
use hullmark_analysis::{Measured, cost::physics, measure::PartMeasures};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;

/// The table.
#[derive(Debug)]
pub struct Parts;

impl Table for Parts {
    /// A prim with its linkset and its measures.
    type Row<'a> = (&'a Measured<'a>, &'a ObjectFacts, &'a Part, &'a PartMeasures);
    const NAME: &'static str = "parts";
    const ABOUT: &'static str = "One row for each prim.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Parts:
    "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    "entry", (_, object, ..) => &object.entry, "Entry of the archive, or file.";
    "object_uuid", (_, object, ..) => object.linkset.parts.first().map(|root| root.uuid), "UUID of the root prim.";
    "link_number", (_, _, part, _) => part.link_number, "0 for a single prim, 1 for the root prim, 2 and above for child prims.";
    "part_uuid", (_, _, part, _) => part.uuid, "UUID of the prim.";
    "name", (_, _, part, _) => &part.name, "Name of the prim.";
    "position_x_m", (.., measures) => measures.position.x, "Position of its center from the west border of the region, metres.";
    "position_y_m", (.., measures) => measures.position.y, "Position from the south border, metres.";
    "position_z_m", (.., measures) => measures.position.z, "Height, metres.";
    "scale_x_m", (_, _, part, _) => part.scale.x, "Size in its own axes, metres.";
    "scale_y_m", (_, _, part, _) => part.scale.y, "Size in its own axes, metres.";
    "scale_z_m", (_, _, part, _) => part.scale.z, "Size in its own axes, metres.";
    "pcode", (_, _, part, _) => part.shape.pcode, "9 prim; 95 grass; 111 and 255 trees.";
    "sculpt_type", (_, _, part, _) => part.shape.sculpted().map(|sculpt| sculpt.kind), "Stored value. Its lowest three bits: 1 to 4 a sculpt map, 5 a mesh. 64: inverted; 128: mirrored.";
    "mesh_uuid", (_, _, part, _) => part.mesh(), "UUID of its mesh asset.";
    "physics_shape_type", (_, _, part, _) => part.physics_shape_type, "0 Prim, 1 None, 2 Convex Hull. Empty if the export states none; then 0 applies.";
    "shape", (.., measures) => measures.collision.class.kind.name(), "Kind of collision shape, from its volume and size.";
    "shape_reason", (.., measures) => measures.collision.class.reason, "Reason for that kind.";
    "representation", (.., measures) => measures.collision.representation.name(), "What collides at rest.";
    "representation_dynamic", (.., measures) => measures.collision.representation_dynamic.name(), "What collides in motion.";
    "representation_effective", (.., measures) => measures.representation_in_force.name(), "What collides in the current state: in motion if the linkset is physical or moving, else at rest.";
    "hulls", (.., measures) => measures.hulls, "Number of hulls in the hull decomposition of its mesh.";
    "hull_vertices", (.., measures) => measures.collision.hull_vertices, "Number of vertices of the single hull that collides at rest: the base hull of its mesh, or the hull of its surface.";
    "triangles", (.., measures) => measures.collision.triangle_count, "Number of triangles that collide at rest: of the physics mesh, or of its own surface. Under ubODE: of the mesh that the engine builds, hulls included.";
    "mean_width_m", (.., measures) => measures.collision.triangles.map(|triangles| triangles.mean_width_m), "Harmonic mean of the widths of these triangles at its scale, metres, before clamping.";
    "without_width", (.., measures) => measures.collision.triangles.map(|triangles| triangles.without_width), "Number of these triangles with zero width. One makes the mean 0.";
    "held_by", (measured, .., measures) => measures.collision.triangles.and_then(|triangles| physics::held(&triangles, &measured.profile.physics)).map(physics::Held::name), "Bound that clamped their cost: `least_width`, `greatest_width` or `least_cost`. Empty if none did.";
    "physics_cost", (.., measures) => measures.collision.physics_cost, "Physics cost at rest, under new accounting.", "Basis of `physics_cost`: `spec`, `simulator`, `measured`, `approximation` or `estimated`; or why it is not evaluated or not applicable.";
    "physics_cost_dynamic", (.., measures) => measures.collision.physics_cost_dynamic, "Physics cost in motion, without the penalty of the linkset.", "Basis of `physics_cost_dynamic`.";
    "streaming_cost", (.., measures) => measures.streaming_cost, "Download weight (streaming cost).", "Basis of `streaming_cost`.";
    "scripts", (.., measures) => measures.scripts, "Number of scripts in its inventory.";
    "inventory_items", (_, _, part, _) => part.inventory.len(), "Number of items in its inventory.";
}
