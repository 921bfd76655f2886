//! Mesh assets: a header in binary LLSD, then zlib blocks, each of one value in binary LLSD.
//!
//! [`decode`] reads an asset with all its blocks. An error in one block does not lose the others. A viewer's upload
//! file (`.slm`) can wrap several assets: [`sniff()`] distinguishes the two by their first kilobytes.
//!
//! The layout follows the viewer's `LLModel::writeModelToStream` and the wiki's *Mesh Asset Format*. Some names in the
//! specification that hullmark follows were dropped before the release. Both old and new names are read.

mod appearance;
mod block;
#[cfg(any(test, feature = "testing"))]
pub mod build;
mod convex;
mod diagnostics;
mod domain;
mod header;
mod lod;
mod scene;
mod skeleton;
mod skin;
mod sniff;
#[cfg(test)]
mod tests;
mod weights;

#[cfg(test)]
use scene::Instance;
pub use scene::decode_scene;
pub use skeleton::has as is_joint;
pub use sniff::{Sniffed, sniff};
pub use weights::{Influence, Weights};

use crate::{
    defect::{Defect, MeshDefect},
    llsd::Value,
};
use block::BlockReader;
use diagnostics::Notes;
use hullmark_geometry::quantized::Domain;
use hullmark_settings::limits::Limits;
use hullmark_util::{json_number::Number, named};
use serde::{Deserialize, Serialize};

named! {
/// How a level of detail of an upload comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelOrigin {
    /// The model has it.
    #[default]
    File = "file",
    /// The uploader takes the next better level.
    Above = "above",
    /// The uploader generates it.
    Generated = "generated",
}
}

/// Keys of the levels of detail, lowest first. Every `[_; 4]` in this program has this order.
pub const LODS: [&str; 4] = ["lowest_lod", "low_lod", "medium_lod", "high_lod"];

/// Names of the convex block. The released name comes first and wins if both are present.
const CONVEX: [&str; 2] = ["physics_convex", "decomposition"];

/// Names of the physics mesh. The older name comes first: in OpenSim it wins if both are present.
const PHYSICS_MESH: [&str; 2] = ["physics_mesh", "physics_shape"];

const SKIN: &str = "skin";

fn names() -> impl Iterator<Item = &'static str> {
    LODS.into_iter().chain(CONVEX).chain(PHYSICS_MESH).chain([SKIN])
}

/// Key of the simulator's cost figures: a map in the header itself, not a block.
const COST_DATA: &str = "physics_cost_data";

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// `version` in the header; `None` if it is missing or not an integer.
    pub version: Option<i64>,
    /// Bytes before the first block: text prefix and header.
    pub header_bytes: u64,
    /// Blocks in the header, in file order. Blocks of size 0 or at offset −1 are left out.
    pub blocks: Vec<Block>,
    /// Bytes inflated from all blocks, including blocks that cannot be read.
    pub inflated: u64,
    /// Levels of detail: lowest, low, medium, high. `None` if the block is missing or unreadable.
    pub lods: [Option<Vec<Submesh>>; 4],
    /// The convex block, under either of its names.
    pub convex: Option<Convex>,
    /// The physics mesh: the block `physics_mesh`, or `physics_shape` if that is the only one.
    pub physics_mesh: Option<Vec<Submesh>>,
    /// The block `physics_shape` if both are present: OpenSim reads this one.
    pub physics_shape: Option<Vec<Submesh>>,
    /// Cost figures of the simulator; `None` if the header has none.
    pub cost_data: Option<PhysicsCostData>,
    /// Number of joints in the skin block; `None` if there is no readable list.
    pub joints: Option<u32>,
    /// Names of the joints; empty if they were not wanted.
    pub joint_names: Vec<String>,
    /// Names of blocks that a viewer did not fetch into its cache. They are unknown, and neither missing nor damaged.
    pub absent: Vec<&'static str>,
    /// Harmless departures from the format, as sorted, unique fixed names.
    pub oddities: Vec<&'static str>,
}

/// One block of a mesh, as in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub name: String,
    /// Offset in bytes from the end of the header.
    pub offset: i64,
    pub size: i64,
    /// Inflated size in bytes; `None` if inflating failed or the block is not read.
    pub inflated: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Submesh {
    /// Whether the face is empty: it is marked `NoGeometry`.
    pub empty: bool,
    /// The box in which the positions are decoded.
    pub domain: Domain,
    pub positions: Vec<[u16; 3]>,
    /// The triangles as stored: an index may exceed the vertices.
    pub triangles: Vec<[u16; 3]>,
    /// The influences of joints on its vertices.
    pub weights: Weights,
    /// The normal of each vertex, quantized between −1 and 1. Empty unless there is one for each vertex.
    pub normals: Vec<[u16; 3]>,
    /// The texture coordinates of each vertex. v grows upwards. Empty unless there is a finite pair for each vertex.
    pub texture_coordinates: Vec<[f32; 2]>,
    /// The influences of joints on each vertex, at most four. Empty unless the list has all vertices.
    pub influences: Vec<Vec<Influence>>,
    /// Whether the face states the size of the model, as uploaders since 2023 do.
    pub states_size: bool,
}

impl Submesh {
    /// Whether every index of this triangle refers to a vertex.
    pub fn holds(&self, triangle: [u16; 3]) -> bool {
        triangle.iter().all(|&index| usize::from(index) < self.positions.len())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Convex {
    /// The box in which both point lists are decoded.
    pub domain: Domain,
    /// Points of the base hull; `None` if the block has no such list.
    pub base: Option<Vec<[u16; 3]>>,
    /// Sizes of the hulls in `HullList`, with 0 read as 256; `None` if the block has no such list.
    pub hull_sizes: Option<Vec<u32>>,
    /// Points of all hulls; `None` if the block has no such list.
    pub positions: Option<Vec<[u16; 3]>>,
}

/// `physics_cost_data`: figures that the simulator computed for this asset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PhysicsCostData {
    pub hull: Option<Number>,
    pub hull_discounted_vertices: Option<Number>,
    pub decomposition: Option<Number>,
    pub decomposition_discounted_vertices: Option<Number>,
    pub decomposition_hulls: Option<Number>,
    /// Nine figures whose meaning is not published.
    pub mesh: Vec<Number>,
    pub mesh_triangles: Option<Number>,
}

impl Convex {
    /// Returns the hulls of the decomposition; none unless both lists are present. A hull that extends past the end of
    /// the positions is cut there.
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

/// Decodes a mesh asset with all its blocks. The function is total: for data that cannot be read, it returns `None` and
/// a defect.
///
/// The place of a defect has no entry and no asset; the scan adds them. If very many defects are equal, the last row
/// counts the rest.
pub fn decode(bytes: &[u8], limits: &Limits) -> (Mesh, Vec<Defect>) {
    decode_fetched(bytes, &|_, _| false, limits, true)
}

/// Decodes a mesh asset without normals and texture coordinates. No fact needs them.
pub fn decode_geometry(bytes: &[u8], limits: &Limits) -> (Mesh, Vec<Defect>) {
    decode_fetched(bytes, &|_, _| false, limits, false)
}

/// Whether nobody fetched the block of this name, which is unknown then. Its bytes are `None` outside of the asset.
pub(crate) type Lacks<'a> = &'a dyn Fn(&str, Option<&[u8]>) -> bool;

/// Decodes a mesh asset without the blocks that nobody fetched.
pub(crate) fn decode_fetched(
    bytes: &[u8],
    lacks: Lacks<'_>,
    limits: &Limits,
    with_appearance: bool,
) -> (Mesh, Vec<Defect>) {
    let mut notes = Notes::default();
    let mut mesh = if bytes.iter().all(|&byte| byte == 0) {
        notes.find(Defect::new(MeshDefect::BlankAsset).measured(bytes.len() as f64));
        Mesh::default()
    } else {
        decode_asset(bytes, lacks, limits, with_appearance, &mut notes)
    };
    let (defects, oddities) = notes.finish();
    mesh.oddities = oddities;
    (mesh, defects)
}

fn decode_asset(
    bytes: &[u8],
    lacks: Lacks<'_>,
    limits: &Limits,
    with_appearance: bool,
    notes: &mut Notes,
) -> Mesh {
    let Some(header) = header::read(bytes, limits, notes) else { return Mesh::default() };
    let mut mesh = Mesh {
        version: header.version,
        header_bytes: header.bytes as u64,
        cost_data: header.cost_data,
        ..Mesh::default()
    };
    let mut reader = BlockReader::new(&bytes[header.bytes..], header.blocks, lacks, limits, notes);
    for (level, name) in LODS.into_iter().enumerate() {
        mesh.lods[level] =
            reader.read(name, notes, |value, notes| read_faces(value, name, limits, with_appearance, notes));
    }
    mesh.convex = read_convex(&mut reader, limits, notes);
    (mesh.physics_mesh, mesh.physics_shape) = read_physics_mesh(&mut reader, limits, with_appearance, notes);
    mesh.joints = reader.read(SKIN, notes, |value, notes| {
        if with_appearance {
            mesh.joint_names = skin::names(value);
        }
        skin::read(value, notes)
    });
    if let Some(joints) = mesh.joints {
        skin::check_weights(&mesh.lods, joints, notes);
    }
    lod::check_levels(&mesh.lods, |name| reader.has(name), header.is_missing_marker, notes);
    (mesh.blocks, mesh.absent, mesh.inflated) = reader.finish();
    mesh
}

fn read_faces(
    value: &Value<'_>,
    name: &'static str,
    limits: &Limits,
    with_appearance: bool,
    notes: &mut Notes,
) -> Option<Vec<Submesh>> {
    let mut faces = lod::read(value, name, limits.submeshes, notes)?;
    if with_appearance {
        appearance::add(&mut faces, value);
    }
    Some(faces)
}

fn read_convex(reader: &mut BlockReader<'_>, limits: &Limits, notes: &mut Notes) -> Option<Convex> {
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

type Faces = Option<Vec<Submesh>>;

/// Returns the physics mesh and, if both names are present, the one under the old name.
fn read_physics_mesh(
    reader: &mut BlockReader<'_>,
    limits: &Limits,
    with_appearance: bool,
    notes: &mut Notes,
) -> (Faces, Faces) {
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
        reader.read(name, notes, |value, notes| read_faces(value, name, limits, with_appearance, notes))
    };
    let (has_released, old) = (read(released), read(beta));
    match reader.has(released) {
        true => (has_released, old),
        false => (old, None),
    }
}
