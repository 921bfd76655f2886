//! The interface between scan and report: all facts of one input, in one file.
//!
//! `scan` writes ledgers and `report` reads them, and nothing else passes between the two. A ledger is a header, which
//! is one line of JSON, followed by an [`index`] and by the facts as compressed JSON. The header holds the checksum of
//! both, so a cut or altered ledger is refused. A ledger is written to a temporary file and renamed into place, so it is
//! always complete.

pub(crate) mod age;
pub mod archive;
pub mod copies;
pub mod coverage;
pub mod facts;
pub(crate) mod identity;
pub mod in_memory;
pub mod index;
pub mod library;
mod packing;
mod region_files;
pub mod summary;

use crate::{
    format::{Defect, archive_xml::ArchiveManifest},
    ledger::{
        facts::{
            AssetFacts, ContainerFacts, Content, InventoryFacts, ItemFacts, MeshFacts, ObjectFacts,
            RegionFacts, SculptFacts, Status, StoreRow, UnknownFile,
        },
        index::IndexLabel,
        summary::LedgerSummary,
    },
    storage,
    storage::stamp::Stamp,
    util::{
        advice,
        dates_in_names::Seconds,
        timings::{self, Stage},
    },
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process, thread,
    time::{SystemTime, UNIX_EPOCH},
};
use thiserror::Error;
use uuid::Uuid;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Version of the format, raised whenever facts or defects change their meaning or layout. A change of rules does not
/// raise it. A test stores it with a digest of ledgers (`tests/truth/ledger_digest.toml`).
pub const VERSION: u32 = 18;

/// Maximum length of a header in bytes: a header has eight states of at most 1,000 regions each. The search for the end
/// of the line stops here, if the file is no ledger.
const LABEL: usize = 8 * 1024 * 1024;

/// Most headers are shorter than this number of bytes.
const USUAL_LABEL: usize = 16 * 1024;

/// The extension of a ledger file.
pub const EXTENSION: &str = "ledger";

/// The extension of an incomplete ledger file.
pub(crate) const PARTIAL: &str = "partial";

/// The kind of a dump of databases.
pub const DUMP: &str = "dump";

/// The kind of a file of SQLite.
pub const SQLITE: &str = "sqlite";

/// The kind of a database on a server of MySQL or MariaDB.
pub const MYSQL: &str = "mysql";

/// The kind of a database on a server of PostgreSQL.
pub const POSTGRESQL: &str = "postgresql";

/// The kind of a tree of files of an FSAssets service, or of a folder in it.
pub const FSASSETS: &str = "fsassets";

/// The kind of a simulator's asset cache.
pub const FLOTSAM: &str = "flotsam";

/// The kinds of databases.
const DATABASES: [&str; 4] = [DUMP, SQLITE, MYSQL, POSTGRESQL];

/// Whether inputs of this kind are databases.
pub(crate) fn is_database(kind: &str) -> bool {
    DATABASES.contains(&kind)
}

/// Types of items that link to another item or folder. Their asset is no asset.
pub(crate) const LINKS: [i32; 2] = [24, 25];

/// The kind of a store's ledger: its assets count as present for inputs that lack them.
pub const STORE: &str = "store";

/// The kind of the placeholder for an expected archive that is missing. It is never written.
pub const ABSENT: &str = "absent";

/// All facts that were read from one input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Path of the input, as reports show it.
    pub input: String,
    /// Kind of the input: `oar`, `iar`, `oar-tree`, `iar-tree`, `folder`, `unreadable`, a database or a place,
    /// [`STORE`] or [`ABSENT`]. A store has the kind [`STORE`], regardless of its format.
    pub kind: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// xxh3-128 of those bytes, 32 hexadecimal digits; `None` if not all were read.
    pub content_hash: Option<String>,
    /// How far the input was read.
    pub status: Status,
    /// The facts of the container.
    pub container: ContainerFacts,
    /// Regions of the input.
    pub regions: Vec<RegionFacts>,
    /// Every asset, in the order of the input.
    pub assets: Vec<AssetFacts>,
    /// Meshes, in the order of the input.
    pub meshes: Vec<MeshFacts>,
    /// The sculpt maps that the input contains and its objects use, by UUID.
    pub sculpts: Vec<SculptFacts>,
    /// Objects, in the order of the input.
    pub objects: Vec<ObjectFacts>,
    /// Inventory items in the order of the input, of an IAR or of the evaluated owners of a database.
    pub items: Vec<ItemFacts>,
    /// The files of assets in an FSAssets store; only a database has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub store_rows: Vec<StoreRow>,
    /// The evaluated inventories of a database, by entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inventories: Vec<InventoryFacts>,
    /// Files that were not audited.
    pub unknown: Vec<UnknownFile>,
    /// Defects that were found while the input was read.
    pub defects: Vec<Defect>,
}

/// The header of a ledger, which is its first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerHeader {
    /// Version of the format.
    pub hullmark_ledger: u32,
    /// Version of the program that wrote the ledger, for people. Nothing depends on it.
    pub program: String,
    /// Path of the input, as reports show it.
    pub input: String,
    /// Kind of the input.
    pub kind: String,
    /// Bytes on disk.
    #[serde(default)]
    pub bytes: u64,
    /// xxh3-128 of those bytes; `None` if not all were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Summary of the input.
    pub brief: LedgerSummary,
    /// Summaries of earlier states, the latest first. Only complete and distinct states are stored, up to a maximum
    /// number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<LedgerSummary>,
    /// Provenance of the ledger; `None` if the ledger is not stored for later runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Provenance>,
    /// The index, which follows the header.
    #[serde(default)]
    pub index: IndexLabel,
    /// xxh3-128 of the data after the header.
    pub checksum: String,
}

impl LedgerHeader {
    /// Returns the first line of the ledger's file.
    fn line(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }

    /// Drops all values that a report does not use, because the headers of all inputs are in memory together.
    pub(crate) fn in_short(mut self) -> Self {
        self.program = String::new();
        let modified = self.made.and_then(|made| made.modified);
        self.made = modified.map(|_| Provenance { modified, ..Provenance::default() });
        self
    }
}

/// The provenance of a ledger: if it is equal, a scan would produce the same ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Absolute path of the input.
    pub path: String,
    /// Name, size and time of the input's files; `None` if the ledger is valid for one run only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<Stamp>,
    /// Time of the last change of the archive's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Seconds>,
    /// Content hashes of the input's files; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Stamp>,
    /// Version of ledgers, features and limits.
    pub settings: String,
    /// Identifier of the plan for which the ledger was written. For a store it also covers the plan's inputs for whose
    /// missing assets the store was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Time at which the input was read, in RFC 3339 with whole seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// Only for a store: the assets that the inputs lacked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies: Option<String>,
    /// Only for a database or a store: which databases were read, and the owners whose inventories were evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
}

impl LedgerHeader {
    /// Creates a ledger from the header alone, for the row of an input whose ledger need not be read.
    pub(crate) fn outline(&self) -> Ledger {
        let LedgerSummary { status, created, bytes, ref regions, .. } = self.brief;
        let region = |region: &summary::Region| RegionFacts {
            name: region.name.clone(),
            uuid: region.uuid,
            ..RegionFacts::of_folder("")
        };
        let control =
            created.map(|created| ArchiveManifest { created: Some(created), ..ArchiveManifest::default() });
        Ledger {
            bytes: self.bytes,
            content_hash: self.content_hash.clone(),
            container: ContainerFacts { control, expanded_bytes: bytes, ..ContainerFacts::default() },
            regions: regions.iter().map(region).collect(),
            ..Ledger::empty(&self.input, &self.kind, status)
        }
    }
}

/// The reason why a ledger was refused.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The ledger could not be read or written.
    #[error("The ledger {} cannot be read or written; {}", path.display(), advice::to_write(source, "folder"))]
    Io {
        /// Path of the ledger.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The file is damaged, or is no ledger.
    #[error("The ledger {} is damaged ({why}). Delete it and scan its input again", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The ledger has another version of the format.
    #[error(
        "The ledger {} has format version {found}; this program reads version {VERSION}. Scan its input again",
        path.display()
    )]
    Version {
        /// Path of the ledger.
        path: PathBuf,
        /// Version of the ledger.
        found: u32,
    },
}

/// Returns the file name of an input's ledger: readable, and different for every path. One path may be an audited input
/// and a store.
pub fn file_name(input: &str, store: bool) -> String {
    let last = input.rsplit(['/', '\\']).find(|step| !step.is_empty()).unwrap_or("input");
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let readable: String = last.chars().take(60).map(safe).collect();
    let before = match store {
        true => "store-",
        false if is_device(last) => "_",
        false => "",
    };
    format!("{before}{readable}-{:016x}.{EXTENSION}", xxh3_64(input.as_bytes()))
}

/// Whether Windows takes a file of this name for a device, with any extension. A member of a container may have it.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = |port: &str| port.len() == 1 && port != "0";
    matches!(&*stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || ["com", "lpt"].iter().any(|kind| stem.strip_prefix(kind).is_some_and(is_port))
}

/// Whether a file has the name of a ledger, complete or partial.
pub(crate) fn is_file_name(path: &Path) -> bool {
    let half = Path::new(path.file_stem().unwrap_or_default());
    let is_half = path.extension().is_some_and(|ending| ending == PARTIAL);
    let stem = if is_half { half.file_stem() } else { Some(half.as_os_str()) };
    let stem = stem.unwrap_or_default().to_string_lossy();
    let hash = stem.rsplit_once('-').map(|(_, hash)| hash);
    hash.is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Writes a file atomically. Each writer, on this machine or another, uses its own temporary file.
fn place(path: &Path, label: &LedgerHeader, body: &[u8]) -> io::Result<()> {
    let mut line = label.line()?;
    if storage::is_url(path) {
        line.extend(body);
        return storage::put(path, line);
    }
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let own = xxh3_64(format!("{} {moment} {:?}", process::id(), thread::current().id()).as_bytes());
    let partial = path.with_extension(format!("{own:016x}.{PARTIAL}"));
    let placed = File::create_new(&partial)
        .and_then(|mut file| file.write_all(&line).and_then(|()| file.write_all(body)))
        .and_then(|()| storage::rename(&partial, path));
    if placed.is_err() {
        // On a full disk the partial file would take space that later files need.
        let _ = fs::remove_file(&partial);
    }
    placed
}

impl Ledger {
    /// Creates the empty ledger of the run itself, whose findings belong to no input.
    pub(crate) fn of_run() -> Self {
        Self::empty("", "", Status::Complete)
    }

    /// Creates a ledger without facts.
    pub(crate) fn empty(input: &str, kind: &str, status: Status) -> Self {
        Self {
            input: input.into(),
            kind: kind.into(),
            bytes: 0,
            content_hash: None,
            status,
            container: ContainerFacts::default(),
            regions: Vec::new(),
            assets: Vec::new(),
            meshes: Vec::new(),
            sculpts: Vec::new(),
            objects: Vec::new(),
            items: Vec::new(),
            store_rows: Vec::new(),
            inventories: Vec::new(),
            unknown: Vec::new(),
            defects: Vec::new(),
        }
    }

    /// Writes the ledger into a folder atomically.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, LedgerError> {
        self.write_labelled(folder, self.label()).map(|(path, _)| path)
    }

    /// Returns the file of the ledger: its name and its bytes.
    pub fn to_file(&self) -> io::Result<(String, Vec<u8>)> {
        let packed = self.pack();
        let label = packed.labelled(self.label());
        let mut bytes = label.line()?;
        bytes.extend(packed.bytes());
        Ok((file_name(&label.input, self.is_store()), bytes))
    }

    /// Writes the ledger with this header, which states its provenance and earlier states. So a later run can check
    /// whether the ledger is still valid.
    pub fn write_labelled(
        &self,
        folder: &Path,
        label: LedgerHeader,
    ) -> Result<(PathBuf, LedgerHeader), LedgerError> {
        self.pack().write(folder, label)
    }

    /// Packs the ledger into the data that follow the header in its file.
    pub fn pack(&self) -> Packed {
        timings::within(Stage::Ledger, || {
            let index = index::of(self);
            let label = IndexLabel::of(&index);
            Packed { bytes: packing::pack(self, index), index: label }
        })
    }

    /// Creates the ledger of an expected archive that is missing.
    pub fn absent(name: &str) -> Self {
        Self::empty(name, ABSENT, Status::Unreadable)
    }

    /// Whether the ledger belongs to a store, and not to an input to audit.
    pub fn is_store(&self) -> bool {
        self.kind == STORE
    }

    /// Whether the input is a database, which may belong to a grid that has its assets elsewhere.
    pub fn is_database(&self) -> bool {
        is_database(&self.kind)
    }

    /// Returns the evaluated inventory that contains an entry.
    pub fn inventory_of(&self, entry: &str) -> Option<&InventoryFacts> {
        // Entries of inventories end with a slash. So no other inventory is between an inventory and its items.
        let after = self.inventories.partition_point(|inventory| *inventory.entry <= *entry);
        self.inventories[..after].last().filter(|inventory| entry.starts_with(&inventory.entry))
    }

    /// Returns the meshes and sculpt maps that its objects use as bodies and that the input does not contain.
    pub fn missing_bodies(&self) -> BTreeSet<Uuid> {
        let parts = self.objects.iter().flat_map(|object| &object.linkset.parts);
        let bodies = parts.flat_map(|part| part.mesh().into_iter().chain(part.possible_sculpt_map()));
        self.missing_of(bodies)
    }

    /// Returns the assets that the input certainly uses and does not contain.
    pub fn missing_assets(&self) -> BTreeSet<Uuid> {
        let parts = || self.objects.iter().flat_map(|object| &object.linkset.parts);
        let regions = self.regions.iter().flat_map(|region| {
            let of_land = region.parcels.iter().flat_map(|parcel| &parcel.parcel.references);
            region.settings.iter().flat_map(|settings| &settings.references).chain(of_land)
        });
        let references = parts().flat_map(|part| &part.references).chain(regions);
        let inventories = parts().flat_map(|part| &part.inventory).map(|item| (item.asset, item.asset_type));
        let items = self.items.iter().map(|facts| (facts.item.asset, facts.item.asset_type));
        let of_items = inventories.chain(items).filter(|(_, asset_type)| !LINKS.contains(asset_type));
        let texts = self.assets.iter().filter_map(|asset| match &asset.content {
            Content::Text(text) => Some(&text.references),
            _ => None,
        });
        let mut missing = self.missing_bodies();
        let used = references.map(|reference| reference.asset).chain(of_items.map(|(asset, _)| asset));
        missing.extend(self.missing_of(used.chain(texts.flatten().copied())));
        missing
    }

    /// Returns those of these assets that the input does not contain.
    fn missing_of(&self, used: impl Iterator<Item = Uuid>) -> BTreeSet<Uuid> {
        let mut missing: BTreeSet<Uuid> = used.filter(|asset| !asset.is_nil()).collect();
        for uuid in self.assets.iter().filter_map(AssetFacts::uuid) {
            missing.remove(&uuid);
        }
        missing
    }

    /// Returns the header of the ledger without the checksum, because the ledger may never be written.
    pub fn label(&self) -> LedgerHeader {
        LedgerHeader {
            hullmark_ledger: VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            input: self.input.clone(),
            kind: self.kind.clone(),
            bytes: self.bytes,
            content_hash: self.content_hash.clone(),
            brief: LedgerSummary::new(self),
            earlier: Vec::new(),
            made: None,
            index: IndexLabel::default(),
            checksum: String::new(),
        }
    }

    /// Reads a ledger from a file.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        unpacked(path, read_whole(path)?)
    }

    /// Unpacks the bytes of a ledger file.
    pub fn from_file(bytes: Vec<u8>) -> Result<Self, LedgerError> {
        let path = Path::new("in memory");
        unpacked(path, whole(path, bytes)?)
    }
}

/// A packed ledger without its header: a few percent of its unpacked size.
#[derive(Debug, Clone)]
pub struct Packed {
    /// The index, and the facts after it.
    bytes: Box<[u8]>,
    index: IndexLabel,
}

impl Packed {
    /// Returns the packed bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the ledger into a folder atomically. Returns the path and the header, which has the checksum.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path, label: LedgerHeader) -> Result<(PathBuf, LedgerHeader), LedgerError> {
        let path = folder.join(file_name(&label.input, label.kind == STORE));
        let label = self.labelled(label);
        match timings::within(Stage::Ledger, || place(&path, &label, self.bytes())) {
            Ok(()) => Ok((path, label)),
            Err(source) => Err(LedgerError::Io { path, source }),
        }
    }

    /// Completes a header by what depends on the packed bytes.
    fn labelled(&self, label: LedgerHeader) -> LedgerHeader {
        let checksum = format!("{:032x}", xxh3_128(self.bytes()));
        LedgerHeader { index: self.index, checksum, ..label }
    }

    /// Unpacks the ledger.
    ///
    /// # Errors
    /// This version did not pack the data.
    pub fn unpack(&self) -> io::Result<Ledger> {
        let facts = self.bytes.get(self.index.bytes..).ok_or(io::ErrorKind::InvalidData)?;
        timings::within(Stage::Ledger, || packing::unpack(facts))
    }
}

/// Reads the header of a ledger.
pub fn read_label(path: &Path) -> Result<LedgerHeader, LedgerError> {
    timings::within(Stage::Ledger, || {
        let io_error = |source| LedgerError::Io { path: path.into(), source };
        let line = first_line(path).map_err(io_error)?;
        timings::pass(Stage::Ledger, line.len());
        parse(path, &line)
    })
}

/// Reads the header of a ledger that another version of the program may have written. Summaries are valid in all
/// versions of the facts.
pub(crate) fn read_any_label(path: &Path) -> Result<LedgerHeader, LedgerError> {
    let line = first_line(path).map_err(|source| LedgerError::Io { path: path.into(), source })?;
    serde_json::from_slice(&line)
        .map_err(|error| LedgerError::Damaged { path: path.into(), why: error.to_string() })
}

/// Reads the first line of a file or an object, and as little as possible of the rest.
fn first_line(path: &Path) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    if !storage::is_url(path) {
        let reader = BufReader::new(File::open(path)?);
        reader.take(LABEL as u64).read_until(b'\n', &mut line)?;
        return Ok(line);
    }
    for bytes in [USUAL_LABEL, LABEL] {
        line = storage::start(path, bytes)?;
        if let Some(end) = line.iter().position(|&byte| byte == b'\n') {
            line.truncate(end + 1);
            break;
        }
        if line.len() < bytes {
            break;
        }
    }
    Ok(line)
}

/// Reads the header, and checks that the facts are complete. A file in an object store is always complete, so its facts
/// are only checked when they are read.
///
/// # Errors
/// The same as for reading a ledger, except for facts that this program does not expect.
pub fn verify(path: &Path) -> Result<LedgerHeader, LedgerError> {
    if storage::is_url(path) { read_label(path) } else { read_whole(path).map(|(label, _)| label) }
}

/// Replaces the provenance in the header of a ledger, and keeps its facts.
pub(crate) fn relabel(path: &Path, made: Provenance) -> Result<(), LedgerError> {
    let (label, body) = read_whole(path)?;
    let label = LedgerHeader { made: Some(made), ..label };
    place(path, &label, &body).map_err(|source| LedgerError::Io { path: path.into(), source })
}

fn read_whole(path: &Path) -> Result<(LedgerHeader, Vec<u8>), LedgerError> {
    let read = timings::within(Stage::Ledger, || storage::read(path));
    whole(path, read.map_err(|source| LedgerError::Io { path: path.into(), source })?)
}

/// Unpacks the data of a ledger file.
fn unpacked(path: &Path, (label, body): (LedgerHeader, Vec<u8>)) -> Result<Ledger, LedgerError> {
    let unpacked = Packed { bytes: body.into(), index: label.index }.unpack();
    unpacked.map_err(|error| LedgerError::Damaged { path: path.into(), why: error.to_string() })
}

/// Returns the parts of a ledger file: the header, and the data after it.
fn whole(path: &Path, mut bytes: Vec<u8>) -> Result<(LedgerHeader, Vec<u8>), LedgerError> {
    timings::pass(Stage::Ledger, bytes.len());
    let line = bytes.iter().take(LABEL).position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
    let label = parse(path, &bytes[..line])?;
    // Without a copy: the buffer may be as large as all other data.
    bytes.drain(..line);
    if format!("{:032x}", xxh3_128(&bytes)) == label.checksum {
        return Ok((label, bytes));
    }
    Err(LedgerError::Damaged { path: path.into(), why: "its checksum is wrong".into() })
}

/// Parses a header.
fn parse(path: &Path, line: &[u8]) -> Result<LedgerHeader, LedgerError> {
    let label: LedgerHeader = serde_json::from_slice(line)
        .map_err(|error| LedgerError::Damaged { path: path.into(), why: error.to_string() })?;
    match label.hullmark_ledger {
        VERSION => Ok(label),
        found => Err(LedgerError::Version { path: path.into(), found }),
    }
}

/// Finds the ledgers in files and folders and sorts them by their inputs. Every report has this order.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LedgerError> {
    let files = files(paths)?;
    let names = read_labels(&files, |label| label.input).into_iter();
    let found = names.zip(files).map(|(name, path)| Ok((name?, path)));
    let mut found = found.collect::<Result<Vec<_>, LedgerError>>()?;
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Finds the ledgers that this program can read, with their headers, in the order of their paths. It skips damaged
/// files and files of another version, because the caller knows which ledgers must exist.
///
/// # Errors
/// A folder or a file cannot be read.
pub fn find_readable(paths: &[PathBuf]) -> Result<Vec<(LedgerHeader, PathBuf)>, LedgerError> {
    let readable = |(path, label)| match label {
        Ok(label) => Some(Ok((label, path))),
        Err(LedgerError::Damaged { .. } | LedgerError::Version { .. }) => None,
        Err(error @ LedgerError::Io { .. }) => Some(Err(error)),
    };
    let files = files(paths)?;
    let labels = read_labels(&files, |label| label);
    files.into_iter().zip(labels).filter_map(readable).collect()
}

/// Returns all ledgers in files and folders, each file once, in the order of their paths.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LedgerError> {
    let is_ledger = |path: &Path| path.extension().is_some_and(|extension| extension == EXTENSION);
    let mut found = BTreeSet::new();
    for path in paths {
        let is_folder = if storage::is_url(path) { !is_ledger(path) } else { path.is_dir() };
        if !is_folder {
            found.insert(path.clone());
            continue;
        }
        let entries =
            storage::entries(path).map_err(|source| LedgerError::Io { path: path.clone(), source })?;
        found.extend(entries.into_iter().filter(|path| is_ledger(path)));
    }
    Ok(found.into_iter().collect())
}

/// Reads the header of each path and returns the result of `wanted`, in the order of the paths.
pub(crate) fn read_labels<T: Send>(
    paths: &[PathBuf],
    wanted: impl Fn(LedgerHeader) -> T + Sync,
) -> Vec<Result<T, LedgerError>> {
    let read_all = || paths.par_iter().map(|path| read_label(path).map(&wanted)).collect();
    timings::within(Stage::Waiting, || storage::side_by_side(paths, read_all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::defect::InputDefect;

    #[test]
    fn no_ledger_has_the_name_of_a_device() {
        for name in ["NUL.oar", "backup.zip/aux", "com1.region.oar", "nul", "CON .oar"] {
            assert!(file_name(name, false).starts_with('_'), "{name}");
        }
        for name in ["null.oar", "com.oar", "com10.oar", "console.iar", "a/nul.d/region.oar"] {
            assert!(!file_name(name, false).starts_with('_'), "{name}");
        }
    }

    fn ledger(input: &str) -> Ledger {
        Ledger {
            kind: "oar".into(),
            bytes: 7,
            content_hash: Some("0".repeat(32)),
            status: Status::Incomplete,
            defects: vec![Defect::new(InputDefect::Damaged { why: None, position: 7 }).within("x")],
            ..Ledger::absent(input)
        }
    }

    #[test]
    fn written_ledgers_are_read_and_sorted_by_input() {
        let folder = tempfile::tempdir().unwrap();
        let second = ledger("b/=odd name.oar").write(folder.path()).unwrap();
        let first = ledger("a/z.oar").write(folder.path()).unwrap();
        assert_eq!(Ledger::read(&second).unwrap(), ledger("b/=odd name.oar"));
        assert_eq!(find(&[folder.path().into()]).unwrap(), [first, second]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn the_longest_label_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let region =
            summary::Region { name: "\u{1}".repeat(128), uuid: Some(Uuid::max()), objects: u64::MAX };
        let regions = vec![region; 1000];
        let now = LedgerSummary::new(&ledger("a.oar"));
        let state = |objects| LedgerSummary {
            status: Status::Complete,
            objects,
            regions: regions.clone(),
            ..now.clone()
        };
        let earlier = (0..9).fold(Vec::new(), |earlier, objects| now.remember(state(objects), earlier));
        assert_eq!(earlier.iter().map(|brief| brief.objects).collect::<Vec<_>>(), [8, 7, 6, 5, 4, 3, 2]);
        let label = LedgerHeader { earlier: earlier.clone(), ..ledger("a.oar").label() };
        let (path, _) = ledger("a.oar").write_labelled(folder.path(), label).unwrap();
        assert_eq!(read_label(&path).unwrap().earlier, earlier);
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = ledger("a.oar").write(folder.path()).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            // The checksum does not cover the other values of the header, and a change of them is harmless.
            assert!(!matches!(Ledger::read(&path), Ok(read) if read != ledger("a.oar")), "byte {at}");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Ledger::read(&path).unwrap_err().to_string().contains("scan its input again"));
    }
}
