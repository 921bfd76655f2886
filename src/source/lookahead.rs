//! A reader whose next bytes can be seen before they are read, at any place of a buffer.

use std::io::{self, BufRead, Read};

pub struct Lookahead<R> {
    reader: R,
    /// Bytes that were taken from the reader to be seen, and are not read yet.
    held: Vec<u8>,
}

impl<R> Lookahead<R> {
    pub const fn new(reader: R) -> Self {
        Self { reader, held: Vec::new() }
    }

    /// Returns the reader. It no longer has the bytes that were seen and not read.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<R: Read> Lookahead<R> {
    /// Whether the next bytes are these.
    pub fn begins_with(&mut self, bytes: &[u8]) -> io::Result<bool> {
        let missing = bytes.len().saturating_sub(self.held.len());
        (&mut self.reader).take(missing as u64).read_to_end(&mut self.held)?;
        Ok(self.held.starts_with(bytes))
    }
}

impl<R: Read> Read for Lookahead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.held.is_empty() {
            return self.reader.read(buffer);
        }
        let read = self.held.as_slice().read(buffer)?;
        self.held.drain(..read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Lookahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.held.is_empty() { self.reader.fill_buf() } else { Ok(&self.held) }
    }

    fn consume(&mut self, read: usize) {
        if self.held.is_empty() {
            self.reader.consume(read);
        } else {
            self.held.drain(..read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::BufReader;

    proptest! {
        /// Looking ahead changes no byte, in buffers of any size.
        #[test]
        fn what_was_seen_is_read(
            bytes in prop::collection::vec(0..3_u8, 0..40),
            buffer in 1..9_usize,
            steps in prop::collection::vec((0..4_u8, 0..6_usize), 0..20),
        ) {
            let mut ahead = Lookahead::new(BufReader::with_capacity(buffer, bytes.as_slice()));
            let mut read = Vec::new();
            for (step, length) in steps {
                let left = &bytes[read.len()..];
                match step {
                    0 => {
                        let next = &left[..length.min(left.len())];
                        prop_assert!(ahead.begins_with(next).unwrap());
                        prop_assert!(!ahead.begins_with(&[next, &[7]].concat()).unwrap());
                    }
                    1 => {
                        let mut piece = vec![0; length];
                        let count = ahead.read(&mut piece).unwrap();
                        read.extend(&piece[..count]);
                    }
                    2 => {
                        let piece = ahead.fill_buf().unwrap();
                        let count = length.min(piece.len());
                        read.extend(&piece[..count]);
                        ahead.consume(count);
                    }
                    _ => {
                        (&mut ahead).take(length as u64).read_to_end(&mut read).unwrap();
                    }
                }
                prop_assert_eq!(&read[..], &bytes[..read.len()]);
            }
            ahead.read_to_end(&mut read).unwrap();
            prop_assert_eq!(read, bytes);
        }
    }
}
