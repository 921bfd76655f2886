//! OXP: the export of objects of Firestorm. One zlib stream of a map in binary LLSD.
//!
//! The layout follows `fsfloaterexport.cpp` and `fsfloaterimport.cpp` of Firestorm.

use super::{Objects, Read, fault, inventory, prim, too_many_values};
use crate::{
    defect::{Defect, ObjectDefect, ViewerFault},
    inflate::{self, End},
    llsd::{self, Map, Problem, Value},
    object::Item,
};
use hullmark_settings::limits::Limits;
use std::borrow::Cow;
use uuid::Uuid;

/// The newest format that Firestorm reads (`OXP_FORMAT_VERSION`).
const VERSION: i64 = 2;

/// Keys of the map. Viewers write them in this order.
const KEYS: [&str; 9] =
    ["asset", "author", "client", "creation_date", "format_version", "grid", "inventory", "linkset", "prim"];

/// Inflated bytes from which the format is recognized.
const HEAD: usize = 4096;

/// Whether these first bytes of a file begin an OXP.
pub fn is_oxp(start: &[u8]) -> bool {
    if !matches!(start, [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..]) {
        return false;
    }
    let head = inflate::start(start, HEAD);
    let keys = llsd::keys(&head);
    !keys.is_empty() && keys.iter().all(|(key, _)| KEYS.iter().any(|known| known.as_bytes() == &**key))
}

/// Calls `take` with each asset in the file: its UUID, the number of its type, and its bytes. Returns whether the file is
/// within the limits. A file that cannot be read has no assets, because [`super::decode`] reports it.
pub fn assets(bytes: &[u8], limits: &Limits, mut take: impl FnMut(Uuid, i32, &[u8])) -> bool {
    let read = with_map(bytes, limits, |map| {
        let Some(assets) = map.get("asset").and_then(Value::as_map) else { return };
        for (key, asset) in assets.iter() {
            let (Ok(uuid), Some(asset)) = (Uuid::try_parse_ascii(key), asset.as_map()) else { continue };
            if let Some(data) = asset.get("data").and_then(Value::as_binary) {
                take(uuid, inventory::asset_type(asset.get("type")), data);
            }
        }
    });
    !read.is_err_and(|defect| defect.limit.is_some())
}

pub(super) fn read(bytes: &[u8], objects: &mut Objects<'_>) {
    let limits = objects.limits;
    if let Err(defect) = with_map(bytes, limits, |map| read_map(map, objects)) {
        objects.defect(*defect);
    }
}

/// Lends the map of a file to `work`.
fn with_map<R>(bytes: &[u8], limits: &Limits, work: impl FnOnce(&Map<'_>) -> R) -> Result<R, Box<Defect>> {
    inflate::with(|inflater| {
        // The packed bytes are in memory, too.
        let most = limits.entry_bytes.saturating_sub(bytes.len() as u64);
        let inflated = inflater.inflate(bytes, most);
        let why = match inflated.end {
            End::Complete | End::Flawed(_) => None,
            End::Corrupt { .. } => Some(ViewerFault::StreamDamaged),
            End::Truncated { .. } => Some(ViewerFault::StreamCut),
            End::NoMemory => Some(ViewerFault::NoMemory),
            End::OverLimit => {
                let limit = limits.entry_bytes as f64;
                let defect = Defect::new(ObjectDefect::ViewerExportTooLarge).within("entry_bytes");
                return Err(Box::new(defect.measured(limit + 1.0).limit(limit)));
            }
        };
        if let Some(why) = why {
            return Err(Box::new(fault(why)));
        }
        let document = llsd::parse_at_most(inflated.bytes, limits.llsd_depth, limits.llsd_values);
        let document = document.map_err(|error| {
            Box::new(match error.problem {
                Problem::TooMany(_) => too_many_values(limits),
                problem => fault(ViewerFault::Llsd { problem }).offset(error.offset),
            })
        })?;
        let map = document.value.as_map();
        let map = map.ok_or_else(|| Box::new(fault(ViewerFault::Lacks { key: "linkset".into() })))?;
        Ok(work(map))
    })
}

/// The values of a map, sorted by their keys, each until it is taken. A prim or an item belongs to one place.
struct Index<'m, 'a>(Vec<(&'m [u8], Option<&'m Map<'a>>)>);

impl<'m, 'a> Index<'m, 'a> {
    fn of(map: &'m Map<'a>, key: &str) -> Self {
        let values = map.get(key).and_then(Value::as_map).map(Map::iter).into_iter().flatten();
        let maps = values.filter_map(|(key, value)| Some((key, Some(value.as_map()?))));
        let mut maps: Vec<_> = maps.collect();
        maps.sort_unstable_by_key(|(key, _)| *key);
        Self(maps)
    }

    fn take(&mut self, key: &[u8]) -> Option<&'m Map<'a>> {
        let at = self.0.binary_search_by_key(&key, |(key, _)| key).ok()?;
        self.0[at].1.take()
    }
}

fn read_map(map: &Map<'_>, objects: &mut Objects<'_>) {
    let version = prim::integer(map.get("format_version"));
    match version {
        Some(version) if version > VERSION => {
            return objects.defect(fault(ViewerFault::TooNew { version }));
        }
        Some(_) => {}
        None => return objects.defect(fault(ViewerFault::Lacks { key: "format_version".into() })),
    }
    let Some(linksets) = map.get("linkset").and_then(Value::as_array) else {
        return objects.defect(fault(ViewerFault::Lacks { key: "linkset".into() }));
    };
    let (mut prims, mut items) = (Index::of(map, "prim"), Index::of(map, "inventory"));
    for (linkset, number) in linksets.iter().zip(1..) {
        let ids = linkset.as_array().unwrap_or_default();
        if !objects.has_room(ids.len()) {
            return;
        }
        match read_linkset(ids, &mut prims, &mut items) {
            Ok(parts) if parts.is_empty() => objects.defect(fault(ViewerFault::NoPrims { object: number })),
            Ok(parts) => objects.add(parts),
            Err(prim) => objects.defect(fault(ViewerFault::PrimMissing { object: number, prim })),
        }
    }
}

/// Reads the prims of a linkset, the root first. The error is the UUID of a prim that is missing.
fn read_linkset(
    ids: &[Value<'_>],
    prims: &mut Index<'_, '_>,
    items: &mut Index<'_, '_>,
) -> Result<Vec<Read>, String> {
    let mut parts = Vec::new();
    for id in ids {
        let key = key(id);
        let map = prims.take(&key).ok_or_else(|| printable(&key))?;
        let (mut part, defects) = prim::read(map, parts.is_empty());
        part.uuid = Uuid::try_parse_ascii(&key).unwrap_or_default();
        part.inventory = contents(map, items);
        parts.push((part, defects));
    }
    Ok(parts)
}

fn contents(map: &Map<'_>, items: &mut Index<'_, '_>) -> Vec<Item> {
    let list = map.get("content").and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(|id| items.take(&key(id)).map(inventory::item)).collect()
}

/// Returns a UUID as it is written in a key.
fn key<'v>(id: &'v Value<'_>) -> Cow<'v, [u8]> {
    match id {
        Value::Uuid(uuid) => Cow::Owned(uuid.to_string().into_bytes()),
        Value::String(text) => Cow::Borrowed(text),
        _ => Cow::Borrowed(b""),
    }
}

fn printable(key: &[u8]) -> String {
    key[..key.len().min(40)].escape_ascii().to_string()
}
