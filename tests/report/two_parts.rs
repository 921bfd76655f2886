//! Reports without a target: OpenSimulator loads the input, and the published rules limit its content.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, FINDINGS, Row, USAGE},
    object::{OWNER, Prim, uuid, xml2},
    repository,
};
use serde_json::Value;
use std::{collections::BTreeSet, fs};

/// Rules about capacity in land impact, which nobody knows without a target.
const CAPACITY: [&str; 3] = ["CST001", "CST002", "PHY009"];

fn is_about_limits(code: &str) -> bool {
    ["LNK", "HUL", "MSH", "PHY", "CST"].contains(&&code[..3])
}

/// Returns a region with a bridge of 60 m, and a car that its load drops.
fn region() -> Vec<u8> {
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 2) };
    let car = Prim { position: [300.0, 128.0, 25.0], ..Prim::new("Car", 3) };
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("settings/Here.xml", settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note")
        .add("objects/a.xml", xml2(&[Prim::new("Bridge", 1), far]))
        .add("objects/b.xml", xml2(&[car]))
        .gzip()
}

fn audit(desk: &Desk) -> Value {
    serde_json::from_slice(&fs::read(desk.at("report/audit.json")).unwrap()).unwrap()
}

#[test]
fn an_object_without_a_name_is_called_unnamed() {
    let outside = |number| Prim { position: [300.0, 128.0, 25.0], ..Prim::new("", number) };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("settings/Here.xml", settings("1"))
        .add("objects/a.xml", xml2(&[outside(1)]))
        .add("objects/b.xml", xml2(&[Prim { scale: [2.0; 3], ..outside(2) }]));
    let desk = Desk::with(&[("here.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "audit here.oar --out report");
    for words in ["2 × unnamed object, Here: ", "1  unnamed object (1 prim, here.oar)"] {
        assert!(run.stdout.contains(words), "{words} is not in {}", run.stdout);
    }
    assert_eq!(desk.column("report", "objects", "name"), ["", ""]);
}

#[test]
fn the_load_is_that_of_opensimulator_and_the_limits_are_published() {
    let desk = Desk::with(&[("here.oar", &region())]);
    // A car that is lost is an error, so a night without a target ends with exit code 1.
    let run =
        desk.run_to(FINDINGS, "audit here.oar --out report --letters letters --fail-on error --ignore LNK");
    assert!(!run.stdout.contains("60 m"), "{}", run.stdout);
    let run = desk.run_to(DONE, "audit here.oar --out report --letters letters");
    let rows = desk.table("report", "findings");
    let found: BTreeSet<[&str; 3]> =
        rows.iter().map(|row| ["severity", "code", "target"].map(|column| &*row[column])).collect();
    let expected =
        [["error", "LNK001", "published rules"], ["error", "POS002", "OpenSimulator"]].into_iter().collect();
    assert!(found.is_superset(&expected), "{found:?}");

    let audit = audit(&desk);
    assert_eq!(audit["verdicts"], serde_json::json!({"go-with-losses": 1}));
    let fullest = serde_json::json!({"region": "Here", "prims": 3.0, "capacity": 15000.0});
    assert_eq!(audit["fullest"], fullest);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let at = |words: &str| {
        lines.iter().position(|line| line.starts_with(words)).unwrap_or_else(|| panic!("{words}"))
    };
    let load = at("Loading it (OpenSimulator): GO WITH LOSSES.");
    let limits = at("Limits and costs (the published rules): ");
    let [losses, bridge] = ["What a move loses:", "Heaviest objects"].map(at);
    assert!(load < losses && losses < limits && limits < bridge, "{}", run.stdout);
    assert!(run.stdout.contains("Fullest region: Here, with 3 of 15,000 prims (0 %)."), "{}", run.stdout);

    // Capacity needs a target. So do edits that reach it.
    for code in ["CST001", "CST002"] {
        assert_eq!(audit["checks"][code]["not_evaluated"], serde_json::json!({"no_target": 1}), "{code}");
    }
    let region = &desk.table("report", "regions")[0];
    assert_eq!(
        ["counted", "capacity", "land_impact"].map(|column| &*region[column]),
        ["prims", "15000", "3"]
    );
    assert_eq!(desk.column("report", "actions", "land_impact_saved"), ["", ""]);

    // OpenSimulator does not mind the bridge, so its owner need not either.
    let letter = fs::read_to_string(desk.at(&format!("letters/{OWNER}.txt"))).unwrap();
    assert!(letter.contains("Car") && !letter.contains("Bridge"), "{letter}");
    assert!(!letter.contains("profile"), "{letter}");
}

#[test]
fn a_chosen_target_holds_for_everything() {
    let desk = Desk::with(&[("here.oar", &region())]);
    for profile in ["second-life", "opensim-ubode"] {
        let run = desk.run_to(DONE, &format!("audit here.oar --out report --profile {profile}"));
        assert!(!run.stdout.contains("Loading it"), "{}", run.stdout);
        let mut targets: BTreeSet<String> = desk.column("report", "findings", "target").into_iter().collect();
        // A rule about the audit has no target.
        targets.remove("");
        assert_eq!(targets.len(), 1, "{targets:?}");
        assert!(audit(&desk)["verdicts"].is_null());
    }
    // No simulator loads a folder of meshes.
    let meshes = repository().join("sample_data/meshes");
    let run = desk.run_to(DONE, &format!("audit {} --out report", meshes.display()));
    assert!(run.stdout.starts_with("Target: Second Life (default;"), "{}", run.stdout);
    assert!(
        desk.column("report", "findings", "target")
            .iter()
            .all(|target| ["", "Second Life"].contains(&&**target))
    );
}

/// Each finding of a report in two parts is one of the report for the target of its part.
#[test]
fn both_parts_are_those_of_their_targets() {
    let desk = Desk::with(&[]);
    let regions = repository().join("sample_data/regions");
    let findings = |flags: &str| {
        let run = desk.run(&format!("audit {} --out report --format csv{flags}", regions.display()));
        assert!(run.code != USAGE, "{}", run.stderr);
        let key = |row: Row| {
            ["code", "severity", "archive", "entry", "message", "count"].map(|column| row[column].clone())
        };
        let keys: BTreeSet<[String; 6]> = desk.table("report", "findings").into_iter().map(key).collect();
        keys
    };
    let [opensim, second_life] =
        ["opensim-ubode", "second-life"].map(|name| findings(&format!(" --profile {name}")));
    let of = |all: &BTreeSet<[String; 6]>, limits: bool| {
        let is_kept =
            |key: &&[String; 6]| is_about_limits(&key[0]) == limits && !CAPACITY.contains(&&*key[0]);
        // The number of checks without evaluation is that of both parts.
        all.iter().filter(is_kept).filter(|key| key[0] != "RUN003").cloned().collect::<BTreeSet<_>>()
    };
    let both = findings("");
    assert_eq!(of(&both, false), of(&opensim, false), "the load");
    assert_eq!(of(&both, true), of(&second_life, true), "the limits");
    assert!(of(&both, false).len() > 20 && of(&both, true).len() >= 6);
    assert_ne!(of(&opensim, false), of(&second_life, false), "targets differ");
}

#[test]
fn preflight_has_both_parts() {
    let desk = Desk::with(&[("here.oar", &region())]);
    let page = desk.run_to(DONE, "preflight here.oar").stdout;
    assert!(page.starts_with("GO WITH LOSSES for OpenSimulator (opensim-load): "), "{page}");
    let [load, limits] =
        ["POS002", "LIMITS AND COSTS (THE PUBLISHED RULES)"].map(|words| page.find(words).unwrap());
    assert!(load < limits && page[limits..].contains("LNK001"), "{page}");
    assert!(page.contains("3 of 15,000 prims"), "{page}");
}

/// Findings of one rule and one cause are one line with their places.
#[test]
fn preflight_says_a_cause_once() {
    let of = |name: &str, number| xml2(&[Prim { physics_shape_type: Some(1), ..Prim::new(name, number) }]);
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("settings/Here.xml", settings("1"))
        .add("objects/a.xml", of("Wall", 1))
        .add("objects/b.xml", of("Gate", 2));
    let desk = Desk::with(&[("here.oar", &archive.gzip())]);
    let page = desk.run_to(DONE, "preflight here.oar").stdout;
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("\"Wall\" at 128, 128, 25; \"Gate\" at 128, 128, 25: "), "{page}");
}
