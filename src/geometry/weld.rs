//! Points that coincide become one.

use glam::DVec3;

/// Cells for each unit of length. Points in one cell are one point: what is computed in two ways differs by
/// some 1e-15, and what a form keeps apart by more than 1e-8.
const CELLS: f64 = (1u64 << 30) as f64;
/// A point this near to the border of its cell, in cells, is looked for in the neighbour too.
const BORDER: f64 = 1e-3;
const EMPTY: u32 = u32::MAX;

/// A table of distinct points, in the order in which they came. Open addressing: one allocation for all.
pub(super) struct Welder {
    slots: Vec<u32>,
    cells: Vec<[i64; 3]>,
    points: Vec<DVec3>,
}

impl Welder {
    /// A table with room for this many points, which must not be exceeded.
    pub fn with_room(points: usize) -> Self {
        let slots = vec![EMPTY; (2 * points + 1).next_power_of_two()];
        Self { slots, cells: Vec::with_capacity(points), points: Vec::with_capacity(points) }
    }

    /// The number of this point: that of an earlier one where they coincide.
    pub fn number(&mut self, point: DVec3) -> u32 {
        let [x, y, z] = (point * CELLS).to_array().map(candidates);
        for &cell_x in unlike(&x) {
            for &cell_y in unlike(&y) {
                for &cell_z in unlike(&z) {
                    let slot = self.slot([cell_x, cell_y, cell_z]);
                    if self.slots[slot] != EMPTY {
                        return self.slots[slot];
                    }
                }
            }
        }
        self.insert([x[0], y[0], z[0]], point)
    }

    /// The distinct points.
    pub fn into_points(self) -> Vec<DVec3> {
        self.points
    }

    fn insert(&mut self, cell: [i64; 3], point: DVec3) -> u32 {
        let (slot, number) = (self.slot(cell), self.points.len() as u32);
        self.slots[slot] = number;
        self.cells.push(cell);
        self.points.push(point);
        number
    }

    /// Where this cell is, or where it would be put. Half of the slots stay empty, so the search ends.
    fn slot(&self, cell: [i64; 3]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(cell) & mask;
        while self.slots[slot] != EMPTY && self.cells[self.slots[slot] as usize] != cell {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// The cell of a coordinate, and the neighbour if the border is near (else the same again).
fn candidates(scaled: f64) -> [i64; 2] {
    let nearest = scaled.round();
    let off = scaled - nearest;
    let other = if off.abs() < 0.5 - BORDER { nearest } else { nearest + off.signum() };
    [nearest as i64, other as i64]
}

/// The candidates without a repetition.
fn unlike(both: &[i64; 2]) -> &[i64] {
    if both[0] == both[1] { &both[..1] } else { both }
}

fn hash(cell: [i64; 3]) -> usize {
    /// 2⁶⁴ over the golden ratio: spreads what differs in the low bits only.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = cell
        .iter()
        .fold(0u64, |sum, &part| (sum.rotate_left(21) ^ part.cast_unsigned()).wrapping_mul(SPREAD));
    (mixed >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_coincides_is_one_point_even_over_the_border_of_a_cell() {
        let mut welder = Welder::with_room(4);
        let border = DVec3::splat(1000.5 / CELLS);
        let first = welder.number(border - DVec3::splat(1e-15));
        assert_eq!(welder.number(border + DVec3::splat(1e-15)), first);
        assert_ne!(welder.number(border + DVec3::X * 1e-7), first);
        assert_eq!(welder.number(-DVec3::ZERO), welder.number(DVec3::ZERO));
        assert_eq!(welder.into_points().len(), 3);
    }
}
