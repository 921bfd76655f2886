//! Every cap on hostile input, in one struct.
//!
//! Archives are untrusted. Each number here limits the memory or time that one input may take. Content over a limit is
//! skipped with a finding that names the limit, and the audit continues. These are limits of *decoding*: the limits of
//! a grid are in [`crate::settings::profile`].

use serde::{Deserialize, Serialize};

/// The caps. Their defaults and the reason for each stand in `config/hullmark.toml`, section `[limits]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes that one compressed mesh block may inflate to.
    pub block_bytes: u64,
    /// Bytes of one member that is decoded (object, mesh, settings …); a larger one is not read.
    pub entry_bytes: u64,
    /// Bytes that one archive, tree or folder may expand to.
    pub archive_bytes: u64,
    /// Bytes that the inputs of one run may expand to; behind it none is begun.
    pub run_bytes: u64,
    /// Members of one archive, tree or folder.
    pub entries: u64,
    /// Bytes of a member's name.
    pub name_bytes: usize,
    /// Nested arrays and maps in a mesh header or block; the viewer stops at 96.
    pub llsd_depth: usize,
    /// Values in a mesh header or block.
    pub llsd_values: usize,
    /// Hulls of one decomposition.
    pub hulls: usize,
    /// Submeshes of one level of detail or physics mesh.
    pub submeshes: usize,
    /// Nested elements in an XML document.
    pub xml_depth: usize,
    /// Parts of one object.
    pub parts: usize,
    /// Items in the contents of all parts of one document.
    pub items: usize,
    /// Units of work on one mesh asset, or on all meshes of a scene; about a nanosecond each.
    pub asset_work: u64,
    /// Units of work on the meshes and sculpt maps of an input for each of its bytes on the disk, beside those of one
    /// asset; those behind are left out.
    pub work_per_byte: u64,
    /// Bytes of a script, a notecard or another text; a larger one is not read.
    pub text_bytes: u64,
    /// Bytes of a sculpt map; a larger one is not read.
    pub sculpt_bytes: u64,
    /// Pixels along each side of a sculpt map.
    pub sculpt_side: u64,
    /// Bytes of a texture that is kept until it is known whether it is a sculpt map.
    pub kept_texture_bytes: u64,
    /// Bytes of all textures kept so in one input.
    pub kept_textures_bytes: u64,
    /// Undecoded bytes that may wait for a worker at one time, over all inputs.
    pub bytes_in_flight: u64,
    /// Bytes that may be remembered of one input; the members behind are left out.
    pub facts_bytes: u64,
    /// Findings of one code that decoding keeps of one input; the last counts those that come after it.
    pub findings_per_code: usize,
}

impl Default for Limits {
    fn default() -> Self {
        crate::settings::config::Config::default().limits
    }
}
