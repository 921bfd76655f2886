//! The threads that decode, and how a lane uses them.

use super::ScanError;
use hullmark_util::timings::{self, Stage};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use std::thread;

/// More threads than cores only cost memory.
const MOST_THREADS: usize = 1024;

/// Bytes of stack of a thread that reads or decodes. Those of a debug build are so few that its tests find a decoder that
/// takes stack for each byte of a file. An overflow would end the run.
pub(super) const STACK: usize = if cfg!(debug_assertions) { 256 * 1024 } else { 2 * 1024 * 1024 };

/// Returns the number of threads; 0 means one for each core.
pub fn how_many(threads: usize) -> usize {
    match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(MOST_THREADS),
    }
}

pub(super) enum Workers {
    Pool(ThreadPool),
    /// The thread of the caller, on a platform without threads: a browser.
    Caller,
}

impl Workers {
    /// Creates a pool of this many threads, or of fewer if the system has no memory for their stacks.
    pub(super) fn new(mut threads: usize) -> Result<Self, ScanError> {
        if cfg!(target_family = "wasm") {
            return Ok(Self::Caller);
        }
        loop {
            match ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build() {
                Err(_) if threads > 1 => threads -= 1,
                built => return built.map(Self::Pool).map_err(ScanError::Threads),
            }
        }
    }

    pub(super) fn in_place_scope<'scope, T>(&self, work: impl FnOnce(&Scope<'scope>) -> T) -> T {
        match self {
            Self::Pool(pool) => pool.in_place_scope(work),
            Self::Caller => rayon::in_place_scope(work),
        }
    }
}

/// Hands work to the workers. On a platform without threads the caller does it at once. If it waited for the end of the
/// scope, it would hold its tickets, and the lane would wait for them for ever.
pub(super) fn spawn<'scope>(scope: &Scope<'scope>, work: impl FnOnce() + Send + 'scope) {
    match cfg!(target_family = "wasm") {
        true => work(),
        false => scope.spawn(|_| work()),
    }
}

/// Reads on this thread and decodes on the pool, until both are done.
pub(super) fn read_and_decode<'scope, T>(workers: &Workers, read: impl FnOnce(&Scope<'scope>) -> T) -> T {
    let read = |scope: &Scope<'scope>| timings::within(Stage::Tar, || read(scope));
    timings::within(Stage::Waiting, || workers.in_place_scope(read))
}
