//! Commands on viewers' files.

use crate::support::{
    desk::{DONE, Desk, FINDINGS},
    samples, shared,
};
use std::fs;

/// Returns a sample.
fn sample(name: &str) -> Vec<u8> {
    samples::all().into_iter().find(|(sample, _)| sample == name).unwrap().1
}

#[test]
fn commands_take_an_export_like_object_xml() {
    let (oxp, hpa, xml) =
        (sample("viewers/placeholders.oxp"), sample("viewers/shed.hpa"), sample("viewers/bench.xml"));
    let desk = Desk::with(&[("cart.oxp", &oxp), ("shed.hpa", &hpa), ("bench.xml", &xml)]);
    let shown = desk.run("inspect cart.oxp");
    assert!(shown.stdout.contains("Cart") && shown.stdout.contains("placeholder"), "{shown:?}");
    for (file, name) in [("cart.oxp", "Cart"), ("shed.hpa", "Shed"), ("bench.xml", "Bench")] {
        let link = desk.run(&format!("link {file}"));
        assert!([DONE, FINDINGS].contains(&link.code) && link.stdout.contains(name), "{link:?}");
        let fix = desk.run(&format!("fix {file}"));
        assert!([DONE, FINDINGS].contains(&fix.code), "{fix:?}");
    }
}

#[test]
fn an_audit_finds_the_assets_in_an_export() {
    let desk = Desk::with(&[("cart.oxp", &sample("viewers/placeholders.oxp"))]);
    let run = desk.run("audit cart.oxp --out out");
    assert!([DONE, FINDINGS].contains(&run.code), "{run:?}");
    let findings = desk.table("out", "findings");
    let missing: Vec<_> = findings.iter().filter(|row| row["code"] == "AST001").collect();
    assert_eq!(missing.len(), 0, "the script is in the file: {missing:?}");
    let placeholders: Vec<_> = findings.iter().filter(|row| row["code"] == "VWR001").collect();
    assert_eq!((placeholders.len(), placeholders[0]["measured"].as_str()), (1, "1"));
}

#[test]
fn a_cache_of_firestorm_has_a_folder_for_each_digit() {
    let desk = Desk::with(&[]);
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| name.starts_with("viewer-cache/")) {
        let file = name.strip_prefix("viewer-cache/").unwrap();
        desk.write(&format!("cache/3/{file}"), &bytes);
    }
    let run = desk.run("audit cache --out out");
    assert!([DONE, FINDINGS].contains(&run.code), "{run:?}");
    let meshes = desk.table("out", "meshes");
    assert_eq!(meshes.len(), 2);
    let findings = desk.table("out", "findings");
    let holes: Vec<_> = findings.iter().filter(|row| row["code"] == "VWR002").collect();
    assert_eq!((holes.len(), holes[0]["measured"].as_str()), (1, "2"));
    assert!(findings.iter().all(|row| !row["code"].starts_with("MSH")), "a hole is no damage: {findings:?}");
}

#[test]
fn an_upload_of_a_viewer_has_costs_and_hulls() {
    let Some(shared) = shared() else { return };
    let desk = Desk::with(&[]);
    fs::copy(shared.join("data/testslm.slm"), desk.at("test.slm")).unwrap();
    let shown = desk.run("inspect test.slm");
    assert!([DONE, FINDINGS].contains(&shown.code), "{shown:?}");
    let lines: Vec<String> =
        shown.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for expected in [
        "joints 1",
        "high_lod 1 24 12",
        "base hull 3 of at most 256 vertices; all in a plane",
        "physics weight, as base hull 0.160 estimated",
        "download weight (streaming) 0.051 approximation",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:#?}");
    }
}
