//! A Bloom filter: shows in little space that a set lacks a key.

/// A key: a hash, whose halves are random numbers.
pub type Key = u128;

/// A filter with this number of bits for each key. With 10 bits, about one in a hundred absent keys passes; with 12,
/// one in three hundred.
#[derive(Debug, PartialEq, Eq)]
pub struct Filter<const BITS: usize>(Vec<u8>);

impl<const BITS: usize> Filter<BITS> {
    /// Bits that each key sets: the number for which the fewest absent keys pass.
    const PROBES: u64 = BITS as u64 * 7 / 10;

    /// Creates the filter of these keys.
    pub fn new(keys: impl ExactSizeIterator<Item = Key>) -> Self {
        let mut filter = Self(vec![0; (keys.len() * BITS).div_ceil(8).max(1)]);
        for key in keys {
            for bit in filter.bits(key) {
                filter.0[bit / 8] |= 1 << (bit % 8);
            }
        }
        filter
    }

    /// Returns the filter with these bytes, which are not empty.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn may_have(&self, key: Key) -> bool {
        self.bits(key).all(|bit| self.0[bit / 8] & (1 << (bit % 8)) != 0)
    }

    fn bits(&self, key: Key) -> impl Iterator<Item = usize> + use<BITS> {
        let bits = 8 * self.0.len() as u64;
        let (first, step) = (key as u64, (key >> 64) as u64 | 1);
        (0..Self::PROBES).map(move |probe| (first.wrapping_add(probe.wrapping_mul(step)) % bits) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_128;

    #[test]
    fn all_keys_pass_and_few_others() {
        let key = |number: u32| xxh3_128(&number.to_le_bytes());
        let filter = Filter::<10>::new((0..10_000).map(key).collect::<Vec<_>>().into_iter());
        assert!((0..10_000).all(|number| filter.may_have(key(number))));
        let wrong = (10_000..20_000).filter(|&number| filter.may_have(key(number))).count();
        assert!(wrong < 200, "{wrong}");
        assert!(!Filter::<10>::new([].into_iter()).may_have(key(1)));
    }
}
