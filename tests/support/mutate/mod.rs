//! Damages files from a seed: the same seed gives the same file on every machine.
//!
//! A change of a compressed byte ends at a checksum and never reaches a decoder. So these mutators unpack files, change
//! the content, and pack it again with correct checksums, sizes and offsets. The fuzz targets use the same code.

// The fuzz targets include this file without the other tests.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

mod archive;
mod bytes;
mod dice;
pub mod llsd;
mod mesh;
mod oxp;
mod text;
mod xml;

pub use archive::Archive;
pub use bytes::bytes;
pub use dice::Dice;
pub use llsd::llsd;
pub use mesh::Mesh;
pub use oxp::oxp;
pub use text::text;
pub use xml::xml;

/// The place of a change in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Where {
    /// In the bytes as they are on disk.
    Outside,
    /// In the unpacked content, which is packed again.
    Inside,
}

/// A file of waivers as a source of mutants.
pub const WAIVERS: &str = "# ours

[[waiver]]
code = 'LNK001'
region = 'Hill*'
reason = 'an old bridge'
who = 'Ann'
added = 2026-11-01
until = '2026-12-31'

[[waiver]]
fingerprint = '8a3fd206adb61d41'
reason = 'a mast'
who = 'Bob'
until = 2026-12-31T10:00:00Z
";
