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
mod repair;
mod reports;
mod texts;
mod viewers;

use hullmark_finding::Finding;
pub use ledgers::returns;
pub use reports::tables;

/// Bytes of stack for each property. A decoder that takes stack for each byte or each level of a file needs more, and an
/// overflow ends the test.
const STACK: usize = 256 * 1024;

/// Calls `work` on a thread with little stack.
pub fn on_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let done = builder.spawn_scoped(scope, work).unwrap().join();
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The properties, each on a thread with little stack.
macro_rules! properties {
    ($($module:ident::$name:ident -> $result:ty,)*) => {
        $(pub fn $name(bytes: &[u8]) -> $result {
            on_small_stack(|| $module::$name(bytes))
        })*
    };
}

properties! {
    archives::archive -> archives::Outcome,
    archives::container -> usize,
    archives::dump_folder -> usize,
    archives::object_xml -> Vec<Finding>,
    archives::sqlite -> archives::Outcome,
    containers::gzip_tar -> (),
    containers::tar -> (),
    decoders::cached_asset -> (),
    decoders::llsd -> (),
    decoders::mesh -> Vec<Finding>,
    decoders::model -> usize,
    decoders::sculpt_map -> (),
    decoders::text -> (),
    ledgers::ledger -> bool,
    repair::repaired -> usize,
    reports::report_table -> bool,
    texts::settings -> [bool; 2],
    texts::waivers -> bool,
    viewers::viewer_export -> Vec<Finding>,
}
