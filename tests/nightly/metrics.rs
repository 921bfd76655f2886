//! `--metrics`: the text file for Prometheus.

use crate::support::desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated};
use std::{collections::BTreeMap, fs};

/// Parses the text format of Prometheus. Each sample needs a HELP and a TYPE line before it, and each name comes once.
fn parsed(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'));
    let (mut samples, mut helped, mut current) = (BTreeMap::new(), Vec::new(), String::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').unwrap();
            assert!(!helped.contains(&name.to_owned()) && !words.is_empty(), "{line}");
            helped.push(name.to_owned());
            continue;
        }
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert_eq!((Some(name), kind), (helped.last().map(String::as_str), "gauge"));
            name.clone_into(&mut current);
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        assert_eq!(name, current);
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
        for label in labels.strip_suffix('}').unwrap().split(',').filter(|label| !label.is_empty()) {
            let (key, value) = label.split_once('=').unwrap();
            assert!(key.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
            assert!(value.len() > 1 && value.starts_with('"') && value.ends_with('"'), "{line}");
        }
        assert!(samples.insert(series.to_owned(), value.parse().unwrap()).is_none(), "{line}");
    }
    samples
}

fn metrics(desk: &Desk) -> BTreeMap<String, f64> {
    parsed(&fs::read_to_string(desk.at("metrics/hullmark.prom")).unwrap())
}

#[test]
fn metrics_have_the_numbers_of_the_report() {
    let desk = Desk::with(&[("a.oar", &sound()), ("b.oar", &faulty()), ("c.oar", &truncated())]);
    fs::create_dir(desk.at("metrics")).unwrap();
    let now = "--now 2026-11-24T04:00:00Z --metrics metrics/hullmark.prom";
    desk.run_to(FINDINGS, &format!("audit a.oar b.oar --out report --fail-on error {now}"));
    let first = metrics(&desk);
    let audit = desk.audit_json("report");
    for severity in ["blocker", "error", "warning", "info"] {
        let found = first[&format!("hullmark_findings{{severity=\"{severity}\"}}")];
        assert_eq!(Some(found), audit["findings"][severity].as_f64(), "{severity}");
    }
    assert_eq!(Some(first["hullmark_input_bytes"]), audit["totals"]["bytes"].as_f64());
    assert_eq!(Some(first["hullmark_objects{place=\"region\"}"]), audit["totals"]["objects"].as_f64());
    assert_eq!(first["hullmark_inputs{status=\"complete\"}"], 2.0);
    assert_eq!(first["hullmark_run_end_timestamp_seconds"], 1_795_492_800.0);
    assert_eq!((first["hullmark_run_exit_code"], first["hullmark_run_complete"]), (1.0, 1.0));
    assert!(first["hullmark_run_duration_seconds"] > 0.0);

    desk.run_to(INCOMPLETE, &format!("audit b.oar c.oar --out report --baseline report {now}"));
    let second = metrics(&desk);
    assert_eq!((second["hullmark_run_exit_code"], second["hullmark_run_complete"]), (3.0, 0.0));
    assert!(second.contains_key("hullmark_new_findings{severity=\"error\"}"), "{second:?}");
    assert_eq!(desk.files("metrics").len(), 1, "no temporary file is left");

    fs::create_dir(desk.at("empty")).unwrap();
    desk.run_to(INCOMPLETE, &format!("audit empty --out other {now}"));
    assert_eq!(metrics(&desk)["hullmark_run_exit_code"], 3.0);
}

#[cfg(unix)]
#[test]
fn another_user_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(&[("a.oar", &sound())]);
    desk.write("open", "");
    desk.run_to(DONE, "audit a.oar --metrics hullmark.prom");
    let mode = |name: &str| fs::metadata(desk.at(name)).unwrap().permissions().mode();
    assert_eq!(mode("hullmark.prom"), mode("open"), "as any file that is created here");
}

#[test]
fn a_folder_that_is_missing_is_found_before_the_run() {
    let desk = Desk::with(&[("a.oar", &sound())]);
    let run = desk.run_to(USAGE, "audit a.oar --out report --metrics none/hullmark.prom");
    assert!(
        run.stderr.contains("The folder of --metrics none/hullmark.prom does not exist"),
        "{}",
        run.stderr
    );
    assert!(!desk.at("report/audit.json").exists());
}
