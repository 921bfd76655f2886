//! glTF 2.0, as the viewer's `LLGLTFLoader` (`llgltfloader.cpp`) reads it.
//!
//! Each node with a mesh becomes a part, and its transform moves the vertices themselves. Each primitive becomes a face.
//! `document` reads JSON and buffers, `accessor` numbers, and `primitive` the vertices and triangles.

mod accessor;
mod document;
mod primitive;
#[cfg(test)]
mod tests;

use crate::{
    Reading, over_limit,
    scene::{Face, Node, Purpose, Scene, Skin},
};
use document::Document;
use glam::{DMat4, Mat4, Quat, Vec3};
use gltf::json::{self, mesh::Primitive};
use hullmark_format::defect::{Defect, ModelDefect};
use primitive::Transform;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Key of the extras of a node whose purpose `inspect --glb` noted, and its values.
pub const PURPOSE: &str = "hullmark_purpose";
/// Key of the extras of a level that an uploader from before 2023 made, and its value. Such a level does not state the
/// size of the model.
pub const UPLOADER: &str = "hullmark_uploader";
pub const OLDER: &str = "older";
/// Key of the extras of a primitive with the position domain of its face: its two opposite corners. 1 is the size of the
/// part.
pub const DOMAIN: &str = "hullmark_domain";
const PURPOSES: [(&str, Purpose); 4] = [
    ("hulls", Purpose::Hulls),
    ("triangles", Purpose::Triangles),
    ("base hull", Purpose::BaseHull),
    ("level", Purpose::Level),
];

/// From the axes of glTF, with Y up, to those of the grid, with Z up: (x, y, z) becomes (x, −z, y).
const Z_UP: Mat4 = Mat4::from_cols_array(&[
    1.0, 0.0, 0.0, 0.0, //
    0.0, 0.0, 1.0, 0.0, //
    0.0, -1.0, 0.0, 0.0, //
    0.0, 0.0, 0.0, 1.0,
]);

/// Extensions that the viewer reads or ignores where a file requires them (`gltf/asset.cpp`).
const READ: [&str; 3] =
    ["KHR_materials_unlit", "KHR_texture_transform", "KHR_materials_pbrSpecularGlossiness"];

/// Whether a file is glTF, by its first bytes.
pub(crate) fn is_it(bytes: &[u8]) -> bool {
    is_binary(bytes) || text(bytes).trim_ascii_start().starts_with(b"{")
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"glTF")
}

/// Returns a text without its byte-order mark.
fn text(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Returns the names of the files that a model takes its buffers from. Empty for a binary file and for another format.
pub fn buffers(model: &[u8]) -> Vec<String> {
    /// The part of a document with the names.
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        buffers: Vec<Buffer>,
    }
    #[derive(Deserialize)]
    struct Buffer {
        uri: Option<String>,
    }
    let named: Option<Named> = serde_json::from_slice(text(model)).ok();
    let uris = named.into_iter().flat_map(|named| named.buffers).filter_map(|buffer| buffer.uri);
    uris.filter(|uri| !uri.starts_with(document::DATA)).map(|uri| document::file_name(&uri)).collect()
}

/// Reads a file. What cannot be read is left out with a defect.
pub(crate) fn read<'a>(bytes: &'a [u8], reading: &mut Reading<'a>) -> Scene {
    let document = match Document::open(bytes, reading) {
        Ok(document) => document,
        Err(kind) => {
            reading.note(kind);
            return Scene::default();
        }
    };
    let root = &document.root;
    if let Some(feature) = root.extensions_required.iter().find(|name| !READ.contains(&name.as_str())) {
        reading.note(ModelDefect::Unsupported { feature: feature.clone() });
        return Scene::default();
    }
    note_left_out(root, reading);
    let mut scene = Scene::default();
    for (index, transform) in nodes(root) {
        let node = &root.nodes[index];
        let Some(mesh) = node.mesh.and_then(|mesh| root.get(mesh)) else { continue };
        if scene.nodes.len() >= reading.limits.parts {
            reading.note(over_limit("parts"));
            break;
        }
        let extras = extras(&node.extras);
        let purpose = purpose(&extras);
        let name = node.name.clone().filter(|name| !name.is_empty());
        let mut reader = NodeReader {
            document: &document,
            name: name.unwrap_or_else(|| format!("node_{index}")),
            purpose,
            transform: Transform::new(transform),
            reading,
        };
        let faces: Option<Vec<Face>> =
            mesh.primitives.iter().map(|primitive| reader.face(primitive)).collect();
        let Some(faces) = faces else { break };
        let faces: Vec<Face> = faces.into_iter().filter(|face| !face.vertices.is_empty()).collect();
        scene.nodes.push(Node {
            purpose,
            is_older: extras.get(UPLOADER).and_then(serde_json::Value::as_str) == Some(OLDER),
            faces,
            placement: DMat4::IDENTITY,
            skin: node.skin.and_then(|skin| root.get(skin)).map(|skin| skin_of(skin, &document)),
            is_mirrored: false,
            name: reader.name,
        });
    }
    scene
}

/// What reads the primitives of one node.
struct NodeReader<'a, 'r> {
    document: &'a Document<'r>,
    name: String,
    purpose: Option<Purpose>,
    transform: Transform,
    reading: &'a mut Reading<'r>,
}

impl NodeReader<'_, '_> {
    /// Returns the face of a primitive; without vertices if it cannot be read. `None` if the model is too large.
    fn face(&mut self, primitive: &Primitive) -> Option<Face> {
        match primitive::face(self.document, primitive, &self.transform, self.purpose, self.reading) {
            Ok(face) => Some(face),
            Err(kind) => {
                let ends = matches!(kind, ModelDefect::OverLimit { .. });
                self.reading.note_within(&self.name, Defect::new(kind));
                (!ends).then(Face::default)
            }
        }
    }
}

/// Returns the indices of the nodes of the scene with their transforms in it, each node once, parents first.
fn nodes(root: &json::Root) -> Vec<(usize, Mat4)> {
    let scene = root.scene.map_or(0, |scene| scene.value());
    let roots = root.scenes.get(scene).map(|scene| scene.nodes.as_slice()).unwrap_or_default();
    let mut waiting: Vec<(usize, Mat4)> =
        roots.iter().rev().map(|node| (node.value(), Mat4::IDENTITY)).collect();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some((index, above)) = waiting.pop() {
        let Some(node) = root.nodes.get(index).filter(|_| seen.insert(index)) else { continue };
        let transform = above * local(node);
        found.push((index, transform));
        let children = node.children.iter().flatten().rev();
        waiting.extend(children.map(|child| (child.value(), transform)));
    }
    found
}

/// Returns the transform of a node relative to its parent.
fn local(node: &json::Node) -> Mat4 {
    if let Some(matrix) = &node.matrix {
        return Mat4::from_cols_array(matrix);
    }
    let rotation = node.rotation.unwrap_or_default().0;
    Mat4::from_scale_rotation_translation(
        Vec3::from_array(node.scale.unwrap_or([1.0; 3])),
        Quat::from_array(rotation),
        Vec3::from_array(node.translation.unwrap_or_default()),
    )
}

/// Returns the extras of a part of a document, or `null`.
fn extras(extras: &json::Extras) -> serde_json::Value {
    let extras = extras.as_deref().and_then(|extras| serde_json::from_str(extras.get()).ok());
    extras.unwrap_or_default()
}

fn purpose(extras: &serde_json::Value) -> Option<Purpose> {
    let noted = extras.get(PURPOSE)?.as_str()?;
    PURPOSES.into_iter().find(|(name, _)| *name == noted).map(|(_, purpose)| purpose)
}

/// Returns the joints. A joint without a name has an empty one.
fn skin_of(skin: &json::Skin, document: &Document<'_>) -> Skin {
    let name = |joint: &json::Index<json::Node>| {
        document.root.get(*joint).and_then(|node| node.name.clone()).unwrap_or_default()
    };
    let matrices = skin.inverse_bind_matrices.and_then(|matrices| document.floats::<16>(matrices).ok());
    let matrices = matrices.unwrap_or_default();
    let matrix = |index: usize| matrices.get(index).map_or(Mat4::IDENTITY, Mat4::from_cols_array);
    Skin {
        joints: skin.joints.iter().map(name).collect(),
        // The vertices are turned to Z up, so the matrices turn them back first.
        inverse_bind: (0..skin.joints.len()).map(|joint| matrix(joint) * Z_UP.inverse()).collect(),
        bind_shape: Mat4::IDENTITY,
    }
}

/// Notes what no mesh asset has.
fn note_left_out(root: &json::Root, reading: &mut Reading<'_>) {
    let has_morphs = root
        .meshes
        .iter()
        .flat_map(|mesh| &mesh.primitives)
        .any(|primitive| primitive.targets.as_ref().is_some_and(|targets| !targets.is_empty()));
    let left_out = [(has_morphs, "morph targets"), (!root.animations.is_empty(), "animations")];
    for (_, what) in left_out.into_iter().filter(|(has, _)| *has) {
        reading.note(ModelDefect::LeftOut { what: what.into() });
    }
}
