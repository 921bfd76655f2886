//! The header of a JPEG 2000 image, which gives the cost of decoding it.
//!
//! A decoder allocates what the header announces. A header of fifty bytes can announce gigabytes: a grid of 2³² points,
//! with a tile or a precinct for each. So the header is read first, without allocation.

/// The quantities that a codestream announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub size: [u32; 2],
    /// Width and height of the grid. The image may cover only a part of it.
    pub grid: [u32; 2],
    pub channels: u16,
    /// Whether every channel has a sample for every pixel.
    pub full: bool,
    pub tiles: u64,
    /// Number of precincts of all channels, including those of tiles with their own settings. Tile borders are ignored.
    pub precincts: u64,
}

pub(super) const SIZ: u16 = 0xff51;
pub(super) const COD: u16 = 0xff52;
pub(super) const COC: u16 = 0xff53;
pub(super) const SOT: u16 = 0xff90;
pub(super) const SOD: u16 = 0xff93;

/// Returns the codestream: the bytes themselves, as grids store them, or the `jp2c` box of a JP2 file.
///
/// Viewers read only the codestream, so palettes and colour profiles of a JP2 file have no effect.
pub fn codestream(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.starts_with(&[0xff, 0x4f, 0xff, 0x51]) {
        return Some(bytes);
    }
    if bytes.get(4..8) != Some(b"jP  ") {
        return None;
    }
    let mut rest = bytes;
    loop {
        let length = u64::from(u32_at(rest, 0)?);
        let (length, start) = match length {
            0 => (rest.len() as u64, 8),
            1 => (u64::from(u32_at(rest, 8)?) << 32 | u64::from(u32_at(rest, 12)?), 16),
            length => (length, 8),
        };
        // A cut box is used up to the end of the bytes; its decoder reports more.
        let end = usize::try_from(length).unwrap_or(usize::MAX).min(rest.len());
        if rest.get(4..8)? == b"jp2c" {
            return rest.get(start..end);
        }
        rest = rest.get(end.max(start)..)?;
    }
}

/// Reads the header of a codestream; `None` if it is incomplete.
pub fn header(codestream: &[u8]) -> Option<Header> {
    let (first, siz) = segments(codestream).next()?;
    let field = |index: usize| u32_at(siz, 2 + 4 * index);
    let (grid, offset) = ([field(0)?, field(1)?], [field(2)?, field(3)?]);
    let (tile, tile_offset) = ([field(4)?, field(5)?], [field(6)?, field(7)?]);
    let channels = u16_at(siz, 34)?;
    let sampling = siz.get(36..36 + 3 * usize::from(channels))?;
    if first != SIZ || tile.contains(&0) || channels == 0 {
        return None;
    }
    let side = |axis: usize| grid[axis].checked_sub(offset[axis]).filter(|&side| side > 0);
    let tiles = |axis: usize| {
        let from_first = grid[axis].checked_sub(tile_offset[axis])?;
        Some(u64::from(from_first.div_ceil(tile[axis])))
    };
    let styles = segments(codestream).filter_map(|(marker, data)| style(marker, data, channels));
    // If channels have different styles, each style counts as if it applied to all channels.
    let precincts = styles.map(|style| u64::from(channels).saturating_mul(precincts(grid, style)));
    Some(Header {
        size: [side(0)?, side(1)?],
        grid,
        channels,
        full: sampling.chunks_exact(3).all(|channel| channel[1..] == [1, 1]),
        tiles: tiles(0)?.saturating_mul(tiles(1)?),
        precincts: precincts.fold(0, u64::saturating_add),
    })
}

/// Returns the levels and precinct sizes of a coding style; `None` if it uses the default precincts.
fn style(marker: u16, data: &[u8], channels: u16) -> Option<(u8, &[u8])> {
    let (flags, levels) = match marker {
        COD => (0, 5),
        COC if channels < 257 => (1, 2),
        COC => (2, 3),
        _ => return None,
    };
    let own = data.get(flags)? & 1 != 0;
    own.then_some(())?;
    Some((*data.get(levels)?, data.get(levels + 5..)?))
}

/// Returns the precincts of one channel over all levels. Each lower level halves the grid.
fn precincts(grid: [u32; 2], (levels, sizes): (u8, &[u8])) -> u64 {
    let levels = u32::from(levels.min(32));
    let of_level = |(resolution, &size): (u32, &u8)| {
        let along = |axis: usize, exponent: u8| {
            let side = u64::from(grid[axis]).div_ceil(1 << (levels - resolution));
            side.div_ceil(1 << exponent)
        };
        along(0, size & 15).saturating_mul(along(1, size >> 4))
    };
    (0..=levels).zip(sizes).map(of_level).fold(0, u64::saturating_add)
}

/// The marker segments of the main header and of all tile-parts, up to the first fault in the structure.
fn segments(codestream: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let (mut at, mut next_part) = (2, codestream.len());
    std::iter::from_fn(move || {
        loop {
            let marker = u16_at(codestream, at)?;
            if marker == SOD {
                // Always advance: a tile-part of length 0 would loop forever.
                at = next_part.max(at + 2);
                continue;
            }
            let length = usize::from(u16_at(codestream, at + 2)?).max(2);
            let data = codestream.get(at + 4..at + 2 + length)?;
            if marker == SOT {
                let length = u32_at(data, 2)? as usize;
                next_part = if length == 0 { codestream.len() } else { at.saturating_add(length) };
            }
            at += 2 + length;
            return Some((marker, data));
        }
    })
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");
    const GREY: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/grey.jp2");

    #[test]
    fn headers_are_read_from_codestreams_and_files() {
        let sphere = header(codestream(SPHERE).unwrap()).unwrap();
        let size = [64, 64];
        assert_eq!(sphere, Header { size, grid: size, channels: 3, full: true, tiles: 1, precincts: 0 });
        let grey = header(codestream(GREY).unwrap()).unwrap();
        assert_eq!((grey.size, grey.channels), ([32, 32], 1));
        for cut in 0..GREY.len() {
            let _ = codestream(&GREY[..cut]).and_then(header);
        }
    }

    #[test]
    fn precincts_of_one_pixel_are_counted() {
        // One level below the image, both with precincts of 2^0: 64 × 64 and 32 × 32.
        assert_eq!(precincts([64, 64], (1, &[0, 0])), 64 * 64 + 32 * 32);
        let mut bytes = SPHERE.to_vec();
        let cod = bytes.windows(2).position(|pair| pair == COD.to_be_bytes()).unwrap();
        let length = u16_at(&bytes, cod + 2).unwrap();
        let levels = bytes[cod + 9];
        bytes.splice(
            cod + 2 + usize::from(length)..cod + 2 + usize::from(length),
            vec![0; usize::from(levels) + 1],
        );
        bytes[cod + 2..cod + 4].copy_from_slice(&(length + u16::from(levels) + 1).to_be_bytes());
        bytes[cod + 4] |= 1;
        let counted = header(&bytes).unwrap().precincts;
        assert!(counted > 3 * 64 * 64, "{counted}");
    }
}
