//! Finds linksets near each other.

use super::group::Member;
use glam::DVec3;
use std::{cmp::Reverse, collections::BTreeMap};
use uuid::Uuid;

/// Maximum number of nearest linksets from which a group is chosen: twice as many as fit into one linkset.
const NEIGHBOURS: usize = 512;

/// Only linksets with equal keys may be linked: one owner, and the same flags of the root.
type CompatibilityKey = (Uuid, bool, bool);

/// A cube of the region, by its number along each axis.
type Cell = [i64; 3];

/// Linksets in cubes whose side is the maximum diameter. So linksets that may be linked are in the same cube or in
/// neighbouring cubes.
pub(super) struct Grid<'m> {
    members: &'m [Member<'m>],
    side_m: f64,
    /// Centres with the indices of members. The centre is stored here, so that a search of a crowded cube reads no
    /// other memory.
    cells: BTreeMap<(CompatibilityKey, Cell), Vec<(DVec3, usize)>>,
}

impl<'m> Grid<'m> {
    pub(super) fn new(members: &'m [Member<'m>], side_m: f64) -> Self {
        let mut crowd = Self { members, side_m, cells: BTreeMap::new() };
        for (number, member) in members.iter().enumerate() {
            let place = (kin(member), crowd.cell(member));
            crowd.cells.entry(place).or_default().push((member.sphere.centre, number));
        }
        // Small linksets save most.
        for cell in crowd.cells.values_mut() {
            cell.sort_by_key(|&(_, number)| (members[number].charge.parts, number));
        }
        crowd
    }

    /// Returns the seeds of groups: first one linkset of each cube, those of the fullest cubes first, then a second one
    /// of each, and so on.
    pub(super) fn seeds(&self) -> Vec<usize> {
        let mut seeds = Vec::new();
        for cell in self.cells.values() {
            let fullest_first = Reverse(cell.len());
            seeds.extend(cell.iter().enumerate().map(|(rank, &(_, number))| (rank, fullest_first, number)));
        }
        seeds.sort_unstable();
        seeds.into_iter().map(|(.., number)| number).collect()
    }

    /// Returns the free linksets with the same key, nearest first. Some may be too far away.
    pub(super) fn near(&self, seed: usize, taken: &[bool]) -> Vec<usize> {
        let seed_member = &self.members[seed];
        let (kin, middle) = (kin(seed_member), seed_member.sphere.centre);
        let mut near: Vec<(f64, usize)> = around(self.cell(seed_member))
            .filter_map(|cell| self.cells.get(&(kin, cell)))
            .flatten()
            .filter(|&&(_, number)| number != seed && !taken[number])
            .map(|&(centre, number)| (middle.distance(centre), number))
            // The smallest sphere around all contains the centre of every member.
            .filter(|&(apart, _)| apart < self.side_m)
            .collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if near.len() > NEIGHBOURS {
            near.select_nth_unstable_by(NEIGHBOURS, order);
            near.truncate(NEIGHBOURS);
        }
        near.sort_unstable_by(order);
        near.into_iter().map(|(_, number)| number).collect()
    }

    fn cell(&self, member: &Member<'_>) -> Cell {
        // Very distant positions are in the outermost cube, so that the numbers of neighbours do not overflow.
        (member.sphere.centre / self.side_m).to_array().map(|at| i64::from(at.floor() as i32))
    }
}

fn kin(member: &Member<'_>) -> CompatibilityKey {
    let measures = member.linkset.measures;
    (member.linkset.root.owner, measures.phantom, measures.volume_detect)
}

fn around([x, y, z]: Cell) -> impl Iterator<Item = Cell> {
    (0..27).map(move |n| [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1])
}
