//! The command line: arguments → settings → command → exit code. The only place that ends the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    hullmark::run()
}
