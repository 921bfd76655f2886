//! Mesh assets: a header in binary LLSD, then zlib blocks, each of one value in binary LLSD.
//!
//! [`decode`] reads an asset with all its blocks. An error in one block does not lose the others. A viewer's upload
//! file (`.slm`) can wrap several assets: [`sniff()`] distinguishes the two by their first kilobytes.
//!
//! The layout is that of the viewer's `LLModel::writeModelToStream` and of the wiki's *Mesh Asset Format*. Some names
//! in the specification that hullmark follows were dropped before the release. Both old and new names are read.

mod block;
#[cfg(test)]
pub(crate) mod build;
mod convex;
mod diagnostics;
mod domain;
mod header;
mod lod;
mod scene;
mod skin;
mod sniff;
#[cfg(test)]
mod tests;

#[cfg(test)]
use scene::Instance;
pub use scene::decode_scene;
pub use sniff::{Sniffed, sniff};

use crate::{
    format::defect::{Defect, MeshDefect},
    geometry::quantized::Domain,
    settings::limits::Limits,
};
use block::Reader;
use diagnostics::Notes;
use serde::{Deserialize, Serialize};

/// Keys of the levels of detail, lowest first: the order of every `[_; 4]` in this program.
pub const LODS: [&str; 4] = ["lowest_lod", "low_lod", "medium_lod", "high_lod"];

/// Names of the convex block, released name first: the one that wins where both are there.
const CONVEX: [&str; 2] = ["physics_convex", "decomposition"];

/// Names of the physics mesh. The older one comes first: in OpenSim it wins where both are there.
const PHYSICS_MESH: [&str; 2] = ["physics_mesh", "physics_shape"];

/// Name of the block with the joints.
const SKIN: &str = "skin";

/// Key of the simulator's figures: a map in the header itself, not a block.
const COST_DATA: &str = "physics_cost_data";

/// A decoded mesh asset.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// `version` of the header.
    pub version: Option<i64>,
    /// Bytes before the first block: text prefix and header.
    pub header_bytes: u64,
    /// Blocks as the header lists them, in file order. Blocks of no size, or at offset −1, are not there.
    pub blocks: Vec<Block>,
    /// Bytes that came out of its blocks, of those that cannot be read too.
    pub inflated: u64,
    /// Levels of detail: lowest, low, medium, high. Absent where the block is absent or unreadable.
    pub lods: [Option<Vec<Submesh>>; 4],
    /// The convex block, under either of its names.
    pub convex: Option<Convex>,
    /// The physics mesh: the block `physics_mesh`, or `physics_shape` where that is the only one.
    pub physics_mesh: Option<Vec<Submesh>>,
    /// The block `physics_shape` where both are there: OpenSim reads this one.
    pub physics_shape: Option<Vec<Submesh>>,
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
    /// Bytes after inflating; absent where that failed, and for blocks that are not read.
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

impl Submesh {
    /// Whether every index of this triangle names a vertex.
    pub fn holds(&self, triangle: [u16; 3]) -> bool {
        triangle.iter().all(|&index| usize::from(index) < self.positions.len())
    }
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

/// Decodes a mesh asset with all its blocks. Total: what cannot be read is absent, and a defect says why.
///
/// Defects have no entry and no asset in their place: the scan adds them. Where very many say the same, the last row
/// counts the rest.
pub fn decode(bytes: &[u8], limits: &Limits) -> (Mesh, Vec<Defect>) {
    let mut notes = Notes::default();
    let mut mesh = if bytes.iter().all(|&byte| byte == 0) {
        notes.find(Defect::new(MeshDefect::BlankAsset).measured(bytes.len() as f64));
        Mesh::default()
    } else {
        decode_asset(bytes, limits, &mut notes)
    };
    let (defects, oddities) = notes.finish();
    mesh.oddities = oddities;
    (mesh, defects)
}

fn decode_asset(bytes: &[u8], limits: &Limits, notes: &mut Notes) -> Mesh {
    let Some(header) = header::read(bytes, limits, notes) else { return Mesh::default() };
    let mut mesh = Mesh {
        version: header.version,
        header_bytes: header.bytes as u64,
        cost_data: header.cost_data,
        ..Mesh::default()
    };
    let mut reader = Reader::new(&bytes[header.bytes..], header.blocks, limits, notes);
    for (level, name) in LODS.into_iter().enumerate() {
        mesh.lods[level] =
            reader.read(name, notes, |value, notes| lod::read(value, name, limits.submeshes, notes));
    }
    mesh.convex = read_convex(&mut reader, limits, notes);
    (mesh.physics_mesh, mesh.physics_shape) = read_physics_mesh(&mut reader, limits, notes);
    mesh.joints = reader.read(SKIN, notes, skin::read);
    lod::check_levels(&mesh.lods, |name| reader.has(name), header.is_missing_marker, notes);
    (mesh.blocks, mesh.inflated) = reader.finish();
    mesh
}

fn read_convex(reader: &mut Reader<'_>, limits: &Limits, notes: &mut Notes) -> Option<Convex> {
    let [released, beta] = CONVEX;
    match (reader.has(released), reader.has(beta)) {
        (true, true) => notes.find(Defect::new(MeshDefect::ConvexTwice).within(released)),
        (false, true) => {
            notes.odd("beta-names");
            notes.find(Defect::new(MeshDefect::ConvexOldName).within(beta));
            let unseen = Defect::new(MeshDefect::HullsUnderOldName).within(beta);
            notes.find(unseen.measured(0.0).limit(convex::LEAST_BASE));
        }
        (false, false) => {
            let missing = Defect::new(MeshDefect::ConvexMissing).within(released);
            notes.find(missing.measured(0.0).limit(convex::LEAST_BASE));
        }
        (true, false) => {}
    }
    reader.read_first(CONVEX, notes, |value, within, notes| convex::read(value, within, limits.hulls, notes))
}

/// Faces of a physics mesh.
type Faces = Option<Vec<Submesh>>;

/// The physics mesh; where it has both names, that of the old one beside it.
fn read_physics_mesh(reader: &mut Reader<'_>, limits: &Limits, notes: &mut Notes) -> (Faces, Faces) {
    let [released, beta] = PHYSICS_MESH;
    match (reader.has(beta), reader.has(released)) {
        (true, true) => notes.find(Defect::new(MeshDefect::PhysicsMeshTwice).within(released)),
        (true, false) => {
            notes.odd("beta-names");
            notes.find(Defect::new(MeshDefect::PhysicsMeshOldName).within(beta));
        }
        _ => {}
    }
    let mut read = |name: &'static str| {
        reader.read(name, notes, |value, notes| lod::read(value, name, limits.submeshes, notes))
    };
    let (has_released, old) = (read(released), read(beta));
    match reader.has(released) {
        true => (has_released, old),
        false => (old, None),
    }
}
