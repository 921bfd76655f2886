//! The files of `conformance`, each at a limit of its format. `cases.toml` describes the results of each reader.

use super::{
    archive::{Archive, control},
    llsd::Llsd,
    mesh::{MeshFile, ball, convex, convex_named, cube_corners, cube_submesh, deflate, submesh},
    object::{Prim, uuid, xml1, xml2},
    samples::File,
};
use std::slice;

/// Returns every file below `conformance`.
pub fn all() -> Vec<File> {
    let folders = [("hulls", hulls()), ("meshes", meshes()), ("objects", objects()), ("links", links())];
    let below = |(folder, files): (&str, Vec<File>)| -> Vec<File> {
        files.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)).collect()
    };
    folders.into_iter().flat_map(below).collect()
}

/// Returns small tetrahedra next to each other.
fn tetrahedra(count: u16) -> Vec<Vec<[u16; 3]>> {
    let at = |x: u16| vec![[x, 0, 0], [x + 100, 0, 0], [x, 100, 0], [x, 0, 100]];
    (0..count).map(|i| at(i * 200)).collect()
}

fn cube_with(block: &Llsd) -> Vec<u8> {
    MeshFile::cube().block("physics_convex", block).encode()
}

fn hulls() -> Vec<File> {
    let corners = cube_corners();
    let round = |points: usize| ball(points, [0.0; 3], 0.5);
    let one = convex(&corners, slice::from_ref(&corners));
    let flat = vec![[0, 0, 0], [65_535, 0, 0], [0, 65_535, 0], [65_535, 65_535, 0]];
    let odd = Llsd::Bytes([Llsd::triple_bytes(&corners), vec![1, 2]].concat());
    let base = |points: &[[u16; 3]]| cube_with(&convex(points, &[]));
    let with = |hulls: &[Vec<[u16; 3]>]| cube_with(&convex(&corners, hulls));
    let files = [
        ("base-hull-of-256-points", base(&round(256))),
        ("base-hull-of-257-points", base(&round(257))),
        ("base-hull-of-three-points", base(&corners[..3])),
        ("base-hull-of-two-points", base(&corners[..2])),
        ("base-hull-absent", cube_with(&one.clone().without("BoundingVerts"))),
        ("physics-convex-absent", MeshFile::cube().without("physics_convex").encode()),
        ("hull-list-0-is-256", with(&[round(256)])),
        ("decomposition-of-256-hulls", with(&tetrahedra(256))),
        ("decomposition-of-257-hulls", with(&tetrahedra(257))),
        (
            "hull-list-longer-than-positions",
            cube_with(&one.clone().with("HullList", Llsd::Bytes(vec![8, 8]))),
        ),
        ("hull-list-shorter-than-positions", cube_with(&one.clone().with("HullList", Llsd::Bytes(vec![6])))),
        ("hull-list-without-positions", cube_with(&one.clone().without("Positions"))),
        ("positions-without-hull-list", cube_with(&one.clone().without("HullList"))),
        ("positions-of-50-bytes", cube_with(&one.clone().with("Positions", odd.clone()))),
        ("base-hull-of-50-bytes", cube_with(&one.clone().with("BoundingVerts", odd))),
        ("hull-of-three-points", with(&[corners.clone(), corners[..3].to_vec()])),
        ("hull-of-two-points", with(&[corners.clone(), corners[..2].to_vec()])),
        ("flat-hull", with(&[flat])),
        ("domain-absent", cube_with(&one.clone().without("Min").without("Max"))),
        ("domain-without-max", cube_with(&one.clone().without("Max"))),
        ("domain-upside-down", cube_with(&one.with("Max", Llsd::reals([0.5, 0.5, -0.6])))),
    ];
    files.map(|(name, bytes)| (format!("{name}.llmesh"), bytes)).into()
}

fn meshes() -> Vec<File> {
    let corners = cube_corners();
    let lod = Llsd::Array(vec![cube_submesh()]);
    let faces = |count: usize| Llsd::Array(vec![cube_submesh(); count]);
    let level = |face: Llsd| MeshFile::cube().block("high_lod", &Llsd::Array(vec![face])).encode();
    let sliver =
        submesh(&[[0, 0, 0], [65_535, 0, 0], [30_000, 0, 0], [0, 65_535, 0]], &[[0, 1, 2], [0, 1, 3]]);
    let beta = MeshFile::cube()
        .without("physics_convex")
        .block("decomposition", &convex_named(&corners, slice::from_ref(&corners), "Hull", "Position"))
        .block("physics_shape", &lod);
    let triangles_and_hulls = MeshFile::cube()
        .block("physics_convex", &convex(&corners, slice::from_ref(&corners)))
        .block("physics_mesh", &lod);
    let two_triangles = Llsd::Array(vec![submesh(&corners, &[[0, 1, 2], [0, 2, 4]])]);
    let deep = |levels: usize| (0..levels).fold(Llsd::Int(0), |inner, _| Llsd::Array(vec![inner]));
    let of_nine = ["lowest_lod", "low_lod", "medium_lod", "high_lod"]
        .iter()
        .fold(MeshFile::cube(), |file, name| file.block(name, &faces(9)));
    let mut prefixed = b"<? LLSD/Binary ?>\n".to_vec();
    prefixed.extend(MeshFile::cube().encode());
    let stray = cube_submesh().with("TriangleList", Llsd::Bytes(vec![0, 0, 1, 0, 2, 0, 3, 0]));
    let files = [
        ("text-prefix", prefixed),
        ("checksum-of-a-block-is-wrong", wrong_checksum()),
        ("version-999", MeshFile::cube().entry("version", Llsd::Int(999)).encode()),
        ("version-1000", MeshFile::cube().entry("version", Llsd::Int(1000)).encode()),
        ("header-over-4096-bytes", MeshFile::cube().entry("creator", Llsd::Text(vec![b'x'; 4096])).encode()),
        ("names-of-2010", beta.encode()),
        (
            "physics-mesh-and-physics-shape",
            MeshFile::cube().block("physics_mesh", &lod).block("physics_shape", &two_triangles).encode(),
        ),
        ("decomposition-and-physics-mesh", triangles_and_hulls.encode()),
        (
            "triangle-without-width",
            MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![sliver])).encode(),
        ),
        ("high-lod-absent", MeshFile::cube().without("high_lod").encode()),
        ("lowest-lod-absent", MeshFile::cube().without("lowest_lod").encode()),
        ("position-domain-absent", level(cube_submesh().without("PositionDomain"))),
        ("index-outside", level(submesh(&corners, &[[0, 1, 8]; 12]))),
        ("indices-not-by-threes", level(stray)),
        ("faces-9", of_nine.encode()),
        ("nested-96-deep", MeshFile::cube().block("skin", &deep(95)).encode()),
        ("nested-97-deep", MeshFile::cube().block("skin", &deep(97)).encode()),
    ];
    files.map(|(name, bytes)| (format!("{name}.llmesh"), bytes)).into()
}

/// Returns a mesh in which the last byte of the first block is changed. It belongs to the checksum of zlib.
fn wrong_checksum() -> Vec<u8> {
    let file = MeshFile::cube();
    let sizes: Vec<usize> = file.blocks.iter().map(|(_, content)| deflate(content).len()).collect();
    let mut bytes = file.encode();
    let last = bytes.len() - sizes.iter().sum::<usize>() + sizes[0] - 1;
    bytes[last] ^= 0xff;
    bytes
}

fn mesh_uuid() -> String {
    uuid(0x3e3e_3e3e, 1)
}

fn object(prim: &Prim) -> Vec<u8> {
    xml2(slice::from_ref(prim)).into_bytes()
}

/// Returns a region with an object and its mesh.
fn with_mesh(prim: Prim, mesh: &MeshFile) -> Vec<u8> {
    let prim = Prim { mesh: Some(mesh_uuid()), ..prim };
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/thing.xml", object(&prim))
        .add(&format!("assets/{}_mesh.llmesh", mesh_uuid()), mesh.encode())
        .gzip()
}

/// Returns a mesh whose decomposition has this number of points in 160 hulls. With 640 points it costs exactly 32.
fn of_160_hulls(points: usize) -> MeshFile {
    let mut hulls = tetrahedra(160);
    for (hull, x) in hulls.iter_mut().take(points - 640).zip((100..).step_by(200)) {
        hull.push([x, 100, 100]);
    }
    MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &hulls))
}

fn objects() -> Vec<File> {
    let boxed = || Prim::new("Box", 1);
    let sized = |side: f64| Prim { scale: [2.0, 2.0, side], ..boxed() };
    let xml = || String::from_utf8(object(&boxed())).unwrap();
    let change = |from: &str, to: &str| {
        let text = xml();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let lod = Llsd::Array(vec![cube_submesh()]);
    let triangles = || MeshFile::cube().block("physics_mesh", &lod);
    let hulls = || MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &[cube_corners()]));
    let physical = || Prim { flags: "Physics", scale: [1.0; 3], ..boxed() };
    vec![
        (
            "shape-type-absent-on-a-mesh.oar".into(),
            with_mesh(Prim { physics_shape_type: None, ..sized(2.0) }, &hulls()),
        ),
        ("shape-type-none-on-a-root.xml".into(), object(&Prim { physics_shape_type: Some(1), ..boxed() })),
        ("shape-type-9.xml".into(), object(&Prim { physics_shape_type: Some(9), ..boxed() })),
        ("convex-hull-of-a-plain-box.xml".into(), object(&Prim { physics_shape_type: Some(2), ..boxed() })),
        ("triangle-mesh-of-half-a-metre.oar".into(), with_mesh(sized(0.5), &triangles())),
        ("triangle-mesh-under-half-a-metre.oar".into(), with_mesh(sized(0.499), &triangles())),
        ("cost-of-32.oar".into(), with_mesh(physical(), &of_160_hulls(640))),
        ("cost-above-32.oar".into(), with_mesh(physical(), &of_160_hulls(641))),
        ("path-cut-below-the-threshold.xml".into(), change("<PathBegin>0<", "<PathBegin>4999<")),
        ("path-cut-of-a-half.xml".into(), change("<PathBegin>0<", "<PathBegin>25000<")),
        ("profile-cut-of-a-half.xml".into(), change("<ProfileBegin>0<", "<ProfileBegin>25000<")),
        ("decimal-comma-in-scale.xml".into(), change("<Scale><X>0.5<", "<Scale><X>0,5<")),
        ("flags-with-commas.xml".into(), change("<Flags>None<", "<Flags>Physics, Phantom<")),
        ("flags-as-a-number.xml".into(), change("<Flags>None<", "<Flags>1025<")),
        (
            "guid-in-the-place-of-uuid.xml".into(),
            xml()
                .replace("<UUID><UUID>", "<UUID><Guid>")
                .replace("</UUID></UUID>", "</Guid></UUID>")
                .into_bytes(),
        ),
        (
            "declared-utf-16.xml".into(),
            format!("<?xml version=\"1.0\" encoding=\"utf-16\"?>{}", xml()).into_bytes(),
        ),
        ("prefix-of-a-prefix.xml".into(), change("xmlns:xsi=", "xmlns:xmlns:xsi=")),
        (
            "xml1-with-a-nul.xml".into(),
            xml1(&[boxed(), Prim { offset: [1.0, 0.0, 0.0], ..Prim::new("Lid", 2) }]).into_bytes(),
        ),
        (
            "sculpt-entry-of-type-0.xml".into(),
            object(&Prim { sculpt: Some(mesh_uuid()), ..boxed() })
                .iter()
                .map(|&byte| byte as char)
                .collect::<String>()
                .replace("<SculptType>65<", "<SculptType>0<")
                .into_bytes(),
        ),
    ]
}

/// Returns linksets at the limits of linkability.
fn links() -> Vec<File> {
    let apart = |metres: f64| {
        let far = Prim { offset: [metres, 0.0, 0.0], ..Prim::new("Far end", 2) };
        let near = Prim { position: [100.0, 128.0, 25.0], ..Prim::new("Bridge", 1) };
        xml2(&[near, far]).into_bytes()
    };
    let of = |prims: u32| {
        let prims: Vec<Prim> = (1..=prims)
            .map(|number| {
                let offset = if number == 1 { 0.0 } else { f64::from(number) * 0.1 };
                Prim { offset: [offset, 0.0, 0.0], ..Prim::new("Bead", number) }
            })
            .collect();
        // Packed in an archive, because the document is long.
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
            .add("objects/beads.xml", xml2(&prims))
            .add(&format!("assets/{}_mesh.llmesh", mesh_uuid()), MeshFile::cube().encode())
            .gzip()
    };
    vec![
        ("just-under-54-m.xml".into(), apart(53.999)),
        ("exactly-54-m.xml".into(), apart(54.0)),
        ("prims-255.oar".into(), of(255)),
        ("prims-256.oar".into(), of(256)),
        ("prims-257.oar".into(), of(257)),
    ]
}
