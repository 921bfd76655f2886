//! The textures of an input while it is read.

use super::{
    decoding::Decoding,
    results::MAP,
    sculpts::{MapBytes, Maps, most_bytes},
    work,
};
use hullmark_format::member;
use hullmark_ledger::facts::AssetFacts;
use hullmark_settings::limits::Limits;
use hullmark_source::{Item, ReadRequest};
use hullmark_util::lock::lock;
use memchr::memmem::Finder;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use uuid::Uuid;

/// The element in which objects name their sculpt maps.
const ELEMENT: &[u8] = b"<SculptTexture>";
/// Bytes after its start within which a UUID is expected.
const NEAR: usize = 96;

/// The textures of an input, in one pass.
///
/// A map that an object before it names is decoded at once. Of other textures the smallest are kept, because maps are
/// small.
pub struct Textures {
    /// Maps that objects before this texture name.
    named: HashSet<Uuid>,
    /// Bytes of the largest texture that can be a map.
    most: u64,
    /// Bytes that may still be kept.
    room: u64,
    pub(super) kept: HashMap<Uuid, Item>,
    /// The kept textures, the largest first.
    largest: BinaryHeap<(u64, Uuid)>,
    /// Textures that are decoded at once.
    early: HashSet<Uuid>,
    /// Work and number of maps that may still be decoded at once.
    early_work: u64,
    early_maps: u64,
    /// Textures of the input that are neither kept nor decoded.
    pub(super) others: HashSet<Uuid>,
    pub(super) maps: Maps,
    element: Finder<'static>,
}

impl Textures {
    /// Creates the state of an input before its first texture. In a store, the maps that inputs lack are needed.
    pub fn new(decoding: &Decoding<'_>) -> Self {
        let ReadRequest { limits, bodies, .. } = *decoding.request;
        Self {
            named: bodies.into_iter().flatten().copied().collect(),
            most: most_bytes(limits),
            room: limits.kept_textures_bytes,
            kept: HashMap::new(),
            largest: BinaryHeap::new(),
            early: HashSet::new(),
            early_work: lock(&decoding.work).most(),
            early_maps: limits.facts_bytes / MAP,
            others: HashSet::new(),
            maps: Maps::default(),
            element: Finder::new(ELEMENT),
        }
    }

    /// Records the maps that the document of an object names. Nothing depends on a name that is not found here: the
    /// decoded object shows which maps it needs.
    pub(crate) fn note_object(&mut self, document: &[u8]) {
        let named = self.element.find_iter(document).filter_map(|at| {
            let behind = &document[at + ELEMENT.len()..];
            let near = behind[..NEAR.min(behind.len())].trim_ascii_start();
            let near = near.strip_prefix(b"<UUID>").or_else(|| near.strip_prefix(b"<Guid>")).unwrap_or(near);
            Uuid::try_parse_ascii(near.trim_ascii_start().get(..36)?).ok()
        });
        self.named.extend(named.filter(|uuid| !uuid.is_nil()));
    }

    /// Whether to read this texture completely. Like OpenSim, this takes the first of two assets with one UUID.
    pub fn wants(&self, name: &str, bytes: u64) -> bool {
        let new = member::uuid_in(name).filter(|uuid| self.is_new(uuid));
        new.is_some_and(|uuid| {
            let fits = room_of(name.len(), bytes) <= self.room;
            let replaces = || self.largest.peek().is_some_and(|&(largest, _)| largest > bytes);
            bytes <= self.most && (self.named.contains(&uuid) || fits || replaces())
        })
    }

    /// Takes a wanted texture with these facts. Returns it if it is to be decoded at once. A texture that is cut with
    /// its archive has an unknown form, so it is dropped.
    pub fn take(&mut self, item: Item, facts: &AssetFacts, limits: &Limits) -> Option<MapBytes> {
        let uuid = member::uuid_in(&item.name).filter(|_| item.bytes.len() as u64 == item.size)?;
        let work = work::units_of_map(facts, limits);
        if !self.named.contains(&uuid) || self.early_maps == 0 || work > self.early_work {
            self.keep(uuid, item);
            return None;
        }
        self.early_maps -= 1;
        self.early_work -= work;
        self.early.insert(uuid);
        self.maps.add(uuid, item)
    }

    /// Keeps a texture if there is room after larger ones are dropped.
    fn keep(&mut self, uuid: Uuid, item: Item) {
        let room = room_of(item.name.len(), item.size);
        while room > self.room
            && let Some(&(largest, other)) = self.largest.peek()
            && largest > item.size
        {
            self.largest.pop();
            self.others.insert(other);
            let dropped = self.kept.remove(&other);
            self.room += dropped.map_or(0, |dropped| room_of(dropped.name.len(), dropped.size));
        }
        if room > self.room {
            self.others.insert(uuid);
            return;
        }
        self.room -= room;
        self.largest.push((item.size, uuid));
        self.kept.insert(uuid, item);
    }

    /// Records a texture that was not read completely.
    pub fn pass(&mut self, name: &str) {
        if let Some(uuid) = member::uuid_in(name).filter(|uuid| self.is_new(uuid)) {
            self.others.insert(uuid);
        }
    }

    /// Returns those of `maps` that the input contains.
    pub fn among(&self, maps: &BTreeSet<Uuid>) -> BTreeSet<Uuid> {
        maps.iter().filter(|uuid| !self.is_new(uuid)).copied().collect()
    }

    fn is_new(&self, uuid: &Uuid) -> bool {
        !self.kept.contains_key(uuid) && !self.early.contains(uuid) && !self.others.contains(uuid)
    }
}

/// Bytes of a kept texture, its name and its places in the tables. Even a million empty textures need their places.
fn room_of(name: usize, bytes: u64) -> u64 {
    // A hash table is filled to at least 7/16, and a heap to half.
    let places = size_of::<(Uuid, Item)>() * 16 / 7 + 2 * size_of::<(u64, Uuid)>();
    bytes.saturating_add((places + name) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets;
    use hullmark_ledger::facts::Content;
    use hullmark_source::{Input, Kind, What};
    use std::path::PathBuf;

    fn texture(uuid: u128, bytes: usize) -> Item {
        let name = format!("assets/{}_texture.jp2", Uuid::from_u128(uuid));
        Item::new(name, Kind::Texture, vec![uuid as u8; bytes], bytes as u64)
    }

    /// Shows textures to a pass with room for three empty ones and this many bytes. Returns those that are decoded at
    /// once, those that are kept, and the others.
    fn after(textures: &[(u128, usize)], bytes: u64, objects: &[&str], work: u64) -> [Vec<u128>; 3] {
        let room = 3 * room_of(texture(0, 0).name.len(), 0) + bytes;
        let limits = Limits { kept_textures_bytes: room, ..Limits::default() };
        let input = Input::new(String::new(), PathBuf::new(), What::Archive);
        let limits = Limits { asset_work: work, ..limits };
        let request = ReadRequest::new(&limits);
        let mut pass = Textures::new(&Decoding::new(&input, &request, None));
        objects.iter().for_each(|object| pass.note_object(object.as_bytes()));
        let mut early = Vec::new();
        for &(uuid, bytes) in textures {
            let item = texture(uuid, bytes);
            if !pass.wants(&item.name, item.size) {
                pass.pass(&item.name);
                continue;
            }
            let facts = assets::of_item(&item, None).0;
            let facts = AssetFacts { content: Content::NotEvaluated("no header".into()), ..facts };
            early.extend(pass.take(item, &facts, &limits).map(|_| uuid));
        }
        let sorted = |mut uuids: Vec<u128>| {
            uuids.sort_unstable();
            uuids
        };
        let kept = pass.kept.keys().map(Uuid::as_u128).collect();
        [early, sorted(kept), sorted(pass.others.iter().map(Uuid::as_u128).collect())]
    }

    #[test]
    fn the_smallest_textures_are_kept() {
        let textures = [(1, 50), (2, 40), (3, 30), (4, 10), (5, 60), (6, 20)];
        assert_eq!(after(&textures, 120, &[], 0), [vec![], vec![3, 4, 6], vec![1, 2, 5]]);
        // Two textures take the place of three empty ones.
        assert_eq!(after(&textures, 0, &[], 0), [vec![], vec![4, 6], vec![1, 2, 3, 5]]);
    }

    #[test]
    fn maps_that_objects_name_are_decoded_at_once_while_work_is_left() {
        let named = |uuid: u128, element: &str| {
            let uuid = Uuid::from_u128(uuid);
            format!("<Shape><SculptTexture>\n <{element}>{uuid}</{element}></SculptTexture></Shape>")
        };
        let objects = [named(1, "UUID"), named(2, "Guid"), named(0, "UUID"), "<SculptTexture>".into()];
        let objects = objects.each_ref().map(String::as_str);
        let textures = [(0, 9), (1, 9), (2, 9), (3, 9)];
        assert_eq!(after(&textures, 100, &objects, u64::MAX), [vec![1, 2], vec![0, 3], vec![]]);
        let limits = Limits::default();
        let one = 16 * 3 * limits.sculpt_side * limits.sculpt_side;
        assert_eq!(after(&textures, 100, &objects, one), [vec![1], vec![0, 2, 3], vec![]]);
    }
}
