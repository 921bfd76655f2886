//! The commands as people run them: arguments, exit codes and output.

#[cfg(feature = "sculpt")]
mod asset_stores;
mod calibrate;
mod commands;
mod databases;
mod exit_codes;
mod fix;
mod inputs;
mod inspect;
mod link;
mod object_stores;
mod one_object;
mod paths;
mod preflight;
mod preflight_losses;
mod rule_selection;
mod settings;
mod slim;
mod target_profiles;
mod timings;
