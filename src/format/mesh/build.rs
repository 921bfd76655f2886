//! Builds mesh assets for unit tests: writes LLSD and the layout around it.

use super::CONVEX;
pub use crate::llsd_writer::*;

/// Creates an asset from LLSD blocks.
pub fn asset(blocks: &[Field<'_>]) -> Vec<u8> {
    let streams: Vec<Field<'_>> = blocks.iter().map(|(name, value)| (*name, zlib(value))).collect();
    asset_of_streams(&streams, &[])
}

/// Returns the domain of the unit cube.
pub fn unit() -> Vec<u8> {
    map(&[("Min", vector([-0.5; 3])), ("Max", vector([0.5; 3]))])
}

pub fn submesh() -> Vec<u8> {
    map(&[
        ("Position", triples(&CORNERS)),
        ("PositionDomain", unit()),
        ("TriangleList", triples(&[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])),
        ("Weights", binary([0, 255, 255, 255].repeat(CORNERS.len()))),
    ])
}

pub const CORNERS: [[u16; 3]; 4] = [[0, 0, 0], [65_535, 0, 0], [0, 65_535, 0], [0, 0, 65_535]];

/// Returns the fields of a valid convex block: a base hull, and two hulls of four points.
pub fn convex_fields() -> Vec<Field<'static>> {
    vec![
        ("Min", vector([-0.5; 3])),
        ("Max", vector([0.5; 3])),
        ("HullList", binary([4, 4])),
        ("Positions", triples(&[CORNERS, CORNERS].concat())),
        ("BoundingVerts", triples(&CORNERS)),
    ]
}

/// Returns the blocks of a valid mesh.
pub fn blocks() -> Vec<Field<'static>> {
    let matrix = array(&[const { 0.0 }; 16].map(real));
    let skin =
        map(&[("joint_names", array(&[string("mPelvis")])), ("inverse_bind_matrix", array(&[matrix]))]);
    vec![
        ("skin", skin),
        (CONVEX[0], map(&convex_fields())),
        ("lowest_lod", array(&[submesh()])),
        ("low_lod", array(&[submesh()])),
        ("medium_lod", array(&[submesh()])),
        ("high_lod", array(&[submesh()])),
        ("physics_mesh", array(&[submesh()])),
    ]
}

/// Returns [`blocks`] with one block replaced or added.
pub fn blocks_with(name: &'static str, value: Vec<u8>) -> Vec<Field<'static>> {
    let mut blocks = blocks();
    blocks.retain(|(other, _)| *other != name);
    blocks.push((name, value));
    blocks
}
