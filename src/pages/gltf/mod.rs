//! One mesh as binary glTF 2.0: levels of detail, base hull, decomposition and physics triangles, each a node.
//!
//! Positions are those of the asset: −0.5 to 0.5 is the size of the part. The root has the scale, and a rotation because
//! up is Z in the asset and Y in glTF. Its extras are the facts of `inspect`. glTF counts v downwards, the asset upwards.

mod builder;
mod material;
pub mod scene;
#[cfg(test)]
mod tests;

use super::inspect::mesh::MeshView;
use builder::{Builder, Geometry, Mode};
use glam::DVec3;
use hullmark_format::mesh::{LODS, Mesh, Submesh};
use hullmark_geometry::{hull::Hull, quantized::Domain};
use hullmark_model::{DOMAIN, OLDER, PURPOSE, Slot, UPLOADER};
use material::Role;
use serde_json::{Value, json};
use std::iter;

/// Parts of a step that a direction keeps from the neighbours of its own, because `f32` rounds.
const EDGE: f64 = 0.01;
/// Steps towards a direction of length 1 within the steps of a stored normal.
const TRIES: usize = 256;
/// Below this length, a stored normal has no direction.
const SHORTEST_NORMAL: f64 = 0.01;

/// Why there is no glTF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GltfError {
    /// No part of the mesh can be drawn.
    #[error("it has no hull and no triangle that could be drawn: read its findings")]
    NothingToDraw,
    /// No object has a place.
    #[error("no object has a place and a size that could be drawn")]
    NothingInPlace,
    /// Lengths in the file have 32 bits.
    #[error("it is larger than the 4 GiB that a file of glTF can hold")]
    TooLarge,
}

/// Returns the mesh as a binary glTF file. Parts that could not be decoded are left out.
///
/// # Errors
/// Nothing can be drawn, or the file would be too large.
pub fn glb(mesh: &Mesh, view: &MeshView) -> Result<Vec<u8>, GltfError> {
    let mut builder = Builder::default();
    let skin = (!mesh.joint_names.is_empty()).then(|| builder.add_skin(&mesh.joint_names));
    let levels = levels(&mut builder, mesh, view, skin.map(|(_, skin)| skin));
    let physics = physics(&mut builder, mesh, view);
    let mut children: Vec<usize> = levels.into_iter().chain(physics).collect();
    if children.is_empty() {
        return Err(GltfError::NothingToDraw);
    }
    children.extend(skin.map(|(joints, _)| joints));
    let root = builder.add_node(&json!({
        "name": view.name,
        "children": children,
        "matrix": upright(view.scale_m),
        "extras": view,
    }));
    builder.finish(root).ok_or(GltfError::TooLarge)
}

/// Returns the matrix, by columns, of a size and of the turn from Z up to Y up. A quaternion would round, and a flat mesh
/// would come back with a thickness.
fn upright([x, y, z]: [f64; 3]) -> [f64; 16] {
    [x, 0.0, 0.0, 0.0, 0.0, 0.0, -y, 0.0, 0.0, z, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
}

/// Adds the levels of detail, the highest first.
fn levels(builder: &mut Builder, mesh: &Mesh, view: &MeshView, skin: Option<usize>) -> Option<usize> {
    let mut nodes = Vec::new();
    let suffixes = [Some(Slot::Level(0)), Some(Slot::Level(1)), Some(Slot::Level(2)), None];
    for ((block, faces), slot) in LODS.iter().zip(&mesh.lods).zip(suffixes).rev() {
        let name = format!("{}{}", stem(view), slot.map_or("", Slot::suffix));
        let facts = json!(view.levels_of_detail.iter().find(|level| level.name == *block));
        let facts = with_uploader(with_purpose(facts, "level"), faces.as_deref());
        nodes.extend(add_faces(builder, &name, faces.as_deref(), |face| Role::Level { face }, skin, &facts));
    }
    builder.add_group("levels of detail", &nodes)
}

fn physics(builder: &mut Builder, mesh: &Mesh, view: &MeshView) -> Option<usize> {
    let mut nodes = Vec::new();
    let name = format!("{}{}", stem(view), Slot::Physics.suffix());
    if let Some(convex) = &mesh.convex {
        if let (Some(points), Some(facts)) = (&convex.base, &view.base_hull) {
            let role = Role::BaseHull { over_limit: facts.over_limit };
            let (name, facts) = (format!("{name} base hull"), with_purpose(json!(facts), "base hull"));
            nodes.extend(add_hull(builder, &name, points, &convex.domain, role, &facts));
        }
        let mut hulls = Vec::new();
        for ((number, points), facts) in convex.hulls().enumerate().zip(&view.decomposition) {
            let role = Role::Hull { number, over_limit: facts.over_limit };
            let (name, facts) = (format!("{name} hull {number}"), with_purpose(json!(facts), "hulls"));
            hulls.extend(add_hull(builder, &name, points, &convex.domain, role, &facts));
        }
        nodes.extend(builder.add_group("hulls", &hulls));
    }
    let both =
        [(name.clone(), &mesh.physics_mesh), (format!("{name} of physics_shape"), &mesh.physics_shape)];
    for (name, faces) in both {
        let facts = json!({ "physics_triangles": triangles(faces.as_deref()) });
        let facts = with_purpose(facts, "triangles");
        nodes.extend(add_faces(builder, &name, faces.as_deref(), |_| Role::PhysicsTriangles, None, &facts));
    }
    builder.add_group("physics", &nodes)
}

/// Returns the name of the mesh without folders and extension. The uploader finds levels by names that begin with it.
fn stem(view: &MeshView) -> String {
    let file = view.name.rsplit(['/', '\\']).next().unwrap_or(&view.name);
    let (file, within) = file.split_once('#').unwrap_or((file, ""));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match within {
        "" => stem.into(),
        number if number.bytes().all(|digit| digit.is_ascii_digit()) => format!("{stem}_{number}"),
        part => part.into(),
    }
}

/// Notes that an uploader from before 2023 made the faces. Their bytes depend on it.
fn with_uploader(mut facts: Value, faces: Option<&[Submesh]>) -> Value {
    if faces.unwrap_or_default().iter().any(|face| !face.empty && !face.states_size) {
        facts[UPLOADER] = OLDER.into();
    }
    facts
}

/// Adds what a reader of the file cannot see from its names.
fn with_purpose(mut facts: Value, purpose: &str) -> Value {
    facts[PURPOSE] = purpose.into();
    facts
}

fn triangles(faces: Option<&[Submesh]>) -> usize {
    faces.unwrap_or_default().iter().map(|face| face.triangles.len()).sum()
}

/// Adds a node for faces, with a primitive for each that can be drawn. `role` takes the number of a face.
fn add_faces(
    builder: &mut Builder,
    name: &str,
    faces: Option<&[Submesh]>,
    role: impl Fn(usize) -> Role,
    skin: Option<usize>,
    facts: &Value,
) -> Option<usize> {
    let mut primitives = Vec::new();
    for (number, face) in faces.unwrap_or_default().iter().enumerate() {
        let Some(mut geometry) = of_face(face) else { continue };
        if skin.is_some() {
            (geometry.joints, geometry.weights) = influences(face);
        }
        let material = role(number).material(builder);
        let mut primitive = builder.add_primitive(&geometry, material);
        let Domain { min, max } = face.domain;
        primitive["extras"] = json!({ "submesh": number, DOMAIN: [min.to_array(), max.to_array()] });
        primitives.push(primitive);
    }
    builder.add_rigged_mesh(name, &primitives, skin, facts)
}

/// Returns four joints and weights for each vertex of a face. A vertex without influences follows the first joint.
fn influences(face: &Submesh) -> (Vec<[u8; 4]>, Vec<[f32; 4]>) {
    let of_vertex = |at: usize| {
        let given = face.influences.get(at).map(Vec::as_slice).unwrap_or_default();
        let total: f32 = given.iter().map(|(_, weight)| f32::from(*weight)).sum();
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        if total > 0.0 {
            for (at, &(joint, weight)) in given.iter().filter(|(_, weight)| *weight > 0).enumerate() {
                (joints[at], weights[at]) = (joint, f32::from(weight) / total);
            }
        } else {
            weights[0] = 1.0;
        }
        (joints, weights)
    };
    (0..face.positions.len()).map(of_vertex).unzip()
}

/// Returns the vertices of a face, and those of its triangles that have them.
fn of_face(face: &Submesh) -> Option<Geometry> {
    let points = face.positions.iter().map(|&point| face.domain.point(point));
    let held = face.triangles.iter().filter(|&&triangle| face.holds(triangle));
    let geometry =
        Geometry::new(Mode::Triangles, points, held.flatten().map(|&index| index.into()).collect())?;
    Some(Geometry {
        normals: normals(&face.normals),
        // Textures repeat, so v and 1 + v are one place. `1.0 - v` would lose digits, which the uploader keeps.
        texture_coordinates: face.texture_coordinates.iter().map(|&[u, v]| [u, -v]).collect(),
        ..geometry
    })
}

/// Returns normals of the length that glTF asks for. One without direction points up.
fn normals(stored: &[[u16; 3]]) -> Vec<[f32; 3]> {
    stored.iter().map(|&normal| direction(normal).as_vec3().to_array()).collect()
}

/// Returns the direction of a stored normal: one that the uploader would store as these very steps.
///
/// The uploader cuts fractions, so a step means all numbers up to the next one. The search begins in the middle of all
/// three. Where directions of length 1 only touch the steps, it may end one step away.
fn direction([x, y, z]: [u16; 3]) -> DVec3 {
    let step = DVec3::new(x.into(), y.into(), z.into());
    let number = |step: DVec3| step / 65_535.0 * 2.0 - 1.0;
    let (least, most) = (number(step + EDGE), number(step + (1.0 - EDGE)).min(DVec3::ONE));
    let mut direction = number(step + 0.5);
    if direction.length() < SHORTEST_NORMAL {
        return DVec3::Z;
    }
    for _ in 0..TRIES {
        let unit = direction.normalize();
        direction = unit.clamp(least.min(most), most);
        if direction == unit {
            break;
        }
    }
    direction.normalize()
}

/// Adds a node for a hull. Its vertices are the stored points, so that their number is that of the asset.
fn add_hull(
    builder: &mut Builder,
    name: &str,
    points: &[[u16; 3]],
    domain: &Domain,
    role: Role,
    facts: &Value,
) -> Option<usize> {
    let hull = Hull::in_domain(points, domain);
    let (mode, indices) = shape(&hull, domain);
    let indices = indices.into_iter().map(|index| index as u32).collect();
    let geometry = Geometry::new(mode, points.iter().map(|&point| domain.point(point)), indices)?;
    let material = role.material(builder);
    let primitive = builder.add_primitive(&geometry, material);
    builder.add_mesh(name, &[primitive], facts)
}

/// Returns what a hull is drawn with: triangles, or a line or a point if it is no more than that.
fn shape(hull: &Hull, domain: &Domain) -> (Mode, Vec<usize>) {
    match hull.outline.as_slice() {
        [] => {
            // A domain with reversed axes turns the hull inside out.
            let reversed =
                (domain.max - domain.min).to_array().iter().filter(|&&side| side < 0.0).count() % 2 == 1;
            let turned = |&[a, b, c]: &[usize; 3]| if reversed { [a, c, b] } else { [a, b, c] };
            (Mode::Triangles, hull.faces.iter().flat_map(turned).collect())
        }
        &[point] => (Mode::Points, vec![point]),
        &[from, to] => (Mode::Lines, vec![from, to]),
        [first, rest @ ..] => {
            let fan = rest.windows(2).flat_map(|pair| iter::once(*first).chain(pair.iter().copied()));
            (Mode::Triangles, fan.collect())
        }
    }
}
