//! The operator's own command, run when a night found something: it gets `audit.json` on its standard input.
//!
//! The command is run by the shell as it was written; nothing that an export says comes to its command line or its
//! environment. However it ends, the report and the exit code stay what they are.

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

/// How often it is asked whether the command has ended.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// How a night ended.
#[derive(Debug, Clone, Copy)]
pub struct RunEnd<'a> {
    /// The folder of the report; nothing where there was nothing to audit, so that none was written.
    pub report: Option<&'a Path>,
    /// The worst that was found.
    pub worst: Option<Severity>,
    /// Whether all inputs that were covered were read to their end.
    pub complete: bool,
    /// The exit code.
    pub exit: u8,
}

/// Why nobody was told. The report is not touched by it.
#[derive(Debug, Error)]
pub enum NotifyError {
    /// It could not be run at all.
    #[error(
        "The notify command could not be started ({0}), so nobody was told; the report and the exit code stand"
    )]
    Start(io::Error),
    /// It ended with another code than 0.
    #[error(
        "The notify command ended with code {0}, so perhaps nobody was told; run it by hand with audit.json on its \
         standard input to see why; the report and the exit code stand"
    )]
    Code(i32),
    /// A signal ended it.
    #[error(
        "The notify command was killed by {0}, so perhaps nobody was told; the report and the exit code stand"
    )]
    Killed(String),
    /// It took too long.
    #[error(
        "The notify command did not end within {0} s and was killed, so perhaps nobody was told; give it more time \
         with [notify] timeout_seconds, or make it quicker; the report and the exit code stand"
    )]
    Timeout(u64),
}

/// A file or an object as standard input that never makes anybody wait, whether it is read or not.
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
    /// Runs the command, where there is one and there is something to tell: what is as bad as asked for, or an audit
    /// that is incomplete, of which nobody knows how bad it is.
    ///
    /// # Errors
    /// The command did not do what it should.
    pub(super) fn tell(&self, night: RunEnd<'_>) -> Result<(), NotifyError> {
        let is_news = night.worst.is_some_and(|worst| worst >= self.at) || !night.complete;
        if self.command.is_empty() || !is_news {
            return Ok(());
        }
        let folder = night.report.map(stamp::whole);
        let summary = match &folder {
            Some(folder) => as_file(&folder.join(LAST)).map_err(NotifyError::Start)?.into(),
            None => Stdio::null(),
        };
        let mut command = shell(OsStr::new(&self.command));
        command
            .env("HULLMARK_REPORT", folder.unwrap_or_default())
            .env("HULLMARK_WORST", night.worst.map_or("none", Severity::name))
            .env("HULLMARK_EXIT", night.exit.to_string())
            .stdin(summary)
            // Standard output may be a pipe that somebody reads the summary from.
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
                // It was killed, so this does not take long.
                let _ = child.wait();
                Err(NotifyError::Timeout(self.timeout_seconds))
            }
        }
    }
}

/// How it ended; nothing where it did not in time.
fn wait(child: &mut Child, until: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            return Ok(None);
        }
        thread::sleep(ASK_EVERY);
    }
}

/// The command in a shell, and in a group of processes of its own, so that what it starts can be killed with it.
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

/// Kills the command and what it started.
#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Whoever cannot be killed any more has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(windows)]
fn kill(child: &mut Child) {
    // Whoever cannot be killed any more has ended.
    let _ = child.kill();
}

/// The signal that ended it, in words.
fn signal(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.to_string()
}
