//! The status of each region: the verdict on its archive, its findings and its losses.

use crate::{
    counts::SeverityCounts,
    preflight::{Loss, Verdict, has_nothing_known},
    reported::Reported,
    tables::findings::Row,
};
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::Status;

/// The status of a region, or of an input without regions.
#[derive(Debug, Clone, Default)]
pub struct RegionStatus {
    /// The verdict on loading its archive. `None` in a report with a filter, and for loose files.
    pub verdict: Option<Verdict>,
    /// Number of findings.
    pub findings: SeverityCounts,
    /// The worst of them, by severity, then by weight.
    pub worst: Option<(Severity, f64, Code)>,
    /// Number of findings that are new or worse than in the earlier run. `None` without a baseline.
    pub new: Option<u64>,
    /// Why the verdict is a no-go, if no finding says so.
    pub reason: Option<&'static str>,
    /// Number of lost items. Assets belong to the region of their first user.
    pub lost: u64,
}

impl RegionStatus {
    /// Whether nobody needs to look at it.
    pub fn needs_nothing(&self) -> bool {
        let is_go = self.verdict.is_none_or(|verdict| verdict == Verdict::Go);
        is_go && self.lost == 0 && self.findings.worst() < Some(Severity::Warning)
    }

    /// Adds a finding, if it is not waived.
    fn add(&mut self, row: &Row<'_>) {
        let reported = row.reported;
        if reported.waived().is_some() {
            return;
        }
        self.findings.add(reported.severity, reported.count);
        let this = (reported.severity, reported.finding.weight);
        if self.worst.is_none_or(|(severity, weight, _)| this > (severity, weight)) {
            self.worst = Some((this.0, this.1, reported.finding.code));
        }
        if let Some(status) = reported.baseline_status {
            *self.new.get_or_insert_default() += if status.is_new() { reported.count } else { 0 };
        }
    }
}

/// Returns why an input is a no-go without a blocker.
pub fn no_go_reason(verdict: Verdict, status: Status, nothing_known: bool) -> Option<&'static str> {
    match verdict {
        Verdict::NoGo if status != Status::Complete => Some("not fully read"),
        Verdict::NoGo if nothing_known => Some("nothing that loads was found in it"),
        _ => None,
    }
}

/// Returns the status of an input as a whole.
pub fn of_input(input: &Reported<'_>, verdict: Option<Verdict>, losses: &[Loss]) -> RegionStatus {
    let ledger = input.measured.ledger;
    let reason = verdict.and_then(|verdict| no_go_reason(verdict, ledger.status, has_nothing_known(ledger)));
    let mut whole = RegionStatus { verdict, reason, ..RegionStatus::default() };
    input.all_findings().for_each(|row| whole.add(&row));
    whole.lost = match input.shown().is_all() {
        true => losses.iter().map(|loss| loss.lost).sum(),
        false => input.missing().filter(|missing| missing.is_lost).count() as u64,
    };
    whole
}

/// Returns the status of each region of an input. That of the only region is the status of the input.
pub fn of_regions(input: &Reported<'_>, whole: &RegionStatus) -> Vec<RegionStatus> {
    let ledger = input.measured.ledger;
    if ledger.regions.len() == 1 {
        return vec![whole.clone()];
    }
    let new = whole.new.map(|_| 0);
    let none = RegionStatus { verdict: whole.verdict, reason: whole.reason, new, ..RegionStatus::default() };
    let mut regions = vec![none; ledger.regions.len()];
    for row in input.all_findings() {
        if let Some(region) = row.region_number().and_then(|number| regions.get_mut(number)) {
            region.add(&row);
        }
    }
    let lost = input.missing().filter(|missing| missing.is_lost);
    for number in lost.filter_map(|missing| missing.by.region_number()) {
        if let Some(region) = regions.get_mut(number as usize) {
            region.lost += 1;
        }
    }
    regions
}
