//! Sorted keys and values in an unnamed file, which the system removes however the run ends.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// A UUID, a hash, or a place in an order.
pub type Key = [u8; 16];

/// Keys that are read together. Only the first is in memory, which takes a sixteenth of a byte for each key.
const BLOCK: u64 = 256;

/// Keys with values of `V` bytes, in the order of the keys.
#[derive(Debug)]
pub struct Run<const V: usize> {
    file: File,
    index: Vec<Key>,
    keys: u64,
    block: Vec<u8>,
}

/// Writes a run.
pub struct RunWriter<const V: usize> {
    file: BufWriter<File>,
    index: Vec<Key>,
    keys: u64,
}

impl<const V: usize> RunWriter<V> {
    /// Creates an empty run on the disk of this folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile_in(folder)?), index: Vec::new(), keys: 0 })
    }

    /// Adds a key that is greater than those before it.
    pub fn push(&mut self, key: Key, value: [u8; V]) -> io::Result<()> {
        if self.keys.is_multiple_of(BLOCK) {
            self.index.push(key);
        }
        self.keys += 1;
        self.file.write_all(&key)?;
        self.file.write_all(&value)
    }

    /// Ends the run.
    pub fn finish(self) -> io::Result<Run<V>> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Run { file, index: self.index, keys: self.keys, block: Vec::new() })
    }
}

impl<const V: usize> Run<V> {
    /// Bytes of a key and its value.
    const ENTRY: usize = size_of::<Key>() + V;

    /// Returns the value of a key. `None` if the run does not contain the key.
    pub fn find(&mut self, key: &Key) -> io::Result<Option<[u8; V]>> {
        let Some(block) = self.index.partition_point(|first| first <= key).checked_sub(1) else {
            return Ok(None);
        };
        let first = block as u64 * BLOCK;
        let keys = BLOCK.min(self.keys - first);
        self.block.resize(keys as usize * Self::ENTRY, 0);
        self.file.seek(SeekFrom::Start(first * Self::ENTRY as u64))?;
        self.file.read_exact(&mut self.block)?;
        let entries: Vec<&[u8]> = self.block.chunks_exact(Self::ENTRY).collect();
        let found = entries.binary_search_by(|entry| entry[..key.len()].cmp(key));
        Ok(found.ok().and_then(|place| entries[place].last_chunk().copied()))
    }

    /// Returns all keys in their order, with their values.
    pub fn into_entries(mut self) -> io::Result<impl Iterator<Item = io::Result<(Key, [u8; V])>>> {
        self.file.rewind()?;
        let mut file = BufReader::with_capacity(1 << 16, self.file);
        Ok((0..self.keys).map(move |_| {
            let (mut key, mut value) = (Key::default(), [0; V]);
            file.read_exact(&mut key)?;
            file.read_exact(&mut value)?;
            Ok((key, value))
        }))
    }
}

/// Merges runs without a common key into one.
pub fn merged<const V: usize>(runs: impl Iterator<Item = Run<V>>, folder: &Path) -> io::Result<Run<V>> {
    let mut writer = RunWriter::new(folder)?;
    // The next key of each run, with its value and the rest of the run.
    let mut next = BTreeMap::new();
    for run in runs {
        let mut entries = run.into_entries()?;
        if let Some((key, value)) = entries.next().transpose()? {
            next.insert(key, (value, entries));
        }
    }
    while let Some((key, (value, mut entries))) = next.pop_first() {
        writer.push(key, value)?;
        if let Some((key, value)) = entries.next().transpose()? {
            next.insert(key, (value, entries));
        }
    }
    writer.finish()
}
