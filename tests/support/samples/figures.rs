//! Samples whose figures depend on details that are easily missed.

use super::{
    super::{
        archive::{Archive, control, parcel},
        llsd::Llsd,
        mesh::{MeshFile, cube_submesh, submesh},
        object::{Face, OWNER, Prim, xml2},
    },
    File, PARCEL, REGION, asset, mesh_uuid, object, object_path,
    regions::SPHERE_MAP,
};
use uuid::Uuid;

const MAP: &[u8] = include_bytes!("../sculpt_maps/sphere.j2c");

pub(super) fn all() -> Vec<File> {
    let region = |prim: &Prim| {
        let (path, xml) = object(prim);
        Archive::new(&control(REGION, "256,256")).add(&path, xml)
    };
    let shown_as = |number, name: &str, physics_shape_type| Prim {
        mesh: Some(mesh_uuid(number)),
        physics_shape_type,
        scale: [1.0; 3],
        ..Prim::new(name, number)
    };
    let face = |texture, material| Face { texture, colour: 0, glow: 0, material };
    let of = |number| Uuid::try_parse(&mesh_uuid(number)).unwrap_or_default();
    let poster = Prim {
        faces: [408, 402, 409].map(|number| face(of(number), Uuid::nil())).to_vec(),
        sculpt: Some(mesh_uuid(415)),
        ..Prim::new("Poster", 402)
    };
    let ring = Prim { torus: true, faces: vec![face(of(404), of(405))], ..Prim::new("Ring", 404) };
    // 52 steps of the unit cube are 0.8 mm.
    let narrow = [[0, 0, 0], [65_535, 0, 0], [0, 52, 0], [0, 65_535, 0]];
    let slivers = Llsd::Array(vec![submesh(&narrow, &[[0, 1, 2], [0, 1, 3]])]);
    let with_slivers = MeshFile::cube().block("physics_mesh", &slivers).encode();
    let broken_skin = Llsd::map([
        ("joint_names", Llsd::Array(vec![Llsd::Text("mPelvis".into())])),
        ("inverse_bind_matrix", Llsd::Array(vec![Llsd::Array(vec![Llsd::Real(f64::NAN); 16])])),
    ]);
    let skin = Llsd::map([
        ("joint_names", Llsd::Array(vec![Llsd::text("mPelvis"), Llsd::text("Bone.001")])),
        ("inverse_bind_matrix", Llsd::Array(vec![Llsd::reals([1.0; 16]), Llsd::reals([1.0; 16])])),
    ]);
    // Of eight vertices, one has a weight of 0, one that of a third joint, and one no weight.
    let weights = [&[0, 0, 0, 255, 2, 255, 255, 255][..], &[0, 255, 255, 255].repeat(5)].concat();
    let worn = Llsd::Array(vec![cube_submesh().with("Weights", Llsd::Bytes(weights))]);
    let levels = ["lowest_lod", "low_lod", "medium_lod", "high_lod"];
    let torn =
        levels.iter().fold(MeshFile::cube().block("skin", &skin), |mesh, level| mesh.block(level, &worn));
    let ball = Prim { sculpt: Some(mesh_uuid(411)), ..Prim::new("Ball", 411) };
    let at = |number: u32, offset| Prim { offset: [offset, 0.0, 0.0], ..Prim::new("Post", number) };
    let posts = [at(406, 0.0), at(407, -0.1), at(408, 53.9)];
    let fleeting = Prim { flags: "TemporaryOnRez", ..Prim::new("Bullet", 409) };
    // Its triangles collide at rest, its hull collides in motion.
    let lift = Prim { scale: [4.0; 3], ..shown_as(410, "Lift", Some(0)) };
    let walls = Llsd::Array(vec![cube_submesh()]);
    let velocity = "<Velocity><X>0</X><Y>0</Y><Z>0.5</Z></Velocity><RotationOffset>";
    let (lift_path, lift) = object(&lift);
    vec![
        (
            "moving.oar".into(),
            Archive::new(&control(REGION, "256,256"))
                .add(&lift_path, lift.replace("<RotationOffset>", velocity))
                .add(&asset(410, "mesh.llmesh"), MeshFile::cube().block("physics_mesh", &walls).encode())
                .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "Shaft", OWNER, 64, |_, _| true))
                .flat_ground("terrains/Tower.r32", 256)
                .gzip(),
        ),
        (
            "sculpt-in-a-jp2-file.oar".into(),
            Archive::new(&control(REGION, "256,256"))
                .add(&object_path(&ball), xml2(std::slice::from_ref(&ball)))
                .add(&asset(411, "texture.jp2"), jp2_file(SPHERE_MAP))
                .gzip(),
        ),
        ("skin-of-no-skeleton.llmesh".into(), torn.encode()),
        ("bind-matrix-of-no-numbers.llmesh".into(), MeshFile::cube().block("skin", &broken_skin).encode()),
        (
            "fifty-four-metres.oar".into(),
            Archive::new(&control(REGION, "256,256")).add(&object_path(&posts[0]), xml2(&posts)).gzip(),
        ),
        ("temporary.oar".into(), region(&fleeting).gzip()),
        (
            "mesh-without-shape-type.oar".into(),
            region(&shown_as(400, "Bench", None))
                .add(&asset(400, "mesh.llmesh"), MeshFile::cube().entry("day", Llsd::Int(9)).encode())
                .gzip(),
        ),
        (
            "slivers.oar".into(),
            region(&shown_as(401, "Fence", Some(0))).add(&asset(401, "mesh.llmesh"), with_slivers).gzip(),
        ),
        (
            "textures-cut-short.oar".into(),
            region(&poster)
                .add(&asset(402, "texture.jp2"), &MAP[..MAP.len() / 2])
                .add(&asset(403, "texture.jp2"), &MAP[..MAP.len() / 3])
                .add(&asset(408, "texture.jp2"), &MAP[..150])
                .add(&asset(409, "texture.jp2"), &MAP[..140])
                .add(&asset(415, "texture.jp2"), &MAP[..MAP.len() / 2])
                .gzip(),
        ),
        ("material-on-a-ring.oar".into(), region(&ring).add(&asset(404, "texture.jp2"), MAP).gzip()),
    ]
}

/// Returns a JP2 file with this codestream, without the boxes that say how its colors look.
fn jp2_file(codestream: &[u8]) -> Vec<u8> {
    let content = |kind: &[u8; 4], content: &[u8]| {
        [&(8 + content.len() as u32).to_be_bytes()[..], kind, content].concat()
    };
    let signature = content(b"jP  ", b"\r\n\x87\n");
    [signature, content(b"ftyp", b"jp2 \0\0\0\0jp2 "), content(b"jp2c", codestream)].concat()
}
