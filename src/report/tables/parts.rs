//! `parts`: one row for each prim.

use super::columns;
use crate::{
    analysis::{Measured, cost::physics, measure::PartMeasures},
    format::object::Part,
    ledger::facts::ObjectFacts,
    report::table::{Cell, Column, Table},
};

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
    ENTRY = "entry", (_, object, ..) => &object.entry, "Entry of the archive, or file.";
    OBJECT_UUID = "object_uuid", (_, object, ..) => object.linkset.parts.first().map(|root| root.uuid), "UUID of its root.";
    "link_number", (_, _, part, _) => part.link_number, "0 for a single prim, 1 for a root, 2 and more for children.";
    "part_uuid", (_, _, part, _) => part.uuid, "Its UUID.";
    "name", (_, _, part, _) => &part.name, "Its name.";
    "position_x_m", (.., measures) => measures.position.x, "Its centre, from the region's west border.";
    "position_y_m", (.., measures) => measures.position.y, "From the south border.";
    "position_z_m", (.., measures) => measures.position.z, "Height.";
    "scale_x_m", (_, _, part, _) => part.scale.x, "Size in its own axes.";
    "scale_y_m", (_, _, part, _) => part.scale.y, "Size in its own axes.";
    "scale_z_m", (_, _, part, _) => part.scale.z, "Size in its own axes.";
    "pcode", (_, _, part, _) => part.shape.pcode, "9 prim; 95 grass, 111 and 255 trees.";
    "sculpt_type", (_, _, part, _) => part.shape.sculpted().map(|sculpt| sculpt.kind), "As stored; lowest three bits 1 to 4 a sculpt map, 5 a mesh; 64 inverted, 128 mirrored.";
    MESH_UUID = "mesh_uuid", (_, _, part, _) => part.mesh(), "The mesh that gives it its form.";
    "physics_shape_type", (_, _, part, _) => part.physics_shape_type, "0 prim, 1 none, 2 convex hull; empty where the export states none, which is read as 0.";
    "shape", (.., measures) => measures.collision.class.kind.name(), "Kind of physics shape that its form and size make.";
    "shape_reason", (.., measures) => measures.collision.class.reason, "Why, in words.";
    "representation", (.., measures) => measures.collision.representation.name(), "What collides while it is at rest.";
    "representation_dynamic", (.., measures) => measures.collision.representation_dynamic.name(), "What collides while it moves.";
    "representation_in_force", (.., measures) => measures.representation_in_force.name(), "Which of the two holds now: a physical or moving linkset has the second.";
    "hulls", (.., measures) => measures.hulls, "Hulls of its mesh's decomposition.";
    "hull_vertices", (.., measures) => measures.collision.hull_vertices, "Vertices of the one hull that collides at rest: its mesh's base hull, or the hull of its surface.";
    "triangles", (.., measures) => measures.collision.triangle_count, "Triangles that collide at rest: of its mesh's physics mesh, or of its own surface; under ubODE of the mesh that the engine builds, hulls too.";
    "mean_width_m", (.., measures) => measures.collision.triangles.map(|triangles| triangles.mean_width_m), "Harmonic mean of their widths at its scale, before it is clamped.";
    "without_width", (.., measures) => measures.collision.triangles.map(|triangles| triangles.without_width), "Those of them that have no width: one of them makes the mean 0.";
    "held_by", (measured, .., measures) => measures.collision.triangles.and_then(|triangles| physics::held(&triangles, &measured.profile.physics)).map(physics::Held::name), "Which bound held their cost: `least_width`, `greatest_width` or `least_cost`; empty where none did.";
    "physics_cost", (.., measures) => measures.collision.physics_cost, "Physics cost at rest, as under new accounting.", "What that rests on: `spec`, `simulator`, `measured`, `approximation` or `estimated`; or why it is not evaluated or not applicable.";
    "physics_cost_dynamic", (.., measures) => measures.collision.physics_cost_dynamic, "Physics cost in motion, without the linkset's penalty.", "What that rests on.";
    "streaming_cost", (.., measures) => measures.streaming_cost, "Download cost.", "What that rests on.";
    "streaming_cost_discounted", (.., measures) => measures.streaming_cost_range[0], "Download cost with the 15 % that Second Life announced to take off static meshes in 2024.", "What that rests on.";
    "scripts", (.., measures) => measures.scripts, "Scripts in its contents.";
    "contents", (_, _, part, _) => part.inventory.len(), "Items in its contents.";
}
