//! `fix`: lists the edits that reach a land impact or a physics weight.

mod object;
mod physics;
mod text;
mod view;

use super::{
    Outcome, Run, Settings,
    flags::{EvaluationArgs, Flags, INPUT, OUTPUT, TARGET},
    select_entry,
};
use crate::cli::{progress::Verbosity, terminal::print_view};
use anyhow::{Context, ensure};
use clap::{ArgGroup, Args};
use hullmark_analysis::{Measured, actions::Terms};
use hullmark_ledger::facts::Status;
use hullmark_report::{Evaluated, ReportedFindings};
use hullmark_rules::waivers::Waivers;
use hullmark_scan::object_selection::Needs;
use hullmark_settings::users::Users;
use std::path::PathBuf;
use uuid::Uuid;
use view::{FixView, Selection};

const EXAMPLES: &str = "\
Examples:
  hullmark fix region.oar
  hullmark fix region.oar --to-capacity
  hullmark fix region.oar --object Bench --to-land-impact 5
  hullmark fix region.oar --to-physics 32";

#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    group = ArgGroup::new("goal").args(["to_land_impact", "to_capacity", "to_physics"])
)]
pub(super) struct FixArgs {
    /// An archive, or object XML
    #[arg(value_name = "FILE", help_heading = INPUT, display_order = 0)]
    file: PathBuf,
    /// Only this object: its name, the UUID of it or of a part, or the name of its member
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    object: Option<String>,
    /// Only this region: its name or UUID
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    region: Option<String>,
    /// Only objects of this owner: a UUID, or a name from --users
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    owner: Option<String>,
    /// List of the target grid's users, for names of owners
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    users: Option<PathBuf>,
    /// List the actions that lower the land impact of the selected objects to this number
    #[arg(long, value_name = "N", help_heading = TARGET)]
    to_land_impact: Option<u64>,
    /// List the actions that bring the region within its capacity
    #[arg(long, help_heading = TARGET, conflicts_with_all = ["object", "owner"])]
    to_capacity: bool,
    /// List the changes that bring each object to this physics weight [default: the physical cap of the target]
    #[arg(
        long, value_name = "COST", value_parser = physics::budget, num_args = 0..=1, help_heading = TARGET,
        conflicts_with_all = ["region", "owner"]
    )]
    to_physics: Option<Option<f64>>,
    /// Also suggest the physics shape None: the part no longer collides. A root prim cannot be None
    #[arg(long, help_heading = OUTPUT)]
    allow_none: bool,
    /// Keep doorways of meshes open: suggest physics models of boxes instead of the physics shape Convex Hull
    #[arg(long, help_heading = OUTPUT, conflicts_with = "to_physics")]
    keep_openings: bool,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    pub(super) evaluated: EvaluationArgs,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Goal {
    /// None: list all actions.
    Best,
    LandImpact(f64),
    Capacity,
}

impl Run for FixArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        self.evaluated.flags()
    }

    /// Lists the actions that reach a goal. It changes nothing.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        if let Some(budget) = self.to_physics {
            return physics::fix(self, budget, settings);
        }
        let picked = select_entry::pick_objects(&self.file, self.object.as_deref(), Needs::Land, settings)?;
        let measured = Measured::new(&picked.ledger, settings.profile_of(&picked.ledger));
        ensure!(
            !self.to_capacity || measured.profile.land.holds_land_impact(),
            "The capacity of land depends on the target: add --profile second-life, opensim-ubode or your own"
        );
        let goal = match (self.to_land_impact, self.to_capacity) {
            (Some(impact), _) => Goal::LandImpact(impact as f64),
            (None, true) => Goal::Capacity,
            (None, false) => Goal::Best,
        };
        let evaluated = Evaluated::without_context(&measured);
        let waivers = Waivers::default();
        let reported = ReportedFindings::new(&measured, &evaluated, &waivers);
        let head = picked.head(&evaluated.findings, settings);
        let region = region(self, goal, &measured)?;
        let owners = owners(self)?;
        let selection = Selection {
            region,
            owners: owners.as_deref(),
            by_name: self.object.is_some(),
            goal,
            terms: Terms {
                allow_none: self.allow_none,
                keep_openings: self.keep_openings,
                lowest_at_most: None,
            },
            top: settings.config.report.top,
            address: &settings.config.grid.address,
        };
        let view = FixView::new(&measured, &reported, head, selection);
        print_view(self.json, &view, || text::text(&view, settings.verbosity == Verbosity::Verbose))?;
        if view.reached == Some(false) {
            return Ok(Outcome::Findings);
        }
        Ok(settings.outcome(view.head.status == Status::Complete, view.head.worst_severity))
    }
}

/// Returns the index of the region. `None` if the file has none, or if no goal needs a single one.
fn region(args: &FixArgs, goal: Goal, measured: &Measured<'_>) -> anyhow::Result<Option<usize>> {
    let regions = &measured.ledger.regions;
    if let Some(wanted) = &args.region {
        let uuid = Uuid::try_parse(wanted).ok();
        let is_it = |name: &str| name.eq_ignore_ascii_case(wanted);
        let found =
            regions.iter().position(|region| is_it(&region.name) || uuid.is_some() && region.uuid == uuid);
        let names: Vec<&str> = regions.iter().map(|region| region.name.as_str()).collect();
        return found.map(Some).with_context(|| {
            format!("{} has no region \"{wanted}\". It has: {}", args.file.display(), names.join(", "))
        });
    }
    let has_single = regions.len() == 1;
    ensure!(
        goal != Goal::Capacity || has_single,
        "{} has {} regions: name one with --region",
        args.file.display(),
        regions.len()
    );
    Ok(has_single.then_some(0))
}

/// Returns the UUIDs of the selected owner. `None` for all owners.
fn owners(args: &FixArgs) -> anyhow::Result<Option<Vec<Uuid>>> {
    let Some(wanted) = &args.owner else { return Ok(None) };
    let users = args.users.as_deref().map(Users::read).transpose()?;
    let named = users.iter().flat_map(|users| users.named(wanted));
    let uuids: Vec<Uuid> = named.chain(Uuid::try_parse(wanted).ok()).collect();
    ensure!(!uuids.is_empty(), "No owner is named \"{wanted}\": use a UUID, or a name from --users FILE");
    Ok(Some(uuids))
}
