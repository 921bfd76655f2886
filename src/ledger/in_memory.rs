//! Ledgers in memory, without a file.

use super::{Ledger, library};
use std::sync::Arc;

#[derive(Debug)]
pub enum InMemory {
    /// Of the only input of a run.
    Whole(Box<Ledger>),
    /// Needed again.
    Shared(Arc<library::Ledger>),
}

impl InMemory {
    pub fn read(self) -> Ledger {
        match self {
            Self::Whole(ledger) => *ledger,
            Self::Shared(ledger) => Arc::unwrap_or_clone(ledger).0,
        }
    }
}
