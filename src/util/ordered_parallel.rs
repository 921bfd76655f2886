//! Threads that work in parallel, with two stages that only one thread at a time may enter, in input order.
//!
//! Each item has a turn at both stages. While one thread is in the first, another may be in the second. Work between
//! the two stages is parallel.

use crate::{
    lock::{into_inner, lock},
    timings::{Stage, within},
};
use std::{
    ops::{Deref, DerefMut},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// How many items are in work at once.
#[derive(Debug, Clone, Copy)]
pub struct InWork {
    /// Number of threads that work. Those that wait for a turn do not count.
    pub threads: usize,
    /// Maximum number of items.
    pub items: usize,
    /// Maximum size of all items. One item more than `threads` is always in work.
    pub bytes: u64,
}

/// Admits items to work in their order.
struct Gate {
    limits: InWork,
    sizes: Vec<u64>,
    state: Mutex<Admitted>,
    changed: Condvar,
}

#[derive(Default)]
struct Admitted {
    /// Number of the next item.
    next: usize,
    /// Items in work, those that do not wait for a turn, and the size of all.
    items: usize,
    working: usize,
    bytes: u64,
}

struct Pass<'a> {
    gate: &'a Gate,
    number: usize,
}

impl Gate {
    /// Waits until the next item may be worked on; `None` if there are no more.
    fn next(&self) -> Option<Pass<'_>> {
        let InWork { threads, bytes, .. } = self.limits;
        let waits = |admitted: &mut Admitted| {
            let Some(size) = self.sizes.get(admitted.next) else { return false };
            let fits = admitted.items <= threads || admitted.bytes.saturating_add(*size) <= bytes;
            admitted.working >= threads || !fits
        };
        let wait = || self.changed.wait_while(lock(&self.state), waits);
        let mut admitted = within(Stage::Waiting, wait).unwrap_or_else(PoisonError::into_inner);
        let number = admitted.next;
        let size = self.sizes.get(number)?;
        admitted.next += 1;
        admitted.items += 1;
        admitted.working += 1;
        admitted.bytes += size;
        Some(Pass { gate: self, number })
    }

    /// Records that a thread begins to wait, and lets another one work.
    fn pause(&self) {
        lock(&self.state).working -= 1;
        self.changed.notify_one();
    }

    /// Records that a thread works again. It has its turn, so it does not wait here.
    fn resume(&self) {
        lock(&self.state).working += 1;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut admitted = lock(&self.gate.state);
        admitted.items -= 1;
        admitted.working -= 1;
        admitted.bytes -= self.gate.sizes[self.number];
        self.gate.changed.notify_all();
    }
}

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
pub struct Turn<'a, S> {
    turns: &'a Turns<S>,
    gate: &'a Gate,
    number: usize,
    taken: bool,
}

/// The shared value during a turn.
pub struct Taken<'a, S> {
    state: MutexGuard<'a, State<S>>,
    passed: &'a Condvar,
}

/// Works on items of these sizes in parallel. Each call of `work` may take its turn at `first` once and then at `second`
/// once, with exclusive access. Stops early if an item fails.
///
/// # Errors
/// The error of the first item, in input order, that failed.
pub fn in_turns<I: Send, A: Send, B: Send, E: Send>(
    things: Vec<(I, u64)>,
    limits: InWork,
    (first, second): (A, B),
    work: impl Fn(I, Turn<'_, A>, Turn<'_, B>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (things, sizes): (Vec<_>, Vec<_>) =
        things.into_iter().map(|(thing, size)| (Mutex::new(Some(thing)), size)).unzip();
    let gate = Gate { limits, sizes, state: Mutex::default(), changed: Condvar::new() };
    let (first, second) = (Turns::at(first), Turns::at(second));
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let lane = || {
        while let Some(pass) = gate.next() {
            let number = pass.number;
            let thing = lock(&things[number]).take();
            let Some(thing) = thing.filter(|_| !first.is_broken() && !second.is_broken()) else {
                // This item takes no turn, so those behind it must not wait for one. A panic ends one stage only.
                first.end();
                second.end();
                break;
            };
            if let Err(error) = work(thing, first.turn(number, &gate), second.turn(number, &gate)) {
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
        for _ in 1..limits.items.min(things.len()) {
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

    fn turn<'a>(&'a self, number: usize, gate: &'a Gate) -> Turn<'a, S> {
        Turn { turns: self, gate, number, taken: false }
    }

    fn is_broken(&self) -> bool {
        lock(&self.state).broken
    }

    fn end(&self) {
        lock(&self.state).broken = true;
        self.passed.notify_all();
    }
}

impl<'a, S> Turn<'a, S> {
    /// Waits for the turn; `None` if all work has ended, or if the turn was taken before.
    pub fn take(&mut self) -> Option<Taken<'a, S>> {
        if std::mem::replace(&mut self.taken, true) {
            return None;
        }
        let (turns, number) = (self.turns, self.number);
        let waits = |state: &mut State<S>| !state.broken && state.next != number;
        let mut state = lock(&turns.state);
        if waits(&mut state) {
            self.gate.pause();
            let wait = || turns.passed.wait_while(state, waits);
            state = within(Stage::Waiting, wait).unwrap_or_else(PoisonError::into_inner);
            self.gate.resume();
        }
        (!state.broken).then_some(Taken { state, passed: &turns.passed })
    }

    pub fn is_taken(&self) -> bool {
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
        // Every fifth item is large.
        let items = (0..count).map(|number| (number, if number % 5 == 0 { 100 } else { 1 })).collect();
        let limits = InWork { threads, items: 3 * threads, bytes: 102 };
        in_turns(items, limits, (&one, &other), |number, mut first, mut second| {
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
    fn large_items_wait_until_others_end() {
        let (now, most) = (Mutex::new((0, 0)), Mutex::new((0, 0)));
        let items = (0..60).map(|number| (number, if number % 3 == 0 { 60 } else { 10 })).collect();
        let limits = InWork { threads: 2, items: 6, bytes: 100 };
        let add = |count: i32, bytes: i32| {
            let mut now = lock(&now);
            *now = (now.0 + count, now.1 + bytes);
            let mut most = lock(&most);
            *most = (most.0.max(now.0), most.1.max(now.1));
        };
        in_turns(items, limits, ((), ()), |number, mut first, mut second| {
            let size = if number % 3 == 0 { 60 } else { 10 };
            add(1, size);
            // The first of a group takes long, so the others wait for their turn.
            thread::sleep(Duration::from_millis(if number % 6 == 0 { 4 } else { 0 }));
            drop(first.take());
            add(-1, -size);
            drop(second.take());
            Ok::<(), ()>(())
        })
        .unwrap();
        let (count, bytes) = lock(&most).to_owned();
        // Three items are always admitted.
        assert!((2..=6).contains(&count) && bytes <= 130, "{count} items of {bytes} bytes");
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
