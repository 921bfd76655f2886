//! Runs the operator's notify command, with `audit.json` on its standard input and the message in a file.
//!
//! A shell runs the command unchanged. No text of an export gets into its command line or environment.

use super::{NotifyError, RunEnd};
use hullmark_finding::Severity;
use hullmark_pages::message::Message;
use hullmark_report::output::LAST;
use hullmark_storage::{self as storage, stamp};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Seek, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Opens a file or object as standard input that does not block, even if it is not read.
fn as_file(path: &Path) -> io::Result<File> {
    if !storage::is_url(path) {
        return File::open(path);
    }
    as_input(&storage::read(path)?)
}

/// Returns bytes as standard input that does not block, even if it is not read.
pub(super) fn as_input(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Runs the command. The file with the message is removed after that.
pub(super) fn run(
    words: &str,
    end: &RunEnd<'_>,
    message: &Message,
    limit: Duration,
) -> Result<(), NotifyError> {
    let folder = end.report.map(stamp::whole);
    let json = match &folder {
        Some(folder) => as_file(&folder.join(LAST)).map_err(NotifyError::Start)?.into(),
        None => Stdio::null(),
    };
    let mut text = tempfile::Builder::new()
        .prefix("hullmark-summary-")
        .suffix(".txt")
        .tempfile()
        .map_err(NotifyError::Start)?;
    text.write_all(message.whole().as_bytes()).map_err(NotifyError::Start)?;
    // On Windows, most programs cannot read a file that another one has open for writing.
    let text = text.into_temp_path();
    let mut command = shell(OsStr::new(words));
    command
        .env("HULLMARK_SUMMARY", &text)
        .env("HULLMARK_REPORT", folder.unwrap_or_default())
        .env("HULLMARK_WORST", end.worst.map_or("none", Severity::name))
        .env("HULLMARK_EXIT", end.exit.to_string())
        .stdin(json)
        // Standard output may be a pipe for the summary.
        .stdout(Stdio::from(io::stderr()));
    finish(&mut command, limit)
}

/// Starts a command and waits for its end. After the limit it is killed.
pub(super) fn finish(command: &mut Command, limit: Duration) -> Result<(), NotifyError> {
    let mut child = command.spawn().map_err(NotifyError::Start)?;
    let until = Instant::now().checked_add(limit);
    match wait(&mut child, until).map_err(NotifyError::Start)? {
        Some(status) if status.success() => Ok(()),
        Some(status) => {
            Err(status.code().map_or_else(|| NotifyError::Killed(signal(status)), NotifyError::Code))
        }
        None => {
            kill(&mut child);
            // This returns soon after the kill.
            let _ = child.wait();
            Err(NotifyError::Timeout(limit.as_secs()))
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
    let mut command = Command::new("sh");
    command.arg("-c").arg(words);
    in_own_group(&mut command);
    command
}

/// Starts the command in its own process group, so its children can be killed with it.
#[cfg(unix)]
pub(super) fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(windows)]
pub(super) fn in_own_group(_: &mut Command) {}

#[cfg(windows)]
fn shell(words: &OsStr) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    command.arg("/C").raw_arg(words);
    command
}

#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // An error means that the command has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Kills the command and its children, which `cmd` does not take with it.
#[cfg(windows)]
fn kill(child: &mut Child) {
    let number = child.id().to_string();
    let mut taskkill = Command::new("taskkill");
    taskkill.args(["/T", "/F", "/PID", &number]).stdout(Stdio::null()).stderr(Stdio::null());
    if !taskkill.status().is_ok_and(|status| status.success()) {
        // An error means that the command has ended.
        let _ = child.kill();
    }
}

/// Formats the signal that ended the command.
fn signal(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.to_string()
}
