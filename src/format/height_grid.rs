//! A coarse grid of the heights of a region, for maps and to compare two exports.

use hullmark_util::{base64, json_number::Number};
use serde::{Deserialize, Serialize};

/// Maximum number of cells along each side. A cell of a region with sides of 256 m is a square of 4 m.
const SIDE: u64 = 64;
/// Heights that a map shows, in metres. Others count as the nearest of these, so that one spike does not flatten a map.
const SHOWN: std::ops::RangeInclusive<f32> = -1_000.0..=10_000.0;
/// Steps between the lowest and the highest height: millimetres, in most regions.
const STEPS: f32 = 65_534.0;

/// The mean heights of equal cells, eastward, then northward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeightGrid {
    /// The lowest height of a cell, in metres.
    pub lowest: Number<f32>,
    /// The highest height of a cell, in metres.
    pub highest: Number<f32>,
    /// For each cell 1 (the lowest height) to 65,535 (the highest), and 0 if none of its heights is finite.
    #[serde(with = "steps")]
    pub cells: Vec<u16>,
}

impl HeightGrid {
    /// Creates a grid from the mean heights of all cells. `None` without a finite height.
    fn new(heights: &[f32]) -> Option<Self> {
        let finite = heights.iter().copied().filter(|height| height.is_finite());
        let lowest = finite.clone().min_by(f32::total_cmp)?;
        let highest = finite.max_by(f32::total_cmp)?;
        let range = highest - lowest;
        let step = |height: f32| {
            let share = if range > 0.0 { ((height - lowest) / range).clamp(0.0, 1.0) } else { 0.0 };
            1 + (share * STEPS).round() as u16
        };
        let cells = heights.iter().map(|&height| if height.is_finite() { step(height) } else { 0 });
        Some(Self { lowest: Number(lowest), highest: Number(highest), cells: cells.collect() })
    }

    /// Number of cells along each side.
    pub fn side(&self) -> usize {
        self.cells.len().isqrt()
    }

    /// Returns the mean height of each cell in metres; `None` if none of its heights is finite.
    pub fn heights(&self) -> impl Iterator<Item = Option<f64>> {
        let [lowest, highest] = [self.lowest, self.highest].map(f64::from);
        let height = move |step: u16| lowest + (highest - lowest) * f64::from(step - 1) / f64::from(STEPS);
        self.cells.iter().map(move |&step| (step > 0).then(|| height(step)))
    }
}

/// Serializes steps as base64 of pairs of bytes, the lower one first.
mod steps {
    use super::base64;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(steps: &[u16], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = steps.iter().flat_map(|step| step.to_le_bytes()).collect();
        base64::serialize(&bytes, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u16>, D::Error> {
        let bytes = base64::deserialize(deserializer)?;
        Ok(bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect())
    }
}

/// Adds up the heights of each cell while the heights of a file pass.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    /// Number of heights along a side of the file, and of cells along a side of the grid.
    side: u64,
    cells: u64,
    /// Number of heights that passed.
    taken: u64,
    /// For each cell the sum of its finite heights and their number.
    sums: Vec<(f64, u32)>,
}

impl Sampler {
    /// Creates a sampler for a file with this number of heights. It takes none if they do not form a square.
    pub(super) fn new(heights: u64) -> Self {
        let side = heights.isqrt();
        let side = if side * side == heights { side } else { 0 };
        Self { side, cells: side.min(SIDE), ..Self::default() }
    }

    /// Takes heights; `first` is the index of their first one in the file.
    pub(super) fn take(&mut self, first: u64, heights: &[[u8; 4]]) {
        let rest = (self.side * self.side).saturating_sub(first).min(heights.len() as u64);
        if rest == 0 {
            return;
        }
        self.sums.resize((self.cells * self.cells) as usize, (0.0, 0));
        self.taken = first + rest;
        let (mut at, mut heights) = (first, &heights[..rest as usize]);
        while !heights.is_empty() {
            let left = self.side - at % self.side;
            let (row, more) = heights.split_at(heights.len().min(left as usize));
            self.take_row(at / self.side, at % self.side, row);
            (at, heights) = (at + left, more);
        }
    }

    /// Takes heights of one row from this column on. A division for each height would take longer than all else.
    fn take_row(&mut self, row: u64, mut column: u64, mut heights: &[[u8; 4]]) {
        let cell = |along: u64| along * self.cells / self.side;
        let row = cell(row) * self.cells;
        for number in cell(column)..self.cells {
            let end = ((number + 1) * self.side).div_ceil(self.cells);
            let (inside, more) = heights.split_at(heights.len().min((end - column) as usize));
            let (sum, count) = &mut self.sums[(row + number) as usize];
            for height in inside.iter().map(|height| f32::from_le_bytes(*height)) {
                if height.is_finite() {
                    *sum += f64::from(height.clamp(*SHOWN.start(), *SHOWN.end()));
                    *count += 1;
                }
            }
            (column, heights) = (end, more);
        }
    }

    /// Returns the grid of the heights. `None` if they do not form a square, are incomplete, or none is finite.
    pub(super) fn grid(&self) -> Option<HeightGrid> {
        let mean = |(sum, count): &(f64, u32)| match count {
            0 => f32::NAN,
            count => (sum / f64::from(*count)) as f32,
        };
        let means: Vec<f32> = self.sums.iter().map(mean).collect();
        HeightGrid::new(&means).filter(|_| self.taken == self.side * self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the grid of a square file, whose heights arrive in pieces.
    fn grid(side: u64, piece: usize, height: impl Fn(u64, u64) -> f32) -> Option<HeightGrid> {
        let heights: Vec<[u8; 4]> =
            (0..side * side).map(|at| height(at % side, at / side).to_le_bytes()).collect();
        let mut sampler = Sampler::new(side * side);
        let mut first = 0;
        for piece in heights.chunks(piece) {
            sampler.take(first, piece);
            first += piece.len() as u64;
        }
        sampler.grid()
    }

    #[test]
    fn a_cell_has_the_mean_of_its_heights() {
        for piece in [1, 7, 1000, 1 << 20] {
            let grid = grid(256, piece, |x, y| x as f32 + y as f32 / 100.0).unwrap();
            assert_eq!((grid.side(), grid.lowest, grid.highest), (64, Number(1.515), Number(256.035)));
            let heights: Vec<f64> = grid.heights().map(Option::unwrap).collect();
            let near =
                |at: usize, height: f64| assert!((heights[at] - height).abs() < 0.003, "{}", heights[at]);
            near(0, 1.515);
            near(63, 253.515);
            near(64 * 63, 4.035);
        }
    }

    #[test]
    fn cells_of_an_odd_side_hold_the_heights_that_are_theirs() {
        for (side, piece) in [(100, 33), (65, 64), (257, 1000), (64, 5)] {
            let cell = |along: u64| along * 64 / side;
            // All heights of a cell are equal, so its mean is that height.
            let grid = grid(side, piece, |x, y| (100 * cell(y) + cell(x)) as f32).unwrap();
            for (at, height) in grid.heights().enumerate() {
                let expected = (100 * (at / 64) + at % 64) as f64;
                assert!((height.unwrap() - expected).abs() < 0.1, "{side}: {at}");
            }
        }
    }

    #[test]
    fn a_small_terrain_has_a_cell_for_each_height() {
        let grid = grid(3, 4, |x, y| (3 * y + x) as f32).unwrap();
        assert_eq!((grid.side(), grid.cells.first(), grid.cells.last()), (3, Some(&1), Some(&65_535)));
    }

    #[test]
    fn heights_that_are_not_finite_are_unknown_and_spikes_are_cut() {
        let heights = [f32::NAN, 20.0, f32::INFINITY, 1e30];
        let grid = grid(2, 4, |x, y| heights[(2 * y + x) as usize]).unwrap();
        assert_eq!(
            (grid.lowest, grid.highest, &*grid.cells),
            (Number(20.0), Number(10_000.0), &[0, 1, 0, 65_535][..])
        );
        assert_eq!(grid.heights().collect::<Vec<_>>(), [None, Some(20.0), None, Some(10_000.0)]);
        assert_eq!(HeightGrid::new(&[f32::NAN]), None);
    }

    #[test]
    fn heights_that_form_no_square_or_are_cut_have_no_grid() {
        let mut sampler = Sampler::new(512 * 256);
        sampler.take(0, &[[0; 4]; 512 * 256]);
        assert_eq!(sampler.grid(), None);
        let mut sampler = Sampler::new(256 * 256);
        sampler.take(0, &[[0; 4]; 256 * 255]);
        assert_eq!(sampler.grid(), None);
        sampler.take(256 * 255, &[[0; 4]; 256]);
        assert_eq!(sampler.grid().map(|grid| grid.side()), Some(64));
        assert_eq!(Sampler::new(0).grid(), None);
    }
}
