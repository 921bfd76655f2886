//! Mesh assets: a header in binary LLSD, then zlib blocks.

use crate::{finding::Finding, geometry::quantized::Domain, limits::Limits};
use serde::{Deserialize, Serialize};

/// Keys of the levels of detail, lowest first: the order of every `[_; 4]` in this program.
pub const LODS: [&str; 4] = ["lowest_lod", "low_lod", "medium_lod", "high_lod"];

/// A decoded mesh asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// `version` of the header.
    pub version: Option<i64>,
    /// Bytes before the first block: text prefix and header.
    pub header_bytes: u64,
    /// Blocks as the header lists them, in file order.
    pub blocks: Vec<Block>,
    /// Levels of detail: lowest, low, medium, high.
    pub lods: [Option<Vec<Submesh>>; 4],
    /// The convex block, under either of its names.
    pub convex: Option<Convex>,
    /// The physics mesh, under either of its names.
    pub physics_mesh: Option<Vec<Submesh>>,
    /// The simulator's own figures.
    pub cost_data: Option<PhysicsCostData>,
    /// Joints of the skin block.
    pub joints: Option<u32>,
    /// Departures from the format that do no harm, by their fixed names, sorted, each once.
    pub oddities: Vec<&'static str>,
}

/// One block of a mesh, as the header lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its key.
    pub name: String,
    /// Bytes from the end of the header.
    pub offset: i64,
    /// Compressed bytes.
    pub size: i64,
    /// Bytes after inflating; absent where that failed.
    pub inflated: Option<u64>,
}

/// One face.
#[derive(Debug, Clone, PartialEq)]
pub struct Submesh {
    /// Marked `NoGeometry`: an empty face.
    pub empty: bool,
    /// The box that its positions are decoded into.
    pub domain: Domain,
    /// Its vertices.
    pub positions: Vec<[u16; 3]>,
    /// Its triangles, as they are stored: an index may point outside.
    pub triangles: Vec<[u16; 3]>,
}

/// The convex block.
#[derive(Debug, Clone, PartialEq)]
pub struct Convex {
    /// The box that both point lists are decoded into.
    pub domain: Domain,
    /// The base hull; absent where the block has none.
    pub base: Option<Vec<[u16; 3]>>,
    /// Sizes of the hulls as `HullList` states them, 0 already read as 256; absent where the block has none.
    pub hull_sizes: Option<Vec<u32>>,
    /// Points of all hulls; absent where the block has none.
    pub positions: Option<Vec<[u16; 3]>>,
}

/// `physics_cost_data`: what the simulator computed for this asset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PhysicsCostData {
    /// Cost as base hull.
    pub hull: Option<f64>,
    /// Vertices of the base hull that were charged.
    pub hull_discounted_vertices: Option<f64>,
    /// Cost as decomposition.
    pub decomposition: Option<f64>,
    /// Vertices of the decomposition that were charged.
    pub decomposition_discounted_vertices: Option<f64>,
    /// Hulls of the decomposition.
    pub decomposition_hulls: Option<f64>,
    /// Nine figures whose meaning is not published.
    pub mesh: Vec<f64>,
    /// Triangles of the physics mesh.
    pub mesh_triangles: Option<f64>,
}

impl Convex {
    /// The hulls of the decomposition, where both of its lists are present. A hull that reaches past the end
    /// of the positions is cut short there.
    pub fn hulls(&self) -> impl Iterator<Item = &[[u16; 3]]> {
        let (sizes, points) = match (&self.hull_sizes, &self.positions) {
            (Some(sizes), Some(points)) => (sizes.as_slice(), points.as_slice()),
            _ => (&[][..], &[][..]),
        };
        let mut rest = points;
        sizes.iter().map(move |&size| {
            let (hull, tail) = rest.split_at((size as usize).min(rest.len()));
            rest = tail;
            hull
        })
    }
}

/// Decodes a mesh asset with all its blocks.
pub fn decode(_bytes: &[u8], _limits: &Limits) -> (Mesh, Vec<Finding>) {
    unimplemented!()
}
