//! Summary of a run: `audit.json`, and the lines on the terminal.

mod firsts;
mod lines;
mod manifest;
mod overview;
mod sums;

use super::{
    counts::SeverityCounts,
    preflight::Verdict,
    row_filter::AppliedFilter,
    trend::{ThisRun, Trend},
};
use crate::{arrived, diff};
pub(crate) use firsts::large_first;
use hullmark_finding::{Code, Family, Severity};
use hullmark_ledger::coverage::{NotCovered, Uncovered};
use hullmark_rules::{SkipReason, history::Backup};
use hullmark_settings::{profile::Profile, users::Users};
use hullmark_util::dates_in_names::Seconds;
pub use lines::{
    ActionLine, FindingLine, FirstUse, FullestRegion, LossLine, NotRead, ObjectLine, RegionFill, UnknownFiles,
};
pub use manifest::{InputLine, Manifest};
pub use overview::{Overview, StatusLine, worst_first};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, mem::take};
pub use sums::Sums;

/// The target of a run that chose none.
const NONE_CHOSEN: &str = "none chosen (--profile): OpenSimulator's load, published limits";

/// Maximum number of regions in the overview.
const LISTED: usize = 20;

/// Maximum number of regions whose fill is kept for metrics.
const FULLEST: usize = 50;

/// Version of the layout of `audit.json`.
const FORMAT: u32 = 1;

/// Summary of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Version of this layout.
    pub format: u32,
    /// Whether every input was covered and read to its end.
    pub complete: bool,
    /// Inputs that the report does not cover by choice; absent if it covers all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_covered: Option<NotCovered>,
    /// The filter of the report; all numbers below are without filtered rows. Absent without a filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrowed: Option<AppliedFilter>,
    /// How many inputs have rows on the page. `None` if all have.
    #[serde(skip)]
    pub shown: Option<ShownInputs>,
    /// Differences from an earlier run. Absent without a baseline.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(!skip_deserializing))]
    pub changes: Option<diff::ChangesSummary>,
    /// The comparison of both sides of a move. Absent in a report of findings.
    #[serde(skip)]
    pub arrived: Option<arrived::Page>,
    /// Whether no target was chosen and an input is evaluated in two parts: its load, and its limits and costs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_two_parts: bool,
    /// Totals.
    pub totals: Totals,
    /// Numbers of inputs by the verdict on loading them into OpenSimulator. Absent if a target was chosen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verdicts: BTreeMap<Verdict, u64>,
    /// The region whose prims fill most of what OpenSimulator holds there. Absent if a target was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fullest: Option<FullestRegion>,
    /// Findings by severity. Waived findings are left out here and below.
    pub findings: SeverityCounts,
    /// Waived findings by severity.
    pub waived: SeverityCounts,
    /// Findings of each code by severity.
    pub findings_by_code: BTreeMap<Code, SeverityCounts>,
    /// The outcome of each rule over all inputs.
    pub checks: BTreeMap<Code, CheckTotals>,
    /// Text of each reason in `checks`, to follow "because".
    pub reasons: BTreeMap<SkipReason, String>,
    /// The regions, the worst first.
    #[serde(default)]
    pub overview: Overview,
    /// The most urgent actions. Those of one region are in the order of the table `actions`.
    pub actions: Vec<ActionLine>,
    /// The objects with the greatest land impact, the heaviest first; objects in inventories last.
    pub heaviest: Vec<ObjectLine>,
    /// Content that does not arrive or that nobody can use, by kind, the most numerous first. Empty in a report with a
    /// filter.
    pub losses: Vec<LossLine>,
    /// The worst findings, the worst first, then by weight.
    pub worst: Vec<FindingLine>,
    /// The worst finding of each code.
    pub first: BTreeMap<Code, FindingLine>,
    /// Inputs that were not read to their end.
    pub not_read: Vec<NotRead>,
    /// Files that were not audited, by kind.
    pub unknown_files: Vec<UnknownFiles>,
    /// How it came to be.
    #[serde(deserialize_with = "manifest::inputs_alone")]
    pub manifest: Manifest,
    /// Time of the newest export, from archive.xml, as seconds since 1970. Absent if none states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_export: Option<Seconds>,
    /// The 50 fullest regions, the fullest first.
    #[serde(default)]
    pub fullest_regions: Vec<RegionFill>,
    /// How old the newest whole backup of each region is.
    #[serde(skip)]
    pub backups: Vec<Backup>,
    /// Users of the target, whose names reports show. `None` without a list.
    #[serde(skip)]
    pub users: Option<Users>,
    #[serde(skip)]
    top: usize,
    /// The sums of the inputs so far.
    #[serde(skip)]
    sums: Sums,
    /// The rows for the history, if this run extends one.
    #[serde(skip)]
    pub run: Option<ThisRun>,
    /// The trend of regions; empty without a history.
    #[serde(skip)]
    pub trend: Trend,
}

/// The inputs whose rows a page shows, of a report in shards.
#[derive(Debug, Clone, Copy)]
pub struct ShownInputs {
    /// Number of the inputs that the lists of the summary name.
    pub shown: u64,
    /// Number of all inputs.
    pub all: u64,
}

/// The outcome of one rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckTotals {
    /// Number of subjects that passed.
    pub passed: u64,
    /// Number of subjects that failed.
    pub failed: u64,
    /// Number of failed subjects whose findings are all waived.
    pub waived: u64,
    /// Number of subjects that could not be evaluated, by reason.
    pub not_evaluated: BTreeMap<SkipReason, u64>,
}

impl CheckTotals {
    fn add(&mut self, more: &Self) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.waived += more.waived;
        for (&reason, count) in &more.not_evaluated {
            *self.not_evaluated.entry(reason).or_default() += count;
        }
    }
}

/// Totals of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Totals {
    /// Number of inputs that were read.
    pub inputs: u64,
    /// Number of older dated copies among them. Only `bytes` includes these; the other numbers do not.
    pub older_copies: u64,
    /// Size of all inputs on disk, bytes.
    pub bytes: u64,
    /// Number of regions.
    pub regions: u64,
    /// Number of parcels.
    pub parcels: u64,
    /// Number of linksets rezzed in a region.
    pub objects: u64,
    /// Number of their prims.
    pub parts: u64,
    /// Number of linksets in inventories.
    pub nested_objects: u64,
    /// Number of their prims.
    pub nested_parts: u64,
    /// Number of linksets in files of their own.
    pub loose_objects: u64,
    /// Number of their prims.
    pub loose_parts: u64,
    /// Number of mesh assets.
    pub meshes: u64,
    /// Number of convex hulls, base hulls included.
    pub hulls: u64,
    /// Number of linksets that the target's linking rule forbids.
    pub not_linkable: u64,
}

impl Totals {
    fn add(&mut self, more: &Self) {
        let Self {
            inputs,
            older_copies,
            bytes,
            regions,
            parcels,
            objects,
            parts,
            nested_objects,
            nested_parts,
            loose_objects,
            loose_parts,
            meshes,
            hulls,
            not_linkable,
        } = more;
        self.inputs += inputs;
        self.older_copies += older_copies;
        self.bytes += bytes;
        self.regions += regions;
        self.parcels += parcels;
        self.objects += objects;
        self.parts += parts;
        self.nested_objects += nested_objects;
        self.nested_parts += nested_parts;
        self.loose_objects += loose_objects;
        self.loose_parts += loose_parts;
        self.meshes += meshes;
        self.hulls += hulls;
        self.not_linkable += not_linkable;
    }
}

impl Summary {
    /// Creates an empty summary.
    pub fn new(manifest: Manifest, top: usize) -> Self {
        let sums = Sums::new(top, manifest.opensim_load.is_some());
        Self { format: FORMAT, complete: true, manifest, top, sums, ..Self::default() }
    }

    /// Returns empty sums, for an input of this summary.
    pub fn empty_sums(&self) -> Sums {
        Sums::new(self.top, self.manifest.opensim_load.is_some())
    }

    /// Returns the sums of the inputs so far.
    pub fn sums(&mut self) -> &mut Sums {
        &mut self.sums
    }

    /// Describes the target. Without a chosen one, the text also explains how to choose it.
    pub fn target(&self) -> String {
        let described = &self.manifest.profile.description;
        match self.manifest.opensim_load {
            Some(_) if self.in_two_parts => NONE_CHOSEN.into(),
            Some(_) => format!("{described} (default; for OpenSimulator use --profile opensim-ubode)"),
            None => described.clone(),
        }
    }

    /// Returns the profile whose advice the pages of rules have.
    pub fn profile_of_rules(&self) -> &Profile {
        let Manifest { profile, opensim_load, .. } = &self.manifest;
        opensim_load.as_ref().filter(|_| self.in_two_parts).unwrap_or(profile)
    }

    /// Returns the severity of the worst finding, filtered or not.
    pub fn worst_severity(&self) -> Option<Severity> {
        let left_out = self.narrowed.as_ref().and_then(|narrowed| narrowed.left_out.worst());
        self.findings.worst().max(left_out)
    }

    /// Returns the numbers of findings of a rule.
    pub fn of_code(&self, code: Code) -> SeverityCounts {
        self.findings_by_code.get(&code).copied().unwrap_or_default()
    }

    /// Returns the numbers of findings of a family of rules.
    pub fn of_family(&self, family: &Family) -> SeverityCounts {
        let mut all = SeverityCounts::default();
        family.codes.iter().for_each(|&code| all.add_all(&self.of_code(code)));
        all
    }

    /// Returns the severity of the worst finding that is new or worse than in the earlier run.
    pub fn worst_new(&self) -> Option<Severity> {
        self.changes.as_ref().and_then(|changes| changes.counts.worst())
    }

    /// Sets the inputs that are not covered. Each was added by [`Sums::add_source`].
    pub fn leave_out(&mut self, uncovered: &[Uncovered]) {
        self.not_covered = NotCovered::new(uncovered);
    }

    /// Whether all covered inputs were read to their end, and all ledgers of the earlier run. Inputs left to another run
    /// are no failure; those without a ledger from a shard of a plan are.
    pub fn is_read(&self) -> bool {
        self.not_read.is_empty()
            && self.not_covered.as_ref().is_none_or(|left| left.by_missing == 0)
            && self.changes.as_ref().is_none_or(diff::ChangesSummary::is_read)
    }

    /// Ends the lists and sets the filter.
    pub fn finish(&mut self, narrowed: Option<AppliedFilter>) {
        self.narrowed = narrowed;
        take(&mut self.sums).finish(self, self.top);
    }
}
