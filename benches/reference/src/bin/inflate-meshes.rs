//! Inflates the blocks of mesh assets that hullmark decodes, with libdeflate, and discards the output.
//!
//! Usage: inflate-meshes THREADS FOLDER...

use anyhow::{Context, Result, bail};
use hullmark_format::llsd::{self, Map, Value};
use libdeflater::{DecompressionError, Decompressor};
use std::{cell::RefCell, fs, path::Path};

/// All blocks that hullmark decodes.
const BLOCKS: [&str; 9] = [
    "lowest_lod",
    "low_lod",
    "medium_lod",
    "high_lod",
    "physics_convex",
    "decomposition",
    "physics_shape",
    "physics_mesh",
    "skin",
];

const HEADER_DEPTH: usize = 64;

thread_local! {
    /// Kept from block to block, as in hullmark: the first pages of fresh memory cost more than a block.
    static SCRATCH: RefCell<(Decompressor, Vec<u8>)> = RefCell::new((Decompressor::new(), vec![0; 1 << 20]));
}

fn main() -> Result<()> {
    let [blocks, bytes] = hullmark_reference::sum_over_files(inflate_blocks)?;
    println!("{blocks} blocks, {bytes} bytes");
    Ok(())
}

/// Returns the number of blocks of a mesh, and their inflated bytes.
fn inflate_blocks(path: &Path) -> Result<[u64; 2]> {
    let file = fs::read(path)?;
    let header = llsd::parse(&file, HEADER_DEPTH)?;
    let header_map = header.value.as_map().context("Its header is no map.")?;
    let (mut blocks, mut bytes) = (0, 0);
    for block in BLOCKS.iter().filter_map(|name| header_map.get(name).and_then(Value::as_map)) {
        let [offset, size] = ["offset", "size"].map(|key| number(block, key));
        if let (Some(offset), Some(size @ 1..)) = (offset, size) {
            let begin = header.consumed + offset;
            let input = file.get(begin..begin + size).context("A block lies outside of the file.")?;
            blocks += 1;
            bytes += inflate(input)? as u64;
        }
    }
    Ok([blocks, bytes])
}

fn number(block: &Map<'_>, key: &str) -> Option<usize> {
    block.get(key).and_then(Value::as_i64).and_then(|number| usize::try_from(number).ok())
}

/// Returns the number of inflated bytes. It is not stored anywhere, so the buffer grows until the output fits.
fn inflate(input: &[u8]) -> Result<usize> {
    SCRATCH.with_borrow_mut(|(decompressor, buffer)| {
        loop {
            match decompressor.zlib_decompress(input, buffer) {
                Ok(bytes) => return Ok(bytes),
                Err(DecompressionError::InsufficientSpace) => buffer.resize(2 * buffer.len(), 0),
                Err(DecompressionError::BadData) => bail!("A block is no zlib stream."),
            }
        }
    })
}
