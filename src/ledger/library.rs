//! The ledger type of the library.

use super::{LedgerError, STORE, facts::Status};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// All that a scan learnt from one input. It holds facts and no judgement, so it serves for any target grid. As JSON it
/// may change from one version of hullmark to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger(pub(crate) super::Ledger);

impl Ledger {
    /// Reads the ledger that a scan keeps in this file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is of another version of the format.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        super::Ledger::read(path).map(Self)
    }

    /// Writes it into a folder, under a name of its own, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, LedgerError> {
        self.0.write(folder)
    }

    /// The name of the input: its path, or what [`Source`](crate::Source) was given.
    pub fn name(&self) -> &str {
        &self.0.input
    }

    /// What the input is: `oar`, `iar`, `oar-tree`, `iar-tree`, `folder`, `unreadable` or `store`.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// Whether it is of a store, whose assets count as present for other inputs.
    pub fn is_store(&self) -> bool {
        self.0.kind == STORE
    }

    /// Bytes of the input as it is stored.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Whether the input was read to its end.
    pub fn is_complete(&self) -> bool {
        self.0.status == Status::Complete
    }
}
