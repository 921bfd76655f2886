//! One binary for all integration tests: linking is the slow part.

#![allow(missing_docs, clippy::unwrap_used)]

mod cli;
mod hostile;
mod library;
mod nightly;
mod properties;
mod report;
mod support;
mod truth;
