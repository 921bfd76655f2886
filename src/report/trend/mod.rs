//! The figures of regions over many runs: `history.csv`, and the trend that the page draws from it.
//!
//! A run reads the file before it writes its report, and appends its own rows after that. Runs of one day count once:
//! the last row of a region and day. Ledgers do not remember costs, so this file is the only source.

mod file;
mod series;

use super::{counts::SeverityCounts, region_status::RegionStatus};
pub use file::Past;
pub use file::{HistoryError, HistoryFile};
use hullmark_analysis::{Measured, cost::Cost};
use hullmark_ledger::{facts::Status, identity};
use hullmark_util::escape::clean;
pub use series::{Point, RegionTrend, Trend};
use std::time::SystemTime;

/// A row of `history.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRow {
    pub time: String,
    pub target: String,
    pub archive: String,
    pub region: String,
    pub identity: String,
    pub objects: u64,
    pub parts: u64,
    pub scripts: Option<u64>,
    pub land_impact: Cost,
    /// Land impact that it can hold. `None` if no target was chosen.
    pub capacity: Option<f64>,
    pub physics_cost: Cost,
    pub findings: SeverityCounts,
}

/// The rows of this run.
#[derive(Debug, Clone, Default)]
pub struct ThisRun {
    time: String,
    target: String,
    rows: Vec<HistoryRow>,
}

impl ThisRun {
    pub fn new(now: SystemTime, target: &str) -> Self {
        let time = humantime::format_rfc3339_seconds(now).to_string();
        Self { time, target: clean(target), rows: Vec::new() }
    }

    /// Its day, as `2026-11-23`.
    pub fn day(&self) -> &str {
        day(&self.time)
    }

    /// Adds the regions of an evaluated input. An input that was not read to its end has no row, because its sums are
    /// too low.
    pub fn add(&mut self, measured: &Measured<'_>, statuses: &[RegionStatus]) {
        let ledger = measured.ledger;
        if ledger.status != Status::Complete {
            return;
        }
        let holds_land_impact = measured.profile.land.holds_land_impact();
        for ((region, measures), status) in ledger.regions.iter().zip(&measured.regions).zip(statuses) {
            let total = &measures.total;
            self.rows.push(HistoryRow {
                // A line break in a name would split the row.
                archive: clean(&ledger.input),
                region: clean(&region.name),
                identity: clean(&identity::of_region(ledger, region)),
                objects: total.objects,
                parts: total.parts,
                scripts: total.scripts,
                land_impact: total.land_impact,
                capacity: holds_land_impact.then_some(measures.capacity),
                physics_cost: total.physics_cost,
                findings: status.findings,
                time: self.time.clone(),
                target: self.target.clone(),
            });
        }
    }
}

/// Returns the day of a time, as `2026-11-23`.
fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}
