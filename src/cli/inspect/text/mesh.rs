//! A mesh as text.

use super::{ROWS, costs, counted, field, findings, number, triple, words};
use crate::cli::terminal::{self, Align, columns};
use hullmark_analysis::cost::{Basis, Cost};
use hullmark_format::mesh::PhysicsCostData;
use hullmark_pages::inspect::mesh::{HullView, MeshView, PartSetTo, ThresholdsView};
use hullmark_util::{
    number_text::plain,
    terminal_text::{clean, thousands, wrap},
};

pub(super) fn text(mesh: &MeshView, all: bool) -> String {
    let scale = triple(mesh.scale_m, " × ");
    let mut text = format!("Mesh {}\n", clean(&mesh.name));
    text += &head(mesh);
    text += "\nBlocks, offsets from the end of the header\n";
    text += &blocks(mesh);
    text += "\nLevels of detail\n";
    text += &levels(mesh);
    text += "\nPhysics\n";
    text += &physics(mesh, all);
    text += &format!("\nCosts at {scale} m\n");
    text += &costs(&mesh.costs);
    if let Some([least, most]) = mesh.model.as_ref().and_then(|model| model.streaming_cost_range) {
        let [least, most] = [least, most].map(|cost| format!("{cost:.3}"));
        let range = if least == most { least } else { format!("{least} to {most}") };
        text += &format!("  The upload may make other levels: download weight {range}\n");
    }
    if let Some(found) = &mesh.thresholds {
        text += "\nSizes in these proportions at which the physics weight of its triangles changes\n";
        text += &thresholds(found);
    }
    text += &format!("\nCollision shape and physics weight of a prim of {scale} m with this mesh\n");
    text += &parts_set_to(&mesh.parts_set_to);
    text.push('\n');
    text + &findings("Findings", &mesh.findings, &mesh.name)
}

fn head(mesh: &MeshView) -> String {
    let mut text = String::new();
    if let Some(uuid) = mesh.uuid {
        text += &field("uuid", &uuid.to_string());
    }
    if let Some(model) = &mesh.model {
        text += &field("part", &clean(&model.part));
        text += &field("size in metres", &triple(model.size_m, " × "));
        text += &field("uploader", model.uploader);
    }
    text += &field("size", &counted(mesh.bytes, "byte"));
    let version = mesh.header_version.map_or("not stated".into(), |version| version.to_string());
    text += &field("header version", &version);
    let rigged = mesh.joints.map_or("none (not rigged)".into(), |joints| joints.to_string());
    text += &field("joints", &rigged);
    if !mesh.oddities.is_empty() {
        text += &field("oddities", &mesh.oddities.join(", "));
    }
    text
}

fn blocks(mesh: &MeshView) -> String {
    use Align::{Left, Right};
    if mesh.blocks.is_empty() {
        return "  none\n".into();
    }
    let mut rows = vec![["block", "offset", "size", "inflated"].map(String::from).to_vec()];
    rows.extend(mesh.blocks.iter().map(|block| {
        let inflated = block.inflated.map_or("–".into(), thousands);
        vec![clean(&block.name), signed(block.offset), signed(block.size), inflated]
    }));
    columns(&[Left, Right, Right, Right], &rows)
}

/// Formats a number of a header, which may be negative.
fn signed(number: i64) -> String {
    u64::try_from(number).map_or_else(|_| number.to_string(), thousands)
}

fn levels(mesh: &MeshView) -> String {
    use Align::{Left, Right};
    let mut rows = vec![["level", "submeshes", "vertices", "triangles", "origin"].map(String::from).to_vec()];
    let origins = mesh.model.iter().flat_map(|model| &model.origins).map(|origin| origin.name());
    let origins = origins.map(String::from).chain(std::iter::repeat(String::new()));
    rows.extend(mesh.levels_of_detail.iter().zip(origins).map(|(level, origin)| {
        let cell = |number: Option<u32>| number.map_or("–".into(), |number| thousands(number.into()));
        vec![level.name.into(), cell(level.submeshes), cell(level.vertices), cell(level.triangles), origin]
    }));
    if mesh.model.is_none() {
        rows.iter_mut().for_each(|row| row.truncate(4));
    }
    columns(&[Left, Right, Right, Right, Left], &rows)
}

fn physics(mesh: &MeshView, all: bool) -> String {
    let mut text = field("base hull", &base_hull(mesh));
    text += &field("decomposition", &decomposition(mesh));
    text += &hulls(&mesh.decomposition, all);
    text += &field("physics mesh", &physics_mesh(mesh));
    if let Some(data) = &mesh.physics_cost_data {
        text += &field("simulator", &cost_data(data));
    }
    text
}

fn base_hull(mesh: &MeshView) -> String {
    let Some(hull) = &mesh.base_hull else { return none(mesh, "base_hull_cost") };
    let over = if hull.vertices > mesh.max_hull_vertices { "TOO MANY: " } else { "" };
    format!("{over}{} of at most {} vertices{}", hull.vertices, mesh.max_hull_vertices, flat(hull))
}

/// Formats an absent value as `none`, with the reason if the cost has one.
fn none(mesh: &MeshView, cost: &str) -> String {
    match mesh.costs.cost(cost).map(Cost::basis) {
        Some(Basis::NotEvaluated(reason)) => format!("none: {reason}"),
        _ => "none".into(),
    }
}

/// Describes repeated points of a hull and a missing volume.
fn flat(hull: &HullView) -> String {
    let mut text = String::new();
    if hull.unique_vertices < hull.vertices {
        text += &format!(", {} of them different", hull.unique_vertices);
    }
    match hull.dimension {
        0 => text += "; all at one point",
        1 => text += "; all on a line",
        2 => text += "; all in a plane",
        _ => {}
    }
    text
}

fn decomposition(mesh: &MeshView) -> String {
    match mesh.hulls {
        None => "its block cannot be read".into(),
        Some(0) => "none".into(),
        Some(hulls) => {
            let over = if hulls > mesh.max_hulls { "TOO MANY: " } else { "" };
            let vertices = mesh.decomposition_vertices.map_or("–".into(), thousands);
            format!(
                "{over}{} of at most {}, {vertices} vertices",
                counted(hulls.into(), "hull"),
                mesh.max_hulls
            )
        }
    }
}

/// Formats the vertices of each hull: all of a few hulls, the extremes of many.
fn hulls(hulls: &[HullView], all: bool) -> String {
    let (Some(least), Some(most)) =
        (hulls.iter().map(|hull| hull.vertices).min(), hulls.iter().map(|hull| hull.vertices).max())
    else {
        return String::new();
    };
    let words = if all || hulls.len() <= ROWS {
        let each: Vec<String> = hulls.iter().map(|hull| hull.vertices.to_string()).collect();
        format!("vertices of each hull: {}", each.join(" "))
    } else {
        format!("{least} to {most} vertices in a hull (-v lists them)")
    };
    field("", &words)
}

fn physics_mesh(mesh: &MeshView) -> String {
    let Some(triangles) = mesh.physics_triangles else { return none(mesh, "triangle_cost") };
    let width = mesh.physics_mean_width_m.map_or("unknown".into(), |width| format!("{} m", plain(width)));
    format!("{}, average width {width} at this scale (harmonic)", counted(triangles, "triangle"))
}

fn cost_data(data: &PhysicsCostData) -> String {
    let figures = [
        ("hull", data.hull),
        ("of vertices", data.hull_discounted_vertices),
        ("decomposition", data.decomposition),
        ("of vertices", data.decomposition_discounted_vertices),
        ("in hulls", data.decomposition_hulls),
        ("mesh triangles", data.mesh_triangles),
    ];
    let known =
        figures.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", plain(value?.into()))));
    known.collect::<Vec<_>>().join(", ")
}

fn thresholds(found: &ThresholdsView) -> String {
    let from = |size: Option<[f64; 3]>| match size {
        None => "at no size".into(),
        Some([0.0, 0.0, 0.0]) => "at every size".into(),
        Some(size) => {
            format!("from {} m on", triple(size.map(|side| (side * 1000.0).round() / 1000.0), " × "))
        }
    };
    let mut text = String::new();
    if let Some(cap) = found.cap {
        text += &field("under the cap", &format!("of {}: {}", plain(cap), from(found.under_cap_from_m)));
    }
    text += &field("at the floor", &format!("of {}: {}", plain(found.floor), from(found.at_floor_from_m)));
    if let Some(size) = found.base_hull_below_m {
        let size = triple(size.map(|side| (side * 1000.0).round() / 1000.0), " × ");
        let why = format!("below {size} m, where a side is under {} m", plain(found.shortest_side_m));
        text += &field("base hull", &why);
    }
    text
}

fn parts_set_to(parts: &[PartSetTo]) -> String {
    let heads = ["set to", "at rest", "", "in motion", "", "land impact"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for part in parts {
        let cost = |name| part.costs.cost(name).map_or(String::new(), number);
        rows.push(vec![
            words(part.shape_type),
            words(part.representation),
            cost("physics_cost"),
            words(part.representation_dynamic),
            cost("physics_cost_dynamic"),
            cost("land_impact").replace(".000", ""),
        ]);
    }
    use Align::{Left, Right};
    let mut text = columns(&[Left, Left, Right, Left, Right, Right], &rows);
    for part in parts {
        text += &wrap(part.reason, &format!("  {}: ", words(part.shape_type)), "    ", terminal::width());
    }
    text
}
