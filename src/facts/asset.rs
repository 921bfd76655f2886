//! What is remembered of every asset, whatever its type.

use crate::format::{media::Image, text::Text};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt};
use uuid::Uuid;

/// One asset of an input.
///
/// Of two with one UUID a loader keeps the first, so both are here, in the order of the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssetFacts {
    /// Member of the input.
    pub entry: String,
    /// From the entry's name.
    pub uuid: Option<Uuid>,
    /// The end of the name that states its type, as `_texture.jp2`; absent where OpenSim knows no such type.
    pub suffix: Option<Cow<'static, str>>,
    /// Its size as the input states it.
    pub bytes: u64,
    /// Hash of its bytes; absent where not all of them were read.
    pub content_hash: Option<ContentHash>,
    /// What is in it.
    pub content: Content,
}

/// What is in an asset, as far as one asset by itself tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// No byte.
    Empty,
    /// Zeros and nothing else.
    Zeros,
    /// Something that is not what its type says, and why.
    Damaged(String),
    /// Not evaluated, and why.
    NotEvaluated(String),
    /// Nothing that is looked at here: meshes and objects have facts of their own.
    Opaque,
    /// An image whose header can be read.
    Image(Image),
    /// A sound that begins as one.
    Sound,
    /// An animation, with its version.
    Animation([u16; 2]),
    /// Text, or a small document.
    Text(Box<Text>),
}

/// xxh3-128 of an asset's bytes; 32 hexadecimal digits in a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub u128);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = Cow::<'_, str>::deserialize(deserializer)?;
        u128::from_str_radix(&digits, 16).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_keeps_its_leading_zeros() {
        let hash = ContentHash(0x0abc);
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json, "\"00000000000000000000000000000abc\"");
        assert_eq!(serde_json::from_str::<ContentHash>(&json).unwrap(), hash);
    }
}
