//! Detects whether the files of an input are unchanged since they were read.

use crate as storage;
use hullmark_util::deadline::Deadline;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{
    borrow::Cow,
    cmp::Ordering,
    env, fmt,
    fs::{self, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use walkdir::DirEntry;
use xxhash_rust::xxh3::Xxh3;

/// A hash that identifies a state of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp(u128);

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = Cow::<'_, str>::deserialize(deserializer)?;
        u128::from_str_radix(&digits, 16).map(Self).map_err(D::Error::custom)
    }
}

impl Stamp {
    /// Creates the stamp of a file from its path, size and time of change, the values that rsync compares.
    pub fn of_file(path: &Path, meta: &Metadata) -> Option<Self> {
        let changed = meta.modified().ok()?;
        let mut hash = Xxh3::new();
        write_path(&mut hash, path);
        hash.update(&meta.len().to_le_bytes());
        // Files changed before 1970 also have a time.
        match changed.duration_since(UNIX_EPOCH) {
            Ok(after) => hash.update(&after.as_nanos().to_le_bytes()),
            Err(before) => hash.update(&(!before.duration().as_nanos()).to_le_bytes()),
        }
        Some(Self(hash.digest128()))
    }

    /// Creates the stamp of an object from its URL, its size and the store's tag of its state.
    pub fn of_object(url: &Path, bytes: u64, state: &str) -> Self {
        let mut hash = Xxh3::new();
        write_path(&mut hash, url);
        hash.update(&bytes.to_le_bytes());
        hash.update(state.as_bytes());
        Self(hash.digest128())
    }

    /// Creates the stamp of several stamps in order; `None` if one of them is missing.
    pub fn of_all(stamps: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        let mut hash = Xxh3::new();
        for stamp in stamps {
            hash.update(&stamp?.0.to_le_bytes());
        }
        Some(Self(hash.digest128()))
    }

    /// Returns the stamp of the same files, read with other knowledge.
    pub fn with(self, digest: u128) -> Self {
        let mut hash = Xxh3::new();
        hash.update(&self.0.to_le_bytes());
        hash.update(&digest.to_le_bytes());
        Self(hash.digest128())
    }

    /// Creates the stamp of a member of a container from that of the container.
    pub fn of_member(self, name: &str, bytes: u64, crc: Option<u32>) -> Self {
        let mut hash = Xxh3::new();
        hash.update(&self.0.to_le_bytes());
        hash.update(&bytes.to_le_bytes());
        hash.update(&crc.unwrap_or_default().to_le_bytes());
        hash.update(name.as_bytes());
        Self(hash.digest128())
    }

    /// Creates the stamp of a file in its current state.
    pub fn of_file_now(path: &Path) -> Option<Self> {
        Self::of_file(path, &fs::metadata(path).ok()?)
    }

    /// Creates the stamp of the file of this program. Another build of the same version may give other results.
    pub fn of_this_program() -> Option<Self> {
        Self::of_file_now(&env::current_exe().ok()?)
    }

    /// Creates the stamp of a file or an object from all of its bytes.
    ///
    /// # Errors If it cannot be read.
    pub fn of_bytes(path: &Path, bytes: u64, stamp: Option<Self>) -> io::Result<Self> {
        hash_file(path, bytes, stamp).map(Self)
    }

    /// Creates the stamp of several files from their paths and all of their bytes.
    ///
    /// # Errors If a file cannot be read.
    pub fn of_bytes_of_all<'p>(
        files: impl Iterator<Item = (&'p Path, u64, Option<Self>)>,
    ) -> io::Result<Self> {
        let mut hash = Xxh3::new();
        for (path, bytes, stamp) in files {
            write_path(&mut hash, path);
            // Opening a pipe or a device could block forever.
            if storage::is_url(path) || fs::metadata(path)?.is_file() {
                hash.update(&hash_file(path, bytes, stamp)?.to_le_bytes());
            }
        }
        Ok(Self(hash.digest128()))
    }

    /// Creates the stamp of an archive from all bytes of its stream.
    ///
    /// # Errors If it cannot be read.
    pub fn of_stream(stream: impl Read) -> io::Result<Self> {
        hash_bytes(stream).map(Self)
    }

    /// Creates the stamp of an archive from the hash of its bytes.
    pub fn of_hash(content_hash: &str) -> Option<Self> {
        u128::from_str_radix(content_hash, 16).ok().map(Self)
    }
}

/// Compares entries of one folder by file name. Their paths differ only in the name, so they need not be split.
pub fn by_path(one: &DirEntry, other: &DirEntry) -> Ordering {
    one.path().as_os_str().cmp(other.path().as_os_str())
}

/// Returns the xxh3-128 hash of a file or an object.
fn hash_file(path: &Path, bytes: u64, stamp: Option<Stamp>) -> io::Result<u128> {
    hash_bytes(storage::open(path, bytes, stamp, Deadline::default())?)
}

/// Returns the xxh3-128 hash of all bytes.
fn hash_bytes(mut file: impl Read) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.digest128()),
            read => hash.update(&buffer[..read]),
        }
    }
}

/// Hashes the absolute path: a relative one means another file in another folder.
fn write_path(hash: &mut Xxh3, path: &Path) {
    let whole = whole(path);
    let bytes = whole.as_os_str().as_encoded_bytes();
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// Returns the absolute path. A URL is already absolute.
pub fn whole(path: &Path) -> PathBuf {
    if storage::is_url(path) {
        return path.to_owned();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
