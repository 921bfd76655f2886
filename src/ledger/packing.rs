//! Packs the facts of a ledger, and unpacks them.
//!
//! The facts are parts: a head, and then shares of each list. A part is JSON in a frame of zstd, after the length of the
//! frame. All threads pack and unpack the parts of a large ledger.

use super::{
    InputKind, Ledger,
    facts::{
        AssetFacts, ContainerFacts, InventoryFacts, ItemFacts, MeshFacts, ObjectFacts, RegionFacts,
        SculptFacts, Status, StoreRow, UnknownFile, asset_size, item_size, mesh_size, object_size,
        sculpt_size,
    },
};
use hullmark_format::{Defect, region::Estate};
use hullmark_util::{
    all_threads::{self, Shares},
    frames,
    timings::{self, Stage},
};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    io::{self, Read},
};

/// Bytes of facts in memory that make a share of a list. One element may have more.
const SHARE: usize = 1 << 20;

/// Most bytes of the JSON of a part. More are damage.
const MOST: u64 = 1 << 30;

/// One thread packs and unpacks a ledger whose lists have one share each.
const PARTS: Shares = Shares { alone: 12, size: 1 };

/// Bytes before a frame, which have its length.
const LENGTH: usize = size_of::<u32>();

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part<'a> {
    Head(Box<Head>),
    Regions(Cow<'a, [RegionFacts]>),
    Assets(Cow<'a, [AssetFacts]>),
    Meshes(Cow<'a, [MeshFacts]>),
    Sculpts(Cow<'a, [SculptFacts]>),
    Objects(Cow<'a, [ObjectFacts]>),
    Items(Cow<'a, [ItemFacts]>),
    StoreRows(Cow<'a, [StoreRow]>),
    Estates(Cow<'a, [Estate]>),
    Inventories(Cow<'a, [InventoryFacts]>),
    Unknown(Cow<'a, [UnknownFile]>),
    Defects(Cow<'a, [Defect]>),
}

/// Facts that are no list.
#[derive(Serialize, Deserialize)]
struct Head {
    input: String,
    kind: InputKind,
    bytes: u64,
    content_hash: Option<String>,
    status: Status,
    container: ContainerFacts,
    /// Number of parts after this one.
    parts: usize,
}

/// Returns the packed facts of a ledger, after other data.
pub(super) fn pack(ledger: &Ledger, before: Vec<u8>) -> Vec<u8> {
    let frames = all_threads::map(Stage::Ledger, PARTS, &parts(ledger), |part| {
        let json = serde_json::to_vec(part);
        frames::pack(&json.unwrap_or_else(|error| unreachable!("memory takes every byte: {error}")))
    });
    let mut packed = before;
    packed.reserve(frames.iter().map(|frame| LENGTH + frame.len()).sum());
    for frame in frames {
        packed.extend((frame.len() as u32).to_le_bytes());
        packed.extend(frame);
    }
    timings::pass(Stage::Ledger, packed.len());
    packed
}

pub(super) fn unpack(mut packed: &[u8]) -> io::Result<Ledger> {
    let mut frames = Vec::new();
    while !packed.is_empty() {
        let (length, rest) = packed.split_first_chunk::<LENGTH>().ok_or_else(cut_short)?;
        let (frame, rest) =
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut_short)?;
        frames.push(frame);
        packed = rest;
    }
    let mut parts = all_threads::map(Stage::Ledger, PARTS, &frames, |frame| part(frame)).into_iter();
    let Some(Part::Head(head)) = parts.next().transpose()? else { return Err(cut_short()) };
    if head.parts != parts.len() {
        return Err(cut_short());
    }
    let mut ledger = head.ledger();
    for part in parts {
        ledger.add(part?);
    }
    Ok(ledger)
}

fn part(frame: &[u8]) -> io::Result<Part<'static>> {
    // Bytes would be checked again and again, string by string.
    let mut json = String::new();
    frames::read(frame).take(MOST).read_to_string(&mut json)?;
    Ok(serde_json::from_str(&json)?)
}

fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "its facts are cut short")
}

/// Returns the facts in parts, the head first.
fn parts(ledger: &Ledger) -> Vec<Part<'_>> {
    // Names each field, so a new one cannot be forgotten.
    let Ledger {
        input,
        kind,
        bytes,
        content_hash,
        status,
        container,
        regions,
        assets,
        meshes,
        sculpts,
        objects,
        items,
        store_rows,
        estates,
        inventories,
        unknown,
        defects,
        checksum: _,
    } = ledger;
    let head = Head {
        input: input.clone(),
        kind: *kind,
        bytes: *bytes,
        content_hash: content_hash.clone(),
        status: *status,
        container: container.clone(),
        parts: 0,
    };
    let mut parts = Vec::new();
    parts.extend(shares(regions, size_of_val).map(Part::Regions));
    parts.extend(shares(assets, asset_size).map(Part::Assets));
    parts.extend(shares(meshes, mesh_size).map(Part::Meshes));
    parts.extend(shares(sculpts, sculpt_size).map(Part::Sculpts));
    parts.extend(shares(objects, object_size).map(Part::Objects));
    parts.extend(shares(items, item_size).map(Part::Items));
    parts.extend(shares(store_rows, size_of_val).map(Part::StoreRows));
    parts.extend(shares(estates, size_of_val).map(Part::Estates));
    parts.extend(shares(inventories, size_of_val).map(Part::Inventories));
    parts.extend(shares(unknown, size_of_val).map(Part::Unknown));
    parts.extend(shares(defects, size_of_val).map(Part::Defects));
    let head = Head { parts: parts.len(), ..head };
    [Part::Head(Box::new(head))].into_iter().chain(parts).collect()
}

/// Cuts a list where the elements of a share have enough bytes in memory.
fn shares<'a, T: Clone>(
    list: &'a [T],
    size: impl Fn(&T) -> usize + 'a,
) -> impl Iterator<Item = Cow<'a, [T]>> + 'a {
    let mut bytes = 0;
    let in_one = move |element: &T, _: &T| {
        bytes += size(element);
        let goes_on = bytes < SHARE;
        if !goes_on {
            bytes = 0;
        }
        goes_on
    };
    list.chunk_by(in_one).map(Cow::Borrowed)
}

impl Head {
    fn ledger(self) -> Ledger {
        let Self { input, kind, bytes, content_hash, status, container, parts: _ } = self;
        Ledger { bytes, content_hash, container, ..Ledger::empty(&input, kind, status) }
    }
}

impl Ledger {
    /// Adds the facts of a part. A second head has none.
    fn add(&mut self, part: Part<'_>) {
        match part {
            Part::Head(_) => {}
            Part::Regions(list) => self.regions.extend(list.into_owned()),
            Part::Assets(list) => self.assets.extend(list.into_owned()),
            Part::Meshes(list) => self.meshes.extend(list.into_owned()),
            Part::Sculpts(list) => self.sculpts.extend(list.into_owned()),
            Part::Objects(list) => self.objects.extend(list.into_owned()),
            Part::Items(list) => self.items.extend(list.into_owned()),
            Part::StoreRows(list) => self.store_rows.extend(list.into_owned()),
            Part::Estates(list) => self.estates.extend(list.into_owned()),
            Part::Inventories(list) => self.inventories.extend(list.into_owned()),
            Part::Unknown(list) => self.unknown.extend(list.into_owned()),
            Part::Defects(list) => self.defects.extend(list.into_owned()),
        }
    }
}
