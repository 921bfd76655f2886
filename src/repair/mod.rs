//! New archives from exports. The export itself is only read.
//!
//! ```text
//! ledger ─▶ Chosen ─▶ Extract ─┐
//!                              ├─▶ write ──▶ ArchiveWriter ─▶ OUT
//! export ──────────────────────┘
//! export ─▶ Repairer: mend each member ─────▶ ArchiveWriter ─▶ OUT, OUT.left-out/
//! ```
//!
//! [`Chosen`] decides by the ledger which members an [`Extract`] has. [`write()`] reads the export again and copies them.

mod container;
mod control;
mod copy;
mod error;
mod extract;
mod fetch;
mod first;
mod left_out;
mod mend;
mod names;
mod needed;
mod regrouped;
mod repair;
mod tar_writer;
mod writer;

pub use error::CopyError;
pub use extract::{
    Chosen, Division, Extract, Form, Per, Rights, RightsError, Selection, Square, Within, WithinError,
    Written, write,
};
pub use left_out::folder_of;
pub use mend::{Change, mended};
pub use needed::{knows_all_uses, missing_assets};
pub use repair::{Choices, ObjectEdit, Repair, Repaired, Repairer, is_archive, repair_object};
pub use tar_writer::TarWriter;
pub use writer::{ArchiveWriter, beside, folder_beside, parent_of, persist, persist_folder, write_file};
