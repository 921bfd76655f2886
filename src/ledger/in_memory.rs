//! Ledgers in memory, without a file.

use super::{Ledger, LedgerError, Packed};

/// A ledger in memory.
#[derive(Debug)]
pub enum InMemory {
    /// As it is: one that is alone is in memory already.
    Whole(Box<Ledger>),
    /// Packed, as it would be in its file.
    Packed(Packed),
}

impl InMemory {
    /// The ledger.
    ///
    /// # Errors
    /// It cannot be unpacked.
    pub fn read(self) -> Result<Ledger, LedgerError> {
        match self {
            Self::Whole(ledger) => Ok(*ledger),
            Self::Packed(packed) => {
                packed.unpack().map_err(|source| LedgerError::Io { path: "in memory".into(), source })
            }
        }
    }
}
