//! Inflates zlib streams, for all decoders.
//!
//! A foreign stream may be cut, damaged, or a bomb. This module reports which, and the position. OpenSim skips the
//! first two bytes and never checks the checksum at the end. So streams that only OpenSim can read are distinguished
//! from streams that no reader accepts.

use flate2::{Decompress, FlushDecompress, Status};
use serde::{Deserialize, Serialize};
use std::{cell::Cell, ops::Range};

/// A larger buffer is freed after use, so that one bomb does not leave such a buffer in every thread.
const KEEP: usize = 8 << 20;

/// Initial size of the output buffer, in bytes. It doubles as needed.
const FIRST: usize = 16 << 10;

/// How a stream ended. `produced` is the number of bytes inflated up to then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum End {
    /// The stream is complete and correct.
    Complete,
    /// All data is present, but a strict reader (the viewer) refuses the stream. OpenSim reads it.
    Flawed(Flaw),
    /// The stream is invalid from the input byte `at` on.
    Corrupt { at: usize, produced: usize },
    /// The input ends before the stream does.
    Truncated { produced: usize },
    /// The output exceeds the limit.
    OverLimit,
    /// The output exceeds the memory of this process.
    NoMemory,
}

/// A flaw around complete data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flaw {
    /// The Adler-32 after the data does not match the data.
    WrongChecksum,
    /// The input ends within the four bytes of the Adler-32, or before them.
    MissingChecksum,
    /// The first two bytes are not a zlib header.
    WrongHeader,
}

/// The output of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inflated<'a> {
    /// The data; empty unless the stream is complete or flawed.
    pub bytes: &'a [u8],
    /// How the stream ended.
    pub end: End,
    /// Bytes of input after the end of the stream.
    pub trailing: usize,
}

/// An inflater with a buffer that it reuses.
#[derive(Debug)]
pub struct Inflater {
    stream: Decompress,
    buffer: Vec<u8>,
    filled: usize,
}

impl Default for Inflater {
    fn default() -> Self {
        Self { stream: Decompress::new(true), buffer: Vec::new(), filled: 0 }
    }
}

thread_local! {
    static SCRATCH: Cell<Option<Inflater>> = const { Cell::new(None) };
}

/// Lends this thread's inflater to `work`. A nested call gets another one.
pub fn with<R>(work: impl FnOnce(&mut Inflater) -> R) -> R {
    let mut inflater = SCRATCH.take().unwrap_or_default();
    let result = work(&mut inflater);
    if inflater.buffer.len() > KEEP {
        inflater.buffer = Vec::new();
    }
    SCRATCH.set(Some(inflater));
    result
}

/// Returns at most `most` bytes of the zlib stream that these bytes begin. Fewer if the stream is damaged or shorter.
pub fn start(input: &[u8], most: usize) -> Vec<u8> {
    let mut head = Vec::with_capacity(most);
    // Bytes before a fault are valid.
    let _ = Decompress::new(true).decompress_vec(input, &mut head, FlushDecompress::Sync);
    head
}

/// Why the decompressor stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Ended,
    Faulty,
    Starved,
    Full,
    NoMemory,
}

impl Inflater {
    /// Inflates the zlib stream at the start of `input` to at most `limit` bytes.
    pub fn inflate(&mut self, input: &[u8], limit: u64) -> Inflated<'_> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let stop = self.run(input, limit, true);
        let (at, produced) = (self.consumed(), self.filled);
        match stop {
            Stop::Ended => self.whole(End::Complete, input.len() - at),
            Stop::Full => Inflated { bytes: &[], end: End::OverLimit, trailing: 0 },
            Stop::NoMemory => Inflated { bytes: &[], end: End::NoMemory, trailing: 0 },
            Stop::Faulty | Stop::Starved => {
                if let Some((flaw, trailing)) = self.tolerate(input, limit) {
                    return self.whole(End::Flawed(flaw), trailing);
                }
                let end = if stop == Stop::Faulty {
                    End::Corrupt { at, produced }
                } else {
                    End::Truncated { produced }
                };
                Inflated { bytes: &[], end, trailing: 0 }
            }
        }
    }

    fn whole(&self, end: End, trailing: usize) -> Inflated<'_> {
        Inflated { bytes: &self.buffer[..self.filled], end, trailing }
    }

    fn consumed(&self) -> usize {
        self.stream.total_in() as usize
    }

    /// Reads as OpenSim does: skips two bytes and checks no checksum. Returns the flaw that a strict reader reports,
    /// and the number of bytes after the stream.
    fn tolerate(&mut self, input: &[u8], limit: usize) -> Option<(Flaw, usize)> {
        let (header, deflated) = input.split_at_checked(2)?;
        if self.run(deflated, limit, false) != Stop::Ended {
            return None;
        }
        let rest = &deflated[self.consumed()..];
        let matches = rest.first_chunk().map(|stated| u32::from_be_bytes(*stated) == self.adler32());
        let flaw = match (is_zlib_header(header), matches) {
            (true, Some(false)) => Flaw::WrongChecksum,
            (true, None) => Flaw::MissingChecksum,
            (_, Some(true)) => Flaw::WrongHeader,
            // Any bytes can look like deflated data by chance. Without a valid header or checksum the stream counts as
            // corrupt.
            (false, _) => return None,
        };
        Some((flaw, rest.len().saturating_sub(4)))
    }

    /// Runs the decompressor over `input`. The output buffer grows in steps that depend only on this call. So the
    /// position of a fault does not depend on earlier streams.
    fn run(&mut self, input: &[u8], limit: usize, zlib: bool) -> Stop {
        self.stream.reset(zlib);
        self.filled = 0;
        let mut room = input.len().saturating_mul(4).max(FIRST);
        loop {
            // One byte more than the limit shows whether output is left.
            let Range { start, end } = self.filled..room.min(limit.saturating_add(1));
            if let Some(more) = end.checked_sub(self.buffer.len()) {
                if self.buffer.try_reserve_exact(more).is_err() {
                    return Stop::NoMemory;
                }
                self.buffer.resize(end, 0);
            }
            let before = self.consumed();
            let output = &mut self.buffer[start..end];
            let result = self.stream.decompress(&input[before..], output, FlushDecompress::None);
            self.filled = self.stream.total_out() as usize;
            match result {
                Err(_) => return Stop::Faulty,
                Ok(_) if self.filled > limit => return Stop::Full,
                Ok(Status::StreamEnd) => return Stop::Ended,
                Ok(_) if self.filled == end => room = room.saturating_mul(2),
                Ok(_) if self.consumed() == before && self.filled == start => return Stop::Starved,
                Ok(_) => {}
            }
        }
    }

    /// Adler-32 of the output (RFC 1950, section 9).
    fn adler32(&self) -> u32 {
        let (mut a, mut b) = (1_u32, 0_u32);
        // 5552 is the largest number of bytes before a sum can overflow.
        for chunk in self.buffer[..self.filled].chunks(5552) {
            for &byte in chunk {
                a += u32::from(byte);
                b += a;
            }
            a %= 65_521;
            b %= 65_521;
        }
        b << 16 | a
    }
}

/// Whether these two bytes can begin a zlib stream without preset dictionary (RFC 1950, 2.2).
fn is_zlib_header(header: &[u8]) -> bool {
    let &[method, flags] = header else { return false };
    method & 0x0f == 8
        && method >> 4 <= 7
        && flags & 0x20 == 0
        && u16::from_be_bytes([method, flags]) % 31 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).expect("memory takes all");
        encoder.finish().expect("memory takes all")
    }

    fn end(input: &[u8], limit: u64) -> (End, usize, usize) {
        let mut inflater = Inflater::default();
        let inflated = inflater.inflate(input, limit);
        (inflated.end, inflated.bytes.len(), inflated.trailing)
    }

    fn noise(length: usize) -> Vec<u8> {
        (0..length as u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    #[test]
    fn a_whole_stream_comes_out_whole_and_its_tail_is_counted() {
        let data = noise(100_000);
        let mut stream = zlib(&data);
        stream.extend(b"tail");
        let mut inflater = Inflater::default();
        // Twice, because the inflater is reused.
        for _ in 0..2 {
            let inflated = inflater.inflate(&stream, 100_000);
            assert_eq!((inflated.end, inflated.trailing), (End::Complete, 4));
            assert!(inflated.bytes == data);
        }
        assert_eq!(end(&zlib(b""), 0), (End::Complete, 0, 0));
    }

    #[test]
    fn a_wrong_checksum_is_reported_and_the_data_kept() {
        let mut stream = zlib(b"some data");
        let last = stream.len() - 1;
        stream[last] ^= 1;
        assert_eq!(end(&stream, 100), (End::Flawed(Flaw::WrongChecksum), 9, 0));
        stream.push(0);
        assert_eq!(end(&stream, 100), (End::Flawed(Flaw::WrongChecksum), 9, 1));
        assert_eq!(end(&stream[..last - 1], 100), (End::Flawed(Flaw::MissingChecksum), 9, 0));
    }

    #[test]
    fn a_wrong_header_is_reported_where_the_checksum_vouches_for_the_data() {
        let mut stream = zlib(b"some data");
        stream[0] = 0;
        assert_eq!(end(&stream, 100), (End::Flawed(Flaw::WrongHeader), 9, 0));
        let last = stream.len() - 1;
        stream[last] ^= 1;
        assert!(matches!(end(&stream, 100).0, End::Corrupt { .. }));
    }

    #[test]
    fn damage_says_where_and_how_much_came_out() {
        let mut stream = zlib(&noise(50_000));
        let middle = stream.len() / 2;
        assert!(matches!(end(&stream[..middle], 1 << 20).0, End::Truncated { produced } if produced > 1000));
        // A block of the reserved type.
        stream.truncate(2);
        stream.extend([0b111, 0, 0, 0, 0]);
        assert!(matches!(end(&stream, 100), (End::Corrupt { at: 2..=4, produced: 0 }, 0, 0)));
        assert_eq!(end(b"", 100).0, End::Truncated { produced: 0 });
        assert_eq!(end(b"\x78", 100).0, End::Truncated { produced: 0 });
        assert!(matches!(end(b"{\0\0\0\x01k", 100).0, End::Corrupt { .. }));
    }

    #[test]
    fn where_damage_is_seen_does_not_depend_on_earlier_use() {
        let mut stream = zlib(&noise(50_000));
        let middle = stream.len() / 2;
        stream[middle] ^= 0x55;
        let fresh = end(&stream, 1 << 20);
        let mut used = Inflater::default();
        used.inflate(&zlib(&noise(300_000)), 1 << 20);
        assert_eq!(used.inflate(&stream, 1 << 20).end, fresh.0);
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let stream = zlib(&vec![0; 1 << 22]);
        assert_eq!(end(&stream, (1 << 22) - 1), (End::OverLimit, 0, 0));
        assert_eq!(end(&stream, 1 << 22), (End::Complete, 1 << 22, 0));
        assert_eq!(end(&stream, 0), (End::OverLimit, 0, 0));
        let mut inflater = Inflater::default();
        inflater.inflate(&stream, 100_000);
        assert!(inflater.buffer.len() <= 100_001);
    }

    #[test]
    fn a_thread_has_one_inflater_and_calls_may_nest() {
        let stream = zlib(b"x");
        let nested = with(|outer| {
            let inner = with(|inner| inner.inflate(&stream, 9).bytes.to_vec());
            (outer.inflate(&stream, 9).bytes.to_vec(), inner)
        });
        assert_eq!(nested, (b"x".to_vec(), b"x".to_vec()));
    }
}
