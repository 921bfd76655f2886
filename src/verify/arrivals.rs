//! What became of each object.

use crate::{
    change::{self, Changes, Scope},
    content::{aspect, key, places},
    grid::Grid,
    matching::{PLACE_M, Pairing},
    parts::Parts,
    regions::Regions,
    side::{Side, Thing},
};
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

named! {
    /// What became of an object, an asset or a parcel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum Status {
        /// It is not there.
        Lost = "lost",
        /// It is there, and something about it is different.
        Changed = "changed",
        /// It is there and equal.
        Arrived = "arrived",
        /// It was not there before.
        New = "new",
        /// It was not found on one side, and something was not read that may have it.
        NotEvaluated = "not_evaluated",
    }
}

/// An object before and after the move.
#[derive(Debug, Clone)]
pub struct Arrival<'a> {
    pub status: Status,
    pub before: Option<Thing<'a>>,
    pub after: Option<Thing<'a>>,
    pub changes: Changes,
    /// Key of its content, which equal objects share. 0 for a new object.
    pub content: u64,
    /// Objects of equal content before the move, with itself, and how many of them arrived. `None` if there is only one.
    pub equal: Option<[u64; 2]>,
    /// Whether its place is known. If equal objects lost their places, which of them is lost is not known.
    pub is_placed: bool,
}

impl Arrival<'_> {
    /// Whether it, or a part or an item of it, is lost.
    pub fn has_loss(&self) -> bool {
        self.status == Status::Lost || self.changes.keys().any(|change| change.is_loss())
    }
}

/// Returns all objects: those of the side before in their order, then new ones.
pub(crate) fn arrivals<'a>(
    before: &Side<'a>,
    after: &Side<'a>,
    regions: &Regions,
    pairing: &Pairing,
) -> Vec<Arrival<'a>> {
    let parts: Vec<Option<Parts>> = (0..before.things.len())
        .map(|number| {
            let found = pairing.of_before[number]?;
            let keys = [&before.contents[number].parts, &after.contents[found].parts];
            Some(Parts::new((&before.things[number], keys[0]), (&after.things[found], keys[1])))
        })
        .collect();
    let relinked = Relinked::find(before, after, regions, pairing, &parts);
    let equals = count_equal(before, pairing);

    let none = BTreeSet::new();
    let mut arrivals = Vec::with_capacity(before.things.len());
    for (number, thing) in before.things.iter().enumerate() {
        let found = pairing.of_before[number].map(|found| &after.things[found]);
        let (after, changes) = match (found, &parts[number], relinked.joined.get(&number)) {
            (Some(found), Some(parts), _) => {
                let scope = Scope {
                    is_same_land: thing.land.and_then(|land| regions.after[land]) == found.land,
                    has_script_states: found.ledger.kind.is_archive(),
                };
                let elsewhere = relinked.moved_parts.get(&number).unwrap_or(&none);
                (Some(*found), change::changes(thing, found, parts, elsewhere, scope))
            }
            (_, _, Some(into)) => {
                let into: Vec<&Thing<'_>> = into.iter().map(|number| &after.things[*number]).collect();
                (into.first().map(|first| **first), change::relinked_to(&into))
            }
            _ => (None, Changes::new()),
        };
        let status = match (&after, changes.is_empty()) {
            (None, _) => Status::Lost,
            (Some(_), true) => Status::Arrived,
            (Some(_), false) => Status::Changed,
        };
        let key = before.contents[number].whole;
        let equal = equals[&key];
        arrivals.push(Arrival {
            status,
            before: Some(*thing),
            after,
            changes,
            content: key,
            equal: (equal[0] > 1).then_some(equal),
            is_placed: status != Status::Lost || !pairing.unplaced.contains(&key),
        });
    }
    // A grid may have many other regions, which nothing was moved to.
    let touched: HashSet<Option<usize>> = (0..after.things.len())
        .filter(|&number| pairing.of_after[number].is_some())
        .map(|number| after.things[number].land)
        .chain(regions.after.iter().copied())
        .collect();
    let is_new = |number: &usize| {
        pairing.of_after[*number].is_none()
            && !relinked.made.contains(number)
            && (touched.contains(&after.things[*number].land) || after.things[*number].land.is_none())
    };
    arrivals.extend((0..after.things.len()).filter(is_new).map(|number| Arrival {
        status: Status::New,
        before: None,
        after: Some(after.things[number]),
        changes: Changes::new(),
        content: 0,
        equal: None,
        is_placed: true,
    }));
    arrivals
}

/// Counts the objects of each content, and how many of them arrived.
fn count_equal(before: &Side<'_>, pairing: &Pairing) -> HashMap<u64, [u64; 2]> {
    let mut counts: HashMap<u64, [u64; 2]> = HashMap::new();
    for (content, pair) in before.contents.iter().zip(&pairing.of_before) {
        let [there, arrived] = counts.entry(content.whole).or_default();
        *there += 1;
        *arrived += u64::from(pair.is_some());
    }
    counts
}

/// Parts that are in another object after the move.
#[derive(Debug, Default)]
struct Relinked {
    /// Objects without a pair, all of whose parts are in other objects: the numbers of these after the move.
    joined: BTreeMap<usize, BTreeSet<usize>>,
    /// Of objects with a pair the parts that are in another object.
    moved_parts: BTreeMap<usize, BTreeSet<usize>>,
    /// Objects after the move that consist of such parts only.
    made: HashSet<usize>,
}

impl Relinked {
    /// Looks for each part that has no pair, at its place in its region.
    fn find(
        before: &Side<'_>,
        after: &Side<'_>,
        regions: &Regions,
        pairing: &Pairing,
        parts: &[Option<Parts>],
    ) -> Self {
        let mut free: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, thing) in after.things.iter().enumerate() {
            let own = match pairing.of_after[number] {
                None => (0..thing.object.linkset.parts.len()).collect(),
                Some(pair) => parts[pair].as_ref().map_or_else(Vec::new, |parts| parts.added.clone()),
            };
            if !own.is_empty() {
                free.insert(number, own);
            }
        }
        if free.is_empty() {
            return Self::default();
        }
        let mut grid = Grid::new(PLACE_M);
        let mut slots = Vec::new();
        for (&number, own) in &free {
            let places = places(&after.things[number].object.linkset.parts);
            for &part in own {
                let key =
                    key(&(after.contents[number].parts[part].of(aspect::ALL), after.things[number].land));
                grid.insert(key, places[part].0, slots.len());
                slots.push((number, key, places[part].0));
            }
        }
        let mut relinked = Self::default();
        let mut taken: HashMap<usize, usize> = HashMap::new();
        for (number, thing) in before.things.iter().enumerate() {
            let own: Vec<usize> = match &parts[number] {
                None => (0..thing.object.linkset.parts.len()).collect(),
                Some(parts) => parts.missing.clone(),
            };
            let Some(land) = thing.land.map_or(Some(None), |land| regions.after[land].map(Some)) else {
                continue;
            };
            if own.is_empty() {
                continue;
            }
            let places = places(&thing.object.linkset.parts);
            let mut found = Vec::new();
            for &part in &own {
                let key = key(&(before.contents[number].parts[part].of(aspect::ALL), land));
                let nearest = grid.at(key, places[part].0).min_by(|one, other| one.1.total_cmp(&other.1));
                found.extend(nearest.map(|(slot, _)| (part, slot)));
                if let Some((slot, _)) = nearest {
                    grid.remove(key, slots[slot].2, slot);
                }
            }
            // A part alone proves nothing for an object that is lost but for it.
            let is_whole = pairing.of_before[number].is_some() || found.len() == own.len();
            if !is_whole {
                for (_, slot) in found {
                    grid.insert(slots[slot].1, slots[slot].2, slot);
                }
                continue;
            }
            for (part, slot) in &found {
                *taken.entry(slots[*slot].0).or_default() += 1;
                match pairing.of_before[number] {
                    Some(_) => _ = relinked.moved_parts.entry(number).or_default().insert(*part),
                    None => _ = relinked.joined.entry(number).or_default().insert(slots[*slot].0),
                }
            }
        }
        let is_made = |(number, taken): (usize, usize)| {
            let is_whole = taken == after.things[number].object.linkset.parts.len();
            (is_whole && pairing.of_after[number].is_none()).then_some(number)
        };
        relinked.made = taken.into_iter().filter_map(is_made).collect();
        relinked
    }
}
