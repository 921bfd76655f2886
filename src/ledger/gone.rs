//! Regions and inventories that earlier runs had, and that no input of this run has.
//!
//! The identity is that of the region, not of the file. So an archive that was renamed, moved or joined with others is
//! not gone.

use crate::{
    InputKind,
    archive::Archive,
    facts::Status,
    identity,
    summary::{REGIONS, Region},
};
use hullmark_util::dates_in_names::{Seconds, undated};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// A region, or an archive without regions, that no input has any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// Its name: that of the region, else its UUID. An archive without regions has its path without dates.
    pub name: String,
    /// Key that no other of this name has.
    pub identity: String,
    /// Path of the archive that had it last.
    pub archive: String,
    /// Number of its objects.
    pub objects: u64,
    /// When that archive was made.
    pub made: Option<Seconds>,
}

/// Where an earlier archive is known from. The first is believed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Ledger,
    Baseline,
    History,
}

/// What the inputs of a run have.
struct Present<'a> {
    /// Whether the archives of each path, without dates, were read to their end.
    paths: HashMap<String, bool>,
    uuids: HashMap<Uuid, Vec<&'a Archive>>,
    /// Regions by name, with the path without dates.
    named: HashMap<&'a str, Vec<(String, Option<Uuid>)>>,
    /// Archives without regions, by the name of their file without dates.
    files: HashMap<String, Vec<String>>,
    contents: HashSet<&'a str>,
}

impl<'a> Present<'a> {
    fn new(archives: &'a [Archive], is_partly_read: impl Fn(&Archive) -> bool) -> Self {
        let mut present = Self {
            paths: HashMap::new(),
            uuids: HashMap::new(),
            named: HashMap::new(),
            files: HashMap::new(),
            contents: HashSet::new(),
        };
        // Loose files are no backup of a region.
        for archive in archives.iter().filter(|archive| archive.may_be_backup()) {
            let path = archive.series();
            let regions = &archive.brief.regions;
            let is_read = archive.brief.status == Status::Complete
                && regions.len() < REGIONS
                && !is_partly_read(archive)
                && !regions.iter().any(|region| region.uuid.is_none() && region.name.is_empty());
            *present.paths.entry(path.clone()).or_insert(true) &= is_read;
            for region in regions {
                if let Some(uuid) = region.uuid {
                    present.uuids.entry(uuid).or_default().push(archive);
                }
                let named = present.named.entry(region.name.as_str()).or_default();
                named.push((path.clone(), region.uuid));
            }
            if regions.is_empty() {
                present.files.entry(undated(archive.file_name())).or_default().push(path);
            }
            present.contents.extend(archive.content.as_deref());
        }
        present
    }

    /// Whether an input has, or may have, this region of an archive with this path without dates.
    fn has(&self, region: &Region, (source, archive): &(Source, Archive), known: &HashSet<String>) -> bool {
        let path = &*archive.series();
        let mut others = region.uuid.and_then(|uuid| self.uuids.get(&uuid)).into_iter().flatten();
        let has_uuid = others.any(|other| *source == Source::History || !are_two(archive, other));
        if has_uuid || self.paths.get(path) == Some(&false) {
            return true;
        }
        if region.uuid.is_none() && region.name.is_empty() {
            return self.paths.contains_key(path);
        }
        let mut named = self.named.get(region.name.as_str()).into_iter().flatten();
        // A region that was created again has another UUID.
        let is_same = |(other, uuid): &(String, Option<Uuid>)| {
            other == path || (uuid.is_none() || region.uuid.is_none()) && !known.contains(other)
        };
        !region.name.is_empty() && named.any(is_same)
    }

    /// Whether an input is, or may be, this archive without regions.
    fn is(&self, archive: &Archive, path: &str, known: &HashSet<String>) -> bool {
        let mut moved = self.files.get(&undated(archive.file_name())).into_iter().flatten();
        self.paths.contains_key(path)
            || archive.content.as_deref().is_some_and(|content| self.contents.contains(content))
            || moved.any(|other| !known.contains(other))
    }
}

/// Returns what earlier archives had and the inputs of this run have not, by name. Of several archives with one region,
/// the newest of the first source counts. Regions in inputs that are partly read may still be there.
pub fn gone(
    earlier: &[(Source, Archive)],
    archives: &[Archive],
    is_partly_read: impl Fn(&Archive) -> bool,
) -> Vec<Gone> {
    let present = Present::new(archives, is_partly_read);
    let known: HashSet<String> = earlier.iter().map(|(_, archive)| archive.series()).collect();
    let mut gone: BTreeMap<(String, String), (Rank, Gone)> = BTreeMap::new();
    for known_as in earlier.iter().filter(|(_, archive)| is_backup(archive.kind)) {
        let (source, archive) = known_as;
        let (path, brief) = (archive.series(), &archive.brief);
        let mut add = |name: String, identity: String, objects: u64| {
            let made = brief.created.or(archive.modified);
            let rank = Rank { source: *source, made: std::cmp::Reverse(made), archive: archive.name.clone() };
            let found = Gone { name, identity, archive: archive.name.clone(), objects, made };
            let place = gone.entry((found.name.clone(), found.identity.clone()));
            let (best, best_found) = place.or_insert_with(|| (rank.clone(), found.clone()));
            if rank < *best {
                (*best, *best_found) = (rank, found);
            }
        };
        for region in brief.regions.iter().filter(|region| !present.has(region, known_as, &known)) {
            let called = region.called();
            let name = if called.is_empty() { path.clone() } else { called.clone() };
            let identity = region.uuid.map_or(path.clone(), |uuid| uuid.to_string());
            add(name, identity, region.objects);
        }
        let was_whole = brief.regions.is_empty() && brief.status == Status::Complete;
        if was_whole && !present.is(archive, &path, &known) {
            let objects = brief.objects + brief.nested_objects + brief.loose_objects;
            add(path.clone(), identity::file_name(&path).to_owned(), objects);
        }
    }
    // A region that was created again under the name and in the file of another one is the same for people.
    let mut newest: BTreeMap<(String, String), (Rank, Gone)> = BTreeMap::new();
    for (rank, gone) in gone.into_values() {
        let key = (gone.name.clone(), undated(&gone.archive));
        match newest.get(&key) {
            Some((best, _)) if *best <= rank => {}
            _ => drop(newest.insert(key, (rank, gone))),
        }
    }
    newest.into_values().map(|(_, gone)| gone).collect()
}

/// Whether two archives of one region count as two: they have one date and different content, so neither is a later
/// state of the other.
fn are_two(one: &Archive, other: &Archive) -> bool {
    let is_dated = one.brief.created.is_some() && one.brief.created == other.brief.created;
    let is_equal = one.content.is_some() && one.content == other.content || one.brief == other.brief;
    is_dated && one.series() != other.series() && !is_equal
}

/// The order in which archives that had one region are believed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    source: Source,
    made: std::cmp::Reverse<Option<Seconds>>,
    archive: String,
}

/// Whether an input of this kind has regions or an inventory. A history states no kind.
fn is_backup(kind: InputKind) -> bool {
    kind.is_archive() || kind.is_database() || kind == InputKind::Unknown
}
