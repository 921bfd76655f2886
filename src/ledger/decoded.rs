//! What the content cache keeps of meshes and of documents of objects.
//!
//! No function here is generic. A crate that calls a generic one compiles the JSON of all these facts again.

use crate::facts::{MeshFacts, ObjectFacts};
use hullmark_format::defect::Defect;
use hullmark_storage::contents::ContentCache;
use hullmark_util::filter::Key;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// The facts of a document of objects, without its name and role.
#[derive(Serialize, Deserialize)]
pub struct DecodedDocument {
    pub objects: Vec<ObjectFacts>,
    pub defects: Vec<Defect>,
}

impl DecodedDocument {
    /// Returns the content of a document from the cache, or decodes and adds it.
    pub fn of(cache: Option<&ContentCache>, document: &[u8], decode: &dyn Fn() -> Self) -> Self {
        let Ok::<_, Infallible>(content) =
            ContentCache::get_or_decode(cache, "objects", document, || Ok(decode()));
        content
    }
}

/// The facts of a mesh, without its name.
#[derive(Serialize, Deserialize)]
pub struct DecodedMesh {
    /// The work of decoding it.
    pub units: u64,
    pub facts: MeshFacts,
    pub defects: Vec<Defect>,
}

impl DecodedMesh {
    /// Returns the entry of the cache with this key. `None` if it is missing or damaged.
    pub fn kept(cache: &ContentCache, key: Key) -> Option<Self> {
        cache.get(key)
    }

    /// Adds the content to the cache.
    pub fn keep(&self, cache: &ContentCache, key: Key) {
        cache.put(key, self);
    }
}
