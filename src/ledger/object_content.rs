//! The content of objects, as keys that are equal for equal objects in every export.
//!
//! A load gives objects new UUIDs, owners, groups, permissions and dates, so these are not content. Exports round sizes
//! and places, so these are in no key.

use crate::facts::ObjectFacts;
use hullmark_format::object::{Item, Linkset, Part};
use hullmark_util::stable_hash::stable_hash;
use uuid::Uuid;

/// The content of a part, a key for each aspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartContent {
    pub name: u64,
    /// Its shape without its sculpt or mesh.
    pub form: u64,
    /// Its sculpt or mesh, textures and materials.
    pub looks: u64,
    /// Names, types and assets of its items, in any order.
    pub items: u64,
}

impl PartContent {
    pub fn new(part: &Part) -> Self {
        let mut form = part.shape;
        let body = form.sculpt.take();
        Self {
            name: stable_hash(&part.name),
            form: stable_hash(&(form, body.map(|body| body.kind))),
            looks: stable_hash(&(body.map(|body| body.asset), &part.references)),
            items: Self::items(&part.inventory),
        }
    }

    /// Returns the key of items.
    pub fn items(items: &[Item]) -> u64 {
        let mut keys: Vec<(&str, i32, Uuid)> =
            items.iter().map(|item| (item.name.as_str(), item.asset_type, item.asset)).collect();
        keys.sort_unstable();
        stable_hash(&keys)
    }
}

/// Whether an object is more than a plain prim, so that an equal one is hardly another.
pub fn is_rich(linkset: &Linkset) -> bool {
    let has_more = |part: &Part| part.shape.sculpt.is_some() || !part.inventory.is_empty();
    linkset.parts.len() > 1 || linkset.parts.iter().any(has_more)
}

/// Returns the key of an object: that of all its parts, in any order.
pub fn of_object(object: &ObjectFacts) -> u64 {
    let mut parts: Vec<PartContent> = object.linkset.parts.iter().map(PartContent::new).collect();
    parts.sort_unstable();
    stable_hash(&parts)
}
