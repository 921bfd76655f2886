//! What to change first: edits of objects, for the goal of a land impact or of a physics weight.
//!
//! Each object has a plan of steps ([`Step`]). A step starts from the object as the earlier steps leave it. So the
//! savings of a plan never exceed the land impact of the object. Later steps save less for each edit. Every land impact
//! is measured on the object with the change, from the greatest of its three weights. The weights are never subtracted.
//!
//! [`of_region`] lists the steps of all objects of a region. [`joined`] joins those of one object into one action.
//! [`Goal::reach`] takes the steps that reach a land impact.
//!
//! [`PhysicsPlan`] has the fewest edits that bring one object to a physics weight. Both ask [`Kind::may_set`] for the
//! edits of a prim, and [`Terms`] for those that the owner accepts.

mod base_hull;
mod boxes;
mod coarser_mesh;
mod goal;
mod levels;
mod physics_plan;
mod plan;
mod substitute;
#[cfg(test)]
mod tests;

pub use base_hull::BaseHullFault;
pub use boxes::PhysicsTarget;
pub use coarser_mesh::Coarser;
pub use goal::Goal;
pub use levels::{FEW, LevelTarget};
pub use physics_plan::{PhysicsPlan, ShapeChange, TO_NONE_WITH, decimals, physical_cap};
pub use plan::{Step, Terms, plan};
pub use substitute::Substitute;

use crate::{
    Measured,
    cost::Cost,
    duplicates,
    physics_shape::{ShapeType, is_plant},
    regroup::{self, Advice, Charges},
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::Role;
use hullmark_util::named;
use plan::LEAST;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// Set the physics shape type of prims to Convex Hull.
        ConvexHull = "convex_hull",
        /// Set the physics shape type of child prims to None.
        ShapeNone = "shape_none",
        /// Upload meshes again with physics models of boxes.
        ReplacePhysics = "replace_physics",
        /// Upload meshes again with fewer triangles in their lower levels of detail.
        CoarserLevels = "coarser_levels",
        /// Delete copies of an object at one position.
        RemoveCopy = "remove_copy",
        Link = "link",
        /// Split prims off a scripted or physical linkset, as one linkset.
        SplitOff = "split_off",
    }
}

impl Kind {
    /// Returns the physics shape type that the action sets: its number, and its name in viewers. `None` for other actions.
    pub fn shape_type(self) -> Option<(u8, &'static str)> {
        match self {
            Self::ConvexHull => Some((2, "Convex Hull")),
            Self::ShapeNone => Some((1, "None")),
            Self::ReplacePhysics | Self::CoarserLevels | Self::RemoveCopy | Self::Link | Self::SplitOff => {
                None
            }
        }
    }

    /// Whether the action may set the physics shape type of a prim. No simulator lets a root prim be None, and plants do
    /// not collide.
    fn may_set(self, index: usize, part: &Part) -> bool {
        let present = ShapeType::from_part(part);
        let fits = match self {
            Self::ConvexHull => present == ShapeType::Prim,
            Self::ShapeNone => index > 0 && present != ShapeType::None,
            _ => false,
        };
        fits && !is_plant(part)
    }
}

/// The change of a mesh that is uploaded again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Upload {
    Levels(LevelTarget),
    Physics(PhysicsTarget),
}

impl Upload {
    pub fn mesh(&self) -> Uuid {
        match self {
            Self::Levels(target) => target.mesh,
            Self::Physics(target) => target.mesh,
        }
    }
}

/// One action on one object, or on objects that are alike.
#[derive(Debug, Clone)]
pub struct Action {
    pub kind: Kind,
    /// The objects, by their indices in the ledger; one for each object that is alike. A link has the objects that
    /// become one, with the remaining root first.
    pub objects: Vec<usize>,
    /// Index of the step in the plan of its object, from 0.
    pub step: usize,
    /// Indices of the prims to edit in each object, ascending. Empty for a link and a deletion.
    pub parts: Vec<usize>,
    pub uploads: Vec<Upload>,
    /// Number of edits: prims to set, meshes to upload, or linksets to link.
    pub edits: usize,
    /// Land impact of the objects before this action.
    pub before: Cost,
    /// Land impact of the objects after it.
    pub after: Cost,
    /// Land impact that one edit saves, and at most that of the earlier steps of the plan.
    pub saved_per_edit: f64,
}

impl Action {
    /// Returns by how much land impact falls.
    pub fn saving(&self) -> f64 {
        saved(self.before, self.after)
    }

    fn join(&mut self, next: Self) {
        self.parts.extend(next.parts);
        self.parts.sort_unstable();
        self.parts.dedup();
        self.uploads.extend(next.uploads);
        self.edits += next.edits;
        self.after = next.after;
        self.saved_per_edit = self.saving() / self.edits as f64;
    }
}

/// Returns by how much a cost falls; an unknown cost counts as 0.
pub fn saved(before: Cost, after: Cost) -> f64 {
    before.value().unwrap_or(0.0) - after.value().unwrap_or(0.0)
}

/// Returns all actions in a region, the largest saving for each edit first. `links` are links of its linksets.
///
/// An object with a plan of its own is not linked, and a copy to delete has no plan: their savings would count twice.
pub fn of_region(measured: &Measured<'_>, region: usize, links: &[Advice], terms: Terms) -> Vec<Action> {
    let here = &measured.regions[region].standing;
    let mut actions = copies(measured, here);
    let removed: HashSet<usize> = actions.iter().flat_map(|action| action.objects.iter().copied()).collect();
    let kept = here.iter().copied().filter(|number| !removed.contains(number));
    actions.extend(kept.flat_map(|number| of_object(measured, number, terms)));
    let planned: HashSet<usize> = actions.iter().flat_map(|action| action.objects.iter().copied()).collect();
    actions.extend(
        linked(links).into_iter().filter(|link| !link.objects.iter().any(|object| planned.contains(object))),
    );
    sorted(fold(measured, actions), measured)
}

pub fn of_files(measured: &Measured<'_>, terms: Terms) -> Vec<Action> {
    let loose = measured.ledger.objects.iter().enumerate().filter(|(_, object)| object.role == Role::Loose);
    let actions = loose.flat_map(|(number, _)| of_object(measured, number, terms)).collect();
    sorted(fold(measured, actions), measured)
}

/// Returns the actions on one object, in the order of its plan.
pub fn of_object(measured: &Measured<'_>, number: usize, terms: Terms) -> Vec<Action> {
    let (object, measures) = (&measured.ledger.objects[number], &measured.objects[number]);
    let steps = plan(object, measures, &measured.assets, terms, measured.profile_of(object));
    let mut least = f64::INFINITY;
    let action = |(index, step): (usize, Step)| {
        least = least.min(step.saving() / step.edits as f64);
        Action {
            kind: step.kind,
            objects: vec![number],
            step: index,
            parts: step.parts,
            uploads: step.uploads,
            edits: step.edits,
            before: step.before,
            after: step.after,
            saved_per_edit: least,
        }
    };
    steps.into_iter().enumerate().map(action).collect()
}

/// Returns the deletions of copies. The first object of each group stays.
fn copies(measured: &Measured<'_>, here: &[usize]) -> Vec<Action> {
    let objects = here.iter().map(|&number| (number, &measured.ledger.objects[number]));
    let groups = duplicates::at_one_position(objects).into_iter();
    let copies =
        groups.flat_map(|group| group[1..].chunks(MOST_ALIKE).map(<[usize]>::to_vec).collect::<Vec<_>>());
    let action = |copies: Vec<usize>| {
        let before = Cost::sum(copies.iter().map(|&copy| measured.objects[copy].land_impact));
        Some(Action {
            kind: Kind::RemoveCopy,
            step: 0,
            parts: Vec::new(),
            uploads: Vec::new(),
            edits: copies.len(),
            saved_per_edit: before.exact()? / copies.len() as f64,
            before,
            after: Cost::spec(0.0),
            objects: copies,
        })
    };
    copies.filter_map(action).collect()
}

fn linked(links: &[Advice]) -> Vec<Action> {
    let links = links.iter().filter(|advice| advice.kind == regroup::Kind::Link);
    let falls = |advice: &&Advice| {
        let Charges { land_impact: before, .. } = advice.before;
        before
            .exact()
            .zip(advice.after.land_impact.exact())
            .is_some_and(|(before, after)| before - after > LEAST)
    };
    links.filter(falls).map(of_advice).collect()
}

/// Returns advice as an action.
pub fn of_advice(advice: &Advice) -> Action {
    let (before, after) = (advice.before.land_impact, advice.after.land_impact);
    let (kind, edits) = match advice.kind {
        regroup::Kind::Link => (Kind::Link, advice.objects.len()),
        regroup::Kind::Split => (Kind::SplitOff, advice.parts.len()),
    };
    let mut parts = advice.parts.clone();
    parts.sort_unstable();
    Action {
        kind,
        objects: advice.objects.clone(),
        step: 0,
        parts,
        uploads: Vec::new(),
        edits,
        before,
        after,
        saved_per_edit: saved(before, after) / edits as f64,
    }
}

/// Maximum number of objects in an action: reports list all of them.
const MOST_ALIKE: usize = 255;

/// Joins equal actions on objects that are alike: of one owner, name, kind, step, prims and savings.
fn fold(measured: &Measured<'_>, actions: Vec<Action>) -> Vec<Action> {
    let mut folded: Vec<Action> = Vec::new();
    let mut places = BTreeMap::new();
    for action in actions {
        let is_single = !matches!(action.kind, Kind::Link | Kind::RemoveCopy);
        let Some(key) = alike(measured, &action).filter(|_| is_single) else {
            folded.push(action);
            continue;
        };
        let place =
            places.get(&key).copied().filter(|&place: &usize| folded[place].objects.len() < MOST_ALIKE);
        match place {
            None => {
                places.insert(key, folded.len());
                folded.push(action);
            }
            Some(place) => {
                let first: &mut Action = &mut folded[place];
                first.objects.extend(action.objects);
                first.edits += action.edits;
                first.before = Cost::sum([first.before, action.before]);
                first.after = Cost::sum([first.after, action.after]);
            }
        }
    }
    folded
}

fn alike(measured: &Measured<'_>, action: &Action) -> Option<impl Ord + use<>> {
    let object = &measured.ledger.objects[*action.objects.first()?];
    let root = object.linkset.parts.first()?;
    let links: Vec<i32> = action.parts.iter().map(|&part| object.linkset.parts[part].link_number).collect();
    let impacts = [action.before, action.after].map(|cost| cost.value().map(f64::to_bits));
    let uploads = action.uploads.clone();
    Some((root.owner, root.name.clone(), action.kind, action.step, links, impacts, uploads))
}

/// Joins steps of one plan that follow each other. The later one must save at least this share of the saving for each
/// edit of the earlier ones. A share of 0 joins all steps of one kind.
pub fn joined(actions: Vec<Action>, share: f64, measured: &Measured<'_>) -> Vec<Action> {
    let mut joined: Vec<Action> = Vec::new();
    let mut ends: HashMap<Vec<usize>, (usize, usize)> = HashMap::new();
    for action in actions {
        let end = ends.get(&action.objects).copied().filter(|&(place, step)| {
            let first = &joined[place];
            let is_next = first.kind == action.kind && step + 1 == action.step;
            is_next && action.saved_per_edit >= share * first.saved_per_edit
        });
        let place = end.map_or(joined.len(), |(place, _)| place);
        ends.insert(action.objects.clone(), (place, action.step));
        match joined.get_mut(place) {
            None => joined.push(action),
            Some(first) => first.join(action),
        }
    }
    sorted(joined, measured)
}

/// Sorts by the saving for each edit, then by step, name and UUID. So the steps of a plan keep their order.
fn sorted(mut actions: Vec<Action>, measured: &Measured<'_>) -> Vec<Action> {
    let root = |action: &Action| {
        let object = action.objects.first().map(|&number| &measured.ledger.objects[number]);
        object.and_then(|object| object.linkset.parts.first()).map(|root| (root.name.as_str(), root.uuid))
    };
    actions.sort_by(|a, b| {
        let by_value = b.saved_per_edit.total_cmp(&a.saved_per_edit);
        let by_step = || a.step.cmp(&b.step).then_with(|| root(a).cmp(&root(b)));
        by_value.then_with(by_step).then_with(|| a.objects.cmp(&b.objects))
    });
    actions
}
