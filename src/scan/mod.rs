//! Inputs to ledgers. The only room with threads on the way in.
//!
//! Inputs start largest first on a few *lanes*. A lane reads the members of its input in order and hands each
//! to the pool of *workers*, holding a ticket from a gate, so that undecoded bytes are bounded. A lane may wait,
//! at the gate or for the disk; a worker never does. What the workers learnt is put back into the order of the
//! input, so a ledger does not depend on threads. A bug in a decoder becomes a finding, not the loss of a night.
//!
//! Sculpt maps come last: which textures are maps is known only when every object was read (`sculpts.rs`).

mod assemble;
mod decode;
mod gate;
mod sculpts;

use crate::{
    ledger::{Ledger, LedgerError},
    limits::Limits,
    source::{self, Input, Item, Kind, Visitor, What, member},
};
use assemble::assemble;
use decode::{Decoded, decode_caught};
use gate::{Gate, Ticket, lock};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use sculpts::Textures;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// More threads than any machine has cores would only cost memory.
const MOST_THREADS: usize = 1024;

/// Who watches a scan: progress bars, or nobody.
pub trait Watch: Sync {
    /// An input is begun.
    fn begin(&self, _input: &Input) {}
    /// Bytes of it were read from the disk.
    fn bytes(&self, _bytes: u64) {}
    /// It is done.
    fn end(&self, _ledger: &Ledger) {}
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;
impl Watch for Unwatched {}

/// Scans inputs and hands every ledger to `keep`, in the order in which they are done.
///
/// # Errors
/// The first error of `keep`: the scan stops, for a run that cannot keep its results is broken.
pub fn scan(
    inputs: &[Input],
    limits: &Limits,
    threads: usize,
    watch: &dyn Watch,
    keep: &(dyn Fn(Ledger) -> Result<(), LedgerError> + Sync),
) -> Result<(), LedgerError> {
    let threads = match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(MOST_THREADS),
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.unwrap_or_else(|error| unreachable!("no thread could be started: {error}"));
    let gate = Gate::new(limits.bytes_in_flight);
    let mut largest_first: Vec<&Input> = inputs.iter().collect();
    largest_first.sort_by_key(|input| (std::cmp::Reverse(input.bytes), &input.name));
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);

    let lane = || {
        while let Some(input) = largest_first.get(next.fetch_add(1, Ordering::Relaxed)) {
            if lock(&failure).is_some() {
                break;
            }
            watch.begin(input);
            let ledger = scan_input(input, limits, &pool, &gate, watch);
            watch.end(&ledger);
            if let Err(error) = keep(ledger) {
                lock(&failure).get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.min(inputs.len()) {
            scope.spawn(lane);
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Reads one input to its end and puts its ledger together.
fn scan_input(input: &Input, limits: &Limits, pool: &ThreadPool, gate: &Gate, watch: &dyn Watch) -> Ledger {
    let results = Mutex::new(Vec::new());
    let loose = matches!(input.what, What::Folder(_));
    let (mut terrains, mut textures) = (Vec::new(), Textures::new(limits));
    let reading = pool.in_place_scope(|scope| {
        let mut lane = Lane {
            scope,
            results: &results,
            gate,
            ticket: None,
            number: 0,
            loose,
            limits,
            watch,
            terrains: &mut terrains,
            textures: &mut textures,
        };
        source::read(input, limits, &mut lane)
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    let needed = sculpts::needed(results.iter().map(|(_, decoded)| decoded));
    let sculpts = sculpts::decode(input, limits, pool, gate, textures, &needed);
    assemble(input, limits, reading, terrains, sculpts, results.into_iter().map(|(_, decoded)| decoded))
}

/// A terrain file: its region's folder, its name and its size.
type Terrain = (String, String, u64);

/// One input on its way to the workers.
struct Lane<'lane, 'scope> {
    scope: &'lane Scope<'scope>,
    results: &'scope Mutex<Vec<(u64, Decoded)>>,
    gate: &'scope Gate,
    ticket: Option<Ticket<'scope>>,
    number: u64,
    loose: bool,
    limits: &'scope Limits,
    watch: &'lane dyn Watch,
    terrains: &'lane mut Vec<Terrain>,
    textures: &'lane mut Textures,
}

impl Visitor for Lane<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> bool {
        kind.is_decoded() || kind == Kind::Texture && self.textures.wants(name, bytes)
    }

    fn make_room(&mut self, bytes: u64) {
        // The old ticket goes first: a lane that waits while it holds one could wait for itself.
        self.ticket = None;
        self.ticket = Some(self.gate.enter(bytes));
    }

    fn item(&mut self, item: Item) {
        if item.kind == Kind::Texture {
            // What is kept has a bound of its own.
            self.ticket = None;
            return self.textures.keep(item);
        }
        let (number, loose, limits, results) = (self.number, self.loose, self.limits, self.results);
        self.number += 1;
        let ticket = self.ticket.take();
        self.scope.spawn(move |_| {
            let decoded = decode_caught(&item, loose, limits);
            lock(results).push((number, decoded));
            drop(item);
            drop(ticket);
        });
    }

    fn passed(&mut self, name: &str, kind: Kind, bytes: u64) {
        match kind {
            Kind::Terrain => {
                let member = member::classify(name);
                self.terrains.push((member.region.into(), member.file.into(), bytes));
            }
            Kind::Texture => self.textures.pass(name),
            _ => {}
        }
    }

    fn progress(&self, bytes: u64) {
        self.watch.bytes(bytes);
    }
}
