//! Numbers of changes.

use super::{Change, ChangeKind, What, lost::Lost};
use crate::counts::SeverityCounts;
use hullmark_finding::Severity;
use hullmark_util::number_text::{counted, signed};
use serde::Serialize;

/// Numbers of changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// New findings.
    pub new: SeverityCounts,
    /// Worse findings.
    pub worse: SeverityCounts,
    /// Better findings.
    pub better: u64,
    /// Findings with another measured value.
    pub changed: u64,
    /// Findings that are gone.
    pub gone: SeverityCounts,
    /// Added archives.
    pub archives_came: u64,
    /// Removed archives.
    pub archives_went: u64,
    /// Archives that cannot be compared completely.
    pub not_compared: u64,
    /// Added objects.
    pub objects_came: u64,
    /// Removed objects.
    pub objects_went: u64,
    /// Numbers of objects that increased.
    pub objects_grew: u64,
    /// Numbers of objects that decreased.
    pub objects_shrank: u64,
    /// Increases of land impact.
    pub heavier: LandImpact,
    /// Decreases of land impact.
    pub lighter: LandImpact,
    /// What was lost with an archive, a region, or most of the content of an archive. Nothing else counts it.
    pub lost: Lost,
    /// All changes of archives.
    pub of_archives: u64,
    /// All changes of regions.
    pub of_regions: u64,
}

/// Changes of land impact in one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LandImpact {
    /// Number of regions.
    pub regions: u64,
    /// Sum of the differences.
    pub difference: f64,
    /// Number of rezzed objects whose land impact changed in this direction.
    pub objects: u64,
}

impl LandImpact {
    fn add(&mut self, what: What, difference: f64) {
        match what {
            What::Region => {
                self.regions += 1;
                self.difference += difference;
            }
            _ => self.objects += 1,
        }
    }

    /// Number of changes.
    pub fn all(&self) -> u64 {
        self.regions + self.objects
    }

    /// Formats the changes: `land impact +312 in 1 region`, else the number of objects. `None` without a change.
    pub fn in_words(&self, object: &str) -> Option<String> {
        let (regions, objects) = (counted(self.regions, "region"), counted(self.objects, object));
        match (self.regions, self.objects) {
            (0, 0) => None,
            (0, _) => Some(objects),
            _ => Some(format!("land impact {} in {regions}", signed(self.difference))),
        }
    }
}

impl Counts {
    /// Counts a change.
    pub(super) fn add(&mut self, row: &Change) {
        let severity = row.severity.unwrap_or(Severity::Info);
        self.of_archives += u64::from(row.what == What::Archive);
        self.of_regions += u64::from(row.what == What::Region);
        if row.became == ChangeKind::Lost {
            return self.lost.add(row);
        }
        match row.land_impact() {
            Some(more) if more > 0.0 => self.heavier.add(row.what, more),
            Some(less) => self.lighter.add(row.what, less),
            None => {}
        }
        match (row.what, row.became) {
            (What::Finding, ChangeKind::New) => self.new.add(severity, 1),
            (What::Finding, ChangeKind::Worse) => self.worse.add(severity, 1),
            (What::Finding, ChangeKind::Better) => self.better += 1,
            (What::Finding, ChangeKind::Gone) => self.gone.add(severity, 1),
            (What::Finding, _) => self.changed += 1,
            (What::Archive, ChangeKind::Added) => self.archives_came += 1,
            (What::Archive, ChangeKind::Removed) => self.archives_went += 1,
            (What::Archive, ChangeKind::NotCompared) => self.not_compared += 1,
            (What::Object, ChangeKind::Added) => self.objects_came += 1,
            (What::Object, ChangeKind::Removed) => self.objects_went += 1,
            (What::Object, ChangeKind::Increased) => self.objects_grew += 1,
            (What::Object, _) => self.objects_shrank += 1,
            _ => {}
        }
    }

    /// Returns the number of changes of regions other than those of land impact.
    pub fn other_regions(&self) -> u64 {
        self.of_regions - self.heavier.regions - self.lighter.regions - self.lost.regions
    }

    /// Returns the severity of the worst new or worse finding.
    pub fn worst(&self) -> Option<Severity> {
        self.new.worst().max(self.worse.worst())
    }
}
