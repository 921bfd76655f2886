//! The commands as people run them: arguments, exit codes and output.

#[cfg(feature = "sculpt")]
mod asset_stores;
mod calibrate;
mod commands;
mod containers;
mod database_selection;
mod databases;
mod doctor;
mod dump_folders;
mod exit_codes;
mod failed_dumps;
mod fix;
mod fix_physics;
mod from_ini;
mod inputs;
mod inspect;
mod inventories;
mod link;
mod missing_tables;
mod object_stores;
mod one_object;
mod other_texts;
mod packed_databases;
mod paths;
mod preflight;
mod preflight_losses;
mod rule_selection;
mod servers;
mod settings;
mod settings_of_simulators;
mod stores;
mod target_profiles;
mod texts_of_databases;
mod timings;
mod viewer_files;
mod whereabouts;
