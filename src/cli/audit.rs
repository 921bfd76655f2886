//! `audit`, which is `scan` and `report` in one go; and `report`.

use super::{Outcome, Settings, diff, format_arg::format, summary, waive::Waiving};
use crate::{
    cli::{
        input_args::{InputArgs, RunArgs, keeper, session_error, watcher},
        notify,
        progress::Verbosity,
    },
    finding::Severity,
    ledger::{self, coverage::NotCovered},
    report::{self, Manifest, Reports, RowFilter, Summary, diff::Snapshot, letters::Letters, output::LAST},
    rules::{history::History, waivers::Waivers},
    scan::{plan::Plan, source::NothingToAudit},
    settings::{config::Format, users::Users},
    storage,
    util::log::{self, Level},
};
use anyhow::Context;
use clap::{ArgGroup, Args};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Bytes of ledgers, packed, that a run which keeps none holds in memory and does not write. One that is alone may be
/// larger: it is there already, and would be again when it is read.
const HELD: usize = 64 * 1024 * 1024;

/// Whom the target knows.
#[derive(Debug, Args)]
pub(super) struct People {
    /// A list of the people whom the target grid knows, to find owners and creators whom it does not (OWN001): each
    /// line begins with a UUID, a name may follow
    #[arg(long, value_name = "FILE")]
    users: Option<PathBuf>,
}

impl People {
    /// The list, where one was given.
    pub(super) fn read(&self) -> anyhow::Result<Option<Users>> {
        Ok(self.users.as_deref().map(Users::read).transpose()?)
    }
}

/// What is written.
#[derive(Debug, Args)]
struct Written {
    /// The folder for the reports
    #[arg(long, short, value_name = "DIR", required_unless_present = "dump_config")]
    out: Option<PathBuf>,
    /// How tables are written; several with commas between. audit.json is always there
    #[arg(long, value_parser = format(), value_delimiter = ',', value_name = "FORMATS")]
    format: Vec<Format>,
    /// Say what is new since this night: the folder of its report, which may be the one of --out, or its ledgers
    #[arg(long, value_name = "OLD")]
    baseline: Option<PathBuf>,
    /// A folder for letters, as text and HTML: to each owner who has a warning or worse what is wrong with their
    /// objects, and how to mend it. letters.csv lists them
    #[arg(long, value_name = "DIR")]
    letters: Option<PathBuf>,
    /// Run this command by the shell once the reports are written, with audit.json on its standard input, where there is
    /// an error or worse ([notify] at in the settings) or an input was not read to its end
    #[arg(long, value_name = "COMMAND")]
    notify_command: Option<String>,
}

/// What is left of a report.
#[derive(Debug, Args)]
struct Left {
    /// Report only what this owner has: a UUID, or a name as the list of --users has it. May be given more than once
    #[arg(long, value_name = "OWNER")]
    owner: Vec<String>,
    /// Report only what stands in this region: its name or UUID. May be given more than once
    #[arg(long, value_name = "REGION")]
    region: Vec<String>,
    /// Report only findings that are as bad, and what has them: info, warning, error or blocker
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    min_severity: Option<Severity>,
}

impl Left {
    fn narrow(&self) -> RowFilter {
        let Self { owner, region, min_severity } = self;
        RowFilter { owners: owner.clone(), regions: region.clone(), min_severity: *min_severity }
    }
}

/// What a report is made by.
#[derive(Debug, Args)]
pub(super) struct Reported {
    /// Judge every dated copy of an archive. Without it only the newest that was read to its end is judged, and the
    /// older ones have their row in archives alone
    #[arg(long)]
    pub(super) all_copies: bool,
    #[command(flatten)]
    people: People,
    #[command(flatten)]
    waiving: Waiving,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    left: Left,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("without_paths").args(["dump_config"]))]
pub(super) struct AuditArgs {
    #[command(flatten)]
    given: InputArgs,
    /// Keep what was learnt of each input in this folder, and read none again whose files have the same names, sizes
    /// and times
    #[arg(long, value_name = "DIR")]
    ledgers: Option<PathBuf>,
    /// Read none of the kept again whose content is the same, whatever its names and times
    #[arg(long)]
    checksum: bool,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    pub(super) reported: Reported,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Ledgers, or folders with them
    #[arg(required_unless_present = "dump_config", value_name = "LEDGERS")]
    ledgers: Vec<PathBuf>,
    /// Report on what this plan has (hullmark plan): there must be one ledger for each of its inputs, made by the same
    /// version with the same limits. Ledgers of other inputs are left out
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Where inputs of the plan have no ledger, say so and report on the others; the exit code is 3
    #[arg(long, requires = "plan")]
    partial: bool,
    #[command(flatten)]
    pub(super) reported: Reported,
}

/// Reads exports and writes the reports.
pub(super) fn audit(args: &AuditArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    // Outputs first: a folder that cannot be written is known before anything is read.
    let out = given(args.reported.written.out.as_deref(), "--out")?;
    let mut reports = open(out, &args.reported, settings)?;
    let letters = args.reported.written.letters.as_deref();
    let setting = Some(settings.config.ledgers.as_path()).filter(|folder| !folder.as_os_str().is_empty());
    let kept = args.ledgers.as_deref().or(setting);
    anyhow::ensure!(
        kept.is_none_or(|kept| !is_same(kept, out)),
        "--out and --ledgers are the same folder, and each is held by a run of its own: choose two"
    );
    let outputs: Vec<&Path> = [out].into_iter().chain(kept).chain(letters).collect();
    let folder = reports.folder().unwrap_or(out).to_owned();
    let limits = args.run.until_signalled(settings).context("Signals cannot be waited for")?;
    let watch = watcher(&limits, settings);
    let run = |folder: &Path, room: usize| {
        let keeping = keeper(folder, room, args.checksum, &limits, &watch, settings);
        let scanned = keeping.read(None, |session| session.read(args.given.given(&outputs)));
        let scanned = scanned.map_err(session_error)?;
        reports.uncovered = scanned.uncovered;
        reports.emptied = scanned.emptied;
        reports.held = scanned.held;
        let ledgers = ledger::find(&scanned.ledgers)?;
        // There may be many, and they are known in their order now.
        drop(scanned.ledgers);
        write_reports(&ledgers, reports, out, settings)
    };
    let summary = match kept {
        Some(folder) => run(folder, 0),
        None => run(&Scratch::inside(&folder)?.0, HELD),
    };
    let notify_command = args.reported.written.notify_command.as_ref();
    if summary.as_ref().is_err_and(anyhow::Error::is::<NothingToAudit>) {
        let exit = Outcome::Incomplete as u8;
        tell(notify::RunEnd { report: None, worst: None, complete: false, exit }, notify_command, settings);
    }
    end(&summary?, limits.is_cut(), out, notify_command, settings)
}

/// Writes the reports from ledgers.
pub(super) fn report(args: &ReportArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let out = given(args.reported.written.out.as_deref(), "--out")?;
    let mut reports = open(out, &args.reported, settings)?;
    let ledgers = match &args.plan {
        None => ledger::find(&args.ledgers)?,
        Some(plan) => {
            let plan = Plan::read(plan, &settings.config.limits)?;
            let gathered = plan.gather(ledger::find_readable(&args.ledgers)?)?;
            let (ledgers, missing) = gathered.into_report(args.partial)?;
            reports.uncovered = missing;
            ledgers
        }
    };
    let summary = write_reports(&ledgers, reports, out, settings)?;
    end(&summary, false, out, args.reported.written.notify_command.as_ref(), settings)
}

/// Opens the reports, for a target that knows the listed people.
fn open(out: &Path, reported: &Reported, settings: &Settings) -> anyhow::Result<Reports> {
    let Reported { people, waiving, written, left, all_copies: _ } = reported;
    let users = people.read()?;
    let waivers = waiving.read(settings)?;
    let mut config = settings.config.report.clone();
    if !written.format.is_empty() {
        config.formats.clone_from(&written.format);
    }
    // Before anything is opened, because it is no fault of the folder.
    if let Some(missing) = config.formats.iter().find_map(|format| format.missing()) {
        anyhow::bail!(missing);
    }
    // Before tonight's report takes the place of last night's.
    let baseline = baseline(out, written.baseline.as_deref(), users.as_ref(), left, &waivers, settings)?;
    let mut history = History::new(&settings.config, settings.now())?;
    if let Some(night) = &baseline {
        history = history.since(night.inputs.clone(), night.is_of_other_target(&settings.profile));
    }
    let mut reports = Reports::open(out, &config, settings.further.clone(), baseline)?;
    if let Some(folder) = &written.letters {
        reports.add(Box::new(Letters::open(folder, users.clone())?));
    }
    (reports.users, reports.waivers) = (users, waivers);
    (reports.filter, reports.history) = (left.narrow(), Some(history));
    Ok(reports)
}

/// The night to compare with. The folder of the reports itself holds none in the first night.
fn baseline(
    out: &Path,
    flag: Option<&Path>,
    users: Option<&Users>,
    left: &Left,
    waivers: &Waivers,
    settings: &Settings,
) -> anyhow::Result<Option<Snapshot>> {
    let setting = Some(settings.config.baseline.as_path()).filter(|folder| !folder.as_os_str().is_empty());
    let Some(old) = flag.or(setting) else { return Ok(None) };
    let is_there = !storage::is_gone(&old.join(LAST));
    if !is_there && is_same(old, out) {
        let words =
            format!("hullmark: {} holds no report yet, so there is nothing to compare with", out.display());
        log::say(Level::Info, &words);
        return Ok(None);
    }
    Ok(Some(diff::read(old, users, &left.narrow(), waivers, settings)?))
}

/// Whether two paths are one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// A folder that only `--dump-config` can do without: the definitions above see to it.
fn given<'a>(folder: Option<&'a Path>, flag: &str) -> anyhow::Result<&'a Path> {
    folder.with_context(|| format!("{flag} is missing"))
}

/// Judges ledgers, writes the reports and prints the summary.
fn write_reports(
    ledgers: &[PathBuf],
    reports: Reports,
    out: &Path,
    settings: &Settings,
) -> anyhow::Result<Summary> {
    let manifest = Manifest::new(&settings.config, &settings.profile, settings.now);
    let summary = report::write(ledgers, &settings.profile, manifest, settings.config.report.top, reports)?;
    if settings.verbosity > Verbosity::Quiet && !log::stdout_is_journal() {
        summary::print(&summary, out)?;
    }
    for name in summary.narrowed.iter().flat_map(|narrowed| &narrowed.without_match) {
        let words = format!(
            "Nothing in the report is of \"{name}\": give an owner by UUID, or by a name that the list of --users has, \
             and a region by the name or UUID that regions.csv has."
        );
        log::say(Level::Warning, &words);
    }
    Ok(summary)
}

/// Says how it ended, to logs and to whom the operator wants to be told.
fn end(
    summary: &Summary,
    cut: bool,
    out: &Path,
    notify_command: Option<&String>,
    settings: &Settings,
) -> anyhow::Result<Outcome> {
    let worst = summary.worst_severity();
    let outcome = settings.outcome(summary.is_read(), worst);
    let new = summary.worst_new().is_some_and(|worst| settings.config.fail_on_new.fails(worst));
    let outcome = if outcome == Outcome::Done && new { Outcome::Findings } else { outcome };
    let outcome = or_stopped(outcome, cut, summary.not_covered.as_ref());
    say_end(
        outcome,
        &format!("{}; the report is in {}", summary::in_short(summary), out.display()),
        settings,
    );
    let (complete, exit) = (summary.is_read(), outcome as u8);
    tell(notify::RunEnd { report: Some(out), worst, complete, exit }, notify_command, settings);
    Ok(outcome)
}

/// Runs the operator's command.
fn tell(night: notify::RunEnd<'_>, command: Option<&String>, settings: &Settings) {
    let mut notify = settings.config.notify.clone();
    if let Some(command) = command {
        notify.command.clone_from(command);
    }
    if let Err(error) = notify.tell(night) {
        // A night is not worse because nobody could be told of it.
        log::say(Level::Error, &format!("{error}."));
    }
}

/// How a run ended that a signal may have ended before: inputs were cut short, or not begun.
pub(super) fn or_stopped(outcome: Outcome, cut: bool, not_covered: Option<&NotCovered>) -> Outcome {
    let stopped = cut || not_covered.is_some_and(|not_covered| not_covered.by_signal > 0);
    if stopped { Outcome::Stopped } else { outcome }
}

/// The last line of a log. A person at a terminal has the summary; who wants to hear only what went wrong hears nothing
/// where nothing did.
pub(super) fn say_end(outcome: Outcome, words: &str, settings: &Settings) {
    let (level, verdict) = match outcome {
        Outcome::Done => (Level::Info, "Finished"),
        Outcome::Findings => {
            (Level::Warning, "Finished with findings at or above --fail-on or --fail-on-new (exit code 1)")
        }
        Outcome::Usage | Outcome::Incomplete => {
            (Level::Error, "Finished, but the audit is INCOMPLETE (exit code 3)")
        }
        Outcome::Stopped => {
            (Level::Error, "Stopped by a signal, so that the audit is INCOMPLETE (exit code 4)")
        }
    };
    let is_told = match settings.verbosity {
        Verbosity::Quiet => outcome != Outcome::Done,
        Verbosity::Normal | Verbosity::Verbose => !log::is_terminal(),
    };
    if is_told {
        log::say(level, &format!("{verdict}: {words}."));
    }
}

fn severity(text: &str) -> Result<Severity, String> {
    Severity::named(text).ok_or_else(|| "use info, warning, error or blocker".into())
}

/// A folder for the ledgers of one run, removed when the run ends.
struct Scratch(PathBuf);

impl Scratch {
    fn inside(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("ledgers.partial");
        // What a run that was killed left behind is of no use to this one.
        if path.exists() {
            fs::remove_dir_all(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
        }
        fs::create_dir_all(&path).with_context(|| format!("The folder {} cannot be made", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing more can be done about a folder that will not go.
        let _ = fs::remove_dir_all(&self.0);
    }
}
