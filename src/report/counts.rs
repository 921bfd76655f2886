//! Findings counted.

use crate::finding::{Finding, Severity};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
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
    fn count(&mut self, severity: Severity) -> &mut u64 {
        match severity {
            Severity::Blocker => &mut self.blocker,
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Info => &mut self.info,
        }
    }

    /// Counts so many more.
    pub fn add(&mut self, severity: Severity, more: u64) {
        *self.count(severity) += more;
    }

    /// Counts these too.
    pub fn add_all(&mut self, more: &Self) {
        Severity::WORST_FIRST.into_iter().for_each(|severity| self.add(severity, more.of(severity)));
    }

    /// How many of this severity.
    pub fn of(mut self, severity: Severity) -> u64 {
        *self.count(severity)
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

/// The findings of one input, by what they are about.
#[derive(Debug, Default)]
pub struct Counts<'a> {
    /// All of them.
    pub all: SeverityCounts,
    objects: HashMap<(&'a str, Uuid), About>,
    assets: HashMap<&'a str, About>,
}

impl<'a> Counts<'a> {
    /// Counts a finding, and those that it stands for.
    pub fn add(&mut self, finding: &'a Finding, severity: Severity) {
        self.all.add(severity, finding.count);
        let entry = finding.place.entry.as_str();
        let about = match finding.place.object {
            Some(object) => self.objects.entry((entry, object)).or_default(),
            None => self.assets.entry(entry).or_default(),
        };
        about.findings += finding.count;
        about.worst = about.worst.max(Some(severity));
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
