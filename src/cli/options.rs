//! Flags of several commands, in the groups of `--help`.
//!
//! A command has only the flags that it uses. [`Overrides`] collects those that override settings.

use crate::cli::terminal::Color;
use clap::{ArgAction, Args};
use hullmark_settings::{config::FailOn, inventories::InventoryOwner, rule_selection::Selector};
use serde::{
    Deserialize,
    de::{IntoDeserializer, value},
};
use std::{path::PathBuf, time::SystemTime};

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = GENERAL)]
pub(super) struct Common {
    /// Read settings from this file
    ///
    /// Without it, `hullmark.toml` is read from the working folder, else from your settings folder
    /// (`~/.config/hullmark/`, on Windows `%APPDATA%\hullmark\`). Flags win over settings.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(super) threads: Option<usize>,
    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto, hide_short_help = true)]
    pub(super) color: Color,
    /// Print only problems
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print a line for each input, and long lists in full
    #[arg(long, short, global = true, action = ArgAction::Count)]
    pub(super) verbose: u8,
    /// Print how long each stage took
    #[arg(long, global = true, hide_short_help = true)]
    pub(super) timings: bool,
    /// Print the settings in force as TOML, and exit
    #[arg(long, global = true, hide_short_help = true)]
    pub(super) dump_config: bool,
    /// The folder of the process that started this one, and outlives its crash
    #[arg(long, global = true, hide = true, value_name = "DIR")]
    pub(super) supervised: Option<PathBuf>,
    /// This process continues one that crashed. Milliseconds since the first one started
    #[arg(long, global = true, hide = true, value_name = "MS")]
    pub(super) continues: Option<u64>,
    /// Print help; `--help` shows more than `-h`
    #[arg(long, short, global = true, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version; with --verbose also the packages in this build and their licenses
    #[arg(long, short = 'V', action = ArgAction::Version)]
    version: Option<bool>,
}

/// Headings of `--help`, in addition to those of clap.
pub(super) const INPUT: &str = "Input";
pub(super) const OUTPUT: &str = "Output";
pub(super) const TARGET: &str = "Target";
pub(super) const RULES: &str = "Rules";
pub(super) const NIGHTLY: &str = "Nightly";
pub(super) const CLUSTER: &str = "Cluster";
pub(super) const GENERAL: &str = "General";

/// The grid whose limits and costs apply.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = TARGET)]
pub(super) struct TargetArgs {
    /// Target grid: second-life, opensim-ubode, opensim-bulletsim, or a profile file [default: second-life]
    ///
    /// Give it again to add the costs of further grids to the reports of `audit` and `report`. The environment variable
    /// HULLMARK_PROFILE and the setting `profile` choose another default.
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Vec<String>,
    /// Maximum diameter of a linkset in metres; inf for no limit
    ///
    /// The smallest sphere around all prim centers must have a smaller diameter. The default is that of the profile.
    #[arg(long, value_name = "METRES", value_parser = distance, hide_short_help = true)]
    pub(super) max_distance: Option<f64>,
    /// Maximum number of prims in a linkset [default: that of the profile]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(super) max_prims: Option<u32>,
    /// Size of the target region in metres, as 512x512, if it differs from the export
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = sides, hide_short_help = true)]
    pub(super) region_size: Option<[u32; 2]>,
}

/// The rules that are evaluated.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = RULES)]
pub(super) struct RuleArgs {
    /// Evaluate only these rules or families, as LNK001,HUL
    ///
    /// This replaces what the profile and the settings select and ignore.
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(super) only: Vec<Selector>,
    /// Leave out these rules or families as well
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(super) ignore: Vec<Selector>,
    /// Report an archive without assets as a blocker (ARC009), for backups that must be complete
    #[arg(long, hide_short_help = true)]
    pub(super) require_assets: bool,
}

/// The databases to read, and the owners whose inventories are evaluated.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = INPUT)]
pub(super) struct DatabaseArgs {
    /// Evaluate this owner's inventory in databases: "First Last", a UUID or all; may be repeated
    ///
    /// Without it, inventories are only counted. Names need the accounts in the same database.
    #[arg(long, value_name = "OWNER", hide_short_help = true)]
    pub(super) inventory: Vec<InventoryOwner>,
    /// Read only this database of dumps with several; may be repeated
    ///
    /// The database of a file of SQLite has the name of the file. A server has the database in its URL.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(super) database: Vec<String>,
}

/// The exit code of a command that evaluates files.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = RULES)]
pub(super) struct FailArgs {
    /// Exit with 1 if a finding is at least this severe: info, warning, error, blocker or none [default: none]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    pub(super) fail_on: Option<FailOn>,
}

/// Target and rules of `inspect`, `link` and `fix`.
#[derive(Debug, Default, Args)]
pub(super) struct EvaluationArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    #[command(flatten)]
    pub(super) fail: FailArgs,
}

impl EvaluationArgs {
    pub(super) fn overrides(&self) -> Overrides<'_> {
        Overrides {
            target: Some(&self.target),
            rules: Some(&self.rules),
            fail_on: self.fail.fail_on,
            ..Overrides::default()
        }
    }
}

/// The comparison with an earlier run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = NIGHTLY)]
pub(super) struct CompareArgs {
    /// Exit with 1 if a new or worsened finding is at least this severe: info, warning, error, blocker or none
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    pub(super) fail_on_new: Option<FailOn>,
    /// Start CSV files with a byte-order mark, which some spreadsheet programs need
    #[arg(long, hide_short_help = true, help_heading = OUTPUT)]
    pub(super) byte_order_mark: bool,
}

/// The time of the run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = NIGHTLY)]
pub(super) struct NowArgs {
    /// Time of the run, as 2026-11-21T04:00:00Z, for waivers, expected archives and audit.json
    ///
    /// Without it, the system clock counts, and audit.json states no time: equal runs give equal files.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_rfc3339, hide_short_help = true)]
    pub(super) now: Option<SystemTime>,
}

/// The flags of a command that override settings.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Overrides<'a> {
    pub(super) target: Option<&'a TargetArgs>,
    /// The target from `--target`.
    pub(super) profile: Option<&'a str>,
    pub(super) rules: Option<&'a RuleArgs>,
    pub(super) fail_on: Option<FailOn>,
    pub(super) compare: Option<&'a CompareArgs>,
    pub(super) now: Option<SystemTime>,
    pub(super) all_copies: bool,
    pub(super) all_assets: bool,
    /// Owners whose inventories are evaluated; empty if the flag is not given.
    pub(super) inventory: &'a [InventoryOwner],
    /// The databases that are read; empty if the flag is not given.
    pub(super) database: &'a [String],
}

fn distance(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(distance) if distance > 0.0 => Ok(distance),
        _ => Err("use a distance above 0 in metres, as 54, or inf".into()),
    }
}

fn sides(text: &str) -> Result<[u32; 2], String> {
    let sides = text
        .split_once(['x', 'X', '×'])
        .and_then(|(east, north)| Some([east.trim().parse().ok()?, north.trim().parse().ok()?]));
    sides
        .filter(|sides: &[u32; 2]| !sides.contains(&0))
        .ok_or_else(|| "use two sides above 0 in metres, as 256x256".into())
}

pub(super) fn fail_on(text: &str) -> Result<FailOn, String> {
    let parsed: Result<_, value::Error> = FailOn::deserialize(text.into_deserializer());
    parsed.map_err(|_| "use none, info, warning, error or blocker".into())
}
