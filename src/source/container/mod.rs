//! Containers: zip files and tars that hold archives.
//!
//! Each archive in a container is an input of its own, named `backup.zip/region.oar`. An unpacked archive in it is one,
//! too, and all other files together are a folder. A container may hold containers, to a limited depth. The directory
//! of a container is read when inputs are listed; members are opened when they are read, any number of times. A
//! container inside a compressed stream is first copied to a temporary file, because its directory may be at its end.
//! So are databases of SQLite.

mod bytes;
mod databases;
mod dumps;
mod hashes;
mod members;
mod tar;
mod trees;
mod zip;

pub use bytes::Bytes;
pub use tar::holds_archives;
pub use zip::MAGICS as ZIP;

use super::{
    Input, Loose, LooseFile, Stamp, What, dump_folders, fsassets,
    sniff::{self, Sniff},
    stream::Stream,
    tree,
    unpack::{Unpack, is_packed},
    walk::{as_asset, known_or_no_export},
};
use databases::{Databases, SQLITE};
use hullmark_settings::limits::Limits;
use hullmark_util::{advice, dates_in_names::Seconds, number_text::thousands};
use members::{Listed, ListingEnd, MemberPlace, Members, Packed};
use std::{
    collections::HashMap,
    fs, io,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};
use zip::Zip;

/// Description of a container that holds nothing to audit.
pub const EMPTY: &str = "zip archive or tar without exports";

/// A container that is no member of another one.
#[derive(Debug)]
pub struct Outermost {
    pub name: String,
    /// Its path. Members have paths below it.
    pub path: PathBuf,
    pub bytes: Bytes,
    pub stamp: Option<Stamp>,
    /// When its file was last modified.
    pub modified: Option<Seconds>,
    /// Whether it is a file on the disk, which a plan can name.
    pub is_file: bool,
}

/// Bytes of memory that an input takes in a run, without its names: it has a ledger with a header.
const INPUT: usize = 6144;

/// The same for a file that is no input of its own: it has facts.
const FILE: usize = 1024;

/// The members of a container, which inputs share.
#[derive(Debug)]
pub struct Inside {
    /// The file of the container. Empty if it has none.
    pub container: PathBuf,
    listed: OnceLock<Result<ContainerContents, String>>,
}

/// All members of a container, and copies of its databases.
#[derive(Debug)]
struct ContainerContents {
    members: Members,
    databases: Databases,
}

impl Inside {
    /// The members of a file, which is opened when one of them is needed.
    pub fn of_file(container: PathBuf) -> Self {
        Self { container, listed: OnceLock::new() }
    }

    fn listed(&self, limits: &Limits) -> io::Result<&ContainerContents> {
        let listed = self.listed.get_or_init(|| {
            let outermost = outermost(&self.container).map_err(|error| advice::to_read(&error))?;
            let lister = Lister::list(&outermost, limits).map_err(|error| advice::to_read(&error))?;
            Ok(ContainerContents { members: lister.members, databases: lister.databases })
        });
        listed.as_ref().map_err(|why| io::Error::other(why.clone()))
    }

    /// Returns the path of the temporary copy of a database.
    pub fn database(&self, path: &Path, limits: &Limits) -> io::Result<PathBuf> {
        let copy = self.listed(limits)?.databases.copy_of(path).ok_or_else(no_longer)?;
        Ok(copy.to_owned())
    }

    /// Opens a member by its path.
    pub fn open(&self, path: &Path, limits: &Limits) -> io::Result<Box<dyn Read + Send>> {
        self.listed(limits)?.members.get(path).ok_or_else(no_longer)?.open()
    }

    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.listed(&Limits::default()).ok()?.members.stamp(path)
    }
}

fn no_longer() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "it is no longer in its container: run again")
}

/// Returns the inputs in a container.
pub fn inputs(outermost: &Outermost, limits: &Limits) -> io::Result<Vec<Input>> {
    let Lister { mut inputs, members, databases, .. } = Lister::list(outermost, limits)?;
    let container = if outermost.is_file { outermost.path.clone() } else { PathBuf::new() };
    let listed = OnceLock::from(Ok(ContainerContents { members, databases }));
    let stream = Stream::inside(Arc::new(Inside { container, listed }));
    inputs.iter_mut().for_each(|input| input.stream = Some(stream.clone()));
    Ok(inputs)
}

/// Returns the inputs that an argument names inside of a container: `backup.zip/region.oar`. `None` if it names none.
pub fn named(argument: &Path, limits: &Limits) -> io::Result<Option<Vec<Input>>> {
    let Some(container) = argument.ancestors().skip(1).find(|outer| outer.is_file()) else { return Ok(None) };
    let outermost = outermost(container)?;
    // Members of an archive are no inputs.
    if sniff::by(|window| outermost.bytes.at(0, window))? != Sniff::Container {
        return Ok(None);
    }
    let inputs = inputs(&outermost, limits)?.into_iter().filter_map(|input| part_of(input, argument));
    let inputs: Vec<Input> = inputs.collect();
    if inputs.is_empty() {
        let words = format!("{} holds no such member", container.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, words));
    }
    Ok(Some(inputs))
}

/// Returns what an argument names of an input. `None` if it names nothing of it.
fn part_of(input: Input, argument: &Path) -> Option<Input> {
    if input.path.starts_with(argument) {
        return Some(input);
    }
    let What::Folder(files) = input.what else { return None };
    let named = Arc::unwrap_or_clone(files).into_iter().filter(|file| file.path.starts_with(argument));
    let named = named.map(|file| match file.path == argument {
        true => LooseFile { what: known_or_no_export(file.what), ..file },
        false => file,
    });
    let files: Vec<LooseFile> = named.collect();
    let stream = input.stream;
    // Its stamp is that of the named files alone.
    let of_files = |what| Input { stream, ..Input::of_files(input.name, input.path, what) };
    (!files.is_empty()).then(|| of_files(What::Folder(Arc::new(files))))
}

fn outermost(path: &Path) -> io::Result<Outermost> {
    let meta = fs::metadata(path)?;
    Ok(Outermost {
        name: super::shown(path),
        path: path.to_owned(),
        bytes: Bytes::of_file(path, meta.len()),
        stamp: Stamp::of_file(path, &meta),
        modified: meta.modified().ok().and_then(hullmark_util::dates_in_names::seconds),
        is_file: true,
    })
}

/// Lists the inputs in a container, within limits for it and all containers in it.
struct Lister<'a> {
    limits: &'a Limits,
    modified: Option<Seconds>,
    /// Containers, members and bytes so far, and bytes of temporary copies.
    containers: u64,
    entries: u64,
    bytes: u64,
    copied: u64,
    /// Bytes of memory that the listed inputs and files take.
    held: u64,
    inputs: Vec<Input>,
    members: Members,
    /// The next numbers of names that occur again, by the keys of their paths.
    again: HashMap<u64, u64>,
    databases: Databases,
}

struct Folder<'a> {
    name: &'a str,
    path: &'a Path,
    /// Its number among the containers, and its depth.
    number: u32,
    depth: usize,
    /// Files that are no inputs of their own.
    loose: Vec<LooseFile>,
    /// How many of them are of unknown kinds, how many of these have names of archives, and how many cannot be read.
    unknown: Counted,
    named: Counted,
    unreadable: Counted,
}

/// Files of one sort: those that are listed, and those that are only counted.
#[derive(Default)]
struct Counted {
    listed: usize,
    /// The first file that is only counted, with the bytes of all.
    first: Option<LooseFile>,
    files: u64,
}

impl Counted {
    /// Adds a file. Returns it if it is to be listed.
    fn add(&mut self, file: LooseFile, most: usize) -> Option<LooseFile> {
        if self.listed < most.max(1) {
            self.listed += 1;
            return Some(file);
        }
        self.files += 1;
        match &mut self.first {
            Some(first) => first.bytes = first.bytes.saturating_add(file.bytes),
            None => self.first = Some(file),
        }
        None
    }

    /// Returns the files that are only counted as one.
    fn finish(self) -> Option<LooseFile> {
        let LooseFile { what, path, name, bytes, stamp } = self.first?;
        let what = Loose::Further { files: self.files, like: Box::new(what) };
        Some(LooseFile { path, name, bytes, stamp, what })
    }
}

enum Opened {
    Zip(Zip),
    Tar(Bytes),
}

impl Opened {
    fn data(&self) -> Bytes {
        match self {
            Self::Zip(zip) => zip.data(),
            Self::Tar(bytes) => bytes.clone(),
        }
    }

    fn list(
        &self,
        most: u64,
        limits: &Limits,
        take: &mut dyn FnMut(Listed) -> bool,
    ) -> io::Result<ListingEnd> {
        match self {
            Self::Zip(zip) => zip.list(most, limits, take),
            Self::Tar(bytes) => tar::list(bytes, most, limits, take),
        }
    }
}

impl<'a> Lister<'a> {
    fn list(outermost: &Outermost, limits: &'a Limits) -> io::Result<Self> {
        let mut lister = Self {
            limits,
            modified: outermost.modified,
            containers: 0,
            entries: 0,
            bytes: 0,
            copied: 0,
            held: 0,
            inputs: Vec::new(),
            members: Members::new(outermost.stamp),
            again: HashMap::new(),
            databases: Databases::default(),
        };
        lister.container(&outermost.name, &outermost.path, &outermost.bytes, 0)?;
        Ok(lister)
    }

    /// Adds the inputs of a container. Returns whether it holds anything to audit.
    fn container(&mut self, name: &str, path: &Path, bytes: &Bytes, depth: usize) -> io::Result<bool> {
        let before = self.inputs.len();
        let (opened, cut) = self.open(bytes)?;
        let number = self.members.add_container(path, opened.data());
        let [unknown, named, unreadable] = [(); 3].map(|()| Counted::default());
        let mut folder = Folder { name, path, number, depth, loose: Vec::new(), unknown, named, unreadable };
        let mut over = None;
        let most = self.limits.entries.saturating_sub(self.entries);
        let ended = opened.list(most, self.limits, &mut |listed| {
            over = self.member(&mut folder, listed).err();
            over.is_none()
        })?;
        let Folder { mut loose, unknown, named, unreadable, .. } = folder;
        let broken = cut.or(ended.broken).or(over);
        let entries = ended.over.map(|entries| self.too_many(entries));
        for why in broken.into_iter().chain(entries) {
            let what = Loose::Unreadable(why);
            let (path, name, stamp) = (path.to_owned(), file_name(path), self.members.own_stamp());
            loose.push(LooseFile { path, name, bytes: 0, stamp, what });
        }
        loose.extend([unknown, named, unreadable].into_iter().filter_map(Counted::finish));
        self.sort_databases(name, &mut loose);
        self.sort_hashes(name, path, &mut loose);
        self.sort_dumps(name, path, before, &mut loose);
        self.trees(name, path, &mut loose);
        if !loose.is_empty() {
            self.inputs.push(Input::of_files(
                name.to_owned(),
                path.to_owned(),
                What::Folder(Arc::new(loose)),
            ));
        }
        let holds_any = self.inputs[before..].iter().any(Input::is_export);
        if !holds_any {
            self.inputs.truncate(before);
        }
        Ok(holds_any)
    }

    /// Opens a container. Its first bytes show its kind. Returns why its stream is cut, too.
    fn open(&mut self, bytes: &Bytes) -> io::Result<(Opened, Option<String>)> {
        self.containers += 1;
        let start = bytes.at(0, 4)?;
        if ZIP.contains(start.first_chunk().unwrap_or(&[0; 4])) {
            return Ok((Opened::Zip(Zip::open(bytes)?), None));
        }
        if !is_packed(&start) {
            return Ok((Opened::Tar(bytes.clone()), None));
        }
        let stream = Unpack::new(&start, BufReader::new(bytes.open()?));
        let (copy, failed) = self.copy(stream)?;
        Ok((Opened::Tar(copy), failed.map(|error| why_cut(&error))))
    }

    fn copy(&mut self, stream: impl Read) -> io::Result<(Bytes, Option<io::Error>)> {
        let left = self.limits.temporary_bytes.saturating_sub(self.copied);
        let (copy, failed) = Bytes::copy(stream, left)?;
        self.copied += copy.length();
        Ok((copy, failed))
    }

    fn too_many(&self, entries: u64) -> String {
        let limit = thousands(self.limits.entries);
        format!("it holds {} members; the limit is {limit} (`entries`)", thousands(entries))
    }

    /// Charges memory before it is taken. The error says that no further member is listed.
    fn charge(&mut self, bytes: usize, name: &str) -> Result<(), String> {
        // A name is in a path, in an entry and in rows of a report.
        let bytes = bytes + 4 * name.len();
        self.held = self.held.saturating_add(bytes as u64);
        if self.held > self.limits.listing_bytes {
            let (entries, limit) = (thousands(self.entries), thousands(self.limits.listing_bytes));
            return Err(format!(
                "the list of its members takes more than {limit} bytes of memory at member {entries}, which is the \
                 limit (`listing_bytes`)"
            ));
        }
        Ok(())
    }

    /// Adds a member. An error is a limit that ends the listing.
    fn member(&mut self, folder: &mut Folder<'_>, listed: Listed) -> Result<(), String> {
        let Listed { name, place } = listed;
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(place.size);
        if self.entries > self.limits.entries {
            return Err(self.too_many(self.entries));
        }
        if self.bytes > self.limits.archive_bytes {
            let (bytes, limit) = (thousands(self.bytes), thousands(self.limits.archive_bytes));
            return Err(format!(
                "its members have {bytes} bytes so far; the limit is {limit} (`archive_bytes`)"
            ));
        }
        let (name, path) = self.unique(name, folder.path);
        if place.packing.is_ok() && fsassets::root_in(&name).is_some() {
            let (bytes, stamp) = (place.size, self.members.stamp_of(&name, &place));
            let file = LooseFile { path, name, bytes, stamp, what: Loose::Unknown(hashes::FILE.into()) };
            return self.file(folder, file, place);
        }
        let packed = self.members.packed(folder.number, place);
        let sniffed = match place.packing {
            Ok(_) => sniff::by(|window| start_of(&packed, window)),
            Err(why) => Err(io::Error::other(why)),
        };
        let what = match sniffed {
            Ok(Sniff::Archive) => {
                self.charge(INPUT, &path.to_string_lossy())?;
                let stamp = self.members.stamp_of(&name, &place);
                self.members.add(&path, folder.number, place);
                let input = Input::new(format!("{}/{name}", folder.name), path, What::Archive);
                self.inputs.push(Input { bytes: place.size, stamp, modified: self.modified, ..input });
                return Ok(());
            }
            Ok(Sniff::Container) => {
                self.charge(INPUT, &path.to_string_lossy())?;
                let full = format!("{}/{name}", folder.name);
                match self.nested(&full, &path, &packed, folder.depth + 1) {
                    Ok(true) => return Ok(()),
                    Ok(false) => Loose::Unknown(EMPTY.into()),
                    Err(why) => Loose::Unreadable(why),
                }
            }
            Ok(Sniff::Loose(what)) => as_asset(&path, what),
            Ok(Sniff::Place(_)) => Loose::Unknown(SQLITE.into()),
            Ok(Sniff::Unreadable(why)) => Loose::Unreadable(why),
            Err(error) => Loose::Unreadable(advice::to_read(&error)),
        };
        let stamp = self.members.stamp_of(&name, &place);
        let file = LooseFile { path, name, bytes: place.size, stamp, what };
        self.file(folder, file, place)
    }

    /// Adds a file that is no input of its own. Of files that are not audited, only the first are listed.
    fn file(
        &mut self,
        folder: &mut Folder<'_>,
        mut file: LooseFile,
        place: MemberPlace,
    ) -> Result<(), String> {
        // A name that was cut or numbered has room for more.
        file.name.shrink_to_fit();
        let most = self.limits.findings_per_code;
        let sort = match &file.what {
            _ if may_belong(&file) => None,
            Loose::Unknown(_) if file.is_export() => Some(&mut folder.named),
            Loose::Unknown(_) => Some(&mut folder.unknown),
            Loose::Unreadable(_) => Some(&mut folder.unreadable),
            _ => None,
        };
        let file = match sort {
            Some(sort) => sort.add(file, most),
            None => Some(file),
        };
        let Some(file) = file else { return Ok(()) };
        self.charge(FILE, &file.path.to_string_lossy())?;
        self.members.add(&file.path, folder.number, place);
        folder.loose.push(file);
        Ok(())
    }

    /// Adds the inputs of a container in a container. Returns whether it holds anything to audit.
    fn nested(&mut self, name: &str, path: &Path, packed: &Packed, depth: usize) -> Result<bool, String> {
        let (nesting, containers) = (self.limits.nesting, self.limits.containers);
        if depth > nesting {
            return Err(format!(
                "it is a container in {depth} containers; the limit is {nesting} (`nesting`). Unpack it first"
            ));
        }
        if self.containers >= containers {
            return Err(format!(
                "it is one of more than {} containers in a file, which is the limit (`containers`)",
                thousands(containers)
            ));
        }
        let (bytes, failed) = match packed.stored() {
            Some(bytes) => (bytes, None),
            None => {
                packed.open().and_then(|stream| self.copy(stream)).map_err(|error| advice::to_read(&error))?
            }
        };
        let listed = self.container(name, path, &bytes, depth);
        match failed {
            // The members before the damage were listed.
            Some(error) => Err(why_cut(&error)),
            None => listed.map_err(|error| advice::to_read(&error)),
        }
    }

    /// Returns the name and the path of a member. A name that occurs again gets a number.
    fn unique(&mut self, name: String, folder: &Path) -> (String, PathBuf) {
        let below = |name: &str| {
            // A name may be an absolute path, which `join` would follow.
            let mut path = folder.as_os_str().to_owned();
            path.push("/");
            path.push(name);
            PathBuf::from(path)
        };
        let path = below(&name);
        if !self.members.has(&path) {
            return (name, path);
        }
        let next = self.again.entry(members::key(&path)).or_insert(2);
        loop {
            let again = format!("{name} ({next})");
            *next += 1;
            let path = below(&again);
            if !self.members.has(&path) {
                return (again, path);
            }
        }
    }
}

/// Whether a file of any kind may belong to others of its container: to an unpacked archive, a database or a dump.
fn may_belong(file: &LooseFile) -> bool {
    [SQLITE, hashes::FILE].iter().any(|known| file.what == Loose::Unknown((*known).into()))
        || tree::may_hold(&file.name)
        || databases::is_beside(&file.name)
        || dump_folders::may_belong(&file_name(&file.path))
}

fn file_name(path: &Path) -> String {
    super::shown(Path::new(path.file_name().unwrap_or(path.as_os_str())))
}

/// Describes why a compressed container ends early.
fn why_cut(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "its compressed stream is cut short".into(),
        _ => advice::to_read(error),
    }
}

/// Returns the first bytes of a member. Damage behind them is found when it is read.
fn start_of(packed: &Packed, window: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let read = packed.open()?.take(window as u64).read_to_end(&mut start);
    match read {
        Err(error) if start.is_empty() => Err(error),
        _ => Ok(start),
    }
}
