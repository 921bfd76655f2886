//! The first things of a long list. Others are never made, so a long run leaves no garbage between lasting things.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// The things with the least keys. Equal ones keep their order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Firsts<K, T> {
    most: usize,
    kept: Vec<(K, T)>,
}

// A derived one would need a default of both.
impl<K, T> Default for Firsts<K, T> {
    fn default() -> Self {
        Self { most: 0, kept: Vec::new() }
    }
}

impl<K: Ord, T> Firsts<K, T> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, kept: Vec::new() }
    }

    /// Makes a thing, if it is among the first.
    pub(super) fn offer(&mut self, key: K, make: impl FnOnce() -> T) {
        let is_full = self.kept.len() >= self.most;
        if is_full && self.kept.last().is_none_or(|(last, _)| key >= *last) {
            return;
        }
        let place = self.kept.partition_point(|(kept, _)| *kept <= key);
        self.kept.insert(place, (key, make()));
        self.kept.truncate(self.most);
    }

    /// Adds the first of the next list.
    pub(super) fn join(&mut self, next: Self) {
        next.kept.into_iter().for_each(|(key, thing)| self.offer(key, || thing));
    }

    /// The things in their order.
    pub(super) fn things(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|(_, thing)| thing)
    }

    /// Returns the things with their keys, in their order.
    pub(super) fn into_keyed(self) -> Vec<(K, T)> {
        self.kept
    }

    /// Returns the things in their order.
    pub(super) fn into_list(self) -> Vec<T> {
        self.kept.into_iter().map(|(_, thing)| thing).collect()
    }
}

/// A key that puts large numbers first, and unknown ones last.
pub(crate) fn large_first(number: Option<f64>) -> Reverse<Option<u64>> {
    // Numbers from 0 have the order of their bits.
    Reverse(number.filter(|number| !number.is_nan()).map(|number| number.max(0.0).to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_the_first_of_the_sorted_list(keys in prop::collection::vec(0..9_u8, 0..40), most in 0..12_usize) {
            let mut firsts = Firsts::new(most);
            keys.iter().enumerate().for_each(|(place, &key)| firsts.offer(key, || (key, place)));
            let mut sorted: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            sorted.sort_unstable();
            sorted.truncate(most);
            prop_assert_eq!(firsts.into_list(), sorted);
        }
    }
}
