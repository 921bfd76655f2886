//! Terrain as a blob of the table `terrain`.
//!
//! | revision | layout |
//! |---|---|
//! | 22 | width and depth, then heights as 32-bit floats, northward rows |
//! | 23 | the same, with gzip. OpenSimulator of 2025 does not end the stream |
//! | 27 | format, width, depth and factor, then heights × factor as 16-bit numbers |
//! | others | 256 × 256 heights as 64-bit floats, eastward columns |

use flate2::read::GzDecoder;
use hullmark_format::{
    height_grid::HeightGrid,
    terrain::{HeightReader, Heights},
};
use std::io::{self, BufRead, BufReader, Read};

const VARIABLE: i64 = 22;
const VARIABLE_GZIP: i64 = 23;
const COMPRESSED: i64 = 27;

/// Width and depth of a region without a size in its terrain, in metres.
const LEGACY_SIDE: u32 = 256;
/// The largest width and depth of a region, in metres.
const LARGEST_SIDE: u32 = 8192;

#[derive(Debug, PartialEq)]
pub struct Terrain {
    /// Width and depth in metres.
    pub size: [u32; 2],
    pub heights: Heights,
    /// Heights for a map; `None` if the region is no square.
    pub grid: Option<HeightGrid>,
}

/// Reads a blob of this revision. `None` if it has fewer heights than its size needs, or an impossible size.
pub fn read(revision: i64, blob: &[u8]) -> Option<Terrain> {
    match revision {
        VARIABLE => variable(blob),
        VARIABLE_GZIP => variable(BufReader::new(GzDecoder::new(blob))),
        COMPRESSED => compressed(blob),
        _ => legacy(blob),
    }
}

fn variable(mut blob: impl BufRead) -> Option<Terrain> {
    let size = size(&mut blob)?;
    let mut heights = new_reader(size);
    let mut missing = 4 * u64::from(size[0]) * u64::from(size[1]);
    while missing > 0 {
        let piece = blob.fill_buf().ok().filter(|piece| !piece.is_empty())?;
        let taken = missing.min(piece.len() as u64) as usize;
        heights.take(&piece[..taken]);
        blob.consume(taken);
        missing -= taken as u64;
    }
    Some(finish(size, &heights))
}

fn compressed(mut blob: &[u8]) -> Option<Terrain> {
    let _format = number(&mut blob).ok()?;
    let size = size(&mut blob)?;
    let factor = number(&mut blob).ok().filter(|&factor| factor != 0)? as f32;
    let count = size[0] as usize * size[1] as usize;
    let (numbers, _) = blob.get(..2 * count)?.as_chunks();
    let mut heights = new_reader(size);
    for &number in numbers {
        heights.take(&(f32::from(i16::from_le_bytes(number)) / factor).to_le_bytes());
    }
    Some(finish(size, &heights))
}

fn legacy(blob: &[u8]) -> Option<Terrain> {
    let side = LEGACY_SIDE as usize;
    let (columns, _) = blob.get(..8 * side * side)?.as_chunks();
    let mut heights = new_reader([LEGACY_SIDE; 2]);
    for y in 0..side {
        for x in 0..side {
            heights.take(&(f64::from_le_bytes(columns[x * side + y]) as f32).to_le_bytes());
        }
    }
    Some(finish([LEGACY_SIDE; 2], &heights))
}

fn new_reader([width, depth]: [u32; 2]) -> HeightReader {
    // Heights go to the reader as in a terrain file of raw numbers.
    HeightReader::new("terrain.r32", 4 * u64::from(width) * u64::from(depth))
}

fn finish(size: [u32; 2], heights: &HeightReader) -> Terrain {
    Terrain { size, heights: heights.heights(), grid: heights.grid() }
}

fn size(blob: &mut impl Read) -> Option<[u32; 2]> {
    let mut side = || number(blob).ok().and_then(|side| u32::try_from(side).ok());
    let size = [side()?, side()?];
    size.iter().all(|side| (1..=LARGEST_SIDE).contains(side)).then_some(size)
}

fn number(blob: &mut impl Read) -> io::Result<i32> {
    let mut bytes = [0; 4];
    blob.read_exact(&mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use hullmark_util::json_number::Number;
    use std::io::Write;

    /// Returns a blob of 256 × 256 heights that rise eastward.
    fn variable_blob() -> Vec<u8> {
        let heights = (0..256 * 256).flat_map(|at| ((at % 256) as f32).to_le_bytes());
        [256_i32, 256].iter().flat_map(|side| side.to_le_bytes()).chain(heights).collect()
    }

    #[test]
    fn every_revision_has_the_same_heights() {
        let plain = variable_blob();
        let expected = read(22, &plain).unwrap();
        assert_eq!((expected.size, expected.heights.samples), ([256, 256], 65_536));
        assert_eq!((expected.heights.min, expected.heights.max), (Some(Number(0.0)), Some(Number(255.0))));
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&plain).unwrap();
        // Flushed and not closed, as OpenSimulator does.
        gzip.flush().unwrap();
        assert!(read(23, gzip.get_ref()) == read(22, &plain), "not ended");
        assert!(read(23, &gzip.finish().unwrap()) == read(22, &plain));
        let numbers = (0..256 * 256).flat_map(|at: i32| ((at % 256 * 100) as i16).to_le_bytes());
        let head = [0_i32, 256, 256, 100].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        let blob: Vec<u8> = head.into_iter().chain(numbers).collect();
        assert!(read(27, &blob) == read(22, &plain));
        let legacy: Vec<u8> = (0..256 * 256).flat_map(|at| f64::from(at / 256).to_le_bytes()).collect();
        assert!(read(1_382_667_612, &legacy) == Some(expected));
    }

    #[test]
    fn cut_or_impossible_terrain_is_refused() {
        let plain = variable_blob();
        assert_eq!(read(22, &plain[..plain.len() - 1]), None);
        assert_eq!(read(22, &[0xFF; 100]), None);
        assert_eq!(read(23, b"\x1f\x8bnot gzip"), None);
        assert_eq!(read(11, &plain), None);
        assert_eq!(read(27, &[0; 16]), None);
    }
}
