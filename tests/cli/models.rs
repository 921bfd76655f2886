//! Models before their upload.

use crate::support::desk::{DONE, Desk, FINDINGS, INCOMPLETE, Row};
use hullmark_model::maker::{BOX, Maker};
use serde_json::{Value, json};

/// Returns the findings of a report with this code.
fn found(desk: &Desk, code: &str) -> Vec<Row> {
    desk.table("report", "findings").into_iter().filter(|row| row["code"] == code).collect()
}

fn audit(files: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::with(files);
    let run = desk.run("audit . --out report --profile second-life");
    assert!([DONE, FINDINGS].contains(&run.code), "{run:?}");
    desk
}

#[test]
fn levels_beside_a_model_are_read_with_it() {
    let mut table = Maker::new("table.bin");
    let wood = table.material("wood");
    for (name, x) in [("seat", 0.0), ("back", 3.0)] {
        let mut primitive = table.primitive([2.0, 1.0, 2.0], [x, 0.0, 0.0], &BOX);
        primitive["material"] = wood.into();
        table.node(name, &[primitive]);
    }
    let mut low = Maker::new("table_LOD1.bin");
    let cloth = low.material("cloth");
    let mut primitive = low.primitive([2.0, 1.0, 2.0], [0.0; 3], &BOX);
    primitive["material"] = cloth.into();
    low.node("seat_LOD1", &[primitive]);
    let mut physics = Maker::new("table_PHYS.bin");
    physics.boxed("seat_PHYS", [2.0, 0.5, 2.0]);
    let files = [
        ("table.gltf", table.text()),
        ("table.bin", table.buffer),
        ("table_LOD1.gltf", low.text()),
        ("table_LOD1.bin", low.buffer),
        ("table_PHYS.gltf", physics.text()),
        ("table_PHYS.bin", physics.buffer),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let desk = audit(&files);
    assert_eq!(desk.column("report", "meshes", "entry"), ["table.gltf#seat", "table.gltf#back"]);
    let objects = desk.table("report", "objects");
    assert_eq!(
        (objects.len(), objects[0]["parts"].as_str(), objects[0]["land_impact"].as_str()),
        (1, "2", "1")
    );
    let other = found(&desk, "MDL002");
    assert_eq!(other.len(), 1);
    assert!(
        other[0]["message"].contains("seat_LOD1") && other[0]["message"].contains("\"cloth\""),
        "{other:?}"
    );
    let stretched = found(&desk, "MDL004");
    assert_eq!((stretched.len(), stretched[0]["measured"].as_str()), (1, "2"));
    assert!(stretched[0]["message"].contains("seat_PHYS"), "{stretched:?}");
    assert_eq!(found(&desk, "RUN007"), [], "levels and buffers are no unknown files");
    // One file alone finds the others beside it.
    let shown: Value = serde_json::from_str(&desk.run("inspect table.gltf --json").stdout).unwrap();
    let seat = &shown["meshes"][0];
    assert_eq!(seat["model"]["origins"], json!(["file", "generated", "file", "generated"]));
    assert_eq!((&seat["scale_m"], &seat["hulls"]), (&json!([2.0, 2.0, 1.0]), &json!(1)));
    assert_eq!(seat["model"]["streaming_cost_range"].as_array().map(Vec::len), Some(2));
    assert_eq!(shown["meshes"][1]["model"]["origins"], json!(["file", "generated", "above", "generated"]));
}

#[test]
fn all_files_of_a_model_may_be_named() {
    let mut stool = Maker::new("stool.bin");
    stool.boxed("seat", [1.0; 3]);
    let files: [(&str, &[u8]); 3] =
        [("stool.gltf", &stool.text()), ("stool.bin", &stool.buffer), ("other.bin", b"\0\x01\x02\xff")];
    let desk = Desk::with(&files);
    desk.run_to(DONE, "audit stool.gltf stool.bin --out report");
    assert_eq!(desk.column("report", "meshes", "entry"), ["stool.gltf#seat"]);
    assert_eq!(found(&desk, "RUN007"), []);
    desk.run_to(DONE, "audit stool.gltf other.bin --out report");
    assert_eq!(found(&desk, "RUN007").len(), 1, "a buffer of no model");
    let alone = desk.run_to(INCOMPLETE, "audit other.bin --out report");
    assert!(alone.stderr.contains("other.bin is not an export"), "{alone:?}");
}

#[test]
fn narrow_triangles_of_a_physics_model_are_found_at_its_size() {
    let slab = |size: f32| {
        let mut slab = Maker::default();
        slab.boxed("slab", [size; 3]);
        // A triangle of the size of the slab, and one that is 0.0008 of it wide.
        let narrow = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0008, 0.0]];
        let positions: Vec<f32> = narrow.as_flattened().iter().map(|part| (part - 0.5) * size).collect();
        let physics = slab.primitive_of(&positions, &[0, 1, 2, 0, 1, 3]);
        slab.node("slab_PHYS", &[physics]);
        audit(&[("slab.glb", &slab.glb())])
    };
    // At 1 m it is narrower than 1 mm, which costs most. At 10 m it is wide enough for the formula.
    let narrow = found(&slab(1.0), "PHY011");
    assert_eq!((narrow.len(), narrow[0]["measured"].as_str(), narrow[0]["limit"].as_str()), (1, "1", "2"));
    assert!(narrow[0]["object_name"] == "slab" && found(&slab(10.0), "PHY011").is_empty());
    // The uploader refuses it at every size.
    assert_eq!(found(&slab(10.0), "MSH010").len(), 1);
}

#[test]
fn levels_in_one_file_are_reported() {
    let mut stool = Maker::new("stool.bin");
    stool.boxed("seat", [1.0; 3]);
    stool.boxed("seat_LOD0", [1.0; 3]);
    let open = stool.primitive([1.0; 3], [0.0; 3], &BOX[3..]);
    stool.node("seat_PHYS", &[open]);
    let desk = audit(&[("stool.gltf", &stool.text()), ("stool.bin", &stool.buffer)]);
    assert_eq!(desk.column("report", "meshes", "physics_triangles"), ["11"]);
    let levels = found(&desk, "MDL003");
    assert_eq!((levels.len(), levels[0]["measured"].as_str()), (1, "2"));
    assert!(found(&desk, "MDL007")[0]["message"].contains("1 piece with open edges"));
    assert!(found(&desk, "MDL008")[0]["message"].contains("1 face without texture coordinates"));
}

#[test]
fn a_part_of_many_materials_becomes_meshes() {
    let mut shelf = Maker::new("shelf.bin");
    let primitives: Vec<Value> = (0u8..9)
        .map(|at| {
            let mut primitive = shelf.primitive([1.0; 3], [at.into(), 0.0, 0.0], &BOX);
            primitive["material"] = shelf.material(&format!("wood {at}")).into();
            primitive
        })
        .collect();
    shelf.node("shelf", &primitives);
    let desk = audit(&[("shelf.gltf", &shelf.text()), ("shelf.bin", &shelf.buffer)]);
    assert_eq!(desk.column("report", "meshes", "entry"), ["shelf.gltf#shelf", "shelf.gltf#shelfb"]);
    let split = found(&desk, "MDL005");
    assert_eq!((split.len(), split[0]["measured"].as_str(), split[0]["limit"].as_str()), (1, "9", "8"));
    assert_eq!(desk.column("report", "objects", "parts"), ["2"]);
}

#[test]
fn joints_that_no_avatar_has_are_dropped() {
    let mut glove = Maker::new("glove.bin");
    let mut primitive = glove.primitive([1.0; 3], [0.0; 3], &BOX);
    glove.weigh(&mut primitive, &[(0, 0.5), (1, 0.5)]);
    let node = glove.node("glove", &[primitive]);
    let joints = [glove.joint("mWristLeft"), glove.joint("Bone.001")];
    glove.json["skins"] = json!([{ "joints": joints }]);
    glove.json["nodes"][node]["skin"] = 0.into();
    let desk = audit(&[("glove.gltf", &glove.text()), ("glove.bin", &glove.buffer)]);
    let dropped = found(&desk, "MDL006");
    assert_eq!((dropped[0]["measured"].as_str(), dropped[0]["limit"].as_str()), ("1", "2"));
    assert!(dropped[0]["message"].contains("\"Bone.001\""), "{dropped:?}");
    assert_eq!(desk.column("report", "meshes", "joints"), ["1"]);
    assert_eq!(found(&desk, "MSH017"), [], "the other joint has all the weight");
    // A part shows the findings about itself.
    for arguments in ["glove.gltf", "glove.gltf --object glove.gltf#glove"] {
        let shown = desk.run(&format!("inspect {arguments} --json"));
        let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
        let codes: Vec<&Value> = shown["meshes"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| &finding["code"])
            .collect();
        assert!(codes.contains(&&json!("MDL006")), "{arguments}: {codes:?}");
    }
}

#[test]
fn what_the_uploader_refuses_is_named() {
    let mut packed = Maker::new("packed.bin");
    packed.boxed("seat", [1.0; 3]);
    packed.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    let mut alone = Maker::new("alone.bin");
    alone.boxed("seat", [1.0; 3]);
    let other = b"a buffer of no model";
    let collada = br#"<?xml version="1.0"?><COLLADA version="1.4.1"><asset/></COLLADA>"#;
    let desk = audit(&[
        ("packed.gltf", &packed.text()),
        ("packed.bin", &packed.buffer),
        ("other.bin", other),
        ("alone.gltf", &alone.text()),
        ("empty.dae", collada),
        ("cut.glb", b"glTF\x02\0\0\0"),
    ]);
    let refused = found(&desk, "MDL001");
    let of = |file: &str| {
        let row = refused.iter().find(|row| row["entry"] == file);
        row.unwrap_or_else(|| panic!("{file}: {refused:?}"))["message"].clone()
    };
    assert!(of("packed.gltf").contains("KHR_draco_mesh_compression"));
    assert!(of("alone.gltf").contains("alone.bin is missing"));
    assert!(of("empty.dae").contains("visual_scene"));
    assert!(of("cut.glb").contains("cannot be read"));
    assert!(refused.iter().all(|row| row["severity"] == "error"));
    let unknown = found(&desk, "RUN007");
    assert_eq!(unknown.len(), 1, "a buffer that no model names is an unknown file");
    assert_eq!(unknown[0]["entry"], "other.bin");
}

#[test]
fn an_upload_is_written_as_an_asset() {
    let mut stool = Maker::new("stool.bin");
    stool.boxed("seat", [1.0, 2.0, 3.0]);
    let desk = Desk::with(&[("stool.gltf", &stool.text()), ("stool.bin", &stool.buffer)]);
    let run = desk.run("inspect stool.gltf --llmesh seat.llmesh --json");
    assert_eq!(run.code, DONE, "{run:?}");
    let before: Value = serde_json::from_str(&run.stdout).unwrap();
    let again = desk.run("inspect seat.llmesh --scale 1,3,2 --json");
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    for key in ["bytes", "content_hash", "blocks", "levels_of_detail", "streaming_cost", "base_hull"] {
        assert_eq!(before["meshes"][0][key], again["meshes"][0][key], "{key}");
    }
    // The asset has all its levels, so its cost is no longer a range.
    assert_eq!(before["meshes"][0]["streaming_cost_basis"], "estimated");
    assert_eq!(again["meshes"][0]["streaming_cost_basis"], "approximation");
    let fix = desk.run("fix stool.gltf --to-land-impact 1 --profile second-life");
    assert_eq!(fix.code, DONE, "{fix:?}");
}
