//! Bytes to plain data. Every decoder here is pure and total: it reads no file, knows no grid's limits, never
//! panics, and returns what it could read beside findings for what it could not.

pub mod control;
pub mod inflate;
pub mod inventory;
pub mod jpeg2000;
pub mod llsd;
pub mod media;
pub mod mesh;
pub mod object;
pub mod region;
pub mod sculpt_map;
pub mod terrain;
pub mod text;
pub mod tga;
pub mod xml;

/// Bytes as one base64 string in a ledger.
pub(crate) mod base64_bytes {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
