//! `link`: reports whether objects can be linked into one, and how to split those that cannot.

mod rules;
mod select;
mod text;
mod view;

use super::{
    Outcome, Run, Settings,
    flags::{EvaluationArgs, Flags, INPUT, OUTPUT, RULES},
    input_args::expanded,
    standard_input,
};
use crate::cli::terminal::print_view;
use clap::{Args, ValueEnum};
use hullmark_ledger::facts::Status;
use hullmark_util::named;
use std::path::PathBuf;
use uuid::Uuid;
use view::LinkView;

const EXAMPLES: &str = "\
Examples:
  hullmark link region.oar --object Bridge
  hullmark link region.oar --object Bridge --object Tower --split";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct LinkArgs {
    /// Archives, unpacked archives or object XML
    #[arg(required_unless_present = "dump_config", value_name = "FILE", help_heading = INPUT, display_order = 0)]
    files: Vec<PathBuf>,
    /// Object to link: its name, the UUID of it or of a prim, or the name of its member. May be repeated
    ///
    /// Without it, all objects are linked, except those in inventories.
    #[arg(long = "object", value_name = "NAME", help_heading = INPUT)]
    objects: Vec<String>,
    /// Prim that becomes the root [default: the root of the first object]
    #[arg(long, value_name = "UUID", help_heading = INPUT)]
    root: Option<Uuid>,
    /// Rule for linking
    #[arg(long, value_enum, default_value_t = Rule::Current, help_heading = RULES)]
    rule: Rule,
    /// Suggest how to split what cannot be linked into the fewest linksets
    #[arg(long, help_heading = OUTPUT)]
    split: bool,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    pub(super) evaluated: EvaluationArgs,
}

named! {
    /// A rule of linkability.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
    pub(super) enum Rule {
        /// Since December 2010: diameter of the sphere around the prim centres, and number of prims
        Current = "current",
        /// Before 2010: spheres around the prims, linked one by one
        Havok4 = "havok4",
        /// Before Havok 4: a box along the axes of the region
        Havok1 = "havok1",
    }
}

impl Run for LinkArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        self.evaluated.flags()
    }

    /// Reports whether the objects of the files can be linked into one.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let files = expanded(&self.files)?;
        standard_input::ensure_once(files.iter().map(PathBuf::as_path))?;
        let selection = select::select(&files, &self.objects, self.root, settings)?;
        let view = LinkView::new(&selection, self.rule, self.split, settings);
        print_view(self.json, &view, || text::text(&view, settings.verbosity))?;
        Ok(settings.outcome(view.status == Status::Complete, view.severity))
    }
}
