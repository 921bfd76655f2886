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
mod budget;
mod byte_gate;
pub mod cache;
pub mod contents;
mod decode;
pub mod keep;
pub mod library;
mod memory;
pub mod one_mesh;
pub mod only;
pub mod order;
pub mod plan;
mod results;
pub mod run_limits;
mod sculpts;
mod seen_databases;
pub mod session;
pub mod source;
pub mod store_table;
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
    settings::{database_selection::DatabaseSelection, limits::Limits},
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
use contents::ContentCache;
use decode::{Decoded, Learnt, decode_caught};
use only::{Missed, Needs, Only, Selected};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use results::DecodedResults;
use sculpts::{MapDecoder, Textures};
use session::ScanError;
use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Mutex},
    thread,
};
use store_table::StoreTable;
use uuid::Uuid;
use work::{BYTE, Found, WorkBudget};

/// More threads than cores only cost memory.
const MOST_THREADS: usize = 1024;

/// Bytes of members that are sent to a worker together. To wake a worker takes longer than to decode a small member.
const BATCH: usize = 32 * 1024;

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

/// Returns the number of threads; 0 means one for each core.
pub fn how_many(threads: usize) -> usize {
    match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(MOST_THREADS),
    }
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
    /// The threads of a pool.
    Pool(ThreadPool),
    /// The thread of the caller, on a platform without threads: a browser.
    Caller,
}

impl Workers {
    /// Creates a pool of this many threads, or of fewer if the system has no memory for their stacks.
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

/// Hands work to the workers. On a platform without threads the caller does it at once. If it waited for the end of the
/// scope, it would hold its tickets, and the lane would wait for them for ever.
fn spawn<'scope>(scope: &Scope<'scope>, work: impl FnOnce() + Send + 'scope) {
    match cfg!(target_family = "wasm") {
        true => work(),
        false => scope.spawn(|_| work()),
    }
}

/// Returns the ledger of an input whose scan panicked.
fn failed(input: &Input, words: String) -> Ledger {
    let empty = Ledger::empty(&input.name, "unreadable", Status::Unreadable);
    Ledger { bytes: input.bytes, defects: vec![Defect::new(InputDefect::Panicked { words })], ..empty }
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

/// Reads on this thread and decodes on the pool, until both are done.
fn read_and_decode<'scope, T>(workers: &Workers, read: impl FnOnce(&Scope<'scope>) -> T) -> T {
    let read = |scope: &Scope<'scope>| timings::within(Stage::Tar, || read(scope));
    timings::within(Stage::Waiting, || workers.in_place_scope(read))
}

/// The state that all threads share while they decode one input.
struct Decoding<'a> {
    learnt: Mutex<DecodedResults>,
    rations: Mutex<WorkBudget>,
    maps: MapDecoder<'a>,
    /// Why further members are not decoded. `None` while there is time.
    over: Mutex<Option<Over>>,
    loose: bool,
    limits: &'a Limits,
    contents: Option<&'a ContentCache>,
    deadline: Deadline,
}

impl Decoding<'_> {
    /// Decodes a member if there is time left, and adds the result.
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
            // A partial result would pass for a complete one.
            decoded = None;
        }
        let Some(mesh) = mesh else { return lock(&self.learnt).add(number, decoded, asset) };
        lock(&self.learnt).add(number, None, asset);
        let found = Found { number, entry: item.name.clone(), decoded };
        // An asset may use its own budget in any case. The excess is below one charge.
        let units = work.done().min(self.limits.asset_work);
        let known = lock(&self.rations).charge(mesh, units, found);
        known.into_iter().for_each(|found| lock(&self.learnt).add(found.number, found.decoded, None));
    }

    /// Returns the content of a member. A mesh is decoded only while work is left.
    fn look_into(
        &self,
        item: &Item,
        is_mesh: bool,
        work: &mut Work,
    ) -> (Option<Decoded>, Option<AssetFacts>) {
        let left_out = is_mesh && lock(&self.rations).is_spent();
        let mut decode =
            || (!left_out).then(|| decode_caught(item, self.loose, self.limits, work, self.contents));
        if !item.kind.is_asset() {
            return (decode(), None);
        }
        let (asset, failure) = assets::of_item(item, self.contents);
        let decoded = match item.kind {
            Kind::Text => failure.map(|defect| Decoded::defect(*defect)),
            _ => decode(),
        };
        (decoded, Some(asset))
    }
}

/// A member to decode.
struct Member<'scope> {
    number: u64,
    /// The number of the mesh or scene among the meshes and scenes. `None` for other kinds.
    mesh: Option<u64>,
    item: Item,
    /// Held until the member is decoded.
    _ticket: Option<Ticket<'scope>>,
}

/// One input while a lane reads it.
struct Lane<'lane, 'scope> {
    scope: &'lane Scope<'scope>,
    decoding: &'scope Decoding<'scope>,
    gate: &'scope Gate,
    ticket: Option<Ticket<'scope>>,
    /// Members that wait to be sent.
    batch: Vec<Member<'scope>>,
    /// Bytes of the batch.
    batched: usize,
    number: u64,
    /// Number of meshes and scenes so far.
    meshes: u64,
    small: bool,
    /// Whether other inputs wait for a lane.
    others: &'lane dyn Fn() -> bool,
    /// In a store: the assets to decode.
    bodies: Option<&'lane BTreeSet<Uuid>>,
    table: Option<&'lane Arc<StoreTable>>,
    /// The objects to read. `None` reads everything.
    selected: Option<Selected<'lane>>,
    selection: DatabaseSelection<'lane>,
    watch: &'lane dyn Watch,
    /// The asset that passes now.
    passing: PassingAsset,
    /// The terrain that passes now.
    heights: Option<HeightReader>,
    textures: &'lane mut Textures,
}

impl<'scope> Lane<'_, 'scope> {
    /// Sends the batch to the workers.
    fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.batched = 0;
        let decoding = self.decoding;
        self.work(move || batch.into_iter().for_each(|member| decoding.learn(&member)));
    }

    /// Hands work to the workers. If the input is small or other inputs wait, the lane does it. Each thread then has a
    /// lane of its own, and to wake a worker takes longer than to decode a small batch.
    fn work(&self, work: impl FnOnce() + Send + 'scope) {
        match self.small || (self.others)() {
            true => timings::within(Stage::Other, work),
            false => spawn(self.scope, || timings::within(Stage::Other, work)),
        }
    }

    /// Takes a texture, and decodes it if it is known to be a sculpt map.
    fn texture(&mut self, item: Item) {
        let decoding = self.decoding;
        let (asset, _) = assets::of_item(&item, None);
        // Kept textures have a limit of their own, and no ticket.
        let ticket = self.ticket.take();
        if let Some(map) = self.textures.take(item, &asset, decoding.limits) {
            self.work(move || {
                decoding.maps.decode(map);
                drop(ticket);
            });
        }
        lock(&decoding.learnt).add(self.number, None, Some(asset));
    }

    /// Leaves out an object that is not selected. Its asset exists nevertheless.
    fn leave(&mut self, item: &Item) {
        self.ticket = None;
        let asset = item.kind.is_asset().then(|| assets::of_item(item, None).0);
        lock(&self.decoding.learnt).add(self.number, None, asset);
    }

    /// Whether to decode this member. In a store, only texts, which name further assets, and needed meshes and textures
    /// are decoded.
    fn decodes(&mut self, name: &str, kind: Kind, bytes: u64) -> bool {
        if let Some(selected) = &mut self.selected {
            return selected.decodes(self.number, name, kind, bytes);
        }
        let Some(bodies) = self.bodies else { return true };
        let needed = || member::uuid_in(name).is_some_and(|uuid| bodies.contains(&uuid));
        kind == Kind::Text || matches!(kind, Kind::Mesh | Kind::Texture) && needed()
    }
}

impl Visitor for Lane<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> Wants {
        self.number += 1;
        self.passing = PassingAsset::new(name);
        self.heights = (kind == Kind::Terrain).then(|| HeightReader::new(name, bytes));
        if self.selected.is_some() && kind == Kind::Object {
            let region = Decoded::region(member::classify(name).region);
            lock(&self.decoding.learnt).add(self.number, Some(region), None);
        }
        match kind {
            _ if !self.decodes(name, kind, bytes) => match kind.is_asset() {
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

    fn enough(&self) -> bool {
        self.selected.as_ref().is_some_and(Selected::is_complete)
    }

    fn store_table(&self) -> Option<Arc<StoreTable>> {
        self.table.map(Arc::clone)
    }

    fn needs_existence_only(&mut self, name: &str, kind: Kind) -> bool {
        self.bodies.is_some() && !self.decodes(name, kind, 0)
    }

    fn deadline(&self) -> Deadline {
        self.decoding.deadline.clone()
    }

    fn selection(&self) -> DatabaseSelection<'_> {
        self.selection
    }

    fn make_room(&mut self, bytes: u64) {
        // Drop the old ticket and those of the batch first: a lane that waits while it holds a ticket could block
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
            return self.texture(item);
        }
        if matches!(item.kind, Kind::Object | Kind::NestedObject) {
            if self.selected.as_mut().is_some_and(|selected| !selected.takes(&item)) {
                return self.leave(&item);
            }
            self.textures.note_object(&item.bytes);
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

    fn decoded(&mut self, content: Decoded) {
        self.number += 1;
        lock(&self.decoding.learnt).add(self.number, Some(content), None);
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
            let grid = heights.grid().filter(|_| whole);
            let heights = whole.then(|| heights.heights());
            let terrain = TerrainFacts { entry: name.into(), bytes, heights, broken_image, grid };
            let decoded = Decoded { learnt: Learnt::Terrain(terrain), ..Decoded::default() };
            lock(&self.decoding.learnt).add(self.number, Some(decoded), None);
        }
        // A texture that could not be read completely would fail again in the second pass.
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
