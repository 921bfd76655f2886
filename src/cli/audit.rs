//! `audit`, and its two halves `scan` and `report`.

use super::{
    Outcome, Settings, diff,
    letters::Letters,
    reading::{Given, Reading},
    summary,
    text::clean,
};
use crate::{
    config::Format,
    facts::Status,
    finding::Severity,
    ledger,
    night::Night,
    progress::Verbosity,
    report::{self, Manifest, Narrow, Reports, output::LAST},
    shelf::Shelf,
    users::Users,
};
use anyhow::Context;
use clap::Args;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

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
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FORMATS")]
    format: Vec<Format>,
    /// Say what is new since this night: the folder of its report, which may be the one of --out, or its ledgers
    #[arg(long, value_name = "OLD")]
    baseline: Option<PathBuf>,
    /// A folder for letters, as text and HTML: to each owner who has a warning or worse what is wrong with their
    /// objects, and how to mend it. letters.csv lists them
    #[arg(long, value_name = "DIR")]
    letters: Option<PathBuf>,
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
    fn narrow(&self) -> Narrow {
        let Self { owner, region, min_severity } = self;
        Narrow { owners: owner.clone(), regions: region.clone(), min_severity: *min_severity }
    }
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    given: Given,
    /// Keep what was learnt of each input in this folder, and read none again whose files have the same names, sizes
    /// and times
    #[arg(long, value_name = "DIR")]
    ledgers: Option<PathBuf>,
    /// Read none of the kept again whose content is the same, whatever its names and times
    #[arg(long)]
    checksum: bool,
    #[command(flatten)]
    people: People,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    left: Left,
}

#[derive(Debug, Args)]
pub(super) struct ScanArgs {
    #[command(flatten)]
    given: Given,
    /// The folder for the ledgers
    #[arg(long, value_name = "DIR", required_unless_present = "dump_config")]
    ledgers: Option<PathBuf>,
    /// Take a kept ledger for true where the content of its input is the same, not where names, sizes and times are
    #[arg(long)]
    checksum: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Ledgers, or folders with them
    #[arg(required_unless_present = "dump_config", value_name = "LEDGERS")]
    ledgers: Vec<PathBuf>,
    #[command(flatten)]
    people: People,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    left: Left,
}

/// Reads exports and writes the reports.
pub(super) fn audit(args: &AuditArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    // Outputs first: a folder that cannot be written is known before anything is read.
    let out = given(args.written.out.as_deref(), "--out")?;
    let reports = open(out, &args.people, &args.written, &args.left, settings)?;
    let letters = args.written.letters.as_deref();
    let setting = Some(settings.config.ledgers.as_path()).filter(|folder| !folder.as_os_str().is_empty());
    let kept = args.ledgers.as_deref().or(setting);
    let outputs: Vec<&Path> = [out].into_iter().chain(kept).chain(letters).collect();
    let run = |folder: &Path| {
        let (ledgers, _) = scan_into(&args.given, &outputs, folder, args.checksum, settings)?;
        write_reports(&ledgers, reports, out, settings)
    };
    match kept {
        Some(folder) => run(folder),
        None => run(&Scratch::inside(out)?.0),
    }
}

/// Reads exports and keeps ledgers.
pub(super) fn scan(args: &ScanArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let ledgers = given(args.ledgers.as_deref(), "--ledgers")?;
    let (_, complete) = scan_into(&args.given, &[ledgers], ledgers, args.checksum, settings)?;
    Ok(if complete { Outcome::Done } else { Outcome::Incomplete })
}

/// Writes the reports from ledgers.
pub(super) fn report(args: &ReportArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let out = given(args.written.out.as_deref(), "--out")?;
    let reports = open(out, &args.people, &args.written, &args.left, settings)?;
    write_reports(&args.ledgers, reports, out, settings)
}

/// Opens the reports, for a target that knows the listed people.
fn open(
    out: &Path,
    people: &People,
    written: &Written,
    left: &Left,
    settings: &Settings,
) -> anyhow::Result<Reports> {
    let users = people.read()?;
    let mut config = settings.config.report.clone();
    if !written.format.is_empty() {
        config.formats.clone_from(&written.format);
    }
    // Before anything is opened, because it is no fault of the folder.
    if let Some(missing) = config.formats.iter().find_map(|format| format.missing()) {
        anyhow::bail!(missing);
    }
    // Before tonight's report takes the place of last night's.
    let baseline = baseline(out, written.baseline.as_deref(), users.as_ref(), left, settings)?;
    let mut reports = Reports::open_after(out, &config, settings.further.clone(), baseline)?;
    if let Some(folder) = &written.letters {
        let heads = reports.heads();
        reports = reports.with(Box::new(Letters::open(folder, &heads, users.clone())?));
    }
    Ok(reports.knowing(users).narrowed(left.narrow()))
}

/// The night to compare with. The folder of the reports itself holds none in the first night.
fn baseline(
    out: &Path,
    flag: Option<&Path>,
    users: Option<&Users>,
    left: &Left,
    settings: &Settings,
) -> anyhow::Result<Option<Night>> {
    let setting = Some(settings.config.baseline.as_path()).filter(|folder| !folder.as_os_str().is_empty());
    let Some(old) = flag.or(setting) else { return Ok(None) };
    let same = || {
        old == out || fs::canonicalize(old).is_ok_and(|old| fs::canonicalize(out).is_ok_and(|out| old == out))
    };
    if !old.join(LAST).exists() && same() {
        eprintln!("hullmark: {} holds no report yet, so there is nothing to compare with", out.display());
        return Ok(None);
    }
    Ok(Some(diff::read(old, users, &left.narrow(), settings)?))
}

/// A folder that only `--dump-config` can do without: the definitions above see to it.
fn given<'a>(folder: Option<&'a Path>, flag: &str) -> anyhow::Result<&'a Path> {
    folder.with_context(|| format!("{flag} is missing"))
}

/// Scans what is not known yet into a folder of ledgers: the ledgers of this run, and whether all of its inputs were
/// read to their end.
fn scan_into(
    given: &Given,
    leave_out: &[&Path],
    ledgers: &Path,
    checksum: bool,
    settings: &Settings,
) -> anyhow::Result<(Vec<PathBuf>, bool)> {
    let waiting = || eprintln!("hullmark: another run uses {}; waiting for it to end", ledgers.display());
    let shelf = Shelf::open(ledgers, &settings.config.limits, checksum, waiting)?;
    let (complete, used) = (AtomicBool::new(true), Mutex::new(Vec::new()));
    let reading = Reading {
        known: &|input, bodies| shelf.find(input, bodies),
        keep: &|input, bodies, ledger| {
            if ledger.status != Status::Complete {
                complete.store(false, Ordering::Relaxed);
            }
            let path = shelf.put(input, bodies, &ledger)?;
            used.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            Ok(())
        },
    };
    let mut known = reading.run(given, leave_out, settings)?;
    shelf.prune()?;
    known.append(&mut used.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok((known, complete.into_inner()))
}

/// Judges ledgers, writes the reports, prints the summary, and says how it ended.
fn write_reports(
    ledgers: &[PathBuf],
    reports: Reports,
    out: &Path,
    settings: &Settings,
) -> anyhow::Result<Outcome> {
    let ledgers = ledger::find(ledgers)?;
    let manifest = Manifest::new(&settings.config, &settings.profile, settings.now);
    let summary = report::write(&ledgers, &settings.profile, manifest, settings.config.report.top, reports)?;
    if settings.verbosity > Verbosity::Quiet {
        summary::print(&summary, out)?;
    }
    for name in summary.narrowed.iter().flat_map(|narrowed| &narrowed.without_match) {
        eprintln!(
            "Nothing in the report is of \"{}\": give an owner by UUID, or by a name that the list of --users has, and \
             a region by the name or UUID that regions.csv has.",
            clean(name)
        );
    }
    let outcome = settings.outcome(summary.complete, summary.worst_severity());
    let new = summary.worst_new().is_some_and(|worst| settings.config.fail_on_new.fails(worst));
    Ok(if outcome == Outcome::Done && new { Outcome::Findings } else { outcome })
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
