//! What stands first under each key, in bounded memory.
//!
//! A report over a grid meets hundreds of millions of keys, and each must be known until the end. Those that memory has no
//! room for stand in a file without a name, so that nothing of it stays however the run ends: a table of pages, of which a
//! key's hash names one. When one is full, the table is written anew with two pages in the place of each. So a key costs
//! one page read, and one written where it is new.

use std::{
    collections::BTreeMap,
    fs::File,
    hash::{BuildHasher, RandomState},
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// A UUID or a hash.
pub(super) type Key = [u8; 16];

/// What the system reads and writes at once.
const PAGE: usize = 4096;

/// The first value of each key.
#[derive(Debug)]
pub(super) struct First<const V: usize> {
    /// Those that are in memory.
    table: BTreeMap<Key, [u8; V]>,
    /// How many of them there may be, and the folder for the rest; nothing where there is no bound.
    bound: Option<(usize, PathBuf)>,
    /// The rest, once there is one.
    rest: Option<PagedTable<V>>,
}

impl<const V: usize> Default for First<V> {
    /// Without a bound.
    fn default() -> Self {
        Self { table: BTreeMap::new(), bound: None, rest: None }
    }
}

impl<const V: usize> First<V> {
    /// With so many bytes of memory, and the rest in this folder.
    pub(super) fn within(bytes: usize, folder: &Path) -> Self {
        // The nodes of the tree are two thirds full where keys come in no order.
        let key = (size_of::<Key>() + V) * 8 / 5;
        Self { bound: Some((bytes / key, folder.into())), ..Self::default() }
    }

    /// What stands under a key already; where nothing does, this value does from now on.
    ///
    /// # Errors
    /// What memory has no room for cannot be written to the disk, or not be read again.
    pub(super) fn meet(&mut self, key: Key, value: [u8; V]) -> io::Result<Option<[u8; V]>> {
        if let Some(first) = self.table.get(&key) {
            return Ok(Some(*first));
        }
        match &self.bound {
            Some((most, folder)) if self.table.len() >= *most => {
                let rest = match &mut self.rest {
                    Some(rest) => rest,
                    none => none.insert(PagedTable::new(folder)?),
                };
                rest.meet(key, value, folder)
            }
            _ => {
                self.table.insert(key, value);
                Ok(None)
            }
        }
    }
}

/// Keys and their values in a file of as many pages as a power of two. A page is a list of entries, each behind a byte that
/// is not zero.
#[derive(Debug)]
struct PagedTable<const V: usize> {
    file: File,
    bits: u32,
    /// Nobody outside knows which keys share a page, and could fill one.
    hasher: RandomState,
}

impl<const V: usize> PagedTable<V> {
    /// Bytes of an entry: the mark, the key and its value.
    const ENTRY: usize = 1 + size_of::<Key>() + V;

    fn new(folder: &Path) -> io::Result<Self> {
        let mut file = tempfile::tempfile_in(folder)?;
        file.write_all(&[0; PAGE])?;
        Ok(Self { file, bits: 0, hasher: RandomState::new() })
    }

    fn meet(&mut self, key: Key, value: [u8; V], folder: &Path) -> io::Result<Option<[u8; V]>> {
        loop {
            let start = self.page_of(&key, self.bits) * PAGE as u64;
            let mut page = [0; PAGE];
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut page)?;
            for (entry, number) in page.chunks_exact(Self::ENTRY).zip(0_u64..) {
                if entry[0] == 0 {
                    self.file.seek(SeekFrom::Start(start + number * Self::ENTRY as u64))?;
                    self.file.write_all(&[&[1], key.as_slice(), &value].concat())?;
                    return Ok(None);
                }
                if entry[1..].starts_with(&key) {
                    return Ok(entry.last_chunk().copied());
                }
            }
            self.grow(folder)?;
        }
    }

    /// Writes the table anew, with the entries of each page in two.
    fn grow(&mut self, folder: &Path) -> io::Result<()> {
        self.file.rewind()?;
        let mut from = BufReader::with_capacity(16 * PAGE, &self.file);
        let mut to = BufWriter::with_capacity(16 * PAGE, tempfile::tempfile_in(folder)?);
        for _ in 0..1_u64 << self.bits {
            let mut page = [0; PAGE];
            from.read_exact(&mut page)?;
            let mut halves = [Vec::new(), Vec::new()];
            for entry in page.chunks_exact(Self::ENTRY).take_while(|entry| entry[0] != 0) {
                let key = entry[1..].first_chunk().copied().unwrap_or_default();
                halves[self.page_of(&key, self.bits + 1) as usize & 1].extend(entry);
            }
            for mut half in halves {
                half.resize(PAGE, 0);
                to.write_all(&half)?;
            }
        }
        self.file = to.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.bits += 1;
        Ok(())
    }

    /// The page of a key: the first bits of its hash, so that the halves of a page stay side by side.
    fn page_of(&self, key: &Key, bits: u32) -> u64 {
        self.hasher.hash_one(key).unbounded_shr(u64::BITS - bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Keys near one another and far apart, as bytes in front and behind tell them.
    fn key(number: u16) -> Key {
        let mut key = [0; 16];
        key[usize::from(number % 16)] = (number >> 8) as u8;
        key[15] ^= number as u8;
        key
    }

    fn compare(numbers: &[u16], bytes: Option<usize>) -> Option<u32> {
        let folder = tempfile::tempdir().unwrap();
        let mut first = bytes.map_or_else(First::default, |bytes| First::within(bytes, folder.path()));
        let mut known: HashMap<Key, [u8; 4]> = HashMap::new();
        for (place, &number) in (0_u32..).zip(numbers) {
            let (key, value) = (key(number), place.to_le_bytes());
            assert_eq!(first.meet(key, value).unwrap(), known.get(&key).copied(), "{number} at {place}");
            known.entry(key).or_insert(value);
        }
        // The file has no name, so that nothing stays behind however a run ends.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        first.rest.map(|rest| rest.bits)
    }

    proptest! {
        #[test]
        fn what_is_first_does_not_depend_on_the_memory(numbers in prop::collection::vec(any::<u16>(), 0..200)) {
            for bytes in [Some(0), Some(300), Some(5_000), Some(1 << 20), None] {
                compare(&numbers, bytes);
            }
        }
    }

    #[test]
    fn the_table_grows_with_its_keys() {
        let numbers: Vec<u16> = (0..4_000_u32).map(|number| (number * 40_503) as u16).collect();
        // 195 keys fit into a page.
        let bits = compare(&numbers, Some(0)).unwrap();
        assert!((5..=7).contains(&bits), "{bits} bits");
        assert_eq!(compare(&numbers, Some(64 << 20)), None);
    }

    #[test]
    fn a_folder_that_is_gone_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = First::within(0, folder.path());
        drop(folder);
        assert!(first.meet([1; 16], [0; 4]).is_err());
    }
}
