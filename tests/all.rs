//! One binary for all integration tests: linking is the slow part.

#![allow(missing_docs, clippy::unwrap_used)]

mod cli;
mod hostile;
mod nightly;
mod properties;
mod report;
mod rooms;
mod support;
mod truth;
