//! `verify`: what arrived after a move, and what was lost.

use super::{
    Outcome, Run, Settings,
    audit::letter_options,
    flags::{DatabaseArgs, Flags, INPUT, NowArgs, OUTPUT, RULES, RuleArgs, TARGET, TargetArgs},
    format_arg::{format, without_findings},
    grid_args::GridArgs,
    input_args::{Inputs, copies_among, expanded, passwords, read_inputs},
    progress::Verbosity,
    terminal::{print, width},
    waive::Waiving,
};
use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use hullmark_ledger::Ledger;
use hullmark_pages::{self as pages, letters};
use hullmark_report::{
    Evaluator,
    arrived::{self, Announced, Page, Verdict, Verified},
};
use hullmark_settings::{config::Format, letters::Language, users::Users};
use hullmark_util::escape;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  hullmark verify region.oar OpenSim.db --target opensim-ubode
  hullmark verify ledgers/before mysql://reader@localhost/opensim --out arrived";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// The side before the move: an archive, a database, a dump, a folder of them, or kept ledgers
    #[arg(required_unless_present = "dump_config", value_name = "BEFORE", help_heading = INPUT, display_order = 0)]
    before: Option<PathBuf>,
    /// The side after the move
    #[arg(required_unless_present = "dump_config", value_name = "AFTER", help_heading = INPUT, display_order = 1)]
    after: Option<PathBuf>,
    /// Archive or folder of assets that the new grid has. May be repeated
    #[arg(long, value_name = "PATH", help_heading = INPUT, display_order = 2)]
    assets: Vec<PathBuf>,
    /// The same for the old grid
    #[arg(long, value_name = "PATH", help_heading = INPUT, display_order = 2, hide_short_help = true)]
    assets_before: Vec<PathBuf>,
    /// File with the password of database servers (mysql://, postgres://)
    ///
    /// Without it, the password is that of the environment variable HULLMARK_DB_PASSWORD.
    #[arg(long, value_name = "FILE", help_heading = INPUT, hide_short_help = true)]
    password_file: Option<PathBuf>,
    /// Read all assets of a database server, not only those in use
    #[arg(long, help_heading = INPUT, hide_short_help = true)]
    all_assets: bool,
    /// Grid of the move, to compare the announcements of `preflight` with the result [default: none]
    #[arg(long, help_heading = TARGET, value_name = "NAME", conflicts_with = "profile")]
    target: Option<String>,
    #[command(flatten)]
    limits: TargetArgs,
    #[command(flatten)]
    grid: GridArgs,
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    waiving: Waiving,
    /// Exit with 1 if something is lost, or also if something changed
    #[arg(long, value_enum, default_value_t = FailOn::Lost, help_heading = RULES)]
    fail_on: FailOn,
    /// Folder for the tables of arrivals; verify.json is always written
    #[arg(long, short, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Formats of the tables, separated by commas: csv, jsonl, parquet, xlsx, html
    #[arg(
        long, value_parser = format(), value_delimiter = ',', value_name = "FORMATS", requires = "out",
        help_heading = OUTPUT
    )]
    format: Vec<Format>,
    /// Folder for letters to owners of objects that did not arrive, or not whole
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    letters: Option<PathBuf>,
    /// Language of letters: en, de, es, pt, fr or it [default: en]
    #[arg(long, value_name = "LANG", requires = "letters", help_heading = OUTPUT, hide_short_help = true)]
    language: Option<Language>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    now: NowArgs,
}

/// What makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Lost,
    Changed,
    None,
}

impl Flags for VerifyArgs {
    fn apply(&self, settings: &mut Settings) {
        if let Some(target) = &self.target {
            settings.choose_profile(target);
        }
        settings.config.limits.all_assets |= self.all_assets;
    }
}

impl Run for VerifyArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.limits, &self.databases, &self.rules, &self.now, self]
    }

    /// Reads both sides, compares them, and prints what arrived.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            bail!("verify needs two sides: BEFORE and AFTER")
        };
        ensure!(before != after, "Both sides are {}. Name the side after the move, too", before.display());
        let about = "findings: use csv, jsonl, parquet, xlsx or html for arrivals";
        let config = without_findings(&self.format, &settings.config.report, about)?;
        let (stores_before, before) = self.read(before, &self.assets_before, settings)?;
        let (stores_after, after) = self.read(after, &self.assets, settings)?;
        let users = self.grid.read()?;
        let announced = self.announced(&before, &stores_before, users.as_ref(), settings)?;
        let sides = [(&before, &stores_before), (&after, &stores_after)];
        let [before, after] = sides.map(|(inputs, stores)| inputs.iter().chain(stores).collect());
        let verified = Verified::new(hullmark_verify::verify(before, after), announced);
        let page = Page::new(&verified);
        let verbose = settings.verbosity == Verbosity::Verbose;
        print(&if self.json { escape::json(&page)? } else { arrived::text(&page, verbose, width()) })?;
        if let Some(out) = &self.out {
            pages::write_arrivals(out, &config, settings.manifest(), &verified, &page)?;
            if settings.verbosity > Verbosity::Quiet && !self.json {
                print(&format!("\nWrote the arrivals to {}\n", out.display()))?;
            }
        }
        if let Some(folder) = &self.letters {
            let options = letter_options(self.language, settings)?;
            let grid = &settings.config.grid.name;
            let target = if grid.is_empty() { "OpenSimulator" } else { grid };
            letters::write_arrivals(folder, users.as_ref(), &options, target, &verified.verification)?;
        }
        Ok(match (page.verdict, self.fail_on) {
            (Verdict::NotProven, _) => Outcome::Incomplete,
            (Verdict::Lost, FailOn::Lost | FailOn::Changed) | (Verdict::Changed, FailOn::Changed) => {
                Outcome::Findings
            }
            (Verdict::Lost | Verdict::Changed | Verdict::Arrived, _) => Outcome::Done,
        })
    }
}

impl VerifyArgs {
    /// Reads a side: its stores and its inputs. Of dated copies only the newest complete one counts.
    fn read(
        &self,
        path: &Path,
        assets: &[PathBuf],
        settings: &Settings,
    ) -> anyhow::Result<(Vec<Ledger>, Vec<Ledger>)> {
        let passwords = passwords(self.password_file.as_deref())?;
        let paths = expanded(&[path.to_owned()])?;
        let inputs = Inputs { paths, assets: expanded(assets)?, passwords, ..Inputs::default() };
        let ledgers = read_inputs(inputs, settings)?;
        let (stores, inputs): (Vec<_>, Vec<_>) =
            ledgers.into_iter().partition(|(_, ledger)| ledger.is_store());
        let copies = copies_among(&inputs);
        let ledgers = |all: Vec<(Option<_>, Ledger)>| all.into_iter().map(|(_, ledger)| ledger);
        let inputs = ledgers(inputs).filter(|ledger| copies.is_evaluated(&ledger.input)).collect();
        Ok((ledgers(stores).collect(), inputs))
    }

    /// Evaluates the side before the move for the target. `None` without a target.
    fn announced(
        &self,
        before: &[Ledger],
        stores: &[Ledger],
        users: Option<&Users>,
        settings: &Settings,
    ) -> anyhow::Result<Option<Announced>> {
        if self.target.is_none() && self.limits.profile.is_empty() {
            return Ok(None);
        }
        let regions = self.grid.regions(&[], &self.limits)?;
        let evaluator = Evaluator { users, regions: &regions, ..settings.evaluator() };
        let waivers = self.waiving.read(settings)?;
        Ok(Some(Announced::new(before, stores, evaluator, &waivers)?))
    }
}
