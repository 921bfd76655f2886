//! How long each part of an audit takes: `cargo bench --bench parts`.

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
    // What takes long is steady after a few times.
    divan::Divan::default().max_time(Duration::from_secs(3)).config_with_args().main();
}
