//! The verdict before a move, and what gets lost: all findings of some archives on one page, grouped by the effect of the move.
//!
//! A page has one item for each rule. Single objects are in the report of `audit`.

mod html;
mod losses;
mod text;
mod unproved;
mod users;

use crate::{
    Evaluated, Evaluator, ReportError, ReportedFinding, ReportedFindings,
    counts::SeverityCounts,
    screen::Part,
    summary::{StatusLine, worst_first},
};
pub use html::html;
use hullmark_analysis::{LandMeasures, Measured, ParcelMeasures, RegionMeasures};
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{RegionFacts, Role, Status},
};
use hullmark_rules::{
    SkipReason,
    catalogue::{self, Effect, Reader, Rule},
    cross_input::CrossInput,
    history::{Copies, Rank},
    waivers::{Uses, Waiver, Waivers},
};
use hullmark_settings::profile::{Grid, OPENSIM_LOAD, Profile, Simulator};
use hullmark_util::named;
pub use losses::{Lacking, Loss, is_broken_asset};
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    iter,
};
pub use text::{text, unproved, verdict};
use uuid::Uuid;

/// Version of the layout of the page as JSON.
const FORMAT: u32 = 1;

/// Maximum number of examples of an item.
const PLACES: usize = 5;

named! {
    /// The verdict on a move, the best first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// No blocker and no loss, and everything was read.
        Go = "go",
        /// No blocker and no loss was found, but a check that can find one was not evaluated.
        GoAsFarAsRead = "go-as-far-as-read",
        /// No blocker, and everything was read, but some content does not arrive or cannot be used.
        GoWithLosses = "go-with-losses",
        /// A blocker, or an input that was not fully read.
        NoGo = "no-go",
    }
}

impl Verdict {
    /// Returns the verdict on the move of an input with these losses. An input that is incomplete or has nothing to move
    /// is a no-go, regardless of the selected rules. `with_stores`: `--assets` named a folder.
    pub fn of(
        measured: &Measured<'_>,
        reported: &ReportedFindings<'_>,
        losses: &[Loss],
        with_stores: bool,
    ) -> Self {
        let ledger = measured.ledger;
        let is_blocked = is_blocked(reported);
        let is_unsure = ledger.status != Status::Complete || has_nothing_known(ledger);
        let is_lossy = !losses.is_empty() || !with_stores && losses::is_without_assets(reported);
        let is_proved =
            || unproved::unproved(reported).is_empty() && losses::not_looked_for(measured).is_empty();
        match (is_blocked || is_unsure, is_lossy) {
            (true, _) => Self::NoGo,
            (false, true) => Self::GoWithLosses,
            (false, false) if is_proved() => Self::Go,
            (false, false) => Self::GoAsFarAsRead,
        }
    }

    /// Like [`Verdict::of`]. `None` for loose files, which nobody loads together, unless one blocks the move.
    pub fn of_input(
        measured: &Measured<'_>,
        reported: &ReportedFindings<'_>,
        losses: &[Loss],
        with_stores: bool,
    ) -> Option<Self> {
        let is_loaded = measured.ledger.kind != InputKind::Folder || is_blocked(reported);
        is_loaded.then(|| Self::of(measured, reported, losses, with_stores))
    }

    /// Returns the verdict as people read it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Go => "GO",
            Self::GoAsFarAsRead => "GO, AS FAR AS IT WAS READ",
            Self::GoWithLosses => "GO WITH LOSSES",
            Self::NoGo => "NO-GO",
        }
    }
}

/// Whether a finding blocks the move.
fn is_blocked(reported: &ReportedFindings<'_>) -> bool {
    reported.findings.iter().any(|row| row.severity == Severity::Blocker && row.waived().is_none())
}

/// The page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Page {
    /// Version of this layout.
    pub format: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// The name of the target's profile.
    pub target: String,
    /// Description of the target.
    pub target_description: String,
    /// The version of OpenSimulator whose loader the verdict assumes.
    pub simulator: Simulator,
    /// The archives to move.
    pub archives: Vec<Archive>,
    /// Number of older dated copies that were not evaluated.
    pub older_copies: usize,
    /// Content that the target will not have or cannot use, by archive and kind.
    pub losses: Vec<Loss>,
    /// The assets in use that the target will not have.
    #[serde(skip)]
    pub missing: BTreeSet<Uuid>,
    /// Checks that can find a loss or a blocker and were not evaluated.
    pub unproved: Vec<NotEvaluated>,
    /// Blockers.
    pub blockers: Vec<Item>,
    /// Number of errors. Without a chosen target, findings of the published rules do not count here and below.
    pub errors: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Other findings by effect of the move, the worst first. All effects are listed, even empty ones. Without a chosen
    /// target, the published rules come last.
    pub sections: Vec<Section>,
    /// Waived findings. They are not counted above.
    pub waived: Vec<Waived>,
    /// Rules that could not be evaluated for all subjects.
    pub not_evaluated: Vec<NotEvaluated>,
    /// Text of each reason in `not_evaluated`, to follow "because".
    pub reasons: BTreeMap<SkipReason, String>,
    /// Number of rules that were evaluated for all subjects and found nothing.
    pub passed: usize,
}

/// An archive to move.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Archive {
    /// Its path.
    pub path: String,
    /// Its file name, or its path if several archives have the same file name.
    pub name: String,
    /// The verdict on its move.
    pub verdict: Verdict,
    /// Number of its findings. Without a chosen target, those of the published rules do not count.
    pub findings: SeverityCounts,
    /// Rule of the worst of them.
    pub worst: Option<Code>,
    /// Number of items that will be lost.
    pub lost: u64,
    /// Whether it contains no assets, and no folder of `--assets` has them.
    pub without_assets: bool,
    /// Numbers of assets in use that were not looked for, by kind: a database without a table of assets.
    pub assets_not_looked_for: BTreeMap<&'static str, u64>,
    /// Its kind.
    pub kind: String,
    /// How far it was read.
    pub status: Status,
    /// Whether it has nothing of a known kind to evaluate.
    pub nothing_known: bool,
    /// Size on disk, bytes.
    pub bytes: u64,
    /// Whether it may have more objects, in a table that is missing.
    pub objects_unread: bool,
    /// Number of linksets, without those in inventories.
    pub objects: usize,
    /// Number of their prims.
    pub parts: usize,
    /// Number of linksets in inventories.
    pub nested_objects: usize,
    /// Number of assets of all types.
    pub assets: u64,
    /// Its regions.
    pub regions: Vec<Region>,
}

/// A region with its load and capacity on the target.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its sides, metres.
    pub size_m: [u32; 2],
    /// Number of linksets.
    pub objects: u64,
    /// Number of scripts; absent if it is unknown.
    pub scripts: Option<u64>,
    /// Unit of load and capacity: `land impact` or `prims`.
    pub counted: &'static str,
    /// Its load; absent if unknown.
    pub load: Option<f64>,
    /// Its capacity.
    pub capacity: f64,
    /// Number of parcels.
    pub parcels: usize,
    /// Number of parcels over their capacity.
    pub parcels_over: usize,
}

/// Findings with one effect of the move, or those of the published rules.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section {
    /// The effect. Absent for the published rules, which no move to OpenSimulator applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The heading.
    pub title: &'static str,
    /// The items, the worst first.
    pub items: Vec<Item>,
}

/// All findings of one rule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Item {
    /// The worst severity of its findings for the target.
    pub severity: Severity,
    /// Number of findings.
    pub count: u64,
    /// The greatest weight of its findings, as in the column `weight` of `findings`.
    pub weight: f64,
    /// The rule's page.
    #[serde(flatten)]
    pub rule: &'static Rule,
    /// Advice for this target.
    pub advice: &'static str,
    /// Behaviour of the target's engines.
    #[serde(skip)]
    engines: String,
    /// Effect of this move.
    #[serde(skip)]
    move_effect: Effect,
    /// Whether it is a published rule, and the grid that loads does not apply it.
    #[serde(skip)]
    is_of_published_rule: bool,
    /// The worst findings.
    pub examples: Vec<Example>,
}

/// Returns the effect of the move on findings of a rule. Old faults of a mesh change nothing between two OpenSimulators,
/// which build the same shape from it.
fn move_effect(measured: &Measured<'_>, code: Code) -> Effect {
    let are_opensim = iter::once(measured.profile.limits())
        .chain(measured.others.iter().map(|other| other.named.profile.limits()))
        .all(|grid| grid == Grid::OpenSim);
    match code {
        Code::HUL005 | Code::HUL009 | Code::MSH010 if are_opensim => Effect::Note,
        _ => catalogue::rule(code).effect,
    }
}

fn is_published_rule(profile: &Profile, code: Code) -> bool {
    profile.is_in_two_parts() && code.is_about_limits()
}

/// Findings of one rule that one waiver covers.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waived {
    /// Severity for the target without the waiver.
    pub severity: Severity,
    /// Code of the rule.
    pub code: Code,
    /// Title of the rule.
    pub title: &'static str,
    /// Number of findings.
    pub count: u64,
    /// Last day of the waiver.
    pub until: String,
    /// Person responsible for the waiver.
    pub by: String,
    /// Reason of the waiver.
    pub because: String,
    /// The first findings.
    pub examples: Vec<Example>,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Example {
    /// Message of the finding.
    #[serde(rename = "found")]
    pub message: String,
    /// Path of its input.
    pub archive: String,
    /// Member of the archive, or file.
    pub entry: String,
    /// Name of the object, if the finding is about one.
    pub object_name: Option<String>,
    /// Position of the object, metres, if it is rezzed.
    pub position_m: Option<[f64; 3]>,
    /// Number of findings in the row.
    pub count: u64,
    /// Severity and weight, to keep the worst examples.
    #[serde(skip)]
    order: (Severity, f64),
}

/// A rule that could not be evaluated for all subjects.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotEvaluated {
    /// Code of the rule.
    pub code: Code,
    /// Title of the rule.
    pub title: &'static str,
    /// Number of subjects by reason.
    pub because: BTreeMap<SkipReason, u64>,
}

/// Creates the page for some inputs and stores. `target` is the name of the target's profile, if one was chosen. Further profiles are
/// those of the source grid, and differences from them are reported. Of dated copies, only the newest complete one is
/// evaluated.
///
/// # Errors
/// An input cannot be read.
pub fn page(
    inputs: Vec<Ledger>,
    stores: &[Ledger],
    target: &str,
    evaluator: Evaluator<'_>,
    waivers: &Waivers,
    copies: &Copies,
) -> Result<Page, ReportError> {
    let of_opensim = inputs.iter().find(|ledger| ledger.kind.is_of_opensim());
    let profile = of_opensim.map_or(evaluator.profile, |ledger| evaluator.profile_of(ledger));
    let target = if profile.is_in_two_parts() { OPENSIM_LOAD } else { target };
    let (inputs, aside): (Vec<_>, Vec<_>) =
        inputs.into_iter().partition(|ledger| copies.is_evaluated(&ledger.input));
    let (mut found, mut uses) = (Found::default(), Uses::new(waivers));
    let mut across = CrossInput::default();
    across.expect_regions(evaluator.regions);
    let shared = (&mut across, (&mut found, &mut uses));
    // These inputs are in memory already.
    let inputs = inputs.into_iter().map(|ledger| (ledger, 0)).collect();
    evaluator.each(inputs, Ok, stores, None, shared, |measured, evaluated, turn| {
        let reported = ReportedFindings::new(measured, evaluated, waivers);
        let Some(mut shared) = turn.take() else { return Ok(()) };
        let (found, uses) = &mut *shared;
        reported.note_uses(uses);
        found.add_archive(measured, &reported, !stores.is_empty());
        Ok(())
    })?;
    for ledger in &aside {
        let rank = copies.rank_of(&ledger.input);
        if let Rank::Superseded { .. } = rank {
            found.older_copies += 1;
            continue;
        }
        // The newest copy is not complete: a reason not to move, regardless of the evaluated copy.
        let measured = Measured::new(ledger, evaluator.profile_of(ledger));
        let evaluated = Evaluated::aside(&measured, rank);
        let reported = ReportedFindings::new(&measured, &evaluated, waivers);
        reported.note_uses(&mut uses);
        found.add_archive(&measured, &reported, !stores.is_empty());
    }
    // A page covers a few archives: unused waivers may apply to others, so only expired ones are reported.
    let run = Ledger::of_run();
    let measured = Measured::new(&run, profile);
    let mut outcomes = uses.evaluate(profile, false).keeping(|finding| finding.measured > Some(0.0));
    let (of_regions, listed) = across.finish_regions(true);
    if profile.selects(Code::DBS015) {
        outcomes.add(of_regions);
    }
    let subjects = [(Code::DBS015, listed)];
    let subjects = if listed > 0 { &subjects[..] } else { &[] };
    let evaluated = Evaluated::of_run(&measured, subjects, outcomes);
    found.add(&measured, &ReportedFindings::new(&measured, &evaluated, waivers));
    Ok(found.page(target, profile))
}

/// The page under construction.
#[derive(Default)]
struct Found {
    archives: Vec<Archive>,
    older_copies: usize,
    losses: Vec<Loss>,
    missing: BTreeSet<Uuid>,
    items: BTreeMap<Code, Item>,
    counts: SeverityCounts,
    waived: Vec<Waived>,
    checks: Checks,
    unproved: Checks,
}

/// Numbers of subjects that were not evaluated, by rule and reason.
type Checks = BTreeMap<Code, BTreeMap<SkipReason, u64>>;

impl Found {
    /// Adds an archive with its verdict. `with_stores`: `--assets` named a folder.
    fn add_archive(&mut self, measured: &Measured<'_>, reported: &ReportedFindings<'_>, with_stores: bool) {
        let lacking = Lacking::of(measured, reported);
        let losses = lacking.losses(measured, with_stores);
        let lost = lacking.assets.iter().filter(|(_, (_, is_lost))| *is_lost);
        self.missing.extend(lost.map(|(asset, _)| asset));
        let verdict = Verdict::of(measured, reported, &losses, with_stores);
        let without_assets = !with_stores && losses::is_without_assets(reported);
        for (code, reason, count) in unproved::unproved(reported) {
            *self.unproved.entry(code).or_default().entry(reason).or_default() += count;
        }
        let lost = losses.iter().map(|loss| loss.lost).sum();
        let counting = reported.findings.iter().filter(|row| row.waived().is_none());
        let mut counting =
            counting.filter(|row| !is_published_rule(measured.profile, row.finding.code)).peekable();
        // The worst finding is the first.
        let worst = counting.peek().map(|row| row.finding.code);
        let mut findings = SeverityCounts::default();
        counting.for_each(|row| findings.add(row.severity, row.count));
        let archive = Archive::new(measured);
        self.archives.push(Archive { verdict, findings, worst, lost, without_assets, ..archive });
        self.losses.extend(losses);
        self.add(measured, reported);
    }

    fn add(&mut self, measured: &Measured<'_>, reported: &ReportedFindings<'_>) {
        for row in &reported.findings {
            let code = row.finding.code;
            if let Some(waiver) = row.waived() {
                self.waive(measured, row, waiver);
                continue;
            }
            let item = self.items.entry(code).or_insert_with(|| Item {
                severity: row.severity,
                count: 0,
                weight: 0.0,
                rule: catalogue::rule(code),
                advice: catalogue::advice(row.finding, Reader::Operator, measured.profile),
                engines: catalogue::engines_of(code, measured.profile),
                move_effect: move_effect(measured, code),
                is_of_published_rule: is_published_rule(measured.profile, code),
                examples: Vec::new(),
            });
            item.severity = item.severity.max(row.severity);
            item.count += row.count;
            item.weight = item.weight.max(row.finding.weight);
            item.add_example(measured, row);
            if !is_published_rule(measured.profile, code) {
                self.counts.add(row.severity, row.count);
            }
        }
        for check in &reported.checks {
            let reasons = self.checks.entry(check.code).or_default();
            for (&reason, count) in &check.not_evaluated {
                *reasons.entry(reason).or_default() += count;
            }
        }
    }

    /// Adds a waived finding to those of the same waiver and rule.
    fn waive(&mut self, measured: &Measured<'_>, row: &ReportedFinding<'_>, waiver: &Waiver) {
        let code = row.finding.code;
        let same = |waived: &&mut Waived| {
            (waived.code, &*waived.until, &waived.by, &waived.because)
                == (code, waiver.until(), &waiver.who, &waiver.reason)
        };
        let waived = match self.waived.iter_mut().find(same) {
            Some(waived) => waived,
            None => self.waived.push_mut(Waived {
                severity: row.severity,
                code,
                title: catalogue::rule(code).title,
                count: 0,
                until: waiver.until().into(),
                by: waiver.who.clone(),
                because: waiver.reason.clone(),
                examples: Vec::new(),
            }),
        };
        waived.count += row.count;
        if waived.examples.len() < PLACES {
            waived.examples.push(Example::new(measured, row));
        }
    }

    fn page(self, target: &str, profile: &Profile) -> Page {
        let Self {
            mut archives,
            older_copies,
            losses,
            missing,
            mut items,
            counts,
            mut waived,
            checks,
            unproved,
        } = self;
        name_archives(&mut archives);
        // Stable: archives with equal status keep their order.
        archives.sort_by_key(|archive| worst_first(Some(archive.verdict), &archive.findings, archive.lost));
        waived.sort_by_key(|waived| (Reverse(waived.severity), waived.code));
        let found =
            |code: &Code| items.contains_key(code) || waived.iter().any(|waived| waived.code == *code);
        let evaluated = |code: &Code, reasons: &BTreeMap<SkipReason, u64>| reasons.is_empty() && !found(code);
        let passed = checks.iter().filter(|(code, reasons)| evaluated(code, reasons)).count();
        let [not_evaluated, unproved] = [checks, unproved].map(|checks| {
            let checks = checks.into_iter().filter(|(_, reasons)| !reasons.is_empty());
            let line = |(code, because)| NotEvaluated { code, title: catalogue::rule(code).title, because };
            checks.map(line).collect::<Vec<_>>()
        });
        let reasons = SkipReason::texts(not_evaluated.iter().flat_map(|rule| rule.because.keys()));
        // The list of rules that were not evaluated has the same facts.
        items.remove(&Code::RUN003);
        let mut items: Vec<Item> = items.into_values().collect();
        items.sort_by(|a, b| {
            let worst = b.severity.cmp(&a.severity).then_with(|| b.weight.total_cmp(&a.weight));
            worst.then_with(|| a.rule.code.cmp(b.rule.code))
        });
        let [errors, warnings] = [Severity::Error, Severity::Warning].map(|severity| counts.get(severity));
        let blockers = items.extract_if(.., |item| item.severity == Severity::Blocker).collect::<Vec<_>>();
        let published: Vec<Item> = items.extract_if(.., |item| item.is_of_published_rule).collect();
        let section = |effect| {
            let items = items.extract_if(.., |item| item.move_effect == effect).collect();
            Section { effect: Some(effect), title: effect.name(), items }
        };
        let mut sections: Vec<Section> = Effect::ALL.into_iter().map(section).collect();
        if profile.is_in_two_parts() {
            sections.push(Section { effect: None, title: Part::Limits.title(), items: published });
        }
        let worst = archives.iter().map(|archive| archive.verdict).max();
        let verdict = worst.filter(|_| blockers.is_empty()).unwrap_or(Verdict::NoGo);
        Page {
            format: FORMAT,
            verdict,
            target: target.into(),
            target_description: profile.target_of(Code::ARC001).into(),
            simulator: profile.simulator,
            archives,
            older_copies,
            losses,
            missing,
            unproved,
            blockers,
            errors,
            warnings,
            sections,
            waived,
            not_evaluated,
            reasons,
            passed,
        }
    }
}

impl Item {
    /// Adds an example and keeps the worst ones. Of equal examples, the first are kept.
    fn add_example(&mut self, measured: &Measured<'_>, row: &ReportedFinding<'_>) {
        let order = (row.severity, row.finding.weight);
        if self.examples.len() == PLACES && self.examples.last().is_some_and(|last| last.order >= order) {
            return;
        }
        self.examples.push(Example::new(measured, row));
        self.examples.sort_by(|Example { order: (a, x), .. }, Example { order: (b, y), .. }| {
            b.cmp(a).then_with(|| y.total_cmp(x))
        });
        self.examples.truncate(PLACES);
    }
}

impl Archive {
    fn new(measured: &Measured<'_>) -> Self {
        let ledger = measured.ledger;
        let outside = || ledger.objects.iter().filter(|object| object.role != Role::Nested);
        Self {
            path: ledger.input.clone(),
            name: String::new(),
            verdict: Verdict::NoGo,
            findings: SeverityCounts::default(),
            worst: None,
            lost: 0,
            without_assets: false,
            assets_not_looked_for: losses::not_looked_for(measured),
            kind: ledger.kind.name().into(),
            status: ledger.status,
            nothing_known: has_nothing_known(ledger),
            bytes: ledger.bytes,
            objects_unread: hullmark_rules::families::database::has_unread_objects(ledger),
            objects: outside().count(),
            parts: outside().map(|object| object.linkset.parts.len()).sum(),
            nested_objects: ledger.objects.len() - outside().count(),
            assets: ledger.container.assets.values().sum(),
            regions: Region::all(measured),
        }
    }
}

/// Whether an input has nothing of a known kind to evaluate.
pub fn has_nothing_known(ledger: &Ledger) -> bool {
    ledger.objects.is_empty()
        && ledger.meshes.is_empty()
        && ledger.assets.is_empty()
        && ledger.regions.is_empty()
}

/// Names archives by their file names, where these are unique.
fn name_archives(archives: &mut [Archive]) {
    let file_name = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for archive in &*archives {
        *uses.entry(file_name(&archive.path)).or_default() += 1;
    }
    for archive in archives {
        let name = file_name(&archive.path);
        archive.name = if uses[&name] == 1 && !name.is_empty() { name } else { archive.path.clone() };
    }
}

impl Page {
    /// Whether every check that can find a loss was evaluated.
    pub fn is_proved(&self) -> bool {
        self.unproved.is_empty()
            && self.archives.iter().all(|archive| archive.assets_not_looked_for.is_empty())
    }

    /// Returns a line for each archive that needs attention, the worst first, and the names of the others.
    fn overview(&self) -> (Vec<StatusLine>, Vec<&str>) {
        let (mut lines, mut others) = (Vec::new(), Vec::new());
        for archive in self.archives.iter().filter(|_| self.archives.len() > 1) {
            let line = StatusLine::of_archive(archive);
            if line.needs_nothing {
                others.push(archive.name.as_str());
            } else {
                lines.push(line);
            }
        }
        (lines, others)
    }

    /// Returns the name of an archive, to begin a line. `None` if the page is about a single archive.
    fn name_of(&self, path: &str) -> Option<&str> {
        let named = self.archives.iter().find(|archive| archive.path == path);
        named.filter(|_| self.archives.len() > 1).map(|archive| archive.name.as_str())
    }
}

impl Region {
    fn all(measured: &Measured<'_>) -> Vec<Self> {
        let regions = measured.ledger.regions.iter().zip(&measured.regions);
        let region = |(facts, region): (&RegionFacts, &RegionMeasures)| {
            let load = |total: &LandMeasures| total.load.value().filter(|_| !facts.objects_unread);
            let over = |parcel: &&ParcelMeasures| {
                load(&parcel.total).zip(parcel.capacity).is_some_and(|(load, capacity)| load > capacity)
            };
            Self {
                name: facts.name.clone(),
                size_m: facts.size,
                objects: region.total.objects,
                scripts: region.total.scripts,
                counted: measured.profile.land.counted.name(),
                load: load(&region.total),
                capacity: region.capacity,
                parcels: region.parcels.len(),
                parcels_over: region.parcels.iter().filter(over).count(),
            }
        };
        regions.map(region).collect()
    }
}

impl Example {
    fn new(measured: &Measured<'_>, row: &ReportedFinding<'_>) -> Self {
        let place = &row.finding.place;
        let object = row.object.and_then(|object| Some((object.role, object.linkset.parts.first()?)));
        let position = object.filter(|(role, _)| *role == Role::Rezzed).map(|(_, root)| root.group_position);
        Self {
            message: catalogue::message(row.finding),
            archive: measured.ledger.input.clone(),
            entry: place.entry.clone(),
            object_name: object.map(|(_, root)| root.name.clone()),
            position_m: position.filter(|position| position.is_finite()).map(|position| position.to_array()),
            count: row.count,
            order: (row.severity, row.finding.weight),
        }
    }
}
