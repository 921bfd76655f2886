//! Flags of several commands, in the groups of `--help`.
//!
//! A command has only the flags that it uses. A flag that overrides a setting has its line in [`Flags`] next to its field.

use super::{Settings, progress::Verbosity, terminal::Color};
use anyhow::ensure;
use clap::{ArgAction, Args};
use hullmark_finding::{Code, Severity};
use hullmark_settings::{
    config::FailOn,
    inventories::InventoryOwner,
    profile::Profile,
    rule_selection::{RuleSelection, Selector},
};
use serde::{
    Deserialize,
    de::{IntoDeserializer, value},
};
use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

/// A group of flags that override settings.
pub(super) trait Flags {
    /// Sets the given flags. The profile of the target is not yet known.
    fn apply(&self, settings: &mut Settings);

    /// Changes the profile of the target, after all settings are known.
    fn apply_to_profile(&self, _profile: &mut Profile) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Replaces a setting by the value of a flag, if it is given.
pub(super) fn replace<T: Clone>(setting: &mut T, flag: Option<&T>) {
    if let Some(value) = flag {
        setting.clone_from(value);
    }
}

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

impl Flags for Common {
    fn apply(&self, settings: &mut Settings) {
        replace(&mut settings.config.threads, self.threads.as_ref());
        settings.verbosity = match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, 0) => Verbosity::Normal,
            _ => Verbosity::Verbose,
        };
        settings.supervised.clone_from(&self.supervised);
        settings.continues = self.continues.is_some();
        let before = Duration::from_millis(self.continues.unwrap_or_default());
        settings.began = settings.began.checked_sub(before).unwrap_or(settings.began);
    }
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
    /// Capacity of each region: land impact, or prims on grids that count these
    ///
    /// The default is that of the profile: 22,500 for Second Life, a full region of the mainland (Second Life Wiki,
    /// Land). Other regions hold 1,000 (Openspace), 5,000 (Homestead), 20,000 or 30,000 (full private regions).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(super) capacity: Option<u32>,
    /// Size of the target region in metres, as 512x512, if it differs from the export
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = sides, hide_short_help = true)]
    pub(super) region_size: Option<[u32; 2]>,
}

impl Flags for TargetArgs {
    fn apply(&self, settings: &mut Settings) {
        if let Some((first, also)) = self.profile.split_first() {
            settings.choose_profile(first);
            settings.config.also = also.to_vec();
        }
    }

    fn apply_to_profile(&self, profile: &mut Profile) -> anyhow::Result<()> {
        replace(&mut profile.linkability.max_diameter_m, self.max_distance.as_ref());
        replace(&mut profile.linkability.max_prims, self.max_prims.as_ref());
        replace(&mut profile.land.object_capacity, self.capacity.as_ref());
        replace(&mut profile.placement.region_size_m, self.region_size.as_ref());
        Ok(())
    }
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

impl Flags for RuleArgs {
    fn apply(&self, settings: &mut Settings) {
        let flags = RuleSelection {
            select: self.only.clone(),
            ignore: self.ignore.clone(),
            ..RuleSelection::default()
        };
        settings.config.rules = flags.over(&settings.config.rules);
    }

    fn apply_to_profile(&self, profile: &mut Profile) -> anyhow::Result<()> {
        if self.require_assets {
            // Otherwise an unchecked backup would pass.
            ensure!(
                profile.selects(Code::ARC009),
                "--require-assets needs the rule ARC009, but [rules], --only or --ignore turns it off. Turn it on, or \
                 leave out --require-assets"
            );
            profile.rules.severity.insert(Selector::Code(Code::ARC009), Severity::Blocker);
        }
        Ok(())
    }
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

impl Flags for DatabaseArgs {
    fn apply(&self, settings: &mut Settings) {
        if !self.inventory.is_empty() {
            settings.config.inventory.clone_from(&self.inventory);
        }
        if !self.database.is_empty() {
            settings.config.database.clone_from(&self.database);
        }
    }
}

/// The exit code of a command that evaluates files.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = RULES)]
pub(super) struct FailArgs {
    /// Exit with 1 if a finding is at least this severe: info, warning, error, blocker or none [default: none]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    pub(super) fail_on: Option<FailOn>,
}

impl Flags for FailArgs {
    fn apply(&self, settings: &mut Settings) {
        replace(&mut settings.config.fail_on, self.fail_on.as_ref());
    }
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
    pub(super) fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.target, &self.rules, &self.fail]
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

impl Flags for CompareArgs {
    fn apply(&self, settings: &mut Settings) {
        replace(&mut settings.config.fail_on_new, self.fail_on_new.as_ref());
        settings.config.report.byte_order_mark |= self.byte_order_mark;
    }
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

impl Flags for NowArgs {
    fn apply(&self, settings: &mut Settings) {
        settings.now = self.now;
    }
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
