//! A segment: one file of the content cache.
//!
//! The file begins with packed blocks of entries. The filter follows, then the table of blocks, and the rows of all
//! entries in the order of their keys. A trailer of fixed length ends it. Checksums cover each block and the index.

use super::KeyFilter;
use hullmark_util::{filter::Key, frames, lock::lock, named_file::open_regular};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const MAGIC: [u8; 8] = *b"hullmark";
/// Lengths of a row, of a block in the table, and of the trailer, bytes.
const ROW: usize = 28;
const BLOCK: usize = 24;
const TRAILER: usize = 80;
/// Most bytes of an unpacked block. A larger number is damage.
const MOST: u32 = 1 << 30;

/// The place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) key: Key,
    /// Number of its block.
    pub(super) block: u32,
    /// First byte in the unpacked block, and number of bytes.
    pub(super) start: u32,
    pub(super) length: u32,
}

/// The place of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// First byte in the file.
    pub(super) offset: u64,
    /// Bytes in the file, and unpacked.
    pub(super) packed: u32,
    pub(super) unpacked: u32,
    /// xxh3-64 of the bytes in the file.
    pub(super) checksum: u64,
}

/// The blocks and entries of a segment.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) blocks: Vec<Block>,
    /// In the order of their keys.
    pub(super) rows: Vec<Row>,
}

#[derive(Debug)]
pub(super) struct Segment {
    path: PathBuf,
    file: Mutex<File>,
    bytes: u64,
    filter: KeyFilter,
    trailer: Trailer,
    /// Read when it is needed first; `None` if it is damaged.
    index: OnceLock<Option<Index>>,
    used: AtomicBool,
}

/// The end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Trailer {
    settings: u128,
    /// First byte of the filter, which follows the blocks.
    start: u64,
    filter: u64,
    blocks: u64,
    rows: u64,
    /// Checksums of the filter, and of blocks and rows.
    filter_checksum: u64,
    index_checksum: u64,
}

impl Trailer {
    fn to_bytes(self) -> [u8; TRAILER] {
        let Self { settings, start, filter, blocks, rows, filter_checksum, index_checksum } = self;
        let numbers = [start, filter, blocks, rows, filter_checksum, index_checksum];
        let mut bytes = [0; TRAILER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..24].copy_from_slice(&settings.to_le_bytes());
        for (place, number) in bytes[24..72].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..72]);
        bytes[72..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `None` if these bytes are no intact trailer.
    fn from_bytes(bytes: &[u8; TRAILER]) -> Option<Self> {
        let mut rest = &bytes[24..];
        let mut number = || take::<8>(&mut rest).map(u64::from_le_bytes);
        let [start, filter, blocks, rows, filter_checksum, index_checksum, checksum] =
            [number()?, number()?, number()?, number()?, number()?, number()?, number()?];
        let settings = u128::from_le_bytes(bytes[8..24].try_into().ok()?);
        let intact = bytes.starts_with(&MAGIC) && checksum == xxh3_64(&bytes[..72]);
        intact.then_some(Self { settings, start, filter, blocks, rows, filter_checksum, index_checksum })
    }
}

impl Segment {
    /// Opens a segment with these settings.
    pub(super) fn open(path: &Path, settings: u128) -> io::Result<Self> {
        Self::of_file(path, open_regular(path)?, settings)
    }

    pub(super) fn of_file(path: &Path, mut file: File, settings: u128) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(bytes.saturating_sub(TRAILER as u64)))?;
        let mut trailer = [0; TRAILER];
        file.read_exact(&mut trailer)?;
        let trailer = Trailer::from_bytes(&trailer).filter(|trailer| trailer.settings == settings);
        let trailer = trailer.ok_or_else(damaged)?;
        let filter = read_at(&mut file, trailer.start, trailer.filter)?;
        let filter = Some(filter).filter(|filter| xxh3_64(filter) == trailer.filter_checksum);
        let filter = filter.and_then(KeyFilter::from_bytes).ok_or_else(damaged)?;
        let (index, used) = (OnceLock::new(), AtomicBool::new(false));
        Ok(Self { path: path.into(), file: Mutex::new(file), bytes, filter, trailer, index, used })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the blocks and entries. `None` if they are damaged.
    pub(super) fn index(&self) -> Option<&Index> {
        self.index.get_or_init(|| self.read_index().ok()).as_ref()
    }

    fn read_index(&self) -> io::Result<Index> {
        let Trailer { start, filter, blocks, rows, index_checksum, .. } = self.trailer;
        let lengths = [blocks.checked_mul(BLOCK as u64), rows.checked_mul(ROW as u64)];
        let [Some(blocks), Some(rows)] = lengths else { return Err(damaged()) };
        let bytes = read_at(&mut lock(&self.file), start + filter, blocks.saturating_add(rows))?;
        if xxh3_64(&bytes) != index_checksum {
            return Err(damaged());
        }
        let (mut blocks, mut rows) = bytes.split_at(blocks as usize);
        let blocks = std::iter::from_fn(|| {
            let offset = u64::from_le_bytes(take(&mut blocks)?);
            let packed = u32::from_le_bytes(take(&mut blocks)?);
            let unpacked = u32::from_le_bytes(take(&mut blocks)?);
            Some(Block { offset, packed, unpacked, checksum: u64::from_le_bytes(take(&mut blocks)?) })
        });
        let blocks = blocks.collect();
        let rows = std::iter::from_fn(|| {
            let key = u128::from_le_bytes(take(&mut rows)?);
            let mut number = || take(&mut rows).map(u32::from_le_bytes);
            Some(Row { key, block: number()?, start: number()?, length: number()? })
        });
        Ok(Index { blocks, rows: rows.collect() })
    }

    pub(super) fn find(&self, key: Key) -> Option<Row> {
        if !self.filter.may_have(key) {
            return None;
        }
        let rows = &self.index()?.rows;
        rows.binary_search_by_key(&key, |row| row.key).ok().map(|at| rows[at])
    }

    pub(super) fn packed(&self, block: &Block) -> io::Result<Vec<u8>> {
        let bytes = read_at(&mut lock(&self.file), block.offset, block.packed.into())?;
        match xxh3_64(&bytes) == block.checksum {
            true => Ok(bytes),
            false => Err(damaged()),
        }
    }

    pub(super) fn block(&self, number: u32) -> io::Result<Vec<u8>> {
        let block = self.index().and_then(|index| index.blocks.get(number as usize));
        let block = block.filter(|block| block.unpacked <= MOST).ok_or_else(damaged)?;
        unpack(&self.packed(block)?, block.unpacked)
    }

    pub(super) fn note_use(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// Sets the time of the last use if this run used an entry. If that fails, the segment is removed earlier.
    pub(super) fn touch(&self, now: SystemTime) {
        if self.used.load(Ordering::Relaxed) {
            // A file that is open for reading only cannot be changed on every system.
            let file = File::options().append(true).open(&self.path);
            let _ = file.and_then(|file| file.set_modified(now));
        }
    }
}

/// Writes the index and the trailer behind the blocks of a file.
pub(super) fn write_end(
    file: &mut impl Write,
    start: u64,
    settings: u128,
    mut index: Index,
) -> io::Result<()> {
    index.rows.sort_unstable();
    let filter = KeyFilter::new(index.rows.iter().map(|row| row.key));
    let mut bytes = Vec::new();
    for Block { offset, packed, unpacked, checksum } in &index.blocks {
        bytes.extend(offset.to_le_bytes());
        bytes.extend(packed.to_le_bytes());
        bytes.extend(unpacked.to_le_bytes());
        bytes.extend(checksum.to_le_bytes());
    }
    for Row { key, block, start, length } in &index.rows {
        bytes.extend(key.to_le_bytes());
        [block, start, length].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    let trailer = Trailer {
        settings,
        start,
        filter: filter.bytes().len() as u64,
        blocks: index.blocks.len() as u64,
        rows: index.rows.len() as u64,
        filter_checksum: xxh3_64(filter.bytes()),
        index_checksum: xxh3_64(&bytes),
    };
    file.write_all(filter.bytes())?;
    file.write_all(&bytes)?;
    file.write_all(&trailer.to_bytes())
}

pub(super) fn name(index: &Index) -> String {
    let mut keys: Vec<u8> = Vec::new();
    index.rows.iter().for_each(|row| keys.extend(row.key.to_le_bytes()));
    format!("{:032x}", xxh3_128(&keys))
}

/// Unpacks a block of this many bytes.
pub(super) fn unpack(packed: &[u8], bytes: u32) -> io::Result<Vec<u8>> {
    let mut block = Vec::with_capacity(bytes as usize);
    frames::read(packed).take(u64::from(bytes) + 1).read_to_end(&mut block)?;
    if block.len() == bytes as usize { Ok(block) } else { Err(damaged()) }
}

/// Reads bytes of a file. A wrong length cannot ask for more memory than the file has bytes.
pub(super) fn read_at(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    let read = file.take(length).read_to_end(&mut bytes)?;
    if read as u64 == length { Ok(bytes) } else { Err(damaged()) }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}
