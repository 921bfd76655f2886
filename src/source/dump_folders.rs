//! Folders that are one dump: of mydumper, and of MySQL Workbench with a file for each table.
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
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

/// Bytes in which a dump of Workbench names its table.
const START: usize = 16 * 1024;

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
        for (path, files) in of_workbench(&folder, files, &mut others) {
            dumps.insert(path, in_order(files, "Workbench"));
        }
    }
    (dumps, others)
}

/// Whether a file may belong to a dump of several files, by its name.
pub(super) fn may_belong(name: &str) -> bool {
    matches!(name, "metadata" | "metadata.partial") || without_ending(name).is_some()
}

/// Returns the name of a file without the extensions of a dump. `None` if it has none.
pub(super) fn without_ending(name: &str) -> Option<&str> {
    let packed = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst"));
    packed.unwrap_or(name).strip_suffix(".sql")
}

fn name_of(path: &Path) -> String {
    super::shown(Path::new(path.file_name().unwrap_or_default()))
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
    let start = found.start(START)?;
    let start = match is_packed(&start) {
        false => start,
        true => {
            let mut head = Vec::new();
            // The window cuts the stream.
            let _ = Unpack::new(&start, &start[..]).take(START as u64).read_to_end(&mut head);
            head
        }
    };
    sql::dialect_of(&start)?;
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
        let is_schema = without_ending(&file.name).is_some_and(|name| name.contains("-schema"));
        (!file.name.starts_with("metadata"), !is_schema, file.name.clone())
    };
    files.sort_by_cached_key(order);
    files
}
