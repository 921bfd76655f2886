//! A list of findings that one hostile file cannot make too long.

use super::{Code, Finding};
use std::{collections::BTreeMap, ops::Deref};

/// Findings, at most so many rows of each code: the last of them stands for all that came later, so that none is
/// ever lost from a count.
#[derive(Debug)]
pub struct Capped {
    list: Vec<Finding>,
    /// Of each code how many rows there are, and which is the last.
    rows: BTreeMap<Code, (usize, usize)>,
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

impl Capped {
    /// An empty list with at most so many rows of each code, and never less than one.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), rows: BTreeMap::new(), most: most.max(1) }
    }

    /// Adds a finding, as a row or to the count of the last row of its code.
    pub fn push(&mut self, finding: Finding) {
        let (rows, last) = self.rows.entry(finding.code).or_default();
        if *rows == self.most {
            self.list[*last].count += finding.count;
        } else {
            (*rows, *last) = (*rows + 1, self.list.len());
            self.list.push(finding);
        }
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
}
