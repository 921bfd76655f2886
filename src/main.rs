//! The command line: arguments → settings → command → exit code. Only this function ends the process.

use std::process::ExitCode;

// The allocator of musl has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hullmark::run()
}
