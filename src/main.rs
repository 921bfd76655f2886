//! The command line: arguments → settings → command → exit code. Only this function ends the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    hullmark::run()
}
