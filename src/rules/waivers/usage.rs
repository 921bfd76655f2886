//! Which waivers a run made use of, and what it says of those that it did not.

use super::{State, Waiver, Waivers};
use crate::{
    analysis::Measured,
    finding::{Code, Finding},
    rules::{RuleOutcomes, SkipReason, catalogue},
    settings::profile::Profile,
    util::number_text::counted,
};
use std::fmt;

/// Rows that are named of those that a waiver may mean.
const NAMED: usize = 64;

/// Characters of what each of them says.
const SAID: usize = 100;

/// What became of each waiver in a run.
pub(crate) struct Uses<'a> {
    waivers: &'a Waivers,
    /// Findings that each covers; of one that has ended those that count again.
    covered: Vec<u64>,
    /// Whether the run looked where each holds.
    looked: Vec<bool>,
    /// What each may mean that has an old fingerprint.
    meant: Vec<Meant>,
}

/// Findings that a waiver may mean: the first, and how many rows there are.
#[derive(Debug, Clone, Default)]
struct Meant {
    first: Vec<String>,
    rows: usize,
}

impl<'a> Uses<'a> {
    /// Of a run that has seen nothing yet.
    pub(crate) fn of(waivers: &'a Waivers) -> Self {
        let count = waivers.list.len();
        let meant = vec![Meant::default(); count];
        Self { waivers, covered: vec![0; count], looked: vec![false; count], meant }
    }

    /// Takes note of an input that is judged.
    pub(crate) fn look(&mut self, measured: &Measured<'_>) {
        for (waiver, looked) in self.waivers.list.iter().zip(&mut self.looked) {
            let archive =
                waiver.archive.as_ref().is_none_or(|pattern| pattern.is_path(&measured.ledger.input));
            let region = waiver.region.as_ref().is_none_or(|pattern| {
                measured.ledger.regions.iter().any(|region| pattern.is_match(&region.name))
            });
            *looked |= archive && region;
        }
    }

    /// Takes note of findings that these waivers cover. Those that one of them still waives do not count again.
    pub(crate) fn cover(&mut self, waivers: &[&Waiver], findings: u64) {
        let waived = waivers.iter().any(|waiver| waiver.is_in_force());
        for waiver in waivers.iter().filter(|waiver| waiver.is_in_force() || !waived) {
            self.covered[waiver.number - 1] += findings;
        }
    }

    /// Takes note of a finding that these waivers may mean: they name the fingerprint that it shared with others in
    /// earlier versions.
    pub(crate) fn may_mean(&mut self, waivers: &[&Waiver], finding: &Finding, fingerprint: u64) {
        for waiver in waivers {
            let meant = &mut self.meant[waiver.number - 1];
            meant.rows += 1;
            if meant.first.len() < NAMED {
                let message = catalogue::message(finding);
                let more = if message.chars().nth(SAID).is_some() { "…" } else { "" };
                let message: String = message.chars().take(SAID).collect();
                meant.first.push(format!("{fingerprint:016x} ({message}{more})"));
            }
        }
    }

    /// RUN002: waivers that have ended, those whose fingerprint is an old one, and those that cover nothing. The latter
    /// are known only of a run that saw `all`: nothing was left out of it, and all of it was read to its end.
    pub(crate) fn judge(&self, profile: &Profile, all: bool) -> RuleOutcomes {
        let mut verdicts = RuleOutcomes::default();
        let mut unknown = 0;
        let seen = self.covered.iter().zip(&self.looked).zip(&self.meant);
        for (waiver, ((&covered, &looked), meant)) in self.waivers.list.iter().zip(seen) {
            // What a rule that is off would find is not known.
            let mut rules = Code::all().filter(|&code| waiver.code.is_none_or(|own| own.covers(code)));
            let known = all && looked && rules.all(|code| profile.selects(code));
            match waiver.state {
                State::Expired => verdicts.findings.push(self.expired(waiver, covered, meant)),
                State::InForce if meant.rows > 0 => {
                    verdicts.findings.push(self.finding(waiver, covered, &meant.to_string()));
                }
                State::InForce if covered == 0 && known => {
                    verdicts.findings.push(self.unused(waiver));
                }
                State::InForce if covered == 0 => unknown += 1,
                State::InForce | State::NotYet => {}
            }
        }
        if unknown > 0 {
            verdicts.not_evaluated.insert((Code::RUN002, SkipReason::NotCovered), unknown);
        }
        verdicts
    }

    fn expired(&self, waiver: &Waiver, covered: u64, meant: &Meant) -> Finding {
        let again = match covered {
            0 if meant.rows > 0 => {
                return self.finding(waiver, covered, &format!("has expired, and {meant}"));
            }
            0 => "nothing that this run found counts again".to_owned(),
            1 => "the finding that it covers counts again".to_owned(),
            more => format!("the {} that it covers count again", counted(more, "finding")),
        };
        self.finding(waiver, covered, &format!("has expired: {again}"))
    }

    fn unused(&self, waiver: &Waiver) -> Finding {
        self.finding(waiver, 0, "covers nothing that this run found")
    }

    fn finding(&self, waiver: &Waiver, covered: u64, what: &str) -> Finding {
        let Waiver { number, reason, who, .. } = waiver;
        let (until, file) = (waiver.until(), &self.waivers.file);
        let detail = format!("{what}. Number {number} in {file}: \"{reason}\", {who}, until {until}");
        Finding::new(Code::RUN002).within(waiver.to_string()).detail(detail).measured(covered as f64)
    }
}

impl fmt::Display for Meant {
    /// What is wrong with the waiver, and what to write.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "has a fingerprint that several findings shared in an earlier version, and waives none of them; ",
        )?;
        write!(f, "write a waiver for each of these that it means: {}", self.first.join(", "))?;
        match self.rows - self.first.len() {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}
