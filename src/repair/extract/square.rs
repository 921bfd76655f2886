//! Squares of 256 m: parts of a large region, each as a region of its own.

use crate::mend;
use glam::DVec3;
use hullmark_analysis::land::{Bitmap, CELL_M, SMALLEST_M};
use hullmark_format::{object::Part, region::decode_parcel};
use hullmark_util::stable_hash::hashed_uuid;

/// Side of a square, in metres.
const SIDE_M: u32 = SMALLEST_M[0];

/// Cells along each side of a square.
const CELLS: usize = SIDE_M as usize / CELL_M as usize;

/// Bytes of a height.
const HEIGHT: usize = size_of::<f32>();

/// A square of 256 m in a larger region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Square {
    /// Distance of its corner from the western and the southern border of the region, in squares.
    at: [u32; 2],
    /// Sides of the region, in metres, east and north.
    of: [u32; 2],
}

impl Square {
    /// Returns the squares of a region with these sides, in metres: eastward, then northward.
    pub(super) fn of_region(size: [u32; 2]) -> Vec<Self> {
        let [east, north] = size.map(|side| side.div_ceil(SIDE_M));
        let squares = (0..north).flat_map(|y| (0..east).map(move |x| Self { at: [x, y], of: size }));
        squares.collect()
    }

    /// Returns the distance of its corner from the corner of the region, in metres, east and north.
    pub fn corner(self) -> [u32; 2] {
        self.at.map(|squares| squares * SIDE_M)
    }

    /// Whether the root is in it. Squares at the borders have all beyond them, too.
    pub(super) fn has(self, root: &Part) -> bool {
        let place = root.group_position;
        let nearest = |value: f64, side: u32| {
            let last = side.div_ceil(SIDE_M).saturating_sub(1);
            ((value / f64::from(SIDE_M)).floor().max(0.0) as u32).min(last)
        };
        self.at == [nearest(place.x, self.of[0]), nearest(place.y, self.of[1])]
    }

    /// Returns by how much objects in it are moved.
    pub(super) fn shift(self) -> DVec3 {
        let [east, north] = self.corner().map(f64::from);
        DVec3::new(-east, -north, 0.0)
    }

    /// Returns its part of a file of heights. `None` if the file does not have it.
    ///
    /// The archive of a megaregion has the heights of its south-western square alone.
    pub(super) fn terrain(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let heights = bytes.len() / HEIGHT;
        let [east, north] = self.of.map(|side| side as usize);
        let side = SIDE_M as usize;
        let width = match heights {
            all if all == east * north => east,
            one if one == side * side => side,
            _ => return None,
        };
        let [x, y] = self.corner().map(|metres| metres as usize);
        let rows = (y..y + side).map(|row| {
            let start = row * width + x;
            (x + side <= width).then_some(())?;
            bytes.get(start * HEIGHT..(start + side) * HEIGHT)
        });
        Some(rows.collect::<Option<Vec<_>>>()?.concat())
    }

    /// Returns a parcel with its land in this square. The inner `None`: it has none. `None` if it cannot be read.
    pub(super) fn parcel(self, bytes: &[u8]) -> Option<Option<Vec<u8>>> {
        let parcel = decode_parcel(bytes).0?;
        let bitmap = Bitmap(&parcel.bitmap);
        let [east, north] = self.at.map(|squares| squares as usize * CELLS);
        let mut here = vec![0_u8; CELLS * CELLS / 8];
        let mut first = None;
        for (x, y) in bitmap.cells() {
            first.get_or_insert([x / CELLS, y / CELLS]);
            if x >= east && y >= north && x < east + CELLS && y < north + CELLS {
                let cell = (y - north) * CELLS + (x - east);
                here[cell / 8] |= 1 << (cell % 8);
            }
        }
        if here.iter().all(|byte| *byte == 0) {
            return Some(None);
        }
        // Two parcels may not share a UUID. The one with the first cell keeps it.
        let keeps = first == Some(self.at.map(|squares| squares as usize));
        let uuid = parcel.uuid.filter(|_| !keeps).map(|uuid| hashed_uuid(&(uuid.as_bytes(), self.at)));
        Some(Some(mend::cut_parcel(bytes, &here, self.shift(), uuid)))
    }
}
