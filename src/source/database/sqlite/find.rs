//! Which databases of SQLite belong to a simulator, by their tables.

use super::{
    super::is_known,
    files::DatabaseFiles,
    files_of,
    schema::Tables,
    snapshot::{Failed, Snapshot},
    stamp_now,
};
use crate::{Access, FileSystem, Input, Place, What, walk::shown};
use hullmark_database::sqlite::MAGIC;
use hullmark_settings::limits::Limits;
use hullmark_util::{advice, dates_in_names};
use std::{
    collections::{BTreeMap, HashSet},
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// What a database has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DatabaseContents {
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

impl DatabaseContents {
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

    /// Whether other databases of a folder may be parts of the input of one like this.
    fn has_parts(self) -> bool {
        matches!(self, Self::Regions | Self::Inventories)
    }

    /// Whether a database like this is a part of the input of another one in the same folder. With several databases of
    /// regions, nobody knows to which of them the inventories belong.
    fn is_part_of(self, other: Self, folder: &Counts) -> bool {
        let are_few = folder.shared <= MOST_SHARED;
        match other {
            Self::Regions if folder.regions == 1 => {
                matches!(self, Self::Assets | Self::Inventories | Self::Accounts)
            }
            Self::Regions => self == Self::Assets && are_few,
            Self::Inventories => {
                matches!(self, Self::Assets | Self::Accounts) && (folder.inventories == 1 || are_few)
            }
            Self::Assets | Self::Accounts | Self::Others | Self::Damaged => false,
        }
    }
}

/// Most databases that several others of one folder share. More of them belong to nobody knows which, and each would be
/// read with each of the others.
const MOST_SHARED: usize = 64;

/// Numbers of databases in a folder.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// With regions.
    regions: usize,
    /// With inventories and without regions.
    inventories: usize,
    /// With assets or accounts alone.
    shared: usize,
}

impl Counts {
    fn of(all: impl Iterator<Item = DatabaseContents>) -> Self {
        all.fold(Self::default(), |mut counts, contents| {
            match contents {
                DatabaseContents::Regions => counts.regions += 1,
                DatabaseContents::Inventories => counts.inventories += 1,
                DatabaseContents::Assets | DatabaseContents::Accounts => counts.shared += 1,
                DatabaseContents::Others | DatabaseContents::Damaged => {}
            }
            counts
        })
    }
}

/// Number of times to look at a database that changes meanwhile.
const LOOKS: usize = 3;

/// Returns what the database at this path has.
pub(crate) fn contents(system: &FileSystem, path: &Path) -> io::Result<DatabaseContents> {
    for _ in 1..LOOKS {
        if let (found, true) = look(system, path)? {
            return Ok(found);
        }
    }
    look(system, path).map(|(found, _)| found)
}

/// Returns what a database has, and whether it stayed the same meanwhile.
fn look(system: &FileSystem, path: &Path) -> io::Result<(DatabaseContents, bool)> {
    let mut snapshot = match Snapshot::open(&DatabaseFiles::of(system, path), None) {
        Ok(snapshot) => snapshot,
        Err(Failed::Fault(_)) => return Ok((DatabaseContents::Damaged, true)),
        Err(Failed::Changed) => return Ok((DatabaseContents::Damaged, false)),
        Err(Failed::Io(error)) => return Err(error),
    };
    let limits = Limits::default();
    let mut is_damaged = false;
    let tables = Tables::read(&mut snapshot, &limits, &is_known, &mut |_| is_damaged = true)?;
    // Nobody knows what the tables are that are left out.
    is_damaged |= tables.is_cut(&limits);
    let has = |name: &str| tables.list.iter().any(|table| table.name == name);
    let found = match () {
        // A region without one of its tables is damaged, and no database of another program.
        () if ["prims", "primshapes", "primitems", "regionsettings"].into_iter().any(has) => {
            DatabaseContents::Regions
        }
        () if tables.list.iter().any(|table| table.name == "assets" && table.columns.has("data")) => {
            DatabaseContents::Assets
        }
        () if has("inventoryitems") || has("inventoryfolders") => DatabaseContents::Inventories,
        () if has("useraccounts") => DatabaseContents::Accounts,
        () if is_damaged => DatabaseContents::Damaged,
        () => DatabaseContents::Others,
    };
    Ok((found, snapshot.is_unchanged()))
}

/// Returns the databases in the same folder that are parts of the input of this one.
pub(crate) fn parts_beside(system: &FileSystem, path: &Path) -> Vec<PathBuf> {
    let Ok(own) = contents(system, path) else { return Vec::new() };
    if !own.has_parts() {
        return Vec::new();
    }
    DatabaseFolder::around(system, path).parts_of(path, own)
}

struct DatabaseFolder {
    counts: Counts,
    /// Databases without regions, which may be parts of the input of another one.
    others: Vec<(PathBuf, DatabaseContents)>,
}

impl DatabaseFolder {
    /// Looks at all databases in the folder of this one.
    fn around(system: &FileSystem, path: &Path) -> Self {
        let files = system.beside(path).into_iter().chain([path.to_owned()]);
        let databases = files.filter(|file| is_sqlite(system, file));
        let known = databases.filter_map(|file| contents(system, &file).ok().map(|found| (file, found)));
        let known: Vec<(PathBuf, DatabaseContents)> = known.collect();
        let counts = Counts::of(known.iter().map(|(_, found)| *found));
        let mut others = known;
        others.retain(|(_, found)| *found != DatabaseContents::Regions);
        others.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self { counts, others }
    }

    /// Returns the databases that are parts of the input of the one at this path.
    fn parts_of(&self, path: &Path, own: DatabaseContents) -> Vec<PathBuf> {
        let others = self.others.iter().filter(|(file, _)| file.file_name() != path.file_name());
        let parts = others.filter(|(_, found)| own.has_parts() && found.is_part_of(own, &self.counts));
        parts.map(|(file, _)| file.clone()).collect()
    }
}

/// Whether a file begins as a database of SQLite.
fn is_sqlite(system: &FileSystem, path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    system.length(path).is_some()
        && system.open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *MAGIC
}

/// Returns the inputs of a named database, or of all below a named folder.
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
    let mut folders: BTreeMap<PathBuf, Vec<(PathBuf, io::Result<DatabaseContents>)>> = BTreeMap::new();
    for file in files {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        let contents = contents(system, &file);
        folders.entry(folder).or_default().push((file, contents));
    }
    let mut sorted = Sorted::default();
    for databases in folders.into_values() {
        let known: Vec<DatabaseContents> =
            databases.iter().filter_map(|(_, found)| found.as_ref().ok().copied()).collect();
        let counts = Counts::of(known.iter().copied());
        let kinds: HashSet<DatabaseContents> = known.iter().copied().collect();
        let is_part =
            |contents: DatabaseContents| kinds.iter().any(|other| contents.is_part_of(*other, &counts));
        // A part may be a file that was not given. The folder is looked at once for all inputs.
        let has_parts = kinds.iter().any(|contents| contents.has_parts());
        let all =
            databases.first().filter(|_| has_parts).map(|(file, _)| DatabaseFolder::around(system, file));
        for (file, contents) in databases {
            match contents {
                Ok(contents) if is_part(contents) => {}
                Ok(contents) if contents.is_export() => {
                    let parts = all.as_ref().map(|all| all.parts_of(&file, contents)).unwrap_or_default();
                    sorted.inputs.push(input(system, file, parts));
                }
                Ok(contents) => sorted.others.push((file, contents.described())),
                Err(error) => {
                    let what = What::Unreadable(advice::to_read(&error));
                    sorted.inputs.push(Input { what, ..input(system, file, Vec::new()) });
                }
            }
        }
    }
    sorted.inputs.sort_by(|a, b| a.name.cmp(&b.name));
    sorted
}

fn input(system: &FileSystem, path: PathBuf, parts: Vec<PathBuf>) -> Input {
    let files = files_of(system, &path, Some(&parts));
    let bytes = files.iter().filter_map(|file| system.length(file)).sum();
    let access = Access { parts: Some(parts.into()), ..Access::default() };
    let name = shown(&path);
    let input = Input { bytes, access, ..Input::new(name, path, What::Place(Place::Sqlite)) };
    if let FileSystem::Virtual(_) = system {
        return input;
    }
    let modified = fs::metadata(&input.path).and_then(|meta| meta.modified()).ok();
    let modified = modified.and_then(dates_in_names::seconds);
    Input { stamp: stamp_now(&input), modified, ..input }
}
