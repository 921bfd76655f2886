//! Crashes that nothing can catch: each costs the input that is the reason, and no other.

use super::{ended, shell, signal};
use crate::support::desk::{DONE, Desk, INCOMPLETE, STOPPED, faulty, sound};
use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::PathBuf,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

/// Inputs without faults.
const GOOD: usize = 9;

fn desk() -> Desk {
    let desk = Desk::with(&[("in/bad.oar", &faulty())]);
    for number in 0..GOOD {
        desk.write(&format!("in/{number}.oar"), sound());
    }
    desk
}

/// Makes the program fail at an input.
fn fault(what: &str) -> String {
    format!("ulimit -c 0; export HULLMARK_FAULT='{what}';")
}

fn run(desk: &Desk, fault_at: &str, arguments: &str) -> (Option<i32>, String) {
    ended(shell(desk, &fault(fault_at), arguments).spawn().unwrap())
}

/// Asserts that a report has every input, and that the bad one was left out.
fn assert_left_out(desk: &Desk, report: &str, bad: &str) {
    let rows = desk.table(report, "archives");
    for row in &rows {
        let expected = if row["archive"] == bad { "unreadable" } else { "complete" };
        assert_eq!(row["status"], expected, "{}", row["archive"]);
    }
    assert_eq!(rows.len(), GOOD + 1);
    let findings = desk.table(report, "findings");
    let about: Vec<_> = findings.iter().filter(|row| row["code"] == "RUN010").collect();
    assert!(about.len() == 1 && about[0]["archive"] == bad && about[0]["severity"] == "error", "{about:?}");
}

const NIGHTLY: &str = "audit in --out report --ledgers kept --format csv --threads 3";

#[test]
fn an_input_that_ends_runs_costs_one_night() {
    let desk = desk();
    let night = || run(&desk, "abort bad.oar", NIGHTLY);
    let (code, said) = night();
    assert_eq!(code, None, "{said}");
    assert!(!desk.at("report/audit.json").exists());
    // The second run reads it last and alone, has a parent, and leaves it out after its second death. So do all others,
    // whether they leave it out or try it again.
    for number in 2..8 {
        let (code, said) = night();
        assert_eq!(code, Some(INCOMPLETE), "{number}: {said}");
        assert!(said.contains("in/bad.oar is unreadable") && said.contains("runs died"), "{said}");
        assert_left_out(&desk, "report", "in/bad.oar");
        let has_tried = said.contains("the run died (");
        assert_eq!(has_tried, [2, 4, 7].contains(&number), "{number}: {said}");
    }
    // Once the reason is gone, nothing is left of it.
    desk.run_to(INCOMPLETE, NIGHTLY);
    desk.run_to(DONE, &format!("{NIGHTLY} --retry --ignore HIS"));
    assert!(!desk.at("kept/reading").exists());
    desk.run_to(DONE, "audit in --out cold --format csv --ignore HIS");
    assert_eq!(desk.files("report"), desk.files("cold"));
}

/// A run that dies together with its parent is left to the next one, which leaves the input out.
#[test]
fn the_third_run_leaves_out_what_ended_two() {
    let desk = desk();
    kill_a_night(&desk);
    kill_a_night(&desk);
    // The second run read it last, so every other input has its ledger.
    assert_eq!(desk.files("kept").keys().filter(|name| name.ends_with(".ledger")).count(), GOOD);
    let (code, said) = run(&desk, "wait bad.oar", NIGHTLY);
    assert_eq!(code, Some(INCOMPLETE), "{said}");
    assert_left_out(&desk, "report", "in/bad.oar");
}

#[test]
fn an_input_that_was_left_out_is_read_again_when_its_file_changes() {
    let desk = desk();
    let night = || run(&desk, "abort bad.oar", NIGHTLY).0;
    assert_eq!([night(), night(), night()], [None, Some(INCOMPLETE), Some(INCOMPLETE)]);
    desk.write("in/bad.oar", sound());
    desk.run_to(DONE, NIGHTLY);
    assert!(!desk.at("kept/reading").exists());
}

/// Waits until something holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the files of runs that read this input, or did when they died.
fn runs_with(desk: &Desk, input: &str) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(desk.at("kept/reading")).into_iter().flatten().flatten();
    let runs = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "run"));
    let has_input = |path: &PathBuf| {
        fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&format!("\"{input}\"")))
    };
    runs.filter(has_input).collect()
}

/// Kills a run, with its parent if it has one, while it reads the bad input.
fn kill_a_night(desk: &Desk) {
    let before = runs_with(desk, "in/bad.oar");
    let child = shell(desk, &fault("wait bad.oar"), NIGHTLY).spawn().unwrap();
    wait_until("no run reads it", || !runs_with(desk, "in/bad.oar").is_subset(&before));
    // The name stands there a moment before the reading begins.
    thread::sleep(Duration::from_millis(100));
    signal(&child, "KILL");
    assert_eq!(ended(child).0, None);
}

#[test]
fn two_kills_cost_no_input_for_ever() {
    let desk = desk();
    kill_a_night(&desk);
    kill_a_night(&desk);
    desk.run_to(INCOMPLETE, NIGHTLY);
    assert_left_out(&desk, "report", "in/bad.oar");
    desk.run_to(DONE, NIGHTLY);
    assert!(!desk.at("kept/reading").exists());
}

/// The names of a run that lives are no deaths, and neither are those of one that was asked to end.
#[test]
fn parallel_shards_and_signals_cost_no_input() {
    let desk = desk();
    desk.run_to(DONE, "plan in --out plan.json");
    let shard = |number: u32| format!("scan --plan plan.json --ledgers kept --shard {number}/2");
    let waiting = [1, 2].map(|number| shell(&desk, &fault("wait bad.oar"), &shard(number)).spawn().unwrap());
    wait_until("no shard reads it", || !runs_with(&desk, "in/bad.oar").is_empty());
    for number in [1, 2] {
        // The waiting ones may be writing at this moment, so there may be partial files.
        let (code, said) = ended(shell(&desk, "", &shard(number)).spawn().unwrap());
        assert_eq!(code, Some(DONE), "{said}");
    }
    for mut child in waiting {
        let _ = child.kill();
        let _ = child.wait();
    }
    desk.run_to(DONE, "report kept --plan plan.json --out report --format csv");
    assert!(!desk.column("report", "findings", "code").contains(&"RUN010".into()));
}

/// Without a folder of ledgers, a parent process outlives the crash, and the same run reports all other inputs.
#[cfg(target_os = "linux")]
#[test]
fn without_ledgers_a_crash_costs_one_input_of_the_run() {
    let desk = desk();
    for (limit, what) in [("", "abort bad.oar"), ("ulimit -v 3000000;", "memory bad.oar")] {
        for flags in ["--threads 1", "--threads 4"] {
            let audit = format!("audit in --out report --format csv {flags}");
            let before = format!("{limit} {}", fault(what));
            let (code, said) = ended(shell(&desk, &before, &audit).spawn().unwrap());
            assert_eq!(code, Some(INCOMPLETE), "{what} {flags}: {said}");
            assert!(said.contains("the run died (signal: 6") && said.contains("in/bad.oar"), "{said}");
            assert_left_out(&desk, "report", "in/bad.oar");
            assert!(!desk.at("report/ledgers.partial").exists());
            fs::remove_dir_all(desk.at("report")).unwrap();
        }
    }
    // Without a report, only the summary is printed.
    let (code, said) = run(&desk, "abort bad.oar", "audit in");
    assert_eq!(code, Some(INCOMPLETE), "{said}");
}

/// Two bad inputs, in a container and in a folder.
#[cfg(target_os = "linux")]
#[test]
fn several_crashes_cost_their_inputs_only() {
    let desk = desk();
    let mut zip = zip::ZipWriter::new(fs::File::create(desk.at("in/all.zip")).unwrap());
    for (name, bytes) in [("worse.oar", sound()), ("good.oar", sound())] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
    let (code, said) = run(&desk, "abort bad.oar,abort worse.oar", "audit in --out report --format csv");
    assert_eq!(code, Some(INCOMPLETE), "{said}");
    let rows = desk.table("report", "archives");
    let bad: Vec<_> =
        rows.iter().filter(|row| row["status"] != "complete").map(|row| &*row["archive"]).collect();
    assert_eq!((bad, rows.len()), (vec!["in/all.zip/worse.oar", "in/bad.oar"], GOOD + 3));
    // The same through standard input, which can be read once only.
    let command = "cat in/all.zip | HULLMARK_FAULT='abort worse.oar' \"$0\" audit - --out piped --format csv";
    let mut shell = Command::new("sh");
    shell.args(["-c", command, env!("CARGO_BIN_EXE_hullmark")]).current_dir(desk.at("."));
    assert_eq!(shell.output().unwrap().status.code(), Some(INCOMPLETE));
    assert_eq!(desk.column("piped", "archives", "status"), ["complete", "unreadable"]);
}

/// Returns the processes that a process started.
#[cfg(target_os = "linux")]
fn started_by(child: &Child) -> Vec<String> {
    let path = format!("/proc/{0}/task/{0}/children", child.id());
    fs::read_to_string(path).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Starts an audit that waits at an input, and returns its parent and itself.
#[cfg(target_os = "linux")]
fn waiting(desk: &Desk) -> (Child, String) {
    let audit = "audit in --out report --format csv --threads 2 -v";
    let child = shell(desk, &fault("wait bad.oar"), audit).spawn().unwrap();
    let ledgers = || fs::read_dir(desk.at("report/ledgers.partial")).into_iter().flatten().flatten();
    let has_last = || ledgers().any(|entry| entry.file_name().to_string_lossy().starts_with("8.oar"));
    wait_until("the last input is not read", has_last);
    // A ledger is there a moment before the name of its input goes.
    thread::sleep(Duration::from_millis(200));
    let started = started_by(&child);
    assert_eq!(started.len(), 1);
    (child, started[0].clone())
}

#[cfg(target_os = "linux")]
fn is_running(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // A dead process that nobody waits for is a zombie.
    state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_is_continued_and_a_killed_parent_is_the_end() {
    let desk = desk();
    let (child, process) = waiting(&desk);
    assert!(Command::new("kill").args(["-s", "KILL", &process]).status().unwrap().success());
    // It was read alone by then, so it is left out.
    let (code, said) = ended(child);
    assert_eq!(code, Some(INCOMPLETE), "{said}");
    assert!(said.contains("the run died (signal: 9"), "{said}");
    assert_left_out(&desk, "report", "in/bad.oar");

    let desk = self::desk();
    let (child, process) = waiting(&desk);
    signal(&child, "KILL");
    assert_eq!(ended(child).0, None);
    wait_until("the process lives without its parent", || !is_running(&process));
    assert!(!desk.at("report/audit.json").exists());
    desk.run_to(DONE, "audit in --out report --format csv");
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_passes_the_parent_once() {
    // A service manager sends it to both.
    for (to_both, signals) in [(false, 1), (true, 1), (false, 2)] {
        let desk = desk();
        let (child, process) = waiting(&desk);
        let pids = if to_both { format!("{} {process}", child.id()) } else { child.id().to_string() };
        for name in ["TERM", "INT"].iter().take(signals) {
            let kill = format!("kill -s {name} {pids}");
            assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
            thread::sleep(Duration::from_millis(300));
        }
        let is_running = is_running(&process);
        if signals == 1 {
            // The input does not look at the signal, because it waits. So the run has not ended.
            assert!(is_running);
            signal(&child, "INT");
        }
        let (code, said) = ended(child);
        assert_eq!(code, Some(128 + 2), "{said}");
    }
    let desk = desk();
    desk.write("endless.toml", crate::hostile::work_limits::ENDLESS);
    desk.write("long/a.oar", crate::hostile::work_limits::long_region(200, 1024));
    let audit = "audit long --out report --format csv --config endless.toml";
    let child = shell(&desk, "", audit).spawn().unwrap();
    wait_until("nothing is read", || desk.at("report/ledgers.partial").exists());
    thread::sleep(Duration::from_secs(2));
    signal(&child, "TERM");
    let (code, said) = ended(child);
    assert_eq!(code, Some(STOPPED), "{said}");
    assert_eq!(desk.column("report", "archives", "status"), ["incomplete"]);
}
