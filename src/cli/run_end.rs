//! The end of a run: its last line in the log, its metrics, and messages about it.

use super::{Outcome, Settings, audit::NightlyArgs, metrics_file, notify, progress::Verbosity, summary};
use hullmark_ledger::coverage::NotCovered;
use hullmark_pages::message::Message;
use hullmark_report::Summary;
use hullmark_settings::notify::Notify;
use hullmark_storage::stamp;
use hullmark_util::log::{self, Level};
use std::path::Path;

/// Logs how the run ended, and sends messages.
pub(super) fn end(
    summary: &Summary,
    cut: bool,
    out: Option<&Path>,
    nightly: &NightlyArgs,
    settings: &Settings,
) -> anyhow::Result<Outcome> {
    let worst = summary.worst_severity();
    let outcome = settings.outcome(summary.is_read(), worst);
    let new = summary.worst_new().is_some_and(|worst| settings.config.fail_on_new.fails(worst));
    let outcome = if outcome == Outcome::Done && new { Outcome::Findings } else { outcome };
    let outcome = or_stopped(outcome, cut, summary.not_covered.as_ref());
    let report = out.map_or(String::new(), |out| format!("; the report is in {}", out.display()));
    say_end(outcome, &format!("{}{report}", summary::in_short(summary)), settings);
    let end = notify::RunEnd {
        report: out,
        worst,
        worst_new: summary.changes.is_some().then(|| summary.worst_new()),
        complete: summary.is_read(),
        exit: outcome as u8,
    };
    let message = || {
        let report = out.map(|out| stamp::whole(out).display().to_string());
        Message::new(summary, settings.profile_source.words(), report.as_deref())
    };
    let written = metrics_file::write(nightly.metrics.as_deref(), Some(summary), outcome as u8, settings);
    // Without a report there is nobody to tell.
    if out.is_some() {
        notify(end, message, nightly, settings);
    }
    written.map(|()| outcome)
}

/// Sends the message of a run that found nothing to audit.
pub(super) fn end_with_nothing(
    out: Option<&Path>,
    nightly: &NightlyArgs,
    settings: &Settings,
) -> anyhow::Result<()> {
    let exit = Outcome::Incomplete as u8;
    let written = metrics_file::write(nightly.metrics.as_deref(), None, exit, settings);
    if out.is_some() {
        let end = notify::RunEnd { report: None, worst: None, worst_new: None, complete: false, exit };
        notify(end, Message::nothing, nightly, settings);
    }
    written
}

/// Returns the settings of messages, with the command of the flag.
pub(super) fn notify_settings(nightly: &NightlyArgs, settings: &Settings) -> Notify {
    let mut notify = settings.config.notify.clone();
    if let Some(command) = &nightly.notify_command {
        notify.command.clone_from(command);
    }
    notify
}

fn notify(
    end: notify::RunEnd<'_>,
    message: impl Fn() -> Message,
    nightly: &NightlyArgs,
    settings: &Settings,
) {
    for error in notify::notify_about(&notify_settings(nightly, settings), &end, message) {
        // A failed message does not change the exit code.
        log::say(Level::Error, &format!("{error}. Report and exit code are not affected."));
    }
}

/// Returns the outcome, or `Stopped` if a signal ended the run early.
pub(super) fn or_stopped(outcome: Outcome, cut: bool, not_covered: Option<&NotCovered>) -> Outcome {
    let stopped = cut || not_covered.is_some_and(|not_covered| not_covered.by_signal > 0);
    if stopped { Outcome::Stopped } else { outcome }
}

/// Logs the last line. On a terminal the summary is enough, and `--quiet` logs only problems.
pub(super) fn say_end(outcome: Outcome, words: &str, settings: &Settings) {
    let (level, verdict) = match outcome {
        Outcome::Done => (Level::Info, "Finished"),
        Outcome::Findings => {
            (Level::Warning, "Finished with findings at or above --fail-on or --fail-on-new (exit code 1)")
        }
        Outcome::Usage | Outcome::Incomplete => {
            (Level::Error, "Finished, but the audit is INCOMPLETE (exit code 3)")
        }
        Outcome::Stopped => (Level::Error, "Stopped by a signal: the audit is INCOMPLETE (exit code 4)"),
    };
    let is_logged = match settings.verbosity {
        Verbosity::Quiet => outcome != Outcome::Done,
        Verbosity::Normal | Verbosity::Verbose => !log::is_terminal(),
    };
    if is_logged {
        log::say(level, &format!("{verdict}: {words}."));
    }
}
