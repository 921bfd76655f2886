//! Which object a finding is about.

use super::column::Column;
use crate::report::{
    table::{Cell, Head, Table},
    tables::{findings::Findings, objects::Objects},
};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// The objects of one input, by entry and root. Findings come behind the objects of their input, so that no more
/// have to be known at a time.
pub(super) struct Places {
    /// The columns of an object and of a finding that tell which it is.
    object: [Column; 2],
    finding: [Column; 2],
    numbers: HashMap<u64, u64>,
}

impl Places {
    /// None yet.
    pub(super) fn new(heads: &[Head]) -> Self {
        let columns = |table| {
            let head = heads.iter().find(|head| head.name == table);
            ["entry", "object_uuid"].map(|name| head.map_or(Column::NONE, |head| Column::of(head, name)))
        };
        let (object, finding) = (columns(Objects::NAME), columns(Findings::NAME));
        Self { object, finding, numbers: HashMap::new() }
    }

    /// Another input begins.
    pub(super) fn forget(&mut self) {
        // Not cleared: one large input would hold its memory to the end.
        self.numbers = HashMap::new();
    }

    /// Takes in an object and its number. Of several with one UUID a finding leads to the first.
    pub(super) fn add(&mut self, object: &[Cell<'_>], number: u64) {
        if let Some(key) = key(self.object, object) {
            self.numbers.entry(key).or_insert(number);
        }
    }

    /// The number of the object that a finding is about.
    pub(super) fn find(&self, finding: &[Cell<'_>]) -> Option<u64> {
        let key = key(self.finding, finding)?;
        self.numbers.get(&key).copied()
    }
}

/// A hash: two objects with the same are as good as impossible, and would cost no more than a link to the wrong one.
fn key([entry, root]: [Column; 2], row: &[Cell<'_>]) -> Option<u64> {
    let (entry, root) = (entry.text(row), root.text(row));
    (!root.is_empty()).then(|| xxh3_64(format!("{root}\n{entry}").as_bytes()))
}
