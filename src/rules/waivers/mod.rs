//! Waivers: accepted findings, with a person, a reason and an end date.
//!
//! A waived finding is reported but not counted. The report decides which waivers cover a finding (`report`).
//! The file reader decides once whether a waiver is in force. An expired waiver still covers findings but waives none,
//! so RUN002 can name it with the findings that count again.

mod expiry;
mod file;
mod pattern;
mod usage;

use expiry::Moment;
pub use file::{WaiverTerms, WaiversError, fingerprint};
use hullmark_analysis::Measured;
use hullmark_finding::Finding;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::rule_selection::Selector;
use pattern::Pattern;
use std::fmt;
pub use usage::{Seen, Uses};
use uuid::Uuid;

/// The waivers of a file, in file order.
#[derive(Debug, Clone, Default)]
pub struct Waivers {
    /// The name of the file in errors and findings.
    file: String,
    list: Vec<Waiver>,
}

/// A waiver: its findings, the reason, the responsible person and the end date.
#[derive(Debug, Clone)]
pub struct Waiver {
    /// Its number in the file, from 1.
    number: usize,
    code: Option<Selector>,
    fingerprint: Option<u64>,
    archive: Option<Pattern>,
    region: Option<Pattern>,
    entry: Option<Pattern>,
    object: Option<Pattern>,
    owner: Option<Uuid>,
    pub reason: String,
    pub who: String,
    until: Moment,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    NotYet,
    InForce,
    Expired,
}

impl Waivers {
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Returns the waivers that cover a finding about this object or about no object, in force or not.
    pub fn covering(
        &self,
        measured: &Measured<'_>,
        finding: &Finding,
        fingerprint: u64,
        object: Option<&ObjectFacts>,
    ) -> Vec<&Waiver> {
        let covers = |waiver: &&Waiver| waiver.covers(measured, finding, fingerprint, object);
        self.list.iter().filter(covers).collect()
    }
}

impl Waiver {
    /// Whether the waiver waives the findings that it covers.
    pub fn is_in_force(&self) -> bool {
        self.state == State::InForce
    }

    pub fn ends_after(&self, other: &Self) -> bool {
        self.until.end > other.until.end
    }

    /// The last day, as written in the file.
    pub fn until(&self) -> &str {
        &self.until.words
    }

    /// Whether the waiver covers a finding. Its keys match the columns of the same names in the table `findings`.
    fn covers(
        &self,
        measured: &Measured<'_>,
        finding: &Finding,
        fingerprint: u64,
        object: Option<&ObjectFacts>,
    ) -> bool {
        let named = self.code.is_none_or(|code| code.covers(finding.code))
            && self.fingerprint.is_none_or(|own| own == fingerprint);
        if !named {
            return false;
        }
        let root = object.and_then(|object| object.linkset.parts.first());
        let region = object.and_then(|object| measured.ledger.regions.get(object.region? as usize));
        let is = |pattern: &Option<Pattern>, words: &dyn Fn() -> String| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(&words()))
        };
        let is_object = self.object.as_ref().is_none_or(|pattern| {
            let uuid = finding.place.object.map(|uuid| uuid.to_string());
            let mut called = uuid.into_iter().chain(root.map(|root| root.name.clone()));
            called.any(|called| pattern.is_match(&called))
        });
        self.archive.as_ref().is_none_or(|pattern| pattern.is_path(&measured.ledger.input))
            && is(&self.region, &|| region.map(|region| region.name.clone()).unwrap_or_default())
            && is(&self.entry, &|| finding.place.entry.clone())
            && is_object
            && self.owner.is_none_or(|owner| root.is_some_and(|root| root.owner == owner))
    }
}

impl fmt::Display for Waiver {
    /// Writes the rule or the fingerprint, and the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.fingerprint) {
            (Some(code), None) => write!(f, "{code}")?,
            (None, Some(fingerprint)) => write!(f, "finding {fingerprint:016x}")?,
            (Some(code), Some(fingerprint)) => write!(f, "{code}, finding {fingerprint:016x}")?,
            (None, None) => {}
        }
        let places = [
            ("archive", &self.archive),
            ("region", &self.region),
            ("entry", &self.entry),
            ("object", &self.object),
        ];
        for (name, pattern) in places {
            if let Some(pattern) = pattern {
                write!(f, ", {name} {pattern}")?;
            }
        }
        if let Some(owner) = self.owner {
            write!(f, ", owner {owner}")?;
        }
        Ok(())
    }
}
