//! Inputs that are gone: which of their ledgers are removed.
//!
//! A disk that is not mounted looks like one with all files deleted. So a ledger is removed only if this run looked for
//! its input, did not find it, and found another input in the same place.

use crate::{
    ledger::{LedgerHeader, facts::Status},
    scan::source::Input,
    storage::{self, stamp},
    util::dates_in_names::undated,
};
use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

/// What a run looked for, and found.
#[derive(Debug, Default)]
pub(super) struct Tonight {
    /// The folders that it looked into.
    asked: Vec<Asked>,
    /// Where its inputs are.
    inputs: HashSet<PathBuf>,
    /// Folders below which it found inputs, with `#` for dates in their names.
    filled: HashSet<String>,
    /// How many archives there are whose paths differ in nothing but dates.
    series: BTreeMap<String, u32>,
}

/// A folder that a run looked into.
#[derive(Debug)]
struct Asked {
    folder: PathBuf,
    /// Whether it looked into the folders below, too. It did not where it was given single files.
    deep: bool,
    /// Whether it found an input.
    has_inputs: bool,
}

/// What becomes of the ledger of an input that this run did not use.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its input may still be there.
    Stays,
    /// Its input is gone.
    Goes,
}

impl Tonight {
    pub(super) fn new(paths: &[PathBuf], inputs: &[Input]) -> Self {
        let exports = inputs.iter().filter(|input| input.is_export());
        let places: HashSet<PathBuf> = exports.map(|input| stamp::whole(&input.path)).collect();
        let mut series = BTreeMap::new();
        for place in &places {
            *series.entry(undated(&place.to_string_lossy())).or_default() += 1;
        }
        let mut folders = HashSet::new();
        for place in &places {
            // Whatever holds a folder that is known is known, too.
            for folder in place.ancestors() {
                if !folders.insert(folder) {
                    break;
                }
            }
        }
        let filled = folders.iter().map(|folder| undated(&folder.to_string_lossy())).collect();
        let asked = paths.iter().filter_map(|path| {
            let path = stamp::whole(path);
            let deep = storage::is_url(&path) || path.is_dir();
            let folder = if deep { path } else { path.parent()?.to_owned() };
            let has_inputs = places.iter().any(|place| place.starts_with(&folder));
            Some(Asked { folder, deep, has_inputs })
        });
        Self { asked: asked.collect(), inputs: places, filled, series }
    }

    /// Whether tonight's input at this path is the only copy of its series.
    pub(super) fn is_only_copy(&self, path: &str) -> bool {
        self.series.get(&undated(path)).is_none_or(|count| *count <= 1)
    }

    /// What becomes of the ledger of an input that was not used. Counts it where its folder has no input any more.
    pub(super) fn fate(&self, label: &LedgerHeader, emptied: &mut BTreeMap<PathBuf, u64>) -> Fate {
        let Some(path) = label.made.as_ref().map(|made| Path::new(&made.path)) else { return Fate::Stays };
        let is_missing = storage::is_gone(path) || label.kind == "folder" && !self.inputs.contains(path);
        let asked = self.asked.iter().filter(|asked| asked.looks_for(path));
        // Of nested arguments the inner one says more.
        let asked = asked.max_by_key(|asked| asked.folder.components().count());
        let Some(asked) = asked.filter(|_| is_missing) else { return Fate::Stays };
        let top = asked.top_folder(path);
        let is_empty = asked.deep && !self.filled.contains(&undated(&top.to_string_lossy()));
        let had_exports = label.kind != "folder" || label.brief.bytes > 0;
        if is_empty && had_exports {
            *emptied.entry(top.clone()).or_default() += 1;
        }
        // A folder that is there and empty may be where a disk is mounted on other nights.
        let may_return = !asked.has_inputs || is_empty && top.is_dir();
        if may_return || !storage::is_gone(path) { Fate::Stays } else { Fate::Goes }
    }
}

impl Asked {
    fn looks_for(&self, path: &Path) -> bool {
        if self.deep { path.starts_with(&self.folder) } else { path.parent() == Some(&self.folder) }
    }

    /// The folder right below this one in which an input lay; this one where it lay in none.
    fn top_folder(&self, path: &Path) -> PathBuf {
        let inner = path.strip_prefix(&self.folder).unwrap_or(path);
        let mut steps = inner.components();
        match (steps.next(), steps.next()) {
            (Some(first), Some(_)) if self.has_inputs => self.folder.join(first),
            _ => self.folder.clone(),
        }
    }
}

/// Whether a label remembers a state that was whole.
pub(super) fn remembers(label: &LedgerHeader) -> bool {
    label.kind != "folder" && (label.brief.status == Status::Complete || !label.earlier.is_empty())
}
