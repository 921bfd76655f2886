//! Comparison of an input with earlier archives and runs, from the headers of ledgers and the names of inputs alone.
//!
//! Archives whose paths differ only in dates are a *series*: backups of one thing. The newest complete archive of a
//! series is compared with earlier ones in the same run, and with the newest of the baseline run. Archives of a series
//! that hold the same regions are *copies*, and one of them is evaluated ([`copies`](hullmark_ledger::copies)).

mod backups;
mod expected;
mod losses;
mod predecessors;
mod removed;
mod schedule;

use crate::SkipReason;
pub use backups::Backup;
pub use expected::{Expected, ExpectedError};
use hullmark_ledger::{age::Moment, coverage::Uncovered, facts::Status};
pub use hullmark_ledger::{
    archive::{Archive, RegionCosts},
    copies::{Copies, Rank},
    coverage::Emptied,
    gone::Gone,
};
use hullmark_settings::config::Config;
pub use hullmark_settings::history::{ExpectedConfig, HistoryConfig};
use hullmark_util::dates_in_names::{self, Seconds};
pub use predecessors::{Earlier, Fall};
pub use removed::{Former, Searched};
pub use schedule::Due;
use std::{
    collections::{BTreeMap, HashMap},
    time::SystemTime,
};

/// The state before a run, and the archives that it expects.
#[derive(Debug)]
pub struct History {
    /// The limits on losses and growth.
    pub settings: HistoryConfig,
    /// The archives that must exist.
    pub expected: Expected,
    /// The time from which ages are counted.
    pub now: Seconds,
    /// The archives of the baseline run. `None` without a baseline.
    pub baseline: Option<Vec<Archive>>,
    /// Whether the baseline run had another target, so that its costs differ.
    pub other_target: bool,
    /// Regions in `history.csv`, each as an archive.
    pub seen: Vec<Archive>,
    /// Where the run searches for inputs.
    pub searched: Searched,
    /// Whether only some databases of an input are read.
    is_selective: bool,
}

/// The earlier archives of all inputs of a run.
#[derive(Debug)]
pub struct Known<'a> {
    pasts: BTreeMap<String, Past<'a>>,
    /// Expected names without any archive.
    pub absent: Vec<&'a str>,
    /// Number of expected names that may belong to inputs that are not covered.
    pub unknown: u64,
    /// What earlier runs had and no input has any more.
    pub gone: Vec<Gone>,
    /// Number of things that may be gone, or in inputs that are not covered.
    pub may_be_gone: u64,
}

/// The earlier archives of one input.
#[derive(Debug)]
pub struct Past<'a> {
    /// The limits on losses and growth.
    pub settings: &'a HistoryConfig,
    /// The archives to compare with, or why they are unknown.
    pub earlier: Result<Earlier, SkipReason>,
    /// The same archive in the baseline run, or why costs cannot be compared.
    pub costs: Result<&'a Archive, SkipReason>,
    /// Whether the input is as recent as expected.
    pub due: Due<'a>,
    pub rank: Rank,
    /// The key that it shares with its copies only.
    pub series: String,
}

/// A key that matches archives of two runs.
type Key = fn(&Archive) -> String;
type ByKey<'a> = HashMap<String, Vec<&'a Archive>>;
/// A key with the archives of the earlier run and of this run.
type Way<'o, 'n> = (Key, ByKey<'o>, ByKey<'n>);

const SAME: [Key; 2] = [Archive::series, Archive::identity];

fn by(archives: &[Archive], key: Key) -> ByKey<'_> {
    let mut by = ByKey::new();
    for archive in archives {
        by.entry(key(archive)).or_default().push(archive);
    }
    by
}

impl History {
    /// Creates the history from the settings, at this time.
    ///
    /// # Errors
    /// The list of expected archives cannot be read, or a name is not a valid pattern.
    pub fn new(config: &Config, now: SystemTime) -> Result<Self, ExpectedError> {
        Ok(Self {
            settings: config.history.clone(),
            expected: Expected::new(&config.expected)?,
            now: dates_in_names::seconds(now).unwrap_or_default(),
            baseline: None,
            other_target: false,
            seen: Vec::new(),
            searched: Searched::Nowhere,
            is_selective: !config.database.is_empty(),
        })
    }

    /// Adds the archives of an earlier run. Costs are compared only if that run had the same target.
    pub fn since(mut self, archives: Vec<Archive>, other_target: bool) -> Self {
        self.baseline = Some(archives);
        self.other_target = other_target;
        self
    }

    /// Returns the earlier archives of the inputs of a run, covered or not, and of their copies.
    pub fn for_run<'a>(
        &'a self,
        archives: &[Archive],
        copies: &Copies,
        uncovered: &[Uncovered],
        former: &Former,
    ) -> Known<'a> {
        let series = copies.grouped(archives);
        let mut dues = self.expect(&series, copies, uncovered);
        let otherwise = if self.expected.names.is_empty() { Due::NotExpected } else { Due::InTime };
        let ways =
            SAME.map(|key| (key, by(self.baseline.as_deref().unwrap_or_default(), key), by(archives, key)));
        let mut pasts = BTreeMap::new();
        for sorted in series.values() {
            for archive in sorted.iter().filter(|archive| archive.is_covered()) {
                let before = match self.is_selective && archive.kind.is_database() {
                    // Of another selection, the earlier state is no earlier state.
                    true => Err(SkipReason::PartialRun),
                    false => before_newest(archive, sorted),
                };
                let baseline = match before {
                    Ok(_) => self.in_baseline(archive, &ways, copies),
                    Err(reason) => Err(reason),
                };
                let all_are_covered = sorted.iter().all(|archive| archive.is_covered());
                let nothing = match baseline.err() {
                    _ if !all_are_covered => SkipReason::PartialRun,
                    reason => reason.unwrap_or(SkipReason::NothingEarlier),
                };
                let earlier = before.map(|before| Earlier {
                    before: archive.all_before(before),
                    baseline: baseline.ok().cloned(),
                });
                let past = Past {
                    settings: &self.settings,
                    earlier: earlier.and_then(|all| if all.is_empty() { Err(nothing) } else { Ok(all) }),
                    costs: if self.other_target {
                        baseline.and(Err(SkipReason::OtherTarget))
                    } else {
                        baseline
                    },
                    due: dues.of.remove(archive.name.as_str()).unwrap_or(otherwise),
                    rank: copies.rank_of(&archive.name).clone(),
                    series: copies.series_of(&archive.name).to_owned(),
                };
                pasts.insert(archive.name.clone(), past);
            }
        }
        let mut gone = self.gone(archives, former);
        let may_be_gone = match schedule::has_strangers(&series, uncovered) {
            true => std::mem::take(&mut gone).len() as u64,
            false => 0,
        };
        Known { pasts, absent: dues.absent, unknown: dues.unknown, gone, may_be_gone }
    }

    /// Returns the newest archive of the same series in the baseline run, by its path without dates. If files were
    /// moved, it is matched by its [`identity`](Archive::identity), if that belongs to one series in both runs.
    fn in_baseline<'o>(
        &self,
        archive: &Archive,
        ways: &[Way<'o, '_>],
        copies: &Copies,
    ) -> Result<&'o Archive, SkipReason> {
        if self.baseline.is_none() {
            return Err(SkipReason::NoBaseline);
        }
        let of_one = |of: &[&Archive]| of.windows(2).all(|pair| pair[0].series() == pair[1].series());
        let of_one_group =
            |of: &[&Archive]| of.windows(2).all(|pair| copies.group_of(pair[0]) == copies.group_of(pair[1]));
        for (key, old, new) in ways {
            let key = key(archive);
            let (Some(old), Some(new)) = (old.get(&key), new.get(&key)) else { continue };
            if !of_one(old) || !of_one_group(new) {
                continue;
            }
            let mut sorted = old.clone();
            hullmark_ledger::age::sort(&mut sorted, |archive| Moment::new(archive));
            let whole = sorted.into_iter().rfind(|old| old.brief.status == Status::Complete);
            return whole.ok_or(SkipReason::EarlierIncomplete);
        }
        Err(SkipReason::NothingEarlier)
    }
}

/// Returns the archives before this one in a sorted series, if it is the newest that is or may be complete. An
/// incomplete archive restores nothing and has its own finding. Archives before an uncovered one are left out: the
/// losses since then may be slow decline.
fn before_newest<'s, 'a>(
    archive: &Archive,
    sorted: &'s [&'a Archive],
) -> Result<&'s [&'a Archive], SkipReason> {
    let may_be_whole = |of: &&Archive| of.brief.status == Status::Complete || !of.is_covered();
    let Some(place) = sorted.iter().rposition(may_be_whole) else { return Err(SkipReason::Incomplete) };
    let (newest, before) = (sorted[place], &sorted[..place]);
    match newest.is_covered() {
        false => Err(SkipReason::PartialRun),
        true if newest.name != archive.name => Err(SkipReason::NotTheNewest),
        true => Ok(before.rsplit(|before| !before.is_covered()).next().unwrap_or_default()),
    }
}

impl<'a> Known<'a> {
    /// Returns the earlier archives of an input. `None` if the input is unknown.
    pub fn past(&self, input: &str) -> Option<&Past<'a>> {
        self.pasts.get(input)
    }
}
