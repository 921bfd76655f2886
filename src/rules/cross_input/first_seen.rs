//! The first value of each key, in bounded memory.
//!
//! A report over a grid has hundreds of millions of keys, and must remember each until the end. Keys beyond the memory
//! limit go to the disk as sorted runs. Each key is looked up before it is added, so it is stored only once, and the
//! runs need no order. For nearly all new keys, a filter shows that no run contains them.

use super::bloom_filter::Filter;
use hullmark_util::sorted_run::{Key, Run, RunWriter, merged};
use std::{
    collections::BTreeMap,
    io,
    mem::take,
    path::{Path, PathBuf},
};

/// Number of runs of one rank that are merged into one of the next rank. So each key is written once for each rank, and
/// a lookup reads fewer than this many runs of each rank.
const MERGED: usize = 8;

#[derive(Debug, Default)]
pub(super) struct First<const V: usize> {
    table: BTreeMap<Key, [u8; V]>,
    /// The memory limit. `None` if there is no limit.
    bound: Option<Bound>,
    /// The keys on the disk, the oldest run first. Ranks never grow from one run to the next.
    runs: Vec<Ranked<V>>,
    filter: Filter,
}

/// The memory limit, and the folder for the other keys.
#[derive(Debug)]
struct Bound {
    keys: usize,
    filter_bytes: usize,
    folder: PathBuf,
}

#[derive(Debug)]
struct Ranked<const V: usize> {
    rank: u32,
    run: Run<V>,
}

impl<const V: usize> First<V> {
    /// Creates a map with this many bytes of memory, half for keys and half for the filter. The folder takes the other
    /// keys.
    pub(super) fn within(bytes: usize, folder: &Path) -> Self {
        // The nodes of the tree are two thirds full if keys arrive in random order.
        let key = (size_of::<Key>() + V) * 8 / 5;
        let keys = (bytes / 2 / key).max(1);
        Self {
            bound: Some(Bound { keys, filter_bytes: bytes / 2, folder: folder.into() }),
            ..Self::default()
        }
    }

    /// Returns the value of a known key. Otherwise stores this value and returns `None`.
    ///
    /// # Errors
    /// Keys beyond the memory limit cannot be written to the disk or read from it.
    pub(super) fn meet(&mut self, key: Key, value: [u8; V]) -> io::Result<Option<[u8; V]>> {
        let first = self.find(&key)?;
        if first.is_none() {
            self.table.insert(key, value);
            self.spill()?;
        }
        Ok(first)
    }

    /// Returns the value of a known key.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub(super) fn find(&mut self, key: &Key) -> io::Result<Option<[u8; V]>> {
        if let Some(first) = self.table.get(key) {
            return Ok(Some(*first));
        }
        if self.filter.may_hold(key) {
            for Ranked { run, .. } in &mut self.runs {
                if let Some(first) = run.find(key)? {
                    return Ok(Some(first));
                }
            }
        }
        Ok(None)
    }

    /// Writes the keys to the disk if the memory limit is reached.
    fn spill(&mut self) -> io::Result<()> {
        let Some(Bound { filter_bytes, folder, .. }) =
            self.bound.as_ref().filter(|bound| self.table.len() >= bound.keys)
        else {
            return Ok(());
        };
        if self.runs.is_empty() {
            self.filter = Filter::with_bytes(*filter_bytes);
        }
        let mut writer = RunWriter::new(folder)?;
        for (key, value) in take(&mut self.table) {
            self.filter.add(&key);
            writer.push(key, value)?;
        }
        let mut last = Ranked { rank: 0, run: writer.finish()? };
        while let Some(first) = self.runs.len().checked_sub(MERGED - 1)
            && self.runs[first].rank == last.rank
        {
            let runs = self.runs.drain(first..).map(|ranked| ranked.run).chain([last.run]);
            last = Ranked { rank: last.rank + 1, run: merged(runs, folder)? };
        }
        self.runs.push(last);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Creates keys that are close together or far apart, by their first and last bytes.
    fn key(number: u16) -> Key {
        let mut key = [0; 16];
        key[usize::from(number % 16)] = (number >> 8) as u8;
        key[15] ^= number as u8;
        key
    }

    fn compare(numbers: &[u16], bytes: Option<usize>) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let mut first = bytes.map_or_else(First::default, |bytes| First::within(bytes, folder.path()));
        let mut known: HashMap<Key, [u8; 4]> = HashMap::new();
        for (place, &number) in (0_u32..).zip(numbers) {
            let (key, value) = (key(number), place.to_le_bytes());
            assert_eq!(first.meet(key, value).unwrap(), known.get(&key).copied(), "{number} at {place}");
            known.entry(key).or_insert(value);
        }
        // Runs are unnamed files, so none remains, however a run ends.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        first.runs.len()
    }

    proptest! {
        #[test]
        fn the_first_occurrence_does_not_depend_on_the_memory(numbers in prop::collection::vec(any::<u16>(), 0..200)) {
            for bytes in [Some(0), Some(300), Some(5_000), Some(1 << 20), None] {
                compare(&numbers, bytes);
            }
        }
    }

    #[test]
    fn runs_are_merged_and_stay_few() {
        let numbers: Vec<u16> = (0..4_000_u32).map(|number| (number * 40_503) as u16).collect();
        // One key for each run: 4,000 in base eight has four digits, each at most seven runs.
        let runs = compare(&numbers, Some(0));
        assert!((1..=4 * 7).contains(&runs), "{runs} runs");
        assert_eq!(compare(&numbers, Some(64 << 20)), 0);
    }

    #[test]
    fn a_folder_that_is_gone_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = First::within(0, folder.path());
        drop(folder);
        assert!(first.meet([1; 16], [0; 4]).is_err());
    }
}
