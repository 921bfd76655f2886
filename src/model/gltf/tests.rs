use crate::{
    File, Model, Upload,
    maker::{BOX, Maker, corners},
};
use glam::DVec3;
use hullmark_format::{
    defect::{Defect, DefectKind, ModelDefect},
    mesh::{self, LevelOrigin, Mesh},
};
use hullmark_settings::limits::Limits;
use hullmark_util::work::Work;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns the bytes of a model with its buffer.
fn bytes(maker: &Maker) -> Vec<u8> {
    maker.embedded().to_string().into_bytes()
}

fn upload(bytes: &[u8]) -> (Upload, Vec<Defect>) {
    upload_with(bytes, &[])
}

fn upload_with(bytes: &[u8], beside: &[File<'_>]) -> (Upload, Vec<Defect>) {
    let file = File { name: "chair.gltf", bytes };
    Model { file, beside }.upload(&Limits::default(), &mut Work::unlimited())
}

fn kinds(defects: &[Defect]) -> Vec<ModelDefect> {
    let kind = |defect: &Defect| match &defect.kind {
        DefectKind::Model(kind) => kind.clone(),
        other => panic!("{other:?}"),
    };
    defects.iter().map(kind).filter(|kind| *kind != ModelDefect::NoTextureCoordinates).collect()
}

/// Decodes the asset of a part, which must have no defect.
fn decoded(upload: &Upload, part: usize) -> Mesh {
    let (mesh, defects) = mesh::decode(&upload.parts[part].asset, &Limits::default());
    assert_eq!(defects, [], "{}", upload.parts[part].name);
    mesh
}

fn triangles(mesh: &Mesh) -> [usize; 4] {
    mesh.lods.each_ref().map(|lod| lod.iter().flatten().map(|face| face.triangles.len()).sum())
}

#[test]
fn a_box_is_one_part_with_up_as_z() {
    let mut maker = Maker::new("");
    maker.boxed_at("seat", [2.0, 3.0, 0.5], [1.0, 10.0, 4.0]);
    let (upload, defects) = upload(&bytes(&maker));
    assert_eq!(kinds(&defects), []);
    let [part] = upload.parts.as_slice() else { panic!("{:?}", upload.parts) };
    assert_eq!((part.name.as_str(), part.shape_type), ("seat", 2));
    // Y of the file is up, and Z points south.
    assert_eq!((part.size, part.position), (DVec3::new(2.0, 0.5, 3.0), DVec3::new(1.0, -4.0, 10.0)));
    assert_eq!(
        part.origins,
        [LevelOrigin::Generated, LevelOrigin::Generated, LevelOrigin::Generated, LevelOrigin::File]
    );
    let mesh = decoded(&upload, 0);
    let face = &mesh.lods[3].as_ref().unwrap()[0];
    // Without normals in the file, each side has its own vertices.
    assert_eq!((face.positions.len(), face.triangles.len(), face.states_size), (24, 12, true));
    assert_eq!((face.domain.min, face.domain.max), (DVec3::splat(-0.5), DVec3::splat(0.5)));
    assert_eq!(triangles(&mesh)[3], 12);
    let base = mesh.convex.unwrap().base.unwrap();
    assert!(
        (4..=8).contains(&base.len()),
        "the low level has at most the corners of the box: {}",
        base.len()
    );
}

#[test]
fn levels_and_physics_are_found_by_their_names() {
    let mut maker = Maker::new("");
    maker.boxed("seat", [2.0; 3]);
    maker.boxed_at("seat_LOD1", [2.0; 3], [9.0, 0.0, 0.0]);
    // Half as high as the highest level.
    maker.boxed("seat_LOD0", [2.0, 1.0, 2.0]);
    maker.boxed("seat_PHYS", [2.0; 3]);
    maker.boxed("back_PHYS", [2.0; 3]);
    let (upload, defects) = upload(&bytes(&maker));
    assert_eq!(
        kinds(&defects),
        [ModelDefect::WithoutPart, ModelDefect::LevelsInOneFile, ModelDefect::Stretched]
    );
    assert_eq!(defects[0].place.within, "back_PHYS");
    let numbers: Vec<_> = defects.iter().filter_map(|defect| defect.measured).map(f64::from).collect();
    assert_eq!(numbers, [3.0, 1.0, 2.0], "levels, faces without texture coordinates, times");
    assert_eq!(defects.last().unwrap().place.within, "seat_LOD0");
    assert_eq!(upload.parts.len(), 1);
    assert_eq!(
        (upload.parts[0].origins, upload.parts[0].shape_type),
        ([LevelOrigin::File, LevelOrigin::File, LevelOrigin::Generated, LevelOrigin::File], 0)
    );
    // A closed box is convex, so it becomes a hull of its corners.
    let convex = decoded(&upload, 0).convex.unwrap();
    let hulls: Vec<usize> = convex.hulls().map(<[_]>::len).collect();
    assert_eq!((hulls, convex.base.map(|base| base.len())), (vec![8], Some(8)));
}

#[test]
fn files_of_levels_are_joined_by_name_and_else_by_order() {
    let named = |names: &[&str]| {
        let mut maker = Maker::new("");
        for name in names {
            maker.boxed(name, [1.0; 3]);
        }
        bytes(&maker)
    };
    let model = named(&["seat", "back"]);
    let low = |bytes: &[u8]| {
        upload_with(
            &model,
            &[File { name: "chair_LOD1.gltf", bytes }, File { name: "other_LOD0.gltf", bytes }],
        )
    };
    let origins = |upload: &Upload| upload.parts.iter().map(|part| part.origins[1]).collect::<Vec<_>>();
    let (by_name, defects) = low(&named(&["back_LOD1"]));
    assert_eq!((origins(&by_name), kinds(&defects)), (vec![LevelOrigin::Above, LevelOrigin::File], vec![]));
    let (by_order, defects) = low(&named(&["a", "b", "c"]));
    assert_eq!(
        (origins(&by_order), kinds(&defects)),
        (vec![LevelOrigin::File; 2], vec![ModelDefect::WithoutPart])
    );
    assert!(by_order.parts.iter().all(|part| part.origins[0] == LevelOrigin::Generated), "of another model");
}

#[test]
fn a_part_of_nine_materials_becomes_two_meshes() {
    let mut maker = Maker::new("");
    let primitives: Vec<Value> = (0..9)
        .map(|at| {
            let mut primitive = maker.primitive([1.0; 3], [at as f32, 0.0, 0.0], &BOX);
            primitive["material"] = maker.material(&format!("{}", 9 - at)).into();
            primitive
        })
        .collect();
    maker.node("shelf", &primitives);
    let (upload, defects) = upload(&bytes(&maker));
    assert_eq!(kinds(&defects), [ModelDefect::ManyFaces { meshes: 2 }]);
    let names: Vec<(&str, usize, u8)> =
        upload.parts.iter().map(|part| (&*part.name, part.materials.len(), part.shape_type)).collect();
    assert_eq!(names, [("shelf", 8, 2), ("shelfb", 1, 1)]);
    assert_eq!(upload.parts[1].materials, ["9"], "the faces are sorted by their materials");
    assert!(upload.parts.iter().all(|part| part.size == DVec3::new(9.0, 1.0, 1.0)));
}

#[test]
fn materials_of_a_level_must_be_those_of_the_highest() {
    let mut maker = Maker::new("");
    let (wood, cloth) = (maker.material("wood"), maker.material("cloth"));
    let mut high = maker.primitive([1.0; 3], [0.0; 3], &BOX);
    high["material"] = wood.into();
    let mut low = high.clone();
    low["material"] = cloth.into();
    maker.node("seat", &[high]);
    maker.node("seat_LOD2", &[low]);
    let (upload, defects) = upload(&bytes(&maker));
    let other = ModelDefect::OtherMaterials { first: "cloth".into() };
    assert_eq!(kinds(&defects), [ModelDefect::LevelsInOneFile, other]);
    let mesh = decoded(&upload, 0);
    let face = &mesh.lods[2].as_ref().unwrap()[0];
    assert!(face.empty, "the face of wood has no geometry in the level");
}

#[test]
fn transforms_are_joined_and_mirrors_turn_triangles() {
    let mut maker = Maker::new("");
    maker.boxed("lamp", [1.0; 3]);
    let mut value = maker.embedded();
    value["nodes"] = json!([
        { "children": [1], "translation": [0, 5, 0], "scale": [2, 2, 2] },
        { "name": "lamp", "mesh": 0, "scale": [-1, 1, 1], "children": [1, 0] },
    ]);
    value["scenes"] = json!([{ "nodes": [0] }]);
    let (upload, defects) = upload(value.to_string().as_bytes());
    assert_eq!((kinds(&defects), upload.parts.len()), (vec![], 1), "a cycle ends");
    assert_eq!(
        (upload.parts[0].size, upload.parts[0].position),
        (DVec3::splat(2.0), DVec3::new(0.0, 0.0, 5.0))
    );
    let mesh = decoded(&upload, 0);
    let face = &mesh.lods[3].as_ref().unwrap()[0];
    let volume: f64 = face
        .triangles
        .iter()
        .map(|triangle| triangle.map(|corner| face.domain.point(face.positions[usize::from(corner)])))
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum();
    assert!((volume - 1.0).abs() < 1e-4, "inside out: {volume}");
}

#[test]
fn pieces_that_are_open_or_hollow_stay_triangles() {
    let physics = |indices: &[u16], points: Vec<f32>| {
        let mut maker = Maker::new("");
        maker.boxed("seat", [1.0; 3]);
        let primitive = maker.primitive_of(&points, indices);
        maker.node("seat_PHYS", &[primitive]);
        let (upload, defects) = upload(&bytes(&maker));
        let mesh = decoded(&upload, 0);
        let hulls = mesh.convex.unwrap().hulls().count();
        let triangles: usize = mesh.physics_mesh.iter().flatten().map(|face| face.triangles.len()).sum();
        (hulls, triangles, kinds(&defects).into_iter().skip(1).collect::<Vec<_>>())
    };
    let whole = corners([1.0; 3], [0.0; 3]);
    assert_eq!(physics(&BOX, whole.clone()), (1, 0, vec![]));
    assert_eq!(physics(&BOX[3..], whole.clone()), (0, 11, vec![ModelDefect::OpenPiece]));
    // A corner that is pushed in.
    let mut dent = whole;
    dent[21..24].copy_from_slice(&[0.0, 0.0, 0.0]);
    let (hulls, triangles, _) = physics(&BOX, dent);
    assert_eq!((hulls, triangles), (0, 12));
}

#[test]
fn what_the_uploader_cannot_read_is_said() {
    let mut maker = Maker::new("");
    maker.boxed("seat", [1.0; 3]);
    let good = maker.embedded();
    let with = |key: &str, value: Value| {
        let mut changed = good.clone();
        changed[key] = value;
        let (upload, defects) = upload(changed.to_string().as_bytes());
        (upload.parts.len(), kinds(&defects))
    };
    let draco = "KHR_draco_mesh_compression";
    assert_eq!(
        with("extensionsRequired", json!([draco])),
        (0, vec![ModelDefect::Unsupported { feature: draco.into() }])
    );
    assert_eq!(
        with("buffers", json!([{ "byteLength": 4, "uri": "folder/a%20b.bin" }])).1[0],
        ModelDefect::FileMissing { name: "folder/a%20b.bin".into() }
    );
    assert_eq!(with("nodes", json!([])), (0, vec![ModelDefect::Empty]));
    assert!(matches!(upload(b"{ \"asset\": ").1[0].kind, DefectKind::Model(ModelDefect::Unreadable { .. })));
    assert!(matches!(upload(b"glTF").1[0].kind, DefectKind::Model(ModelDefect::Unreadable { .. })));
    let mut lines = good.clone();
    lines["meshes"][0]["primitives"][0]["mode"] = 1.into();
    let (_, defects) = upload(lines.to_string().as_bytes());
    assert_eq!(kinds(&defects)[0], ModelDefect::NotTriangles { mode: "lines".into() });
}

#[test]
fn a_document_that_takes_too_much_memory_is_not_read() {
    let limit = |bytes: &[u8]| match &upload(bytes).1[0].kind {
        DefectKind::Model(ModelDefect::OverLimit { what }) => what.clone(),
        other => panic!("{other:?}"),
    };
    let nodes = |text: &str, count: usize| format!("{{\"nodes\":[{}]}}", vec![text; count].join(","));
    assert_eq!(limit(nodes("{}", 200_001).as_bytes()), "objects in the JSON");
    assert_eq!(limit(nodes("0", 4_000_002).as_bytes()), "values in the JSON");
    assert_eq!(limit(nodes(&" ".repeat(32_000_000), 1).as_bytes()), "bytes of JSON");
}

#[test]
fn a_buffer_beside_the_model_is_read() {
    let mut maker = Maker::new("");
    maker.boxed("seat", [1.0; 3]);
    let mut value = maker.embedded();
    value["buffers"][0]["uri"] = "folder/a%20b.bin".into();
    let bytes = value.to_string().into_bytes();
    assert_eq!(crate::buffers(&bytes), ["a b.bin"]);
    let (upload, defects) = upload_with(&bytes, &[File { name: "a b.bin", bytes: &maker.buffer }]);
    assert_eq!((upload.parts.len(), kinds(&defects)), (1, vec![]));
}

/// Returns a valid document with each kind of thing.
fn rich() -> Vec<u8> {
    let mut maker = Maker::new("");
    maker.boxed("seat", [1.0; 3]);
    maker.boxed("seat_LOD1", [1.0; 3]);
    let physics = maker.boxed("seat_PHYS", [1.0; 3]);
    maker.json["nodes"][physics]["translation"] = json!([1, 2, 3]);
    let mut value = maker.embedded();
    value["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": 1, "componentType": 5123 },
        "values": { "bufferView": 0 },
    });
    value.to_string().into_bytes()
}

proptest! {
    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..12)) {
        let mut bytes = rich();
        for (at, byte, what) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                _ => { let twice = bytes[at..(at + 40).min(bytes.len())].to_vec(); bytes.splice(at..at, twice); }
            }
        }
        let mut work = Work::new(1 << 26, Default::default());
        let file = File { name: "chair.gltf", bytes: &bytes };
        let _ = Model { file, beside: &[] }.upload(&Limits::default(), &mut work);
    }

    /// Numbers of a document are replaced, so that it stays readable.
    #[test]
    fn changed_numbers_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), -2i64..70_000), 1..8)) {
        let text = String::from_utf8(rich()).unwrap();
        let (head, data) = text.split_once("data:").unwrap();
        let mut head = head.to_owned();
        for (at, number) in changes {
            let places: Vec<usize> =
                head.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = *at.get(&places);
            head.replace_range(at..=at, &number.to_string());
        }
        let bytes = format!("{head}data:{data}").into_bytes();
        let mut work = Work::new(1 << 26, Default::default());
        let file = File { name: "chair.gltf", bytes: &bytes };
        let (upload, _) = Model { file, beside: &[] }.upload(&Limits::default(), &mut work);
        for part in &upload.parts {
            let (mesh, _) = mesh::decode(&part.asset, &Limits::default());
            for face in mesh.lods.iter().flatten().flatten() {
                prop_assert!(face.triangles.iter().all(|&triangle| face.holds(triangle)));
            }
        }
    }
}
