//! The plan of one object: steps that lower its land impact, the largest saving for each edit first.

use super::{BaseHullFault, Kind, Upload, boxes, levels};
use crate::{
    assets::Assets,
    cost::Cost,
    measure::{ObjectMeasures, PartMeasures, land_impact, measure_parts},
};
use hullmark_format::object::{Part, part::flag};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::{LandModel, Profile};

/// Maximum number of edits of one kind. Each is measured on all prims, and an export may have any number of them.
const MOST: usize = 256;
/// Least saving of a step. Land impact is a whole number.
pub(super) const LEAST: f64 = 0.5;

/// The edits that plans may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// Whether child prims may be set to None, so that they no longer collide.
    pub allow_none: bool,
    /// Whether openings of meshes must stay open. Then meshes get physics models of boxes instead of the shape Convex
    /// Hull.
    pub keep_openings: bool,
    /// Maximum number of triangles in the lowest level of a mesh that is uploaded again; `None` for the convention alone.
    pub lowest_at_most: Option<u32>,
}

/// One step of the plan of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub kind: Kind,
    /// Indices of the prims to edit, ascending. For uploads, the prims that show the meshes.
    pub parts: Vec<usize>,
    pub uploads: Vec<Upload>,
    /// Number of prims to set, or of meshes to upload.
    pub edits: usize,
    /// Land impact after the earlier steps.
    pub before: Cost,
    pub after: Cost,
}

impl Step {
    /// Returns by how much land impact falls.
    pub fn saving(&self) -> f64 {
        super::saved(self.before, self.after)
    }
}

/// An object with the changes of the steps so far.
#[derive(Clone)]
pub(super) struct Changed<'o> {
    pub(super) object: ObjectFacts,
    pub(super) parts: Vec<PartMeasures>,
    mean_face_area: Option<f64>,
    pub(super) profile: &'o Profile,
    land_impact: Cost,
}

impl Changed<'_> {
    fn measured(&self) -> Cost {
        land_impact(&self.object, &self.parts, self.mean_face_area, self.profile)
    }

    /// Returns the physics weight of a prim in the present motion of the object.
    pub(super) fn physics_cost(&self, part: &PartMeasures) -> Cost {
        match self.object.linkset.parts[0].has(flag::PHYSICS) {
            true => part.collision.physics_cost_dynamic,
            false => part.collision.physics_cost,
        }
    }

    fn apply(&mut self, edit: &Edit) {
        for (index, measures) in &edit.parts {
            self.parts[*index] = measures.clone();
            let part = &mut self.object.linkset.parts[*index];
            part.physics_shape_type = edit.shape_type.or(part.physics_shape_type);
        }
    }
}

pub(super) struct Edit {
    /// Prims, each with its measures after the change.
    pub(super) parts: Vec<(usize, PartMeasures)>,
    /// New physics shape type of these prims; `None` if it stays.
    pub(super) shape_type: Option<u8>,
    pub(super) upload: Option<Upload>,
    /// By how much the changed weight falls.
    pub(super) saving: f64,
}

/// Returns the plan of an object. It is empty if no change is known to lower its land impact, or if the target charges
/// each prim alike.
pub fn plan(
    object: &ObjectFacts,
    measures: &ObjectMeasures,
    assets: &Assets<'_>,
    terms: Terms,
    profile: &Profile,
) -> Vec<Step> {
    let least = Cost::greatest([measures.streaming_cost, measures.server_weight]).value().unwrap_or(0.0);
    let before = measures.land_impact;
    let chargeable = profile.land.model == LandModel::SecondLife && before.is_complete();
    let governed_by_physics = before.value().is_some_and(|impact| impact > least + LEAST);
    let levels = if chargeable { levels::targets(object, assets, terms, profile) } else { Vec::new() };
    if !chargeable || !governed_by_physics && levels.is_empty() {
        return Vec::new();
    }
    let mut changed = Changed {
        object: object.clone(),
        parts: measures.parts.clone(),
        mean_face_area: measures.mean_face_area,
        profile,
        land_impact: before,
    };
    let mut steps = Vec::new();
    if governed_by_physics {
        if !terms.keep_openings {
            let hulls = shapes(&changed, Kind::ConvexHull, assets);
            take(&mut changed, &mut steps, Kind::ConvexHull, &hulls);
        }
        let boxes = boxes::edits(&changed, assets, least, terms);
        take(&mut changed, &mut steps, Kind::ReplacePhysics, &boxes);
        if !terms.keep_openings {
            let bounding = boxes::bounding(&changed, assets);
            take(&mut changed, &mut steps, Kind::ReplacePhysics, &bounding);
        }
        if terms.allow_none {
            let none = shapes(&changed, Kind::ShapeNone, assets);
            take(&mut changed, &mut steps, Kind::ShapeNone, &none);
        }
    }
    let coarser = coarser(&changed, levels);
    take(&mut changed, &mut steps, Kind::CoarserLevels, &coarser);
    steps
}

/// Returns the edits of this kind that set the physics shape type of prims, the largest saving of physics weight first.
fn shapes(changed: &Changed<'_>, kind: Kind, assets: &Assets<'_>) -> Vec<Edit> {
    let parts = &changed.object.linkset.parts;
    let hardly_collides = |part| kind == Kind::ConvexHull && has_flat_hull(part, assets);
    let mut indices: Vec<usize> =
        (0..parts.len()).filter(|&index| kind.may_set(index, &parts[index])).collect();
    indices.retain(|&index| !hardly_collides(&parts[index]));
    if indices.is_empty() {
        return Vec::new();
    }
    let shape_type = kind.shape_type().map(|(number, _)| number);
    let mut object = changed.object.clone();
    indices.iter().for_each(|&index| object.linkset.parts[index].physics_shape_type = shape_type);
    let measures = measure_parts(&object, assets, changed.profile);
    let mut edits: Vec<Edit> = indices
        .into_iter()
        .filter_map(|index| {
            let saving = changed.physics_cost(&changed.parts[index]).exact()?
                - changed.physics_cost(&measures[index]).exact()?;
            Some(Edit { parts: vec![(index, measures[index].clone())], shape_type, upload: None, saving })
        })
        .collect();
    // Stable: of equal savings the first prim comes first.
    edits.sort_by(|a, b| b.saving.total_cmp(&a.saving));
    // The first edit may change the accounting of the linkset, so it is kept even if it saves no weight.
    let useful = edits.partition_point(|edit| edit.saving > 0.0).clamp(1, MOST);
    edits.truncate(useful);
    edits
}

/// Whether a prim shows a mesh with a flat base hull. As Convex Hull it would hardly collide.
pub(super) fn has_flat_hull(part: &Part, assets: &Assets<'_>) -> bool {
    let mesh = part.mesh().and_then(|mesh| assets.mesh(mesh));
    mesh.and_then(|mesh| BaseHullFault::find(mesh, part.scale)) == Some(BaseHullFault::Flat)
}

/// Returns the edits that upload a mesh with coarser levels, the largest saving of download weight first.
fn coarser(changed: &Changed<'_>, targets: Vec<levels::Target>) -> Vec<Edit> {
    let edit = |(level, costs): levels::Target| {
        let mut saving = 0.0;
        let parts = costs.into_iter().map(|(index, cost)| {
            let mut measures = changed.parts[index].clone();
            saving += measures.streaming_cost.value().unwrap_or(0.0) - cost.value().unwrap_or(0.0);
            measures.streaming_cost = cost;
            (index, measures)
        });
        let parts: Vec<_> = parts.collect();
        Edit { parts, shape_type: None, upload: Some(Upload::Levels(level)), saving }
    };
    let mut edits: Vec<Edit> = targets.into_iter().map(edit).collect();
    edits.sort_by(|a, b| b.saving.total_cmp(&a.saving));
    edits.retain(|edit| edit.saving > 0.0);
    edits.truncate(MOST);
    edits
}

/// Applies edits in their order as far as they lower land impact, and adds them as steps.
///
/// The points (number of edits, land impact) have a lower convex hull. Its corners are the ends of the steps, so each
/// step saves less for each edit than the one before it.
fn take(changed: &mut Changed<'_>, steps: &mut Vec<Step>, kind: Kind, edits: &[Edit]) {
    let mut tried = changed.clone();
    let mut impacts = vec![changed.land_impact];
    for edit in edits {
        tried.apply(edit);
        impacts.push(tried.measured());
    }
    let mut start = 0;
    for end in corners(&impacts) {
        let taken = &edits[start..end];
        let mut parts: Vec<usize> =
            taken.iter().flat_map(|edit| edit.parts.iter().map(|(index, _)| *index)).collect();
        parts.sort_unstable();
        parts.dedup();
        steps.push(Step {
            kind,
            parts,
            uploads: taken.iter().filter_map(|edit| edit.upload.clone()).collect(),
            edits: taken.len(),
            before: impacts[start],
            after: impacts[end],
        });
        start = end;
    }
    edits[..start].iter().for_each(|edit| changed.apply(edit));
    changed.land_impact = impacts[start];
}

/// Returns the corners of the lower convex hull behind the first point, as far as it falls.
fn corners(impacts: &[Cost]) -> Vec<usize> {
    let known = |index: usize| impacts[index].exact();
    let mut corners = Vec::new();
    let mut at = 0;
    while let Some(here) = known(at) {
        let slope = |next: usize| Some((here - known(next)?) / (next - at) as f64);
        let steepest = (at + 1..impacts.len())
            .filter_map(|next| Some((slope(next)?, next)))
            .max_by(|(a, one), (b, other)| a.total_cmp(b).then(one.cmp(other)))
            .map(|(_, next)| next);
        let falls = |next: &usize| known(*next).is_some_and(|there| here - there > LEAST);
        let Some(next) = steepest.filter(falls) else { break };
        corners.push(next);
        at = next;
    }
    corners
}
