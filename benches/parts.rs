//! Time of each part of an audit: `cargo bench --bench parts`.

#![allow(missing_docs, clippy::unwrap_used)]

mod parts {
    mod bytes;
    mod formats;
    mod geometry;
    mod material;
    mod whole;
}

use std::time::Duration;

fn main() {
    // Slow benchmarks are steady after a few iterations.
    divan::Divan::default().max_time(Duration::from_secs(3)).config_with_args().main();
}
