//! Reads binary glTF back: the JSON, and the numbers in the buffer.

use serde_json::Value;
use std::{fs, path::Path};

pub struct Glb {
    pub json: Value,
    buffer: Vec<u8>,
    pub bytes: Vec<u8>,
}

impl Glb {
    /// Reads a file. Lengths and marks must be those of the format.
    pub fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], number(4), number(8)), (&b"glTF"[..], 2, bytes.len()));
        let text = number(12);
        assert_eq!((&bytes[16..20], text % 4), (&b"JSON"[..], 0));
        assert_eq!(
            (number(20 + text), &bytes[24 + text..28 + text]),
            (bytes.len() - 28 - text, &b"BIN\0"[..])
        );
        let json = serde_json::from_slice(&bytes[20..20 + text]).unwrap();
        Self { json, buffer: bytes[28 + text..].to_vec(), bytes }
    }

    pub fn nodes(&self) -> &[Value] {
        self.json["nodes"].as_array().unwrap()
    }

    /// Returns the only node with this name. The name of an object is also that of its root prim: its own node is meant.
    pub fn node(&self, name: &str) -> &Value {
        let named: Vec<_> = self.nodes().iter().filter(|node| node["name"] == name).collect();
        let is_object = |node: &&&Value| node["extras"].get("object_uuid").is_some();
        let mut objects = named.iter().filter(is_object);
        match (named.as_slice(), objects.next(), objects.next()) {
            ([only], ..) => only,
            (_, Some(object), None) => object,
            _ => panic!("{} nodes have the name {name:?}", named.len()),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.nodes().iter().any(|node| node["name"] == name)
    }

    /// Returns the names of the children of a node.
    pub fn children(&self, name: &str) -> Vec<&str> {
        let children = self.node(name)["children"].as_array().unwrap();
        let node = |child: &Value| &self.json["nodes"][child.as_u64().unwrap() as usize];
        children.iter().map(|child| node(child)["name"].as_str().unwrap()).collect()
    }

    pub fn root(&self) -> &Value {
        &self.json["nodes"][self.json["scenes"][0]["nodes"][0].as_u64().unwrap() as usize]
    }

    /// Returns the primitives of the mesh of a node.
    pub fn primitives(&self, name: &str) -> &[Value] {
        let mesh = self.node(name)["mesh"].as_u64().unwrap_or_else(|| panic!("{name:?} has no mesh"));
        self.json["meshes"][mesh as usize]["primitives"].as_array().unwrap()
    }

    /// Returns the names of the materials of a node.
    pub fn colours(&self, name: &str) -> Vec<&str> {
        let material = |primitive: &Value| primitive["material"].as_u64().unwrap() as usize;
        let name_of = |primitive| self.json["materials"][material(primitive)]["name"].as_str().unwrap();
        self.primitives(name).iter().map(name_of).collect()
    }

    fn accessor(&self, number: &Value) -> (&Value, &[u8]) {
        let accessor = &self.json["accessors"][number.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [at, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        assert_eq!(at % 4, 0);
        (accessor, &self.buffer[at..at + length])
    }

    pub fn positions(&self, primitive: &Value) -> Vec<[f32; 3]> {
        let (accessor, bytes) = self.accessor(&primitive["attributes"]["POSITION"]);
        let parts: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&part| f32::from_le_bytes(part)).collect();
        let positions = parts.as_chunks::<3>().0.to_vec();
        assert_eq!(accessor["count"], positions.len());
        positions
    }

    /// Returns the number of triangles of a primitive. Each corner is a vertex.
    pub fn triangles(&self, primitive: &Value) -> usize {
        let (accessor, bytes) = self.accessor(&primitive["indices"]);
        assert_eq!(accessor["componentType"], 5123);
        let indices = bytes.as_chunks::<2>().0.iter().map(|&index| u16::from_le_bytes(index));
        let vertices = self.positions(primitive).len();
        let count = accessor["count"].as_u64().unwrap() as usize;
        assert!(indices.take(count).all(|index| usize::from(index) < vertices));
        count / 3
    }

    /// Returns the number of a figure in the extras of the root.
    pub fn count(&self, name: &str) -> u64 {
        self.root()["extras"][name].as_u64().unwrap_or_else(|| panic!("no {name}"))
    }
}
