//! Differences between two runs.
//!
//! A missing finding or object is gone only if the run read the archive to its end; otherwise it is not compared. An
//! added archive is one change, and its findings are new. A removed archive is one change, and nothing of it is gone: it
//! was not read. Waived findings are neither new nor worse. File sizes are not compared, because packing changes them.

use super::{Archive, Figure, Finding, Findings, Linkset, OF_REGION, Region, Snapshot};
use crate::{
    finding::{Code, Severity},
    ledger::facts::Status,
    report::counts::SeverityCounts,
    util::{
        named,
        number_text::{self, thousands},
    },
};
use serde::Serialize;
use std::{
    cmp::{Ordering, Reverse},
    collections::HashSet,
};
use uuid::Uuid;

named! {
    /// Kind of change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum ChangeKind {
        /// A new finding.
        New = "new",
        /// A finding whose severity, count or distance from its limit increased.
        Worse = "worse",
        /// An archive that cannot be compared completely.
        NotCompared = "not_compared",
        /// An archive, region or object that only the earlier run has.
        Removed = "removed",
        /// An archive, region or object that only this run has.
        Added = "added",
        /// A number that increased.
        Increased = "increased",
        /// A number that decreased.
        Decreased = "decreased",
        /// A finding with another measured value, neither better nor worse.
        Changed = "changed",
        /// A finding whose severity, count or distance from its limit decreased.
        Better = "better",
        /// A finding that only the earlier run has.
        Gone = "gone",
    }
}

named! {
    /// What a change is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum What {
        /// A finding.
        Finding = "finding",
        /// An input.
        Archive = "archive",
        /// A region.
        Region = "region",
        /// A linkset.
        Object = "object",
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// Kind of change.
    pub became: ChangeKind,
    /// What changed.
    pub what: What,
    /// Severity of the finding; its last severity if it is gone.
    pub severity: Option<Severity>,
    /// Severity in the earlier run, if it differs.
    pub severity_before: Option<Severity>,
    /// Code of the rule.
    pub code: Option<Code>,
    /// Column whose number changed.
    pub measure: Option<&'static str>,
    /// Number in the earlier run.
    pub before: Option<f64>,
    /// Number in this run.
    pub after: Option<f64>,
    /// Whether both numbers are lower bounds, because a summand is unknown.
    pub at_least: bool,
    /// Message of the finding, or a remark on the change.
    pub message: String,
    /// Name of the object, or the entry.
    pub name: String,
    /// UUID of the root prim.
    pub object_uuid: Option<Uuid>,
    /// Owner of the object.
    pub owner_uuid: Option<Uuid>,
    /// Name of the region.
    pub region: String,
    /// Path of the archive; its last path if it was removed.
    pub archive: String,
    /// Key that matches the archive across runs.
    #[serde(rename = "home")]
    pub identity: String,
    /// Key that matches the finding across runs, as 16 hexadecimal digits.
    pub fingerprint: Option<String>,
}

impl Change {
    fn new(became: ChangeKind, what: What, archive: &Archive) -> Self {
        Self {
            became,
            what,
            severity: None,
            severity_before: None,
            code: None,
            measure: None,
            before: None,
            after: None,
            at_least: false,
            message: String::new(),
            name: String::new(),
            object_uuid: None,
            owner_uuid: None,
            region: String::new(),
            archive: archive.input.name.clone(),
            identity: archive.identity.clone(),
            fingerprint: None,
        }
    }

    /// The number now minus the number before.
    pub fn difference(&self) -> Option<f64> {
        Some(self.after? - self.before?)
    }

    /// The difference in percent of the number before.
    pub fn percent(&self) -> Option<f64> {
        let before = self.before.filter(|before| *before != 0.0)?;
        Some(100.0 * self.difference()? / before.abs())
    }

    /// Orders changes, the worst first: new findings, then archives and regions, which may be their cause, then the
    /// rest.
    fn order(&self, other: &Self) -> Ordering {
        let group = |change: &Self| match (change.what, change.became) {
            (What::Finding, ChangeKind::New) => 0,
            (What::Finding, ChangeKind::Worse) => 1,
            (What::Archive, _) => 2,
            (What::Region, _) => 3,
            (What::Finding, _) => 4,
            (What::Object, _) => 5,
        };
        let key = |change: &Self| (group(change), Reverse(change.severity), change.became);
        let size = |change: &Self| change.difference().map_or(0.0, f64::abs);
        let place = |change: &Self| {
            (change.code, change.identity.clone(), change.region.clone(), change.name.clone())
        };
        let rest = |change: &Self| {
            (change.object_uuid, change.measure, change.fingerprint.clone(), change.message.clone())
        };
        key(self)
            .cmp(&key(other))
            .then_with(|| size(other).total_cmp(&size(self)))
            .then_with(|| place(self).cmp(&place(other)))
            .then_with(|| rest(self).cmp(&rest(other)))
            // Added and removed rows lack one of the numbers, so their sizes are equal.
            .then_with(|| self.before.partial_cmp(&other.before).unwrap_or(Ordering::Equal))
            .then_with(|| self.after.partial_cmp(&other.after).unwrap_or(Ordering::Equal))
    }
}

/// Numbers of changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// New findings.
    pub new: SeverityCounts,
    /// Worse findings.
    pub worse: SeverityCounts,
    /// Better findings.
    pub better: u64,
    /// Findings with another measured value.
    pub changed: u64,
    /// Findings that are gone.
    pub gone: SeverityCounts,
    /// Added archives.
    pub archives_came: u64,
    /// Removed archives.
    pub archives_went: u64,
    /// Archives that cannot be compared completely.
    pub not_compared: u64,
    /// Added objects.
    pub objects_came: u64,
    /// Removed objects.
    pub objects_went: u64,
    /// Numbers of objects that increased.
    pub objects_grew: u64,
    /// Numbers of objects that decreased.
    pub objects_shrank: u64,
    /// All changes of archives.
    pub of_archives: u64,
    /// All changes of regions.
    pub of_regions: u64,
}

/// Differences between two runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Sentences about differences of version, rules or target, to read first.
    pub notes: Vec<String>,
    /// Numbers of changes.
    pub counts: Counts,
    /// All changes, the worst first.
    pub rows: Vec<Change>,
}

/// The changes in pages and `audit.json`: the first of each list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangesSummary {
    /// Sentences about differences of version, rules or target, to read first.
    pub notes: Vec<String>,
    /// Numbers of changes.
    pub counts: Counts,
    /// New and worse findings, the worst first: the first of each code.
    pub worst: Vec<First>,
    /// Archives that were added or removed, cannot be compared, or have other numbers.
    pub archives: Vec<Change>,
    /// Regions with the greatest differences in costs or contents.
    pub regions: Vec<Change>,
}

/// The first finding of one code and kind of change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct First {
    /// Number of findings.
    pub count: u64,
    /// The first finding.
    pub first: Change,
}

impl Counts {
    /// Returns the severity of the worst new or worse finding.
    pub fn worst(&self) -> Option<Severity> {
        self.new.worst().max(self.worse.worst())
    }
}

impl ChangesSummary {
    /// Returns the counts as sentences.
    pub fn sentences(&self) -> Vec<String> {
        let counts = &self.counts;
        let severities = |counts: &SeverityCounts| {
            let found = Severity::WORST_FIRST.into_iter().filter(|&severity| counts.get(severity) > 0);
            found.map(|severity| counts.in_words(severity)).collect::<Vec<_>>().join(", ")
        };
        let findings = [("new", &counts.new), ("worse", &counts.worse), ("gone", &counts.gone)];
        let findings = findings.map(|(name, counts)| match counts.all() {
            0 => format!("0 {name}"),
            all => format!("{} {name} ({})", thousands(all), severities(counts)),
        });
        let mut sentences = vec![format!(
            "Findings since the earlier run: {}; {} better, {} changed.",
            findings.join("; "),
            thousands(counts.better),
            thousands(counts.changed)
        )];
        let mut add = |what: &str, numbers: &[(u64, &str)]| {
            let words = numbers.iter().filter(|(count, _)| *count > 0);
            let words: Vec<_> = words.map(|(count, word)| format!("{} {word}", thousands(*count))).collect();
            if !words.is_empty() {
                sentences.push(format!("{what}: {}.", words.join(", ")));
            }
        };
        add(
            "Archives",
            &[
                (counts.archives_came, "added"),
                (counts.archives_went, "removed"),
                (counts.not_compared, "not compared completely, because they were not fully read"),
            ],
        );
        add(
            "Objects",
            &[
                (counts.objects_came, "added"),
                (counts.objects_went, "removed"),
                (counts.objects_grew, "numbers increased"),
                (counts.objects_shrank, "numbers decreased"),
            ],
        );
        add("Regions", &[(counts.of_regions, "numbers changed")]);
        sentences
    }
}

impl Changes {
    /// Compares a run with an earlier one.
    pub fn between(old: &Snapshot, new: &Snapshot) -> Self {
        let mut changes = Self { notes: notes(old, new), ..Self::default() };
        let mut compared = HashSet::new();
        for (key, after) in &new.archives {
            match old.same(key, &after.identity, |moved| new.archives.contains_key(moved)) {
                Some((key, before)) if compared.insert(key) => {
                    match old.unique_fingerprints == new.unique_fingerprints {
                        true => changes.of_archive(before, after, &before.findings, &after.findings),
                        false => {
                            let (known, found) = (before.by_old_fingerprint(), after.by_old_fingerprint());
                            changes.of_archive(before, after, &known, &found);
                        }
                    }
                }
                _ => {
                    changes.of_one(ChangeKind::Added, after);
                    for ((code, _), finding) in after.findings.iter().filter(|(_, finding)| !finding.waived) {
                        changes.rows.push(of_finding(ChangeKind::New, after, *code, finding));
                    }
                }
            }
        }
        for (_, before) in old.archives.iter().filter(|(key, _)| !compared.contains(key.as_str())) {
            changes.of_one(ChangeKind::Removed, before);
        }
        changes.rows.sort_by(Change::order);
        changes.count();
        changes
    }

    /// Returns the first of each list.
    pub fn summary(&self, top: usize) -> ChangesSummary {
        let first =
            |of: fn(&Change) -> bool| self.rows.iter().filter(|row| of(row)).take(top).cloned().collect();
        ChangesSummary {
            notes: self.notes.clone(),
            counts: self.counts.clone(),
            worst: self.firsts(),
            archives: first(|row| row.what == What::Archive),
            regions: first(|row| row.what == What::Region),
        }
    }

    /// Returns the first new or worse finding of each code and severity.
    fn firsts(&self) -> Vec<First> {
        let mut firsts: Vec<First> = Vec::new();
        let new = |row: &&Change| {
            row.what == What::Finding && matches!(row.became, ChangeKind::New | ChangeKind::Worse)
        };
        for row in self.rows.iter().filter(new) {
            let same = |first: &&mut First| {
                let first = &first.first;
                (first.became, first.severity, first.code) == (row.became, row.severity, row.code)
            };
            match firsts.iter_mut().find(same) {
                Some(first) => first.count += 1,
                None => firsts.push(First { count: 1, first: row.clone() }),
            }
        }
        firsts
    }

    fn count(&mut self) {
        let counts = &mut self.counts;
        for row in &self.rows {
            let severity = row.severity.unwrap_or(Severity::Info);
            counts.of_archives += u64::from(row.what == What::Archive);
            counts.of_regions += u64::from(row.what == What::Region);
            match (row.what, row.became) {
                (What::Finding, ChangeKind::New) => counts.new.add(severity, 1),
                (What::Finding, ChangeKind::Worse) => counts.worse.add(severity, 1),
                (What::Finding, ChangeKind::Better) => counts.better += 1,
                (What::Finding, ChangeKind::Gone) => counts.gone.add(severity, 1),
                (What::Finding, _) => counts.changed += 1,
                (What::Archive, ChangeKind::Added) => counts.archives_came += 1,
                (What::Archive, ChangeKind::Removed) => counts.archives_went += 1,
                (What::Archive, ChangeKind::NotCompared) => counts.not_compared += 1,
                (What::Object, ChangeKind::Added) => counts.objects_came += 1,
                (What::Object, ChangeKind::Removed) => counts.objects_went += 1,
                (What::Object, ChangeKind::Increased) => counts.objects_grew += 1,
                (What::Object, _) => counts.objects_shrank += 1,
                _ => {}
            }
        }
    }

    /// Adds an archive that only one run has, with its contents in a line.
    fn of_one(&mut self, became: ChangeKind, archive: &Archive) {
        if archive.is_absent() {
            return;
        }
        let brief = &archive.input.brief;
        let objects = brief.objects + brief.nested_objects + brief.loose_objects;
        let assets = brief.assets + brief.empty_assets;
        let contents = [(objects, "object"), (assets, "asset"), (archive.findings.len() as u64, "finding")];
        let contents = contents.map(|(count, what)| number_text::counted(count, what)).join(", ");
        let message = match became {
            ChangeKind::Added => format!("{contents}; all findings are new"),
            _ => format!("{contents} in the earlier run; no finding counts as gone"),
        };
        self.rows.push(Change { message, ..Change::new(became, What::Archive, archive) });
    }

    /// Compares an archive of both runs, and its findings by fingerprints that both runs know.
    fn of_archive(&mut self, before: &Archive, after: &Archive, known: &Findings, found: &Findings) {
        let mut not_compared = 0_u64;
        for (key, finding) in found.iter().filter(|(_, finding)| !finding.waived) {
            match known.get(key) {
                Some(known) => {
                    if let Some(became) = finding.change_from(known, key.0) {
                        self.rows.push(of_both(became, after, key.0, known, finding));
                    }
                }
                None if before.is_whole() => {
                    self.rows.push(of_finding(ChangeKind::New, after, key.0, finding));
                }
                None => not_compared += 1,
            }
        }
        for (key, finding) in known.iter().filter(|(key, _)| !found.contains_key(*key)) {
            match after.is_whole() {
                true => self.rows.push(of_finding(ChangeKind::Gone, after, key.0, finding)),
                false => not_compared += 1,
            }
        }
        for (key, linkset) in &after.linksets {
            match before.linksets.get(key) {
                Some(known) => self.numbers(
                    &of_linkset(ChangeKind::Increased, after, linkset),
                    &linkset_numbers(known, linkset),
                ),
                None if before.is_whole() => {
                    self.rows.push(of_linkset(ChangeKind::Added, after, linkset));
                }
                None => not_compared += 1,
            }
        }
        for (_, linkset) in before.linksets.iter().filter(|(key, _)| !after.linksets.contains_key(*key)) {
            match after.is_whole() {
                true => self.rows.push(of_linkset(ChangeKind::Removed, after, linkset)),
                false => not_compared += 1,
            }
        }
        if before.is_whole() && after.is_whole() {
            let numbers = archive_numbers(before, after);
            self.numbers(&Change::new(ChangeKind::Increased, What::Archive, after), &numbers);
            self.regions(before, after);
        } else {
            let (which, status) = match after.is_whole() {
                true => ("The earlier run", before.input.brief.status),
                false => ("This run", after.input.brief.status),
            };
            let failure = match status {
                Status::NotCovered => "did not cover it".to_owned(),
                _ => format!("did not read it to its end ({})", status.name()),
            };
            let message = format!(
                "{which} {failure}. Sums are not compared; {} that only the other run has are not compared",
                match not_compared {
                    1 => "1 finding or object".to_owned(),
                    count => format!("{} findings and objects", thousands(count)),
                }
            );
            let row = Change::new(ChangeKind::NotCompared, What::Archive, after);
            self.rows.push(Change { message, ..row });
        }
    }

    fn regions(&mut self, before: &Archive, after: &Archive) {
        let of = |became, region: &Region| Change {
            region: region.name.clone(),
            name: region.name.clone(),
            ..Change::new(became, What::Region, after)
        };
        for (identity, region) in &after.regions {
            match before.regions.get(identity) {
                Some(known) => {
                    let measures = OF_REGION.iter().map(|(measure, _)| measure.name());
                    let numbers = measures.zip(known.numbers).zip(region.numbers);
                    let numbers: Vec<_> = numbers.map(|((name, was), is)| (name, was, is)).collect();
                    self.numbers(&of(ChangeKind::Increased, region), &numbers);
                }
                None => self.rows.push(of(ChangeKind::Added, region)),
            }
        }
        for (_, region) in
            before.regions.iter().filter(|(identity, _)| !after.regions.contains_key(*identity))
        {
            self.rows.push(of(ChangeKind::Removed, region));
        }
    }

    /// Adds a row for each changed number.
    fn numbers(&mut self, row: &Change, numbers: &[Number]) {
        for &(measure, before, after) in numbers {
            let (Some(before), Some(after)) = (before, after) else { continue };
            // A lower bound and an exact number cannot be compared.
            if before.bound != after.bound || same(before.value, after.value) {
                continue;
            }
            let became =
                if after.value > before.value { ChangeKind::Increased } else { ChangeKind::Decreased };
            self.rows.push(Change {
                became,
                measure: Some(measure),
                before: Some(before.value),
                after: Some(after.value),
                at_least: after.bound,
                ..row.clone()
            });
        }
    }
}

/// Whether two numbers differ by at most a millionth: sums depend on the order of their summands.
pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// A number: its column, its value before and its value now.
type Number = (&'static str, Option<Figure>, Option<Figure>);

fn counted(measure: &'static str, before: u64, after: u64) -> Number {
    let figure = |value: u64| Some(Figure { value: value as f64, bound: false });
    (measure, figure(before), figure(after))
}

fn archive_numbers(before: &Archive, after: &Archive) -> [Number; 6] {
    let (was, is) = (&before.input.brief, &after.input.brief);
    [
        counted("assets", was.assets + was.empty_assets, is.assets + is.empty_assets),
        counted("empty_assets", was.empty_assets, is.empty_assets),
        counted("objects", was.objects, is.objects),
        counted("parts", before.parts, after.parts),
        counted("nested_objects", was.nested_objects, is.nested_objects),
        counted("loose_objects", was.loose_objects, is.loose_objects),
    ]
}

fn linkset_numbers(before: &Linkset, after: &Linkset) -> [Number; 5] {
    [
        counted("count", before.count.into(), after.count.into()),
        counted("parts", before.parts.into(), after.parts.into()),
        counted("scripts", before.scripts.into(), after.scripts.into()),
        ("land_impact", before.land_impact, after.land_impact),
        ("physics_cost", before.physics_cost, after.physics_cost),
    ]
}

fn of_linkset(became: ChangeKind, archive: &Archive, linkset: &Linkset) -> Change {
    let message = match linkset.count {
        1 => String::new(),
        count => format!("{} objects with the same key; numbers are sums", thousands(count.into())),
    };
    // The number of prims describes an added or removed object.
    let parts = Some(f64::from(linkset.parts));
    let (measure, before, after) = match became {
        ChangeKind::Added => (Some("parts"), None, parts),
        ChangeKind::Removed => (Some("parts"), parts, None),
        _ => (None, None, None),
    };
    Change {
        message,
        measure,
        before,
        after,
        name: linkset.name.to_string(),
        object_uuid: Some(linkset.uuid).filter(|uuid| !uuid.is_nil()),
        owner_uuid: Some(linkset.owner).filter(|uuid| !uuid.is_nil()),
        region: linkset.region.as_deref().unwrap_or_default().to_owned(),
        ..Change::new(became, What::Object, archive)
    }
}

fn of_finding(became: ChangeKind, archive: &Archive, code: Code, finding: &Finding) -> Change {
    Change {
        severity: Some(finding.severity),
        code: Some(code),
        message: finding.message.to_string(),
        name: finding.about.to_string(),
        object_uuid: Some(finding.object).filter(|uuid| !uuid.is_nil()),
        region: finding.region.to_string(),
        fingerprint: Some(format!("{:016x}", finding.fingerprint)),
        ..Change::new(became, What::Finding, archive)
    }
}

/// Returns the change of a finding in both runs, with the number that changed.
fn of_both(became: ChangeKind, archive: &Archive, code: Code, before: &Finding, after: &Finding) -> Change {
    let (measure, was, is) = match before.count == after.count {
        true => ("measured", before.measured, after.measured),
        false => ("count", Some(before.count as f64), Some(after.count as f64)),
    };
    let differs = was.zip(is).is_none_or(|(was, is)| !same(was, is));
    Change {
        severity_before: Some(before.severity).filter(|severity| *severity != after.severity),
        measure: differs.then_some(measure),
        before: was.filter(|_| differs),
        after: is.filter(|_| differs),
        ..of_finding(became, archive, code, after)
    }
}

impl Finding {
    /// Returns the kind of change since an earlier run. `None` without a change. Measured values are compared only if
    /// the row was one finding in both runs, because the first of several is arbitrary. A greater age is no change,
    /// because ages always grow.
    pub fn change_from(&self, before: &Self, code: Code) -> Option<ChangeKind> {
        let worse = |greater: bool| if greater { ChangeKind::Worse } else { ChangeKind::Better };
        if self.severity != before.severity {
            return Some(worse(self.severity > before.severity));
        }
        if self.count != before.count {
            return Some(worse(self.count > before.count));
        }
        let (was, is) = before.measured.zip(self.measured).filter(|_| self.count == 1)?;
        if same(was, is) || code == Code::HIS002 && is > was {
            return None;
        }
        let distance = |finding: &Self| Some((finding.measured? - finding.limit?).abs());
        match distance(before).zip(distance(self)) {
            Some((was, is)) if !same(was, is) => Some(worse(is > was)),
            _ => Some(ChangeKind::Changed),
        }
    }
}

/// Describes differences of version, rules or target that may explain other differences.
fn notes(old: &Snapshot, new: &Snapshot) -> Vec<String> {
    let (before, after) = (&old.provenance, &new.provenance);
    let mut notes = Vec::new();
    let differ = |what: &str, was: &str, is: &str| {
        format!(
            "{what} differ ({was} before, {is} now). Some changes may come from that, not from the exports."
        )
    };
    if before.program != after.program {
        notes.push(differ("The versions of hullmark", &before.program, &after.program));
    } else if before.rules != after.rules {
        notes.push(differ("The rules", &before.rules, &after.rules));
    }
    if before.profile != after.profile {
        let name =
            |run: &Snapshot| run.provenance.profile["description"].as_str().unwrap_or("unknown").to_owned();
        match (name(old), name(new)) {
            (was, is) if was != is => notes.push(differ("The targets", &was, &is)),
            (name, _) => notes.push(format!(
                "The settings of the target ({name}) differ in limits or selected rules. Some changes may come from that, \
                 not from the exports."
            )),
        }
    }
    if before.filter != after.filter {
        notes.push(
            "The two reports are filtered by different owners, regions or severities. Rows that only one of them \
             leaves out count as new or gone."
                .into(),
        );
    }
    let older = |run: &str, count: u64| {
        (count > 0).then(|| match count {
            1 => format!("1 archive of {run} is not compared: a newer one is."),
            _ => format!("{} archives of {run} are not compared: newer ones are.", thousands(count)),
        })
    };
    notes.extend(older("the earlier run", old.older));
    notes.extend(older("this run", new.older));
    notes
}
