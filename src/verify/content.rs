//! The content of the objects of both sides, with their sizes, as keys that are equal for equal objects.

use crate::clusters::Clusters;
use glam::{DQuat, DVec3};
use hullmark_format::object::Part;
use hullmark_ledger::{
    facts::ObjectFacts,
    object_content::{PartContent, is_rich},
};
pub(crate) use hullmark_util::stable_hash::stable_hash as key;
use std::iter;

/// Aspects of a part, as bits of a selection.
pub(crate) mod aspect {
    pub(crate) const NAME: u8 = 1;
    pub(crate) const FORM: u8 = 2;
    pub(crate) const SIZE: u8 = 4;
    pub(crate) const LOOKS: u8 = 8;
    pub(crate) const ITEMS: u8 = 16;
    pub(crate) const ALL: u8 = NAME | FORM | SIZE | LOOKS | ITEMS;
    /// Each alone.
    pub(crate) const EACH: [u8; 5] = [NAME, FORM, SIZE, LOOKS, ITEMS];
}

/// The spread of two exports of one object differs by less than this, in metres.
const SPREAD_M: f64 = 0.002;

/// The numbers of two sides in groups.
#[derive(Debug)]
pub(crate) struct Numbers {
    sizes: Clusters,
    spreads: Clusters,
}

impl Numbers {
    /// Groups the numbers of these objects.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = &'a ObjectFacts>) -> Self {
        let (mut sizes, mut spreads) = (Vec::new(), Vec::new());
        for object in objects {
            let parts = &object.linkset.parts;
            sizes.extend(parts.iter().flat_map(|part| part.scale.to_array()));
            spreads.push(spread(parts));
        }
        Self { sizes: Clusters::new(sizes, 0.0), spreads: Clusters::new(spreads, SPREAD_M) }
    }
}

/// The keys of the aspects of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartKeys([u64; 5]);

impl PartKeys {
    fn new(part: &Part, numbers: &Numbers) -> Self {
        let PartContent { name, form, looks, items } = PartContent::new(part);
        let size = key(&part.scale.to_array().map(|length| numbers.sizes.of(length)));
        Self([name, form, size, looks, items])
    }

    /// Returns the key of the selected aspects.
    pub(crate) fn of(&self, aspects: u8) -> u64 {
        let selected = self.0.iter().zip(aspect::EACH).filter(|(_, each)| aspects & each != 0);
        key(&selected.map(|(key, _)| *key).collect::<Vec<_>>())
    }
}

/// The content of an object.
#[derive(Debug)]
pub(crate) struct Content {
    /// The keys of its parts, in link order.
    pub(crate) parts: Vec<PartKeys>,
    /// The key of all aspects.
    pub(crate) whole: u64,
    spread: u32,
    /// The middle of its parts, in metres from the corner of its region. Another root does not move it.
    pub(crate) middle: DVec3,
    /// Whether it is more than a plain prim, so that an equal one is hardly another.
    pub(crate) is_rich: bool,
}

impl Content {
    pub(crate) fn new(object: &ObjectFacts, numbers: &Numbers) -> Self {
        let parts = &object.linkset.parts;
        let content = Self {
            parts: parts.iter().map(|part| PartKeys::new(part, numbers)).collect(),
            whole: 0,
            spread: numbers.spreads.of(spread(parts)),
            middle: middle(parts),
            is_rich: is_rich(&object.linkset),
        };
        Self { whole: content.key(aspect::ALL), ..content }
    }

    /// Returns the key of the selected aspects of all parts, in any order. Equal objects have equal keys.
    pub(crate) fn key(&self, aspects: u8) -> u64 {
        let mut parts: Vec<u64> = self.parts.iter().map(|part| part.of(aspects)).collect();
        parts.sort_unstable();
        key(&(parts, self.spread))
    }

    /// Returns the share of aspects of the parts that both have, from 0 to 1. Having no items is no likeness.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let empty = PartContent::items(&[]);
        let (mut shared, mut all) = (0, 0);
        for number in 0..aspect::EACH.len() {
            let sorted = |content: &Self| {
                let keys = content.parts.iter().map(|part| part.0[number]);
                let mut keys: Vec<u64> = keys.filter(|key| *key != empty).collect();
                keys.sort_unstable();
                keys
            };
            let (own, others) = (sorted(self), sorted(other));
            shared += shared_by(&own, &others);
            all += own.len().max(others.len());
        }
        shared as f64 / all.max(1) as f64
    }
}

/// Counts the keys that two sorted lists share.
fn shared_by(one: &[u64], other: &[u64]) -> usize {
    let (mut at, mut shared) = (0, 0);
    for key in one {
        while other.get(at).is_some_and(|there| there < key) {
            at += 1;
        }
        if other.get(at) == Some(key) {
            (at, shared) = (at + 1, shared + 1);
        }
    }
    shared
}

/// Returns where each part is and how it is turned, in the axes of the region, in link order.
pub(crate) fn places(parts: &[Part]) -> Vec<(DVec3, DQuat)> {
    let Some((root, children)) = parts.split_first() else { return Vec::new() };
    let (origin, turn) = (root.group_position, root.rotation);
    let child = |part: &Part| (origin + turn * part.offset_position, turn * part.rotation);
    iter::once((origin, turn)).chain(children.iter().map(child)).collect()
}

fn middle(parts: &[Part]) -> DVec3 {
    let sum: DVec3 = places(parts).iter().map(|(place, _)| *place).sum();
    sum / parts.len().max(1) as f64
}

/// Returns how far the parts are from their middle: the root of the mean square, in metres.
fn spread(parts: &[Part]) -> f64 {
    let Some((_, children)) = parts.split_first() else { return 0.0 };
    let count = parts.len() as f64;
    let middle = children.iter().map(|part| part.offset_position).sum::<DVec3>() / count;
    let squares = children.iter().map(|part| part.offset_position.distance_squared(middle));
    ((squares.sum::<f64>() + middle.length_squared()) / count).sqrt()
}
