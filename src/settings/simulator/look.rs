//! A cheap look at a place: whether it exists, and its likely type.

use super::is_elsewhere;
use serde::Serialize;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Maximum number of entries of a folder that are counted.
const MOST_ENTRIES: usize = 10_000;

const SQLITE: &[u8] = b"SQLite format 3\0";

/// The state of a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Look {
    /// A server, which was not contacted.
    Server,
    /// It does not exist.
    Missing,
    /// A path of Windows, on another system.
    OtherSystem,
    /// It cannot be read.
    Unreadable {
        /// The reason.
        why: String,
    },
    /// A file of SQLite.
    Sqlite {
        /// Its size in bytes.
        bytes: u64,
    },
    /// An empty file: OpenSimulator has not written to it yet.
    Empty,
    /// A file of another kind.
    File {
        /// Its size in bytes.
        bytes: u64,
    },
    /// A folder.
    Folder {
        /// Number of its files and folders, without those below.
        entries: u64,
        /// Whether there are more.
        more: bool,
    },
}

impl Look {
    pub fn at(path: &Path) -> Self {
        if is_elsewhere(path) {
            return Self::OtherSystem;
        }
        Self::try_at(path).unwrap_or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Unreadable { why: error.to_string() },
        })
    }

    fn try_at(path: &Path) -> io::Result<Self> {
        let facts = fs::metadata(path)?;
        if facts.is_dir() {
            let entries = fs::read_dir(path)?.take(MOST_ENTRIES + 1).count();
            let more = entries > MOST_ENTRIES;
            return Ok(Self::Folder { entries: entries.min(MOST_ENTRIES) as u64, more });
        }
        if !facts.is_file() {
            return Err(io::Error::other("it is no file and no folder"));
        }
        let bytes = facts.len();
        let mut start = Vec::new();
        File::open(path)?.take(SQLITE.len() as u64).read_to_end(&mut start)?;
        Ok(match bytes {
            0 => Self::Empty,
            _ if start == SQLITE => Self::Sqlite { bytes },
            _ => Self::File { bytes },
        })
    }
}
