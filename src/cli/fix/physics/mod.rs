//! The goal `--to-physics`: the edits that bring each object of a file under the cap or a budget.

mod text;
mod view;

use super::{
    super::{Outcome, Settings, select_entry},
    FixArgs,
};
use crate::cli::{progress::Verbosity, terminal::print_view};
use anyhow::Context;
use hullmark_analysis::{
    Measured,
    actions::{Terms, physical_cap},
};
use hullmark_ledger::facts::Status;
use hullmark_report::Evaluated;
use hullmark_scan::object_selection::Needs;
use view::PhysicsView;

/// Shows how to bring the objects of a file under a budget, by default the physical cap of the target.
pub(super) fn fix(args: &FixArgs, budget: Option<f64>, settings: &Settings) -> anyhow::Result<Outcome> {
    let budget = budget.or_else(|| physical_cap(&settings.profile)).with_context(|| {
        format!("The target {} has no physical cap: use --to-physics COST", settings.config.profile)
    })?;
    let terms = Terms { allow_none: args.allow_none, ..Terms::default() };
    let picked = select_entry::pick_objects(&args.file, args.object.as_deref(), Needs::Assets, settings)?;
    let measured = Measured::new(&picked.ledger, settings.profile_of(&picked.ledger));
    let head = picked.head(&Evaluated::without_context(&measured).findings, settings);
    let view = PhysicsView::new(&measured, head, budget, terms);
    print_view(args.json, &view, || text::text(&view, settings.verbosity == Verbosity::Verbose))?;
    Ok(settings.outcome(view.head.status == Status::Complete, view.head.worst_severity))
}

pub(super) fn budget(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(budget) if budget > 0.0 && f64::is_finite(budget) => Ok(budget),
        _ => Err("use a cost above 0, as 32 or 10.5".into()),
    }
}
