//! Inputs and surroundings that do harm: findings and exit codes, never a panic.

mod budgets;
mod damaged_samples;
mod database_budgets;
#[cfg(unix)]
mod faults;
mod injection;
mod isolation;
mod mutants;
mod numbers;
#[cfg(unix)]
mod operator_files;
mod stack;
mod unreadable_values;
mod viewer_files;
mod work_limits;
