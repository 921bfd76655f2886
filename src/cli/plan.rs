//! `plan`: writes the list of exports that many machines share.

use super::{
    Outcome, Run, Settings,
    flags::{DatabaseArgs, Flags, OUTPUT},
    input_args::InputArgs,
    progress::Verbosity,
    terminal::print_view,
};
use anyhow::{Context, ensure};
use clap::{ArgGroup, Args};
use hullmark_scan::plan::Plan;
use hullmark_source::{self as source, Input, Place, What};
use hullmark_storage as storage;
use hullmark_util::{number_text, terminal_text::counted};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  hullmark plan exports --out plan.json
  hullmark plan exports --assets asset-store --out plan.json";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("without_paths").args(["dump_config"]), after_help = EXAMPLES)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    given: InputArgs,
    #[command(flatten)]
    databases: DatabaseArgs,
    /// File for the plan
    #[arg(long, short, value_name = "FILE", required_unless_present = "dump_config", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Keep a plan that is there: another task of the same run wrote it
    ///
    /// For engines that start all shards at once: the fastest one writes the plan. Name another file for each run.
    #[arg(long, help_heading = OUTPUT)]
    keep: bool,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// A plan in numbers.
#[derive(Debug, Serialize)]
struct Contents<'a> {
    /// File of the plan.
    plan: String,
    inputs: usize,
    /// Size of the inputs, bytes.
    bytes: u64,
    stores: usize,
    /// The largest input. Absent in an empty plan.
    largest: Option<Largest<'a>>,
    /// Number of shards above which the largest input takes longest.
    useful_shards: u64,
    /// Whether the plan has files of FSAssets, which shards read without their table.
    has_fsassets: bool,
}

#[derive(Debug, Serialize)]
struct Largest<'a> {
    input: &'a str,
    bytes: u64,
}

impl Run for PlanArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.given, &self.databases]
    }

    /// Finds the inputs and writes the plan.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let out = self.out.as_deref().context("--out is missing")?;
        let limits = &settings.config.limits;
        if self.keep && !storage::is_gone(out) {
            return self.show(&Plan::read(out, limits)?, out, settings);
        }
        let given = self.given.expanded(limits)?;
        ensure!(given.streams.is_empty(), "Standard input (-) cannot be in a plan. Name files");
        let walk = |paths: &[PathBuf]| source::walk_knowing(paths, &[out], limits, &|_, _| false);
        let inputs = walk(&given.paths)?;
        source::ensure_exports(&given.paths, &inputs)?;
        let stores = walk(&given.assets)?;
        let plan = Plan::new(inputs, stores, limits, settings.config.selection());
        if self.keep {
            return self.show(&plan.write_or_read(out, limits)?, out, settings);
        }
        plan.write(out)?;
        self.show(&plan, out, settings)
    }
}

impl PlanArgs {
    fn show(&self, plan: &Plan, out: &Path, settings: &Settings) -> anyhow::Result<Outcome> {
        if self.json || settings.verbosity > Verbosity::Quiet {
            let contents = Contents::of(plan, out);
            print_view(self.json, &contents, || contents.text())?;
        }
        Ok(Outcome::Done)
    }
}

/// The limitation of plans with files of FSAssets.
const TREES: &str = "Shards read the files of FSAssets without their table. So no asset of them counts as present, and \
                     missing files are not found. Audit them without a plan.\n";

impl<'a> Contents<'a> {
    fn of(plan: &'a Plan, out: &Path) -> Self {
        let is_tree = |input: &Input| matches!(input.what, What::Place(Place::FsAssets(_)));
        let largest = plan.inputs().iter().max_by_key(|input| input.bytes);
        Self {
            plan: out.display().to_string(),
            inputs: plan.inputs().len(),
            bytes: plan.inputs().iter().map(|input| input.bytes).sum(),
            stores: plan.stores().len(),
            largest: largest.map(|input| Largest { input: &input.name, bytes: input.bytes }),
            useful_shards: plan.useful_shares(),
            has_fsassets: plan.inputs().iter().chain(plan.stores()).any(is_tree),
        }
    }

    /// Describes the plan, and the next commands.
    fn text(&self) -> String {
        let Self { plan, inputs, bytes, stores, largest, useful_shards, has_fsassets } = self;
        let inputs = format!("{}, {}", counted(*inputs as u64, "input"), number_text::bytes(*bytes));
        let (stored, search) = match stores {
            0 => (String::new(), String::new()),
            count => (
                format!(", {}", counted(*count as u64, "asset store")),
                format!("  hullmark scan --plan {plan} --ledgers LEDGERS --stores      after all shards\n"),
            ),
        };
        let largest = largest.as_ref().map_or(String::new(), |Largest { input, bytes }| {
            let (bytes, useful) = (number_text::bytes(*bytes), counted(*useful_shards, "shard"));
            format!("The largest input is {input} ({bytes}): more than {useful} will not be faster.\n")
        });
        let trees = if *has_fsassets { TREES } else { "" };
        format!(
            "{plan}: {inputs}{stored}.\n{largest}{trees}\n  \
             hullmark scan --plan {plan} --ledgers LEDGERS --shard K/N   for each K from 1 to N\n{search}  \
             hullmark report LEDGERS --plan {plan} --out REPORT\n"
        )
    }
}
