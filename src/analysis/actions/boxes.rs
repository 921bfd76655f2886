//! Physics models of boxes instead of triangles or hulls.
//!
//! A physics model of a few boxes keeps doorways open. The uploader turns each box into a hull with 8 vertices. A single
//! box, the bounding box of the mesh, closes everything and weighs least of all shapes that collide.

use super::{
    Terms,
    plan::{Changed, Edit, has_flat_hull},
};
use crate::{
    assets::Assets,
    cost::physics,
    measure::{PartMeasures, measure_parts},
    physics_shape::{ShapeType, is_plant},
};
use hullmark_format::mesh::Block;
use hullmark_geometry::quantized::Domain;
use hullmark_ledger::facts::{ConvexFacts, HullFacts, MeshFacts};
use hullmark_util::work::Work;
use std::collections::BTreeMap;
use uuid::Uuid;

const BOX_VERTICES: u32 = 8;
/// Fewest boxes that keep an opening, and most that an uploader can be expected to make by hand.
const BOXES: [u32; 2] = [2, 16];

/// A new physics model of a mesh.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhysicsTarget {
    pub mesh: Uuid,
    pub boxes: u32,
}

/// Returns the edits that upload meshes with physics models of boxes, the largest saving of physics weight first.
/// Together the boxes weigh about `budget`, so that physics weight no longer determines land impact. Unless openings are
/// kept, only meshes with flat base hulls need them: Convex Hull is simpler.
pub(super) fn edits(changed: &Changed<'_>, assets: &Assets<'_>, budget: f64, terms: Terms) -> Vec<Edit> {
    let parts = &changed.object.linkset.parts;
    let mut users: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter().enumerate() {
        let is_needed = terms.keep_openings || has_flat_hull(part, assets);
        let uses_model = is_needed && ShapeType::from_part(part) == ShapeType::Prim && !is_plant(part);
        if let Some(mesh) = part.mesh().filter(|mesh| uses_model && assets.mesh(*mesh).is_some()) {
            users.entry(mesh).or_default().push(index);
        }
    }
    let prims: usize = users.values().map(Vec::len).sum();
    let affordable = budget / (weight_of_box(changed) * prims.max(1) as f64);
    let boxes = if affordable >= f64::from(BOXES[1]) { BOXES[1] } else { BOXES[0].max(affordable as u32) };
    uploads(changed, assets, users, boxes)
}

/// Returns the edits that upload meshes with their bounding boxes as physics models, the largest saving first. They are
/// for meshes whose base hull is heavy, so that the physics shape Convex Hull helps little.
pub(super) fn bounding(changed: &Changed<'_>, assets: &Assets<'_>) -> Vec<Edit> {
    let mut users: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (index, part) in changed.object.linkset.parts.iter().enumerate() {
        let weight = changed.physics_cost(&changed.parts[index]).exact();
        let is_heavier = weight.is_some_and(|weight| weight > weight_of_box(changed));
        if let Some(mesh) = part.mesh().filter(|mesh| is_heavier && assets.mesh(*mesh).is_some()) {
            users.entry(mesh).or_default().push(index);
        }
    }
    uploads(changed, assets, users, 1)
}

fn weight_of_box(changed: &Changed<'_>) -> f64 {
    physics::hull(BOX_VERTICES, &changed.profile.physics)
}

/// Returns the edits that upload each of these meshes with a physics model of so many boxes.
fn uploads(
    changed: &Changed<'_>,
    assets: &Assets<'_>,
    users: BTreeMap<Uuid, Vec<usize>>,
    boxes: u32,
) -> Vec<Edit> {
    if users.is_empty() {
        return Vec::new();
    }
    let models: Vec<MeshFacts> =
        users.keys().filter_map(|mesh| Some(with_boxes(assets.mesh(*mesh)?, boxes))).collect();
    let replaced = assets.replacing(&models);
    let measures = measure_parts(&changed.object, &replaced, changed.profile);
    let mut edits: Vec<Edit> = users
        .into_iter()
        .filter_map(|(mesh, users)| edit(changed, &measures, PhysicsTarget { mesh, boxes }, &users))
        .collect();
    edits.retain(|edit| edit.saving > 0.0);
    // Stable: of equal savings the mesh with the lowest UUID comes first.
    edits.sort_by(|a, b| b.saving.total_cmp(&a.saving));
    edits
}

/// Returns the edit of one mesh. `None` if a weight is unknown.
fn edit(
    changed: &Changed<'_>,
    measures: &[PartMeasures],
    target: PhysicsTarget,
    users: &[usize],
) -> Option<Edit> {
    let mut saving = 0.0;
    let mut parts = Vec::new();
    for &index in users {
        let after =
            PartMeasures { streaming_cost: changed.parts[index].streaming_cost, ..measures[index].clone() };
        saving +=
            changed.physics_cost(&changed.parts[index]).exact()? - changed.physics_cost(&after).exact()?;
        parts.push((index, after));
    }
    Some(Edit { parts, shape_type: None, upload: Some(super::Upload::Physics(target)), saving })
}

fn with_boxes(mesh: &MeshFacts, boxes: u32) -> MeshFacts {
    let corners: Vec<[u16; 3]> =
        (0..8_u16).map(|corner| [0, 1, 2].map(|axis| u16::MAX * (corner >> axis & 1))).collect();
    let hull = HullFacts::new(&corners, &Domain::UNIT, &mut Work::unlimited());
    let mut model = mesh.without_physics_models();
    model
        .blocks
        .retain(|block| !["physics_mesh", "physics_shape", "decomposition"].contains(&block.name.as_str()));
    if !model.blocks.iter().any(|block| block.name == "physics_convex") {
        model.blocks.push(Block { name: "physics_convex".into(), offset: 0, size: 1, inflated: None });
    }
    // One box is the physics model as a whole, so it is the base hull, too.
    let present = mesh.convex.as_ref().and_then(|convex| convex.base).filter(|_| boxes > 1);
    let base = present.or(Some(hull));
    model.convex = Some(ConvexFacts {
        base,
        hulls: vec![hull; boxes as usize],
        positions: Some(boxes * BOX_VERTICES),
        announced: None,
        points: None,
        built_base: None,
        built_hulls: None,
    });
    model
}
