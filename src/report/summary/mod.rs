//! Summary of a run: `audit.json`, and the lines on the terminal.

mod firsts;
mod lines;
mod manifest;
mod overview;

use super::{
    actions::{ListedAction, Order, Urgency},
    counts::SeverityCounts,
    preflight::{Loss, Verdict},
    region_status::RegionStatus,
    reported::Reported,
    row_filter::AppliedFilter,
    tables::{findings, objects},
    trend::{ThisRun, Trend},
};
use crate::{arrived, diff};
use firsts::Firsts;
pub(crate) use firsts::large_first;
use hullmark_analysis::RegionMeasures;
use hullmark_finding::{Code, Family, Severity};
use hullmark_ledger::{
    Ledger,
    coverage::{NotCovered, Uncovered},
    facts::{Role, Status},
};
use hullmark_rules::{RuleCount, SkipReason};
use hullmark_settings::{profile::Profile, users::Users};
use hullmark_util::dates_in_names::Seconds;
pub use lines::{
    ActionLine, FindingLine, FirstUse, FullestRegion, LossLine, NotRead, ObjectLine, UnknownFiles,
};
use lines::{WorstFinding, worst_finding};
pub use manifest::{InputLine, Manifest};
use overview::WorstFirst;
pub use overview::{Overview, StatusLine, worst_first};
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, btree_map::Entry},
    mem::take,
};

/// The target of a run that chose none.
const NONE_CHOSEN: &str = "none chosen (--profile): OpenSimulator's load, published limits";

/// Maximum number of regions in the overview.
const LISTED: usize = 20;

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
    #[serde(skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(!skip_deserializing))]
    pub manifest: Manifest,
    /// Time of the newest export, from archive.xml.
    #[serde(skip)]
    pub newest_export: Option<Seconds>,
    /// Users of the target, whose names reports show. `None` without a list.
    #[serde(skip)]
    pub users: Option<Users>,
    #[serde(skip)]
    top: usize,
    /// The first of each list so far.
    #[serde(skip)]
    firsts: Lists,
    /// The rows for the history, if this run extends one.
    #[serde(skip)]
    pub run: Option<ThisRun>,
    /// The trend of regions; empty without a history.
    #[serde(skip)]
    pub trend: Trend,
}

/// The first of each list of a summary.
#[derive(Debug, Clone, Default)]
struct Lists {
    /// Actions about the load, and those about limits and costs.
    actions: [Firsts<Order, ActionLine>; 2],
    heaviest: Firsts<(bool, Reverse<Option<u64>>), ObjectLine>,
    worst: Firsts<WorstFinding, FindingLine>,
    regions: Firsts<WorstFirst, StatusLine>,
}

impl Lists {
    fn new(top: usize) -> Self {
        Self {
            actions: [Firsts::new(top), Firsts::new(top)],
            heaviest: Firsts::new(top),
            worst: Firsts::new(top),
            regions: Firsts::new(LISTED),
        }
    }
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

impl Summary {
    /// Creates an empty summary.
    pub fn new(manifest: Manifest, top: usize) -> Self {
        Self { format: FORMAT, complete: true, manifest, top, firsts: Lists::new(top), ..Self::default() }
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

    /// Adds the shown things of one input.
    pub fn add(&mut self, input: &Reported<'_>) {
        input.all_objects().for_each(|row| self.add_object(&row));
        self.add_findings(input);
        let ledger = input.measured.ledger;
        for (_, facts, sums) in input.regions() {
            self.note_load(&facts.name, input.measured.profile, sums);
        }
        let totals = &mut self.totals;
        totals.inputs += 1;
        totals.bytes += ledger.bytes;
        totals.regions += input.regions().count() as u64;
        totals.parcels += input.parcels().count() as u64;
        totals.meshes += input.all_meshes().count() as u64;
        totals.hulls += input.all_meshes().map(|row| row.mesh.hulls() as u64).sum::<u64>();
        for file in &ledger.unknown {
            let same = self.unknown_files.iter_mut().find(|unknown| unknown.looks_like == file.looks_like);
            match same {
                Some(unknown) => unknown.files += file.files(),
                None => self
                    .unknown_files
                    .push(UnknownFiles { looks_like: file.looks_like.clone(), files: file.files() }),
            }
        }
        self.add_source(ledger, ledger.status);
    }

    /// Keeps a region that is fuller than those before.
    fn note_load(&mut self, name: &str, profile: &Profile, sums: &RegionMeasures) {
        let Some(prims) = sums.total.load.value().filter(|_| !profile.land.holds_land_impact()) else {
            return;
        };
        let fuller = FullestRegion { region: name.to_owned(), prims, capacity: sums.capacity };
        if self.fullest.as_ref().is_none_or(|fullest| fullest.share() < fuller.share()) {
            self.fullest = Some(fuller);
        }
    }

    /// Adds the verdict on loading an input into OpenSimulator, if no target was chosen.
    pub fn add_verdict(&mut self, verdict: Verdict) {
        if self.manifest.opensim_load.is_some() {
            *self.verdicts.entry(verdict).or_default() += 1;
        }
    }

    /// Adds the regions of an input to the overview, or the input if it has none.
    pub fn add_statuses(&mut self, input: &Reported<'_>, whole: &RegionStatus) {
        let ledger = input.measured.ledger;
        for (facts, sums, status) in input.regions_with_statuses() {
            self.add_status(status, || StatusLine::of_region(input, facts, sums, status));
        }
        if ledger.regions.is_empty() {
            self.add_status(whole, || StatusLine::new(&ledger.input, whole));
        }
    }

    fn add_status(&mut self, status: &RegionStatus, line: impl FnOnce() -> StatusLine) {
        self.overview.all += 1;
        if status.needs_nothing() {
            self.overview.need_nothing += 1;
            return;
        }
        let key = worst_first(status.verdict, &status.findings, status.lost);
        self.firsts.regions.offer(key, line);
    }

    /// Adds a dated copy that is not evaluated: an older one, or an incomplete newest one.
    pub fn add_copy(&mut self, ledger: &Ledger, older: bool) {
        self.totals.inputs += 1;
        self.totals.older_copies += u64::from(older);
        self.totals.bytes += ledger.bytes;
        self.add_source(ledger, if older { Status::Superseded } else { ledger.status });
    }

    /// Adds a source of the report with its status: an input, or a store, which is not counted.
    pub fn add_source(&mut self, ledger: &Ledger, status: Status) {
        self.complete &= ledger.status == Status::Complete;
        self.in_two_parts |= self.manifest.opensim_load.is_some() && ledger.kind.is_of_opensim();
        let created = ledger.container.control.as_ref().and_then(|control| control.created);
        self.newest_export = self.newest_export.max(created.filter(|&time| time > 0));
        if !matches!(ledger.status, Status::Complete | Status::NotCovered) {
            self.not_read.push(NotRead { archive: ledger.input.clone(), status: ledger.status });
        }
        self.manifest.inputs.push(InputLine {
            archive: ledger.input.clone(),
            kind: ledger.kind.name().into(),
            bytes: ledger.bytes,
            status,
            content_hash: ledger.content_hash.clone(),
        });
    }

    /// Sets the inputs that are not covered. Each was added by [`Self::add_source`].
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

    /// Adds the shown findings, rule outcomes and actions of an input.
    pub fn add_findings(&mut self, input: &Reported<'_>) {
        // People fix the cost of a simulator last, so only the table has it.
        for listed in input.actions().filter(|listed| listed.urgency != Urgency::Simulator) {
            self.add_action(&input.measured.ledger.input, listed);
        }
        input.all_findings().for_each(|row| self.add_finding(&row));
        input.checks().for_each(|check| self.add_check(check));
    }

    /// Adds the outcome of one rule.
    fn add_check(&mut self, check: &RuleCount) {
        let total = self.checks.entry(check.code).or_default();
        total.passed += check.passed();
        total.failed += check.failed;
        total.waived += check.waived;
        for (&reason, count) in &check.not_evaluated {
            *total.not_evaluated.entry(reason).or_default() += count;
        }
    }

    /// Adds one object.
    fn add_object(&mut self, row: &objects::Row<'_>) {
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
            row.measures.link.current.verdict
                == hullmark_analysis::linkability::current::Verdict::NotLinkable,
        );
        let (Some(root), Some(land_impact)) =
            (row.object.linkset.parts.first(), row.measures.land_impact.value())
        else {
            return;
        };
        // Objects in inventories have no land impact until they are rezzed.
        let key = (row.object.role == Role::Nested, large_first(Some(land_impact)));
        self.firsts.heaviest.offer(key, || ObjectLine {
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
    }

    /// Adds one action.
    fn add_action(&mut self, archive: &str, listed: &ListedAction<'_>) {
        let is_about_limits = listed.finding.is_none_or(|(code, _)| code.is_about_limits());
        let half = &mut self.firsts.actions[usize::from(is_about_limits)];
        half.offer(listed.order, || ActionLine::new(archive, listed));
    }

    /// Adds the losses of an input, with the first users of its missing assets.
    pub fn add_losses(&mut self, losses: Vec<Loss>, firsts: &BTreeMap<&'static str, FirstUse>) {
        for loss in losses {
            let first = firsts.get(loss.kind);
            let same = self.losses.iter_mut().find(|line| line.kind == loss.kind);
            match same {
                Some(line) => {
                    line.lost += loss.lost;
                    line.objects = line.objects.zip(loss.objects).map(|(here, there)| here + there);
                    let most = |first: &FirstUse| first.objects;
                    if first.map(most) > line.first.as_ref().map(most) {
                        line.first = first.cloned();
                    }
                }
                None => {
                    let Loss { kind, lost, objects, .. } = loss;
                    self.losses.push(LossLine { kind: kind.into(), lost, objects, first: first.cloned() });
                }
            }
        }
    }

    /// Adds one finding. Findings of an input come the worst first.
    fn add_finding(&mut self, row: &findings::Row<'_>) {
        if row.reported.waived().is_some() {
            return self.waived.add(row.reported.severity, row.reported.count);
        }
        let findings::Row { reported, .. } = row;
        let (severity, code) = (reported.severity, reported.finding.code);
        self.findings.add(severity, reported.count);
        self.findings_by_code.entry(code).or_default().add(severity, reported.count);
        let (key, line) = (worst_finding(severity, reported.finding.weight), || FindingLine::new(row));
        match self.first.entry(code) {
            Entry::Vacant(first) => _ = first.insert(line()),
            Entry::Occupied(mut first) if key < first.get().worst_first() => _ = first.insert(line()),
            Entry::Occupied(_) => {}
        }
        self.firsts.worst.offer(key, line);
    }

    /// Ends the lists and sets the filter.
    pub fn finish(&mut self, narrowed: Option<AppliedFilter>) {
        self.narrowed = narrowed;
        self.reasons = SkipReason::texts(self.checks.values().flat_map(|check| check.not_evaluated.keys()));
        self.unknown_files.sort_by(|a, b| a.looks_like.cmp(&b.looks_like));
        self.losses.sort_by(|a, b| b.lost.cmp(&a.lost).then_with(|| a.kind.cmp(&b.kind)));
        let Lists { actions: [of_load, of_limits], heaviest, worst, regions } = take(&mut self.firsts);
        self.actions = of_load.into_list();
        self.actions.extend(of_limits.into_list());
        // Stable: equal actions keep their order.
        self.actions.sort_by_key(|line| line.order);
        if !self.in_two_parts {
            self.actions.truncate(self.top);
        }
        self.heaviest = heaviest.into_list();
        self.worst = worst.into_list();
        self.overview.worst = regions.into_list();
    }
}
