//! Findings counted.

use crate::finding::{Code, Finding, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// How many findings there are of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SeverityCounts {
    blocker: u64,
    error: u64,
    warning: u64,
    info: u64,
}

impl SeverityCounts {
    /// Counts so many more.
    pub fn add(&mut self, severity: Severity, more: u64) {
        match severity {
            Severity::Blocker => self.blocker += more,
            Severity::Error => self.error += more,
            Severity::Warning => self.warning += more,
            Severity::Info => self.info += more,
        }
    }

    /// Counts these too.
    pub fn add_all(&mut self, more: &Self) {
        self.blocker += more.blocker;
        self.error += more.error;
        self.warning += more.warning;
        self.info += more.info;
    }

    /// How many of this severity.
    pub fn of(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Blocker => self.blocker,
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Info => self.info,
        }
    }

    /// How many of all severities.
    pub fn all(&self) -> u64 {
        Severity::WORST_FIRST.iter().map(|&severity| self.of(severity)).sum()
    }

    /// The worst severity of which there is one.
    pub fn worst(&self) -> Option<Severity> {
        Severity::WORST_FIRST.into_iter().find(|&severity| self.of(severity) > 0)
    }
}

/// The findings about one thing.
#[derive(Debug, Clone, Copy, Default)]
pub struct About {
    /// How many.
    pub findings: u64,
    /// How bad the worst of them is.
    pub worst: Option<Severity>,
}

impl About {
    fn add(&mut self, severity: Severity, more: u64) {
        self.findings += more;
        self.worst = self.worst.max(Some(severity));
    }
}

/// The findings of one input, by what they are about.
#[derive(Debug, Default)]
pub struct Counts<'a> {
    /// All of them.
    pub all: SeverityCounts,
    /// By code.
    pub codes: BTreeMap<Code, u64>,
    objects: HashMap<(&'a str, Uuid), About>,
    assets: HashMap<&'a str, About>,
}

impl<'a> Counts<'a> {
    /// Counts a finding, and those that it stands for.
    pub fn add(&mut self, finding: &'a Finding, severity: Severity) {
        self.all.add(severity, finding.count);
        *self.codes.entry(finding.code).or_default() += finding.count;
        let entry = finding.place.entry.as_str();
        let about = match finding.place.object {
            Some(object) => self.objects.entry((entry, object)).or_default(),
            None => self.assets.entry(entry).or_default(),
        };
        about.add(severity, finding.count);
    }

    /// Findings about an object of this entry.
    pub fn object(&self, entry: &str, root: Uuid) -> About {
        self.objects.get(&(entry, root)).copied().unwrap_or_default()
    }

    /// Findings about the entry itself.
    pub fn entry(&self, entry: &str) -> About {
        self.assets.get(entry).copied().unwrap_or_default()
    }
}
