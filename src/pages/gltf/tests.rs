//! The files are read back: the JSON, and the numbers in the buffer.

use super::*;
use glam::Vec3;
use hullmark_format::mesh::{build, decode};
use hullmark_ledger::facts::MeshFacts;
use hullmark_model::{File, Model};
use hullmark_settings::{limits::Limits, profile::Profile};
use hullmark_util::work::Work;
use proptest::prelude::*;

const SCALE: DVec3 = DVec3::new(2.0, 1.0, 0.5);

struct Glb {
    json: Value,
    buffer: Vec<u8>,
}

fn written(bytes: &[u8]) -> Result<Glb, GltfError> {
    let (mesh, _) = decode(bytes, &Limits::default());
    let facts = MeshFacts::new("a.llmesh".into(), None, bytes, &mesh, &mut Work::unlimited());
    let view = MeshView::new(&facts, SCALE, &Profile::default(), Vec::new());
    glb(&mesh, &view).map(|file| Glb::read(&file))
}

impl Glb {
    fn read(file: &[u8]) -> Self {
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&file[..4], number(4), number(8)), (&b"glTF"[..], 2, file.len()));
        let text = number(12);
        assert_eq!((&file[16..20], text % 4), (&b"JSON"[..], 0));
        let json: Value = serde_json::from_slice(&file[20..20 + text]).unwrap();
        assert_eq!((number(20 + text), &file[24 + text..28 + text]), (file.len() - 28 - text, &b"BIN\0"[..]));
        assert_eq!(json["buffers"][0]["byteLength"], file.len() - 28 - text);
        Self { json, buffer: file[28 + text..].to_vec() }
    }

    fn node(&self, name: &str) -> &Value {
        let nodes = self.json["nodes"].as_array().unwrap();
        let mut found = nodes.iter().filter(|node| node["name"] == name);
        let node = found.next().unwrap_or_else(|| panic!("there is no node {name}"));
        assert!(found.next().is_none(), "{name} is there twice");
        node
    }

    fn has(&self, name: &str) -> bool {
        self.json["nodes"].as_array().unwrap().iter().any(|node| node["name"] == name)
    }

    fn children(&self, name: &str) -> Vec<&str> {
        let children = self.node(name)["children"].as_array().unwrap();
        children
            .iter()
            .map(|child| self.json["nodes"][child.as_u64().unwrap() as usize]["name"].as_str().unwrap())
            .collect()
    }

    fn primitives(&self, name: &str) -> &[Value] {
        let mesh = self.node(name)["mesh"].as_u64().unwrap() as usize;
        self.json["meshes"][mesh]["primitives"].as_array().unwrap()
    }

    fn accessor(&self, index: &Value) -> (&Value, &[u8]) {
        let accessor = &self.json["accessors"][index.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let at = view["byteOffset"].as_u64().unwrap() as usize;
        assert_eq!(at % 4, 0);
        (accessor, &self.buffer[at..at + view["byteLength"].as_u64().unwrap() as usize])
    }

    fn floats(&self, index: &Value) -> Vec<f32> {
        let (_, bytes) = self.accessor(index);
        bytes.as_chunks::<4>().0.iter().map(|&part| f32::from_le_bytes(part)).collect()
    }

    fn indices(&self, primitive: &Value) -> Vec<u16> {
        let (accessor, bytes) = self.accessor(&primitive["indices"]);
        assert_eq!(accessor["componentType"], 5123);
        bytes.as_chunks::<2>().0.iter().map(|&part| u16::from_le_bytes(part)).collect()
    }

    fn positions(&self, primitive: &Value) -> Vec<f32> {
        self.floats(&primitive["attributes"]["POSITION"])
    }
}

/// Returns the positions of points in the unit cube.
fn decoded(points: &[[u16; 3]]) -> Vec<f32> {
    points.iter().flat_map(|&point| Domain::UNIT.point(point).as_vec3().to_array()).collect()
}

#[test]
fn each_level_hull_and_physics_mesh_is_a_node() {
    let glb = written(&build::asset(&build::blocks())).unwrap();
    assert_eq!(glb.children("a.llmesh"), ["levels of detail", "physics", "joints"]);
    assert_eq!(glb.children("joints"), ["mPelvis"]);
    assert_eq!(glb.json["skins"][0]["joints"].as_array().map(Vec::len), Some(1));
    assert_eq!(glb.children("levels of detail"), ["a", "a_LOD2", "a_LOD1", "a_LOD0"]);
    assert_eq!(glb.children("physics"), ["a_PHYS base hull", "hulls", "a_PHYS"]);
    assert_eq!(glb.children("hulls"), ["a_PHYS hull 0", "a_PHYS hull 1"]);
    for name in ["a", "a_PHYS base hull", "a_PHYS hull 1", "a_PHYS"] {
        let [primitive] = glb.primitives(name) else { panic!("{name}") };
        assert_eq!(glb.positions(primitive), decoded(&build::CORNERS), "{name}");
        let (accessor, _) = glb.accessor(&primitive["attributes"]["POSITION"]);
        assert_eq!(
            (&accessor["min"], &accessor["max"]),
            (&json!([-0.5, -0.5, -0.5]), &json!([0.5, 0.5, 0.5]))
        );
        assert_eq!((primitive["mode"].as_u64(), glb.indices(primitive).len()), (Some(4), 12), "{name}");
    }
    assert_eq!(glb.indices(&glb.primitives("a")[0]), [0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2]);
    let names =
        glb.json["materials"].as_array().unwrap().iter().map(|material| material["name"].as_str().unwrap());
    let expected = ["face 000", "base hull", "hull, colour 0", "hull, colour 1", "physics triangles"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn the_root_has_the_scale_the_rotation_and_the_facts() {
    let glb = written(&build::asset(&build::blocks())).unwrap();
    let root = glb.node("a.llmesh");
    assert_eq!(glb.json["scenes"][0]["nodes"], json!([glb.json["nodes"].as_array().unwrap().len() - 1]));
    let matrix = glam::DMat4::from_cols_array(&serde_json::from_value(root["matrix"].clone()).unwrap());
    let (scale, rotation, _) = matrix.to_scale_rotation_translation();
    assert_eq!(scale.to_array(), [2.0, 1.0, 0.5]);
    // Up is Y, and nothing is rounded.
    assert!((rotation * DVec3::Z).distance(DVec3::Y) < 1e-9);
    assert_eq!(matrix.transform_point3(DVec3::new(0.5, 0.5, 0.5)), DVec3::new(1.0, 0.25, -0.5));
    assert_eq!(root["extras"]["max_hull_vertices"], 256);
    assert_eq!(root["extras"]["base_hull_cost"], 0.2);
    assert_eq!(root["extras"]["scale_m"], json!([2.0, 1.0, 0.5]));
    let hull = &glb.node("a_PHYS hull 1")["extras"];
    assert_eq!(
        (&hull["vertices"], &hull["physics_cost"], &hull["over_limit"]),
        (&4.into(), &0.2.into(), &false.into())
    );
    assert_eq!(glb.node("a_LOD1")["extras"]["triangles"], 4);
    assert_eq!(glb.node("a_PHYS")["extras"]["physics_triangles"], 4);
}

/// Solids are drawn from outside: the triangles of a closed surface enclose its volume.
#[test]
fn hulls_are_closed_and_not_inside_out() {
    for (low, high) in [([-0.5; 3], [0.5; 3]), ([0.5, -0.5, -0.5], [-0.5, 0.5, 0.5])] {
        let mut fields = build::convex_fields();
        fields[0].1 = build::vector(low);
        fields[1].1 = build::vector(high);
        let glb = written(&build::asset(&build::blocks_with("physics_convex", build::map(&fields)))).unwrap();
        let [primitive] = glb.primitives("a_PHYS hull 0") else { panic!() };
        let positions = glb.positions(primitive);
        let point = |index: u16| Vec3::from_slice(&positions[3 * usize::from(index)..]).as_dvec3();
        let triangles: Vec<[DVec3; 3]> =
            glb.indices(primitive).as_chunks::<3>().0.iter().map(|triangle| triangle.map(point)).collect();
        let volume: f64 = triangles.iter().map(|[a, b, c]| a.cross(*b).dot(*c) / 6.0).sum();
        assert!((volume - 1.0 / 6.0).abs() < 1e-6, "{volume}");
    }
}

#[test]
fn hulls_without_volume_are_flat_lines_or_points() {
    let points = [[0, 0, 9], [9, 0, 9], [9, 9, 9], [0, 9, 9], [0; 3], [9; 3], [7; 3]];
    let mut fields = build::convex_fields();
    fields[2].1 = build::binary([4, 2, 1]);
    fields[3].1 = build::triples(&points);
    let glb = written(&build::asset(&build::blocks_with("physics_convex", build::map(&fields)))).unwrap();
    let drawn = |name| {
        let [primitive] = glb.primitives(name) else { panic!("{name}") };
        (
            primitive["mode"].as_u64().unwrap(),
            glb.indices(primitive).len(),
            glb.positions(primitive).len() / 3,
        )
    };
    assert_eq!(
        [drawn("a_PHYS hull 0"), drawn("a_PHYS hull 1"), drawn("a_PHYS hull 2")],
        [(4, 6, 4), (1, 2, 2), (0, 1, 1)]
    );
}

#[test]
fn normals_have_length_one_and_v_counts_downwards() {
    let corner = |values: [f64; 2]| build::array(&values.map(build::real));
    let face = |normals: &[[u16; 3]]| {
        build::map(&[
            ("Position", build::triples(&build::CORNERS)),
            ("PositionDomain", build::unit()),
            ("TriangleList", build::triples(&[[0, 1, 2]])),
            ("Normal", build::triples(normals)),
            ("TexCoord0Domain", build::map(&[("Min", corner([0.0, 0.0])), ("Max", corner([1.0, 1.0]))])),
            ("TexCoord0", build::binary([0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255])),
        ])
    };
    let faces = [face(&[[65_535; 3]; 4]), face(&[[65_535; 3], [65_535; 3], [65_535; 3], [32_768; 3]])];
    let glb = written(&build::asset(&build::blocks_with("high_lod", build::array(&faces)))).unwrap();
    let [first, second] = glb.primitives("a") else { panic!() };
    let normals = glb.floats(&first["attributes"]["NORMAL"]);
    assert!(normals.len() == 12 && normals.iter().all(|part| (part - 1.0 / 3.0_f32.sqrt()).abs() < 1e-6));
    assert_eq!(glb.floats(&first["attributes"]["TEXCOORD_0"]), [0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 1.0, -1.0]);
    let normals = glb.floats(&second["attributes"]["NORMAL"]);
    assert_eq!(normals[9..], [0.0, 0.0, 1.0], "one of them has no direction");
    assert_eq!(second["extras"]["submesh"], 1);
}

#[test]
fn what_cannot_be_drawn_is_left_out() {
    let face = |triangles: &[[u16; 3]], domain| {
        build::map(&[
            ("Position", build::triples(&build::CORNERS)),
            ("PositionDomain", domain),
            ("TriangleList", build::triples(triangles)),
        ])
    };
    let endless = build::map(&[("Min", build::vector([-0.5; 3])), ("Max", build::vector([1e300; 3]))]);
    let faces = [
        face(&[[0, 1, 9]], build::unit()),
        face(&[[0, 1, 2], [0, 1, 9], [0, 2, 3]], build::unit()),
        face(&[[0, 1, 2]], endless),
    ];
    let glb = written(&build::asset(&build::blocks_with("high_lod", build::array(&faces)))).unwrap();
    let [primitive] = glb.primitives("a") else { panic!() };
    assert_eq!(
        (&primitive["extras"]["submesh"], glb.indices(primitive)),
        (&1.into(), vec![0, 1, 2, 0, 2, 3])
    );
    let damaged = written(&build::asset(&build::blocks_with("physics_convex", build::int(3)))).unwrap();
    assert!(damaged.has("a") && damaged.has("a_PHYS") && !damaged.has("a_PHYS base hull"));
    assert_eq!(damaged.node("a.llmesh")["extras"]["base_hull"], Value::Null);
    for bytes in [&b""[..], b"no mesh", &[0; 64], &build::asset(&[])] {
        assert_eq!(written(bytes).err(), Some(GltfError::NothingToDraw));
    }
}

#[test]
fn hulls_over_a_limit_are_marked() {
    let points: Vec<[u16; 3]> =
        (0..257).map(|at: u16| [at * 200, at.wrapping_mul(at), 65_535 - at]).collect();
    let mut fields = build::convex_fields();
    fields[4].1 = build::triples(&points);
    let glb = written(&build::asset(&build::blocks_with("physics_convex", build::map(&fields)))).unwrap();
    let material = glb.primitives("a_PHYS base hull")[0]["material"].as_u64().unwrap() as usize;
    assert_eq!(glb.json["materials"][material]["name"], "base hull over a limit");
    assert_eq!(glb.node("a_PHYS base hull")["extras"]["over_limit"], true);
    assert_eq!(glb.positions(&glb.primitives("a_PHYS base hull")[0]).len(), 3 * 257);
}

/// The value 65535 is no index of 2 bytes.
#[test]
fn many_vertices_have_indices_of_4_bytes() {
    for (vertices, kind) in [(65_535, 5123), (65_536, 5125)] {
        let points = (0..vertices).map(|at| DVec3::splat(f64::from(at)));
        let geometry = Geometry::new(Mode::Triangles, points, vec![0, 1, vertices - 1]).unwrap();
        let mut builder = Builder::default();
        let primitive = builder.add_primitive(&geometry, 0);
        let node = builder.add_mesh("a", &[primitive], &Value::Null).unwrap();
        let glb = Glb::read(&builder.finish(node).unwrap());
        let (accessor, bytes) = glb.accessor(&glb.primitives("a")[0]["indices"]);
        assert_eq!(accessor["componentType"], kind);
        assert_eq!(bytes.len(), if kind == 5123 { 6 } else { 12 });
    }
}

proptest! {
    /// Positions and triangles come back as they are in the asset.
    #[test]
    fn positions_come_back(
        points in prop::collection::vec(prop::array::uniform3(0..=u16::MAX), 1..40),
        triangles in prop::collection::vec(prop::array::uniform3(0..50_u16), 1..40),
    ) {
        let face = build::map(&[
            ("Position", build::triples(&points)),
            ("PositionDomain", build::unit()),
            ("TriangleList", build::triples(&triangles)),
        ]);
        let glb = written(&build::asset(&build::blocks_with("high_lod", build::array(&[face])))).unwrap();
        let held = |triangle: &&[u16; 3]| triangle.iter().all(|&index| usize::from(index) < points.len());
        let held: Vec<u16> = triangles.iter().filter(held).flatten().copied().collect();
        prop_assert_eq!(glb.has("a"), !held.is_empty());
        if glb.has("a") {
            let [primitive] = glb.primitives("a") else { panic!() };
            prop_assert_eq!(glb.positions(primitive), decoded(&points));
            prop_assert_eq!(glb.indices(primitive), held);
        }
    }

    /// For any points, sizes and corners, the numbers of the file are finite.
    #[test]
    fn any_hulls_are_written_or_left_out(
        points in prop::collection::vec(prop::array::uniform3(0..4_u16), 0..40),
        sizes in prop::collection::vec(any::<u8>(), 0..6),
        corners in prop::array::uniform2(prop::array::uniform3(any::<f64>())),
    ) {
        let fields = [
            ("Min", build::vector(corners[0])),
            ("Max", build::vector(corners[1])),
            ("HullList", build::binary(&sizes)),
            ("Positions", build::triples(&points)),
            ("BoundingVerts", build::triples(&points)),
        ];
        let glb = written(&build::asset(&build::blocks_with("physics_convex", build::map(&fields)))).unwrap();
        for accessor in glb.json["accessors"].as_array().unwrap().iter().filter(|accessor| accessor["type"] == "VEC3") {
            prop_assert!(accessor["min"].as_array().unwrap().iter().all(Value::is_number));
        }
    }
}

#[test]
fn directions_are_stored_as_the_steps_that_they_came_from() {
    let steps = |normal: Vec3| ((normal + 1.0) * 0.5).to_array().map(|part| (part * 65_535.0) as u16);
    let (mut exact, all) = (0, 20_000);
    for number in 0..all {
        // Points of a spiral on the sphere.
        let z = 1.0 - 2.0 * (f64::from(number) + 0.5) / f64::from(all);
        let (angle, side) = (f64::from(number) * 2.399_963, (1.0 - z * z).sqrt());
        let stored = steps(DVec3::new(side * angle.cos(), side * angle.sin(), z).as_vec3());
        let again = steps(direction(stored).as_vec3());
        exact += u32::from(again == stored);
        let away = again.iter().zip(stored).map(|(&a, b)| a.abs_diff(b)).max();
        assert!(away <= Some(1), "{stored:?} {again:?}");
    }
    assert!(exact * 1_000 >= all * 998, "{exact} of {all}");
}

#[test]
fn a_face_that_is_read_again_has_the_same_vertices_and_domain() {
    let bounds = |x: f64, y: f64| {
        build::map(&[("Min", build::vector([-x, -y, 0.0])), ("Max", build::vector([x, y, 0.0]))])
    };
    // Two vertices are equal, one has no triangle, the mesh is flat, and nothing has the largest y of its domain.
    let points = [[0, 0, 0], [65_535, 0, 0], [0, 65_534, 0], [0, 65_534, 0], [700, 800, 0]];
    let face = build::map(&[
        ("Position", build::triples(&points)),
        ("PositionDomain", bounds(0.5, 0.48974528908729553)),
        ("Normal", build::triples(&[[32_767, 32_767, 65_535]; 5])),
        ("TriangleList", build::triples(&[[0, 1, 2], [1, 3, 0]])),
    ]);
    let bytes = build::asset(&build::blocks_with("medium_lod", build::array(&[face])));
    let (mesh, _) = decode(&bytes, &Limits::default());
    let facts = MeshFacts::new("a.llmesh".into(), None, &bytes, &mesh, &mut Work::unlimited());
    let file = glb(&mesh, &MeshView::new(&facts, SCALE, &Profile::default(), Vec::new())).unwrap();
    let model = Model { file: File { name: "a.glb", bytes: &file }, beside: &[] };
    let (upload, _) = model.upload(&Limits::default(), &mut Work::unlimited());
    let (again, _) = decode(&upload.parts[0].asset, &Limits::default());
    let [before, after] = [mesh, again].map(|mesh| mesh.lods[2].as_deref().unwrap()[0].clone());
    assert_eq!((after.positions, after.triangles), (before.positions, before.triangles));
    assert_eq!((after.normals, after.domain), (before.normals, before.domain));
}
