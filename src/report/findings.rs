//! Reported findings: severity for the target, stable fingerprints across runs, and equal findings in one row.

use super::{Evaluated, counts::Counts, first_user::regions_by_entry, weight::Weights};
use crate::diff::{Baseline, BaselineStatus};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding, Place, Severity};
use hullmark_ledger::{
    facts::{ObjectFacts, Role},
    identity,
};
use hullmark_rules::{
    RuleCount, RuleOutcomes,
    catalogue::{self, Subject},
    waivers::{Uses, Waiver, Waivers},
};
use hullmark_util::number_text::plain;
use std::{
    collections::{HashMap, hash_map::Entry},
    io,
};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of rows with one fingerprint, because texts of an export could produce any number. The last row
/// includes all further findings with their texts.
const ROWS: usize = 64;

/// A finding as it is reported.
#[derive(Debug)]
pub struct ReportedFinding<'a> {
    /// Severity for the target.
    pub severity: Severity,
    /// The first finding of the row.
    pub finding: &'a Finding,
    /// The other findings of the row.
    pub others: Vec<&'a Finding>,
    /// Number of findings in the row.
    pub count: u64,
    /// The object of the finding. `None` if it is about no object.
    pub object: Option<&'a ObjectFacts>,
    /// Its number in the input.
    pub object_number: Option<usize>,
    /// The number of the region whose land, settings or folder it is about.
    pub land: Option<usize>,
    /// The waivers that cover the finding, in force or not.
    pub waivers: Vec<&'a Waiver>,
    /// The status against the baseline. `None` without a baseline.
    pub baseline_status: Option<BaselineStatus>,
    /// Key that matches the finding across runs: a hash of rule, region, subject and aspect.
    pub fingerprint: u64,
    /// The same key with the content of the object in place of its UUID.
    pub content_fingerprint: u64,
}

/// Returns the findings of the selected rules with their severities and weights. They are sorted by severity, the worst
/// first, then by weight, the greatest first, then by code, then in the order of the input. Severity, weight and order
/// are decided only here.
pub fn with_severities(measured: &Measured<'_>, outcomes: RuleOutcomes) -> Vec<(Severity, Finding)> {
    let selected =
        outcomes.findings.finish().into_iter().filter(|finding| measured.profile.selects(finding.code));
    let weights = Weights::new(measured);
    let weighed = selected.map(|finding| Finding { weight: weights.weight(&finding), ..finding });
    let mut findings: Vec<_> =
        weighed.map(|finding| (measured.profile.severity_of(&finding), finding)).collect();
    findings.sort_by(|(a, x), (b, y)| {
        b.cmp(a).then_with(|| y.weight.total_cmp(&x.weight)).then_with(|| x.code.cmp(&y.code))
    });
    findings
}

/// The findings and rule outcomes of an input.
#[derive(Debug)]
pub struct ReportedFindings<'a> {
    /// The findings: waived ones last, otherwise new ones first.
    pub findings: Vec<ReportedFinding<'a>>,
    /// The outcome of each rule.
    pub checks: Vec<RuleCount>,
}

impl<'a> ReportedFindings<'a> {
    /// Folds findings into rows and applies waivers. Both are done only here.
    pub fn new(measured: &Measured<'a>, evaluated: &'a Evaluated, waivers: &'a Waivers) -> Self {
        let mut findings = fold(measured, &evaluated.findings);
        for row in findings.iter_mut().filter(|row| row.finding.code != Code::RUN002) {
            row.waivers = waivers.covering(measured, row.finding, row.fingerprint, row.object);
        }
        findings.sort_by_key(|row| row.waived().is_some());
        let waived: Vec<(&Finding, bool)> = findings
            .iter()
            .flat_map(|row| row.findings().map(|finding| (finding, row.waived().is_some())))
            .collect();
        let checks = evaluated.checks.iter().cloned();
        let checks = checks.map(|check| check.with_waived(waived.iter().copied())).collect();
        Self { findings, checks }
    }

    /// Adds the status of each finding against a baseline, if there is one.
    ///
    /// # Errors
    /// The findings of the earlier run cannot be read.
    pub fn against(mut self, baseline: Option<&Baseline<'_>>, measured: &Measured<'_>) -> io::Result<Self> {
        let Some(baseline) = baseline else { return Ok(self) };
        let statuses = baseline.statuses(measured, &self.findings)?;
        self.findings.iter_mut().zip(statuses).for_each(|(row, status)| row.baseline_status = Some(status));
        self.findings.sort_by_key(|row| (row.waived().is_some(), row.baseline_status));
        Ok(self)
    }

    /// The numbers of findings that are not waived.
    pub fn counts(&self) -> Counts<'a> {
        let mut counts = Counts::default();
        for row in self.findings.iter().filter(|row| row.waived().is_none()) {
            row.findings().for_each(|finding| counts.add(finding, row.severity));
        }
        counts
    }

    /// Records which waivers cover a finding.
    pub fn note_uses(&self, uses: &mut Uses<'_>) {
        for row in &self.findings {
            uses.cover(&row.waivers, row.count);
        }
    }
}

/// Folds findings about one subject that differ only in numbers. A mesh with a thousand bad hulls has one row, which
/// lists them all. Findings of different members or objects are never folded, even with the same UUID. They may have
/// different owners, and a waiver may name one of them.
fn fold<'a>(measured: &Measured<'a>, findings: &'a [(Severity, Finding)]) -> Vec<ReportedFinding<'a>> {
    let identities = Identities::new(measured);
    let mut rows: HashMap<(u64, String, &str, Option<Uuid>), usize> = HashMap::new();
    // For each fingerprint: number of rows, and the last row.
    let mut last: HashMap<u64, (usize, usize)> = HashMap::new();
    let mut folded: Vec<ReportedFinding<'a>> = Vec::new();
    for (severity, finding) in findings {
        let fingerprint = identities.fingerprint(finding);
        let of_fingerprint = last.entry(fingerprint).or_default();
        let Place { entry, object, .. } = &finding.place;
        let row = match rows.entry((fingerprint, finding.says(), entry, *object)) {
            Entry::Occupied(row) => Some(*row.get()),
            Entry::Vacant(_) if of_fingerprint.0 == ROWS => Some(of_fingerprint.1),
            Entry::Vacant(row) => {
                row.insert(folded.len());
                *of_fingerprint = (of_fingerprint.0 + 1, folded.len());
                None
            }
        };
        if let Some(row) = row {
            folded[row].count += finding.count;
            folded[row].others.push(finding);
            continue;
        }
        let content_fingerprint = identities.content_fingerprint(finding).unwrap_or(fingerprint);
        let object = identities.object(&finding.place);
        folded.push(ReportedFinding {
            severity: *severity,
            finding,
            others: Vec::new(),
            count: finding.count,
            object: object.map(|(_, object)| object),
            object_number: object.map(|(number, _)| number),
            land: identities.land(&finding.place.entry),
            waivers: Vec::new(),
            baseline_status: None,
            fingerprint,
            content_fingerprint,
        });
    }
    folded
}

impl<'a> ReportedFinding<'a> {
    /// Returns the waiver in force; of several, the one that ends last. `None` without a waiver in force.
    pub fn waived(&self) -> Option<&'a Waiver> {
        let in_force = self.waivers.iter().copied().filter(|waiver| waiver.is_in_force());
        in_force.reduce(|last, waiver| if waiver.ends_after(last) { waiver } else { last })
    }

    /// Returns all findings of the row.
    pub fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        [self.finding].into_iter().chain(self.others.iter().copied())
    }

    /// Describes the location and measured value of each other finding that differs from the first. The number of
    /// findings that were only counted follows.
    pub fn also_at(&self) -> String {
        let mut words: Vec<String> =
            self.others.iter().filter_map(|other| difference(self.finding, other)).collect();
        words.dedup();
        let more = self.count.saturating_sub(1 + self.others.len() as u64);
        if more > 0 {
            words.push(format!("{more} more"));
        }
        words.join(", ")
    }
}

/// Describes how a finding differs from the first of its row: location, and in brackets the measured value or the text.
fn difference(first: &Finding, other: &Finding) -> Option<String> {
    let (before, place) = (&first.place, &other.place);
    let mut words = Vec::new();
    if place.entry != before.entry {
        words.push(place.entry.clone());
    }
    let object = other_than(before.object, place.object).map(|object| object.to_string());
    let link = other_than(before.link_number, place.link_number).map(|link| format!("link {link}"));
    let index = other_than(before.index, place.index).map(|index| format!("number {index}"));
    let offset = other_than(before.offset, place.offset).map(|offset| format!("byte {offset}"));
    words.extend([object, link, index, offset].into_iter().flatten());
    let mut says = Vec::new();
    if !numbers_are_shown(first, other) {
        says.push(other.detail.clone());
    }
    if (other.measured, other.limit) != (first.measured, first.limit) {
        let numbers = [other.measured, other_than(first.limit, other.limit)];
        says.extend(
            numbers
                .into_iter()
                .flatten()
                .map(plain)
                .reduce(|measured, limit| format!("{measured} of {limit}")),
        );
    }
    if !says.is_empty() {
        words.push(format!("({})", says.join("; ")));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn other_than<T: PartialEq + Copy>(first: Option<T>, other: Option<T>) -> Option<T> {
    other.filter(|_| other != first)
}

/// Whether each number in the text of a finding is in the text of the first, or is its location, measured value or
/// limit.
fn numbers_are_shown(first: &Finding, other: &Finding) -> bool {
    if first.says() != other.says() {
        return false;
    }
    let place = &other.place;
    let measures = [other.measured, other.limit].into_iter().flatten().map(plain);
    let places =
        [place.index.map(u64::from), place.offset].into_iter().flatten().map(|number| number.to_string());
    let shown: Vec<String> =
        measures.chain(places).chain(place.link_number.map(|link| link.to_string())).collect();
    let same = numbers(&first.detail).zip(numbers(&other.detail));
    same.into_iter().all(|(before, number)| before == number || shown.iter().any(|shown| shown == number))
}

/// Returns the whole numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty())
}

/// Keys that match an input and its regions across runs, regardless of the date in the file name.
struct Identities<'m, 'a> {
    /// The input itself.
    input: String,
    /// Its regions by their folders.
    regions: HashMap<&'a str, String>,
    /// The numbers of its regions by their folders and parcels.
    lands: HashMap<&'a str, u32>,
    /// Objects by their entry and root.
    objects: HashMap<(&'a str, Uuid), (usize, &'a ObjectFacts)>,
    measured: &'m Measured<'a>,
}

impl<'m, 'a> Identities<'m, 'a> {
    fn new(measured: &'m Measured<'a>) -> Self {
        let ledger = measured.ledger;
        let regions = ledger.regions.iter();
        let regions =
            regions.map(|region| (region.folder.as_str(), identity::of_region(ledger, region))).collect();
        let mut objects = HashMap::with_capacity(ledger.objects.len());
        for (number, object) in ledger.objects.iter().enumerate() {
            if let Some(root) = object.linkset.parts.first() {
                objects.entry((object.entry.as_str(), root.uuid)).or_insert((number, object));
            }
        }
        let lands = regions_by_entry(ledger);
        Self { input: identity::of_input(ledger), regions, lands, objects, measured }
    }

    /// Returns the object at a place, with its number.
    fn object(&self, place: &Place) -> Option<(usize, &'a ObjectFacts)> {
        self.objects.get(&(place.entry.as_str(), place.object?)).copied()
    }

    /// Returns the folder of the region where the object of a place is rezzed. `None` for a root prim without UUID.
    fn region_of_object(&self, place: &Place) -> Option<&'a str> {
        let (_, object) = self.object(place).filter(|(_, object)| object.role == Role::Rezzed)?;
        let region = self.measured.ledger.regions.get(object.region? as usize)?;
        place.object.filter(|root| !root.is_nil()).map(|_| region.folder.as_str())
    }

    /// Returns the hash of rule, region, subject and aspect. A number, a line or an order never counts.
    fn fingerprint(&self, finding: &Finding) -> u64 {
        let Place { entry, object, part, asset, within, .. } = &finding.place;
        let id = |uuid: &Option<Uuid>| uuid.map(|uuid| uuid.to_string()).unwrap_or_default();
        let rezzed_in = self.region_of_object(&finding.place);
        let about = match catalogue::rule(finding.code).about {
            // The file name contains the position, and a moved object is the same object.
            Subject::Object | Subject::InWorld => match rezzed_in {
                Some(_) => [id(object), id(part), id(asset)].join("\n"),
                None => [entry.clone(), id(object), id(part), id(asset)].join("\n"),
            },
            Subject::Asset | Subject::Script | Subject::Mesh if asset.is_some() => id(asset),
            Subject::Asset | Subject::Script | Subject::Mesh | Subject::Entry => entry.clone(),
            Subject::Land | Subject::Region if object.is_some() => id(object),
            Subject::Land | Subject::Region | Subject::Inventory | Subject::Run => entry.clone(),
            Subject::Archive => String::new(),
        };
        let region = rezzed_in.or_else(|| self.folder_of(entry));
        let identity = region.and_then(|folder| self.regions.get(folder)).unwrap_or(&self.input);
        hash(finding, &format!("{identity}\n{about}\n{within}"))
    }

    /// Returns the hash of rule, region, content of the object and aspect. `None` for a finding about no object. Regions
    /// are named, because their UUIDs change, too.
    fn content_fingerprint(&self, finding: &Finding) -> Option<u64> {
        let Place { link_number, asset, within, .. } = &finding.place;
        let (number, object) = self.object(&finding.place)?;
        let region = object.region.and_then(|region| self.measured.ledger.regions.get(region as usize));
        let region = region.map(|region| region.name.as_str()).unwrap_or_default();
        let content = self.measured.objects.get(number)?.content;
        Some(hash(finding, &format!("{region}\n{content:016x} {link_number:?} {asset:?}\n{within}")))
    }

    /// Returns the number of the region that a member describes.
    fn land(&self, entry: &str) -> Option<usize> {
        let of_folder = || self.folder_of(entry).and_then(|folder| self.lands.get(folder));
        let land = self.lands.get(entry).filter(|_| !entry.is_empty()).or_else(of_folder);
        land.map(|&number| number as usize)
    }

    /// Returns the folder of the region that contains a member.
    fn folder_of<'e>(&self, entry: &'e str) -> Option<&'e str> {
        let inner = entry.strip_prefix("regions/").unwrap_or(entry);
        let folder = inner.split('/').next()?;
        self.regions.contains_key(folder).then_some(folder)
    }
}

/// Hashes a finding with its subject.
fn hash(finding: &Finding, subject: &str) -> u64 {
    let mut text = format!("{}\n{subject}", finding.code);
    if !finding.aspect.is_empty() {
        text += "\n";
        text += &finding.aspect;
    }
    xxh3_64(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_ledger::{Ledger, facts::Status};
    use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
    use hullmark_settings::{limits::Limits, profile::Profile};
    use hullmark_source as source;
    use proptest::prelude::*;
    use std::{
        collections::{BTreeMap, BTreeSet},
        path::{Path, PathBuf},
        sync::Mutex,
    };

    /// Number of findings by code and text.
    type Said = BTreeMap<(&'static str, String), u64>;

    fn said<'a>(findings: impl Iterator<Item = &'a Finding>) -> Said {
        findings.fold(Said::new(), |mut said, finding| {
            *said.entry((finding.code.name(), finding.says())).or_default() += finding.count;
            said
        })
    }

    /// Checks the properties that rows must have for any findings.
    fn assert_reported(measured: &Measured<'_>, findings: &[(Severity, Finding)]) {
        let reported = fold(measured, findings);
        let evaluated = said(findings.iter().map(|(_, finding)| finding));
        assert_eq!(
            evaluated,
            said(reported.iter().flat_map(ReportedFinding::findings)),
            "something is in no row"
        );
        let mut rows: HashMap<u64, Vec<&ReportedFinding<'_>>> = HashMap::new();
        reported.iter().for_each(|reported| rows.entry(reported.fingerprint).or_default().push(reported));
        assert!(rows.values().all(|rows| rows.len() <= ROWS));

        let mut multiplied = Said::new();
        for reported in &reported {
            let full = rows[&reported.fingerprint].len() == ROWS;
            assert_eq!(reported.count, reported.findings().map(|finding| finding.count).sum::<u64>());
            let also_at = reported.also_at();
            for other in &reported.others {
                let finding = reported.finding;
                assert_eq!((other.code, &other.aspect), (finding.code, &finding.aspect));
                // Each number appears in the row or in the place.
                let places = [other.place.index.map(u64::from), other.place.offset];
                let places = places.iter().flatten().map(u64::to_string);
                let measures = [other.measured, other.limit].into_iter().flatten().map(plain);
                let of_first = format!("{} {finding:?} {also_at}", catalogue::message(finding));
                for number in places.chain(measures).chain(numbers(&other.detail).map(str::to_owned)) {
                    assert!(of_first.contains(&number), "{number} is not in {of_first}");
                }
                if other.says() != finding.says() {
                    assert!(full && also_at.contains(&other.detail), "{} is hidden", other.detail);
                }
            }
            let says = (reported.finding.code.name(), reported.finding.says());
            *multiplied.entry(says).or_default() += reported.count;
        }
        if rows.values().all(|rows| rows.len() < ROWS) {
            assert_eq!(evaluated, multiplied, "a row has findings with different texts");
        }
        // The fingerprint of a finding does not depend on other findings.
        for (severity, finding) in findings {
            let alone = [(*severity, finding.clone())];
            let alone = fold(measured, &alone)[0].fingerprint;
            let row = reported
                .iter()
                .find(|reported| reported.findings().any(|other| std::ptr::eq(other, finding)));
            assert_eq!(row.map(|row| row.fingerprint), Some(alone));
        }
    }

    fn made() -> impl Strategy<Value = (Severity, Finding)> {
        let codes: Vec<Code> = Code::all().collect();
        let code = prop::sample::select(codes);
        let aspect = prop::sample::select(vec!["", "Min", "Max"]);
        let detail = prop_oneof![
            Just(String::new()),
            (0..9_u32).prop_map(|n| format!("submesh {n} has no Position")),
            (0..9_u32, 0..9_u32).prop_map(|(a, b)| format!("{a} of {b} hulls")),
            "[a-c]{1,3}",
        ];
        let place = (prop::option::of(0..5_u32), prop::option::of(0..5_u64), 0..3_u32, 0..2_u128);
        let numbers = (prop::option::of(0..4_u8), prop::option::of(0..4_u8), 1..4_u64);
        (code, aspect, detail, place, numbers).prop_map(|(code, aspect, detail, place, numbers)| {
            let ((index, offset, entry, asset), (measured, limit, count)) = (place, numbers);
            let mut finding =
                Finding::new(code).aspect(aspect).detail(detail).entry(format!("entry {entry}"));
            (finding.place.index, finding.place.offset) = (index, offset);
            finding.place.asset = (asset > 0).then(|| Uuid::from_u128(asset));
            (finding.measured, finding.limit) = (measured.map(f64::from), limit.map(f64::from));
            finding.count = count;
            (Severity::Warning, finding)
        })
    }

    proptest! {
        #[test]
        fn rows_represent_the_findings(mut findings in prop::collection::vec(made(), 0..60), one in any::<bool>()) {
            // Few codes produce many findings with the same fingerprint.
            if one {
                let code = findings.first().map(|(_, finding)| finding.code);
                findings.iter_mut().for_each(|(_, finding)| finding.code = code.unwrap_or(finding.code));
            }
            let ledger = Ledger::empty("a.oar", hullmark_ledger::InputKind::Oar, Status::Complete);
            let profile = Profile::default();
            assert_reported(&Measured::new(&ledger, &profile), &findings);
        }
    }

    #[test]
    fn words_of_a_stranger_make_no_endless_list_and_hide_nothing() {
        // Letters, because findings that differ only in numbers count as equal.
        let word = |n: u32| n.to_string().bytes().map(|c| char::from(c + 49)).collect::<String>();
        let finding = |n| Finding::new(Code::OBJ006).within("Flags").detail(format!("Flags: “{}”", word(n)));
        let findings: Vec<_> = (0..500).map(|n| (Severity::Warning, finding(n))).collect();
        let ledger = Ledger::empty("a.oar", hullmark_ledger::InputKind::Oar, Status::Complete);
        let profile = Profile::default();
        let measured = Measured::new(&ledger, &profile);
        assert_reported(&measured, &findings);
        let reported = fold(&measured, &findings);
        assert_eq!((reported.len(), reported[ROWS - 1].count), (ROWS, 500 - ROWS as u64 + 1));
        assert!(reported[ROWS - 1].also_at().ends_with(&format!("(Flags: “{}”)", word(499))));
    }

    /// Findings that a full list only counted have no details. The row reports their number.
    #[test]
    fn counts_of_a_full_list_are_kept_when_rows_are_folded() {
        let mut first = Finding::new(Code::MSH006).within("low_lod").index(3).measured(7);
        first.count = 40;
        let findings = [(Severity::Error, first.clone()), (Severity::Error, first.index(4).measured(9))];
        let ledger = Ledger::empty("a.oar", hullmark_ledger::InputKind::Oar, Status::Complete);
        let profile = Profile::default();
        let reported = fold(&Measured::new(&ledger, &profile), &findings);
        assert_eq!(
            (reported.len(), reported[0].count, reported[0].also_at()),
            (1, 80, "number 4 (9), 78 more".into())
        );
    }

    fn ledgers(paths: &[PathBuf]) -> Vec<Ledger> {
        let inputs = source::walk(paths, &[]).unwrap();
        let ledgers = Mutex::new(Vec::new());
        let keep = |ledger| {
            ledgers.lock().unwrap().push(ledger);
            Ok(())
        };
        read_inputs(&inputs, &ReadOptions::new(&Limits::default(), 2), &Unwatched, &keep).unwrap();
        ledgers.into_inner().unwrap()
    }

    /// Checks the samples, and real exports if they exist.
    #[test]
    fn findings_in_files_are_reported_in_full() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let profile = Profile::default();
        let mut aspects: BTreeSet<Code> = BTreeSet::new();
        let mut all = 0;
        let paths = ["sample_data", "tests/incomplete", "../shared/data"].map(|path| root.join(path));
        for ledger in ledgers(&paths.into_iter().filter(|path| path.exists()).collect::<Vec<_>>()) {
            let measured = Measured::new(&ledger, &profile);
            let evaluated = Evaluated::without_context(&measured);
            assert_reported(&measured, &evaluated.findings);
            all += evaluated.findings.len();
            let of_several = evaluated.findings.iter().filter(|(_, finding)| !finding.aspect.is_empty());
            aspects.extend(of_several.map(|(_, finding)| finding.code));
            // Rows of one fingerprint report the same about one subject. They differ only in texts of the export.
            let reported = fold(&measured, &evaluated.findings);
            let mut of_fingerprint: HashMap<u64, BTreeSet<String>> = HashMap::new();
            for reported in &reported {
                of_fingerprint
                    .entry(reported.fingerprint)
                    .or_default()
                    .insert(catalogue::message(reported.finding));
            }
            let several: Vec<_> = of_fingerprint.values().filter(|messages| messages.len() > 1).collect();
            assert!(several.is_empty(), "{}: one fingerprint for {several:?}", ledger.input);
        }
        assert!(all > 100 && aspects.contains(&Code::HUL007), "{all} {aspects:?}");
    }
}
