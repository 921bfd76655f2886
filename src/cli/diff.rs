//! `diff`: differences between two runs.

use super::{
    Outcome, Run, Settings, changes,
    flags::{CompareArgs, Flags, INPUT, NowArgs, OUTPUT, RuleArgs, TargetArgs},
    format_arg::{format, without_findings},
    progress::Verbosity,
    terminal::{print, print_colored},
    waive::Waiving,
};
use anyhow::{Context, bail, ensure};
use clap::Args;
use hullmark_ledger as ledger;
use hullmark_pages::{self as pages};
use hullmark_report::{
    self as report, Evaluator, RowFilter,
    diff::{self, Changes, Extent, Snapshot},
    output::LAST,
};
use hullmark_rules::{history::History, waivers::Waivers};
use hullmark_settings::{config::Format, users::Users};
use hullmark_storage as storage;
use hullmark_util::escape;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  hullmark diff report-monday report-tuesday
  hullmark diff old new --out changes --format csv,html";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DiffArgs {
    /// Earlier run: the folder of its report (with csv among its formats), or its ledgers
    #[arg(required_unless_present = "dump_config", value_name = "OLD", help_heading = INPUT, display_order = 0)]
    old: Option<PathBuf>,
    /// Later run
    #[arg(required_unless_present = "dump_config", value_name = "NEW", help_heading = INPUT, display_order = 1)]
    new: Option<PathBuf>,
    /// Folder for the table of changes; changes.json is always written
    #[arg(long, short, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Formats of the table, separated by commas: csv, jsonl, parquet, xlsx, html
    #[arg(
        long, value_parser = format(), value_delimiter = ',', value_name = "FORMATS", requires = "out",
        help_heading = OUTPUT
    )]
    format: Vec<Format>,
    /// Print JSON: what changes.json has
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    waiving: Waiving,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    now: NowArgs,
}

impl Run for DiffArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.target, &self.rules, &self.compare, &self.now]
    }

    /// Compares two runs, prints a summary, and writes the table if `--out` is given.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            bail!("diff needs two runs: OLD and NEW")
        };
        let about = "one run: use csv, jsonl, parquet, xlsx or html for changes";
        let config = without_findings(&self.format, &settings.config.report, about)?;
        let waivers = self.waiving.read(settings)?;
        let scratch = scratch(self.out.as_deref());
        let snapshot = |path| {
            let extent = Extent::Objects;
            read(path, extent, None, &RowFilter::default(), &waivers, settings, &scratch)
        };
        let (old, new) = rayon::join(|| snapshot(old), || snapshot(new));
        let changes = Changes::between(&old?, &new?, &scratch).with_context(|| {
            let at = scratch.display();
            format!("The changes cannot wait in {at}. Make room there, or choose an --out on another disk")
        })?;
        let summary = match &self.out {
            Some(out) => pages::write_changes(out, &config, settings.manifest(), changes)?,
            None => changes.write(config.top, |_| Ok(()))?,
        };
        let speaks = settings.verbosity > Verbosity::Quiet && !self.json;
        if self.json {
            print(&escape::json(&summary)?)?;
        }
        if speaks {
            print_colored(&changes::text(&summary))?;
        }
        if let Some(out) = self.out.as_ref().filter(|_| speaks) {
            print(&format!("\nWrote the changes to {}\n", out.display()))?;
        }
        let fails = summary.counts.worst().is_some_and(|worst| settings.config.fail_on_new.fails(worst));
        Ok(match (summary.is_read(), fails) {
            (false, _) => Outcome::Incomplete,
            (true, true) => Outcome::Findings,
            (true, false) => Outcome::Done,
        })
    }
}

/// Reads a report to this extent, or evaluates ledgers with the current settings and waivers.
pub(super) fn read(
    path: &Path,
    extent: Extent,
    users: Option<&Users>,
    filter: &RowFilter,
    waivers: &Waivers,
    settings: &Settings,
    scratch: &Path,
) -> anyhow::Result<Snapshot> {
    // A file may be a ledger.
    if !path.is_file() && !storage::is_gone(&path.join(LAST)) {
        return Ok(Snapshot { path: shown(path), ..diff::of_report(path, scratch, extent)? });
    }
    ensure!(
        storage::is_url(path) || path.exists(),
        "{} does not exist. Name the folder of a report, or ledgers, to compare with",
        path.display()
    );
    let ledgers = ledger::find(&[path.to_owned()])?;
    ensure!(
        !ledgers.is_empty(),
        "{} has neither a report (audit.json) nor ledgers. Name the --out folder of an audit, or its --ledgers folder",
        path.display()
    );
    let evaluator = Evaluator { further: &settings.further, users, ..settings.evaluator() };
    let manifest = settings.manifest();
    let history = History::new(&settings.config, settings.now())?;
    let snapshot =
        report::snapshot(&ledgers, evaluator, &history, waivers, manifest, filter.clone(), scratch)?;
    Ok(Snapshot { path: shown(path), ..snapshot })
}

/// Returns the folder on whose disk rows wait: the nearest one above the output, else the one for temporary files.
pub(super) fn scratch(out: Option<&Path>) -> PathBuf {
    let above = out.filter(|out| !storage::is_url(out)).map(storage::nearest);
    above.filter(|path| path.is_dir()).unwrap_or_else(env::temp_dir)
}

/// Returns the path of a run as people know it. A link such as `latest` says less than its target.
fn shown(path: &Path) -> String {
    let target = fs::read_link(path).ok().map(|target| path.parent().unwrap_or(path).join(target));
    target.as_deref().unwrap_or(path).display().to_string()
}
