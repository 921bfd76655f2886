//! Properties that hold for any bytes: one function for each reader of untrusted input.
//!
//! The tests run them on mutants of samples, and the targets in `fuzz/` on input from libFuzzer. None may panic. If
//! there are two ways to one result, both must give it.

// The fuzz targets include this file without the other tests.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

mod archives;
mod containers;
mod decoders;
mod drip;
mod ledgers;
mod texts;
mod viewers;

pub use archives::{archive, container, object_xml, sqlite};
pub use containers::{gzip_tar, tar};
pub use decoders::{cached_asset, llsd, mesh, sculpt_map};
pub use ledgers::{ledger, returns};
pub use texts::{settings, waivers};
pub use viewers::viewer_export;
