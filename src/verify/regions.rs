//! Which region of a side became which.

use crate::{grid::Grid, matching::PLACE_M, side::Side};
use std::collections::{BTreeMap, HashMap};

/// For each region before the move, its region after it. Two may have become one.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    pub(crate) after: Vec<Option<usize>>,
}

impl Regions {
    /// Pairs regions by UUID, then by name, then by their objects. The last two regions are a pair in any case.
    pub(crate) fn new(before: &Side<'_>, after: &Side<'_>) -> Self {
        let mut regions = Self { after: vec![None; before.lands.len()] };
        regions.pair_by(before, after, |side, land| side.lands[land].facts.uuid.map(|uuid| uuid.to_string()));
        regions.pair_by(before, after, |side, land| {
            let name = side.lands[land].facts.name.trim().to_lowercase();
            Some(name).filter(|name| !name.is_empty())
        });
        regions.pair_by_objects(before, after);
        let left: Vec<usize> =
            (0..before.lands.len()).filter(|&land| regions.after[land].is_none()).collect();
        let free: Vec<usize> = (0..after.lands.len()).filter(|&land| !regions.is_taken(land)).collect();
        if let ([left], [free]) = (&*left, &*free) {
            regions.after[*left] = Some(*free);
        }
        regions
    }

    pub(crate) fn is_taken(&self, after: usize) -> bool {
        self.after.contains(&Some(after))
    }

    /// Pairs two regions if no other region of their sides has their name.
    fn pair_by(
        &mut self,
        before: &Side<'_>,
        after: &Side<'_>,
        name: impl Fn(&Side<'_>, usize) -> Option<String>,
    ) {
        let mut named: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, number) in [(before, 0), (after, 1)] {
            for land in 0..side.lands.len() {
                let is_free = if number == 0 { self.after[land].is_none() } else { !self.is_taken(land) };
                if let Some(name) = name(side, land).filter(|_| is_free) {
                    named.entry(name).or_default()[number].push(land);
                }
            }
        }
        for [before, after] in named.values() {
            if let ([before], [after]) = (&**before, &**after) {
                self.after[*before] = Some(*after);
            }
        }
    }

    /// Pairs each region with the one that has most of its objects, at the same places.
    fn pair_by_objects(&mut self, before: &Side<'_>, after: &Side<'_>) {
        if self.after.iter().all(Option::is_some) || after.lands.is_empty() {
            return;
        }
        let mut grid = Grid::new(PLACE_M);
        for (number, content) in after.contents.iter().enumerate() {
            grid.insert(content.whole, content.middle, number);
        }
        let mut votes: Vec<HashMap<usize, u64>> = vec![HashMap::new(); before.lands.len()];
        for (thing, content) in before.things.iter().zip(&before.contents) {
            let Some(land) = thing.land.filter(|&land| self.after[land].is_none()) else { continue };
            let equal = grid.at(content.whole, content.middle);
            let mut lands: Vec<usize> = equal.filter_map(|(number, _)| after.things[number].land).collect();
            lands.sort_unstable();
            lands.dedup();
            lands.into_iter().for_each(|there| *votes[land].entry(there).or_default() += 1);
        }
        for (land, votes) in votes.into_iter().enumerate() {
            let best = votes.into_iter().max_by_key(|&(there, votes)| (votes, std::cmp::Reverse(there)));
            if let Some((there, _)) = best {
                self.after[land] = Some(there);
            }
        }
    }
}
