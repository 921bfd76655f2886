mod damaged;
mod skin;

use super::{build::*, *};
use crate::{
    defect::{Corner, DefectKind},
    llsd::MAX_VALUES,
};

fn limits() -> Limits {
    Limits::default()
}

fn decoded(bytes: &[u8]) -> (Mesh, Vec<Defect>) {
    decode(bytes, &limits())
}

fn names(defects: &[Defect]) -> Vec<String> {
    defects.iter().map(Defect::name).collect()
}

/// Returns the defects of a valid asset with one block replaced.
fn with_block(name: &'static str, value: Vec<u8>) -> (Mesh, Vec<Defect>) {
    decoded(&asset(&blocks_with(name, value)))
}

/// Returns the defects of a valid asset with a changed convex block.
fn with_convex(change: impl FnOnce(&mut Vec<Field<'static>>)) -> (Mesh, Vec<Defect>) {
    let mut fields = convex_fields();
    change(&mut fields);
    with_block("physics_convex", map(&fields))
}

fn only<'d>(defects: &'d [Defect], name: &str) -> &'d Defect {
    assert_eq!(names(defects), [name], "{defects:#?}");
    &defects[0]
}

#[test]
fn a_good_mesh_has_no_defects() {
    let bytes = asset(&blocks());
    let (mesh, defects) = decoded(&bytes);
    assert_eq!(defects, []);
    assert_eq!(mesh.oddities, [""; 0]);
    assert_eq!(mesh.blocks.len(), 7);
    assert!(mesh.blocks.iter().all(|block| block.inflated.is_some()));
    assert_eq!(
        mesh.blocks.iter().map(|block| block.size).sum::<i64>() + mesh.header_bytes as i64,
        bytes.len() as i64
    );
    for lod in mesh.lods.iter().chain([&mesh.physics_mesh]) {
        let lod = lod.as_ref().expect("it is there");
        assert_eq!((lod.len(), lod[0].positions.as_slice(), lod[0].triangles.len()), (1, &CORNERS[..], 4));
        assert!(lod[0].domain == Domain::UNIT);
    }
    let convex = mesh.convex.expect("it is there");
    assert_eq!(convex.base.as_deref(), Some(&CORNERS[..]));
    assert_eq!(convex.hulls().collect::<Vec<_>>(), [&CORNERS[..]; 2]);
    assert_eq!((mesh.version, mesh.joints), (None, Some(1)));
}

#[test]
fn nothing_and_nothing_but_zeros_are_empty_assets() {
    for bytes in [&[][..], &[0; 100]] {
        let (mesh, defects) = decoded(bytes);
        assert_eq!(only(&defects, "blank-asset").measured, Some(Number(bytes.len() as f64)));
        assert_eq!(mesh, Mesh::default());
    }
}

#[test]
fn an_invalid_header_is_reported_with_its_place() {
    let (_, defects) = decoded(b"{\"json\": 1}");
    assert_eq!(only(&defects, "llsd").place.offset, Some(1));
    let (_, defects) = decoded(&array(&[]));
    assert_eq!(defects[0].kind, MeshDefect::HeaderNotMap { found: "an array".into() }.into());
}

#[test]
fn header_fields_are_read_and_evaluated() {
    let fields = [
        ("version", int(1000)),
        ("submodel_id", int(1)),
        ("creator", [b"u".as_slice(), &[1; 16]].concat()),
        ("date", b"d\0\0\0\0\0\0\0\0".to_vec()),
        ("material_list", array(&[string("a")])),
        (
            "physics_cost_data",
            map(&[
                ("hull", real(0.36)),
                ("decomposition_hulls", int(2)),
                ("mesh", array(&[const { 1.0 }; 9].map(real))),
                ("mesh_triangles", real(f64::NAN)),
            ]),
        ),
    ];
    let streams: Vec<_> = blocks().into_iter().map(|(name, value)| (name, zlib(&value))).collect();
    let (mesh, defects) = decoded(&asset_of_streams(&streams, &fields));
    let defect = only(&defects, "version-too-new");
    assert_eq!((defect.measured, defect.limit), (Some(Number(1000.0)), Some(Number(999.0))));
    assert_eq!(mesh.version, Some(1000));
    assert_eq!(mesh.oddities, ["submodel"]);
    let costs = mesh.cost_data.expect("it is there");
    assert_eq!(
        (costs.hull, costs.decomposition_hulls, costs.mesh_triangles),
        (Some(Number(0.36)), Some(Number(2.0)), None)
    );
    assert_eq!(costs.mesh, [Number(1.0); 9]);
    assert!(mesh.blocks.iter().all(|block| block.name != "physics_cost_data"));

    let long = [("material_list", array(&vec![string("material"); 400]))];
    let (_, defects) = decoded(&asset_of_streams(&streams, &long));
    assert_eq!(only(&defects, "header-too-long").limit, Some(Number(4096.0)));
    let (_, defects) = decoded(&map(&[("404", int(1))]));
    assert_eq!(names(&defects), ["missing-marker", "convex-missing"]);
}

#[test]
fn text_in_front_moves_the_offsets_and_is_an_oddity() {
    let prefix = b"<? LLSD/Binary ?>\n";
    let mut all = blocks();
    all[3].1 = [&prefix[..], &all[3].1].concat();
    let (mesh, defects) = decoded(&[&prefix[..], &asset(&all)].concat());
    assert_eq!(defects, []);
    assert_eq!(mesh.oddities, ["block-prefix", "text-prefix"]);
}

#[test]
fn blocks_outside_and_over_each_other_lose_only_themselves() {
    let stream = zlib(&array(&[submesh()]));
    let size = stream.len() as i32;
    let header = map(&[
        ("high_lod", entry(0, size)),
        ("medium_lod", entry(1, size)),
        ("low_lod", entry(size, 0)),
        ("lowest_lod", entry(-1, size)),
        ("physics_mesh", entry(i32::MAX, i32::MAX)),
        ("skin", entry(-7, 5)),
        ("physics_convex", map(&[("offset", string("0")), ("size", int(3))])),
        ("physics_havok", entry(0, 1)),
    ]);
    let (mesh, defects) = decoded(&[header, stream].concat());
    let reported: Vec<_> = defects.iter().map(|defect| (defect.name(), &*defect.place.within)).collect();
    assert_eq!(
        reported,
        [
            ("block-number-not-integer".into(), "physics_convex"),
            ("negative-range".into(), "skin"),
            ("blocks-overlap".into(), "high_lod"),
            ("block-outside".into(), "medium_lod"),
            ("block-outside".into(), "physics_mesh"),
            ("convex-missing".into(), "physics_convex"),
        ],
        "{defects:#?}"
    );
    // The havok block is not read, and comes first.
    assert_eq!(defects[2].measured, Some(Number(1.0)));
    assert!(mesh.lods[3].is_some());
    let names: Vec<_> = mesh.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["skin", "physics_havok", "high_lod", "medium_lod", "physics_mesh"]);
}

#[test]
fn old_names_are_read_and_reported() {
    let mut all = blocks();
    all[1] = (
        "decomposition",
        map(&[
            ("Min", vector([-0.5; 3])),
            ("Max", vector([0.5; 3])),
            ("HullList", binary([4])),
            ("Position", triples(&CORNERS)),
            ("Hull", triples(&CORNERS)),
        ]),
    );
    all[6].0 = "physics_shape";
    let (mesh, defects) = decoded(&asset(&all));
    assert_eq!(
        names(&defects),
        ["convex-old-name", "hulls-under-old-name", "physics-mesh-old-name"],
        "nothing finds the hulls"
    );
    assert_eq!(mesh.oddities, ["beta-names"]);
    assert!(mesh.physics_mesh.is_some());
    let convex = mesh.convex.expect("it is read");
    assert_eq!((convex.hulls().count(), convex.base.map(|base| base.len())), (1, Some(4)));
}

#[test]
fn of_doubled_names_the_documented_one_wins() {
    let mut all = blocks();
    all.push(("decomposition", map(&[])));
    all.push(("physics_shape", array(&[submesh(), submesh()])));
    let (mesh, defects) = decoded(&asset(&all));
    assert_eq!(names(&defects), ["convex-twice", "physics-mesh-twice"]);
    assert!(mesh.convex.is_some_and(|convex| convex.base.is_some()));
    assert_eq!(mesh.physics_mesh.map(|faces| faces.len()), Some(1), "as Second Life reads it");
    assert_eq!(mesh.physics_shape.map(|faces| faces.len()), Some(2), "as OpenSim reads it");
    assert!(mesh.blocks.iter().all(|block| block.inflated.is_some()));

    let (mesh, defects) = with_convex(|fields| fields.push(("Hull", triples(&[]))));
    only(&defects, "points-twice");
    assert!(mesh.convex.is_some_and(|convex| convex.base.is_some_and(|base| base.len() == 4)));
}

#[test]
fn base_hulls_that_are_missing_or_small_are_reported() {
    for (points, code) in [(0, Some("too-few-base-points")), (2, Some("too-few-base-points")), (3, None)] {
        let (mesh, defects) = with_convex(|fields| fields[4].1 = triples(&CORNERS[..points]));
        assert_eq!(defects.first().map(Defect::name).as_deref(), code);
        assert_eq!(mesh.convex.and_then(|convex| convex.base).map(|base| base.len()), Some(points));
    }
    let (mesh, defects) = with_convex(|fields| drop(fields.pop()));
    let defect = only(&defects, "base-points-missing");
    assert_eq!((defect.measured, defect.limit), (Some(Number(0.0)), Some(Number(3.0))));
    assert!(mesh.convex.is_some_and(|convex| convex.base.is_none()));

    let mut all = blocks();
    all.remove(1);
    let (mesh, defects) = decoded(&asset(&all));
    assert_eq!(only(&defects, "convex-missing").measured, Some(Number(0.0)));
    assert!(mesh.convex.is_none());
}

#[test]
fn decompositions_that_do_not_add_up_are_reported() {
    let (mesh, defects) = with_convex(|fields| fields[2].1 = binary([4, 0]));
    let defect = only(&defects, "hull-sizes-differ");
    assert_eq!((defect.measured, defect.limit), (Some(Number(8.0)), Some(Number(260.0))));
    let convex = mesh.convex.expect("it is read");
    assert_eq!(convex.hull_sizes.as_deref(), Some(&[4, 256][..]));
    assert_eq!(convex.hulls().map(<[_]>::len).collect::<Vec<_>>(), [4, 4]);

    let (_, defects) = with_convex(|fields| fields[2].1 = binary([4]));
    let defect = only(&defects, "hull-sizes-differ");
    assert_eq!((defect.measured, defect.limit), (Some(Number(8.0)), Some(Number(4.0))));
    let (_, defects) = with_convex(|fields| drop(fields.remove(2)));
    assert_eq!(only(&defects, "points-without-hulls").measured, Some(Number(8.0)));
    let (_, defects) = with_convex(|fields| drop(fields.remove(3)));
    assert_eq!(only(&defects, "hulls-without-points").measured, Some(Number(2.0)));
    let (_, defects) = with_convex(|fields| fields[4].1 = binary([0; 20]));
    let uneven = Defect::new(MeshDefect::UnevenPoints { list: "BoundingVerts".into() });
    assert_eq!(defects, [uneven.within("physics_convex").measured(20)]);
    let (_, defects) = with_convex(|fields| fields[3].1 = string("x"));
    assert_eq!(names(&defects), ["convex-list-not-binary", "hulls-without-points"]);
}

#[test]
fn two_hundred_and_fifty_six_points_are_written_as_zero() {
    let points: Vec<[u16; 3]> = (0..256).map(|index| [index, index * index % 251, 7]).collect();
    let (mesh, defects) = with_convex(|fields| {
        fields[2].1 = binary([0]);
        fields[3].1 = triples(&points);
    });
    assert_eq!(defects, []);
    let convex = mesh.convex.expect("it is read");
    assert_eq!(convex.hulls().collect::<Vec<_>>(), [&points[..]]);
}

#[test]
fn domains_are_evaluated() {
    let (mesh, defects) = with_convex(|fields| drop(fields.drain(..2)));
    only(&defects, "domain-missing");
    assert_eq!(mesh.oddities, ["no-domain"]);
    assert!(mesh.convex.is_some_and(|convex| convex.domain == Domain::UNIT));

    let (mesh, defects) = with_convex(|fields| {
        fields[0].1 = vector([-0.25; 3]);
        fields.remove(1);
    });
    let kind = MeshDefect::DomainMissing { corner: Some(Corner::Max) };
    assert_eq!(only(&defects, "domain-missing").kind, kind.into());
    assert_eq!(mesh.convex.map(|convex| (convex.domain.min.x, convex.domain.max.x)), Some((-0.25, 0.5)));

    // A flat domain is valid. An inverted one, or one with a value that is not a number, is not.
    for (max, code) in [
        ([0.5, 0.5, -0.5], None),
        ([0.5, 0.5, -0.6], Some("inverted-domain")),
        ([0.5, f64::NAN, 0.5], Some("corner-not-finite")),
        ([0.5, 1e300, 0.5], Some("corner-not-finite")),
    ] {
        let (_, defects) = with_convex(|fields| fields[1].1 = vector(max));
        assert_eq!(defects.first().map(Defect::name).as_deref(), code, "{max:?}");
        assert_eq!(defects.len(), usize::from(code.is_some()));
    }
    let (_, defects) = with_convex(|fields| fields[1].1 = array(&[int(1), int(1)]));
    only(&defects, "corner-malformed");
    // Integers are valid numbers.
    let (mesh, defects) = with_convex(|fields| fields[1].1 = array(&[int(1), int(2), int(3)]));
    assert_eq!(defects, []);
    assert_eq!(mesh.convex.map(|convex| convex.domain.max.to_array()), Some([1.0, 2.0, 3.0]));
}

#[test]
fn submeshes_are_evaluated_one_by_one() {
    let position = ("Position", triples(&CORNERS));
    let domain = ("PositionDomain", unit());
    let faces = array(&[
        submesh(),
        map(&[("NoGeometry", b"1".to_vec())]),
        map(&[position.clone(), domain.clone(), ("TriangleList", triples(&[[0, 4, 9], [1, 2, 3]]))]),
        map(&[position.clone(), domain.clone(), ("TriangleList", binary([0; 8]))]),
        map(&[("Position", binary([0; 7])), domain.clone(), ("TriangleList", triples(&[[0, 0, 0]]))]),
        map(&[position.clone(), domain]),
        map(&[position, ("TriangleList", triples(&[[0, 1, 2]]))]),
        int(3),
    ]);
    let (mesh, defects) = with_block("physics_mesh", faces);
    let reported: Vec<_> = defects.iter().map(|defect| (defect.name(), defect.place.index)).collect();
    assert_eq!(
        reported,
        [
            ("indices-outside".into(), Some(2)),
            ("uneven-triangles".into(), Some(3)),
            ("uneven-positions".into(), Some(4)),
            ("submesh-list-missing".into(), Some(5)),
            ("submesh-domain-missing".into(), Some(6)),
            ("submesh-not-map".into(), Some(7)),
        ],
        "{defects:#?}"
    );
    assert_eq!((defects[0].measured, defects[0].limit), (Some(Number(2.0)), Some(Number(4.0))));
    assert_eq!(mesh.oddities, ["no-domain", "no-geometry"]);
    let faces = mesh.physics_mesh.expect("it is read");
    assert_eq!(faces.len(), 8);
    assert!(faces[1].empty && faces[6].domain == Domain::UNIT);
}

#[test]
fn levels_of_detail_are_compared() {
    let mut all = blocks();
    all.remove(3);
    let (_, defects) = decoded(&asset(&all));
    let kind = MeshDefect::UpperLevelMissing { upper: "low_lod".into() };
    assert_eq!(defects, [Defect::new(kind).within("lowest_lod")]);
    let (_, defects) = with_block("low_lod", array(&[submesh(), submesh()]));
    let kind = MeshDefect::SubmeshCountsDiffer { reference: "high_lod".into() };
    assert_eq!(defects, [Defect::new(kind).within("low_lod").measured(2).limit(1)]);
    let mut all = blocks();
    all.remove(5);
    only(&decoded(&asset(&all)).1, "highest-level-missing");
    let (_, defects) = with_block("high_lod", map(&[]));
    only(&defects, "level-not-array");
}

#[test]
fn thousands_of_faults_are_few_rows_that_count_them_all() {
    let faces = array(&vec![map(&[("TriangleList", triples(&[[1, 2, 3]]))]); 1000]);
    let (_, defects) = with_block("physics_mesh", faces);
    for name in ["submesh-list-missing", "submesh-domain-missing", "indices-outside"] {
        let rows: Vec<_> = defects.iter().filter(|defect| defect.name() == name).collect();
        assert_eq!(rows.len(), 64, "{name}");
        assert_eq!(rows.iter().map(|defect| defect.count).sum::<u64>(), 1000, "{name}");
        assert!(rows.iter().all(|defect| defect.subjects == 1), "{name}");
    }
    assert_eq!(defects.len(), 3 * 64);
}

#[test]
fn scenes_are_reported_from_meshes_and_read() {
    let mesh = asset(&blocks());
    let transform = array(&[const { 1.0 }; 16].map(real));
    let scene = map(&[
        (
            "instance",
            array(&[
                map(&[("mesh_id", int(0)), ("label", string("one")), ("transform", transform)]),
                map(&[("mesh_id", int(7)), ("material", array(&[map(&[])]))]),
            ]),
        ),
        ("mesh", array(&[string(&mesh), int(1)])),
        ("name", string("two")),
        ("version", int(3)),
    ]);
    assert_eq!(sniff(&scene), Sniffed::Scene);
    assert_eq!(sniff(&scene[..30]), Sniffed::Scene);
    assert_eq!(sniff(&mesh), Sniffed::Mesh);
    assert_eq!(sniff(&mesh[..40]), Sniffed::Mesh);
    assert_eq!(sniff(&[b"<? LLSD/Binary ?>\n".as_slice(), &mesh].concat()), Sniffed::Mesh);
    assert_eq!(sniff(&map(&[("version", int(1))])), Sniffed::OtherLlsd);
    assert_eq!(sniff(&map(&[("mesh", int(1))])), Sniffed::OtherLlsd);
    for text in ["{\"mesh\": []}", "{'high_lod':{'offset':i0}}", "<?xml version=\"1.0\"?><llsd>", ""] {
        assert_eq!(sniff(text.as_bytes()), Sniffed::NotLlsd);
    }

    let (read, defects) = decode_scene(&scene, &limits());
    assert_eq!(names(&defects), ["scene-mesh-not-string", "scene-instance-without-mesh"]);
    assert_eq!((read.version, read.name.as_str(), read.meshes.len()), (Some(3), "two", 2));
    assert_eq!(decoded(&read.meshes[0]).1, []);
    assert_eq!(decoded(&read.meshes[1]).1[0].name(), "blank-asset");
    assert_eq!(
        read.instances[0],
        Instance { mesh: Some(0), label: "one".into(), transform: Some([1.0; 16]), materials: 0 }
    );
    assert_eq!((read.instances[1].mesh, read.instances[1].materials), (None, 1));
    for end in 0..scene.len() {
        decode_scene(&scene[..end], &limits());
    }
}

/// The facts of Hippolyzer's test cube. The file cannot be distributed, so this runs only if it is present.
#[test]
fn the_test_cube_of_hippolyzer_reads_as_published() {
    let Ok(bytes) = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/testslm.slm"))
    else {
        return;
    };
    let (mesh, defects) = decoded(&bytes);
    assert_eq!(defects, []);
    assert_eq!((bytes.len(), mesh.header_bytes, sniff(&bytes)), (1502, 355, Sniffed::Mesh));
    let blocks: Vec<_> = mesh
        .blocks
        .iter()
        .map(|block| (block.name.as_str(), block.offset, block.size, block.inflated))
        .collect();
    assert_eq!(
        blocks,
        [
            ("skin", 0, 139, Some(392)),
            ("physics_convex", 139, 72, Some(129)),
            ("lowest_lod", 211, 203, Some(433)),
            ("low_lod", 414, 203, Some(433)),
            ("medium_lod", 617, 203, Some(433)),
            ("high_lod", 820, 327, Some(853)),
        ]
    );
    let counts = mesh
        .lods
        .map(|lod| lod.map(|faces| (faces.len(), faces[0].positions.len(), faces[0].triangles.len())));
    assert_eq!(counts, [Some((1, 6, 2)), Some((1, 6, 2)), Some((1, 6, 2)), Some((1, 24, 12))]);
    let convex = mesh.convex.expect("it is there");
    assert!(convex.hull_sizes.is_none() && convex.domain == Domain::UNIT);
    let base: Vec<_> =
        convex.base.iter().flatten().map(|&point| convex.domain.point(point).to_array()).collect();
    assert_eq!(base, [[0.5, 0.5, -0.5], [-0.5, -0.5, -0.5], [0.5, -0.5, 0.5]]);
    assert_eq!(mesh.joints, Some(1));
}
