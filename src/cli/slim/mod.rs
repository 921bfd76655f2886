//! `slim`: which changes bring the objects of a file under the cap, or under a budget.

mod text;
mod view;

use super::{
    Outcome, Settings,
    select_entry::{self, Whole},
};
use crate::{
    analysis::{Measured, reduce_cost::Terms},
    cli::progress::Verbosity,
    cli::terminal::print,
    ledger::facts::Status,
    report::Evaluated,
    util::escape,
};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;
use view::View;

#[derive(Debug, Args)]
pub(super) struct SlimArgs {
    /// An archive, or object XML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only this member of an archive: its name, or the UUID of an object or a part in it
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The physics cost at rest that objects may have; without it the cap of the target grid
    #[arg(long, value_name = "COST", value_parser = budget)]
    budget: Option<f64>,
    /// Offer None too: such a part no longer collides. A root never can be None
    #[arg(long)]
    allow_none: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Shows how the objects of a file get under the budget.
pub(super) fn slim(args: &SlimArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let terms = terms(args, settings)?;
    let picked = select_entry::pick(&args.file, args.entry.as_deref(), Whole::Archive, settings)?;
    let measured = Measured::new(&picked.ledger, &settings.profile);
    if measured.objects.is_empty() && picked.ledger.defects.is_empty() {
        bail!("{} holds no object: only objects have a budget", args.file.display());
    }
    let head = picked.head(&Evaluated::of(&measured).findings, settings);
    let view = View::new(&measured, head, terms);
    if args.json {
        print(&escape::json(&view)?)?;
    } else {
        print(&text::text(&view, settings.verbosity == Verbosity::Verbose))?;
    }
    Ok(settings.outcome(view.head.status == Status::Complete, view.head.worst_severity))
}

fn terms(args: &SlimArgs, settings: &Settings) -> anyhow::Result<Terms> {
    let cap = Terms::cap(&settings.profile).map(|terms| terms.budget);
    let budget = args.budget.or(cap).with_context(|| {
        format!("The target {} has no cap on physics costs: give --budget", settings.config.profile)
    })?;
    Ok(Terms { budget, allow_none: args.allow_none })
}

fn budget(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(budget) if budget > 0.0 && f64::is_finite(budget) => Ok(budget),
        _ => Err("use a cost above 0, as 32 or 10.5".into()),
    }
}
