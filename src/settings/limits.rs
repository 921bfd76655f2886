//! All limits for hostile input, in one struct.
//!
//! Archives are untrusted. Each number here limits the memory or time that one input may take. Content over a limit is
//! skipped with a finding that names the limit, and the audit continues. These are limits of *decoding*: the limits of
//! a grid are in [`crate::profile`].

use serde::{Deserialize, Serialize};

/// The limits. Their defaults, with a reason for each, are in `config/hullmark.toml`, section `[limits]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Maximum bytes that one compressed mesh block may inflate to.
    pub block_bytes: u64,
    /// Maximum bytes of an entry that is decoded (object, mesh, settings …). A larger one is not read.
    pub entry_bytes: u64,
    /// Maximum bytes that one archive, tree or folder may expand to.
    pub archive_bytes: u64,
    /// Maximum bytes that the inputs of one run may expand to. After that, no further input is started.
    pub run_bytes: u64,
    /// Maximum number of entries in one archive, tree or folder.
    pub entries: u64,
    /// Maximum nesting of zip files and tars in each other. A container in more is not opened.
    pub nesting: usize,
    /// Maximum number of containers in one file, at any depth.
    pub containers: u64,
    /// Maximum bytes of memory for the list of the members of one file, at any depth. Later members are left out.
    pub listing_bytes: u64,
    /// Maximum bytes of temporary files for one file or for standard input.
    pub temporary_bytes: u64,
    /// Maximum bytes of an entry's name.
    pub name_bytes: usize,
    /// Maximum nesting of arrays and maps in a mesh header or block; the viewer stops at 96.
    pub llsd_depth: usize,
    /// Maximum number of values in a mesh header or block.
    pub llsd_values: usize,
    /// Maximum number of hulls in one decomposition.
    pub hulls: usize,
    /// Maximum number of submeshes in one level of detail or physics mesh.
    pub submeshes: usize,
    /// Maximum nesting of elements in an XML document.
    pub xml_depth: usize,
    /// Maximum number of parts in one document.
    pub parts: usize,
    /// Maximum number of items in the contents of all parts of one document.
    pub items: usize,
    /// Units of work on one mesh asset, or on all meshes of a scene; a unit is about a nanosecond.
    pub asset_work: u64,
    /// Units of work on the meshes and sculpt maps of an input, for each of its bytes on the disk. The budget of one
    /// asset is added. Assets after that are left out.
    pub work_per_byte: u64,
    /// Maximum bytes of a script, a notecard or another text. A larger one is not read.
    pub text_bytes: u64,
    /// Maximum bytes of a sculpt map. A larger one is not read.
    pub sculpt_bytes: u64,
    /// Maximum pixels along each side of a sculpt map.
    pub sculpt_side: u64,
    /// Maximum bytes of the textures of an input that are kept until it is known which are sculpt maps.
    pub kept_textures_bytes: u64,
    /// Maximum undecoded bytes that wait for a worker at the same time, over all inputs.
    pub bytes_in_flight: u64,
    /// Maximum bytes of facts about one input. Later entries are left out.
    pub facts_bytes: u64,
    /// Maximum bytes of a row of a database. Rows of assets and terrains may have `entry_bytes`.
    pub row_bytes: u64,
    /// Maximum bytes of the statement that defines a table in a database of SQLite.
    pub statement_bytes: u64,
    /// Maximum number of columns of a table. The rows of a table with more are not read.
    pub columns: usize,
    /// Maximum number of tables that an input defines. The columns of later tables are not known.
    pub tables: u64,
    /// Maximum number of databases in an input. The rows of later ones are not read.
    pub databases: usize,
    /// Maximum number of regions in the databases of an input. The rows of later ones are not read.
    pub regions: usize,
    /// Maximum bytes of memory for names in the databases of an input: columns, and regions in the list of a grid.
    pub names_bytes: u64,
    /// Whether all assets of a database server are read. Otherwise those that objects, land and texts use are.
    pub all_assets: bool,
    /// Maximum number of findings of one code that decoding keeps for one input. The last one counts the rest.
    pub findings_per_code: usize,
}

impl Default for Limits {
    fn default() -> Self {
        crate::config::Config::default().limits
    }
}
