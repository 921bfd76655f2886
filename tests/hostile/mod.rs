//! Inputs and surroundings that do harm: findings and exit codes, never a panic.

mod budgets;
mod damaged_samples;
#[cfg(unix)]
mod faults;
mod injection;
mod isolation;
mod mutants;
#[cfg(unix)]
mod operator_files;
mod unreadable_values;
mod viewer_files;
mod work_limits;
