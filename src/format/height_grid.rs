//! A coarse grid of the heights of a region, for maps.

use super::base64;
use hullmark_util::json_number::Number;
use serde::{Deserialize, Serialize};

/// Maximum number of cells along each side. A cell of a region with sides of 256 m is a square of 4 m.
const SIDE: u64 = 64;
/// Heights that a map shows, in metres. Others count as the nearest of these, so that one spike does not flatten a map.
const SHOWN: std::ops::RangeInclusive<f32> = -1_000.0..=10_000.0;
/// Steps between the lowest and the highest height.
const STEPS: f32 = 254.0;

/// The heights at the centers of equal cells, eastward, then northward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeightGrid {
    /// The lowest height of a cell, in metres.
    pub lowest: Number<f32>,
    /// The highest height of a cell, in metres.
    pub highest: Number<f32>,
    /// For each cell 1 (the lowest height) to 255 (the highest), and 0 if its height is not finite.
    #[serde(with = "base64")]
    pub cells: Vec<u8>,
}

impl HeightGrid {
    /// Creates a grid from the heights of all cells. `None` without a finite height.
    fn new(heights: &[f32]) -> Option<Self> {
        let finite = heights.iter().filter(|height| height.is_finite());
        let finite = finite.map(|height| height.clamp(*SHOWN.start(), *SHOWN.end()));
        let lowest = finite.clone().min_by(f32::total_cmp)?;
        let highest = finite.max_by(f32::total_cmp)?;
        let range = highest - lowest;
        let step = |height: f32| {
            let share = if range > 0.0 { ((height - lowest) / range).clamp(0.0, 1.0) } else { 0.0 };
            1 + (share * STEPS).round() as u8
        };
        let cells = heights.iter().map(|&height| if height.is_finite() { step(height) } else { 0 });
        Some(Self { lowest: Number(lowest), highest: Number(highest), cells: cells.collect() })
    }

    /// Number of cells along each side.
    pub fn side(&self) -> usize {
        self.cells.len().isqrt()
    }

    /// Returns the height of each cell in metres; `None` if it is not finite.
    pub fn heights(&self) -> impl Iterator<Item = Option<f64>> {
        let [lowest, highest] = [self.lowest, self.highest].map(f64::from);
        let height = move |step: u8| lowest + (highest - lowest) * f64::from(step - 1) / f64::from(STEPS);
        self.cells.iter().map(move |&step| (step > 0).then(|| height(step)))
    }
}

/// Selects the heights of a grid while the heights of a file pass.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    /// Number of heights along a side of the file, and of cells along a side of the grid.
    side: u64,
    cells: u64,
    taken: Vec<f32>,
}

impl Sampler {
    /// Creates a sampler for a file with this number of heights. It takes none if they do not form a square.
    pub(super) fn new(heights: u64) -> Self {
        let side = heights.isqrt();
        let side = if side * side == heights { side } else { 0 };
        Self { side, cells: side.min(SIDE), taken: Vec::new() }
    }

    /// Takes heights; `first` is the index of their first one in the file.
    pub(super) fn take(&mut self, first: u64, heights: &[[u8; 4]]) {
        while let Some(next) = self.next()
            && let Some(at) = next.checked_sub(first)
            && let Some(&height) = heights.get(at as usize)
        {
            self.taken.push(f32::from_le_bytes(height));
        }
    }

    /// Returns the index of the next height of the grid.
    fn next(&self) -> Option<u64> {
        let number = self.taken.len() as u64;
        let center = |cell: u64| (2 * cell + 1) * self.side / (2 * self.cells);
        (number < self.cells * self.cells)
            .then(|| center(number / self.cells) * self.side + center(number % self.cells))
    }

    /// Returns the grid of the heights. `None` if they do not form a square, are incomplete, or none is finite.
    pub(super) fn grid(&self) -> Option<HeightGrid> {
        HeightGrid::new(&self.taken).filter(|_| self.next().is_none())
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
    fn a_cell_has_the_height_at_its_center() {
        for piece in [1, 7, 1000, 1 << 20] {
            let grid = grid(256, piece, |x, y| x as f32 + y as f32 / 100.0).unwrap();
            assert_eq!((grid.side(), grid.lowest, grid.highest), (64, Number(2.02), Number(256.54)));
            let heights: Vec<f64> = grid.heights().map(Option::unwrap).collect();
            let near =
                |at: usize, height: f64| assert!((heights[at] - height).abs() < 0.6, "{}", heights[at]);
            near(0, 2.02);
            near(63, 254.02);
            near(64 * 63, 4.54);
        }
    }

    #[test]
    fn a_small_terrain_has_a_cell_for_each_height() {
        let grid = grid(3, 4, |x, y| (3 * y + x) as f32).unwrap();
        assert_eq!((grid.side(), grid.cells.first(), grid.cells.last()), (3, Some(&1), Some(&255)));
    }

    #[test]
    fn heights_that_are_not_finite_are_unknown_and_spikes_are_cut() {
        let heights = [f32::NAN, 20.0, f32::INFINITY, 1e30];
        let grid = grid(2, 4, |x, y| heights[(2 * y + x) as usize]).unwrap();
        assert_eq!(
            (grid.lowest, grid.highest, &*grid.cells),
            (Number(20.0), Number(10_000.0), &[0, 1, 0, 255][..])
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
        assert_eq!(sampler.grid().map(|grid| grid.side()), Some(64), "the last row has no center");
        let mut sampler = Sampler::new(256 * 256);
        sampler.take(0, &[[0; 4]; 256 * 253]);
        assert_eq!(sampler.grid(), None);
        assert_eq!(Sampler::new(0).grid(), None);
    }
}
