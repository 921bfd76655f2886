//! Builds LLSD, meshes, objects and archives, and the sample data from them.

// Not every test uses every builder.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

pub mod archive;
pub mod llsd;
pub mod mesh;
pub mod object;
pub mod samples;
