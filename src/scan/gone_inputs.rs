//! Inputs that are gone: which of their ledgers are removed.
//!
//! A disk that is not mounted looks like one with all files deleted. So a ledger is removed only if this run looked for
//! its input, did not find it, and found another input in the same place.

use hullmark_ledger::{InputKind, LedgerHeader, facts::Status};
use hullmark_source::Input;
use hullmark_storage::{self as storage, stamp};
use hullmark_util::dates_in_names::undated;
use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

/// The paths that a run searched, and the inputs that it found there.
#[derive(Debug, Default)]
pub(super) struct PresentInputs {
    asked: Vec<Asked>,
    inputs: HashSet<PathBuf>,
    /// Folders that contain inputs at any depth, with `#` for the dates in their names.
    filled: HashSet<String>,
    /// Number of archives for each path without its dates.
    series: BTreeMap<String, u32>,
}

/// A folder that a run searched.
#[derive(Debug)]
struct Asked {
    /// The argument.
    given: PathBuf,
    folder: PathBuf,
    /// Whether the subfolders were searched, too. `false` if the argument was a single file.
    deep: bool,
    has_inputs: bool,
}

/// What happens to the ledger of an input that this run did not use.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The input may still exist.
    Stays,
    /// The input is gone.
    Goes,
}

/// Folders that have no input any more: the number of inputs that they had, and the names of those that may return.
pub(super) type EmptiedFolders = BTreeMap<PathBuf, (u64, Vec<String>)>;

impl PresentInputs {
    pub(super) fn new(paths: &[PathBuf], inputs: &[Input]) -> Self {
        let exports = inputs.iter().filter(|input| input.is_export());
        let places: HashSet<PathBuf> = exports.map(|input| stamp::whole(&input.path)).collect();
        let mut series = BTreeMap::new();
        for place in &places {
            *series.entry(undated(&place.to_string_lossy())).or_default() += 1;
        }
        let mut folders = HashSet::new();
        for place in &places {
            // The parents of a known folder are known, too.
            for folder in place.ancestors() {
                if !folders.insert(folder) {
                    break;
                }
            }
        }
        let filled = folders.iter().map(|folder| undated(&folder.to_string_lossy())).collect();
        let asked = paths.iter().filter_map(|path| {
            let path = stamp::whole(path);
            // A member of a container says nothing about the other members.
            let is_member = || !path.exists() && path.ancestors().skip(1).any(Path::is_file);
            let deep = storage::is_url(&path) || path.is_dir() || is_member();
            let folder = if deep { path.clone() } else { path.parent()?.to_owned() };
            let has_inputs = places.iter().any(|place| place.starts_with(&folder));
            Some(Asked { given: path, folder, deep, has_inputs })
        });
        Self { asked: asked.collect(), inputs: places, filled, series }
    }

    /// Whether the input at this path is the only copy of its series in this run.
    pub(super) fn is_only_copy(&self, path: &str) -> bool {
        self.series.get(&undated(path)).is_none_or(|count| *count <= 1)
    }

    /// Whether an argument names the input at this path, or a folder that has it. A run that reads one file says nothing
    /// about others.
    pub(super) fn are_asked_for(&self, path: &Path) -> bool {
        self.asked.iter().any(|asked| path.starts_with(&asked.given))
    }

    /// Decides about the ledger of an unused input. Counts the ledger in `emptied` if its folder has no input any more.
    pub(super) fn fate(&self, header: &LedgerHeader, emptied: &mut EmptiedFolders) -> Fate {
        let Some(path) = header.made.as_ref().map(|made| Path::new(&made.path)) else { return Fate::Stays };
        // A member of a container has no file, so only the list of inputs shows that it is gone.
        let is_member = || path.ancestors().skip(1).any(Path::is_file);
        let is_found = self.inputs.contains(path);
        let is_gone = storage::is_gone(path) || !is_found && is_member();
        let is_missing = is_gone || header.kind == InputKind::Folder && !is_found;
        let asked = self.asked.iter().filter(|asked| asked.looks_for(path));
        // The innermost of nested arguments is the most specific.
        let asked = asked.max_by_key(|asked| asked.folder.components().count());
        let Some(asked) = asked.filter(|_| is_missing) else { return Fate::Stays };
        let top = asked.top_folder(path);
        let is_empty = asked.deep && !self.filled.contains(&undated(&top.to_string_lossy()));
        let had_exports = header.kind != InputKind::Folder || header.brief.bytes > 0;
        // An existing empty folder may be the mount point of a disk that is mounted for other runs.
        let may_return = !asked.has_inputs || is_empty && top.is_dir();
        if is_empty && had_exports {
            let (inputs, names) = emptied.entry(top).or_default();
            *inputs += 1;
            names.extend(may_return.then(|| header.input.clone()));
        }
        if may_return || !is_gone { Fate::Stays } else { Fate::Goes }
    }
}

impl Asked {
    fn looks_for(&self, path: &Path) -> bool {
        if self.deep { path.starts_with(&self.folder) } else { path.parent() == Some(&self.folder) }
    }

    /// Returns the direct subfolder in which the input was. Returns this folder if the input was in no subfolder.
    fn top_folder(&self, path: &Path) -> PathBuf {
        let inner = path.strip_prefix(&self.folder).unwrap_or(path);
        let mut steps = inner.components();
        match (steps.next(), steps.next()) {
            (Some(first), Some(_)) if self.has_inputs => self.folder.join(first),
            _ => self.folder.clone(),
        }
    }
}

/// Whether the header, or an earlier state in it, describes a complete archive.
pub(super) fn remembers(header: &LedgerHeader) -> bool {
    header.kind != InputKind::Folder
        && (header.brief.status == Status::Complete || !header.earlier.is_empty())
}
