//! Loose mesh assets.

use super::File;
use crate::support::{
    llsd::Llsd,
    mesh::{MeshFile, ball, convex, convex_named, cube_corners, cube_submesh, scene, submesh},
};
use hullmark_geometry::{hull::Hull, quantized::Domain};

pub(super) fn all() -> Vec<File> {
    let hull = |points: usize| ball(points, [0.0; 3], 0.5);
    let lod = Llsd::Array(vec![cube_submesh()]);
    let tetrahedra: Vec<_> = (0..257_u16)
        .map(|i| {
            let x = i * 200;
            vec![[x, 0, 0], [x + 100, 0, 0], [x, 100, 0], [x, 0, 100]]
        })
        .collect();
    let base_257 = with_convex(&convex(&hull(257), &[])).encode();
    let hull_256 = with_convex(&convex(&cube_corners(), &[hull(256)])).encode();
    let hulls_257 = with_convex(&convex(&cube_corners(), &tetrahedra)).encode();
    let beta = MeshFile::cube()
        .without("physics_convex")
        .block("decomposition", &convex_named(&cube_corners(), &[cube_corners()], "Hull", "Position"))
        .block("physics_shape", &lod);
    let both =
        beta.clone().block("physics_mesh", &lod).block("physics_convex", &convex(&cube_corners(), &[]));
    let costs = Llsd::map([
        ("hull", Llsd::Real(0.3)),
        ("hull_discounted_vertices", Llsd::Int(6)),
        ("mesh_triangles", Llsd::Int(12)),
    ]);
    let sliver =
        submesh(&[[0, 0, 0], [65_535, 0, 0], [30_000, 0, 0], [0, 65_535, 0]], &[[0, 1, 2], [0, 1, 3]]);
    let mut prefixed = b"<? LLSD/Binary ?>\n".to_vec();
    prefixed.extend(MeshFile::cube().encode());
    let cube = MeshFile::cube().encode();
    let list_too_long =
        with_convex(&convex(&cube_corners(), &[cube_corners()]).with("HullList", Llsd::Bytes(vec![8, 8])));
    let mut files = vec![
        named("clean-cube.llmesh", cube.clone()),
        named("chair.llmesh", with_convex(&convex(&around(&chair()), &chair())).encode()),
        named("base-hull-of-257-points.llmesh", base_257),
        named("hull-of-256-points.llmesh", hull_256),
        named("decomposition-of-257-hulls.llmesh", hulls_257),
        named("hull-list-longer-than-positions.llmesh", list_too_long.encode()),
        named("beta-spelling.mesh", beta.encode()),
        named("both-spellings.mesh", both.encode()),
        named("text-prefix.mesh", prefixed),
        named("costs-from-the-simulator.llmesh", MeshFile::cube().entry("physics_cost_data", costs).encode()),
        named(
            "sliver-in-physics-mesh.llmesh",
            MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![sliver])).encode(),
        ),
        named("truncated.llmesh", cube[..cube.len() - 40].to_vec()),
        named("scene-of-two.slm", scene(&[cube.clone(), MeshFile::cube().without("lowest_lod").encode()])),
        named("bare-mesh.slm", cube),
    ];
    files.extend(faulty_hulls());
    files.extend(faulty_levels());
    files
}

fn with_convex(block: &Llsd) -> MeshFile {
    MeshFile::cube().block("physics_convex", block)
}

fn named(name: &str, bytes: Vec<u8>) -> File {
    (name.into(), bytes)
}

/// Returns meshes with faults in their hulls.
fn faulty_hulls() -> Vec<File> {
    let block = convex(&cube_corners(), &[cube_corners()]);
    let half = cube_corners().into_iter().map(|corner| corner.map(|q| q / 2 + 16_384)).collect::<Vec<_>>();
    let flat = [cube_corners()[..3].to_vec(), cube_corners(), cube_corners()[..2].to_vec()];
    let odd = Llsd::Bytes([Llsd::triple_bytes(&cube_corners()), vec![1, 2]].concat());
    vec![
        named(
            "point-list-of-50-bytes.llmesh",
            with_convex(&block.clone().with("BoundingVerts", odd)).encode(),
        ),
        named(
            "domain-upside-down.llmesh",
            with_convex(&block.clone().with("Max", Llsd::reals([0.5, 0.5, -0.6]))).encode(),
        ),
        named("no-base-hull.llmesh", MeshFile::cube().without("physics_convex").encode()),
        named("hulls-outside-the-base-hull.llmesh", with_convex(&convex(&half, &[cube_corners()])).encode()),
        named(
            "hull-list-shorter-than-positions.llmesh",
            with_convex(&block.clone().with("HullList", Llsd::Bytes(vec![6]))).encode(),
        ),
        named(
            "hulls-of-three-and-of-two-points.llmesh",
            with_convex(&convex(&cube_corners(), &flat)).encode(),
        ),
        named("base-hull-of-two-points.llmesh", with_convex(&convex(&cube_corners()[..2], &[])).encode()),
        named(
            "convex-block-without-domain.llmesh",
            with_convex(&convex(&cube_corners(), &[]).without("Min").without("Max")).encode(),
        ),
        named("hull-list-without-positions.llmesh", with_convex(&block.without("Positions")).encode()),
    ]
}

/// Returns meshes with faults in their header or in their levels of detail.
fn faulty_levels() -> Vec<File> {
    let corners = cube_corners();
    let level = |name: &str, faces: Vec<Llsd>| MeshFile::cube().block(name, &Llsd::Array(faces)).encode();
    let deep = (0..97).fold(Llsd::Int(0), |inner, _| Llsd::Array(vec![inner]));
    let mut damaged = MeshFile::cube().encode();
    let end = damaged.len();
    damaged[end - 90..end - 60].fill(0xff);
    vec![
        named("version-1000.llmesh", MeshFile::cube().entry("version", Llsd::Int(1000)).encode()),
        named("damaged-block.llmesh", damaged),
        named("no-high-lod.llmesh", MeshFile::cube().without("high_lod").encode()),
        named("lowest-level-is-not-simpler.llmesh", level("low_lod", vec![submesh(&corners, &[[0, 1, 2]])])),
        named("index-outside.llmesh", level("high_lod", vec![submesh(&corners, &[[0, 1, 8]; 12])])),
        named("skin-without-joints.llmesh", MeshFile::cube().block("skin", &Llsd::Map(Vec::new())).encode()),
        named("levels-of-different-faces.llmesh", level("high_lod", vec![cube_submesh(), cube_submesh()])),
        named("nested-too-deep.llmesh", MeshFile::cube().block("skin", &deep).encode()),
    ]
}

/// Returns legs, seat, posts and boards of a chair, as a modeller would split it into hulls.
fn chair() -> Vec<Vec<[u16; 3]>> {
    let solid = |low: [f64; 3], high: [f64; 3]| {
        let at = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
        let place = |corner| [0, 1, 2].map(|axis| (at(corner, axis) * 65_535.0).round() as u16);
        (0..8).map(place).collect()
    };
    vec![
        solid([0.0, 0.0, 0.0], [0.12, 0.12, 0.44]),
        solid([0.88, 0.0, 0.0], [1.0, 0.12, 0.44]),
        solid([0.0, 0.88, 0.0], [0.12, 1.0, 0.44]),
        solid([0.88, 0.88, 0.0], [1.0, 1.0, 0.44]),
        solid([0.0, 0.0, 0.44], [1.0, 1.0, 0.5]),
        solid([0.0, 0.9, 0.5], [0.1, 1.0, 1.0]),
        solid([0.9, 0.9, 0.5], [1.0, 1.0, 1.0]),
        solid([0.1, 0.92, 0.62], [0.9, 0.98, 0.72]),
        solid([0.1, 0.92, 0.82], [0.9, 0.98, 0.97]),
    ]
}

/// Returns the corners of the hull around hulls.
fn around(hulls: &[Vec<[u16; 3]>]) -> Vec<[u16; 3]> {
    let points = hulls.concat();
    Hull::in_domain(&points, &Domain::UNIT).vertices.into_iter().map(|index| points[index]).collect()
}
