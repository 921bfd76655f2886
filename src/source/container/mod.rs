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
mod list;
mod tar;
mod zip;

pub use bytes::Bytes;
pub use tar::holds_archives;
pub use zip::MAGICS as ZIP;

use super::{
    Input, Loose, LooseFile, Stamp, What,
    sniff::{self, Sniff},
    stream::Stream,
    tree,
    unpack::{Unpack, is_packed},
    walk::{as_asset, known_or_no_export},
};
use databases::{Databases, SQLITE};
use hullmark_format::member;
use hullmark_settings::limits::Limits;
use hullmark_util::{advice, dates_in_names::Seconds, number_text::thousands};
use list::{Members, Packed};
use std::{
    collections::HashMap,
    fs, io,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Description of a container that holds nothing to audit.
pub const EMPTY: &str = "zip archive or tar without exports";

/// A container that is no member of another one.
#[derive(Debug)]
pub struct Outermost {
    /// Its displayed path.
    pub name: String,
    /// Its path. Members have paths below it.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Bytes,
    /// The stamp of its file.
    pub stamp: Option<Stamp>,
    /// When its file was last modified.
    pub modified: Option<Seconds>,
    /// Whether it is a file on the disk, which a plan can name.
    pub is_file: bool,
}

/// Members with their stamps, by their paths.
type ByPath = HashMap<PathBuf, (Packed, Option<Stamp>)>;

/// The members of a container, which inputs share.
#[derive(Debug)]
pub struct Inside {
    /// The file of the container. Empty if it has none.
    pub container: PathBuf,
    listed: OnceLock<Result<Listed, String>>,
}

/// All members of a container, and copies of its databases.
#[derive(Debug)]
struct Listed {
    members: ByPath,
    databases: Databases,
}

impl Inside {
    /// The members of a file, which is opened when one of them is needed.
    pub fn of_file(container: PathBuf) -> Self {
        Self { container, listed: OnceLock::new() }
    }

    fn listed(&self, limits: &Limits) -> io::Result<&Listed> {
        let listed = self.listed.get_or_init(|| {
            let outermost = outermost(&self.container).map_err(|error| advice::to_read(&error))?;
            let lister = Lister::list(&outermost, limits).map_err(|error| advice::to_read(&error))?;
            Ok(Listed { members: lister.members, databases: lister.databases })
        });
        listed.as_ref().map_err(|why| io::Error::other(why.clone()))
    }

    fn member(&self, path: &Path, limits: &Limits) -> io::Result<&(Packed, Option<Stamp>)> {
        self.listed(limits)?.members.get(path).ok_or_else(no_longer)
    }

    /// Returns the path of the temporary copy of a database.
    ///
    /// # Errors
    /// The container cannot be read, or has no such database.
    pub fn database(&self, path: &Path, limits: &Limits) -> io::Result<PathBuf> {
        let copy = self.listed(limits)?.databases.copy_of(path).ok_or_else(no_longer)?;
        Ok(copy.to_owned())
    }

    /// Opens a member by its path.
    ///
    /// # Errors
    /// The container cannot be read, or has no such member.
    pub fn open(&self, path: &Path, limits: &Limits) -> io::Result<Box<dyn Read + Send>> {
        self.member(path, limits)?.0.open()
    }

    /// Returns the stamp of a member.
    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.member(path, &Limits::default()).ok()?.1
    }
}

fn no_longer() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "it is no longer in its container: run again")
}

/// Returns the inputs in a container.
///
/// # Errors
/// It cannot be read.
pub fn inputs(outermost: &Outermost, limits: &Limits) -> io::Result<Vec<Input>> {
    let Lister { mut inputs, members, databases, .. } = Lister::list(outermost, limits)?;
    let container = if outermost.is_file { outermost.path.clone() } else { PathBuf::new() };
    let listed = OnceLock::from(Ok(Listed { members, databases }));
    let stream = Stream::inside(Arc::new(Inside { container, listed }));
    inputs.iter_mut().for_each(|input| input.stream = Some(stream.clone()));
    Ok(inputs)
}

/// Returns the inputs that an argument names inside of a container: `backup.zip/region.oar`. `None` if it names none.
///
/// # Errors
/// The container cannot be read, or has no such member.
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
    let named = files.into_iter().filter(|file| file.path.starts_with(argument));
    let named = named.map(|file| match file.path == argument {
        true => LooseFile { what: known_or_no_export(file.what), ..file },
        false => file,
    });
    let files: Vec<LooseFile> = named.collect();
    let stream = input.stream;
    // Its stamp is that of the named files alone.
    let of_files = |what| Input { stream, ..Input::of_files(input.name, input.path, what) };
    (!files.is_empty()).then(|| of_files(What::Folder(files)))
}

/// Returns a file as a container.
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
    stamp: Option<Stamp>,
    modified: Option<Seconds>,
    /// Containers, members and bytes so far, and bytes of temporary copies.
    containers: u64,
    entries: u64,
    bytes: u64,
    copied: u64,
    inputs: Vec<Input>,
    members: ByPath,
    databases: Databases,
}

impl<'a> Lister<'a> {
    fn list(outermost: &Outermost, limits: &'a Limits) -> io::Result<Self> {
        let mut lister = Self {
            limits,
            stamp: outermost.stamp,
            modified: outermost.modified,
            containers: 0,
            entries: 0,
            bytes: 0,
            copied: 0,
            inputs: Vec::new(),
            members: HashMap::new(),
            databases: Databases::default(),
        };
        lister.container(&outermost.name, &outermost.path, &outermost.bytes, 0)?;
        Ok(lister)
    }

    /// Adds the inputs of a container. Returns whether it holds anything to audit.
    fn container(&mut self, name: &str, path: &Path, bytes: &Bytes, depth: usize) -> io::Result<bool> {
        let before = self.inputs.len();
        let Members { list, broken, over } = self.open(bytes)?;
        let mut loose = Vec::new();
        let mut told = broken;
        for packed in list {
            if let Err(why) = self.member(name, path, packed, depth, &mut loose) {
                told.get_or_insert(why);
                break;
            }
        }
        let entries = over.map(|entries| self.too_many(entries));
        for why in told.into_iter().chain(entries) {
            let what = Loose::Unreadable(why);
            let (path, name) = (path.to_owned(), file_name(path));
            loose.push(LooseFile { path, name, bytes: 0, stamp: self.stamp, what });
        }
        self.sort_databases(name, &mut loose);
        self.sort_dumps(name, path, before, &mut loose);
        self.trees(name, path, &mut loose);
        if !loose.is_empty() {
            self.inputs.push(Input::of_files(name.to_owned(), path.to_owned(), What::Folder(loose)));
        }
        let holds_any = self.inputs[before..].iter().any(Input::is_export);
        if !holds_any {
            self.inputs.truncate(before);
        }
        Ok(holds_any)
    }

    /// Reads the directory of a container. Its first bytes show its kind.
    fn open(&mut self, bytes: &Bytes) -> io::Result<Members> {
        self.containers += 1;
        let start = bytes.at(0, 4)?;
        let most = self.limits.entries.saturating_sub(self.entries);
        if ZIP.contains(start.first_chunk().unwrap_or(&[0; 4])) {
            return zip::members(bytes, most);
        }
        if !is_packed(&start) {
            return tar::members(bytes, most, self.limits);
        }
        let stream = Unpack::new(&start, BufReader::new(bytes.open()?));
        let (copy, failed) = self.copy(stream)?;
        let mut members = tar::members(&copy, most, self.limits)?;
        if let Some(error) = failed {
            members.broken = Some(why_cut(&error));
        }
        Ok(members)
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

    /// Adds a member. An error is a limit that ends the listing.
    fn member(
        &mut self,
        outer: &str,
        folder: &Path,
        packed: Packed,
        depth: usize,
        loose: &mut Vec<LooseFile>,
    ) -> Result<(), String> {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(packed.size);
        if self.entries > self.limits.entries {
            return Err(self.too_many(self.entries));
        }
        if self.bytes > self.limits.archive_bytes {
            let (bytes, limit) = (thousands(self.bytes), thousands(self.limits.archive_bytes));
            return Err(format!(
                "its members have {bytes} bytes so far; the limit is {limit} (`archive_bytes`)"
            ));
        }
        let (name, path) = self.unique(&packed.name, folder);
        let stamp = self.stamp.map(|stamp| stamp.of_member(&name, packed.size, packed.crc));
        let bytes = packed.size;
        let sniffed = match &packed.packing {
            Ok(_) => sniff::by(|window| start_of(&packed, window)),
            Err(why) => Err(io::Error::other(why.clone())),
        };
        let mut file = LooseFile {
            path: path.clone(),
            name: name.clone(),
            bytes,
            stamp,
            what: Loose::Unknown(String::new()),
        };
        let full = format!("{outer}/{name}");
        match sniffed {
            Ok(Sniff::Archive) => {
                let input = Input::new(full, path.clone(), What::Archive);
                self.inputs.push(Input { bytes, stamp, modified: self.modified, ..input });
            }
            Ok(Sniff::Container) => match self.nested(&full, &path, &packed, depth + 1) {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    file.what = Loose::Unknown(EMPTY.into());
                    loose.push(file);
                }
                Err(why) => {
                    file.what = Loose::Unreadable(why);
                    loose.push(file);
                }
            },
            Ok(Sniff::Loose(what)) => {
                file.what = as_asset(&path, what);
                loose.push(file);
            }
            Ok(Sniff::Place(_)) => {
                file.what = Loose::Unknown(SQLITE.into());
                loose.push(file);
            }
            Ok(Sniff::Unreadable(why)) => {
                file.what = Loose::Unreadable(why);
                loose.push(file);
            }
            Err(error) => {
                file.what = Loose::Unreadable(advice::to_read(&error));
                loose.push(file);
            }
        }
        self.members.insert(path, (packed, stamp));
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
    fn unique(&self, name: &str, folder: &Path) -> (String, PathBuf) {
        let below = |name: &str| {
            // A name may be an absolute path, which `join` would follow.
            let mut path = folder.as_os_str().to_owned();
            path.push("/");
            path.push(name);
            PathBuf::from(path)
        };
        let is_new = |path: &PathBuf| !self.members.contains_key(path);
        let path = below(name);
        if is_new(&path) {
            return (name.to_owned(), path);
        }
        let again = (2_u64..).map(|number| format!("{name} ({number})")).map(|name| (below(&name), name));
        let mut again = again.filter(|(path, _)| is_new(path));
        again.next().map_or((name.to_owned(), path), |(path, name)| (name, path))
    }

    /// Takes the members of unpacked archives out of the other files. Their control files show them.
    fn trees(&mut self, name: &str, path: &Path, loose: &mut Vec<LooseFile>) {
        let is_control = |file: &&LooseFile| file.what == Loose::Unknown(sniff::CONTROL.into());
        let roots = loose.iter().filter(is_control).filter_map(|file| file.name.strip_suffix("archive.xml"));
        let mut roots: Vec<String> =
            roots.filter(|root| root.is_empty() || root.ends_with('/')).map(str::to_owned).collect();
        roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        for root in roots {
            let is_member = |file: &LooseFile| {
                let inner = file.name.strip_prefix(&root);
                inner.is_some_and(|inner| member::classify(inner).kind != member::Kind::Other)
            };
            let (members, others) = std::mem::take(loose).into_iter().partition(is_member);
            *loose = others;
            let members: Vec<LooseFile> = members;
            let members = members.into_iter().map(|file: LooseFile| {
                let name = file.name[root.len()..].to_owned();
                let what = match file.what {
                    Loose::Unreadable(why) => Loose::Unreadable(why),
                    _ => Loose::Known(member::classify(&name).kind),
                };
                LooseFile { name, what, ..file }
            });
            let mut members: Vec<LooseFile> = members.collect();
            members.sort_by(tree::reading_order);
            let (name, path) = match root.trim_end_matches('/') {
                "" if loose.is_empty() => (name.to_owned(), path.to_owned()),
                // The name of an input is unique: other files of the container have its own.
                "" => (format!("{name}/."), path.to_owned()),
                root => (format!("{name}/{root}"), path.join(root)),
            };
            self.inputs.push(Input::of_files(name, path, What::Tree(members)));
        }
    }
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
