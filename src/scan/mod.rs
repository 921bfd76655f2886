//! Turns inputs into ledgers, on lanes and workers.
//!
//! Inputs start in the given order on a few *lanes*. A lane reads the members of its input in order and hands them to
//! the pool of *workers*, small ones together. It holds a ticket from a gate, so undecoded bytes are bounded. The lane
//! decodes the members of a small input, or of any input while others wait. A lane may wait for the gate or the disk, a
//! worker never does. Results return to the order of the input, so ledgers do not depend on threads. A panic becomes a
//! defect.
//!
//! Sculpt maps come last, because only the complete set of objects shows which textures are maps (`sculpts.rs`).

mod assemble;
mod assets;
pub mod attempts;
mod budget;
mod byte_gate;
pub mod cache;
pub mod contents;
mod decode;
mod decoding;
mod faults;
pub mod keep;
mod lane;
pub mod library;
pub mod one_mesh;
pub mod only;
pub mod order;
pub mod plan;
mod results;
pub mod run_limits;
mod sculpts;
mod seen_databases;
pub mod session;
#[cfg(test)]
mod tests;
mod turns;
mod work;
mod workers;

use assemble::assemble;
use assets::PassingAsset;
use budget::Budget;
use byte_gate::Gate;
use contents::ContentCache;
use decoding::Decoding;
use hullmark_format::defect::{Defect, InputDefect};
use hullmark_ledger::{self as ledger, Ledger, LedgerError, facts::Status};
use hullmark_settings::{database_selection::DatabaseSelection, limits::Limits};
use hullmark_source::store_table::StoreTable;
use hullmark_source::{self as source, Deadline, Input, What};
use hullmark_util::{
    catch_panic::caught,
    lock::{into_inner, lock},
    timings::{self, Stage},
};
use lane::Lane;
use only::{Missed, Needs, Only, Selected};
use results::DecodedResults;
use sculpts::{MapDecoder, Textures};
use session::ScanError;
use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Mutex},
    thread,
};
use uuid::Uuid;
use work::{BYTE, WorkBudget};
pub use workers::how_many;
use workers::{STACK, Workers, read_and_decode};

/// Largest size, in bytes, of an input that its lane decodes without workers.
const SMALL: u64 = 1024 * 1024;

/// Most undecoded bytes that wait for each worker. This is enough to keep a worker busy; more would only take memory.
const WAITING: u64 = 8 * 1024 * 1024;

/// Observes a scan, for example with progress bars, and may end it.
pub trait Watch: Sync {
    /// Whether to start no further input, after `_begun` inputs have started.
    fn enough(&self, _begun: usize) -> bool {
        false
    }
    /// The deadline of an input that starts now.
    fn deadline(&self) -> Deadline {
        Deadline::default()
    }
    /// An input starts.
    fn begin(&self, _input: &Input) {}
    /// Bytes of an input were read from the disk.
    fn bytes(&self, _bytes: u64) {}
    /// An input is finished.
    fn end(&self, _ledger: &Ledger) {}
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;
impl Watch for Unwatched {}

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every input was read and has a ledger.
    All,
    /// The observer ended it.
    Watch,
    /// The run unpacked as many bytes as it may.
    Bytes,
}

/// How inputs are read.
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    /// The limits of decoding.
    pub limits: &'a Limits,
    /// `None` for exports. Stores have assets that exports lack, and these are decoded. Every asset of a store is
    /// recorded. Texts are decoded, because they name further assets. Objects are not.
    pub bodies: Option<&'a BTreeSet<Uuid>>,
    /// The table that names the files of stores. `None` if no database of the run has one.
    pub table: Option<&'a Arc<StoreTable>>,
    /// Contents of earlier runs, which are not decoded again. `None` decodes everything.
    pub contents: Option<&'a ContentCache>,
    /// What to read of an input. `None` reads everything.
    pub only: Option<Only<'a>>,
    /// The databases to read, and the owners whose inventories are evaluated.
    pub selection: DatabaseSelection<'a>,
    /// Number of decoding threads; 0 means one for each core.
    pub threads: usize,
}

impl<'a> ReadOptions<'a> {
    /// Reads exports and decodes everything.
    pub fn new(limits: &'a Limits, threads: usize) -> Self {
        Self {
            limits,
            bodies: None,
            table: None,
            contents: None,
            only: None,
            selection: DatabaseSelection::default(),
            threads,
        }
    }
}

/// Reads inputs and passes every ledger to `keep`, in the order in which they finish. Inputs that had not started when
/// the scan ended have no ledger. Several threads call `keep` at once.
///
/// # Errors
/// The first error of `keep`. It stops the scan, because a run that cannot keep its results is useless. Inputs in
/// progress are read to their end and passed to `keep`.
pub fn read_inputs(
    inputs: &[Input],
    options: &ReadOptions<'_>,
    watch: &dyn Watch,
    keep: &(dyn Fn(Ledger) -> Result<(), LedgerError> + Sync),
) -> Result<End, ScanError> {
    let limits = options.limits;
    let threads = how_many(options.threads);
    let workers = Workers::new(threads)?;
    let gate = Gate::new(limits.bytes_in_flight.min(WAITING * threads as u64));
    let budget = Budget::new(inputs, limits);
    let failure = Mutex::new(None);

    let lane = || {
        while let Some(number) = budget.begin(|begun| watch.enough(begun) || lock(&failure).is_some()) {
            let input = &inputs[number];
            watch.begin(input);
            let others = || budget.is_left();
            let read = || scan_input(input, options, &workers, &gate, &others, watch);
            let (ledger, unpacked) = caught(read).unwrap_or_else(|words| (failed(input, options, words), 0));
            budget.end(number, unpacked);
            // So that no test can miss a fact that a file does not keep.
            #[cfg(debug_assertions)]
            let ledger = ledger.through_its_file();
            watch.end(&ledger);
            if let Err(error) = keep(ledger) {
                lock(&failure).get_or_insert(error);
            }
        }
    };
    timings::within(Stage::Waiting, || {
        thread::scope(|scope| {
            let wanted = threads.min(inputs.len());
            let builder = || thread::Builder::new().stack_size(STACK);
            let spawn = || builder().spawn_scoped(scope, || timings::within(Stage::Other, lane));
            let lanes = (0..wanted).map_while(|_| spawn().ok()).count();
            if lanes == 0 {
                timings::within(Stage::Other, lane);
            }
        });
    });
    match into_inner(failure) {
        Some(error) => Err(error.into()),
        None => Ok(budget.finish()),
    }
}

/// Returns the ledger of an input whose scan panicked.
fn failed(input: &Input, options: &ReadOptions<'_>, words: String) -> Ledger {
    unread(input, options.bodies.is_some(), InputDefect::Panicked { words })
}

/// Returns the ledger of an input, or of a store, that was not read because of this defect.
fn unread(input: &Input, is_store: bool, why: InputDefect) -> Ledger {
    let kind = if is_store { ledger::STORE } else { "unreadable" };
    let empty = Ledger::empty(&input.name, kind, Status::Unreadable);
    Ledger { bytes: input.bytes, defects: vec![Defect::new(why)], ..empty }
}

/// Reads one input to its end. Returns its ledger and the number of unpacked bytes.
fn scan_input(
    input: &Input,
    options: &ReadOptions<'_>,
    workers: &Workers,
    gate: &Gate,
    others: &dyn Fn() -> bool,
    watch: &dyn Watch,
) -> (Ledger, u64) {
    let ReadOptions { limits, bodies, table, contents, only, .. } = *options;
    let deadline = watch.deadline();
    let bytes = input.bytes_or_most(limits);
    let rations = WorkBudget::new(bytes, limits);
    let mut textures = Textures::new(limits, rations.most(), bodies);
    let decoding = Decoding {
        learnt: Mutex::new(DecodedResults::new(limits.facts_bytes)),
        rations: Mutex::new(rations),
        maps: MapDecoder::new(limits, deadline.clone(), contents),
        over: Mutex::default(),
        loose: matches!(input.what, What::Folder(_)),
        limits,
        contents,
        deadline,
    };
    let mut reading = read_and_decode(workers, |scope| {
        let mut lane = Lane {
            scope,
            decoding: &decoding,
            gate,
            ticket: None,
            batch: Vec::new(),
            batched: 0,
            number: 0,
            meshes: 0,
            small: bytes <= SMALL,
            others,
            bodies,
            table,
            selected: only.map(|only| Selected::new(only, limits)),
            // Inventories are of no use in a store, or to a search for objects.
            selection: DatabaseSelection {
                owners: if bodies.is_some() || only.is_some() { &[] } else { options.selection.owners },
                ..options.selection
            },
            watch,
            passing: PassingAsset::new(""),
            heights: None,
            textures: &mut textures,
        };
        let reading = match only {
            Some(_) => source::read_wanted(input, limits, &mut lane),
            None => source::read(input, limits, &mut lane),
        };
        lane.send();
        if let Some(missed) = Missed::of(&lane) {
            missed.read(input, limits);
        }
        reading
    });
    if let Some(contents) = contents {
        contents.flush();
    }
    let Decoding { learnt, rations, over, maps, .. } = decoding;
    let mut learnt = into_inner(learnt);
    let mut rations = into_inner(rations);
    if let Some(over) = into_inner(over) {
        reading.give_up_once(source::not_read(&io::Error::other(over)));
    }
    let needed = match bodies {
        Some(bodies) => bodies.clone(),
        None if only.is_some_and(|only| only.needs == Needs::Place) => BTreeSet::new(),
        None => sculpts::needed(learnt.decoded()),
    };
    let mut needed = learnt.room_for(textures.among(&needed));
    let mut sculpts = rations.maps(&mut needed, learnt.assets(), limits);
    sculpts.extend(sculpts::decode(input, workers, gate, textures, maps, &needed));
    sculpts.sort_by_key(|sculpt| sculpt.facts.uuid);
    let overdrawn = learnt.overdrawn();
    reading.incomplete |= overdrawn.is_some() || rations.is_spent();
    reading.incomplete |= sculpts.iter().any(sculpts::Sculpt::is_unread);
    reading.defects.extend(overdrawn);
    let unpacked = reading.unpacked;
    reading.container.work = rations.done().saturating_add(unpacked.saturating_mul(BYTE));
    let (decoded, assets) = learnt.finish();
    let mut ledger = assemble(input, limits, reading, assets, sculpts, decoded);
    if bodies.is_some() {
        ledger.kind = ledger::STORE.into();
    }
    (ledger, unpacked)
}
