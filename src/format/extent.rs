//! How long an image, a sound or an animation says it is, learnt while its bytes pass.
//!
//! These formats are chains of records, and the head of each record says where the next one begins. A file that ends
//! before that was cut short. Only the heads are held, so an asset of any size takes a kilobyte.

use super::tga;

/// The longest head of a record: a joint with its name.
const LONGEST_HEAD: usize = 1024;
/// Records after which a chain is no longer followed. Real files have a few hundred.
const MOST_RECORDS: u32 = 100_000;
/// Bytes of a constraint of an animation.
const CONSTRAINT: u64 = 86;

/// The formats whose length can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG 2000: a codestream, or the boxes of a JP2 file around one.
    Jpeg2000,
    /// Targa. One that is compressed does not say how long it is.
    Tga,
    /// JPEG, which has an end marker and no length.
    Jpeg,
    /// The pages of an Ogg stream.
    Ogg,
    /// The chunks of a RIFF WAVE file.
    Wave,
    /// The binary keyframe motion of viewers (V `llkeyframemotion.cpp`, `LLKeyframeMotion::deserialize`).
    Animation,
}

/// What a file lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It says that it has at least so many bytes.
    Of(u64),
    /// Its end marker is missing, and nothing says how long it is.
    NoEnd,
}

/// Follows the records of a file.
#[derive(Debug)]
pub struct Extent {
    record: Record,
    /// Where the head that is held begins.
    at: u64,
    head: Vec<u8>,
    /// Bytes up to the next head.
    skip: u64,
    /// Bytes that the records seen so far ask for.
    needs: u64,
    records: u32,
}

/// The record that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Record {
    /// The first of a file.
    First(Format),
    /// A box of a JP2 file.
    Box,
    /// A marker segment or a tile-part of a codestream.
    Marker,
    /// A page of an Ogg stream.
    Page,
    /// A chunk of a wave file.
    Chunk,
    /// A joint with its rotations: so many are left, with so many bytes for a key.
    Rotations { left: u32, key: u64 },
    /// The positions of that joint.
    Positions { left: u32, key: u64 },
    /// The constraints of an animation.
    Constraints,
    /// The data of a JPEG, behind this byte.
    Data { last: u8 },
    /// None that says more.
    End,
}

/// What the head of a record says.
enum Step {
    /// The head has at least so many bytes.
    More(usize),
    /// The record has so many bytes; the next one begins this many bytes from its first one.
    Next { bytes: u64, next: u64, record: Record },
    /// It cannot be followed any further.
    End,
}

impl Step {
    fn next(bytes: u64, record: Record) -> Self {
        Self::Next { bytes, next: bytes, record }
    }

    fn last(bytes: u64) -> Self {
        Self::next(bytes, Record::End)
    }
}

impl Extent {
    /// A file of this format, before its first byte.
    pub fn new(format: Format) -> Self {
        Self { record: Record::First(format), at: 0, head: Vec::new(), skip: 0, needs: 0, records: 0 }
    }

    /// Takes the next bytes of the file.
    pub fn take(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() && self.record != Record::End {
            if let Record::Data { last } = self.record {
                return self.take_data(last, piece);
            }
            let skipped = piece.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            self.skip -= skipped as u64;
            piece = &piece[skipped..];
            let (head, rest) = piece.split_at(piece.len().min(LONGEST_HEAD - self.head.len()));
            self.head.extend_from_slice(head);
            piece = rest;
            self.follow();
        }
    }

    /// Follows the records whose heads are held.
    fn follow(&mut self) {
        while !self.head.is_empty() && self.record != Record::End {
            if let Record::Data { last } = self.record {
                let head = std::mem::take(&mut self.head);
                return self.take_data(last, &head);
            }
            match step(self.record, &self.head) {
                Step::More(bytes) if bytes <= LONGEST_HEAD && self.head.len() < LONGEST_HEAD => {
                    self.needs = self.needs.max(self.at + bytes as u64);
                    return;
                }
                Step::More(_) | Step::End => self.record = Record::End,
                Step::Next { bytes, next, record } => {
                    self.needs = self.needs.max(self.at.saturating_add(bytes));
                    self.at = self.at.saturating_add(next);
                    self.records += 1;
                    self.record = if self.records < MOST_RECORDS { record } else { Record::End };
                    let held = self.head.len().min(usize::try_from(next).unwrap_or(usize::MAX));
                    self.skip = next - held as u64;
                    self.head.drain(..held);
                }
            }
        }
    }

    /// In image data 0xff is followed by 0, so 0xff and 0xd9 are the end marker.
    fn take_data(&mut self, last: u8, piece: &[u8]) {
        let ends = (last == 0xff && piece.first() == Some(&0xd9))
            || piece.windows(2).any(|pair| pair == [0xff, 0xd9]);
        self.record = match piece.last() {
            _ if ends => Record::End,
            Some(&last) => Record::Data { last },
            None => self.record,
        };
    }

    /// What is missing of the file, which has so many bytes and went by whole.
    pub fn cut(&self, bytes: u64) -> Option<Cut> {
        if self.needs > bytes {
            Some(Cut::Of(self.needs))
        } else {
            matches!(self.record, Record::Data { .. }).then_some(Cut::NoEnd)
        }
    }
}

/// What the head of this record says, of which these bytes are known.
fn step(record: Record, head: &[u8]) -> Step {
    let known = match record {
        Record::First(format) => first(format, head),
        Record::Box => jp2_box(head),
        Record::Marker => marker(head),
        Record::Page => page(head),
        Record::Chunk => chunk(head),
        Record::Rotations { left, key } => rotations(head, left, key),
        Record::Positions { left, key } => positions(head, left, key),
        Record::Constraints => constraints(head),
        Record::Data { .. } | Record::End => Ok(Step::End),
    };
    known.unwrap_or_else(Step::More)
}

/// A step, or how many bytes the head has at least.
type Known = Result<Step, usize>;

/// Bytes of the head, or how many it needs.
fn field<const N: usize>(head: &[u8], at: usize) -> Result<[u8; N], usize> {
    head.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(at + N)
}

fn first(format: Format, head: &[u8]) -> Known {
    match format {
        Format::Jpeg2000 if field::<4>(head, 0)? == [0xff, 0x4f, 0xff, 0x51] => {
            Ok(Step::next(2, Record::Marker))
        }
        Format::Jpeg2000 if field::<4>(head, 4)? == *b"jP  " => jp2_box(head),
        Format::Jpeg if field::<2>(head, 0)? == [0xff, 0xd8] => Ok(Step::next(2, Record::Data { last: 0 })),
        Format::Ogg => page(head),
        Format::Wave if field::<4>(head, 0)? == *b"RIFF" && field::<4>(head, 8)? == *b"WAVE" => {
            Ok(Step::next(12, Record::Chunk))
        }
        Format::Tga => targa(head),
        Format::Animation => animation(head),
        _ => Ok(Step::End),
    }
}

fn jp2_box(head: &[u8]) -> Known {
    let is_codestream = field::<4>(head, 4)? == *b"jp2c";
    let (length, start) = match u32::from_be_bytes(field(head, 0)?) {
        // Up to the end of the file.
        0 => (0, 8),
        1 => (u64::from_be_bytes(field(head, 8)?), 16),
        length => (length.into(), 8),
    };
    match (length, is_codestream) {
        (0, true) => Ok(Step::next(start, Record::Marker)),
        (0, false) => Ok(Step::End),
        (length, _) if length < start => Ok(Step::End),
        (bytes, true) => Ok(Step::Next { bytes, next: start, record: Record::Marker }),
        (bytes, false) => Ok(Step::next(bytes, Record::Box)),
    }
}

/// A marker segment; at SOT the whole tile-part. A tile-part of length 0 is the last one.
fn marker(head: &[u8]) -> Known {
    match field(head, 0)? {
        [0xff, 0xd9] => Ok(Step::last(2)),
        [0xff, 0x4f] => Ok(Step::next(2, Record::Marker)),
        [0xff, 0x90] => match u32::from_be_bytes(field(head, 6)?) {
            0..14 => Ok(Step::End),
            bytes => Ok(Step::next(bytes.into(), Record::Marker)),
        },
        [0xff, 0x50..=0x8f | 0x91..] => {
            Ok(Step::next(2 + u64::from(u16::from_be_bytes(field(head, 2)?).max(2)), Record::Marker))
        }
        _ => Ok(Step::End),
    }
}

fn page(head: &[u8]) -> Known {
    if field::<4>(head, 0)? != *b"OggS" {
        return Ok(Step::End);
    }
    let [segments] = field(head, 26)?;
    let segments = usize::from(segments);
    let table = head.get(27..27 + segments).ok_or(27 + segments)?;
    let body: u64 = table.iter().copied().map(u64::from).sum();
    Ok(Step::next((27 + segments) as u64 + body, Record::Page))
}

/// Chunks begin at even places. A program that streams does not know how long its data will be.
fn chunk(head: &[u8]) -> Known {
    let is_data = field::<4>(head, 0)? == *b"data";
    match u32::from_le_bytes(field(head, 4)?) {
        0 if is_data => Ok(Step::End),
        u32::MAX => Ok(Step::End),
        length => {
            let bytes = 8 + u64::from(length);
            Ok(Step::Next { bytes, next: bytes + bytes % 2, record: Record::Chunk })
        }
    }
}

fn targa(head: &[u8]) -> Known {
    let header: [u8; 18] = field(head, 0)?;
    let number = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let is_compressed = header[2] > 3;
    if tga::header(&header).is_none() || is_compressed {
        return Ok(Step::End);
    }
    let palette = u64::from(header[1]) * number(5) * u64::from(header[7]).div_ceil(8);
    let pixels = number(12) * number(14) * u64::from(header[16]).div_ceil(8);
    Ok(Step::last(18 + u64::from(header[0]) + palette + pixels))
}

fn animation(head: &[u8]) -> Known {
    let key = match field(head, 0)? {
        [1, 0, 0, 0] => 8,
        [0, 0, 1, 0] => 16,
        _ => return Ok(Step::End),
    };
    let name = text(head, 12)?;
    // Loop, ease and pose: seven numbers.
    let joints = u32::from_le_bytes(field(head, name + 24)?);
    Ok(Step::next(name as u64 + 28, joint(joints, key)))
}

/// The record of the next joint, where one is left.
fn joint(left: u32, key: u64) -> Record {
    if left == 0 { Record::Constraints } else { Record::Rotations { left, key } }
}

/// The end of a text that ends with 0, from here on.
fn text(head: &[u8], start: usize) -> Result<usize, usize> {
    let rest = head.get(start..).ok_or(start + 1)?;
    rest.iter().position(|&byte| byte == 0).map(|length| start + length + 1).ok_or(head.len() + 1)
}

fn rotations(head: &[u8], left: u32, key: u64) -> Known {
    let name = text(head, 0)?;
    let keys = u64::from(u32::from_le_bytes(field(head, name + 4)?));
    Ok(Step::next(name as u64 + 8 + keys * key, Record::Positions { left, key }))
}

fn positions(head: &[u8], left: u32, key: u64) -> Known {
    let keys = u64::from(u32::from_le_bytes(field(head, 0)?));
    Ok(Step::next(4 + keys * key, joint(left - 1, key)))
}

fn constraints(head: &[u8]) -> Known {
    Ok(Step::last(4 + u64::from(u32::from_le_bytes(field(head, 0)?)) * CONSTRAINT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPHERE: &[u8] = include_bytes!("../../tests/support/sculpt_maps/sphere.j2c");
    const GREY: &[u8] = include_bytes!("../../tests/support/sculpt_maps/grey.jp2");

    /// What is missing of these bytes, which go by in pieces of this size.
    fn cut(format: Format, bytes: &[u8], piece: usize) -> Option<Cut> {
        let mut extent = Extent::new(format);
        bytes.chunks(piece).for_each(|piece| extent.take(piece));
        extent.cut(bytes.len() as u64)
    }

    fn wave() -> Vec<u8> {
        let mut file = b"RIFF\x3d\0\0\0WAVEfmt \x10\0\0\0".to_vec();
        file.extend([0; 16]);
        file.extend(b"data\x19\0\0\0");
        file.extend([7; 25]);
        file
    }

    fn ogg() -> Vec<u8> {
        let page = |segments: &[u8]| {
            let mut page = b"OggS".to_vec();
            page.extend([0; 22]);
            page.push(segments.len() as u8);
            page.extend(segments);
            page.extend(segments.iter().flat_map(|&length| vec![1; length.into()]));
            page
        };
        [page(&[30]), page(&[255, 255, 9]), page(&[12])].concat()
    }

    fn motion() -> Vec<u8> {
        let mut file = [1_u16, 0].map(u16::to_le_bytes).concat();
        file.extend([0; 8]);
        file.extend(b"express_smile\0");
        file.extend([0; 24]);
        file.extend(2_u32.to_le_bytes());
        for (name, rotations, positions) in [("mPelvis\0", 3_u32, 2_u32), ("mHead\0", 700, 0)] {
            file.extend(name.as_bytes());
            file.extend([0; 4]);
            file.extend(rotations.to_le_bytes());
            file.extend(vec![9; rotations as usize * 8]);
            file.extend(positions.to_le_bytes());
            file.extend(vec![9; positions as usize * 8]);
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

    fn samples() -> Vec<(Format, Vec<u8>)> {
        vec![
            (Format::Jpeg2000, SPHERE.to_vec()),
            (Format::Jpeg2000, GREY.to_vec()),
            (Format::Wave, wave()),
            (Format::Ogg, ogg()),
            (Format::Animation, motion()),
            (Format::Tga, targa()),
        ]
    }

    #[test]
    fn whole_files_lack_nothing_however_they_pass() {
        for (format, file) in samples() {
            for piece in [1, 2, 7, 1000, usize::MAX] {
                assert_eq!(cut(format, &file, piece), None, "{format:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn cut_files_say_how_long_they_were() {
        for (format, file) in samples() {
            // Behind the last tile-part of an image stands only its end marker.
            let end = file.len() as u64 - if format == Format::Jpeg2000 { 2 } else { 0 };
            for piece in [1, 64, usize::MAX] {
                let found = cut(format, &file[..file.len() - 3], piece);
                assert!(
                    matches!(found, Some(Cut::Of(bytes)) if bytes >= end),
                    "{format:?}: {found:?} of {end}"
                );
            }
        }
    }

    #[test]
    fn a_jpeg_without_its_end_marker_was_cut() {
        let file = [&[0xff, 0xd8, 0xff, 0xe0][..], &[5; 50], &[0xff, 0xd9]].concat();
        for piece in [1, 2, 3, 100] {
            assert_eq!(cut(Format::Jpeg, &file, piece), None);
            assert_eq!(cut(Format::Jpeg, &file[..file.len() - 1], piece), Some(Cut::NoEnd));
        }
    }

    #[test]
    fn files_that_do_not_say_how_long_they_are_lack_nothing() {
        let mut streamed = wave();
        streamed[40..44].copy_from_slice(&[0xff; 4]);
        assert_eq!(cut(Format::Wave, &streamed, 9), None);
        let mut packed = targa();
        packed[2] = 10;
        assert_eq!(cut(Format::Tga, &packed[..30], 9), None);
        for format in [Format::Jpeg2000, Format::Ogg, Format::Wave, Format::Animation, Format::Jpeg] {
            assert_eq!(cut(format, b"<html>not found</html>", 5), None);
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            sample in 0..6_usize,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            length in any::<prop::sample::Index>(),
            piece in 1..3000_usize,
        ) {
            let (format, mut file) = samples().swap_remove(sample);
            changes.into_iter().for_each(|(at, byte)| {
                let at = at.index(file.len());
                file[at] = byte;
            });
            file.truncate(length.index(file.len()) + 1);
            prop_assert_eq!(cut(format, &file, piece), cut(format, &file, usize::MAX));
        }
    }
}
