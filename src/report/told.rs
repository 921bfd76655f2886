//! How findings are told: with the severity that the target gives them, the same fingerprint every night, and equal
//! ones as one.

use super::{Judged, counts::Counts};
use crate::{
    facts::{ObjectFacts, Role},
    finding::{Code, Finding, Place, Severity, catalogue::Subject},
    format::object::Part,
    join::Case,
    night::{Beside, News},
    report::home,
    rules::{Check, Verdicts},
    waivers::{Uses, Waiver, Waivers},
};
use std::collections::{HashMap, hash_map::Entry};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

/// Places of equal findings that are named.
const PLACES: usize = 8;

/// A finding as it is told.
#[derive(Debug)]
pub struct Told<'a> {
    /// How bad it is for the target grid.
    pub severity: Severity,
    /// The first of those that it stands for.
    pub finding: &'a Finding,
    /// The next of them.
    pub others: Vec<&'a Finding>,
    /// How many it stands for.
    pub count: u64,
    /// What it is about, where that is an object.
    pub object: Option<&'a ObjectFacts>,
    /// The waivers that cover it, be they in force or not.
    pub waivers: Vec<&'a Waiver>,
    /// What it is beside an earlier night, where there is one.
    pub news: Option<News>,
    /// The same for the same finding in another night: a hash of the rule, the region, and what it is about.
    pub fingerprint: u64,
}

/// Findings of the selected rules with their severities: the worst first, then by code, otherwise in the order of the
/// input. This is the one place where either is decided.
pub(super) fn weigh(case: &Case<'_>, verdicts: Verdicts) -> Vec<(Severity, Finding)> {
    let selected =
        verdicts.findings.finish().into_iter().filter(|finding| case.profile.selects(finding.code));
    let mut findings: Vec<_> =
        selected.map(|finding| (case.profile.severity(finding.code), finding)).collect();
    findings.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.code.cmp(&y.code)));
    findings
}

/// What is told of an input.
#[derive(Debug)]
pub(crate) struct Telling<'a> {
    /// The findings: those that are waived last, otherwise what is new first.
    pub(crate) findings: Vec<Told<'a>>,
    /// What became of each rule.
    pub(crate) checks: Vec<Check>,
}

impl<'a> Telling<'a> {
    /// Folds what was found, and decides what of it is waived: this is the one place where either is done.
    pub(crate) fn of(
        case: &Case<'a>,
        judged: &'a Judged,
        waivers: &'a Waivers,
        beside: Option<&Beside<'_>>,
    ) -> Self {
        let mut findings = fold(case, &judged.findings);
        for told in findings.iter_mut().filter(|told| told.finding.code != Code::RUN002) {
            told.waivers = waivers.covering(case, told.finding, told.fingerprint, told.object);
        }
        if let Some(beside) = beside {
            let news = beside.news(case, &findings);
            findings.iter_mut().zip(news).for_each(|(told, news)| told.news = Some(news));
        }
        findings.sort_by_key(|told| (told.waived().is_some(), told.news));
        let waived: Vec<(&Finding, bool)> = findings
            .iter()
            .flat_map(|told| told.findings().map(|finding| (finding, told.waived().is_some())))
            .collect();
        let checks = judged.checks.iter().cloned();
        let checks = checks.map(|check| check.with_waived(waived.iter().copied())).collect();
        Self { findings, checks }
    }

    /// The findings that count, counted.
    pub(crate) fn counts(&self) -> Counts<'a> {
        let mut counts = Counts::default();
        for told in self.findings.iter().filter(|told| told.waived().is_none()) {
            told.findings().for_each(|finding| counts.add(finding, told.severity));
        }
        counts
    }

    /// Takes note of the waivers that cover something.
    pub(crate) fn note_uses(&self, uses: &mut Uses<'_>) {
        self.findings.iter().for_each(|told| uses.cover(&told.waivers, told.count));
    }
}

/// Folds findings that are about the same: a mesh with a thousand bad hulls has one finding, which says so. Of an
/// archive, an entry or land a rule may say different things, which stay apart.
fn fold<'a>(case: &Case<'a>, findings: &'a [(Severity, Finding)]) -> Vec<Told<'a>> {
    let homes = Homes::of(case);
    let by_root = objects_by_root(case);
    let mut rows: HashMap<(u64, &str), usize> = HashMap::new();
    let mut told: Vec<Told<'a>> = Vec::new();
    for (severity, finding) in findings {
        let fingerprint = homes.fingerprint(finding);
        let detail = match finding.code.rule().about {
            Subject::Archive | Subject::Entry | Subject::Region | Subject::Land | Subject::Run => {
                finding.detail.as_str()
            }
            _ => "",
        };
        match rows.entry((fingerprint, detail)) {
            Entry::Vacant(row) => {
                row.insert(told.len());
                let root = finding.place.object;
                let object = root.and_then(|root| by_root.get(&(finding.place.entry.as_str(), root)));
                told.push(Told {
                    severity: *severity,
                    finding,
                    others: Vec::new(),
                    count: finding.count,
                    object: object.copied(),
                    waivers: Vec::new(),
                    news: None,
                    fingerprint,
                });
            }
            Entry::Occupied(row) => {
                let first = &mut told[*row.get()];
                first.count += finding.count;
                first.others.push(finding);
            }
        }
    }
    told
}

/// Objects by their entry and root.
type ByRoot<'a> = HashMap<(&'a str, Uuid), &'a ObjectFacts>;

fn objects_by_root<'a>(case: &Case<'a>) -> ByRoot<'a> {
    let mut by_root = HashMap::new();
    for object in &case.ledger.objects {
        if let Some(root) = object.linkset.parts.first() {
            by_root.entry((object.entry.as_str(), root.uuid)).or_insert(object);
        }
    }
    by_root
}

impl<'a> Told<'a> {
    /// The waiver by which it counts nowhere, where there is one: of several the one that ends last.
    pub fn waived(&self) -> Option<&'a Waiver> {
        let in_force = self.waivers.iter().copied().filter(|waiver| waiver.is_in_force());
        in_force.reduce(|last, waiver| if waiver.ends_after(last) { waiver } else { last })
    }

    /// All findings that it stands for.
    pub fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        [self.finding].into_iter().chain(self.others.iter().copied())
    }

    /// Where the others are, each by what tells it from the first, and how many more there are.
    pub fn also_at(&self) -> String {
        let first = &self.finding.place;
        let mut words: Vec<String> =
            self.others.iter().take(PLACES).filter_map(|other| differently(first, &other.place)).collect();
        words.dedup();
        let named = self.others.len().min(PLACES) as u64;
        let more = self.count - 1 - named;
        if more > 0 && named > 0 {
            words.push(format!("{more} more"));
        }
        words.join(", ")
    }
}

/// What tells a place from another.
fn differently(first: &Place, place: &Place) -> Option<String> {
    let differs = |a: Option<u64>, b: Option<u64>| b.filter(|_| a != b);
    if place.entry != first.entry {
        Some(place.entry.clone())
    } else if place.object != first.object {
        place.object.map(|object| object.to_string())
    } else if place.link_number != first.link_number {
        place.link_number.map(|link| format!("link {link}"))
    } else if let Some(index) = differs(first.index.map(u64::from), place.index.map(u64::from)) {
        Some(format!("number {index}"))
    } else {
        differs(first.offset, place.offset).map(|offset| format!("byte {offset}"))
    }
}

/// What tells an input and its regions again in another night, when the archive has another date in its name.
struct Homes<'a> {
    /// The input itself.
    input: String,
    /// Its regions by their folders.
    regions: HashMap<&'a str, String>,
    /// The region in which each root stands.
    standing: HashMap<(&'a str, Uuid), &'a str>,
}

impl<'a> Homes<'a> {
    fn of(case: &Case<'a>) -> Self {
        let ledger = case.ledger;
        let regions = ledger.regions.iter();
        let regions =
            regions.map(|region| (region.folder.as_str(), home::of_region(ledger, region))).collect();
        let standing = ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
        let standing = standing.filter_map(|object| {
            let region = ledger.regions.get(object.region? as usize)?;
            let root = object.linkset.parts.first().filter(|root: &&Part| !root.uuid.is_nil())?;
            Some(((object.entry.as_str(), root.uuid), region.folder.as_str()))
        });
        Self { input: home::of_input(ledger), regions, standing: standing.collect() }
    }

    /// The hash of what a finding is about, by the subject of its rule: never a number, a line or an order.
    fn fingerprint(&self, finding: &Finding) -> u64 {
        let Place { entry, object, part, asset, within, .. } = &finding.place;
        let id = |uuid: &Option<Uuid>| uuid.map(|uuid| uuid.to_string()).unwrap_or_default();
        let standing = object.and_then(|root| self.standing.get(&(entry.as_str(), root)));
        let about = match finding.code.rule().about {
            // The name of its file holds its place, and an object that was moved is the same.
            Subject::Object | Subject::Standing => match standing {
                Some(_) => [id(object), id(part), id(asset)].join("\n"),
                None => [entry.clone(), id(object), id(part), id(asset)].join("\n"),
            },
            Subject::Asset | Subject::Script | Subject::Mesh if asset.is_some() => id(asset),
            Subject::Asset | Subject::Script | Subject::Mesh | Subject::Entry => entry.clone(),
            Subject::Land | Subject::Region if object.is_some() => id(object),
            Subject::Land | Subject::Region | Subject::Run => entry.clone(),
            Subject::Archive => String::new(),
        };
        let region = standing.copied().or_else(|| self.folder_of(entry));
        let home = region.and_then(|folder| self.regions.get(folder)).unwrap_or(&self.input);
        xxh3_64(format!("{}\n{home}\n{about}\n{within}", finding.code).as_bytes())
    }

    /// The folder of the region that a member lies in.
    fn folder_of<'e>(&self, entry: &'e str) -> Option<&'e str> {
        let inner = entry.strip_prefix("regions/").unwrap_or(entry);
        let folder = inner.split('/').next()?;
        self.regions.contains_key(folder).then_some(folder)
    }
}
