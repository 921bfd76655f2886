//! What earlier runs had and this one has not: which of it is news.

use super::{Archive, Emptied, History};
use hullmark_ledger::{
    gone::{self, Gone, Source},
    identity,
};
use hullmark_util::dates_in_names::undated;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Component, Path, PathBuf},
};

/// What a run knows about inputs that it did not find.
#[derive(Debug, Clone, Default)]
pub struct Former {
    /// Archives whose ledgers are kept, and which the run looked for.
    pub archives: Vec<Archive>,
    /// Names of inputs that may return, because their folder is empty.
    pub may_return: Vec<String>,
}

impl Former {
    pub fn new(archives: Vec<Archive>, emptied: &[Emptied]) -> Self {
        let may_return = emptied.iter().flat_map(|emptied| emptied.may_return.iter().cloned());
        Self { archives, may_return: may_return.collect() }
    }
}

/// Where a run searched for inputs.
#[derive(Debug, Clone, Default)]
pub enum Searched {
    /// Nowhere, or not in all of a place: it says nothing about inputs that it has not.
    #[default]
    Nowhere,
    /// In these files, folders and URLs.
    Paths(Vec<String>),
    /// In the folder that all of its inputs share, because only ledgers are named.
    AroundInputs,
}

impl History {
    /// Returns the things that ledgers, the baseline or the history have, and the archives of this run have not. Accepted
    /// ones are left out. So are those that may return: another finding reports an empty folder.
    pub(super) fn gone(&self, archives: &[Archive], former: &Former) -> Vec<Gone> {
        let places: Vec<PathBuf> = match &self.searched {
            Searched::Nowhere => return Vec::new(),
            Searched::Paths(paths) => paths.iter().map(|path| plain(path)).collect(),
            Searched::AroundInputs => shared_folder(archives).into_iter().collect(),
        };
        // A place without any input has a finding of its own.
        let has_any = |archive: &&Archive| archive.may_be_backup() || archive.brief.bytes > 0;
        let filled: HashSet<PathBuf> = archives
            .iter()
            .filter(has_any)
            .flat_map(|archive| plain(&archive.name).ancestors().map(Path::to_owned).collect::<Vec<_>>())
            .collect();
        let places: HashSet<PathBuf> = places.into_iter().filter(|place| filled.contains(place)).collect();
        let is_searched = |archive: &Archive| {
            let path = plain(&archive.name);
            // The current folder has no path that leaves it.
            let leaves = path.starts_with("..");
            path.ancestors().any(|place| places.contains(place) && !(leaves && place.as_os_str().is_empty()))
        };
        let may_return: HashSet<String> = former.may_return.iter().map(|name| undated(name)).collect();
        let states = |archive: &Archive| {
            let has_others = |state: &Archive| state.brief.regions != archive.brief.regions;
            archive.states().filter(has_others).collect::<Vec<_>>()
        };
        let of_ledgers = former.archives.iter().cloned().chain(former.archives.iter().flat_map(states));
        let of_ledgers = of_ledgers.chain(archives.iter().flat_map(states));
        let of_ledgers = of_ledgers.map(|archive| (Source::Ledger, archive));
        let baseline = self.baseline.iter().flatten().map(|archive| (Source::Baseline, archive));
        let named = baseline.chain(self.seen.iter().map(|archive| (Source::History, archive)));
        let named = named.filter(|(_, archive)| is_searched(archive));
        let earlier = of_ledgers.chain(named.map(|(source, archive)| (source, archive.clone())));
        let earlier: Vec<_> =
            earlier.filter(|(_, archive)| !may_return.contains(&archive.series())).collect();
        // A run of selected databases has not read the others.
        let is_partly_read = |archive: &Archive| self.is_selective && archive.kind.is_database();
        let gone = gone::gone(&earlier, archives, is_partly_read);
        let accepted = self.accepted(&gone);
        let numbered = gone.into_iter().enumerate();
        numbered.filter(|(number, _)| !accepted.contains(number)).map(|(_, gone)| gone).collect()
    }

    /// Returns the numbers of those that the settings accept.
    fn accepted(&self, gone: &[Gone]) -> BTreeSet<usize> {
        let mut called: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (number, gone) in gone.iter().enumerate() {
            for name in [&gone.name, &gone.identity, &gone.archive, identity::file_name(&gone.archive)] {
                called.entry(name.to_lowercase()).or_default().insert(number);
            }
        }
        self.expected.gone.iter().flat_map(|name| name.among(&called)).collect()
    }
}

/// Returns a path without dates and without dots that mean the current folder.
fn plain(name: &str) -> PathBuf {
    let undated = undated(name);
    Path::new(&undated).components().filter(|component| *component != Component::CurDir).collect()
}

/// Returns the innermost folder that has all archives. `None` without archives.
fn shared_folder(archives: &[Archive]) -> Option<PathBuf> {
    let folders = archives.iter().map(|archive| plain(&archive.name));
    let folders = folders.map(|path| path.parent().map_or(PathBuf::new(), Path::to_owned));
    folders.reduce(|one, other| {
        let shared = one.components().zip(other.components()).take_while(|(one, other)| one == other);
        shared.map(|(component, _)| component).collect()
    })
}
