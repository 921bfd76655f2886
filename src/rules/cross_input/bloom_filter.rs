//! A Bloom filter of fixed size: it answers *no* for most keys that were not added, and never for one that was.

use hullmark_util::sorted_run::Key;
use xxhash_rust::xxh3::xxh3_64;

/// A cache line. It contains all bits of a key.
type Line = [u64; 8];

/// Bits of a key. Three are best for four bits of filter for each key. Most bits are needed then.
const BITS: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Filter(Vec<Line>);

impl Filter {
    /// Creates an empty filter of this many bytes.
    pub(super) fn with_bytes(bytes: usize) -> Self {
        Self(vec![Line::default(); (bytes / size_of::<Line>()).max(1)])
    }

    pub(super) fn add(&mut self, key: &Key) {
        let hash = xxh3_64(key);
        let line = self.line(hash);
        places(hash).for_each(|(word, bit)| self.0[line][word] |= bit);
    }

    pub(super) fn may_hold(&self, key: &Key) -> bool {
        let hash = xxh3_64(key);
        !self.0.is_empty() && places(hash).all(|(word, bit)| self.0[self.line(hash)][word] & bit != 0)
    }

    /// Returns the line of a key, from the upper half of its hash.
    fn line(&self, hash: u64) -> usize {
        (((hash >> 32) * self.0.len() as u64) >> 32) as usize
    }
}

/// Returns the places of the bits of a key in its line, from the lower half of its hash.
fn places(hash: u64) -> impl Iterator<Item = (usize, u64)> {
    (0..BITS).map(move |number| {
        let place = hash >> (9 * number);
        ((place >> 6) as usize & 7, 1 << (place & 63))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_keys_may_be_present_and_most_others_are_not() {
        let key = |number: u32| {
            let mut key = [0; 16];
            key[..4].copy_from_slice(&number.to_le_bytes());
            key
        };
        let mut filter = Filter::with_bytes(10_000);
        assert!(!Filter::default().may_hold(&key(1)));
        (0..10_000).for_each(|number| filter.add(&key(number)));
        assert!((0..10_000).all(|number| filter.may_hold(&key(number))));
        // With eight bits for each key, three in a hundred keys are false positives.
        let mistaken = (10_000..20_000).filter(|&number| filter.may_hold(&key(number))).count();
        assert!(mistaken < 500, "{mistaken}");
    }
}
