//! Members of containers: where their bytes are, and how they are packed.
//!
//! A container may have a million members, so only their places are kept. A member is found by the hash of its path.

use super::{bytes::Bytes, zip};
use crate::Stamp;
use flate2::{Crc, read::DeflateDecoder};
use hullmark_util::zstd::ZstdStream;
use std::{
    collections::HashMap,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// Most bytes of a member that are read at a time.
const BUFFER: usize = 32 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Stored,
    Deflated,
    Zstd,
}

/// Why a member cannot be unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("it is encrypted: unpack the zip with its password, and name the files")]
    Encrypted,
    #[error("it is packed by method {0}: unpack the zip, and name the files, or pack it with deflate")]
    Method(u16),
    #[error("its bytes are beyond the end of the zip: the directory is damaged")]
    Beyond,
    #[error("it shares its bytes with another member, as in a zip bomb")]
    Shared,
    #[error("its name has {0} bytes, which is above the limit (`name_bytes`)")]
    LongName(u16),
}

/// Where a member is in its container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberPlace {
    /// Where its bytes begin: at its header in a zip, else at its data.
    pub start: u64,
    /// Bytes in the container, without a header.
    pub packed: u64,
    /// Bytes after unpacking, as the container states them.
    pub size: u64,
    /// The stated checksum. `None` if the container has none.
    pub crc: Option<u32>,
    /// How it is packed, or why it cannot be unpacked.
    pub packing: Result<Packing, Refused>,
    /// Whether a header of a zip is before the data.
    pub has_header: bool,
}

#[derive(Debug)]
pub struct Listed {
    pub name: String,
    pub place: MemberPlace,
}

/// How the listing of a container ended.
#[derive(Debug, Default)]
pub struct ListingEnd {
    /// Why the container could not be read to its end.
    pub broken: Option<String>,
    /// Number of members if there are more than may be listed.
    pub over: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct Packed {
    container: Bytes,
    place: MemberPlace,
}

impl Packed {
    /// The packed bytes, without a header.
    fn data(&self) -> io::Result<Bytes> {
        let MemberPlace { start, packed, has_header, .. } = self.place;
        let bytes = self.container.part(start, u64::MAX);
        let header = if has_header { zip::data_start(&bytes)? } else { 0 };
        Ok(bytes.part(header, packed))
    }

    /// Opens the member. Its size and checksum are checked at its end.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let packing = self.place.packing.map_err(io::Error::other)?;
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
        let Some(crc) = self.place.crc else { return Ok(unpacked) };
        Ok(Box::new(Checked { unpacked, size: self.place.size, crc, read: 0, hash: Crc::new() }))
    }

    /// Returns the bytes of a member that is not packed, to be read from any place.
    pub fn stored(&self) -> Option<Bytes> {
        (self.place.packing == Ok(Packing::Stored)).then(|| self.data().ok()).flatten()
    }
}

/// The members of a container and of all containers in it, by their paths.
#[derive(Debug, Default)]
pub struct Members {
    /// The containers: their paths and their bytes.
    containers: Vec<(PathBuf, Bytes)>,
    /// Each member, with the number of its container.
    places: Vec<(u32, MemberPlace)>,
    /// The numbers of members by the hashes of their paths. No two members have one hash.
    numbers: HashMap<u64, u32>,
    /// The stamp of the outermost container.
    stamp: Option<Stamp>,
}

impl Members {
    /// Creates the empty list of a container with this stamp.
    pub fn new(stamp: Option<Stamp>) -> Self {
        Self { stamp, ..Self::default() }
    }

    /// Adds a container. Returns its number.
    pub fn add_container(&mut self, path: &Path, bytes: Bytes) -> u32 {
        self.containers.push((path.to_owned(), bytes));
        (self.containers.len() - 1) as u32
    }

    /// Whether there is a member at this path, or one with the same key.
    pub fn has(&self, path: &Path) -> bool {
        self.numbers.contains_key(&key(path))
    }

    /// Adds a member at a new path.
    pub fn add(&mut self, path: &Path, container: u32, place: MemberPlace) {
        self.numbers.insert(key(path), self.places.len() as u32);
        self.places.push((container, place));
    }

    /// Returns the member at a place of a container that was added.
    pub fn packed(&self, container: u32, place: MemberPlace) -> Packed {
        Packed { container: self.containers[container as usize].1.clone(), place }
    }

    pub fn get(&self, path: &Path) -> Option<Packed> {
        let (container, place) = self.place(path)?;
        Some(self.packed(container, place))
    }

    pub fn own_stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Returns the stamp of the member at a path.
    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        let (container, place) = self.place(path)?;
        let (folder, _) = self.containers.get(container as usize)?;
        let name = path.as_os_str().as_encoded_bytes().get(folder.as_os_str().len() + 1..)?;
        self.stamp_of(std::str::from_utf8(name).ok()?, &place)
    }

    /// Returns the stamp of a member with this name in its container.
    pub fn stamp_of(&self, name: &str, place: &MemberPlace) -> Option<Stamp> {
        self.stamp.map(|stamp| stamp.of_member(name, place.size, place.crc))
    }

    fn place(&self, path: &Path) -> Option<(u32, MemberPlace)> {
        self.places.get(*self.numbers.get(&key(path))? as usize).copied()
    }
}

pub fn key(path: &Path) -> u64 {
    xxh3_64(path.as_os_str().as_encoded_bytes())
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
