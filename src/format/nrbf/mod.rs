//! Reads .NET's binary serialization (MS-NRBF), in which the Flotsam cache of OpenSimulator keeps assets.
//!
//! The reader knows the records that a serialized asset has. It takes members by their names, because versions of
//! OpenSimulator and its libraries differ. No type of a file is ever created.

mod reader;
mod value;

use reader::RecordReader;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use value::{Object, Value};

const ASSET: &str = "OpenSim.Framework.AssetBase";

/// First bytes of every file: the header record, and the number of the root object.
const START: [u8; 1] = [0];

/// Why a file is not a serialized asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum NrbfFault {
    /// The file has no bytes.
    #[error("it is empty")]
    Empty,
    /// The first record is no header.
    #[error("it does not begin as a serialized object")]
    NoHeader,
    /// The file ends inside a record.
    #[error("it is cut short at byte {position}")]
    Cut { position: u64 },
    /// A record of a serialized asset never has this type.
    #[error("the record at byte {position} has the unknown type {record}")]
    UnknownRecord { record: u8, position: u64 },
    /// A length, a name or a reference is not valid.
    #[error("the record at byte {position} has no valid {what}")]
    Invalid { what: super::defect::Name, position: u64 },
    /// Objects are in objects beyond a limit, or there are too many.
    #[error("its objects are nested too deeply, or too many")]
    TooComplex,
    /// The root is no asset, or lacks a member.
    #[error("it has no {what} of an asset")]
    NoAsset { what: super::defect::Name },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedAsset<'a> {
    /// The identifier: a UUID, or another text.
    pub id: &'a str,
    pub name: &'a str,
    /// The type, as in inventories.
    pub asset_type: i64,
    pub bytes: &'a [u8],
}

/// Whether these first bytes can begin a serialized asset.
pub fn is_asset(start: &[u8]) -> bool {
    let names_class = |window: &[u8]| window == ASSET.as_bytes();
    start.starts_with(&START) && start.windows(ASSET.len()).take(1024).any(names_class)
}

/// Reads a serialized asset.
pub fn decode(bytes: &[u8]) -> Result<CachedAsset<'_>, NrbfFault> {
    let graph = RecordReader::new(bytes).read()?;
    let lacks = |what: &'static str| NrbfFault::NoAsset { what: what.into() };
    let root = graph.root().filter(|root| root.class == ASSET).ok_or_else(|| lacks("object"))?;
    let data = match root.member("m_data").ok_or_else(|| lacks("data"))? {
        Value::Null => &[],
        value => graph.bytes(value).ok_or_else(|| lacks("data"))?,
    };
    let metadata = root.member("m_metadata").and_then(|value| graph.object(value));
    let metadata: &Object<'_> = metadata.ok_or_else(|| lacks("metadata"))?;
    let text = |name: &str| metadata.member(name).and_then(|value| graph.text(value));
    let Some(Value::Number(asset_type)) = metadata.member("m_type") else { return Err(lacks("type")) };
    Ok(CachedAsset {
        id: text("m_id").ok_or_else(|| lacks("identifier"))?,
        name: text("m_name").unwrap_or_default(),
        asset_type: *asset_type,
        bytes: data,
    })
}

#[cfg(test)]
mod tests;
