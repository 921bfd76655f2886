//! `--timings`: time of each stage, as a table.

use crate::cli::terminal::{Align, columns};
use hullmark_util::timings;
use std::time::Duration;

/// Formats a row for each stage, and their sum.
pub(super) fn table(wall: Duration) -> String {
    let taken: Vec<_> = timings::taken().into_iter().filter(|(_, time, _)| !time.is_zero()).collect();
    let all: Duration = taken.iter().map(|(_, time, _)| *time).sum();
    let mut rows = vec![["stage", "seconds", "share", "MB", "MB/s"].map(String::from).to_vec()];
    for (stage, time, bytes) in taken {
        let megabytes = bytes.map(|bytes| bytes as f64 / 1e6);
        rows.push(row(stage.name(), time, all, megabytes));
    }
    rows.push(row("all threads", all, all, None));
    let [left, right] = [Align::Left, Align::Right];
    let table = columns(&[left, right, right, right, right], &rows);
    format!("{table}Elapsed: {:.3} s.\n", wall.as_secs_f64())
}

fn row(name: &str, time: Duration, all: Duration, megabytes: Option<f64>) -> Vec<String> {
    let seconds = time.as_secs_f64();
    let share = 100.0 * seconds / all.as_secs_f64().max(f64::MIN_POSITIVE);
    let number =
        |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
    let rate = megabytes.map(|megabytes| megabytes / seconds);
    vec![name.into(), format!("{seconds:.3}"), format!("{share:.1} %"), number(megabytes, 3), number(rate, 0)]
}
