//! The commands: parse, call the library, print. One file for each.

mod audit;
mod calibrate;
mod changes;
mod completions;
mod diff;
mod explain;
mod format_arg;
mod init;
mod input_args;
mod inspect;
mod json_figures;
mod link;
pub mod notify;
mod plan;
mod preflight;
mod profiles;
pub mod progress;
mod rules;
mod scan;
mod select_entry;
mod slim;
mod summary;
mod terminal;
mod timings;
mod waive;
mod wrap;

use crate::{
    cli::progress::Verbosity,
    finding::{Code, Severity},
    scan::source::NothingToAudit,
    settings::{
        config::{Config, ConfigError, FailOn},
        profile::{Named, Profile},
        rule_selection::{RuleSelection, Selector},
    },
    util::{catch_panic::caught, log},
};
use anyhow::{Context, bail, ensure};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use rayon::ThreadPoolBuilder;
use serde::{
    Deserialize,
    de::{IntoDeserializer, value},
};
use std::{
    fs, io,
    path::PathBuf,
    process::ExitCode,
    time::{Instant, SystemTime},
};

/// Audits exports of Second Life and OpenSimulator: hulls against their limits, linkability, physics and land
/// costs. Reads OAR and IAR archives, unpacked ones, object XML and mesh assets; changes none of them.
#[derive(Debug, Parser)]
#[command(name = "hullmark", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags that every command knows.
#[derive(Debug, Args)]
struct Common {
    /// A settings file; flags win over it. `--dump-config` prints what can stand in it
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What to judge for: second-life, opensim-ubode, opensim-bulletsim, or a profile file of your own. Given more
    /// than once, the first judges, and audit and report set the costs of the others beside
    #[arg(long, global = true, value_name = "NAME")]
    profile: Vec<String>,
    /// The sphere around the prim centres of a linkset must be smaller than this, metres, whatever the profile that
    /// judges says; inf for no such rule
    #[arg(long, global = true, value_name = "METRES", value_parser = distance)]
    max_distance: Option<f64>,
    /// The most prims of a linkset, whatever the profile that judges says
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_prims: Option<u32>,
    /// The region that the objects will stand in, metres east and north, where it is not of the export's own size
    #[arg(long, global = true, value_name = "METRESxMETRES", value_parser = sides)]
    region_size: Option<[u32; 2]>,
    /// Threads that decode; 0 takes one for each core
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// The mildest severity that makes the exit code 1: none, info, warning, error or blocker
    #[arg(long, global = true, value_name = "SEVERITY", value_parser = fail_on)]
    fail_on: Option<FailOn>,
    /// The mildest severity of a finding that is new or got worse, beside an earlier night, that makes the exit code 1:
    /// none, info, warning, error or blocker
    #[arg(long, global = true, value_name = "SEVERITY", value_parser = fail_on)]
    fail_on_new: Option<FailOn>,
    /// Judge only these rules, by code or family, as LNK001,HUL, whatever the profile and the settings select or ignore
    #[arg(long, global = true, value_name = "CODES", value_delimiter = ',')]
    only: Vec<Selector>,
    /// Leave out these rules, too, by code or family
    #[arg(long, global = true, value_name = "CODES", value_delimiter = ',')]
    ignore: Vec<Selector>,
    /// An archive without assets is a blocker (ARC009), for backups that must be whole
    #[arg(long, global = true)]
    require_assets: bool,
    /// Put a byte-order mark before each CSV file, for spreadsheets that need one
    #[arg(long, global = true)]
    byte_order_mark: bool,
    /// The time to write into the manifest, as 2026-11-21T04:00:00Z, and by which waivers end; without it no time is
    /// written, and the clock tells
    #[arg(long, global = true, value_name = "TIME", value_parser = humantime::parse_rfc3339)]
    now: Option<SystemTime>,
    /// Print the settings in force and end
    #[arg(long, global = true)]
    dump_config: bool,
    /// Say where the time went, by stages: a table on standard error at the end
    #[arg(long, global = true)]
    timings: bool,
    /// Say only what went wrong
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more: a line for each input, and long lists in full
    #[arg(long, short, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read exports and write the reports: scan and report in one go
    Audit(audit::AuditArgs),
    /// Find exports and write them down, for many machines to share
    Plan(plan::PlanArgs),
    /// Read exports, or a share of a plan, and keep what was learnt as ledgers
    Scan(scan::ScanArgs),
    /// Write the reports from ledgers, without reading the exports
    Report(audit::ReportArgs),
    /// Say what is new, gone or changed between two nights: reports, or ledgers
    Diff(diff::DiffArgs),
    /// Say go or no-go before a move: what the target would refuse, lose, change, or not run
    Preflight(preflight::PreflightArgs),
    /// Show one mesh or object to a person
    Inspect(inspect::InspectArgs),
    /// Say whether objects would link into one, and how to split what would not
    Link(link::LinkArgs),
    /// Say which changes bring objects under the physical cap, or under a budget
    Slim(slim::SlimArgs),
    /// Compare costs that a script measured in a region with its export, and fit the constants of estimated formulas
    Calibrate(calibrate::CalibrateArgs),
    /// Waive a finding for a while, with a reason: write it into the file of waivers
    Waive(waive::WaiveArgs),
    /// List every rule with its severity for the target grid
    Rules(rules::RulesArgs),
    /// Show the page of a rule: what goes wrong, in which engines, what to do, and where it is laid down
    Explain(explain::ExplainArgs),
    /// List the built-in profiles, or show one in full and where it differs from its base
    Profiles(profiles::ProfilesArgs),
    /// Write a settings file and a profile of your own to start from; neither changes anything until it is edited
    Init(init::InitArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
}

/// How a list is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

impl Command {
    /// The profile to judge by, where the command has a flag of its own for it.
    fn target(&self) -> Option<&str> {
        match self {
            Self::Preflight(args) => args.target.as_deref(),
            Self::Calibrate(args) => args.target.as_deref(),
            _ => None,
        }
    }

    /// Whether every dated copy is judged, as a flag of the command says.
    fn all_copies(&self) -> bool {
        match self {
            Self::Audit(audit::AuditArgs { reported, .. })
            | Self::Report(audit::ReportArgs { reported, .. }) => reported.all_copies,
            Self::Preflight(args) => args.all_copies,
            _ => false,
        }
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        match self {
            Self::Audit(args) => audit::audit(args, settings),
            Self::Plan(args) => plan::plan(args, settings),
            Self::Scan(args) => scan::scan(args, settings),
            Self::Report(args) => audit::report(args, settings),
            Self::Diff(args) => diff::diff(args, settings),
            Self::Preflight(args) => preflight::preflight(args, settings),
            Self::Inspect(args) => inspect::inspect(args, settings),
            Self::Link(args) => link::link(args, settings),
            Self::Slim(args) => slim::slim(args, settings),
            Self::Calibrate(args) => calibrate::calibrate(args, settings),
            Self::Waive(args) => waive::waive(args, settings),
            Self::Rules(args) => rules::rules(args, settings),
            Self::Explain(args) => explain::explain(args, settings),
            Self::Profiles(args) => profiles::profiles(args),
            Self::Init(args) => init::init(args, settings),
            Self::Completions(args) => completions::completions(args),
        }
    }
}

/// How a run ended, as the exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing at or above `--fail-on`.
    Done = 0,
    /// Findings at or above it, or new ones at or above `--fail-on-new`.
    Findings = 1,
    /// Wrong usage or settings, or an output that cannot be written.
    Usage = 2,
    /// An input was not read to its end.
    Incomplete = 3,
    /// A signal ended it before every input was read.
    Stopped = 4,
}

/// What was typed, laid over the settings file and the defaults.
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) profile: Profile,
    pub(crate) further: Vec<Named>,
    pub(crate) now: Option<SystemTime>,
    /// When the run began.
    pub(crate) began: Instant,
    pub(crate) verbosity: Verbosity,
}

/// Runs the command that was typed, and says why where it cannot.
pub fn run() -> ExitCode {
    let outcome = run_command(&Cli::parse()).unwrap_or_else(|error| {
        log::broken(&format!("{error:#}"));
        Outcome::Usage
    });
    ExitCode::from(outcome as u8)
}

/// Runs a command. Errors are those of a broken run: wrong settings, or an output that cannot be written.
fn run_command(cli: &Cli) -> anyhow::Result<Outcome> {
    outlive_large_files().context("Signals cannot be waited for")?;
    let mut settings = Settings::new(&cli.common, cli.command.target())?;
    settings.config.report.all_copies |= cli.command.all_copies();
    if cli.common.dump_config {
        terminal::print(&settings.config.to_toml())?;
        return Ok(Outcome::Done);
    }
    // For all that is done at once outside of scans, which have threads of their own.
    let pool = ThreadPoolBuilder::new().num_threads(crate::scan::how_many(settings.config.threads));
    pool.build_global()
        .context("The threads cannot be started; give the run more memory, or fewer --threads")?;
    if cli.common.timings {
        crate::util::timings::start();
    }
    // What was read is in its ledgers by then; a report is whole or not there.
    let outcome = caught(|| cli.command.run(&settings)).unwrap_or_else(|mistake| {
        bail!(
            "hullmark made a mistake and ends here: {mistake}. Ledgers that are finished stay, and so does the old report; please \
             tell its makers what is written above"
        )
    });
    if cli.common.timings {
        log::page(&timings::table(settings.began.elapsed()));
    }
    match outcome {
        Err(error) if error.is::<NothingToAudit>() => {
            log::broken(&format!("{error:#}"));
            Ok(Outcome::Incomplete)
        }
        outcome => outcome,
    }
}

/// Makes of a file that grows beyond what the system allows (`ulimit -f`) an error of writing: the signal alone would end
/// the process in the midst of its files.
fn outlive_large_files() -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::Signal;
        use signal_hook::flag;
        use std::sync::{Arc, atomic::AtomicBool};
        flag::register(Signal::XFSZ.as_raw(), Arc::<AtomicBool>::default())?;
    }
    Ok(())
}

impl Settings {
    fn new(common: &Common, target: Option<&str>) -> anyhow::Result<Self> {
        let began = Instant::now();
        let mut config = match &common.config {
            None => Config::default(),
            Some(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
                Config::from_text(&path.to_string_lossy(), &text)?
            }
        };
        if let Some((first, also)) = common.profile.split_first() {
            config.profile.clone_from(first);
            config.also = also.to_vec();
        }
        if let Some(target) = target {
            target.clone_into(&mut config.profile);
        }
        config.threads = common.threads.unwrap_or(config.threads);
        config.fail_on = common.fail_on.unwrap_or(config.fail_on);
        config.fail_on_new = common.fail_on_new.unwrap_or(config.fail_on_new);
        config.report.byte_order_mark |= common.byte_order_mark;
        let flags = RuleSelection {
            select: common.only.clone(),
            ignore: common.ignore.clone(),
            ..RuleSelection::default()
        };
        config.rules = flags.over(&config.rules);
        let mut profile = Profile::load(&config.profile).context("The target's profile cannot be used")?;
        let linkability = &mut profile.linkability;
        linkability.max_diameter_m = common.max_distance.unwrap_or(linkability.max_diameter_m);
        linkability.max_prims = common.max_prims.unwrap_or(linkability.max_prims);
        profile.rules = config.rules.over(&profile.rules);
        let placement = &mut profile.placement;
        placement.region_size_m = common.region_size.unwrap_or(placement.region_size_m);
        if common.require_assets {
            // A backup would pass that nobody looked at.
            ensure!(
                profile.selects(Code::ARC009),
                "--require-assets needs the rule ARC009, which [rules], --only or --ignore leaves out: let it be \
                 judged, or leave out --require-assets"
            );
            profile.rules.severity.insert(Selector::Code(Code::ARC009), Severity::Blocker);
        }
        let further = Named::load_beside(&config.profile, &config.also)
            .context("The profiles cannot stand side by side")?;
        let verbosity = match (common.quiet, common.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, 0) => Verbosity::Normal,
            _ => Verbosity::Verbose,
        };
        Ok(Self { config, profile, further, now: common.now, began, verbosity })
    }

    /// The time that it is: the one given, else the system's.
    fn now(&self) -> SystemTime {
        self.now.unwrap_or_else(SystemTime::now)
    }

    /// How bad a code is; nothing where it is not judged.
    fn severity(&self, code: Code) -> Option<Severity> {
        self.profile.selects(code).then(|| self.profile.severity(code))
    }

    /// How a command ends that read its inputs: incomplete wins over findings.
    fn outcome(&self, complete: bool, worst: Option<Severity>) -> Outcome {
        if !complete {
            Outcome::Incomplete
        } else if worst.is_some_and(|worst| self.config.fail_on.fails(worst)) {
            Outcome::Findings
        } else {
            Outcome::Done
        }
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

fn fail_on(text: &str) -> Result<FailOn, String> {
    let parsed: Result<_, value::Error> = FailOn::deserialize(text.into_deserializer());
    parsed.map_err(|_| "use none, info, warning, error or blocker".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
    }
}
