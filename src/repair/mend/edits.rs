//! Changes of a text at several places.

use std::ops::Range;

/// Replacements in a text. One that overlaps an earlier one waits for the next turn.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Replaces this range.
    pub(super) fn replace(&mut self, range: Range<usize>, with: impl Into<String>) {
        self.0.push((range, with.into()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the changed text. All bytes outside of the ranges stay.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (range, with) in self.0 {
            if range.start >= done {
                out.push_str(&text[done..range.start]);
                out.push_str(&with);
                done = range.end;
            }
        }
        out.push_str(&text[done..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_other_bytes_stay() {
        let mut edits = Edits::default();
        edits.replace(4..6, "XYZ");
        edits.replace(0..1, "");
        edits.replace(5..8, "waits");
        edits.replace(9..9, "!");
        assert_eq!(edits.apply("abcdefghi"), "bcdXYZghi!");
    }
}
