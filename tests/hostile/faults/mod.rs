//! Faults outside the program: disks, memory and signals. Each has its exit code and message, and no finished ledger is
//! lost.

mod crashes;
mod disks_and_memory;
mod signals;

use crate::support::desk::{DONE, Desk, sound};
use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// Creates a folder with this number of sound regions.
fn regions(count: usize) -> Desk {
    let desk = Desk::with(&[]);
    for number in 0..count {
        desk.write(&format!("exports/{number:03}.oar"), sound());
    }
    desk
}

/// Returns a command that starts the program in a desk. A shell starts it, so that limits of the shell apply to it.
fn shell(desk: &Desk, before: &str, arguments: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before} exec \"$0\" {arguments}"), env!("CARGO_BIN_EXE_hullmark")]);
    command.current_dir(desk.at(".")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for the end. Returns the exit code and standard error.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Sends a signal.
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

/// Number of regions with long names: one line for each fills a pipe before all are read.
const MANY: usize = 400;

fn many() -> Desk {
    let desk = Desk::with(&[]);
    for number in 0..MANY {
        desk.write(&format!("exports/{}/{number:03}.oar", "n".repeat(250)), sound());
    }
    desk
}

const AUDIT: &str = "audit exports --out report --ledgers kept --format csv";

/// Audits and causes a fault in the middle of it: the program blocks at its line for an input until the pipe is read.
fn interrupted(desk: &Desk, fault: impl FnOnce(&Child)) -> (Option<i32>, String) {
    let mut child = shell(desk, "", &format!("{AUDIT} -v --threads 1")).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut said = Vec::new();
    while !String::from_utf8_lossy(&said).contains("002.oar: complete") {
        let mut some = [0; 512];
        let read = stderr.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&said));
        said.extend_from_slice(&some[..read]);
    }
    fault(&child);
    // The summary is not read before the fault either, but it is small.
    stderr.read_to_end(&mut said).unwrap();
    (child.wait().unwrap().code(), String::from_utf8(said).unwrap())
}

/// An ended run left no report, and the next one reads only inputs without a ledger.
fn goes_on(desk: &Desk) {
    assert!(!desk.at("report/audit.json").exists());
    let known = desk.files("kept").keys().filter(|name| name.ends_with(".ledger")).count();
    assert!((1..MANY).contains(&known), "{known}");
    let run = desk.run_to(DONE, AUDIT);
    // One input may have been cut in the middle. It has a ledger, and is read again.
    let reads = |known: usize| {
        let reported = format!("reads {} inputs", MANY - known);
        run.stderr.contains(&reported) && run.stderr.contains(&format!("{known} unchanged"))
    };
    assert!(reads(known) || reads(known - 1), "{known}: {}", run.stderr);
    desk.run_to(DONE, "audit exports --out whole --format csv -q");
    assert_eq!(desk.files("report"), desk.files("whole"));
}

/// Neither ledgers nor reports depend on the clock, which may be in the past or in the future.
#[test]
fn a_clock_that_jumps_changes_nothing() {
    let desk = regions(3);
    desk.run_to(DONE, "audit exports --out calm --format csv");
    for now in ["2026-11-21T04:00:00Z", "1971-01-01T00:00:00Z", "2100-01-01T00:00:00Z"] {
        let run = desk.run_to(DONE, &format!("scan exports --ledgers kept --now {now}"));
        let known = if now.starts_with("2026") { "0 unchanged" } else { "3 unchanged" };
        assert!(run.stderr.contains(known), "{now}: {}", run.stderr);
    }
    // Files with a modification time in the future.
    let later = std::time::SystemTime::now() + Duration::from_secs(86_400);
    for number in 0..3 {
        let file =
            fs::File::options().write(true).open(desk.at(&format!("exports/{number:03}.oar"))).unwrap();
        file.set_modified(later).unwrap();
    }
    desk.run_to(DONE, "audit exports --out report --ledgers kept --format csv");
    assert_eq!(desk.files("report")["findings.csv"], desk.files("calm")["findings.csv"]);
    assert_eq!(desk.files("report")["archives.csv"], desk.files("calm")["archives.csv"]);
}
