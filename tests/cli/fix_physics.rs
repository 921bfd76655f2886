//! `hullmark fix --to-physics`, run as a person runs it.

use crate::support::{
    archive::{Archive, control},
    llsd::Llsd,
    mesh::{MeshFile, submesh},
    object::{Prim, uuid, xml2},
    read_csv, repository,
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const MESH: &str = "3e3e3e3e-0000-4000-8000-000000000001";

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hullmark")).args(args).output().unwrap()
}

fn fix(path: &Path, budget: &str, args: &[&str], code: i32) -> String {
    let budget = Some(budget).filter(|budget| !budget.is_empty());
    let goal: Vec<&str> = ["--to-physics"].into_iter().chain(budget).collect();
    let output = run(&[&["fix", path.to_str().unwrap()], &goal[..], args].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    if code == 2 { said } else { String::from_utf8(output.stdout).unwrap() }
}

fn json(path: &Path, budget: &str, args: &[&str]) -> Value {
    serde_json::from_str(&fix(path, budget, &[&["--json"], args].concat(), 0)).unwrap()
}

fn sample() -> PathBuf {
    repository().join("sample_data/regions/over-the-cap.oar")
}

/// Writes a chair of three parts and a box. Each part has 100 triangles and is 0.7 m wide. It costs 7.07 as triangles
/// and 0.36 as hulls.
fn chairs(folder: &tempfile::TempDir) -> PathBuf {
    let triangles: Vec<[u16; 3]> = (0..100).map(|_| [0, 1, 2]).collect();
    let corners = [[0, 0, 0], [65_535, 0, 0], [0, 65_535, 0]];
    let mesh = MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![submesh(&corners, &triangles)]));
    let part = |name: &str, number, side| Prim {
        scale: [side; 3],
        mesh: Some(MESH.into()),
        ..Prim::new(name, number)
    };
    let chair = [part("Seat", 1, 1.0), part("Back", 2, 1.0), part("Leg\u{202e}", 3, 0.6)];
    let archive = Archive::new(&control("4e4e4e4e-0000-4000-8000-000000000001", "256,256"))
        .add("objects/Chair.xml", xml2(&chair))
        .add("objects/Box.xml", xml2(&[Prim::new("Box", 9)]))
        .add(&format!("assets/{MESH}_mesh.llmesh"), mesh.encode());
    let path = folder.path().join("chairs.oar");
    fs::write(&path, archive.gzip()).unwrap();
    path
}

#[test]
fn the_sample_over_the_cap() {
    let view = json(&sample(), "", &[]);
    assert_eq!((&view["budget"], &view["objects_reached"]), (&32.0.into(), &1.into()));
    let cart = &view["objects"][0];
    assert_eq!((&cart["name"], &cart["physical"]), (&"=Cart".into(), &true.into()));
    assert_eq!(cart["reached"], true);
    let change = &cart["changes"][0];
    assert_eq!((&change["change"], &change["link_number"]), (&"convex_hull".into(), &0.into()));
    assert_eq!(
        (&change["representation"], &change["representation_after"]),
        (&"decomposition".into(), &"base_hull".into())
    );
    assert!((change["cost_before"].as_f64().unwrap() - 41.12).abs() < 1e-9);
    assert!((cart["physics_cost_after"].as_f64().unwrap() - 0.36).abs() < 1e-9);
    assert_eq!(cart["coarser_meshes"], serde_json::json!([]));
    let text = fix(&sample(), "", &[], 0);
    for line in [
        "Object =Cart",
        "to Convex Hull",
        "After 1 change: 0.360. Fewer changes are not enough.",
        "; physical",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    fix(&sample(), "", &["--fail-on", "error"], 1);
}

#[test]
fn triangles_under_a_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = chairs(&folder);
    assert_eq!(json(&path, "", &[])["objects"], serde_json::json!([]), "25.93 is under the cap");
    let view = json(&path, "20", &[]);
    assert_eq!(view["objects_read"], 2);
    let chair = &view["objects"][0];
    let changes = chair["changes"].as_array().unwrap();
    // Each part alone would be enough. The smallest one saves most.
    assert_eq!((changes.len(), &changes[0]["link_number"]), (1, &3.into()));
    let coarser = &chair["coarser_meshes"][0];
    assert_eq!(
        (&coarser["triangles"], &coarser["link_numbers"]),
        (&100.into(), &serde_json::json!([1, 2, 3]))
    );
    // 0.05 · N · (2 / 0.7071 + 1 / 0.42426) ≤ 20
    assert_eq!(coarser["triangles_at_most"], 77);
    let text = fix(&path, "20", &[], 0);
    assert!(text.contains("at most 77 triangles of at least that width"), "{text}");
    assert!(text.contains("Leg·"), "what turns the text round is replaced");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let only = json(&path, "20", &["--object", &uuid(0x0b0b_0b0b, 2)]);
    assert_eq!(only["objects"], view["objects"]);
}

#[test]
fn shape_none_only_if_allowed_and_never_for_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let path = chairs(&folder);
    let without = fix(&path, "0.5", &[], 0);
    assert!(
        without.contains("NOT ENOUGH: after 3 changes 1.080, the lowest possible; 0.58 above the budget."),
        "{without}"
    );
    assert!(without.contains("shape None, add --allow-none."), "{without}");
    let with = &json(&path, "0.5", &["--allow-none"])["objects"][0];
    let changes: Vec<_> =
        with["changes"].as_array().unwrap().iter().map(|change| &change["change"]).collect();
    assert_eq!(changes, ["convex_hull", "shape_none", "shape_none"]);
    assert_eq!(with["reached"], true);
    let never = &json(&path, "0.1", &["--allow-none"])["objects"][0];
    assert_eq!(never["reached"], false);
    assert!((never["still_over"].as_f64().unwrap() - 0.26).abs() < 1e-9);
}

#[test]
fn the_finding_has_a_short_version() {
    let out = tempfile::tempdir().unwrap();
    let report = out.path().join("report");
    let output = run(&["audit", sample().to_str().unwrap(), "--out", report.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let findings = read_csv(&report.join("findings.csv"));
    let found = findings.iter().find(|row| row["code"] == "PHY001").unwrap();
    assert!(
        found["message"].ends_with("the cap is 32; setting 1 prim to Convex Hull lowers it to 0.36"),
        "{found:?}"
    );
}

#[test]
fn an_object_without_a_budget_has_an_error_message() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("a.llmesh");
    fs::write(&mesh, MeshFile::cube().encode()).unwrap();
    assert!(fix(&mesh, "", &[], 2).contains("has no object"));
    assert!(fix(&sample(), "", &["--profile", "opensim-ubode"], 2).contains("use --to-physics COST"));
    assert!(fix(&sample(), "0", &[], 2).contains("a cost above 0"));
    let whole = fs::read(sample()).unwrap();
    let cut = folder.path().join("cut.oar");
    fs::write(&cut, &whole[..whole.len() - 200]).unwrap();
    assert!(fix(&cut, "", &[], 3).contains("NOT READ TO ITS END"));
}

/// The plan of every object above the cap in a real region holds.
#[test]
fn a_real_region() {
    let path = repository().join("../shared/data/franzinha-no-textures.oar");
    if !path.exists() {
        return;
    }
    let view = json(&path, "", &[]);
    let objects = view["objects"].as_array().unwrap();
    assert_eq!(objects.len(), 25);
    for object in objects {
        let saved: f64 = object["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| change["saving"].as_f64().unwrap())
            .sum();
        let (before, after) =
            (object["physics_cost"].as_f64().unwrap(), object["physics_cost_after"].as_f64().unwrap());
        assert!((before - saved - after).abs() < 1e-6, "{}", object["name"]);
        assert_eq!(object["reached"], after <= 32.0, "{}", object["name"]);
    }
}
