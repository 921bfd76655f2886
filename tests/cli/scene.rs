//! Objects as binary glTF: `audit --scene` and `inspect --glb`. The files are read back.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE},
    glb::Glb,
    mesh::MeshFile,
    object::{Face, Prim, uuid, xml2},
};
use serde_json::json;

const MESH: u32 = 0x3e3e_3e3e;

fn asset(number: u32) -> String {
    uuid(MESH, number)
}

fn of_mesh(name: &str, number: u32, mesh: u32) -> Prim {
    Prim { mesh: Some(asset(mesh)), ..Prim::new(name, number) }
}

/// Returns a region with these objects, and a mesh of 12 triangles.
fn region(objects: &[Vec<Prim>]) -> Archive {
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let archive = objects.iter().zip(1..).fold(archive, |archive, (parts, number): (_, u32)| {
        archive.add(&format!("objects/{number}.xml"), xml2(parts))
    });
    archive.add("settings/Harbour.xml", settings("1")).flat_ground("terrains/Harbour.r32", 256)
}

fn with_mesh(archive: Archive) -> Archive {
    archive.add(&format!("assets/{}_mesh.llmesh", asset(1)), MeshFile::cube().encode())
}

fn harbour() -> Archive {
    let child = Prim { offset: [0.0, 1.0, 0.25], torus: true, ..Prim::new("Ring", 3) };
    let turned = [0.0, 0.0, 0.6, 0.8];
    with_mesh(region(&[
        vec![Prim { position: [10.0, 20.0, 30.0], ..Prim::new("Crate", 1) }],
        vec![Prim { scale: [0.25, 0.5, 0.125], ..Prim::new("Board", 5) }],
        vec![Prim { rotation: turned, ..Prim::new("Table", 2) }, child],
        vec![of_mesh("Chair", 6, 1)],
        vec![Prim { scale: [0.55; 3], ..of_mesh("Stool", 7, 1) }],
        vec![Prim { scale: [2.0, 1.0, 0.5], ..of_mesh("Ghost", 8, 99) }],
    ]))
}

fn scene(desk: &Desk, arguments: &str) -> Glb {
    let run = desk.run(&format!("audit {arguments} --scene scene.glb"));
    assert!([DONE, INCOMPLETE].contains(&run.code), "{arguments}: {}{}", run.stdout, run.stderr);
    Glb::read(&desk.at("scene.glb"))
}

#[test]
fn each_object_is_a_node_at_its_place_and_equal_forms_are_shared() {
    let desk = Desk::with(&[("harbour.oar", &harbour().gzip())]);
    let glb = scene(&desk, "harbour.oar --out report");
    assert_eq!(glb.children("hullmark"), ["Harbour"]);
    assert_eq!(glb.children("Harbour"), ["ground", "Crate", "Board", "Table", "Chair", "Stool", "Ghost"]);
    let crate_ = glb.node("Crate");
    assert_eq!(crate_["translation"], json!([10.0, 20.0, 30.0]));
    assert_eq!(crate_["scale"], json!([0.5, 0.5, 0.5]));
    assert_eq!(glb.node("Board")["scale"], json!([0.25, 0.5, 0.125]));
    // A box has its eight corners, and is the same form for both.
    let [box_] = glb.primitives("Crate") else { panic!("a box has one primitive") };
    assert_eq!(crate_["mesh"], glb.node("Board")["mesh"]);
    assert_eq!(glb.triangles(box_), 12);
    let corners = glb.positions(box_);
    assert_eq!(corners.len(), 8);
    assert!(corners.as_flattened().iter().all(|part| part.abs() == 0.5));
    // A linkset has a node for each prim, in the axes of its root.
    assert_eq!(glb.children("Table"), ["Table", "Ring"]);
    assert_eq!(glb.node("Table")["rotation"], json!([0.0, 0.0, 0.6, 0.8]));
    assert_eq!(glb.node("Ring")["translation"], json!([0.0, 1.0, 0.25]));
    assert!(glb.node("Ring").get("rotation").is_none());
    assert!(glb.triangles(&glb.primitives("Ring")[0]) > 100);
    // Two uses of a mesh.
    assert_eq!(glb.node("Chair")["mesh"], glb.node("Stool")["mesh"]);
    assert_eq!(glb.triangles(&glb.primitives("Chair")[0]), 12);
    assert_ne!(glb.node("Chair")["mesh"], crate_["mesh"]);
    assert_eq!((glb.count("objects"), glb.count("parts")), (6, 7));
    // A box, a ring, a mesh, the ground, and the box of what is missing.
    assert_eq!(glb.count("forms"), 5);
    assert!(glb.bytes.len() < 200_000, "{}", glb.bytes.len());
}

#[test]
fn extras_have_the_figures_of_the_report() {
    let desk = Desk::with(&[("harbour.oar", &harbour().gzip())]);
    let glb = scene(&desk, "harbour.oar --out report");
    let rows = desk.table("report", "objects");
    assert_eq!(rows.len(), 6);
    let number = |text: &str| text.parse::<f64>().ok().map(|number| (number * 1e4).round());
    for row in &rows {
        let extras = &glb.node(&row["name"])["extras"];
        assert_eq!(extras["object_uuid"], row["object_uuid"]);
        assert_eq!(extras["findings"].to_string(), row["findings"], "{}", row["name"]);
        assert_eq!(
            extras.get("worst_severity").map_or("", |worst| worst.as_str().unwrap()),
            row["worst_severity"]
        );
        for column in ["land_impact", "physics_cost"] {
            let written = extras[column].as_f64().map(|number| (number * 1e4).round());
            assert_eq!(written, number(&row[column]), "{} {column}", row["name"]);
            assert_eq!(extras[format!("{column}_basis")], row[&format!("{column}_basis")]);
        }
    }
    assert!(rows.iter().any(|row| !row["land_impact"].is_empty()));
    assert_eq!(glb.node("Crate")["extras"]["position_m"], json!([10.0, 20.0, 30.0]));
}

#[test]
fn a_missing_mesh_is_a_box_of_its_size_with_the_reason() {
    let desk = Desk::with(&[("harbour.oar", &harbour().gzip())]);
    let glb = scene(&desk, "harbour.oar");
    let ghost = glb.node("Ghost");
    assert_eq!(ghost["scale"], json!([2.0, 1.0, 0.5]));
    assert_eq!(
        (&ghost["extras"]["drawn_as"], &ghost["extras"]["why"]),
        (&"box".into(), &"mesh asset missing".into())
    );
    assert_eq!(glb.triangles(&glb.primitives("Ghost")[0]), 12);
    assert!(glb.node("Chair")["extras"].get("drawn_as").is_none());
    assert_eq!(glb.root()["extras"]["boxes"], json!({ "mesh asset missing": 1 }));
    let told = desk.run("audit harbour.oar --scene scene.glb").stderr;
    assert!(told.contains("1 prim drawn as a box: mesh asset missing"), "{told}");
}

#[test]
fn the_bytes_depend_neither_on_threads_nor_on_kept_ledgers() {
    let desk = Desk::with(&[("harbour.oar", &harbour().gzip()), ("b.oar", &harbour().gzip())]);
    let first = scene(&desk, "harbour.oar b.oar --threads 1").bytes;
    for arguments in
        ["b.oar harbour.oar --threads 4", "b.oar harbour.oar --ledgers l", "b.oar harbour.oar --ledgers l"]
    {
        assert!(scene(&desk, arguments).bytes == first, "{arguments}");
    }
    // Two regions have places of their own.
    let glb = Glb::read(&desk.at("scene.glb"));
    let region = |number: usize| &glb.nodes()[glb.root()["children"][number].as_u64().unwrap() as usize];
    assert!(region(0).get("translation").is_none());
    assert_eq!(region(1)["translation"], json!([288.0, 0.0, 0.0]));
    assert_eq!(region(1)["extras"]["archive"], "harbour.oar");
    // The same content is one form.
    assert_eq!(glb.count("forms"), 6, "the grounds are two");
}

#[test]
fn colours_are_those_of_faces_or_of_figures() {
    // The colour is stored inverted, red in the lowest byte.
    let face = |colour: u32| Face { colour, ..Face::default() };
    let painted = Prim { faces: vec![face(0x00ff_ff00); 6], ..Prim::new("Red", 1) };
    let half = Prim { faces: vec![face(0x8000_0000); 6], ..Prim::new("Glass", 2) };
    let mesh = Prim { faces: vec![face(0x0000_00ff), face(0)], ..of_mesh("Cyan", 3, 1) };
    let plain = Prim::new("Plain", 4);
    let missing = of_mesh("Missing", 5, 99);
    let objects = [painted, half, mesh, plain, missing].map(|prim| vec![prim]);
    let desk = Desk::with(&[("a.oar", &with_mesh(region(&objects)).gzip())]);
    let glb = scene(&desk, "a.oar");
    let colours = ["Red", "Glass", "Cyan", "Plain"].map(|name| glb.colours(name));
    assert_eq!(colours, [["#ff0000"], ["#ffffff7f"], ["#00ffff"], ["#ffffff"]]);
    let material = |name: &str| {
        let materials = glb.json["materials"].as_array().unwrap();
        materials.iter().find(|material| material["name"] == name).unwrap()
    };
    assert_eq!(material("#ff0000")["pbrMetallicRoughness"]["baseColorFactor"], json!([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(material("#ffffff7f")["alphaMode"], "BLEND");
    // The prims of one form share their vertices in any colour.
    let vertices = |name: &str| &glb.primitives(name)[0]["attributes"]["POSITION"];
    assert_eq!(vertices("Red"), vertices("Plain"));
    let by = |by: &str| scene(&desk, &format!("a.oar --color-by {by}"));
    let findings = by("findings");
    assert_eq!(findings.colours("Plain"), ["#d6d3cc"]);
    assert_ne!(findings.colours("Missing"), ["#d6d3cc"]);
    assert_eq!(findings.root()["extras"]["coloured_by"], "findings");
    let land_impact = by("land-impact");
    assert_eq!(land_impact.colours("Plain"), ["#ffffcc"]);
    let legend = land_impact.root()["extras"]["legend"].as_array().unwrap();
    assert_eq!(legend[0], json!({ "colour": "#ffffcc", "means": "up to 1" }));
    let physics = by("physics-cost");
    assert_eq!((physics.colours("Plain"), physics.colours("Missing")), (vec!["#ffffcc"], vec!["#96a0af"]));
    // The British spelling is an alias.
    assert!(scene(&desk, "a.oar --colour-by physics-cost").bytes == physics.bytes);
}

#[test]
fn hostile_names_and_numbers_are_data() {
    let name = "</script>\u{1b}[31m\"}],\u{202e}../../x";
    let nan = |text: &str| text.replace("<X>77</X>", "<X>NaN</X>");
    let odd = [
        ("named", xml2(&[Prim::new(name, 1)])),
        ("mirrored", xml2(&[Prim { scale: [-1.0, 2.0, 0.5], ..Prim::new("Mirrored", 2) }])),
        ("size", nan(&xml2(&[Prim { scale: [77.0, 1.0, 1.0], ..Prim::new("No size", 3) }]))),
        ("place", nan(&xml2(&[Prim { position: [77.0, 1.0, 1.0], ..Prim::new("No place", 4) }]))),
        ("far", xml2(&[Prim { position: [1e39, 1.0, 1.0], ..Prim::new("Too far", 5) }])),
        (
            "child",
            nan(&xml2(&[
                Prim::new("Half", 6),
                Prim { offset: [77.0, 0.0, 0.0], ..Prim::new("Lost child", 7) },
            ])),
        ),
        ("still", xml2(&[Prim { rotation: [0.0; 4], ..Prim::new("No rotation", 8) }])),
    ];
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let archive =
        odd.iter().fold(archive, |archive, (file, text)| archive.add(&format!("objects/{file}.xml"), text));
    let desk = Desk::with(&[("odd.oar", &archive.add("settings/Harbour.xml", settings("1")).gzip())]);
    let run = desk.run("audit odd.oar --scene scene.glb");
    assert!([DONE, FINDINGS, INCOMPLETE].contains(&run.code), "{}{}", run.stdout, run.stderr);
    assert!(!run.stderr.contains('\u{1b}'));
    let glb = Glb::read(&desk.at("scene.glb"));
    assert!(glb.has("Mirrored") && glb.has("Half") && glb.has("No rotation"));
    assert_eq!(glb.node("Mirrored")["scale"], json!([-1.0, 2.0, 0.5]));
    let named = glb.nodes().iter().filter_map(|node| node["name"].as_str());
    assert!(named.into_iter().any(|written| written.starts_with("</script>")));
    for lost in ["No size", "No place", "Too far", "Lost child"] {
        assert!(!glb.has(lost), "{lost}");
    }
    assert_eq!((glb.count("parts_not_finite"), glb.count("objects")), (4, 4));
    assert!(run.stderr.contains("4 prims left out: a size, a place or a rotation is not a number"));
}

#[test]
fn each_kind_of_input_supplies_its_meshes() {
    let whole = harbour();
    let desk = Desk::with(&[
        ("harbour.oar", &whole.gzip()),
        ("bare.oar", &region(&[vec![of_mesh("Chair", 6, 1)]]).gzip()),
        (&format!("store/{}.mesh", asset(1)), &MeshFile::cube().encode()),
        ("loose/chair.xml", xml2(&[of_mesh("Chair", 6, 1)]).as_bytes()),
        (&format!("loose/{}.llmesh", asset(1)), &MeshFile::cube().encode()),
    ]);
    whole.members.iter().for_each(|(name, bytes)| desk.write(&format!("tree/{name}"), bytes));
    for arguments in
        ["harbour.oar", "tree", "loose", "bare.oar --assets store", "bare.oar --assets harbour.oar"]
    {
        let glb = scene(&desk, arguments);
        let chair = glb.node("Chair");
        assert!(chair["extras"].get("drawn_as").is_none(), "{arguments}: {}", chair["extras"]);
        let mesh = chair["mesh"].as_u64().unwrap() as usize;
        assert!(glb.json["meshes"][mesh].get("extras").is_none(), "{arguments}: the mesh was read again");
    }
    let glb = scene(&desk, "bare.oar");
    assert_eq!(glb.node("Chair")["extras"]["why"], "mesh asset missing");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_inputs_are_read() {
    let desk = Desk::with(&[("harbour.oar", &harbour().gzip())]);
    for (arguments, words) in [
        ("--scene none/scene.glb", "The folder of --scene none/scene.glb does not exist"),
        ("--scene .", "--scene . is a folder"),
        ("--scene s3://bucket/scene.glb", "--scene is a file on a disk"),
        ("--color-by findings", "--scene <FILE>"),
        ("--scene scene.glb --color-by size", "land-impact"),
    ] {
        let run = desk.run_to(USAGE, &format!("audit harbour.oar --out report {arguments}"));
        assert!(run.stderr.contains(words), "{arguments}: {}", run.stderr);
        assert!(!desk.at("report/audit.json").exists() && !desk.at("scene.glb").exists(), "{arguments}");
    }
    let empty = region(&[]).gzip();
    desk.write("empty.oar", empty);
    desk.write("chair.llmesh", MeshFile::cube().encode());
    let run = desk.run_to(DONE, "audit chair.llmesh --scene none.glb");
    assert!(run.stderr.contains("none.glb is not written: no object has a place"), "{}", run.stderr);
    assert!(!desk.at("none.glb").exists());
    // The ground alone is drawn.
    assert_eq!(scene(&desk, "empty.oar").children("Harbour"), ["ground"]);
}

#[test]
fn one_object_is_at_the_origin_in_the_highest_detail() {
    let desk = Desk::with(&[("harbour.oar", &harbour().gzip())]);
    let object = |name: &str, more: &str| {
        let run = desk.run(&format!("inspect harbour.oar --object {name} --glb object.glb{more}"));
        assert!([DONE, FINDINGS].contains(&run.code), "{}{}", run.stdout, run.stderr);
        Glb::read(&desk.at("object.glb"))
    };
    let table = object("Table", "");
    assert_eq!((table.count("objects"), table.count("parts"), table.count("forms")), (1, 2, 2));
    assert_eq!(table.node("Table")["translation"], json!([0.0, 0.0, 0.0]));
    assert_eq!(table.node("Table")["extras"]["position_m"], json!([128.0, 128.0, 25.0]));
    let in_region = scene(&desk, "harbour.oar");
    let ring = |glb: &Glb| glb.triangles(&glb.primitives("Ring")[0]);
    assert!(ring(&table) > 2 * ring(&in_region), "{} {}", ring(&table), ring(&in_region));
    let chair = object("Chair", " --color-by findings");
    assert_eq!(chair.triangles(&chair.primitives("Chair")[0]), 12);
    assert_eq!(chair.root()["extras"]["coloured_by"], "findings");
    let run = desk
        .run_to(USAGE, &format!("inspect harbour.oar --object {} --glb m.glb --color-by faces", asset(1)));
    assert!(run.stderr.contains("--color-by is for objects"), "{}", run.stderr);
}

#[test]
fn prims_beyond_the_vertices_of_a_file_are_boxes() {
    let ring =
        |number: u32| Prim { torus: true, scale: [10.0; 3], ..Prim::new(&format!("Ring {number}"), number) };
    let cut = |number: u32| {
        let begin = format!("<PathBegin>{number}</PathBegin>");
        xml2(&[ring(number)]).replace("<PathBegin>0</PathBegin>", &begin)
    };
    let count = 9_000;
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let archive = (1..=count)
        .fold(archive, |archive, number| archive.add(&format!("objects/{number}.xml"), cut(number)));
    let desk = Desk::with(&[("rings.oar", &archive.gzip())]);
    let glb = scene(&desk, "rings.oar");
    let why = |number: u32| glb.node(&format!("Ring {number}"))["extras"]["why"].clone();
    assert_eq!((why(1), why(count)), (json!(null), json!("too many vertices for one file")));
    assert_eq!(glb.count("objects"), u64::from(count), "each has its node");
    assert!(glb.count("forms") > 1_000);
    let run = desk.run("audit rings.oar --scene again.glb");
    assert!(run.stderr.contains("drawn as a box: too many vertices"), "{}", run.stderr);
}
