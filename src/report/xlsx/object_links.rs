//! Which object a finding is about.

use crate::report::{
    table::{Cell, Key, Table},
    tables::{findings::key as finding, objects::key as object},
};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// The objects of one input, by entry and root. Findings come behind the objects of their input, so that no more
/// have to be known at a time.
#[derive(Default)]
pub(super) struct Places(HashMap<u64, u64>);

impl Places {
    /// Another input begins.
    pub(super) fn forget(&mut self) {
        // Not cleared: one large input would hold its memory to the end.
        self.0 = HashMap::new();
    }

    /// Takes in an object and its number. Of several with one UUID a finding leads to the first.
    pub(super) fn add(&mut self, row: &[Cell<'_>], number: u64) {
        if let Some(key) = hash(object::ENTRY, object::OBJECT_UUID, row) {
            self.0.entry(key).or_insert(number);
        }
    }

    /// The number of the object that a finding is about.
    pub(super) fn find(&self, row: &[Cell<'_>]) -> Option<u64> {
        self.0.get(&hash(finding::ENTRY, finding::OBJECT_UUID, row)?).copied()
    }
}

/// A hash: two objects with the same are as good as impossible, and would cost no more than a link to the wrong one.
fn hash<T: Table>(entry: Key<T>, root: Key<T>, row: &[Cell<'_>]) -> Option<u64> {
    let (entry, root) = (entry.text(row), root.text(row));
    (!root.is_empty()).then(|| xxh3_64(format!("{root}\n{entry}").as_bytes()))
}
