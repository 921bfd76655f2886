//! Compares two runs, archive by archive.

use super::{
    Archive, Change, ChangeKind, Changes, Compared, RunLine, Snapshot,
    found::Found,
    lost::{self, Lost},
    notes::notes,
    sorted::SortedChanges,
};
use hullmark_util::lock::{into_inner, lock};
use rayon::prelude::*;
use std::{collections::HashSet, io, path::Path, sync::Mutex};

/// An archive with its key.
type Keyed<'a> = (&'a str, &'a Archive);

/// An archive of both runs, or of one.
enum Pair<'a> {
    Both(Keyed<'a>, Keyed<'a>),
    Added(Keyed<'a>),
    Removed(Keyed<'a>),
}

/// Regions by which losses are found.
struct Presence<'a> {
    /// Those of this run.
    now: HashSet<&'a str>,
    /// Those of archives that only this run has. Two archives of one region count as two, so one of them does not replace
    /// the other.
    came: HashSet<&'a str>,
    /// Whether an archive with content was lost.
    is_lost: bool,
}

impl Changes {
    /// Compares a run with an earlier one. The changes wait on the disk of this folder. Memory holds the content of as many
    /// archives as there are threads.
    ///
    /// # Errors
    /// Content cannot be read, or changes cannot be written.
    pub fn between(old: &Snapshot, new: &Snapshot, folder: &Path) -> io::Result<Self> {
        let [earlier, this] = [old, new].map(RunLine::new);
        let changes = Self {
            notes: notes(old, new),
            old: earlier,
            new: this,
            compared: Compared::default(),
            lost: Lost::default(),
            rows: SortedChanges::new(folder),
        };
        let pairs = pairs_of(old, new);
        let presence = Presence::of(old, new, &pairs);
        let all = Mutex::new(changes);
        pairs.into_par_iter().try_for_each(|pair| {
            let found = pair.compare(old, new, &presence)?;
            lock(&all).add(found)
        })?;
        Ok(into_inner(all))
    }

    fn add(&mut self, found: Found) -> io::Result<()> {
        self.compared.add_all(&found.compared);
        self.lost.add_all(&found.lost);
        found.rows.into_iter().try_for_each(|row| self.rows.push(row))
    }
}

fn pairs_of<'a>(old: &'a Snapshot, new: &'a Snapshot) -> Vec<Pair<'a>> {
    let mut compared = HashSet::new();
    let of_new = new.archives.iter().map(|(key, after)| {
        match old.same(key, &after.identity, |moved| new.archives.contains_key(moved)) {
            Some((known, before)) if compared.insert(known) => Pair::Both((known, before), (key, after)),
            _ => Pair::Added((key, after)),
        }
    });
    let mut pairs: Vec<Pair<'_>> = of_new.collect();
    let removed = old.archives.iter().filter(|(key, _)| !compared.contains(key.as_str()));
    pairs.extend(removed.map(|(key, before)| Pair::Removed((key, before))));
    pairs
}

impl<'a> Presence<'a> {
    fn of(old: &Snapshot, new: &'a Snapshot, pairs: &[Pair<'_>]) -> Self {
        let regions = |archive: &'a Archive| archive.regions.keys().map(String::as_str);
        let came = new.archives.iter().filter(|(key, _)| !old.archives.contains_key(*key));
        let mut presence = Self {
            now: new.archives.values().flat_map(regions).collect(),
            came: came.flat_map(|(_, archive)| regions(archive)).collect(),
            is_lost: false,
        };
        presence.is_lost = pairs.iter().any(|pair| match pair {
            Pair::Removed((_, before)) => lost::of_removed(before, new, &presence.came).is_some(),
            _ => false,
        });
        presence
    }
}

impl Pair<'_> {
    fn compare(&self, old: &Snapshot, new: &Snapshot, presence: &Presence<'_>) -> io::Result<Found> {
        let mut found = Found::default();
        match *self {
            Pair::Both((known, before), (key, after)) => {
                let (had, has) = (old.contents.of(known)?, new.contents.of(key)?);
                found.compared.add(after, &has);
                found.of_both([before, after], [&had, &has]);
                lost::mark(&mut found.rows, [before, after], [&had, &has], &presence.now);
                if presence.is_lost {
                    lost::mark_across(&mut found.rows);
                }
            }
            Pair::Added((key, after)) => {
                let content = new.contents.findings_of(key)?;
                found.of_one(ChangeKind::Added, after, &content);
                for ((code, _), finding) in content.findings.iter().filter(|(_, finding)| !finding.waived) {
                    found.rows.push(Change::of_finding(ChangeKind::New, after, *code, finding));
                }
            }
            Pair::Removed((known, before)) => {
                let content = old.contents.of(known)?;
                found.of_one(ChangeKind::Removed, before, &content);
                if let Some(gone) = lost::of_removed(before, new, &presence.came) {
                    found.of_removed(before, &content, &gone);
                }
            }
        }
        Ok(found)
    }
}
