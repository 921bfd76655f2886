//! Numbers of findings.

use hullmark_finding::{Code, Finding, Severity};
use hullmark_util::number_text::{counted, thousands};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use uuid::Uuid;

/// Number of findings of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeverityCounts {
    blocker: u64,
    error: u64,
    warning: u64,
    info: u64,
}

impl SeverityCounts {
    fn count(&mut self, severity: Severity) -> &mut u64 {
        match severity {
            Severity::Blocker => &mut self.blocker,
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Info => &mut self.info,
        }
    }

    /// Adds findings of a severity.
    pub fn add(&mut self, severity: Severity, more: u64) {
        *self.count(severity) += more;
    }

    /// Adds other counts.
    pub fn add_all(&mut self, more: &Self) {
        Severity::WORST_FIRST.into_iter().for_each(|severity| self.add(severity, more.get(severity)));
    }

    /// Number of findings of this severity.
    pub fn get(mut self, severity: Severity) -> u64 {
        *self.count(severity)
    }

    /// Formats the number of findings of this severity: `3 errors`.
    pub fn in_words(&self, severity: Severity) -> String {
        match severity {
            Severity::Info => format!("{} info", thousands(self.get(severity))),
            _ => counted(self.get(severity), severity.name()),
        }
    }

    /// Formats the numbers that are not zero, the worst severity first: `3 errors`, `1 info`.
    pub fn found(&self) -> Vec<String> {
        let found = Severity::WORST_FIRST.into_iter().filter(|&severity| self.get(severity) > 0);
        found.map(|severity| self.in_words(severity)).collect()
    }

    /// Number of all findings.
    pub fn all(&self) -> u64 {
        Severity::WORST_FIRST.iter().map(|&severity| self.get(severity)).sum()
    }

    /// Returns the worst severity with a finding.
    pub fn worst(&self) -> Option<Severity> {
        Severity::WORST_FIRST.into_iter().find(|&severity| self.get(severity) > 0)
    }
}

/// The findings about one thing.
#[derive(Debug, Clone, Copy, Default)]
pub struct About {
    /// Number of findings.
    pub findings: u64,
    /// Severity and code of the worst of them, the first of equal ones.
    pub worst: Option<(Severity, Code)>,
}

impl About {
    /// Severity of the worst finding.
    pub fn severity(&self) -> Option<Severity> {
        self.worst.map(|(severity, _)| severity)
    }
}

/// The findings of one input by subject.
#[derive(Debug, Default)]
pub struct Counts<'a> {
    /// Findings of all subjects.
    pub all: SeverityCounts,
    objects: HashMap<(&'a str, Uuid), About>,
    assets: HashMap<&'a str, About>,
}

impl<'a> Counts<'a> {
    /// Adds a finding with its count.
    pub fn add(&mut self, finding: &'a Finding, severity: Severity) {
        self.all.add(severity, finding.count);
        let entry = finding.place.entry.as_str();
        let about = match finding.place.object {
            Some(object) => self.objects.entry((entry, object)).or_default(),
            None => self.assets.entry(entry).or_default(),
        };
        about.findings += finding.count;
        if about.worst.is_none_or(|(worst, _)| severity > worst) {
            about.worst = Some((severity, finding.code));
        }
    }

    /// Returns the findings about an object of this entry.
    pub fn object(&self, entry: &str, root: Uuid) -> About {
        self.objects.get(&(entry, root)).copied().unwrap_or_default()
    }

    /// Returns the findings about the entry itself.
    pub fn entry(&self, entry: &str) -> About {
        self.assets.get(entry).copied().unwrap_or_default()
    }
}
