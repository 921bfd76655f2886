//! The newest whole backup of each region, in this run or an earlier one.

use super::{Archive, Gone, History};
use hullmark_ledger::{age::age, facts::Status, identity, summary::Region};
use hullmark_util::dates_in_names::Seconds;
use std::collections::BTreeMap;

/// A region, and the time of its newest whole backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Name of the region, else its UUID.
    pub region: String,
    /// When that was made. `None` if no whole backup is known.
    pub made: Option<Seconds>,
}

impl History {
    /// Returns the regions of the archives of a run, and those that are gone, by their names.
    ///
    /// Of earlier archives, those count that ledgers, the baseline or `history.csv` have. Inputs that are not covered say
    /// nothing about their regions.
    pub fn backups(&self, archives: &[Archive], earlier: &[Archive], gone: &[Gone]) -> Vec<Backup> {
        let mut newest: BTreeMap<String, (String, Option<Seconds>)> = BTreeMap::new();
        let present = archives.iter().filter(|archive| archive.is_covered() && archive.may_be_backup());
        for region in present.clone().flat_map(|archive| &archive.brief.regions) {
            if let Some(key) = key(region) {
                let name = if region.name.is_empty() { &key } else { &region.name };
                newest.entry(key.clone()).or_insert_with(|| (name.clone(), None));
            }
        }
        let mut note = |archive: &Archive| {
            for (region, made) in self.whole(archive) {
                if let Some((_, newest)) = newest.get_mut(&region) {
                    *newest = Some(made).max(*newest);
                }
            }
        };
        present.clone().for_each(&mut note);
        present.flat_map(Archive::states).for_each(|archive| note(&archive));
        self.baseline.iter().flatten().chain(earlier).for_each(note);
        // Rows of `history.csv` have the time of a run, which may be long after that of the export.
        let mut of_history: BTreeMap<String, Seconds> = BTreeMap::new();
        for (region, made) in self.seen.iter().flat_map(|archive| self.whole(archive)) {
            of_history.entry(region).and_modify(|newest| *newest = made.max(*newest)).or_insert(made);
        }
        for (region, (_, made)) in &mut newest {
            *made = made.or(of_history.get(region).copied());
        }
        for region in gone {
            newest.entry(region.identity.clone()).or_insert_with(|| (region.name.clone(), region.made));
        }
        newest.into_values().map(|(region, made)| Backup { region, made }).collect()
    }

    /// Returns the regions of an archive that was read to its end, with its time. Nothing without a usable date.
    fn whole(&self, archive: &Archive) -> impl Iterator<Item = (String, Seconds)> {
        let whole = Some(archive).filter(|archive| archive.brief.status == Status::Complete);
        let made = whole.and_then(|archive| Some(self.now - age(archive, self.now)?.start()));
        made.into_iter().flat_map(|made| {
            archive.brief.regions.iter().filter_map(move |region| Some((key(region)?, made)))
        })
    }
}

/// Returns what identifies a region in other archives. `None` if it states nothing.
fn key(region: &Region) -> Option<String> {
    identity::stated(region.uuid, &region.name)
}
