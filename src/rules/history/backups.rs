//! The newest whole backup of each region, in this run or an earlier one.

use super::{Archive, Gone, History};
use hullmark_ledger::{age::age, facts::Status, summary::Region};
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
            newest.entry(key(region)).or_insert_with(|| (name(region), None));
        }
        let mut note = |archive: &Archive| {
            for (region, age) in self.whole(archive) {
                if let Some((_, least)) = newest.get_mut(&region) {
                    *least = Some(least.map_or(age, |least| least.min(age)));
                }
            }
        };
        present.clone().for_each(&mut note);
        present.flat_map(Archive::states).for_each(|archive| note(&archive));
        self.baseline.iter().flatten().chain(earlier).for_each(note);
        // Rows of `history.csv` have the time of a run, which may be long after that of the export.
        let mut of_history: BTreeMap<String, Seconds> = BTreeMap::new();
        for (region, age) in self.seen.iter().flat_map(|archive| self.whole(archive)) {
            of_history.entry(region).and_modify(|least| *least = age.min(*least)).or_insert(age);
        }
        for (region, (_, least)) in &mut newest {
            *least = least.or(of_history.get(region).copied());
        }
        for region in gone {
            let age = region.made.map(|made| self.now - made);
            newest.entry(region.identity.clone()).or_insert_with(|| (region.name.clone(), age));
        }
        let made = |age: Seconds| self.now - age;
        let backup = |(region, age): (String, Option<Seconds>)| Backup { region, made: age.map(made) };
        newest.into_values().map(backup).collect()
    }

    /// Returns the regions of an archive that was read to its end, with its age. Nothing without a usable date.
    fn whole(&self, archive: &Archive) -> impl Iterator<Item = (String, Seconds)> {
        let whole = Some(archive).filter(|archive| archive.brief.status == Status::Complete);
        let age = whole.and_then(|archive| Some(*age(archive, self.now)?.start()));
        age.into_iter().flat_map(|age| archive.brief.regions.iter().map(move |region| (key(region), age)))
    }
}

/// Returns what identifies a region in other archives.
fn key(region: &Region) -> String {
    region.uuid.map_or_else(|| region.name.clone(), |uuid| uuid.to_string())
}

fn name(region: &Region) -> String {
    if region.name.is_empty() { key(region) } else { region.name.clone() }
}
