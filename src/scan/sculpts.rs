//! Decides which textures are sculpt maps, and decodes them.
//!
//! Textures and objects come in any order, and only objects show which textures are sculpt maps. So small textures are
//! held undecoded until all objects are read. A second pass over the input reads the maps that were too large or came
//! too late. The result is the same either way.

use super::{
    Workers,
    byte_gate::{Gate, Ticket},
    decode::{Decoded, Learnt},
    read_and_decode,
};
use crate::{
    format::{
        defect::{Defect, DefectKind, InputDefect},
        extent::{Cut, Extent, Format},
        image::sculpt_map::{self, SculptError},
        member,
        object::Part,
    },
    ledger::facts::{SculptFacts, SculptState},
    scan::source::{self, Deadline, Input, Item, Kind, Visitor, Wants},
    settings::limits::Limits,
    util::{
        catch_panic::caught,
        deadline::Over,
        lock::{into_inner, lock},
        timings::{self, Stage},
    },
};
use rayon::Scope;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Mutex,
};
use uuid::Uuid;

/// The textures of an input after one pass.
pub(super) struct Textures {
    /// Bytes of the largest texture that is kept.
    most: u64,
    /// Bytes that may still be kept.
    room: u64,
    kept: HashMap<Uuid, Item>,
    /// Textures of the input that are not kept.
    others: HashSet<Uuid>,
}

impl Textures {
    pub(super) fn new(limits: &Limits) -> Self {
        let most = limits.kept_texture_bytes.min(most_bytes(limits));
        Self { most, room: limits.kept_textures_bytes, kept: HashMap::new(), others: HashSet::new() }
    }

    /// Whether to keep this texture. Like OpenSim, this keeps the first of two assets with one UUID.
    pub(super) fn wants(&mut self, name: &str, bytes: u64) -> bool {
        let new = member::uuid_in(name)
            .is_some_and(|uuid| !self.kept.contains_key(&uuid) && !self.others.contains(&uuid));
        new && bytes <= self.most && room_of(name.len(), bytes) <= self.room
    }

    /// Keeps a wanted texture if it is complete. A map that is cut with its archive has an unknown form.
    pub(super) fn keep(&mut self, item: Item) {
        let whole = item.bytes.len() as u64 == item.size;
        if let Some(uuid) = member::uuid_in(&item.name).filter(|_| whole) {
            self.room = self.room.saturating_sub(room_of(item.name.len(), item.size));
            self.kept.insert(uuid, item);
        }
    }

    /// Returns those of `maps` that the input contains.
    pub(super) fn among(&self, maps: &BTreeSet<Uuid>) -> BTreeSet<Uuid> {
        let is_here = |uuid: &&Uuid| self.kept.contains_key(*uuid) || self.others.contains(*uuid);
        maps.iter().filter(is_here).copied().collect()
    }

    /// Records a texture that is not kept.
    pub(super) fn pass(&mut self, name: &str) {
        if let Some(uuid) = member::uuid_in(name).filter(|uuid| !self.kept.contains_key(uuid)) {
            self.others.insert(uuid);
        }
    }
}

/// Bytes of a kept texture, its name and its place in the table. Even a million empty textures need their places.
fn room_of(name: usize, bytes: u64) -> u64 {
    // A hash table is filled to at least 7/16.
    let place = size_of::<(Uuid, Item)>() * 16 / 7;
    bytes.saturating_add((place + name) as u64)
}

/// A sculpt map and its defect.
pub(super) struct Sculpt {
    pub(super) facts: SculptFacts,
    pub(super) defect: Option<Defect>,
}

impl Sculpt {
    /// Whether the map exists and was not read, although it may be intact.
    pub(super) fn is_unread(&self) -> bool {
        self.defect.as_ref().is_some_and(|defect| {
            matches!(
                defect.kind,
                DefectKind::Input(
                    InputDefect::SculptUndecoded { .. }
                        | InputDefect::SculptGone { .. }
                        | InputDefect::SculptUnread { .. }
                )
            )
        })
    }
}

/// Returns the UUIDs of the maps that the objects use, whether or not the input contains them.
pub(super) fn needed<'a>(decoded: impl Iterator<Item = &'a Decoded>) -> BTreeSet<Uuid> {
    let objects = decoded.filter_map(|decoded| match &decoded.learnt {
        Learnt::Assets(_, objects) => Some(objects),
        _ => None,
    });
    let parts = objects.flatten().flat_map(|object| &object.linkset.parts);
    parts.filter_map(Part::possible_sculpt_map).collect()
}

/// Decodes the needed maps that the input contains.
pub(super) fn decode(
    input: &Input,
    limits: &Limits,
    workers: &Workers,
    gate: &Gate,
    textures: Textures,
    needed: &BTreeSet<Uuid>,
    deadline: &Deadline,
) -> Vec<Sculpt> {
    let Textures { mut kept, others, .. } = textures;
    kept.retain(|uuid, _| needed.contains(uuid));
    let again: BTreeSet<Uuid> = needed.iter().copied().filter(|uuid| others.contains(uuid)).collect();
    let results = Mutex::new(Vec::new());
    read_and_decode(workers, |scope| {
        for (uuid, item) in kept {
            spawn(scope, &results, limits, uuid, item, None, deadline);
        }
        if !again.is_empty() {
            let wanted = again.iter().copied().collect();
            let mut visitor =
                Again { scope, results: &results, gate, ticket: None, limits, wanted, deadline };
            source::reread(input, limits, &mut visitor);
        }
    });
    let mut sculpts = into_inner(results);
    let read: HashSet<Uuid> = sculpts.iter().map(|sculpt| sculpt.facts.uuid).collect();
    let unread = again.into_iter().filter(|uuid| !read.contains(uuid));
    sculpts.extend(unread.map(|uuid| gone(uuid, deadline)));
    sculpts
}

/// The visitor of the second pass. It takes only the maps that were not kept.
struct Again<'lane, 'scope> {
    scope: &'lane Scope<'scope>,
    results: &'scope Mutex<Vec<Sculpt>>,
    gate: &'scope Gate,
    ticket: Option<Ticket<'scope>>,
    limits: &'scope Limits,
    wanted: HashSet<Uuid>,
    deadline: &'scope Deadline,
}

impl Visitor for Again<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> Wants {
        let uuid = member::uuid_in(name).filter(|_| kind == Kind::Texture);
        let Some(uuid) = uuid.filter(|uuid| self.wanted.remove(uuid)) else { return Wants::Nothing };
        let limit = most_bytes(self.limits);
        if bytes > limit {
            let error = SculptError::OverBudget { what: "bytes of a sculpt map", measured: bytes, limit };
            lock(self.results).push(unusable(uuid, name, bytes, None, &error));
            return Wants::Nothing;
        }
        Wants::Whole
    }

    fn enough(&self) -> bool {
        self.wanted.is_empty()
    }

    fn deadline(&self) -> Deadline {
        self.deadline.clone()
    }

    fn make_room(&mut self, bytes: u64) {
        // Drop the old ticket first: a lane that waits while it holds a ticket could block itself.
        self.ticket = None;
        self.ticket = Some(self.gate.enter(bytes));
    }

    fn item(&mut self, item: Item) {
        let ticket = self.ticket.take();
        if let Some(uuid) = member::uuid_in(&item.name) {
            spawn(self.scope, self.results, self.limits, uuid, item, ticket, self.deadline);
        }
    }

    fn passed(&mut self, _name: &str, _kind: Kind, _bytes: u64) {}

    // The first pass counted these bytes.
    fn progress(&self, _bytes: u64) {}
}

/// Sends a map to a worker.
fn spawn<'scope>(
    scope: &Scope<'scope>,
    results: &'scope Mutex<Vec<Sculpt>>,
    limits: &'scope Limits,
    uuid: Uuid,
    item: Item,
    ticket: Option<Ticket<'scope>>,
    deadline: &'scope Deadline,
) {
    scope.spawn(move |_| {
        let sculpt = match deadline.over() {
            None => decode_map(uuid, &item, limits),
            Some(over) => undecoded(uuid, &item, over),
        };
        lock(results).push(sculpt);
        drop(item);
        drop(ticket);
    });
}

fn decode_map(uuid: Uuid, item: &Item, limits: &Limits) -> Sculpt {
    let bytes = item.bytes.len() as u64;
    let stored_size = sculpt_map::stated_size(&item.bytes);
    let read = || sculpt_map::decode(&item.bytes, limits);
    let map = match timings::within(Stage::Assets, || caught(read)) {
        Ok(Ok(map)) => map,
        Ok(Err(error)) => return unusable(uuid, &item.name, bytes, stored_size, &cut_short(error, item)),
        Err(words) => {
            let state = SculptState::Broken(format!("hullmark failed: {words}"));
            let facts = SculptFacts { uuid, entry: item.name.clone(), bytes, stored_size, state };
            let defect = Defect::new(InputDefect::Panicked { words }).entry(&item.name);
            return Sculpt { facts, defect: Some(defect) };
        }
    };
    let state = SculptState::Decoded(map);
    Sculpt { facts: SculptFacts { uuid, entry: item.name.clone(), bytes, stored_size, state }, defect: None }
}

/// Replaces the error of a map that was cut short: the decoder only sees the consequence.
fn cut_short(error: SculptError, item: &Item) -> SculptError {
    let mut extent = Extent::new(Format::Jpeg2000);
    extent.take(&item.bytes);
    match (error, extent.cut(item.size)) {
        (SculptError::Broken(_), Some(Cut::Of(needs))) => {
            SculptError::Broken(format!("cut short: {} of {needs} bytes", item.size))
        }
        (error, _) => error,
    }
}

/// Returns the facts of a map that exists and cannot be used.
pub(super) fn unusable(
    uuid: Uuid,
    name: &str,
    bytes: u64,
    stored_size: Option<[u32; 2]>,
    error: &SculptError,
) -> Sculpt {
    let state = SculptState::Broken(error.to_string());
    let mut defect = match error {
        SculptError::Broken(why) => Some(Defect::new(InputDefect::SculptBroken { why: why.clone() })),
        SculptError::OverBudget { what, measured, limit } => {
            let defect = Defect::new(InputDefect::SculptOverBudget { what: (*what).into() });
            Some(defect.measured(*measured as f64).limit(*limit as f64))
        }
        // A missing decoder is no defect of the export.
        SculptError::NoDecoder => None,
    };
    if let Some(defect) = &mut defect {
        defect.place.entry = name.into();
        defect.place.asset = Some(uuid);
    }
    Sculpt { facts: SculptFacts { uuid, entry: name.into(), bytes, stored_size, state }, defect }
}

/// Returns the facts of a map that was read after the deadline.
fn undecoded(uuid: Uuid, item: &Item, over: Over) -> Sculpt {
    let why = format!("sculpt map {uuid} was not decoded: {over}");
    let kind = InputDefect::SculptUndecoded { uuid, over: over.to_string() };
    unread(uuid, &item.name, item.bytes.len() as u64, kind, why)
}

/// Returns the facts of a map that the second pass did not find. The input changed in between, or the deadline passed.
fn gone(uuid: Uuid, deadline: &Deadline) -> Sculpt {
    let (kind, why) = match deadline.over() {
        None => {
            let why = "was gone when the input was read a second time".to_owned();
            (InputDefect::SculptGone { uuid }, why)
        }
        Some(over) => {
            let why = format!("was not read a second time: {over}");
            (InputDefect::SculptUnread { uuid, over: over.to_string() }, why)
        }
    };
    unread(uuid, "", 0, kind, format!("sculpt map {uuid} {why}"))
}

/// Returns the facts of a map that was not read, although it may be intact.
fn unread(uuid: Uuid, name: &str, bytes: u64, kind: InputDefect, why: String) -> Sculpt {
    let mut defect = Defect::new(kind).entry(name);
    defect.place.asset = Some(uuid);
    let state = SculptState::Broken(why);
    let facts = SculptFacts { uuid, entry: name.into(), bytes, stored_size: None, state };
    Sculpt { facts, defect: Some(defect) }
}

/// Most bytes of a map. The limit on all members applies, too.
fn most_bytes(limits: &Limits) -> u64 {
    limits.sculpt_bytes.min(limits.entry_bytes)
}
