//! The sources of bytes: the only I/O for inputs.
//!
//! [`walk()`] turns paths into [`Input`]s, and [`read()`] returns the members of one input in a fixed order. The kind
//! of a member comes from [`member`](hullmark_format::member) (its path inside an archive) or [`sniff`] (its bytes).

pub mod archive;
pub mod container;
pub mod content;
mod database;
mod disk;
mod dump_folders;
mod file_system;
pub mod files;
mod flotsam;
pub mod fsassets;
pub mod gzip;
mod list;
mod lookahead;
mod models;
mod nothing;
mod path_serde;
pub mod place;
mod recognize;
mod same_name;
mod server;
pub mod sniff;
pub mod store_table;
mod stream;
pub mod tar;
mod tree;
mod unpack;
mod virtual_files;
pub mod walk;

use crate::content::Decoded;
use crate::store_table::StoreTable;
use file_system::{FileSystem, OpenFile};
use hullmark_finding::{Capped, Counted};
pub use hullmark_format::member::Kind;
use hullmark_format::{
    defect::{Defect, InputDefect},
    member::Member,
    region::Estate,
};
use hullmark_ledger::{
    InputKind, LedgerHeader,
    coverage::{Because, Uncovered},
    facts::{ContainerFacts, FAILED_DUMP, IN_CONTAINER, StoreRow, UnknownFiles, is_archive_name},
};
use hullmark_settings::{database_selection::DatabaseSelection, limits::Limits, passwords::Password};
use hullmark_storage as storage;
pub use hullmark_storage::stamp::Stamp;
pub use hullmark_util::deadline::Deadline;
use hullmark_util::{advice, dates_in_names::Seconds, deadline};
pub use nothing::{NothingToAudit, ensure_exports};
pub use place::Place;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
pub use stream::Stream;
pub use stream::{inputs as of_stream, of_copy, share as share_containers};
use uuid::Uuid;
pub use virtual_files::VirtualFile;
pub use virtual_files::VirtualFiles;
pub use walk::walk_virtual;
pub use walk::{shown, walk, walk_knowing};
use xxhash_rust::xxh3::xxh3_128;

/// One input. It has one ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The displayed path: the argument, followed by the path below it.
    pub name: String,
    /// The path on the disk or the URL.
    #[serde(with = "path_serde")]
    pub path: PathBuf,
    pub what: What,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Hash that changes with the names, sizes or modification times of the files. `None` if these are unknown.
    pub stamp: Option<Stamp>,
    /// When the file of an archive was last modified. `None` for folders, which have no single time.
    pub modified: Option<Seconds>,
    /// The bytes of an input without a path on the disk. Of these, a plan contains only members of containers.
    #[serde(default, skip_serializing_if = "stream::is_unnamed", with = "stream")]
    pub stream: Option<Stream>,
    /// What only this run knows about a database. It is in no plan and no ledger.
    #[serde(skip)]
    pub access: Access,
}

/// What a run knows about a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// The parts of a database of SQLite, which are other files of its folder. `None` if they are to be looked for. To
    /// find them, all databases of the folder are opened, so that is done once for all of them.
    pub parts: Option<Arc<[PathBuf]>>,
    pub password: Option<Password>,
    /// The assets that inputs use and lack, of a store. `None` for an input, whose own objects use assets.
    pub lacked: Option<Arc<BTreeSet<Uuid>>>,
}

/// The type of an input. A container may list a million files, which all copies of an input share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A tar archive, which may be compressed with gzip.
    Archive,
    /// An unpacked archive: its members by their names in the archive, in reading order.
    Tree(Arc<Vec<LooseFile>>),
    /// A dump of databases in several files, in reading order.
    DumpFolder(Arc<Vec<LooseFile>>),
    /// The loose files of one folder, by name, with the type from their first bytes.
    Folder(Arc<Vec<LooseFile>>),
    /// A database, a store of assets or a cache.
    Place(Place),
    /// An input that could not be opened, and why.
    Unreadable(String),
}

/// A file on the disk, outside an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LooseFile {
    /// The path. It cannot be derived from the name, because a name cannot represent every path.
    #[serde(with = "path_serde")]
    pub path: PathBuf,
    /// The displayed name in the folder, or the path in the unpacked archive.
    pub name: String,
    pub bytes: u64,
    /// As in `Input::stamp`.
    pub stamp: Option<Stamp>,
    pub what: Loose,
}

impl Input {
    /// Creates an input of unknown size and age.
    pub fn new(name: String, path: PathBuf, what: What) -> Self {
        let access = Access::default();
        Self { name, path, what, bytes: 0, stamp: None, modified: None, stream: None, access }
    }

    pub fn of_files(name: String, path: PathBuf, what: What) -> Self {
        let bytes = what.files().iter().map(|file| file.bytes).sum();
        let stamp = what.stamp_of_files(|file| file.stamp);
        Self { bytes, stamp, ..Self::new(name, path, what) }
    }

    /// Returns this input as one that a run does not cover, with the header of its last ledger.
    pub fn uncovered(&self, because: Because, last: Option<LedgerHeader>) -> Uncovered {
        Uncovered::new(&self.name, self.bytes, self.modified, because, last)
    }

    /// Returns the stamp of the files in their current state.
    pub fn stamp_now(&self) -> Option<Stamp> {
        // A changed object is not read, so no check is needed before.
        if let Some(stream) = &self.stream {
            return match &self.what {
                What::Archive => stream.stamp_now(&self.path).or(self.stamp),
                What::Folder(_) | What::Tree(_) | What::DumpFolder(_) => {
                    self.what.stamp_of_files(|file| stream.stamp_now(&file.path).or(file.stamp))
                }
                What::Place(_) | What::Unreadable(_) => self.stamp,
            };
        }
        if storage::is_url(&self.path) {
            return self.stamp;
        }
        match &self.what {
            What::Archive => Stamp::of_file_now(&self.path),
            What::Folder(_) | What::Tree(_) | What::DumpFolder(_) => {
                self.what.stamp_of_files(|file| Stamp::of_file_now(&file.path))
            }
            What::Place(place) => place.stamp_now(self),
            What::Unreadable(_) => None,
        }
    }

    /// Returns a stamp of the content of the files, and reads every byte. `None` if they cannot be read.
    pub fn content_stamp(&self) -> io::Result<Option<Stamp>> {
        if let Some(stream) = &self.stream {
            let is_whole = self.what == What::Archive && stream.opens_again();
            let open = || Stamp::of_stream(stream.open(&self.path, &Limits::default())?);
            return is_whole.then(open).transpose();
        }
        let stamp = match &self.what {
            What::Archive => Stamp::of_bytes(&self.path, self.bytes, self.stamp)?,
            What::Folder(files) | What::Tree(files) | What::DumpFolder(files) => {
                let files = files.iter().map(|file| (&*file.path, file.bytes, file.stamp));
                Stamp::of_bytes_of_all(files)?.with(self.what.roles())
            }
            What::Place(place) => return place.content_stamp(self),
            What::Unreadable(_) => return Ok(None),
        };
        Ok(Some(stamp))
    }

    /// Returns the bytes that limit the work on this input. Those of a server are not known before it was read.
    pub fn bytes_or_most(&self, limits: &Limits) -> u64 {
        match self.what {
            What::Place(Place::Server) => limits.archive_bytes,
            _ => self.bytes,
        }
    }

    pub fn loose(&self) -> &[LooseFile] {
        if let What::Folder(files) = &self.what { files } else { &[] }
    }
}

impl What {
    fn files(&self) -> &[LooseFile] {
        match self {
            Self::Folder(files) | Self::Tree(files) | Self::DumpFolder(files) => files,
            Self::Archive | Self::Place(_) | Self::Unreadable(_) => &[],
        }
    }

    /// Returns the stamp of these files in the given states. It also covers what the files are taken for. The same file may
    /// be loose, a member of an archive, or one that was named and must be an export. `None` if a state is unknown.
    fn stamp_of_files(&self, stamp: impl Fn(&LooseFile) -> Option<Stamp>) -> Option<Stamp> {
        Some(Stamp::of_all(self.files().iter().map(stamp))?.with(self.roles()))
    }

    /// Returns a hash of what the files are taken for, with their names in the input.
    fn roles(&self) -> u128 {
        let files: Vec<(&str, &Loose)> = self.files().iter().map(|file| (&*file.name, &file.what)).collect();
        let kind = match self {
            Self::Folder(_) => "folder",
            Self::Tree(_) => "tree",
            Self::DumpFolder(_) => "dump",
            Self::Archive | Self::Place(_) | Self::Unreadable(_) => "",
        };
        xxh3_128(format!("{kind} {files:?}").as_bytes())
    }
}

impl Input {
    /// Whether the input is a place that holds assets alone.
    pub fn is_store(&self) -> bool {
        matches!(&self.what, What::Place(place) if place.is_store())
    }

    /// Whether the input contains something to audit, or something that should be there and cannot be read.
    pub fn is_export(&self) -> bool {
        !matches!(self.what, What::Folder(_)) || self.loose().iter().any(LooseFile::is_export)
    }
}

impl LooseFile {
    /// Whether the file can be audited or could not be read. A file named like an archive that is no archive is a
    /// failed export.
    fn is_export(&self) -> bool {
        let is_failed = |looks_like: &String| looks_like.starts_with(FAILED_DUMP);
        !self.what.is_unknown() || is_archive_name(&self.name) || self.what.unknown().is_some_and(is_failed)
    }

    /// Returns the name that the file would have as an input. `None` if it could be an archive that cannot be opened.
    pub fn as_input(&self) -> Option<String> {
        (!matches!(self.what, Loose::Unreadable(_) | Loose::Further { .. })).then(|| shown(&self.path))
    }
}

/// The type of a loose file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loose {
    /// A known kind, to be decoded.
    Known(Kind),
    /// An unknown type, with a description.
    Unknown(String),
    /// The same for a file that was named, or for a named folder without an export.
    NoExport(String),
    /// A file that could not be opened, and why.
    Unreadable(String),
    /// The first of further files of a sort, which are only counted.
    Further {
        files: u64,
        /// What the first of them is.
        like: Box<Self>,
    },
}

impl Loose {
    /// Returns the description of a file of an unknown kind.
    fn unknown(&self) -> Option<&String> {
        match self {
            Self::Unknown(looks_like) | Self::NoExport(looks_like) => Some(looks_like),
            Self::Further { like, .. } => like.unknown(),
            Self::Known(_) | Self::Unreadable(_) => None,
        }
    }

    fn is_unknown(&self) -> bool {
        self.unknown().is_some()
    }
}

/// A member whose bytes are wanted.
#[derive(Debug)]
pub struct Item {
    /// Path inside the input.
    pub name: String,
    pub kind: Kind,
    /// The content. Shorter than `size` if the input is cut.
    pub bytes: Vec<u8>,
    /// Bytes that the member should have.
    pub size: u64,
    /// Of a model: the names and contents of its other files.
    pub beside: Vec<(String, Vec<u8>)>,
}

impl Item {
    pub fn new(name: String, kind: Kind, bytes: Vec<u8>, size: u64) -> Self {
        Self { name, kind, bytes, size, beside: Vec::new() }
    }
}

/// How a visitor receives a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Completely, as an [`Item`].
    Whole,
    /// In pieces as they are read; nothing holds the whole member.
    Pieces,
    Nothing,
}

/// The facts of the container from one pass.
#[derive(Debug)]
pub struct Reading {
    /// The facts of the container, without the control file, which is an ordinary item.
    pub container: ContainerFacts,
    pub defects: Capped<Defect>,
    pub unknown: UnknownFiles,
    /// The files of assets in an FSAssets store, from the table of a database.
    pub store_rows: Vec<StoreRow>,
    /// The estates of a database.
    pub estates: Vec<Estate>,
    /// Whether something was not read to its end.
    pub incomplete: bool,
    /// The kind of the input, if its reader knows it: a database or a place. `None` for an archive or files.
    pub kind: Option<InputKind>,
    /// xxh3-128 of the bytes on the disk. `None` if not all were read.
    pub content_hash: Option<u128>,
    /// Bytes that were actually unpacked, regardless of the sizes in headers.
    pub unpacked: u64,
}

impl Reading {
    /// Creates the state before the first byte.
    pub fn new(limits: &Limits) -> Self {
        Self {
            container: ContainerFacts::default(),
            defects: Capped::new(limits.findings_per_code),
            unknown: UnknownFiles::new(limits.findings_per_code),
            store_rows: Vec::new(),
            estates: Vec::new(),
            incomplete: false,
            kind: None,
            content_hash: None,
            unpacked: 0,
        }
    }

    /// Marks the input as incomplete and adds the defect, unless there is a defect of the same kind.
    pub fn give_up_once(&mut self, defect: Defect) {
        self.incomplete = true;
        if !self.defects.holds(&defect.sort()) {
            self.defects.push(defect);
        }
    }

    /// Marks the input as incomplete and adds the reason.
    fn give_up(&mut self, defect: Defect) {
        self.incomplete = true;
        self.defects.push(defect);
    }

    /// Counts an asset by the type in its name.
    fn count_asset(&mut self, name: &str) {
        if let Some(suffix) = hullmark_format::member::suffix(name) {
            *self.container.assets.entry(suffix.into()).or_default() += 1;
        }
    }

    /// Counts an asset by its suffix, or reports that a loader would not restore it.
    fn note_asset(&mut self, name: &str, member: Member<'_>) {
        if !member.kind.is_asset() {
            return;
        }
        match hullmark_format::member::asset_suffix(member.file) {
            Some(suffix) => *self.container.assets.entry(suffix.into()).or_default() += 1,
            None => {
                self.defects.push(Defect::new(InputDefect::AssetName).entry(name));
            }
        }
    }
}

/// What to read of an input. It is handed down once, and stays the same while the input is read.
#[derive(Debug, Clone)]
pub struct ReadRequest<'a> {
    pub limits: &'a Limits,
    /// When the reading stops and is incomplete.
    pub deadline: Deadline,
    /// The databases to read, and the owners whose inventories are evaluated.
    pub selection: DatabaseSelection<'a>,
    /// The table that names the files of stores. `None` if no database of the run has one.
    pub table: Option<&'a StoreTable>,
    /// The meshes and sculpt maps that inputs lack and for which a store is searched. `None` for exports.
    pub bodies: Option<&'a BTreeSet<Uuid>>,
    /// Whether everything is read, and reported. Otherwise only those files of folders are opened that the visitor
    /// wants. An archive is read in any case, until the visitor has enough.
    pub is_whole: bool,
}

impl<'a> ReadRequest<'a> {
    /// Reads an export to its end.
    pub fn new(limits: &'a Limits) -> Self {
        let (deadline, selection) = Default::default();
        Self { limits, deadline, selection, table: None, bodies: None, is_whole: true }
    }

    /// Whether the content of a member matters. In a store, this is so for texts, which name further assets, and for
    /// bodies that inputs lack. The existence of other assets is enough.
    pub fn needs_content(&self, name: &str, kind: Kind) -> bool {
        let Some(bodies) = self.bodies else { return true };
        let is_lacked = || hullmark_format::member::uuid_in(name).is_some_and(|uuid| bodies.contains(&uuid));
        kind == Kind::Text || matches!(kind, Kind::Mesh | Kind::Texture) && is_lacked()
    }

    /// Opens a file of an input: of its stream, on the disk or in an object store.
    fn open(
        &self,
        stream: Option<&Stream>,
        path: &Path,
        bytes: u64,
        stamp: Option<Stamp>,
    ) -> io::Result<Box<dyn io::Read + Send>> {
        match stream {
            Some(stream) => stream.open(path, self.limits),
            None => storage::open(path, bytes, stamp, self.deadline.clone()),
        }
    }
}

/// Receives the members of an input.
pub trait Visitor {
    /// How to pass this member. Called once for each member, before the other methods.
    fn wants(&mut self, _name: &str, kind: Kind, _bytes: u64) -> Wants {
        if kind.is_decoded() { Wants::Whole } else { Wants::Nothing }
    }
    /// Whether to stop here. The facts of the container are then incomplete.
    fn enough(&self) -> bool {
        false
    }
    /// Called before a member is read completely. May wait until there is room for this many bytes.
    fn make_room(&mut self, _bytes: u64) {}
    /// Receives a complete member.
    fn item(&mut self, item: Item);
    /// Receives content that the reader of a database has decoded.
    fn decoded(&mut self, _content: Decoded) {}
    /// Receives the next bytes of a member that is passed in pieces.
    fn piece(&mut self, _bytes: &[u8]) {}
    /// Called after all pieces of a member. There are fewer bytes than `bytes` if the input is cut, and none if the
    /// member is over a limit.
    fn passed(&mut self, _name: &str, _kind: Kind, _bytes: u64) {}
    /// Receives the name of a folder that a packed archive lists. Inventories may have empty ones.
    fn folder(&mut self, _name: &str) {}
    /// Counts bytes that were read from the disk.
    fn progress(&self, _bytes: u64) {}
}

/// Reads an input and passes its members to `visitor`, always in the same order.
pub fn read(input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) -> Reading {
    let stream = input.stream.as_ref();
    match &input.what {
        What::Archive => archive::read(input, request, visitor),
        What::DumpFolder(files) => database::folder::read(files, stream, request, visitor),
        What::Tree(members) => {
            let mut reading = files::read_tree(members, stream, request, visitor);
            let is_container = stream.and_then(Stream::container) == Some(input.path.as_path());
            reading.container.compression = is_container.then(|| IN_CONTAINER.into());
            reading
        }
        What::Folder(files) => files::read_folder(files, stream, request, visitor),
        What::Place(place) => place.read(input, request, visitor),
        What::Unreadable(why) => {
            let mut reading = Reading::new(request.limits);
            reading.give_up(Defect::new(InputDefect::Unreadable { why: why.clone() }));
            reading
        }
    }
}

/// Reads an input again for a few of its members, in the same order. The first pass returned the facts of the container.
pub fn reread(input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) {
    read(input, &ReadRequest { is_whole: false, ..request.clone() }, visitor);
}

/// Returns the defect of a failed disk or a passed deadline.
pub fn not_read(error: &io::Error) -> Defect {
    if let Some(defect) = disk::defect_of(error) {
        return defect.clone();
    }
    let why = advice::to_read(error);
    Defect::new(match deadline::is_over(error) {
        true => InputDefect::TimeOver { why },
        false => InputDefect::Unreadable { why },
    })
}
