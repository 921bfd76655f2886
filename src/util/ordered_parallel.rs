//! Threads that work in parallel, with two stages that only one thread at a time may enter, in input order.
//!
//! Each item has a turn at both stages. While one thread is in the first, another may be in the second. Work between
//! the two stages is parallel.

use crate::util::{
    lock::{into_inner, lock},
    timings::{Stage, within},
};
use std::{
    ops::{Deref, DerefMut},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// A shared value, and the number of the next turn.
struct Turns<S> {
    state: Mutex<State<S>>,
    passed: Condvar,
}

struct State<S> {
    next: usize,
    /// Whether a turn was dropped without being taken, so that later turns must not wait.
    broken: bool,
    shared: S,
}

/// The turn of one item. If it is dropped without being taken, by an error or a panic, all work ends.
pub(crate) struct Turn<'a, S> {
    turns: &'a Turns<S>,
    number: usize,
    taken: bool,
}

/// The shared value during a turn.
pub(crate) struct Taken<'a, S> {
    state: MutexGuard<'a, State<S>>,
    passed: &'a Condvar,
}

/// Works on items with `threads` threads, one item per thread at a time. Each call of `work` may take its turn at
/// `first` once and then at `second` once, with exclusive access. Stops early if an item fails.
///
/// # Errors The error of the first item, in input order, that failed.
pub(crate) fn in_turns<I: Send, A: Send, B: Send, E: Send>(
    things: Vec<I>,
    threads: usize,
    (first, second): (A, B),
    work: impl Fn(I, Turn<'_, A>, Turn<'_, B>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let threads = threads.min(things.len());
    let (first, second) = (Turns::at(first), Turns::at(second));
    let things = Mutex::new(things.into_iter().enumerate());
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let lane = || {
        while !(first.is_broken() || second.is_broken()) {
            let Some((number, thing)) = lock(&things).next() else { break };
            if let Err(error) = work(thing, first.turn(number), second.turn(number)) {
                first.end();
                second.end();
                let mut failed = lock(&failed);
                if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                    *failed = Some((number, error));
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If the system cannot start more threads, fewer do the work.
            if thread::Builder::new().spawn_scoped(scope, || within(Stage::Other, lane)).is_err() {
                break;
            }
        }
        lane();
    });
    into_inner(failed).map_or(Ok(()), |(_, error)| Err(error))
}

impl<S> Turns<S> {
    fn at(shared: S) -> Self {
        Self { state: Mutex::new(State { next: 0, broken: false, shared }), passed: Condvar::new() }
    }

    fn turn(&self, number: usize) -> Turn<'_, S> {
        Turn { turns: self, number, taken: false }
    }

    fn is_broken(&self) -> bool {
        lock(&self.state).broken
    }

    /// Ends all waiting.
    fn end(&self) {
        lock(&self.state).broken = true;
        self.passed.notify_all();
    }
}

impl<'a, S> Turn<'a, S> {
    /// Waits for the turn; `None` if all work has ended, or if the turn was taken before.
    pub(crate) fn take(&mut self) -> Option<Taken<'a, S>> {
        if std::mem::replace(&mut self.taken, true) {
            return None;
        }
        let (turns, number) = (self.turns, self.number);
        let waits = |state: &mut State<S>| !state.broken && state.next != number;
        let wait = || turns.passed.wait_while(lock(&turns.state), waits);
        let state = within(Stage::Waiting, wait).unwrap_or_else(PoisonError::into_inner);
        (!state.broken).then_some(Taken { state, passed: &turns.passed })
    }

    /// Whether the turn was taken.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken
    }
}

impl<S> Drop for Turn<'_, S> {
    fn drop(&mut self) {
        if !self.taken {
            self.turns.end();
        }
    }
}

impl<S> Deref for Taken<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state.shared
    }
}

impl<S> DerefMut for Taken<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.state.shared
    }
}

impl<S> Drop for Taken<'_, S> {
    fn drop(&mut self) {
        self.state.next += 1;
        self.state.broken |= thread::panicking();
        self.passed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{panic::catch_unwind, time::Duration};

    /// Returns the numbers in the order of their turns at both stages. Odd numbers take long to prepare; every third
    /// takes long between the stages.
    fn run(
        count: u32,
        threads: usize,
        work: impl Fn(u32) -> Result<u32, u32> + Sync,
    ) -> Result<[Vec<u32>; 2], u32> {
        let (one, other) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let long = |is: bool| thread::sleep(Duration::from_micros(u64::from(is) * 300));
        in_turns((0..count).collect(), threads, (&one, &other), |number, mut first, mut second| {
            long(number % 2 == 1);
            if let Some(shared) = first.take() {
                lock(&shared).push(number);
            }
            long(number % 3 == 1);
            let made = work(number)?;
            if let Some(shared) = second.take() {
                lock(&shared).push(made);
            }
            Ok::<(), u32>(())
        })?;
        Ok([one, other].map(|done| done.into_inner().unwrap()))
    }

    #[test]
    fn turns_are_in_order_for_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let all: Vec<u32> = (0..50).collect();
            assert_eq!(run(50, threads, Ok), Ok([all.clone(), all]));
            assert_eq!(run(0, threads, Ok), Ok([Vec::new(), Vec::new()]));
        }
    }

    #[test]
    fn an_error_ends_all_and_nobody_waits_for_ever() {
        for threads in [1, 2, 7] {
            let failed = run(50, threads, |number| if number == 20 { Err(number) } else { Ok(number) });
            assert_eq!(failed, Err(20));
        }
    }

    #[test]
    fn a_panic_ends_all_and_nobody_waits_for_ever() {
        for threads in [1, 2, 7] {
            let panics = |number| if number == 20 { panic!("20") } else { Ok(number) };
            assert!(catch_unwind(|| run(50, threads, panics)).is_err());
        }
    }
}
