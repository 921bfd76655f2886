//! The verdict before a move, as an operator runs it.

use crate::support::{
    archive::{Archive, control, settings},
    flat,
    object::{Prim, uuid, xml2},
    repository,
};
use serde_json::Value;
use std::{fs, path::PathBuf, process::Command};

/// Runs `preflight` on archives. Returns the exit code and the page, or the error message if there is no page.
fn preflight(archives: &[PathBuf], flags: &[&str]) -> (i32, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .arg("preflight")
        .args(archives)
        .args(flags)
        .arg("-q")
        .output()
        .unwrap();
    let said = if run.stdout.is_empty() { run.stderr } else { run.stdout };
    (run.status.code().unwrap(), String::from_utf8(said).unwrap())
}

fn json(archives: &[PathBuf], flags: &[&str]) -> (i32, Value) {
    let (code, text) = preflight(archives, &[flags, &["--json"]].concat());
    (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn sample(name: &str) -> PathBuf {
    repository().join("sample_data").join(name)
}

/// Returns the codes of a list of items.
fn codes(items: &Value) -> Vec<&str> {
    items.as_array().unwrap().iter().map(|item| item["code"].as_str().unwrap()).collect()
}

fn section<'a>(page: &'a Value, effect: &str) -> Vec<&'a str> {
    let sections = page["sections"].as_array().unwrap();
    codes(&sections.iter().find(|section| section["effect"] == effect).unwrap()["items"])
}

const UBODE: [&str; 2] = ["--target", "opensim-ubode"];

#[test]
fn a_clean_region_may_go() {
    let (code, page) = json(&[sample("regions/clean-region.oar")], &UBODE);
    assert_eq!((code, page["verdict"].as_str()), (0, Some("go")));
    assert_eq!(codes(&page["blockers"]), [""; 0]);
    let (code, text) = preflight(&[sample("regions/clean-region.oar")], &UBODE);
    assert_eq!(code, 0);
    assert!(text.starts_with("GO for OpenSimulator with ubODE (opensim-ubode)"), "{text}");
}

/// A mesh whose base hull does not enclose its decomposition is the same on both sides of a move between OpenSimulators.
#[test]
fn a_move_changes_no_fault_that_both_grids_have() {
    let archive = [sample("meshes/hulls-outside-the-base-hull.llmesh")];
    let changed_and_noted = |flags: &[&str]| {
        let (_, page) = json(&archive, flags);
        [section(&page, "changes").contains(&"HUL009"), section(&page, "note").contains(&"HUL009")]
    };
    assert_eq!(changed_and_noted(&UBODE), [false, true]);
    assert_eq!(changed_and_noted(&["--target", "second-life"]), [true, false]);
    assert_eq!(changed_and_noted(&["--target", "opensim-ubode", "--from", "second-life"]), [true, false]);
}

/// What other engines do is for those who ask.
#[test]
fn the_engines_of_the_target_speak() {
    let archive = [sample("regions/two-grids.oar")];
    let flags = ["--target", "opensim-ubode", "--from", "second-life"];
    let (_, text) = preflight(&archive, &flags);
    assert!(text.contains("Engines: ubODE:") && !text.contains("Engines: Second Life:"), "{text}");
    let verbose = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .arg("preflight")
        .args(&archive)
        .args(flags)
        .arg("-v")
        .output();
    let verbose = String::from_utf8(verbose.unwrap().stdout).unwrap();
    assert!(verbose.contains("Second Life: Prefers"), "{verbose}");
}

#[test]
fn a_blocker_is_a_no_go_and_comes_first() {
    let archives = [sample("regions/clean-region.oar"), sample("archives/no-control-file.oar")];
    let (code, page) = json(&archives, &UBODE);
    assert_eq!((code, page["verdict"].as_str()), (1, Some("no-go")));
    assert_eq!(codes(&page["blockers"]), ["ARC003"]);
    assert_eq!(page["archives"].as_array().unwrap().len(), 2);
    let (_, text) = preflight(&archives, &UBODE);
    assert!(text.starts_with("NO-GO"), "{text}");
    let blockers = text.find("BLOCKERS").unwrap();
    assert!(text.find("WILL ").is_none_or(|other| blockers < other), "{text}");
    assert!(text.contains("What to do: "), "what to do is next to it: {text}");
}

/// The readable part of a damaged archive gives the verdict `no-go`. An archive that cannot be opened gives no verdict.
#[test]
fn a_cut_archive_is_a_no_go_and_a_missing_one_no_answer() {
    let cut = repository().join("tests/incomplete/cut-gzip.oar");
    let (code, page) = json(std::slice::from_ref(&cut), &UBODE);
    assert_eq!((code, page["verdict"].as_str()), (1, Some("no-go")));
    assert_eq!(page["archives"][0]["status"], "incomplete");
    let (code, text) = preflight(&[PathBuf::from("no-such.oar")], &UBODE);
    assert!(code == 2 || code == 3, "{code} {text}");
}

/// An archive without any readable part cannot be checked, which wins over every verdict.
#[test]
fn an_unreadable_archive_is_an_incomplete_check() {
    let folder = tempfile::tempdir().unwrap();
    let garbage = folder.path().join("garbage.oar");
    fs::write(&garbage, b"no archive at all".repeat(100)).unwrap();
    let (code, page) = json(&[garbage, sample("regions/clean-region.oar")], &UBODE);
    assert_eq!((code, page["verdict"].as_str()), (3, Some("no-go")));
}

/// The target decides: one grid refuses to link an object that another loads.
#[test]
fn the_target_decides_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let wide = xml2(&[Prim::new("Mast", 1), Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Tip", 2) }]);
    let name = format!("objects/Mast_128-128-025__{}.xml", uuid(0x0b0b_0b0b, 1));
    let archive = Archive::new(&control("6c1cb6ba-9f08-4c8c-a3a9-7f1d9b6a0a01", "256,256"))
        .add("settings/Here.xml", settings("1"))
        .add(&name, wide);
    let path = folder.path().join("here.oar");
    fs::write(&path, archive.gzip()).unwrap();
    let changed = |target: &str| {
        let (_, page) = json(std::slice::from_ref(&path), &["--target", target]);
        section(&page, "changes").contains(&"LNK001")
    };
    assert!(changed("second-life"));
    assert!(!changed("opensim-ubode"));
}

#[test]
fn land_that_is_too_small_is_reported_with_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("small.toml");
    fs::write(&profile, "base = \"opensim-ubode\"\n[land]\nobject_capacity = 1\n").unwrap();
    let target = ["--target", profile.to_str().unwrap()];
    let (code, page) = json(&[sample("regions/clean-region.oar")], &target);
    assert_eq!(code, 0, "it is an error, and blocks nothing");
    assert!(section(&page, "overfills").contains(&"REG001"), "{page}");
    let region = &page["archives"][0]["regions"][0];
    assert_eq!((region["counted"].as_str(), region["capacity"].as_f64()), (Some("prims"), Some(1.0)));
    assert!(region["load"].as_f64() > Some(1.0));
}

#[test]
fn every_finding_of_the_samples_is_in_exactly_one_section() {
    let (_, page) = json(&[sample("")], &["--target", "second-life"]);
    let mut all = codes(&page["blockers"]);
    for section in page["sections"].as_array().unwrap() {
        all.extend(codes(&section["items"]));
    }
    let listed = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), listed);
    assert!(listed > 60, "the samples show most rules: {listed}");
}

#[test]
fn the_html_page_loads_nothing_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let name = "<script>alert(1)</script><b onclick='x'>";
    let object = xml2(&[Prim::new(name, 1), Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Tip", 2) }]);
    let path = folder.path().join("evil.xml");
    fs::write(&path, object).unwrap();
    let out = folder.path().join("page.html");
    let flags = ["--target", "second-life", "--format", "html", "--out", out.to_str().unwrap()];
    let (code, said) = preflight(&[path], &flags);
    assert_eq!(code, 0, "{said}");
    let page = fs::read_to_string(&out).unwrap();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(!page.contains("<b onclick"), "{page}");
    assert!(page.contains("Content-Security-Policy") && page.contains("default-src 'none'"));
    assert!(!page.contains("http://") && !page.contains("src="), "{page}");
}

#[test]
fn without_a_target_the_load_is_that_of_opensimulator() {
    let (_, text) = preflight(&[repository().join("sample_data/regions/misplaced.oar")], &[]);
    assert!(text.starts_with("GO WITH LOSSES for OpenSimulator (opensim-load): "), "{text}");
    assert!(flat(&text).contains("For limits and capacity of one target use --target."), "{text}");
}
