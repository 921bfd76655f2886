//! New archives from exports. The export itself is only read.
//!
//! ```text
//! ledger ─▶ Selection ─▶ Extract ─┐
//!                                 ├─▶ copy ─▶ ArchiveWriter ─▶ OUT
//! export ─────────────────────────┘
//! ```
//!
//! An [`Extract`] decides by the ledger which members are copied. [`Extract::write`] reads the export again and copies
//! their bytes as they are.

mod control;
mod extract;
mod mend;
mod needed;
mod selection;
mod writer;

pub use extract::{Extract, ExtractError, Written};
pub use selection::{Selection, Within, WithinError};
pub use writer::ArchiveWriter;
