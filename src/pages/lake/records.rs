//! Records in a file that is compressed with gzip, whose checksum shows damage.

use super::{LakeError, damaged};
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use hullmark_storage as storage;
use serde::{Deserialize, Serialize};
use std::{
    io::{self, BufRead, BufReader, Cursor, Read, Write},
    path::{Path, PathBuf},
};

/// Writes records.
pub(super) struct RecordWriter<W: Write>(GzEncoder<W>);

impl<W: Write> RecordWriter<W> {
    pub(super) fn new(file: W) -> Self {
        Self(GzEncoder::new(file, Compression::fast()))
    }

    pub(super) fn push(&mut self, record: &impl Serialize) -> io::Result<()> {
        write(&mut self.0, record)
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}

/// Writes one record as it is.
pub(super) fn write(to: &mut impl Write, record: &impl Serialize) -> io::Result<()> {
    // Not JSON: findings and sums have plain numbers, and JSON would lose one that is not finite. Names of fields are
    // written, because fields without a value may be left out.
    rmp_serde::encode::write_named(to, record).map_err(io::Error::other)
}

/// Reads one record as it is.
pub(super) fn read<T: for<'de> Deserialize<'de>>(from: &mut impl Read) -> io::Result<T> {
    rmp_serde::from_read(from).map_err(io::Error::other)
}

/// Reads records. The compressed file is in memory: there may be more shards than a process may open files.
pub(super) struct RecordReader {
    path: PathBuf,
    bytes: BufReader<MultiGzDecoder<Cursor<Vec<u8>>>>,
}

impl RecordReader {
    pub(super) fn open(path: PathBuf) -> Result<Self, LakeError> {
        let bytes = storage::read(&path).map_err(|error| damaged(&path, &error))?;
        Ok(Self { path, bytes: BufReader::new(MultiGzDecoder::new(Cursor::new(bytes))) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the next record. `None` after the last one, whose checksum was checked.
    pub(super) fn next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<Option<T>, LakeError> {
        let path: &Path = &self.path;
        let is_end = self.bytes.fill_buf().map_err(|error| damaged(path, &error))?.is_empty();
        if is_end {
            return Ok(None);
        }
        read(&mut self.bytes).map(Some).map_err(|error| damaged(path, &error))
    }
}
