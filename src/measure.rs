//! The join: facts of objects and meshes into the numbers of a row.
//!
//! Nothing is judged here and nothing decoded. What each number is called in the reports, and what it holds, is
//! said at its field.

use crate::{
    body::{Assets, Body, Surfaces, Triangles},
    cost::{
        Cost, Reason, land,
        physics::{self, CapVerdict},
        simulation, streaming,
    },
    facts::{MeshFacts, ObjectFacts},
    format::object::{Part, Sculpt, Shape, part::flag},
    geometry::bounds::{Bounds, OrientedBox},
    link::current,
    profile::{BoxAxes, LandModel, PhysicsModel, Profile},
    shape::{self, Class, Motion, Representation, ShapeType},
};
use glam::{DQuat, DVec3};
use uuid::Uuid;

/// How a linkset is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Accounting {
    /// One for each prim.
    Legacy,
    /// By its weights.
    New,
}

impl Accounting {
    /// The name used in reports; it does not change.
    pub fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::New => "new",
        }
    }
}

/// What is measured of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartMeasures {
    /// Where its centre is, metres in the region; of a nested object, in the axes that it was taken in.
    pub position: DVec3,
    /// How it is turned, in the same axes.
    pub rotation: DQuat,
    /// The kind of physics shape, and why.
    pub class: Class,
    /// What collides while the linkset is at rest.
    pub representation: Representation,
    /// What collides while it is physical or moving.
    pub representation_dynamic: Representation,
    /// Hulls of the mesh's decomposition, where it has one.
    pub hulls: Option<u32>,
    /// The triangles that collide while the linkset is at rest, where triangles do.
    pub triangles: Option<Triangles>,
    /// Vertices of the one hull that collides while the linkset is at rest, where one does.
    pub hull_vertices: Option<u32>,
    /// Physics cost at rest, under new accounting.
    pub physics_cost: Cost,
    /// Physics cost while physical. For Second Life without the penalty, which is the linkset's; for
    /// OpenSimulator with its own.
    pub physics_cost_dynamic: Cost,
    /// Streaming cost; the root of an animated object carries the charge for being one.
    pub streaming_cost: Cost,
    /// What OpenSimulator estimates when the part's mesh is uploaded at this scale.
    pub upload_streaming_estimate: Cost,
    /// Scripts in its contents.
    pub scripts: u32,
}

/// What is measured of one linkset.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectMeasures {
    /// Its parts, in link order.
    pub parts: Vec<PartMeasures>,
    /// How the grid charges it.
    pub accounting: Accounting,
    /// Whether the current rule lets it be linked; its sphere is around the parts' positions.
    pub link: current::Outcome,
    /// The overall box in the root's axes, from the root's centre, metres: the size that a viewer shows. Absent
    /// where a number is not finite.
    pub root_box: Option<Bounds>,
    /// The overall box in the axes of the region.
    pub region_box: Option<Bounds>,
    /// Mean face area of the overall box in the axes that the profile asks for, m².
    pub mean_face_area: Option<f64>,
    /// The pure cost at rest. Not applicable under legacy accounting.
    pub physics_cost: Cost,
    /// What [`physics_cost`](Self::physics_cost) is or would be under new accounting.
    pub physics_cost_if_new: Cost,
    /// The cost of the dynamic representation with the penalty. It counts only where the linkset is physical.
    pub physics_cost_if_physical: Cost,
    /// Whether it may be made physical.
    pub physical_cap: CapVerdict,
    /// Parts whose physics cost at rest is known.
    pub evaluated_parts: u32,
    /// Parts whose physics cost at rest is not evaluated. Above 0, `physics_cost_if_new` is a lower bound.
    pub unevaluated_parts: u32,
    /// The sum of the parts' streaming costs.
    pub streaming_cost: Cost,
    /// SRC of the specification.
    pub simulator_resource_cost: Cost,
    /// RRC of the specification: the greater of SRC and streaming.
    pub region_resource_cost: Cost,
    /// The weight that land impact takes for the server.
    pub server_weight: Cost,
    /// What it takes of a parcel's capacity.
    pub land_impact: Cost,
    /// Moved by the physics engine, as the root's flag says.
    pub physical: bool,
    /// Does not collide, as the root's flag says.
    pub phantom: bool,
    /// Vanishes after a while, as the root's flag says.
    pub temporary: bool,
    /// Collides only to tell its scripts, as the root says.
    pub volume_detect: bool,
    /// Moves although it is not physical: keyframed motion, or a velocity in the export.
    pub moving: bool,
    /// Has scripts in its contents. The flag of the same name may be stale, so it does not count.
    pub scripted: bool,
    /// Its root is marked as an animated object, and a mesh of it has joints.
    pub animated: bool,
    /// Scripts in all contents.
    pub scripts: u32,
}

/// What is measured of one mesh asset.
///
/// The physics costs are those of Second Life's formulas with the constants of the profile, whatever its
/// engine: they say what the asset is like and not what a part with it is charged.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshMeasures {
    /// Points of the base hull.
    pub base_hull_points: Option<u32>,
    /// Hulls of the decomposition; 0 without one, absent where the convex block cannot be read.
    pub hulls: Option<u32>,
    /// Points of those hulls together.
    pub decomposition_points: Option<u64>,
    /// Triangles of the physics mesh; absent where there is none or it cannot be read.
    pub physics_triangles: Option<u64>,
    /// As its base hull, at any scale.
    pub base_hull_cost: Cost,
    /// As its decomposition, at any scale.
    pub decomposition_cost: Cost,
    /// As its triangles, at 1 m × 1 m × 1 m.
    pub triangle_cost: Cost,
    /// Streaming cost of a cube of 1 m.
    pub streaming_cost_1m: Cost,
    /// Streaming cost of a cube of 10 m.
    pub streaming_cost_10m: Cost,
    /// Streaming cost in an animated object, without the object's own; not applicable without joints.
    pub animated_streaming_cost: Cost,
    /// OpenSimulator's upload estimate for a cube of 1 m.
    pub upload_streaming_estimate: Cost,
}

/// What collides for a part, and what that costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// The kind of physics shape, and why.
    pub class: Class,
    /// What collides while the linkset is at rest.
    pub representation: Representation,
    /// What collides while it is physical or moving.
    pub representation_dynamic: Representation,
    /// Physics cost at rest, under new accounting.
    pub physics_cost: Cost,
    /// Physics cost while physical, as in [`PartMeasures::physics_cost_dynamic`].
    pub physics_cost_dynamic: Cost,
    /// The triangles that collide while the linkset is at rest, where triangles do.
    pub triangles: Option<Triangles>,
    /// Vertices of the one hull that collides while the linkset is at rest, where one does.
    pub hull_vertices: Option<u32>,
}

impl Collision {
    /// Why this collides, in words for a person, where the part has a mesh.
    pub fn reason(&self) -> &'static str {
        let asked_for_hull = self.class.kind == shape::Kind::UserConvex;
        match (self.representation, self.representation_dynamic) {
            (Representation::Decomposition, _) => {
                "it has a decomposition, which collides at rest and in motion"
            }
            (Representation::TriangleMesh, Representation::TriangleMesh) => {
                "it has a physics mesh, which this engine takes at rest and in motion"
            }
            (Representation::TriangleMesh, _) => {
                "it has a physics mesh and no decomposition, so its triangles collide only at rest"
            }
            (Representation::BaseHull, _) if self.class.kind == shape::Kind::UserMesh => {
                "it has neither decomposition nor physics mesh, so its base hull stands in"
            }
            (Representation::Unknown, _) if !asked_for_hull => {
                "a block that decides what collides cannot be read, or is empty"
            }
            _ => self.class.reason,
        }
    }
}

/// What is measured of one mesh asset at a scale of one's choice. The costs are those of [`MeshMeasures`]; what
/// a part gets is what the target grid gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshAtScale {
    /// Harmonic mean of the widths of the physics mesh's triangles, metres.
    pub mean_width_m: Option<f64>,
    /// As its base hull.
    pub base_hull_cost: Cost,
    /// As its decomposition.
    pub decomposition_cost: Cost,
    /// As its triangles.
    pub triangle_cost: Cost,
    /// Streaming cost.
    pub streaming_cost: Cost,
    /// Streaming cost in an animated object, without the object's own; not applicable without joints.
    pub animated_streaming_cost: Cost,
    /// OpenSimulator's upload estimate.
    pub upload_streaming_estimate: Cost,
    /// What a part with this mesh gets that is set to Prim.
    pub as_prim: Collision,
    /// What a part with this mesh gets that is set to Convex Hull.
    pub as_convex: Collision,
    /// Where its triangles' cost changes as it grows; absent without triangles that collide.
    pub thresholds: Option<Thresholds>,
}

/// By what factors a scale, kept in its proportions, meets the bounds of the triangle formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// From here on the cost is at most the cap; 0 where it always is, absent where it never is or where the
    /// grid has no cap.
    pub cap: Option<f64>,
    /// From here on the cost is the least that a triangle mesh is charged; as `cap`.
    pub floor: Option<f64>,
    /// Below this a side is so short that the base hull collides instead. Absent for a mesh with a
    /// decomposition, which keeps it.
    pub base_hull_below: Option<f64>,
}

/// Measures one linkset.
pub fn measure_object(object: &ObjectFacts, assets: &Assets<'_>, profile: &Profile) -> ObjectMeasures {
    let linkset = &object.linkset;
    let stage = Stage::of(&linkset.parts, assets, profile);
    let parts: Vec<PartMeasures> = (0..linkset.parts.len()).map(|index| stage.part(index)).collect();
    let centres: Vec<DVec3> = parts.iter().map(|part| part.position).collect();
    let root_box =
        Bounds::around(linkset.parts.iter().enumerate().map(|(index, part)| in_root_axes(part, index)));
    let region_box = Bounds::around(linkset.parts.iter().zip(&parts).map(|(part, measures)| OrientedBox {
        centre: measures.position,
        rotation: measures.rotation,
        half: part.scale / 2.0,
    }));
    let overall = match profile.physics.overall_box {
        BoxAxes::Root => root_box,
        BoxAxes::Region => region_box,
    };
    let mean_face_area = overall.map(|bounds| bounds.mean_face_area());
    let scripts = parts.iter().map(|part| part.scripts).sum();
    let root = linkset.parts.first();
    let has = |flag| root.is_some_and(|root| root.has(flag));
    let accounting = accounting(&linkset.parts, profile);
    let physics_cost_if_new = Cost::sum(parts.iter().map(|part| part.physics_cost));
    let physics_cost = charged_physics(accounting, physics_cost_if_new);
    let weights = Weights {
        accounting,
        physical: has(flag::PHYSICS),
        scripts,
        physics: physics_cost_if_new,
        physics_if_physical: stage.penalised(&parts, mean_face_area),
        streaming: Cost::sum(parts.iter().map(|part| part.streaming_cost)),
    };
    let simulator_resource_cost = weights.simulator_resource_cost(&stage);
    ObjectMeasures {
        accounting,
        link: current::judge(&centres, &profile.linkability),
        root_box,
        region_box,
        mean_face_area,
        physics_cost,
        physics_cost_if_new,
        physics_cost_if_physical: weights.physics_if_physical,
        physical_cap: physics::cap(physics_cost, &profile.physics),
        evaluated_parts: count(parts.iter().filter(|part| part.physics_cost.exact().is_some())),
        unevaluated_parts: count(parts.iter().filter(|part| !part.physics_cost.is_complete())),
        streaming_cost: weights.streaming,
        simulator_resource_cost,
        region_resource_cost: Cost::greatest([simulator_resource_cost, weights.streaming]),
        server_weight: weights.server_weight(&stage),
        land_impact: weights.land_impact(&stage, &parts),
        physical: weights.physical,
        phantom: has(flag::PHANTOM),
        temporary: has(flag::TEMPORARY_ON_REZ),
        volume_detect: root.is_some_and(|root| root.volume_detect),
        moving: linkset.keyframe_motion || root.is_some_and(|root| root.velocity.length_squared() > 0.0),
        scripted: scripts > 0,
        animated: stage.animated,
        scripts,
        parts,
    }
}

/// Measures one mesh asset at this scale in metres.
pub fn measure_mesh_at(mesh: &MeshFacts, scale: DVec3, profile: &Profile) -> MeshAtScale {
    let body = Body { mesh: Some(mesh), sculpt: None, surfaces: &Surfaces::default() };
    let set_to = |shape_type| collision(&mesh_part(scale, shape_type), &body, profile);
    MeshAtScale {
        mean_width_m: mesh.physics_mesh.as_ref().and_then(|triangles| {
            physics::mesh_figures(triangles, scale).map(|figures| figures.mean_width_m)
        }),
        base_hull_cost: physics::base_hull(mesh, &profile.physics),
        decomposition_cost: physics::mesh_decomposition(mesh, &profile.physics),
        triangle_cost: physics::mesh_triangles(mesh, scale, &profile.physics),
        streaming_cost: streaming::static_mesh(streaming::level_bytes(mesh), scale, &profile.streaming),
        animated_streaming_cost: animated_streaming(mesh, profile),
        upload_streaming_estimate: upload_estimate(mesh, scale, profile),
        thresholds: thresholds(mesh, scale, &profile.physics),
        as_prim: set_to(0),
        as_convex: set_to(2),
    }
}

fn thresholds(mesh: &MeshFacts, scale: DVec3, physics: &crate::profile::Physics) -> Option<Thresholds> {
    let figures = physics::mesh_figures(mesh.physics_mesh.as_ref()?, scale)?;
    let from = |cost: f64| physics::factor_for(&figures, cost, physics).filter(|_| cost.is_finite());
    let shortest = scale.min_element();
    Some(Thresholds {
        cap: from(physics.physical_cap),
        floor: from(physics.minimum_mesh_cost),
        base_hull_below: (!shape::has_decomposition(mesh) && shortest > 0.0)
            .then(|| physics.convex_below_m / shortest),
    })
}

/// A part with a mesh as uploaders make it: under the mesh lies a cut and hollow box, which is neither a plain
/// box nor whole.
fn mesh_part(scale: DVec3, shape_type: u8) -> Part {
    let sculpt = Some(Sculpt { asset: Uuid::nil(), kind: 5 });
    let shape = Shape { profile_begin: 12_500, profile_hollow: 27_500, sculpt, ..Shape::default() };
    Part { scale, shape, physics_shape_type: Some(shape_type), ..Part::default() }
}

fn animated_streaming(mesh: &MeshFacts, profile: &Profile) -> Cost {
    if !streaming::is_rigged(mesh) {
        return Cost::not_applicable(Reason::Absent);
    }
    streaming::animated(streaming::level_bytes(mesh), &profile.streaming)
        .map_or(Cost::not_evaluated(Reason::HighLodMissing), Cost::spec)
}

fn upload_estimate(mesh: &MeshFacts, scale: DVec3, profile: &Profile) -> Cost {
    streaming::upload_estimate(streaming::level_bytes(mesh), scale, &profile.streaming)
        .map_or(Cost::not_evaluated(Reason::HighLodMissing), Cost::estimated)
}

/// What collides for a part, and what that costs.
pub(crate) fn collision(part: &Part, body: &Body<'_>, profile: &Profile) -> Collision {
    let mesh = body.mesh;
    let representation = shape::representation(part, mesh, Motion::Static, profile);
    let representation_dynamic = shape::representation(part, mesh, Motion::Dynamic, profile);
    let physics_cost = physics::of_part(part, representation, body, profile);
    // Most parts collide alike at rest and in motion: their triangles are measured once.
    let dynamic = if representation_dynamic == representation {
        physics_cost
    } else {
        physics::of_part(part, representation_dynamic, body, profile)
    };
    Collision {
        class: shape::classify(part, mesh, profile),
        representation,
        representation_dynamic,
        physics_cost,
        physics_cost_dynamic: with_own_penalty(part, dynamic, profile),
        triangles: colliding_triangles(part, representation, body, profile),
        hull_vertices: colliding_hull(part, representation, body, profile),
    }
}

/// The triangles that collide.
fn colliding_triangles(
    part: &Part,
    representation: Representation,
    body: &Body<'_>,
    profile: &Profile,
) -> Option<Triangles> {
    match representation {
        Representation::TriangleMesh => {
            let mesh = body.mesh?.physics_mesh.as_ref()?;
            physics::mesh_figures(mesh, part.scale)
        }
        Representation::SurfaceMesh => physics::surface_triangles(part, body, profile.physics.model).ok(),
        _ => None,
    }
}

/// Vertices of the hull that collides.
fn colliding_hull(
    part: &Part,
    representation: Representation,
    body: &Body<'_>,
    profile: &Profile,
) -> Option<u32> {
    match representation {
        Representation::BaseHull => physics::base_hull_vertices(body.mesh?).ok(),
        Representation::SurfaceHull => {
            physics::surface_hull(part, body, profile.physics.model).ok().map(|hull| hull.vertices)
        }
        _ => None,
    }
}

/// OpenSimulator charges each physical part for its own size.
fn with_own_penalty(part: &Part, cost: Cost, profile: &Profile) -> Cost {
    match profile.physics.model {
        PhysicsModel::SecondLife => cost,
        PhysicsModel::OpensimUbode | PhysicsModel::OpensimBulletsim => {
            cost.map(|cost| cost * physics::opensim_part_penalty(part.scale))
        }
    }
}

/// Measures one mesh asset at unit scale.
pub fn measure_mesh(mesh: &MeshFacts, profile: &Profile) -> MeshMeasures {
    let bytes = streaming::level_bytes(mesh);
    let cube = |side| streaming::static_mesh(bytes, DVec3::splat(side), &profile.streaming);
    let convex = mesh.convex.as_ref();
    MeshMeasures {
        base_hull_points: convex.and_then(|convex| convex.base).map(|base| base.points),
        hulls: hulls(mesh),
        decomposition_points: convex
            .map(|convex| convex.hulls.iter().map(|hull| u64::from(hull.points)).sum()),
        physics_triangles: triangles(mesh),
        base_hull_cost: physics::base_hull(mesh, &profile.physics),
        decomposition_cost: physics::mesh_decomposition(mesh, &profile.physics),
        triangle_cost: physics::mesh_triangles(mesh, DVec3::ONE, &profile.physics),
        streaming_cost_1m: cube(1.0),
        streaming_cost_10m: cube(10.0),
        animated_streaming_cost: animated_streaming(mesh, profile),
        upload_streaming_estimate: upload_estimate(mesh, DVec3::ONE, profile),
    }
}

/// How a grid charges a linkset. Second Life: by its weights where it has a mesh, or a prim whose physics shape
/// type is not Prim (`mesh-physics.md`, Opt-In). Since 2013 materials opt in too, which no specification page
/// says and facts do not hold. OpenSimulator: where a part is complex, which is not the same. A shape type on a
/// tree does nothing.
pub fn accounting(parts: &[Part], profile: &Profile) -> Accounting {
    let opts_in = |part: &Part| match profile.land.model {
        LandModel::SecondLife => part.mesh().is_some() || ShapeType::of(part) != ShapeType::Prim,
        LandModel::Opensim => land::opensim_complex(part),
    };
    if parts.iter().any(|part| !shape::is_plant(part) && opts_in(part)) {
        Accounting::New
    } else {
        Accounting::Legacy
    }
}

/// The pure cost as it is charged: none under legacy accounting. Of a linkset of plants it never exists.
fn charged_physics(accounting: Accounting, if_new: Cost) -> Cost {
    let plants = if_new.is_complete() && if_new.value().is_none();
    match accounting {
        Accounting::Legacy if !plants => Cost::not_applicable(Reason::LegacyAccounting),
        _ => if_new,
    }
}

/// A part's box as the root sees it. The root stands at its own origin, whatever offset its document states.
fn in_root_axes(part: &Part, index: usize) -> OrientedBox {
    let half = part.scale / 2.0;
    if index == 0 {
        OrientedBox { centre: DVec3::ZERO, rotation: DQuat::IDENTITY, half }
    } else {
        OrientedBox { centre: part.offset_position, rotation: part.rotation, half }
    }
}

/// Position and rotation of a part in the region: `GroupPosition + rootRotation · OffsetPosition`. The root's
/// group position is taken for all: every part repeats it.
fn in_region_axes(part: &Part, index: usize, root: &Part) -> (DVec3, DQuat) {
    if index == 0 {
        (root.group_position, root.rotation)
    } else {
        (root.group_position + root.rotation * part.offset_position, root.rotation * part.rotation)
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// Hulls of a mesh's decomposition; absent where its convex block cannot be read.
fn hulls(mesh: &MeshFacts) -> Option<u32> {
    match &mesh.convex {
        Some(convex) => Some(count(convex.hulls.iter())),
        None if shape::lists_convex(mesh) => None,
        None => Some(0),
    }
}

/// Triangles of a mesh's physics mesh.
fn triangles(mesh: &MeshFacts) -> Option<u64> {
    let mesh = mesh.physics_mesh.as_ref()?;
    Some(mesh.submeshes.iter().map(|face| face.triangles.len() as u64).sum())
}

/// A linkset with its assets found.
struct Stage<'o> {
    parts: &'o [Part],
    bodies: Vec<Body<'o>>,
    profile: &'o Profile,
    animated: bool,
    /// OpenSimulator does not tell its physics engine of phantom objects at rest.
    unknown_to_engine: bool,
}

impl<'o> Stage<'o> {
    fn of(parts: &'o [Part], assets: &'o Assets<'_>, profile: &'o Profile) -> Self {
        let bodies: Vec<Body<'_>> = parts.iter().map(|part| assets.body(part)).collect();
        let marked = parts.first().is_some_and(|root| root.shape.animesh);
        let animated = marked && bodies.iter().filter_map(|body| body.mesh).any(streaming::is_rigged);
        let phantom = parts
            .first()
            .is_some_and(|root| root.has(flag::PHANTOM) && !root.has(flag::PHYSICS) && !root.volume_detect);
        let unknown_to_engine = phantom && profile.physics.model != PhysicsModel::SecondLife;
        Self { parts, bodies, profile, animated, unknown_to_engine }
    }

    fn part(&self, index: usize) -> PartMeasures {
        let (part, body, profile) = (&self.parts[index], &self.bodies[index], self.profile);
        let (position, rotation) = in_region_axes(part, index, &self.parts[0]);
        let collision = collision(part, body, profile);
        let physics_cost =
            if self.unknown_to_engine { physics::opensim_flat(part) } else { collision.physics_cost };
        PartMeasures {
            position,
            rotation,
            class: collision.class,
            representation: collision.representation,
            representation_dynamic: collision.representation_dynamic,
            hulls: body.mesh.and_then(hulls).filter(|&hulls| hulls > 0),
            triangles: collision.triangles,
            hull_vertices: collision.hull_vertices,
            physics_cost,
            physics_cost_dynamic: collision.physics_cost_dynamic,
            streaming_cost: self.streaming(index),
            upload_streaming_estimate: self.upload_estimate(index),
            scripts: count(part.scripts()),
        }
    }

    fn streaming(&self, index: usize) -> Cost {
        let cost =
            streaming::of_part(&self.parts[index], self.bodies[index].mesh, self.animated, self.profile);
        let settings = &self.profile.streaming;
        if index == 0 && self.animated && settings.model == crate::profile::StreamingModel::SecondLife {
            Cost::sum([cost, Cost::spec(settings.animated_root)])
        } else {
            cost
        }
    }

    fn upload_estimate(&self, index: usize) -> Cost {
        let part = &self.parts[index];
        match self.bodies[index].mesh {
            _ if part.mesh().is_none() => Cost::not_applicable(Reason::Absent),
            None => Cost::not_evaluated(Reason::MeshMissing),
            Some(mesh) => upload_estimate(mesh, part.scale, self.profile),
        }
    }

    /// The dynamic cost of the linkset with its penalty.
    fn penalised(&self, parts: &[PartMeasures], mean_face_area: Option<f64>) -> Cost {
        let sum = Cost::sum(parts.iter().map(|part| part.physics_cost_dynamic));
        match (self.profile.physics.model, mean_face_area) {
            (PhysicsModel::OpensimUbode | PhysicsModel::OpensimBulletsim, _) => sum,
            (PhysicsModel::SecondLife, Some(area)) => {
                sum.map(|cost| cost * physics::penalty(area, &self.profile.physics))
            }
            (PhysicsModel::SecondLife, None) if sum.value().is_none() => sum,
            (PhysicsModel::SecondLife, None) => Cost::not_evaluated(Reason::NotFinite),
        }
    }

    fn count(&self) -> u32 {
        count(self.parts.iter())
    }
}

/// What land impact is made of.
struct Weights {
    accounting: Accounting,
    physical: bool,
    scripts: u32,
    physics: Cost,
    physics_if_physical: Cost,
    streaming: Cost,
}

impl Weights {
    fn simulator_resource_cost(&self, stage: &Stage<'_>) -> Cost {
        let active = self.physical || self.scripts > 0;
        simulation::simulator_resource_cost(stage.count(), active, &stage.profile.simulation)
    }

    fn server_weight(&self, stage: &Stage<'_>) -> Cost {
        simulation::server_weight(stage.count(), self.scripts, self.physical, &stage.profile.simulation)
    }

    fn land_impact(&self, stage: &Stage<'_>, parts: &[PartMeasures]) -> Cost {
        if self.accounting == Accounting::Legacy {
            return land::per_prim(stage.count());
        }
        match stage.profile.land.model {
            LandModel::SecondLife => {
                let physics = if self.physical { self.physics_if_physical } else { self.physics };
                land::second_life(self.streaming, physics, self.server_weight(stage))
            }
            LandModel::Opensim => {
                let physics = |part: &PartMeasures| {
                    if self.physical { part.physics_cost_dynamic } else { part.physics_cost }
                };
                land::opensim(parts.iter().map(|part| (part.streaming_cost, physics(part))), self.physical)
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        cost::Basis,
        facts::Role,
        format::{
            mesh::{Block, LODS},
            object::{Item, Layout, Linkset},
        },
        shape::tests::{curved, mesh, mesh_part, prim},
    };
    use proptest::prelude::*;
    use std::f64::consts::FRAC_PI_2;

    /// A rezzed linkset of these parts.
    pub fn object(parts: Vec<Part>) -> ObjectFacts {
        ObjectFacts {
            entry: String::new(),
            index: 0,
            role: Role::Rezzed,
            region: None,
            asset: None,
            layout: Layout::Xml2,
            oddities: Vec::new(),
            linkset: Linkset { parts, document_in_link_order: true, ..Linkset::default() },
        }
    }

    fn measured(parts: Vec<Part>) -> ObjectMeasures {
        measure_object(&object(parts), &Assets::default(), &Profile::default())
    }

    fn with_mesh(parts: Vec<Part>, mesh: &MeshFacts) -> ObjectMeasures {
        let mesh = MeshFacts { uuid: mesh_part().mesh(), ..mesh.clone() };
        measure_object(&object(parts), &Assets::new([&mesh], []), &Profile::default())
    }

    fn sized(sizes: [i64; 4], mut mesh: MeshFacts) -> MeshFacts {
        let block = |(name, size): (&str, i64)| Block { name: name.into(), offset: 0, size, inflated: None };
        mesh.blocks = LODS.into_iter().zip(sizes).map(block).collect();
        mesh
    }

    fn close(a: Cost, b: f64) {
        assert!(a.value().is_some_and(|a| (a - b).abs() <= 1e-6), "{a:?} is not {b}");
    }

    /// The specification's linkset: ten boxes, one of them Convex Hull, 3 m × 4 m × 5 m over all.
    fn ten_boxes() -> Vec<Part> {
        let mut parts: Vec<Part> = (0..10)
            .map(|n| {
                let mut part = prim();
                part.group_position = DVec3::new(128.0, 128.0, 9905.0);
                part.scale = DVec3::ONE;
                part.offset_position = DVec3::new((n % 3).into(), (n % 4).into(), (n % 5).into());
                part
            })
            .collect();
        parts[0].scale = DVec3::ONE;
        parts[9].offset_position = DVec3::new(2.0, 3.0, 4.0);
        parts[9].physics_shape_type = Some(2);
        parts
    }

    #[test]
    fn the_ten_boxes_of_the_specification() {
        let rest = measured(ten_boxes());
        assert_eq!(rest.accounting, Accounting::New);
        assert_eq!(rest.root_box.unwrap().size(), DVec3::new(3.0, 4.0, 5.0));
        assert_eq!(rest.physics_cost, Cost::spec(1.0));
        assert_eq!(rest.physical_cap, CapVerdict::Allowed);
        close(rest.physics_cost_if_physical, 1.626_667);
        close(rest.streaming_cost, 0.6);
        close(rest.server_weight, 5.0);
        assert_eq!(rest.land_impact.value(), Some(5.0));
        assert_eq!((rest.evaluated_parts, rest.unevaluated_parts), (10, 0));

        let mut parts = ten_boxes();
        parts[0].flags = flag::PHYSICS;
        let physical = measured(parts);
        assert!(physical.physical);
        assert_eq!(physical.land_impact.value(), Some(5.0));
        close(physical.simulator_resource_cost, 10.1);
        close(physical.region_resource_cost, 10.1);
        close(rest.simulator_resource_cost, 5.05);
    }

    #[test]
    fn the_duck_of_the_specification() {
        // 13 prim equivalents by the simulator's own word, at 10 m.
        let mut duck = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[8], None));
        duck.cost_data =
            Some(crate::format::mesh::PhysicsCostData { decomposition: Some(13.0), ..Default::default() });
        let mut part = mesh_part();
        part.scale = DVec3::splat(10.0);
        part.flags = flag::PHYSICS;
        let measures = with_mesh(vec![part], &duck);
        assert_eq!(measures.physics_cost, Cost::simulator(13.0));
        close(measures.physics_cost_if_physical, 65.0);
        assert_eq!(measures.physical_cap, CapVerdict::Allowed, "the penalty does not count for the cap");
        assert_eq!(measures.land_impact.value(), Some(65.0));
        assert_eq!(measures.land_impact.basis(), Basis::Simulator);
    }

    #[test]
    fn legacy_linksets_cost_one_for_each_prim() {
        let measures = measured(vec![prim(), curved(0, 16), prim()]);
        assert_eq!(measures.accounting, Accounting::Legacy);
        assert_eq!(measures.physics_cost, Cost::not_applicable(Reason::LegacyAccounting));
        assert_eq!(measures.physical_cap, CapVerdict::NotApplicable(Reason::LegacyAccounting));
        close(measures.physics_cost_if_new, 0.3);
        assert_eq!(measures.physics_cost_if_new.basis(), Basis::Estimated, "a cylinder's cost is inferred");
        assert_eq!(measures.land_impact, Cost::spec(3.0));
    }

    #[test]
    fn an_unknown_part_makes_a_lower_bound() {
        let mut boxy = prim();
        boxy.physics_shape_type = Some(2);
        let measures = measured(vec![boxy, mesh_part(), mesh_part()]);
        assert_eq!(measures.physics_cost.basis(), Basis::LowerBound(Reason::MeshMissing));
        assert_eq!((measures.physics_cost.value(), measures.physics_cost.exact()), (Some(0.1), None));
        assert_eq!((measures.evaluated_parts, measures.unevaluated_parts), (1, 2));
        assert_eq!(measures.physical_cap, CapVerdict::NotEvaluated(Reason::MeshMissing));
        assert!(!measures.land_impact.is_complete());
        assert!(!measures.region_resource_cost.is_complete());
        let alone = measured(vec![mesh_part()]);
        assert_eq!(alone.physics_cost, Cost::not_evaluated(Reason::MeshMissing));
        assert_eq!(alone.land_impact.value(), Some(1.0));
        assert!(!alone.land_impact.is_complete());
    }

    #[test]
    fn motion_turns_triangles_into_a_hull() {
        let terrain = sized([0, 0, 0, 20_000], mesh(Some(8), &[], Some(12)));
        let measures = with_mesh(vec![mesh_part()], &terrain);
        let part = &measures.parts[0];
        assert_eq!(part.representation, Representation::TriangleMesh);
        assert_eq!(part.representation_dynamic, Representation::BaseHull);
        close(measures.physics_cost, 0.848_528);
        close(measures.physics_cost_if_physical, 0.36 * 1.04);
        close(measures.streaming_cost, 73.56);
        close(part.upload_streaming_estimate, 78.464);
    }

    #[test]
    fn plants_have_no_physics_and_one_land_impact() {
        let mut tree = prim();
        (tree.shape.pcode, tree.physics_shape_type) = (255, Some(2));
        let measures = measured(vec![tree]);
        let plant = Cost::not_applicable(Reason::Plant);
        assert_eq!(measures.physics_cost, plant);
        assert_eq!(measures.physics_cost_if_new, plant);
        assert_eq!(measures.physics_cost_if_physical, plant);
        assert_eq!(measures.streaming_cost, plant);
        assert_eq!(measures.land_impact, Cost::spec(1.0));
        assert_eq!((measures.evaluated_parts, measures.unevaluated_parts), (0, 0));
    }

    #[test]
    fn children_turn_with_their_root() {
        let (mut root, mut child) = (prim(), prim());
        root.group_position = DVec3::new(10.0, 10.0, 10.0);
        root.rotation = DQuat::from_rotation_z(FRAC_PI_2);
        root.offset_position = DVec3::splat(99.0);
        child.offset_position = DVec3::X * 4.0;
        child.scale = DVec3::new(2.0, 0.5, 0.5);
        let measures = measured(vec![root, child]);
        assert!((measures.parts[1].position - DVec3::new(10.0, 14.0, 10.0)).length() < 1e-12);
        assert!((measures.link.diameter_m().unwrap() - 4.0).abs() < 1e-12);
        let size = |bounds: Option<Bounds>| bounds.unwrap().size();
        assert!((size(measures.root_box) - DVec3::new(5.25, 0.5, 0.5)).length() < 1e-12);
        assert!((size(measures.region_box) - DVec3::new(0.5, 5.25, 0.5)).length() < 1e-12);
    }

    #[test]
    fn an_unrotated_root_at_ten_and_a_child_at_the_origin() {
        let (mut root, mut child) = (prim(), prim());
        root.group_position = DVec3::splat(10.0);
        child.offset_position = DVec3::splat(-10.0);
        assert_eq!(measured(vec![root, child]).parts[1].position, DVec3::ZERO);
    }

    #[test]
    fn numbers_that_are_none_reach_no_sum() {
        let mut lost = mesh_part();
        lost.scale.x = f64::NAN;
        lost.offset_position.y = f64::NAN;
        let measures = with_mesh(vec![prim(), lost], &sized([0, 0, 0, 900], mesh(Some(8), &[], Some(2))));
        assert_eq!((measures.root_box, measures.region_box, measures.mean_face_area), (None, None, None));
        assert_eq!(measures.link.verdict, current::Verdict::NotEvaluated(Reason::NotFinite));
        assert_eq!(measures.physics_cost.basis(), Basis::LowerBound(Reason::NotFinite));
        assert_eq!(measures.physics_cost_if_physical, Cost::not_evaluated(Reason::NotFinite));
        assert_eq!(measures.streaming_cost.basis(), Basis::LowerBound(Reason::NotFinite));
    }

    #[test]
    fn flags_scripts_and_motion() {
        let mut root = prim();
        root.flags = flag::PHANTOM | flag::TEMPORARY_ON_REZ | flag::SCRIPTED;
        root.velocity.z = 0.1;
        let quiet = measured(vec![root.clone()]);
        assert!(quiet.phantom && quiet.temporary && quiet.moving && !quiet.physical);
        assert!(!quiet.scripted, "the flag alone may be stale");
        let script = Item { asset_type: 10, inventory_type: 10, ..Item::default() };
        root.inventory = vec![script; 3];
        let scripted = measured(vec![root]);
        assert_eq!((scripted.scripted, scripted.scripts), (true, 3));
        close(scripted.server_weight, 1.0);
        let mut keyframed = object(vec![prim()]);
        keyframed.linkset.keyframe_motion = true;
        assert!(measure_object(&keyframed, &Assets::default(), &Profile::default()).moving);
    }

    #[test]
    fn animated_objects_pay_for_their_root() {
        let mut rigged = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[], None));
        rigged.joints = Some(2);
        let mut part = mesh_part();
        close(with_mesh(vec![part.clone()], &rigged).streaming_cost, 0.572_090);
        part.shape.animesh = true;
        let measures = with_mesh(vec![part], &rigged);
        assert!(measures.animated);
        close(measures.streaming_cost, 16.464);
    }

    #[test]
    fn opensim_charges_by_part() {
        let profile = Profile::load("opensim-bulletsim").unwrap();
        let of = |parts| measure_object(&object(parts), &Assets::default(), &profile);
        assert_eq!(of(vec![prim(); 4]).land_impact, Cost::spec(4.0));
        let mut parts = vec![prim(); 4];
        parts[0].flags = flag::PHYSICS;
        parts[3].physics_shape_type = Some(1);
        parts[2].scale = DVec3::new(3.0, 4.0, 5.0);
        let measures = of(parts);
        close(measures.physics_cost, 0.3);
        close(measures.physics_cost_if_physical, 0.1 * (2.0 * (1.0 + 0.01333 * 0.75) + 1.6665));
        close(measures.server_weight, 4.0);
        close(measures.land_impact, 4.0);
        assert_eq!(measures.physical_cap, CapVerdict::NotApplicable(Reason::NoSuchRule));
        assert_eq!(measures.link.verdict, current::Verdict::NoRule);
    }

    #[test]
    fn ubode_does_not_know_phantom_objects() {
        let profile = Profile::load("opensim-ubode").unwrap();
        let triangles = mesh(Some(8), &[], Some(600));
        let triangles = MeshFacts { uuid: mesh_part().mesh(), ..triangles };
        let assets = Assets::new([&triangles], []);
        let of = |part| measure_object(&object(vec![part]), &assets, &profile);
        let mut part = mesh_part();
        part.scale = DVec3::splat(10.0);
        close(of(part.clone()).physics_cost, 0.622_44 * 50.0);
        part.flags = flag::PHANTOM;
        let phantom = of(part.clone());
        close(phantom.physics_cost, 0.1);
        close(phantom.physics_cost_if_physical, 0.622_44 * 50.0 * (1.0 + 0.01333 * 300.0));
        close(phantom.land_impact, 1.0);
        part.volume_detect = true;
        close(of(part).physics_cost, 0.622_44 * 50.0);
    }

    #[test]
    fn opensim_opts_in_by_rules_of_its_own() {
        let profile = Profile::load("opensim-ubode").unwrap();
        let (mut convex, mut mirrored) = (prim(), mesh_part());
        convex.physics_shape_type = Some(2);
        mirrored.shape.sculpt.as_mut().unwrap().kind = 5 | 128;
        for part in [convex, mirrored] {
            let parts = vec![part, prim()];
            assert_eq!(accounting(&parts, &Profile::default()), Accounting::New);
            let measures = measure_object(&object(parts), &Assets::default(), &profile);
            assert_eq!(measures.accounting, Accounting::Legacy);
            assert_eq!(measures.land_impact, Cost::spec(2.0));
        }
    }

    #[test]
    fn meshes_at_unit_scale() {
        let measures = measure_mesh(
            &sized([500, 1000, 4000, 16_000], mesh(Some(8), &[8, 8], Some(12))),
            &Profile::default(),
        );
        close(measures.base_hull_cost, 0.36);
        close(measures.decomposition_cost, 0.72);
        close(measures.triangle_cost, 0.848_528);
        close(measures.streaming_cost_1m, 0.572_090);
        close(measures.streaming_cost_10m, 11.250_566);
        close(measures.upload_streaming_estimate, 0.537_115);
        assert_eq!(measures.animated_streaming_cost, Cost::not_applicable(Reason::Absent));
        assert_eq!(
            (measures.base_hull_points, measures.hulls, measures.decomposition_points),
            (Some(8), Some(2), Some(16))
        );
        assert_eq!(measures.physics_triangles, Some(12));
        let bare = measure_mesh(&mesh(None, &[], None), &Profile::default());
        assert_eq!(bare.base_hull_cost, Cost::not_evaluated(Reason::BaseHullMissing));
        assert_eq!(bare.triangle_cost, Cost::not_applicable(Reason::Absent));
        assert_eq!(bare.streaming_cost_1m, Cost::not_evaluated(Reason::HighLodMissing));
    }

    #[test]
    fn meshes_at_a_scale_and_what_a_part_with_them_gets() {
        let profile = Profile::default();
        let terrain = sized([500, 1000, 4000, 16_000], mesh(Some(8), &[], Some(12)));
        let at = |side| measure_mesh_at(&terrain, DVec3::splat(side), &profile);
        let (one, ten, small) = (at(1.0), at(10.0), at(0.4));
        assert!((one.mean_width_m.unwrap() - 0.5f64.sqrt()).abs() < 1e-4);
        assert!((ten.mean_width_m.unwrap() - 50f64.sqrt()).abs() < 1e-3);
        close(one.triangle_cost, 0.848_528);
        close(ten.triangle_cost, 0.5);
        close(ten.streaming_cost, 11.250_566);
        let got = |collision: Collision| (collision.representation, collision.representation_dynamic);
        assert_eq!(got(one.as_prim), (Representation::TriangleMesh, Representation::BaseHull));
        assert_eq!(got(one.as_convex), (Representation::BaseHull, Representation::BaseHull));
        assert_eq!(got(small.as_prim), (Representation::BaseHull, Representation::BaseHull), "thin");
        assert_eq!(one.as_prim.physics_cost, one.triangle_cost);
        close(one.as_prim.physics_cost_dynamic, 0.36);
        assert!(one.as_prim.reason().ends_with("so its triangles collide only at rest"));
        assert_eq!(one.as_convex.reason(), "its shape type is Convex Hull");
        assert!(small.as_prim.reason().contains("a side under the limit"));
        let bare = measure_mesh_at(&mesh(Some(8), &[], None), DVec3::ONE, &profile);
        assert!(bare.as_prim.reason().starts_with("it has neither"));
    }

    #[test]
    fn an_object_without_parts_is_no_reason_to_panic() {
        assert_eq!(measured(Vec::new()).link.count, 0);
    }

    #[test]
    fn thresholds_are_where_the_cost_meets_them() {
        let profile = Profile::default();
        let (mesh, scale) = (mesh(Some(8), &[], Some(500)), DVec3::new(2.0, 1.0, 0.8));
        let found = measure_mesh_at(&mesh, scale, &profile).thresholds.unwrap();
        let cost = |factor: f64| measure_mesh_at(&mesh, scale * factor, &profile).triangle_cost;
        close(cost(found.cap.unwrap()), 32.0);
        assert_eq!(found.floor, None, "500 triangles cost more than 0.5 even at 20 m");
        assert_eq!(found.base_hull_below, Some(0.625));
        let representation =
            |factor: f64| measure_mesh_at(&mesh, scale * factor, &profile).as_prim.representation;
        assert_eq!(representation(0.63), Representation::TriangleMesh);
        assert_eq!(representation(0.62), Representation::BaseHull);
    }

    /// A linkset of boxes, cut prims and meshes.
    fn any_linkset() -> impl Strategy<Value = Vec<Part>> {
        let part = (0..4_u8, prop::array::uniform3(0.6..9.0), prop::array::uniform3(-20.0..20.0));
        let turn = prop::array::uniform4(-1.0..1.0_f64);
        proptest::collection::vec((part, turn), 1..6).prop_map(|parts| {
            let part = |((kind, scale, offset), [x, y, z, w]): ((u8, [f64; 3], [f64; 3]), [f64; 4])| {
                let mut part = match kind {
                    0 => prim(),
                    1 => curved(0, 32),
                    2 => mesh_part(),
                    _ => Part { physics_shape_type: Some(2), ..mesh_part() },
                };
                part.scale = DVec3::from_array(scale);
                part.offset_position = DVec3::from_array(offset);
                part.rotation = DQuat::from_xyzw(x, y, z, w + 1.1).normalize();
                part
            };
            let mut parts: Vec<Part> = parts.into_iter().map(part).collect();
            parts[0].offset_position = DVec3::ZERO;
            parts
        })
    }

    proptest! {
        #[test]
        fn turning_a_linkset_changes_no_cost(parts in any_linkset(), turn in prop::array::uniform3(-3.0..3.0)) {
            let mesh = mesh(Some(8), &[], Some(40));
            let [x, y, z] = turn;
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, x, y, z);
            let mut turned = parts.clone();
            turned[0].rotation = (turn * turned[0].rotation).normalize();
            let (before, after) = (with_mesh(parts, &mesh), with_mesh(turned, &mesh));
            prop_assert_eq!(before.physics_cost_if_new, after.physics_cost_if_new);
            prop_assert_eq!(before.physics_cost_if_physical, after.physics_cost_if_physical);
            prop_assert_eq!(before.streaming_cost, after.streaming_cost);
            prop_assert_eq!(before.land_impact, after.land_impact);
            let (before, after) = (before.link.diameter_m().unwrap(), after.link.diameter_m().unwrap());
            prop_assert!((before - after).abs() < 1e-9);
        }

        #[test]
        fn triangles_cost_less_as_they_grow_and_hulls_the_same(
            factor in 1.0..6.0_f64,
            scale in prop::array::uniform3(0.6..2.0),
        ) {
            let (mesh, profile) = (mesh(Some(8), &[], Some(500)), Profile::default());
            let scale = DVec3::from_array(scale);
            let at = |factor: f64| measure_mesh_at(&mesh, scale * factor, &profile);
            let (small, large) = (at(1.0), at(factor));
            let product = large.triangle_cost.value().unwrap() * factor;
            prop_assert!((product - small.triangle_cost.value().unwrap()).abs() < 1e-9 * product);
            prop_assert_eq!(small.as_convex.physics_cost, large.as_convex.physics_cost);
        }
    }
}
