//! Progress of a scan: a bar on a terminal, otherwise a log line at intervals.

use hullmark_finding::Finding;
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_rules::{catalogue, families::decoding};
use hullmark_scan::Watch;
use hullmark_source::Input;
use hullmark_util::{
    escape::clean,
    lock::lock,
    log::{self, Level},
    number_text::{self, counted, thousands},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    cmp::Reverse,
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Seconds between two lines in a log.
const LINE_EVERY: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    Quiet,
    Normal,
    /// Progress, a summary, and a line for each input.
    Verbose,
}

/// Shows the progress of a scan on standard error.
#[derive(Debug)]
pub struct Progress {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    /// Names of the inputs that are being read.
    at_work: Mutex<BTreeSet<String>>,
    total_bytes: u64,
    total_inputs: usize,
    bytes: AtomicU64,
    inputs: AtomicU64,
    began: Instant,
    last_line: Mutex<Instant>,
    /// Set by a signal.
    stop: Arc<AtomicBool>,
    announced: AtomicBool,
}

impl Progress {
    /// Creates the progress of a scan of these inputs. `known` is the number of unchanged inputs. The run ends once
    /// `stop` is set.
    pub fn new(inputs: &[Input], known: usize, verbosity: Verbosity, stop: Arc<AtomicBool>) -> Self {
        let total_bytes = inputs.iter().map(|input| input.bytes).sum();
        let bar = (verbosity > Verbosity::Quiet && log::is_terminal()).then(|| bar(total_bytes));
        let now = Instant::now();
        if bar.is_none() && verbosity > Verbosity::Quiet {
            let version = env!("CARGO_PKG_VERSION");
            let (read, bytes) = (counted(inputs.len() as u64, "input"), number_text::bytes(total_bytes));
            log::say(
                Level::Info,
                &format!("hullmark {version} reads {read} ({bytes}); {} unchanged.", thousands(known as u64)),
            );
        }
        Self {
            verbosity,
            bar,
            at_work: Mutex::default(),
            total_bytes,
            total_inputs: inputs.len(),
            bytes: AtomicU64::new(0),
            inputs: AtomicU64::new(0),
            began: now,
            last_line: Mutex::new(now),
            stop,
            announced: AtomicBool::new(false),
        }
    }

    /// Announces once that a signal ends the run.
    fn say_if_stopping(&self) {
        let stopped = self.stop.load(Ordering::Relaxed);
        if stopped && !self.announced.swap(true, Ordering::Relaxed) {
            self.line(
                Level::Warning,
                "Stopping: started inputs are cut short and results are written. Send the signal again to end at once.",
            );
        }
    }

    /// Writes a line, above the bar if there is one.
    fn line(&self, level: Level, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(clean(text)),
            None => log::say(level, text),
        }
    }

    fn show_at_work(&self, change: impl FnOnce(&mut BTreeSet<String>)) {
        let mut names = lock(&self.at_work);
        change(&mut names);
        if let Some(bar) = &self.bar {
            let done = self.inputs.load(Ordering::Relaxed);
            let names: Vec<String> = names.iter().map(|name| clean(name)).collect();
            bar.set_message(format!("{done}/{} {}", self.total_inputs, names.join(", ")));
        }
    }

    fn line_now_and_then(&self) {
        if self.bar.is_some() || self.verbosity == Verbosity::Quiet {
            return;
        }
        let mut last = lock(&self.last_line);
        if last.elapsed() < LINE_EVERY {
            return;
        }
        *last = Instant::now();
        let bytes = self.bytes.load(Ordering::Relaxed);
        let rate = bytes as f64 / self.began.elapsed().as_secs_f64();
        let left = self.total_bytes.saturating_sub(bytes) as f64 / rate.max(1.0);
        self.line(
            Level::Info,
            &format!(
                "{} of {} inputs, {} of {}, {}/s, about {:.0} s left",
                self.inputs.load(Ordering::Relaxed),
                self.total_inputs,
                number_text::bytes(bytes),
                number_text::bytes(self.total_bytes),
                number_text::bytes(rate as u64),
                left,
            ),
        );
    }
}

impl Watch for Progress {
    fn enough(&self, _begun: usize) -> bool {
        self.say_if_stopping();
        false
    }

    fn begin(&self, input: &Input) {
        self.show_at_work(|names| {
            names.insert(input.name.clone());
        });
    }

    fn bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
        }
        self.say_if_stopping();
        self.line_now_and_then();
    }

    fn end(&self, ledger: &Ledger) {
        self.inputs.fetch_add(1, Ordering::Relaxed);
        self.show_at_work(|names| {
            names.remove(&ledger.input);
        });
        let failed = ledger.status != Status::Complete;
        if failed {
            let why = decoding::findings(ledger).filter(|finding| finding.place.entry.is_empty());
            // The worst finding about the input itself gives the reason; of equal ones, the first.
            let severity = |finding: &Finding| {
                let rule = finding.code.severity();
                finding.at_most.map_or(rule, |most| rule.min(most))
            };
            let why = why.min_by_key(|finding| Reverse(severity(finding)));
            let why = why.map_or(String::new(), |finding| format!(": {}", catalogue::message(&finding)));
            self.line(Level::Error, &format!("{} is {}{why}.", ledger.input, ledger.status.name()));
        }
        if self.verbosity == Verbosity::Verbose {
            let words = format!(
                "{}: {}, {}, {}, {}",
                ledger.input,
                ledger.status.name(),
                counted(ledger.objects.len() as u64, "object"),
                counted(ledger.meshes.len() as u64, "mesh"),
                counted(ledger.defects.len() as u64, "decoding note"),
            );
            self.line(Level::Info, &words);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(total_bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total_bytes), ProgressDrawTarget::stderr_with_hz(8));
    let template = "{bar:24} {percent:>3}%  {binary_bytes} of {binary_total_bytes}  {binary_bytes_per_sec}  \
                    {eta} left  {wide_msg}";
    // The template is a constant; a test draws it.
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bar formats bytes itself. Both formats must be equal.
    #[test]
    fn bytes_are_written_as_the_bar_writes_them() {
        for number in [0, 1, 1023, 1024, 1_500_000, 1 << 40, u64::MAX] {
            assert_eq!(number_text::bytes(number), indicatif::HumanBytes(number).to_string());
        }
    }

    #[test]
    fn the_bars_template_is_right() {
        let style = bar(10);
        style.set_draw_target(ProgressDrawTarget::hidden());
        assert_eq!(style.length(), Some(10));
    }
}
