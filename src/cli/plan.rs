//! `plan`: writes the list of exports that many machines share.

use super::{
    Outcome, Run, Settings,
    flags::{DatabaseArgs, Flags, OUTPUT},
    input_args::InputArgs,
    progress::Verbosity,
    terminal::print,
};
use anyhow::{Context, ensure};
use clap::{ArgGroup, Args};
use hullmark_scan::plan::Plan;
use hullmark_source::{self as source, Input, Place, What};
use hullmark_util::{number_text, terminal_text::counted};
use std::path::PathBuf;

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
}

impl Run for PlanArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.given, &self.databases]
    }

    /// Finds the inputs and writes the plan.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let out = self.out.as_deref().context("--out is missing")?;
        let given = self.given.expanded(&settings.config.limits)?;
        ensure!(given.streams.is_empty(), "Standard input (-) cannot be in a plan. Name files");
        let limits = &settings.config.limits;
        let walk = |paths: &[PathBuf]| source::walk_knowing(paths, &[out], limits, &|_, _| false);
        let inputs = walk(&given.paths)?;
        source::ensure_exports(&given.paths, &inputs)?;
        let stores = walk(&given.assets)?;
        let plan = Plan::new(inputs, stores, limits, settings.config.selection());
        plan.write(out)?;
        if settings.verbosity > Verbosity::Quiet {
            print(&summary(&plan, &out.display().to_string()))?;
        }
        Ok(Outcome::Done)
    }
}

/// The limitation of plans with files of FSAssets.
const TREES: &str = "Shards read the files of FSAssets without their table. So no asset of them counts as present, and \
                     missing files are not found. Audit them without a plan.\n";

/// Describes the contents of a plan, and the next commands.
fn summary(plan: &Plan, file: &str) -> String {
    let bytes: u64 = plan.inputs().iter().map(|input| input.bytes).sum();
    let inputs = format!("{}, {}", counted(plan.inputs().len() as u64, "input"), number_text::bytes(bytes));
    let stores = match plan.stores().len() {
        0 => String::new(),
        count => format!(", {}", counted(count as u64, "asset store")),
    };
    let largest = plan.inputs().iter().max_by_key(|input| input.bytes);
    let largest = largest.map_or(String::new(), |largest| {
        let useful = counted(plan.useful_shares(), "shard");
        let (name, bytes) = (&largest.name, number_text::bytes(largest.bytes));
        format!("The largest input is {name} ({bytes}): more than {useful} will not be faster.\n")
    });
    let search = match plan.stores().len() {
        0 => String::new(),
        _ => format!("  hullmark scan --plan {file} --ledgers LEDGERS --stores      after all shards\n"),
    };
    let is_tree = |input: &Input| matches!(input.what, What::Place(Place::FsAssets(_)));
    let trees = match plan.inputs().iter().chain(plan.stores()).any(is_tree) {
        true => TREES,
        false => "",
    };
    format!(
        "{file}: {inputs}{stores}.\n{largest}{trees}\n  \
         hullmark scan --plan {file} --ledgers LEDGERS --shard K/N   for each K from 1 to N\n{search}  \
         hullmark report LEDGERS --plan {file} --out REPORT\n"
    )
}
