//! What must hold whatever the bytes are: one function for each thing that reads what strangers wrote.
//!
//! The tests run them over mutants of samples, and the fuzz targets of `fuzz/` over what libFuzzer makes up. None may
//! panic, and where there are two ways to one result, both must lead to it.

// The fuzz targets include this without the rest of the tests.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

mod archives;
mod containers;
mod decoders;
mod drip;
mod ledgers;
mod texts;

pub use archives::{archive, object_xml};
pub use containers::{gzip_tar, tar};
pub use decoders::{llsd, mesh, sculpt_map};
pub use ledgers::ledger;
pub use texts::{settings, waivers};
