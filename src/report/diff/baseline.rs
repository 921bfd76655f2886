//! Status of findings against a baseline, while a report is written.

use super::{Finding, Findings, Snapshot, key, pairs};
use crate::{ReportedFinding, csv::real};
use hullmark_analysis::Measured;
use hullmark_ledger::identity;
use hullmark_rules::history::{Copies, Rank};
use hullmark_util::named;
use std::{
    collections::{HashMap, HashSet},
    io,
};

named! {
    /// Status of a finding against an earlier run: the column `baseline_status`. New findings come first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum BaselineStatus {
        /// The earlier run did not have it.
        New = "new",
        /// The earlier run had it, less severe.
        Worse = "worse",
        /// The earlier run did not cover the archive or did not read it to its end, or a newer copy is evaluated.
        NotCompared = "not_compared",
        /// The earlier run had it.
        Known = "known",
    }
}

impl BaselineStatus {
    /// Whether the finding is new or worse than in the earlier run.
    pub fn is_new(self) -> bool {
        matches!(self, Self::New | Self::Worse)
    }
}

/// An earlier run with which the findings of this run are compared.
#[derive(Debug)]
pub struct Baseline<'a> {
    earlier: &'a Snapshot,
    copies: &'a Copies,
    /// Series of the inputs in this run.
    current: HashSet<&'a str>,
}

impl<'a> Baseline<'a> {
    /// Creates the baseline for the inputs of this run.
    pub fn new(earlier: &'a Snapshot, copies: &'a Copies, inputs: &'a [String]) -> Self {
        let current = inputs.iter().filter_map(|input| copies.matched_by(input)).collect();
        Self { earlier, copies, current }
    }

    /// Returns the status of each finding of an input.
    ///
    /// # Errors
    /// The findings of the earlier run cannot be read.
    pub fn statuses(
        &self,
        measured: &Measured<'_>,
        findings: &[ReportedFinding<'_>],
    ) -> io::Result<Vec<BaselineStatus>> {
        let ledger = measured.ledger;
        let is_older = matches!(self.copies.rank_of(&ledger.input), Rank::Superseded { .. });
        let series = self.copies.matched_by(&ledger.input).filter(|_| !is_older);
        let Some(series) = series else { return Ok(vec![BaselineStatus::NotCompared; findings.len()]) };
        let key = key(ledger.kind, &ledger.input, series);
        let is_current = |series: &str| self.current.contains(series);
        let Some((key, archive)) = self.earlier.same(&key, &identity::of_input(ledger), is_current) else {
            return Ok(vec![BaselineStatus::New; findings.len()]);
        };
        let (before, now) = (self.earlier.contents.findings_of(key)?.findings, findings_of(findings));
        let pairs = pairs::of_findings(&before, &now).into_iter();
        let known: HashMap<_, _> = pairs.filter_map(|pair| Some((pair.key, pair.before?))).collect();
        let statuses = findings.iter().map(|reported| {
            let key = (reported.finding.code, reported.fingerprint);
            let Some(known) = known.get(&key) else {
                return if archive.is_whole() { BaselineStatus::New } else { BaselineStatus::NotCompared };
            };
            let Finding { severity, count, .. } = now[&key];
            let row = Finding { severity, count, ..finding(reported) };
            match row.change_from(known, reported.finding.code) {
                Some(super::ChangeKind::Worse) => BaselineStatus::Worse,
                _ => BaselineStatus::Known,
            }
        });
        Ok(statuses.collect())
    }
}

/// Returns a row as a finding of a snapshot, without its texts.
fn finding(reported: &ReportedFinding<'_>) -> Finding {
    let number = |value: Option<f64>| real(value?).parse().ok();
    Finding {
        severity: reported.severity,
        count: reported.count,
        measured: number(reported.finding.measured),
        limit: number(reported.finding.limit),
        message: Box::default(),
        object: reported.finding.place.object.unwrap_or_default(),
        about: Box::default(),
        region: Box::default(),
        waived: false,
        fingerprint: reported.fingerprint,
        content_fingerprint: Some(reported.content_fingerprint),
    }
}

/// Returns the findings by their keys. Rows with the same fingerprint count as one finding.
fn findings_of(rows: &[ReportedFinding<'_>]) -> Findings {
    let mut findings = Findings::new();
    for row in rows {
        finding(row).add_to(&mut findings, (row.finding.code, row.fingerprint));
    }
    findings
}
