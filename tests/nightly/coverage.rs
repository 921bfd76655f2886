//! Runs that cover a part of the inputs: shares, a time budget, samples.

use crate::support::desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated};
#[cfg(unix)]
use crate::support::repository;
use hullmark_scan::{order::is_in_sample, plan::share::Share};
use serde_json::Value;
use std::{collections::BTreeSet, fs};

/// Creates a folder with archives of different sizes. Every third archive has an error.
fn archives(count: usize) -> Desk {
    let desk = Desk::with(&[]);
    for number in 0..count {
        desk.write(&format!("exports/{number}.oar"), if number % 3 == 0 { faulty() } else { sound() });
    }
    desk
}

/// Returns the inputs of a report that have this status.
fn with_status(desk: &Desk, report: &str, status: &str) -> BTreeSet<String> {
    let archives = desk.column(report, "archives", "archive").into_iter();
    let statuses = desk.column(report, "archives", "status");
    archives.zip(statuses).filter(|(_, found)| found == status).map(|(archive, _)| archive).collect()
}

#[test]
fn the_shares_contain_each_input_once() {
    let desk = archives(12);
    let all: BTreeSet<String> = (0..12).map(|number| format!("exports/{number}.oar")).collect();
    let mut seen = BTreeSet::new();
    for share in 1..=3 {
        desk.run_to(DONE, &format!("audit exports --out report --sample {share}/3"));
        let covered = with_status(&desk, "report", "complete");
        let left = with_status(&desk, "report", "not_covered");
        assert_eq!(&covered | &left, all);
        assert!(!covered.is_empty() && !left.is_empty());
        assert!(covered.is_disjoint(&left) && seen.is_disjoint(&covered));
        seen.extend(covered);
    }
    assert_eq!(seen, all);
    desk.run_to(DONE, "audit exports --out whole --sample 1/1");
    desk.run_to(DONE, "audit exports --out plain");
    assert_eq!(desk.files("whole"), desk.files("plain"));
}

#[test]
fn inputs_that_are_not_covered_have_no_results() {
    let desk = archives(9);
    let run = desk.run_to(DONE, "audit exports --out report --sample 1/2 --format csv,html,xlsx,junit,sarif");
    let left = with_status(&desk, "report", "not_covered");
    for (table, column) in [("findings", "archive"), ("checks", "archive"), ("objects", "archive")] {
        let reported: BTreeSet<String> = desk.column("report", table, column).into_iter().collect();
        assert!(!reported.is_empty() && reported.is_disjoint(&left), "{table}");
    }
    // An unknown cell is empty, not 0.
    let statuses = desk.column("report", "archives", "status");
    for column in ["objects", "errors", "assets", "content_hash"] {
        let cells = desk.column("report", "archives", column);
        assert!(
            statuses.iter().zip(&cells).all(|(status, cell)| (status == "not_covered") == cell.is_empty())
        );
    }
    let json = desk.audit_json("report");
    assert_eq!(json["complete"], false);
    assert_eq!(json["totals"]["inputs"], 9 - left.len());
    let not_covered = &json["not_covered"];
    assert_eq!(not_covered["inputs"], left.len());
    assert_eq!(not_covered["by_sample"], left.len());
    assert_eq!(not_covered["never_read"], left.len());
    assert_eq!(not_covered["oldest_read"], Value::Null);
    let named = not_covered["archives"].as_array().unwrap().iter();
    let named: BTreeSet<String> = named.map(|line| line["archive"].as_str().unwrap().to_owned()).collect();
    assert_eq!(named, left);
    // The first lines of the output also report it, for people who read no further.
    let words = format!("{} inputs of ", left.len());
    let second = run.stdout.lines().nth(2).unwrap();
    assert!(second.starts_with("NOT COVERED: ") && second.contains(&words), "{second}");
    let page = fs::read_to_string(desk.at("report/audit.html")).unwrap();
    assert!(page.contains(&format!("; {} inputs not covered</p>", left.len())), "the verdict says it");
    let junit = fs::read_to_string(desk.at("report/audit.junit.xml")).unwrap();
    assert!(left.iter().all(|name| !junit.contains(&format!("testsuite name=\"{name}\""))));
    // A run with `--sample` leaves out inputs on purpose, so it does not fail. Its findings count as usual.
    desk.run_to(FINDINGS, "audit exports --out report --sample 1/2 --fail-on error");
}

#[cfg(feature = "xlsx")]
#[test]
fn the_workbook_begins_with_inputs_that_are_not_covered() {
    use calamine::Reader;
    let desk = archives(4);
    desk.run_to(DONE, "audit exports --out report --sample 2/2 --format xlsx");
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(desk.at("report/audit.xlsx")).unwrap();
    let summary = book.worksheet_range("Summary").unwrap();
    let verdict = summary.get_value((1, 0)).unwrap().to_string();
    assert!(verdict.ends_with("; 1 input not covered"), "{verdict}");
}

#[test]
fn known_inputs_are_covered_by_every_share() {
    let desk = archives(8);
    desk.run_to(DONE, "audit exports --out cold");
    desk.run_to(DONE, "audit exports --out report --ledgers kept --sample 1/2");
    assert_ne!(with_status(&desk, "report", "not_covered").len(), 0);
    desk.run_to(DONE, "audit exports --out report --ledgers kept --sample 2/2");
    assert_eq!(desk.files("report"), desk.files("cold"), "two shares are the whole");
}

/// Runs an audit at this hour that has time for one input. Returns the inputs that it read.
fn night(desk: &Desk, hour: u32) -> Vec<String> {
    let before = with_status_or_none(desk);
    let now = format!("2026-11-21T{hour:02}:00:00Z");
    desk.run_to(DONE, &format!("audit exports --out report --ledgers kept --budget-time 1ns --now {now}"));
    with_status(desk, "report", "complete").difference(&before).cloned().collect()
}

fn with_status_or_none(desk: &Desk) -> BTreeSet<String> {
    if desk.at("report/audit.json").exists() {
        with_status(desk, "report", "complete")
    } else {
        BTreeSet::new()
    }
}

#[test]
fn runs_with_too_little_time_read_one_input_each() {
    let desk = archives(5);
    desk.run_to(DONE, "audit exports --out cold --now 2026-11-21T05:00:00Z");
    for hour in 1..=5 {
        assert_eq!(night(&desk, hour).len(), 1, "one input is begun, however short the time");
        let left = with_status(&desk, "report", "not_covered").len();
        assert_eq!(left, 5 - hour as usize);
        let not_covered = &desk.audit_json("report")["not_covered"];
        assert_eq!(not_covered["by_budget"].as_u64().unwrap_or(0), left as u64);
    }
    assert_eq!(desk.files("report"), desk.files("cold"));
}

#[test]
fn the_oldest_reading_comes_first_and_old_ledgers_are_not_used() {
    let desk = archives(3);
    let order: Vec<String> = (1..=3).flat_map(|hour| night(&desk, hour)).collect();
    assert_eq!(order.len(), 3);
    // All archives change. A new archive is read before them.
    for name in &order {
        let was_sound = fs::read(desk.at(name)).unwrap() == sound();
        desk.write(name, if was_sound { faulty() } else { sound() });
    }
    desk.write("exports/new.oar", sound());
    desk.run_to(
        DONE,
        "audit exports --out report --ledgers kept --budget-time 1ns --now 2026-11-21T04:00:00Z",
    );
    assert_eq!(with_status(&desk, "report", "complete"), ["exports/new.oar".to_owned()].into());
    let not_covered = &desk.audit_json("report")["not_covered"];
    assert_eq!(not_covered["oldest_read"], "2026-11-21T01:00:00Z");
    assert_eq!(not_covered["archives"][0]["kind"], "oar");
    let of_others = desk.column("report", "objects", "archive");
    assert!(of_others.iter().all(|archive| archive == "exports/new.oar"), "{of_others:?}");
    for (hour, name) in (5..).zip(&order) {
        assert_eq!(night(&desk, hour), std::slice::from_ref(name));
    }
}

#[test]
fn an_unreadable_input_does_not_hold_up_the_others() {
    let desk = archives(2);
    // The largest input is read first.
    desk.write("exports/cut.oar", [truncated(), vec![7; 4096]].concat());
    let run = |hour: u32| {
        let now = format!("2026-11-21T{hour:02}:00:00Z");
        desk.run(&format!("audit exports --out report --ledgers kept --budget-time 1ns --now {now}"));
        with_status(&desk, "report", "complete").len()
    };
    let covered: Vec<usize> = (1..=3).map(run).collect();
    assert_eq!(covered[2], 2, "{covered:?}");
    // The run tries it again. An input that is not read to its end is a failure. An input that is left to another run
    // is not.
    desk.run_to(
        INCOMPLETE,
        "audit exports --out report --ledgers kept --budget-time 1ns --now 2026-11-21T04:00:00Z",
    );
}

#[test]
fn scan_leaves_out_the_same_and_says_so() {
    let desk = archives(6);
    let run = desk.run_to(DONE, "scan exports --ledgers kept --sample 1/2");
    let kept = desk.files("kept").len();
    assert!(run.stderr.contains(&format!("ledgers of {kept} input")), "{}", run.stderr);
    assert!(run.stderr.contains("not covered: "), "{}", run.stderr);
    desk.run_to(DONE, "scan exports --ledgers kept --sample 2/2");
    assert_eq!(desk.files("kept").len(), 6);
    desk.run_to(DONE, "report kept --out report");
    desk.run_to(DONE, "audit exports --out cold");
    assert_eq!(desk.files("report"), desk.files("cold"));
}

#[test]
fn shares_and_times_that_make_no_sense_are_refused() {
    let desk = archives(1);
    for (flag, words) in [
        ("--sample 0/2", "counted from 1"),
        ("--sample 3/2", "none has the number 3"),
        ("--sample half", "1/7"),
        ("--budget-time soon", "--budget-time"),
    ] {
        let run = desk.run_to(USAGE, &format!("audit exports --out report {flag}"));
        assert!(run.stderr.contains(words), "{flag}: {}", run.stderr);
    }
}

/// OpenSim starts this audit for one archive. The nightly job keeps its ledgers in the same folder.
#[test]
fn one_archive_is_audited_next_to_the_nightly_job() {
    let desk = archives(4);
    desk.run_to(DONE, "audit exports --out cold");
    desk.run_to(DONE, "audit exports --out report --ledgers kept -q");
    let before = desk.ledgers("kept");
    desk.write("exports/4.oar", sound());
    desk.run_to(DONE, "audit exports/4.oar --out one --ledgers kept -q");
    assert_eq!(desk.column("one", "archives", "archive"), ["exports/4.oar"]);
    let after = desk.ledgers("kept");
    assert_eq!(after.len(), 5);
    assert!(
        before.iter().all(|(name, bytes)| after[name] == *bytes),
        "the ledgers of others stay as they are"
    );
    // The nightly job does not read it again.
    let run = desk.run_to(DONE, "audit exports --out report --ledgers kept -v");
    assert!(run.stderr.contains("reads 0 inputs") && run.stderr.contains("5 unchanged"), "{}", run.stderr);
}

/// OpenSim does not quote the path, so a name with a blank arrives as two arguments.
#[cfg(unix)]
#[test]
fn the_script_for_opensim_audits_one_archive() {
    let desk = Desk::with(&[]);
    desk.write("My Hill.oar", faulty());
    desk.write("cut.oar", truncated());
    let run = |arguments: &[&str]| {
        let mut script =
            std::process::Command::new(repository().join("deploy/autobackup/hullmark-autobackup"));
        script.args(arguments).current_dir(desk.at(".")).env("HULLMARK_HOME", desk.at("home"));
        script.env("HULLMARK", env!("CARGO_BIN_EXE_hullmark")).env("HULLMARK_SETTLE", "0");
        script.env("HULLMARK_CONFIG", desk.at("none.toml"));
        let output = script.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(&["My", "Hill.oar"]);
    assert!(code == FINDINGS && said.contains("My Hill.oar has errors"), "{said}");
    let report = "home/reports/autobackup/My Hill.oar";
    assert_eq!(desk.column(report, "archives", "archive"), ["My Hill.oar"]);
    assert_eq!(desk.ledgers("home/ledgers").len(), 1);
    let (code, said) = run(&["cut.oar"]);
    assert!(code == INCOMPLETE && said.contains("do not rely on it"), "{said}");
    let (code, said) = run(&["gone.oar"]);
    assert!(code == USAGE && said.contains("There is no archive \"gone.oar\""), "{said}");
}

/// Findings in an input that the earlier run left out are not compared: nobody knows whether they existed. In a series
/// of copies, the newest covered copy is compared.
#[test]
fn inputs_that_an_earlier_run_did_not_cover_are_not_compared() {
    let desk = Desk::with(&[("exports/a.oar", &sound()), ("exports/b-2026-11-20.oar", &sound())]);
    let audit = "audit exports --ledgers kept -q --format csv,html --out";
    desk.run_to(DONE, &format!("{audit} whole"));
    desk.write("exports/a.oar", faulty());
    desk.write("exports/b-2026-11-21.oar", faulty());
    let changed = ["exports/a.oar", "exports/b-2026-11-21.oar"];
    let leaves = |of: &u32| {
        let share = Share::new(1, *of).unwrap();
        !changed.iter().any(|name| is_in_sample(share, name))
    };
    let of = (2..99).find(leaves).unwrap();
    desk.run_to(DONE, &format!("{audit} part --sample 1/{of} --baseline whole"));
    assert_eq!(desk.audit_json("part")["changes"]["counts"]["not_compared"], 1);
    let news = |since: &str| {
        desk.run_to(DONE, &format!("{audit} report --baseline {since}"));
        let [archives, codes, news] =
            ["archive", "code", "baseline_status"].map(|name| desk.column("report", "findings", name));
        let rows = archives.into_iter().zip(codes).zip(news);
        let errors = rows.filter(|((_, code), _)| code == "LNK001");
        errors.map(|((archive, _), news)| (archive, news)).collect::<Vec<_>>()
    };
    let [a, b] = changed.map(str::to_owned);
    assert_eq!(news("whole"), [(a.clone(), "new".into()), (b.clone(), "new".into())]);
    assert_eq!(news("part"), [(a, "not_compared".into()), (b, "new".into())]);
    let counts = &desk.audit_json("report")["changes"]["counts"];
    assert_eq!((&counts["new"]["error"], &counts["not_compared"]), (&1.into(), &1.into()));
    let messages = desk.column("report", "changes", "message");
    assert!(
        messages.iter().any(|words| words.starts_with("The earlier run did not cover it. ")),
        "{messages:?}"
    );
}
