//! Determines the type of a file from its first bytes.

use super::{CONVEX, COST_DATA, LODS, PHYSICS_MESH, SKIN};
use crate::format::llsd;

/// Bytes from the start of a file that [`sniff`] needs at most: viewers find a mesh's header in as many.
pub const HEAD: usize = 4096;

/// What a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sniffed {
    /// A mesh asset: its header names blocks of a mesh.
    Mesh,
    /// A viewer's upload file: a scene that wraps mesh assets.
    Scene,
    /// Some other map in binary LLSD.
    OtherLlsd,
    /// Not a map in binary LLSD. LLSD as notation or XML, and JSON, are not.
    NotLlsd,
}

/// Tells what a file is from its first bytes: the whole file, or its first [`HEAD`] bytes.
pub fn sniff(bytes: &[u8]) -> Sniffed {
    if !llsd::looks_like_map(bytes) {
        return Sniffed::NotLlsd;
    }
    // Of a whole scene nobody needs more.
    let keys = llsd::keys(&bytes[..bytes.len().min(16 * HEAD)]);
    let has = |wanted: &dyn Fn(&[u8]) -> bool, tag: Option<u8>| {
        keys.iter().any(|(key, found)| wanted(key) && tag.is_none_or(|tag| tag == *found))
    };
    if has(&|key| key == b"mesh" || key == b"instance", Some(b'[')) {
        Sniffed::Scene
    } else if has(&is_mesh_key, Some(b'{')) || has(&|key| key == b"404", None) {
        Sniffed::Mesh
    } else {
        Sniffed::OtherLlsd
    }
}

fn is_mesh_key(key: &[u8]) -> bool {
    let names = LODS.into_iter().chain(CONVEX).chain(PHYSICS_MESH).chain([SKIN, COST_DATA]);
    names.into_iter().any(|name| name.as_bytes() == key)
}
