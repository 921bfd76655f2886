//! The places of the prims: equal prims as one place, and groups of places that cannot share a linkset.

use super::rule::Rule;
use glam::DVec3;
use std::collections::BTreeMap;

/// Prims that are equal under the rule.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Indices of the prims, ascending.
    pub(super) prims: Vec<usize>,
    pub(super) position: DVec3,
}

impl Place {
    /// Returns one of its prims, as an argument for the rule.
    pub(super) fn prim(&self) -> usize {
        self.prims[0]
    }
}

/// Places and their rule. The first place is that of the root, if the group contains it.
#[derive(Debug)]
pub(super) struct Group<'a, R> {
    pub(super) rule: &'a R,
    pub(super) places: Vec<Place>,
}

impl<'a, R: Rule> Group<'a, R> {
    /// Creates the group of all prims. Places are sorted by their coordinates, so that the order of the prims after the
    /// root does not matter.
    pub(super) fn whole(rule: &'a R) -> Self {
        let boxes = rule.boxes();
        // 0 and −0 must be one place.
        let key = |prim: usize| [boxes[prim].min, boxes[prim].max].map(|corner| corner + DVec3::ZERO);
        let order = |a: &usize, b: &usize| {
            let (a, b) = (key(*a), key(*b));
            let coordinates = a.iter().zip(&b).flat_map(|(a, b)| a.to_array().into_iter().zip(b.to_array()));
            coordinates.fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
        };
        let mut prims: Vec<usize> = (0..boxes.len()).collect();
        prims.sort_by(order);
        let same = |a: &usize, b: &usize| key(*a) == key(*b);
        let place = |prims: &[usize]| {
            let middle = boxes[prims[0]].min * 0.5 + boxes[prims[0]].max * 0.5;
            Place { prims: prims.to_vec(), position: middle }
        };
        let mut places: Vec<Place> = prims.chunk_by(same).map(place).collect();
        let root = places.iter().position(|place| place.prim() == 0).unwrap_or(0);
        places[..=root].rotate_right(1);
        Self { rule, places }
    }

    /// Returns groups whose prims are never together, the root's first. Neighbours that may be together are in one
    /// group. After `LOOKS` comparisons groups may be too large, but never too small.
    pub(super) fn apart(self) -> Vec<Self> {
        let mut grid = Grid::new(&self.places, self.rule.limit_m());
        let mut group_of = vec![usize::MAX; self.places.len()];
        let mut count = 0;
        let mut looks = LOOKS;
        for first in 0..self.places.len() {
            if group_of[first] != usize::MAX {
                continue;
            }
            let mut open = grid.take(self.places[first].position, |&place| place == first);
            while let Some(place) = open.pop() {
                group_of[place] = count;
                let near = |&other: &usize| {
                    looks -= u64::from(looks > 0);
                    looks == 0
                        || !self.rule.never_together(self.places[place].prim(), self.places[other].prim())
                };
                open.extend(grid.take(self.places[place].position, near));
            }
            count += 1;
        }
        let mut groups: Vec<Self> =
            (0..count).map(|_| Self { rule: self.rule, places: Vec::new() }).collect();
        for (place, group) in self.places.into_iter().zip(group_of) {
            groups[group].places.push(place);
        }
        groups
    }

    pub(super) fn count(&self) -> usize {
        self.places.iter().map(|place| place.prims.len()).sum()
    }

    pub(super) fn never_together(&self, one: usize, other: usize) -> bool {
        self.rule.never_together(self.places[one].prim(), self.places[other].prim())
    }

    pub(super) fn apart_m(&self, one: usize, other: usize) -> f64 {
        self.rule.apart_m(self.places[one].prim(), self.places[other].prim())
    }

    /// Returns at most `most` places from the first one on, each as far as possible from those before it.
    pub(super) fn farthest_first(&self, most: usize) -> Vec<usize> {
        let mut nearest = vec![f64::INFINITY; self.places.len()];
        let mut order = Vec::new();
        let mut next = Some(0).filter(|_| most > 0);
        while let Some(place) = next {
            order.push(place);
            nearest[place] = f64::NEG_INFINITY;
            for (other, least) in nearest.iter_mut().enumerate() {
                *least = least.min(self.apart_m(place, other));
            }
            let farthest = nearest.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
            next = farthest
                .filter(|(_, least)| **least > f64::NEG_INFINITY && order.len() < most)
                .map(|(place, _)| place);
        }
        order
    }
}

/// Maximum number of comparisons to find groups. After that all neighbours count as one group.
const LOOKS: u64 = 1 << 26;

/// Places by their cube. Places that may be together are in neighbouring cubes.
#[derive(Debug)]
pub(super) struct Grid {
    side: f64,
    cubes: BTreeMap<[i64; 3], Vec<usize>>,
}

impl Grid {
    pub(super) fn new(places: &[Place], limit_m: f64) -> Self {
        let mut grid = Self::empty(limit_m);
        for (index, place) in places.iter().enumerate() {
            grid.insert(index, place.position);
        }
        grid
    }

    /// Creates a grid whose cubes are larger than the limit, by more than rounding.
    pub(super) fn empty(limit_m: f64) -> Self {
        Self { side: limit_m * (1.0 + 1e-6), cubes: BTreeMap::new() }
    }

    pub(super) fn insert(&mut self, place: usize, position: DVec3) {
        self.cubes.entry(self.cube(position)).or_default().push(place);
    }

    /// Very distant positions, where coordinates cannot distinguish cubes, share one cube.
    fn cube(&self, position: DVec3) -> [i64; 3] {
        const FAR: f64 = (1_i64 << 30) as f64;
        (position / self.side).to_array().map(|number| number.floor().clamp(-FAR, FAR) as i64)
    }

    fn around(&self, position: DVec3) -> impl Iterator<Item = [i64; 3]> + use<> {
        let [x, y, z] = self.cube(position);
        (0..27).map(move |number| [x + number % 3 - 1, y + number / 3 % 3 - 1, z + number / 9 - 1])
    }

    /// Removes wanted places from the cube of a position and its neighbours, and returns them.
    pub(super) fn take(&mut self, position: DVec3, mut wanted: impl FnMut(&usize) -> bool) -> Vec<usize> {
        let mut taken = Vec::new();
        for cube in self.around(position) {
            if let Some(places) = self.cubes.get_mut(&cube) {
                taken.extend(places.extract_if(.., |place| wanted(place)));
            }
        }
        taken
    }

    /// Returns all places in the cube of a position and its neighbours.
    pub(super) fn near(&self, position: DVec3) -> impl Iterator<Item = usize> {
        self.around(position).filter_map(|cube| self.cubes.get(&cube)).flatten().copied()
    }
}
