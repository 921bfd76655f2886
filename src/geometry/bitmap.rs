//! The pixels of a sculpt map.
//!
//! Viewers and simulators sample a map at a few columns and rows. A map of 128 × 128 pixels needs a sixth of them.

use super::{sculpt, ubode};

/// Pixels of a map: all of them, or those that are sampled.
#[derive(Debug, Clone)]
pub struct Bitmap<'a> {
    pub width: u32,
    pub height: u32,
    /// Columns and rows whose pixels are known, in their order. Rows count from the top.
    columns: Vec<u32>,
    rows: Vec<u32>,
    /// Red, green and blue of each known pixel, row by row.
    rgb: &'a [[u8; 3]],
}

impl<'a> Bitmap<'a> {
    /// Creates a map of all its pixels.
    pub fn whole(width: u32, height: u32, rgb: &'a [[u8; 3]]) -> Self {
        let [columns, rows] = [width, height].map(|side| (0..checked(side)).collect());
        Self { width, height, columns, rows, rgb }
    }

    /// Creates a map of the pixels that [`Bitmap::sampled`] returns.
    pub fn of_samples(width: u32, height: u32, rgb: &'a [[u8; 3]]) -> Self {
        let size = [width, height].map(checked);
        let mut known = [Vec::new(), Vec::new()];
        for [columns, rows] in sculpt::samples(size).into_iter().chain(ubode::samples(size)) {
            known[0].extend(columns);
            known[1].extend(rows);
        }
        let [columns, rows] = known.map(|mut places| {
            places.sort_unstable();
            places.dedup();
            places
        });
        Self { width, height, columns, rows, rgb }
    }

    /// Returns the pixels of a whole map that viewers and simulators sample.
    pub fn sampled(&self) -> Vec<[u8; 3]> {
        let Self { columns, rows, .. } = Self::of_samples(self.width, self.height, &[]);
        let places = rows.iter().flat_map(|&y| columns.iter().map(move |&x| (x, y)));
        places.filter_map(|(x, y)| self.pixel(x, y)).collect()
    }

    /// Whether the number of pixels matches the sides, and is not 0.
    pub fn is_complete(&self) -> bool {
        !self.rgb.is_empty() && self.rgb.len() == self.columns.len() * self.rows.len()
    }

    /// Returns a pixel. `None` if it is outside the map, or not known.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        self.known(self.column(x)?, self.row(y)?)
    }

    /// Returns the place of a column among the known ones.
    pub(super) fn column(&self, x: u32) -> Option<usize> {
        self.columns.binary_search(&x).ok()
    }

    /// Returns the place of a row among the known ones.
    pub(super) fn row(&self, y: u32) -> Option<usize> {
        self.rows.binary_search(&y).ok()
    }

    /// Returns the pixel of a known column and row, by their places.
    pub(super) fn known(&self, column: usize, row: usize) -> Option<[u8; 3]> {
        self.rgb.get(row * self.columns.len() + column).copied()
    }
}

/// Returns the length of a side, or 0 if it is more than a map can have. Anybody may have edited a ledger.
fn checked(side: u32) -> u32 {
    if side <= u16::MAX.into() { side } else { 0 }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{level_of_detail::Detail, sculpt::Stitch};
    use hullmark_util::work::Work;

    const STITCHES: [Stitch; 4] = [Stitch::Sphere, Stitch::Torus, Stitch::Plane, Stitch::Cylinder];

    /// Returns pixels that look like noise.
    pub(crate) fn noise(pixels: u32) -> Vec<[u8; 3]> {
        let mut state = 1_u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..pixels).map(|_| [byte(), byte(), byte()]).collect()
    }

    #[test]
    fn samples_give_the_surfaces_of_the_whole_map() {
        for (width, height) in
            [(1, 1), (2, 2), (1, 300), (300, 1), (3, 3), (7, 4), (64, 64), (128, 32), (100, 60), (128, 128)]
        {
            let rgb = noise(width * height);
            let whole = Bitmap::whole(width, height, &rgb);
            let rgb = whole.sampled();
            let sampled = Bitmap::of_samples(width, height, &rgb);
            assert!(whole.is_complete() && sampled.is_complete());
            for stitch in STITCHES {
                for detail in Detail::ALL {
                    let surface = |map| sculpt::sculpt(map, stitch, true, false, detail);
                    assert_eq!(surface(&whole), surface(&sampled), "{width} × {height}");
                }
                for convex in [true, false] {
                    let built =
                        |map| ubode::sculpt(map, stitch, false, convex, &mut Work::unlimited()).unwrap();
                    assert_eq!(built(&whole), built(&sampled), "{width} × {height}");
                }
            }
        }
    }

    #[test]
    fn a_large_map_keeps_few_pixels() {
        let count = |side: u32| Bitmap::whole(side, side, &noise(side * side)).sampled().len();
        assert_eq!([32, 64, 128].map(count), [1024, 40 * 56, 37 * 68]);
    }

    #[test]
    fn maps_with_other_numbers_of_pixels_are_incomplete() {
        for (width, height, pixels) in [(0, 0, 0), (2, 2, 3), (65_536, 65_536, 0), (u32::MAX, 1, 1)] {
            let rgb = vec![[0; 3]; pixels];
            assert!(!Bitmap::whole(width, height, &rgb).is_complete());
            assert!(!Bitmap::of_samples(width, height, &rgb).is_complete());
        }
    }
}
