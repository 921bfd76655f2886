//! One mesh as other programs see it: the facts are those of `hullmark inspect`.

use crate::support::repository;
use hullmark::{Limits, MeshInspection, Profile, ScanOptions, Source, error::GltfError, read_mesh, scan};
use serde_json::Value;
use std::{path::Path, process::Command, sync::Mutex};

/// Scans a file and returns its ledger.
fn ledger(path: &Path) -> hullmark::Ledger {
    ledger_of(Source::path(path))
}

fn ledger_of(source: Source) -> hullmark::Ledger {
    let kept = Mutex::new(None);
    scan([source], &ScanOptions::default(), |ledger| *kept.lock().unwrap() = Some(ledger)).unwrap();
    kept.into_inner().unwrap().unwrap()
}

/// Returns what the command prints about a mesh.
fn printed(path: &Path, name: &str, profile: &str, scale: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hullmark"));
    command.args(["inspect", "--json", "--profile", profile, "--scale", scale]).arg(path);
    command.args(["--object", name]);
    let output = command.output().unwrap();
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    view["meshes"][0].clone()
}

#[test]
fn the_facts_of_a_mesh_are_those_of_the_command() {
    let samples = repository().join("sample_data");
    let files = std::fs::read_dir(samples.join("meshes")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = files.chain([samples.join("regions/over-the-cap.oar")]).collect();
    paths.sort();
    let mut compared = 0;
    for path in paths {
        let ledger = ledger(&path);
        for name in MeshInspection::names(&ledger) {
            let inspection = MeshInspection::new(&ledger, name).unwrap();
            for (profile, scale, text) in
                [("second-life", [1.0; 3], "1"), ("opensim-ubode", [0.25, 3.0, 40.0], "0.25,3,40")]
            {
                let told = inspection.to_json(&Profile::load(profile).unwrap(), scale);
                let told: Value = serde_json::from_str(&told).unwrap();
                assert_eq!(told, printed(&path, name, profile, text), "{} {name}", path.display());
                assert!(
                    told["parts_set_to"][0]["land_impact"].is_number()
                        || told["findings"] != Value::Array(vec![])
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn a_mesh_of_an_archive_or_a_scene_is_read_by_its_name() {
    let samples = repository().join("sample_data");
    let limits = Limits::default();
    let path = samples.join("meshes/scene-of-two.slm");
    let ledger = ledger(&path);
    let names: Vec<&str> = MeshInspection::names(&ledger).collect();
    assert_eq!(names, ["scene-of-two.slm#0", "scene-of-two.slm#1"]);
    let meshes = names.iter().map(|name| read_mesh(Source::path(&path), &ledger, name, &limits).unwrap());
    let meshes: Vec<_> = meshes.collect();
    assert_ne!(meshes[0], meshes[1], "each name has its own mesh");
    let bytes = std::fs::read(&path).unwrap();
    let memory = Source::bytes("scene-of-two.slm", bytes);
    let of_memory = ledger_of(memory.clone());
    assert_eq!(read_mesh(memory.clone(), &of_memory, names[1], &limits).as_ref(), Some(&meshes[1]));
    assert_eq!(read_mesh(memory, &of_memory, "none", &limits), None);
    let archive = samples.join("regions/over-the-cap.oar");
    let ledger = self::ledger(&archive);
    let name = MeshInspection::names(&ledger).next().unwrap();
    let mesh = read_mesh(Source::path(&archive), &ledger, name, &limits).unwrap();
    assert!(mesh.lods[3].is_some() && mesh.convex.is_some());
    assert_eq!(read_mesh(Source::path(&path), &ledger, name, &limits), None, "of another input");
}

#[test]
fn a_mesh_without_geometry_has_no_picture() {
    let path = repository().join("sample_data/meshes/truncated.llmesh");
    let ledger = ledger(&path);
    let name = MeshInspection::names(&ledger).next().unwrap();
    let inspection = MeshInspection::new(&ledger, name).unwrap();
    let profile = Profile::load("second-life").unwrap();
    let nothing = hullmark::mesh::Mesh::default();
    assert_eq!(inspection.to_glb(&nothing, &profile, [1.0; 3]), Err(GltfError::NothingToDraw));
    assert_eq!(inspection.to_svg(&nothing, &profile, [1.0; 3]), None);
}
