//! Settings for changes of inputs, and for expected archives.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{path::PathBuf, time::Duration};

/// How far something may fall or grow from one archive to the next. Defaults and reasons stand in
/// `config/hullmark.toml`, section `[history]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    /// By more than how many percent objects, assets or bytes must fall for a finding.
    pub fell_percent: u32,
    /// Fewer objects than these may be gone.
    pub few_objects: u64,
    /// Fewer assets than these may be gone.
    pub few_assets: u64,
    /// Fewer bytes than these may be gone.
    pub few_bytes: u64,
    /// By more than how many percent a cost of a region must grow for a finding.
    pub grew_percent: u32,
    /// By less than this it may grow.
    pub little_cost: u32,
}

/// Which archives must be there. Reasons stand in `config/hullmark.toml`, section `[expected]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpectedConfig {
    /// Names or patterns.
    pub names: Vec<String>,
    /// A file with more of them, one on each line; empty for none.
    pub list: PathBuf,
    /// How old the newest may be, as `36h`; empty for any age.
    pub max_age: MaxAge,
}

/// How old something may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MaxAge(#[cfg_attr(test, schemars(with = "String"))] pub Option<Duration>);

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
