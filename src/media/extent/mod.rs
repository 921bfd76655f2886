//! The stated length of an image, a sound or an animation, measured while its bytes pass.
//!
//! These formats are chains of records, and the head of each record gives the start of the next. A file that ends
//! earlier was cut. Only the heads are held, so an asset of any size takes a kilobyte.
//!
//! Bytes after the end of a chain are ignored, because exports pad. Some cuts cannot be detected:
//!
//! - A codestream may lack its end marker after the last tile-part. Decoders accept that, and many files lack it.
//! - A codestream that does not number its tile-parts may lack the later ones of a tile.
//! - The walk ends silently at a tile-part of 1 to 13 bytes, and at bytes that are not a record.
//! - In an Ogg file only the first stream is followed, up to the page marked as its last.
//! - A wave file from a program that streams states no length. An odd last chunk may lack its byte of padding.
//! - Data after the pixels of a Targa image has no effect.

mod animation;
mod image;
mod sound;
#[cfg(test)]
mod tests;

/// The longest head of a record: a joint with its name, or the size of a codestream with its channels.
const LONGEST_HEAD: usize = 1024;

/// The formats whose length can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG 2000: a codestream, or the boxes of a JP2 file around one.
    Jpeg2000,
    /// Targa. The packets of a compressed image give its length.
    Tga,
    /// JPEG. The data has an end marker but no length.
    Jpeg,
    /// The pages of an Ogg stream.
    Ogg,
    Wave,
    /// The binary keyframe motion of viewers (V `llkeyframemotion.cpp`, `LLKeyframeMotion::deserialize`).
    Animation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The file announces at least this many bytes.
    Of(u64),
    /// The end marker or the last record is missing, and the file states no length.
    NoEnd,
}

/// Follows the records of a file.
#[derive(Debug)]
pub struct Extent {
    record: Record,
    /// Position of the held head in the file.
    at: u64,
    head: Vec<u8>,
    /// Bytes to skip before the next head.
    skip: u64,
    /// The file length that the records so far require, in bytes.
    needs: u64,
}

/// The record that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Record {
    /// The first record of a file.
    First(Format),
    /// A box of a JP2 file.
    Box,
    /// The first two markers of a codestream.
    Codestream,
    /// A marker segment or a tile-part of a codestream. `tiles` tiles have not begun, and `parts` tile-parts of the
    /// others are missing.
    Marker { tiles: u64, parts: u64 },
    /// A marker segment of a JPEG, or of a tile-part without a length.
    Segment,
    /// Compressed data up to an end marker; `last` is the byte before.
    Data { last: u8 },
    /// A packet of a compressed Targa image; `left` pixels remain, of `pixel` bytes each.
    Packet { left: u64, pixel: u64 },
    /// A page of an Ogg stream.
    Page,
    /// A chunk of a wave file; `left` bytes remain, or `None` if the file does not state its length.
    Chunk { left: Option<u64> },
    /// A joint with its rotations; `left` joints remain, and a key takes `key` bytes.
    Rotations { left: u32, key: u64 },
    /// The positions of that joint.
    Positions { left: u32, key: u64 },
    /// The constraints of an animation.
    Constraints,
    /// No further record gives a length.
    End,
}

impl Record {
    /// Whether a file is cut if it ends before this record.
    fn must_come(self) -> bool {
        match self {
            Self::Marker { tiles, parts } => tiles > 0 || parts > 0,
            Self::Box | Self::Codestream | Self::Segment | Self::Data { .. } | Self::Page => true,
            _ => false,
        }
    }
}

/// The result of reading the head of a record.
enum Step {
    /// The head has at least this many bytes; 0 if the held bytes may not belong to a head.
    More(usize),
    /// At least `bytes` bytes follow. The next record begins `next` bytes after the start of this one.
    Next { bytes: u64, next: u64, record: Record },
    /// The walk ends here.
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
    /// Creates the extent of a file of this format, before its first byte.
    pub fn new(format: Format) -> Self {
        Self { record: Record::First(format), at: 0, head: Vec::new(), skip: 0, needs: 0 }
    }

    pub fn take(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() && self.record != Record::End {
            let skipped = piece.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            self.skip -= skipped as u64;
            piece = &piece[skipped..];
            if let Record::Data { last } = self.record {
                return self.take_data(last, piece);
            }
            let (head, rest) = piece.split_at(piece.len().min(LONGEST_HEAD - self.head.len()));
            self.head.extend_from_slice(head);
            piece = rest;
            self.follow();
        }
    }

    /// Follows the records whose heads are in memory.
    fn follow(&mut self) {
        let mut done = 0;
        while done < self.head.len() && self.record != Record::End {
            if let Record::Data { last } = self.record {
                let head = std::mem::take(&mut self.head);
                return self.take_data(last, &head[done..]);
            }
            let held = self.head.len() - done;
            match step(self.record, &self.head[done..]) {
                Step::More(bytes) if bytes <= LONGEST_HEAD && held < LONGEST_HEAD => break,
                Step::More(_) | Step::End => self.record = Record::End,
                Step::Next { bytes, next, record } => {
                    self.needs = self.needs.max(self.at.saturating_add(bytes));
                    self.at = self.at.saturating_add(next);
                    self.record = record;
                    let held = held.min(usize::try_from(next).unwrap_or(usize::MAX));
                    self.skip = next - held as u64;
                    done += held;
                }
            }
        }
        // Drain once at the end: a packet may take two bytes, and moving a kilobyte for each is slow.
        self.head.drain(..done);
    }

    /// Compressed data never contains 0xff 0xd9, so these two bytes are the end marker.
    fn take_data(&mut self, last: u8, piece: &[u8]) {
        let ends = (last == 0xff && piece.first() == Some(&0xd9))
            || piece.windows(2).any(|pair| pair == [0xff, 0xd9]);
        self.record = match piece.last() {
            _ if ends => Record::End,
            Some(&last) => Record::Data { last },
            None => self.record,
        };
    }

    /// Returns the missing part of a file of `bytes` bytes, after all of them were taken.
    pub fn cut(&self, bytes: u64) -> Option<Cut> {
        let needs = self.needs.max(self.begun());
        if needs > bytes { Some(Cut::Of(needs)) } else { self.record.must_come().then_some(Cut::NoEnd) }
    }

    /// Returns the file length that the incomplete last head requires.
    ///
    /// This is known only after all bytes were taken: more bytes may show that they do not belong to a head.
    fn begun(&self) -> u64 {
        if let Record::Chunk { left } = self.record {
            return left.map_or(0, |left| self.at.saturating_add(left));
        }
        match step(self.record, &self.head) {
            Step::More(bytes) if !self.head.is_empty() => self.at.saturating_add(bytes as u64),
            _ => 0,
        }
    }
}

/// Reads the head of a record, as far as its bytes are known.
fn step(record: Record, head: &[u8]) -> Step {
    let known = match record {
        Record::First(format) => first(format, head),
        Record::Box => image::jp2_box(head),
        Record::Codestream => image::codestream(head),
        Record::Marker { tiles, parts } => image::marker(head, tiles, parts),
        Record::Segment => image::segment(head),
        Record::Packet { left, pixel } => image::packet(head, left, pixel),
        Record::Page => sound::page(head),
        Record::Chunk { left } => sound::chunk(head, left),
        Record::Rotations { left, key } => animation::rotations(head, left, key),
        Record::Positions { left, key } => animation::positions(head, left, key),
        Record::Constraints => animation::constraints(head),
        Record::Data { .. } | Record::End => Ok(Step::End),
    };
    known.unwrap_or_else(Step::More)
}

/// A step, or the minimum number of bytes of the head.
type Known = Result<Step, usize>;

/// Returns bytes of the head, or the number of bytes that the head needs.
fn field<const N: usize>(head: &[u8], at: usize) -> Result<[u8; N], usize> {
    head.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(at + N)
}

/// Whether the head has this magic at `at`. A mismatch is known before all bytes are there.
fn has(head: &[u8], at: usize, magic: &[u8]) -> Result<bool, usize> {
    match head.get(at..).unwrap_or_default() {
        rest if rest.starts_with(magic) => Ok(true),
        rest if magic.starts_with(rest) => Err(at + magic.len()),
        _ => Ok(false),
    }
}

fn first(format: Format, head: &[u8]) -> Known {
    match format {
        Format::Jpeg2000 if has(head, 0, b"\0\0\0\x0cjP  ")? => image::jp2_box(head),
        Format::Jpeg2000 => image::codestream(head),
        Format::Jpeg if has(head, 0, &[0xff, 0xd8])? => Ok(Step::next(2, Record::Segment)),
        Format::Jpeg => Ok(Step::End),
        Format::Ogg => sound::page(head),
        Format::Wave => sound::wave(head),
        Format::Tga => image::targa(head),
        Format::Animation => animation::header(head),
    }
}
