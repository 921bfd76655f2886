//! Inputs to ledgers. The only file with threads on the way in.
//!
//! Inputs start largest first on a few *lanes*. A lane reads the members of its input in order and hands each
//! to the pool of *workers*, holding a ticket from a gate, so that undecoded bytes are bounded. A lane may wait,
//! at the gate or for the disk; a worker never does. What the workers learnt is put back into the order of the
//! input, so a ledger does not depend on threads. A bug in a decoder becomes a finding, not the loss of a night.

use crate::{
    facts::{EntryFacts, MeshFacts, ObjectFacts, ParcelFacts, RegionFacts, Role, Status},
    finding::{Code, Finding},
    format::{
        control::{self, Control},
        inventory, mesh, object,
        region::{self, Settings},
    },
    ledger::{Ledger, LedgerError},
    limits::Limits,
    source::{self, Input, Item, Kind, Reading, Visitor, What, member},
};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

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
        threads => threads,
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
    let mut terrains = Vec::new();
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
        };
        source::read(input, limits, &mut lane)
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    assemble(input, limits, reading, terrains, results.into_iter().map(|(_, decoded)| decoded))
}

/// What a worker made of one member.
enum Decoded {
    Control(Control, Vec<Finding>),
    Settings { folder: String, name: String, settings: Option<Settings>, findings: Vec<Finding> },
    Parcel { folder: String, parcel: Option<ParcelFacts>, findings: Vec<Finding> },
    Inventory(Vec<Finding>),
    Assets { folder: String, facts: EntryFacts },
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
}

impl Visitor for Lane<'_, '_> {
    fn make_room(&mut self, bytes: u64) {
        // The old ticket goes first: a lane that waits while it holds one could wait for itself.
        self.ticket = None;
        self.ticket = Some(self.gate.enter(bytes));
    }

    fn item(&mut self, item: Item) {
        let (number, loose, limits, results) = (self.number, self.loose, self.limits, self.results);
        self.number += 1;
        let ticket = self.ticket.take();
        self.scope.spawn(move |_| {
            let decoded = caught(&item.name, || decode(&item, loose, limits));
            lock(results).push((number, decoded));
            drop(item);
            drop(ticket);
        });
    }

    fn passed(&mut self, name: &str, kind: Kind, bytes: u64) {
        if kind == Kind::Terrain {
            let member = member::classify(name);
            self.terrains.push((member.region.into(), member.file.into(), bytes));
        }
    }

    fn progress(&self, bytes: u64) {
        self.watch.bytes(bytes);
    }
}

/// Runs a decoder; a panic becomes a finding.
fn caught(entry: &str, decode: impl FnOnce() -> Decoded) -> Decoded {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let finding = Finding::new(Code::RUN005).entry(entry).detail(words);
        let facts = EntryFacts { findings: vec![finding], ..EntryFacts::default() };
        Decoded::Assets { folder: String::new(), facts }
    })
}

/// Decodes one member by its kind.
fn decode(item: &Item, loose: bool, limits: &Limits) -> Decoded {
    let member = member::classify(&item.name);
    let folder = member.region.to_owned();
    let bytes = item.bytes.as_slice();
    match item.kind {
        Kind::Control => {
            let (control, findings) = control::decode(bytes);
            Decoded::Control(control, at_entry(findings, item))
        }
        Kind::Settings => {
            let (settings, findings) = region::decode_settings(bytes);
            let name = file_stem(member.file).to_owned();
            Decoded::Settings { folder, name, settings, findings: at_entry(findings, item) }
        }
        Kind::Parcel => {
            let (parcel, findings) = region::decode_parcel(bytes);
            let parcel = parcel.map(|parcel| ParcelFacts { entry: item.name.clone(), parcel });
            Decoded::Parcel { folder, parcel, findings: at_entry(findings, item) }
        }
        Kind::InventoryItem => Decoded::Inventory(at_entry(inventory::decode(bytes).1, item)),
        Kind::Mesh | Kind::Scene => Decoded::Assets { folder, facts: decode_meshes(item, limits) },
        Kind::Object | Kind::NestedObject => {
            let role = match (item.kind, loose) {
                (_, true) => Role::Loose,
                (Kind::NestedObject, _) => Role::Nested,
                _ => Role::Rezzed,
            };
            Decoded::Assets { folder, facts: decode_objects(item, role, limits) }
        }
        Kind::Terrain | Kind::Asset | Kind::Other => Decoded::Assets { folder, facts: EntryFacts::default() },
    }
}

/// A mesh asset, or all meshes of the uploader's scene.
fn decode_meshes(item: &Item, limits: &Limits) -> EntryFacts {
    let mut facts = EntryFacts::default();
    let mut add = |entry: String, bytes: &[u8]| {
        let uuid = member::uuid_in(&entry);
        let (mesh, findings) = mesh::decode(bytes, limits);
        for mut finding in findings {
            finding.place.entry.clone_from(&entry);
            finding.place.asset = uuid;
            facts.findings.push(finding);
        }
        facts.meshes.push(MeshFacts::new(entry, uuid, bytes, &mesh));
    };
    if item.kind == Kind::Mesh {
        add(item.name.clone(), &item.bytes);
        return facts;
    }
    let (scene, findings) = mesh::decode_scene(&item.bytes, limits);
    for (number, bytes) in scene.meshes.iter().enumerate() {
        add(format!("{}#{number}", item.name), bytes);
    }
    facts.findings.extend(at_entry(findings, item));
    facts
}

/// The objects of one document.
fn decode_objects(item: &Item, role: Role, limits: &Limits) -> EntryFacts {
    let (document, findings) = object::decode(&item.bytes, limits);
    let asset = (role == Role::Nested).then(|| member::uuid_in(&item.name)).flatten();
    let oddities: Vec<String> = document.oddities.iter().map(|&oddity| oddity.into()).collect();
    let layout = document.layout.unwrap_or(object::Layout::Xml2);
    let objects = document.linksets.into_iter().enumerate().map(|(index, linkset)| ObjectFacts {
        entry: item.name.clone(),
        index: index as u32,
        role,
        region: None,
        asset,
        layout,
        oddities: oddities.clone(),
        linkset,
    });
    let objects = objects.collect();
    let mut findings = at_entry(findings, item);
    findings.iter_mut().for_each(|finding| finding.place.asset = asset);
    EntryFacts { meshes: Vec::new(), objects, findings }
}

fn at_entry(mut findings: Vec<Finding>, item: &Item) -> Vec<Finding> {
    for finding in &mut findings {
        finding.place.entry.clone_from(&item.name);
    }
    findings
}

fn file_stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Puts the pieces of an input together, in the order of its members.
fn assemble(
    input: &Input,
    limits: &Limits,
    reading: Reading,
    terrains: Vec<Terrain>,
    decoded: impl Iterator<Item = Decoded>,
) -> Ledger {
    let mut ledger = Ledger {
        input: input.name.clone(),
        kind: String::new(),
        bytes: input.bytes,
        content_hash: reading.content_hash.map(|hash| format!("{hash:032x}")),
        status: status(input, &reading),
        container: reading.container,
        regions: Vec::new(),
        meshes: Vec::new(),
        objects: Vec::new(),
        unknown: reading.unknown,
        findings: reading.findings,
    };
    let mut regions = Regions::default();
    for decoded in decoded {
        match decoded {
            Decoded::Control(control, findings) => {
                ledger.container.control.get_or_insert(control);
                ledger.findings.extend(findings);
            }
            Decoded::Settings { folder, name, settings, findings } => {
                let region = regions.at(&folder);
                region.name = name;
                region.settings = settings;
                ledger.findings.extend(findings);
            }
            Decoded::Parcel { folder, parcel, findings } => {
                regions.at(&folder).parcels.extend(parcel);
                ledger.findings.extend(findings);
            }
            Decoded::Inventory(findings) => {
                ledger.container.inventory_items += 1;
                ledger.findings.extend(findings);
            }
            Decoded::Assets { folder, mut facts } => {
                for object in &mut facts.objects {
                    if object.role == Role::Rezzed {
                        object.region = Some(regions.number(&folder));
                    }
                }
                ledger.objects.append(&mut facts.objects);
                ledger.meshes.append(&mut facts.meshes);
                ledger.findings.append(&mut facts.findings);
            }
        }
    }
    for (folder, file, bytes) in terrains {
        let region = regions.at(&folder);
        region.terrain_bytes = Some(bytes);
        if region.name.is_empty() {
            region.name = file_stem(&file).into();
        }
    }
    ledger.kind = kind_name(input, &ledger, &regions);
    if ledger.kind.starts_with("oar") {
        let control = ledger.container.control.clone().unwrap_or_default();
        ledger.findings.extend(regions.apply_control(&control));
    }
    ledger.regions = regions.list;
    ledger.findings = fold(ledger.findings, limits.findings_per_code);
    ledger
}

fn status(input: &Input, reading: &Reading) -> Status {
    match (&input.what, reading.incomplete) {
        (What::Unreadable(_), _) => Status::Unreadable,
        (_, true) if reading.container.entries == 0 => Status::Unreadable,
        (_, true) => Status::Incomplete,
        (_, false) => Status::Complete,
    }
}

fn kind_name(input: &Input, ledger: &Ledger, regions: &Regions) -> String {
    let content = match ledger.container.inventory_items {
        1.. if regions.list.is_empty() => "iar",
        _ => "oar",
    };
    match input.what {
        What::Archive => content.into(),
        What::Tree => format!("{content}-tree"),
        What::Folder(_) => "folder".into(),
        What::Unreadable(_) => "unreadable".into(),
    }
}

/// The regions of an archive, by their folders, in the order in which they are met.
#[derive(Default)]
struct Regions {
    list: Vec<RegionFacts>,
    numbers: BTreeMap<String, usize>,
}

impl Regions {
    fn number(&mut self, folder: &str) -> u32 {
        if let Some(&number) = self.numbers.get(folder) {
            return number as u32;
        }
        self.numbers.insert(folder.into(), self.list.len());
        self.list.push(RegionFacts {
            name: String::new(),
            uuid: None,
            folder: folder.into(),
            size: [256, 256],
            size_stated: false,
            settings: None,
            parcels: Vec::new(),
            terrain_bytes: None,
        });
        (self.list.len() - 1) as u32
    }

    fn at(&mut self, folder: &str) -> &mut RegionFacts {
        let number = self.number(folder) as usize;
        &mut self.list[number]
    }

    /// Takes over what the control file says, and tells where the two disagree.
    fn apply_control(&mut self, control: &Control) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut disagree =
            |detail: String| findings.push(Finding::new(Code::ARC013).entry("archive.xml").detail(detail));
        if control.multi_region {
            let listed = |folder: &str| control.regions.iter().any(|region| region.folder == folder);
            for region in self.list.iter().filter(|region| !listed(&region.folder)) {
                disagree(format!("the files in \"{}\" belong to no listed region", region.folder));
            }
        }
        for stated in &control.regions {
            if control.multi_region && !self.numbers.contains_key(&stated.folder) {
                disagree(format!("the listed region \"{}\" has no files", stated.folder));
            }
            let region = self.at(&stated.folder);
            region.uuid = stated.uuid;
            if let Some(size) = stated.size {
                (region.size, region.size_stated) = (size, true);
            }
            if region.name.is_empty() {
                region.name.clone_from(&stated.folder);
            }
        }
        findings
    }
}

/// Keeps the first findings of each code and counts the rest.
fn fold(findings: Vec<Finding>, most: usize) -> Vec<Finding> {
    let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let count = counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= most {
            kept.push(finding);
        }
    }
    let rest = counts.into_iter().filter(|(_, count)| *count > most);
    kept.extend(rest.map(|(code, count)| {
        Finding::new(Code::RUN006).detail(code.name()).measured((count - most) as f64).limit(most as f64)
    }));
    kept
}

/// Bounds the bytes that wait for a worker.
#[derive(Debug)]
struct Gate {
    room: Mutex<u64>,
    freed: Condvar,
    capacity: u64,
}

/// A share of the gate's room, given back when dropped.
#[derive(Debug)]
struct Ticket<'a> {
    gate: &'a Gate,
    bytes: u64,
}

impl Gate {
    fn new(capacity: u64) -> Self {
        Self { room: Mutex::new(capacity), freed: Condvar::new(), capacity }
    }

    /// Waits until there is room. What is larger than the whole gate waits until it is empty.
    fn enter(&self, bytes: u64) -> Ticket<'_> {
        let bytes = bytes.min(self.capacity);
        let mut room = lock(&self.room);
        while *room < bytes {
            room = self.freed.wait(room).unwrap_or_else(PoisonError::into_inner);
        }
        *room -= bytes;
        Ticket { gate: self, bytes }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        *lock(&self.gate.room) += self.bytes;
        self.gate.freed.notify_all();
    }
}

/// Locks; a panic elsewhere leaves these plain values as right as they were.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_finding() {
        let Decoded::Assets { facts, .. } = caught("a.xml", || panic!("no part {}", 7)) else { panic!() };
        let finding = &facts.findings[0];
        let told = (finding.code, finding.place.entry.as_str(), finding.detail.as_str());
        assert_eq!(told, (Code::RUN005, "a.xml", "no part 7"));
    }

    #[test]
    fn repeats_are_counted() {
        let findings = fold(vec![Finding::new(Code::RUN005); 5], 3);
        assert_eq!(findings.len(), 4);
        assert_eq!((findings[3].code, findings[3].measured), (Code::RUN006, Some(2.0)));
    }

    #[test]
    fn the_gate_lets_a_giant_in_alone_and_gives_room_back() {
        let gate = Gate::new(10);
        let giant = gate.enter(1_000_000);
        assert_eq!(*lock(&gate.room), 0);
        drop(giant);
        let (one, two) = (gate.enter(4), gate.enter(6));
        assert_eq!(*lock(&gate.room), 0);
        drop((one, two));
        assert_eq!(*lock(&gate.room), 10);
    }
}
