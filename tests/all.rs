//! One binary for all integration tests: linking is the slow part.

#![allow(missing_docs, clippy::unwrap_used)]

mod assets;
mod cli;
mod docs;
mod golden;
mod hostile;
mod inspect;
mod link;
mod objects;
mod samples;
#[cfg(feature = "sculpt")]
mod sculpts;
mod slim;
#[cfg(feature = "sculpt")]
mod stores;
mod support;
mod targets;
