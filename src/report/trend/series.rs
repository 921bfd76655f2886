//! The trend: points of each region over the days of earlier runs, and this run.

use super::{HistoryRow, Past, ThisRun, day};
use crate::counts::SeverityCounts;
use hullmark_analysis::cost::Basis;
use hullmark_util::dates_in_names::undated;
use std::{cmp::Ordering, collections::BTreeMap};

/// Maximum number of regions.
const REGIONS: usize = 24;

/// The figures of a region on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its land impact; `None` if it is unknown.
    pub land_impact: Option<f64>,
    /// Whether the land impact is a lower bound.
    pub at_least: bool,
    /// Number of linksets.
    pub objects: u64,
    /// Number of scripts.
    pub scripts: Option<u64>,
    /// Findings by severity.
    pub findings: SeverityCounts,
}

impl From<&HistoryRow> for Point {
    fn from(row: &HistoryRow) -> Self {
        Self {
            land_impact: row.land_impact.value(),
            at_least: matches!(row.land_impact.basis(), Basis::LowerBound(_)),
            objects: row.objects,
            scripts: row.scripts,
            findings: row.findings,
        }
    }
}

/// Points by day.
pub type Days = BTreeMap<String, Point>;

/// The trend of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionTrend {
    /// Path of its archive.
    pub archive: String,
    /// Its name.
    pub region: String,
    /// Its capacity, if known.
    pub capacity: Option<f64>,
    /// Its points, this run last: at least two.
    pub days: Days,
}

/// The trends of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trend {
    /// The regions, those that changed most first.
    pub regions: Vec<RegionTrend>,
    /// Number of further regions with a trend.
    pub left_out: usize,
}

impl Trend {
    /// Returns the trends of the rows of this run.
    pub fn new(past: &Past, run: &ThisRun) -> Self {
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        run.rows.iter().for_each(|row| *times.entry(&row.identity).or_default() += 1);
        let of_row = |row: &HistoryRow| {
            let unique = times.get(row.identity.as_str()) == Some(&1);
            let mut days = past.days(&row.identity, &undated(&row.archive), unique);
            days.insert(day(&row.time).to_owned(), row.into());
            (days.len() > 1).then(|| RegionTrend {
                archive: row.archive.clone(),
                region: row.region.clone(),
                capacity: row.capacity,
                days,
            })
        };
        let mut regions: Vec<RegionTrend> = run.rows.iter().filter_map(of_row).collect();
        let left_out = regions.len().saturating_sub(REGIONS);
        choose(&mut regions);
        Self { regions, left_out }
    }
}

/// Keeps the regions with the highest use of capacity and those with the largest change, half of each. Sorts by change.
fn choose(trends: &mut Vec<RegionTrend>) {
    // Stable: equal regions keep their order.
    let falling = |of: fn(&RegionTrend) -> f64| {
        move |a: &RegionTrend, b: &RegionTrend| -> Ordering { of(b).total_cmp(&of(a)) }
    };
    trends.sort_by(falling(RegionTrend::used));
    let half = trends.len().min(REGIONS / 2);
    trends[half..].sort_by(falling(RegionTrend::moved));
    trends.truncate(REGIONS);
    trends.sort_by(falling(RegionTrend::moved));
}

impl RegionTrend {
    /// Returns the first day with a known land impact, that land impact, and the one now. `None` unless both are exact,
    /// or both are lower bounds.
    pub fn ends(&self) -> Option<(&str, f64, f64)> {
        let (today, last) = self.days.last_key_value()?;
        let (day, first) = self.days.iter().find(|(_, point)| point.land_impact.is_some())?;
        let is_comparable = day != today && first.at_least == last.at_least;
        is_comparable.then_some((day, first.land_impact?, last.land_impact?))
    }

    /// How far its land impact moved.
    fn moved(&self) -> f64 {
        self.ends().map_or(0.0, |(_, first, last)| (last - first).abs())
    }

    /// Its land impact now, as a share of its capacity.
    fn used(&self) -> f64 {
        let now = self.days.values().next_back().and_then(|point| point.land_impact);
        let capacity = self.capacity.filter(|&capacity| capacity > 0.0);
        now.zip(capacity).map_or(0.0, |(now, capacity)| now / capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(region: &str, impacts: [f64; 2], capacity: f64) -> RegionTrend {
        let point = |impact| Point {
            land_impact: Some(impact),
            at_least: false,
            objects: 0,
            scripts: Some(0),
            findings: SeverityCounts::default(),
        };
        let days = ["2026-11-21", "2026-11-22"].map(String::from).into_iter().zip(impacts.map(point));
        RegionTrend {
            archive: "a".into(),
            region: region.into(),
            capacity: Some(capacity),
            days: days.collect(),
        }
    }

    #[test]
    fn the_fullest_and_the_most_moved_are_chosen() {
        let full = (0..REGIONS).map(|number| trend(&format!("full {number}"), [90.0, 90.0], 100.0));
        let moved = (0..REGIONS).map(|number| trend(&format!("moved {number}"), [0.0, number as f64], 9e9));
        let mut trends: Vec<_> = moved.chain(full).collect();
        choose(&mut trends);
        let names: Vec<&str> = trends.iter().map(|trend| trend.region.as_str()).collect();
        let half = REGIONS / 2;
        let expected: Vec<String> = (half..REGIONS).rev().map(|number| format!("moved {number}")).collect();
        assert_eq!(names[..half], expected);
        let expected: Vec<String> = (0..half).map(|number| format!("full {number}")).collect();
        assert_eq!(names[half..], expected);
    }

    #[test]
    fn a_lower_bound_is_not_compared_with_an_exact_number() {
        let mut region = trend("A", [1.0, 3.0], 9.0);
        assert_eq!(region.ends(), Some(("2026-11-21", 1.0, 3.0)));
        region.days.values_mut().for_each(|point| point.at_least = true);
        assert_eq!(region.ends(), Some(("2026-11-21", 1.0, 3.0)));
        region.days.values_mut().take(1).for_each(|point| point.at_least = false);
        assert_eq!(region.ends(), None);
    }
}
