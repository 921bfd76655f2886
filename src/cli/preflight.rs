//! `preflight`: the verdict before a move, as text, HTML or JSON.

use super::{
    Outcome, Run, Settings,
    flags::{DatabaseArgs, Flags, NowArgs, OUTPUT, RULES, RuleArgs, TARGET, TargetArgs, fail_on, replace},
    grid_args::GridArgs,
    input_args::{InputArgs, copies_among, read_all},
    progress::Verbosity,
    terminal::{print, width},
    waive::Waiving,
};
use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};
use hullmark_finding::Severity;
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_report::{
    Evaluator,
    preflight::{self, Page, Verdict},
};
use hullmark_rules::history::{Copies, Rank};
use hullmark_settings::{config::FailOn, profile::Named};
use hullmark_util::escape;
use std::{fs, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  hullmark preflight region.oar --target opensim-ubode
  hullmark preflight exports --target second-life --from opensim-ubode --format html --out page.html";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("without_paths").args(["dump_config"]), after_help = EXAMPLES)]
pub(super) struct PreflightArgs {
    #[command(flatten)]
    given: InputArgs,
    /// Grid to move to: second-life, opensim-ubode, opensim-bulletsim, or a profile file [default: OpenSimulator's load,
    /// with the published limits]
    #[arg(long, help_heading = TARGET, value_name = "NAME", conflicts_with = "profile")]
    target: Option<String>,
    /// Grid that the export comes from, to report what collides or costs differently there
    #[arg(long, value_name = "NAME", help_heading = TARGET)]
    from: Option<String>,
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
    /// Exit with 1 for GO WITH LOSSES if this is info, warning or error; NO-GO always does [default: none]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on, help_heading = RULES)]
    fail_on: Option<FailOn>,
    /// Evaluate every dated copy of an archive, not only the newest complete one
    #[arg(long, help_heading = RULES, hide_short_help = true)]
    all_copies: bool,
    /// Format of the page
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = OUTPUT)]
    format: Format,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT, conflicts_with = "format")]
    json: bool,
    /// Write the page to this file and print only the verdict
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Write the UUIDs of the assets that will be lost to this file, one on each line
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    missing: Option<PathBuf>,
    #[command(flatten)]
    now: NowArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Html,
}

impl Flags for PreflightArgs {
    fn apply(&self, settings: &mut Settings) {
        if let Some(target) = &self.target {
            settings.choose_profile(target);
        }
        replace(&mut settings.config.fail_on, self.fail_on.as_ref());
        settings.config.report.all_copies |= self.all_copies;
    }
}

impl Run for PreflightArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.given, &self.limits, &self.databases, &self.rules, &self.now, self]
    }

    /// Reads archives and prints whether to move them.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let waivers = self.waiving.read(settings)?;
        let ledgers = read_all(&self.given, settings)?;
        let (stores, inputs): (Vec<_>, Vec<_>) =
            ledgers.into_iter().partition(|(_, ledger)| ledger.is_store());
        let copies = match settings.config.report.all_copies {
            true => Copies::default(),
            false => copies_among(&inputs),
        };
        let [stores, inputs] =
            [stores, inputs].map(|all| all.into_iter().map(|(_, ledger)| ledger).collect::<Vec<Ledger>>());
        let counts = |ledger: &&Ledger| !matches!(copies.rank_of(&ledger.input), Rank::Superseded { .. });
        let unread =
            inputs.iter().filter(counts).chain(&stores).any(|ledger| ledger.status == Status::Unreadable);

        let config = &settings.config;
        let from: Vec<String> = self.from.iter().filter(|from| **from != config.profile).cloned().collect();
        let users = self.grid.read()?;
        let regions = self.grid.regions(&self.given.from_ini, &self.limits)?;
        let evaluator = Evaluator {
            further: &Named::load_beside(&config.profile, &from)?,
            users: users.as_ref(),
            regions: &regions,
            ..settings.evaluator()
        };
        let page = preflight::page(inputs, &stores, &config.profile, evaluator, &waivers, &copies)?;

        if let Some(path) = &self.missing {
            let lines: String = page.missing.iter().map(|asset| format!("{asset}\n")).collect();
            fs::write(path, lines).with_context(|| format!("{} cannot be written", path.display()))?;
        }
        let verbose = settings.verbosity == Verbosity::Verbose;
        let written = match self.format {
            _ if self.json => escape::json(&page)?,
            Format::Text => preflight::text(&page, verbose, width()),
            Format::Html => preflight::html(&page),
        };
        match &self.out {
            None => print(&written)?,
            Some(path) => {
                fs::write(path, written).with_context(|| format!("{} cannot be written", path.display()))?;
                let unproved =
                    preflight::unproved(&page).map_or_else(String::new, |words| format!(" {words}"));
                print(&format!("{}{unproved}\nWrote {}.\n", preflight::verdict(&page), path.display()))?;
            }
        }
        Ok(outcome(&page, unread, config.fail_on))
    }
}

/// Returns the outcome. A damaged archive is a reason not to move. An archive that cannot be opened makes the check
/// incomplete, and so does a check that can find a loss and was not evaluated. A loss counts as an error.
fn outcome(page: &Page, unread: bool, fail_on: FailOn) -> Outcome {
    match page.verdict {
        _ if unread => Outcome::Incomplete,
        Verdict::NoGo => Outcome::Findings,
        Verdict::GoWithLosses if fail_on.fails(Severity::Error) => Outcome::Findings,
        Verdict::Go | Verdict::GoAsFarAsRead | Verdict::GoWithLosses if !page.is_proved() => {
            Outcome::Incomplete
        }
        Verdict::Go | Verdict::GoAsFarAsRead | Verdict::GoWithLosses => Outcome::Done,
    }
}
