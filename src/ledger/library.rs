//! The ledger type of the library.

use super::{LedgerError, facts::Status};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

/// All facts that a scan read from one input. It contains no evaluation, so it is valid for any target grid. Its JSON
/// may change from one version of hullmark to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger(pub super::Ledger);

impl Ledger {
    /// Reads a ledger file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or has another version of the format.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        super::Ledger::read(path).map(Self)
    }

    /// Returns the ledger of a file in memory, as [`Ledger::to_file`] returns it.
    ///
    /// # Errors
    /// The file is damaged, or has another version of the format.
    pub fn from_file(bytes: Vec<u8>) -> Result<Self, LedgerError> {
        super::Ledger::from_file(bytes).map(Self)
    }

    /// Writes the ledger atomically into a folder, under its own file name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, LedgerError> {
        self.0.write(folder)
    }

    /// Returns the file that [`Ledger::write`] writes: its name and its bytes.
    ///
    /// # Errors
    /// The header of the ledger cannot be written as JSON.
    pub fn to_file(&self) -> io::Result<(String, Vec<u8>)> {
        self.0.to_file()
    }

    /// Returns the name of the input: its path, or the name given to its `Source`.
    pub fn name(&self) -> &str {
        &self.0.input
    }

    /// Returns the kind of the input: `oar`, `iar`, `oar-tree`, `iar-tree`, `folder`, `unreadable` or `store`.
    pub fn kind(&self) -> &str {
        self.0.kind.name()
    }

    /// Whether the input is a store, whose assets count as present for other inputs.
    pub fn is_store(&self) -> bool {
        self.0.is_store()
    }

    /// Returns the bytes of the input as it is stored.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Whether the input was read to its end.
    pub fn is_complete(&self) -> bool {
        self.0.status == Status::Complete
    }
}
