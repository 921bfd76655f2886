//! Databases of SQLite in containers.
//!
//! A database is read at any place, together with its journal and the databases next to it. So all databases of a
//! folder are unpacked into one temporary folder, under their names.

use super::{Lister, bytes::no_copy, members::Packed};
use crate::{FileSystem, Input, Loose, LooseFile, Stamp, database::sqlite};
use hullmark_util::{advice, number_text::thousands};
use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Marks a database among the loose files until its tables are known.
pub(super) const SQLITE: &str = "database of SQLite";

/// Ends of the names of a database and of the files that are read with it.
const FILES: [&str; 3] = ["", "-journal", "-wal"];

/// Whether a file has the name of a journal or a log of a database.
pub(super) fn is_beside(name: &str) -> bool {
    sqlite::BESIDE.iter().any(|ending| name.ends_with(ending))
}

/// Unpacked databases. They are removed with the list of members.
#[derive(Debug, Default)]
pub(super) struct Databases {
    folders: Vec<TempDir>,
    /// The copies by the paths of the members.
    copies: HashMap<PathBuf, PathBuf>,
}

impl Databases {
    pub(super) fn note_copy(&mut self, member: PathBuf, copy: PathBuf) {
        self.copies.insert(member, copy);
    }

    /// Keeps a temporary folder as long as the list of members.
    pub(super) fn keep(&mut self, folder: TempDir) {
        self.folders.push(folder);
    }

    pub(super) fn copy_of(&self, member: &Path) -> Option<&Path> {
        self.copies.get(member).map(PathBuf::as_path)
    }
}

impl Lister<'_> {
    /// Makes inputs of the databases of simulators among the files of a container.
    pub(super) fn sort_databases(&mut self, outer: &str, loose: &mut Vec<LooseFile>) {
        let is_database = |file: &LooseFile| file.what == Loose::Unknown(SQLITE.into());
        let (databases, others): (Vec<_>, Vec<_>) = std::mem::take(loose).into_iter().partition(is_database);
        let beside = sqlite::beside_all(databases.iter().map(|file| file.path.as_path()));
        *loose = others.into_iter().filter(|file| !beside.contains(&file.path)).collect();
        let mut folders: BTreeMap<PathBuf, Vec<LooseFile>> = BTreeMap::new();
        for file in databases {
            folders.entry(file.path.parent().unwrap_or(Path::new("")).to_owned()).or_default().push(file);
        }
        for files in folders.into_values() {
            self.databases_of_folder(outer, files, loose);
        }
    }

    fn databases_of_folder(&mut self, outer: &str, files: Vec<LooseFile>, loose: &mut Vec<LooseFile>) {
        let folder = tempfile::tempdir();
        let mut unpacked = BTreeMap::new();
        for mut file in files {
            let copied = match &folder {
                Ok(folder) => self.unpack(&file.path, folder.path()),
                Err(error) => Err(no_copy(error)),
            };
            match copied {
                Ok(copy) => drop(unpacked.insert(copy, file)),
                Err(error) => {
                    file.what = Loose::Unreadable(advice::to_read(&error));
                    loose.push(file);
                }
            }
        }
        let stamp = Stamp::of_all(unpacked.values().map(|file| self.stamp_of(&file.path)));
        let sorted = sqlite::sorted(&FileSystem::Disk, unpacked.keys().cloned().collect());
        for Input { path, what, bytes, access, .. } in sorted.inputs {
            let Some(file) = unpacked.remove(&path) else { continue };
            let input = Input::new(format!("{outer}/{}", file.name), file.path.clone(), what);
            self.inputs.push(Input { bytes, stamp, modified: self.modified, access, ..input });
            self.databases.copies.insert(file.path, path);
        }
        for (path, described) in sorted.others {
            let file = unpacked.remove(&path);
            loose.extend(file.map(|file| LooseFile { what: Loose::Unknown(described.into()), ..file }));
        }
        self.databases.folders.extend(folder);
    }

    /// Unpacks a database with its journal and its log. Returns the path of the copy.
    fn unpack(&mut self, database: &Path, folder: &Path) -> io::Result<PathBuf> {
        let name = safe(&database.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy());
        for ending in FILES {
            let Some(packed) = self.members.get(&sqlite::beside(database, ending)) else { continue };
            self.unpack_file(&packed, &sqlite::beside(&folder.join(&name), ending))?;
        }
        Ok(folder.join(name))
    }

    pub(super) fn unpack_file(&mut self, packed: &Packed, to: &Path) -> io::Result<()> {
        let most = self.limits.temporary_bytes;
        let left = most.saturating_sub(self.copied);
        let mut file = File::create_new(to).map_err(|error| no_copy(&error))?;
        let bytes = io::copy(&mut packed.open()?.take(left.saturating_add(1)), &mut file)?;
        self.copied += bytes;
        if bytes > left {
            let most = thousands(most);
            let why = format!("with it, temporary files have more than {most} bytes (`temporary_bytes`)");
            return Err(io::Error::other(why));
        }
        Ok(())
    }

    /// Returns a stamp of a database with its journal and its log.
    fn stamp_of(&self, database: &Path) -> Option<Stamp> {
        let paths = FILES.iter().map(|ending| sqlite::beside(database, ending));
        let paths = paths.filter(|path| self.members.has(path));
        Stamp::of_all(paths.map(|path| self.members.stamp(&path)))
    }
}

/// Returns a name that stays in its folder on every system: `x:evil.db` is a file of another disk on Windows.
fn safe(name: &str) -> String {
    name.replace(|c: char| c.is_control() || "<>:\"/\\|?*".contains(c), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_in_their_folder() {
        assert_eq!(safe("OpenSim.db"), "OpenSim.db");
        assert_eq!(safe("x:evil.db"), "x_evil.db");
        assert_eq!(safe(r"..\..\evil.db:stream"), ".._.._evil.db_stream");
    }
}
