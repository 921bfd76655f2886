use std::io::{self, BufReader, Read};

/// A stream that gives at most `most` bytes at once.
pub struct Drip<'a> {
    bytes: &'a [u8],
    most: usize,
}

impl<'a> Drip<'a> {
    /// Returns a buffered reader of these bytes, with a buffer of `most` bytes.
    pub fn buffered(bytes: &'a [u8], most: usize) -> BufReader<Self> {
        BufReader::with_capacity(most, Self { bytes, most })
    }
}

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.most);
        self.bytes.read(&mut buffer[..most])
    }
}
