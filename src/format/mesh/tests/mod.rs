mod damaged;

use super::{build::*, *};
use crate::format::llsd::MAX_VALUES;

fn limits() -> Limits {
    Limits::default()
}

fn decoded(bytes: &[u8]) -> (Mesh, Vec<Finding>) {
    decode(bytes, &limits())
}

fn codes(findings: &[Finding]) -> Vec<Code> {
    findings.iter().map(|finding| finding.code).collect()
}

/// Findings of a good asset with one block replaced.
fn with_block(name: &'static str, value: Vec<u8>) -> (Mesh, Vec<Finding>) {
    decoded(&asset(&blocks_with(name, value)))
}

/// Findings of a good asset with a convex block of these fields instead of those of the same name.
fn with_convex(change: impl FnOnce(&mut Vec<Field<'static>>)) -> (Mesh, Vec<Finding>) {
    let mut fields = convex_fields();
    change(&mut fields);
    with_block("physics_convex", map(&fields))
}

fn only(findings: &[Finding], code: Code) -> &Finding {
    assert_eq!(codes(findings), [code], "{findings:#?}");
    &findings[0]
}

#[test]
fn a_good_mesh_has_no_findings() {
    let bytes = asset(&blocks());
    let (mesh, findings) = decoded(&bytes);
    assert_eq!(findings, []);
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
        let (mesh, findings) = decoded(bytes);
        assert_eq!(only(&findings, Code::MSH014).measured, Some(bytes.len() as f64));
        assert_eq!(mesh, Mesh::default());
    }
}

#[test]
fn a_header_that_is_none_is_told_with_its_place() {
    let (_, findings) = decoded(b"{\"json\": 1}");
    assert_eq!(only(&findings, Code::MSH001).place.offset, Some(1));
    let (_, findings) = decoded(&array(&[]));
    assert_eq!(
        findings[0].message(),
        "The mesh header cannot be read: it is an array, where a map should be"
    );
}

#[test]
fn header_fields_are_read_and_judged() {
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
    let (mesh, findings) = decoded(&asset_of_streams(&streams, &fields));
    let finding = only(&findings, Code::MSH001);
    assert_eq!((finding.measured, finding.limit), (Some(1000.0), Some(999.0)));
    assert_eq!(mesh.version, Some(1000));
    assert_eq!(mesh.oddities, ["submodel"]);
    let costs = mesh.cost_data.expect("it is there");
    assert_eq!((costs.hull, costs.decomposition_hulls, costs.mesh_triangles), (Some(0.36), Some(2.0), None));
    assert_eq!(costs.mesh, [1.0; 9]);
    assert!(mesh.blocks.iter().all(|block| block.name != "physics_cost_data"));

    let long = [("material_list", array(&vec![string("material"); 400]))];
    let (_, findings) = decoded(&asset_of_streams(&streams, &long));
    assert_eq!(only(&findings, Code::MSH016).limit, Some(4096.0));
    let (_, findings) = decoded(&map(&[("404", int(1))]));
    assert_eq!(codes(&findings), [Code::MSH001, Code::HUL008]);
}

#[test]
fn text_in_front_moves_the_offsets_and_is_an_oddity() {
    let prefix = b"<? LLSD/Binary ?>\n";
    let mut all = blocks();
    all[3].1 = [&prefix[..], &all[3].1].concat();
    let (mesh, findings) = decoded(&[&prefix[..], &asset(&all)].concat());
    assert_eq!(findings, []);
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
    let (mesh, findings) = decoded(&[header, stream].concat());
    let told: Vec<_> = findings.iter().map(|finding| (finding.code, &*finding.place.within)).collect();
    assert_eq!(
        told,
        [
            (Code::MSH015, "physics_convex"),
            (Code::MSH002, "skin"),
            (Code::MSH002, "high_lod"),
            (Code::MSH002, "medium_lod"),
            (Code::MSH002, "physics_mesh"),
            (Code::HUL008, "physics_convex"),
        ],
        "{findings:#?}"
    );
    // The havok block is not read, and lies in front.
    assert_eq!(findings[2].measured, Some(1.0));
    assert!(mesh.lods[3].is_some());
    let names: Vec<_> = mesh.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["skin", "physics_havok", "high_lod", "medium_lod", "physics_mesh"]);
}

#[test]
fn old_names_are_read_and_told() {
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
    let (mesh, findings) = decoded(&asset(&all));
    assert_eq!(codes(&findings), [Code::MSH011, Code::HUL008, Code::MSH011], "nothing finds the hulls");
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
    let (mesh, findings) = decoded(&asset(&all));
    assert_eq!(codes(&findings), [Code::MSH011; 2]);
    assert!(mesh.convex.is_some_and(|convex| convex.base.is_some()));
    assert_eq!(mesh.physics_mesh.map(|faces| faces.len()), Some(1), "as Second Life reads it");
    assert_eq!(mesh.physics_shape.map(|faces| faces.len()), Some(2), "as OpenSim reads it");
    assert!(mesh.blocks.iter().all(|block| block.inflated.is_some()));

    let (mesh, findings) = with_convex(|fields| fields.push(("Hull", triples(&[]))));
    only(&findings, Code::MSH011);
    assert!(mesh.convex.is_some_and(|convex| convex.base.is_some_and(|base| base.len() == 4)));
}

#[test]
fn base_hulls_that_are_missing_or_small_are_told() {
    for (points, code) in [(0, Some(Code::HUL008)), (2, Some(Code::HUL008)), (3, None)] {
        let (mesh, findings) = with_convex(|fields| fields[4].1 = triples(&CORNERS[..points]));
        assert_eq!(findings.first().map(|finding| finding.code), code);
        assert_eq!(mesh.convex.and_then(|convex| convex.base).map(|base| base.len()), Some(points));
    }
    let (mesh, findings) = with_convex(|fields| drop(fields.pop()));
    let finding = only(&findings, Code::HUL008);
    assert_eq!((finding.measured, finding.limit), (Some(0.0), Some(3.0)));
    assert!(mesh.convex.is_some_and(|convex| convex.base.is_none()));

    let mut all = blocks();
    all.remove(1);
    let (mesh, findings) = decoded(&asset(&all));
    assert_eq!(only(&findings, Code::HUL008).measured, Some(0.0));
    assert!(mesh.convex.is_none());
}

#[test]
fn decompositions_that_do_not_add_up_are_told() {
    let (mesh, findings) = with_convex(|fields| fields[2].1 = binary([4, 0]));
    let finding = only(&findings, Code::HUL003);
    assert_eq!((finding.measured, finding.limit), (Some(8.0), Some(260.0)));
    let convex = mesh.convex.expect("it is read");
    assert_eq!(convex.hull_sizes.as_deref(), Some(&[4, 256][..]));
    assert_eq!(convex.hulls().map(<[_]>::len).collect::<Vec<_>>(), [4, 4]);

    let (_, findings) = with_convex(|fields| fields[2].1 = binary([4]));
    assert!(only(&findings, Code::HUL003).detail.starts_with("4 points belong to no hull"));
    let (_, findings) = with_convex(|fields| drop(fields.remove(2)));
    assert_eq!(only(&findings, Code::HUL010).measured, Some(8.0));
    let (_, findings) = with_convex(|fields| drop(fields.remove(3)));
    assert_eq!(only(&findings, Code::HUL010).measured, Some(2.0));
    let (_, findings) = with_convex(|fields| fields[4].1 = binary([0; 20]));
    assert_eq!(
        only(&findings, Code::HUL004).message(),
        "BoundingVerts of physics_convex holds 20 bytes, which is not a multiple of 6"
    );
    let (_, findings) = with_convex(|fields| fields[3].1 = string("x"));
    assert_eq!(codes(&findings), [Code::MSH015, Code::HUL010]);
}

#[test]
fn two_hundred_and_fifty_six_points_are_written_as_zero() {
    let points: Vec<[u16; 3]> = (0..256).map(|index| [index, index * index % 251, 7]).collect();
    let (mesh, findings) = with_convex(|fields| {
        fields[2].1 = binary([0]);
        fields[3].1 = triples(&points);
    });
    assert_eq!(findings, []);
    let convex = mesh.convex.expect("it is read");
    assert_eq!(convex.hulls().collect::<Vec<_>>(), [&points[..]]);
}

#[test]
fn domains_are_judged() {
    let (mesh, findings) = with_convex(|fields| drop(fields.drain(..2)));
    only(&findings, Code::MSH016);
    assert_eq!(mesh.oddities, ["no-domain"]);
    assert!(mesh.convex.is_some_and(|convex| convex.domain == Domain::UNIT));

    let (mesh, findings) = with_convex(|fields| {
        fields[0].1 = vector([-0.25; 3]);
        fields.remove(1);
    });
    assert!(only(&findings, Code::MSH016).detail.contains("viewers take 0"));
    assert_eq!(mesh.convex.map(|convex| (convex.domain.min.x, convex.domain.max.x)), Some((-0.25, 0.5)));

    // Flat is legal, inside out and no number are not.
    for (max, code) in [
        ([0.5, 0.5, -0.5], None),
        ([0.5, 0.5, -0.6], Some(Code::HUL007)),
        ([0.5, f64::NAN, 0.5], Some(Code::HUL007)),
        ([0.5, 1e300, 0.5], Some(Code::HUL007)),
    ] {
        let (_, findings) = with_convex(|fields| fields[1].1 = vector(max));
        assert_eq!(findings.first().map(|finding| finding.code), code, "{max:?}");
        assert_eq!(findings.len(), usize::from(code.is_some()));
    }
    let (_, findings) = with_convex(|fields| fields[1].1 = array(&[int(1), int(1)]));
    only(&findings, Code::HUL007);
    // Whole numbers are numbers.
    let (mesh, findings) = with_convex(|fields| fields[1].1 = array(&[int(1), int(2), int(3)]));
    assert_eq!(findings, []);
    assert_eq!(mesh.convex.map(|convex| convex.domain.max.to_array()), Some([1.0, 2.0, 3.0]));
}

#[test]
fn submeshes_are_judged_one_by_one() {
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
    let (mesh, findings) = with_block("physics_mesh", faces);
    let told: Vec<_> = findings.iter().map(|finding| (finding.code, finding.place.index)).collect();
    assert_eq!(
        told,
        [
            (Code::MSH006, Some(2)),
            (Code::MSH015, Some(3)),
            (Code::HUL004, Some(4)),
            (Code::MSH015, Some(5)),
            (Code::MSH016, Some(6)),
            (Code::MSH015, Some(7)),
        ],
        "{findings:#?}"
    );
    assert_eq!((findings[0].measured, findings[0].limit), (Some(2.0), Some(4.0)));
    assert_eq!(mesh.oddities, ["no-domain", "no-geometry"]);
    let faces = mesh.physics_mesh.expect("it is read");
    assert_eq!(faces.len(), 8);
    assert!(faces[1].empty && faces[6].domain == Domain::UNIT);
}

#[test]
fn levels_of_detail_are_compared() {
    let mut all = blocks();
    all.remove(3);
    let (_, findings) = decoded(&asset(&all));
    assert!(only(&findings, Code::MSH016).detail.starts_with("lowest_lod is there and low_lod is not"));
    let (_, findings) = with_block("low_lod", array(&[submesh(), submesh()]));
    assert_eq!(only(&findings, Code::MSH016).detail, "low_lod has 2 submeshes and high_lod has 1");
    let mut all = blocks();
    all.remove(5);
    only(&decoded(&asset(&all)).1, Code::MSH004);
    let (_, findings) = with_block("high_lod", map(&[]));
    only(&findings, Code::MSH015);
}

#[test]
fn thousands_of_faults_are_few_rows_that_count_them_all() {
    let faces = array(&vec![map(&[("TriangleList", triples(&[[1, 2, 3]]))]); 1000]);
    let (_, findings) = with_block("physics_mesh", faces);
    for code in [Code::MSH015, Code::MSH016, Code::MSH006] {
        let rows: Vec<_> = findings.iter().filter(|finding| finding.code == code).collect();
        assert_eq!(rows.len(), 64, "{code}");
        assert_eq!(rows.iter().map(|finding| finding.count).sum::<u64>(), 1000, "{code}");
        assert!(rows.iter().all(|finding| finding.subjects == 1), "{code}");
    }
    assert_eq!(findings.len(), 3 * 64);
}

#[test]
fn scenes_are_told_from_meshes_and_read() {
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

    assert_eq!(open(&mesh, &limits()), (MeshFile::Mesh, vec![]));
    let (MeshFile::Scene(read), findings) = open(&scene, &limits()) else { panic!("it is a scene") };
    assert_eq!(codes(&findings), [Code::MSH015, Code::MSH016]);
    assert_eq!((read.version, read.name.as_str(), read.meshes.len()), (Some(3), "two", 2));
    assert_eq!(decoded(&read.meshes[0]).1, []);
    assert_eq!(decoded(&read.meshes[1]).1[0].code, Code::MSH014);
    assert_eq!(
        read.instances[0],
        Instance { mesh: Some(0), label: "one".into(), transform: Some([1.0; 16]), materials: 0 }
    );
    assert_eq!((read.instances[1].mesh, read.instances[1].materials), (None, 1));
    for end in 0..scene.len() {
        decode_scene(&scene[..end], &limits());
    }
}

/// The facts of Hippolyzer's test cube. The file is not ours to keep, so this runs where it lies.
#[test]
fn the_test_cube_of_hippolyzer_reads_as_published() {
    let Ok(bytes) = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/testslm.slm")) else {
        return;
    };
    let (mesh, findings) = decoded(&bytes);
    assert_eq!(findings, []);
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
