//! Borders of parcels, as an SVG path.

use hullmark_analysis::land::Bitmap;
use hullmark_ledger::facts::ParcelFacts;
use std::fmt::Write;

/// Maximum length of the path. Real regions need a tenth.
const MOST: usize = 12_000;

/// Returns the lines between parcels, and between parcels and land without one. The unit is a cell of 4 × 4 m, north is
/// up, and the borders of the region are left out. `None` if there are too many lines for a map.
pub(super) fn path(parcels: &[ParcelFacts], [width, height]: [usize; 2]) -> Option<String> {
    let side = parcels.iter().map(|parcel| Bitmap(&parcel.parcel.bitmap).side()).max().unwrap_or(0);
    let [width, height] = [width, height].map(|cells| cells.min(side));
    // 0 is land without a parcel. If parcels overlap, the last one has the land.
    let mut owners = vec![0_u32; width * height];
    for (parcel, number) in parcels.iter().zip(1..) {
        let bitmap = Bitmap(&parcel.parcel.bitmap);
        for (x, y) in bitmap.cells().filter(|&(x, y)| x < width && y < height) {
            owners[y * width + x] = number;
        }
    }
    let owner = |x: usize, y: usize| owners[y * width + x];
    let mut path = String::new();
    for y in 1..height {
        for (from, to) in runs(width, |x| owner(x, y - 1) != owner(x, y)) {
            let _ = write!(path, "M{from} {y}H{to}");
        }
    }
    for x in 1..width {
        for (from, to) in runs(height, |y| owner(x - 1, y) != owner(x, y)) {
            let _ = write!(path, "M{x} {from}V{to}");
        }
    }
    (path.len() <= MOST).then_some(path)
}

/// Returns the ranges in which a condition holds.
fn runs(end: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..end).filter(|&at| holds(at)) {
        match runs.last_mut() {
            Some((_, to)) if *to == at => *to += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::region::Parcel;

    fn parcel(has: impl Fn(usize, usize) -> bool) -> ParcelFacts {
        let mut bitmap = vec![0; 32];
        let cells = (0..256).filter(|at| has(at % 16, at / 16));
        cells.for_each(|at| bitmap[at / 8] |= 1 << (at % 8));
        ParcelFacts { entry: String::new(), order: 0, parcel: Parcel { bitmap, ..Parcel::default() } }
    }

    #[test]
    fn lines_are_where_the_parcel_changes() {
        let whole = [parcel(|_, _| true)];
        assert_eq!(path(&whole, [16, 16]).as_deref(), Some(""));
        let corner = || parcel(|x, y| x < 4 && y < 2);
        assert_eq!(path(&[corner()], [16, 16]).as_deref(), Some("M0 2H4M4 0V2"));
        // The last parcel has the land: it hides the corner.
        assert_eq!(path(&[corner(), parcel(|_, _| true)], [16, 16]).as_deref(), Some(""));
        // A region smaller than the bitmap, and none at all.
        assert_eq!(path(&[corner()], [4, 16]).as_deref(), Some("M0 2H4"));
        assert_eq!(path(&[], [64, 64]).as_deref(), Some(""));
    }

    #[test]
    fn too_many_lines_are_left_out() {
        let mut noise = parcel(|_, _| false);
        noise.parcel.bitmap = (0..512_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(path(&[noise], [64, 64]), None);
    }
}
