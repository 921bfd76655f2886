//! How a night differs from an earlier one.
//!
//! What a night lacks is gone only where that night read the archive to its end; else it is not compared. An archive
//! that came is one change, and its findings are new; one that went is one change, and nothing of it is gone, because
//! nobody looked. What is waived now is neither new nor worse. Sizes on the disk are not compared: packing alone
//! changes them.

use super::{Archive, Figure, Finding, Findings, Linkset, OF_REGION, Region, Snapshot};
use crate::{
    finding::{Code, Severity},
    ledger::facts::Status,
    report::counts::SeverityCounts,
    util::{named, number_text::thousands},
};
use serde::Serialize;
use std::{
    cmp::{Ordering, Reverse},
    collections::HashSet,
};
use uuid::Uuid;

named! {
    /// What became of something.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum ChangeKind {
        /// A finding that was not there.
        New = "new",
        /// A finding whose severity, number or distance from its limit is greater.
        Worse = "worse",
        /// An archive of which not all can be compared.
        NotCompared = "not_compared",
        /// What is there no more.
        #[serde(rename = "went")]
        Removed = "went",
        /// What was not there.
        #[serde(rename = "came")]
        Added = "came",
        /// A number that is greater.
        #[serde(rename = "grew")]
        Increased = "grew",
        /// A number that is smaller.
        #[serde(rename = "shrank")]
        Decreased = "shrank",
        /// A finding that measured something else, neither better nor worse.
        Changed = "changed",
        /// A finding whose severity, number or distance from its limit is smaller.
        Better = "better",
        /// A finding that is there no more.
        Gone = "gone",
    }
}

named! {
    /// What changed.
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
    /// What became of it.
    pub became: ChangeKind,
    /// What it is.
    pub what: What,
    /// How bad the finding is; where it is gone, how bad it was.
    pub severity: Option<Severity>,
    /// How bad it was, where that differs.
    pub severity_before: Option<Severity>,
    /// Its code.
    pub code: Option<Code>,
    /// The column that differs, where it is a number.
    pub measure: Option<&'static str>,
    /// The number before.
    pub before: Option<f64>,
    /// The number now.
    pub after: Option<f64>,
    /// Whether something in either is not known, so that both are lower bounds.
    pub at_least: bool,
    /// What was found, or is to be said.
    pub message: String,
    /// Name of the object, or the entry.
    pub name: String,
    /// UUID of the object's root.
    pub object_uuid: Option<Uuid>,
    /// Who owns it.
    pub owner_uuid: Option<Uuid>,
    /// Name of the region.
    pub region: String,
    /// Path of the archive; where it is there no more, its last.
    pub archive: String,
    /// What tells the archive again.
    pub home: String,
    /// What tells the finding again, as 16 hexadecimal digits.
    pub fingerprint: Option<String>,
}

impl Change {
    fn of(became: ChangeKind, what: What, archive: &Archive) -> Self {
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
            home: archive.home.clone(),
            fingerprint: None,
        }
    }

    /// By how much the number is greater now.
    pub fn difference(&self) -> Option<f64> {
        Some(self.after? - self.before?)
    }

    /// That as a share of what it was, in percent.
    pub fn percent(&self) -> Option<f64> {
        let before = self.before.filter(|before| *before != 0.0)?;
        Some(100.0 * self.difference()? / before.abs())
    }

    /// The worst first: what is new, then what that may come from, then the rest.
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
        let place =
            |change: &Self| (change.code, change.home.clone(), change.region.clone(), change.name.clone());
        let rest = |change: &Self| {
            (change.object_uuid, change.measure, change.fingerprint.clone(), change.message.clone())
        };
        key(self)
            .cmp(&key(other))
            .then_with(|| size(other).total_cmp(&size(self)))
            .then_with(|| place(self).cmp(&place(other)))
            .then_with(|| rest(self).cmp(&rest(other)))
            // Of what came or went one of the numbers is none, so that the size is the same.
            .then_with(|| self.before.partial_cmp(&other.before).unwrap_or(Ordering::Equal))
            .then_with(|| self.after.partial_cmp(&other.after).unwrap_or(Ordering::Equal))
    }
}

/// How many changes there are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Findings that were not there.
    pub new: SeverityCounts,
    /// Findings that got worse.
    pub worse: SeverityCounts,
    /// Findings that got better.
    pub better: u64,
    /// Findings that measured something else.
    pub changed: u64,
    /// Findings that are there no more.
    pub gone: SeverityCounts,
    /// Archives that came.
    pub archives_came: u64,
    /// Archives that went.
    pub archives_went: u64,
    /// Archives of which not all can be compared.
    pub not_compared: u64,
    /// Objects that came.
    pub objects_came: u64,
    /// Objects that went.
    pub objects_went: u64,
    /// Numbers of objects that grew.
    pub objects_grew: u64,
    /// Numbers of objects that shrank.
    pub objects_shrank: u64,
    /// Changes of archives in all.
    pub of_archives: u64,
    /// Changes of regions in all.
    pub of_regions: u64,
}

/// How two nights differ.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// What must be known before the rest is believed, in sentences.
    pub notes: Vec<String>,
    /// How many there are.
    pub counts: Counts,
    /// All of them, the worst first.
    pub rows: Vec<Change>,
}

/// The changes as pages and `audit.json` tell them: the first of each list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangesSummary {
    /// What must be known before the rest is believed, in sentences.
    pub notes: Vec<String>,
    /// How many there are.
    pub counts: Counts,
    /// The findings that are new or worse, the worst first: the first of each code.
    pub worst: Vec<First>,
    /// Archives that came, went, or cannot be compared, and what they hold more or less of.
    pub archives: Vec<Change>,
    /// Regions whose costs or contents differ most.
    pub regions: Vec<Change>,
}

/// The first of the findings of one code that became the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct First {
    /// How many there are.
    pub count: u64,
    /// The first.
    pub first: Change,
}

impl Counts {
    /// How bad the worst finding is that is new or got worse.
    pub fn worst(&self) -> Option<Severity> {
        self.new.worst().max(self.worse.worst())
    }
}

impl ChangesSummary {
    /// The counts in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let counts = &self.counts;
        let severities = |counts: &SeverityCounts| {
            let each = Severity::WORST_FIRST.map(|severity| (counts.of(severity), severity));
            let each = each.iter().filter(|(count, _)| *count > 0);
            each.map(|(count, severity)| format!("{} {severity}", thousands(*count)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let findings = [("new", &counts.new), ("worse", &counts.worse), ("gone", &counts.gone)];
        let findings = findings.map(|(name, counts)| match counts.all() {
            0 => format!("none {name}"),
            all => format!("{} {name} ({})", thousands(all), severities(counts)),
        });
        let mut sentences = vec![format!(
            "Findings since the earlier night: {}; {} better, {} changed.",
            findings.join("; "),
            thousands(counts.better),
            thousands(counts.changed)
        )];
        let mut add = |what: &str, numbers: &[(u64, &str)]| {
            let said = numbers.iter().filter(|(count, _)| *count > 0);
            let said: Vec<_> = said.map(|(count, word)| format!("{} {word}", thousands(*count))).collect();
            if !said.is_empty() {
                sentences.push(format!("{what}: {}.", said.join(", ")));
            }
        };
        add(
            "Archives",
            &[
                (counts.archives_came, "came"),
                (counts.archives_went, "went"),
                (counts.not_compared, "not compared as a whole, because not all was read"),
            ],
        );
        add(
            "Objects",
            &[
                (counts.objects_came, "came"),
                (counts.objects_went, "went"),
                (counts.objects_grew, "numbers grew"),
                (counts.objects_shrank, "numbers shrank"),
            ],
        );
        add("Regions", &[(counts.of_regions, "numbers differ")]);
        sentences
    }
}

impl Changes {
    /// Compares a night with an earlier one.
    pub fn between(old: &Snapshot, new: &Snapshot) -> Self {
        let mut changes = Self { notes: notes(old, new), ..Self::default() };
        let mut compared = HashSet::new();
        for (key, after) in &new.archives {
            match old.same(key, &after.home, |moved| new.archives.contains_key(moved)) {
                Some((key, before)) if compared.insert(key) => match old.tells_apart == new.tells_apart {
                    true => changes.of_archive(before, after, &before.findings, &after.findings),
                    false => {
                        let (known, found) = (before.by_old_fingerprint(), after.by_old_fingerprint());
                        changes.of_archive(before, after, &known, &found);
                    }
                },
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

    /// The first of each list.
    pub fn told(&self, top: usize) -> ChangesSummary {
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

    /// Of each code with a severity the first finding that is new or worse.
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

    /// An archive that one night lacks: what it holds, in a line.
    fn of_one(&mut self, became: ChangeKind, archive: &Archive) {
        if archive.is_absent() {
            return;
        }
        let brief = &archive.input.brief;
        let objects = brief.objects + brief.nested_objects + brief.loose_objects;
        let assets = brief.assets + brief.empty_assets;
        let held = format!("{objects} objects, {assets} assets, {} findings", archive.findings.len());
        let message = match became {
            ChangeKind::Added => format!("the earlier night does not have it; it holds {held}"),
            _ => format!("this night does not have it; it held {held}, of which nothing counts as gone"),
        };
        self.rows.push(Change { message, ..Change::of(became, What::Archive, archive) });
    }

    /// An archive that both nights have, with its findings by fingerprints that both know.
    fn of_archive(&mut self, before: &Archive, after: &Archive, known: &Findings, found: &Findings) {
        let mut unsettled = 0_u64;
        for (key, finding) in found.iter().filter(|(_, finding)| !finding.waived) {
            match known.get(key) {
                Some(known) => {
                    if let Some(became) = finding.beside(known, key.0) {
                        self.rows.push(beside(became, after, key.0, known, finding));
                    }
                }
                None if before.is_whole() => {
                    self.rows.push(of_finding(ChangeKind::New, after, key.0, finding));
                }
                None => unsettled += 1,
            }
        }
        for (key, finding) in known.iter().filter(|(key, _)| !found.contains_key(*key)) {
            match after.is_whole() {
                true => self.rows.push(of_finding(ChangeKind::Gone, after, key.0, finding)),
                false => unsettled += 1,
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
                None => unsettled += 1,
            }
        }
        for (_, linkset) in before.linksets.iter().filter(|(key, _)| !after.linksets.contains_key(*key)) {
            match after.is_whole() {
                true => self.rows.push(of_linkset(ChangeKind::Removed, after, linkset)),
                false => unsettled += 1,
            }
        }
        if before.is_whole() && after.is_whole() {
            let numbers = archive_numbers(before, after);
            self.numbers(&Change::of(ChangeKind::Increased, What::Archive, after), &numbers);
            self.regions(before, after);
        } else {
            let (which, status) = match after.is_whole() {
                true => ("the earlier night", before.input.brief.status),
                false => ("this night", after.input.brief.status),
            };
            let how = match status {
                Status::NotCovered => "cover it".to_owned(),
                _ => format!("read it to its end ({})", status.name()),
            };
            let message = format!(
                "{which} did not {how}: its sums are not compared, nor are {unsettled} findings and objects that only \
                 the other night has"
            );
            let row = Change::of(ChangeKind::NotCompared, What::Archive, after);
            self.rows.push(Change { message, ..row });
        }
    }

    fn regions(&mut self, before: &Archive, after: &Archive) {
        let of = |became, region: &Region| Change {
            region: region.name.clone(),
            name: region.name.clone(),
            ..Change::of(became, What::Region, after)
        };
        for (region_home, region) in &after.regions {
            match before.regions.get(region_home) {
                Some(known) => {
                    let measures = OF_REGION.iter().map(|(measure, _)| measure.name());
                    let numbers = measures.zip(known.numbers).zip(region.numbers);
                    let numbers: Vec<_> = numbers.map(|((name, was), is)| (name, was, is)).collect();
                    self.numbers(&of(ChangeKind::Increased, region), &numbers);
                }
                None => self.rows.push(of(ChangeKind::Added, region)),
            }
        }
        for (_, region) in before.regions.iter().filter(|(home, _)| !after.regions.contains_key(*home)) {
            self.rows.push(of(ChangeKind::Removed, region));
        }
    }

    /// A row for each number that differs.
    fn numbers(&mut self, row: &Change, numbers: &[Number]) {
        for &(measure, before, after) in numbers {
            let (Some(before), Some(after)) = (before, after) else { continue };
            // A lower bound and the whole cannot be compared: which is greater is not known.
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

/// Two numbers are the same where they differ by less than a millionth: sums depend on the order of their summands.
pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// A number by its column: before, and now.
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
        count => format!("{count} objects that nothing tells apart; the numbers are of all together"),
    };
    // What came or went is told by its prims.
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
        ..Change::of(became, What::Object, archive)
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
        ..Change::of(became, What::Finding, archive)
    }
}

/// A finding that was there before: by what it differs most.
fn beside(became: ChangeKind, archive: &Archive, code: Code, before: &Finding, after: &Finding) -> Change {
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
    /// What became of it beside what it was; nothing where it is the same. What was measured counts only where it was
    /// one finding in both nights, for which of several stands first is chance; an age that is greater does not, for it
    /// grows by itself.
    pub fn beside(&self, before: &Self, code: Code) -> Option<ChangeKind> {
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

/// What must be known of two nights before their differences are believed.
fn notes(old: &Snapshot, new: &Snapshot) -> Vec<String> {
    let (before, after) = (&old.made, &new.made);
    let mut notes = Vec::new();
    let differ = |what: &str, was: &str, is: &str| {
        format!(
            "{what} differ ({was} before, {is} now): differences may be of the rules, not of the exports."
        )
    };
    if before.program != after.program {
        notes.push(differ("The versions of hullmark", &before.program, &after.program));
    } else if before.rules != after.rules {
        notes.push(differ("The rules", &before.rules, &after.rules));
    }
    if before.profile != after.profile {
        let name =
            |night: &Snapshot| night.made.profile["description"].as_str().unwrap_or("unknown").to_owned();
        match (name(old), name(new)) {
            (was, is) if was != is => notes.push(differ("The target grids", &was, &is)),
            (name, _) => notes.push(format!(
                "The settings of the target grid ({name}) differ, limits or choice of rules: differences may be of them, \
                 not of the exports."
            )),
        }
    }
    if before.narrowed != after.narrowed {
        notes.push(
            "The two reports are narrowed to different owners, regions or severities: what one of them leaves out \
             counts as new or gone."
                .into(),
        );
    }
    let older = |night: &str, count: u64| {
        (count > 0).then(|| match count {
            1 => format!("1 archive of {night} is not compared, because a newer one is."),
            _ => {
                format!("{} archives of {night} are not compared, because newer ones are.", thousands(count))
            }
        })
    };
    notes.extend(older("the earlier night", old.older));
    notes.extend(older("this night", new.older));
    notes
}
