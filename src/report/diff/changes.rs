//! Differences between two runs.
//!
//! A missing finding or object is gone only if the run read the archive to its end; otherwise it is not compared. An
//! added archive is one change, and its findings are new. A removed archive is one change, and nothing of it is gone: it
//! was not read. Waived findings are neither new nor worse. File sizes are not compared, because packing changes them.

use super::{
    Archive, Compared, Figure, Finding, Linkset, OF_REGION, Region, RunLine, Snapshot,
    lost::{self, Lost},
    pairs,
};
use crate::counts::SeverityCounts;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::Status;
use hullmark_util::{
    named,
    number_text::{counted, signed, thousands},
};
use serde::Serialize;
use std::{
    cmp::{Ordering, Reverse},
    collections::HashSet,
};
use uuid::Uuid;

/// The column of land impact.
pub const LAND_IMPACT: &str = "land_impact";

named! {
    /// Kind of change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        /// It would be removed, decreased, better or gone, but its archive, its region or most of its archive was lost.
        Lost = "lost",
    }
}

named! {
    /// What a change is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub identity: String,
    /// Key that matches the finding across runs, as 16 hexadecimal digits.
    pub fingerprint: Option<String>,
    /// Whether the object is rezzed in a region: only then its land impact counts there.
    #[serde(skip)]
    pub is_rezzed: bool,
}

impl Change {
    /// Adds the land impact of an object or region that only one run has.
    pub(super) fn with_land_impact(self, before: Option<Figure>, after: Option<Figure>) -> Self {
        let Some(figure) = before.or(after) else { return self };
        let value = |figure: Figure| figure.value;
        Self {
            measure: Some(LAND_IMPACT),
            before: before.map(value),
            after: after.map(value),
            at_least: figure.bound,
            ..self
        }
    }

    fn new(became: ChangeKind, what: What, archive: &Archive) -> Self {
        Self {
            archive: archive.input.name.clone(),
            identity: archive.identity.clone(),
            ..Self::anywhere(became, what)
        }
    }

    /// Creates a change in no archive, without numbers.
    pub(crate) fn anywhere(became: ChangeKind, what: What) -> Self {
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
            archive: String::new(),
            identity: String::new(),
            fingerprint: None,
            is_rezzed: false,
        }
    }

    /// The number now minus the number before. An object or region that only one run has counts 0 in the other.
    pub fn difference(&self) -> Option<f64> {
        match self.became {
            ChangeKind::Added => self.after,
            ChangeKind::Removed => self.before.map(|before| -before),
            ChangeKind::Lost => Some(self.after.unwrap_or_default() - self.before?),
            _ => Some(self.after? - self.before?),
        }
    }

    /// The difference in percent of the number before.
    pub fn percent(&self) -> Option<f64> {
        let before = self.before.filter(|before| *before != 0.0)?;
        Some(100.0 * (self.after? - before) / before.abs())
    }

    /// The change of land impact in a region, if the change is one of a region or of an object rezzed there.
    pub fn land_impact(&self) -> Option<f64> {
        let counts = self.what == What::Region || self.what == What::Object && self.is_rezzed;
        self.difference().filter(|_| counts && self.measure == Some(LAND_IMPACT))
    }

    /// Its place among other changes. Greater land impact and new findings come first, then archives, which may be their
    /// cause, and what was lost. Lower land impact and resolved findings follow, then the rest.
    fn group(&self) -> u8 {
        match (self.what, self.became, self.land_impact()) {
            (What::Region, ChangeKind::Lost, _) => 5,
            (What::Object, ChangeKind::Lost, _) => 6,
            (What::Finding, ChangeKind::Lost, _) => 7,
            (What::Region, _, Some(more)) if more > 0.0 => 0,
            (What::Object, _, Some(more)) if more > 0.0 => 1,
            (What::Finding, ChangeKind::New, _) => 2,
            (What::Finding, ChangeKind::Worse, _) => 3,
            (What::Archive, ..) => 4,
            (What::Region, _, Some(_)) => 8,
            (What::Object, _, Some(_)) => 9,
            (What::Finding, ..) => 10,
            (What::Region, ..) => 11,
            (What::Object, ..) => 12,
        }
    }

    /// Orders changes, the worst first.
    fn order(&self, other: &Self) -> Ordering {
        let key = |change: &Self| {
            // The largest change of land impact comes first, new or not.
            let became = change.land_impact().is_none().then_some(change.became);
            (change.group(), Reverse(change.severity), became)
        };
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Increases of land impact.
    pub heavier: LandImpact,
    /// Decreases of land impact.
    pub lighter: LandImpact,
    /// What was lost with an archive, a region, or most of the content of an archive. Nothing else counts it.
    pub lost: Lost,
    /// All changes of archives.
    pub of_archives: u64,
    /// All changes of regions.
    pub of_regions: u64,
}

/// Changes of land impact in one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LandImpact {
    /// Number of regions.
    pub regions: u64,
    /// Sum of the differences.
    pub difference: f64,
    /// Number of rezzed objects whose land impact changed in this direction.
    pub objects: u64,
}

impl LandImpact {
    fn add(&mut self, what: What, difference: f64) {
        match what {
            What::Region => {
                self.regions += 1;
                self.difference += difference;
            }
            _ => self.objects += 1,
        }
    }

    /// Number of changes.
    pub fn all(&self) -> u64 {
        self.regions + self.objects
    }

    /// Formats the changes: `land impact +312 in 1 region`, else the number of objects. `None` without a change.
    pub fn in_words(&self, object: &str) -> Option<String> {
        let (regions, objects) = (counted(self.regions, "region"), counted(self.objects, object));
        match (self.regions, self.objects) {
            (0, 0) => None,
            (0, _) => Some(objects),
            _ => Some(format!("land impact {} in {regions}", signed(self.difference))),
        }
    }
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
    /// The earlier run.
    pub old: RunLine,
    /// This run.
    pub new: RunLine,
    /// What both runs have.
    pub compared: Compared,
}

impl Counts {
    /// Returns the number of changes of regions other than those of land impact.
    pub fn other_regions(&self) -> u64 {
        self.of_regions - self.heavier.regions - self.lighter.regions - self.lost.regions
    }

    /// Returns the severity of the worst new or worse finding.
    pub fn worst(&self) -> Option<Severity> {
        self.new.worst().max(self.worse.worst())
    }
}

impl Changes {
    /// Compares a run with an earlier one.
    pub fn between(old: &Snapshot, new: &Snapshot) -> Self {
        let (notes, runs) = (notes(old, new), [old, new].map(RunLine::new));
        let [earlier, this] = runs;
        let mut changes = Self { notes, old: earlier, new: this, ..Self::default() };
        let mut compared = HashSet::new();
        let present: HashSet<&str> =
            new.archives.values().flat_map(|archive| archive.regions.keys()).map(String::as_str).collect();
        for (key, after) in &new.archives {
            match old.same(key, &after.identity, |moved| new.archives.contains_key(moved)) {
                Some((key, before)) if compared.insert(key) => {
                    changes.compared.add(after);
                    let first = changes.rows.len();
                    changes.of_archive(before, after);
                    lost::mark(&mut changes.rows[first..], before, after, &present);
                }
                _ => {
                    changes.of_one(ChangeKind::Added, after);
                    for ((code, _), finding) in after.findings.iter().filter(|(_, finding)| !finding.waived) {
                        changes.rows.push(of_finding(ChangeKind::New, after, *code, finding));
                    }
                }
            }
        }
        // Two archives of one region count as two, so one of them does not replace the other.
        let came = new.archives.iter().filter(|(key, _)| !old.archives.contains_key(*key));
        let came: HashSet<&str> =
            came.flat_map(|(_, archive)| archive.regions.keys()).map(String::as_str).collect();
        for (_, before) in old.archives.iter().filter(|(key, _)| !compared.contains(key.as_str())) {
            changes.of_one(ChangeKind::Removed, before);
            if !new.superseded.contains(&before.input.series()) {
                changes.of_removed(before, &came);
            }
        }
        if changes.counts.lost.archives > 0 {
            lost::mark_across(&mut changes.rows);
        }
        changes.rows.sort_by(Change::order);
        changes.count();
        changes
    }

    fn count(&mut self) {
        let counts = &mut self.counts;
        for row in &self.rows {
            let severity = row.severity.unwrap_or(Severity::Info);
            counts.of_archives += u64::from(row.what == What::Archive);
            counts.of_regions += u64::from(row.what == What::Region);
            if row.became == ChangeKind::Lost {
                counts.lost.add(row);
                continue;
            }
            match row.land_impact() {
                Some(more) if more > 0.0 => counts.heavier.add(row.what, more),
                Some(less) => counts.lighter.add(row.what, less),
                None => {}
            }
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
        let contents = contents.map(|(count, what)| counted(count, what)).join(", ");
        let message = match became {
            ChangeKind::Added => format!("{contents}; all findings are new"),
            _ => format!("{contents} in the earlier run; no finding counts as gone"),
        };
        self.rows.push(Change { message, ..Change::new(became, What::Archive, archive) });
    }

    /// Compares an archive of both runs.
    fn of_archive(&mut self, before: &Archive, after: &Archive) {
        let mut not_compared = 0_u64;
        for pairs::Pair { key: (code, _), before: known, after: found } in
            pairs::of_findings(&before.findings, &after.findings)
        {
            match (known, found) {
                (_, Some(found)) if found.waived => {}
                (Some(known), Some(found)) => {
                    if let Some(became) = found.change_from(known, code) {
                        self.rows.push(of_both(became, after, code, known, found));
                    }
                }
                (None, Some(found)) if before.is_whole() => {
                    self.rows.push(of_finding(ChangeKind::New, after, code, found));
                }
                (Some(known), None) if after.is_whole() => {
                    self.rows.push(of_finding(ChangeKind::Gone, after, code, known));
                }
                _ => not_compared += 1,
            }
        }
        for pairs::Pair { before: known, after: found, .. } in
            pairs::of_linksets(&before.linksets, &after.linksets)
        {
            match (known, found) {
                (Some(known), Some(found)) => {
                    if known.uuid != found.uuid {
                        self.compared.under_new_uuids += u64::from(found.count);
                    }
                    let row = of_linkset(ChangeKind::Increased, after, found);
                    self.numbers(&row, &linkset_numbers(known, found));
                }
                (None, Some(found)) if before.is_whole() => {
                    self.rows.push(of_linkset(ChangeKind::Added, after, found));
                }
                (Some(known), None) if after.is_whole() => {
                    self.rows.push(of_linkset(ChangeKind::Removed, after, known));
                }
                _ => not_compared += 1,
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
        let of = |became, region| in_region(became, after, region);
        for (identity, region) in &after.regions {
            match before.regions.get(identity) {
                Some(known) => {
                    let measures = OF_REGION.iter().map(|(measure, _)| measure.name());
                    let numbers = measures.zip(known.numbers).zip(region.numbers);
                    let numbers: Vec<_> = numbers.map(|((name, was), is)| (name, was, is)).collect();
                    self.numbers(&of(ChangeKind::Increased, region), &numbers);
                }
                None => {
                    self.rows
                        .push(of(ChangeKind::Added, region).with_land_impact(None, region.land_impact()));
                }
            }
        }
        for (_, region) in
            before.regions.iter().filter(|(identity, _)| !after.regions.contains_key(*identity))
        {
            self.rows.push(of(ChangeKind::Removed, region).with_land_impact(region.land_impact(), None));
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
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// A number: its column, its value before and its value now.
type Number = (&'static str, Option<Figure>, Option<Figure>);

fn whole(number: u32) -> Figure {
    Figure { value: number.into(), bound: false }
}

fn count(measure: &'static str, before: u64, after: u64) -> Number {
    let figure = |value: u64| Some(Figure { value: value as f64, bound: false });
    (measure, figure(before), figure(after))
}

fn archive_numbers(before: &Archive, after: &Archive) -> [Number; 6] {
    let (was, is) = (&before.input.brief, &after.input.brief);
    [
        count("assets", was.assets + was.empty_assets, is.assets + is.empty_assets),
        count("empty_assets", was.empty_assets, is.empty_assets),
        count("objects", was.objects, is.objects),
        count("parts", before.parts, after.parts),
        count("nested_objects", was.nested_objects, is.nested_objects),
        count("loose_objects", was.loose_objects, is.loose_objects),
    ]
}

fn linkset_numbers(before: &Linkset, after: &Linkset) -> [Number; 5] {
    [
        count("count", before.count.into(), after.count.into()),
        count("parts", before.parts.into(), after.parts.into()),
        ("scripts", before.scripts.map(whole), after.scripts.map(whole)),
        (LAND_IMPACT, before.land_impact, after.land_impact),
        ("physics_cost", before.physics_cost, after.physics_cost),
    ]
}

pub(super) fn in_region(became: ChangeKind, archive: &Archive, region: &Region) -> Change {
    Change {
        region: region.name.clone(),
        name: region.name.clone(),
        ..Change::new(became, What::Region, archive)
    }
}

fn of_linkset(became: ChangeKind, archive: &Archive, linkset: &Linkset) -> Change {
    let message = match linkset.count {
        1 => String::new(),
        count => format!("{} objects with the same key; numbers are sums", thousands(count.into())),
    };
    let change = Change {
        message,
        is_rezzed: linkset.region.is_some(),
        name: linkset.name.to_string(),
        object_uuid: Some(linkset.uuid).filter(|uuid| !uuid.is_nil()),
        owner_uuid: Some(linkset.owner).filter(|uuid| !uuid.is_nil()),
        region: linkset.region.as_deref().unwrap_or_default().to_owned(),
        ..Change::new(became, What::Object, archive)
    };
    match became {
        ChangeKind::Added => change.with_land_impact(None, linkset.land_impact),
        ChangeKind::Removed => change.with_land_impact(linkset.land_impact, None),
        _ => change,
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
/// Maximum number of ledgers that notes name, for each run.
const NAMED: usize = 3;

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
    if (&before.profile, &before.opensim_load) != (&after.profile, &after.opensim_load) {
        let name = |run: &Snapshot| {
            let of_run = &run.provenance;
            let described =
                if of_run.opensim_load.is_null() { &of_run.profile } else { &of_run.opensim_load };
            described["description"].as_str().unwrap_or("unknown").to_owned()
        };
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
    for (run, words) in [("earlier", &old.unreadable), ("later", &new.unreadable)] {
        notes.extend(words.iter().take(NAMED).map(|words| format!("The {run} run is incomplete. {words}.")));
        if words.len() > NAMED {
            let more = counted((words.len() - NAMED) as u64, "further ledger");
            notes.push(format!("The {run} run is incomplete: {more} cannot be read."));
        }
    }
    notes
}
