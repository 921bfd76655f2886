//! Members of containers: where their bytes are, and how they are packed.

use super::{bytes::Bytes, zip};
use crate::zstd::ZstdStream;
use flate2::{Crc, read::DeflateDecoder};
use std::{
    io::{self, BufReader, Read},
    ops::Range,
};

/// Most bytes of a member that are read at a time.
const BUFFER: usize = 32 * 1024;

/// How the bytes of a member are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Stored,
    /// As a raw stream of deflate.
    Deflated,
    /// As frames of zstd.
    Zstd,
}

/// A member of a container.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Its path in the container.
    pub name: String,
    /// Bytes after unpacking, as the container states them.
    pub size: u64,
    /// Bytes in the container.
    pub packed: u64,
    /// The stated checksum. `None` if the container has none.
    pub crc: Option<u32>,
    /// Its bytes in the container. With `has_header` they begin at its header.
    pub bytes: Bytes,
    /// How it is packed, or why it cannot be unpacked.
    pub packing: Result<Packing, String>,
    /// Whether a header of a zip is before the data.
    pub has_header: bool,
    /// Where its bytes are in the container.
    pub place: Range<u64>,
}

/// The members of a container.
#[derive(Debug, Default)]
pub struct Members {
    /// The files among them, in the order of the container.
    pub list: Vec<Packed>,
    /// Why the container could not be read to its end.
    pub broken: Option<String>,
    /// Number of members if there are more than may be listed.
    pub over: Option<u64>,
}

impl Packed {
    /// The packed bytes, without a header.
    fn data(&self) -> io::Result<Bytes> {
        let start = if self.has_header { zip::data_start(&self.bytes)? } else { 0 };
        Ok(self.bytes.part(start, self.packed))
    }

    /// Opens the member. Its size and checksum are checked at its end.
    ///
    /// # Errors
    /// It cannot be unpacked, or the container cannot be read.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let packing = self.packing.as_ref().map_err(|why| io::Error::other(why.clone()))?;
        let data = self.data()?.open()?;
        let unpacked: Box<dyn Read + Send> = match packing {
            Packing::Stored => Box::new(data),
            Packing::Deflated => {
                // A container may have many small members, between whose names large buffers would leave gaps.
                let buffer = data.length().clamp(1, BUFFER as u64) as usize;
                Box::new(DeflateDecoder::new_with_buf(data, vec![0; buffer]))
            }
            Packing::Zstd => Box::new(ZstdStream::new(BufReader::new(data))),
        };
        let Some(crc) = self.crc else { return Ok(unpacked) };
        Ok(Box::new(Checked { unpacked, size: self.size, crc, read: 0, hash: Crc::new() }))
    }

    /// Returns the bytes of a member that is not packed, to be read from any place.
    pub fn stored(&self) -> Option<Bytes> {
        (self.packing == Ok(Packing::Stored)).then(|| self.data().ok()).flatten()
    }
}

/// Compares the size and the checksum of a member with those that its container states.
struct Checked<R> {
    unpacked: R,
    size: u64,
    crc: u32,
    read: u64,
    hash: Crc,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacked.read(buffer)?;
        self.read += read as u64;
        self.hash.update(&buffer[..read]);
        let is_end = read == 0 && !buffer.is_empty();
        let wrong = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        if self.read > self.size || is_end && self.read < self.size {
            let (read, size) = (self.read, self.size);
            let more = if read > size { "at least " } else { "" };
            return wrong(format!("it has {more}{read} bytes in its container, which states {size}"));
        }
        if is_end && self.hash.sum() != self.crc {
            return wrong("its checksum in its container is wrong: it is damaged".into());
        }
        Ok(read)
    }
}
