//! Reads the first bytes of an image, a sound or an animation, which give its size and real type. At most [`START`]
//! bytes are needed.

use super::{jpeg2000, tga};
use serde::{Deserialize, Serialize};

/// Bytes that are read. The header of a codestream is in the first hundred bytes; only boxes of a JP2 file can move it
/// further. The lowest resolution of a cut image is in the first kilobytes.
pub const START: usize = 32_768;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    /// Number of channels.
    pub components: u16,
}

/// Why the first bytes do not give the type of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// The content does not match the name.
    Damaged(&'static str),
    /// The decisive bytes are further back.
    Further(&'static str),
}

/// Reads the header of a JPEG 2000 texture from its first bytes; `bytes` is the size of the whole file.
///
/// # Errors If the texture has no header, or the header is not in the first bytes.
pub fn jpeg2000_image(start: &[u8], bytes: u64) -> Result<Image, Unclear> {
    let damaged = |why| match start.len() as u64 == bytes {
        true => Unclear::Damaged(why),
        false => Unclear::Further("its codestream begins behind the bytes that were looked at"),
    };
    let codestream = match jpeg2000::codestream(start) {
        Some(codestream) => codestream,
        None if is_jp2(start) => return Err(damaged("it holds no codestream")),
        None => return Err(Unclear::Damaged("it is not a JPEG 2000 image")),
    };
    let header = jpeg2000::header(codestream).ok_or_else(|| damaged("its header is damaged"))?;
    Ok(Image { width: header.size[0], height: header.size[1], components: header.channels })
}

/// Reads the header of a Targa image from its first bytes.
///
/// # Errors If the bytes are not such a header.
pub fn tga_image(start: &[u8]) -> Result<Image, Unclear> {
    tga::header(start).ok_or(Unclear::Damaged("it does not begin with the header of a TGA image"))
}

/// Checks the magic of an Ogg stream.
///
/// # Errors If the magic is missing.
pub fn ogg(start: &[u8]) -> Result<(), Unclear> {
    let found = start.starts_with(b"OggS");
    found.then_some(()).ok_or(Unclear::Damaged("it does not begin with OggS, as an Ogg Vorbis sound does"))
}

/// Checks the magic of a wave file.
///
/// # Errors If the magic is missing.
pub fn wave(start: &[u8]) -> Result<(), Unclear> {
    let found = start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WAVE");
    found.then_some(()).ok_or(Unclear::Damaged("it does not begin with RIFF and WAVE, as a wave file does"))
}

/// Returns the version of a keyframe motion: 1.0, or 0.1 from the first years. All animation assets have this format,
/// regardless of their suffix (V `llkeyframemotion.cpp`, `LLKeyframeMotion::deserialize`).
///
/// # Errors If the asset has another version, which no viewer plays.
pub fn animation(start: &[u8]) -> Result<[u16; 2], Unclear> {
    let field = |at: usize| Some(u16::from_le_bytes(*start.get(at..)?.first_chunk()?));
    match (field(0), field(2)) {
        (Some(major @ 1), Some(minor @ 0)) | (Some(major @ 0), Some(minor @ 1)) => Ok([major, minor]),
        _ => Err(Unclear::Damaged("its version is neither 1.0 nor 0.1, as that of an animation")),
    }
}

fn is_jp2(start: &[u8]) -> bool {
    start.get(4..8) == Some(b"jP  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");
    const GREY: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/grey.jp2");

    /// Creates a JP2 file with a box of `bytes` bytes before its codestream.
    fn with_box(bytes: usize) -> Vec<u8> {
        let mut file = GREY[..12].to_vec();
        file.extend((bytes as u32).to_be_bytes());
        file.extend(b"free");
        file.resize(12 + bytes, 0);
        file.extend(&GREY[12..]);
        file
    }

    #[test]
    fn a_texture_is_known_from_its_start() {
        let sphere = Image { width: 64, height: 64, components: 3 };
        assert_eq!(jpeg2000_image(&SPHERE[..200], SPHERE.len() as u64), Ok(sphere));
        let grey = Image { width: 32, height: 32, components: 1 };
        assert_eq!(jpeg2000_image(GREY, GREY.len() as u64), Ok(grey));
        let file = with_box(1000);
        assert_eq!(jpeg2000_image(&file[..START.min(file.len())], file.len() as u64), Ok(grey));
    }

    #[test]
    fn data_beyond_the_start_is_unknown_and_not_damaged() {
        let file = with_box(2 * START);
        let further = |start: &[u8]| matches!(jpeg2000_image(start, 99_999), Err(Unclear::Further(_)));
        assert!(further(&file[..START]) && further(&SPHERE[..30]));
        let damaged = |bytes: &[u8]| jpeg2000_image(bytes, bytes.len() as u64);
        assert_eq!(damaged(&file[..START]), Err(Unclear::Damaged("it holds no codestream")));
        assert_eq!(damaged(&SPHERE[..30]), Err(Unclear::Damaged("its header is damaged")));
        assert_eq!(damaged(b"<html>not found</html>"), Err(Unclear::Damaged("it is not a JPEG 2000 image")));
    }

    #[test]
    fn sounds_and_animations_are_known_by_their_first_bytes() {
        assert!(ogg(b"OggS\0\x02").is_ok() && ogg(b"RIFF").is_err() && ogg(b"").is_err());
        assert!(wave(b"RIFF\x10\0\0\0WAVEfmt ").is_ok() && wave(b"RIFF\x10\0\0\0AVI ").is_err());
        assert_eq!((animation(&[1, 0, 0, 0, 9]), animation(&[0, 0, 1, 0])), (Ok([1, 0]), Ok([0, 1])));
        assert!(animation(b"HIERARCHY").is_err() && animation(&[1, 0, 0]).is_err());
    }

    proptest! {
        #[test]
        fn every_image_read_has_sides(changes in prop::collection::vec((0..200_usize, any::<u8>()), 1..8), cut in 0..200_usize) {
            for file in [SPHERE, GREY] {
                let mut start = file[..200].to_vec();
                changes.iter().for_each(|&(at, byte)| start[at] = byte);
                if let Ok(image) = jpeg2000_image(&start[..cut], file.len() as u64) {
                    prop_assert!(image.width > 0 && image.height > 0 && image.components > 0);
                }
            }
        }
    }
}
