//! Pairs the parts of two exports of one object, in any link order and with any root.

use crate::{
    content::{PartKeys, aspect, places},
    grid::Grid,
    matching::angle,
    side::Thing,
};
use glam::{DQuat, DVec3};
use hullmark_format::object::Part;
use std::collections::HashMap;

/// Two roundings of an offset differ by less than this, in metres.
pub(crate) const OFFSET_M: f64 = 0.002;
/// Parts that moved within their object are looked for among so many.
const LOOKED_AT: usize = 64;
/// Maximum number of parts that may have been the root.
const ANCHORS: usize = 8;

/// A part of each side, by its number in its object. Both have the place in the axes of the root before the move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// How far the part moved within its object, in metres, and how far it turned, in radians.
    pub(crate) moved_m: f64,
    pub(crate) turned_rad: f64,
}

/// The parts of an object on both sides.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) missing: Vec<usize>,
    pub(crate) added: Vec<usize>,
}

impl Parts {
    pub(crate) fn new(before: (&Thing<'_>, &[PartKeys]), after: (&Thing<'_>, &[PartKeys])) -> Self {
        let (parts, keys) =
            ([before.0, after.0].map(|thing| &*thing.object.linkset.parts), [before.1, after.1]);
        let places = frames(&parts, &keys);
        let mut joined = [vec![None; parts[0].len()], vec![None; parts[1].len()]];

        in_place(&keys, &places, &mut joined, aspect::ALL);
        in_place(&keys, &places, &mut joined, 0);
        for aspects in [aspect::ALL, aspect::FORM | aspect::SIZE | aspect::LOOKS, aspect::NAME | aspect::FORM]
        {
            in_order(&keys, &places, &mut joined, aspects);
        }
        let pair = |(before, after): (usize, &Option<usize>)| {
            let after = (*after)?;
            let (one, other) = (places[0][before], places[1][after]);
            Some(Pair { before, after, moved_m: one.0.distance(other.0), turned_rad: angle(one.1, other.1) })
        };
        let alone = |side: &[Option<usize>]| {
            side.iter().enumerate().filter(|(_, pair)| pair.is_none()).map(|(number, _)| number).collect()
        };
        Self {
            pairs: joined[0].iter().enumerate().filter_map(pair).collect(),
            missing: alone(&joined[0]),
            added: alone(&joined[1]),
        }
    }
}

/// Where a part is and how it is turned.
type Placed = (DVec3, DQuat);

/// Returns the parts of both sides in the axes of the root before the move. Another part may be the root after it, so
/// the axes are those in which most parts keep their places.
fn frames(parts: &[&[Part]; 2], keys: &[&[PartKeys]; 2]) -> [Vec<Placed>; 2] {
    let before = in_root(parts[0]);
    let at_root = in_root(parts[1]);
    let kept = |after: &[Placed]| {
        let mut grid = Grid::new(OFFSET_M);
        after.iter().enumerate().for_each(|(number, (place, _))| grid.insert(0, *place, number));
        before.iter().filter(|(place, _)| grid.at(0, *place).next().is_some()).count()
    };
    let at_least = kept(&at_root);
    if at_least == before.len() {
        return [before, at_root];
    }
    let (root, all) = (keys[0].first().map(|root| root.of(aspect::ALL)), places(parts[1]));
    let was_root = keys[1].iter().enumerate().filter(|(_, part)| Some(part.of(aspect::ALL)) == root);
    let anchors = was_root.filter_map(|(number, _)| all.get(number).copied()).take(ANCHORS);
    let own = parts[0].first().map(|root| (root.group_position, root.rotation));
    let mut best = (at_least, at_root);
    for (origin, turn) in anchors.chain(own) {
        let back = turn.inverse();
        let seen: Vec<Placed> =
            all.iter().map(|(place, rotation)| (back * (*place - origin), back * *rotation)).collect();
        let count = kept(&seen);
        if count > best.0 {
            best = (count, seen);
        }
    }
    [before, best.1]
}

/// Returns the parts in the axes of the root. The place of the object is not used, because its rounding is coarser.
fn in_root(parts: &[Part]) -> Vec<Placed> {
    let own = |(number, part): (usize, &Part)| match number {
        0 => (DVec3::ZERO, DQuat::IDENTITY),
        _ => (part.offset_position, part.rotation),
    };
    parts.iter().enumerate().map(own).collect()
}

/// Pairs the parts with equal aspects at one place.
fn in_place(
    keys: &[&[PartKeys]; 2],
    places: &[Vec<Placed>; 2],
    joined: &mut [Vec<Option<usize>>; 2],
    aspects: u8,
) {
    let mut grid = Grid::new(OFFSET_M);
    for (number, (place, _)) in
        places[1].iter().enumerate().filter(|(number, _)| joined[1][*number].is_none())
    {
        grid.insert(keys[1][number].of(aspects), *place, number);
    }
    for (number, (place, _)) in places[0].iter().enumerate() {
        if joined[0][number].is_some() {
            continue;
        }
        let key = keys[0][number].of(aspects);
        let there = grid.at(key, *place).take(LOOKED_AT);
        let best = there.min_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        if let Some((found, _)) = best {
            grid.remove(key, places[1][found].0, found);
            joined[0][number] = Some(found);
            joined[1][found] = Some(number);
        }
    }
}

/// Pairs the remaining parts with equal aspects, the nearest of the first ones.
fn in_order(
    keys: &[&[PartKeys]; 2],
    places: &[Vec<Placed>; 2],
    joined: &mut [Vec<Option<usize>>; 2],
    aspects: u8,
) {
    let mut free: HashMap<u64, Vec<usize>> = HashMap::new();
    for (number, part) in keys[1].iter().enumerate().filter(|(number, _)| joined[1][*number].is_none()) {
        free.entry(part.of(aspects)).or_default().push(number);
    }
    for (number, part) in keys[0].iter().enumerate() {
        let Some(equal) = free.get_mut(&part.of(aspects)).filter(|_| joined[0][number].is_none()) else {
            continue;
        };
        let distance = |found: &usize| places[0][number].0.distance(places[1][*found].0);
        let first = equal.iter().take(LOOKED_AT).enumerate();
        let nearest = first.min_by(|one, other| distance(one.1).total_cmp(&distance(other.1)));
        if let Some(at) = nearest.map(|(at, _)| at) {
            let found = equal.remove(at);
            joined[0][number] = Some(found);
            joined[1][found] = Some(number);
        }
    }
}
