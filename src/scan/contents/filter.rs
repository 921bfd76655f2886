//! A Bloom filter: shows without reading an index that a segment lacks a key.

use super::Key;

/// Bits for each key, and bits that each key sets. About one in a hundred keys that are absent pass.
const BITS: usize = 10;
const PROBES: u64 = 7;

/// The filter of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Filter(Vec<u8>);

impl Filter {
    /// Creates the filter of these keys.
    pub(super) fn new(keys: impl ExactSizeIterator<Item = Key>) -> Self {
        let mut filter = Self(vec![0; (keys.len() * BITS).div_ceil(8).max(1)]);
        for key in keys {
            for bit in filter.bits(key) {
                filter.0[bit / 8] |= 1 << (bit % 8);
            }
        }
        filter
    }

    /// Returns the filter with these bytes, which are not empty.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the segment may have this key.
    pub(super) fn may_have(&self, key: Key) -> bool {
        self.bits(key).all(|bit| self.0[bit / 8] & (1 << (bit % 8)) != 0)
    }

    /// Returns the bits of a key. Keys are hashes, so their halves are random numbers.
    fn bits(&self, key: Key) -> impl Iterator<Item = usize> + use<> {
        let bits = 8 * self.0.len() as u64;
        let (first, step) = (key as u64, (key >> 64) as u64 | 1);
        (0..PROBES).map(move |probe| (first.wrapping_add(probe.wrapping_mul(step)) % bits) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_128;

    #[test]
    fn all_keys_pass_and_few_others() {
        let key = |number: u32| xxh3_128(&number.to_le_bytes());
        let filter = Filter::new((0..10_000).map(key).collect::<Vec<_>>().into_iter());
        assert!((0..10_000).all(|number| filter.may_have(key(number))));
        let wrong = (10_000..20_000).filter(|&number| filter.may_have(key(number))).count();
        assert!(wrong < 200, "{wrong}");
        assert!(!Filter::new([].into_iter()).may_have(key(1)));
    }
}
