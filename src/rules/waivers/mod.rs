//! Waivers: findings that a person accepts for a limited time, with a reason.
//!
//! A waived finding is reported like any other and counts nowhere. The report decides which waivers cover it
//! ([`crate::report`]). Reading the file decides, once, whether a waiver is in force. An expired waiver still matches
//! and waives nothing, so it can be named with the findings that count again.

mod expiry;
mod file;
mod pattern;
mod usage;

use crate::{
    analysis::Measured, finding::Finding, ledger::facts::ObjectFacts, settings::rule_selection::Selector,
};
use expiry::Moment;
pub use file::{WaiverTerms, WaiversError, fingerprint};
use pattern::Pattern;
use std::fmt;
pub(crate) use usage::Uses;
use uuid::Uuid;

/// The waivers of a file, in its order.
#[derive(Debug, Clone, Default)]
pub struct Waivers {
    /// The file, as errors and findings name it.
    file: String,
    list: Vec<Waiver>,
}

/// A waiver: which findings, why, who answers for it, and how long.
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
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub who: String,
    until: Moment,
    state: State,
}

/// Whether a waiver is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    NotYet,
    InForce,
    Expired,
}

impl Waivers {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Those that cover a finding about this object or none, be they in force or not.
    pub(crate) fn covering(
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
    /// Whether what it covers is waived.
    pub fn is_in_force(&self) -> bool {
        self.state == State::InForce
    }

    /// Whether it ends after another one.
    pub(crate) fn ends_after(&self, other: &Self) -> bool {
        self.until.end > other.until.end
    }

    /// Whether it names findings by a fingerprint.
    pub(crate) fn names_a_finding(&self) -> bool {
        self.fingerprint.is_some()
    }

    /// Until when, as the file has it.
    pub fn until(&self) -> &str {
        &self.until.words
    }

    /// Whether a finding is one of those that it names. Places are those that `findings` has in the columns of the
    /// same names.
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
    /// Which findings: the rule, or the fingerprint, and the place.
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
