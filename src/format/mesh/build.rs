//! Builds mesh assets for unit tests: writes LLSD and the layout around it.

use super::CONVEX;
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

pub type Field<'a> = (&'a str, Vec<u8>);

fn sized(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
    out
}

pub fn int(value: i32) -> Vec<u8> {
    [&b"i"[..], &value.to_be_bytes()].concat()
}

pub fn real(value: f64) -> Vec<u8> {
    [&b"r"[..], &value.to_be_bytes()].concat()
}

pub fn string(text: impl AsRef<[u8]>) -> Vec<u8> {
    sized(b's', text.as_ref())
}

pub fn binary(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    sized(b'b', bytes.as_ref())
}

pub fn array(values: &[Vec<u8>]) -> Vec<u8> {
    let mut out = vec![b'['];
    out.extend((values.len() as u32).to_be_bytes());
    out.extend(values.concat());
    out.push(b']');
    out
}

pub fn map(fields: &[Field<'_>]) -> Vec<u8> {
    let mut out = vec![b'{'];
    out.extend((fields.len() as u32).to_be_bytes());
    for (key, value) in fields {
        out.extend(sized(b'k', key.as_bytes()));
        out.extend(value);
    }
    out.push(b'}');
    out
}

pub fn vector(values: [f64; 3]) -> Vec<u8> {
    array(&values.map(real))
}

/// Creates a list of points or triangles.
pub fn triples(values: &[[u16; 3]]) -> Vec<u8> {
    binary(values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
}

pub fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Creates a header entry.
pub fn entry(offset: i32, size: i32) -> Vec<u8> {
    map(&[("offset", int(offset)), ("size", int(size))])
}

/// Creates an asset from compressed blocks, one after the other, and other header fields.
pub(crate) fn asset_of_streams(blocks: &[Field<'_>], others: &[Field<'_>]) -> Vec<u8> {
    let mut fields = others.to_vec();
    let mut body = Vec::new();
    for (name, stream) in blocks {
        fields.push((name, entry(body.len() as i32, stream.len() as i32)));
        body.extend(stream);
    }
    [map(&fields), body].concat()
}

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
