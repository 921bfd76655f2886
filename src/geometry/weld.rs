//! Merges points that coincide.

use glam::DVec3;
use std::collections::HashMap;

/// Cells per unit of length. Points in one cell are merged. Two ways to compute a point differ by some 1e-15; distinct
/// points of a shape differ by more than 1e-8.
const CELLS: f64 = (1u64 << 30) as f64;
/// A point within this distance of the border of its cell, in cells, is also searched in the neighbour.
const BORDER: f64 = 1e-3;

/// A table of distinct points, in insertion order.
pub(super) struct Welder {
    numbers: HashMap<[i64; 3], u32>,
    points: Vec<DVec3>,
}

impl Welder {
    /// Creates a table with this capacity.
    pub fn with_room(points: usize) -> Self {
        Self { numbers: HashMap::with_capacity(points), points: Vec::with_capacity(points) }
    }

    /// Returns the index of this point; if an earlier point coincides, its index.
    pub fn number(&mut self, point: DVec3) -> u32 {
        let [x, y, z] = (point * CELLS).to_array().map(candidates);
        let next = self.points.len() as u32;
        if [x, y, z].iter().all(|[cell, other]| cell == other) {
            let number = *self.numbers.entry([x[0], y[0], z[0]]).or_insert(next);
            if number == next {
                self.points.push(point);
            }
            return number;
        }
        for &cell_x in unlike(&x) {
            for &cell_y in unlike(&y) {
                for &cell_z in unlike(&z) {
                    if let Some(&number) = self.numbers.get(&[cell_x, cell_y, cell_z]) {
                        return number;
                    }
                }
            }
        }
        self.numbers.insert([x[0], y[0], z[0]], next);
        self.points.push(point);
        next
    }

    pub fn into_points(self) -> Vec<DVec3> {
        self.points
    }
}

/// Returns the cell of a coordinate, and the neighbour if the border is near (otherwise the same cell again).
fn candidates(scaled: f64) -> [i64; 2] {
    let nearest = scaled.round();
    let off = scaled - nearest;
    let other = if off.abs() < 0.5 - BORDER { nearest } else { nearest + off.signum() };
    [nearest as i64, other as i64]
}

/// Returns the candidates without repetition.
fn unlike(both: &[i64; 2]) -> &[i64] {
    if both[0] == both[1] { &both[..1] } else { both }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coinciding_points_are_one_even_over_the_border_of_a_cell() {
        let mut welder = Welder::with_room(4);
        let border = DVec3::splat(1000.5 / CELLS);
        let first = welder.number(border - DVec3::splat(1e-15));
        assert_eq!(welder.number(border + DVec3::splat(1e-15)), first);
        assert_ne!(welder.number(border + DVec3::X * 1e-7), first);
        assert_eq!(welder.number(-DVec3::ZERO), welder.number(DVec3::ZERO));
        assert_eq!(welder.into_points().len(), 3);
    }
}
