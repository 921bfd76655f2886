//! Results from earlier archives and runs, known before evaluation from ledger headers and input names alone.
//!
//! Archives whose paths differ only in dates are a *series*: backups of one thing. The newest complete archive of a
//! series is compared with earlier ones of the same run, and with the newest one in the baseline. Archives of a series
//! that hold the same regions are *copies* of each other, and only one is evaluated
//! ([`copies`](crate::ledger::copies)).

mod expected;
mod losses;
mod predecessors;
mod schedule;

use crate::{
    ledger::{age::Moment, coverage::Uncovered, facts::Status},
    rules::SkipReason,
    settings::config::Config,
    util::dates_in_names::{self, Seconds},
};
pub use crate::{
    ledger::{
        archive::{Archive, RegionCosts},
        copies::{Copies, Rank},
        coverage::Emptied,
    },
    settings::history::{ExpectedConfig, HistoryConfig},
};
pub use expected::{Expected, ExpectedError};
pub use predecessors::{Earlier, Fall};
pub use schedule::Due;
use std::{
    collections::{BTreeMap, HashMap},
    time::SystemTime,
};

/// What is known before a run, and what it expects.
#[derive(Debug)]
pub struct History {
    /// How far something may fall or grow.
    pub settings: HistoryConfig,
    /// Which archives must be there.
    pub expected: Expected,
    /// Against what ages are measured.
    pub now: Seconds,
    /// The archives of an earlier night, where one is given.
    pub baseline: Option<Vec<Archive>>,
    /// Whether that night was judged for another target, so that its costs are others.
    pub other_target: bool,
}

/// What is known of the inputs of a run.
#[derive(Debug)]
pub struct Known<'a> {
    pasts: BTreeMap<String, Past<'a>>,
    /// Expected names of which no archive is there.
    pub absent: Vec<&'a str>,
    /// How many expected names may be those of inputs that are not covered.
    pub unknown: u64,
}

/// What came before an input.
#[derive(Debug)]
pub struct Past<'a> {
    /// How far something may fall or grow.
    pub settings: &'a HistoryConfig,
    /// What it is compared with, or why with nothing.
    pub earlier: Result<Earlier, SkipReason>,
    /// The same archive in the earlier night, where costs can be compared.
    pub costs: Result<&'a Archive, SkipReason>,
    /// Whether it is as young as expected.
    pub due: Due<'a>,
    /// What it is among its copies.
    pub rank: Rank,
    /// What it has in common with its copies, and with no other input.
    pub series: String,
}

/// What tells an archive again in another night.
type Key = fn(&Archive) -> String;
type ByKey<'a> = HashMap<String, Vec<&'a Archive>>;
/// One way to tell archives again: those of the earlier night, and tonight's.
type Way<'o, 'n> = (Key, ByKey<'o>, ByKey<'n>);

const SAME: [Key; 2] = [Archive::series, Archive::home];

fn by(archives: &[Archive], key: Key) -> ByKey<'_> {
    let mut by = ByKey::new();
    for archive in archives {
        by.entry(key(archive)).or_default().push(archive);
    }
    by
}

impl History {
    /// What settings say, at this moment.
    ///
    /// # Errors
    /// It cannot be told which archives are expected.
    pub fn new(config: &Config, now: SystemTime) -> Result<Self, ExpectedError> {
        Ok(Self {
            settings: config.history.clone(),
            expected: Expected::new(&config.expected)?,
            now: dates_in_names::seconds(now).unwrap_or_default(),
            baseline: None,
            other_target: false,
        })
    }

    /// The same with the archives of an earlier run to look back to. Costs are compared where that was for this target.
    pub fn since(mut self, archives: Vec<Archive>, other_target: bool) -> Self {
        self.baseline = Some(archives);
        self.other_target = other_target;
        self
    }

    /// What is known of the inputs of a run, covered or not, and of their copies.
    pub fn of<'a>(&'a self, archives: &[Archive], copies: &Copies, uncovered: &[Uncovered]) -> Known<'a> {
        let series = crate::ledger::copies::by_path(archives);
        let mut dues = self.expect(&series, copies, uncovered);
        let otherwise = if self.expected.names.is_empty() { Due::NotExpected } else { Due::InTime };
        let ways =
            SAME.map(|key| (key, by(self.baseline.as_deref().unwrap_or_default(), key), by(archives, key)));
        let mut pasts = BTreeMap::new();
        for sorted in series.values() {
            for archive in sorted.iter().filter(|archive| archive.is_covered()) {
                let before = before_newest(archive, sorted);
                let baseline = match before {
                    Ok(_) => self.in_baseline(archive, &ways),
                    Err(reason) => Err(reason),
                };
                let all_are_covered = sorted.iter().all(|archive| archive.is_covered());
                let nothing = match baseline.err() {
                    _ if !all_are_covered => SkipReason::PartialNight,
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
        Known { pasts, absent: dues.absent, unknown: dues.unknown }
    }

    /// The newest of the same in the earlier night: by its path without dates; where files were moved, by its
    /// [`home`](Archive::home), if that is of one series only on either side.
    fn in_baseline<'o>(&self, archive: &Archive, ways: &[Way<'o, '_>]) -> Result<&'o Archive, SkipReason> {
        if self.baseline.is_none() {
            return Err(SkipReason::NoBaseline);
        }
        let of_one = |of: &[&Archive]| of.windows(2).all(|pair| pair[0].series() == pair[1].series());
        for (key, old, new) in ways {
            let key = key(archive);
            let (Some(old), Some(new)) = (old.get(&key), new.get(&key)) else { continue };
            if !of_one(old) || !of_one(new) {
                continue;
            }
            let mut sorted = old.clone();
            crate::ledger::age::sort(&mut sorted, |archive| Moment::of(archive));
            let whole = sorted.into_iter().rfind(|old| old.brief.status == Status::Complete);
            return whole.ok_or(SkipReason::EarlierIncomplete);
        }
        Err(SkipReason::NothingEarlier)
    }
}

/// Those of a sorted series that came before an archive, if it is the newest of those that are whole or may be: one that
/// was not read to its end makes nothing good, and has a finding of its own. What came before one that is not covered is
/// left out: what the newest has less than they may have gone little by little.
fn before_newest<'s, 'a>(
    archive: &Archive,
    sorted: &'s [&'a Archive],
) -> Result<&'s [&'a Archive], SkipReason> {
    let may_be_whole = |of: &&Archive| of.brief.status == Status::Complete || !of.is_covered();
    let Some(place) = sorted.iter().rposition(may_be_whole) else { return Err(SkipReason::Incomplete) };
    let (newest, before) = (sorted[place], &sorted[..place]);
    match newest.is_covered() {
        false => Err(SkipReason::PartialNight),
        true if newest.name != archive.name => Err(SkipReason::NotTheNewest),
        true => Ok(before.rsplit(|before| !before.is_covered()).next().unwrap_or_default()),
    }
}

impl<'a> Known<'a> {
    /// What came before an input.
    pub fn past(&self, input: &str) -> Option<&Past<'a>> {
        self.pasts.get(input)
    }
}
