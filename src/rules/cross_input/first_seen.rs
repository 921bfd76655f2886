//! The first value of each key, in bounded memory.
//!
//! A report over a grid meets hundreds of millions of keys, and each must be remembered until the end. Keys beyond the
//! memory limit go to the disk as sorted runs. Each key is looked up before it is added, so it is stored only once, and
//! the runs need no order. A filter shows for nearly all new keys that no run has them.

use super::{
    bloom_filter::Filter,
    sorted_run::{Run, RunWriter, merged},
};
use std::{
    collections::BTreeMap,
    io,
    mem::take,
    path::{Path, PathBuf},
};

/// A UUID or a hash.
pub(super) type Key = [u8; 16];

/// Runs of one rank that become one of the next: so each key is written once for each power of them, and a key is looked
/// for in at most so many runs of each rank.
const MERGED: usize = 8;

/// The first value of each key.
#[derive(Debug, Default)]
pub(super) struct First<const V: usize> {
    /// Those that are in memory.
    table: BTreeMap<Key, [u8; V]>,
    /// What is done where they are too many; nothing where there is no bound.
    bound: Option<Bound>,
    /// Those that are not, the oldest run first: ranks never grow from one to the next.
    runs: Vec<Ranked<V>>,
    filter: Filter,
}

/// How much may be in memory, and where the rest goes.
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
    /// With so many bytes of memory, half for keys and half for the filter, and the rest in this folder.
    pub(super) fn within(bytes: usize, folder: &Path) -> Self {
        // The nodes of the tree are two thirds full where keys come in no order.
        let key = (size_of::<Key>() + V) * 8 / 5;
        let keys = (bytes / 2 / key).max(1);
        Self {
            bound: Some(Bound { keys, filter_bytes: bytes / 2, folder: folder.into() }),
            ..Self::default()
        }
    }

    /// What stands under a key already; where nothing does, this value does from now on.
    ///
    /// # Errors
    /// What memory has no room for cannot be written to the disk, or not be read again.
    pub(super) fn meet(&mut self, key: Key, value: [u8; V]) -> io::Result<Option<[u8; V]>> {
        if let Some(first) = self.table.get(&key) {
            return Ok(Some(*first));
        }
        if self.filter.may_hold(&key) {
            for Ranked { run, .. } in &mut self.runs {
                if let Some(first) = run.find(&key)? {
                    return Ok(Some(first));
                }
            }
        }
        self.table.insert(key, value);
        self.spill()?;
        Ok(None)
    }

    /// Writes what is in memory to the disk, where it is too much.
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

    /// Keys near one another and far apart, as bytes in front and behind tell them.
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
        // Runs have no names, so that nothing stays behind however a run ends.
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
