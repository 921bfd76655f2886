//! What is noted while a mesh is decoded.

use crate::finding::{Code, Finding};
use std::collections::{BTreeSet, HashMap};

/// Rows for findings of one asset that say the same of the same block: the last one counts those that come after it.
pub(super) const FOLD: usize = 64;

/// Rows of one code in one asset, whatever they say: the last one counts those that come after it.
const MOST: usize = 1024;

/// Findings and oddities of one asset, bounded whatever the asset holds.
#[derive(Debug, Default)]
pub(super) struct Notes {
    findings: Vec<Finding>,
    of_code: HashMap<Code, Rows>,
    /// By code, block and what is said.
    alike: HashMap<(Code, String, String), Rows>,
    oddities: BTreeSet<&'static str>,
}

/// How many rows there are, and which is the last.
#[derive(Debug, Clone, Copy, Default)]
struct Rows {
    count: usize,
    last: usize,
}

impl Rows {
    fn add(&mut self, row: usize) {
        *self = Self { count: self.count + 1, last: row };
    }
}

impl Notes {
    /// Notes a finding: as a row, or in the count of the last row that says the same.
    pub(super) fn find(&mut self, finding: Finding) {
        let of_code = self.of_code.entry(finding.code).or_default();
        let key = (finding.code, finding.place.within.to_string(), finding.says());
        let alike = self.alike.get(&key).copied().unwrap_or_default();
        let full = match (alike.count, of_code.count) {
            (FOLD.., _) => Some(alike.last),
            (1.., MOST..) => Some(alike.last),
            (0, MOST..) => Some(of_code.last),
            _ => None,
        };
        if let Some(row) = full {
            self.findings[row].count += finding.count;
            return;
        }
        let row = self.findings.len();
        of_code.add(row);
        self.alike.entry(key).or_default().add(row);
        self.findings.push(finding);
    }

    /// Notes a departure that does no harm, by its fixed name.
    pub(super) fn odd(&mut self, name: &'static str) {
        self.oddities.insert(name);
    }

    /// The findings in the order they were made, and the oddities.
    pub(super) fn finish(self) -> (Vec<Finding>, Vec<&'static str>) {
        (self.findings, self.oddities.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(notes: Notes) -> Vec<(Code, u64)> {
        notes.finish().0.iter().map(|finding| (finding.code, finding.count)).collect()
    }

    #[test]
    fn too_many_that_say_the_same_are_counted_and_hide_nothing_else() {
        let mut notes = Notes::default();
        for index in 0..1000 {
            let finding = Finding::new(Code::MSH015).index(index);
            notes.find(finding.detail(format!("submesh {index} has no Position")));
        }
        notes.find(Finding::new(Code::MSH015).detail("joint_names is missing"));
        notes.odd("b");
        notes.odd("a");
        notes.odd("b");
        let (findings, oddities) = notes.finish();
        assert_eq!(findings.len(), FOLD + 1);
        assert_eq!(findings[0].place.index, Some(0));
        assert_eq!(findings[FOLD - 1].count, 1000 - FOLD as u64 + 1);
        assert_eq!(findings[FOLD].detail, "joint_names is missing");
        assert_eq!(findings.iter().map(|finding| finding.count).sum::<u64>(), 1001);
        assert_eq!(oddities, ["a", "b"]);
    }

    #[test]
    fn names_of_a_stranger_make_no_endless_list() {
        let mut notes = Notes::default();
        // Letters, because numbers alone make no difference.
        let name = |number: usize| number.to_string().bytes().map(|c| char::from(c + 49)).collect::<String>();
        for number in 0..5000 {
            notes.find(Finding::new(Code::MSH002).detail(name(number)));
        }
        notes.find(Finding::new(Code::MSH016).detail("other"));
        let counts = counts(notes);
        assert_eq!(counts.len(), MOST + 1);
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 5001);
        assert_eq!(counts[MOST], (Code::MSH016, 1));
    }
}
