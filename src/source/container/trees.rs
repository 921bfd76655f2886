//! Unpacked archives in containers.

use super::Lister;
use crate::{Input, Loose, LooseFile, What, sniff, tree};
use hullmark_format::member;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::Arc,
};

/// Folders around a file that are searched for the control file. Folders of an inventory are deep, but not as deep.
const STEPS: usize = 64;

impl Lister<'_> {
    /// Takes the members of unpacked archives out of the other files. Their control files show them.
    pub(super) fn trees(&mut self, name: &str, path: &Path, loose: &mut Vec<LooseFile>) {
        let is_control = |file: &&LooseFile| file.what == Loose::Unknown(sniff::CONTROL.into());
        let roots = loose.iter().filter(is_control).filter_map(|file| file.name.strip_suffix("archive.xml"));
        let roots: HashSet<String> =
            roots.filter(|root| root.is_empty() || root.ends_with('/')).map(str::to_owned).collect();
        if roots.is_empty() {
            return;
        }
        // Inner archives come first.
        let mut trees: BTreeMap<Reverse<(usize, String)>, Vec<LooseFile>> = BTreeMap::new();
        for file in std::mem::take(loose) {
            match root_of(&file.name, &roots) {
                Some(root) => trees.entry(Reverse((root.len(), root.to_owned()))).or_default().push(file),
                None => loose.push(file),
            }
        }
        for (Reverse((_, root)), members) in trees {
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
            self.inputs.push(Input::of_files(name, path, What::Tree(Arc::new(members))));
        }
    }
}

/// Returns the innermost unpacked archive that has a file as a member: the start of its name.
fn root_of<'n>(name: &'n str, roots: &HashSet<String>) -> Option<&'n str> {
    let folders = name.rmatch_indices('/').map(|(end, _)| &name[..=end]).take(STEPS);
    let is_member = |root: &&str| member::classify(&name[root.len()..]).kind != member::Kind::Other;
    folders.chain([""]).filter(|root| roots.contains(*root)).find(is_member)
}
