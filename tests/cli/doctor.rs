//! `doctor`: checks of the program, the machine, the settings and the folders.

use crate::support::desk::{DONE, Desk, FINDINGS, USAGE, mixed, sound};
use serde_json::Value;

fn page(desk: &Desk, code: i32, arguments: &str) -> Value {
    let run = desk.run_to(code, &format!("doctor --json {arguments}"));
    serde_json::from_str(&run.stdout).unwrap()
}

/// Returns state and text of a check.
fn check<'a>(page: &'a Value, name: &str) -> (&'a str, &'a str) {
    let checks = page["checks"].as_array().unwrap();
    let found =
        checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {page:#}"));
    (found["state"].as_str().unwrap(), found["text"].as_str().unwrap())
}

#[test]
fn a_sound_installation_is_well_without_arguments() {
    let desk = Desk::with(&[]);
    let run = desk.run_to(DONE, "doctor");
    assert!(run.stdout.starts_with("  ok"), "{}", run.stdout);
    for name in ["version", "settings", "profile", "threads", "memory", "open files", "disk", "messages"] {
        assert!(run.stdout.contains(name), "{name}: {}", run.stdout);
    }
    let page = page(&desk, DONE, "--threads 1");
    assert_eq!(page["hullmark"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&page["machine"]["threads"], &page["settings_file"]), (&1.into(), &Value::Null));
    assert_eq!(page["features"].as_array().unwrap().contains(&"notify".into()), cfg!(feature = "notify"));
    assert_eq!(desk.files("").len(), 0, "nothing is left behind");
}

#[test]
fn inputs_are_counted_by_kind_and_not_read() {
    let desk = mixed();
    let page = page(&desk, DONE, ". --out report --ledgers ledgers");
    let kinds: Vec<_> = page["inputs"].as_array().unwrap().iter().map(|line| &line["kind"]).collect();
    assert_eq!(kinds, ["folder", "oar"], "{page:#}");
    let lines = &page["inputs"];
    assert_eq!((lines[0]["inputs"].as_u64(), lines[1]["inputs"].as_u64()), (Some(1), Some(4)), "{page:#}");
    assert_eq!(check(&page, "inputs").0, "ok");
    assert!(check(&page, "report").1.ends_with("report does not exist yet, and a run can create it."));
    assert_eq!(check(&page, "disk").0, "unknown", "no earlier report");
    assert!(!desk.at("report").exists() && !desk.at("ledgers").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let desk = Desk::with(&[("a.oar", &sound())]);
    let file = page(&desk, FINDINGS, "a.oar --out a.oar");
    let (state, text) = check(&file, "report");
    assert!(state == "error" && text.contains("Name a folder with --out"), "{text}");
    let missing = page(&desk, FINDINGS, "missing.oar");
    assert_eq!(check(&missing, "inputs").0, "error");
}

#[cfg(unix)]
#[test]
fn the_last_report_shows_how_much_a_run_needs() {
    let desk = Desk::with(&[("a.oar", &sound())]);
    desk.run_to(DONE, "audit a.oar --out report --ledgers ledgers");
    let page = page(&desk, DONE, "a.oar --out report --ledgers ledgers");
    let (state, text) = check(&page, "disk");
    assert!(state == "ok" && text.starts_with("The last report and ledgers took "), "{text}");
    assert_eq!(check(&page, "report").1, "report can be written.");
}

#[test]
fn channels_are_checked_and_secrets_are_hidden() {
    let desk = Desk::with(&[]);
    desk.write("mine.toml", "[notify]\ncommand = \"true\"\nslack = \"env:HULLMARK_NO_HOOK\"\n");
    let broken = page(&desk, FINDINGS, "--config mine.toml");
    let checks = broken["checks"].as_array().unwrap();
    let states: Vec<_> =
        checks.iter().filter(|check| check["name"] == "messages").map(|check| &check["state"]).collect();
    assert_eq!(states, ["ok", "error"], "{broken:#}");
    assert_eq!(broken["settings_file"], "mine.toml");
    desk.write("mine.toml", "[notify]\njson = \"https://host/s3cr3t\"\n");
    let code = if cfg!(feature = "notify") { DONE } else { FINDINGS };
    let run = desk.run_to(code, "doctor --config mine.toml");
    assert!(!run.stdout.contains("s3cr3t") && run.stdout.contains("The message as JSON"), "{}", run.stdout);
    desk.write("mine.toml", "threads = \"many\"\n");
    desk.run_to(USAGE, "doctor --config mine.toml");
}
