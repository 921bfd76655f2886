//! The command line: arguments → settings → command → exit code. The only place that ends the process.

use clap::Parser;
use hullmark::{
    cli::{self, Cli},
    util::log,
};
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(&Cli::parse()) {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => {
            log::broken(&error);
            ExitCode::from(cli::Outcome::Usage as u8)
        }
    }
}
