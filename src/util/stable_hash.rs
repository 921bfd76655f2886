//! Hashes of values that are equal on every machine, so that files may hold them.

use std::hash::{Hash, Hasher};
use uuid::{Builder, Uuid};
use xxhash_rust::xxh3::Xxh3Default;

/// Hashes a value.
pub fn stable_hash(value: &impl Hash) -> u64 {
    let mut hasher = StableHasher(Xxh3Default::new());
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a UUID that depends on this value alone.
pub fn hashed_uuid(value: &impl Hash) -> Uuid {
    let half = |salt: u8| stable_hash(&(value, salt));
    Builder::from_custom_bytes(Uuid::from_u64_pair(half(1), half(2)).into_bytes()).into_uuid()
}

/// Hashes the width of a number that depends on the machine, such as a length, as 64 bits.
struct StableHasher(Xxh3Default);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn write_u16(&mut self, number: u16) {
        self.write(&number.to_le_bytes());
    }

    fn write_u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }

    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_these_bytes_on_every_machine() {
        let bytes =
            [&[2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 0][..], b"roof", &[0xff, 0xfe, 0xff, 0xff, 0xff]].concat();
        let value = (&[1_u16, 7][..], "roof", -2_i32);
        assert_eq!(stable_hash(&value), xxhash_rust::xxh3::xxh3_64(&bytes));
    }
}
