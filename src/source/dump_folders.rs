//! Folders that are one dump: of mydumper, MySQL Shell and `mysqldump --tab`, and of MySQL Workbench with a file for each
//! table.
//!
//! Names alone prove nothing, because nightly dumps of one database lie in one folder, too. So the first bytes of a file
//! must name the table that its name says.

use super::{
    Loose, LooseFile,
    database::sql::{self, table_of_workbench},
    list::ListedFile,
    unpack::{Unpack, is_packed},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    path::{Path, PathBuf},
};

/// Bytes in which a dump of Workbench names its table.
const START: usize = 16 * 1024;

/// The file that each dump of MySQL Shell has.
const SHELL: &str = "@.json";

/// The folders of dumps by path: their files, structure first.
pub(super) type DumpFolders = BTreeMap<PathBuf, Vec<LooseFile>>;

pub(super) trait Candidate {
    fn path(&self) -> &Path;

    /// Returns its first bytes. `None` if they cannot be read.
    fn start(&self, bytes: usize) -> Option<Vec<u8>>;

    /// Returns it as a file of a dump. Its name and type do not matter.
    fn into_file(self) -> LooseFile;
}

impl Candidate for ListedFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn start(&self, bytes: usize) -> Option<Vec<u8>> {
        ListedFile::start(self, bytes).ok()
    }

    fn into_file(self) -> LooseFile {
        let Self { path, bytes, stamp, .. } = self;
        LooseFile { path, name: String::new(), bytes, stamp, what: Loose::Unknown(String::new()) }
    }
}

/// Takes the files of dumps out of all files.
pub(super) fn claim<T: Candidate>(files: Vec<T>) -> (DumpFolders, Vec<T>) {
    let mut by_folder: BTreeMap<PathBuf, Vec<T>> = BTreeMap::new();
    let mut others = Vec::new();
    for found in files {
        match found.path().parent().map(Path::to_owned) {
            Some(folder) if may_belong(&name_of(found.path())) => {
                by_folder.entry(folder).or_default().push(found);
            }
            _ => others.push(found),
        }
    }
    let mut dumps = DumpFolders::new();
    for (folder, files) in by_folder {
        let files = match of_mydumper(&files) {
            true => {
                dumps.insert(folder, in_order(files, "mydumper"));
                continue;
            }
            false => files,
        };
        if files.iter().any(|found| name_of(found.path()) == SHELL) {
            dumps.insert(folder, in_order(files, "MySQL Shell"));
            continue;
        }
        let (pairs, files) = of_tab(files);
        if !pairs.is_empty() {
            dumps.insert(folder.clone(), in_order(pairs, "mysqldump --tab"));
        }
        for (path, files) in of_workbench(&folder, files, &mut others) {
            dumps.insert(path, in_order(files, "Workbench"));
        }
    }
    (dumps, others)
}

/// Whether a file may belong to a dump of several files, by its name.
pub(super) fn may_belong(name: &str) -> bool {
    const OTHERS: [&str; 4] = [".json", ".tsv", ".txt", ".idx"];
    let unpacked = unpacked_name(name);
    matches!(name, "metadata" | "metadata.partial")
        || without_ending(name).is_some()
        || OTHERS.iter().any(|ending| unpacked.ends_with(ending))
}

/// Returns the name of a file without the extension of a compression.
pub(super) fn unpacked_name(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

/// Returns the name of a file without the extensions of a dump. `None` if it has none.
pub(super) fn without_ending(name: &str) -> Option<&str> {
    unpacked_name(name).strip_suffix(".sql")
}

fn name_of(path: &Path) -> String {
    super::shown(Path::new(path.file_name().unwrap_or_default()))
}

/// Takes the files of `mysqldump --tab`: the structure of a table, and a file with its rows.
fn of_tab<T: Candidate>(files: Vec<T>) -> (Vec<T>, Vec<T>) {
    let stem = |found: &T, ending: &str| {
        unpacked_name(&name_of(found.path())).strip_suffix(ending).map(str::to_owned)
    };
    let with_lines: BTreeSet<String> = files.iter().filter_map(|found| stem(found, ".txt")).collect();
    let is_structure = |found: &T| {
        let of_table = stem(found, ".sql").zip(unpacked_start(found));
        of_table
            .filter(|(table, start)| table_of_workbench(start).as_ref() == Some(table))
            .map(|(table, _)| table)
    };
    // A file of statements has its rows itself if no other file has them.
    let may_be =
        files.iter().filter_map(|found| stem(found, ".sql")).any(|table| with_lines.contains(&table));
    if !may_be {
        return (Vec::new(), files);
    }
    let tables: BTreeSet<String> = files.iter().filter_map(is_structure).collect();
    if tables.is_disjoint(&with_lines) {
        return (Vec::new(), files);
    }
    let is_part = |found: &T| {
        [".sql", ".txt"].iter().any(|ending| stem(found, ending).is_some_and(|table| tables.contains(&table)))
    };
    files.into_iter().partition(is_part)
}

/// Returns the first bytes of a file, unpacked.
fn unpacked_start(found: &impl Candidate) -> Option<Vec<u8>> {
    let start = found.start(START)?;
    if !is_packed(&start) {
        return Some(start);
    }
    let mut head = Vec::new();
    // The window cuts the stream.
    let _ = Unpack::new(&start, &start[..]).take(START as u64).read_to_end(&mut head);
    Some(head)
}

/// Whether these are the files of mydumper: its metadata, and the structure of a table.
fn of_mydumper<T: Candidate>(files: &[T]) -> bool {
    let names = || files.iter().map(|found| name_of(found.path()));
    let has_metadata = names().any(|name| matches!(&*name, "metadata" | "metadata.partial"));
    let is_schema = |name: &str| {
        let table = without_ending(name).and_then(|name| name.strip_suffix("-schema"));
        table.is_some_and(|table| table.contains('.'))
    };
    has_metadata && names().any(|name| is_schema(&name))
}

/// Sorts the files of Workbench by database. All others go to `others`.
fn of_workbench<T: Candidate>(folder: &Path, files: Vec<T>, others: &mut Vec<T>) -> DumpFiles<T> {
    let mut databases: BTreeMap<String, Vec<T>> = BTreeMap::new();
    let mut routines = Vec::new();
    for found in files {
        let name = name_of(found.path());
        match without_ending(&name).and_then(|name| Some((name, database_of(&found, name)?))) {
            Some((_, database)) => databases.entry(database).or_default().push(found),
            None if without_ending(&name).is_some_and(|name| name.ends_with("_routines")) => {
                routines.push(found);
            }
            None => others.push(found),
        }
    }
    for found in routines {
        let name = name_of(found.path());
        let database =
            without_ending(&name).and_then(|name| name.strip_suffix("_routines")).unwrap_or_default();
        databases.get_mut(database).unwrap_or(others).push(found);
    }
    // One table alone is an ordinary dump.
    let (single, several): (Vec<_>, Vec<_>) = databases.into_iter().partition(|(_, files)| files.len() < 2);
    others.extend(single.into_iter().flat_map(|(_, files)| files));
    let is_one = several.len() == 1;
    let path = |database: &str| if is_one { folder.to_owned() } else { folder.join(database) };
    several.into_iter().map(|(database, files)| (path(&database), files)).collect()
}

/// The dumps in a folder, by path.
type DumpFiles<T> = Vec<(PathBuf, Vec<T>)>;

/// Returns the database of a file of Workbench, if its first bytes and its name agree.
fn database_of(found: &impl Candidate, name: &str) -> Option<String> {
    if !name.contains('_') {
        return None;
    }
    let start = unpacked_start(found)?;
    sql::Start::of(&start).dialect()?;
    let table = table_of_workbench(&start)?;
    Some(name.strip_suffix(&table)?.strip_suffix('_')?.to_owned())
}

/// Returns the files in the order of reading: metadata and structure first, then rows in the order of names.
fn in_order<T: Candidate>(files: Vec<T>, kind: &str) -> Vec<LooseFile> {
    let what = || Loose::Unknown(format!("part of a dump by {kind}"));
    let files = files.into_iter().map(Candidate::into_file);
    let mut files: Vec<LooseFile> =
        files.map(|file| LooseFile { name: name_of(&file.path), what: what(), ..file }).collect();
    let order = |file: &LooseFile| {
        let rank = match unpacked_name(&file.name) {
            name if name.starts_with("metadata") => 0,
            name if name.ends_with(".json") => 1,
            name if name.contains("-schema") => 2,
            name if name.ends_with(".sql") => 3,
            _ => 4,
        };
        (rank, file.name.clone())
    };
    files.sort_by_cached_key(order);
    files
}
