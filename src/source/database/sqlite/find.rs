//! Which databases of SQLite belong to a simulator, by their tables.

use super::{
    files::Files,
    files_of, schema,
    snapshot::{Failed, Snapshot},
    stamp_of,
};
use crate::{Access, FileSystem, Input, Place, What, walk::shown};
use hullmark_format::sqlite::MAGIC;
use hullmark_util::{advice, dates_in_names};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};
use walkdir::WalkDir;

/// What a database has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Regions.
    Regions,
    /// Assets and no regions.
    Assets,
    /// Inventories, without assets and regions.
    Inventories,
    /// Names of users, without any of these.
    Accounts,
    /// Other tables, or none.
    Others,
    /// Nothing that can be read.
    Damaged,
}

impl Contents {
    /// Whether the database is worth an audit on its own.
    pub(crate) fn is_export(self) -> bool {
        matches!(self, Self::Regions | Self::Assets | Self::Inventories | Self::Damaged)
    }

    /// Describes a database that is no export.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::Accounts => "database of user accounts (SQLite)",
            _ => "database of another program (SQLite)",
        }
    }
}

/// Most databases that several others of one folder share. More of them belong to nobody knows which, and each would be
/// read with each of the others.
const MOST_SHARED: usize = 64;

/// The databases of a folder.
#[derive(Debug, Default)]
struct Folder {
    all: Vec<(PathBuf, Contents)>,
}

impl Folder {
    fn count(&self, wanted: Contents) -> usize {
        self.all.iter().filter(|(_, contents)| *contents == wanted).count()
    }

    /// Returns what the parts of databases like this one have. With several databases of regions, nobody knows to which
    /// of them the inventories belong.
    fn parts_of(&self, contents: Contents) -> &'static [Contents] {
        use Contents::{Accounts, Assets, Inventories, Regions};
        let are_few = || self.count(Assets) + self.count(Accounts) <= MOST_SHARED;
        match contents {
            Regions if self.count(Regions) == 1 => &[Assets, Inventories, Accounts],
            Regions if are_few() => &[Assets],
            Inventories if self.count(Inventories) == 1 || are_few() => &[Assets, Accounts],
            _ => &[],
        }
    }

    /// Returns the databases with one of these contents, sorted.
    fn with(&self, wanted: &[Contents]) -> Arc<[PathBuf]> {
        let parts = self.all.iter().filter(|(_, contents)| wanted.contains(contents));
        let mut parts: Vec<PathBuf> = parts.map(|(path, _)| path.clone()).collect();
        parts.sort();
        parts.into()
    }
}

/// Number of times to look at a database that changes meanwhile.
const LOOKS: usize = 3;

/// Returns what the database at this path has.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn contents(system: &FileSystem, path: &Path) -> io::Result<Contents> {
    for _ in 1..LOOKS {
        if let (found, true) = look(system, path)? {
            return Ok(found);
        }
    }
    look(system, path).map(|(found, _)| found)
}

/// Returns what a database has, and whether it stayed the same meanwhile.
fn look(system: &FileSystem, path: &Path) -> io::Result<(Contents, bool)> {
    let mut snapshot = match Snapshot::open(&Files::of(system, path), None) {
        Ok(snapshot) => snapshot,
        Err(Failed::Fault(_)) => return Ok((Contents::Damaged, true)),
        Err(Failed::Changed) => return Ok((Contents::Damaged, false)),
        Err(Failed::Io(error)) => return Err(error),
    };
    let (tables, faults) = schema::tables(&mut snapshot)?;
    let has = |name: &str| tables.iter().any(|table| table.name == name);
    let found = match () {
        () if has("prims") => Contents::Regions,
        () if tables.iter().any(|table| table.name == "assets" && table.columns.has("data")) => {
            Contents::Assets
        }
        () if has("inventoryitems") || has("inventoryfolders") => Contents::Inventories,
        () if has("useraccounts") => Contents::Accounts,
        () if !faults.is_empty() => Contents::Damaged,
        () => Contents::Others,
    };
    Ok((found, snapshot.is_unchanged()))
}

/// Returns the databases in the same folder that are parts of the input of this one. Looks into each file of the folder.
pub(crate) fn parts_beside(system: &FileSystem, path: &Path) -> Arc<[PathBuf]> {
    let Ok(own) = contents(system, path) else { return Arc::default() };
    if !matches!(own, Contents::Regions | Contents::Inventories) {
        return Arc::default();
    }
    let others = system.beside(path).into_iter().filter(|file| is_sqlite(system, file));
    let others = others.filter_map(|file| contents(system, &file).ok().map(|contents| (file, contents)));
    let folder = Folder { all: [(path.to_owned(), own)].into_iter().chain(others).collect() };
    folder.with(folder.parts_of(own))
}

/// Whether a file begins as a database of SQLite.
fn is_sqlite(system: &FileSystem, path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    system.length(path).is_some()
        && system.open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *MAGIC
}

/// Returns the inputs of a named database, or of all below a named folder.
///
/// # Errors
/// There is no database of a simulator.
pub(crate) fn inputs(path: &Path) -> io::Result<Vec<Input>> {
    let not_found = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
    if !fs::metadata(path)?.is_dir() {
        let system = FileSystem::Disk;
        if !is_sqlite(&system, path) {
            return Err(not_found("it is no database of SQLite"));
        }
        let contents = contents(&system, path)?;
        if !contents.is_export() {
            return Err(not_found(&format!(
                "it is a {}, without regions, assets and inventories",
                contents.described()
            )));
        }
        let parts = parts_beside(&system, path);
        return Ok(vec![input(&system, path.to_owned(), parts)]);
    }
    let files = WalkDir::new(path).into_iter().flatten().map(walkdir::DirEntry::into_path);
    let system = FileSystem::Disk;
    let inputs = sorted(&system, files.filter(|file| is_sqlite(&system, file)).collect()).inputs;
    if inputs.is_empty() {
        return Err(not_found("it has no database of SQLite with regions, assets or inventories"));
    }
    Ok(inputs)
}

/// Databases of simulators, and those of other programs.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) inputs: Vec<Input>,
    /// Files that are no export, with a description.
    pub(crate) others: Vec<(PathBuf, &'static str)>,
}

/// Sorts databases into inputs, their parts and others.
pub(crate) fn sorted(system: &FileSystem, files: Vec<PathBuf>) -> Sorted {
    let mut folders: BTreeMap<PathBuf, Vec<(PathBuf, io::Result<Contents>)>> = BTreeMap::new();
    for file in files {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        let contents = contents(system, &file);
        folders.entry(folder).or_default().push((file, contents));
    }
    let mut sorted = Sorted::default();
    for databases in folders.into_values() {
        let known = databases.iter().filter_map(|(path, found)| Some((path.clone(), *found.as_ref().ok()?)));
        let folder = Folder { all: known.collect() };
        let of = |contents: Contents| (folder.count(contents) > 0).then(|| folder.parts_of(contents));
        let (of_regions, of_inventories) = (of(Contents::Regions), of(Contents::Inventories));
        let is_part = |contents: Contents| {
            of_regions.into_iter().chain(of_inventories).any(|parts| parts.contains(&contents))
        };
        let [of_regions, of_inventories] =
            [of_regions, of_inventories].map(|parts| folder.with(parts.unwrap_or_default()));
        for (file, contents) in databases {
            let parts = match contents {
                Ok(Contents::Regions) => Arc::clone(&of_regions),
                Ok(Contents::Inventories) => Arc::clone(&of_inventories),
                _ => Arc::default(),
            };
            match contents {
                Ok(contents) if is_part(contents) => {}
                Ok(contents) if contents.is_export() => sorted.inputs.push(input(system, file, parts)),
                Ok(contents) => sorted.others.push((file, contents.described())),
                Err(error) => {
                    let what = What::Unreadable(advice::to_read(&error));
                    sorted.inputs.push(Input { what, ..input(system, file, parts) });
                }
            }
        }
    }
    sorted.inputs.sort_by(|a, b| a.name.cmp(&b.name));
    sorted
}

/// Creates the input of a database with its parts.
fn input(system: &FileSystem, path: PathBuf, parts: Arc<[PathBuf]>) -> Input {
    let files = files_of(system, &path, &parts);
    let bytes = files.iter().filter_map(|file| system.length(file)).sum();
    let new = |path: PathBuf| {
        let access = Access { parts: Some(parts), ..Access::default() };
        Input { bytes, access, ..Input::new(shown(&path), path, What::Place(Place::Sqlite)) }
    };
    if let FileSystem::Virtual(_) = system {
        return new(path);
    }
    let modified = fs::metadata(&path).and_then(|meta| meta.modified()).ok();
    let modified = modified.and_then(dates_in_names::seconds);
    Input { stamp: stamp_of(&files), modified, ..new(path) }
}
