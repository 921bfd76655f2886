//! `report` in shards: three steps, on any machines, that write into one lake.

use super::{
    Settings, audit::ReportArgsShared, baseline, flags::CLUSTER, progress::Verbosity, terminal::print,
};
use anyhow::Context;
use clap::Args;
use hullmark_pages::{
    Ledgers, ReportContext,
    lake::{self, Comparison, LakeShard},
};
use hullmark_report::{Summary, Trust, diff::Extent};
use hullmark_scan::plan::{Plan, Shard, share, shares};
use hullmark_util::terminal_text::counted;
use std::{
    collections::{HashMap, HashSet},
    num::NonZeroU32,
    path::Path,
};

/// What a shard has no use for: it needs the findings of all inputs.
const OF_WHOLE_REPORTS: [&str; 4] = ["letters", "owner", "region", "min_severity"];

#[derive(Debug, Args)]
#[command(next_help_heading = CLUSTER)]
pub(super) struct LakeArgs {
    /// First step of a report in N shards: compare all inputs of the plan with each other
    ///
    /// Several machines then write the shards into --out, with --shard, and one joins them, with --join. All steps need
    /// the same flags. --out gets a folder for each table, with a file for each shard.
    #[arg(long, value_name = "N", requires_all = ["plan", "out"], conflicts_with_all = OF_WHOLE_REPORTS)]
    #[arg(conflicts_with_all = ["shard", "join", "json"])]
    across: Option<NonZeroU32>,
    /// Write the rows of one shard into --out, as 3/17 for the third of seventeen; after --across
    ///
    /// auto/17 takes the index that Kubernetes, Slurm, AWS Batch or Bazel gives a task. A shard may be written again.
    #[arg(long, value_name = "K/N", requires_all = ["plan", "out"], conflicts_with_all = OF_WHOLE_REPORTS)]
    #[arg(conflicts_with_all = ["join", "json"])]
    shard: Option<Shard>,
    /// Last step: join the shards in --out, and write audit.json
    ///
    /// It fails without a shard. Sums over all inputs, copies and findings about the run are files of the part "across".
    #[arg(long, requires_all = ["plan", "out"], conflicts_with_all = OF_WHOLE_REPORTS)]
    join: bool,
}

/// A step of a report in shards.
pub(super) enum LakeStep {
    Across(u32),
    Shard(share::Share, Comparison),
    Join(Comparison),
}

impl LakeArgs {
    /// Returns the step, and gives the settings the time of the first one. `None` for a report of one machine.
    pub(super) fn step(
        &self,
        reported: &ReportArgsShared,
        settings: &mut Settings,
    ) -> anyhow::Result<Option<LakeStep>> {
        let Self { across, shard, join } = self;
        if across.is_none() && shard.is_none() && !join {
            return Ok(None);
        }
        let lake = reported.output.out.as_deref().context("--out is missing")?;
        if let Some(old) = baseline::given(reported, settings) {
            baseline::ensure_for_shards(old, lake)?;
        }
        if let Some(shards) = across {
            return Ok(Some(LakeStep::Across(shards.get())));
        }
        let comparison = Comparison::read(lake)?;
        settings.began_at = Some(comparison.now);
        Ok(Some(match shard {
            Some(shard) => LakeStep::Shard(shard.share()?, comparison),
            None => LakeStep::Join(comparison),
        }))
    }
}

impl LakeStep {
    /// What the step needs of an earlier run.
    pub(super) fn of_baseline(&self) -> Extent {
        match self {
            Self::Across(_) => Extent::Archives,
            Self::Shard(..) => Extent::Findings,
            Self::Join(_) => Extent::Objects,
        }
    }

    /// Whether ledgers may be damaged. The first step reads all to their end.
    pub(super) fn trust(&self) -> Trust {
        match self {
            Self::Across(_) => Trust::None,
            Self::Shard(_, comparison) | Self::Join(comparison) => Trust::AllBut(comparison.damaged.clone()),
        }
    }

    /// Does the step. Returns the summary of the last one.
    pub(super) fn run(
        self,
        lake: &Path,
        plan: &Plan,
        ledgers: Ledgers,
        context: ReportContext,
        settings: &Settings,
    ) -> anyhow::Result<Option<Summary>> {
        let (profile, manifest, shown) = (&settings.profile, settings.manifest(), lake.display());
        let done = match self {
            Self::Join(comparison) => {
                return Ok(Some(lake::join(lake, comparison, ledgers, profile, manifest, context)?));
            }
            Self::Across(shards) => {
                let indices = shares(plan.inputs(), shards as usize);
                let names = plan.inputs().iter().map(|input| input.name.clone());
                let shard_of: HashMap<String, usize> = names.zip(indices).collect();
                let of = (shards, &shard_of);
                let inputs = lake::compare(lake, of, ledgers, profile, manifest, (context, settings.now()))?;
                let (inputs, shards) = (counted(inputs, "input"), counted(shards.into(), "shard"));
                format!("Compared {inputs} with each other, for {shards} in {shown}\n")
            }
            Self::Shard(share, comparison) => {
                let indices = shares(plan.inputs(), share.count());
                let own = plan.inputs().iter().zip(indices).filter(|(_, index)| *index == share.index());
                let inputs: HashSet<String> = own.map(|(input, _)| input.name.clone()).collect();
                let (number, of) = (u32::try_from(share.index() + 1)?, u32::try_from(share.count())?);
                let shard = LakeShard { number, of, inputs: &inputs };
                let inputs =
                    lake::write_shard(lake, &shard, comparison, ledgers, profile, manifest, context)?;
                format!("Wrote shard {number}/{of} with {} into {shown}\n", counted(inputs, "input"))
            }
        };
        if settings.verbosity > Verbosity::Quiet {
            print(&done)?;
        }
        Ok(None)
    }
}
