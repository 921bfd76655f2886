//! A glTF document while it is written: lists of JSON objects, and one buffer.

use glam::DVec3;
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write};

/// What a buffer view holds: vertices or indices.
const VERTICES: u32 = 34_962;
const INDICES: u32 = 34_963;

/// Types of the components of an accessor.
const U8: u32 = 5121;
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// Marks of a binary glTF file and of its two chunks.
const GLTF: &[u8; 4] = b"glTF";
const JSON: &[u8; 4] = b"JSON";
const BIN: &[u8; 4] = b"BIN\0";

/// How the indices of a primitive are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    Points = 0,
    Lines = 1,
    #[default]
    Triangles = 4,
}

/// The vertices and indices of a primitive. Lists of attributes other than positions may be empty.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) mode: Mode,
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) texture_coordinates: Vec<[f32; 2]>,
    /// Joints of the skin, and their weights.
    pub(super) joints: Vec<[u8; 4]>,
    pub(super) weights: Vec<[f32; 4]>,
    pub(super) indices: Vec<u32>,
}

impl Geometry {
    /// Creates a geometry without normals. `None` if there is nothing to draw or a position is not finite.
    pub(super) fn new(mode: Mode, positions: impl Iterator<Item = DVec3>, indices: Vec<u32>) -> Option<Self> {
        let positions: Vec<[f32; 3]> = positions.map(|point| point.as_vec3().to_array()).collect();
        let is_drawn = !indices.is_empty() && positions.as_flattened().iter().all(|part| part.is_finite());
        is_drawn.then(|| Self { mode, positions, indices, ..Self::default() })
    }
}

/// A document. Each `add` returns the index of its addition.
#[derive(Debug, Default)]
pub(super) struct Builder {
    nodes: List,
    meshes: List,
    materials: List,
    skins: List,
    /// Numbers of materials by their text.
    known_materials: HashMap<String, usize>,
    accessors: List,
    views: List,
    bytes: Vec<u8>,
}

/// A list of JSON objects as text, because a region has many thousands.
#[derive(Debug, Default)]
struct List {
    text: String,
    count: usize,
}

impl List {
    /// Adds an object and returns its index.
    fn add(&mut self, value: &Value) -> usize {
        self.text += if self.count > 0 { "," } else { "" };
        let _ = write!(self.text, "{value}");
        self.count += 1;
        self.count - 1
    }
}

impl Builder {
    pub(super) fn add_node(&mut self, node: &Value) -> usize {
        self.nodes.add(node)
    }

    /// Whether there is no node.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.count == 0
    }

    /// Adds a node with these children. `None` without children.
    pub(super) fn add_group(&mut self, name: &str, children: &[usize]) -> Option<usize> {
        (!children.is_empty()).then(|| self.add_node(&json!({ "name": name, "children": children })))
    }

    /// Adds joints of these names, each at the origin, and returns the node above them and their skin.
    ///
    /// The pose is that of the asset, so the matrices are the identity.
    pub(super) fn add_skin(&mut self, joints: &[String]) -> (usize, usize) {
        let joints: Vec<usize> = joints.iter().map(|name| self.add_node(&json!({ "name": name }))).collect();
        let above = self.add_node(&json!({ "name": "joints", "children": joints }));
        (above, self.skins.add(&json!({ "joints": joints, "skeleton": above })))
    }

    /// Adds a node with a mesh of these primitives. `None` without primitives.
    pub(super) fn add_mesh(&mut self, name: &str, primitives: &[Value], extras: &Value) -> Option<usize> {
        self.add_rigged_mesh(name, primitives, None, extras)
    }

    /// Like [`Self::add_mesh`], with a skin.
    pub(super) fn add_rigged_mesh(
        &mut self,
        name: &str,
        primitives: &[Value],
        skin: Option<usize>,
        extras: &Value,
    ) -> Option<usize> {
        if primitives.is_empty() {
            return None;
        }
        let mesh = self.meshes.add(&json!({ "name": name, "primitives": primitives }));
        let mut node = json!({ "name": name, "mesh": mesh, "extras": extras });
        if let Some(skin) = skin {
            node["skin"] = skin.into();
        }
        Some(self.add_node(&node))
    }

    /// Adds a mesh without a node.
    pub(super) fn add_mesh_alone(&mut self, mesh: &Value) -> usize {
        self.meshes.add(mesh)
    }

    /// Adds a material. Of equal materials there is one.
    pub(super) fn add_material(&mut self, material: &Value) -> usize {
        let known = self.known_materials.entry(material.to_string());
        *known.or_insert_with(|| self.materials.add(material))
    }

    /// Adds the data of a primitive and returns the primitive.
    pub(super) fn add_primitive(&mut self, geometry: &Geometry, material: usize) -> Value {
        let mut primitive = self.add_data(geometry);
        primitive["material"] = material.into();
        primitive
    }

    /// Adds the data of a primitive and returns the primitive without its material.
    pub(super) fn add_data(&mut self, geometry: &Geometry) -> Value {
        let Geometry { mode, positions, normals, texture_coordinates, joints, weights, indices } = geometry;
        let corner = |pick: fn(f32, f32) -> f32, start: f32| {
            positions
                .iter()
                .fold([start; 3], |so_far, point| [0, 1, 2].map(|axis| pick(so_far[axis], point[axis])))
        };
        let (least, most) = (corner(f32::min, f32::INFINITY), corner(f32::max, f32::NEG_INFINITY));
        let bounds = json!({ "min": least, "max": most });
        let mut attributes = json!({ "POSITION": self.add_floats("VEC3", positions, bounds) });
        if !normals.is_empty() {
            attributes["NORMAL"] = self.add_floats("VEC3", normals, json!({})).into();
        }
        if !texture_coordinates.is_empty() {
            attributes["TEXCOORD_0"] = self.add_floats("VEC2", texture_coordinates, json!({})).into();
        }
        if !joints.is_empty() {
            let view = self.add_view(joints.as_flattened().to_vec(), VERTICES);
            let accessor =
                json!({ "bufferView": view, "componentType": U8, "count": joints.len(), "type": "VEC4" });
            attributes["JOINTS_0"] = self.accessors.add(&accessor).into();
            attributes["WEIGHTS_0"] = self.add_floats("VEC4", weights, json!({})).into();
        }
        let indices = self.add_indices(indices, positions.len());
        json!({ "attributes": attributes, "indices": indices, "mode": *mode as u8 })
    }

    fn add_floats<const N: usize>(&mut self, kind: &str, values: &[[f32; N]], mut accessor: Value) -> usize {
        let bytes = values.as_flattened().iter().flat_map(|part| part.to_le_bytes()).collect();
        accessor["bufferView"] = self.add_view(bytes, VERTICES).into();
        accessor["componentType"] = F32.into();
        accessor["count"] = values.len().into();
        accessor["type"] = kind.into();
        self.accessors.add(&accessor)
    }

    /// Adds indices with 2 bytes each where they suffice: the value 65535 is reserved.
    fn add_indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        let (kind, bytes) = if vertices <= usize::from(u16::MAX) {
            (U16, indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect())
        } else {
            (U32, indices.iter().flat_map(|index| index.to_le_bytes()).collect())
        };
        let view = self.add_view(bytes, INDICES);
        let accessor =
            json!({ "bufferView": view, "componentType": kind, "count": indices.len(), "type": "SCALAR" });
        self.accessors.add(&accessor)
    }

    fn add_view(&mut self, bytes: Vec<u8>, target: u32) -> usize {
        let (offset, length) = (self.bytes.len(), bytes.len());
        self.bytes.extend(bytes);
        pad(&mut self.bytes, 0);
        self.views.add(&json!({ "buffer": 0, "byteOffset": offset, "byteLength": length, "target": target }))
    }

    /// Returns the file with this root. `None` if it is larger than the format allows.
    pub(super) fn finish(self, root: usize) -> Option<Vec<u8>> {
        let asset = json!({ "version": "2.0", "generator": concat!("hullmark ", env!("CARGO_PKG_VERSION")) });
        let scenes = json!([{ "nodes": [root] }]);
        let buffers = json!([{ "byteLength": self.bytes.len() }]);
        let mut text = format!(r#"{{"asset":{asset},"scene":0,"scenes":{scenes},"buffers":{buffers}"#);
        // An empty list of skins would be invalid.
        let skins = ("skins", &self.skins);
        let lists = [
            ("nodes", &self.nodes),
            ("meshes", &self.meshes),
            ("materials", &self.materials),
            ("accessors", &self.accessors),
            ("bufferViews", &self.views),
        ];
        for (name, List { text: list, .. }) in
            lists.into_iter().chain((self.skins.count > 0).then_some(skins))
        {
            let _ = write!(text, r#","{name}":[{list}]"#);
        }
        let mut text = (text + "}").into_bytes();
        pad(&mut text, b' ');
        let mut file = Vec::with_capacity(text.len() + self.bytes.len() + 28);
        file.extend(GLTF);
        file.extend(2u32.to_le_bytes());
        file.extend(u32::try_from(28 + text.len() + self.bytes.len()).ok()?.to_le_bytes());
        for (kind, chunk) in [(JSON, &text), (BIN, &self.bytes)] {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
        Some(file)
    }
}

/// Fills up to a multiple of four bytes.
fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(4), with);
}
