//! Facts and costs compared with independent sources: samples, other programs and simulators.

mod actions;
mod asset_facts;
mod conformance;
mod golden;
mod ledger_digest;
mod models;
mod object_facts;
mod parcels;
mod samples;
#[cfg(feature = "sculpt")]
mod sculpt_maps;
mod simulator_costs;
mod simulator_loading;
mod verify;
mod viewer_files;
