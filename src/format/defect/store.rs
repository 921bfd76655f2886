//! Defects of stores of assets: trees of files, and caches.

use crate::nrbf::NrbfFault;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a file of a tree gives no content, or other content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case")]
pub enum StoreFault {
    /// The file has no content.
    #[error("it has no content")]
    Empty,
    /// The gzip stream is damaged or cut short.
    #[error("its gzip stream is damaged or cut short")]
    Gzip,
    /// The content has another hash than the name of the file.
    #[error("its content has another SHA-256 hash than its name")]
    OtherHash,
}

/// Why the service never reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnreadFiles {
    /// No row of the table names the file.
    WithoutRow,
    /// The file is in a folder that does not belong to its hash.
    Misplaced,
    /// The name of the file is no hash.
    Strange,
}

/// A defect of a store. Its place has the file, below the folder of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum StoreDefect {
    /// A row of the table names a file that does not exist. Its place has the asset.
    FileMissing { hash: String },
    /// A file is damaged.
    FileDamaged { why: StoreFault },
    /// A damaged file with `.gz` hides a good one without.
    PackedHides { why: StoreFault },
    /// Files are left in the spool. Its place has the first of them.
    Spooled { files: u64 },
    /// The service never reads these files. Its place has the first of them.
    Unread { kind: UnreadFiles, files: u64, bytes: u64 },
    /// A store is needed, and no database of the run names its files.
    WithoutTable,
    /// A file of a cache is damaged.
    CacheFile { why: NrbfFault },
}
