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
    // Long enough to be steady, and short enough for all to be done in a minute or two.
    divan::Divan::default().max_time(Duration::from_millis(1_500)).config_with_args().main();
}
