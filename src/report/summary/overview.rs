//! The regions of a run, the worst first.

use crate::{
    counts::SeverityCounts,
    preflight::{self, Verdict},
    region_status::{RegionStatus, no_go_reason},
    reported::Reported,
};
use hullmark_analysis::RegionMeasures;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{facts::RegionFacts, identity::file_name};
use hullmark_rules::catalogue;
use hullmark_util::number_text::{counted, grouped, thousands, whole_beside};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// The regions of a run. An input without regions counts as one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overview {
    /// Number of regions.
    pub all: u64,
    /// Number of regions without losses, and without findings that are warnings or worse.
    pub need_nothing: u64,
    /// The worst of the others, the worst first.
    pub worst: Vec<StatusLine>,
}

/// A region with its status, or an input without regions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusLine {
    /// Path of its input.
    pub archive: String,
    /// Name of the region; empty for an input without regions.
    pub region: String,
    /// Verdict on loading its archive. Absent in a report with a filter, and for loose files.
    pub verdict: Option<Verdict>,
    /// Number of findings.
    pub findings: SeverityCounts,
    /// Rule of the worst finding.
    pub worst: Option<Code>,
    /// Number of findings that are new or worse than in the earlier run. Absent without a baseline.
    pub new: Option<u64>,
    /// Why the verdict is a no-go, if no finding says so.
    pub reason: Option<String>,
    /// Number of lost items.
    pub lost: u64,
    /// What fills it: `land impact` or `prims`.
    pub counted: Option<String>,
    /// How much of this is in the region. Absent if it is not evaluated.
    pub load: Option<f64>,
    /// How much of this it can hold. Absent if no target was chosen and land impact counts.
    pub capacity: Option<f64>,
    /// Whether nobody needs to look at it.
    #[serde(skip)]
    pub needs_nothing: bool,
}

/// A key that puts the worst first.
pub type WorstFirst = Reverse<(Option<Verdict>, u64, u64, u64, u64)>;

/// Returns a key that puts the worst first: by verdict, blockers, errors, losses and warnings.
pub fn worst_first(verdict: Option<Verdict>, findings: &SeverityCounts, lost: u64) -> WorstFirst {
    let [blockers, errors, warnings, _] = Severity::WORST_FIRST.map(|severity| findings.get(severity));
    // Loose files have no verdict.
    let verdict = if blockers > 0 { Some(Verdict::NoGo) } else { verdict };
    Reverse((verdict, blockers, errors, lost, warnings))
}

impl StatusLine {
    /// Creates the line of an input without regions.
    pub fn new(archive: &str, status: &RegionStatus) -> Self {
        Self {
            archive: archive.to_owned(),
            region: String::new(),
            verdict: status.verdict,
            findings: status.findings,
            worst: status.worst.map(|(.., code)| code),
            new: status.new,
            reason: status.reason.map(str::to_owned),
            lost: status.lost,
            counted: None,
            load: None,
            capacity: None,
            needs_nothing: status.needs_nothing(),
        }
    }

    /// Creates the line of a region.
    pub fn of_region(
        input: &Reported<'_>,
        facts: &RegionFacts,
        sums: &RegionMeasures,
        status: &RegionStatus,
    ) -> Self {
        Self {
            region: facts.name.clone(),
            counted: Some(input.measured.profile.land.counted.name().into()),
            load: sums.total.load.value().filter(|_| !facts.objects_unread),
            capacity: Some(sums.capacity),
            ..Self::new(&input.measured.ledger.input, status)
        }
    }

    /// Creates the line of an archive to move, with its name in place of its path.
    pub fn of_archive(archive: &preflight::Archive) -> Self {
        let status = RegionStatus {
            verdict: Some(archive.verdict),
            findings: archive.findings,
            worst: archive.worst.map(|code| (Severity::Info, 0.0, code)),
            new: None,
            reason: no_go_reason(archive.verdict, archive.status, archive.nothing_known),
            lost: archive.lost,
        };
        Self { region: archive.name.clone(), ..Self::new(&archive.path, &status) }
    }

    /// Returns the verdict, else the worst severity.
    pub fn lead(&self) -> &'static str {
        let severity = self.findings.worst().map_or("", Severity::name);
        self.verdict.map_or(severity, Verdict::words)
    }

    /// Returns its name, else the name of its file.
    pub fn name(&self) -> &str {
        if self.region.is_empty() { file_name(&self.archive) } else { &self.region }
    }

    /// Returns the title of the rule of its worst finding.
    pub fn worst_finding(&self) -> Option<&'static str> {
        self.worst.map(|code| catalogue::rule(code).title)
    }

    /// Returns findings, losses, load and the worst finding: `2 errors; 12 items lost; 4,188 of 15,000 prims; …`.
    pub fn words(&self) -> String {
        let mut words: Vec<String> = self.reason.iter().cloned().collect();
        let severe = [Severity::Blocker, Severity::Error, Severity::Warning];
        let found: Vec<String> = severe
            .into_iter()
            .filter(|&severity| self.findings.get(severity) > 0)
            .map(|severity| self.findings.in_words(severity))
            .collect();
        words.extend((!found.is_empty()).then(|| found.join(", ")));
        words.extend(self.new.filter(|&new| new > 0).map(|new| format!("{} new", thousands(new))));
        words.extend((self.lost > 0).then(|| format!("{} lost", counted(self.lost, "item"))));
        words.extend(self.fill());
        words.extend(self.worst_finding().map(str::to_owned));
        words.join("; ")
    }

    /// Returns how full the region is: `4,188 of 15,000 prims`.
    pub fn fill(&self) -> Option<String> {
        let (load, counted) = (self.load?, self.counted.as_deref()?);
        Some(match self.capacity {
            Some(capacity) => format!("{} of {} {counted}", whole_beside(load, capacity), grouped(capacity)),
            None => format!("{} {counted}", grouped(load)),
        })
    }
}
