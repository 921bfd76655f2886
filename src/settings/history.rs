//! Settings for changes of inputs, and for expected archives.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{path::PathBuf, time::Duration};

/// How far counts and costs may change from one archive to the next. Defaults and reasons are in
/// `config/hullmark.toml`, section `[history]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    /// Objects, assets or bytes must fall by more than this percentage for a finding.
    pub fell_percent: u32,
    /// Minimum number of missing objects for a finding.
    pub few_objects: u64,
    /// Minimum number of missing assets for a finding.
    pub few_assets: u64,
    /// Minimum number of missing bytes for a finding.
    pub few_bytes: u64,
    /// A cost of a region must grow by more than this percentage for a finding.
    pub grew_percent: u32,
    /// Minimum growth of a cost for a finding.
    pub little_cost: u32,
}

/// Archives that must exist. Reasons are in `config/hullmark.toml`, section `[expected]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpectedConfig {
    /// Names or patterns.
    pub names: Vec<String>,
    /// A file with more names or patterns, one on each line; empty for none.
    pub list: PathBuf,
    /// Names or patterns of regions and archives that are gone on purpose.
    pub gone: Vec<String>,
    /// Maximum age of the newest archive, for example `36h`; empty for any age.
    pub max_age: MaxAge,
}

/// A maximum age; `None` for any age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaxAge(#[cfg_attr(feature = "schema", schemars(with = "String"))] pub Option<Duration>);

impl Serialize for MaxAge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_str(""),
            Some(age) => serializer.collect_str(&humantime::format_duration(age)),
        }
    }
}

impl<'de> Deserialize<'de> for MaxAge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.trim().is_empty() {
            return Ok(Self(None));
        }
        let age = humantime::parse_duration(&text);
        age.map(|age| Self(Some(age))).map_err(|_| {
            D::Error::custom(format!(
                "`{text}` is not an age: use for example 36h, 90m or 2days, or \"\" for any age"
            ))
        })
    }
}
