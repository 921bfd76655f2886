//! The outcome of each rule: how many of its subjects passed, failed, and could not be evaluated.

use super::{
    RuleOutcomes, SkipReason,
    families::{decoding, land},
};
use crate::catalogue::{self, Subject};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding, Place};
use hullmark_ledger::facts::{AssetFacts, Role, Status};
use hullmark_settings::rule_selection::Selector;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// The outcome of one rule in one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCount {
    /// The code of the rule.
    pub code: Code,
    /// Number of subjects.
    pub subjects: u64,
    /// Number of subjects that failed.
    pub failed: u64,
    /// Number of failed subjects whose findings are all waived.
    pub waived: u64,
    /// Number of subjects that could not be evaluated, by reason.
    pub not_evaluated: BTreeMap<SkipReason, u64>,
}

impl RuleCount {
    /// Number of subjects that could not be evaluated.
    pub fn unknown(&self) -> u64 {
        self.not_evaluated.values().sum()
    }

    /// Counts the waived subjects. Each finding comes with whether it is waived.
    pub fn with_waived<'a>(self, findings: impl Iterator<Item = (&'a Finding, bool)>) -> Self {
        let (mut waived, mut others, mut more) = (HashSet::new(), HashSet::new(), 0);
        for (finding, is_waived) in findings.filter(|(finding, _)| finding.code == self.code) {
            if is_waived { &mut waived } else { &mut others }.insert(key(finding));
            more += if is_waived { finding.subjects.saturating_sub(1) } else { 0 };
        }
        Self { waived: waived.difference(&others).count() as u64 + more, ..self }
    }

    /// Number of subjects that passed.
    pub fn passed(&self) -> u64 {
        self.subjects.saturating_sub(self.failed + self.unknown())
    }
}

/// Counts the outcome of every selected rule about inputs.
pub fn tally(measured: &Measured<'_>, looking_back: bool, outcomes: &RuleOutcomes) -> Vec<RuleCount> {
    let subjects = Subjects::new(measured);
    let mut failed: BTreeMap<Code, HashSet<Key<'_>>> = BTreeMap::new();
    let mut entries = HashSet::new();
    let mut more = outcomes.also_failed.clone();
    for finding in outcomes.findings.iter() {
        failed.entry(finding.code).or_default().insert(key(finding));
        // The last row of a capped list counts the findings after it.
        *more.entry(finding.code).or_default() += finding.subjects.saturating_sub(1);
        entries.insert((finding.code, finding.place.entry.as_str()));
    }
    let check = |code: Code| {
        let about = catalogue::rule(code).about;
        let failed = failed.get(&code).map_or(0, HashSet::len) as u64;
        let more = more.get(&code).copied().unwrap_or_default();
        let given = outcomes.not_evaluated.range((code, SkipReason::ALL[0])..);
        let given = given.take_while(|((of, _), _)| *of == code);
        let mut not_evaluated: BTreeMap<SkipReason, u64> =
            given.map(|((_, reason), &count)| (*reason, count)).collect();
        let unread = subjects.unread(about).iter().filter(|entry| !entries.contains(&(code, **entry)));
        let mut unread = unread.count() as u64;
        if !OBJECT_UNREAD.contains(&code) {
            unread += subjects.unlisted(about);
        }
        if unread > 0 {
            *not_evaluated.entry(SkipReason::Damaged).or_default() += unread;
        }
        let failed = failed + more;
        let known = failed + not_evaluated.values().sum::<u64>();
        let all = subjects.count(about).max(known);
        // Comparisons and rules about the whole input are unknown for an incomplete input. The rules need not report
        // this.
        let of_whole =
            matches!(about, Subject::Archive | Subject::Region | Subject::Land | Subject::Inventory);
        if measured.ledger.status != Status::Complete
            && (of_whole || COMPARING.contains(&code))
            && all > known
        {
            *not_evaluated.entry(SkipReason::Incomplete).or_default() += all - known;
        }
        RuleCount { code, subjects: all, failed, waived: 0, not_evaluated }
    };
    let of_inputs = Code::all().filter(|&code| catalogue::rule(code).about != Subject::Run);
    // Without a look back, the rules of comparison have no outcome.
    let looks = |code: &Code| looking_back || !LOOKING_BACK.covers(*code);
    of_inputs.filter(|code| measured.profile.selects(*code)).filter(looks).map(check).collect()
}

/// Counts the outcome of the selected rules about the run. `subjects` has the number of subjects of each.
pub fn tally_run(
    measured: &Measured<'_>,
    subjects: &[(Code, u64)],
    outcomes: &RuleOutcomes,
) -> Vec<RuleCount> {
    let selected = subjects.iter().filter(|(code, _)| measured.profile.selects(*code));
    let check = |&(code, subjects): &(Code, u64)| {
        let failed = outcomes.findings.iter().filter(|finding| finding.code == code);
        let failed = failed.map(|finding| finding.count).sum();
        let given = outcomes.not_evaluated.iter().filter(|((of, _), _)| *of == code);
        let not_evaluated = given.map(|((_, reason), &count)| (*reason, count)).collect();
        RuleCount { code, subjects, failed, waived: 0, not_evaluated }
    };
    selected.map(check).collect()
}

/// Key that distinguishes the subjects of one code: entry, object, asset and other details.
type Key<'a> = (&'a str, Option<Uuid>, Option<Uuid>, &'a str);

fn key(finding: &Finding) -> Key<'_> {
    let Place { entry, object, asset, within, .. } = &finding.place;
    match catalogue::rule(finding.code).about {
        Subject::Archive => ("", None, None, ""),
        Subject::Entry | Subject::Mesh => (entry, None, None, ""),
        Subject::Object | Subject::InWorld => (entry, *object, None, ""),
        Subject::Asset | Subject::Script if asset.is_some() => ("", None, *asset, ""),
        Subject::Asset | Subject::Script => (entry, None, None, &finding.detail),
        Subject::Region => (entry, None, None, within),
        Subject::Land => (entry, *object, None, &finding.detail),
        Subject::Inventory => (entry, None, None, ""),
        Subject::Run => (entry, None, None, within),
    }
}

/// Codes of decoders after which a mesh, an object, or either is completely or partly unread.
const MESH_UNREAD: [Code; 5] = [Code::MSH001, Code::MSH002, Code::MSH003, Code::MSH014, Code::MSH015];
const OBJECT_UNREAD: [Code; 2] = [Code::OBJ001, Code::OBJ002];
const UNREAD: [Code; 2] = [Code::ARC012, Code::RUN005];
/// Codes that compare subjects with each other.
const COMPARING: [Code; 3] = [Code::OBJ004, Code::OBJ005, Code::AST005];

/// Codes that compare an input with earlier archives or runs.
const LOOKING_BACK: Selector = Selector::Family("HIS");

fn is_mesh_unread(code: Code, entry: &str) -> bool {
    MESH_UNREAD.contains(&code) || UNREAD.contains(&code) && entry.ends_with(".llmesh")
}

fn is_object_unread(code: Code, entry: &str) -> bool {
    OBJECT_UNREAD.contains(&code)
        || UNREAD.contains(&code) && entry.ends_with(".xml")
        || code == Code::AST004 && is_nested(entry)
}

/// Whether an object is in an inventory, according to its entry.
fn is_nested(entry: &str) -> bool {
    entry.ends_with("_object.xml")
}

/// Number of subjects of each kind in an input, and those that were not read.
struct Subjects<'a> {
    counts: HashMap<Subject, u64>,
    /// Number of unread objects that a capped list counts without an entry.
    unlisted: u64,
    unread_objects: Vec<&'a str>,
    unread_meshes: Vec<&'a str>,
}

impl<'a> Subjects<'a> {
    fn new(measured: &'a Measured<'_>) -> Self {
        let ledger = measured.ledger;
        let decoded: HashSet<&str> = ledger.objects.iter().map(|object| object.entry.as_str()).collect();
        let (mut unread_objects, mut unread_meshes) = (BTreeSet::new(), BTreeSet::new());
        // Regardless of the selection of rules: an unread subject has passed no rule.
        let mut unlisted = 0;
        for (defect, finding) in decoding::each(ledger) {
            let entry = defect.place.entry.as_str();
            if OBJECT_UNREAD.contains(&finding.code) {
                unlisted += finding.subjects.saturating_sub(1);
            }
            if is_mesh_unread(finding.code, entry) {
                unread_meshes.insert(entry);
            }
            // Unclean text is still read if possible.
            let read = finding.code == Code::OBJ002 && decoded.contains(entry);
            if is_object_unread(finding.code, entry) && !read {
                unread_objects.insert(entry);
            }
        }
        let lost = || unread_objects.iter().filter(|entry| !decoded.contains(**entry));
        let lost_standing = lost().filter(|entry| !is_nested(entry)).count() as u64;
        let lost = lost().count() as u64 + unlisted;
        let standing = ledger.objects.iter().filter(|object| object.role == Role::Rezzed).count() as u64;
        let uuids = ledger.assets.iter().filter_map(AssetFacts::uuid);
        let present: HashSet<Uuid> = uuids.filter(|uuid| measured.uses.contains_key(uuid)).collect();
        let missing = measured.uses.len() - present.len();
        let is_script = |asset: &&AssetFacts| asset.suffix() == Some("_script.lsl");
        let counts = [
            (Subject::Archive, 1),
            (Subject::Entry, ledger.container.entries),
            (Subject::Object, ledger.objects.len() as u64 + lost),
            (Subject::InWorld, standing + lost_standing + unlisted),
            (Subject::Mesh, ledger.meshes.len() as u64),
            (Subject::Asset, (ledger.assets.len() + missing) as u64),
            (Subject::Script, ledger.assets.iter().filter(is_script).count() as u64),
            (Subject::Region, ledger.regions.len() as u64),
            (Subject::Land, land::count(measured) as u64),
            (Subject::Inventory, ledger.inventories.len() as u64),
        ];
        Self {
            counts: counts.into(),
            unlisted,
            unread_objects: unread_objects.into_iter().collect(),
            unread_meshes: unread_meshes.into_iter().collect(),
        }
    }

    fn count(&self, about: Subject) -> u64 {
        self.counts.get(&about).copied().unwrap_or_default()
    }

    /// Number of unread subjects without an entry.
    fn unlisted(&self, about: Subject) -> u64 {
        if matches!(about, Subject::Object | Subject::InWorld) { self.unlisted } else { 0 }
    }

    /// Entries of the unread subjects.
    fn unread(&self, about: Subject) -> &[&'a str] {
        match about {
            Subject::Object | Subject::InWorld => &self.unread_objects,
            Subject::Mesh => &self.unread_meshes,
            _ => &[],
        }
    }
}

/// RUN003: one finding for each reason, with the rules that could not be evaluated. Choices in settings are left out:
/// the table of checks reports them.
pub fn run003_not_evaluated(checks: &[RuleCount]) -> Vec<Finding> {
    let mut reasons: BTreeMap<SkipReason, (u64, Vec<String>)> = BTreeMap::new();
    for check in checks {
        for (&reason, &count) in check.not_evaluated.iter().filter(|(reason, _)| !reason.is_choice()) {
            let (all, codes) = reasons.entry(reason).or_default();
            *all += count;
            codes.push(format!("{} ({count})", check.code));
        }
    }
    let finding = |(reason, (all, codes)): (SkipReason, (u64, Vec<String>))| {
        let finding = Finding::new(Code::RUN003).within(reason.name());
        finding.measured(all as f64).detail(format!("{}: {}", reason.text(), codes.join(", ")))
    };
    reasons.into_iter().map(finding).collect()
}
