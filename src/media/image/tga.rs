//! The header of a Targa image. The format has no magic, so a header is accepted if all of its fields are consistent.
//! Source: Truevision, TGA File Format Specification 2.0, field 1 to 5.

use super::media::Image;

/// Bytes of the header. An image with a shorter one is invalid.
const HEADER: usize = 18;

/// Reads the header from the first bytes of an image; `None` if they are not a header.
pub fn header(start: &[u8]) -> Option<Image> {
    let header: &[u8; HEADER] = start.first_chunk()?;
    let side = |at: usize| u32::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let (has_palette, kind, palette_depth) = (header[1], header[2], header[7]);
    let (width, height, depth, alpha_bits) = (side(12), side(14), header[16], header[17] & 15);
    // The kinds from 9 on are the compressed forms of the kinds from 1 on.
    let components = match (kind, depth) {
        (1 | 9, 8 | 16) if has_palette == 1 => colours(palette_depth, 0)?,
        (2 | 10, depth) => colours(depth, alpha_bits)?,
        (3 | 11, 8) => 1,
        (3 | 11, 16) => 2,
        _ => return None,
    };
    (has_palette <= 1 && width > 0 && height > 0).then_some(Image { width, height, components })
}

/// Returns the number of channels of a colour with this many bits.
fn colours(depth: u8, alpha_bits: u8) -> Option<u16> {
    match depth {
        15 | 24 => Some(3),
        16 => Some(3 + u16::from(alpha_bits > 0)),
        32 => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(kind: u8, depth: u8, descriptor: u8) -> [u8; HEADER] {
        [0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x02, 0x40, 0x00, depth, descriptor]
    }

    #[test]
    fn sides_and_channels_are_read() {
        let components =
            |kind, depth, descriptor| header(&bytes(kind, depth, descriptor)).map(|image| image.components);
        assert_eq!(header(&bytes(2, 24, 0)), Some(Image { width: 512, height: 64, components: 3 }));
        assert_eq!(components(10, 32, 8), Some(4));
        assert_eq!((components(2, 16, 0), components(2, 16, 1)), (Some(3), Some(4)));
        assert_eq!((components(3, 8, 0), components(11, 16, 8)), (Some(1), Some(2)));
        let mut palette = bytes(1, 8, 0);
        (palette[1], palette[7]) = (1, 24);
        assert_eq!(header(&palette).map(|image| image.components), Some(3));
    }

    #[test]
    fn invalid_values_are_no_header() {
        let mut without_width = bytes(2, 24, 0);
        without_width[13] = 0;
        for wrong in [bytes(0, 24, 0), bytes(2, 7, 0), bytes(3, 24, 0), bytes(1, 8, 0), without_width] {
            assert_eq!(header(&wrong), None, "{wrong:?}");
        }
        assert_eq!(header(&bytes(2, 24, 0)[..17]), None);
    }

    proptest! {
        #[test]
        fn every_header_read_has_sides(start in prop::collection::vec(any::<u8>(), 0..24)) {
            if let Some(image) = header(&start) {
                prop_assert!(image.width > 0 && image.height > 0 && (1..=4).contains(&image.components));
            }
        }
    }
}
