//! Decides which textures are sculpt maps, and decodes them.
//!
//! Textures and objects come in any order, and only objects show which textures are sculpt maps. A map that comes after
//! its object is decoded at once. Of the textures before, the smallest are held undecoded until all objects are read. A
//! second pass over the input reads maps that found no room (`textures.rs`). The result is the same in each case.

use super::{
    byte_gate::{Gate, Ticket},
    textures::Textures,
    workers::{read_and_decode, spawn},
};
use crate::Scan;
use hullmark_format::{
    defect::{Defect, DefectKind, InputDefect},
    member,
    object::Part,
};
use hullmark_ledger::facts::{SculptFacts, SculptState};
use hullmark_media::{
    extent::{Cut, Extent, Format},
    image::sculpt_map::{self, SculptError, SculptMap},
};
use hullmark_settings::limits::Limits;
use hullmark_source::content::{Decoded, MemberContent};
use hullmark_source::{self as source, Deadline, Input, Item, Kind, ReadRequest, Visitor, Wants};
use hullmark_storage::contents::ContentCache;
use hullmark_util::{
    catch_panic::caught,
    deadline::Over,
    json_number::Number,
    lock::{into_inner, lock},
    timings::{self, Stage},
};
use rayon::Scope;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Mutex,
};

use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// The maps of an input that are decoded. Equal contents are decoded once.
#[derive(Default)]
pub(super) struct Maps {
    maps: Vec<Map>,
    /// xxh3-128 of their contents.
    contents: HashSet<u128>,
}

struct Map {
    uuid: Uuid,
    entry: String,
    bytes: u64,
    content: u128,
}

/// The bytes of a map that is not decoded yet.
pub(super) struct MapBytes {
    content: u128,
    bytes: Vec<u8>,
}

/// Decodes maps on all threads.
pub(super) struct MapDecoder<'a> {
    request: &'a ReadRequest<'a>,
    cache: Option<&'a ContentCache>,
    /// The decoded contents by hash.
    contents: Mutex<HashMap<u128, MapContent>>,
}

/// The content of a map, under any name.
#[derive(Clone)]
struct MapContent {
    header: MapHeader,
    map: Result<SculptMap, Fault>,
}

/// What the codestream of a map shows without decoding.
#[derive(Clone, Copy, Default)]
pub(super) struct MapHeader {
    stored_size: Option<[u32; 2]>,
    is_boxed: bool,
    loss_levels: Option<Number>,
}

impl MapHeader {
    fn of(bytes: &[u8], limits: &Limits) -> Self {
        Self {
            stored_size: sculpt_map::stated_size(bytes),
            is_boxed: sculpt_map::is_boxed(bytes),
            loss_levels: caught(|| sculpt_map::loss_levels(bytes, limits)).ok().flatten().map(Number),
        }
    }

    fn facts(self, uuid: Uuid, entry: &str, bytes: u64, state: SculptState) -> SculptFacts {
        let Self { stored_size, is_boxed, loss_levels } = self;
        SculptFacts { uuid, entry: entry.into(), bytes, stored_size, is_boxed, loss_levels, state }
    }
}

/// Why a map has no pixels.
#[derive(Clone)]
enum Fault {
    Unusable(SculptError),
    Panicked(String),
    Late(Over),
}

impl Maps {
    /// Adds a map that is to be decoded. `None` if one with the same content was added before.
    pub(super) fn add(&mut self, uuid: Uuid, item: Item) -> Option<MapBytes> {
        let Item { name: entry, bytes, .. } = item;
        let content = xxh3_128(&bytes);
        self.maps.push(Map { uuid, entry, bytes: bytes.len() as u64, content });
        self.contents.insert(content).then_some(MapBytes { content, bytes })
    }

    /// Returns the needed maps with their decoded contents.
    fn finish(self, needed: &BTreeSet<Uuid>, mut contents: HashMap<u128, MapContent>) -> Vec<Sculpt> {
        let mut uses: HashMap<u128, usize> = HashMap::new();
        let maps: Vec<_> = self.maps.into_iter().filter(|map| needed.contains(&map.uuid)).collect();
        maps.iter().for_each(|map| *uses.entry(map.content).or_default() += 1);
        let sculpts = maps.into_iter().filter_map(|map| {
            let left = uses.get_mut(&map.content)?;
            *left -= 1;
            let content = match *left {
                0 => contents.remove(&map.content),
                _ => contents.get(&map.content).cloned(),
            };
            Some(map.with(content?))
        });
        sculpts.collect()
    }
}

impl Map {
    fn with(self, MapContent { header, map }: MapContent) -> Sculpt {
        let Self { uuid, entry, bytes, .. } = self;
        let (state, defect) = match map {
            Ok(map) => (SculptState::Decoded(map), None),
            Err(Fault::Unusable(error)) => return unusable(uuid, &entry, bytes, header, &error),
            Err(Fault::Late(over)) => return undecoded(uuid, &entry, bytes, over),
            Err(Fault::Panicked(words)) => {
                let state = SculptState::Broken(format!("hullmark failed: {words}"));
                (state, Some(Defect::new(InputDefect::Panicked { words }).entry(&entry)))
            }
        };
        Sculpt { facts: header.facts(uuid, &entry, bytes, state), defect }
    }
}

impl<'a> MapDecoder<'a> {
    pub(super) fn new(request: &'a ReadRequest<'a>, cache: Option<&'a ContentCache>) -> Self {
        Self { request, cache, contents: Mutex::default() }
    }

    pub(super) fn decode(&self, MapBytes { content, bytes }: MapBytes) {
        let map = match self.request.deadline.over() {
            Some(over) => Err(Fault::Late(over)),
            None => timings::within(Stage::Assets, || {
                ContentCache::get_or_decode(self.cache, "sculpt map", &bytes, || self.decoded(&bytes))
            }),
        };
        let header = MapHeader::of(&bytes, self.request.limits);
        lock(&self.contents).insert(content, MapContent { header, map });
    }

    fn decoded(&self, bytes: &[u8]) -> Result<SculptMap, Fault> {
        let map = caught(|| sculpt_map::decode(bytes, self.request.limits)).map_err(Fault::Panicked)?;
        map.map_err(|error| Fault::Unusable(cut_short(error, bytes)))
    }
}

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
    let objects = decoded.filter_map(|decoded| match &decoded.content {
        MemberContent::Assets(_, objects) => Some(objects),
        _ => None,
    });
    let parts = objects.flatten().flat_map(|object| &object.linkset.parts);
    parts.filter_map(Part::possible_sculpt_map).collect()
}

/// Decodes the needed maps that the input contains and that are not decoded yet. Returns all of them.
pub(super) fn decode(
    input: &Input,
    scan: &Scan<'_>,
    textures: Textures,
    decoder: MapDecoder<'_>,
    needed: &BTreeSet<Uuid>,
) -> Vec<Sculpt> {
    let Textures { kept, others, mut maps, .. } = textures;
    // In one order in each run, because the content cache unpacks neighbours together.
    let kept: BTreeMap<Uuid, Item> = kept.into_iter().filter(|(uuid, _)| needed.contains(uuid)).collect();
    let again: BTreeSet<Uuid> = needed.iter().copied().filter(|uuid| others.contains(uuid)).collect();
    let mut refused = Vec::new();
    read_and_decode(&scan.workers, |scope| {
        for (uuid, item) in kept {
            if let Some(map) = maps.add(uuid, item) {
                spawn(scope, || decoder.decode(map));
            }
        }
        if !again.is_empty() {
            let (maps, refused, wanted) = (&mut maps, &mut refused, again.iter().copied().collect());
            let (decoder, gate) = (&decoder, &scan.gate);
            let mut visitor = MissedMaps { scope, decoder, gate, ticket: None, wanted, maps, refused };
            source::reread(input, decoder.request, &mut visitor);
        }
    });
    let MapDecoder { request, contents, .. } = decoder;
    let mut sculpts = maps.finish(needed, into_inner(contents));
    sculpts.extend(refused);
    let read: HashSet<Uuid> = sculpts.iter().map(|sculpt| sculpt.facts.uuid).collect();
    let unread = again.into_iter().filter(|uuid| !read.contains(uuid));
    sculpts.extend(unread.map(|uuid| gone(uuid, &request.deadline)));
    sculpts
}

/// The visitor of the second pass. It takes only the maps that found no room. The first pass counted the bytes.
struct MissedMaps<'lane, 'scope> {
    scope: &'lane Scope<'scope>,
    decoder: &'scope MapDecoder<'scope>,
    gate: &'scope Gate,
    ticket: Option<Ticket<'scope>>,
    wanted: HashSet<Uuid>,
    maps: &'lane mut Maps,
    /// Maps that are too large.
    refused: &'lane mut Vec<Sculpt>,
}

impl Visitor for MissedMaps<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> Wants {
        let uuid = member::uuid_in(name).filter(|_| kind == Kind::Texture);
        let Some(uuid) = uuid.filter(|uuid| self.wanted.remove(uuid)) else { return Wants::Nothing };
        let limit = most_bytes(self.decoder.request.limits);
        if bytes > limit {
            let error = SculptError::OverBudget { what: "bytes of a sculpt map", measured: bytes, limit };
            self.refused.push(unusable(uuid, name, bytes, MapHeader::default(), &error));
            return Wants::Nothing;
        }
        Wants::Whole
    }

    fn enough(&self) -> bool {
        self.wanted.is_empty()
    }

    fn make_room(&mut self, bytes: u64) {
        self.gate.replace(&mut self.ticket, bytes);
    }

    fn item(&mut self, item: Item) {
        let ticket = self.ticket.take();
        let map = member::uuid_in(&item.name).and_then(|uuid| self.maps.add(uuid, item));
        let decoder = self.decoder;
        if let Some(map) = map {
            spawn(self.scope, move || {
                decoder.decode(map);
                drop(ticket);
            });
        }
    }
}

/// Replaces the error of a map that was cut short: the decoder only sees the consequence.
fn cut_short(error: SculptError, bytes: &[u8]) -> SculptError {
    let mut extent = Extent::new(Format::Jpeg2000);
    extent.take(bytes);
    let size = bytes.len() as u64;
    match (error, extent.cut(size)) {
        (SculptError::Broken(_), Some(Cut::Of(needs))) => {
            SculptError::Broken(format!("cut short: {size} of {needs} bytes"))
        }
        (error, _) => error,
    }
}

/// Returns the facts of a map that exists and cannot be used.
pub(super) fn unusable(uuid: Uuid, name: &str, bytes: u64, header: MapHeader, error: &SculptError) -> Sculpt {
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
    Sculpt { facts: header.facts(uuid, name, bytes, state), defect }
}

/// Returns the facts of a map that was read after the deadline.
fn undecoded(uuid: Uuid, entry: &str, bytes: u64, over: Over) -> Sculpt {
    let why = format!("sculpt map {uuid} was not decoded: {over}");
    let kind = InputDefect::SculptUndecoded { uuid, over: over.to_string() };
    unread(uuid, entry, bytes, kind, why)
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
    let facts = MapHeader::default().facts(uuid, name, bytes, state);
    Sculpt { facts, defect: Some(defect) }
}

/// Most bytes of a map. The limit on all members applies, too.
pub(super) fn most_bytes(limits: &Limits) -> u64 {
    limits.sculpt_bytes.min(limits.entry_bytes)
}
