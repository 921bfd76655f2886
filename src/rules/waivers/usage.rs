//! Which waivers a run used, and findings about the others.

use super::{State, Waiver, Waivers};
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_settings::profile::Profile;
use hullmark_util::number_text::counted;
use serde::{Deserialize, Serialize};

pub struct Uses<'a> {
    waivers: &'a Waivers,
    seen: Vec<Seen>,
}

/// What inputs show of one waiver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Findings that it covers; if it has expired, these count again.
    covered: u64,
    /// Whether the run audited a place that the waiver names.
    looked: bool,
}

impl<'a> Uses<'a> {
    pub fn new(waivers: &'a Waivers) -> Self {
        Self { waivers, seen: vec![Seen::default(); waivers.list.len()] }
    }

    /// Records an input that is evaluated.
    pub fn look(&mut self, measured: &Measured<'_>) {
        for (waiver, seen) in self.waivers.list.iter().zip(&mut self.seen) {
            let archive =
                waiver.archive.as_ref().is_none_or(|pattern| pattern.is_path(&measured.ledger.input));
            let region = waiver.region.as_ref().is_none_or(|pattern| {
                measured.ledger.regions.iter().any(|region| pattern.is_match(&region.name))
            });
            seen.looked |= archive && region;
        }
    }

    /// Records findings that these waivers cover. If one of the waivers still waives them, they do not count again.
    pub fn cover(&mut self, waivers: &[&Waiver], findings: u64) {
        let waived = waivers.iter().any(|waiver| waiver.is_in_force());
        for waiver in waivers.iter().filter(|waiver| waiver.is_in_force() || !waived) {
            self.seen[waiver.number - 1].covered += findings;
        }
    }

    /// Returns what was seen of waivers, by their indices. Others were not seen.
    pub fn seen(self) -> Vec<(usize, Seen)> {
        self.seen.into_iter().enumerate().filter(|(_, seen)| *seen != Seen::default()).collect()
    }

    /// Adds what other inputs show.
    pub fn join(&mut self, next: Vec<(usize, Seen)>) {
        for (index, more) in next {
            if let Some(seen) = self.seen.get_mut(index) {
                seen.covered += more.covered;
                seen.looked |= more.looked;
            }
        }
    }

    /// RUN002: waivers that have expired or cover nothing. Unused waivers are known only if
    /// the run saw `all`: nothing was left out, and all inputs were read completely.
    pub fn evaluate(&self, profile: &Profile, all: bool) -> RuleOutcomes {
        let mut outcomes = RuleOutcomes::default();
        let mut unknown = 0;
        for (waiver, seen) in self.waivers.list.iter().zip(&self.seen) {
            // Findings of an unselected rule are unknown.
            let mut rules = Code::all().filter(|&code| waiver.code.is_none_or(|own| own.covers(code)));
            let known = all && seen.looked && rules.all(|code| profile.selects(code));
            match waiver.state {
                State::Expired => outcomes.push(self.finding(waiver, *seen, &seen.expired())),
                State::InForce if seen.covered == 0 && known => {
                    outcomes.push(self.finding(waiver, *seen, "covers no finding of this run"));
                }
                State::InForce if seen.covered == 0 => unknown += 1,
                State::InForce | State::NotYet => {}
            }
        }
        if unknown > 0 {
            outcomes.not_evaluated.insert((Code::RUN002, SkipReason::NotCovered), unknown);
        }
        outcomes
    }

    fn finding(&self, waiver: &Waiver, seen: Seen, what: &str) -> Finding {
        let Waiver { number, reason, who, .. } = waiver;
        let (until, file) = (waiver.until(), &self.waivers.file);
        let detail = format!("{what} (number {number} in {file}: \"{reason}\", {who}, until {until})");
        Finding::new(Code::RUN002).within(waiver.to_string()).detail(detail).measured(seen.covered as f64)
    }
}

impl Seen {
    fn expired(self) -> String {
        match self.covered {
            0 => "has expired and covers no finding of this run".to_owned(),
            1 => "has expired: 1 finding counts again".to_owned(),
            more => format!("has expired: {} count again", counted(more, "finding")),
        }
    }
}
