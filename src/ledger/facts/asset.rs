//! The facts of every asset, of any type.

use hullmark_format::{member, text::Text};
use hullmark_media::image::{cut_short::Remains, media::Image};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt};
use uuid::Uuid;

/// One asset of an input.
///
/// A loader keeps the first of two assets with the same UUID. Both are here, in the order of the input. An archive may
/// have a million assets, so values that follow from the name are not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssetFacts {
    pub entry: AssetName,
    /// Size in bytes, as the input states it.
    pub bytes: u64,
    /// Hash of its bytes; `None` if not all of them were read.
    pub content_hash: Option<ContentHash>,
    pub content: Content,
}

impl AssetFacts {
    /// Returns the UUID in the name of the entry.
    pub fn uuid(&self) -> Option<Uuid> {
        match &self.entry.0 {
            Name::Usual(uuid, _) => Some(*uuid),
            Name::Other(name) => member::uuid_in(name),
        }
    }

    /// Returns the end of the name that states the type, for example `_texture.jp2`; `None` if OpenSim has no such
    /// type.
    pub fn suffix(&self) -> Option<&'static str> {
        match &self.entry.0 {
            Name::Usual(_, suffix) => Some(member::ASSET_SUFFIXES[usize::from(*suffix)]),
            Name::Other(name) => member::suffix(name),
        }
    }
}

/// The name of an asset's entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetName(Name);

/// Names in the form that OpenSimulator writes need no heap memory.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    /// `assets/`, a UUID in lower case, and the suffix with this index.
    Usual(Uuid, u8),
    Other(Box<str>),
}

/// The folder of assets in an archive.
const FOLDER: &str = "assets/";

impl AssetName {
    /// Whether the asset is in the `assets/` folder of an archive.
    pub fn is_in_assets(&self) -> bool {
        match &self.0 {
            Name::Usual(..) => true,
            Name::Other(name) => name.starts_with(FOLDER),
        }
    }

    /// Bytes of the name on the heap.
    pub(super) fn beyond(&self) -> usize {
        if let Name::Other(name) = &self.0 { name.len() } else { 0 }
    }
}

/// Returns the compact form of a name that is `assets/`, a UUID in lower case and a suffix that OpenSim knows.
fn usual(name: &str) -> Option<Name> {
    let (digits, end) = name.strip_prefix(FOLDER)?.split_at_checked(36)?;
    let uuid = Uuid::try_parse(digits).ok()?;
    let suffix = member::ASSET_SUFFIXES.iter().position(|suffix| *suffix == end)?;
    let written = *uuid.as_hyphenated().encode_lower(&mut Uuid::encode_buffer()) == *digits;
    written.then_some(Name::Usual(uuid, suffix as u8))
}

impl From<&str> for AssetName {
    fn from(name: &str) -> Self {
        Self(usual(name).unwrap_or_else(|| Name::Other(name.into())))
    }
}

impl fmt::Display for AssetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Name::Usual(uuid, suffix) => {
                write!(f, "{FOLDER}{uuid}{}", member::ASSET_SUFFIXES[usize::from(*suffix)])
            }
            Name::Other(name) => f.write_str(name),
        }
    }
}

impl Serialize for AssetName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AssetName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(&*Cow::<'_, str>::deserialize(deserializer)?))
    }
}

/// The content of an asset, as far as it follows from that asset alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Empty,
    Zeros,
    /// Data that does not match the type, and the reason.
    Damaged(Box<str>),
    /// Not evaluated, and the reason.
    NotEvaluated(Box<str>),
    /// Not inspected here: meshes and objects have facts of their own.
    Opaque,
    /// An image whose header can be read.
    Image(Image),
    /// An image, a sound or an animation that is truncated.
    CutShort(Box<CutShort>),
    /// A sound with a valid header.
    Sound,
    /// An animation, with its version.
    Animation([u16; 2]),
    /// Text, or a small document.
    Text(Box<Text>),
}

/// The facts of a truncated asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutShort {
    /// Bytes that its headers require; `None` if only the end marker is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<u64>,
    /// Header of the image, if it is an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
    /// How much of it shows, if it is a JPEG 2000 image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remains: Option<Remains>,
}

impl Content {
    /// Returns the header of an image, complete or truncated.
    pub fn image(&self) -> Option<Image> {
        match self {
            Self::Image(image) => Some(*image),
            Self::CutShort(cut) => cut.image,
            _ => None,
        }
    }
}

/// xxh3-128 of an asset's bytes; 32 hexadecimal digits in a ledger. Stored as bytes, which need no alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 16]);

impl From<u128> for ContentHash {
    fn from(hash: u128) -> Self {
        Self(hash.to_be_bytes())
    }
}

impl ContentHash {
    pub fn number(self) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.number())
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
        u128::from_str_radix(&digits, 16).map(Self::from).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_keeps_its_leading_zeros() {
        let hash = ContentHash::from(0x0abc);
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json, "\"00000000000000000000000000000abc\"");
        assert_eq!(serde_json::from_str::<ContentHash>(&json).unwrap(), hash);
    }

    #[test]
    fn a_stored_name_equals_its_original() {
        let uuid = "47397b0a-7c25-4905-b82d-946cbe329328";
        let names = [
            format!("assets/{uuid}_texture.jp2"),
            format!("assets/{}_texture.jp2", uuid.to_uppercase()),
            format!("assets/{}_texture.jp2", uuid.replace('-', "")),
            format!("./assets/{uuid}_sound.ogg"),
            format!("assets/{uuid}_sound.mp3"),
            format!("assets/{uuid}_mine_script.lsl"),
            format!("assets/below/{uuid}_script.lsl"),
            format!("assets/mine__{uuid}.xml"),
            format!("{uuid}_prmat.dat"),
            "assets/".into(),
            "assets/\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}".into(),
            String::new(),
        ];
        for name in names {
            let entry = AssetName::from(&*name);
            let asset = AssetFacts { entry, bytes: 0, content_hash: None, content: Content::Empty };
            assert_eq!(asset.entry.to_string(), name);
            assert_eq!(asset.entry.is_in_assets(), name.starts_with("assets/"), "{name}");
            assert_eq!(asset.uuid(), member::uuid_in(&name), "{name}");
            assert_eq!(asset.suffix(), member::suffix(&name), "{name}");
            let json = serde_json::to_string(&asset).unwrap();
            assert_eq!(serde_json::from_str::<AssetFacts>(&json).unwrap(), asset);
        }
    }

    #[test]
    fn a_million_assets_take_less_than_a_hundred_megabytes() {
        assert!(size_of::<(u64, AssetFacts)>() <= 88, "{}", size_of::<(u64, AssetFacts)>());
        let usual = AssetName::from("assets/47397b0a-7c25-4905-b82d-946cbe329328_texture.jp2");
        assert_eq!(usual.beyond(), 0);
    }
}
