//! The tables that name the files of FSAssets stores, joined from all databases of a run.
//!
//! A tree of files has no UUIDs and no types. Databases are read before trees, so a tree is read with this table.

use hullmark_format::hashed_file::FileHash;
use hullmark_ledger::{
    Ledger,
    facts::{Status, StoreRow},
};
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3;

/// All rows, sorted by hash.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StoreTable {
    rows: Vec<StoreRow>,
    /// Whether every database was read to its end. If not, a file may have a row that is not here.
    pub is_whole: bool,
    /// Whether the run has one tree. If it has several, a file that one lacks may be in another.
    pub has_one_tree: bool,
}

impl StoreTable {
    /// Creates an empty table for this many trees.
    pub fn for_trees(trees: usize) -> Self {
        Self { rows: Vec::new(), is_whole: true, has_one_tree: trees == 1 }
    }

    pub fn add(&mut self, ledger: &Ledger) {
        self.rows.extend(&ledger.store_rows);
        self.is_whole &= ledger.status == Status::Complete || !ledger.is_database();
    }

    /// Sorts the rows, after the last one. `None` without rows.
    pub fn finish(mut self) -> Option<Self> {
        self.rows.sort_unstable();
        self.rows.dedup();
        self.rows.shrink_to_fit();
        (!self.rows.is_empty()).then_some(self)
    }

    pub fn of(&self, hash: FileHash) -> &[StoreRow] {
        let start = self.rows.partition_point(|row| row.hash < hash);
        let rows = &self.rows[start..];
        &rows[..rows.partition_point(|row| row.hash == hash)]
    }

    /// Returns the places of the rows whose hashes begin with these hexadecimal digits.
    pub fn places(&self, digits: &str) -> Range<usize> {
        let [first, last] = FileHash::range(digits);
        let start = self.rows.partition_point(|row| row.hash < first);
        start..self.rows.partition_point(|row| row.hash <= last)
    }

    pub fn at(&self, places: Range<usize>) -> &[StoreRow] {
        self.rows.get(places).unwrap_or_default()
    }

    /// Returns a hash of the rows whose hashes begin with these digits, and of the other conditions of its evaluation.
    pub fn digest(&self, digits: &str) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(&[self.is_whole.into(), self.has_one_tree.into()]);
        for row in self.at(self.places(digits)) {
            hash.update(&row.hash.0);
            hash.update(row.uuid.as_bytes());
            hash.update(&row.asset_type.to_le_bytes());
        }
        hash.digest128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_ledger::InputKind;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn table(rows: &[(u8, u8, u128)]) -> Option<StoreTable> {
        let mut ledger = Ledger::empty("a.sql", InputKind::Dump, Status::Complete);
        ledger.store_rows = rows.iter().map(|&(first, second, uuid)| row(first, second, uuid)).collect();
        let mut table = StoreTable::for_trees(1);
        table.add(&ledger);
        table.finish()
    }

    fn row(first: u8, second: u8, uuid: u128) -> StoreRow {
        let mut hash = [7; 32];
        (hash[0], hash[1]) = (first, second);
        StoreRow { hash: FileHash(hash), uuid: Uuid::from_u128(uuid), asset_type: 49 }
    }

    #[test]
    fn no_rows_are_no_table() {
        assert_eq!(table(&[]), None);
    }

    #[test]
    fn a_row_changes_the_digest_of_its_folder_alone() {
        let before = table(&[(0xab, 1, 1), (0xcd, 2, 2)]).unwrap();
        let after = table(&[(0xab, 1, 1), (0xcd, 2, 2), (0xcd, 0x30, 3)]).unwrap();
        assert_eq!(before.digest("AB"), after.digest("ab"));
        assert_eq!(before.digest("CD0"), after.digest("CD0"));
        assert_ne!(before.digest("CD"), after.digest("CD"));
        assert_ne!(before.digest("CD3"), after.digest("CD3"));
        assert_ne!(before.digest(""), after.digest(""));
    }

    proptest! {
        #[test]
        fn rows_are_found_by_hash_and_by_digits(
            rows in prop::collection::vec((0..4_u8, 0..20_u8, 0..9_u128), 1..60),
            first in 0..5_u8,
        ) {
            let table = table(&rows).unwrap();
            let mut expected: Vec<StoreRow> = rows.iter().map(|&(a, b, uuid)| row(a, b, uuid)).collect();
            expected.sort_unstable();
            expected.dedup();
            for second in 0..21 {
                let hash = row(first, second, 0).hash;
                let of: Vec<StoreRow> = expected.iter().filter(|row| row.hash == hash).copied().collect();
                prop_assert_eq!(table.of(hash), of);
            }
            let under: Vec<StoreRow> = expected.iter().filter(|row| row.hash.0[0] == first).copied().collect();
            prop_assert_eq!(table.at(table.places(&format!("{first:02x}"))), under);
        }
    }
}
