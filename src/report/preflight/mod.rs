//! Go or no-go before a move: all that is found in some archives, on one page, by what the move makes of it.
//!
//! A page has one item for each rule, however many findings there are: an operator decides by kinds, and looks at
//! single objects in the report.

mod html;
mod text;

use crate::{
    analysis::{LandMeasures, Measured, ParcelMeasures, RegionMeasures},
    finding::{Code, Severity},
    ledger::{
        Ledger,
        facts::{RegionFacts, Role, Status},
    },
    report::{Evaluated, Evaluator, ReportError, ReportedFinding, ReportedFindings},
    rules::{
        SkipReason,
        catalogue::{self, Effect, Rule},
        cross_input::CrossInput,
        history::{Copies, Rank},
        waivers::{Uses, Waiver, Waivers},
    },
    settings::profile::{LandModel, Profile},
    util::named,
};
pub use html::html;
use serde::Serialize;
use std::{cmp::Reverse, collections::BTreeMap};
pub use text::{text, verdict};

/// Version of the layout of the page as JSON.
const FORMAT: u32 = 1;

/// Places that an item names.
const PLACES: usize = 5;

named! {
    /// Whether to move.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// No blocker was found.
        Go = "go",
        /// The target would refuse or lose something that blocks.
        NoGo = "no-go",
    }
}

/// The page.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Page {
    /// Version of this layout.
    pub format: u32,
    /// Whether to move.
    pub verdict: Verdict,
    /// The name of the target's profile.
    pub target: String,
    /// The target in words.
    pub target_description: String,
    /// What is to be moved.
    pub archives: Vec<Archive>,
    /// How many older dated copies of these there are, which nobody judged.
    pub older_copies: usize,
    /// What stops the move.
    pub blockers: Vec<Item>,
    /// How many errors there are.
    pub errors: u64,
    /// How many warnings.
    pub warnings: u64,
    /// All else, by what the move makes of it, the worst first. Each effect is there, be it empty.
    pub sections: Vec<Section>,
    /// What is waived, so that it counts nowhere above.
    pub waived: Vec<Waived>,
    /// Rules that could not be evaluated everywhere.
    pub not_evaluated: Vec<NotEvaluated>,
    /// How many rules found nothing, of those that were evaluated everywhere.
    pub passed: usize,
}

/// An archive that is to be moved.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Archive {
    /// Its path.
    pub path: String,
    /// What it is.
    pub kind: String,
    /// How far it was read.
    pub status: Status,
    /// Whether nothing in it is of a kind that is known, so that nothing could be judged.
    pub nothing_known: bool,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Linksets, those in inventories left out.
    pub objects: usize,
    /// Their prims.
    pub parts: usize,
    /// Linksets in inventories.
    pub nested_objects: usize,
    /// Assets of all kinds.
    pub assets: u64,
    /// Its regions.
    pub regions: Vec<Region>,
}

/// A region, against what the target lets a region hold.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its sides, metres.
    pub size_m: [u32; 2],
    /// Linksets.
    pub objects: u64,
    /// Scripts in contents.
    pub scripts: u64,
    /// What its capacity counts: `land impact` or `prims`.
    pub counted: &'static str,
    /// How much of that there is; absent where it is not known.
    pub load: Option<f64>,
    /// How much may be.
    pub capacity: f64,
    /// Parcels, and how many of them hold more than their share.
    pub parcels: usize,
    /// Of those, how many hold more than their share.
    pub parcels_over: usize,
}

/// What a move makes of something.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Section {
    /// What it makes of it.
    pub effect: Effect,
    /// The same as a heading.
    pub title: &'static str,
    /// What is concerned, the worst first.
    pub items: Vec<Item>,
}

/// All findings of one rule.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Item {
    /// How bad it is for the target.
    pub severity: Severity,
    /// How many findings there are.
    pub count: u64,
    /// The rule's page.
    #[serde(flatten)]
    pub rule: &'static Rule,
    /// What to do about it, if the target is this grid.
    pub advice: &'static str,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// Findings of one rule that one waiver covers.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Waived {
    /// How bad it would be for the target.
    pub severity: Severity,
    /// The rule.
    pub code: Code,
    /// What it is about.
    pub title: &'static str,
    /// How many findings there are.
    pub count: u64,
    /// Until when they are waived.
    pub until: String,
    /// Who answers for that.
    pub by: String,
    /// Why.
    pub because: String,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Example {
    /// What was found.
    #[serde(rename = "found")]
    pub message: String,
    /// Path of its input.
    pub archive: String,
    /// Member of the archive, or file.
    pub entry: String,
    /// Name of the object, where it is about one.
    pub object_name: Option<String>,
    /// Where that stands, metres.
    pub position_m: Option<[f64; 3]>,
    /// How many findings it stands for.
    pub count: u64,
}

/// A rule that could not be evaluated everywhere.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotEvaluated {
    /// Which.
    pub code: Code,
    /// What it is about.
    pub title: &'static str,
    /// For how many of what it looks at, by reason.
    pub because: BTreeMap<SkipReason, u64>,
}

/// Makes the page for some inputs and stores. `target` is the name of the profile that judges; profiles that stand
/// beside are those of where the inputs come from: what collides or costs otherwise there is told. Of the given copies
/// only those that count are judged.
///
/// # Errors
/// Those of reading the inputs.
pub fn page(
    inputs: Vec<Ledger>,
    stores: &[Ledger],
    target: &str,
    judge: Evaluator<'_>,
    waivers: &Waivers,
    copies: &Copies,
) -> Result<Page, ReportError> {
    let (inputs, aside): (Vec<_>, Vec<_>) =
        inputs.into_iter().partition(|ledger| copies.is_judged(&ledger.input));
    let (mut found, mut uses) = (Found::default(), Uses::of(waivers));
    let shared = (CrossInput::default(), (&mut found, &mut uses));
    judge.each(inputs, Ok, stores, None, shared, |measured, judged, turn| {
        let told = ReportedFindings::of(measured, judged, waivers, None);
        let Some(mut shared) = turn.take() else { return Ok(()) };
        let (found, uses) = &mut *shared;
        told.note_uses(uses);
        found.archives.push(Archive::of(measured));
        found.add(measured, &told);
        Ok(())
    })?;
    for ledger in &aside {
        let rank = copies.rank_of(&ledger.input);
        if let Rank::Superseded { .. } = rank {
            found.older_copies += 1;
            continue;
        }
        // The newest, which is not whole: it is a reason not to go, whatever the one says that is judged.
        let measured = Measured::new(ledger, judge.profile);
        let judged = Evaluated::aside(&measured, rank);
        let told = ReportedFindings::of(&measured, &judged, waivers, None);
        told.note_uses(&mut uses);
        found.archives.push(Archive::of(&measured));
        found.add(&measured, &told);
    }
    // A page is of a few archives: what is not used here may be elsewhere, and only what counts again is news.
    let run = Ledger::of_run();
    let measured = Measured::new(&run, judge.profile);
    let verdicts = uses.judge(judge.profile, false).keeping(|finding| finding.measured > Some(0.0));
    let judged = Evaluated::of_run(&measured, &[], verdicts);
    found.add(&measured, &ReportedFindings::of(&measured, &judged, waivers, None));
    Ok(found.page(target, judge.profile))
}

/// What was found so far.
#[derive(Default)]
struct Found {
    archives: Vec<Archive>,
    older_copies: usize,
    items: BTreeMap<Code, Item>,
    waived: Vec<Waived>,
    checks: BTreeMap<Code, BTreeMap<SkipReason, u64>>,
}

impl Found {
    fn add(&mut self, measured: &Measured<'_>, telling: &ReportedFindings<'_>) {
        for told in &telling.findings {
            let code = told.finding.code;
            if let Some(waiver) = told.waived() {
                self.waive(measured, told, waiver);
                continue;
            }
            let item = self.items.entry(code).or_insert_with(|| Item {
                severity: told.severity,
                count: 0,
                rule: catalogue::rule(code),
                advice: catalogue::rule(code).advice(measured.profile.grid()),
                examples: Vec::new(),
            });
            item.count += told.count;
            if item.examples.len() < PLACES {
                item.examples.push(Example::of(measured, told));
            }
        }
        for check in &telling.checks {
            let reasons = self.checks.entry(check.code).or_default();
            for (&reason, count) in &check.not_evaluated {
                *reasons.entry(reason).or_default() += count;
            }
        }
    }

    /// Adds what is waived to what the same waiver covers of the same rule.
    fn waive(&mut self, measured: &Measured<'_>, told: &ReportedFinding<'_>, waiver: &Waiver) {
        let code = told.finding.code;
        let same = |waived: &&mut Waived| {
            (waived.code, &*waived.until, &waived.by, &waived.because)
                == (code, waiver.until(), &waiver.who, &waiver.reason)
        };
        let waived = match self.waived.iter_mut().find(same) {
            Some(waived) => waived,
            None => self.waived.push_mut(Waived {
                severity: told.severity,
                code,
                title: catalogue::rule(code).title,
                count: 0,
                until: waiver.until().into(),
                by: waiver.who.clone(),
                because: waiver.reason.clone(),
                examples: Vec::new(),
            }),
        };
        waived.count += told.count;
        if waived.examples.len() < PLACES {
            waived.examples.push(Example::of(measured, told));
        }
    }

    fn page(self, target: &str, profile: &Profile) -> Page {
        let Self { archives, older_copies, mut items, mut waived, checks } = self;
        waived.sort_by_key(|waived| (Reverse(waived.severity), waived.code));
        let found =
            |code: &Code| items.contains_key(code) || waived.iter().any(|waived| waived.code == *code);
        let evaluated = |code: &Code, reasons: &BTreeMap<SkipReason, u64>| reasons.is_empty() && !found(code);
        let passed = checks.iter().filter(|(code, reasons)| evaluated(code, reasons)).count();
        let not_evaluated = checks.into_iter().filter(|(_, reasons)| !reasons.is_empty());
        let not_evaluated = not_evaluated
            .map(|(code, because)| NotEvaluated { code, title: catalogue::rule(code).title, because })
            .collect();
        // The list of what is not evaluated says the same rule by rule.
        items.remove(&Code::RUN003);
        let mut items: Vec<Item> = items.into_values().collect();
        items.sort_by_key(|item| (Reverse(item.severity), item.rule.code));
        let of =
            |severity| items.iter().filter(|item| item.severity == severity).map(|item| item.count).sum();
        let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
        let blockers = items.extract_if(.., |item| item.severity == Severity::Blocker).collect::<Vec<_>>();
        let sections = Effect::ALL.map(|effect| {
            let items = items.extract_if(.., |item| item.rule.effect == effect).collect();
            Section { effect, title: effect.name(), items }
        });
        // Whatever rules are chosen: what was not read, or is nothing that could be moved, is no reason to go.
        let unsure = |archive: &Archive| archive.status != Status::Complete || archive.nothing_known;
        let verdict = match blockers.is_empty() && !archives.is_empty() && !archives.iter().any(unsure) {
            true => Verdict::Go,
            false => Verdict::NoGo,
        };
        Page {
            format: FORMAT,
            verdict,
            target: target.into(),
            target_description: profile.description.clone(),
            archives,
            older_copies,
            blockers,
            errors,
            warnings,
            sections: sections.into(),
            waived,
            not_evaluated,
            passed,
        }
    }
}

impl Archive {
    fn of(measured: &Measured<'_>) -> Self {
        let ledger = measured.ledger;
        let standing = || ledger.objects.iter().filter(|object| object.role != Role::Nested);
        Self {
            path: ledger.input.clone(),
            kind: ledger.kind.clone(),
            status: ledger.status,
            nothing_known: ledger.objects.is_empty()
                && ledger.meshes.is_empty()
                && ledger.assets.is_empty()
                && ledger.regions.is_empty(),
            bytes: ledger.bytes,
            objects: standing().count(),
            parts: standing().map(|object| object.linkset.parts.len()).sum(),
            nested_objects: ledger.objects.len() - standing().count(),
            assets: ledger.container.assets.values().sum(),
            regions: Region::all(measured),
        }
    }
}

impl Region {
    fn all(measured: &Measured<'_>) -> Vec<Self> {
        let counts_prims = measured.profile.land.model == LandModel::Opensim;
        let regions = measured.ledger.regions.iter().zip(&measured.regions);
        let region = |(facts, region): (&RegionFacts, &RegionMeasures)| {
            let load = |total: &LandMeasures| match counts_prims {
                true => Some(total.lasting_parts as f64),
                false => total.land_impact.value(),
            };
            let over = |parcel: &&ParcelMeasures| {
                load(&parcel.total).zip(parcel.capacity).is_some_and(|(load, capacity)| load > capacity)
            };
            Self {
                name: facts.name.clone(),
                size_m: facts.size,
                objects: region.total.objects,
                scripts: region.total.scripts,
                counted: if counts_prims { "prims" } else { "land impact" },
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
    fn of(measured: &Measured<'_>, told: &ReportedFinding<'_>) -> Self {
        let place = &told.finding.place;
        let object = told.object.and_then(|object| Some((object.role, object.linkset.parts.first()?)));
        let standing = object.filter(|(role, _)| *role == Role::Rezzed).map(|(_, root)| root.group_position);
        Self {
            message: catalogue::message(told.finding),
            archive: measured.ledger.input.clone(),
            entry: place.entry.clone(),
            object_name: object.map(|(_, root)| root.name.clone()),
            position_m: standing.filter(|position| position.is_finite()).map(|position| position.to_array()),
            count: told.count,
        }
    }
}
