//! A list of findings that one hostile file cannot make too long.

use super::{Code, Finding, Place};
use std::{collections::BTreeMap, ops::Deref};

/// Findings, at most so many rows of each code: the last of them stands for all that came later, so that none is
/// ever lost from a count.
#[derive(Debug)]
pub struct Capped {
    list: Vec<Finding>,
    rows: BTreeMap<Code, Rows>,
    most: usize,
}

/// Without a bound.
impl Default for Capped {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Deref for Capped {
    type Target = [Finding];

    fn deref(&self) -> &[Finding] {
        &self.list
    }
}

impl Extend<Finding> for Capped {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

/// The rows of one code.
#[derive(Debug, Default)]
struct Rows {
    count: usize,
    /// Number of the last one.
    last: usize,
    /// Once there is no room for more: what the latest finding was of.
    subject: Place,
}

impl Capped {
    /// An empty list with at most so many rows of each code, and never less than one.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), rows: BTreeMap::new(), most: most.max(1) }
    }

    /// Adds a finding, as a row or to the count of the last row of its code.
    pub fn push(&mut self, finding: Finding) {
        let rows = self.rows.entry(finding.code).or_default();
        if rows.count < self.most {
            (rows.count, rows.last) = (rows.count + 1, self.list.len());
            if rows.count == self.most {
                rows.subject = subject(&finding.place);
            }
            self.list.push(finding);
            return;
        }
        let row = &mut self.list[rows.last];
        let subject = subject(&finding.place);
        let more = if subject == rows.subject { finding.subjects - 1 } else { finding.subjects };
        (row.count, row.subjects, rows.subject) = (row.count + finding.count, row.subjects + more, subject);
    }

    /// Whether there is one of this code.
    pub fn holds(&self, code: Code) -> bool {
        self.rows.contains_key(&code)
    }

    /// The rows from this one on.
    pub fn since(&mut self, row: usize) -> &mut [Finding] {
        &mut self.list[row..]
    }

    /// All rows.
    pub fn finish(self) -> Vec<Finding> {
        self.list
    }
}

/// The member, object or asset of a place, which decoders fill in later.
fn subject(place: &Place) -> Place {
    Place { entry: place.entry.clone(), object: place.object, asset: place.asset, ..Place::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_many_is_counted_with_the_last_row_of_its_code() {
        let mut capped = Capped::new(2);
        for code in [Code::HUL001, Code::HUL001, Code::LNK001, Code::HUL001, Code::HUL001] {
            capped.push(Finding::new(code));
        }
        let rows: Vec<_> = capped.finish().iter().map(|finding| (finding.code, finding.count)).collect();
        assert_eq!(rows, [(Code::HUL001, 1), (Code::HUL001, 3), (Code::LNK001, 1)]);
    }

    #[test]
    fn what_is_too_many_of_one_member_is_of_one_member() {
        let mut capped = Capped::new(2);
        for entry in ["a", "b", "b", "b", "c", "c"] {
            capped.push(Finding::new(Code::HUL001).entry(entry));
        }
        let rows: Vec<_> = capped.finish().iter().map(|finding| (finding.count, finding.subjects)).collect();
        assert_eq!(rows, [(1, 1), (5, 2)]);
    }
}
