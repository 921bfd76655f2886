//! `hullmark calibrate`: synthetic regions with known constants, and measurements of a real simulator.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, INCOMPLETE, USAGE},
    mesh::{MeshFile, ball, convex},
    object::{Prim, uuid, xml2},
    read_csv, repository, scan_one,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use hullmark_analysis::Measured;
use hullmark_settings::{limits::Limits, profile::Profile};
use serde_json::Value;
use std::{
    collections::HashMap,
    env,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
};

const HEAD: &str =
    "scope,uuid,name,x,y,z,link,sx,sy,sz,server_cost,streaming_cost,physics_cost,prim_equivalence\n";

/// Constants of the synthetic simulator. Each differs from the profile for Second Life.
const TRUTH: [(&str, &str, f64); 7] = [
    ("physics", "hull_vertex_cost", 0.05),
    ("physics", "hull_offset", 2.5),
    ("physics", "prim_hull_factor", 0.8),
    ("physics", "prim_mesh_factor", 1.4),
    ("streaming", "static_factor", 1.0),
    ("streaming", "prim_factor", 1.2),
    ("streaming", "prim_cap", 0.9),
];

/// Returns a region of meshes with hulls of many sizes, rings as triangles and as hulls, boxes, and linksets of these.
fn region() -> Archive {
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let mesh = |number: u32| uuid(0x3e3e_3e3e, number);
    for number in 0..12 {
        let hull = convex(&ball(5 + 5 * number as usize, [0.0; 3], 0.5), &[]);
        let asset = MeshFile::cube().block("physics_convex", &hull).encode();
        archive = archive.add(&format!("assets/{}_mesh.llmesh", mesh(number)), asset);
    }
    for number in 0..160_u32 {
        let part = |kind: u32, link: u32| {
            let side = 1.0 + f64::from(number % 17) / 2.0;
            let prim = Prim {
                position: [f64::from(number) + 10.0, 128.0, 25.0],
                scale: [side, side * 1.1, side * 0.9],
                offset: [0.0, 0.0, f64::from(link)],
                ..Prim::new(&format!("Thing {}", number % 3), 1 + 4 * number + link)
            };
            match kind {
                0 => Prim { mesh: Some(mesh(number % 12)), physics_shape_type: Some(2), ..prim },
                1 => Prim { torus: true, ..prim },
                2 => Prim { torus: true, physics_shape_type: Some(2), ..prim },
                _ => prim,
            }
        };
        let parts = match number % 5 {
            4 => vec![part(number % 4, 0), part((number + 1) % 4, 1)],
            kind => vec![part(kind, 0)],
        };
        archive = archive.add(&format!("objects/{number}.xml"), xml2(&parts));
    }
    archive
}

/// Returns a number in (−1, 1), derived from a seed. The distribution is nearly normal with a standard deviation of one
/// third.
fn noise(seed: u64) -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = (state ^ (state >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..12).map(|_| next()).sum::<f64>() / 6.0 - 1.0
}

/// Returns the output of a measuring script in a region with these constants. Every second object has other UUIDs, and
/// every 20th was edited after the export.
fn measured(desk: &Desk, truth: &Profile) -> String {
    let ledger = scan_one(&desk.at("region.oar"), &Limits::default());
    let measured = Measured::new(&ledger, truth);
    let mut text = HEAD.to_owned();
    for (number, (object, measures)) in measured.objects().enumerate() {
        let root = &object.linkset.parts[0];
        let seen = if number % 2 == 0 { root.uuid.to_string() } else { uuid(0xabab_abab, number as u32) };
        let edited = if number % 20 == 7 { 3.0 } else { 1.0 };
        let of = |cost: Option<f64>, salt: u64| {
            cost.unwrap() * (1.0 + 0.015 * noise(7 * number as u64 + salt)) * edited
        };
        let [x, y, z] = (measures.parts[0].position + 0.02).to_array();
        let [sx, sy, sz] = root.scale.to_array();
        let _ = writeln!(
            text,
            "linkset,{seen},\"{}\",{x:.5},{y:.5},{z:.5},{},{sx},{sy},{sz},{:.6},{:.6},{:.6},{}",
            root.name,
            root.link_number,
            measures.server_weight.value().unwrap(),
            of(measures.streaming_cost.value(), 1),
            of(measures.physics_cost_if_new.value(), 2),
            measures.land_impact.value().unwrap(),
        );
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::with(&[("region.oar", &region().gzip())]);
    let mut truth = "base = \"second-life\"\n".to_owned();
    for section in ["physics", "streaming"] {
        let _ = writeln!(truth, "[{section}]");
        for (_, key, value) in TRUTH.iter().filter(|(of, ..)| *of == section) {
            let _ = writeln!(truth, "{key} = {value:?}");
        }
    }
    desk.write("truth.toml", truth);
    let truth = Profile::load(desk.at("truth.toml").to_str().unwrap()).unwrap();
    desk.write("measured.csv", measured(&desk, &truth));
    desk
}

fn constants(view: &Value) -> HashMap<String, Value> {
    let constants = view["constants"].as_array().unwrap().iter();
    constants.map(|it| (it["name"].as_str().unwrap().to_owned(), it.clone())).collect()
}

fn json(desk: &Desk, arguments: &str) -> Value {
    serde_json::from_str(&desk.run_to(DONE, &format!("calibrate {arguments} --json")).stdout).unwrap()
}

#[test]
fn known_constants_are_found_and_the_profile_is_used() {
    let desk = desk();
    let view = json(&desk, "region.oar --measured measured.csv --out fitted.toml");
    assert_eq!((&view["rows"], &view["parts"]), (&160.into(), &192.into()));
    assert_eq!((&view["matched_by_uuid"], &view["matched_by_place"]), (&80.into(), &80.into()));
    for unmatched in ["unmatched_rows", "unmatched_parts", "changed"] {
        assert_eq!(view[unmatched].as_array().unwrap().len(), 0, "{unmatched}");
    }
    let found = constants(&view);
    for (section, key, truth) in TRUTH {
        let constant = &found[&format!("{section}.{key}")];
        assert_eq!(constant["verdict"], "differs", "{constant}");
        let [fitted, error] = ["fitted", "error"].map(|field| constant[field].as_f64().unwrap());
        assert!((fitted - truth).abs() <= error, "{truth} is expected: {constant}");
        assert!(error < 0.2 * truth && constant["decided_by"].as_u64() >= Some(8), "{constant}");
    }
    for (name, reason) in [
        ("physics.cylinder_factor", "no measured row depends on it"),
        ("streaming.sculpt_cap", "no measured row depends on it"),
    ] {
        assert_eq!((&found[name]["reason"], &found[name]["fitted"]), (&reason.into(), &Value::Null));
    }
    // The profile contains these constants and no other, and the measurements agree with it.
    let text = fs::read_to_string(desk.at("fitted.toml")).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(" = ")).count(), 2 + TRUTH.len(), "{text}");
    let again = json(&desk, "region.oar --measured measured.csv --target fitted.toml");
    for (section, key, _) in TRUTH {
        assert_eq!(constants(&again)[&format!("{section}.{key}")]["verdict"], "agrees");
    }
    // Half of the noise is within 0.5 %, and nearly all of it within 1.5 %. Before the fit no value was.
    let within = |view: &Value, field: &str| -> u64 {
        view["overall"].as_array().unwrap().iter().take(2).map(|it| it[field].as_u64().unwrap()).sum()
    };
    let after = within(&again, "within_half_percent");
    assert_eq!(within(&view, "within_half_percent_fitted"), after);
    assert!(after > 150 && within(&view, "within_half_percent") < 90, "{view}");
}

#[test]
fn the_page_names_rows_without_a_match() {
    let desk = desk();
    let text = fs::read_to_string(desk.at("measured.csv")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1] = lines[1].replacen("linkset,", "part,", 1);
    // One object has another place and another UUID, one has another size.
    lines[2] = lines[2].replacen(",128.02", ",28.02", 1);
    lines[3] = lines[3].replacen(",2,2.2,1.8,", ",2,2.2,2.8,", 1);
    desk.write("some.csv", lines[..121].join("\n"));
    let page = desk.run_to(DONE, "calibrate region.oar --measured some.csv").stdout;
    for words in [
        "120 measured rows and 192 prims: 60 matched by UUID, 59 by name, position and link number.",
        "Rows whose prim or linkset changed after the export: 1",
        "Rows without a prim in the export: 1",
        "28.02, 25.02",
        "mixed linkset",
        "physics.hull_vertex_cost",
        "not fitted, because no measured row depends on it: physics.cylinder_factor",
        "writes a profile with these constants",
    ] {
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    let verbose = desk.run_to(DONE, "calibrate region.oar --measured some.csv -v").stdout;
    assert!(page.contains("more (-v lists them)") && verbose.lines().count() > page.lines().count() + 30);
}

#[test]
fn a_changed_linkset_is_not_compared() {
    let desk = desk();
    let ledger = scan_one(&desk.at("region.oar"), &Limits::default());
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let (number, (object, _)) =
        measured.objects().enumerate().find(|(_, (object, _))| object.linkset.parts.len() == 2).unwrap();
    let text = fs::read_to_string(desk.at("measured.csv")).unwrap();
    let row = text.lines().nth(number + 1).unwrap();
    let child = object.linkset.parts[1].uuid;
    // The root is unchanged, and a child has another size.
    desk.write("child.csv", format!("{text}linkset,{child},Child,1,2,3,2,9,9,9,0,1,1,1\n"));
    let counted = |prims: &str| {
        let line = |line: &str| match line {
            line if line.starts_with("scope") => format!("{line},prims\n"),
            line if line == row => format!("{line},{prims}\n"),
            line => format!("{line},0\n"),
        };
        text.lines().map(line).collect::<String>()
    };
    desk.write("count.csv", counted("3"));
    desk.write("same.csv", counted("2"));
    for (file, changed) in [("same.csv", 0), ("count.csv", 1), ("child.csv", 1)] {
        let view = json(&desk, &format!("region.oar --measured {file}"));
        assert_eq!(view["changed"].as_array().unwrap().len(), changed, "{file}");
        for line in view["overall"].as_array().unwrap() {
            assert_eq!(line["count"], 160 - changed, "{file}: {line}");
        }
    }
}

/// Moving objects in an export of Second Life decide no constant.
#[test]
fn a_moving_linkset_decides_nothing() {
    let still = desk();
    let mut moving = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let mut text = HEAD.to_owned();
    for number in 0..40_u32 {
        let side = 1.0 + f64::from(number) / 4.0;
        let ring = Prim { scale: [side; 3], torus: true, ..Prim::new("Ring", 1 + number) };
        let velocity = "<Velocity><X>1</X><Y>0</Y><Z>0</Z></Velocity><OwnerID>";
        let xml = xml2(&[ring]).replacen("<OwnerID>", velocity, 1);
        moving = moving.add(&format!("objects/{number}.xml"), xml);
    }
    still.write("moving.oar", moving.gzip());
    let ledger = scan_one(&still.at("moving.oar"), &Limits::default());
    for (object, _) in Measured::new(&ledger, &Profile::default()).objects() {
        let _ = writeln!(text, "linkset,{},Ring,1,2,3,0,,,,0,,1.5,1", object.linkset.parts[0].uuid);
    }
    still.write("moving.csv", text);
    let view = json(&still, "moving.oar --measured moving.csv");
    let reason = &constants(&view)["physics.prim_mesh_factor"]["reason"];
    assert_eq!(reason, "no measured row depends on it");
}

/// The accounting of rings with a PBR material shows in their land impact. A ring costs much more than a prim.
#[test]
fn the_accounting_of_pbr_materials_is_counted() {
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    // One extra parameter, 0x80, of 18 bytes: one entry, for face 0.
    let packed = [&[1, 0x80, 0, 18, 0, 0, 0, 1, 0][..], &[7; 16][..]].concat();
    let packed = format!("<ExtraParams>{}</ExtraParams></Shape>", BASE64_STANDARD.encode(packed));
    let mut text = format!("{}\n", HEAD.trim_end().to_owned() + ",render_materials");
    // Two rings with the material cost one for each prim, three cost more. A box costs 1 under both accountings. The last
    // ring has a material that the export lacks.
    for (number, (torus, has_material, cost, seen)) in [
        (true, true, 1, "0"),
        (true, true, 1, ""),
        (true, true, 439, "1"),
        (true, true, 400, "2"),
        (true, true, 2, ""),
        (false, true, 1, ""),
        (true, false, 1, ""),
        (true, false, 1, "1"),
    ]
    .into_iter()
    .enumerate()
    {
        let prim = Prim { torus, ..Prim::new("Ring", 1 + number as u32) };
        let xml = xml2(std::slice::from_ref(&prim));
        let xml = if has_material { xml.replace("</Shape>", &packed) } else { xml };
        archive = archive.add(&format!("objects/{number}.xml"), xml);
        let _ = writeln!(text, "linkset,{},Ring,1,2,3,0,,,,0,,1.5,{cost},{seen}", prim.uuid);
    }
    let desk = Desk::with(&[("rings.oar", &archive.gzip()), ("rings.csv", text.as_bytes())]);
    let view = json(&desk, "rings.oar --measured rings.csv");
    assert_eq!(view["pbr_accounting"], serde_json::json!({ "legacy": 2, "new": 3 }));
    assert_eq!(view["changed"].as_array().unwrap().len(), 1);
    let page = desk.run_to(DONE, "calibrate rings.oar --measured rings.csv").stdout;
    let words = "5 linksets of plain prims with PBR materials: 2 under legacy accounting, 3 under new.";
    assert!(page.contains(words), "{page}");
    // Other regions say nothing of them.
    let still = self::desk();
    let page = still.run_to(DONE, "calibrate region.oar --measured measured.csv").stdout;
    assert!(!page.contains("PBR"), "{page}");
}

#[test]
fn too_few_rows_decide_nothing() {
    let desk = desk();
    let text = fs::read_to_string(desk.at("measured.csv")).unwrap();
    let few: Vec<&str> = text.lines().take(8).collect();
    desk.write("few.csv", few.join("\n"));
    let view = json(&desk, "region.oar --measured few.csv --out fitted.toml");
    let reason = &constants(&view)["physics.hull_vertex_cost"]["reason"];
    assert!(reason.as_str().unwrap().contains("and 8 are needed"), "{reason}");
    let text = fs::read_to_string(desk.at("fitted.toml")).unwrap();
    assert!(!text.contains("[physics]") && !text.contains("[streaming]"), "{text}");
    Profile::load(desk.at("fitted.toml").to_str().unwrap()).unwrap();
}

#[test]
fn wrong_input_is_a_sentence() {
    let desk = desk();
    let row = "linkset,8b3db706-f89d-4651-8223-801408dc6f0c,Elsewhere,1,2,3,1,1,1,1,0,1,1,1\n";
    desk.write("elsewhere.csv", format!("{HEAD}{row}"));
    desk.write("column.csv", HEAD.replace("physics_cost,", ""));
    desk.write("cell.csv", format!("{HEAD}{}", row.replace(",0,1,1,1", ",0,1,much,1")));
    for (arguments, words) in [
        (
            "--measured elsewhere.csv",
            "No row of elsewhere.csv matches a prim of the exports (1 row, 192 prims)",
        ),
        ("--measured column.csv", "column.csv have no column `physics_cost`"),
        ("--measured cell.csv", "cell.csv are wrong in line 2: `physics_cost` is \"much\""),
        ("--measured absent.csv", "absent.csv cannot be read"),
        ("--measured measured.csv --out mine.txt", "must end in .toml"),
        ("--measured measured.csv --target truth.toml --out truth.toml", "is the base of the new one"),
        ("--measured measured.csv --tolerance=-1", "0 or more in metres"),
        ("", "--measured"),
    ] {
        let run = desk.run_to(USAGE, format!("calibrate region.oar {arguments}").trim_end());
        assert!(run.stderr.contains(words), "{words} is not in {}", run.stderr);
    }
    let whole = fs::read(desk.at("region.oar")).unwrap();
    desk.write("cut.oar", &whole[..whole.len() * 2 / 3]);
    desk.run_to(INCOMPLETE, "calibrate cut.oar --measured measured.csv");
}

/// Compares 1,500 parts with the values that OpenSimulator 0.9.2.2 reported by LSL. The simulator has other UUIDs than
/// the export.
#[test]
fn a_true_simulator_is_matched_and_compared() {
    let shared = repository().join("../shared");
    if !shared.is_dir() {
        assert!(env::var("CI").as_deref() != Ok("true"), "there is no {}", shared.display());
        let _ = writeln!(io::stderr(), "skipped: there are no real exports at {}", shared.display());
        return;
    }
    let costs = shared.join("simulator/costs");
    let parts = read_csv(&costs.join("faraway-tri-parts.csv"));
    let parts: HashMap<&str, _> = parts.iter().map(|part| (part["uuid"].as_str(), part)).collect();
    let mut text = HEAD.to_owned();
    for line in fs::read_to_string(costs.join("faraway-lsl.txt")).unwrap().lines() {
        let cells: Vec<&str> = line.split('|').collect();
        let part = parts[cells[0]];
        let name = part["name"].replace('"', "\"\"");
        let places = ["x", "y", "z", "link", "sx", "sy", "sz"].map(|column| part[column].as_str()).join(",");
        let [uuid, prims, server, streaming, physics] = [0, 1, 2, 3, 4].map(|at| cells[at]);
        let _ = writeln!(text, "part,{uuid},\"{name}\",{places},{server},{streaming},{physics},{prims}");
    }
    let desk = Desk::with(&[("measured.csv", text.as_bytes())]);
    let export = fs::canonicalize(shared.join("data/faraway.oar")).unwrap();
    let arguments =
        format!("{} --measured measured.csv --target opensim-ubode --out fitted.toml", export.display());
    let view = json(&desk, &arguments);
    assert_eq!((&view["rows"], &view["matched_by_place"]), (&1500.into(), &1500.into()));
    assert_eq!((&view["parts"], view["unmatched_parts"].as_array().unwrap().len()), (&2473.into(), 973));
    assert_eq!(view["not_reported"], serde_json::json!(["server"]));
    let overall = |quantity: &str, field: &str| {
        let all = view["overall"].as_array().unwrap();
        all.iter().find(|it| it["quantity"] == quantity).unwrap()[field].as_u64().unwrap()
    };
    assert_eq!(overall("streaming", "within_half_percent"), 1500);
    assert_eq!(overall("prim_equivalence", "within_half_percent"), 989);
    for field in ["within_half_percent", "within_half_percent_fitted"] {
        assert_eq!(overall("physics", field), 1500, "{field}");
    }
    for constant in view["constants"].as_array().unwrap() {
        assert_eq!(constant["reason"], "no measured row depends on it", "{constant}");
    }
}
