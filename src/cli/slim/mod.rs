//! `slim`: finds the changes that bring the objects of a file under the cap or a budget. `fix --to-physics` is the same.

mod text;
mod view;

use super::{
    Outcome, Settings,
    options::{EvaluationArgs, INPUT, OUTPUT, TARGET},
    select_entry,
};
use crate::cli::{progress::Verbosity, terminal::print};
use anyhow::Context;
use clap::Args;
use hullmark_analysis::{Measured, reduce_cost::Terms};
use hullmark_ledger::facts::Status;
use hullmark_report::Evaluated;
use hullmark_scan::only::Needs;
use hullmark_util::escape;
use std::path::{Path, PathBuf};
use view::View;

const EXAMPLES: &str = "\
Examples:
  hullmark slim region.oar
  hullmark slim region.oar --object Bridge --budget 20 --allow-none";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SlimArgs {
    /// An archive, or object XML
    #[arg(value_name = "FILE", help_heading = INPUT, display_order = 0)]
    file: PathBuf,
    /// Only this object: its name, the UUID of it or of a part, or the name of its member
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    object: Option<String>,
    /// Maximum physics weight (physics cost) of an object [default: the physical cap of the target]
    #[arg(long, value_name = "COST", value_parser = budget, help_heading = TARGET)]
    budget: Option<f64>,
    /// Also suggest the physics shape None: the part no longer collides. A root prim cannot be None
    #[arg(long, help_heading = OUTPUT)]
    allow_none: bool,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    pub(super) evaluated: EvaluationArgs,
}

/// Shows how to bring the objects of a file under the budget.
pub(super) fn slim(args: &SlimArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let terms = terms(args.budget, args.allow_none, "--budget", settings)?;
    lower(&args.file, args.object.as_deref(), terms, args.json, settings)
}

/// Shows how to bring the objects of a file under a budget.
pub(super) fn lower(
    file: &Path,
    object: Option<&str>,
    terms: Terms,
    json: bool,
    settings: &Settings,
) -> anyhow::Result<Outcome> {
    let picked = select_entry::pick_objects(file, object, Needs::Assets, settings)?;
    let measured = Measured::new(&picked.ledger, &settings.profile);
    let head = picked.head(&Evaluated::without_context(&measured).findings, settings);
    let view = View::new(&measured, head, terms);
    if json {
        print(&escape::json(&view)?)?;
    } else {
        print(&text::text(&view, settings.verbosity == Verbosity::Verbose))?;
    }
    Ok(settings.outcome(view.head.status == Status::Complete, view.head.worst_severity))
}

/// Returns the terms of a budget, by default the physical cap. `flag` sets the budget.
pub(super) fn terms(
    budget: Option<f64>,
    allow_none: bool,
    flag: &str,
    settings: &Settings,
) -> anyhow::Result<Terms> {
    let cap = Terms::cap(&settings.profile).map(|terms| terms.budget);
    let budget = budget.or(cap).with_context(|| {
        format!("The target {} has no physical cap: add {flag} COST", settings.config.profile)
    })?;
    Ok(Terms { budget, allow_none })
}

pub(super) fn budget(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(budget) if budget > 0.0 && f64::is_finite(budget) => Ok(budget),
        _ => Err("use a cost above 0, as 32 or 10.5".into()),
    }
}
