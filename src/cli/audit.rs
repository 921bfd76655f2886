//! `audit`, and its two halves `scan` and `report`.

use super::{Outcome, Settings, summary};
use crate::{
    facts::Status,
    ledger::{self, Ledger, LedgerError},
    progress::{Progress, Verbosity},
    report::{self, Manifest, Reports},
    scan,
    source::{self, Input},
};
use anyhow::Context;
use clap::Args;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// What is read.
#[derive(Debug, Args)]
struct Given {
    /// Archives, unpacked archives, assets, or folders with any of them
    #[arg(required_unless_present = "dump_config", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Archives, or folders of files named by UUID, whose assets count as present where an input lacks them. May be
    /// given more than once
    #[arg(long, value_name = "PATH")]
    assets: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    given: Given,
    /// The folder for the reports
    #[arg(long, short, value_name = "DIR", required_unless_present = "dump_config")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ScanArgs {
    #[command(flatten)]
    given: Given,
    /// The folder for the ledgers
    #[arg(long, value_name = "DIR", required_unless_present = "dump_config")]
    ledgers: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Ledgers, or folders with them
    #[arg(required_unless_present = "dump_config", value_name = "LEDGERS")]
    ledgers: Vec<PathBuf>,
    /// The folder for the reports
    #[arg(long, short, value_name = "DIR", required_unless_present = "dump_config")]
    out: Option<PathBuf>,
}

/// Reads exports and writes the reports.
pub(super) fn audit(args: &AuditArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    // Outputs first: a folder that cannot be written is known before anything is read.
    let out = given(args.out.as_deref(), "--out")?;
    let reports = Reports::open(out, &settings.config.report, settings.further.clone())?;
    let scratch = Scratch::inside(out)?;
    scan_into(&args.given, &[out], &scratch.0, settings)?;
    write_reports(std::slice::from_ref(&scratch.0), reports, out, settings)
}

/// Reads exports and keeps ledgers.
pub(super) fn scan(args: &ScanArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let ledgers = given(args.ledgers.as_deref(), "--ledgers")?;
    fs::create_dir_all(ledgers)
        .with_context(|| format!("The folder {} cannot be made", ledgers.display()))?;
    let complete = scan_into(&args.given, &[ledgers], ledgers, settings)?;
    Ok(if complete { Outcome::Done } else { Outcome::Incomplete })
}

/// Writes the reports from ledgers.
pub(super) fn report(args: &ReportArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let out = given(args.out.as_deref(), "--out")?;
    let reports = Reports::open(out, &settings.config.report, settings.further.clone())?;
    write_reports(&args.ledgers, reports, out, settings)
}

/// A folder that only `--dump-config` can do without: the definitions above see to it.
fn given<'a>(folder: Option<&'a Path>, flag: &str) -> anyhow::Result<&'a Path> {
    folder.with_context(|| format!("{flag} is missing"))
}

/// Scans inputs, and behind them the stores for what the inputs lack, into a folder of ledgers; whether all were
/// read to their end.
fn scan_into(
    given: &Given,
    leave_out: &[&Path],
    ledgers: &Path,
    settings: &Settings,
) -> anyhow::Result<bool> {
    let (limits, threads) = (&settings.config.limits, settings.config.threads);
    let inputs = source::walk(&given.paths, leave_out)?;
    let stores = source::walk(&given.assets, leave_out)?;
    let complete = AtomicBool::new(true);
    let bodies = Mutex::new(BTreeSet::new());
    let keep = |ledger: Ledger| {
        if ledger.status != Status::Complete {
            complete.store(false, Ordering::Relaxed);
        }
        if !stores.is_empty() {
            bodies.lock().unwrap_or_else(PoisonError::into_inner).extend(ledger.missing_bodies());
        }
        ledger.write(ledgers).map(drop)
    };
    watched(&inputs, settings, |progress| scan::scan(&inputs, limits, threads, progress, &keep))?;
    let bodies = std::mem::take(&mut *bodies.lock().unwrap_or_else(PoisonError::into_inner));
    if !stores.is_empty() {
        watched(&stores, settings, |progress| {
            scan::scan_stores(&stores, &bodies, limits, threads, progress, &keep)
        })?;
    }
    Ok(complete.into_inner())
}

/// Shows a scan while it runs.
fn watched(
    inputs: &[Input],
    settings: &Settings,
    scan: impl FnOnce(&Progress) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    let progress = Progress::new(inputs, settings.verbosity);
    let scanned = scan(&progress);
    progress.finish();
    scanned
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
    Ok(settings.outcome(summary.complete, summary.worst_severity()))
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
