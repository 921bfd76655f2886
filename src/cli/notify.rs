//! Runs the operator's notify command after a run with problems, with `audit.json` on its standard input.
//!
//! A shell runs the command unchanged. No text of an export gets into its command line or environment. Its result does not
//! change the report or the exit code.

use crate::{
    finding::Severity,
    report::output::LAST,
    settings::notify::Notify,
    storage::{self, stamp},
};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Seek, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};
use thiserror::Error;

/// Interval at which the command is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Result of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunEnd<'a> {
    /// The folder of the report; `None` if there was nothing to audit.
    pub report: Option<&'a Path>,
    /// Severity of the worst finding.
    pub worst: Option<Severity>,
    /// Whether all covered inputs were read to their end.
    pub complete: bool,
    /// The exit code.
    pub exit: u8,
}

/// Why the notify command failed. The report is not affected.
#[derive(Debug, Error)]
pub enum NotifyError {
    /// The command could not be started.
    #[error("The notify command could not be started ({0}). Report and exit code are not affected")]
    Start(io::Error),
    /// The command ended with another code than 0.
    #[error(
        "The notify command ended with code {0}. To see why, run it with audit.json on its standard input. Report and \
         exit code are not affected"
    )]
    Code(i32),
    /// A signal ended the command.
    #[error("The notify command was killed by {0}. Report and exit code are not affected")]
    Killed(String),
    /// The command took too long.
    #[error(
        "The notify command did not end within {0} s and was killed. Raise `timeout_seconds` of [notify] in the \
         settings. Report and exit code are not affected"
    )]
    Timeout(u64),
}

/// Opens a file or object as standard input that does not block, even if it is not read.
fn as_file(path: &Path) -> io::Result<File> {
    if !storage::is_url(path) {
        return File::open(path);
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(&storage::read(path)?)?;
    file.rewind()?;
    Ok(file)
}

impl Notify {
    /// Runs the command, if there is one, after a finding of the configured severity or an incomplete audit.
    ///
    /// # Errors
    /// The command failed.
    pub(super) fn run(&self, end: RunEnd<'_>) -> Result<(), NotifyError> {
        let has_problem = end.worst.is_some_and(|worst| worst >= self.at) || !end.complete;
        if self.command.is_empty() || !has_problem {
            return Ok(());
        }
        let folder = end.report.map(stamp::whole);
        let summary = match &folder {
            Some(folder) => as_file(&folder.join(LAST)).map_err(NotifyError::Start)?.into(),
            None => Stdio::null(),
        };
        let mut command = shell(OsStr::new(&self.command));
        command
            .env("HULLMARK_REPORT", folder.unwrap_or_default())
            .env("HULLMARK_WORST", end.worst.map_or("none", Severity::name))
            .env("HULLMARK_EXIT", end.exit.to_string())
            .stdin(summary)
            // Standard output may be a pipe for the summary.
            .stdout(Stdio::from(io::stderr()));
        let mut child = command.spawn().map_err(NotifyError::Start)?;
        let until = Instant::now().checked_add(Duration::from_secs(self.timeout_seconds));
        match wait(&mut child, until).map_err(NotifyError::Start)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                Err(status.code().map_or_else(|| NotifyError::Killed(signal(status)), NotifyError::Code))
            }
            None => {
                kill(&mut child);
                // This returns soon after the kill.
                let _ = child.wait();
                Err(NotifyError::Timeout(self.timeout_seconds))
            }
        }
    }
}

/// Waits for the exit status. `None` after the deadline.
fn wait(child: &mut Child, until: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            return Ok(None);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Creates the command in a shell and in its own process group, so its children can be killed with it.
#[cfg(unix)]
fn shell(words: &OsStr) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("sh");
    command.arg("-c").arg(words).process_group(0);
    command
}

#[cfg(windows)]
fn shell(words: &OsStr) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    command.arg("/C").raw_arg(words);
    command
}

/// Kills the command and its children.
#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // An error means that the command has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(windows)]
fn kill(child: &mut Child) {
    // An error means that the command has ended.
    let _ = child.kill();
}

/// Formats the signal that ended the command.
fn signal(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.to_string()
}
