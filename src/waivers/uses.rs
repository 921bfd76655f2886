//! Which waivers a run made use of, and what it says of those that it did not.

use super::{State, Waiver, Waivers};
use crate::{
    finding::{Code, Finding, counted},
    join::Case,
    profile::Profile,
    rules::{Reason, Verdicts},
};

/// What became of each waiver in a run.
pub(crate) struct Uses<'a> {
    waivers: &'a Waivers,
    /// Findings that each covers; of one that has ended those that count again.
    covered: Vec<u64>,
    /// Whether the run looked where each holds.
    looked: Vec<bool>,
}

impl<'a> Uses<'a> {
    /// Of a run that has seen nothing yet.
    pub(crate) fn of(waivers: &'a Waivers) -> Self {
        let count = waivers.list.len();
        Self { waivers, covered: vec![0; count], looked: vec![false; count] }
    }

    /// Takes note of an input that is judged.
    pub(crate) fn look(&mut self, case: &Case<'_>) {
        for (waiver, looked) in self.waivers.list.iter().zip(&mut self.looked) {
            let archive = waiver.archive.as_ref().is_none_or(|pattern| pattern.is_path(&case.ledger.input));
            let region = waiver.region.as_ref().is_none_or(|pattern| {
                case.ledger.regions.iter().any(|region| pattern.is_match(&region.name))
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

    /// RUN002: waivers that have ended, and those that cover nothing. The latter are known only of a run that saw
    /// `all`: nothing was left out of it, and all of it was read to its end.
    pub(crate) fn judge(&self, profile: &Profile, all: bool) -> Verdicts {
        let mut verdicts = Verdicts::default();
        let mut unknown = 0;
        for ((waiver, &covered), &looked) in self.waivers.list.iter().zip(&self.covered).zip(&self.looked) {
            // What a rule that is off would find is not known.
            let mut rules = Code::all().filter(|&code| waiver.code.is_none_or(|own| own.covers(code)));
            let known = all && looked && rules.all(|code| profile.selects(code));
            match waiver.state {
                State::Expired => verdicts.findings.push(self.expired(waiver, covered)),
                State::InForce if covered == 0 && known => {
                    verdicts.findings.push(self.unused(waiver));
                }
                State::InForce if covered == 0 => unknown += 1,
                State::InForce | State::NotYet => {}
            }
        }
        if unknown > 0 {
            verdicts.not_evaluated.insert((Code::RUN002, Reason::NotCovered), unknown);
        }
        verdicts
    }

    fn expired(&self, waiver: &Waiver, covered: u64) -> Finding {
        let again = match covered {
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
