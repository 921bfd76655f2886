//! Pairs the objects of both sides by their content.
//!
//! Each pass pairs what the passes before it left. A later pass asks for less:
//!
//! 1. equal content at the same place, in any region that the region became;
//! 2. equal content, displaced like the rest of its region;
//! 3. the same UUID, which no other object has;
//! 4. the same place, and mostly the same content;
//! 5. equal content anywhere;
//! 6. the same place, and something of the content;
//! 7. anywhere, with one aspect changed, if the content is rich and no other object has it.
//!
//! All passes look up keys and places, so that the time grows with the number of objects.

use crate::{
    content::{aspect, key},
    grid::Grid,
    regions::Regions,
    side::Side,
};
use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Two roundings of a place differ by less than this, in metres.
pub(crate) const PLACE_M: f64 = 0.01;
/// Two roundings of a rotation differ by less than this, in radians.
pub(crate) const TURN_RAD: f64 = 0.002;
/// Maximum number of objects at a place that are compared.
const AT_A_PLACE: usize = 64;
/// Likeness of an object that something changed.
const MOSTLY: f64 = 0.6;
const SOMETHING: f64 = 0.25;
/// Maximum number of pairs of equal objects that are compared by their rotations.
const TURNED: usize = 16 << 20;
/// Minimum number of equally displaced objects that show where a region went.
const DISPLACED: usize = 3;

/// For each object its pair on the other side.
#[derive(Debug)]
pub(crate) struct Pairing {
    pub(crate) of_before: Vec<Option<usize>>,
    pub(crate) of_after: Vec<Option<usize>>,
    /// Objects of equal content that were paired without their places, by the key of their content.
    pub(crate) unplaced: HashSet<u64>,
}

/// Pairs the objects.
pub(crate) fn pair(before: &Side<'_>, after: &Side<'_>, regions: &Regions) -> Pairing {
    let mut matcher = Matcher {
        before,
        after,
        regions,
        pairing: Pairing {
            of_before: vec![None; before.things.len()],
            of_after: vec![None; after.things.len()],
            unplaced: HashSet::new(),
        },
    };
    matcher.equal_in_place(|_| DVec3::ZERO);
    matcher.equal_and_displaced();
    matcher.same_uuid();
    matcher.alike_in_place(MOSTLY);
    matcher.equal_anywhere();
    matcher.alike_in_place(SOMETHING);
    matcher.unique_with_a_change();
    matcher.pairing
}

/// Pairs of objects by how far they were displaced, in cells.
type Steps = HashMap<[i64; 3], Vec<(usize, usize)>>;

/// A region after the move. All objects without a region share one.
type LandAfter = Option<usize>;

struct Matcher<'m, 'a> {
    before: &'m Side<'a>,
    after: &'m Side<'a>,
    regions: &'m Regions,
    pairing: Pairing,
}

impl Matcher<'_, '_> {
    fn join(&mut self, before: usize, after: usize) {
        self.pairing.of_before[before] = Some(after);
        self.pairing.of_after[after] = Some(before);
    }

    /// Returns the objects without a pair before the move.
    fn left(&self) -> Vec<usize> {
        (0..self.before.things.len()).filter(|&number| self.pairing.of_before[number].is_none()).collect()
    }

    /// Returns the objects without a pair after the move.
    fn free(&self) -> Vec<usize> {
        (0..self.after.things.len()).filter(|&number| self.pairing.of_after[number].is_none()).collect()
    }

    /// Returns the region after the move of an object before it. `None` if that region is gone.
    fn land_of_before(&self, number: usize) -> Option<LandAfter> {
        match self.before.things[number].land {
            Some(land) => self.regions.after[land].map(Some),
            None => Some(None),
        }
    }

    /// Pairs equal objects at one place. `moved` says how far the objects of a region were displaced.
    fn equal_in_place(&mut self, moved: impl Fn(usize) -> DVec3) {
        let mut grid = Grid::new(PLACE_M);
        let cell_key = |content: u64, land: Option<usize>| key(&(content, land));
        for number in self.free() {
            let key = cell_key(self.after.contents[number].whole, self.after.things[number].land);
            grid.insert(key, self.after.contents[number].middle, number);
        }
        for number in self.left() {
            let Some(land) = self.land_of_before(number) else { continue };
            let key = cell_key(self.before.contents[number].whole, land);
            let shift = self.before.things[number].land.map_or(DVec3::ZERO, &moved);
            let place = self.before.contents[number].middle + shift;
            let there = grid.at(key, place).take(AT_A_PLACE);
            let best = there.min_by(|one, other| {
                let cost = |(found, distance): &(usize, f64)| {
                    let is_turned = self.turn(number, *found) > TURN_RAD;
                    let is_other = self.before.things[number].uuid() != self.after.things[*found].uuid();
                    (is_turned, is_other, *distance, *found)
                };
                let (one, other) = (cost(one), cost(other));
                (one.0, one.1)
                    .cmp(&(other.0, other.1))
                    .then(one.2.total_cmp(&other.2))
                    .then(one.3.cmp(&other.3))
            });
            if let Some((found, _)) = best {
                grid.remove(key, self.after.contents[found].middle, found);
                self.join(number, found);
            }
        }
    }

    /// Returns the angle between the roots of two objects, in radians.
    fn turn(&self, before: usize, after: usize) -> f64 {
        let rotation = |side: &Side<'_>, number: usize| side.things[number].root().map(|root| root.rotation);
        match (rotation(self.before, before), rotation(self.after, after)) {
            (Some(one), Some(other)) => angle(one, other),
            _ => 0.0,
        }
    }

    /// Pairs equal objects that moved like the others of their region. A load with a displacement moves all of them.
    fn equal_and_displaced(&mut self) {
        let unique = self.unique_pairs();
        let mut steps: BTreeMap<usize, Steps> = BTreeMap::new();
        for (number, found) in unique {
            let Some(land) = self.before.things[number].land else { continue };
            if self.after.things[found].land != self.regions.after[land] {
                continue;
            }
            let step = self.step(number, found);
            if step.is_finite() {
                let cell = (step / PLACE_M / 4.0).round().to_array().map(|cell| cell as i64);
                steps.entry(land).or_default().entry(cell).or_default().push((number, found));
            }
        }
        let moved: HashMap<usize, DVec3> = steps
            .into_iter()
            .filter_map(|(land, steps)| {
                let most = steps.into_iter().max_by_key(|(cell, pairs)| (pairs.len(), *cell))?.1;
                let &(number, found) = most.first().filter(|_| most.len() >= DISPLACED)?;
                Some((land, self.step(number, found)))
            })
            .collect();
        if !moved.is_empty() {
            self.equal_in_place(|land| moved.get(&land).copied().unwrap_or(DVec3::ZERO));
        }
    }

    fn step(&self, before: usize, after: usize) -> DVec3 {
        self.after.contents[after].middle - self.before.contents[before].middle
    }

    /// Returns the pairs of objects without a pair whose content no other object has.
    fn unique_pairs(&self) -> Vec<(usize, usize)> {
        let only = |numbers: Vec<usize>, side: &Side<'_>| {
            let mut only: HashMap<u64, Option<usize>> = HashMap::new();
            for number in numbers {
                only.entry(side.contents[number].whole)
                    .and_modify(|number| *number = None)
                    .or_insert(Some(number));
            }
            only
        };
        let (left, free) = (only(self.left(), self.before), only(self.free(), self.after));
        let pair = |(key, number): (u64, Option<usize>)| Some((number?, (*free.get(&key)?)?));
        let mut pairs: Vec<_> = left.into_iter().filter_map(pair).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Pairs the objects with one UUID, if no other object of their side has it.
    fn same_uuid(&mut self) {
        let numbers = |side: &Side<'_>| {
            let mut numbers: HashMap<Uuid, Vec<usize>> = HashMap::new();
            for (number, thing) in side.things.iter().enumerate().filter(|(_, thing)| !thing.uuid().is_nil())
            {
                numbers.entry(thing.uuid()).or_default().push(number);
            }
            numbers
        };
        let after = numbers(self.after);
        for (uuid, numbers) in numbers(self.before) {
            if let ([number], Some([found])) = (&*numbers, after.get(&uuid).map(Vec::as_slice))
                && self.pairing.of_before[*number].is_none()
                && self.pairing.of_after[*found].is_none()
            {
                self.join(*number, *found);
            }
        }
    }

    /// Pairs objects at one place that share at least this much of their content, the likest first. The place is that
    /// of the middle, or that of the root if parts are missing.
    fn alike_in_place(&mut self, least: f64) {
        let mut grid = Grid::new(PLACE_M);
        let anchors = |side: &Side<'_>, number: usize| {
            let root = side.things[number].root().map(|root| root.group_position);
            [Some(side.contents[number].middle), root].map(|place| place.unwrap_or(DVec3::NAN))
        };
        for number in self.free() {
            let key = key(&self.after.things[number].land);
            let [middle, root] = anchors(self.after, number);
            grid.insert(key, middle, number);
            if root.distance(middle) > 0.0 {
                grid.insert(key, root, number);
            }
        }
        let mut pairs = Vec::new();
        for number in self.left() {
            let Some(land) = self.land_of_before(number) else { continue };
            let key = key(&land);
            let mut seen = HashSet::new();
            for place in anchors(self.before, number) {
                for (found, distance) in grid.at(key, place).take(AT_A_PLACE) {
                    if seen.insert(found) {
                        let likeness = self.before.contents[number].likeness(&self.after.contents[found]);
                        pairs.extend((likeness >= least).then_some((likeness, distance, number, found)));
                    }
                }
            }
        }
        pairs.sort_by(|one, other| {
            other
                .0
                .total_cmp(&one.0)
                .then(one.1.total_cmp(&other.1))
                .then((one.2, one.3).cmp(&(other.2, other.3)))
        });
        for (_, _, number, found) in pairs {
            if self.pairing.of_before[number].is_none() && self.pairing.of_after[found].is_none() {
                self.join(number, found);
            }
        }
    }

    /// Pairs equal objects by number, those in one region first. Which of them is which is not known.
    fn equal_anywhere(&mut self) {
        for in_one_land in [true, false] {
            let mut equal: BTreeMap<(u64, Option<LandAfter>), [Vec<usize>; 2]> = BTreeMap::new();
            for number in self.left() {
                let land = self.land_of_before(number).filter(|_| in_one_land);
                equal.entry((self.before.contents[number].whole, land)).or_default()[0].push(number);
            }
            for number in self.free() {
                let land = Some(self.after.things[number].land).filter(|_| in_one_land);
                equal.entry((self.after.contents[number].whole, land)).or_default()[1].push(number);
            }
            for ((key, _), [before, after]) in equal {
                if before.len() > 1 || after.len() > 1 {
                    self.pairing.unplaced.extend((!before.is_empty() && !after.is_empty()).then_some(key));
                }
                if before.len().saturating_mul(after.len()) <= TURNED {
                    self.join_by_rotation(&before, &after);
                }
                let left = before.iter().filter(|&&number| self.pairing.of_before[number].is_none());
                let free = after.iter().filter(|&&number| self.pairing.of_after[number].is_none());
                let pairs: Vec<(usize, usize)> = left.copied().zip(free.copied()).collect();
                pairs.into_iter().for_each(|(number, found)| self.join(number, found));
            }
        }
    }

    /// Pairs those of these equal objects that are turned alike. Rotations are points: a quaternion and its negative.
    fn join_by_rotation(&mut self, before: &[usize], after: &[usize]) {
        let rotation = |side: &Side<'_>, number: usize| side.things[number].root().map(|root| root.rotation);
        let mut grid = Grid::new(TURN_RAD);
        for &number in after {
            if let Some(turn) = rotation(self.after, number) {
                grid.insert(0, turn.xyz(), number);
                grid.insert(0, -turn.xyz(), number);
            }
        }
        for &number in before {
            let Some(turn) = rotation(self.before, number) else { continue };
            let alike = grid.at(0, turn.xyz()).map(|(found, _)| found);
            let first = alike.filter(|&found| self.turn(number, found) <= TURN_RAD).min();
            let Some(found) = first else { continue };
            if let Some(turn) = rotation(self.after, found) {
                grid.remove(0, turn.xyz(), found);
                grid.remove(0, -turn.xyz(), found);
            }
            self.join(number, found);
        }
    }

    /// Pairs rich objects that are equal but for one aspect, if no other object of their side is.
    fn unique_with_a_change(&mut self) {
        for changed in aspect::EACH {
            let mut equal: BTreeMap<u64, [Vec<usize>; 2]> = BTreeMap::new();
            for (side, contents) in [&self.before.contents, &self.after.contents].into_iter().enumerate() {
                for (number, content) in contents.iter().enumerate().filter(|(_, content)| content.is_rich) {
                    equal.entry(content.key(aspect::ALL & !changed)).or_default()[side].push(number);
                }
            }
            for [before, after] in equal.into_values() {
                if let ([number], [found]) = (&*before, &*after)
                    && self.pairing.of_before[*number].is_none()
                    && self.pairing.of_after[*found].is_none()
                {
                    self.join(*number, *found);
                }
            }
        }
    }
}

/// Returns the angle between two rotations, in radians.
pub(crate) fn angle(one: DQuat, other: DQuat) -> f64 {
    let other = if one.dot(other) < 0.0 { -other } else { other };
    let half = (one - other).length() / 2.0;
    4.0 * half.min(1.0).asin()
}
