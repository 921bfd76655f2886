//! A list that one hostile file cannot make too long.

use super::{Code, Finding, Place};
use std::{collections::HashMap, hash::Hash, ops::Deref};

/// Something of which a row may stand for several.
pub trait Counted {
    /// What rows are counted by.
    type Sort: Copy + Eq + Hash + std::fmt::Debug;

    /// Of which sort it is.
    fn sort(&self) -> Self::Sort;

    /// Where it is.
    fn place(&self) -> &Place;

    /// How many it stands for, and of how many subjects.
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

/// At most so many rows of each sort, as of each code: the last of them stands for all that came later, so that none is
/// ever lost from a count.
#[derive(Debug)]
pub struct Capped<T: Counted = Finding> {
    list: Vec<T>,
    rows: HashMap<T::Sort, Rows>,
    most: usize,
}

/// Without a bound.
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

/// The rows of one sort.
#[derive(Debug, Default)]
struct Rows {
    count: usize,
    /// Number of the last one.
    last: usize,
    /// Once there is no room for more: what the latest one was of.
    subject: Place,
}

impl<T: Counted> Capped<T> {
    /// An empty list with at most so many rows of each sort, and never less than one.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), rows: HashMap::new(), most: most.max(1) }
    }

    /// Adds one, as a row or to the count of the last row of its sort.
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

    /// Whether there is one of this sort.
    pub fn holds(&self, sort: &T::Sort) -> bool {
        self.rows.contains_key(sort)
    }

    /// The rows from this one on.
    pub fn since(&mut self, row: usize) -> &mut [T] {
        &mut self.list[row..]
    }

    /// All rows.
    pub fn finish(self) -> Vec<T> {
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
