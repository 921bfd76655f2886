//! What a whole run amounts to: `audit.json`, and the lines on the terminal.

use super::{
    counts::SeverityCounts,
    row_filter::{AppliedFilter, FilteredSinks},
    tables::{findings, hulls::Hulls, meshes::Meshes, objects, parcels::Parcels, regions::Regions},
};
use crate::{
    analysis::Measured,
    finding::{Code, Severity},
    ledger::{
        Ledger,
        coverage::{NotCovered, Uncovered},
        facts::{Role, Status},
    },
    report::diff,
    rules::{RuleCount, SkipReason, catalogue},
    settings::{
        config::Config,
        profile::{Named, Profile},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{cmp::Reverse, collections::BTreeMap, time::SystemTime};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

/// Version of the layout of `audit.json`.
const FORMAT: u32 = 1;

/// What a whole run amounts to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Version of this layout.
    pub format: u32,
    /// Whether every input was covered and read to its end.
    pub complete: bool,
    /// What the report does not cover, by choice; absent where it covers all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_covered: Option<NotCovered>,
    /// What the report was narrowed to; all that follows counts what is left. Absent where it is the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrowed: Option<AppliedFilter>,
    /// How it differs from an earlier night. Absent where there is none to compare with.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    #[cfg_attr(test, schemars(!skip_deserializing))]
    pub changes: Option<diff::ChangesSummary>,
    /// What was counted.
    pub totals: Totals,
    /// Findings by severity, those that are waived left out here and in all that follows.
    pub findings: SeverityCounts,
    /// Findings that are waived, by severity.
    pub waived: SeverityCounts,
    /// Findings by code.
    pub findings_by_code: BTreeMap<Code, u64>,
    /// What became of each rule over all inputs.
    pub checks: BTreeMap<Code, CheckTotals>,
    /// The objects with the greatest land impact, the heaviest first, those in inventories last.
    pub heaviest: Vec<ObjectLine>,
    /// The worst findings, the worst first.
    pub worst: Vec<FindingLine>,
    /// The first finding of each code.
    pub first: BTreeMap<Code, FindingLine>,
    /// Inputs that were not read to their end.
    pub not_read: Vec<NotRead>,
    /// Files that were not audited, by what they look like.
    pub unknown_files: BTreeMap<String, u64>,
    /// How it came to be.
    #[serde(skip_deserializing)]
    #[cfg_attr(test, schemars(!skip_deserializing))]
    pub manifest: Manifest,
    #[serde(skip)]
    top: usize,
}

/// What became of one rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckTotals {
    /// How many subjects passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
    /// How many of these failed in nothing but what is waived.
    pub waived: u64,
    /// How many could not be evaluated, by reason.
    pub not_evaluated: BTreeMap<SkipReason, u64>,
}

/// What was counted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Totals {
    /// Inputs that were read.
    pub inputs: u64,
    /// How many of these are older copies, in whose place a newer one is judged: nothing that follows counts them, but
    /// for `bytes`.
    pub older_copies: u64,
    /// Bytes of all these inputs on the disk.
    pub bytes: u64,
    /// Regions.
    pub regions: u64,
    /// Parcels.
    pub parcels: u64,
    /// Linksets that stand in a region.
    pub objects: u64,
    /// Their prims.
    pub parts: u64,
    /// Linksets that lie in inventories.
    pub nested_objects: u64,
    /// Their prims.
    pub nested_parts: u64,
    /// Linksets that are files of their own.
    pub loose_objects: u64,
    /// Their prims.
    pub loose_parts: u64,
    /// Mesh assets.
    pub meshes: u64,
    /// Convex hulls, base hulls included.
    pub hulls: u64,
    /// Linksets that the target's rule does not let be linked.
    pub not_linkable: u64,
}

/// One object in few words.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectLine {
    /// Path of its input.
    pub archive: String,
    /// Entry of the archive, or file.
    pub entry: String,
    /// UUID of its root.
    pub object_uuid: Uuid,
    /// Its name.
    pub name: String,
    /// Who owns it.
    pub owner_uuid: Uuid,
    /// What it is in the export.
    pub role: Role,
    /// Its prims.
    pub parts: u64,
    /// What it takes of a parcel's capacity.
    pub land_impact: f64,
    /// What that rests on.
    pub land_impact_basis: String,
}

/// One finding in few words.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingLine {
    /// How bad.
    pub severity: Severity,
    /// Code of the rule.
    pub code: Code,
    /// What was found.
    pub message: String,
    /// How many findings it stands for.
    pub count: u64,
    /// Path of its input; empty where it is about the run itself.
    pub archive: String,
    /// Entry of the archive, or file.
    pub entry: String,
    /// Name of the object, where it is about one.
    pub object_name: Option<String>,
}

/// An input that was not read to its end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotRead {
    /// Its path.
    pub archive: String,
    /// How far it was read.
    pub status: Status,
}

/// How a report came to be: enough to make it again, and to see why two differ.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Manifest {
    /// Version of the program.
    pub hullmark: &'static str,
    /// Hash of the table of rules.
    pub rules: String,
    /// The time given with `--now`; without it none is written, so that equal runs give equal bytes.
    pub now: Option<String>,
    /// Settings in force. Those that cannot change a result are left out.
    #[cfg_attr(test, schemars(with = "Config"))]
    pub settings: Value,
    /// The target grid.
    pub profile: Profile,
    /// Whether nobody chose the profile: reports say how to choose another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profile_is_default: bool,
    /// Profiles whose costs stand beside; none is written where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Named>,
    /// How many people and groups the target knows, where a list of them was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<usize>,
    /// How many waivers there were.
    pub waivers: usize,
    /// What was audited.
    pub inputs: Vec<InputLine>,
}

/// One input.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputLine {
    /// Its path.
    pub archive: String,
    /// What it is.
    pub kind: String,
    /// Bytes on the disk.
    pub bytes: u64,
    /// How far it was read.
    pub status: Status,
    /// xxh3-128 of its bytes.
    pub content_hash: Option<String>,
}

impl FindingLine {
    /// What it is about, in a word: the object, else the entry, the archive, or the run.
    pub fn subject(&self) -> &str {
        let names = [self.object_name.as_deref().unwrap_or_default(), &self.entry, &self.archive];
        names.into_iter().find(|name| !name.is_empty()).unwrap_or("the run itself")
    }
}

impl Manifest {
    /// Of a run with these settings.
    pub fn new(config: &Config, profile: &Profile, now: Option<SystemTime>) -> Self {
        let mut settings = serde_json::to_value(config).unwrap_or_default();
        if let Some(settings) = settings.as_object_mut() {
            for key in ["threads", "ledgers", "notify", "baseline"] {
                settings.remove(key);
            }
            if let Some(report) = settings.get_mut("report").and_then(Value::as_object_mut) {
                report.remove("formats");
                report.remove("across_bytes");
            }
        }
        let rules: Vec<_> = Code::all().map(catalogue::rule).collect();
        Self {
            hullmark: env!("CARGO_PKG_VERSION"),
            rules: format!("{:016x}", xxh3_64(format!("{rules:?}").as_bytes())),
            now: now.map(|now| humantime::format_rfc3339_seconds(now).to_string()),
            settings,
            profile: profile.clone(),
            ..Self::default()
        }
    }

    /// The target grid in words, and if nobody chose it, how to choose another.
    pub fn target(&self) -> String {
        let hint = " (default; for OpenSimulator use --profile opensim-ubode)";
        format!("{}{}", self.profile.description, if self.profile_is_default { hint } else { "" })
    }
}

impl Summary {
    /// Of nothing yet.
    pub(super) fn new(manifest: Manifest, top: usize) -> Self {
        Self { format: FORMAT, complete: true, manifest, top, ..Self::default() }
    }

    /// How bad the worst finding is, whether the report shows it or was narrowed.
    pub fn worst_severity(&self) -> Option<Severity> {
        let left_out = self.narrowed.as_ref().and_then(|narrowed| narrowed.left_out.worst());
        self.findings.worst().max(left_out)
    }

    /// How bad the worst finding is that an earlier night did not have, or not as bad.
    pub fn worst_new(&self) -> Option<Severity> {
        self.changes.as_ref().and_then(|changes| changes.counts.worst())
    }

    /// Takes in one input, with the rows that are shown of it.
    pub(super) fn add(&mut self, measured: &Measured<'_>, shown: &FilteredSinks) {
        let ledger = measured.ledger;
        let totals = &mut self.totals;
        totals.inputs += 1;
        totals.bytes += ledger.bytes;
        totals.regions += shown.rows::<Regions>();
        totals.parcels += shown.rows::<Parcels>();
        totals.meshes += shown.rows::<Meshes>();
        totals.hulls += shown.rows::<Hulls>();
        for file in &ledger.unknown {
            *self.unknown_files.entry(file.looks_like.clone()).or_default() += 1;
        }
        self.add_source(ledger, ledger.status);
    }

    /// Takes in an input that is not judged, because a copy of it is: an older one, or the newest, which is not whole.
    pub(super) fn add_copy(&mut self, ledger: &Ledger, older: bool) {
        self.totals.inputs += 1;
        self.totals.older_copies += u64::from(older);
        self.totals.bytes += ledger.bytes;
        self.add_source(ledger, if older { Status::Superseded } else { ledger.status });
    }

    /// Says what the report rests on, with the status that its row has: an input, or a store, of which nothing is
    /// counted.
    pub(super) fn add_source(&mut self, ledger: &Ledger, status: Status) {
        self.complete &= ledger.status == Status::Complete;
        if !matches!(ledger.status, Status::Complete | Status::NotCovered) {
            self.not_read.push(NotRead { archive: ledger.input.clone(), status: ledger.status });
        }
        self.manifest.inputs.push(InputLine {
            archive: ledger.input.clone(),
            kind: ledger.kind.clone(),
            bytes: ledger.bytes,
            status,
            content_hash: ledger.content_hash.clone(),
        });
    }

    /// Says what is not covered. Each of it was named by [`Self::add_source`].
    pub(super) fn leave_out(&mut self, uncovered: &[Uncovered]) {
        self.not_covered = NotCovered::of(uncovered);
    }

    /// Whether what was covered was read to its end. What is left to another night is no failure; what a share of a plan
    /// should have read is.
    pub fn is_read(&self) -> bool {
        self.not_read.is_empty() && self.not_covered.as_ref().is_none_or(|left| left.by_missing == 0)
    }

    /// Takes in what became of one rule.
    pub(super) fn add_check(&mut self, check: &RuleCount) {
        let total = self.checks.entry(check.code).or_default();
        total.passed += check.passed();
        total.failed += check.failed;
        total.waived += check.waived;
        for (&reason, count) in &check.not_evaluated {
            *total.not_evaluated.entry(reason).or_default() += count;
        }
    }

    /// Takes in one object.
    pub(super) fn add_object(&mut self, row: &objects::Row<'_>) {
        let parts = row.object.linkset.parts.len() as u64;
        let totals = &mut self.totals;
        let (objects, prims) = match row.object.role {
            Role::Rezzed => (&mut totals.objects, &mut totals.parts),
            Role::Nested => (&mut totals.nested_objects, &mut totals.nested_parts),
            Role::Loose => (&mut totals.loose_objects, &mut totals.loose_parts),
        };
        *objects += 1;
        *prims += parts;
        totals.not_linkable += u64::from(
            row.measures.link.current.verdict == crate::analysis::linkability::current::Verdict::NotLinkable,
        );
        let (Some(root), Some(land_impact)) =
            (row.object.linkset.parts.first(), row.measures.land_impact.value())
        else {
            return;
        };
        self.heaviest.push(ObjectLine {
            archive: row.measured.ledger.input.clone(),
            entry: row.object.entry.clone(),
            object_uuid: root.uuid,
            name: root.name.clone(),
            owner_uuid: root.owner,
            role: row.object.role,
            parts,
            land_impact,
            land_impact_basis: row.measures.land_impact.basis().to_string(),
        });
        // Cut now and then, so that memory does not grow with the run.
        if self.heaviest.len() > 64 + 4 * self.top {
            self.cut_heaviest();
        }
    }

    /// Takes in one finding. Findings of an input come the worst first.
    pub(super) fn add_finding(&mut self, row: &findings::Row<'_>) {
        if row.told.waived().is_some() {
            return self.waived.add(row.told.severity, row.told.count);
        }
        let line = FindingLine {
            severity: row.told.severity,
            code: row.told.finding.code,
            message: catalogue::message(row.told.finding),
            count: row.told.count,
            archive: row.measured.ledger.input.clone(),
            entry: row.told.finding.place.entry.clone(),
            object_name: row
                .told
                .object
                .and_then(|object| object.linkset.parts.first())
                .map(|root| root.name.clone()),
        };
        self.findings.add(line.severity, line.count);
        *self.findings_by_code.entry(line.code).or_default() += line.count;
        self.first.entry(line.code).or_insert_with(|| line.clone());
        self.worst.push(line);
        if self.worst.len() > 64 + 4 * self.top {
            self.cut_worst();
        }
    }

    /// Brings the lists to their length, and says what the report was narrowed to.
    pub(super) fn finish(&mut self, narrowed: Option<AppliedFilter>) {
        self.narrowed = narrowed;
        self.cut_heaviest();
        self.cut_worst();
    }

    fn cut_heaviest(&mut self) {
        // What lies in an inventory weighs nothing until it is rezzed. Stable: of equals the first stays first.
        let in_inventory = |line: &ObjectLine| line.role == Role::Nested;
        self.heaviest.sort_by(|a, b| {
            in_inventory(a).cmp(&in_inventory(b)).then(b.land_impact.total_cmp(&a.land_impact))
        });
        self.heaviest.truncate(self.top);
    }

    fn cut_worst(&mut self) {
        self.worst.sort_by_key(|line| Reverse(line.severity));
        self.worst.truncate(self.top);
    }
}
