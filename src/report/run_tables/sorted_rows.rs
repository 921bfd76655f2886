//! Rows of a table that wait in unnamed files until their order is known.

use crate::{packed_rows::pack, spool::Spool, table::Cell};
use hullmark_util::sorted_run::{Key, Run, RunWriter, merged};
use std::{
    io,
    mem::take,
    path::{Path, PathBuf},
};
use tempfile::SpooledTempFile;

/// Rows whose keys are in memory at once, 16 bytes each.
const KEYS: usize = 1 << 18;

/// Rows that are sorted by a number, the least first. Equal rows keep their order.
pub(super) struct SortedRows {
    rows: Spool,
    /// The number of each row, and its offset in the spool.
    keys: Vec<Key>,
    /// Sorted keys on the disk.
    runs: Vec<Run<0>>,
    /// Number of keys in memory, and the folder for the others. `None` without a limit.
    bound: Option<(usize, PathBuf)>,
    packed: Vec<u8>,
}

impl SortedRows {
    /// Creates an empty table in this file. Without a folder, all keys are in memory.
    pub(super) fn new(file: SpooledTempFile, folder: Option<&Path>) -> Self {
        let bound = folder.map(|folder| (KEYS, folder.to_owned()));
        Self { rows: Spool::new(file), keys: Vec::new(), runs: Vec::new(), bound, packed: Vec::new() }
    }

    pub(super) fn push(&mut self, order: u64, cells: &[Cell<'_>]) -> io::Result<()> {
        self.packed.clear();
        pack(cells, &mut self.packed);
        let offset = self.rows.push(&self.packed, None)?;
        let mut key = Key::default();
        key[..8].copy_from_slice(&order.to_be_bytes());
        key[8..].copy_from_slice(&offset.to_be_bytes());
        self.keys.push(key);
        match self.bound.clone() {
            Some((most, folder)) if self.keys.len() >= most => self.spill(&folder),
            _ => Ok(()),
        }
    }

    /// Writes the keys to the disk.
    fn spill(&mut self, folder: &Path) -> io::Result<()> {
        self.keys.sort_unstable();
        let mut writer = RunWriter::new(folder)?;
        take(&mut self.keys).into_iter().try_for_each(|key| writer.push(key, []))?;
        self.runs.push(writer.finish()?);
        Ok(())
    }

    /// Calls `then` with each row in order.
    pub(super) fn each(mut self, mut then: impl FnMut(Vec<Cell<'_>>) -> io::Result<()>) -> io::Result<()> {
        let mut at = |key: Key| {
            let [_, _, _, _, _, _, _, _, offset @ ..] = key;
            then(self.rows.at(u64::from_be_bytes(offset))?)
        };
        self.keys.sort_unstable();
        let Some((_, folder)) = self.bound.as_ref().filter(|_| !self.runs.is_empty()) else {
            return self.keys.into_iter().try_for_each(at);
        };
        let mut writer = RunWriter::new(folder)?;
        take(&mut self.keys).into_iter().try_for_each(|key| writer.push(key, []))?;
        self.runs.push(writer.finish()?);
        let mut all = merged(self.runs.into_iter(), folder)?.into_entries()?;
        all.try_for_each(|entry| at(entry?.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back_in_order_whether_their_keys_have_room_or_not(
            orders in prop::collection::vec(0..9_u64, 0..60),
            room in 1..20_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            for bound in [None, Some((room, folder.path().to_owned()))] {
                let mut rows = SortedRows::new(SpooledTempFile::new_in(9, folder.path()), None);
                rows.bound = bound;
                for (place, &order) in orders.iter().enumerate() {
                    rows.push(order, &[order.into(), place.into()]).unwrap();
                }
                let mut seen = Vec::new();
                let see = |row: Vec<Cell<'_>>| {
                    seen.push(format!("{row:?}"));
                    Ok(())
                };
                rows.each(see).unwrap();
                let mut expected: Vec<(u64, usize)> = orders.iter().copied().zip(0..).collect();
                expected.sort_unstable();
                let expected: Vec<String> =
                    expected.iter().map(|&(order, place)| format!("{:?}", [Cell::from(order), place.into()])).collect();
                prop_assert_eq!(seen, expected);
            }
        }
    }
}
