//! What is new, while a report is written.

use super::{Finding, Snapshot, key};
use crate::{
    analysis::Measured,
    finding::{Code, Severity},
    ledger::identity,
    report::{ReportedFinding, csv::real},
    rules::history::{Copies, Rank},
    util::named,
};
use std::collections::{HashMap, HashSet};

named! {
    /// What a finding is beside an earlier night, as the column `news` says it. What is new stands first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum BaselineStatus {
        /// It was not there.
        New = "new",
        /// It was there, and not as bad.
        Worse = "worse",
        /// The earlier night did not cover the archive or read it to its end, or a newer copy is judged.
        NotCompared = "not_compared",
        /// It was there.
        Known = "known",
    }
}

/// An earlier night, beside which the findings of tonight's inputs are new or known.
#[derive(Debug)]
pub(crate) struct Baseline<'a> {
    night: &'a Snapshot,
    copies: &'a Copies,
    /// What is there tonight.
    tonight: HashSet<&'a str>,
}

impl<'a> Baseline<'a> {
    /// A night beside these inputs.
    pub(crate) fn of(night: &'a Snapshot, copies: &'a Copies, inputs: &[&'a str]) -> Self {
        let tonight = inputs.iter().filter_map(|input| copies.matched_by(input)).collect();
        Self { night, copies, tonight }
    }

    /// What each of the findings of an input is.
    pub(crate) fn news(&self, measured: &Measured<'_>, told: &[ReportedFinding<'_>]) -> Vec<BaselineStatus> {
        let ledger = measured.ledger;
        let is_older = matches!(self.copies.rank_of(&ledger.input), Rank::Superseded { .. });
        let series = self.copies.matched_by(&ledger.input).filter(|_| !is_older);
        let Some(series) = series else { return vec![BaselineStatus::NotCompared; told.len()] };
        let key = key(&ledger.kind, &ledger.input, series);
        let tonight = |series: &str| self.tonight.contains(series);
        let Some((_, archive)) = self.night.same(&key, &identity::of_input(ledger), tonight) else {
            return vec![BaselineStatus::New; told.len()];
        };
        // Rows of one fingerprint are one finding.
        let key = |told: &ReportedFinding<'_>| {
            let old = told.old_fingerprint.filter(|_| !self.night.tells_apart);
            (told.finding.code, old.unwrap_or(told.fingerprint))
        };
        let mut counts: HashMap<(Code, u64), (Severity, u64)> = HashMap::new();
        for told in told {
            let sum = counts.entry(key(told)).or_insert((told.severity, 0));
            *sum = (sum.0.max(told.severity), sum.1 + told.count);
        }
        let news = told.iter().map(|told| {
            let key = key(told);
            let Some(known) = archive.findings.get(&key) else {
                return if archive.is_whole() { BaselineStatus::New } else { BaselineStatus::NotCompared };
            };
            let number = |value: Option<f64>| real(value?).parse().ok();
            let (severity, count) = counts[&key];
            let now = Finding {
                severity,
                count,
                measured: number(told.finding.measured),
                limit: number(told.finding.limit),
                ..known.clone()
            };
            match now.beside(known, told.finding.code) {
                Some(super::ChangeKind::Worse) => BaselineStatus::Worse,
                _ => BaselineStatus::Known,
            }
        });
        news.collect()
    }
}
