//! Finds things at a place, in constant time.

use glam::DVec3;
use std::collections::HashMap;

/// Things with a key and a place, in cells of a grid.
pub(crate) struct Grid {
    /// The greatest distance of two places that count as one, in metres.
    tolerance: f64,
    cells: HashMap<(u64, Cell), Vec<(usize, DVec3)>>,
}

/// The number of a cell along each axis.
type Cell = [i64; 3];

impl Grid {
    pub(crate) fn new(tolerance: f64) -> Self {
        Self { tolerance, cells: HashMap::new() }
    }

    /// Adds a thing. One without a place is never found.
    pub(crate) fn insert(&mut self, key: u64, place: DVec3, thing: usize) {
        if place.is_finite() {
            self.cells.entry((key, self.cell(place))).or_default().push((thing, place));
        }
    }

    pub(crate) fn remove(&mut self, key: u64, place: DVec3, thing: usize) {
        let Some(things) = self.cells.get_mut(&(key, self.cell(place))) else { return };
        if let Some(at) = things.iter().position(|(there, _)| *there == thing) {
            things.swap_remove(at);
        }
    }

    /// Returns the things with this key at this place, with their distances in metres.
    pub(crate) fn at(&self, key: u64, place: DVec3) -> impl Iterator<Item = (usize, f64)> {
        let own = self.cell(place);
        // The nearer half of the cell decides which neighbors are within the tolerance.
        let step = (place / self.side() - DVec3::from_array(own.map(|cell| cell as f64)))
            .to_array()
            .map(|share| if share < 0.5 { -1 } else { 1 });
        let neighbors = (0..8_usize).map(move |corner| {
            let mut cell = own;
            for axis in 0..3 {
                cell[axis] = cell[axis].saturating_add(if corner >> axis & 1 == 1 { step[axis] } else { 0 });
            }
            cell
        });
        let things = neighbors.filter_map(move |cell| self.cells.get(&(key, cell))).flatten();
        let near = things.map(move |(thing, there)| (*thing, there.distance(place)));
        near.filter(|(_, distance)| *distance <= self.tolerance)
    }

    fn side(&self) -> f64 {
        2.0 * self.tolerance
    }

    fn cell(&self, place: DVec3) -> Cell {
        (place / self.side()).floor().to_array().map(|cell| cell as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_near_is_found(
            x in -300.0..300.0f64, y in -300.0..300.0f64, z in -10.0..4000.0f64,
            step in prop::array::uniform3(-0.02..0.02f64),
        ) {
            let (place, step) = (DVec3::new(x, y, z), DVec3::from_array(step));
            let mut grid = Grid::new(0.01);
            grid.insert(1, place + step, 7);
            let found: Vec<usize> = grid.at(1, place).map(|(thing, _)| thing).collect();
            let is_near = (place + step).distance(place) <= 0.01;
            prop_assert_eq!(found, if is_near { vec![7] } else { vec![] });
            prop_assert_eq!(grid.at(2, place).count(), 0);
            grid.remove(1, place + step, 7);
            prop_assert_eq!(grid.at(1, place).count(), 0);
        }
    }
}
