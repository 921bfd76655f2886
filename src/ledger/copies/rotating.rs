//! Copies under rotating names: `Daily/Mon.oar` to `Daily/Sun.oar`, `Weekly/46.oar`, `OpenSim (conflicted copy).db`.
//!
//! Names show nothing there. So archives of one kind with the same region UUIDs are copies if their dates differ. The
//! date is that of `archive.xml`, else the one in the name, else the time of the file. Two archives with one date stay
//! two, because neither is known to be the newer one. Databases have no date inside: those with equal content are
//! copies even then.

use crate::{
    age::{self, Moment},
    archive::Archive,
    facts::Status,
};
use hullmark_util::dates_in_names::{self, Seconds};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Copies by their path, or a single archive. Members are sorted, the oldest first.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// The key of its series.
    pub(super) name: String,
    /// The path without dates.
    pub(super) path: String,
    pub(super) members: Vec<&'a Archive>,
}

/// Units that are one series.
#[derive(Debug)]
pub(super) struct Series<'a> {
    /// The first by name comes first.
    pub(super) units: Vec<Unit<'a>>,
    /// All members, the oldest first.
    pub(super) members: Vec<&'a Archive>,
}

/// What copies share: the kind, and the UUIDs of all regions.
type Key = (&'static str, BTreeSet<Uuid>);

impl Unit<'_> {
    fn is_whole(&self) -> bool {
        self.members.iter().any(|copy| copy.brief.status == Status::Complete)
    }

    /// Returns what its newest member shares with copies, as far as it was read. `None` if a region has no UUID.
    fn key(&self) -> Option<Key> {
        let is_whole = self.is_whole();
        let is_wanted = |copy: &&&Archive| !is_whole || copy.brief.status == Status::Complete;
        let newest = self.members.iter().rfind(is_wanted)?;
        let uuids: Option<BTreeSet<Uuid>> = newest.brief.regions.iter().map(|region| region.uuid).collect();
        uuids.filter(|uuids| !uuids.is_empty()).map(|uuids| (newest.kind.packed_name(), uuids))
    }
}

/// Joins units with the same regions and other dates. Each unit is in one series.
pub(super) fn join(units: Vec<Unit<'_>>) -> Vec<Series<'_>> {
    let mut alone = Vec::new();
    let mut by_key: BTreeMap<Key, Vec<Unit<'_>>> = BTreeMap::new();
    let (whole, parts): (Vec<_>, Vec<_>) = units.into_iter().partition(Unit::is_whole);
    for unit in whole {
        match unit.key() {
            Some(key) => by_key.entry(key).or_default().push(unit),
            None => alone.push(unit),
        }
    }
    let known: Vec<Key> = by_key.keys().cloned().collect();
    for unit in parts {
        // Without a date, nobody knows whether it is newer. An archive that this run does not cover states none.
        let is_dated = unit.members.last().is_some_and(|copy| copy.brief.created.is_some());
        let Some((kind, uuids)) = unit.key().filter(|_| is_dated) else {
            alone.push(unit);
            continue;
        };
        // What was not read to its end may lack regions.
        let mut same = known.iter().filter(|(of, all)| *of == kind && uuids.is_subset(all));
        let key = match (same.next(), same.next()) {
            (Some(key), None) => key.clone(),
            _ => (kind, uuids),
        };
        by_key.entry(key).or_default().push(unit);
    }
    let mut all: Vec<Series<'_>> = alone.into_iter().map(|unit| Series::of(vec![unit])).collect();
    for units in by_key.into_values() {
        let (joined, tied) = apart(units);
        all.push(Series::of(joined));
        all.extend(tied.into_iter().map(|unit| Series::of(vec![unit])));
    }
    all
}

/// Returns the units of one series, and those that are as new as its newest.
fn apart(units: Vec<Unit<'_>>) -> (Vec<Unit<'_>>, Vec<Unit<'_>>) {
    let members = sorted(&units);
    let whole = members.iter().rfind(|copy| copy.brief.status == Status::Complete);
    let Some(newest) = whole.or(members.last()).copied() else { return (units, Vec::new()) };
    let is_tied = |copy: &&Archive| {
        let is_whole = copy.brief.status == Status::Complete;
        have_one_date(copy, newest) && !(is_whole && have_one_content(copy, newest))
    };
    let is_other = |unit: &Unit<'_>| unit.members.iter().all(|copy| copy.name != newest.name);
    let is_apart = |unit: &Unit<'_>| is_other(unit) && unit.members.iter().any(&is_tied);
    units.into_iter().partition(|unit| !is_apart(unit))
}

impl<'a> Series<'a> {
    fn of(mut units: Vec<Unit<'a>>) -> Self {
        units.sort_by(|one, other| one.name.cmp(&other.name));
        let members = match &*units {
            [only] => only.members.clone(),
            _ => sorted(&units),
        };
        Self { units, members }
    }
}

fn sorted<'a>(units: &[Unit<'a>]) -> Vec<&'a Archive> {
    let mut members: Vec<&Archive> = units.iter().flat_map(|unit| unit.members.iter().copied()).collect();
    age::sort(&mut members, |archive| Moment::new(archive));
    members
}

/// Files that are copied or unpacked together get about the same time, which says nothing about their content.
const TOGETHER: Seconds = 600;

/// Whether two archives were made at the same time, or it is unknown which one is newer.
fn have_one_date(one: &Archive, other: &Archive) -> bool {
    let outside = |archive: &Archive| -> Option<Seconds> {
        dates_in_names::date_in(&archive.name).or(archive.modified)
    };
    match (one.brief.created, other.brief.created) {
        (None, None) => match (outside(one), outside(other)) {
            (Some(one), Some(other)) => one.abs_diff(other) < TOGETHER.unsigned_abs(),
            (one, other) => one == other,
        },
        (one, other) => one == other,
    }
}

/// Whether two archives without a date inside hold the same.
fn have_one_content(one: &Archive, other: &Archive) -> bool {
    let is_dated = one.brief.created.is_some() || other.brief.created.is_some();
    let is_equal = match (&one.content, &other.content) {
        (Some(one), Some(other)) => one == other,
        _ => one.brief == other.brief,
    };
    !is_dated && is_equal
}
