//! `hullmark link`, and the linkability in an audit, run as a person runs them.

use crate::support::{
    object::{OWNER, Prim, uuid, xml2},
    read_csv, repository,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Runs the program in a folder and asserts its exit code. Returns standard output, or standard error if the code is 2.
fn run(folder: &Path, arguments: &str, code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
    if code == 2 { said } else { String::from_utf8(output.stdout).unwrap() }
}

fn view(folder: &Path, arguments: &str, code: i32) -> Value {
    serde_json::from_str(&run(folder, &format!("link {arguments} --json"), code)).unwrap()
}

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Returns a row of cubes along the x axis, `step` metres apart.
fn row(name: &str, first: u32, count: u32, start: f64, step: f64) -> Vec<Prim> {
    let prim = |n: u32| Prim {
        position: [start, 100.0, 25.0],
        offset: [f64::from(n) * step, 0.0, 0.0],
        ..Prim::new(&format!("{name} {n}"), first + n)
    };
    (0..count).map(prim).collect()
}

fn prim_uuid(number: u32) -> String {
    Prim::new("", number).uuid
}

/// Returns four cubes. The old rule links all of them in link order, but only two pairs in another order.
fn four_cubes() -> String {
    let places = [[32.0, 4.0, 1.0], [36.0, 14.0, 5.0], [20.0, 36.0, 5.0], [4.0, 27.0, 1.0]];
    let sides = [5.0, 10.0, 10.0, 5.0];
    let prim = |n: usize| {
        let offset = [0, 1, 2].map(|axis| places[n][axis] - places[0][axis]);
        Prim { offset, scale: [sides[n]; 3], ..Prim::new(&format!("Cube {n}"), 900 + n as u32) }
    };
    xml2(&(0..4).map(prim).collect::<Vec<_>>())
}

#[test]
fn objects_of_two_files_link_or_say_why_not() {
    let files = folder(&[
        ("house.xml", xml2(&row("House", 600, 3, 100.0, 5.0))),
        ("near.xml", xml2(&row("Lamp", 610, 1, 150.0, 0.0))),
        ("far.xml", xml2(&row("Tree", 620, 2, 160.0, 1.0))),
    ]);
    let near = view(files.path(), "house.xml near.xml", 0);
    assert_eq!((&near["verdict"], &near["linkable"]), (&json!("linkable"), &json!(true)));
    assert_eq!(near["measures"]["diameter_m"], 50.0);
    assert_eq!(near["measures"]["margin_m"], 4.0);
    assert_eq!(near["measures"]["margin_prims"], 251);
    assert_eq!(near["split"], Value::Null);

    let far = view(files.path(), "house.xml far.xml --split --fail-on error", 1);
    assert_eq!((&far["verdict"], &far["severity"]), (&json!("not_linkable"), &json!("error")));
    assert_eq!(far["measures"]["diameter_m"], 61.0);
    let support: Vec<&str> = far["measures"]["support"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(support, ["House 0", "Tree 1"]);
    // Without the outermost tree the diameter is still 60 m. Without the first prim of the house it is 56 m and 55 m.
    let plan = &far["split"];
    assert_eq!(
        (&plan["at_least"], &plan["fewest"], &plan["root_largest"]),
        (&json!(2), &json!(true), &json!(true))
    );
    assert_eq!(plan["linksets"][0]["count"], 3);
    assert_eq!(plan["linksets"][1]["count"], 2);

    let text = run(files.path(), "link house.xml far.xml --split", 0);
    for words in [
        "5 prims of 2 objects, by the rule of 2010: NOT LINKABLE",
        "The prims span 61 m; less than 54 m is allowed, so it is 7 m too wide",
        "\"House 0\" (link 1)",
        "from 2 regions or files",
        "Split into 2 linksets, the fewest possible",
        "3 prims, 10.000 m: \"House 0\" (0b0b0b0b) link 1–3",
    ] {
        assert!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "{words} is not in\n{text}"
        );
    }
}

#[test]
fn the_named_root_is_used_and_only_named_objects_count() {
    let scene = format!(
        "<scene>{}{}{}</scene>",
        xml2(&row("House", 600, 3, 100.0, 5.0)),
        xml2(&row("Lamp", 610, 1, 150.0, 0.0)),
        xml2(&row("Tree", 620, 2, 190.0, 1.0))
    );
    let files = folder(&[("scene.xml", scene)]);
    let lamp = view(
        files.path(),
        &format!(
            "scene.xml --object {} --object {} --root {}",
            prim_uuid(602),
            prim_uuid(610),
            prim_uuid(610)
        ),
        0,
    );
    assert_eq!(lamp["root"]["name"], "Lamp 0");
    assert_eq!((&lamp["prims"], &lamp["objects"][0]["name"]), (&json!(4), &json!("Lamp 0")));
    assert_eq!(lamp["linkable"], true);
    assert_eq!(view(files.path(), "scene.xml", 0)["linkable"], false, "with the trees");

    assert!(
        run(files.path(), "link scene.xml --object Fence", 2)
            .contains("no object or member with the name or UUID \"Fence\"")
    );
    let nobody = format!("link scene.xml --root {}", uuid(1, 1));
    assert!(run(files.path(), &nobody, 2).contains("no prim of these objects has the UUID"));
}

#[test]
fn unread_objects_are_never_linkable() {
    let cut = xml2(&row("Lamp", 610, 2, 110.0, 1.0));
    let files = folder(&[
        ("house.xml", xml2(&row("House", 600, 3, 100.0, 5.0))),
        ("cut.xml", cut[..cut.len() - 400].to_owned()),
        ("comma.xml", xml2(&row("Tree", 620, 2, 100.0, 1.0)).replace("<X>1</X>", "<X>90,0</X>")),
        ("far.xml", xml2(&row("Tree", 630, 1, 190.0, 1.0))),
    ]);
    for broken in ["cut.xml", "comma.xml"] {
        let view = view(files.path(), &format!("house.xml {broken}"), 0);
        assert_eq!(
            (&view["verdict"], &view["linkable"]),
            (&json!("not_evaluated"), &Value::Null),
            "{broken}"
        );
        assert!(view["reasons"][0].as_str().unwrap().starts_with("Not everything could be read"));
    }
    run(files.path(), "link house.xml cut.xml --fail-on blocker", 1);
    // Objects that are too far apart stay so, regardless of unread inputs.
    assert_eq!(view(files.path(), "house.xml far.xml cut.xml", 0)["linkable"], false);
}

#[test]
fn one_object_in_two_files_is_one() {
    let files = folder(&[
        ("house.xml", xml2(&row("House", 600, 3, 100.0, 5.0))),
        ("again.xml", xml2(&row("House", 600, 3, 100.0, 5.0))),
    ]);
    let view = view(files.path(), "house.xml again.xml", 0);
    assert_eq!(view["prims"], 3);
    assert!(view["remarks"][0].as_str().unwrap().starts_with("1 object left out"));
}

#[test]
fn limits_of_the_grid_that_content_moves_to() {
    let files = folder(&[("row.xml", xml2(&row("Row", 600, 7, 100.0, 10.0)))]);
    assert_eq!(view(files.path(), "row.xml", 0)["linkable"], false);
    assert_eq!(view(files.path(), "row.xml --max-distance 64", 0)["linkable"], true);
    assert_eq!(view(files.path(), "row.xml --max-distance 64 --max-prims 6", 0)["linkable"], false);
    let opensim = view(files.path(), "row.xml --profile opensim-ubode", 0);
    assert_eq!((&opensim["verdict"], &opensim["linkable"]), (&json!("no_rule"), &Value::Null));
    assert_eq!(opensim["measures"]["max_diameter_m"], Value::Null);
    let few = view(files.path(), "row.xml --profile opensim-ubode --max-prims 3 --split", 0);
    assert_eq!((&few["linkable"], &few["split"]["at_least"]), (&json!(false), &json!(3)));
    assert!(run(files.path(), "link row.xml --max-distance 0", 2).contains("above 0"));
}

/// A simulator was asked: it linked a child of a group, and nothing to a root of one.
#[test]
fn opensim_links_nothing_to_a_root_of_a_group() {
    let group = uuid(0x0606_0606, 1);
    let of_group = |xml: String| {
        let xml = xml.replace(&format!("<OwnerID><UUID>{OWNER}"), &format!("<OwnerID><UUID>{group}"));
        xml.replace(
            "</SceneObjectPart>",
            &format!("<GroupID><UUID>{group}</UUID></GroupID></SceneObjectPart>"),
        )
    };
    let [sign, post] = [("Sign", 610), ("Post", 611)].map(|(name, number)| xml2(&[Prim::new(name, number)]));
    let signed = of_group(sign.clone());
    assert_ne!(signed.matches(&group).count(), 1, "owner and group");
    let files = folder(&[("a-sign.xml", signed), ("b-post.xml", post), ("c-sign.xml", sign)]);
    let opensim = view(files.path(), "a-sign.xml b-post.xml --profile opensim-ubode", 0);
    assert_eq!((&opensim["verdict"], &opensim["linkable"]), (&json!("not_linkable"), &json!(false)));
    assert!(opensim["reasons"][0].as_str().unwrap().starts_with("\"Sign\" would be the root"), "{opensim}");
    for others in ["b-post.xml a-sign.xml --profile opensim-ubode", "a-sign.xml --profile opensim-ubode"] {
        assert_eq!(view(files.path(), others, 0)["verdict"], "no_rule", "{others}");
    }
    assert_eq!(view(files.path(), "a-sign.xml b-post.xml", 0)["linkable"], true);
}

#[test]
fn the_rule_of_havok4() {
    let files = folder(&[("cubes.xml", four_cubes()), ("row.xml", xml2(&row("Row", 600, 3, 100.0, 20.0)))]);
    let cubes = view(files.path(), "cubes.xml --rule havok4", 0);
    assert_eq!((&cubes["linkable"], &cubes["measures"]["order_matters"]), (&json!(true), &json!(true)));
    assert!((cubes["measures"]["least_margin_m"].as_f64().unwrap() - 3.945).abs() < 1e-3);
    let row = view(files.path(), "row.xml --rule havok4", 0);
    assert_eq!((&row["linkable"], row["measures"]["pieces"].as_array().unwrap().len()), (&json!(false), 3));
    let text = run(files.path(), "link row.xml --rule havok4", 0);
    assert!(text.contains("3 pieces remain.") && text.contains("Pieces 1 and 2 span 20.866025 m"), "{text}");
}

#[test]
fn the_box_of_havok1() {
    // A wall of 40 m turns into its diagonal: 40 / √2 is 28.3 m.
    let wall = Prim { scale: [40.0, 1.0, 10.0], ..Prim::new("Wall", 700) };
    let files = folder(&[("wall.xml", xml2(&[wall]))]);
    let view = view(files.path(), "wall.xml --rule havok1", 0);
    assert_eq!((&view["verdict"], &view["linkable"]), (&json!("exceeds"), &Value::Null));
    assert_eq!(view["measures"]["size_m"], json!([40.0, 1.0, 10.0]));
    assert!((view["measures"]["best_turn_degrees"].as_f64().unwrap() - 45.0).abs() < 1e-9);
    assert!(run(files.path(), "link wall.xml --rule havok1", 0).contains("Rotated by 45°"));
}

/// Returns the findings of an audit of one file, as code and message.
fn findings(folder: &Path, arguments: &str) -> Vec<(String, String)> {
    run(folder, &format!("audit --quiet {arguments} --out report"), 0);
    let rows = read_csv(&folder.join("report/findings.csv"));
    rows.into_iter().map(|row| (row["code"].clone(), row["message"].clone())).collect()
}

#[test]
fn the_old_rule_is_reported_if_a_profile_asks() {
    let old = "base = \"second-life\"\n[linkability]\nold_rules = true\n".to_owned();
    let files = folder(&[
        ("cubes.xml", four_cubes()),
        ("row.xml", xml2(&row("Row", 600, 3, 100.0, 20.0))),
        ("old.toml", old),
    ]);
    let path = files.path();
    assert_eq!(findings(path, "cubes.xml row.xml"), []);
    let cubes = "With the Havok4 rule the order of the prims matters: in link order, 4 of 4 prims can link to the root \
                 prim";
    assert_eq!(findings(path, "cubes.xml --profile old.toml"), [("LNK005".to_owned(), cubes.to_owned())]);
    let row = "The Havok4 rule leaves 3 pieces: the second needs a span of 20.866025 m, and 4.598076 m is allowed; the \
               largest piece has 1 of 3 prims";
    assert_eq!(findings(path, "row.xml --profile old.toml"), [("LNK003".to_owned(), row.to_owned())]);
}

#[test]
fn a_finding_names_the_sufficient_number_of_linksets() {
    let sample = |name: &str| -> PathBuf { repository().join("sample_data/objects").join(name) };
    let out = tempfile::tempdir().unwrap();
    let message = |name: &str| findings(out.path(), sample(name).to_str().unwrap()).remove(0).1;
    assert!(message("sixty-metres-across.xml").ends_with("; can be linked as 2 linksets of 1 and 1 prim"));
    assert!(
        message("exactly-54-metres-across.xml").ends_with("; can be linked as 2 linksets of 1 and 1 prim")
    );
    assert!(message("linkset-of-256-prims.xml").ends_with("; can be linked as 2 linksets of 255 and 1 prim"));
    let many = run(out.path(), &format!("link {}", sample("linkset-of-256-prims.xml").display()), 0);
    assert!(many.contains("1 more than the limit: the page Linkability Rules says fewer than"), "{many}");
}
