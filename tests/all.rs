//! One binary for all integration tests: linking is the slow part.

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "truth/asset_facts.rs"]
mod assets;
#[path = "hostile/budgets.rs"]
mod budgets;
#[path = "cli/calibrate.rs"]
mod calibrate;
#[path = "cli/exit_codes.rs"]
mod cli;
#[path = "cli/commands.rs"]
mod commands;
#[path = "truth/conformance.rs"]
mod conformance;
#[path = "cli/rule_selection.rs"]
mod control;
#[path = "nightly/dated_copies/mod.rs"]
mod copies;
#[path = "nightly/diff.rs"]
mod diff;
#[path = "report/docs.rs"]
mod docs;
#[cfg(unix)]
#[path = "hostile/faults/mod.rs"]
mod faults;
#[path = "report/aspects.rs"]
mod folding;
#[path = "truth/golden/mod.rs"]
mod golden;
#[path = "nightly/history/mod.rs"]
mod history;
#[path = "hostile/damaged_samples.rs"]
mod hostile;
#[path = "report/html.rs"]
mod html;
#[path = "hostile/injection/mod.rs"]
mod injection;
#[path = "cli/inputs.rs"]
mod inputs;
#[path = "cli/inspect.rs"]
mod inspect;
#[path = "report/letters.rs"]
mod letters;
#[path = "cli/link.rs"]
mod link;
#[path = "truth/simulator_loading.rs"]
mod loads;
#[path = "report/machine_formats.rs"]
mod machines;
#[path = "hostile/mutants/mod.rs"]
mod mutants;
#[path = "report/row_filter.rs"]
mod narrow;
#[path = "hostile/isolation.rs"]
mod neighbours;
#[path = "nightly/ledger_cache.rs"]
mod nights;
#[cfg(unix)]
#[path = "nightly/notify.rs"]
mod notify;
#[path = "truth/object_facts.rs"]
mod objects;
#[path = "nightly/coverage.rs"]
mod partial;
#[path = "nightly/plans.rs"]
mod plans;
#[path = "cli/preflight.rs"]
mod preflight;
mod properties;
#[path = "cli/object_stores.rs"]
mod remote;
#[path = "truth/samples.rs"]
mod samples;
#[path = "report/schemas.rs"]
mod schemas;
#[cfg(feature = "sculpt")]
#[path = "truth/sculpt_maps.rs"]
mod sculpts;
#[path = "truth/simulator_costs.rs"]
mod simulator;
#[path = "cli/slim.rs"]
mod slim;
#[cfg(unix)]
#[path = "nightly/up_to_date.rs"]
mod standing;
#[cfg(feature = "sculpt")]
#[path = "cli/asset_stores.rs"]
mod stores;
mod support;
#[path = "report/target_limits.rs"]
mod targets;
#[path = "cli/timings.rs"]
mod timings;
#[path = "report/rule_outcomes.rs"]
mod verdicts;
#[path = "nightly/waivers.rs"]
mod waivers;
#[path = "hostile/work_limits.rs"]
mod work;
#[cfg(feature = "xlsx")]
#[path = "report/xlsx.rs"]
mod xlsx;
