//! The first screen: what people read first about a run. Terminal, message, page and workbook paint these lists.

use crate::{
    AppliedFilter, Summary,
    counts::SeverityCounts,
    summary::{
        ActionLine, FindingLine, FullestRegion, LossLine, NotRead, ObjectLine, Overview, ShownInputs,
        StatusLine,
    },
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{
    coverage::{NotCovered, Uncovered},
    identity::file_name,
};
use hullmark_rules::SkipReason;
use hullmark_util::number_text::{self, counted, grouped, percent_of, thousands, whole_beside};
use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

/// Maximum number of actions.
const ACTIONS: usize = 10;

/// How to ask for one target.
const CHOOSE: &str =
    "To see a grid's capacity and the edits that reach it, add --profile second-life or opensim-ubode.";

/// A part of the screen. Without a chosen target, two parts judge what only OpenSimulator loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    Whole,
    /// Loading the inputs.
    Load,
    /// Limits and costs of the content.
    Limits,
}

impl Part {
    fn has(self, code: Code) -> bool {
        match self {
            Self::Whole => true,
            Self::Load => !code.is_about_limits(),
            Self::Limits => code.is_about_limits(),
        }
    }

    /// The heading; empty for everything.
    pub fn title(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Load => "Loading it (OpenSimulator)",
            Self::Limits => "Limits and costs (the published rules)",
        }
    }
}

/// The subject of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// What was read.
    Contents,
    /// Inputs that another run covers.
    NotCovered,
    /// Content that a move loses.
    Losses,
    /// The regions, the worst first.
    Regions,
    /// The most urgent actions.
    Actions(Part),
    /// Numbers of findings.
    Findings(Part),
    /// The worst finding of each rule.
    Rules(Part),
    /// Checks that the inputs do not allow.
    NotEvaluated,
    /// Objects with the greatest land impact.
    Heaviest,
    /// Inputs and files that were not read.
    NotRead,
}

impl Topic {
    /// The topics of a screen with one target, in order.
    const OF_TARGET: [Self; 10] = [
        Self::Contents,
        Self::NotCovered,
        Self::Findings(Part::Whole),
        Self::Regions,
        Self::Losses,
        Self::Actions(Part::Whole),
        Self::Rules(Part::Whole),
        Self::NotEvaluated,
        Self::Heaviest,
        Self::NotRead,
    ];

    /// The topics of a screen in two parts.
    const IN_TWO_PARTS: [Self; 14] = [
        Self::Contents,
        Self::NotCovered,
        Self::Findings(Part::Whole),
        Self::Findings(Part::Load),
        Self::Regions,
        Self::Losses,
        Self::Actions(Part::Load),
        Self::Rules(Part::Load),
        Self::Findings(Part::Limits),
        Self::Actions(Part::Limits),
        Self::Rules(Part::Limits),
        Self::Heaviest,
        Self::NotEvaluated,
        Self::NotRead,
    ];

    /// The heading; empty for sentences without one.
    pub fn title(self) -> &'static str {
        match self {
            Self::Contents | Self::Findings(_) => "",
            Self::NotCovered => "Not covered",
            Self::Losses => "What a move loses",
            Self::Regions => "Regions and other inputs, the worst first",
            Self::Actions(Part::Whole) => "Fix first (28 → 14 is land impact)",
            Self::Actions(_) => "Fix first",
            Self::Rules(_) => "Findings by rule, the worst of each",
            Self::NotEvaluated => "Not evaluated",
            Self::Heaviest => "Heaviest objects, by land impact",
            Self::NotRead => "Not fully read",
        }
    }
}

/// A line of a list.
#[derive(Debug)]
pub enum Line<'s> {
    /// A sentence.
    Sentence(String),
    /// An input that another run covers.
    NotCovered(&'s Uncovered),
    /// Content that a move loses.
    Loss(&'s LossLine),
    /// A region, or an input without regions.
    Region(&'s StatusLine),
    /// Further regions that need attention.
    MoreRegions(u64),
    /// Regions without losses and warnings.
    NeedNothing(u64),
    /// What to do. The flag is false if an earlier line of the list has the same advice.
    Action(&'s ActionLine, bool),
    /// The worst finding of a rule, with the number of its findings of each severity.
    Rule(&'s FindingLine, SeverityCounts),
    /// Subjects that a rule could not evaluate, by reason.
    NotEvaluated(Code, SkipReason, u64),
    /// An object.
    Object(&'s ObjectLine),
    /// An input that was not read to its end.
    NotRead(&'s NotRead),
}

impl Line<'_> {
    /// Returns the numbers or words in front of the subject: `20 → 5`, `error AST004 48 ×`, or a status.
    pub fn lead(&self) -> String {
        match self {
            Self::Sentence(_) => String::new(),
            Self::NotCovered(input) => number_text::bytes(input.bytes),
            Self::Loss(loss) => format!("{} ×", thousands(loss.lost)),
            Self::Region(region) => region.lead().into(),
            Self::MoreRegions(_) | Self::NeedNothing(_) => String::new(),
            Self::Action(action, _) => match (action.land_impact(), action.severity) {
                (Some(impacts), _) => {
                    let [before, after] = impacts.map(whole);
                    format!("{before} → {after}")
                }
                (None, severity) => {
                    let new = if action.is_new { "new " } else { "" };
                    format!("{new}{}", severity.map_or("", Severity::name))
                }
            },
            Self::Rule(worst, counts) => {
                format!("{} {} {} ×", worst.severity, worst.code, thousands(counts.get(worst.severity)))
            }
            Self::NotEvaluated(code, _, count) => format!("{code} {} ×", thousands(*count)),
            Self::Object(object) => {
                let bound = if Basis::is_lower_bound(&object.land_impact_basis) { "≥ " } else { "" };
                format!("{bound}{}", grouped(object.land_impact))
            }
            Self::NotRead(input) => input.status.name().to_owned(),
        }
    }

    /// Returns the subject: an object, a kind of content, or an input.
    pub fn subject(&self) -> Cow<'_, str> {
        match self {
            Self::Sentence(_) | Self::NotEvaluated(..) => "".into(),
            Self::NotCovered(input) => (&input.archive).into(),
            Self::Loss(loss) => (&loss.kind).into(),
            Self::Region(region) => region.name().into(),
            Self::MoreRegions(regions) => {
                format!("{} with losses or warnings (table regions)", counted(*regions, "more region")).into()
            }
            Self::NeedNothing(regions) => {
                let need = if *regions == 1 { "needs" } else { "need" };
                format!("{} {need} nothing", counted(*regions, "more region")).into()
            }
            Self::Action(action, _) => action.title().into(),
            Self::Rule(worst, _) => worst.subject().into(),
            Self::Object(object) => {
                let file = file_name(&object.archive);
                format!("{} ({}, {file})", object.title(), counted(object.parts, "prim")).into()
            }
            Self::NotRead(input) => (&input.archive).into(),
        }
    }

    /// Returns the region or input of an action; empty if the subject names it.
    pub fn place(&self) -> &str {
        let Self::Action(action, _) = self else { return "" };
        let place = if action.region.is_empty() { &action.archive } else { &action.region };
        if file_name(place) == action.name { "" } else { place }
    }

    /// Returns the sentence about the subject; empty if the subject says all.
    pub fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Sentence(words) => words.into(),
            Self::NotCovered(input) => {
                format!("last read {}", input.last_read.as_deref().unwrap_or("never")).into()
            }
            Self::Loss(loss) => {
                let users = loss.objects.map(|objects| format!("used by {}", counted(objects, "object")));
                let first = loss.first.as_ref().map(|first| format!("first: {}", first.in_words()));
                users.into_iter().chain(first).collect::<Vec<_>>().join("; ").into()
            }
            Self::Region(region) => region.words().into(),
            Self::MoreRegions(_) | Self::NeedNothing(_) => "".into(),
            Self::Action(action, _) if action.problem.is_empty() => (&action.action).into(),
            Self::Action(action, true) => format!("{} {}", action.problem, action.advice).into(),
            Self::Action(action, false) => (&action.problem).into(),
            Self::Rule(worst, _) => (&worst.message).into(),
            Self::NotEvaluated(_, reason, _) => reason.text().into(),
            Self::Object(_) | Self::NotRead(_) => "".into(),
        }
    }
}

/// Formats a land impact as a whole number.
pub fn whole(land_impact: f64) -> String {
    thousands(land_impact.max(0.0) as u64)
}

/// Formats the numbers of findings of all severities: `1 blocker, 0 errors, …`.
pub fn by_severity(counts: &SeverityCounts) -> String {
    Severity::WORST_FIRST.map(|severity| counts.in_words(severity)).join(", ")
}

impl Summary {
    /// Returns the topics of the screen, in order.
    pub fn topics(&self) -> &'static [Topic] {
        if self.in_two_parts { &Topic::IN_TWO_PARTS } else { &Topic::OF_TARGET }
    }

    /// Returns the list of a topic.
    pub fn list(&self, topic: Topic) -> Vec<Line<'_>> {
        match topic {
            Topic::Contents => vec![Line::Sentence(self.contents())],
            Topic::NotCovered => {
                self.not_covered.iter().flat_map(|left| &left.archives).map(Line::NotCovered).collect()
            }
            Topic::Losses => self.losses.iter().map(Line::Loss).collect(),
            Topic::Regions => self.regions(usize::MAX),
            Topic::Actions(part) => {
                let mut said = HashSet::new();
                self.actions_of(part)
                    .map(|action| Line::Action(action, said.insert(&action.advice)))
                    .collect()
            }
            Topic::Findings(part) => self.findings_in_words(part).into_iter().map(Line::Sentence).collect(),
            Topic::Rules(part) => self.rules(part),
            Topic::NotEvaluated => self.not_evaluated(),
            Topic::Heaviest => self.heaviest.iter().map(Line::Object).collect(),
            Topic::NotRead => self.not_read.iter().map(Line::NotRead).collect(),
        }
    }

    /// Returns the findings and gaps of the run: `1 error, 3 warnings; INCOMPLETE: 1 input not fully read`. Without a
    /// target they follow the verdict on the load.
    pub fn verdict(&self) -> String {
        let verdicts = self.verdicts_in_words().map_or_else(String::new, |words| format!("{words}; "));
        let mut words = verdicts + &self.found();
        if self.waived.all() > 0 {
            words += &format!("; {} waived", thousands(self.waived.all()));
        }
        if !self.not_read.is_empty() {
            words +=
                &format!("; INCOMPLETE: {} not fully read", counted(self.not_read.len() as u64, "input"));
        }
        if let Some(not_covered) = &self.not_covered {
            words += &format!("; {} not covered", counted(not_covered.inputs, "input"));
        }
        words
    }

    /// Returns the numbers of findings that are not zero.
    pub fn found(&self) -> String {
        match self.findings.found() {
            found if found.is_empty() => "no findings".into(),
            found => found.join(", "),
        }
    }

    /// Returns the actions of the screen.
    pub fn first_actions(&self) -> &[ActionLine] {
        &self.actions[..self.actions.len().min(ACTIONS)]
    }

    fn actions_of(&self, part: Part) -> impl Iterator<Item = &ActionLine> {
        let is_of_part = move |action: &&ActionLine| match part {
            Part::Whole => true,
            Part::Load => !action.is_about_limits(),
            Part::Limits => action.is_about_limits(),
        };
        self.actions.iter().filter(is_of_part).take(ACTIONS)
    }

    fn contents(&self) -> String {
        let totals = &self.totals;
        let older = match totals.older_copies {
            0 => String::new(),
            1 => ", 1 of them an older copy".into(),
            older => format!(", {} of them older copies", thousands(older)),
        };
        let more = [
            (totals.nested_objects, "object", " in inventories"),
            (totals.loose_objects, "object", " in files"),
        ];
        let more = more.into_iter().filter(|(count, ..)| *count > 0);
        let more: String =
            more.map(|(count, noun, place)| format!(", {}{place}", counted(count, noun))).collect();
        format!(
            "Read {}{older} ({}): {}, {} with {}{more}, {}.",
            counted(totals.inputs, "input"),
            number_text::bytes(totals.bytes),
            counted(totals.regions, "region"),
            counted(totals.objects, "object"),
            counted(totals.parts, "prim"),
            counted(totals.meshes, "mesh"),
        )
    }

    fn findings_in_words(&self, part: Part) -> Vec<String> {
        let counts = by_severity(&self.of_part(part));
        match part {
            Part::Whole => self.all_findings_in_words(),
            Part::Load => {
                let mut sentences = vec![format!("{}: {counts}.", part.title())];
                if let Some(verdicts) = self.verdicts_in_words() {
                    sentences =
                        vec![format!("{}: {verdicts}.", part.title()), format!("About the load: {counts}.")];
                }
                sentences.extend(self.fullest.as_ref().map(fullest_in_words));
                sentences
            }
            Part::Limits => vec![format!("{}: {counts}.", part.title()), CHOOSE.into()],
        }
    }

    /// Returns the numbers of findings in a part.
    fn of_part(&self, part: Part) -> SeverityCounts {
        let mut all = SeverityCounts::default();
        let codes = self.findings_by_code.iter().filter(|(code, _)| part.has(**code));
        codes.for_each(|(_, counts)| all.add_all(counts));
        all
    }

    /// Returns what a report with a filter shows, for titles: `only owner Ann, region Hill`. `None` without a filter.
    pub fn narrowed_to(&self) -> Option<String> {
        self.narrowed.as_ref().map(|narrowed| format!("only {}", narrowed_to(narrowed)))
    }

    /// Returns what a report with a filter shows, and owners who own nothing.
    pub fn narrowed_in_words(&self) -> Option<String> {
        let narrowed = self.narrowed.as_ref()?;
        let nothing = narrowed.without_match.iter().map(|name| match narrowed.owners.contains(name) {
            true => format!(" {name} owns nothing here."),
            false => format!(" Nothing is in the region {name}."),
        });
        Some(format!("This report shows only {}.{}", narrowed_to(narrowed), nothing.collect::<String>()))
    }

    /// Returns how many inputs the tables show. `None` if they show all.
    pub fn shown_in_words(&self) -> Option<String> {
        let ShownInputs { shown, all } = self.shown.filter(|inputs| inputs.shown < inputs.all)?;
        let (shown, all) = (thousands(shown), counted(all, "input"));
        Some(format!(
            "The sums count all {all}. The tables show the {shown} that lists name; the files of the shards have the \
             others."
        ))
    }

    /// Returns the verdicts on loading the inputs, the worst first: `NO-GO for 1 input; GO for 2`. `None` without one.
    pub fn verdicts_in_words(&self) -> Option<String> {
        if let (1, Some(verdict)) = (self.verdicts.values().sum::<u64>(), self.verdicts.keys().next()) {
            return Some(verdict.words().into());
        }
        let mut words: Vec<String> = Vec::new();
        for (verdict, &count) in self.verdicts.iter().rev() {
            let inputs = if words.is_empty() { counted(count, "input") } else { thousands(count) };
            words.push(format!("{} for {inputs}", verdict.words()));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }

    fn all_findings_in_words(&self) -> Vec<String> {
        let mut sentences = vec![format!("Findings: {}.", by_severity(&self.findings))];
        if self.waived.worst().is_some() {
            sentences
                .push(format!("Waived, without effect on the exit code: {}.", by_severity(&self.waived)));
        }
        if let Some(narrowed) = &self.narrowed {
            let left_out = by_severity(&narrowed.left_out);
            sentences.push(format!("The exit code also counts what is left out: {left_out}."));
        }
        let off = Code::all().filter(|&code| !self.manifest.profile.selects(code)).count();
        if off > 0 {
            let off = if off == 1 { "1 rule is".into() } else { format!("{off} rules are") };
            sentences.push(format!("{off} off: `hullmark rules` with the same flags lists them."));
        }
        sentences
    }

    /// Returns at most this many lines of the overview, and the numbers of all other regions. Empty with one region.
    pub fn regions(&self, most: usize) -> Vec<Line<'_>> {
        let Overview { all, need_nothing, worst } = &self.overview;
        if *all < 2 {
            return Vec::new();
        }
        let worst = &worst[..worst.len().min(most)];
        let more = all - need_nothing - worst.len() as u64;
        let more = (more > 0).then_some(Line::MoreRegions(more));
        let others = (*need_nothing > 0).then_some(Line::NeedNothing(*need_nothing));
        worst.iter().map(Line::Region).chain(more).chain(others).collect()
    }

    /// One line for each code, so one rule cannot hide the others.
    fn rules(&self, part: Part) -> Vec<Line<'_>> {
        let mut rules: Vec<_> = self.first.values().filter(|worst| part.has(worst.code)).collect();
        rules.sort_by_key(|line| line.worst_first());
        rules.into_iter().map(|worst| Line::Rule(worst, self.of_code(worst.code))).collect()
    }

    /// Rules that settings turn off are left out.
    fn not_evaluated(&self) -> Vec<Line<'_>> {
        let mut unknown = Vec::new();
        for (&code, check) in &self.checks {
            let reasons = check.not_evaluated.iter().filter(|(reason, _)| !reason.is_choice());
            unknown.extend(reasons.map(|(&reason, &count)| (code, reason, count)));
        }
        unknown.sort_by_key(|&(.., count)| Reverse(count));
        unknown.into_iter().map(|(code, reason, count)| Line::NotEvaluated(code, reason, count)).collect()
    }

    /// Returns the number of checks that were not evaluated.
    pub fn unknown_checks(&self) -> u64 {
        let unknown = self.checks.values().flat_map(|check| &check.not_evaluated);
        unknown.filter(|(reason, _)| !reason.is_choice()).map(|(_, count)| count).sum()
    }

    /// Returns the checks that were not evaluated as one sentence; `None` if all were.
    pub fn not_evaluated_in_words(&self) -> Option<String> {
        let mut reasons: BTreeMap<SkipReason, u64> = BTreeMap::new();
        let mut codes = Vec::new();
        for line in self.not_evaluated() {
            let Line::NotEvaluated(code, reason, count) = line else { continue };
            *reasons.entry(reason).or_default() += count;
            codes.push(code);
        }
        codes.sort_unstable();
        codes.dedup();
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|&(_, count)| Reverse(count));
        let reasons: Vec<String> = reasons
            .iter()
            .map(|(reason, count)| format!("{} ({})", reason.text(), thousands(*count)))
            .collect();
        let (checks, rules) = (counted(self.unknown_checks(), "check"), counted(codes.len() as u64, "rule"));
        (!codes.is_empty()).then(|| {
            format!("Not evaluated: {checks} of {rules}, because {} (table checks).", reasons.join(", "))
        })
    }

    /// Returns the kinds of files that were not read as one sentence; `None` without such files.
    pub fn unknown_files_in_words(&self) -> Option<String> {
        let kinds = self.unknown_files.iter();
        let kinds: Vec<_> =
            kinds.map(|kind| format!("{} × {}", thousands(kind.files), kind.looks_like)).collect();
        (!kinds.is_empty()).then(|| format!("Files of unknown kinds, not read: {}.", kinds.join(", ")))
    }

    /// Returns how many inputs another run covers, and why; `None` if this run covers all.
    pub fn not_covered_in_words(&self) -> Option<String> {
        let words = self.not_covered.as_ref().map(NotCovered::in_words)?;
        Some(format!("NOT COVERED: {words}. The report says nothing about them (table archives)."))
    }
}

fn fullest_in_words(fullest: &FullestRegion) -> String {
    let FullestRegion { region, prims, capacity } = fullest;
    let percent = percent_of(*prims, *capacity);
    let (prims, capacity) = (whole_beside(*prims, *capacity), grouped(*capacity));
    let region = if region.is_empty() { "unnamed" } else { region };
    format!("Fullest region: {region}, with {prims} of {capacity} prims ({percent}).")
}

fn narrowed_to(narrowed: &AppliedFilter) -> String {
    let named = |noun: &str, names: &[String]| {
        let plural = if names.len() == 1 { "" } else { "s" };
        (!names.is_empty()).then(|| format!("{noun}{plural} {}", names.join(", ")))
    };
    let severity = narrowed.min_severity.map(|severity| format!("findings of severity {severity} or worse"));
    let words = [named("owner", &narrowed.owners), named("region", &narrowed.regions), severity];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
