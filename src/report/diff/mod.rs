//! What is compared of one night.
//!
//! A [`Snapshot`] comes from the tables of a report or from ledgers. Both go through `gather`, row by row and column by
//! column, so that it makes no difference which it was.
//!
//! Archives of two nights are matched by their series, which is the path without dates. Where archives were moved,
//! they are matched by their *home*, if only one archive of either night has it: the UUID of its region, else its name,
//! and of several regions or none the file's name without its date. Of dated copies only the one counts that the report
//! judged ([`crate::ledger::copies`] decides, and the column `superseded_by` says so), whether the others were judged
//! too or not. What was found of a newest copy that is not whole counts with it.
//!
//! Findings are matched by code and fingerprint. A report of an earlier version gave one fingerprint to all that a rule
//! said of one thing: beside such a report the findings of this version are matched by that fingerprint too.

mod baseline;
mod changes;
mod read_report;
mod snapshot_sink;

use crate::{
    finding::{Code, Severity},
    ledger::{self, facts::Status},
    rules::history,
    settings::profile::Profile,
};
pub(crate) use baseline::Baseline;
pub use baseline::BaselineStatus;
pub use changes::{Change, ChangeKind, Changes, ChangesSummary, Counts, First, What};
pub use read_report::of_report;
use serde_json::Value;
use snapshot_sink::OF_REGION;
pub(super) use snapshot_sink::SnapshotSink;
use std::collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry};
use uuid::Uuid;

/// One night.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// How it came to be.
    pub made: Made,
    /// The archives, of copies the one that is judged, by their series.
    pub archives: BTreeMap<String, Archive>,
    /// How many archives are not compared: older copies, and those with whose path a newer archive of something else is
    /// there.
    pub older: u64,
    /// The series, as in `archives`, of each home.
    pub homes: HashMap<String, BTreeSet<String>>,
    /// Every archive that is no older copy, by what it comes to.
    pub inputs: Vec<history::Archive>,
    /// Whether its fingerprints tell apart all that a rule says of one thing; those of earlier versions do not.
    pub tells_apart: bool,
}

/// How a night was judged: where two differ in it, their differences may be of the rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Made {
    /// Version of the program.
    pub program: String,
    /// Hash of the table of rules.
    pub rules: String,
    /// The target grid, as `audit.json` has it.
    pub profile: Value,
    /// What the report was narrowed to: owners, regions and severity; null where it is the whole.
    pub narrowed: Value,
    /// The time given with `--now`.
    pub now: Option<String>,
}

/// One archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Archive {
    /// Its path, what it is and what it comes to.
    pub input: history::Archive,
    /// What tells it again where it was moved.
    pub home: String,
    /// Prims of the linksets that stand in a region.
    pub parts: u64,
    /// Its regions, by their homes.
    pub regions: BTreeMap<String, Region>,
    /// Its linksets, by a hash of what tells each again.
    pub linksets: HashMap<u128, Linkset>,
    /// Its findings, by code and fingerprint.
    pub findings: Findings,
}

/// Findings by code and fingerprint.
pub type Findings = HashMap<(Code, u64), Finding>;

/// What an archive is matched by; one that is expected and absent is not one that is there.
fn key(kind: &str, name: &str, series: &str) -> String {
    match kind {
        ledger::ABSENT => format!("absent {name}"),
        _ => series.to_owned(),
    }
}

impl Snapshot {
    /// Whether it was judged for another target than this one, so that its costs are others.
    pub fn is_of_other_target(&self, target: &Profile) -> bool {
        self.made.profile != serde_json::to_value(target).unwrap_or_default()
    }

    /// The same archive as one of another night: of the same series, else, where files were moved, the only one of the
    /// same home that the other night has not at its old path.
    pub fn same(&self, key: &str, home: &str, other_has: impl Fn(&str) -> bool) -> Option<(&str, &Archive)> {
        if let Some((key, archive)) = self.archives.get_key_value(key) {
            return Some((key, archive));
        }
        let mut keys = self.homes.get(home)?.iter().filter(|key| !other_has(key));
        let (Some(key), None) = (keys.next(), keys.next()) else { return None };
        self.archives.get_key_value(key).map(|(key, archive)| (key.as_str(), archive))
    }
}

impl Archive {
    /// Its findings by the fingerprints that they had in earlier versions.
    fn by_old_fingerprint(&self) -> Findings {
        // In an order of their own, because of two that are equally bad the first is named.
        let mut all: Vec<_> = self.findings.iter().collect();
        all.sort_unstable_by_key(|(key, _)| **key);
        let mut findings = Findings::new();
        for ((code, _), finding) in all {
            finding.clone().add_to(&mut findings, (*code, finding.old_fingerprint));
        }
        findings
    }

    /// Whether it is expected and not there.
    pub fn is_absent(&self) -> bool {
        self.input.kind == ledger::ABSENT
    }

    /// Whether it was read to its end: only then is what it lacks not there.
    pub fn is_whole(&self) -> bool {
        self.input.brief.status == Status::Complete || self.is_absent()
    }
}

/// A sum or a cost, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// How much.
    pub value: f64,
    /// Whether it is a lower bound, because something in it is not known.
    pub bound: bool,
}

/// One region.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// What is compared of it, in the order of `OF_REGION`.
    pub numbers: [Option<Figure>; OF_REGION.len()],
}

/// One linkset, or several that nothing tells apart: then the sums of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Linkset {
    /// UUID of its root.
    pub uuid: Uuid,
    /// Its owner.
    pub owner: Uuid,
    /// Its name.
    pub name: Box<str>,
    /// Its region, by home; empty where it stands in none.
    pub region: Option<std::sync::Arc<str>>,
    /// How many they are.
    pub count: u32,
    /// Prims.
    pub parts: u32,
    /// Scripts in contents.
    pub scripts: u32,
    /// Land impact.
    pub land_impact: Option<Figure>,
    /// Physics cost at rest.
    pub physics_cost: Option<Figure>,
}

/// One finding, or several rows of one fingerprint: then the worst of them, and the sum of their counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How bad.
    pub severity: Severity,
    /// How many it stands for.
    pub count: u64,
    /// What was measured.
    pub measured: Option<f64>,
    /// What it was measured against.
    pub limit: Option<f64>,
    /// What was found.
    pub message: Box<str>,
    /// The object that it is about, where it is one: its root.
    pub object: Uuid,
    /// The object's name, else the entry.
    pub about: Box<str>,
    /// Name of the region of that object.
    pub region: Box<str>,
    /// Whether somebody answers for it, so that it counts nowhere.
    pub waived: bool,
    /// Its fingerprint.
    pub fingerprint: u64,
    /// The fingerprint that it shared with others in earlier versions; its own where that is still the same.
    pub old_fingerprint: u64,
}

impl Finding {
    /// Adds it to others: with those of its fingerprint, and with the worst of them in front, whichever comes first in
    /// the archive.
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
