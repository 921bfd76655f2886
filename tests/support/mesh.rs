//! Makes mesh assets.

use super::llsd::Llsd;
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

/// Builder of a mesh asset: header entries that are no blocks, and blocks with their inflated content.
#[derive(Debug, Clone, Default)]
pub struct MeshFile {
    pub header: Vec<(String, Llsd)>,
    pub blocks: Vec<(String, Vec<u8>)>,
}

impl MeshFile {
    /// Returns a cube with all levels of detail and a base hull of eight points, as an uploader makes it.
    pub fn cube() -> Self {
        let lod = Llsd::Array(vec![cube_submesh()]);
        Self::default()
            .block("physics_convex", &convex(&cube_corners(), &[]))
            .block("lowest_lod", &lod)
            .block("low_lod", &lod)
            .block("medium_lod", &lod)
            .block("high_lod", &lod)
    }

    /// Adds a block, or replaces the one with this name.
    pub fn block(mut self, name: &str, content: &Llsd) -> Self {
        self.blocks.retain(|(key, _)| key != name);
        self.blocks.push((name.into(), content.encode()));
        self
    }

    /// Removes a block.
    pub fn without(mut self, name: &str) -> Self {
        self.blocks.retain(|(key, _)| key != name);
        self
    }

    /// Adds a header entry that is no block.
    pub fn entry(mut self, name: &str, value: Llsd) -> Self {
        self.header.push((name.into(), value));
        self
    }

    /// Returns the bytes of the asset.
    pub fn encode(&self) -> Vec<u8> {
        let mut header = self.header.clone();
        let mut body = Vec::new();
        for (name, content) in &self.blocks {
            let packed = deflate(content);
            let place = [("offset", Llsd::Int(body.len() as i32)), ("size", Llsd::Int(packed.len() as i32))];
            header.push((name.clone(), Llsd::map(place)));
            body.extend(packed);
        }
        let mut bytes = Llsd::Map(header).encode();
        bytes.extend(body);
        bytes
    }
}

/// Compresses with zlib as the viewer does.
pub fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Returns a convex block with the released names.
pub fn convex(base: &[[u16; 3]], hulls: &[Vec<[u16; 3]>]) -> Llsd {
    convex_named(base, hulls, "BoundingVerts", "Positions")
}

/// Returns a convex block with other names for the base hull and the positions.
pub fn convex_named(base: &[[u16; 3]], hulls: &[Vec<[u16; 3]>], base_name: &str, positions: &str) -> Llsd {
    let mut entries = vec![
        ("Min".to_owned(), Llsd::reals([-0.5; 3])),
        ("Max".to_owned(), Llsd::reals([0.5; 3])),
        (base_name.to_owned(), Llsd::triples(base)),
    ];
    if !hulls.is_empty() {
        // 256 is written as 0.
        let sizes = hulls.iter().map(|hull| hull.len() as u8).collect();
        entries.push(("HullList".into(), Llsd::Bytes(sizes)));
        entries.push((positions.into(), Llsd::triples(&hulls.concat())));
    }
    Llsd::Map(entries)
}

/// Returns one face of a level of detail or of a physics mesh, in the unit cube.
pub fn submesh(points: &[[u16; 3]], triangles: &[[u16; 3]]) -> Llsd {
    let domain = Llsd::map([("Min", Llsd::reals([-0.5; 3])), ("Max", Llsd::reals([0.5; 3]))]);
    Llsd::map([
        ("PositionDomain", domain),
        ("Position", Llsd::triples(points)),
        ("TriangleList", Llsd::triples(triangles)),
    ])
}

/// Returns the faces of a cube: 8 points, 12 triangles.
pub fn cube_submesh() -> Llsd {
    let quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles: Vec<_> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    submesh(&cube_corners(), &triangles)
}

/// Returns the corners of the unit cube.
pub fn cube_corners() -> Vec<[u16; 3]> {
    let side = |corner: u16, bit: u16| if corner & bit == 0 { 0 } else { u16::MAX };
    (0..8).map(|corner| [side(corner, 1), side(corner, 2), side(corner, 4)]).collect()
}

/// Returns different points on a ball around a centre, all of them corners of their hull.
pub fn ball(points: usize, centre: [f64; 3], radius: f64) -> Vec<[u16; 3]> {
    let turn = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let quantise = |value: f64| ((value + 0.5) * 65_535.0).round() as u16;
    (0..points)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / points as f64;
            let (sin, cos) = (turn * i as f64).sin_cos();
            let ring = (1.0 - z * z).sqrt();
            let [x0, y0, z0] = centre;
            [
                quantise(x0 + radius * ring * cos),
                quantise(y0 + radius * ring * sin),
                quantise(z0 + radius * z),
            ]
        })
        .collect()
}

/// Returns a scene as the uploader stores it next to the source model.
pub fn scene(meshes: &[Vec<u8>]) -> Vec<u8> {
    let instance = Llsd::map([
        ("mesh_id", Llsd::Int(0)),
        ("label", Llsd::Text(b"model".to_vec())),
        ("transform", Llsd::reals((0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }))),
        ("material", Llsd::Array(Vec::new())),
    ]);
    Llsd::map([
        ("version", Llsd::Int(3)),
        ("name", Llsd::Text(b"model".to_vec())),
        ("mesh", Llsd::Array(meshes.iter().map(|mesh| Llsd::Text(mesh.clone())).collect())),
        ("instance", Llsd::Array(vec![instance])),
    ])
    .encode()
}
