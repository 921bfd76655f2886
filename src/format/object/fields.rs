//! Elements told by their names.

/// What is done with each element of a kind, in the order in which OpenSim writes them.
///
/// The next element is nearly always that of the next row, so that its name is compared with one or two and not with
/// dozens.
#[derive(Debug)]
pub(super) struct Fields<T: 'static> {
    rows: &'static [(&'static str, T)],
    next: usize,
}

impl<T> Fields<T> {
    pub(super) fn new(rows: &'static [(&'static str, T)]) -> Self {
        Self { rows, next: 0 }
    }

    /// The row of an element, wherever it stands.
    #[inline]
    pub(super) fn find(&mut self, name: &str) -> Option<&'static (&'static str, T)> {
        let (passed, ahead) = self.rows.split_at(self.next);
        let of = |rows: &[(&str, T)]| rows.iter().position(|(known, _)| *known == name);
        let place = of(ahead).map(|place| passed.len() + place).or_else(|| of(passed))?;
        self.next = place + 1;
        self.rows.get(place)
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;

    #[test]
    fn elements_are_found_in_any_order() {
        const ROWS: [(&str, u8); 3] = [("a", 1), ("b", 2), ("c", 3)];
        let mut fields = Fields::new(&ROWS);
        let found = ["a", "c", "d", "b", "b", "c", "a", ""].map(|name| fields.find(name).map(|(_, n)| *n));
        assert_eq!(found, [Some(1), Some(3), None, Some(2), Some(2), Some(3), Some(1), None]);
    }
}
