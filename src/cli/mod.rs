//! The commands, one file for each: parse, call the library, print.

mod audit;
mod baseline;
mod calibrate;
mod changes;
mod completions;
mod copies;
mod diff;
mod doctor;
mod explain;
mod extract;
mod fix;
mod flags;
mod format_arg;
mod grid_args;
mod init;
mod input_args;
mod inspect;
mod lake_args;
mod ledger_args;
mod link;
mod man;
mod metrics_file;
pub mod notify;
mod object_name;
mod places;
mod plan;
mod preflight;
mod profiles;
pub mod progress;
mod prune;
mod repair;
mod rules;
mod run_end;
mod scan;
mod scene_file;
mod scratch;
mod select_entry;
mod settings;
mod standard_input;
mod summary;
mod supervise;
mod terminal;
mod timings;
mod verify;
mod version;
mod waive;
mod where_used;
mod wrap;

use anyhow::{Context, bail};
use clap::{
    Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};
use flags::{Common, Flags};
use hullmark_settings::limits::Limits;
use hullmark_source::NothingToAudit;
use hullmark_util::{catch_panic::caught, log, terminal_text};
use ledger_args::NoLedgers;
use rayon::ThreadPoolBuilder;
pub(crate) use settings::Settings;
use std::{io, path::Path, process::ExitCode};

const EXAMPLES: &str = "\
Examples:
  hullmark audit exports --out report
  hullmark preflight region.oar --target opensim-ubode
  hullmark explain HUL003";

/// Audits exports of Second Life and OpenSimulator regions
///
/// Reads OAR and IAR archives, unpacked archives, object XML and mesh assets. Checks hulls, linkability, physics and land
/// impact, and writes reports. No export is changed: `extract` writes copies.
#[derive(Debug, Parser)]
#[command(name = "hullmark", version, max_term_width = 100, disable_help_flag = true, disable_version_flag = true, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read exports and write reports
    Audit(Box<audit::AuditArgs>),
    /// Check whether an export can move to a grid, and what gets lost
    Preflight(preflight::PreflightArgs),
    /// Compare both sides of a move: what arrived, what changed, and what was lost
    Verify(verify::VerifyArgs),
    /// Mend what stops or loses a load, in a copy of the archive
    Repair(repair::RepairArgs),
    /// Copy some objects of an archive, with their assets, to an archive of their own
    Extract(extract::ExtractArgs),
    /// Compare two runs: new, resolved and changed findings
    Diff(diff::DiffArgs),
    /// Show one mesh or object in detail
    Inspect(inspect::InspectArgs),
    /// Find every use of an asset, or things by UUID or name, in ledgers and exports
    Where(where_used::WhereArgs),
    /// Check whether objects can be linked, and how to split them
    Link(link::LinkArgs),
    /// List the edits that lower land impact or physics weight to a goal
    Fix(fix::FixArgs),
    /// Compare costs measured in a region with its export
    Calibrate(calibrate::CalibrateArgs),
    /// Accept a finding for a limited time, with a reason
    Waive(waive::WaiveArgs),
    /// List the databases and folders that the settings of a simulator name
    Places(places::PlacesArgs),
    /// List exports in a plan that many machines share
    Plan(plan::PlanArgs),
    /// Read exports, or a shard of a plan, into ledgers
    Scan(scan::ScanArgs),
    /// Write reports from ledgers
    Report(audit::ReportArgs),
    /// Check whether a run would work here, and who would get its messages
    Doctor(doctor::DoctorArgs),
    /// Send a test message through each channel of the settings
    Notify(notify::NotifyArgs),
    /// Remove decoded contents that later runs would reuse
    Prune(prune::PruneArgs),
    /// List all rules with their severity for the target
    Rules(rules::RulesArgs),
    /// Explain a rule: why it matters and what to do
    Explain(explain::ExplainArgs),
    /// List the built-in profiles, or show one
    Profiles(profiles::ProfilesArgs),
    /// Create a settings file and a profile to edit
    Init(init::InitArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Write the manual pages
    Man(man::ManArgs),
}

/// The arguments of a command, and what it does.
trait Run {
    /// Returns the groups of flags that override settings.
    fn flags(&self) -> Vec<&dyn Flags> {
        Vec::new()
    }

    /// Returns the folder of ledgers of a command that reads many inputs; `Some(None)` if the run keeps nothing.
    /// Returns `None` for other commands.
    fn ledgers<'a>(&'a self, _settings: &'a Settings) -> Option<Option<&'a Path>> {
        None
    }

    /// Returns the bytes that are read of standard input at most. `None` if a parent need not keep them.
    fn of_standard_input(&self, _limits: &Limits) -> Option<u64> {
        None
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome>;
}

impl Command {
    fn args(&self) -> &dyn Run {
        match self {
            Self::Audit(args) => &**args,
            Self::Preflight(args) => args,
            Self::Verify(args) => args,
            Self::Repair(args) => args,
            Self::Extract(args) => args,
            Self::Diff(args) => args,
            Self::Inspect(args) => args,
            Self::Where(args) => args,
            Self::Link(args) => args,
            Self::Fix(args) => args,
            Self::Calibrate(args) => args,
            Self::Waive(args) => args,
            Self::Places(args) => args,
            Self::Plan(args) => args,
            Self::Scan(args) => args,
            Self::Report(args) => args,
            Self::Doctor(args) => args,
            Self::Notify(args) => args,
            Self::Prune(args) => args,
            Self::Rules(args) => args,
            Self::Explain(args) => args,
            Self::Profiles(args) => args,
            Self::Init(args) => args,
            Self::Completions(args) => args,
            Self::Man(args) => args,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing at or above `--fail-on`.
    Done = 0,
    /// Findings at or above `--fail-on`, or new ones at or above `--fail-on-new`.
    Findings = 1,
    /// Wrong usage or settings, or an output that cannot be written.
    Usage = 2,
    /// An input was not read to its end.
    Incomplete = 3,
    /// A signal ended the run before every input was read.
    Stopped = 4,
}

/// Runs the command and prints its error, if any.
pub fn run() -> ExitCode {
    let code = parsed().and_then(|cli| cli.map_or(Ok(Outcome::Done as u8), |cli| run_command(&cli)));
    let code = code.unwrap_or_else(|error| {
        log::broken(&words_of(&error));
        Outcome::Usage as u8
    });
    ExitCode::from(code)
}

/// Returns an error with its causes. Libraries repeat the words of a cause as their own, which are said once.
fn words_of(error: &anyhow::Error) -> String {
    let mut words: Vec<String> = error.chain().map(ToString::to_string).collect();
    words.dedup();
    words.join(": ")
}

/// Parses the arguments. `None` if they only ask for the packages of this build, which are printed. Other questions and
/// wrong arguments end the program.
fn parsed() -> anyhow::Result<Option<Cli>> {
    match Cli::try_parse() {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if version::is_asked(&error) => {
            version::print_long()?;
            Ok(None)
        }
        Err(error) => match path_in_place_of_command(&error) {
            Some(path) => bail!("{path} is a file or a folder, not a command. Use `hullmark audit {path}`"),
            None => error.exit(),
        },
    }
}

/// Returns the path that was given in place of a command.
fn path_in_place_of_command(error: &clap::Error) -> Option<String> {
    let is_about_command = error.kind() == ErrorKind::InvalidSubcommand;
    match error.get(ContextKind::InvalidSubcommand).filter(|_| is_about_command)? {
        ContextValue::String(name) if Path::new(name).exists() => Some(terminal_text::clean(name)),
        _ => None,
    }
}

/// Runs a command, perhaps in another process, and returns its exit code. Errors are wrong settings, or an output that
/// cannot be written.
fn run_command(cli: &Cli) -> anyhow::Result<u8> {
    cli.common.color.apply();
    let handlers = "The handler of signals cannot be installed";
    cli.common.supervised.as_deref().map_or(Ok(()), supervise::follow).context(handlers)?;
    outlive_large_files().context(handlers)?;
    let mut flags: Vec<&dyn Flags> = vec![&cli.common];
    flags.extend(cli.command.args().flags());
    let settings = Settings::new(cli.common.config.as_deref(), &flags)?;
    if cli.common.dump_config {
        terminal::print(&settings.dump())?;
        return Ok(Outcome::Done as u8);
    }
    match supervise::run(cli, &settings)? {
        Some(code) => Ok(code),
        None => run_here(cli, &settings).map(|outcome| outcome as u8),
    }
}

fn run_here(cli: &Cli, settings: &Settings) -> anyhow::Result<Outcome> {
    // A separate pool, because scans have threads of their own.
    let pool = ThreadPoolBuilder::new().num_threads(hullmark_scan::how_many(settings.config.threads));
    pool.build_global()
        .context("The threads cannot be started. Use fewer --threads, or give the run more memory")?;
    if cli.common.timings {
        hullmark_util::timings::start();
    }
    // A panic may be caught here: finished ledgers are complete, and a report is complete or absent.
    let outcome = caught(|| cli.command.args().run(settings)).unwrap_or_else(|mistake| {
        bail!(
            "internal error: {mistake}. Finished ledgers and the previous report are intact. Please report this bug with the \
             message above"
        )
    });
    if cli.common.timings {
        log::page(&timings::table(settings.began.elapsed()));
    }
    match outcome {
        Err(error) if error.is::<NothingToAudit>() || error.is::<NoLedgers>() => {
            log::broken(&words_of(&error));
            Ok(Outcome::Incomplete)
        }
        outcome => outcome,
    }
}

/// Turns the signal of a file above the size limit (`ulimit -f`) into a write error. The signal would end the process.
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_command_is_hidden() {
        let command = Cli::command();
        let hidden = command.get_subcommands().filter(|command| command.is_hide_set());
        let hidden: Vec<&str> = hidden.map(clap::Command::get_name).collect();
        assert_eq!(hidden, [""; 0], "help and documents are checked by what --help lists");
    }
}
