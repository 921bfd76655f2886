//! Determines the type of a file from its first bytes.

use super::{COST_DATA, names};
use crate::llsd;

/// Maximum number of bytes that [`sniff`] needs. Viewers read a mesh's header from as many.
pub const HEAD: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sniffed {
    /// A mesh asset: its header names blocks of a mesh.
    Mesh,
    /// A viewer's upload file: a scene that wraps mesh assets.
    Scene,
    OtherLlsd,
    /// Not a map in binary LLSD. This includes JSON, and LLSD as notation or XML.
    NotLlsd,
}

/// Returns the type of a file from all of its bytes or from its first [`HEAD`] bytes.
pub fn sniff(bytes: &[u8]) -> Sniffed {
    if !llsd::looks_like_map(bytes) {
        return Sniffed::NotLlsd;
    }
    // Even for a whole scene, more bytes are not needed.
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
    names().chain([COST_DATA]).any(|name| name.as_bytes() == key)
}
