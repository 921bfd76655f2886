//! One binary for all integration tests: linking is the slow part.

#![allow(missing_docs, clippy::unwrap_used)]

mod assets;
mod budgets;
mod calibrate;
mod cli;
mod commands;
mod conformance;
mod control;
mod copies;
mod diff;
mod docs;
#[cfg(unix)]
mod faults;
mod folding;
mod golden;
mod history;
mod hostile;
mod html;
mod injection;
mod inputs;
mod inspect;
mod ledgers;
mod letters;
mod link;
mod loads;
mod machines;
mod mutants;
mod narrow;
mod neighbours;
mod nights;
#[cfg(unix)]
mod notify;
mod objects;
mod partial;
mod plans;
mod preflight;
mod properties;
mod remote;
mod rooms;
mod samples;
mod schemas;
#[cfg(feature = "sculpt")]
mod sculpts;
mod simulator;
mod slim;
#[cfg(unix)]
mod standing;
#[cfg(feature = "sculpt")]
mod stores;
mod support;
mod targets;
mod timings;
mod verdicts;
mod waivers;
mod work;
#[cfg(feature = "xlsx")]
mod xlsx;
