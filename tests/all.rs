//! One binary for all integration tests: linking is the slow part.

#![allow(missing_docs, clippy::unwrap_used)]

mod cli;
mod docs;
mod golden;
mod hostile;
mod inspect;
mod samples;
#[cfg(feature = "sculpt")]
mod sculpts;
mod slim;
mod support;
mod targets;
