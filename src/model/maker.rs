//! Makes glTF models of boxes for tests.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// The triangles of a box, counter-clockwise from outside.
pub const BOX: [u16; 36] = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7,
    5,
];

/// Returns the eight corners of a box with these sides around a point.
pub fn corners(sides: [f32; 3], center: [f32; 3]) -> Vec<f32> {
    let corner =
        |at: usize| (0..3).map(move |axis| center[axis] + sides[axis] * ((at >> axis & 1) as f32 - 0.5));
    (0..8).flat_map(corner).collect()
}

/// A model while it is made. Its buffer is a file of its own.
pub struct Maker {
    pub buffer: Vec<u8>,
    pub json: Value,
}

impl Default for Maker {
    fn default() -> Self {
        Self::new("")
    }
}

impl Maker {
    /// Starts a model whose buffer is in the file of this name.
    pub fn new(buffer: &str) -> Self {
        let json = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [] }],
            "nodes": [], "meshes": [], "materials": [], "accessors": [], "bufferViews": [],
            "buffers": [{ "uri": buffer, "byteLength": 0 }],
        });
        Self { buffer: Vec::new(), json }
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().expect("it is a list");
        list.push(value);
        list.len() - 1
    }

    pub fn accessor(&mut self, bytes: &[u8], mut accessor: Value) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.buffer.len(), "byteLength": bytes.len() });
        accessor["bufferView"] = self.push("bufferViews", view).into();
        self.buffer.extend(bytes);
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        self.json["buffers"][0]["byteLength"] = self.buffer.len().into();
        self.push("accessors", accessor)
    }

    /// Adds a material and returns its index.
    pub fn material(&mut self, name: &str) -> usize {
        self.push("materials", json!({ "name": name }))
    }

    /// Gives a primitive texture coordinates: the x and z of its positions.
    pub fn texture(&mut self, primitive: &mut Value, positions: &[f32]) {
        let corners = positions.chunks_exact(3).flat_map(|position| [position[0], position[2]]);
        let bytes: Vec<u8> = corners.flat_map(f32::to_le_bytes).collect();
        let accessor = json!({ "componentType": 5126, "count": positions.len() / 3, "type": "VEC2" });
        primitive["attributes"]["TEXCOORD_0"] = self.accessor(&bytes, accessor).into();
    }

    /// Lets each of the eight corners of a box follow these joints, at most four, with their weights.
    pub fn weigh(&mut self, primitive: &mut Value, influences: &[(u8, f32)]) {
        let of = |at: usize| influences.get(at).copied().unwrap_or_default();
        let joints = std::array::from_fn::<u8, 4, _>(|at| of(at).0).repeat(8);
        let weights = std::array::from_fn::<f32, 4, _>(|at| of(at).1).repeat(8);
        let weights: Vec<u8> = weights.into_iter().flat_map(f32::to_le_bytes).collect();
        let accessor = |kind: u16| json!({ "componentType": kind, "count": 8, "type": "VEC4" });
        let attributes = [("JOINTS_0", joints, 5121), ("WEIGHTS_0", weights, 5126)];
        for (name, bytes, kind) in attributes {
            primitive["attributes"][name] = self.accessor(&bytes, accessor(kind)).into();
        }
    }

    /// Returns a primitive: triangles of a box with these sides around a point.
    pub fn primitive(&mut self, sides: [f32; 3], center: [f32; 3], triangles: &[u16]) -> Value {
        self.primitive_of(&corners(sides, center), triangles)
    }

    /// Returns a primitive of these positions and triangles.
    pub fn primitive_of(&mut self, positions: &[f32], triangles: &[u16]) -> Value {
        let bytes: Vec<u8> = positions.iter().flat_map(|part| part.to_le_bytes()).collect();
        let accessor = json!({ "componentType": 5126, "count": positions.len() / 3, "type": "VEC3" });
        let positions = self.accessor(&bytes, accessor);
        let indices: Vec<u8> = triangles.iter().flat_map(|index| index.to_le_bytes()).collect();
        let accessor = json!({ "componentType": 5123, "count": triangles.len(), "type": "SCALAR" });
        let indices = self.accessor(&indices, accessor);
        json!({ "attributes": { "POSITION": positions }, "indices": indices })
    }

    /// Adds a node with a mesh of these primitives, and returns its index.
    pub fn node(&mut self, name: &str, primitives: &[Value]) -> usize {
        let mesh = self.push("meshes", json!({ "primitives": primitives }));
        let node = self.push("nodes", json!({ "name": name, "mesh": mesh }));
        self.json["scenes"][0]["nodes"].as_array_mut().expect("it is a list").push(node.into());
        node
    }

    /// Adds a node with a box around the origin.
    pub fn boxed(&mut self, name: &str, sides: [f32; 3]) -> usize {
        self.boxed_at(name, sides, [0.0; 3])
    }

    /// Adds a node with a box around a point.
    pub fn boxed_at(&mut self, name: &str, sides: [f32; 3], center: [f32; 3]) -> usize {
        let primitive = self.primitive(sides, center, &BOX);
        self.node(name, &[primitive])
    }

    /// Adds a node without a mesh, such as a joint.
    pub fn joint(&mut self, name: &str) -> usize {
        self.push("nodes", json!({ "name": name }))
    }

    /// Returns the JSON with the buffer in it.
    pub fn embedded(&self) -> Value {
        let mut json = self.json.clone();
        let text = STANDARD.encode(&self.buffer);
        json["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{text}").into();
        json
    }

    /// Returns the model as one binary file.
    pub fn glb(mut self) -> Vec<u8> {
        self.json["buffers"][0].as_object_mut().expect("it is a map").remove("uri");
        let mut json = self.text();
        json.resize(json.len().next_multiple_of(4), b' ');
        let length = |length: usize| (length as u32).to_le_bytes();
        let mut file =
            [b"glTF".as_slice(), &length(2), &length(28 + json.len() + self.buffer.len())].concat();
        for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &self.buffer)] {
            file.extend([length(chunk.len()).as_slice(), kind, chunk].concat());
        }
        file
    }

    /// Returns the file with the JSON.
    pub fn text(&self) -> Vec<u8> {
        self.json.to_string().into_bytes()
    }
}
