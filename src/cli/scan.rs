//! `scan`: reads exports, or a share of a plan, into ledgers.

use super::{
    Outcome, Run, Settings,
    flags::{CLUSTER, DatabaseArgs, Flags, NIGHTLY, NowArgs, OUTPUT},
    input_args::{InputArgs, RunArgs, ledger_run, run_options, session_error, watcher},
    run_end::{or_stopped, say_end},
};
use anyhow::Context;
use clap::{ArgGroup, Args};
use hullmark_ledger::coverage::NotCovered;
use hullmark_scan::{
    ledger_run::Scanned,
    plan::{Plan, Shard, share::Share},
};
use hullmark_settings::limits::Limits;
use hullmark_util::terminal_text::counted;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  hullmark scan exports --ledgers ledgers
  hullmark scan --plan plan.json --ledgers ledgers --shard 3/17";

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("without_paths").args(["dump_config", "plan"]).multiple(true),
    after_help = EXAMPLES
)]
pub(super) struct ScanArgs {
    #[command(flatten)]
    pub(super) given: InputArgs,
    #[command(flatten)]
    planned: Planned,
    /// Folder for the ledgers
    #[arg(long, value_name = "DIR", required_unless_present = "dump_config", help_heading = OUTPUT)]
    pub(super) ledgers: Option<PathBuf>,
    /// Compare the content of inputs instead of names, sizes and times
    #[arg(long, help_heading = NIGHTLY, hide_short_help = true)]
    checksum: bool,
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    pub(super) now: NowArgs,
}

/// The part of a plan to read.
#[derive(Debug, Args)]
#[command(next_help_heading = CLUSTER)]
struct Planned {
    /// Read the inputs of this plan (`hullmark plan`) instead of PATH, --assets, --inventory and --database
    ///
    /// Several machines may read shards of it at the same time, and write ledgers to the same folder.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "files_from", "assets", "from_ini", "inventory", "database", "sample"])]
    plan: Option<PathBuf>,
    /// Read one shard of the plan, as 3/17 for the third of seventeen
    ///
    /// auto/17 takes the index that Kubernetes, Slurm, AWS Batch or Bazel gives a task.
    #[arg(long, value_name = "K/N", requires = "plan")]
    shard: Option<Shard>,
    /// Read the asset stores of the plan, after all its inputs were read
    ///
    /// Only assets that the inputs lack are kept. Without --shard and --stores, inputs and stores are read.
    #[arg(long, requires = "plan")]
    stores: bool,
    /// End with exit code 0 instead of 3 if an input is not read to its end
    ///
    /// For engines that repeat a failed task: another attempt would not help. The report has exit code 3.
    #[arg(long, hide_short_help = true)]
    accept_incomplete: bool,
}

impl Run for ScanArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.given, &self.databases, &self.now]
    }

    fn ledgers(&self, _settings: &Settings) -> Option<Option<&Path>> {
        Some(self.ledgers.as_deref())
    }

    fn of_standard_input(&self, limits: &Limits) -> Option<u64> {
        self.given.of_standard_input(limits)
    }

    /// Reads exports and writes ledgers.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let folder = self.ledgers.as_deref().context("--ledgers is missing")?;
        let run = self.run.until_signalled(settings).context("The handler of signals cannot be installed")?;
        let planned = &self.planned;
        let plan =
            planned.plan.as_deref().map(|path| Plan::read(path, &settings.config.limits)).transpose()?;
        let settings = &plan.as_ref().map_or_else(|| settings.clone(), |plan| settings.of_plan(plan));
        let watch = watcher(&run, settings);
        let Some(plan) = plan else {
            let inputs = self.given.expanded(&settings.config.limits)?;
            let options = run_options(&run, &watch, &inputs.passwords, settings);
            let ledger_run = ledger_run(folder, self.checksum, options, settings);
            let scanned = ledger_run.read(None, |session| session.read(inputs.given(&[folder])));
            let scanned = scanned.map_err(session_error)?;
            return Ok(end(&scanned, run.is_cut(), self, settings));
        };
        let passwords = self.given.passwords()?;
        let options = run_options(&run, &watch, &passwords, settings);
        let ledger_run = ledger_run(folder, self.checksum, options, settings);
        let share = planned.shard.map_or(Ok(Share::WHOLE), Shard::share)?;
        if planned.stores {
            let stores = ledger_run.read_stores(&plan, share).map_err(session_error)?;
            return Ok(end(&stores, run.is_cut(), self, settings));
        }
        let mut scanned = ledger_run.read_inputs(&plan, share).map_err(session_error)?;
        if planned.shard.is_none() && scanned.uncovered.is_empty() {
            let stores = ledger_run.read_stores(&plan, share).map_err(session_error)?;
            scanned.ledgers.extend(stores.ledgers);
            scanned.incomplete += stores.incomplete;
            scanned.uncovered.extend(stores.uncovered);
        }
        Ok(end(&scanned, run.is_cut(), self, settings))
    }
}

fn end(scanned: &Scanned, cut: bool, args: &ScanArgs, settings: &Settings) -> Outcome {
    let is_done = scanned.incomplete == 0 || args.planned.accept_incomplete;
    let outcome = if is_done { Outcome::Done } else { Outcome::Incomplete };
    let left_out = NotCovered::new(&scanned.uncovered);
    let outcome = or_stopped(outcome, cut, left_out.as_ref());
    let kept = counted(scanned.ledgers.len() as u64, "input");
    let left_out = left_out.map_or(String::new(), |left_out| format!(", {}", left_out.in_words()));
    let incomplete = match scanned.incomplete {
        0 => String::new(),
        count => format!(", {} not fully read", counted(count, "input")),
    };
    let folder = args.ledgers.as_deref().unwrap_or(Path::new(""));
    say_end(outcome, &format!("ledgers of {kept} in {}{incomplete}{left_out}", folder.display()), settings);
    outcome
}
