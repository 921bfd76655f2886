//! Which waivers a run used, and findings about unused ones.

use super::{State, Waiver, Waivers};
use crate::{
    analysis::Measured,
    finding::{Code, Finding},
    rules::{RuleOutcomes, SkipReason, catalogue},
    settings::profile::Profile,
    util::{escape::shortened, number_text::counted},
};

/// Rows that are named of those that a waiver may mean.
const NAMED: usize = 64;

/// Characters of what each of them says.
const SAID: usize = 100;

/// What became of each waiver in a run.
pub(crate) struct Uses<'a> {
    waivers: &'a Waivers,
    seen: Vec<Seen>,
}

/// What became of one waiver.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// Findings that it covers; of one that has ended those that count again.
    covered: u64,
    /// Whether the run looked where it holds.
    looked: bool,
    /// What it may mean that has an old fingerprint: the first findings, and how many rows there are.
    meant: Vec<String>,
    rows: usize,
}

impl<'a> Uses<'a> {
    /// Of a run that has seen nothing yet.
    pub(crate) fn of(waivers: &'a Waivers) -> Self {
        Self { waivers, seen: vec![Seen::default(); waivers.list.len()] }
    }

    /// Takes note of an input that is judged.
    pub(crate) fn look(&mut self, measured: &Measured<'_>) {
        for (waiver, seen) in self.waivers.list.iter().zip(&mut self.seen) {
            let archive =
                waiver.archive.as_ref().is_none_or(|pattern| pattern.is_path(&measured.ledger.input));
            let region = waiver.region.as_ref().is_none_or(|pattern| {
                measured.ledger.regions.iter().any(|region| pattern.is_match(&region.name))
            });
            seen.looked |= archive && region;
        }
    }

    /// Takes note of findings that these waivers cover. Those that one of them still waives do not count again.
    pub(crate) fn cover(&mut self, waivers: &[&Waiver], findings: u64) {
        let waived = waivers.iter().any(|waiver| waiver.is_in_force());
        for waiver in waivers.iter().filter(|waiver| waiver.is_in_force() || !waived) {
            self.seen[waiver.number - 1].covered += findings;
        }
    }

    /// Takes note of a finding that these waivers may mean: they name the fingerprint that it shared with others in
    /// earlier versions.
    pub(crate) fn may_mean(&mut self, waivers: &[&Waiver], finding: &Finding, fingerprint: u64) {
        for waiver in waivers {
            let seen = &mut self.seen[waiver.number - 1];
            seen.rows += 1;
            if seen.meant.len() < NAMED {
                let message = catalogue::message(finding);
                seen.meant.push(format!("{fingerprint:016x} ({})", shortened(&message, SAID)));
            }
        }
    }

    /// RUN002: waivers that have ended, those whose fingerprint is an old one, and those that cover nothing. The latter
    /// are known only of a run that saw `all`: nothing was left out of it, and all of it was read to its end.
    pub(crate) fn judge(&self, profile: &Profile, all: bool) -> RuleOutcomes {
        let mut verdicts = RuleOutcomes::default();
        let mut unknown = 0;
        for (waiver, seen) in self.waivers.list.iter().zip(&self.seen) {
            // What a rule that is off would find is not known.
            let mut rules = Code::all().filter(|&code| waiver.code.is_none_or(|own| own.covers(code)));
            let known = all && seen.looked && rules.all(|code| profile.selects(code));
            match waiver.state {
                State::Expired => verdicts.push(self.finding(waiver, seen, &seen.expired())),
                State::InForce if seen.rows > 0 => verdicts.push(self.finding(waiver, seen, &seen.meant())),
                State::InForce if seen.covered == 0 && known => {
                    verdicts.push(self.finding(waiver, seen, "covers nothing that this run found"));
                }
                State::InForce if seen.covered == 0 => unknown += 1,
                State::InForce | State::NotYet => {}
            }
        }
        if unknown > 0 {
            verdicts.not_evaluated.insert((Code::RUN002, SkipReason::NotCovered), unknown);
        }
        verdicts
    }

    fn finding(&self, waiver: &Waiver, seen: &Seen, what: &str) -> Finding {
        let Waiver { number, reason, who, .. } = waiver;
        let (until, file) = (waiver.until(), &self.waivers.file);
        let detail = format!("{what}. Number {number} in {file}: \"{reason}\", {who}, until {until}");
        Finding::new(Code::RUN002).within(waiver.to_string()).detail(detail).measured(seen.covered as f64)
    }
}

impl Seen {
    /// What is said of a waiver that has ended.
    fn expired(&self) -> String {
        match self.covered {
            0 if self.rows > 0 => format!("has expired, and {}", self.meant()),
            0 => "has expired: nothing that this run found counts again".to_owned(),
            1 => "has expired: the finding that it covers counts again".to_owned(),
            more => format!("has expired: the {} that it covers count again", counted(more, "finding")),
        }
    }

    /// What is wrong with a waiver that has an old fingerprint, and what to write.
    fn meant(&self) -> String {
        let more = match self.rows - self.meant.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!(
            "has a fingerprint that several findings shared in an earlier version, and waives none of them; write \
             a waiver for each of these that it means: {}{more}",
            self.meant.join(", ")
        )
    }
}
