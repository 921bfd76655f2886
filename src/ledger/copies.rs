//! Copies of one archive: which archives are copies, and which one is evaluated.
//!
//! Copies are archives in one folder that hold the same regions and whose names differ only in their dates. Archives of
//! the same kind with the same region UUIDs and other dates inside are copies, too, under any name ([`rotating`]).
//! Folders of loose files are no copies. The newest copy that was read to its end is evaluated. The others are older
//! copies, or newer ones that cannot be evaluated.

mod rotating;

use super::age::{self, Moment};
use crate::{archive::Archive, facts::Status, summary::Region};
use hullmark_util::dates_in_names;
use rotating::Unit;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

/// The rank of an input among its copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rank {
    /// The newest of `copies` copies, which is evaluated; or the only copy.
    Newest { copies: usize },
    /// An older copy that is evaluated, because the newest was not read to its end or is not covered.
    InPlaceOf { newest: String },
    /// The newest copy, which was not read to its end or is not covered. Copies between it and the evaluated copy are
    /// `Superseded`.
    Replaced { by: String },
    /// A copy that is older than the evaluated one, or between the evaluated one and the newest.
    Superseded { by: String },
}

/// The copies among the inputs of a run.
#[derive(Debug, Default)]
pub struct Copies {
    ranks: BTreeMap<String, Rank>,
    series: BTreeMap<String, String>,
    /// Inputs for whose path a newer archive with other content exists.
    behind_others: BTreeSet<String>,
    /// For each path without dates whose archives are copies of those of others: the first of these paths.
    groups: BTreeMap<String, String>,
}

/// The properties that copies share, apart from their path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    /// The kind of archive: of regions, or of an inventory. A hash of this text is in reports.
    kind: &'static str,
    /// Its regions: by UUID if the archive states one, else by name.
    regions: Vec<(Option<Uuid>, String)>,
}

/// Groups archives by their path without dates, the oldest first in each group.
fn by_path(archives: &[Archive]) -> BTreeMap<String, Vec<&Archive>> {
    let mut by_path: BTreeMap<String, Vec<&Archive>> = BTreeMap::new();
    for archive in archives {
        by_path.entry(archive.series()).or_default().push(archive);
    }
    by_path.values_mut().for_each(|of_path| age::sort(of_path, |archive| Moment::new(archive)));
    by_path
}

impl Rank {
    pub const ALONE: Self = Self::Newest { copies: 1 };
}

impl Copies {
    pub fn find(archives: &[Archive]) -> Self {
        let (mut copies, mut units) = (Self::default(), Vec::new());
        for (path, of_path) in by_path(archives) {
            // The name of a file may itself be `Here_#.oar`.
            let is_a_name = of_path.iter().any(|archive| archive.name == path);
            let (dated, undated): (Vec<&Archive>, Vec<&Archive>) =
                of_path.into_iter().partition(|archive| archive.may_be_copy());
            for (number, (identity, series)) in apart(&dated).into_iter().enumerate() {
                let name = match number {
                    0 if !is_a_name => path.clone(),
                    _ => format!("{path} ({:016x})", xxh3_64(format!("{identity:?}").as_bytes())),
                };
                if number > 0 {
                    copies.behind_others.extend(series.iter().map(|copy| copy.name.clone()));
                }
                units.push(Unit { name, path: path.clone(), members: series });
            }
            let mut by_name: BTreeMap<&str, Vec<&Archive>> = BTreeMap::new();
            for archive in undated.into_iter().filter(|archive| archive.may_be_backup()) {
                by_name.entry(&archive.name).or_default().push(archive);
            }
            // Without a UUID and a date it is no copy: a grid of them would fill the memory.
            by_name.retain(|name, members| {
                let has_uuid =
                    |archive: &&Archive| archive.brief.regions.iter().any(|region| region.uuid.is_some());
                members.iter().any(has_uuid) || dates_in_names::date_in(name).is_some()
            });
            let single =
                |(name, members): (&str, _)| Unit { name: name.to_owned(), path: path.clone(), members };
            units.extend(by_name.into_iter().map(single));
        }
        for series in rotating::join(units) {
            let [first, others @ ..] = &*series.units else { continue };
            for other in others {
                copies.join_groups(&first.path, &other.path);
            }
            let is_dated = |copy: &Archive| dates_in_names::date_in(&copy.name).is_some();
            if others.is_empty() && !first.members.iter().any(|copy| is_dated(copy)) {
                continue;
            }
            copies.rank(&series.members);
            copies.series.extend(series.members.iter().map(|copy| (copy.name.clone(), first.name.clone())));
        }
        copies
    }

    /// Groups archives as HIS rules compare them: by their path without dates, and with the copies of these. The oldest
    /// is the first of its group.
    pub fn grouped<'a>(&self, archives: &'a [Archive]) -> BTreeMap<String, Vec<&'a Archive>> {
        let mut grouped: BTreeMap<String, Vec<&Archive>> = BTreeMap::new();
        for archive in archives {
            grouped.entry(self.group_of(archive)).or_default().push(archive);
        }
        grouped.values_mut().for_each(|group| age::sort(group, |archive| Moment::new(archive)));
        grouped
    }

    /// Returns the key of the group of an archive.
    pub fn group_of(&self, archive: &Archive) -> String {
        self.first_path(archive.series())
    }

    fn first_path(&self, mut path: String) -> String {
        while let Some(other) = self.groups.get(&path) {
            path.clone_from(other);
        }
        path
    }

    fn join_groups(&mut self, one: &str, other: &str) {
        let (one, other) = (self.first_path(one.to_owned()), self.first_path(other.to_owned()));
        if one != other {
            let (first, second) = if one < other { (one, other) } else { (other, one) };
            self.groups.insert(second, first);
        }
    }

    pub fn rank_of(&self, input: &str) -> &Rank {
        self.ranks.get(input).unwrap_or(&Rank::ALONE)
    }

    /// Whether an input is evaluated, if only one copy of each series is.
    pub fn is_evaluated(&self, input: &str) -> bool {
        matches!(self.rank_of(input), Rank::Newest { .. } | Rank::InPlaceOf { .. })
    }

    /// Returns the copy that is evaluated in place of an input, or the input itself if it is evaluated.
    pub fn evaluated_for<'a>(&'a self, input: &'a str) -> &'a str {
        match self.rank_of(input) {
            Rank::Newest { .. } | Rank::InPlaceOf { .. } => input,
            Rank::Replaced { by } | Rank::Superseded { by } => by,
        }
    }

    /// Returns the key of an input's series, which all its copies share and no other input has.
    ///
    /// The key is the path with `#` for dates. If a newer archive of that path has other content, a hash of the content
    /// follows. An input that cannot have copies has its path as key.
    pub fn series_of<'a>(&'a self, input: &'a str) -> &'a str {
        self.series.get(input).map_or(input, String::as_str)
    }

    /// Returns the key by which an input is matched in another run. If archives of one path have different content,
    /// only the newest is matched: in another run the path may be of either.
    pub fn matched_by<'a>(&'a self, input: &'a str) -> Option<&'a str> {
        (!self.behind_others.contains(input)).then(|| self.series_of(input))
    }

    /// Ranks a series, which must be sorted.
    fn rank(&mut self, series: &[&Archive]) {
        let is_covered = |copy: &&&Archive| copy.is_covered();
        let whole = series.iter().rfind(|copy| copy.brief.status == Status::Complete);
        let evaluated = whole.or_else(|| series.iter().rfind(is_covered)).or(series.last());
        let (Some(newest), Some(evaluated)) = (series.last(), evaluated) else { return };
        for copy in series {
            let by = evaluated.name.clone();
            let rank = if copy.name == newest.name { Rank::Replaced { by } } else { Rank::Superseded { by } };
            self.ranks.insert(copy.name.clone(), rank);
        }
        // The evaluated copy comes last, because one input may have ledgers in several folders.
        let rank = match evaluated.name == newest.name {
            true => Rank::Newest { copies: series.len() },
            false => Rank::InPlaceOf { newest: newest.name.clone() },
        };
        self.ranks.insert(evaluated.name.clone(), rank);
    }
}

/// Groups copies of one path by their content. Each group keeps the order of `archives`.
///
/// An archive that was not read to its end may lack the entries that identify its regions. It is a copy of the newest
/// complete archive that has all of its known regions.
fn apart<'a>(archives: &[&'a Archive]) -> Vec<(Identity, Vec<&'a Archive>)> {
    let mut groups: BTreeMap<Identity, Vec<usize>> = BTreeMap::new();
    let (whole, others): (Vec<_>, Vec<_>) =
        archives.iter().enumerate().partition(|(_, archive)| archive.brief.status == Status::Complete);
    for (place, archive) in whole {
        groups.entry(Identity::new(archive)).or_default().push(place);
    }
    let mut of_whole: Vec<(usize, Identity)> =
        groups.iter().filter_map(|(identity, places)| Some((*places.last()?, identity.clone()))).collect();
    of_whole.sort_by_key(|(newest, _)| Reverse(*newest));
    for (place, archive) in others {
        let same = of_whole.iter().find(|(newest, _)| may_be_of(archive, archives[*newest]));
        let identity = same.map_or_else(|| Identity::of_part(archive), |(_, identity)| identity.clone());
        groups.entry(identity).or_default().push(place);
    }
    let mut groups: Vec<(Identity, Vec<usize>)> = groups.into_iter().collect();
    groups.iter_mut().for_each(|(_, places)| places.sort_unstable());
    // The series with the newest copy comes first.
    groups.sort_by_key(|(_, places)| Reverse(places.last().copied()));
    let archives = |places: Vec<usize>| places.into_iter().map(|place| archives[place]).collect();
    groups.into_iter().map(|(identity, places)| (identity, archives(places))).collect()
}

/// Whether an archive that was not read to its end may be a copy of a complete archive.
fn may_be_of(part: &Archive, whole: &Archive) -> bool {
    let by_uuid: HashSet<Uuid> = whole.brief.regions.iter().filter_map(|region| region.uuid).collect();
    let mut by_name: HashMap<&str, Vec<Option<Uuid>>> = HashMap::new();
    for region in &whole.brief.regions {
        by_name.entry(&region.name).or_default().push(region.uuid);
    }
    part.brief.regions.iter().filter(|region| is_stated(region)).all(|region| {
        let named = || by_name.get(region.name.as_str()).into_iter().flatten();
        match region.uuid {
            Some(uuid) => by_uuid.contains(&uuid) || named().any(Option::is_none),
            None => named().next().is_some(),
        }
    })
}

fn is_stated(region: &Region) -> bool {
    region.uuid.is_some() || !region.name.is_empty()
}

impl Identity {
    fn new(archive: &Archive) -> Self {
        let regions = archive.brief.regions.iter().map(|region| match region.uuid {
            Some(uuid) => (Some(uuid), String::new()),
            None => (None, region.name.clone()),
        });
        let mut regions: Vec<_> = regions.collect();
        regions.sort_unstable();
        let kind = archive.kind.packed_name();
        Self { kind, regions }
    }

    /// Creates the identity of an archive that was not read to its end, without the unknown values.
    fn of_part(archive: &Archive) -> Self {
        let mut identity = Self::new(archive);
        identity.regions.retain(|(uuid, name)| uuid.is_some() || !name.is_empty());
        // The kind follows from the members, and most of them may be lost.
        identity.kind = "";
        identity
    }
}

impl Archive {
    /// Whether the archive may be a dated copy: its path has a date, and it is no folder of loose files.
    fn may_be_copy(&self) -> bool {
        self.may_be_backup() && dates_in_names::date_in(&self.name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Ledger,
        facts::Status::{Complete, Incomplete, NotCovered, Unreadable},
        summary::LedgerSummary,
    };
    use proptest::prelude::*;

    /// Creates a copy of a day with a status, a time in `archive.xml`, and the UUID of its region.
    fn copy(day: u32, status: Status, created: Option<i64>, region: Option<u128>) -> Archive {
        let ledger =
            Ledger::empty(&format!("exports/Here-2026-11-{day:02}.oar"), crate::InputKind::Oar, status);
        let uuid = region.map(Uuid::from_u128);
        let regions = vec![Region { name: String::new(), uuid, objects: 1 }];
        let brief = LedgerSummary { created, regions, ..LedgerSummary::new(&ledger) };
        Archive { brief, ..Archive::from_header(&ledger.header()) }
    }

    /// Returns the rank of each archive by its day.
    fn ranks(archives: &[Archive]) -> Vec<String> {
        let copies = Copies::find(archives);
        let day = |name: &str| name[name.len() - 6..name.len() - 4].to_owned();
        let rank = |archive: &Archive| match copies.rank_of(&archive.name) {
            Rank::Newest { copies } => format!("newest of {copies}"),
            Rank::InPlaceOf { newest } => format!("in place of {}", day(newest)),
            Rank::Replaced { by } => format!("replaced by {}", day(by)),
            Rank::Superseded { by } => format!("older than {}", day(by)),
        };
        archives.iter().map(rank).collect()
    }

    #[test]
    fn the_newest_that_is_whole_is_evaluated() {
        let whole = |day| copy(day, Complete, Some(i64::from(day)), Some(1));
        let without_created = |day, status| copy(day, status, None, None);
        assert_eq!(ranks(&[whole(9), whole(10)]), ["older than 10", "newest of 2"]);
        // An incomplete copy is placed by the date in its name, and changes the place of no other copy.
        let reversed = [copy(9, Complete, Some(20), Some(1)), copy(10, Complete, Some(10), Some(1))];
        assert_eq!(ranks(&reversed), ["newest of 2", "older than 09"]);
        for status in [Unreadable, Incomplete, NotCovered] {
            let all = |day| [&reversed[..], &[without_created(day, status)]].concat();
            assert_eq!(ranks(&all(8)), ["newest of 3", "older than 09", "older than 09"]);
            assert_eq!(ranks(&all(11)), ["in place of 11", "older than 09", "replaced by 09"]);
        }
        let broken = |day| without_created(day, Unreadable);
        assert_eq!(
            ranks(&[whole(8), broken(9), broken(10)]),
            ["in place of 10", "older than 08", "replaced by 08"]
        );
        assert_eq!(ranks(&[broken(9), broken(10)]), ["older than 10", "newest of 2"]);
        let left = |day| without_created(day, NotCovered);
        assert_eq!(ranks(&[broken(9), left(10)]), ["in place of 10", "replaced by 09"]);
        assert_eq!(ranks(&[left(9), left(10)]), ["older than 10", "newest of 2"]);
    }

    #[test]
    fn copies_hold_the_same_regions_as_far_as_they_are_known() {
        let whole = |day, region| copy(day, Complete, Some(i64::from(day)), Some(region));
        let part = |day, region| copy(day, Incomplete, Some(i64::from(day)), region);
        assert_eq!(ranks(&[whole(9, 1), whole(10, 2)]), ["newest of 1", "newest of 1"]);
        let known = [whole(8, 1), whole(9, 2), part(10, Some(1))];
        assert_eq!(ranks(&known), ["in place of 10", "newest of 1", "replaced by 08"]);
        let unknown = [whole(8, 1), whole(9, 2), part(10, None)];
        assert_eq!(ranks(&unknown), ["newest of 1", "in place of 10", "replaced by 09"]);
        let another = [whole(8, 1), part(9, Some(3)), part(10, Some(3))];
        assert_eq!(ranks(&another), ["newest of 1", "older than 10", "newest of 2"]);
        // A complete archive without regions is no copy of an archive with a region, and hides none.
        let mut empty = whole(10, 1);
        empty.brief.regions.clear();
        assert_eq!(ranks(&[whole(9, 1), empty]), ["newest of 1", "newest of 1"]);
        let series = Copies::find(&[whole(9, 1), whole(10, 2)]);
        let [older, newer] =
            ["exports/Here-2026-11-09.oar", "exports/Here-2026-11-10.oar"].map(|name| series.series_of(name));
        assert_eq!(newer, "exports/Here-#.oar");
        assert!(older.starts_with("exports/Here-#.oar (") && older.len() == newer.len() + 19, "{older}");
        assert_eq!(series.matched_by("exports/Here-2026-11-09.oar"), None);
        assert_eq!(series.matched_by("exports/Here-2026-11-10.oar"), Some(newer));
    }

    proptest! {
        /// Each series has exactly one evaluated copy, which the others name, regardless of the order of archives.
        #[test]
        fn of_each_series_one_is_evaluated(
            copies in prop::collection::vec((0..4_u8, prop::option::of(0..3_i64), prop::option::of(0..3_u128)), 1..7),
            seed in any::<u64>(),
        ) {
            let archives: Vec<Archive> = (1..)
                .zip(&copies)
                .map(|(day, &(status, created, region))| {
                    let status = [Complete, Incomplete, Unreadable, NotCovered][usize::from(status)];
                    copy(day, status, created, region)
                })
                .collect();
            let found = Copies::find(&archives);
            let mut others = archives.clone();
            let places = others.len() as u64;
            others.rotate_left((seed % places) as usize);
            others.reverse();
            prop_assert_eq!(format!("{found:?}"), format!("{:?}", Copies::find(&others)));
            let mut evaluated: BTreeMap<&str, Vec<&Archive>> = BTreeMap::new();
            for archive in &archives {
                let of_series = evaluated.entry(found.series_of(&archive.name)).or_default();
                if found.is_evaluated(&archive.name) {
                    of_series.push(archive);
                }
            }
            for archive in &archives {
                let of_series = &evaluated[found.series_of(&archive.name)];
                prop_assert_eq!(of_series.len(), 1);
                prop_assert_eq!(found.evaluated_for(&archive.name), &of_series[0].name);
                // A complete copy takes precedence over an incomplete one.
                prop_assert!(archive.brief.status != Complete || of_series[0].brief.status == Complete);
            }
        }
    }
}
