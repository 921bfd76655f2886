//! `link`: whether objects would link into one, and how to split what would not.

mod rules;
mod select;
mod text;
mod view;

use super::{Outcome, Settings};
use crate::{
    cli::terminal::print,
    ledger::facts::Status,
    util::{escape, named},
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use uuid::Uuid;
use view::View;

#[derive(Debug, Args)]
pub(super) struct LinkArgs {
    /// Archives, unpacked archives or object XML; the objects may come from several
    #[arg(required_unless_present = "dump_config", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only this object: its name, or the UUID of a prim of it. May be given more than once; without it all objects
    /// that stand in a region or are files of their own
    #[arg(long = "object", value_name = "NAME")]
    objects: Vec<String>,
    /// The prim that would be the root; without it the root of the first object
    #[arg(long, value_name = "UUID")]
    root: Option<Uuid>,
    /// The rule: that of 2010, the one of the Havok4 engine before it, or the one of Havok1 before that
    #[arg(long, value_enum, default_value_t = Rule::Current)]
    rule: Rule,
    /// Print how to split what would not link: the fewest linksets that all pass
    #[arg(long)]
    split: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

named! {
    /// A rule of linkability.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
    pub(super) enum Rule {
        /// Since December 2010: the sphere around the prim centres, and the number of prims
        Current = "current",
        /// Before: spheres around the prims, linked piece by piece
        Havok4 = "havok4",
        /// Before that: a box along the region's axes
        Havok1 = "havok1",
    }
}

/// Says whether the objects of the files would link into one.
pub(super) fn link(args: &LinkArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let selection = select::select(&args.files, &args.objects, args.root, settings)?;
    let view = View::new(&selection, args.rule, args.split, settings);
    if args.json {
        print(&escape::json(&view)?)?;
    } else {
        print(&text::text(&view, settings.verbosity))?;
    }
    Ok(settings.outcome(view.status == Status::Complete, view.severity))
}
