//! UUIDs of what a copy adds.

use hullmark_util::stable_hash::stable_hash;
use std::hash::Hash;
use uuid::{Builder, Uuid};

/// Returns a UUID that depends on this value alone, so that equal copies are equal.
pub(crate) fn hashed_uuid(value: &impl Hash) -> Uuid {
    let half = |salt: u8| stable_hash(&(value, salt));
    Builder::from_custom_bytes(Uuid::from_u64_pair(half(1), half(2)).into_bytes()).into_uuid()
}
