//! Ledgers in memory, without a file.

use super::{Ledger, LedgerError, Packed, library};
use std::sync::Arc;

/// A ledger in memory.
#[derive(Debug)]
pub enum InMemory {
    /// Not packed: a single ledger is in memory anyway.
    Whole(Box<Ledger>),
    /// Not packed, and needed again.
    Shared(Arc<library::Ledger>),
    /// Packed as in its file.
    Packed(Packed),
}

impl InMemory {
    /// Returns the size of a packed ledger. A whole one is in memory already, so it is 0.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Whole(_) | Self::Shared(_) => 0,
            Self::Packed(packed) => packed.bytes().len() as u64,
        }
    }

    /// Returns the ledger.
    ///
    /// # Errors
    /// The ledger cannot be unpacked.
    pub fn read(self) -> Result<Ledger, LedgerError> {
        match self {
            Self::Whole(ledger) => Ok(*ledger),
            Self::Shared(ledger) => Ok(Arc::unwrap_or_clone(ledger).0),
            Self::Packed(packed) => {
                packed.unpack().map_err(|error| LedgerError::Unreadable { path: "in memory".into(), error })
            }
        }
    }
}
