//! Writes binary LLSD: each function returns the bytes of one value.
//!
//! Viewers sort the keys of a map by their bytes. [`map`] writes them in the given order.

use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

/// A key with the bytes of its value.
pub type Field<'a> = (&'a str, Vec<u8>);

fn sized(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 5);
    out.push(tag);
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
    out
}

pub fn boolean(value: bool) -> Vec<u8> {
    vec![if value { b'1' } else { b'0' }]
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
    values.iter().for_each(|value| out.extend(value));
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

/// Writes a list of points or triangles, little-endian.
pub fn triples(values: &[[u16; 3]]) -> Vec<u8> {
    binary(values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
}

/// Compresses a value as viewers do (`llsdserialize.cpp` `zip_llsd`).
pub fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Writes the header's entry for a block.
pub fn entry(offset: i32, size: i32) -> Vec<u8> {
    map(&[("offset", int(offset)), ("size", int(size))])
}

/// Writes a mesh asset from compressed blocks, one after the other, and other header fields.
pub fn asset_of_streams(blocks: &[Field<'_>], others: &[Field<'_>]) -> Vec<u8> {
    let mut fields = others.to_vec();
    let mut body = Vec::new();
    for (name, stream) in blocks {
        fields.push((name, entry(body.len() as i32, stream.len() as i32)));
        body.extend(stream);
    }
    [map(&fields), body].concat()
}
