use super::*;
use animation::CONSTRAINT;
use proptest::prelude::*;

const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");
const GREY: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/grey.jp2");

struct Sample {
    name: &'static str,
    format: Format,
    bytes: Vec<u8>,
    /// Bytes at the end that a reader does not need.
    spare: usize,
}

/// Returns the missing part of these bytes, which arrive in pieces of this size.
fn cut(format: Format, bytes: &[u8], piece: usize) -> Option<Cut> {
    let mut extent = Extent::new(format);
    bytes.chunks(piece).for_each(|piece| extent.take(piece));
    extent.cut(bytes.len() as u64)
}

/// Creates a codestream with `tiles` tiles in a row. A part is: tile, its number in it, parts of the tile, data bytes.
fn codestream(tiles: u8, parts: &[(u8, u8, u8, u8)]) -> Vec<u8> {
    let mut file = vec![0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0];
    for field in [8 * u32::from(tiles), 8, 0, 0, 8, 8, 0, 0] {
        file.extend(field.to_be_bytes());
    }
    file.extend([0, 1, 7, 1, 1, 0xff, 0x64, 0, 6, 0, 1, 0xff, 0xd9]);
    for &(tile, number, of_tile, bytes) in parts {
        file.extend([0xff, 0x90, 0, 10, 0, tile, 0, 0, 0, 14 + bytes, number, of_tile, 0xff, 0x93]);
        file.extend(vec![3; bytes.into()]);
    }
    file.extend([0xff, 0xd9]);
    file
}

/// Creates a codestream with one tile-part, which has no length and a comment that contains an end marker.
fn open_codestream() -> Vec<u8> {
    let mut file = codestream(1, &[(0, 0, 1, 30)]);
    let part = file.windows(2).position(|pair| pair == [0xff, 0x90]).unwrap();
    file[part + 6..part + 10].fill(0);
    let comment = [0xff, 0x64, 0, 6, 0, 1, 0xff, 0xd9];
    file.splice(part + 12..part + 12, comment);
    file
}

/// Creates a JPEG with a thumbnail in its first segment.
fn jpeg() -> Vec<u8> {
    let mut file = vec![0xff, 0xd8, 0xff, 0xe1, 0, 16];
    file.extend(b"Exif\0\0");
    file.extend([0xff, 0xd8, 0xff, 0xda, 7, 7, 0xff, 0xd9]);
    // A byte of 0xff may precede a marker.
    file.extend([0xff, 0xff, 0xdb, 0, 67]);
    file.extend([1; 65]);
    file.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
    file.extend([5, 0xff, 0, 9, 0xff, 0xd0, 6].repeat(30));
    file.extend([0xff, 0xd9]);
    file
}

/// Creates a wave file of these chunks.
fn wave(chunks: &[(&[u8; 4], u32)]) -> Vec<u8> {
    let mut file = b"RIFF\0\0\0\0WAVE".to_vec();
    for &(name, length) in chunks {
        file.resize(file.len().next_multiple_of(2), 0);
        file.extend(name);
        file.extend(length.to_le_bytes());
        file.extend(vec![7; length as usize]);
    }
    let length = file.len() as u32 - 8;
    file[4..8].copy_from_slice(&length.to_le_bytes());
    file
}

fn ogg() -> Vec<u8> {
    let page = |flags: u8, segments: &[u8]| {
        let mut page = b"OggS\0".to_vec();
        page.push(flags);
        page.extend([0; 20]);
        page.push(segments.len() as u8);
        page.extend(segments);
        page.extend(segments.iter().flat_map(|&length| vec![1; length.into()]));
        page
    };
    [page(2, &[30]), page(0, &[255, 255, 9]), page(4, &[12])].concat()
}

fn motion(version: [u16; 2], key: usize) -> Vec<u8> {
    let mut file = version.map(u16::to_le_bytes).concat();
    file.extend([0; 8]);
    file.extend(b"express_smile\0");
    file.extend([0; 24]);
    file.extend(2_u32.to_le_bytes());
    for (name, rotations, positions) in [("mPelvis\0", 3_u32, 2_u32), ("mHead\0", 300, 0)] {
        file.extend(name.as_bytes());
        file.extend([0; 4]);
        file.extend(rotations.to_le_bytes());
        file.extend(vec![9; rotations as usize * key]);
        file.extend(positions.to_le_bytes());
        file.extend(vec![9; positions as usize * key]);
    }
    file.extend(1_u32.to_le_bytes());
    file.extend([0; CONSTRAINT as usize]);
    file
}

fn targa() -> Vec<u8> {
    let mut file = vec![3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 4, 0, 24, 0];
    file.resize(18 + 3 + 5 * 4 * 3, 0);
    file
}

/// Creates 300 pixels in packets of 100, 128 and 72.
fn packed_targa() -> Vec<u8> {
    let mut file = vec![3, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 10, 0, 32, 8, 1, 2, 3];
    file.push(99);
    file.extend([4; 400]);
    file.extend([255, 4, 4, 4, 4]);
    file.extend([199, 4, 4, 4, 4]);
    file
}

/// Creates 20 pixels with a palette of 4 colours.
fn packed_palette() -> Vec<u8> {
    let mut file = vec![0, 1, 9, 0, 0, 4, 0, 24, 0, 0, 0, 0, 5, 0, 4, 0, 8, 0];
    file.extend([8; 12]);
    file.extend([131, 1, 3, 0, 1, 2, 3, 139, 1]);
    file
}

fn samples() -> Vec<Sample> {
    use Format::*;
    let sample = |name, format, bytes, spare| Sample { name, format, bytes, spare };
    let tiles = [(0, 0, 2, 20), (1, 0, 1, 9), (0, 1, 2, 30), (2, 0, 0, 40)];
    vec![
        sample("codestream", Jpeg2000, SPHERE.to_vec(), 2),
        sample("tiles", Jpeg2000, codestream(3, &tiles), 2),
        sample("open codestream", Jpeg2000, open_codestream(), 0),
        sample("JP2", Jpeg2000, GREY.to_vec(), 0),
        sample("JPEG", Jpeg, jpeg(), 0),
        sample("wave", Wave, wave(&[(b"fmt ", 16), (b"data", 25)]), 0),
        sample("wave with a list", Wave, wave(&[(b"fmt ", 18), (b"data", 25), (b"LIST", 26)]), 0),
        sample("Ogg", Ogg, ogg(), 0),
        sample("animation", Animation, motion([1, 0], 8), 0),
        sample("old animation", Animation, motion([0, 1], 16), 0),
        sample("Targa", Tga, targa(), 0),
        sample("packed Targa", Tga, packed_targa(), 0),
        sample("packed palette", Tga, packed_palette(), 0),
    ]
}

#[test]
fn whole_files_lack_nothing_regardless_of_trailing_bytes() {
    for Sample { name, format, bytes, .. } in samples() {
        for piece in [1, 2, 7, 1000, usize::MAX] {
            for (count, filler) in
                [0, 1, 2, 7].into_iter().flat_map(|count| [0, b'\n', 0xff].map(|byte| (count, byte)))
            {
                let file = [&bytes[..], &vec![filler; count]].concat();
                assert_eq!(
                    cut(format, &file, piece),
                    None,
                    "{name} and {count} of {filler}, in pieces of {piece}"
                );
            }
        }
    }
}

#[test]
fn files_that_are_cut_anywhere_are_found() {
    for Sample { name, format, bytes, spare } in samples() {
        let whole = bytes.len();
        for (length, piece) in (1..whole).flat_map(|length| [7, usize::MAX].map(|piece| (length, piece))) {
            match cut(format, &bytes[..length], piece) {
                None => assert!(length >= whole - spare, "{name}: {length} of {whole}"),
                Some(Cut::NoEnd) => assert!(length < whole - spare, "{name}: {length} of {whole}"),
                Some(Cut::Of(least)) => {
                    assert!(length < whole - spare, "{name}: {length} of {whole}");
                    assert!(
                        (length as u64 + 1..=whole as u64).contains(&least),
                        "{name}: {length} of {whole}, not {least}"
                    );
                }
            }
        }
    }
}

/// A missing end marker and padding after the end are not cuts.
#[test]
fn a_codestream_does_without_its_end_marker() {
    let without = &SPHERE[..SPHERE.len() - 2];
    for padding in [&[][..], &[0], &[0xff], &[0xff, 0], &[0xff, 0x64, 9, 9], &[0; 7], b"\n"] {
        assert_eq!(cut(Format::Jpeg2000, &[without, padding].concat(), 9), None, "{padding:?}");
    }
    let with_part = [without, &[0xff, 0x90]].concat();
    assert!(matches!(cut(Format::Jpeg2000, &with_part, 9), Some(Cut::Of(_))));
}

#[test]
fn parts_and_tiles_that_did_not_come_are_missed() {
    let without_end = |parts: &[_]| {
        let file = codestream(2, parts);
        cut(Format::Jpeg2000, &file[..file.len() - 2], usize::MAX)
    };
    assert_eq!(without_end(&[(0, 0, 1, 9)]), Some(Cut::NoEnd));
    assert_eq!(without_end(&[(0, 0, 2, 9), (1, 0, 1, 9)]), Some(Cut::NoEnd));
    assert_eq!(without_end(&[(0, 0, 0, 9), (0, 1, 0, 9)]), Some(Cut::NoEnd));
    assert_eq!(without_end(&[(0, 0, 0, 9), (1, 0, 0, 9)]), None);
    // A file that was written without its second tile ends at its stated length.
    assert_eq!(cut(Format::Jpeg2000, &codestream(2, &[(0, 0, 1, 9)]), 7), None);
}

#[test]
fn a_thumbnail_does_not_end_its_image() {
    let file = jpeg();
    assert_eq!(cut(Format::Jpeg, &file[..file.len() / 2], 3), Some(Cut::NoEnd));
    // The cut is in the table: 65 bytes, after the first segment and a head of 5 bytes.
    assert_eq!(cut(Format::Jpeg, &file[..50], 3), Some(Cut::Of(20 + 5 + 65)));
}

#[test]
fn a_page_that_is_not_the_last_needs_another() {
    let file = ogg();
    let last = file.len() - (27 + 1 + 12);
    assert_eq!(cut(Format::Ogg, &file[..last], 5), Some(Cut::NoEnd));
    assert_eq!(cut(Format::Ogg, &[&file[..last], b"Ogg"].concat(), 5), Some(Cut::Of(last as u64 + 4)));
}

#[test]
fn a_wave_file_may_count_its_head_or_lack_its_padding() {
    for (chunks, wrong) in [(vec![(b"fmt ", 16), (b"data", 24)], 8), (vec![(b"fmt ", 16), (b"data", 25)], 1)]
    {
        let mut file = wave(&chunks);
        let length = file.len() as u32 - 8 + wrong;
        file[4..8].copy_from_slice(&length.to_le_bytes());
        for padding in [0, 1, 2, 7] {
            assert_eq!(cut(Format::Wave, &[&file[..], &vec![0; padding]].concat(), 9), None);
        }
        assert_eq!(cut(Format::Wave, &file[..file.len() - 1], 9), Some(Cut::Of(file.len() as u64)));
    }
}

#[test]
fn bytes_after_an_odd_chunk_without_padding_are_no_head() {
    let mut file = wave(&[(b"fmt ", 16), (b"data", 25), (b"LIST", 26)]);
    // Removes the padding byte, which the length of the file counts.
    file.remove(file.len() - (8 + 26) - 1);
    file[4] -= 1;
    assert_eq!(cut(Format::Wave, &file, 9), None);
}

#[test]
fn files_that_do_not_say_how_long_they_are_lack_nothing() {
    for length in [0x7fff_f000_u32, u32::MAX] {
        let mut streamed = wave(&[(b"fmt ", 16), (b"data", 25)]);
        streamed[4..8].copy_from_slice(&length.to_le_bytes());
        assert_eq!(cut(Format::Wave, &[&streamed[..], &[0, 0]].concat(), 9), None);
        assert_eq!(cut(Format::Wave, &[&streamed[..], &[9; 9]].concat(), 9), None);
        streamed[40..44].copy_from_slice(&length.to_le_bytes());
        assert_eq!(cut(Format::Wave, &streamed[..60], 9), None);
    }
    for format in [Format::Jpeg2000, Format::Ogg, Format::Wave, Format::Animation, Format::Jpeg] {
        for text in [&b"<html>not found</html>"[..], b"404", b"\n"] {
            assert_eq!(cut(format, text, 5), None, "{format:?}");
        }
    }
}

proptest! {
    #[test]
    fn pieces_do_not_matter(
        sample in 0..samples().len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length in any::<prop::sample::Index>(),
        padding in prop::collection::vec(any::<u8>(), 0..4),
        piece in 1..3000_usize,
    ) {
        let Sample { format, bytes: mut file, .. } = samples().swap_remove(sample);
        changes.into_iter().for_each(|(at, byte)| {
            let at = at.index(file.len());
            file[at] = byte;
        });
        file.truncate(length.index(file.len()) + 1);
        file.extend(padding);
        prop_assert_eq!(cut(format, &file, piece), cut(format, &file, usize::MAX));
    }
}
