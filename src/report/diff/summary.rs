//! The changes in pages and `audit.json`: both runs, the first of each list, and sentences.

use super::{Archive, Change, ChangeKind, Changes, Content, Counts, Snapshot, What};
use crate::{counts::SeverityCounts, table::Time};
use hullmark_util::{
    dates_in_names::Seconds,
    number_text::{counted, grouped, thousands},
};
use serde::Serialize;
use std::{io, time::Duration};

/// Changes that are handed on together.
const TOGETHER: usize = 4096;

/// One of the two runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunLine {
    /// Folder of its report or ledgers; empty for the run that writes this.
    pub path: String,
    /// Its time, if it was given with `--now`.
    pub now: Option<String>,
    /// Time of its newest export, from archive.xml.
    pub newest_export: Option<String>,
    /// Number of its ledgers that cannot be read. Their archives are not compared. Absent without any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What both runs have.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// Number of archives.
    pub archives: u64,
    /// Number of their regions in the later run.
    pub regions: u64,
    /// Number of their objects in the later run.
    pub objects: u64,
    /// Number of objects with a new UUID, as after a load, which were matched by their content. Absent without any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub under_new_uuids: u64,
}

/// The changes in pages and `audit.json`: the first of each list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangesSummary {
    /// The earlier run.
    pub old: RunLine,
    /// The later run.
    pub new: RunLine,
    /// What both runs have.
    pub compared: Compared,
    /// Sentences about differences of version, rules or target, to read first.
    pub notes: Vec<String>,
    /// Numbers of changes.
    pub counts: Counts,
    /// Regions, then objects, whose land impact increased, the largest increase first.
    pub heavier: Vec<Change>,
    /// New and worse findings, the worst first: the first of each code.
    pub worst: Vec<First>,
    /// Archives that were added or removed, cannot be compared, or have other numbers.
    pub archives: Vec<Change>,
    /// Regions, then objects, that were lost with their archive, or in it, by land impact.
    pub lost: Vec<Change>,
    /// Regions, then objects, whose land impact decreased, the largest decrease first.
    pub lighter: Vec<Change>,
    /// Findings that are gone or better: the first of each code.
    pub resolved: Vec<First>,
    /// Regions with the greatest differences in other numbers.
    pub regions: Vec<Change>,
}

/// The first finding of one code and kind of change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct First {
    /// Number of findings.
    pub count: u64,
    /// The first finding.
    pub first: Change,
}

impl RunLine {
    pub(super) fn new(run: &Snapshot) -> Self {
        let created = run.inputs.iter().filter_map(|input| input.brief.created);
        Self {
            path: run.path.clone(),
            now: run.provenance.now.clone(),
            newest_export: created.max().and_then(time),
            unreadable: run.unreadable.len() as u64,
        }
    }

    /// Names the run: `reports/monday (2026-11-23 03:00)`.
    pub fn in_words(&self) -> String {
        let name = if self.path.is_empty() { "this run" } else { &self.path };
        match (&self.now, &self.newest_export) {
            (Some(now), _) => format!("{name} ({})", minute(now)),
            (None, Some(newest)) => format!("{name} (exports up to {})", minute(newest)),
            (None, None) => name.to_owned(),
        }
    }
}

fn time(seconds: Seconds) -> Option<String> {
    let Time(time) = Time::since_1970(Duration::from_secs(u64::try_from(seconds).ok()?))?;
    Some(humantime::format_rfc3339_seconds(time).to_string())
}

/// Shortens a time: `2026-11-23 03:00`.
fn minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

impl Compared {
    /// Says how many objects have new UUIDs. `None` without any.
    fn of_new_uuids(&self) -> Option<String> {
        let have = match self.under_new_uuids {
            0 => return None,
            1 => "1 object has a new UUID".to_owned(),
            count => format!("{} objects have new UUIDs", thousands(count)),
        };
        Some(format!("{have}, as after a load, and equal content."))
    }

    pub(super) fn add(&mut self, archive: &Archive, content: &Content) {
        self.archives += u64::from(!archive.is_absent());
        self.regions += archive.regions.len() as u64;
        self.objects += content.linksets.values().map(|linkset| u64::from(linkset.count)).sum::<u64>();
    }

    pub(super) fn add_all(&mut self, more: &Self) {
        self.archives += more.archives;
        self.regions += more.regions;
        self.objects += more.objects;
        self.under_new_uuids += more.under_new_uuids;
    }
}

impl Changes {
    /// Hands on all changes in order, some at a time. Returns the summary, with at most `top` changes in each list.
    ///
    /// # Errors
    /// A change cannot be read, or `then` fails.
    pub fn write(
        self,
        top: usize,
        mut then: impl FnMut(&[Change]) -> io::Result<()>,
    ) -> io::Result<ChangesSummary> {
        let Self { notes, old, new, compared, lost, rows } = self;
        let mut summary = ChangesSummary {
            old,
            new,
            compared,
            notes,
            counts: Counts { lost, ..Counts::default() },
            heavier: Vec::new(),
            worst: Vec::new(),
            archives: Vec::new(),
            lost: Vec::new(),
            lighter: Vec::new(),
            resolved: Vec::new(),
            regions: Vec::new(),
        };
        let mut lists = Lists::default();
        let mut some = Vec::new();
        rows.each(|row| {
            summary.counts.add(&row);
            lists.add(&row, top);
            some.push(row);
            if some.len() < TOGETHER {
                return Ok(());
            }
            let written = then(&some);
            some.clear();
            written
        })?;
        then(&some)?;
        lists.put_into(&mut summary);
        Ok(summary)
    }
}

/// The first changes of each list.
#[derive(Default)]
struct Lists {
    /// Regions and objects with greater land impact, lost ones, and those with lower land impact.
    by_impact: [[Vec<Change>; 2]; 3],
    worst: Vec<First>,
    resolved: Vec<First>,
    archives: Vec<Change>,
    regions: Vec<Change>,
}

impl Lists {
    /// Adds the next change.
    fn add(&mut self, row: &Change, top: usize) {
        let add = |list: &mut Vec<Change>| {
            if list.len() < top {
                list.push(row.clone());
            }
        };
        let [heavier, lost, lighter] = &mut self.by_impact;
        let impact = match (row.became == ChangeKind::Lost, row.land_impact()) {
            (true, Some(less)) if less < 0.0 => Some(lost),
            (false, Some(less)) if less < 0.0 => Some(lighter),
            (false, Some(more)) if more > 0.0 => Some(heavier),
            _ => None,
        };
        match (row.what, impact, row.became) {
            (What::Region, Some([regions, _]), _) => add(regions),
            (What::Object, Some([_, objects]), _) => add(objects),
            (What::Archive, ..) => add(&mut self.archives),
            (What::Finding, _, ChangeKind::New | ChangeKind::Worse) => first(&mut self.worst, row),
            (What::Finding, _, ChangeKind::Gone | ChangeKind::Better) => first(&mut self.resolved, row),
            (What::Region, ..) if row.land_impact().is_none() => add(&mut self.regions),
            _ => {}
        }
    }

    fn put_into(self, summary: &mut ChangesSummary) {
        let Self { by_impact, worst, resolved, archives, regions } = self;
        let [heavier, lost, lighter] = by_impact.map(|[regions, objects]| [regions, objects].concat());
        (summary.heavier, summary.lost, summary.lighter) = (heavier, lost, lighter);
        (summary.worst, summary.resolved) = (worst, resolved);
        (summary.archives, summary.regions) = (archives, regions);
    }
}

/// Adds a finding to the first ones of each code, severity and change.
fn first(firsts: &mut Vec<First>, row: &Change) {
    let same = |first: &&mut First| {
        let first = &first.first;
        (first.became, first.severity, first.code) == (row.became, row.severity, row.code)
    };
    match firsts.iter_mut().find(same) {
        Some(first) => first.count += 1,
        None => firsts.push(First { count: 1, first: row.clone() }),
    }
}

impl ChangesSummary {
    /// Whether each ledger of both runs could be read.
    pub fn is_read(&self) -> bool {
        self.old.unreadable == 0 && self.new.unreadable == 0
    }

    /// Whether there is no change at all.
    pub fn is_empty(&self) -> bool {
        self.counts == Counts::default()
    }

    /// Names both runs: `From monday (2026-11-23 03:00) to tuesday (2026-11-24 03:00).`
    pub fn title(&self) -> String {
        format!("From {} to {}.", self.old.in_words(), self.new.in_words())
    }

    /// Returns the changes as sentences: first what got worse and was lost, then what got better.
    pub fn sentences(&self) -> Vec<String> {
        let counts = &self.counts;
        if self.is_empty() {
            let Compared { archives, regions, objects, .. } = self.compared;
            let all = [(archives, "archive"), (regions, "region"), (objects, "object")];
            let [archives, regions, objects] = all.map(|(count, what)| counted(count, what));
            let nothing = format!("Nothing changed. Compared: {archives}, {regions} and {objects}.");
            return [nothing].into_iter().chain(self.compared.of_new_uuids()).collect();
        }
        let findings = |what: &str, counts: &SeverityCounts| match counts.all() {
            0 => None,
            all => Some(format!("{} ({})", counted(all, what), counts.found().join(", "))),
        };
        let better = (counts.better > 0).then(|| counted(counts.better, "better finding"));
        let worse: Vec<String> = [
            counts.heavier.in_words("heavier object"),
            findings("new finding", &counts.new),
            findings("worse finding", &counts.worse),
        ]
        .into_iter()
        .flatten()
        .collect();
        let improved: Vec<String> =
            [counts.lighter.in_words("lighter object"), findings("resolved finding", &counts.gone), better]
                .into_iter()
                .flatten()
                .collect();
        let lost = counts.lost.in_words();
        let mut sentences = match (worse.is_empty(), &lost) {
            (true, None) if counts.archives_went == 0 => vec!["Nothing got worse.".into()],
            (true, _) => Vec::new(),
            (false, _) => vec![format!("Worse: {}.", worse.join("; "))],
        };
        sentences.extend(lost.map(|lost| format!("Lost: {lost}.")));
        if !improved.is_empty() {
            sentences.push(format!("Better: {}.", improved.join("; ")));
        }
        let mut add = |what: &str, numbers: &[(u64, &str)]| {
            let words = numbers.iter().filter(|(count, _)| *count > 0);
            let words: Vec<_> = words.map(|(count, word)| format!("{} {word}", thousands(*count))).collect();
            if !words.is_empty() {
                sentences.push(format!("{what}: {}.", words.join(", ")));
            }
        };
        add("Other findings", &[(counts.changed, "with another value")]);
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
                (counts.objects_grew, "with larger numbers"),
                (counts.objects_shrank, "with smaller numbers"),
            ],
        );
        add("Regions", &[(counts.of_regions, "with other numbers")]);
        sentences.extend(self.compared.of_new_uuids());
        sentences
    }
}

impl Change {
    /// Describes what happened to an archive or region: `objects 12 → 1 (−11, −91.7 %)`.
    pub fn in_words(&self) -> String {
        match (self.became, self.measure) {
            (ChangeKind::Increased | ChangeKind::Decreased | ChangeKind::Lost, Some(_)) => self.numbers(),
            (became, _) if self.message.is_empty() => became.name().replace('_', " "),
            (became, _) => format!("{}: {}", became.name().replace('_', " "), self.message),
        }
    }

    /// Formats the land impact before and now: `20 → 332`, `new` or `removed`.
    pub fn land_impacts(&self) -> String {
        let bound = if self.at_least { "≥ " } else { "" };
        let whole = |number: f64| format!("{bound}{}", thousands(number.max(0.0).round() as u64));
        match (self.before, self.after) {
            (Some(before), Some(after)) => format!("{} → {}", whole(before), whole(after)),
            (None, _) => "new".into(),
            (_, None) => "removed".into(),
        }
    }

    /// Formats the number before and now, with the difference.
    pub fn numbers(&self) -> String {
        let number = |value: Option<f64>| {
            value.map_or("–".into(), |value| grouped((value * 1000.0).round() / 1000.0).replace('-', "−"))
        };
        let bound = if self.at_least { "≥ " } else { "" };
        let sign = if self.difference() > Some(0.0) { "+" } else { "" };
        let difference = number(self.difference());
        let percent = self
            .percent()
            .map_or(String::new(), |percent| format!(", {}", format!("{percent:+.1} %").replace('-', "−")));
        format!(
            "{} {bound}{} → {bound}{} ({sign}{difference}{percent})",
            self.measure.unwrap_or_default().replace('_', " "),
            number(self.before),
            number(self.after),
        )
    }
}
