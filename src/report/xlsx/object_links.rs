//! Links from findings to objects.

use super::spool::Offset;
use crate::{
    table::{Cell, Key, Table},
    tables::{findings::key as finding, objects::key as object},
};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Places of the objects of one input in their spool, by entry and root prim. Findings follow the objects of their input.
#[derive(Default)]
pub(super) struct Places(HashMap<u64, Offset>);

impl Places {
    /// Starts the next input.
    pub(super) fn forget(&mut self) {
        // A new map, because a cleared one would keep the memory of a large input to the end.
        self.0 = HashMap::new();
    }

    /// Adds an object. Of several with the same UUID, the first is linked.
    pub(super) fn add(&mut self, row: &[Cell<'_>], place: Offset) {
        if let Some(key) = hash(object::ENTRY, object::OBJECT_UUID, row) {
            self.0.entry(key).or_insert(place);
        }
    }

    /// Returns the place of the object of a finding.
    pub(super) fn find(&self, row: &[Cell<'_>]) -> Option<Offset> {
        self.0.get(&hash(finding::ENTRY, finding::OBJECT_UUID, row)?).copied()
    }
}

/// Returns a hash. A collision is very unlikely, and would only create a wrong link.
fn hash<T: Table>(entry: Key<T>, root: Key<T>, row: &[Cell<'_>]) -> Option<u64> {
    let (entry, root) = (entry.text(row), root.text(row));
    (!root.is_empty()).then(|| xxh3_64(format!("{root}\n{entry}").as_bytes()))
}
