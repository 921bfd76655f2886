//! `diff`: how two nights differ.

use super::{Outcome, Settings, changes, format_arg::format, waive::Waiving};
use crate::{
    cli::progress::Verbosity,
    cli::terminal::print,
    ledger,
    report::{
        self, Evaluator, Manifest, RowFilter,
        diff::{self, Changes, Snapshot},
        output::LAST,
    },
    rules::{history::History, waivers::Waivers},
    settings::{config::Format, profile::Named, users::Users},
    storage,
};
use anyhow::{bail, ensure};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The earlier night: the folder of its report (with csv among its formats), or its ledgers
    #[arg(required_unless_present = "dump_config", value_name = "OLD")]
    old: Option<PathBuf>,
    /// The later night
    #[arg(required_unless_present = "dump_config", value_name = "NEW")]
    new: Option<PathBuf>,
    #[command(flatten)]
    waiving: Waiving,
    /// A folder for the table of changes; changes.json is always there
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How the table is written: csv, jsonl, parquet, xlsx, html; several with commas between
    #[arg(long, value_parser = format(), value_delimiter = ',', value_name = "FORMATS", requires = "out")]
    format: Vec<Format>,
}

/// Compares two nights, prints what is new, and writes the table where a folder is given.
pub(super) fn diff(args: &DiffArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let (Some(old), Some(new)) = (&args.old, &args.new) else { bail!("diff needs two nights: OLD and NEW") };
    let mut config = settings.config.report.clone();
    if !args.format.is_empty() {
        config.formats.clone_from(&args.format);
    }
    if args.format.iter().any(|format| matches!(format, Format::Sarif | Format::Junit)) {
        bail!("sarif and junit tell of one night: use csv, jsonl, parquet, xlsx or html for what changed");
    }
    config.formats.retain(|format| !matches!(format, Format::Sarif | Format::Junit));
    if let Some(missing) = config.formats.iter().find_map(|format| format.missing()) {
        bail!(missing);
    }
    let waivers = args.waiving.read(settings)?;
    let night = |path| read(path, None, &RowFilter::default(), &waivers, settings);
    let changes = Changes::between(&night(old)?, &night(new)?);
    let told = changes.told(config.top);
    if settings.verbosity > Verbosity::Quiet {
        print(&changes::text(&told))?;
    }
    if let Some(out) = &args.out {
        let manifest = Manifest::new(&settings.config, &settings.profile, settings.now);
        report::write_changes(out, &config, manifest, &changes)?;
        if settings.verbosity > Verbosity::Quiet {
            print(&format!("\nChanges: {} (changes.json and more)\n", out.display()))?;
        }
    }
    let fails = told.counts.worst().is_some_and(|worst| settings.config.fail_on_new.fails(worst));
    Ok(if fails { Outcome::Findings } else { Outcome::Done })
}

/// The night in a folder of reports, or in ledgers, which are judged with the settings and waivers in force.
pub(super) fn read(
    path: &Path,
    users: Option<&Users>,
    narrow: &RowFilter,
    waivers: &Waivers,
    settings: &Settings,
) -> anyhow::Result<Snapshot> {
    if !storage::is_gone(&path.join(LAST)) {
        ensure!(
            !storage::is_url(path),
            "{} is a report in an object store, and an earlier night is read from a disk: copy audit.json and the CSV \
             files there, or give the ledgers of that night",
            path.display()
        );
        return Ok(diff::of_report(path)?);
    }
    ensure!(
        storage::is_url(path) || path.exists(),
        "There is no {}: give the folder of a report, or ledgers, to compare with",
        path.display()
    );
    let ledgers = ledger::find(&[path.to_owned()])?;
    ensure!(
        !ledgers.is_empty(),
        "{} holds neither a report (audit.json) nor ledgers: give the --out of an audit, or its --ledgers",
        path.display()
    );
    let further: &[Named] = &settings.further;
    let judge = Evaluator { profile: &settings.profile, further, users, config: &settings.config.report };
    let manifest = Manifest::new(&settings.config, &settings.profile, settings.now);
    let history = History::new(&settings.config, settings.now())?;
    Ok(report::night(&ledgers, judge, &history, waivers, manifest, narrow.clone())?)
}
