//! New archives from exports. The export itself is only read.
//!
//! ```text
//! ledger ─▶ Selection ─▶ Extract ─┐
//!                                 ├─▶ copy ─▶ ArchiveWriter ─▶ OUT
//! export ─────────────────────────┘
//! export ─▶ Repairer: mend each member ─────▶ ArchiveWriter ─▶ OUT, OUT.left-out/
//! ```
//!
//! An [`Extract`] decides by the ledger which members are copied. [`Extract::write`] reads the export again and copies
//! their bytes as they are.

mod container;
mod control;
mod copy;
mod extract;
mod fetch;
mod first;
mod left_out;
mod mend;
mod names;
mod needed;
mod repair;
mod rights;
mod selection;
mod writer;

pub use extract::{Extract, ExtractError, Written};
pub use left_out::folder_of;
pub use mend::{Change, mended};
pub use needed::knows_all_uses;
pub use repair::{Repair, RepairError, Repaired, Repairer, is_archive, repair_object};
pub use rights::{Rights, RightsError};
pub use selection::{Selection, Within, WithinError};
pub use writer::{ArchiveWriter, persist, write_file};
