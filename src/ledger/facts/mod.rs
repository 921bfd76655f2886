//! The facts about an asset, which remain after its bytes are released.
//!
//! Facts are the content of a ledger. They contain the input of every cost at every scale and of every rule, and
//! nothing else.

mod asset;
mod hull_points;
mod hulls;
mod memory_size;
mod store_row;
mod ubode_meshes;

pub use asset::{AssetFacts, Content, ContentHash, CutShort};
use glam::DVec3;
pub use hull_points::{HullPoints, keep_most};
use hullmark_format::{
    archive_xml, height_grid::HeightGrid, inventory, member, mesh, object, region, terrain::Heights,
};
use hullmark_geometry::quantized::Domain;
use hullmark_media::image::sculpt_map::SculptMap;
use hullmark_settings::simulator::limits::RegionLimits;
use hullmark_util::{
    json_number::{self, Number},
    named,
    work::Work,
};
pub use hulls::{Base, ConvexFacts, HullFacts, HullSource, SourceHull};
pub use memory_size::{asset_size, item_size, mesh_size, object_size, sculpt_size};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
pub use store_row::StoreRow;
pub use ubode_meshes::physics_mesh as physics_mesh_built;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeshFacts {
    /// Entry of the mesh in the input. The n-th mesh of a scene has the suffix `#n`.
    pub entry: String,
    /// UUID in the name of the entry.
    pub uuid: Option<Uuid>,
    pub bytes: u64,
    /// xxh3-128 of the asset, 32 hexadecimal digits.
    pub content_hash: String,
    /// `version` of the header.
    pub version: Option<i64>,
    /// Blocks as the header lists them, in file order.
    pub blocks: Vec<mesh::Block>,
    /// Levels of detail: lowest, low, medium, high. `None` if the block is missing or unreadable.
    pub lods: [Option<LodFacts>; 4],
    /// The convex block: base hull and decomposition.
    pub convex: Option<ConvexFacts>,
    /// Triangles of the physics mesh, from which its cost is computed. `None` if the block is missing or unreadable, or
    /// if the domain of one of its faces is not finite.
    pub physics_mesh: Option<TriangleMesh>,
    /// The same for the block with the old name, `physics_shape`, if the asset has both. OpenSim reads this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physics_shape: Option<TriangleMesh>,
    /// The hull from which an uploader would create the base hull.
    pub source_hull: Option<SourceHull>,
    /// The costs that the simulator stored in the asset.
    pub cost_data: Option<mesh::PhysicsCostData>,
    /// Number of joints in the skin block; `None` if there is none.
    pub joints: Option<u32>,
    /// Names of blocks that a viewer did not fetch into its cache. What depends on them is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// Harmless deviations from the format.
    pub oddities: Vec<String>,
    /// The part of a model file from which an upload would make this mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<ModelPart>>,
}

/// A part of a model file, before its upload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPart {
    /// Name in the file, without the suffix of a level.
    pub name: String,
    /// Size in metres.
    #[serde(with = "json_number::vector")]
    pub size: DVec3,
    /// Origin of each level, lowest first.
    pub origins: [mesh::LevelOrigin; 4],
    /// Smallest and largest number of bytes of the block of a level that the uploader generates; lowest first.
    pub generated: [Option<[u64; 2]>; 4],
}

/// The block of the physics mesh, and its name from before the release of meshes.
const PHYSICS_MESH: &str = "physics_mesh";
const OLD_PHYSICS_MESH: &str = "physics_shape";

impl ModelPart {
    /// Whether a place within a model is about this part: the part itself, a level, or the part that it was split from.
    fn is_within(&self, within: &str) -> bool {
        let suffix = within.strip_prefix(&*self.name);
        let is_slot = |suffix: &str| ["_LOD", "_PHYS"].iter().any(|begin| suffix.starts_with(begin));
        suffix.is_some_and(|suffix| suffix.is_empty() || is_slot(suffix)) || self.name.starts_with(within)
    }
}

impl MeshFacts {
    /// Whether a place (an entry, and a place within it) is in this mesh, or in the part of a model that becomes it.
    pub fn is_at(&self, entry: &str, within: &str) -> bool {
        let is_of_model = |part: &ModelPart| {
            self.entry.strip_prefix(entry).is_some_and(|rest| rest.starts_with('#')) && part.is_within(within)
        };
        self.entry == entry || self.model.as_deref().is_some_and(is_of_model)
    }

    /// Returns the physics mesh that OpenSimulator reads: of two the one with the old name, even if it is unreadable.
    pub fn opensim_physics_mesh(&self) -> Option<&TriangleMesh> {
        let has = |name| self.blocks.iter().any(|block| block.size > 0 && block.name == name);
        match self.opensim_physics_block() {
            Some(block) if block.size <= 0 => None,
            Some(block) if block.name == OLD_PHYSICS_MESH && has(PHYSICS_MESH) => self.physics_shape.as_ref(),
            _ => self.physics_mesh.as_ref(),
        }
    }

    /// Returns the block that OpenSimulator looks for. It looks for the old name first, and only compares names.
    pub fn opensim_physics_block(&self) -> Option<&mesh::Block> {
        [OLD_PHYSICS_MESH, PHYSICS_MESH]
            .into_iter()
            .find_map(|name| self.blocks.iter().find(|block| block.name == name))
    }

    /// Number of its hulls, the base hull included.
    pub fn hulls(&self) -> usize {
        self.convex.as_ref().map_or(0, |convex| usize::from(convex.base.is_some()) + convex.hulls.len())
    }

    /// Returns the facts without triangles and costs of physics.
    pub fn without_physics_models(&self) -> Self {
        Self {
            entry: self.entry.clone(),
            uuid: self.uuid,
            bytes: self.bytes,
            content_hash: self.content_hash.clone(),
            version: self.version,
            blocks: self.blocks.clone(),
            lods: self.lods,
            convex: None,
            physics_mesh: None,
            physics_shape: None,
            source_hull: self.source_hull,
            // Figures that the simulator stored are those of the present model.
            cost_data: None,
            joints: self.joints,
            absent: self.absent.clone(),
            oddities: self.oddities.clone(),
            model: self.model.clone(),
        }
    }

    /// Extracts the facts of `mesh`, which was decoded from `bytes`. Values beyond the work limit are `None`.
    pub fn new(entry: String, uuid: Option<Uuid>, bytes: &[u8], mesh: &mesh::Mesh, work: &mut Work) -> Self {
        let base = mesh.convex.as_ref().and_then(|convex| Base::new(convex, work));
        // Before the decomposition, because costs depend on it.
        let source_hull = SourceHull::new(mesh, base.as_ref(), work);
        Self {
            entry,
            uuid,
            bytes: bytes.len() as u64,
            content_hash: format!("{:032x}", xxh3_128(bytes)),
            version: mesh.version,
            blocks: mesh.blocks.clone(),
            lods: mesh.lods.each_ref().map(|lod| lod.as_deref().map(LodFacts::new)),
            convex: mesh.convex.as_ref().map(|convex| ConvexFacts::new(convex, base.as_ref(), work)),
            physics_mesh: mesh.physics_mesh.as_deref().and_then(TriangleMesh::new),
            physics_shape: mesh.physics_shape.as_deref().and_then(TriangleMesh::new),
            source_hull,
            cost_data: mesh.cost_data.clone(),
            joints: mesh.joints,
            absent: mesh.absent.iter().map(|&name| name.to_owned()).collect(),
            oddities: mesh.oddities.iter().map(|&oddity| oddity.to_owned()).collect(),
            model: None,
        }
    }
}

/// Counts of one level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LodFacts {
    /// Number of faces, including empty ones.
    pub submeshes: u32,
    /// Number of faces marked `NoGeometry`.
    pub empty_submeshes: u32,
    pub vertices: u32,
    pub triangles: u32,
}

impl LodFacts {
    pub fn new(faces: &[mesh::Submesh]) -> Self {
        // No block within the limit of inflated bytes holds 2³² of anything.
        let sum = |count: fn(&mesh::Submesh) -> usize| faces.iter().map(count).sum::<usize>() as u32;
        Self {
            submeshes: faces.len() as u32,
            empty_submeshes: sum(|face| face.empty.into()),
            vertices: sum(|face| face.positions.len()),
            triangles: sum(|face| face.triangles.len()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TriangleMesh {
    pub submeshes: Vec<TriangleSubmesh>,
}

impl TriangleMesh {
    /// Keeps the triangles of these faces whose indices are valid. Empty faces stay, so that the numbers of faces do
    /// not change.
    ///
    /// `None` if a face with triangles has a domain that is not finite. Its triangles cannot be computed, and a cost
    /// without them would be too low.
    pub fn new(faces: &[mesh::Submesh]) -> Option<Self> {
        let submeshes = faces.iter().map(|face| {
            let triangles: Vec<_> =
                face.triangles.iter().copied().filter(|&triangle| face.holds(triangle)).collect();
            let known = face.domain.min.is_finite() && face.domain.max.is_finite();
            if !known && !triangles.is_empty() {
                return None;
            }
            // The domain of a face without triangles is not used.
            let domain = if known { face.domain } else { Domain::UNIT };
            Some(TriangleSubmesh { domain, points: face.positions.clone(), triangles })
        });
        submeshes.collect::<Option<_>>().map(|submeshes| Self { submeshes })
    }
}

/// One face of a triangle mesh. Triangles with invalid indices are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriangleSubmesh {
    /// Box into which the points are decoded.
    pub domain: Domain,
    /// Quantized points.
    #[serde(with = "packed")]
    pub points: Vec<[u16; 3]>,
    /// Triangles, as indices into `points`.
    #[serde(with = "packed")]
    pub triangles: Vec<[u16; 3]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SculptFacts {
    /// UUID in the name of the entry.
    pub uuid: Uuid,
    pub entry: String,
    pub bytes: u64,
    /// Width and height of the stored image in pixels; `None` if its header cannot be read.
    pub stored_size: Option<[u32; 2]>,
    /// Whether the image is in a JP2 file, which viewers do not open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_boxed: bool,
    /// Estimated loss of compression: the root of the mean square error of the worst color, in levels of 255. `None` if
    /// it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_levels: Option<Number>,
    /// The pixels, or the reason why there are none.
    pub state: SculptState,
}

/// Whether a sculpt map could be decoded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SculptState {
    Decoded(SculptMap),
    /// The reason why it could not be decoded. Values that depend on the map are not evaluated.
    Broken(String),
}

impl SculptFacts {
    /// Returns the pixels from which OpenSimulator creates a mesh.
    pub fn opensim_pixels(&self) -> Option<&SculptMap> {
        self.pixels().map(|pixels| pixels.nearest.as_deref().unwrap_or(pixels))
    }

    /// Returns the pixels that viewers use; `None` if the map could not be decoded.
    pub fn pixels(&self) -> Option<&SculptMap> {
        match &self.state {
            SculptState::Decoded(pixels) => Some(pixels),
            SculptState::Broken(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectFacts {
    pub entry: String,
    /// Index of the object in that entry, from 0.
    pub index: u32,
    pub role: Role,
    /// Index of its region in the ledger.
    pub region: Option<u32>,
    /// Only for a nested object: UUID of the asset that contains it.
    pub asset: Option<Uuid>,
    pub layout: object::Layout,
    /// Harmless deviations from the format.
    pub oddities: Vec<String>,
    pub linkset: object::Linkset,
}

impl ObjectFacts {
    /// Creates a linkset that is in a region and comes from no document.
    pub fn rezzed(linkset: object::Linkset) -> Self {
        Self {
            entry: String::new(),
            index: 0,
            role: Role::Rezzed,
            region: None,
            asset: None,
            layout: object::Layout::Xml2,
            oddities: Vec::new(),
            linkset,
        }
    }
}

named! {
/// Role of an object in its export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It is rezzed in a region.
    Rezzed = "rezzed",
    /// It is in the inventory of an object or a person.
    Nested = "nested",
    /// It is a separate file.
    Loose = "loose",
}
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionFacts {
    /// Name, from its settings or terrain file.
    pub name: String,
    /// UUID from the control file.
    pub uuid: Option<Uuid>,
    /// Folder in a multi-region archive; empty otherwise.
    pub folder: String,
    /// Sides in metres, east and north.
    pub size: [u32; 2],
    /// Whether the control file states the size. If not, the size is 256 m.
    pub size_stated: bool,
    /// Whether the control file calls it a megaregion.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_megaregion: bool,
    /// Content of its settings file; `None` if the file is missing or unreadable.
    pub settings: Option<region::Settings>,
    /// Parcels, sorted by entry.
    pub parcels: Vec<ParcelFacts>,
    /// Terrain; `None` if the region has no terrain file.
    pub terrain: Option<TerrainFacts>,
    /// A terrain file in a folder that no loader reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread_terrain: Option<String>,
    /// Number of rows in each table of a database; empty for archives.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<String, u64>,
    /// Whether a list of regions has this one: the table of a grid, or files of regions. `None` without a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<bool>,
    /// Whether it may have more objects, in rows of its database that were not read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub objects_unread: bool,
    /// Limits on prims from the files of a simulator. A ledger does not have them.
    #[serde(skip)]
    pub limits: RegionLimits,
}

impl RegionFacts {
    /// Creates the region of a folder, of which nothing else is known yet.
    pub fn of_folder(folder: &str) -> Self {
        Self {
            name: String::new(),
            uuid: None,
            folder: folder.into(),
            size: [256, 256],
            size_stated: false,
            is_megaregion: false,
            settings: None,
            parcels: Vec::new(),
            terrain: None,
            unread_terrain: None,
            rows: BTreeMap::new(),
            listed: None,
            objects_unread: false,
            limits: RegionLimits::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TerrainFacts {
    pub entry: String,
    /// Size in bytes, as the input states it.
    pub bytes: u64,
    /// Heights; `None` if not all of them were read.
    pub heights: Option<Heights>,
    /// Whether the file is an image with an invalid start or end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken_image: bool,
    /// Heights for a map; `None` if the file is not a square of numbers or was not read completely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<HeightGrid>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParcelFacts {
    pub entry: String,
    /// Its place among the parcels of the input, in the order of the file: of two that overlap, the later is lost.
    pub order: u32,
    pub parcel: region::Parcel,
}

/// The compression of a zip or tar that is an unpacked archive.
pub const IN_CONTAINER: &str = "container";

/// The control file, and the properties of the container.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ContainerFacts {
    /// `archive.xml`; `None` if it is missing or unreadable.
    pub control: Option<archive_xml::ArchiveManifest>,
    /// `gzip` if the archive is compressed.
    pub compression: Option<String>,
    /// Number of entries without directories.
    pub entries: u64,
    pub directories: u64,
    /// Whether an entry precedes the control file.
    pub control_not_first: bool,
    /// Bytes of all entries.
    pub expanded_bytes: u64,
    /// Number of assets for each suffix of their names.
    pub assets: BTreeMap<String, u64>,
    /// Number of inventory items of an IAR, readable or not, or of all owners of a database.
    pub inventory_items: u64,
    /// Number of owners of inventories in a database, evaluated or not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inventory_owners: u64,
    /// Names of the databases with tables of simulators, also of those that were not read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub databases: BTreeSet<String>,
    /// Harmless deviations from the format.
    pub oddities: Vec<String>,
    /// Units of work to read the content: see [`hullmark_util::work`].
    pub work: u64,
    /// Whether an asset that is absent here may be elsewhere: in a cache, or in a folder of a store.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The facts of a evaluated inventory in a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryFacts {
    /// The folder of its items in the input: `inventory/First Last/`. It ends with a slash.
    pub entry: String,
    pub owner: Uuid,
    pub folders: u64,
    pub items: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemFacts {
    pub entry: String,
    pub item: inventory::InventoryItem,
}

named! {
/// Completeness of the reading of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It was read to its end.
    Complete = "complete",
    /// It was not read to its end: damaged, over a budget, or interrupted.
    Incomplete = "incomplete",
    /// It could not be read.
    Unreadable = "unreadable",
    /// It is left to another run. Its present state is unknown.
    NotCovered = "not_covered",
    /// It is an older copy, and a newer one is evaluated. Only report rows have this status.
    Superseded = "superseded",
}
}

impl Status {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// A file that was not audited, because its kind is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnknownFile {
    /// Path below the input.
    pub entry: String,
    pub bytes: u64,
    /// Likely kind of the file.
    pub looks_like: String,
    /// Number of further files that this one represents. They have no row of their own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further: u64,
}

impl UnknownFile {
    /// Whether it is a backup that failed: a file with the name of an archive, or a dump without content.
    pub fn is_failed_backup(&self) -> bool {
        is_archive_name(&self.entry) || self.failed_dump().is_some()
    }

    /// Says why it is a failed dump. `None` for any other file.
    pub fn failed_dump(&self) -> Option<&str> {
        self.looks_like.strip_prefix(FAILED_DUMP)
    }

    /// Returns the number of files that this one represents, with itself.
    pub fn files(&self) -> u64 {
        self.further.saturating_add(1)
    }
}

/// Files of unknown kinds. The last one that is kept counts all later ones. Failed backups are kept apart.
#[derive(Debug)]
pub struct UnknownFiles {
    list: Vec<UnknownFile>,
    most: usize,
    /// For other files and for failed backups: how many are kept, and the last of them.
    kept: [(usize, usize); 2],
}

impl UnknownFiles {
    /// Creates an empty list with at most `most` files of each sort; 0 counts as 1.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), most: most.max(1), kept: [(0, 0); 2] }
    }

    /// Adds a file, or counts it with the last one of its sort.
    pub fn push(&mut self, file: UnknownFile) {
        let (kept, last) = &mut self.kept[usize::from(file.is_failed_backup())];
        if *kept < self.most {
            (*kept, *last) = (*kept + 1, self.list.len());
            self.list.push(file);
            return;
        }
        let last = &mut self.list[*last];
        last.further = last.further.saturating_add(file.files());
        last.bytes = last.bytes.saturating_add(file.bytes);
    }

    pub fn finish(self) -> Vec<UnknownFile> {
        self.list
    }
}

/// How the likely kind of a failed dump begins, before the reason.
pub const FAILED_DUMP: &str = "a failed dump: ";

/// Whether a file has the extension of a dump, or one that packed dumps have.
pub fn is_dump_name(name: &str) -> bool {
    const PACKED: [&str; 5] = [".gz", ".zst", ".bz2", ".xz", ".lz4"];
    const OTHERS: [&str; 9] = ["log", "txt", "json", "xml", "csv", "tsv", "html", "md", "conf"];
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let unpacked = PACKED.iter().find_map(|packed| name.strip_suffix(packed));
    let ending = unpacked.unwrap_or(&name).rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_number = !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_digit());
    ending.contains("sql")
        || ["dump", "dmp"].contains(&ending)
        || unpacked.is_some() && !is_number && !OTHERS.contains(&ending)
}

/// Whether a file has the extension of an archive. Metadata of macOS, as `._Castle.oar`, has it by chance.
pub fn is_archive_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ending == "oar" || ending == "iar") && !member::is_named_as_metadata(name)
}

/// Serializes triples of u16 as one base64 string: a tenth of the size of JSON arrays.
mod packed {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use hullmark_geometry::quantized::triples;
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use hullmark_format::mesh::{Convex, Mesh, Submesh};
    use hullmark_geometry::ubode::Built;

    fn face(positions: &[[u16; 3]], triangles: &[[u16; 3]]) -> Submesh {
        let (positions, triangles) = (positions.to_vec(), triangles.to_vec());
        Submesh { positions, triangles, ..Submesh::default() }
    }

    #[test]
    fn every_status_is_known_by_the_name_that_reports_give_it() {
        for status in Status::ALL {
            assert_eq!(Status::named(status.name()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.name());
        }
        assert_eq!(Status::named("not covered"), None);
    }

    #[test]
    fn names_of_dumps_are_known() {
        for name in [
            "opensim.sql",
            "opensim-2026-11-24.sql.gz",
            "opensim_bkup_host_2026-11-24.mysql_bkup.gz",
            "a/b/Robust.SQL.ZST",
            "nightly.dump",
            "opensim-2026-11-24.gz",
        ] {
            assert!(is_dump_name(name), "{name}");
        }
        for name in ["README.md", "a.oar", "opensim.log.gz", "syslog.2.gz", "notes.txt", "a.gz.txt", "empty"]
        {
            assert!(!is_dump_name(name), "{name}");
        }
    }

    #[test]
    fn triangles_that_point_outside_are_counted_and_not_kept() {
        let faces = [face(&[[0; 3], [1; 3], [2; 3]], &[[0, 1, 2], [0, 1, 3]])];
        let mesh = Mesh { lods: [None, None, None, Some(faces.to_vec())], ..Mesh::default() };
        let facts = MeshFacts::new("a.llmesh".into(), None, b"abc", &mesh, &mut Work::unlimited());
        assert_eq!(facts.content_hash, "06b05ab6733a618578af5f94892f3950");
        let lod = LodFacts { submeshes: 1, empty_submeshes: 0, vertices: 3, triangles: 2 };
        assert_eq!(facts.lods, [None, None, None, Some(lod)]);
        let kept = TriangleMesh::new(&faces).expect("the domain is known");
        assert_eq!(kept.submeshes[0].triangles, [[0, 1, 2]]);
    }

    #[test]
    fn a_domain_that_is_no_number_makes_the_physics_mesh_unknown() {
        let mut nan = face(&[[0; 3]], &[[0, 0, 0]]);
        nan.domain.max.x = f64::NAN;
        assert_eq!(TriangleMesh::new(std::slice::from_ref(&nan)), None);
        nan.triangles.clear();
        let kept = TriangleMesh::new(&[nan]).expect("nothing is lost");
        assert!(kept.submeshes[0].domain == Domain::UNIT);
    }

    #[test]
    fn a_flat_domain_flattens_a_hull() {
        let corners = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]];
        let convex = Convex {
            domain: Domain { max: DVec3::new(0.5, 0.5, -0.5), ..Domain::UNIT },
            base: Some(corners.to_vec()),
            hull_sizes: Some(vec![4, 3]),
            positions: Some([corners.as_slice(), &corners[..2]].concat()),
        };
        let work = &mut Work::unlimited();
        let base = Base::new(&convex, work);
        let facts = ConvexFacts::new(&convex, base.as_ref(), work);
        let reported = |facts: &HullFacts| (facts.points, facts.unique_points, facts.rank);
        assert_eq!(facts.base.as_ref().map(reported), Some((4, 3, 2)));
        assert_eq!(facts.hulls.iter().map(reported).collect::<Vec<_>>(), [(4, 3, 2), (2, 2, 1)]);
        assert_eq!(facts.positions, Some(6));
        assert_eq!(facts.built_base, Some(Built::FAILED), "a flat hull cannot be built");
        let solid = HullFacts::new(&corners, &Domain::UNIT, &mut Work::unlimited());
        assert_eq!(reported(&solid), (4, 4, 3));
    }
}
