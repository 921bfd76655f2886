//! Rows of the table of an FSAssets service: which file has which asset.

use base64::{Engine, prelude::BASE64_STANDARD};
use hullmark_format::hashed_file::FileHash;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::borrow::Cow;
use uuid::Uuid;

/// One row. A ledger holds it as one short text, because a table has millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreRow {
    /// The name of the file.
    pub hash: FileHash,
    pub uuid: Uuid,
    /// The type of the asset, as in inventories.
    pub asset_type: i16,
}

/// Bytes of a packed row.
const PACKED: usize = 32 + 16 + 2;

impl Serialize for StoreRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = [0; PACKED];
        bytes[..32].copy_from_slice(&self.hash.0);
        bytes[32..48].copy_from_slice(self.uuid.as_bytes());
        bytes[48..].copy_from_slice(&self.asset_type.to_le_bytes());
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for StoreRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        let bytes = BASE64_STANDARD.decode(&*text).map_err(D::Error::custom)?;
        let bytes: [u8; PACKED] = bytes.try_into().map_err(|_| D::Error::custom("is no row of a store"))?;
        let (mut hash, mut uuid) = ([0; 32], [0; 16]);
        hash.copy_from_slice(&bytes[..32]);
        uuid.copy_from_slice(&bytes[32..48]);
        Ok(Self {
            hash: FileHash(hash),
            uuid: Uuid::from_bytes(uuid),
            asset_type: i16::from_le_bytes([bytes[48], bytes[49]]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_a_ledger() {
        let hash = FileHash(std::array::from_fn(|at| at as u8 * 7));
        let row = StoreRow { hash, uuid: Uuid::from_u128(u128::MAX / 3), asset_type: -2 };
        let json = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<StoreRow>(&json).unwrap(), row);
        assert!(serde_json::from_str::<StoreRow>("\"AAAA\"").is_err());
    }
}
