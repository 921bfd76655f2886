//! Decides which inputs are started, within the number of bytes that a run may unpack.

use super::End;
use hullmark_settings::limits::Limits;
use hullmark_source::Input;
use hullmark_util::lock::{into_inner, lock};
use std::sync::{Condvar, Mutex, PoisonError};

/// The most bytes that one byte of deflate expands to: a match of 258 bytes takes two bits.
const MOST_PER_BYTE: u64 = 1032;

/// Hands out the numbers of inputs in order, until the inputs before have unpacked all bytes of the run. This depends
/// on the content of the earlier inputs, not on threads: if a size is not known yet, `Budget::begin` waits.
pub(super) struct Budget {
    /// Bytes that a run may unpack.
    limit: u64,
    /// Most bytes that each input can contain.
    most: Vec<u64>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    next: usize,
    /// Most bytes that the inputs in progress can contain.
    at_work: u64,
    /// Bytes that the finished inputs unpacked.
    spent: u64,
    /// Why no further input starts. `None` while inputs may start.
    end: Option<End>,
}

impl Budget {
    pub(super) fn new(inputs: &[Input], limits: &Limits) -> Self {
        let most = |input: &Input| {
            input.bytes_or_most(limits).saturating_mul(MOST_PER_BYTE).min(limits.archive_bytes)
        };
        Self::with_run_limit(inputs.iter().map(most).collect(), limits.run_bytes)
    }

    fn with_run_limit(most: Vec<u64>, limit: u64) -> Self {
        Self { limit, most, state: Mutex::default(), ended: Condvar::new() }
    }

    /// Returns the number of the next input. Returns `None` if `enough` is true for the number of started inputs, or if
    /// the limit is reached. The first input always starts.
    pub(super) fn begin(&self, enough: impl Fn(usize) -> bool) -> Option<usize> {
        let mut state = lock(&self.state);
        while state.end.is_none() {
            let State { next, at_work, spent, .. } = *state;
            if next == self.most.len() {
                state.end = Some(End::All);
            } else if enough(next) {
                state.end = Some(End::Watch);
            } else if next == 0 || spent.saturating_add(at_work) < self.limit {
                state.next += 1;
                state.at_work = at_work.saturating_add(self.most[next]);
                return Some(next);
            } else if spent >= self.limit {
                state.end = Some(End::Bytes);
            } else {
                state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        // Wakes the waiting lanes: no input is left for them.
        self.ended.notify_all();
        None
    }

    /// Records that the input of this number is finished and unpacked this many bytes.
    pub(super) fn end(&self, number: usize, unpacked: u64) {
        let most = self.most[number];
        let mut state = lock(&self.state);
        state.at_work = state.at_work.saturating_sub(most);
        state.spent = state.spent.saturating_add(unpacked.min(most));
        self.ended.notify_all();
    }

    /// Whether inputs are left that have not started.
    pub(super) fn is_left(&self) -> bool {
        lock(&self.state).next < self.most.len()
    }

    pub(super) fn finish(self) -> End {
        into_inner(self.state).end.unwrap_or(End::All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn started_inputs_depend_on_unpacked_bytes_and_not_on_threads() {
        let unpacked = [5, 0, 3, 2, 9, 9, 9];
        for (run_bytes, begun, end) in [
            (0, 1, End::Bytes),
            (5, 1, End::Bytes),
            (6, 3, End::Bytes),
            (9, 4, End::Bytes),
            (100, 7, End::All),
        ] {
            for threads in 1..=4 {
                let budget = Budget::with_run_limit(vec![9; unpacked.len()], run_bytes);
                let taken = Mutex::new(Vec::new());
                let lane = || {
                    while let Some(number) = budget.begin(|_| false) {
                        lock(&taken).push(number);
                        thread::yield_now();
                        budget.end(number, unpacked[number]);
                    }
                };
                thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(lane))));
                let mut taken = taken.into_inner().unwrap();
                taken.sort_unstable();
                assert_eq!(taken, (0..begun).collect::<Vec<_>>(), "{run_bytes} bytes, {threads} threads");
                assert_eq!(budget.finish(), end);
            }
        }
    }

    #[test]
    fn who_has_enough_ends_it() {
        let budget = Budget::with_run_limit(vec![9; 3], 100);
        assert_eq!(budget.begin(|_| false), Some(0));
        assert_eq!(budget.begin(|begun| begun > 0), None);
        assert_eq!(budget.finish(), End::Watch);
    }
}
