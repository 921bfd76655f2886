//! What disappeared with its archive, with its region, or with most of the content of its archive.
//!
//! Fewer objects and findings are no improvement if a backup lost them. So these changes are `lost`, and counted apart.

use super::{Archive, Change, ChangeKind, Content, LAND_IMPACT, Region, Snapshot, What, found::Found};
use crate::counts::SeverityCounts;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::summary::LedgerSummary;
use hullmark_settings::rule_selection::Selector;
use hullmark_util::number_text::{counted, signed};
use serde::Serialize;
use std::collections::HashSet;

/// Rules that report a loss of content.
const LOSSES: [Code; 2] = [Code::HIS001, Code::HIS005];

/// Rules that compare archives with each other.
const ACROSS: Selector = Selector::Family("XAR");

/// Numbers of what was lost.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// Removed archives with content that no other archive has.
    pub archives: u64,
    /// Regions with less land impact.
    pub regions: u64,
    /// Difference of their land impact.
    pub difference: f64,
    /// Objects.
    pub objects: u64,
    /// Findings that are gone or better.
    pub findings: SeverityCounts,
}

impl Lost {
    /// Counts a row of a lost region, object or finding.
    pub(super) fn add(&mut self, row: &Change) {
        match row.what {
            What::Region => {
                if let Some(less) = row.land_impact() {
                    self.regions += 1;
                    self.difference += less;
                }
            }
            What::Object => self.objects += u64::from(row.after.is_none()),
            What::Finding => self.findings.add(row.severity.unwrap_or(Severity::Info), 1),
            What::Archive => {}
        }
    }

    pub(super) fn add_all(&mut self, more: &Self) {
        self.archives += more.archives;
        self.regions += more.regions;
        self.difference += more.difference;
        self.objects += more.objects;
        self.findings.add_all(&more.findings);
    }

    /// Formats the numbers: `1 archive; land impact −40 in 1 region; 40 objects`. `None` without a loss.
    pub(super) fn in_words(&self) -> Option<String> {
        let some = |count: u64, what: &str| (count > 0).then(|| counted(count, what));
        let regions = some(self.regions, "region");
        let words = [
            some(self.archives, "archive"),
            regions.map(|regions| format!("land impact {} in {regions}", signed(self.difference))),
            some(self.objects, "object"),
            some(self.findings.all(), "finding"),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// Returns the regions of a removed archive that no archive of this run has. `None` if nothing is lost. An archive without
/// regions is lost as a whole.
pub(super) fn of_removed<'a>(
    archive: &'a Archive,
    new: &Snapshot,
    came: &HashSet<&str>,
) -> Option<Vec<&'a Region>> {
    if archive.is_absent() || new.superseded.contains(&archive.input.series()) {
        return None;
    }
    let gone = archive.regions.iter().filter(|(identity, _)| !came.contains(identity.as_str()));
    let gone: Vec<_> = gone.map(|(_, region)| region).collect();
    (archive.regions.is_empty() || !gone.is_empty()).then_some(gone)
}

impl Found {
    /// Adds the lost regions of a removed archive, and counts their content.
    pub(super) fn of_removed(&mut self, archive: &Archive, content: &Content, gone: &[&Region]) {
        let is_whole = gone.len() == archive.regions.len();
        let names: HashSet<&str> = gone.iter().map(|region| region.name.as_str()).collect();
        let is_lost = |region: &str| is_whole || names.contains(region);
        let objects = content.linksets.values();
        let objects = objects.filter(|linkset| is_lost(linkset.region.as_deref().unwrap_or_default()));
        self.lost.archives += 1;
        self.lost.objects += objects.map(|linkset| u64::from(linkset.count)).sum::<u64>();
        for finding in content.findings.values().filter(|finding| !finding.waived && is_lost(&finding.region))
        {
            self.lost.findings.add(finding.severity, 1);
        }
        for region in gone {
            let row = Change::in_region(ChangeKind::Lost, archive, region);
            self.rows.push(row.with_land_impact(region.land_impact(), None));
        }
    }
}

/// Marks findings across archives that end because one of the archives is lost.
pub(super) fn mark_across(rows: &mut [Change]) {
    let is_across = |row: &Change| row.code.is_some_and(|code| ACROSS.covers(code));
    let ended = rows.iter_mut().filter(|row| is_across(row) && is_improvement(row));
    ended.for_each(|row| row.became = ChangeKind::Lost);
}

/// Marks the improvements among the rows of an archive that are losses. These are all, if the archive lost most of its
/// content since the earlier run. Else they are those of regions that no archive of this run has.
pub(super) fn mark(
    rows: &mut [Change],
    [before, after]: [&Archive; 2],
    [had, has]: [&Content; 2],
    present: &HashSet<&str>,
) {
    let fell = has.findings.iter().any(|(key, finding)| {
        let is_new = || match had.findings.get(key) {
            Some(known) => finding.change_from(known, key.0) == Some(ChangeKind::Worse),
            None => true,
        };
        LOSSES.contains(&key.0) && !finding.waived && is_new()
    });
    let gone = before.regions.iter().filter(|(identity, _)| !present.contains(identity.as_str()));
    let gone: HashSet<&str> = gone.map(|(_, region)| region.name.as_str()).collect();
    let is_back = has_more(&before.input.brief, &after.input.brief);
    for row in rows.iter_mut().filter(|row| is_improvement(row)) {
        // Without ledgers, a run knows only the one before, so the finding ends although nothing is back.
        let ends_alone = row.code.is_some_and(|code| LOSSES.contains(&code)) && !is_back;
        let of_gone = gone.contains(row.region.as_str());
        // A finding without an object may be one about the region.
        if fell
            || ends_alone
            || of_gone
            || !gone.is_empty() && row.what == What::Finding && row.region.is_empty()
        {
            row.became = ChangeKind::Lost;
        }
    }
}

/// Whether any number of an archive is greater than in the earlier run.
fn has_more(before: &LedgerSummary, after: &LedgerSummary) -> bool {
    let held = |brief: &LedgerSummary| {
        [brief.objects, brief.nested_objects, brief.loose_objects, brief.assets, brief.bytes]
    };
    held(before).into_iter().zip(held(after)).any(|(before, after)| after > before)
}

fn is_improvement(row: &Change) -> bool {
    let is_less = matches!(
        row.became,
        ChangeKind::Removed | ChangeKind::Decreased | ChangeKind::Gone | ChangeKind::Better
    );
    // Numbers other than these are neither better nor worse.
    let counts = row.what != What::Region || matches!(row.measure, None | Some(LAND_IMPACT));
    is_less && counts && row.what != What::Archive
}
