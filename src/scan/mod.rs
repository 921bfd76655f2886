//! Turns inputs into ledgers, on lanes and workers.
//!
//! Inputs start in the given order on a few *lanes*. A lane reads the members of its input in order and hands them to
//! the pool of *workers*, small ones together. It holds a ticket from a gate, so undecoded bytes are bounded. Members
//! of a small input, or of any while other inputs wait, are decoded by the lane. A lane may wait for the gate or the
//! disk, a worker never does. Results return to the order of the input, so ledgers do not depend on threads. A panic
//! becomes a defect.
//!
//! Sculpt maps come last, because only the complete set of objects shows which textures are maps (`sculpts.rs`).

mod assemble;
mod assets;
mod budget;
mod byte_gate;
pub mod cache;
mod decode;
pub mod keep;
pub mod library;
mod memory;
pub mod order;
pub mod plan;
mod results;
mod sculpts;
pub mod session;
pub mod source;
#[cfg(test)]
mod tests;
mod work;

use crate::{
    format::{
        defect::{Defect, InputDefect},
        member,
        terrain::HeightReader,
    },
    ledger::{
        self, Ledger, LedgerError,
        facts::{AssetFacts, Status, TerrainFacts},
    },
    scan::source::{Deadline, Input, Item, Kind, Visitor, Wants, What},
    settings::limits::Limits,
    util::{
        catch_panic::caught,
        deadline::Over,
        lock::{into_inner, lock},
        timings::{self, Stage},
        work::Work,
    },
};
use assemble::assemble;
use assets::PassingAsset;
use budget::Budget;
use byte_gate::{Gate, Ticket};
use decode::{Decoded, Learnt, decode_caught};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use results::DecodedResults;
use sculpts::Textures;
use session::ScanError;
use std::{collections::BTreeSet, io, sync::Mutex, thread};
use uuid::Uuid;
use work::{BYTE, Found, WorkBudget};

/// More threads than any machine has cores would only cost memory.
const MOST_THREADS: usize = 1024;

/// Bytes of members that are sent to a worker together: to wake one for each small member takes longer than to read it.
const BATCH: usize = 32 * 1024;

/// Bytes of an input whose lane decodes by itself.
const SMALL: u64 = 1024 * 1024;

/// Undecoded bytes that wait for each worker at most. It is never without work, and what waits longer takes fresh memory.
const WAITING: u64 = 16 * 1024 * 1024;

/// Who watches a scan: progress bars, or nobody; and may end it.
pub trait Watch: Sync {
    /// Whether no further input is to be begun, behind so many that were.
    fn enough(&self, _begun: usize) -> bool {
        false
    }
    /// When the work on an input that begins now is given up.
    fn deadline(&self) -> Deadline {
        Deadline::default()
    }
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

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every input was begun, and has a ledger.
    All,
    /// Who watched had enough.
    Watch,
    /// As many bytes were unpacked as a run may unpack.
    Bytes,
}

/// How many threads are meant: 0 is one for each core.
pub fn how_many(threads: usize) -> usize {
    match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(MOST_THREADS),
    }
}

/// Reads inputs and hands every ledger to `keep`, in the order in which they are done. Those that were not begun when
/// the scan ended have none. `threads` decode, one for each core where that is 0; several of them call `keep` at once.
///
/// With `bodies` the inputs are stores, whose assets count as present where other inputs lack them. Of a store every asset
/// is noted. Texts are read, because they name further assets; meshes and textures are decoded where they are among the
/// `bodies` that the inputs lack; objects are not.
///
/// # Errors
/// The first error of `keep`: the scan stops, for a run that cannot keep its results is broken. Inputs that were begun by
/// then are read to their end, and handed over.
pub fn read_inputs(
    inputs: &[Input],
    bodies: Option<&BTreeSet<Uuid>>,
    limits: &Limits,
    threads: usize,
    watch: &dyn Watch,
    keep: &(dyn Fn(Ledger) -> Result<(), LedgerError> + Sync),
) -> Result<End, ScanError> {
    let threads = how_many(threads);
    let workers = Workers::new(threads)?;
    let gate = Gate::new(limits.bytes_in_flight.min(WAITING * threads as u64));
    let budget = Budget::new(inputs, limits);
    let failure = Mutex::new(None);

    let lane = || {
        while let Some(number) = budget.begin(|begun| watch.enough(begun) || lock(&failure).is_some()) {
            let input = &inputs[number];
            watch.begin(input);
            let others = || budget.is_left();
            let read = || scan_input(input, bodies, limits, &workers, &gate, &others, watch);
            let (ledger, unpacked) = caught(read).unwrap_or_else(|words| (failed(input, words), 0));
            budget.end(number, unpacked);
            watch.end(&ledger);
            if let Err(error) = keep(ledger) {
                lock(&failure).get_or_insert(error);
            }
        }
    };
    timings::within(Stage::Waiting, || {
        thread::scope(|scope| {
            let wanted = threads.min(inputs.len());
            let spawn = || thread::Builder::new().spawn_scoped(scope, || timings::within(Stage::Other, lane));
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

/// The threads that decode.
enum Workers {
    /// Those of a pool.
    Pool(ThreadPool),
    /// The caller's own, where the platform has no others: a browser.
    Caller,
}

impl Workers {
    /// So many threads, or fewer where the system has no memory for their stacks.
    fn new(mut threads: usize) -> Result<Self, ScanError> {
        if cfg!(target_family = "wasm") {
            return Ok(Self::Caller);
        }
        loop {
            match ThreadPoolBuilder::new().num_threads(threads).build() {
                Err(_) if threads > 1 => threads -= 1,
                built => return built.map(Self::Pool).map_err(ScanError::Threads),
            }
        }
    }

    fn in_place_scope<'scope, T>(&self, work: impl FnOnce(&Scope<'scope>) -> T) -> T {
        match self {
            Self::Pool(pool) => pool.in_place_scope(work),
            Self::Caller => rayon::in_place_scope(work),
        }
    }
}

/// Of an input that a mistake of this program has cost.
fn failed(input: &Input, words: String) -> Ledger {
    let empty = Ledger::empty(&input.name, "unreadable", Status::Unreadable);
    Ledger { bytes: input.bytes, defects: vec![Defect::new(InputDefect::Panicked { words })], ..empty }
}

/// Reads one input to its end and puts its ledger together; beside it, how many bytes came out of the input.
fn scan_input(
    input: &Input,
    bodies: Option<&BTreeSet<Uuid>>,
    limits: &Limits,
    workers: &Workers,
    gate: &Gate,
    others: &dyn Fn() -> bool,
    watch: &dyn Watch,
) -> (Ledger, u64) {
    let decoding = Decoding {
        learnt: Mutex::new(DecodedResults::new(limits.facts_bytes)),
        rations: Mutex::new(WorkBudget::new(input.bytes, limits)),
        over: Mutex::default(),
        loose: matches!(input.what, What::Folder(_)),
        limits,
        deadline: watch.deadline(),
    };
    let mut textures = Textures::new(limits);
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
            small: input.bytes <= SMALL,
            others,
            bodies,
            watch,
            passing: PassingAsset::new(""),
            heights: None,
            textures: &mut textures,
        };
        let reading = source::read(input, limits, &mut lane);
        lane.send();
        reading
    });
    let Decoding { learnt, rations, over, deadline, .. } = decoding;
    let mut learnt = into_inner(learnt);
    let mut rations = into_inner(rations);
    if let Some(over) = into_inner(over) {
        reading.give_up_once(source::not_read(&io::Error::other(over)));
    }
    let needed = match bodies {
        Some(bodies) => bodies.clone(),
        None => sculpts::needed(learnt.decoded()),
    };
    let mut needed = learnt.room_for(textures.among(&needed));
    let mut sculpts = rations.maps(&mut needed, learnt.assets(), limits);
    sculpts.extend(sculpts::decode(input, limits, workers, gate, textures, &needed, &deadline));
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

/// Reads on this thread and decodes on those of the pool, until both are done.
fn read_and_decode<'scope, T>(workers: &Workers, read: impl FnOnce(&Scope<'scope>) -> T) -> T {
    let read = |scope: &Scope<'scope>| timings::within(Stage::Tar, || read(scope));
    timings::within(Stage::Waiting, || workers.in_place_scope(read))
}

/// What those share who decode one input.
struct Decoding<'a> {
    learnt: Mutex<DecodedResults>,
    rations: Mutex<WorkBudget>,
    /// Why members were not decoded any more.
    over: Mutex<Option<Over>>,
    loose: bool,
    limits: &'a Limits,
    deadline: Deadline,
}

impl Decoding<'_> {
    /// Learns what there is in a member, as long as there is time, and keeps it.
    fn learn(&self, member: &Member<'_>) {
        let Member { number, mesh, ref item, .. } = *member;
        let mut work = Work::new(self.limits.asset_work, self.deadline.clone());
        let mut over = self.deadline.over();
        let (mut decoded, asset) = match over {
            Some(_) => (None, None),
            None => self.look_into(item, mesh.is_some(), &mut work),
        };
        over = over.or(work.over());
        if let Some(over) = over {
            lock(&self.over).get_or_insert(over);
            // Half of what is in it would pass for all.
            decoded = None;
        }
        let Some(mesh) = mesh else { return lock(&self.learnt).add(number, decoded, asset) };
        lock(&self.learnt).add(number, None, asset);
        let found = Found { number, entry: item.name.clone(), decoded };
        // One asset may take its own budget in any case: what it takes beyond is below one charge.
        let units = work.done().min(self.limits.asset_work);
        let known = lock(&self.rations).charge(mesh, units, found);
        known.into_iter().for_each(|found| lock(&self.learnt).add(found.number, found.decoded, None));
    }

    /// What is in a member; in a mesh only while there is work left for it.
    fn look_into(
        &self,
        item: &Item,
        is_mesh: bool,
        work: &mut Work,
    ) -> (Option<Decoded>, Option<AssetFacts>) {
        let left_out = is_mesh && lock(&self.rations).is_spent();
        let mut decode = || (!left_out).then(|| decode_caught(item, self.loose, self.limits, work));
        if !item.kind.is_asset() {
            return (decode(), None);
        }
        let (asset, failure) = assets::of_item(item);
        let decoded = match item.kind {
            Kind::Text => failure.map(|defect| Decoded::defect(*defect)),
            _ => decode(),
        };
        (decoded, Some(asset))
    }
}

/// A member that is to be decoded.
struct Member<'scope> {
    number: u64,
    /// Where it is a mesh or a scene: its number among these.
    mesh: Option<u64>,
    item: Item,
    /// Held until it is decoded.
    _ticket: Option<Ticket<'scope>>,
}

/// One input on its way to the workers.
struct Lane<'lane, 'scope> {
    scope: &'lane Scope<'scope>,
    decoding: &'scope Decoding<'scope>,
    gate: &'scope Gate,
    ticket: Option<Ticket<'scope>>,
    /// Members that wait to be sent.
    batch: Vec<Member<'scope>>,
    /// Bytes of these.
    batched: usize,
    number: u64,
    /// Meshes and scenes so far.
    meshes: u64,
    small: bool,
    /// Whether other inputs wait for a lane.
    others: &'lane dyn Fn() -> bool,
    /// In a store: what is to be decoded.
    bodies: Option<&'lane BTreeSet<Uuid>>,
    watch: &'lane dyn Watch,
    /// The asset that goes by.
    passing: PassingAsset,
    /// The terrain that goes by.
    heights: Option<HeightReader>,
    textures: &'lane mut Textures,
}

impl Lane<'_, '_> {
    /// Sends the batch to the workers. Where other inputs wait each thread has a lane of its own to keep it busy, and to
    /// wake a worker takes longer than to decode what is small: there the lane does their work.
    fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.batched = 0;
        let decoding = self.decoding;
        let work = move || batch.into_iter().for_each(|member| decoding.learn(&member));
        match self.small || (self.others)() {
            true => timings::within(Stage::Other, work),
            false => self.scope.spawn(move |_| timings::within(Stage::Other, work)),
        }
    }

    /// Whether this member is one to look into: in a store only those that inputs need, and texts, which name
    /// further assets.
    fn decodes(&self, name: &str, kind: Kind) -> bool {
        let Some(bodies) = self.bodies else { return true };
        let needed = || member::uuid_in(name).is_some_and(|uuid| bodies.contains(&uuid));
        kind == Kind::Text || matches!(kind, Kind::Mesh | Kind::Texture) && needed()
    }
}

impl Visitor for Lane<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> Wants {
        self.number += 1;
        self.passing = PassingAsset::new(name);
        self.heights = (kind == Kind::Terrain).then(HeightReader::default);
        match kind {
            _ if !self.decodes(name, kind) => match kind.is_asset() {
                true => Wants::Pieces,
                false => Wants::Nothing,
            },
            Kind::Texture if self.textures.wants(name, bytes) => Wants::Whole,
            Kind::Text if bytes > self.decoding.limits.text_bytes => Wants::Pieces,
            Kind::Texture | Kind::Asset | Kind::Terrain => Wants::Pieces,
            Kind::Other => Wants::Nothing,
            _ => Wants::Whole,
        }
    }

    fn deadline(&self) -> Deadline {
        self.decoding.deadline.clone()
    }

    fn make_room(&mut self, bytes: u64) {
        // The old ticket goes first, and so do those of the batch: a lane that waits while it holds one could wait for
        // itself.
        self.ticket = None;
        self.ticket = self.gate.try_enter(bytes);
        if self.ticket.is_none() {
            self.send();
            self.ticket = Some(self.gate.enter(bytes));
        }
    }

    fn item(&mut self, item: Item) {
        timings::pass(Stage::Tar, item.bytes.len());
        if item.kind == Kind::Texture {
            let (asset, _) = assets::of_item(&item);
            lock(&self.decoding.learnt).add(self.number, None, Some(asset));
            // What is kept has a bound of its own.
            self.ticket = None;
            return self.textures.keep(item);
        }
        self.batched += item.bytes.len();
        let mesh = matches!(item.kind, Kind::Mesh | Kind::Scene).then(|| {
            self.meshes += 1;
            self.meshes - 1
        });
        self.batch.push(Member { number: self.number, mesh, item, _ticket: self.ticket.take() });
        if self.batched >= BATCH {
            self.send();
        }
    }

    fn piece(&mut self, bytes: &[u8]) {
        timings::pass(Stage::Tar, bytes.len());
        self.passing.take(bytes);
        if let Some(heights) = &mut self.heights {
            heights.take(bytes);
        }
    }

    fn passed(&mut self, name: &str, kind: Kind, bytes: u64) {
        let whole = self.passing.is_whole(bytes);
        if let Some(heights) = self.heights.take() {
            let broken_image = whole && heights.is_broken_image(name);
            let heights = whole.then(|| heights.heights());
            let terrain = TerrainFacts { entry: name.into(), bytes, heights, broken_image };
            let decoded = Decoded { learnt: Learnt::Terrain(terrain), ..Decoded::default() };
            lock(&self.decoding.learnt).add(self.number, Some(decoded), None);
        }
        // One that could not be read now would not be read the second time.
        if kind == Kind::Texture && whole {
            self.textures.pass(name);
        }
        if kind.is_asset() {
            let asset = self.passing.facts(name, kind, bytes);
            lock(&self.decoding.learnt).add(self.number, None, Some(asset));
        }
    }

    fn progress(&self, bytes: u64) {
        self.watch.bytes(bytes);
    }
}
