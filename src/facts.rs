//! What is remembered of an asset once its bytes are gone.
//!
//! Facts are the content of a ledger: enough for every cost at every scale and every judgement, and no more.

use crate::{
    finding::Finding,
    format::{control, mesh, object, region},
    geometry::quantized::Domain,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One mesh asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeshFacts {
    /// Member of the input, with `#n` behind it for the n-th mesh of a scene.
    pub entry: String,
    /// From the entry's name.
    pub uuid: Option<Uuid>,
    /// Size of the asset.
    pub bytes: u64,
    /// xxh3-128 of the asset, 32 hexadecimal digits.
    pub content_hash: String,
    /// `version` of the header.
    pub version: Option<i64>,
    /// Blocks as the header lists them, in file order.
    pub blocks: Vec<mesh::Block>,
    /// Levels of detail: lowest, low, medium, high. Absent where the block is absent or unreadable.
    pub lods: [Option<LodFacts>; 4],
    /// The convex block: base hull and decomposition.
    pub convex: Option<ConvexFacts>,
    /// The physics mesh as it is priced: its triangles.
    pub physics_mesh: Option<TriangleMesh>,
    /// The simulator's own figures.
    pub cost_data: Option<mesh::PhysicsCostData>,
    /// Whether a skin block with joints is present, and how many.
    pub joints: Option<u32>,
    /// Departures from the format that do no harm.
    pub oddities: Vec<String>,
}

/// Counts of one level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LodFacts {
    /// Faces, empty ones included.
    pub submeshes: u32,
    /// Faces marked `NoGeometry`.
    pub empty_submeshes: u32,
    /// Vertices of all faces.
    pub vertices: u32,
    /// Triangles of all faces.
    pub triangles: u32,
}

/// The convex block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvexFacts {
    /// The base hull (`BoundingVerts`); absent where the block has none.
    pub base: Option<HullFacts>,
    /// The hulls of the decomposition in file order; empty where there is none or it is incomplete.
    pub hulls: Vec<HullFacts>,
    /// Points in `Positions`, whatever `HullList` says of them.
    pub positions: Option<u32>,
}

/// One convex hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HullFacts {
    /// Points stored.
    pub points: u32,
    /// Different points.
    pub unique_points: u32,
    /// Dimension of what they span: 0 point, 1 line, 2 plane, 3 solid.
    pub rank: u8,
}

/// A triangle mesh in quantised points.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TriangleMesh {
    /// Its faces.
    pub submeshes: Vec<TriangleSubmesh>,
}

/// One face of a triangle mesh. Triangles whose indices point outside are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriangleSubmesh {
    /// The box that its points are decoded into.
    pub domain: Domain,
    /// Its points.
    #[serde(with = "packed")]
    pub points: Vec<[u16; 3]>,
    /// Its triangles, as indices into `points`.
    #[serde(with = "packed")]
    pub triangles: Vec<[u16; 3]>,
}

/// One linkset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectFacts {
    /// Member of the input.
    pub entry: String,
    /// Number of the object in that member, from 0.
    pub index: u32,
    /// What it is in the export.
    pub role: Role,
    /// Number of its region in the ledger.
    pub region: Option<u32>,
    /// For a nested object: the UUID of the asset that holds it.
    pub asset: Option<Uuid>,
    /// How its document holds objects.
    pub layout: object::Layout,
    /// Departures from the format that do no harm.
    pub oddities: Vec<String>,
    /// The linkset itself.
    pub linkset: object::Linkset,
}

/// What an object is in its export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Stands in a region.
    Rezzed,
    /// Lies in an inventory: of an object, or of a person.
    Nested,
    /// Is a file of its own.
    Loose,
}

impl Role {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rezzed => "rezzed",
            Self::Nested => "nested",
            Self::Loose => "loose",
        }
    }
}

/// One region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionFacts {
    /// Its name, from its settings or terrain file.
    pub name: String,
    /// From the control file.
    pub uuid: Option<Uuid>,
    /// Its folder in a multi-region archive; empty otherwise.
    pub folder: String,
    /// Sides in metres, east and north.
    pub size: [u32; 2],
    /// Whether the control file states the size, or it was taken as 256.
    pub size_stated: bool,
    /// What its settings file says, where there is one that can be read.
    pub settings: Option<region::Settings>,
    /// Its parcels, by entry.
    pub parcels: Vec<ParcelFacts>,
    /// Whether there is a terrain file, and its size.
    pub terrain_bytes: Option<u64>,
}

/// One parcel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParcelFacts {
    /// Member of the input.
    pub entry: String,
    /// What the file says.
    pub parcel: region::Parcel,
}

/// The control file, and what the container itself is like.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ContainerFacts {
    /// `archive.xml`, where it can be read.
    pub control: Option<control::Control>,
    /// `gzip`, where the archive is compressed.
    pub compression: Option<String>,
    /// Members, directories left out.
    pub entries: u64,
    /// Directories.
    pub directories: u64,
    /// Whether something stands before the control file.
    pub control_not_first: bool,
    /// Bytes of all members.
    pub expanded_bytes: u64,
    /// Assets by the suffix of their name, with their number.
    pub assets: std::collections::BTreeMap<String, u64>,
    /// Inventory items of an IAR.
    pub inventory_items: u64,
    /// Departures from the format that do no harm.
    pub oddities: Vec<String>,
}

/// Files that were not audited, because their kind is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnknownFile {
    /// Path below the input.
    pub entry: String,
    /// Size.
    pub bytes: u64,
    /// What it looks like.
    pub looks_like: String,
}

/// All facts of one member of an input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryFacts {
    /// Meshes in it.
    pub meshes: Vec<MeshFacts>,
    /// Objects in it.
    pub objects: Vec<ObjectFacts>,
    /// What was found while decoding.
    pub findings: Vec<Finding>,
}

/// Triples of u16 as one base64 string: a tenth of the size of JSON arrays.
mod packed {
    use crate::geometry::quantized::triples;
    use base64::{Engine, prelude::BASE64_STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(points: &[[u16; 3]], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = points.iter().flatten().flat_map(|q| q.to_le_bytes()).collect();
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<[u16; 3]>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = BASE64_STANDARD.decode(text).map_err(D::Error::custom)?;
        Ok(triples(&bytes).collect())
    }
}
