//! A list whose length is bounded, even for a hostile file.

use super::{Code, Finding, Place};
use std::{collections::HashMap, hash::Hash, ops::Deref};

/// A row that can represent several findings or defects.
pub trait Counted {
    /// The key by which rows are counted.
    type Sort: Copy + Eq + Hash + std::fmt::Debug;

    fn sort(&self) -> Self::Sort;

    fn place(&self) -> &Place;

    /// Returns the number of findings that the row represents, and the number of their subjects.
    fn counts(&mut self) -> (&mut u64, &mut u64);
}

impl Counted for Finding {
    type Sort = Code;

    fn sort(&self) -> Code {
        self.code
    }

    fn place(&self) -> &Place {
        &self.place
    }

    fn counts(&mut self) -> (&mut u64, &mut u64) {
        (&mut self.count, &mut self.subjects)
    }
}

/// A list with a maximum number of rows of each sort, for example of each code. The last row of a sort counts all later
/// ones, so the counts stay complete.
#[derive(Debug)]
pub struct Capped<T: Counted = Finding> {
    list: Vec<T>,
    rows: HashMap<T::Sort, Rows>,
    most: usize,
}

/// Creates a list without a limit.
impl<T: Counted> Default for Capped<T> {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl<T: Counted> Deref for Capped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.list
    }
}

impl<T: Counted> Extend<T> for Capped<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

#[derive(Debug, Default)]
struct Rows {
    count: usize,
    last: usize,
    /// Subject of the latest row, after the limit was reached.
    subject: Place,
}

impl<T: Counted> Capped<T> {
    /// Creates an empty list with at most `most` rows of each sort; 0 counts as 1.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), rows: HashMap::new(), most: most.max(1) }
    }

    /// Adds a row, or adds its counts to the last row of its sort.
    pub fn push(&mut self, mut added: T) {
        let rows = self.rows.entry(added.sort()).or_default();
        if rows.count < self.most {
            (rows.count, rows.last) = (rows.count + 1, self.list.len());
            if rows.count == self.most {
                rows.subject = subject(added.place());
            }
            self.list.push(added);
            return;
        }
        let subject = subject(added.place());
        let (count, subjects) = added.counts();
        let more = if subject == rows.subject { *subjects - 1 } else { *subjects };
        let (row_count, row_subjects) = self.list[rows.last].counts();
        *row_count += *count;
        *row_subjects += more;
        rows.subject = subject;
    }

    pub fn holds(&self, sort: &T::Sort) -> bool {
        self.rows.contains_key(sort)
    }

    pub fn since(&mut self, row: usize) -> &mut [T] {
        &mut self.list[row..]
    }

    pub fn finish(self) -> Vec<T> {
        self.list
    }
}

/// Returns the entry, object or asset of a place. Decoders fill in the other fields later.
fn subject(place: &Place) -> Place {
    Place { entry: place.entry.clone(), object: place.object, asset: place.asset, ..Place::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surplus_findings_are_counted_with_the_last_row_of_their_code() {
        let mut capped = Capped::new(2);
        for code in [Code::HUL001, Code::HUL001, Code::LNK001, Code::HUL001, Code::HUL001] {
            capped.push(Finding::new(code));
        }
        let rows: Vec<_> = capped.finish().iter().map(|finding| (finding.code, finding.count)).collect();
        assert_eq!(rows, [(Code::HUL001, 1), (Code::HUL001, 3), (Code::LNK001, 1)]);
    }

    #[test]
    fn surplus_findings_of_one_member_stay_with_it() {
        let mut capped = Capped::new(2);
        for entry in ["a", "b", "b", "b", "c", "c"] {
            capped.push(Finding::new(Code::HUL001).entry(entry));
        }
        let rows: Vec<_> = capped.finish().iter().map(|finding| (finding.count, finding.subjects)).collect();
        assert_eq!(rows, [(1, 1), (5, 2)]);
    }
}
