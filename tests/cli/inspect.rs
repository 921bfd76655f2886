//! `hullmark inspect`, run as a person runs it.

use crate::support::{
    archive::{Archive, control},
    glb::Glb,
    llsd::Llsd,
    mesh::{MeshFile, ball, convex, cube_corners, cube_submesh, scene},
    object::{Prim, uuid, xml2},
    repository,
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const MESH: &str = "3e3e3e3e-0000-4000-8000-000000000001";

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hullmark")).arg("inspect").args(args).output().unwrap()
}

fn json(path: &Path, args: &[&str]) -> Value {
    let output = run(&[&[path.to_str().unwrap(), "--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(path: &Path, args: &[&str]) -> String {
    let output = run(&[&[path.to_str().unwrap()], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the error message for a file that cannot be shown.
fn refusal(path: &Path, args: &[&str]) -> String {
    let output = run(&[&[path.to_str().unwrap()], args].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn write(folder: &tempfile::TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

fn close(value: &Value, expected: f64) {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((number - expected).abs() < 1e-3, "{number} is not {expected}");
}

/// Returns a cube with physics triangles and without a decomposition.
fn terrain() -> Vec<u8> {
    MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![cube_submesh()])).encode()
}

/// Returns a region with a table of a mesh part and a prim, the mesh asset, and another object.
fn region(mesh: &[u8]) -> Archive {
    let top = Prim { scale: [2.0, 1.0, 1.0], mesh: Some(MESH.into()), ..Prim::new("Table\u{202e}", 1) };
    let leg = Prim { offset: [3.0, 4.0, 0.0], ..Prim::new("Leg", 2) };
    let chair = xml2(&[Prim { mesh: Some(uuid(0x3e3e_3e3e, 9)), ..Prim::new("Chair", 3) }]);
    Archive::new(&control("4e4e4e4e-0000-4000-8000-000000000001", "256,256"))
        .add("objects/Table.xml", xml2(&[top, leg]))
        .add("objects/Chair.xml", chair)
        .add(&format!("assets/{MESH}_mesh.llmesh"), mesh)
}

#[test]
fn a_mesh_with_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, &format!("{MESH}.llmesh"), terrain());
    let view = json(&path, &[]);
    let mesh = &view["meshes"][0];
    assert_eq!(mesh["uuid"], MESH);
    assert_eq!(mesh["bytes"], terrain().len());
    assert_eq!(mesh["blocks"].as_array().unwrap().len(), 6);
    assert_eq!(mesh["levels_of_detail"][0]["name"], "high_lod");
    assert_eq!(mesh["levels_of_detail"][0]["triangles"], 12);
    assert_eq!(mesh["base_hull"]["vertices"], 8);
    assert_eq!((&mesh["hulls"], &mesh["physics_triangles"]), (&0.into(), &12.into()));
    close(&mesh["physics_mean_width_m"], 0.5_f64.sqrt());
    close(&mesh["base_hull_cost"], 0.36);
    close(&mesh["triangle_cost"], 0.848_528);
    assert_eq!(mesh["triangle_cost_basis"], "approximation");
    assert_eq!(mesh["decomposition_cost"], Value::Null);
    assert_eq!(mesh["decomposition_cost_basis"], "not applicable: block absent");
    let prim = &mesh["parts_set_to"][0];
    assert_eq!(
        (&prim["representation"], &prim["representation_dynamic"]),
        (&"triangle_mesh".into(), &"base_hull".into())
    );
    assert_eq!(view["worst_severity"], Value::Null);

    let text = text(&path, &[]);
    for line in [
        "  base hull       8 of at most 256 vertices",
        "  physics mesh    12 triangles, average width 0.707",
        "Costs at 1 × 1 × 1 m",
        "Findings: none",
        "  convex hull: its shape type is Convex Hull",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn the_scale_decides_the_triangles_and_the_physics_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "a.llmesh", terrain());
    let big = &json(&path, &["--scale", "10"])["meshes"][0];
    close(&big["triangle_cost"], 0.5);
    assert_eq!(big["scale_m"], serde_json::json!([10.0, 10.0, 10.0]));
    let thin = &json(&path, &["--scale", "1,1,0.4"])["meshes"][0];
    assert_eq!(thin["parts_set_to"][0]["representation"], "base_hull");
    assert!(refusal(&path, &["--scale", "1,2"]).contains("three sides"));
}

#[test]
fn many_hulls_are_folded_and_too_many_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let hulls: Vec<_> = (0..257).map(|i| ball(4 + i % 3, [0.0; 3], 0.4)).collect();
    let block = convex(&cube_corners(), &hulls);
    let path = write(&folder, "a.llmesh", MeshFile::cube().block("physics_convex", &block).encode());
    let short = text(&path, &[]);
    assert!(short.contains("TOO MANY: 257 hulls of at most 256"), "{short}");
    assert!(short.contains("4 to 6 vertices in a hull (-v lists them)"), "{short}");
    assert!(short.contains("error    HUL002"), "{short}");
    assert!(text(&path, &["-v"]).contains("vertices of each hull: 4 5 6 4 5 6"));
    let failed = run(&[path.to_str().unwrap(), "--fail-on", "error"]);
    assert_eq!(failed.status.code(), Some(1));
}

#[test]
fn a_scene_shows_all_its_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "two.slm", scene(&[terrain(), MeshFile::cube().encode()]));
    let view = json(&path, &[]);
    let names: Vec<_> = view["meshes"].as_array().unwrap().iter().map(|mesh| &mesh["name"]).collect();
    assert_eq!(names, ["two.slm#0", "two.slm#1"]);
}

#[test]
fn a_loose_object_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let parts =
        [Prim::new("Near", 1), Prim { offset: [60.0, 0.0, 0.0], flags: "Phantom", ..Prim::new("Far", 2) }];
    let path = write(&folder, "o.xml", xml2(&parts));
    let view = json(&path, &[]);
    let object = &view["objects"][0];
    assert_eq!((&object["name"], &object["accounting"]), (&"Near".into(), &"legacy".into()));
    assert_eq!((&object["linkable"], &object["diameter_m"]), (&false.into(), &60.0.into()));
    assert_eq!(object["diameter_held_by"][1]["name"], "Far");
    assert_eq!((&object["physics_cost"], &object["land_impact"]), (&Value::Null, &2.0.into()));
    assert_eq!(object["physics_cost_basis"], "not applicable: legacy accounting");
    close(&object["physics_cost_if_new"], 0.2);
    assert_eq!(object["findings"][0]["code"], "LNK001");
    assert_eq!(object["parts"][0]["shape_reason"], "it is a plain box");
    assert_eq!(view["worst_severity"], "error");

    let text = text(&path, &[]);
    for line in [
        "Object Near",
        "  can be linked   NO: 2 prims of at most 255",
        "  diameter        60 m between prim centers, must be less than 54 m",
        "  farthest links  1 \"Near\", 2 \"Far\"",
        "  box             all prims: it is a plain box",
        "error    LNK001",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(refusal(&path, &["--scale", "1"]).contains("--scale is for meshes"));
}

#[test]
fn a_member_of_an_archive_takes_its_meshes_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "r.oar", region(&terrain()).gzip());
    let table = uuid(0x0b0b_0b0b, 1);
    let view = json(&path, &["--object", "objects/Table.xml"]);
    for wanted in [&table, &uuid(0x0b0b_0b0b, 2), "Table.xml"] {
        assert_eq!(json(&path, &["--object", wanted])["objects"], view["objects"], "{wanted}");
    }
    let (objects, meshes) = (view["objects"].as_array().unwrap(), view["meshes"].as_array().unwrap());
    assert_eq!((objects.len(), meshes.len()), (1, 0), "the mesh is used and not asked for");
    assert_eq!(objects[0]["parts"][0]["representation"], "triangle_mesh");
    assert_eq!(objects[0]["physics_cost_basis"], "approximation");
    assert_eq!(objects[0]["findings"], serde_json::json!([]), "the chair's are not its own");
    let shown = text(&path, &["--object", &table]);
    assert!(shown.contains("Object Table·"), "what turns the text round is replaced");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");

    let mesh = json(&path, &["--object", MESH]);
    assert_eq!(mesh["meshes"][0]["physics_triangles"], 12);
    assert_eq!(mesh["objects"], serde_json::json!([]));
    let chair = json(&path, &["--object", "objects/Chair.xml"]);
    assert_eq!(chair["objects"][0]["findings"][0]["code"], "AST001");
}

/// The object in the contents of the cart is not shown, but it exists.
#[test]
fn nested_objects_are_not_missing() {
    let path = repository().join("sample_data/regions/over-the-cap.oar");
    let view = json(&path, &["--object", &uuid(0x0b0b_0b0b, 4)]);
    let findings = view["objects"][0]["findings"].as_array().unwrap();
    let codes: Vec<&str> = findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["PHY001", "CST004", "HUL006"]);
}

#[test]
fn findings_of_a_used_mesh_are_shown_with_the_object() {
    let folder = tempfile::tempdir().unwrap();
    let flat = MeshFile::cube().block("physics_convex", &convex(&cube_corners()[..4], &[])).encode();
    let path = write(&folder, "r.oar", region(&flat).gzip());
    let view = json(&path, &["--object", "objects/Table.xml"]);
    let findings = view["objects"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["code"] == "HUL005"), "{findings:?}");
}

#[test]
fn a_file_that_cannot_be_shown_has_an_error_message() {
    let folder = tempfile::tempdir().unwrap();
    let oar = write(&folder, "r.oar", region(&terrain()).gzip());
    assert!(refusal(&oar, &[]).contains("--object"));
    let near = refusal(&oar, &["--object", "tabl"]);
    assert!(near.contains("Similar names:") && near.contains("objects/Table.xml"), "{near}");
    let entry = |name: &str| {
        let output = run(&[oar.to_str().unwrap(), "--object", name, "--json"]);
        let view: Value = serde_json::from_slice(&output.stdout).unwrap();
        view["objects"][0]["entry"].as_str().unwrap().to_owned()
    };
    for name in ["Chair", "CHAIR", "Chair.xml", "objects/Chair.xml"] {
        assert_eq!(entry(name), "objects/Chair.xml", "{name}");
    }
    assert_eq!(entry("table·"), "objects/Table.xml", "as names are shown");
    assert_eq!(entry("leg"), "objects/Table.xml", "a part of it");
    let png = write(&folder, "a.png", b"\x89PNG\r\n\x1a\n");
    assert!(refusal(&png, &[]).contains("it looks like PNG image"));
    let mesh = write(&folder, "a.llmesh", terrain());
    assert!(refusal(&mesh, &["--object", "x"]).contains("with the name or UUID \"x\""));
    assert!(refusal(&folder.path().join("none"), &[]).contains("none"));
    assert!(refusal(folder.path(), &[]).contains("is a folder"));
}

#[test]
fn damage_is_shown_and_not_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write(&folder, "o.xml", "<SceneObjectGroup><SceneObjectPart><Name>");
    let view = json(&broken, &[]);
    assert_eq!(view["worst_severity"], "blocker");
    let whole = region(&terrain()).tar();
    let cut = write(&folder, "cut.oar", &whole[..whole.len() - 2048]);
    let output = run(&[cut.to_str().unwrap(), "--object", "objects/Table.xml"]);
    assert_eq!(output.status.code(), Some(3), "the archive was not read to its end");
    assert!(String::from_utf8(output.stdout).unwrap().contains("NOT READ TO ITS END"));
}

/// Returns the SVG picture of a file's mesh.
fn picture(folder: &tempfile::TempDir, path: &Path, args: &[&str]) -> String {
    let svg = folder.path().join("hulls.svg");
    text(path, &[&["--svg", svg.to_str().unwrap()], args].concat());
    fs::read_to_string(svg).unwrap()
}

#[test]
fn hulls_are_drawn_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let two = [vec![[0; 3], [65_535, 0, 0], [0, 65_535, 0], [0, 0, 65_535]], cube_corners()];
    let mesh = MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &two)).encode();
    let path = write(&folder, "a&b.llmesh", &mesh);
    let svg = picture(&folder, &path, &["--scale", "4,2,1"]);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains(">a&amp;b.llmesh</text>"), "{svg:.900}");
    assert!(svg.contains(">4 m × 2 m × 1 m: base hull of 8 points, decomposition of 2 hulls</text>"));
    assert!(svg.contains(">8.0000</text>") && svg.contains(">1.3333</text>"), "volumes in cubic metres");
    assert_eq!(svg.matches("stroke-dasharray=\"6 4\"").count(), 4, "the base hull, from each side");
    assert!(!svg.contains("url(#over)"));
    // An archive and a scene give the same bytes.
    let archive = region(&mesh).gzip();
    let archive = write(&folder, "a.oar", archive);
    let drawn = |svg: &str| svg.split_once("decomposition of").unwrap().1.to_owned();
    assert_eq!(drawn(&svg), drawn(&picture(&folder, &archive, &["--object", MESH, "--scale", "4,2,1"])));
    let single = write(&folder, "one.slm", scene(&[mesh]));
    assert_eq!(drawn(&svg), drawn(&picture(&folder, &single, &["--scale", "4,2,1"])));
}

#[test]
fn values_over_a_limit_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let side = |number: usize| -0.45 + 0.9 * number as f64 / 15.0;
    let hulls: Vec<_> =
        (0..257).map(|i| ball(8 + i % 9, [side(i % 16), side(i / 16 % 16), side(i / 40)], 0.03)).collect();
    let mesh = MeshFile::cube().block("physics_convex", &convex(&ball(257, [0.0; 3], 0.5), &hulls)).encode();
    let svg = picture(&folder, &write(&folder, "many.llmesh", mesh), &[]);
    assert_eq!(svg.matches(">hull 256</text>").count(), 4);
    assert_eq!(svg.matches(">base hull</text>").count(), 4);
    assert!(
        svg.contains(">over the limit of 256 points</text>")
            && svg.contains(">over the limit of 256 hulls</text>")
    );
    assert!(svg.contains(">and 225 more, none of them larger</text>"));
    assert!(svg.len() < 4_000_000, "{}", svg.len());
    if let Some(keep) = std::env::var_os("KEEP_PICTURES") {
        fs::write(Path::new(&keep).join("many.svg"), svg).unwrap();
    }
}

#[test]
fn a_file_that_cannot_be_drawn_has_an_error_message() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("x.svg");
    let args = ["--svg", svg.to_str().unwrap()];
    let bare = write(&folder, "bare.llmesh", MeshFile::cube().without("physics_convex").encode());
    assert!(refusal(&bare, &args).contains("has no hulls that could be drawn"));
    let two = write(&folder, "two.slm", scene(&[MeshFile::cube().encode(), terrain()]));
    assert!(refusal(&two, &args).contains("writes one mesh, and 2 are shown"));
    let chair = write(&folder, "chair.xml", xml2(&[Prim::new("Chair", 1)]));
    let svg = folder.path().join("x.svg");
    assert!(
        refusal(&chair, &["--svg", svg.to_str().unwrap()]).contains("--svg writes one mesh, and 0 are shown")
    );
    // Hulls of no point, of one point and of coincident points do not fail, and neither does a domain without width.
    let thin = [vec![[5; 3]], vec![[5; 3], [9; 3]], vec![[7; 3]; 4]];
    let flat = convex(&[[1; 3]], &thin).with("Max", Llsd::reals([-0.5; 3]));
    let path = write(&folder, "thin.llmesh", MeshFile::cube().block("physics_convex", &flat).encode());
    let drawn = picture(&folder, &path, &[]);
    assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
    let endless = convex(&cube_corners(), &[]).with("Max", Llsd::reals([f64::INFINITY; 3]));
    let path = write(&folder, "endless.llmesh", MeshFile::cube().block("physics_convex", &endless).encode());
    assert!(refusal(&path, &args).contains("could be drawn"));
}

/// Returns the JSON of a binary glTF file.
fn gltf(path: &Path) -> Value {
    Glb::read(path).json
}

#[test]
fn a_mesh_is_written_as_gltf_with_the_facts() {
    let folder = tempfile::tempdir().unwrap();
    let two = [ball(20, [0.0; 3], 0.2), cube_corners()];
    let mesh = MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &two)).encode();
    let glb = folder.path().join("a.glb");
    let args = ["--glb", glb.to_str().unwrap(), "--scale", "4,2,1"];
    let view = json(&write(&folder, "a.llmesh", &mesh), &args);
    let document = gltf(&glb);
    let nodes = document["nodes"].as_array().unwrap();
    let node = |name: &str| nodes.iter().find(|node| node["name"] == name).unwrap_or(&Value::Null);
    assert_eq!(node("a.llmesh")["extras"], view["meshes"][0]);
    let matrix = node("a.llmesh")["matrix"].as_array().unwrap();
    assert_eq!([&matrix[0], &matrix[6], &matrix[9]], [4.0, -2.0, 1.0]);
    assert_eq!(
        (&node("a_PHYS hull 0")["extras"]["vertices"], &node("a_PHYS hull 1")["extras"]["vertices"]),
        (&20.into(), &8.into())
    );
    assert_eq!((node("a_PHYS hull 2"), node("a_PHYS")), (&Value::Null, &Value::Null));
    assert_eq!(
        (&node("a")["extras"]["triangles"], &node("a_LOD0")["extras"]["triangles"]),
        (&12.into(), &12.into())
    );
    // A scene with one mesh has the same file but for the names.
    let scene = write(&folder, "one.slm", scene(&[mesh]));
    json(&scene, &args);
    assert_eq!(gltf(&glb)["accessors"], document["accessors"]);
}

#[test]
fn gltf_is_of_one_mesh_with_geometry() {
    let folder = tempfile::tempdir().unwrap();
    let glb = folder.path().join("x.glb");
    let args = ["--glb", glb.to_str().unwrap()];
    let two = write(&folder, "two.slm", scene(&[MeshFile::cube().encode(), terrain()]));
    assert!(refusal(&two, &args).contains("--glb writes one mesh, and 2 are shown"));
    let second = json(&two, &[&args[..], &["--object", "two.slm#1"]].concat());
    assert_eq!(second["meshes"][0]["physics_triangles"], 12);
    assert_eq!(gltf(&glb)["nodes"].as_array().unwrap().last().unwrap()["name"], "two.slm#1");
    fs::remove_file(&glb).unwrap();
    let damaged = write(&folder, "damaged.llmesh", &MeshFile::cube().encode()[..90]);
    assert!(refusal(&damaged, &args).contains("no hull and no triangle that could be drawn"));
    assert!(!glb.exists(), "nothing is written");
    let chair = write(&folder, "chair.xml", xml2(&[Prim::new("Chair", 1)]));
    let svg = folder.path().join("x.svg");
    let refused = refusal(&chair, &["--svg", svg.to_str().unwrap()]);
    assert!(refused.contains("--svg writes one mesh, and 0 are shown"));
}
