//! The view as plain data. Text and JSON are written from it.

use super::super::super::select_entry::Head;
use hullmark_analysis::{
    Measured,
    actions::{Coarser, PhysicsPlan, ShapeChange, Substitute, Terms},
    measure::ObjectMeasures,
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_report::figures::Figures;
use serde::Serialize;
use uuid::Uuid;

/// Everything that is shown. The field names here and below are stable.
#[derive(Debug, Serialize)]
pub(super) struct PhysicsView {
    #[serde(flatten)]
    pub(super) head: Head,
    /// Maximum physics cost of an object at rest.
    pub(super) budget: f64,
    /// Whether parts may have the physics shape None.
    pub(super) allow_none: bool,
    pub(super) objects_read: usize,
    /// Number of objects whose cost is not completely known, and whose known cost is within the budget.
    pub(super) objects_not_evaluated: usize,
    /// Number of objects above the budget that the changes bring under it.
    pub(super) objects_reached: usize,
    /// Objects above the budget, in the order of the file.
    pub(super) objects: Vec<ObjectView>,
}

#[derive(Debug, Serialize)]
pub(super) struct ObjectView {
    pub(super) entry: String,
    /// Index of the object in it, from 0.
    pub(super) index: u32,
    pub(super) name: Option<String>,
    pub(super) object_uuid: Option<Uuid>,
    /// Whether the physics engine moves it.
    pub(super) physical: bool,
    pub(super) parts: usize,
    /// Number of parts with an unknown physics cost. If it is not 0, all costs are lower bounds.
    pub(super) unevaluated_parts: u32,
    /// Its cost before and after the changes. If the budget is not reached, the cost after is the least possible.
    #[serde(flatten)]
    pub(super) costs: Figures,
    /// Whether the changes bring the known cost under the budget.
    pub(super) reached: bool,
    /// Cost above the budget after the changes; 0 if they reach it.
    pub(super) still_over: f64,
    /// Estimated change of the collision volume by all changes, m³.
    pub(super) volume_change_m3: f64,
    /// The changes, in link order.
    pub(super) changes: Vec<ChangeView>,
    /// Prims to replace after the changes, if these are not enough.
    pub(super) substitutes: Vec<SubstituteView>,
    /// Meshes that could be coarser. If the changes reach the budget, each mesh alone does so instead of the changes.
    /// Otherwise each mesh does so after the changes.
    pub(super) coarser_meshes: Vec<CoarserView>,
}

#[derive(Debug, Serialize)]
pub(super) struct ChangeView {
    /// 0 for a single prim, 1 for a root, 2 and more for children.
    pub(super) link_number: i32,
    pub(super) part_uuid: Uuid,
    pub(super) name: String,
    /// UUID of the mesh that determines its form. `None` without a mesh.
    pub(super) mesh_uuid: Option<Uuid>,
    /// `convex_hull` or `shape_none`, as in the table `actions`.
    pub(super) change: &'static str,
    /// The name of the change in viewers.
    #[serde(skip)]
    pub(super) title: &'static str,
    /// Collision shape at rest before the change.
    pub(super) representation: &'static str,
    /// Collision shape at rest after the change.
    pub(super) representation_after: &'static str,
    /// Its cost before and after the change.
    #[serde(flatten)]
    pub(super) costs: Figures,
    pub(super) saving: f64,
    /// Estimated change of the collision volume, m³.
    pub(super) volume_change_m3: f64,
}

/// A physics mesh that could be coarser.
#[derive(Debug, Serialize)]
pub(super) struct CoarserView {
    pub(super) mesh_uuid: Uuid,
    /// Link numbers of the parts that collide as the triangles of the mesh.
    pub(super) link_numbers: Vec<i32>,
    /// Name of the first of these parts.
    pub(super) name: String,
    pub(super) triangles: u64,
    /// Their average width as charged, metres, in the part where it is smallest.
    pub(super) mean_width_m: f64,
    /// Largest number of triangles of this average width that suffices. `None` if one triangle is too many.
    pub(super) triangles_at_most: Option<u64>,
    /// Least average width, metres, at which the current number of triangles suffices. `None` if no width does.
    pub(super) mean_width_at_least_m: Option<f64>,
}

/// A prim to set to None, with an invisible box of its size in its place.
#[derive(Debug, Serialize)]
pub(super) struct SubstituteView {
    pub(super) link_number: i32,
    pub(super) part_uuid: Uuid,
    pub(super) name: String,
    /// Cost of the prim, and of the box.
    #[serde(flatten)]
    pub(super) costs: Figures,
}

impl PhysicsView {
    /// Creates the plans for every object.
    pub(super) fn new(measured: &Measured<'_>, head: Head, budget: f64, terms: Terms) -> Self {
        let mut objects_not_evaluated = 0;
        let mut objects = Vec::new();
        for (object, measures) in measured.objects() {
            match PhysicsPlan::find(object, measures, &measured.assets, budget, terms, measured.profile) {
                Some(plan) => objects.push(ObjectView::new(object, measures, &plan, budget)),
                None => objects_not_evaluated += usize::from(!measures.physics_cost.is_complete()),
            }
        }
        Self {
            head,
            budget,
            allow_none: terms.allow_none,
            objects_read: measured.objects.len(),
            objects_not_evaluated,
            objects_reached: objects.iter().filter(|object| object.reached).count(),
            objects,
        }
    }
}

impl ObjectView {
    fn new(object: &ObjectFacts, measures: &ObjectMeasures, plan: &PhysicsPlan, budget: f64) -> Self {
        let parts = &object.linkset.parts;
        let root = parts.first();
        let change = |step: &ShapeChange| {
            ChangeView::new(
                &parts[step.part],
                measures.parts[step.part].collision.representation.name(),
                step,
            )
        };
        Self {
            entry: object.entry.clone(),
            index: object.index,
            name: root.map(|root| root.name.clone()),
            object_uuid: root.map(|root| root.uuid),
            physical: measures.physical,
            parts: parts.len(),
            unevaluated_parts: measures.unevaluated_parts,
            costs: Figures::new([
                ("physics_cost", "physics cost", plan.before),
                ("physics_cost_after", "after the changes", plan.after),
                (
                    "physics_cost_after_substitutes",
                    "after the changes and substitutes",
                    plan.after_substitutes,
                ),
            ]),
            reached: plan.reaches,
            still_over: if plan.reaches { 0.0 } else { plan.after.value().unwrap_or(0.0) - budget },
            volume_change_m3: plan.steps.iter().map(|step| step.volume_change_m3).sum(),
            changes: plan.steps.iter().map(change).collect(),
            substitutes: plan
                .substitutes
                .iter()
                .map(|substitute| SubstituteView::new(parts, substitute))
                .collect(),
            coarser_meshes: plan.coarser.iter().map(|coarser| CoarserView::new(parts, coarser)).collect(),
        }
    }
}

impl ChangeView {
    fn new(part: &Part, representation: &'static str, step: &ShapeChange) -> Self {
        Self {
            link_number: part.link_number,
            part_uuid: part.uuid,
            name: part.name.clone(),
            mesh_uuid: part.mesh(),
            change: step.kind.name(),
            title: step.kind.shape_type().map_or("", |(_, title)| title),
            representation,
            representation_after: step.representation.name(),
            costs: Figures::new([
                ("cost_before", "before", step.before),
                ("cost_after", "after", step.after),
            ]),
            saving: step.saving(),
            volume_change_m3: step.volume_change_m3,
        }
    }
}

impl SubstituteView {
    fn new(parts: &[Part], substitute: &Substitute) -> Self {
        let part = &parts[substitute.part];
        Self {
            link_number: part.link_number,
            part_uuid: part.uuid,
            name: part.name.clone(),
            costs: Figures::new([
                ("cost_before", "before", substitute.before),
                ("cost_after", "after", substitute.after),
            ]),
        }
    }
}

impl CoarserView {
    fn new(parts: &[Part], coarser: &Coarser) -> Self {
        let used = || coarser.parts.iter().filter_map(|&part| parts.get(part));
        Self {
            mesh_uuid: coarser.mesh,
            link_numbers: used().map(|part| part.link_number).collect(),
            name: used().next().map(|part| part.name.clone()).unwrap_or_default(),
            triangles: coarser.triangles,
            mean_width_m: coarser.width_m,
            triangles_at_most: coarser.at_most,
            mean_width_at_least_m: coarser.wide_m,
        }
    }
}
