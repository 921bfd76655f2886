//! Meshes in the asset cache of a viewer: files in which blocks may be missing.
//!
//! A viewer fetches the blocks of a mesh one by one. Its file has the size of the mesh, and zeros where nothing was
//! fetched. Newer viewers write a preamble of twelve bytes: a version, the size of the header, and a flag for each
//! fetched block (`llmeshrepository.cpp`). Older files begin with the header.

use crate::{
    defect::Defect,
    mesh::{self, LODS, Mesh, Sniffed},
};
use hullmark_settings::limits::Limits;

const PREAMBLE: usize = 12;

const VERSION: u32 = 1;

const PREFIX: &str = "sl_cache_";

/// Other blocks than levels of detail, with the number of their flag.
const OTHERS: [(&str, u32); 5] =
    [("physics_shape", 4), ("skin", 5), ("physics_convex", 6), ("decomposition", 6), ("physics_mesh", 7)];

/// Returns the name of a file without the prefix of a cache. `None` for a file of another name.
pub fn name_in_cache(file: &str) -> Option<&str> {
    file.strip_prefix(PREFIX)
}

/// A mesh from a cache: its bytes, and the blocks that were fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachedMesh<'a> {
    pub asset: &'a [u8],
    /// A flag for each fetched block. `None` without a preamble.
    flags: Option<u32>,
}

impl<'a> CachedMesh<'a> {
    /// Splits a file with a preamble. `None` if the file has none, or no mesh follows it.
    pub fn with_preamble(bytes: &'a [u8]) -> Option<Self> {
        let (preamble, asset) = bytes.split_at_checked(PREAMBLE)?;
        let number = |at: usize| preamble[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let is_mesh = number(0) == Some(VERSION) && mesh::sniff(asset) == Sniffed::Mesh;
        is_mesh.then_some(Self { asset, flags: number(8) })
    }

    /// Returns the mesh of a file of this name. `None` if it is no file of a cache.
    pub fn of_file(name: &str, bytes: &'a [u8]) -> Option<Self> {
        let file = name.rsplit('/').next().unwrap_or(name);
        let is_older = name_in_cache(file).is_some();
        Self::with_preamble(bytes).or_else(|| is_older.then_some(Self { asset: bytes, flags: None }))
    }

    /// Decodes the mesh. Blocks that were not fetched are unknown.
    pub fn decode(&self, limits: &Limits) -> (Mesh, Vec<Defect>) {
        mesh::decode_fetched(self.asset, &|name, bytes| self.lacks(name, bytes), limits, true)
    }

    /// Decodes the mesh without normals and texture coordinates.
    pub fn decode_geometry(&self, limits: &Limits) -> (Mesh, Vec<Defect>) {
        mesh::decode_fetched(self.asset, &|name, bytes| self.lacks(name, bytes), limits, false)
    }

    /// Whether the viewer did not fetch this block, whose bytes are these. `None` if they are not in the file.
    fn lacks(&self, name: &str, bytes: Option<&[u8]>) -> bool {
        let level = LODS.iter().zip(0..).find(|(level, _)| **level == name).map(|(_, number)| number);
        let other = OTHERS.iter().find(|(other, _)| *other == name).map(|&(_, number)| number);
        match (self.flags, level.or(other)) {
            (Some(flags), Some(number)) => flags & 1 << number == 0,
            // No stream begins with a zero, so zeros are a hole.
            _ => bytes.is_none_or(|bytes| bytes.iter().all(|&byte| byte == 0)),
        }
    }
}

/// Returns the suffix for the type of a cached asset from its first bytes. Names of cached files have no type.
pub fn suffix_of(start: &[u8]) -> Option<&'static str> {
    Some(match start {
        [b'O', b'g', b'g', b'S', ..] => "_sound.ogg",
        _ if start.starts_with(b"Linden text version") => "_notecard.txt",
        _ if start.starts_with(b"Landmark version") => "_landmark.txt",
        _ if start.starts_with(b"LLWearable version") => "_bodypart.txt",
        _ => return None,
    })
}
