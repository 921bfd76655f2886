//! Whether expected archives exist and are recent enough.

use super::{Archive, Copies, History};
use crate::SkipReason;
use hullmark_ledger::{age, coverage::Uncovered};
use hullmark_util::dates_in_names::Seconds;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::RangeInclusive,
};

/// Whether an expected archive is recent enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Due<'a> {
    NotExpected,
    /// This archive or another of its series is recent enough, or it is not expected.
    InTime,
    /// The newest archive of this expected name is too old: its age in hours, and the limit in hours.
    Overdue(&'a str, f64, f64),
    Unknown(SkipReason),
}

/// The state of all expected archives.
#[derive(Debug, Default)]
pub(super) struct Dues<'a> {
    /// Archives that may be too old, by input.
    pub(super) of: HashMap<String, Due<'a>>,
    /// Names without any archive.
    pub(super) absent: Vec<&'a str>,
    /// Number of names that may belong to inputs that are not covered.
    pub(super) unknown: u64,
}

impl History {
    /// Evaluates whether expected archives exist and are recent enough. A name needs one recent archive, a pattern one
    /// of each series. Of copies only the newest counts. An input that is not covered counts as present. Its names are
    /// its file name, and its regions from its last read or from others of its series.
    pub(super) fn expect<'a>(
        &'a self,
        series: &BTreeMap<String, Vec<&Archive>>,
        copies: &Copies,
        uncovered: &[Uncovered],
    ) -> Dues<'a> {
        let mut dues = Dues::default();
        let archives = series.values().flatten().copied().filter(|archive| archive.may_be_backup());
        let archives: Vec<&Archive> = archives.collect();
        let mut called: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (number, archive) in archives.iter().enumerate() {
            for name in archive.called() {
                called.entry(name.to_lowercase()).or_default().insert(number);
            }
        }
        let may_hold_any_region = has_strangers(series, uncovered);
        for name in &self.expected.names {
            let mut groups: BTreeMap<String, Vec<&Archive>> = BTreeMap::new();
            for archive in name.among(&called).into_iter().map(|number| archives[number]) {
                let group = if name.is_pattern() { copies.group_of(archive) } else { String::new() };
                groups.entry(group).or_default().push(archive);
            }
            match groups.is_empty() {
                true if may_hold_any_region && !name.is_of_a_file() => dues.unknown += 1,
                true => dues.absent.push(name.given.as_str()),
                false => {}
            }
            for group in groups.values().filter(|_| self.expected.max_age.is_some()) {
                let covered: Vec<&Archive> = newest_covered(group, copies);
                let mut of_series = group.iter().flat_map(|archive| &series[&copies.group_of(archive)]);
                let whole = of_series.all(|archive| archive.is_covered());
                match (self.overdue(&name.given, &covered), covered.first()) {
                    (_, None) => dues.unknown += 1,
                    (None, _) => {}
                    (Some((archive, due)), Some(first)) => {
                        let (archive, due) = if whole {
                            (archive, due)
                        } else {
                            (*first, Due::Unknown(SkipReason::PartialRun))
                        };
                        // The finding belongs to the copy that is evaluated.
                        dues.of.entry(copies.evaluated_for(&archive.name).to_owned()).or_insert(due);
                    }
                }
            }
        }
        dues
    }

    /// Returns the newest archive of a group, if it may be too old.
    fn overdue<'a, 's>(&self, name: &'a str, group: &[&'s Archive]) -> Option<(&'s Archive, Due<'a>)> {
        let max = Seconds::try_from(self.expected.max_age?.as_secs()).ok()?;
        let ages: Vec<_> = group.iter().map(|archive| (*archive, age::age(archive, self.now))).collect();
        let age = |is: &dyn Fn(&RangeInclusive<Seconds>) -> bool| {
            ages.iter().find(|(_, age)| age.as_ref().is_some_and(is)).map(|(archive, _)| *archive)
        };
        if age(&|age| *age.end() <= max).is_some() {
            return None;
        }
        if let Some(archive) = age(&|age| *age.start() <= max) {
            return Some((archive, Due::Unknown(SkipReason::AtTheLimit)));
        }
        if let Some((archive, _)) = ages.iter().find(|(_, age)| age.is_none()) {
            return Some((archive, Due::Unknown(SkipReason::NotStated)));
        }
        let youngest = ages.iter().filter_map(|(archive, age)| Some((*archive, *age.as_ref()?.start())));
        let (archive, age) = youngest.min_by_key(|(_, age)| *age)?;
        Some((archive, Due::Overdue(name, hours(age), hours(max))))
    }
}

/// Whether there are inputs with unknown regions: neither they nor others of their series were ever read.
pub(super) fn has_strangers(series: &BTreeMap<String, Vec<&Archive>>, uncovered: &[Uncovered]) -> bool {
    let read = uncovered.iter().filter(|input| input.last.is_some());
    let read: BTreeSet<&str> = read.map(|input| input.archive.as_str()).collect();
    let is_known = |archive: &&Archive| archive.is_covered() || read.contains(archive.name.as_str());
    series.values().any(|members| !members.iter().any(is_known))
}

/// Returns the covered archives of a group, and of copies only the newest. Archives of one path come oldest first.
fn newest_covered<'s>(group: &[&'s Archive], copies: &Copies) -> Vec<&'s Archive> {
    let mut seen = BTreeSet::new();
    let covered = group.iter().rev().filter(|archive| archive.is_covered());
    let mut newest: Vec<&Archive> =
        covered.filter(|archive| seen.insert(copies.series_of(&archive.name))).copied().collect();
    newest.reverse();
    newest
}

/// Converts seconds to hours, rounded to one decimal.
fn hours(seconds: Seconds) -> f64 {
    (seconds as f64 / 360.0).round() / 10.0
}
