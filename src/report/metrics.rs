//! The numbers of a run for Prometheus, as a text file that node_exporter reads.
//!
//! This file has times and durations, so it is no part of a report, whose bytes are reproducible.

use crate::{Summary, counts::SeverityCounts, summary::RegionFill};
use hullmark_finding::Severity;
use hullmark_ledger::facts::Status;
use hullmark_util::terminal_text::{clean, cut};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Maximum number of regions with the time of their backup: those with the oldest.
const BACKUPS: usize = 1000;
/// Maximum length of the name of a region.
const NAME: usize = 100;

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub struct RunTimes {
    /// Its end.
    pub end: SystemTime,
    /// Time since its begin.
    pub took: Duration,
    /// The exit code.
    pub exit: u8,
}

/// A text of metrics.
#[derive(Default)]
struct Text(String);

impl Text {
    /// Adds a metric with one sample for each set of labels.
    fn add(&mut self, name: &str, help: &str, samples: &[(String, f64)]) {
        if samples.is_empty() {
            return;
        }
        let _ = writeln!(self.0, "# HELP hullmark_{name} {help}\n# TYPE hullmark_{name} gauge");
        for (labels, value) in samples {
            let value = if *value == f64::NEG_INFINITY { "-Inf".into() } else { value.to_string() };
            let _ = writeln!(self.0, "hullmark_{name}{labels} {value}");
        }
    }

    fn one(&mut self, name: &str, help: &str, value: f64) {
        self.add(name, help, &[(String::new(), value)]);
    }

    fn counts(&mut self, name: &str, help: &str, counts: &SeverityCounts) {
        let sample =
            |severity: Severity| (labels(&[("severity", severity.name())]), counts.get(severity) as f64);
        self.add(name, help, &Severity::WORST_FIRST.map(sample));
    }
}

/// Formats labels: `{severity="error"}`.
fn labels(all: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let all: Vec<String> = all.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", all.join(","))
}

/// Returns the metrics of a run. `summary` is `None` if there was nothing to audit.
pub fn metrics(summary: Option<&Summary>, run: &RunTimes) -> String {
    let mut text = Text::default();
    let version = labels(&[("version", env!("CARGO_PKG_VERSION"))]);
    text.add("build_info", "Version of hullmark.", &[(version, 1.0)]);
    let end = run.end.duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
    text.one("run_end_timestamp_seconds", "End of the run, as seconds since 1970.", end);
    text.one("run_duration_seconds", "Duration of the run.", run.took.as_secs_f64());
    text.one("run_exit_code", "Exit code of the run.", run.exit.into());
    let complete = summary.is_some_and(Summary::is_read);
    text.one(
        "run_complete",
        "1 if all covered inputs were read to their end.",
        f64::from(u8::from(complete)),
    );
    if let Some(summary) = summary {
        of_summary(&mut text, summary);
    }
    text.0
}

fn of_summary(text: &mut Text, summary: &Summary) {
    let totals = &summary.totals;
    let inputs = Status::ALL.map(|status| {
        let count = summary.manifest.inputs.iter().filter(|input| input.status == status).count();
        (labels(&[("status", status.name())]), count as f64)
    });
    text.add("inputs", "Inputs and asset stores by how far they were read.", &inputs);
    text.one("input_bytes", "Size of all inputs on the disk.", totals.bytes as f64);
    text.counts("findings", "Findings that are not waived, by severity.", &summary.findings);
    text.counts("waived_findings", "Waived findings by severity.", &summary.waived);
    if let Some(changes) = &summary.changes {
        text.counts("new_findings", "Findings that the earlier run lacks.", &changes.counts.new);
        text.counts(
            "worse_findings",
            "Findings that are worse than in the earlier run.",
            &changes.counts.worse,
        );
    }
    let objects =
        [("region", totals.objects), ("inventory", totals.nested_objects), ("file", totals.loose_objects)];
    let objects = objects.map(|(place, count)| (labels(&[("place", place)]), count as f64));
    text.add("objects", "Linksets by where they are.", &objects);
    text.one("regions", "Regions.", totals.regions as f64);
    text.one("mesh_assets", "Mesh assets.", totals.meshes as f64);
    of_regions(text, summary);
    if let Some(newest) = summary.newest_export {
        let help = "Time of the newest export from its archive.xml, as seconds since 1970.";
        text.one("newest_export_timestamp_seconds", help, newest as f64);
    }
}

/// Adds the fullest regions, and those whose backups are oldest. Their number is bounded, because Prometheus keeps a
/// series for each name.
fn of_regions(text: &mut Text, summary: &Summary) {
    let mut fills = BTreeMap::new();
    for fill in &summary.fullest_regions {
        // The fullest comes first. Of equal names only one may have a sample.
        fills.entry(of_region(&fill.region)).or_insert(fill);
    }
    let samples = |number: fn(&RegionFill) -> f64| -> Vec<_> {
        fills.iter().map(|(labels, fill)| (labels.clone(), number(fill))).collect()
    };
    let help = "Land impact or prims, as the target counts, of the 50 fullest regions.";
    text.add("region_load", help, &samples(|fill| fill.load));
    text.add("region_capacity", "What these regions can hold.", &samples(|fill| fill.capacity));
    let mut oldest: Vec<_> = summary.backups.iter().collect();
    // Unknown times come first.
    oldest.sort_by_key(|backup| (backup.made, &backup.region));
    let mut times = BTreeMap::new();
    for backup in oldest.into_iter().take(BACKUPS) {
        let made = backup.made.map_or(f64::NEG_INFINITY, |made| made as f64);
        times.entry(of_region(&backup.region)).or_insert(made);
    }
    let help = "Time of the last whole backup of a region, as seconds since 1970; -Inf if none is known.";
    text.add("region_backup_timestamp_seconds", help, &times.into_iter().collect::<Vec<_>>());
}

fn of_region(name: &str) -> String {
    labels(&[("region", &cut(&clean(name), NAME))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Manifest, summary::Totals};

    #[test]
    fn metrics_have_the_numbers_of_a_run() {
        let mut summary = Summary::new(Manifest::default(), 10);
        summary.totals = Totals { bytes: 7, objects: 3, ..Totals::default() };
        summary.findings.add(Severity::Error, 2);
        summary.newest_export = Some(1_795_492_800);
        let end = UNIX_EPOCH + Duration::from_millis(1_795_500_000_500);
        let run = RunTimes { end, took: Duration::from_millis(1250), exit: 1 };
        let text = metrics(Some(&summary), &run);
        for line in [
            "# TYPE hullmark_run_end_timestamp_seconds gauge",
            "hullmark_run_end_timestamp_seconds 1795500000.5",
            "hullmark_run_duration_seconds 1.25",
            "hullmark_run_exit_code 1",
            "hullmark_run_complete 1",
            "hullmark_findings{severity=\"error\"} 2",
            "hullmark_findings{severity=\"blocker\"} 0",
            "hullmark_objects{place=\"region\"} 3",
            "hullmark_newest_export_timestamp_seconds 1795492800",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("hullmark_new_findings"), "nothing to compare with");
    }

    #[test]
    fn a_run_without_inputs_has_no_findings() {
        let run = RunTimes { end: UNIX_EPOCH, took: Duration::ZERO, exit: 3 };
        let text = metrics(None, &run);
        assert!(text.contains("hullmark_run_complete 0\n") && !text.contains("hullmark_findings"), "{text}");
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(labels(&[("a", "x\"y\\z\n"), ("b", "1")]), "{a=\"x\\\"y\\\\z\\n\",b=\"1\"}");
    }
}
