//! Settings: defaults ⊕ file ⊕ environment ⊕ flags.
//!
//! `config/hullmark.toml` is compiled in and holds the defaults, so it lists every setting. An unknown key is refused
//! with the nearest valid one.

use crate::{
    database_selection::DatabaseSelection,
    history::{ExpectedConfig, HistoryConfig},
    inventories::InventoryOwner,
    letters::{GridConfig, LettersConfig},
    limits::Limits,
    notify::Notify,
    rule_selection::RuleSelection,
};
use hullmark_finding::Severity;
use serde::{Deserialize, Serialize};
use std::{io, path::PathBuf, str::FromStr};
use thiserror::Error;
use toml::{Table, Value};

/// The built-in settings, with a reason for each.
pub use hullmark_config::DEFAULTS;

/// Default maximum number of physics mesh triangles that are measured at other scales than that of the mesh's first
/// part (`[report] scaled_triangles`). They take one or two seconds of processor time.
pub const SCALED_TRIANGLES: u64 = 1 << 26;

/// Default maximum number of findings of one code for an input (`[report] findings_per_code`).
pub const FINDINGS_PER_CODE: usize = 100_000;

/// All settings of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of a built-in profile, or path of a profile file.
    pub profile: String,
    /// Further profiles. Reports show their costs next to those of the first.
    pub also: Vec<String>,
    /// Folder that keeps ledgers from run to run; empty for none.
    pub ledgers: PathBuf,
    /// The earlier run to compare with: the folder of its report, or its ledgers; empty for none.
    pub baseline: PathBuf,
    /// Whether a baseline may be absent, as before the first run.
    pub baseline_if_there: bool,
    /// Owners whose inventories in databases are evaluated: `all`, UUIDs or names.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub inventory: Vec<InventoryOwner>,
    /// Databases of dumps that are read; empty for all.
    pub database: Vec<String>,
    /// Number of threads that decode; 0 means one for each core.
    pub threads: usize,
    /// The mildest severity that makes the exit code 1.
    pub fail_on: FailOn,
    /// The mildest severity of a new or worsened finding that makes the exit code 1.
    pub fail_on_new: FailOn,
    /// Rules to evaluate, and their severities. They override the profile.
    pub rules: RuleSelection,
    /// How far counts and costs may change from one archive to the next.
    pub history: HistoryConfig,
    /// Archives that must exist.
    pub expected: ExpectedConfig,
    /// Waivers of findings.
    pub waivers: WaiversConfig,
    /// The grid of the operator.
    pub grid: GridConfig,
    /// Settings of the reports.
    pub report: ReportConfig,
    /// Settings of letters to owners.
    pub letters: LettersConfig,
    /// Notification about a run.
    pub notify: Notify,
    /// Decoded contents that are kept with ledgers.
    pub cache: CacheConfig,
    /// Limits for hostile input.
    pub limits: Limits,
}

/// Settings of decoded contents, which are kept with ledgers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CacheConfig {
    /// Maximum bytes; 0 keeps none.
    pub bytes: u64,
}

/// Settings of waivers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WaiversConfig {
    /// Path of the file with waivers; empty for none.
    pub file: PathBuf,
    /// Maximum age of a waiver, in days.
    pub longest_days: u32,
}

/// Settings of the reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportConfig {
    /// The formats of the tables.
    pub formats: Vec<Format>,
    /// Whether each CSV file begins with a byte order mark.
    pub byte_order_mark: bool,
    /// Number of the heaviest and the worst objects in the summary. Also the number of links and of splits that the
    /// table `actions` lists for a region to save simulator resource cost.
    pub top: usize,
    /// Whether every dated copy of an archive is evaluated. Otherwise only the newest complete one is.
    pub all_copies: bool,
    /// Whether reports have the table of assets.
    pub list_assets: bool,
    /// Minimum difference in land impact between two profiles for a finding, in percent.
    pub cost_difference_percent: u32,
    /// Memory for facts that rules across inputs keep, in bytes. Further facts are stored on the disk.
    pub across_bytes: usize,
    /// Maximum number of physics mesh triangles of one input that are measured at other scales than that of the mesh's
    /// first part. Costs that need more are not evaluated.
    pub scaled_triangles: u64,
    /// Maximum number of findings of one code that are listed for an input. The last one counts the rest.
    pub findings_per_code: usize,
}

/// Formats of the tables, in addition to `audit.json`, which every run writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A CSV file for each table
    Csv,
    /// A file for each table with a JSON object on each line
    Jsonl,
    /// A Parquet file for each table (where hullmark was built with it)
    Parquet,
    /// A workbook for spreadsheets, audit.xlsx
    Xlsx,
    /// One page for a browser, with charts, maps and tables
    Html,
    /// audit.sarif: the findings as SARIF 2.1.0
    Sarif,
    /// audit.junit.xml: the checks as JUnit's XML
    Junit,
}

impl Format {
    /// All formats of this build, in the order of the help.
    pub const ALL: &[Self] = &[
        Self::Csv,
        Self::Jsonl,
        Self::Parquet,
        #[cfg(feature = "xlsx")]
        Self::Xlsx,
        Self::Html,
        Self::Sarif,
        Self::Junit,
    ];

    /// Returns the name in settings and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Xlsx => "xlsx",
            Self::Html => "html",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
        }
    }

    /// Returns a description of the format.
    pub fn about(self) -> &'static str {
        match self {
            Self::Csv => "A CSV file for each table",
            Self::Jsonl => "A file for each table with a JSON object on each line",
            Self::Parquet => "A Parquet file for each table (where hullmark was built with it)",
            Self::Xlsx => "A workbook for spreadsheets, audit.xlsx",
            Self::Html => "One page for a browser, with charts, maps and tables",
            Self::Sarif => "audit.sarif: the findings as SARIF 2.1.0",
            Self::Junit => "audit.junit.xml: the checks as JUnit's XML",
        }
    }

    /// Returns advice if this program was built without the format; `None` otherwise.
    pub fn missing(self) -> Option<&'static str> {
        let without_parquet = "This hullmark was built without Parquet; build one with it by `cargo build --release \
                               --features parquet`, or ask for another --format";
        (self == Self::Parquet && !cfg!(feature = "parquet")).then_some(without_parquet)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = || Self::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
        let found = Self::ALL.iter().find(|format| format.name() == text);
        found.copied().ok_or_else(|| format!("there is no format `{text}`: use one of {}", names()))
    }
}

/// The lowest severity that makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// Never: findings are not a failure.
    None,
    /// Info and above.
    Info,
    /// Warnings and above.
    Warning,
    /// Errors and above.
    Error,
    /// Only blockers.
    Blocker,
}

impl FailOn {
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            Self::None => false,
            Self::Info => true,
            Self::Warning => severity >= Severity::Warning,
            Self::Error => severity >= Severity::Error,
            Self::Blocker => severity >= Severity::Blocker,
        }
    }
}

/// Why settings were refused.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("The settings file {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The text is not TOML.
    #[error("{file} is not valid TOML: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// The message of the parser.
        message: String,
    },
    /// A key does not exist.
    #[error("{file} has the unknown setting `{key}`: {suggestion}")]
    UnknownKey {
        /// The file.
        file: String,
        /// The key with its sections.
        key: String,
        /// The nearest key that exists.
        suggestion: String,
    },
    /// A value has the wrong type.
    #[error("{file}: {message}")]
    Value {
        /// The file.
        file: String,
        /// The message.
        message: String,
    },
    /// Two profiles would add columns with the same name.
    #[error(
        "Two profiles would add columns that end in `{words}`: name each profile once, and rename the file of \
         `{name}` if needed"
    )]
    SameProfile {
        /// The given name.
        name: String,
        /// The name in columns.
        words: String,
    },
    /// A profile does not exist.
    #[error("There is no profile `{name}`. {suggestion}Use {known}, or a profile file that ends in .toml")]
    UnknownProfile {
        /// The given name.
        name: String,
        /// The nearest name that exists.
        suggestion: String,
        /// The names that exist.
        known: String,
    },
}

/// Some settings, and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The file or the variable, as errors name it.
    pub source: String,
    pub settings: Table,
}

impl Layer {
    /// Parses the settings of a file. Errors name it as `file`.
    pub fn from_text(file: &str, text: &str) -> Result<Self, ConfigError> {
        Ok(Self { source: file.into(), settings: parse(file, text)? })
    }
}

impl Default for Config {
    fn default() -> Self {
        from_table("the built-in settings", defaults()).unwrap_or_else(|error| unreachable!("{error}"))
    }
}

/// Returns the built-in settings. A test checks that the file in the source tree is valid.
pub(crate) fn defaults() -> Table {
    parse("the built-in settings", DEFAULTS).unwrap_or_else(|error| unreachable!("{error}"))
}

impl Config {
    /// Overlays the defaults with the settings of a file. Errors name the file as `file`.
    pub fn from_text(file: &str, text: &str) -> Result<Self, ConfigError> {
        Self::from_layers(vec![Layer::from_text(file, text)?])
    }

    /// Overlays the defaults with layers. A later one wins. Errors name the layer.
    pub fn from_layers(layers: Vec<Layer>) -> Result<Self, ConfigError> {
        let mut settings = defaults();
        let mut config = Self::default();
        for Layer { source, settings: changes } in layers {
            overlay(&source, &mut settings, changes, "")?;
            config = from_table(&source, settings.clone())?;
        }
        Ok(config)
    }

    /// Returns the databases to read, and the owners whose inventories are evaluated.
    pub fn selection(&self) -> DatabaseSelection<'_> {
        DatabaseSelection { owners: &self.inventory, databases: &self.database }
    }

    /// Returns the settings as TOML, with one line for each.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| unreachable!("settings are plain tables: {error}"))
    }

    /// Returns the settings as a table.
    pub fn to_table(&self) -> Table {
        Table::try_from(self).unwrap_or_else(|error| unreachable!("settings are plain tables: {error}"))
    }
}

pub fn parse(file: &str, text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| {
        // The text of the line is left out, because it may have a secret.
        let before = error.span().and_then(|span| text.get(..span.start));
        let line =
            before.map_or_else(String::new, |before| format!("line {}: ", 1 + before.matches('\n').count()));
        let message = format!("{line}{}", error.message().trim_end());
        ConfigError::Syntax { file: file.into(), message }
    })
}

pub(crate) fn from_table<T: serde::de::DeserializeOwned>(file: &str, table: Table) -> Result<T, ConfigError> {
    table.try_into().map_err(|error: toml::de::Error| ConfigError::Value {
        file: file.into(),
        message: error.to_string().trim_end().into(),
    })
}

/// Overlays `base` with `changes`. Every key of `changes` must exist in `base`.
pub fn overlay(file: &str, base: &mut Table, changes: Table, section: &str) -> Result<(), ConfigError> {
    for (key, change) in changes {
        let path = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match (base.get_mut(&key), change) {
            (None, _) => {
                let suggestion = match nearest(&key, base.keys().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "see config/hullmark.toml or --dump-config for those that exist".into(),
                };
                return Err(ConfigError::UnknownKey { file: file.into(), key: path, suggestion });
            }
            // Codes are keys here; a later step checks them.
            (Some(Value::Table(old)), Value::Table(new)) if path == "rules.severity" => old.extend(new),
            (Some(Value::Table(old)), Value::Table(new)) => overlay(file, old, new, &path)?,
            // TOML distinguishes 10 from 10.0; people do not.
            (Some(old @ Value::Float(_)), Value::Integer(new)) => *old = Value::Float(new as f64),
            (Some(old), new) if old.same_type(&new) => *old = new,
            (Some(old), new) => {
                let message =
                    format!("`{path}` must be of type {}, and is of type {}", old.type_str(), new.type_str());
                return Err(ConfigError::Value { file: file.into(), message });
            }
        }
    }
    Ok(())
}

/// Returns the name that a word was probably meant to be. `None` if no name is near.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest_names(word, known, 1).pop()
}

/// Returns the names that a word was probably meant to be, the nearest first.
pub fn nearest_names<'a>(word: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let word = word.to_lowercase();
    // A part of a word, such as `ubode`, is nearer than any misspelling.
    let distance = |near: &str| match near.to_lowercase() {
        near if word.len() >= 3 && near.contains(&word) => 1,
        near => strsim::levenshtein(&word, &near),
    };
    let known = known.map(|near| (distance(near), near));
    let mut near: Vec<_> =
        known.filter(|(distance, near)| *distance <= word.len().max(near.len()) / 2).collect();
    // Stable: of equally near names, the first stays first.
    near.sort_by_key(|(distance, _)| *distance);
    near.dedup();
    near.into_iter().take(most).map(|(_, near)| near).collect()
}

/// Returns the question that follows an unknown name: ` Did you mean "Hill" or "Lake"?`. Empty if no name is near.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near: Vec<String> =
        nearest_names(word, known, 3).into_iter().map(|name| format!("\"{name}\"")).collect();
    if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_by_the_names_that_settings_have() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(*format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        assert!("pdf".parse::<Format>().unwrap_err().contains("csv, jsonl"));
    }

    #[test]
    fn the_built_in_file_gives_settings_and_survives_a_round_trip() {
        let config = Config::default();
        assert_eq!(config.profile, "second-life");
        assert_eq!(config.report.scaled_triangles, SCALED_TRIANGLES);
        assert_eq!(config.report.findings_per_code, FINDINGS_PER_CODE);
        assert_eq!(Config::from_text("dump", &config.to_toml()).unwrap(), config);
    }

    #[test]
    fn a_file_changes_only_its_own_keys() {
        let config = Config::from_text("mine.toml", "threads = 3\n[limits]\nxml_depth = 9").unwrap();
        let expected = Config {
            threads: 3,
            limits: Limits { xml_depth: 9, ..Config::default().limits },
            ..Config::default()
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn a_misspelled_key_is_refused_with_the_nearest() {
        let error = Config::from_text("mine.toml", "[limits]\nblok_bytes = 3").unwrap_err().to_string();
        assert_eq!(
            error,
            "mine.toml has the unknown setting `limits.blok_bytes`: did you mean `block_bytes`?"
        );
        let error = Config::from_text("mine.toml", "qqqqqqqqq = 3").unwrap_err().to_string();
        assert!(error.contains("--dump-config"), "{error}");
    }

    #[test]
    fn an_error_has_the_line_and_not_its_text() {
        let text = "threads = 1\n[notify]\ndiscord = \"https://host/s3cr3t\nslack = \"\"\n";
        let error = Config::from_text("mine.toml", text).unwrap_err().to_string();
        assert!(error.starts_with("mine.toml is not valid TOML: line 3: "), "{error}");
        assert!(!error.contains("s3cr3t"), "{error}");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused() {
        let error = Config::from_text("mine.toml", "threads = \"four\"").unwrap_err().to_string();
        assert_eq!(error, "mine.toml: `threads` must be of type integer, and is of type string");
        let error = Config::from_text("mine.toml", "fail_on = \"eror\"").unwrap_err().to_string();
        assert!(error.contains("unknown variant `eror`"), "{error}");
    }

    #[test]
    fn fail_on_counts_from_its_severity_up() {
        assert!(!FailOn::None.fails(Severity::Blocker));
        assert!(FailOn::Warning.fails(Severity::Error));
        assert!(!FailOn::Error.fails(Severity::Warning));
    }
}
