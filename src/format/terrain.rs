//! Heights of a region: `.r32` has one little-endian f32 in metres for each square metre, row by row. They are read in
//! pieces, because a region with sides of 8 km has a quarter of a gigabyte of them.

use super::height_grid::{HeightGrid, Sampler};
use hullmark_util::json_number::Number;
use serde::{Deserialize, Serialize};

/// Statistics over the heights in a terrain file.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Heights {
    /// Number of heights; incomplete bytes at the end are ignored.
    pub samples: u64,
    /// Number of heights that are not finite.
    pub not_finite: u64,
    /// The lowest finite height, in metres; `None` if there are no finite ones.
    pub min: Option<Number<f32>>,
    /// The highest finite height, in metres; `None` if there are no finite ones.
    pub max: Option<Number<f32>>,
}

#[derive(Debug)]
pub struct HeightReader {
    samples: u64,
    not_finite: u64,
    /// The [`rank`]s of the lowest and the highest height.
    lowest: i32,
    highest: i32,
    /// The bytes of an incomplete height at the end of the last piece.
    begun: Vec<u8>,
    /// The first and the last bytes of the file, at most [`TOLD_BY`] each.
    first: Vec<u8>,
    last: Vec<u8>,
    sampler: Sampler,
}

/// Bytes at the start and at the end that identify an image.
const TOLD_BY: usize = 12;

/// The last twelve bytes of each PNG.
const END_OF_PNG: &[u8] = b"\0\0\0\0IEND\xAE\x42\x60\x82";

/// Extensions of files whose heights are numbers. Others are images or have several channels.
const NUMBERS: [&str; 2] = ["r32", "f32"];

impl HeightReader {
    /// Creates a reader of a file with this name and number of bytes.
    pub fn new(name: &str, bytes: u64) -> Self {
        let has_numbers = NUMBERS.iter().any(|&extension| Some(extension) == extension_of(name));
        let (first, last) = (Vec::new(), Vec::new());
        Self {
            samples: 0,
            not_finite: 0,
            lowest: i32::MAX,
            highest: i32::MIN,
            begun: Vec::new(),
            first,
            last,
            sampler: Sampler::new(if has_numbers { bytes / 4 } else { 0 }),
        }
    }

    pub fn take(&mut self, mut piece: &[u8]) {
        self.first.extend(piece.iter().take(TOLD_BY - self.first.len()));
        self.last.extend(&piece[piece.len().saturating_sub(TOLD_BY)..]);
        self.last.drain(..self.last.len().saturating_sub(TOLD_BY));
        if !self.begun.is_empty() {
            let (missing, rest) = piece.split_at(piece.len().min(4 - self.begun.len()));
            self.begun.extend(missing);
            piece = rest;
            if let Some(&whole) = self.begun.first_chunk() {
                self.add(&[whole]);
                self.begun.clear();
            }
        }
        let (heights, rest) = piece.as_chunks();
        self.add(heights);
        self.begun.extend(rest);
    }

    /// Adds heights without a branch, so that the compiler can vectorize the loop.
    fn add(&mut self, heights: &[[u8; 4]]) {
        self.sampler.take(self.samples, heights);
        let mut finite = 0_u32;
        for &height in heights {
            let height = f32::from_le_bytes(height);
            let is_finite = height.is_finite();
            finite += u32::from(is_finite);
            self.lowest = self.lowest.min(if is_finite { rank(height) } else { i32::MAX });
            self.highest = self.highest.max(if is_finite { rank(height) } else { i32::MIN });
        }
        self.samples += heights.len() as u64;
        self.not_finite += heights.len() as u64 - u64::from(finite);
    }

    /// Whether the name is that of an image format whose start or end the file lacks.
    pub fn is_broken_image(&self, name: &str) -> bool {
        let begins: &[&[u8]] = match extension_of(name) {
            Some("png") => &[b"\x89PNG\r\n\x1A\n"],
            Some("gif") => &[b"GIF8"],
            Some("bmp") => &[b"BM"],
            Some("tif" | "tiff") => &[b"II*\0", b"MM\0*"],
            _ => return false,
        };
        let is_cut = name.ends_with(".png") && self.last != END_OF_PNG;
        is_cut || !begins.iter().any(|begin| self.first.starts_with(begin))
    }

    /// Returns the heights for a map. `None` if the file is not a square of numbers.
    pub fn grid(&self) -> Option<HeightGrid> {
        self.sampler.grid()
    }

    /// Returns the statistics of the heights taken so far.
    pub fn heights(&self) -> Heights {
        let Self { samples, not_finite, lowest, highest, .. } = *self;
        let any = samples > not_finite;
        let height = |rank| any.then(|| Number(height_of(rank)));
        Heights { samples, not_finite, min: height(lowest), max: height(highest) }
    }
}

fn extension_of(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// Returns an integer with the same order as the height, as in [`f32::total_cmp`].
fn rank(height: f32) -> i32 {
    let bits = height.to_bits() as i32;
    bits ^ ((bits >> 31) & i32::MAX)
}

fn height_of(rank: i32) -> f32 {
    f32::from_bits((rank ^ ((rank >> 31) & i32::MAX)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Heights {
        let mut reader = HeightReader::new("a.r32", 0);
        pieces.iter().for_each(|piece| reader.take(piece));
        reader.heights()
    }

    #[test]
    fn non_finite_heights_are_counted_and_bound_nothing() {
        let heights = [21.0, f32::NAN, -3.5, f32::INFINITY, 20.0].map(f32::to_le_bytes).concat();
        let expected =
            Heights { samples: 5, not_finite: 2, min: Some(Number(-3.5)), max: Some(Number(21.0)) };
        assert_eq!(read(&[&heights]), expected);
        assert_eq!(read(&[&heights, &[1, 2, 3]]), expected, "no whole height");
        assert_eq!(read(&[&f32::NAN.to_le_bytes()]).max, None);
    }

    proptest! {
        #[test]
        fn pieces_are_read_as_the_whole(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            cuts in prop::collection::vec(0..64_usize, 0..12),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&bytes]));
            prop_assert_eq!(read(&pieces).samples, bytes.len() as u64 / 4);
        }
    }
}
