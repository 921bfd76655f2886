//! The figures of regions over many runs: `history.csv`, and the trend that the page draws from it.
//!
//! A run reads the file before it writes its report, and appends its own rows after that. Runs of one day count once:
//! the last row of a region and day. Ledgers do not remember costs, so this file is the only source.

mod file;
mod series;

use super::{counts::SeverityCounts, region_status::RegionStatus};
pub use file::Past;
pub use file::{HistoryError, HistoryFile};
use hullmark_analysis::{Measured, RegionMeasures, cost::Cost};
use hullmark_ledger::{
    facts::{RegionFacts, Status},
    identity,
};
use hullmark_util::escape::clean;
use serde::{Deserialize, Serialize};
pub use series::{Point, RegionTrend, Trend};
use std::time::SystemTime;

/// A row of `history.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

    /// Adds rows of regions. They get the time and the target of the run.
    pub fn add(&mut self, rows: Vec<HistoryRow>) {
        let Self { time, target, .. } = self;
        let row = |row| HistoryRow { time: time.clone(), target: target.clone(), ..row };
        self.rows.extend(rows.into_iter().map(row));
    }
}

impl HistoryRow {
    /// Returns the rows of the regions of an evaluated input, without time and target. An input that was not read to its
    /// end has no row, because its sums are too low.
    pub fn of_regions(measured: &Measured<'_>, statuses: &[RegionStatus]) -> Vec<Self> {
        let ledger = measured.ledger;
        if ledger.status != Status::Complete {
            return Vec::new();
        }
        let holds_land_impact = measured.profile.land.holds_land_impact();
        let regions = ledger.regions.iter().zip(&measured.regions).zip(statuses);
        let row = |((region, measures), status): ((&RegionFacts, &RegionMeasures), &RegionStatus)| {
            let total = &measures.total;
            Self {
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
                time: String::new(),
                target: String::new(),
            }
        };
        regions.map(row).collect()
    }
}

/// Returns the day of a time, as `2026-11-23`.
fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}
