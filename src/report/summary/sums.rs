//! What inputs add to a summary: numbers, and the first of each list.
//!
//! Any thread makes the sums of an input. A summary takes them in the order of the inputs.

use super::{
    CheckTotals, FULLEST, FindingLine, FirstUse, FullestRegion, InputLine, LISTED, LossLine, NotRead,
    ObjectLine, Overview, StatusLine, Summary, Totals, UnknownFiles,
    firsts::{Firsts, large_first},
    lines::{ActionLine, RegionFill, WorstFinding, worst_finding},
    overview::{WorstFirst, worst_first},
};
use crate::{
    actions::{ListedAction, Order, Urgency},
    counts::SeverityCounts,
    preflight::{Loss, Verdict},
    region_status::RegionStatus,
    reported::Reported,
    tables::{findings, objects},
};
use hullmark_analysis::{RegionMeasures, linkability};
use hullmark_finding::Code;
use hullmark_ledger::{
    Ledger,
    facts::{RegionFacts, Role, Status},
};
use hullmark_rules::{RuleCount, SkipReason};
use hullmark_settings::profile::Profile;
use hullmark_util::dates_in_names::Seconds;
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
};

/// What inputs add to a summary.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Sums {
    /// Whether the load of inputs has a profile of its own, because no target was chosen.
    has_load: bool,
    is_incomplete: bool,
    in_two_parts: bool,
    totals: Totals,
    verdicts: BTreeMap<Verdict, u64>,
    fullest: Option<FullestRegion>,
    findings: SeverityCounts,
    waived: SeverityCounts,
    findings_by_code: BTreeMap<Code, SeverityCounts>,
    checks: BTreeMap<Code, CheckTotals>,
    /// Number of regions, and of those that need nothing. An input without regions counts as one.
    regions: u64,
    need_nothing: u64,
    /// Losses, each with the number of objects that use the asset of its first use.
    losses: Vec<(LossLine, Option<u64>)>,
    not_read: Vec<NotRead>,
    unknown_files: Vec<UnknownFiles>,
    newest_export: Option<Seconds>,
    inputs: Vec<InputLine>,
    /// The worst finding of each code.
    first: BTreeMap<Code, FindingLine>,
    /// Actions about the load, and those about limits and costs.
    actions: [Firsts<Order, ActionLine>; 2],
    heaviest: Firsts<(bool, Reverse<Option<u64>>), ObjectLine>,
    worst: Firsts<WorstFinding, FindingLine>,
    worst_regions: Firsts<WorstFirst, StatusLine>,
    fullest_regions: Firsts<Reverse<Option<u64>>, RegionFill>,
}

impl Sums {
    /// Creates empty sums with lists of this length.
    pub(super) fn new(top: usize, has_load: bool) -> Self {
        Self {
            has_load,
            actions: [Firsts::new(top), Firsts::new(top)],
            heaviest: Firsts::new(top),
            worst: Firsts::new(top),
            worst_regions: Firsts::new(LISTED),
            fullest_regions: Firsts::new(FULLEST),
            ..Self::default()
        }
    }

    /// Adds the shown things of one input.
    pub fn add(&mut self, input: &Reported<'_>) {
        input.all_objects().for_each(|row| self.add_object(&row));
        self.add_findings(input);
        let ledger = input.measured.ledger;
        for (_, facts, sums) in input.regions() {
            self.note_load(facts, input.measured.profile, sums);
        }
        let totals = &mut self.totals;
        totals.inputs += 1;
        totals.bytes += ledger.bytes;
        totals.regions += input.regions().count() as u64;
        totals.parcels += input.parcels().count() as u64;
        totals.meshes += input.all_meshes().count() as u64;
        totals.hulls += input.all_meshes().map(|row| row.mesh.hulls() as u64).sum::<u64>();
        for file in &ledger.unknown {
            self.add_unknown(UnknownFiles { looks_like: file.looks_like.clone(), files: file.files() });
        }
        self.add_source(ledger, ledger.status);
    }

    /// Adds how full a region is.
    fn note_load(&mut self, facts: &RegionFacts, profile: &Profile, sums: &RegionMeasures) {
        let Some(load) = sums.total.load.value() else { return };
        let fill = || RegionFill { region: facts.name.clone(), load, capacity: sums.capacity };
        if !facts.objects_unread && sums.capacity > 0.0 {
            self.fullest_regions.offer(large_first(Some(load / sums.capacity)), fill);
        }
        if !profile.land.holds_land_impact() {
            let RegionFill { region, load: prims, capacity } = fill();
            self.keep_fullest(FullestRegion { region, prims, capacity });
        }
    }

    /// Adds the verdict on loading an input into OpenSimulator, if no target was chosen.
    pub fn add_verdict(&mut self, verdict: Verdict) {
        if self.has_load {
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
        self.regions += 1;
        if status.needs_nothing() {
            self.need_nothing += 1;
            return;
        }
        let key = worst_first(status.verdict, &status.findings, status.lost);
        self.worst_regions.offer(key, line);
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
        self.is_incomplete |= ledger.status != Status::Complete;
        self.in_two_parts |= self.has_load && ledger.kind.is_of_opensim();
        let created = ledger.container.control.as_ref().and_then(|control| control.created);
        self.newest_export = self.newest_export.max(created.filter(|&time| time > 0));
        if !matches!(ledger.status, Status::Complete | Status::NotCovered) {
            self.not_read.push(NotRead { archive: ledger.input.clone(), status: ledger.status });
        }
        self.inputs.push(InputLine {
            archive: ledger.input.clone(),
            kind: ledger.kind.name().into(),
            bytes: ledger.bytes,
            status,
            content_hash: ledger.content_hash.clone(),
        });
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
        let RuleCount { failed, waived, ref not_evaluated, .. } = *check;
        let not_evaluated = not_evaluated.iter().map(|(&reason, &count)| (reason, count)).collect();
        let totals = CheckTotals { passed: check.passed(), failed, waived, not_evaluated };
        self.checks.entry(check.code).or_default().add(&totals);
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
        totals.not_linkable +=
            u64::from(row.measures.link.current.verdict == linkability::current::Verdict::NotLinkable);
        let (Some(root), Some(land_impact)) =
            (row.object.linkset.parts.first(), row.measures.land_impact.value())
        else {
            return;
        };
        // Objects in inventories have no land impact until they are rezzed.
        let key = (row.object.role == Role::Nested, large_first(Some(land_impact)));
        self.heaviest.offer(key, || ObjectLine {
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
        let half = &mut self.actions[usize::from(is_about_limits)];
        half.offer(listed.order, || ActionLine::new(archive, listed));
    }

    /// Adds the losses of an input, with the first users of its missing assets.
    pub fn add_losses(&mut self, losses: Vec<Loss>, firsts: &BTreeMap<&'static str, (FirstUse, u64)>) {
        for Loss { kind, lost, objects, .. } in losses {
            let (first, users) = firsts.get(kind).cloned().unzip();
            self.add_loss(LossLine { kind: kind.into(), lost, objects, first }, users);
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
        self.keep_worst(code, key, line);
        self.worst.offer(key, line);
    }

    /// Notes an earlier run that should be compared and is gone.
    pub fn add_gone(&mut self, path: &str) {
        self.is_incomplete = true;
        self.not_read.push(NotRead { archive: path.to_owned(), status: Status::Unreadable });
    }

    /// Returns the inputs that lists name.
    pub(crate) fn named(&self) -> BTreeSet<String> {
        let actions = self.actions.iter().flat_map(|half| half.things().map(|line| &line.archive));
        let findings = self.worst.things().chain(self.first.values()).map(|line| &line.archive);
        let regions = self.worst_regions.things().map(|line| &line.archive);
        let heaviest = self.heaviest.things().map(|line| &line.archive);
        actions.chain(findings).chain(regions).chain(heaviest).cloned().collect()
    }

    /// Whether every input so far was read to its end.
    pub fn is_complete(&self) -> bool {
        !self.is_incomplete
    }

    /// Joins the sums of the next inputs to these.
    pub fn join(&mut self, next: Self) {
        self.has_load |= next.has_load;
        self.is_incomplete |= next.is_incomplete;
        self.in_two_parts |= next.in_two_parts;
        self.totals.add(&next.totals);
        self.findings.add_all(&next.findings);
        self.waived.add_all(&next.waived);
        self.regions += next.regions;
        self.need_nothing += next.need_nothing;
        self.newest_export = self.newest_export.max(next.newest_export);
        self.not_read.extend(next.not_read);
        self.inputs.extend(next.inputs);
        for (verdict, inputs) in next.verdicts {
            *self.verdicts.entry(verdict).or_default() += inputs;
        }
        for (code, counts) in next.findings_by_code {
            self.findings_by_code.entry(code).or_default().add_all(&counts);
        }
        for (code, check) in next.checks {
            self.checks.entry(code).or_default().add(&check);
        }
        next.fullest.into_iter().for_each(|fullest| self.keep_fullest(fullest));
        next.losses.into_iter().for_each(|(loss, users)| self.add_loss(loss, users));
        next.unknown_files.into_iter().for_each(|files| self.add_unknown(files));
        for (code, line) in next.first {
            self.keep_worst(code, line.worst_first(), || line);
        }
        for (half, more) in self.actions.iter_mut().zip(next.actions) {
            half.join(more);
        }
        self.heaviest.join(next.heaviest);
        self.worst.join(next.worst);
        self.worst_regions.join(next.worst_regions);
        self.fullest_regions.join(next.fullest_regions);
    }

    /// Keeps a region that is fuller than those before.
    fn keep_fullest(&mut self, fuller: FullestRegion) {
        if self.fullest.as_ref().is_none_or(|fullest| fullest.share() < fuller.share()) {
            self.fullest = Some(fuller);
        }
    }

    fn add_loss(&mut self, loss: LossLine, users: Option<u64>) {
        match self.losses.iter_mut().find(|(line, _)| line.kind == loss.kind) {
            Some((line, most)) => {
                line.lost += loss.lost;
                line.objects = line.objects.zip(loss.objects).map(|(here, there)| here + there);
                if users > *most {
                    (line.first, *most) = (loss.first, users);
                }
            }
            None => self.losses.push((loss, users)),
        }
    }

    fn add_unknown(&mut self, more: UnknownFiles) {
        match self.unknown_files.iter_mut().find(|known| known.looks_like == more.looks_like) {
            Some(known) => known.files += more.files,
            None => self.unknown_files.push(more),
        }
    }

    /// Keeps a finding that is worse than those of its rule before.
    fn keep_worst(&mut self, code: Code, key: WorstFinding, line: impl FnOnce() -> FindingLine) {
        match self.first.entry(code) {
            Entry::Vacant(first) => _ = first.insert(line()),
            Entry::Occupied(mut first) if key < first.get().worst_first() => _ = first.insert(line()),
            Entry::Occupied(_) => {}
        }
    }

    /// Ends the lists of a summary, with `top` lines in each.
    pub(super) fn finish(self, summary: &mut Summary, top: usize) {
        let Self { losses, mut unknown_files, actions: [of_load, of_limits], .. } = self;
        let mut losses: Vec<LossLine> = losses.into_iter().map(|(loss, _)| loss).collect();
        losses.sort_by(|a, b| b.lost.cmp(&a.lost).then_with(|| a.kind.cmp(&b.kind)));
        unknown_files.sort_by(|a, b| a.looks_like.cmp(&b.looks_like));
        let mut actions = of_load.into_keyed();
        actions.extend(of_limits.into_keyed());
        // Stable: equal actions keep their order.
        actions.sort_by_key(|(order, _)| *order);
        let mut actions: Vec<ActionLine> = actions.into_iter().map(|(_, line)| line).collect();
        if !self.in_two_parts {
            actions.truncate(top);
        }
        summary.complete = !self.is_incomplete;
        summary.in_two_parts = self.in_two_parts;
        summary.totals = self.totals;
        summary.verdicts = self.verdicts;
        summary.fullest = self.fullest;
        summary.findings = self.findings;
        summary.waived = self.waived;
        summary.findings_by_code = self.findings_by_code;
        summary.reasons =
            SkipReason::texts(self.checks.values().flat_map(|check| check.not_evaluated.keys()));
        summary.checks = self.checks;
        summary.overview = Overview {
            all: self.regions,
            need_nothing: self.need_nothing,
            worst: self.worst_regions.into_list(),
        };
        summary.actions = actions;
        summary.heaviest = self.heaviest.into_list();
        summary.losses = losses;
        summary.worst = self.worst.into_list();
        summary.first = self.first;
        summary.not_read = self.not_read;
        summary.unknown_files = unknown_files;
        summary.manifest.inputs = self.inputs;
        summary.newest_export = self.newest_export;
        summary.fullest_regions = self.fullest_regions.into_list();
    }
}
