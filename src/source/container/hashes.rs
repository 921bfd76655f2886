//! Trees of FSAssets in containers.
//!
//! A tree is read at any place, as a service reads it. So its files are unpacked into a temporary folder, under the names
//! of the tree.

use super::{Lister, bytes::no_copy};
use crate::{Input, Loose, LooseFile, Stamp, fsassets};
use hullmark_util::advice;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Marks a file of a tree among the loose files.
pub(super) const FILE: &str = "file of an FSAssets store";

impl Lister<'_> {
    /// Makes inputs of the trees of FSAssets among the files of a container.
    pub(super) fn sort_hashes(&mut self, outer: &str, container: &Path, loose: &mut Vec<LooseFile>) {
        let is_file = |file: &LooseFile| file.what == Loose::Unknown(FILE.into());
        let (files, others): (Vec<_>, Vec<_>) = std::mem::take(loose).into_iter().partition(is_file);
        *loose = others;
        let mut trees: BTreeMap<String, Vec<LooseFile>> = BTreeMap::new();
        for file in files {
            let root = fsassets::root_in(&file.name).unwrap_or_default().to_owned();
            trees.entry(root).or_default().push(file);
        }
        for (root, files) in trees {
            if let Err(error) = self.tree_of_hashes(outer, container, &root, &files, loose.is_empty()) {
                let what = Loose::Unreadable(advice::to_read(&error));
                // One row for the tree: it has very many files.
                loose.extend(files.into_iter().next().map(|file| LooseFile { what, ..file }));
            }
        }
    }

    fn tree_of_hashes(
        &mut self,
        outer: &str,
        container: &Path,
        root: &str,
        files: &[LooseFile],
        is_alone: bool,
    ) -> io::Result<()> {
        let folder = tempfile::tempdir().map_err(|error| no_copy(&error))?;
        let below = |file: &LooseFile| file.name[root.len()..].trim_start_matches('/').to_owned();
        for file in files {
            let to = folder.path().join(below(file));
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|error| no_copy(&error))?;
            }
            let Some(packed) = self.members.get(&file.path) else { continue };
            self.unpack_file(&packed, &to)?;
        }
        let mut stamps: BTreeMap<String, Vec<Option<Stamp>>> = BTreeMap::new();
        for file in files {
            let below = below(file);
            let first = below.split('/').next().unwrap_or_default();
            stamps.entry(first.to_owned()).or_default().push(file.stamp);
        }
        let name = match root {
            "" if is_alone => outer.to_owned(),
            "" => format!("{outer}/."),
            root => format!("{outer}/{root}"),
        };
        let place = container.join(root);
        for input in fsassets::inputs(&name, folder.path())? {
            let first = input.path.strip_prefix(folder.path()).unwrap_or(Path::new("")).to_owned();
            let member: PathBuf = if first == Path::new("") { place.clone() } else { place.join(&first) };
            let stamps = stamps.remove(&*first.to_string_lossy()).unwrap_or_default();
            let stamp = Stamp::of_all(stamps.into_iter());
            self.databases.note_copy(member.clone(), input.path.clone());
            self.inputs.push(Input { path: member, stamp, modified: self.modified, ..input });
        }
        self.databases.keep(folder);
        Ok(())
    }
}
