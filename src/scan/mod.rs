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
mod decode;
mod decoding;
mod faults;
mod gone_inputs;
mod lane;
pub mod ledger_run;
pub mod library;
mod models;
pub mod object_selection;
pub mod one_mesh;
pub mod order;
pub mod plan;
mod results;
pub mod run_limits;
mod sculpts;
mod seen_databases;
pub mod session;
#[cfg(test)]
mod tests;
mod textures;
mod turns;
mod work;
mod workers;

use assemble::assemble;
use budget::Budget;
use byte_gate::Gate;
use decoding::Decoding;
use hullmark_format::defect::{Defect, InputDefect};
use hullmark_ledger::{InputKind, Ledger, LedgerError, facts::Status};
use hullmark_settings::limits::Limits;
use hullmark_source::{self as source, Deadline, Input, ReadRequest, Reading};
use hullmark_storage::contents::ContentCache;
use hullmark_util::{
    catch_panic::caught,
    lock::{into_inner, lock},
    timings::{self, Stage},
};
use lane::Lane;
use object_selection::{Needs, ObjectSelection};
use session::ScanError;
use std::{collections::BTreeSet, io, sync::Mutex, thread};
use textures::Textures;
use work::BYTE;
pub use workers::how_many;
use workers::{STACK, Workers, read_and_decode};

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
    fn begin(&self, _input: &Input) {}
    /// Bytes of an input were read from the disk.
    fn bytes(&self, _bytes: u64) {}
    fn end(&self, _ledger: &Ledger) {}
}

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

#[derive(Clone)]
pub struct ReadOptions<'a> {
    /// How each input is read. Of a store, assets that exports lack are decoded, and texts, which name further ones.
    /// Objects are not. Each asset is recorded.
    pub request: ReadRequest<'a>,
    /// Contents of earlier runs, which are not decoded again. `None` decodes everything.
    pub contents: Option<&'a ContentCache>,
    /// The objects to read of an input. `None` reads everything.
    pub objects: Option<ObjectSelection<'a>>,
    /// Number of decoding threads; 0 means one for each core.
    pub threads: usize,
}

impl<'a> ReadOptions<'a> {
    /// Reads exports and decodes everything.
    pub fn new(limits: &'a Limits, threads: usize) -> Self {
        Self { request: ReadRequest::new(limits), contents: None, objects: None, threads }
    }

    fn request(&self, deadline: Deadline) -> ReadRequest<'a> {
        let mut request = ReadRequest { deadline, is_whole: self.objects.is_none(), ..self.request.clone() };
        // Inventories are of no use in a store, or to a search for objects.
        if self.objects.is_some() || request.bodies.is_some() {
            request.selection.owners = &[];
        }
        request
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
    let limits = options.request.limits;
    let threads = how_many(options.threads);
    let scan = Scan {
        options,
        watch,
        workers: Workers::new(threads)?,
        gate: Gate::new(limits.bytes_in_flight.min(WAITING * threads as u64)),
        budget: Budget::new(inputs, limits),
    };
    let failure = Mutex::new(None);

    let lane = || {
        while let Some(number) = scan.budget.begin(|begun| watch.enough(begun) || lock(&failure).is_some()) {
            let input = &inputs[number];
            watch.begin(input);
            let (ledger, unpacked) = caught(|| scan.read(input)).unwrap_or_else(|words| {
                (unread(input, options.request.bodies.is_some(), InputDefect::Panicked { words }), 0)
            });
            scan.budget.end(number, unpacked);
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
        None => Ok(scan.budget.finish()),
    }
}

/// Returns the ledger of an input, or of a store, that was not read because of this defect.
fn unread(input: &Input, is_store: bool, why: InputDefect) -> Ledger {
    let kind = if is_store { InputKind::Store } else { InputKind::Unreadable };
    let empty = Ledger::empty(&input.name, kind, Status::Unreadable);
    Ledger { bytes: input.bytes, defects: vec![Defect::new(why)], ..empty }
}

/// What all lanes share.
struct Scan<'a> {
    options: &'a ReadOptions<'a>,
    watch: &'a dyn Watch,
    workers: Workers,
    gate: Gate,
    budget: Budget,
}

impl Scan<'_> {
    /// Reads one input to its end. Returns its ledger and the number of unpacked bytes.
    fn read(&self, input: &Input) -> (Ledger, u64) {
        let request = self.options.request(self.watch.deadline());
        let decoding = Decoding::new(input, &request, self.options.contents);
        let textures = Textures::new(&decoding);
        let (reading, textures) = read_and_decode(&self.workers, |scope| {
            let mut lane = Lane::new(scope, &decoding, self, textures);
            let reading = source::read(input, &request, &mut lane);
            (reading, lane.finish(input))
        });
        if let Some(contents) = self.options.contents {
            contents.flush();
        }
        self.finish(input, decoding, textures, reading)
    }

    /// Decodes the sculpt maps, and assembles the ledger.
    fn finish(
        &self,
        input: &Input,
        decoding: Decoding<'_>,
        textures: Textures,
        mut reading: Reading,
    ) -> (Ledger, u64) {
        let Decoding { results, work, over, maps, request, .. } = decoding;
        let (mut results, mut work) = (into_inner(results), into_inner(work));
        if let Some(over) = into_inner(over) {
            reading.give_up_once(source::not_read(&io::Error::other(over)));
        }
        let needs_maps = self.options.objects.is_none_or(|objects| objects.needs != Needs::Place);
        let needed = match request.bodies {
            Some(bodies) => bodies.clone(),
            None if needs_maps => sculpts::needed(results.decoded()),
            None => BTreeSet::new(),
        };
        let mut needed = results.room_for(textures.among(&needed));
        let mut sculpts = work.maps(&mut needed, results.assets(), request.limits);
        sculpts.extend(sculpts::decode(input, self, textures, maps, &needed));
        sculpts.sort_by_key(|sculpt| sculpt.facts.uuid);
        let too_many = results.too_many();
        reading.incomplete |= too_many.is_some() || work.is_spent();
        reading.incomplete |= sculpts.iter().any(sculpts::Sculpt::is_unread);
        reading.defects.extend(too_many);
        let unpacked = reading.unpacked;
        reading.container.work = work.done().saturating_add(unpacked.saturating_mul(BYTE));
        let (decoded, assets) = results.finish();
        let mut ledger = assemble(input, request.limits, reading, assets, sculpts, decoded);
        if request.bodies.is_some() {
            ledger.kind = InputKind::Store;
        }
        (ledger, unpacked)
    }
}
