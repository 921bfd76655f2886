//! Writes segments.

use super::{
    EXTENSION, START,
    segment::{self, Block, Index, Row, Segment},
    temporary,
};
use hullmark_util::{filter::Key, frames};
use std::{
    collections::HashSet,
    io::{self, Write},
    mem,
    path::PathBuf,
};
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of entries that are packed together.
const BLOCK: usize = 128 * 1024;
/// Bytes of blocks after which a segment ends. A segment is removed as a whole.
const SEGMENT: u64 = 64 << 20;

#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    settings: u128,
    block: OpenBlock,
    /// Keys of this segment, including the open block.
    keys: HashSet<Key>,
    /// `None` before the first block.
    file: Option<NamedTempFile>,
    bytes: u64,
    index: Index,
}

/// Entries that are not packed. The rows lack the number of the block.
#[derive(Debug, Default)]
pub(super) struct OpenBlock {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

#[derive(Debug)]
pub(super) struct PackedBlock {
    bytes: Vec<u8>,
    unpacked: u32,
    rows: Vec<Row>,
}

impl OpenBlock {
    pub(super) fn pack(self) -> PackedBlock {
        let Self { bytes, rows } = self;
        PackedBlock { bytes: frames::pack(&bytes), unpacked: bytes.len() as u32, rows }
    }
}

impl Writer {
    pub(super) fn new(folder: PathBuf, settings: u128) -> Self {
        let (block, index) = Default::default();
        Self { folder, settings, block, keys: HashSet::new(), file: None, bytes: 0, index }
    }

    /// Adds an entry. Returns the block if it is full.
    pub(super) fn add(&mut self, key: Key, entry: &[u8]) -> Option<OpenBlock> {
        let (start, length) = (self.block.bytes.len(), entry.len());
        let fits = u32::try_from(start + length).is_ok();
        if !fits || !self.keys.insert(key) {
            return None;
        }
        self.block.bytes.extend_from_slice(entry);
        self.block.rows.push(Row { key, block: 0, start: start as u32, length: length as u32 });
        (self.block.bytes.len() >= BLOCK).then(|| mem::take(&mut self.block))
    }

    /// Writes a block. Returns the segment if it is complete.
    pub(super) fn write(&mut self, block: PackedBlock) -> io::Result<Option<Segment>> {
        let PackedBlock { bytes, unpacked, rows } = block;
        let number = self.index.blocks.len() as u32;
        self.push(&bytes, unpacked)?;
        self.index.rows.extend(rows.into_iter().map(|row| Row { block: number, ..row }));
        if self.bytes >= SEGMENT { self.close() } else { Ok(None) }
    }

    fn push(&mut self, bytes: &[u8], unpacked: u32) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let mut file = temporary(&self.folder)?;
                file.write_all(START)?;
                self.bytes = START.len() as u64;
                file
            }
        };
        if let Err(error) = file.write_all(bytes) {
            // The file ends in a part of a block. The next block begins another file.
            self.index = Index::default();
            return Err(error);
        }
        self.file = Some(file);
        let (offset, packed, checksum) = (self.bytes, bytes.len() as u32, xxh3_64(bytes));
        self.index.blocks.push(Block { offset, packed, unpacked, checksum });
        self.bytes += u64::from(packed);
        Ok(())
    }

    /// Appends the blocks of another segment as they are.
    pub(super) fn append(&mut self, segment: &Segment) -> io::Result<Option<Segment>> {
        let Some(index) = segment.index() else { return Ok(None) };
        let first = self.index.blocks.len() as u32;
        for block in &index.blocks {
            self.push(&segment.packed(block)?, block.unpacked)?;
        }
        for row in &index.rows {
            if self.keys.insert(row.key) {
                self.index.rows.push(Row { block: first + row.block, ..*row });
            }
        }
        if self.bytes >= SEGMENT { self.close() } else { Ok(None) }
    }

    /// Completes and publishes the segment. `None` if nothing was added.
    pub(super) fn finish(&mut self) -> io::Result<Option<Segment>> {
        if !self.block.rows.is_empty() {
            let block = mem::take(&mut self.block).pack();
            if let Some(segment) = self.write(block)? {
                return Ok(Some(segment));
            }
        }
        self.close()
    }

    /// Publishes the blocks that were written.
    fn close(&mut self) -> io::Result<Option<Segment>> {
        let Some(mut file) = self.file.take() else { return Ok(None) };
        let (index, bytes) = (mem::take(&mut self.index), mem::take(&mut self.bytes));
        // The open block belongs to the next segment.
        self.keys = self.block.rows.iter().map(|row| row.key).collect();
        let name = format!("{}.{EXTENSION}", segment::name(&index));
        segment::write_end(&mut file, bytes, self.settings, index)?;
        file.flush()?;
        let path = self.folder.join(name);
        let file = file.persist(&path)?;
        Segment::of_file(&path, file, self.settings).map(Some)
    }
}
