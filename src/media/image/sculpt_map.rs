//! Sculpt maps: textures whose pixels are points.
//!
//! A map is an RGB image in JPEG 2000. Viewers store at most 128 × 128 pixels of a map of any size. They halve it until
//! its area fits (V `llviewertexture.cpp` `setCachedRawImage`, `MAX_CACHED_RAW_SCULPT_IMAGE_AREA`), and so does this
//! decoder. Halving uses the image's own lower wavelet levels, like a viewer that asks for a smaller version. If too
//! few levels exist, every second pixel is dropped.

use super::{
    cut_short::{self, Remains},
    differences,
    first_channels::{self, Available},
    jpeg2000, loss,
};
use crate::extent::{Extent, Format};
use hullmark_geometry::{bitmap::Bitmap, ubode};
use hullmark_settings::limits::Limits;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Maximum number of pixels that a viewer keeps of a map.
const USED_AREA: u64 = 128 * 128;

/// Maximum number of tiles of a map. Grids write one tile. The decoder allocates a structure for each, even if empty.
const MOST_TILES: u64 = 256;

/// Maximum number of precincts of a map, for the same reason. 128 × 128 pixels with three channels need a dozen.
const MOST_PRECINCTS: u64 = 65_536;

/// Maximum number of channels of a map: colour, alpha, and the fifth channel of avatar textures.
const MOST_CHANNELS: u16 = 5;

/// The color of pixels that OpenSimulator's decoder leaves out.
const BLACK: [u8; 3] = [0; 3];

/// The pixels of a map that viewers and simulators sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SculptMap {
    pub width: u32,
    pub height: u32,
    /// Red, green and blue of each pixel that is sampled, in rows from the top.
    #[serde(with = "differences")]
    rgb: Vec<[u8; 3]>,
    /// The image from which OpenSimulator samples pixels; `None` if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Box<SculptMap>>,
}

impl SculptMap {
    /// Keeps the pixels of a whole map that are sampled.
    pub fn new(whole: &Bitmap<'_>) -> Self {
        Self { width: whole.width, height: whole.height, rgb: whole.sampled(), nearest: None }
    }

    /// Returns the pixels in the form that geometry code uses.
    pub fn bitmap(&self) -> Bitmap<'_> {
        Bitmap::of_samples(self.width, self.height, &self.rgb)
    }

    /// Bytes of its pixels in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rgb)
    }
}

#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) struct Pixels {
    width: u32,
    height: u32,
    pub(super) rgb: Vec<[u8; 3]>,
}

impl Pixels {
    fn bitmap(&self) -> Bitmap<'_> {
        Bitmap::whole(self.width, self.height, &self.rgb)
    }
}

/// Why a map cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum SculptError {
    /// The file is damaged, or not a map.
    #[error("{0}")]
    Broken(String),
    /// Decoding it would cost too much.
    #[error("{what}: {measured}, and the limit is {limit}")]
    OverBudget { what: &'static str, measured: u64, limit: u64 },
    /// This program was built without a decoder.
    #[error("this hullmark was built without the feature `sculpt`")]
    #[cfg_attr(feature = "sculpt", allow(dead_code, reason = "builds without the feature have no decoder"))]
    NoDecoder,
}

/// Width and height in the header; `None` if there is no header.
pub fn stated_size(bytes: &[u8]) -> Option<[u32; 2]> {
    Some(jpeg2000::header(jpeg2000::codestream(bytes)?)?.size)
}

/// Whether the codestream is in a JP2 file.
pub fn is_boxed(bytes: &[u8]) -> bool {
    jpeg2000::codestream(bytes).is_some_and(|codestream| codestream.len() < bytes.len())
}

/// Returns the estimated loss of compression, in levels of a color. `None` if it is unknown.
pub fn loss_levels(bytes: &[u8], limits: &Limits) -> Option<f64> {
    let codestream = jpeg2000::codestream(bytes)?;
    check(&jpeg2000::header(codestream)?, limits).ok()?;
    loss::estimated(codestream)
}

/// Decodes a map and reduces it to the pixels that viewers use.
///
/// # Errors If the map is damaged, not an RGB image, or too large.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<SculptMap, SculptError> {
    let codestream = jpeg2000::codestream(bytes).ok_or_else(|| broken("it is not a JPEG 2000 image"))?;
    let header = jpeg2000::header(codestream).ok_or_else(|| broken("its header is damaged"))?;
    check(&header, limits)?;
    let three = if header.channels > 3 { first_channels::first_three(codestream) } else { None };
    let map = decode_sampled(three.as_deref().unwrap_or(codestream), header.size, Faults::Refused);
    match map {
        Err(SculptError::Broken(why)) => decode_available(codestream, header.size, why),
        map => map,
    }
}

/// Decodes a map that is cut as far as it goes, as viewers and OpenSimulator do. `why`: the reason why a map that is
/// not cut cannot be decoded.
fn decode_available(codestream: &[u8], size: [u32; 2], why: String) -> Result<SculptMap, SculptError> {
    let mut extent = Extent::new(Format::Jpeg2000);
    extent.take(codestream);
    let is_cut = extent.cut(codestream.len() as u64).is_some();
    match first_channels::available(codestream) {
        Some(part) if is_cut || part.is_whole => {
            let map = decode_sampled(&part.codestream, size, Faults::Refused)?;
            if part.missing_resolutions == 0 {
                return Ok(map);
            }
            let nearest = nearest(&in_the_corner(&part, size)?.bitmap());
            Ok(SculptMap { nearest: Some(Box::new(nearest)), ..map })
        }
        _ if !is_cut => Err(SculptError::Broken(why)),
        _ if cut_short::remains(codestream, true) == Remains::Nothing => {
            Err(broken("nothing of it is there"))
        }
        _ => decode_sampled(codestream, size, Faults::Skipped),
    }
}

/// Returns the image that OpenSimulator decodes without the highest resolutions: a smaller one in the upper left corner.
/// The rest is black (OpenJPEG 1.5, `tcd.c`, `tcd_decode_tile`, `resno_decoded`).
fn in_the_corner(part: &Available, size: [u32; 2]) -> Result<Pixels, SculptError> {
    let small = decode_codestream(&part.codestream, size, part.missing_resolutions, Faults::Refused)?;
    let [width, height] = size;
    let mut rgb = vec![BLACK; width as usize * height as usize];
    for (row, small_row) in
        rgb.chunks_exact_mut(width as usize).zip(small.rgb.chunks_exact(small.width as usize))
    {
        row[..small_row.len()].copy_from_slice(small_row);
    }
    Ok(Pixels { width, height, rgb })
}

/// Decodes the pixels that viewers and OpenSimulator sample.
fn decode_sampled(codestream: &[u8], size: [u32; 2], faults: Faults) -> Result<SculptMap, SculptError> {
    let halvings = halvings(size);
    let map = SculptMap::new(&decode_codestream(codestream, size, halvings, faults)?.bitmap());
    if halvings == 0 {
        return Ok(map);
    }
    let nearest = nearest(&decode_codestream(codestream, size, 0, faults)?.bitmap());
    Ok(SculptMap { nearest: Some(Box::new(nearest)), ..map })
}

/// What the decoder does at a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Faults {
    Refused,
    /// The rest of the tile-part counts as missing.
    Skipped,
}

/// Returns the pixels of a whole image that OpenSimulator samples. It takes single pixels and no average.
fn nearest(whole: &Bitmap<'_>) -> SculptMap {
    let (width, height, rgb) = ubode::reduced(whole);
    SculptMap::new(&Bitmap::whole(width, height, &rgb))
}

/// Refuses images that are not maps or cost too much to decode.
pub(super) fn check(header: &jpeg2000::Header, limits: &Limits) -> Result<(), SculptError> {
    if header.channels < 3 {
        return Err(broken(format!("it is not RGB: it has {} channels", header.channels)));
    }
    if !header.full {
        return Err(broken("it is not RGB: its channels differ in size"));
    }
    let side = u64::from(header.grid[0].max(header.grid[1]));
    let budgets = [
        ("pixels along a side of a sculpt map", side, limits.sculpt_side),
        ("channels of a sculpt map", header.channels.into(), MOST_CHANNELS.into()),
        ("tiles of a sculpt map", header.tiles, MOST_TILES),
        ("precincts of a sculpt map", header.precincts, MOST_PRECINCTS),
    ];
    match budgets.into_iter().find(|(_, measured, limit)| measured > limit) {
        Some((what, measured, limit)) => Err(SculptError::OverBudget { what, measured, limit }),
        None => Ok(()),
    }
}

/// Returns the number of halvings for a map of this size.
fn halvings([width, height]: [u32; 2]) -> u32 {
    let area = |halvings: u32| u64::from(width >> halvings) * u64::from(height >> halvings);
    (0..32).find(|&halvings| area(halvings) <= USED_AREA).unwrap_or(31)
}

#[cfg(feature = "sculpt")]
pub(super) fn decode_codestream(
    bytes: &[u8],
    size: [u32; 2],
    halvings: u32,
    faults: Faults,
) -> Result<Pixels, SculptError> {
    use hayro_jpeg2000::{DecodeSettings, DecoderContext, Image};
    let [width, height] = size.map(|side| (side >> halvings).max(1));
    let settings = DecodeSettings {
        resolve_palette_indices: false,
        strict: faults == Faults::Refused,
        target_resolution: Some((width, height)),
    };
    let undecodable = |error| broken(format!("it cannot be decoded: {error}"));
    let image = Image::new(bytes, &settings).map_err(undecodable)?;
    let decoded_size = [image.width(), image.height()];
    // The decoder left out these levels; this function does the rest of the halving.
    let skipped = (0..=halvings).find(|&levels| size.map(|side| side.div_ceil(1 << levels)) == decoded_size);
    let skipped = skipped.ok_or_else(|| broken("its levels do not fit its size"))?;
    let mut context = DecoderContext::default();
    let decoded = image.decode(&mut context).map_err(undecodable)?;
    let (channels, samples) = (decoded.components().len(), decoded.data_u8());
    let every = 1_usize << (halvings - skipped);
    let mut rgb = Vec::with_capacity(width as usize * height as usize);
    for y in 0..height as usize {
        for x in 0..width as usize {
            let pixel = (y * every * decoded_size[0] as usize + x * every) * channels;
            let colours = samples.get(pixel..).and_then(|rest| rest.first_chunk());
            rgb.push(*colours.ok_or_else(|| broken("it has too few pixels"))?);
        }
    }
    Ok(Pixels { width, height, rgb })
}

#[cfg(not(feature = "sculpt"))]
fn decode_codestream(
    _bytes: &[u8],
    _size: [u32; 2],
    _halvings: u32,
    _faults: Faults,
) -> Result<Pixels, SculptError> {
    Err(SculptError::NoDecoder)
}

fn broken(why: impl Into<String>) -> SculptError {
    SculptError::Broken(why.into())
}

#[cfg(all(test, feature = "sculpt"))]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");
    const WIDE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/wide.j2c");
    const GREY: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/grey.jp2");

    fn decode(bytes: &[u8]) -> Result<SculptMap, SculptError> {
        super::decode(bytes, &Limits::default())
    }

    /// Returns `SPHERE` with four bytes of its header changed: 8 is the width, 24 the width of a tile.
    fn with(at: usize, value: u32) -> Vec<u8> {
        let mut bytes = SPHERE.to_vec();
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
        bytes
    }

    #[test]
    fn a_lossless_map_is_exact() {
        let map = decode(SPHERE).unwrap();
        assert_eq!((map.width, map.height), (64, 64));
        let whole = decode_codestream(SPHERE, [64, 64], 0, Faults::Refused).unwrap();
        assert_eq!(map, SculptMap::new(&whole.bitmap()));
        for (i, pixel) in whole.rgb.into_iter().enumerate() {
            let (u, v) = (TAU * (i % 64) as f64 / 64.0, TAU / 2.0 * (i / 64) as f64 / 63.0);
            let point = [v.sin() * u.cos(), v.sin() * u.sin(), v.cos()];
            assert_eq!(pixel, point.map(|c| (127.5 + 127.5 * c).round() as u8), "pixel {i}");
        }
    }

    #[test]
    fn a_large_map_without_levels_loses_every_second_pixel() {
        let map = decode(WIDE).unwrap();
        assert_eq!((stated_size(WIDE), map.width, map.height), (Some([160, 160]), 80, 80));
        for (i, pixel) in
            decode_codestream(WIDE, [160, 160], 1, Faults::Refused).unwrap().rgb.into_iter().enumerate()
        {
            assert_eq!(pixel, [(2 * (i % 80)) as u8 & 0xf8, (2 * (i / 80)) as u8 & 0xf8, 128]);
        }
        // 160 is halved to 40: every fourth pixel, and the last.
        let nearest = map.nearest.unwrap();
        assert_eq!((nearest.width, nearest.height), (40, 40));
        let taken = |i: usize| if i == 39 { 159 } else { 4 * i } as u8 & 0xf8;
        for (x, y) in [(0, 0), (7, 11), (39, 39)] {
            let pixel = [taken(x), taken(y), 128];
            assert_eq!(nearest.bitmap().pixel(x as u32, y as u32), Some(pixel));
        }
    }

    #[test]
    fn halving_follows_the_area() {
        assert_eq!([[128, 128], [32, 512], [129, 128], [2048, 2048], [1, 1]].map(halvings), [0, 0, 1, 4, 0]);
    }

    #[test]
    fn invalid_maps_are_named() {
        let why = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(why(GREY), "it is not RGB: it has 1 channels");
        assert_eq!(why(b"\x89PNG"), "it is not a JPEG 2000 image");
        assert_eq!(why(b""), "it is not a JPEG 2000 image");
        assert_eq!(why(&SPHERE[..30]), "its header is damaged");
        let data = SPHERE.windows(2).position(|pair| pair == [0xff, 0x93]).unwrap() + 2;
        assert_eq!(why(&SPHERE[..data + 1]), "nothing of it is there");
    }

    #[test]
    fn a_cut_map_shows_what_is_there() {
        let whole = decode(SPHERE).unwrap();
        assert_eq!(decode(&SPHERE[..SPHERE.len() - 2]), Ok(whole.clone()), "the end marker alone");
        let cut = decode(&SPHERE[..SPHERE.len() / 2]).unwrap();
        assert!(cut != whole && cut.width == 64);
        let tiles = with(24, 32);
        for end in 0..SPHERE.len() {
            _ = decode(&SPHERE[..end]);
            _ = decode(&tiles[..end]);
        }
    }

    /// A damaged map is refused with and without its end marker.
    #[test]
    fn a_damaged_map_is_not_read_in_part() {
        let data = SPHERE.windows(2).position(|pair| pair == [0xff, 0x93]).unwrap() + 2;
        let mut refused = 0;
        for at in data..data + 400 {
            let mut damaged = SPHERE.to_vec();
            damaged[at] ^= 0x55;
            let is_refused = decode(&damaged).is_err();
            assert_eq!(decode(&damaged[..SPHERE.len() - 2]).is_err(), is_refused, "byte {at}");
            refused += usize::from(is_refused);
        }
        assert!(refused > 0);
    }

    #[test]
    fn giants_are_refused_by_their_headers() {
        let over = |bytes: &[u8]| match decode(bytes) {
            Err(SculptError::OverBudget { what, .. }) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(over(&with(8, u32::MAX)), "pixels along a side of a sculpt map");
        // 64 × 64 tiles of one pixel.
        let mut tiny = with(24, 1);
        tiny[28..32].copy_from_slice(&1_u32.to_be_bytes());
        assert_eq!(over(&tiny), "tiles of a sculpt map");
    }
}
