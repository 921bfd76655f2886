//! A report is skipped when it is up to date. It is written again when anything changed that it depends on.

use crate::support::desk::{DONE, Desk, USAGE, mixed, sound};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    os::unix::fs::MetadataExt,
    process::{Command, Stdio},
};

const AUDIT: &str = "audit a.oar b.oar India.oar loose --format csv,html,jsonl --ledgers kept --out";

/// The identity of audit.json: each written report has another inode. The file stays open, because the inode of a
/// removed file may be reused.
#[derive(Debug)]
struct Written {
    number: u64,
    _file: File,
}

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

fn written(desk: &Desk) -> Written {
    let file = File::open(desk.at("report/audit.json")).unwrap();
    Written { number: file.metadata().unwrap().ino(), _file: file }
}

/// Runs an audit twice into one folder and once into another. Both folders must have the same bytes, regardless of the
/// change in between. Returns `true` if the second run kept the report.
fn stands(desk: &Desk, before: &str, change: &dyn Fn(&Desk), after: &str) -> bool {
    desk.run_to(DONE, &format!("{AUDIT} report{before}"));
    let first = written(desk);
    change(desk);
    let warm = desk.run_to(DONE, &format!("{AUDIT} report{after}"));
    let cold = desk.run_to(DONE, &format!("{AUDIT} cold{after}"));
    assert_eq!(desk.files("report"), desk.files("cold"), "{before} {after}");
    assert_eq!(warm.stdout.replace("Open report", "Open cold"), cold.stdout);
    fs::remove_dir_all(desk.at("cold")).unwrap();
    let stood = written(desk) == first;
    fs::remove_dir_all(desk.at("report")).unwrap();
    stood
}

#[test]
fn a_report_is_kept_if_nothing_changed() {
    let desk = mixed();
    let nothing = |_: &Desk| {};
    assert!(stands(&desk, "", &nothing, ""));
    assert!(stands(&desk, "", &nothing, " --threads 1"), "threads change nothing");
    assert!(stands(&desk, " --max-prims 1", &nothing, " --max-prims 1"));
    let same_bytes = |desk: &Desk| desk.write("a.oar", sound());
    assert!(stands(&desk, "", &same_bytes, ""), "it is read again, and comes to the same");
}

#[test]
fn the_report_of_one_archive_is_kept_without_ledgers() {
    let desk = mixed();
    desk.write("limits.toml", "limits.hulls = 1\n");
    let audit = |arguments: &str| {
        desk.run_to(DONE, &format!("audit a.oar --format csv,jsonl --out report{arguments}"));
        written(&desk)
    };
    let first = audit("");
    assert_eq!(audit(""), first);
    assert_eq!(audit(" --threads 1"), first);
    let limited = audit(" --config limits.toml");
    assert_ne!(limited, first, "other limits read other facts");
    assert_eq!(audit(" --config limits.toml"), limited);
    desk.write("a.oar", fs::read(desk.at("b.oar")).unwrap());
    let changed = audit(" --config limits.toml");
    assert_ne!(changed, limited);
    desk.run_to(DONE, "audit a.oar --format csv,jsonl --out cold --config limits.toml");
    assert_eq!(desk.files("report"), desk.files("cold"));
}

#[test]
fn a_report_is_written_again_for_other_settings() {
    let desk = mixed();
    desk.write("users.txt", "10000000-0000-4000-8000-000000000000,Somebody\n");
    desk.write(
        "ours.toml",
        "[[waiver]]\ncode = 'LNK001'\narchive = 'b.oar'\nreason = 'it is'\nuntil = 2026-11-30\nwho = 'us'\n",
    );
    let nothing = |_: &Desk| {};
    for (before, after) in [
        ("", " --profile opensim-ubode"),
        ("", " --profile second-life --profile opensim-ubode"),
        ("", " --max-prims 1"),
        ("", " --ignore LNK001"),
        ("", " --min-severity error"),
        ("", " --users users.txt"),
        ("", " --waivers ours.toml --now 2026-11-21T12:00:00Z"),
        (
            " --waivers ours.toml --now 2026-11-21T12:00:00Z",
            " --waivers ours.toml --now 2026-12-21T12:00:00Z",
        ),
        ("", " --now 2026-11-21T12:00:00Z"),
        ("", " --assets b.oar"),
    ] {
        assert!(!stands(&desk, before, &nothing, after), "{before} {after}");
    }
    let other_users = |desk: &Desk| desk.write("users.txt", "20000000-0000-4000-8000-000000000000,Another\n");
    assert!(!stands(&desk, " --users users.txt", &other_users, " --users users.txt"));
    let shorter = |desk: &Desk| {
        let words = fs::read_to_string(desk.at("ours.toml")).unwrap();
        desk.write("ours.toml", words.replace("it is", "it was"));
    };
    let waived = " --waivers ours.toml --now 2026-11-21T12:00:00Z";
    assert!(!stands(&desk, waived, &shorter, waived));
}

#[test]
fn a_report_is_written_again_if_inputs_or_its_files_changed() {
    let desk = mixed();
    let changes: [&dyn Fn(&Desk); 7] = [
        // Files that could be taken for a part of this report.
        &|desk| desk.write("report/changes.csv", "of another night"),
        &|desk| desk.write("report/objects.csv", "somebody's own"),
        &|desk| {
            let words = fs::read_to_string(desk.at("report/objects.csv")).unwrap();
            desk.write("report/objects.csv", words.replace("Bridge", "Ridges"));
        },
        &|desk| fs::remove_file(desk.at("report/audit.html")).unwrap(),
        &|desk| fs::remove_file(desk.at("report/audit.json")).unwrap(),
        &|desk| desk.write("report/.hullmark-stamp", "{}"),
        &|desk| desk.write("b.oar", sound()),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(!stands(&desk, "", change, ""), "change {number}");
    }
}

#[test]
fn other_formats_and_comparisons_are_always_written() {
    let desk = mixed();
    desk.run_to(DONE, &format!("{AUDIT} report"));
    let first = written(&desk);
    desk.run_to(DONE, "audit a.oar b.oar India.oar loose --format csv --ledgers kept --out report");
    let second = written(&desk);
    assert_ne!(first, second);
    for flags in ["--baseline report", "--letters letters"] {
        let before = written(&desk);
        desk.run_to(DONE, &format!("{AUDIT} report {flags}"));
        desk.run_to(DONE, &format!("{AUDIT} report {flags}"));
        assert_ne!(written(&desk), before, "{flags}");
    }
    assert!(desk.at("letters").is_dir());
}

#[test]
fn a_report_that_cannot_be_stamped_is_whole() {
    let desk = mixed();
    fs::create_dir_all(desk.at("report/.hullmark-stamp")).unwrap();
    desk.run_to(DONE, &format!("{AUDIT} report"));
    let first = written(&desk);
    desk.run_to(DONE, &format!("{AUDIT} report"));
    assert_ne!(written(&desk), first);
}

#[test]
fn a_report_that_cannot_be_published_leaves_nothing_half_done() {
    let desk = mixed();
    fs::create_dir_all(desk.at("report/parts.csv/folder")).unwrap();
    // `run` looks for files that are left behind.
    let run = desk.run_to(USAGE, &format!("{AUDIT} report"));
    assert!(run.stderr.contains("report/parts.csv cannot be written"), "{}", run.stderr);
    assert!(!desk.at("report/audit.json").exists());
}

/// A run waits for another run that writes into the same folder. Otherwise both would write the same files.
#[test]
fn one_run_at_a_time_writes_into_a_folder() {
    let desk = mixed();
    fs::create_dir(desk.at("report")).unwrap();
    let other = File::open(desk.at("report")).unwrap();
    other.lock().unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_hullmark"));
    let run = run.args(["audit", "a.oar", "--out", "report"]).current_dir(desk.at("."));
    let mut run = run.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(run.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.ends_with("hullmark: another run is writing to report; waiting for it to end\n"), "{said}");
    assert_eq!(fs::read_dir(desk.at("report")).unwrap().count(), 0);
    drop(other);
    assert!(run.wait().unwrap().success());
    assert!(desk.at("report/audit.json").exists());
    desk.run_to(USAGE, "audit a.oar --out report --ledgers ./report");
}
