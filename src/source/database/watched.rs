//! A stream that ends at the deadline, however many bytes its source unpacks from few.

use super::super::Deadline;
use std::io::{self, BufRead, Read};

/// Bytes between two looks at the deadline. They pass in a few milliseconds.
const BYTES: usize = 64 * 1024;

/// The bytes of a dump, up to a limit.
pub(super) struct Watched<R> {
    bytes: R,
    deadline: Deadline,
    /// Bytes up to the limit.
    left: u64,
    /// Bytes up to the next look.
    unseen: usize,
    /// Bytes of the current buffer that are left, and the last bytes of all buffers so far.
    buffered: usize,
    tail: Vec<u8>,
}

/// Bytes at the end that are kept. A program that fails says so there.
const TAIL: usize = 1024;

impl<R> Watched<R> {
    pub(super) fn new(bytes: R, deadline: Deadline, most: u64) -> Self {
        Self { bytes, deadline, left: most, unseen: 0, buffered: 0, tail: Vec::new() }
    }

    /// Returns the source, and the last bytes that it gave.
    pub(super) fn into_inner(self) -> (R, Vec<u8>) {
        (self.bytes, self.tail)
    }
}

impl<R: BufRead> BufRead for Watched<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Ok(&[]);
        }
        if self.unseen == 0 {
            self.deadline.check()?;
            self.unseen = BYTES;
        }
        let bytes = self.bytes.fill_buf()?;
        if self.buffered == 0 {
            self.buffered = bytes.len();
            self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
            self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.unseen);
        Ok(&bytes[..bytes.len().min(most)])
    }

    fn consume(&mut self, bytes: usize) {
        self.bytes.consume(bytes);
        self.left -= bytes as u64;
        self.unseen -= bytes;
        self.buffered -= bytes;
    }
}

impl<R: BufRead> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let read = bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::BufReader,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    #[test]
    fn a_stream_ends_at_its_limit_and_at_a_signal() {
        let signal = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::default().or_signal(Arc::clone(&signal));
        let mut whole = Vec::new();
        Watched::new(&[7; 200_000][..], deadline.clone(), 150_000).read_to_end(&mut whole).unwrap();
        assert_eq!(whole.len(), 150_000);
        let mut text = Watched::new(BufReader::with_capacity(7, &b"0123456789"[..]), Deadline::default(), 99);
        text.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(text.into_inner().1, b"0123456789");
        let mut endless = Watched::new(BufReader::new(io::repeat(7)), deadline, u64::MAX);
        endless.read_exact(&mut [0; 100]).unwrap();
        signal.store(true, Ordering::Relaxed);
        let mut read = 0;
        let error = loop {
            match endless.fill_buf() {
                Ok(bytes) => {
                    let bytes = bytes.len();
                    read += bytes;
                    endless.consume(bytes);
                }
                Err(error) => break error,
            }
        };
        assert!(hullmark_util::deadline::is_over(&error) && read <= BYTES, "{read}");
    }
}
