//! Provenance of a report: version, settings, targets and inputs.

use hullmark_finding::Code;
use hullmark_ledger::facts::Status;
use hullmark_rules::catalogue;
use hullmark_settings::{
    config::Config,
    profile::{Named, Profile},
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::time::SystemTime;
use xxhash_rust::xxh3::xxh3_64;

/// Provenance of a report: everything needed to repeat it and to explain differences.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// Version of the program.
    pub hullmark: &'static str,
    /// Hash of the table of rules.
    pub rules: String,
    /// The time given with `--now`; otherwise absent, so equal runs give equal bytes.
    pub now: Option<String>,
    /// Settings, without those that cannot change a result.
    #[cfg_attr(feature = "schema", schemars(with = "Config"))]
    pub settings: Value,
    /// Profile of the target.
    pub profile: Profile,
    /// The profile of what only OpenSimulator loads. Absent if a target was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opensim_load: Option<Profile>,
    /// Further profiles; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Named>,
    /// Number of users and groups of the target, if a list was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<usize>,
    /// Number of waivers.
    pub waivers: usize,
    /// The inputs.
    pub inputs: Vec<InputLine>,
}

/// Reads only the inputs. The run that reads a summary has settings of its own.
pub(super) fn inputs_alone<'de, D: Deserializer<'de>>(reader: D) -> Result<Manifest, D::Error> {
    #[derive(Deserialize)]
    struct Inputs {
        inputs: Vec<InputLine>,
    }
    let Inputs { inputs } = Inputs::deserialize(reader)?;
    Ok(Manifest { inputs, ..Manifest::default() })
}

/// One input.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputLine {
    /// Its path.
    pub archive: String,
    /// Its kind.
    pub kind: String,
    /// Size on disk, bytes.
    pub bytes: u64,
    /// How far it was read.
    pub status: Status,
    /// xxh3-128 of its bytes.
    pub content_hash: Option<String>,
}

impl Manifest {
    /// Creates the manifest of a run with these settings.
    pub fn new(config: &Config, profile: &Profile, now: Option<SystemTime>) -> Self {
        let mut settings = serde_json::to_value(config).unwrap_or_default();
        if let Some(settings) = settings.as_object_mut() {
            for key in ["threads", "ledgers", "notify", "baseline", "letters"] {
                settings.remove(key);
            }
            if let Some(report) = settings.get_mut("report").and_then(Value::as_object_mut) {
                report.remove("formats");
                report.remove("across_bytes");
            }
        }
        let rules: Vec<_> = Code::all().map(catalogue::rule).collect();
        Self {
            hullmark: env!("CARGO_PKG_VERSION"),
            rules: format!("{:016x}", xxh3_64(format!("{rules:?}").as_bytes())),
            now: now.map(|now| humantime::format_rfc3339_seconds(now).to_string()),
            settings,
            profile: profile.clone(),
            ..Self::default()
        }
    }
}
