//! Records diagnostics while a mesh is decoded.

use crate::defect::{Defect, Sort};
use std::collections::{BTreeSet, HashMap};

/// Maximum number of rows for equal defects of one block. The last row counts the rest.
pub(super) const FOLD: usize = 64;

/// Maximum number of rows of one kind in one asset, regardless of their text. The last row counts the rest.
const MOST: usize = 1024;

/// Defects and oddities of one asset. Their number is bounded for any asset.
#[derive(Debug, Default)]
pub(super) struct Notes {
    defects: Vec<Defect>,
    of_kind: HashMap<Sort, DefectRows>,
    /// DefectRows by block and text.
    alike: HashMap<(String, String), DefectRows>,
    oddities: BTreeSet<&'static str>,
}

/// The number of rows, and the index of the last one.
#[derive(Debug, Clone, Copy, Default)]
struct DefectRows {
    count: usize,
    last: usize,
}

impl DefectRows {
    fn add(&mut self, row: usize) {
        *self = Self { count: self.count + 1, last: row };
    }
}

impl Notes {
    /// Notes a defect: in a new row, or in the count of the last row with the same text.
    pub(super) fn find(&mut self, defect: Defect) {
        let of_kind = self.of_kind.entry(defect.kind.sort()).or_default();
        let key = (defect.place.within.to_string(), defect.says());
        let alike = self.alike.get(&key).copied().unwrap_or_default();
        let full = match (alike.count, of_kind.count) {
            (FOLD.., _) => Some(alike.last),
            (1.., MOST..) => Some(alike.last),
            (0, MOST..) => Some(of_kind.last),
            _ => None,
        };
        if let Some(row) = full {
            self.defects[row].count += defect.count;
            return;
        }
        let row = self.defects.len();
        of_kind.add(row);
        self.alike.entry(key).or_default().add(row);
        self.defects.push(defect);
    }

    /// Notes a harmless departure from the format by its fixed name.
    pub(super) fn odd(&mut self, name: &'static str) {
        self.oddities.insert(name);
    }

    /// Returns the defects in the order in which they were found, and the oddities.
    pub(super) fn finish(self) -> (Vec<Defect>, Vec<&'static str>) {
        (self.defects, self.oddities.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::MeshDefect;

    #[test]
    fn too_many_that_say_the_same_are_counted_and_hide_nothing_else() {
        let mut notes = Notes::default();
        for index in 0..1000 {
            notes.find(Defect::new(MeshDefect::SubmeshListMissing { list: "Position".into() }).index(index));
        }
        notes.find(Defect::new(MeshDefect::SubmeshListMissing { list: "TriangleList".into() }));
        notes.odd("b");
        notes.odd("a");
        notes.odd("b");
        let (defects, oddities) = notes.finish();
        assert_eq!(defects.len(), FOLD + 1);
        assert_eq!(defects[0].place.index, Some(0));
        assert_eq!(defects[FOLD - 1].count, 1000 - FOLD as u64 + 1);
        assert_eq!(defects[FOLD].kind, MeshDefect::SubmeshListMissing { list: "TriangleList".into() }.into());
        assert_eq!(defects.iter().map(|defect| defect.count).sum::<u64>(), 1001);
        assert_eq!(oddities, ["a", "b"]);
    }

    #[test]
    fn names_of_a_stranger_make_no_endless_list() {
        let mut notes = Notes::default();
        // Letters, because defects that differ only in numbers are equal.
        let name = |number: usize| number.to_string().bytes().map(|c| char::from(c + 49)).collect::<String>();
        for number in 0..5000 {
            notes.find(Defect::new(MeshDefect::BlocksOverlap { size: 1, other: name(number) }));
        }
        notes.find(Defect::new(MeshDefect::MissingMarker));
        let (defects, _) = notes.finish();
        assert_eq!(defects.len(), MOST + 1);
        assert_eq!(defects.iter().map(|defect| defect.count).sum::<u64>(), 5001);
        assert!(defects[MOST].is(MeshDefect::MissingMarker) && defects[MOST].count == 1);
    }
}
