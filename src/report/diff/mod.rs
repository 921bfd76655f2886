//! Comparison of two runs.
//!
//! A [`Snapshot`] is built from the tables of a report or from ledgers. Both go through [`SnapshotSink`] row by row, so
//! the result is the same. Archives and regions are in memory; objects and findings wait on the disk ([`content`]).
//! [`Changes::between`] compares archive by archive, and sorts the changes on the disk.
//!
//! Archives of two runs are matched by their series: the path without dates. Moved archives are matched by their
//! identity, if it is unique in both runs ([`hullmark_ledger::identity`]). Of dated copies only the evaluated one is
//! compared ([`hullmark_ledger::copies`] decides; the column `superseded_by` names it). Findings about an incomplete newest
//! copy count with it.
//!
//! Findings are matched by code and fingerprint. Objects and findings whose UUIDs changed are matched by their content
//! ([`pairs`]).

mod baseline;
mod change;
mod compare;
mod content;
mod counts;
mod found;
mod lost;
mod notes;
mod pairs;
mod read;
mod rows;
mod snapshot_sink;
mod sorted;
mod summary;

pub use baseline::Baseline;
pub use baseline::BaselineStatus;
use change::LAND_IMPACT;
pub use change::{Change, ChangeKind, What, same};
pub use content::{Content, Contents, Findings, Linksets};
pub use counts::{Counts, LandImpact};
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{InputKind, facts::Status};
use hullmark_rules::history;
use hullmark_settings::profile::Profile;
pub use lost::Lost;
pub use read::{Extent, ReadReportError, of_report, of_tables};
use rows::OF_REGION;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use snapshot_sink::{Recorded, SnapshotSink};
use sorted::SortedChanges;
use std::collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry};
pub use summary::{ChangesSummary, Compared, First, RunLine};
use uuid::Uuid;

/// One run, prepared for comparison.
#[derive(Debug)]
pub struct Snapshot {
    /// Folder of its report or ledgers, for people. Empty for the run that compares itself.
    pub path: String,
    /// Hash of its `audit.json`. Empty for ledgers, and for the run that compares itself.
    pub checksum: String,
    /// Version, rules and target of the run.
    pub provenance: Provenance,
    /// The archives by series: of dated copies, the evaluated one.
    pub archives: BTreeMap<String, Archive>,
    /// Number of archives that are not compared: older copies, and those whose path a newer archive of another region
    /// has.
    pub older: u64,
    /// The series, as in `archives`, of each identity.
    pub identities: HashMap<String, BTreeSet<String>>,
    /// Every archive that is not an older copy, with its summary.
    pub inputs: Vec<history::Archive>,
    /// Paths without dates of older copies.
    pub superseded: BTreeSet<String>,
    /// Ledgers of the run that cannot be read, each with what to do.
    pub unreadable: Vec<String>,
    /// The linksets and findings of each archive, by the keys of `archives`.
    pub contents: Contents,
}

/// Version, rules and target of a run. If they differ, changes may come from the rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// Version of the program.
    pub program: String,
    /// Hash of the table of rules.
    pub rules: String,
    /// The target grid, as `audit.json` has it.
    pub profile: Value,
    /// Profile of what only OpenSimulator loads; null if a target was chosen.
    pub opensim_load: Value,
    /// Owners, regions and severity that the report was filtered by; null without a filter.
    pub filter: Value,
    /// The time given with `--now`.
    pub now: Option<String>,
}

/// One archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Archive {
    /// Its path, kind and summary.
    pub input: history::Archive,
    /// Key that matches it if it was moved.
    pub identity: String,
    /// Number of prims of rezzed linksets.
    pub parts: u64,
    /// Its regions by identity.
    pub regions: BTreeMap<String, Region>,
}

/// Key that matches an archive. An absent archive has a key of its own.
fn key(kind: InputKind, name: &str, series: &str) -> String {
    match kind {
        InputKind::Absent => format!("absent {name}"),
        _ => series.to_owned(),
    }
}

/// Differences between two runs.
pub struct Changes {
    notes: Vec<String>,
    old: RunLine,
    new: RunLine,
    compared: Compared,
    /// What was lost with removed archives.
    lost: Lost,
    rows: SortedChanges,
}

impl Snapshot {
    /// Creates an empty snapshot.
    fn new(contents: Contents) -> Self {
        Self {
            path: String::new(),
            checksum: String::new(),
            provenance: Provenance::default(),
            archives: BTreeMap::new(),
            older: 0,
            identities: HashMap::new(),
            inputs: Vec::new(),
            superseded: BTreeSet::new(),
            unreadable: Vec::new(),
            contents,
        }
    }

    /// Whether the run was evaluated for another target. Its costs then differ.
    pub fn is_of_other_target(&self, profile: &Profile, opensim_load: Option<&Profile>) -> bool {
        let value = |profile| serde_json::to_value(profile).unwrap_or_default();
        let Provenance { profile: earlier, opensim_load: earlier_load, .. } = &self.provenance;
        *earlier != value(Some(profile)) || *earlier_load != value(opensim_load)
    }

    /// Returns the matching archive of another run. It matches by series, else by identity if only one archive with
    /// that identity was moved.
    pub fn same(
        &self,
        key: &str,
        identity: &str,
        other_has: impl Fn(&str) -> bool,
    ) -> Option<(&str, &Archive)> {
        if let Some((key, archive)) = self.archives.get_key_value(key) {
            return Some((key, archive));
        }
        let mut keys = self.identities.get(identity)?.iter().filter(|key| !other_has(key));
        let (Some(key), None) = (keys.next(), keys.next()) else { return None };
        self.archives.get_key_value(key).map(|(key, archive)| (key.as_str(), archive))
    }
}

impl Archive {
    /// Whether the archive is expected and missing.
    pub fn is_absent(&self) -> bool {
        self.input.kind == InputKind::Absent
    }

    /// Whether the archive was read completely. Only then missing findings are gone.
    pub fn is_whole(&self) -> bool {
        self.input.brief.status == Status::Complete || self.is_absent()
    }
}

/// A sum or a cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its value.
    pub value: f64,
    /// Whether it is a lower bound, because a summand is unknown.
    pub bound: bool,
}

/// One region.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its compared numbers, in the order of `OF_REGION`.
    pub numbers: [Option<Figure>; OF_REGION.len()],
}

impl Region {
    /// Its land impact.
    fn land_impact(&self) -> Option<Figure> {
        self.numbers[0]
    }
}

/// One linkset, or the sums of several with the same key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linkset {
    /// UUID of its root.
    pub uuid: Uuid,
    /// Its owner.
    pub owner: Uuid,
    /// Its name.
    pub name: Box<str>,
    /// Name of its region, if it is rezzed in one.
    pub region: Option<Box<str>>,
    /// Where its root is, in centimetres. `None` if it is unknown.
    pub place: Option<[i32; 3]>,
    /// Key of its content. `None` in a report of an earlier version.
    pub content: Option<u64>,
    /// Number of linksets.
    pub count: u32,
    /// Prims.
    pub parts: u32,
    /// Scripts.
    pub scripts: Option<u32>,
    /// Land impact.
    pub land_impact: Option<Figure>,
    /// Physics cost at rest.
    pub physics_cost: Option<Figure>,
}

/// One finding, or several rows with the same fingerprint: the worst of them, with the sum of their counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// Number of findings in its rows.
    pub count: u64,
    /// Measured value.
    pub measured: Option<f64>,
    /// Limit.
    pub limit: Option<f64>,
    /// Its message.
    pub message: Box<str>,
    /// UUID of the root prim of its object; nil without one.
    pub object: Uuid,
    /// Name of the object, else the entry.
    pub about: Box<str>,
    /// Name of the region of that object.
    pub region: Box<str>,
    /// Whether it is waived.
    pub waived: bool,
    /// Its fingerprint.
    pub fingerprint: u64,
    /// Its fingerprint with the content of its object. `None` in a report of an earlier version.
    pub content_fingerprint: Option<u64>,
}

impl Finding {
    /// Adds the finding to the others. Findings with the same fingerprint are merged. The worst one names them, in any
    /// order.
    fn add_to(self, findings: &mut Findings, key: (Code, u64)) {
        match findings.entry(key) {
            Entry::Vacant(place) => {
                place.insert(self);
            }
            Entry::Occupied(mut place) => {
                let known = place.get_mut();
                let (count, waived) = (known.count + self.count, known.waived && self.waived);
                if (self.severity, &known.message) > (known.severity, &self.message) {
                    *known = self;
                }
                (known.count, known.waived) = (count, waived);
            }
        }
    }
}
