//! Physics cost: the cost of a part's collision shape, the penalty for physical linksets, and the cap.

use super::{Basis, Cost, NotEvaluated};
use crate::{
    assets::{Body, SurfaceHull, Triangles, physics_level},
    physics_shape::{self, Representation, ShapeType},
};
use glam::DVec3;
use hullmark_format::{mesh::PhysicsCostData, object::Part};
use hullmark_geometry::ubode::Built;
use hullmark_ledger::facts::{MeshFacts, TriangleMesh};
use hullmark_settings::profile::{Physics, PhysicsModel, Profile};
use hullmark_util::{json_number::Number, named};

/// OpenSimulator's cost of a part without a mesh, regardless of the engine (`SceneObjectPart.PhysicsCost`).
const OPENSIM_PART: f64 = 0.1;
/// OpenSimulator's penalty of a physical part for each m² of its squared diagonal. The source has this value for 0.04 /
/// 3.
const OPENSIM_PENALTY: f64 = 0.01333;
/// ubODE's cost of one index of a mesh (`ODEPrim.cs` `GetMeshGeom`).
const UBODE_INDEX: f64 = 0.0013;
/// ubODE's factor for each m² of squared half diagonal, 1.33 × 0.2 (`ODEPrim.cs` `UpdatePrimBodyData`).
const UBODE_SIZE: f64 = 0.266;

/// Cost of one convex hull: `hull_vertex_cost · (V + hull_offset)`, with 0.04 and 1 for Second Life.
///
/// Source: OpenSim `MeshCost.cs`, whose author calls it identical to Second Life's. A cube's hull with 8 vertices costs
/// 0.36, as Second Life shows. The server counts vertices with an unpublished discount, so every result is an estimate.
pub fn hull(vertices: u32, physics: &Physics) -> f64 {
    physics.hull_vertex_cost * (f64::from(vertices) + physics.hull_offset)
}

/// Cost of a decomposition: the sum of its hulls, regardless of their size in the world.
pub fn decomposition(vertices: impl IntoIterator<Item = u32>, physics: &Physics) -> f64 {
    Cost::sum(vertices.into_iter().map(|count| Cost::estimated(hull(count, physics)))).value().unwrap_or(0.0)
}

/// Cost of `count` triangles with the average width `mean_width` in metres, which is clamped.
///
/// *Mesh/Mesh physics*: `C = MAX(constant · num_triangles / triangle_width, minimum_mesh_cost)`. The width is the
/// harmonic average, clamped to 0.001 … 20 m. The page's "1/avg = 1/a + 1/b + …" is not an average. With it the cost
/// would grow with the square of the count, so the harmonic mean `N / Σ 1/w` is used. The constant is 0.05: a triangle
/// with a width of 0.5 m costs 0.1. One triangle without width makes the mean 0, which the clamp raises.
pub fn triangle_cost(count: f64, mean_width: f64, physics: &Physics) -> f64 {
    let cost = physics.triangle_cost * count / charged_width(mean_width, physics);
    if cost.is_nan() { cost } else { cost.max(physics.minimum_mesh_cost) }
}

fn of_figures(figures: &Triangles, physics: &Physics) -> f64 {
    triangle_cost(figures.count as f64, figures.mean_width_m, physics)
}

/// Clamps an average width. Not `f64::clamp`, which panics if a profile has the two bounds in the wrong order.
pub(crate) fn charged_width(mean: f64, physics: &Physics) -> f64 {
    if mean.is_nan() { mean } else { mean.max(physics.min_width_m).min(physics.max_width_m) }
}

/// Returns the cost of a physics mesh at this scale in metres; `None` if it has no triangles.
pub fn triangle_mesh(mesh: &TriangleMesh, scale: DVec3, physics: &Physics) -> Option<f64> {
    Triangles::of_mesh(mesh, scale).map(|figures| of_figures(&figures, physics))
}

named! {
    /// Bound that applied to a triangle cost.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Held {
        LeastWidth = "least_width",
        GreatestWidth = "greatest_width",
        LeastCost = "least_cost",
    }
}

/// Returns the bound that determines the cost of these triangles. The bound on the cost precedes those on the width,
/// because it decides. `None` for an engine that does not use widths.
pub fn held(figures: &Triangles, physics: &Physics) -> Option<Held> {
    if physics.model != PhysicsModel::SecondLife {
        return None;
    }
    let width = charged_width(figures.mean_width_m, physics);
    if physics.triangle_cost * figures.count as f64 / width < physics.minimum_mesh_cost {
        Some(Held::LeastCost)
    } else if width > figures.mean_width_m {
        Some(Held::LeastWidth)
    } else if width < figures.mean_width_m {
        Some(Held::GreatestWidth)
    } else {
        None
    }
}

/// Returns the uniform factor on the scale at which the cost of these triangles is at most `cost`: 0 if it always is,
/// `None` if it never is.
pub fn factor_for(figures: &Triangles, cost: f64, physics: &Physics) -> Option<f64> {
    if cost < physics.minimum_mesh_cost {
        return None;
    }
    let width = physics.triangle_cost * figures.count as f64 / cost;
    if width <= physics.min_width_m {
        Some(0.0)
    } else if width > physics.max_width_m || figures.mean_width_m <= 0.0 {
        None
    } else {
        Some(width / figures.mean_width_m)
    }
}

/// Returns the cost of one part in this representation on the target grid, before any penalty.
pub fn of_part(part: &Part, representation: Representation, body: &Body<'_>, profile: &Profile) -> Cost {
    if let Some(why) = NotEvaluated::of_unknown(part) {
        return Cost::not_evaluated(why);
    }
    match profile.physics.model {
        PhysicsModel::SecondLife => second_life(part, representation, body, &profile.physics),
        PhysicsModel::OpensimUbode => {
            scaled_estimate(ubode(part, representation, body), factor(part, representation, &profile.physics))
        }
        PhysicsModel::OpensimBulletsim => bulletsim(part, representation),
    }
}

fn factor(part: &Part, representation: Representation, physics: &Physics) -> f64 {
    let sculpt = part.shape.sculpted().is_some();
    match representation {
        Representation::Cylinder => physics.cylinder_factor,
        Representation::SurfaceHull | Representation::SurfaceMesh if sculpt => physics.sculpt_factor,
        Representation::SurfaceHull => physics.prim_hull_factor,
        Representation::SurfaceMesh => physics.prim_mesh_factor,
        _ => 1.0,
    }
}

/// Multiplies an estimate for ubODE by this factor. Other costs need no factor. A part at the minimum cost stays there,
/// because its unclamped cost is unknown.
fn scaled_estimate(cost: Cost, factor: f64) -> Cost {
    match cost.basis() {
        Basis::Estimated => {
            cost.map(|cost| if cost > OPENSIM_PART { (cost * factor).max(OPENSIM_PART) } else { cost })
        }
        _ => cost,
    }
}

/// Returns the cost of a part in Second Life. *Mesh/Mesh physics*: a part of shape type None costs 0, and a box 0.1.
/// The page calls the width of triangles approximate.
///
/// Costs that no page states exactly are estimates. These are the costs of spheres (one decimal in the wiki's Sculpted
/// Prim Usage), cylinders and flexible parts. Estimates are also the costs of every hull, and of parts that are boxes
/// only because they are small.
fn second_life(part: &Part, representation: Representation, body: &Body<'_>, physics: &Physics) -> Cost {
    let factor = factor(part, representation, physics);
    match representation {
        Representation::None if ShapeType::from_part(part) == ShapeType::None => Cost::spec(0.0),
        Representation::None => Cost::estimated(0.0),
        Representation::Box if physics_shape::is_plain_box(part) => Cost::spec(physics.primitive_cost),
        Representation::Box | Representation::Sphere | Representation::Cylinder => {
            Cost::estimated(physics.primitive_cost * factor)
        }
        Representation::BaseHull => known(body.mesh_or_missing(), |mesh| base_hull(mesh, physics)),
        Representation::Decomposition => {
            known(body.mesh_or_missing(), |mesh| mesh_decomposition(mesh, physics))
        }
        Representation::TriangleMesh => known(body.physics_triangles(part.scale, physics.model), |found| {
            Cost::approximation(of_figures(&found, physics))
        }),
        Representation::SurfaceHull => {
            known(surface_hull(part, body), |found| Cost::estimated(hull(found.vertices, physics) * factor))
        }
        Representation::SurfaceMesh => known(surface_triangles(part, body), |found| {
            Cost::estimated(triangle_cost(found.count as f64 * factor, found.mean_width_m, physics))
        }),
        Representation::Unknown => Cost::not_evaluated(unknown(body.mesh)),
        Representation::NotApplicable => Cost::not_applicable(NotEvaluated::Plant),
    }
}

/// Returns the triangles of a prim's or sculpt's surface that collide in Second Life.
pub(crate) fn surface_triangles(part: &Part, body: &Body<'_>) -> Result<Triangles, NotEvaluated> {
    body.triangles(part, physics_level(part), physics_shape::collision_scale(part))
}

/// Returns the convex hull of a prim's or sculpt's surface that collides in Second Life.
pub(crate) fn surface_hull(part: &Part, body: &Body<'_>) -> Result<SurfaceHull, NotEvaluated> {
    body.hull(part, physics_level(part))
}

fn known<T>(found: Result<T, NotEvaluated>, cost: impl FnOnce(T) -> Cost) -> Cost {
    found.map_or_else(Cost::not_evaluated, cost)
}

fn unknown(mesh: Option<&MeshFacts>) -> NotEvaluated {
    match mesh {
        None => NotEvaluated::MeshMissing,
        Some(mesh) if mesh.convex.is_none() && physics_shape::lists_convex(mesh) => unread_convex(mesh),
        Some(mesh) if mesh.physics_mesh.is_none() => unread_physics_mesh(mesh),
        Some(_) => NotEvaluated::PhysicsMeshEmpty,
    }
}

/// Returns why the convex block, which the header lists, has no content: a viewer did not fetch it, or it is damaged.
fn unread_convex(mesh: &MeshFacts) -> NotEvaluated {
    let is_absent = mesh.absent.iter().any(|name| name == "physics_convex" || name == "decomposition");
    if is_absent { NotEvaluated::NotFetched } else { NotEvaluated::ConvexUnreadable }
}

/// Like [`unread_convex`], for the physics mesh.
fn unread_physics_mesh(mesh: &MeshFacts) -> NotEvaluated {
    let is_absent = mesh.absent.iter().any(|name| name == "physics_mesh" || name == "physics_shape");
    if is_absent { NotEvaluated::NotFetched } else { NotEvaluated::PhysicsMeshUnreadable }
}

/// Returns the cost that the simulator stored in the asset; `None` if the profile does not trust it or it is invalid.
fn simulator(
    mesh: &MeshFacts,
    physics: &Physics,
    figure: impl FnOnce(&PhysicsCostData) -> Option<Number>,
) -> Option<Cost> {
    let data = mesh.cost_data.as_ref().filter(|_| physics.trust_simulator)?;
    figure(data).map(f64::from).filter(|cost| cost.is_finite() && *cost >= 0.0).map(Cost::simulator)
}

/// Cost of a mesh as its base hull. A stored base hull with fewer than four points has a cost, because real assets have
/// such hulls. If no base hull is stored, the simulator's cost is unknown.
pub fn base_hull(mesh: &MeshFacts, physics: &Physics) -> Cost {
    if let Some(cost) = simulator(mesh, physics, |data| data.hull) {
        return cost;
    }
    match base_hull_vertices(mesh) {
        Ok(vertices) => Cost::estimated(hull(vertices, physics)),
        Err(reason) => Cost::not_evaluated(reason),
    }
}

/// Returns the number of vertices in a mesh's base hull that have a cost, or the reason why there are none.
pub fn base_hull_vertices(mesh: &MeshFacts) -> Result<u32, NotEvaluated> {
    let base = mesh.convex.as_ref().and_then(|convex| convex.base).filter(|base| base.points > 0);
    match base {
        Some(base) => Ok(base.points),
        None if mesh.convex.is_none() && physics_shape::lists_convex(mesh) => Err(unread_convex(mesh)),
        None => Err(NotEvaluated::BaseHullMissing),
    }
}

/// Cost of a mesh as its decomposition; not applicable if it has none.
pub fn mesh_decomposition(mesh: &MeshFacts, physics: &Physics) -> Cost {
    if let Some(cost) = simulator(mesh, physics, |data| data.decomposition)
        && physics_shape::has_decomposition(mesh)
    {
        return cost;
    }
    match &mesh.convex {
        Some(convex) if !convex.adds_up() => Cost::not_evaluated(NotEvaluated::HullListDisagrees),
        Some(convex) if !convex.hulls.is_empty() => {
            Cost::estimated(decomposition(convex.hulls.iter().map(|hull| hull.points), physics))
        }
        None if physics_shape::lists_convex(mesh) => Cost::not_evaluated(unread_convex(mesh)),
        _ => Cost::not_applicable(NotEvaluated::Absent),
    }
}

/// Cost of a mesh as its triangles at this scale in metres; not applicable if it has no physics mesh.
///
/// A physics mesh without valid triangle is not evaluated: the formula would give the minimum for nothing. No source
/// states what a server does if the selected shape is empty.
pub fn mesh_triangles(mesh: &MeshFacts, scale: DVec3, physics: &Physics) -> Cost {
    match &mesh.physics_mesh {
        Some(_) if !scale.is_finite() => Cost::not_evaluated(NotEvaluated::NotFinite),
        Some(triangles) => triangle_mesh(triangles, scale, physics)
            .map_or(Cost::not_evaluated(NotEvaluated::PhysicsMeshEmpty), Cost::approximation),
        None if physics_shape::lists_physics_mesh(mesh) => Cost::not_evaluated(unread_physics_mesh(mesh)),
        None => Cost::not_applicable(NotEvaluated::Absent),
    }
}

/// OpenSimulator's cost of a part that is not in the physics engine: 0.1, and 0 for shape None
/// (`SceneObjectPart.PhysicsCost`). These are flexible parts and parts of phantom objects
/// (`SceneObjectPart.ApplyPhysics`). Plants cost the same as other parts.
pub fn opensim_flat(part: &Part) -> Cost {
    if ShapeType::from_part(part) == ShapeType::None { Cost::spec(0.0) } else { Cost::spec(OPENSIM_PART) }
}

/// OpenSimulator with BulletSim: the engine has no cost of its own, so each of its parts has that of
/// `PhysicsActor.PhysicsCost`. It is an estimate, because no cost was compared with that simulator.
fn bulletsim(part: &Part, representation: Representation) -> Cost {
    match representation {
        Representation::None => opensim_flat(part),
        _ => Cost::estimated(OPENSIM_PART),
    }
}

/// OpenSimulator with ubODE: box and sphere cost 0.1, a mesh `0.0013 · indices · 0.266 · |half diagonal|²`, at least
/// 0.1 (`ODEPrim.cs`). So an unknown mesh costs at least 0.1, and exactly 0.1 if the asset does not exist.
fn ubode(part: &Part, representation: Representation, body: &Body<'_>) -> Cost {
    let cost = match ubode_built(part, representation, body) {
        None if representation == Representation::None => opensim_flat(part),
        None => Cost::spec(OPENSIM_PART),
        Some(Err(reason)) => Cost::at_least(OPENSIM_PART, reason),
        Some(Ok(built)) if built.failed() => Cost::spec(OPENSIM_PART),
        Some(Ok(built)) => ubode_mesh(&built, part.scale),
    };
    if was_compared(part, representation) { cost.at_best(Basis::Measured) } else { cost }
}

/// Whether costs of similar parts were compared with a running simulator (`docs/ubode.md`). Other costs follow from its
/// source only.
fn was_compared(part: &Part, representation: Representation) -> bool {
    match representation {
        Representation::Box
        | Representation::Sphere
        | Representation::Cylinder
        | Representation::TriangleMesh => true,
        Representation::SurfaceMesh => part.shape.sculpt.is_none_or(|sculpt| sculpt.kind == 1),
        Representation::BaseHull => ShapeType::from_part(part) != ShapeType::Convex,
        _ => false,
    }
}

/// Returns the mesh that ubODE builds for a part in this representation, or why it is unknown; `None` for other shapes.
pub(crate) fn ubode_built(
    part: &Part,
    representation: Representation,
    body: &Body<'_>,
) -> Option<Result<Built, NotEvaluated>> {
    Some(match representation {
        Representation::None
        | Representation::Box
        | Representation::Sphere
        | Representation::Cylinder
        | Representation::NotApplicable => return None,
        Representation::TriangleMesh => body.built_triangles(),
        Representation::BaseHull => body.mesh_or_missing().and_then(ubode_base_hull),
        Representation::Decomposition => body.mesh_or_missing().and_then(ubode_decomposition),
        Representation::SurfaceHull => body.built_surface(part, true),
        Representation::SurfaceMesh => body.built_surface(part, false),
        Representation::Unknown => Err(unknown(body.mesh)),
    })
}

fn ubode_mesh(built: &Built, scale: DVec3) -> Cost {
    let size = built.size_at(scale);
    let cost = UBODE_INDEX * built.indices() * UBODE_SIZE * (size * 0.5).length_squared();
    // `max` alone would replace NaN by the minimum.
    Cost::spec(if cost.is_nan() { cost } else { cost.max(OPENSIM_PART) })
}

/// Returns the base hull as ubODE builds it. The build fails if the mesh has no base hull, or if its convex block has
/// the name from before the release.
fn ubode_base_hull(mesh: &MeshFacts) -> Result<Built, NotEvaluated> {
    match &mesh.convex {
        _ if physics_shape::names_convex_as_before_release(mesh) => Ok(Built::FAILED),
        Some(convex) => convex.built_base.ok_or(NotEvaluated::IndexCountUnknown),
        None if physics_shape::lists_convex(mesh) => Err(unread_convex(mesh)),
        None => Ok(Built::FAILED),
    }
}

/// Returns the decomposition as ubODE builds it: one mesh of all hulls. If no hull can be built, ubODE uses the base
/// hull.
fn ubode_decomposition(mesh: &MeshFacts) -> Result<Built, NotEvaluated> {
    let readable = mesh.convex.as_ref().filter(|_| !physics_shape::names_convex_as_before_release(mesh));
    let Some(convex) = readable else { return ubode_base_hull(mesh) };
    let hulls = convex.built_hulls.ok_or(NotEvaluated::IndexCountUnknown)?;
    if hulls.failed() { ubode_base_hull(mesh) } else { Ok(hulls) }
}

/// Returns the factor on the cost of a physical linkset, for the mean face area of its bounding box in m².
///
/// *Mesh/Mesh physics*: `penalized_cost = base_physics_cost · (1 + 0.04 · A)`.
pub fn penalty(mean_face_area: f64, physics: &Physics) -> f64 {
    1.0 + physics.penalty_per_m2 * mean_face_area
}

/// Returns OpenSimulator's factor on the cost of each physical part, for its own sides in metres:
/// `1 + 0.01333 · (x² + y² + z²)` (`SceneObjectPart.PhysicsCost`). It equals [`penalty`] only for cubes.
pub fn opensim_part_penalty(scale: DVec3) -> f64 {
    1.0 + OPENSIM_PENALTY * scale.length_squared()
}

named! {
    /// Whether a linkset may be made physical.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CapVerdict {
        Allowed = "allowed",
        Exceeded = "exceeded",
        /// The known part of its cost is at most the cap.
        NotEvaluated(NotEvaluated) = "not_evaluated",
        NotApplicable(NotEvaluated) = "not_applicable",
    }
}

impl CapVerdict {
    /// Whether the linkset may be physical; `None` if that is unknown or there is no cap.
    pub fn allowed(self) -> Option<bool> {
        match self {
            Self::Allowed => Some(true),
            Self::Exceeded => Some(false),
            Self::NotEvaluated(_) | Self::NotApplicable(_) => None,
        }
    }
}

/// Returns the maximum cost within a limit: the limit plus a rounding error.
pub fn most_allowed(limit: f64) -> f64 {
    limit * (1.0 + 1e-12)
}

pub fn exceeds(cost: f64, limit: f64) -> bool {
    cost > most_allowed(limit)
}

/// Compares the pure cost, before the penalty, with the cap: "No linkset or prim with a pure physics resource cost
/// exceeding 32.0 may be set physical".
///
/// The page also says "<32.0 … still able". Exactly 32.0 is allowed here, and a rounding error above it too. A lower
/// bound above the cap certainly exceeds it.
pub fn cap(pure: Cost, physics: &Physics) -> CapVerdict {
    if physics.physical_cap == f64::INFINITY {
        return CapVerdict::NotApplicable(NotEvaluated::NoSuchRule);
    }
    match (pure.value(), pure.basis().reason()) {
        (Some(cost), _) if exceeds(cost, physics.physical_cap) => CapVerdict::Exceeded,
        (Some(_), None) => CapVerdict::Allowed,
        (Some(_), Some(reason)) => CapVerdict::NotEvaluated(reason),
        (None, Some(reason)) if pure.is_complete() => CapVerdict::NotApplicable(reason),
        (None, reason) => CapVerdict::NotEvaluated(reason.unwrap_or(NotEvaluated::NotFinite)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assets::Surfaces,
        cost::Basis,
        physics_shape::tests::{curved, mesh, mesh_part, prim},
    };
    use hullmark_format::{mesh::Block, object::Sculpt};
    use hullmark_geometry::level_of_detail::Detail;
    use hullmark_ledger::facts::physics_mesh_built;
    use uuid::Uuid;

    fn physics() -> Physics {
        Profile::default().physics
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6, "{a} is not {b}");
    }

    fn of_part(
        part: &Part,
        representation: Representation,
        mesh: Option<&MeshFacts>,
        profile: &Profile,
    ) -> Cost {
        let body = Body { mesh, sculpt: None, surfaces: &Surfaces::default() };
        super::of_part(part, representation, &body, profile)
    }

    fn cost(representation: Representation, mesh: Option<&MeshFacts>) -> Cost {
        of_part(&mesh_part(), representation, mesh, &Profile::default())
    }

    #[test]
    fn hulls() {
        let physics = physics();
        for (vertices, expected) in [(8, 0.36), (3, 0.16), (256, 10.28)] {
            close(hull(vertices, &physics), expected);
        }
        close(decomposition([8, 8], &physics), 0.72);
        close(decomposition([6, 7, 5, 6, 4, 3, 10, 5, 5, 4, 5, 3, 4], &physics), 3.2);
    }

    #[test]
    fn triangles_by_their_width() {
        let physics = physics();
        for (widths, expected) in [
            (vec![0.5; 2], 0.5),
            (vec![0.5; 12], 1.2),
            (vec![1.0; 100], 5.0),
            (vec![40.0; 1000], 2.5),
            ([vec![0.5; 6], vec![0.05; 6]].concat(), 6.6),
            (vec![0.5f64.sqrt(); 12], 0.848_528),
            (vec![0.0], 50.0),
            ([vec![10.0; 6], vec![0.0]].concat(), 350.0),
        ] {
            let (count, inverse) = (widths.len() as f64, widths.iter().map(|width| 1.0 / width).sum::<f64>());
            close(triangle_cost(count, count / inverse, &physics), expected);
        }
        assert!(triangle_cost(2.0, f64::NAN, &physics).is_nan());
    }

    #[test]
    fn triangle_meshes_are_priced_at_their_scale() {
        let physics = physics();
        let twelve = mesh(None, &[], Some(12)).physics_mesh.unwrap();
        close(triangle_mesh(&twelve, DVec3::ONE, &physics).unwrap(), 0.848_528);
        close(triangle_mesh(&twelve, DVec3::splat(0.1), &physics).unwrap(), 8.485_281);
        close(triangle_mesh(&twelve, DVec3::splat(50.0), &physics).unwrap(), 0.5);
        close(triangle_mesh(&twelve, DVec3::new(1.0, 0.0, 1.0), &physics).unwrap(), 600.0);
    }

    #[test]
    fn representations_and_their_basis() {
        let solid = mesh(Some(8), &[8, 8], Some(12));
        for (representation, expected, basis) in [
            (Representation::None, 0.0, Basis::Estimated),
            (Representation::Box, 0.1, Basis::Estimated),
            (Representation::Sphere, 0.1, Basis::Estimated),
            (Representation::Cylinder, 0.1, Basis::Estimated),
            (Representation::BaseHull, 0.36, Basis::Estimated),
            (Representation::Decomposition, 0.72, Basis::Estimated),
            (Representation::TriangleMesh, 0.848_528, Basis::Approximation),
        ] {
            let cost = cost(representation, Some(&solid));
            close(cost.value().unwrap(), expected);
            assert_eq!(cost.basis(), basis);
        }
    }

    #[test]
    fn the_simulator_knows_better() {
        let mut solid = mesh(Some(8), &[8, 8], None);
        let data = PhysicsCostData {
            hull: Some(Number(0.3)),
            decomposition: Some(Number(13.0)),
            ..Default::default()
        };
        solid.cost_data = Some(data);
        assert_eq!(cost(Representation::BaseHull, Some(&solid)), Cost::simulator(0.3));
        assert_eq!(cost(Representation::Decomposition, Some(&solid)), Cost::simulator(13.0));
        let mut profile = Profile::default();
        profile.physics.trust_simulator = false;
        let own = of_part(&mesh_part(), Representation::BaseHull, Some(&solid), &profile);
        assert_eq!(own.basis(), Basis::Estimated);
        solid.cost_data = Some(PhysicsCostData { hull: Some(Number(f64::NAN)), ..Default::default() });
        assert_eq!(cost(Representation::BaseHull, Some(&solid)).basis(), Basis::Estimated);
    }

    #[test]
    fn unknown_costs_have_a_reason() {
        let reason = |representation, mesh: Option<&MeshFacts>| cost(representation, mesh).basis().reason();
        assert_eq!(reason(Representation::BaseHull, None), Some(NotEvaluated::MeshMissing));
        assert_eq!(reason(Representation::Unknown, None), Some(NotEvaluated::MeshMissing));
        let empty = mesh(None, &[], Some(0));
        assert_eq!(reason(Representation::BaseHull, Some(&empty)), Some(NotEvaluated::BaseHullMissing));
        assert_eq!(reason(Representation::Unknown, Some(&empty)), Some(NotEvaluated::PhysicsMeshEmpty));
        assert_eq!(reason(Representation::TriangleMesh, Some(&empty)), Some(NotEvaluated::PhysicsMeshEmpty));
        let mut damaged = mesh(None, &[], None);
        damaged.convex = None;
        damaged.blocks = vec![Block { name: "physics_convex".into(), offset: 0, size: 1, inflated: None }];
        assert_eq!(reason(Representation::Unknown, Some(&damaged)), Some(NotEvaluated::ConvexUnreadable));
        assert_eq!(reason(Representation::BaseHull, Some(&damaged)), Some(NotEvaluated::ConvexUnreadable));
        assert_eq!(reason(Representation::NotApplicable, None), Some(NotEvaluated::Plant));
    }

    #[test]
    fn a_ledger_with_bad_indices_does_no_harm() {
        let mut mesh = mesh(None, &[], Some(1)).physics_mesh.unwrap();
        mesh.submeshes[0].triangles.push([0, 1, 900]);
        close(triangle_mesh(&mesh, DVec3::ONE, &physics()).unwrap(), 0.5);
    }

    #[test]
    fn bounds_are_named_and_met() {
        let physics = physics();
        let of = |count, mean_width_m| Triangles {
            count,
            without_width: 0,
            slivers: 0,
            mean_width_m,
            size: DVec3::ONE,
        };
        for (figures, expected) in [
            (of(100, 0.5), None),
            (of(2, 0.5), Some(Held::LeastCost)),
            (of(100, 0.0), Some(Held::LeastWidth)),
            (of(1000, 40.0), Some(Held::GreatestWidth)),
        ] {
            assert_eq!(held(&figures, &physics), expected);
        }
        // 0.05 · 1000 / w = 32 at a width of 1.5625 m, which is 3.125 times as wide.
        close(factor_for(&of(1000, 0.5), 32.0, &physics).unwrap(), 3.125);
        assert_eq!(factor_for(&of(1_000_000, 0.5), 32.0, &physics), None, "not even at 20 m");
        assert_eq!(factor_for(&of(1, 1e-9), 50.0, &physics), Some(0.0), "always");
        assert_eq!(factor_for(&of(1000, 0.0), 32.0, &physics), None, "one has no width at any size");
        assert_eq!(factor_for(&of(1, 1.0), 0.4, &physics), None, "below the least cost");
    }

    #[test]
    fn a_prims_surface_is_priced_by_its_triangles_or_its_hull() {
        let profile = Profile::default();
        let mut hollow = prim();
        hollow.scale = DVec3::ONE;
        hollow.shape.profile_hollow = 25_000;
        let as_hull = of_part(&hollow, Representation::SurfaceHull, None, &profile);
        close(as_hull.value().unwrap(), 0.36);
        let surfaces = Surfaces::default();
        let body = Body { mesh: None, sculpt: None, surfaces: &surfaces };
        let triangles = body.triangles(&hollow, Detail::Low, hollow.scale).unwrap();
        let as_mesh = of_part(&hollow, Representation::SurfaceMesh, None, &profile);
        close(as_mesh.value().unwrap(), 0.05 * triangles.count as f64 / triangles.mean_width_m);
        assert_eq!((as_hull.basis(), as_mesh.basis()), (Basis::Estimated, Basis::Estimated));
    }

    #[test]
    fn penalties() {
        let physics = physics();
        close(penalty(47.0 / 3.0, &physics), 1.626_667);
        close(13.0 * penalty(100.0, &physics), 65.0);
        close(opensim_part_penalty(DVec3::new(3.0, 4.0, 5.0)), 1.6665);
    }

    #[test]
    fn the_cap_allows_32_and_no_more() {
        let physics = physics();
        assert_eq!(cap(Cost::spec(32.0), &physics), CapVerdict::Allowed);
        assert_eq!(cap(Cost::spec(32.01), &physics), CapVerdict::Exceeded);
        let unknown = Cost::not_evaluated(NotEvaluated::MeshMissing);
        let bound = |known| Cost::sum([Cost::spec(known), unknown]);
        assert_eq!(cap(bound(33.0), &physics), CapVerdict::Exceeded);
        assert_eq!(cap(bound(31.0), &physics), CapVerdict::NotEvaluated(NotEvaluated::MeshMissing));
        assert_eq!(cap(unknown, &physics), CapVerdict::NotEvaluated(NotEvaluated::MeshMissing));
        let legacy = Cost::not_applicable(NotEvaluated::LegacyAccounting);
        assert_eq!(cap(legacy, &physics), CapVerdict::NotApplicable(NotEvaluated::LegacyAccounting));
        let opensim = Profile::load("opensim-ubode").unwrap().physics;
        assert_eq!(cap(Cost::spec(99.0), &opensim), CapVerdict::NotApplicable(NotEvaluated::NoSuchRule));
    }

    #[test]
    fn opensim_charges_by_engine() {
        let bullet = Profile::load("opensim-bulletsim").unwrap();
        let (mut none, mut flexible) = (prim(), prim());
        none.physics_shape_type = Some(1);
        flexible.shape.path_curve = 128;
        for (part, representation, expected) in [
            (&none, Representation::None, Cost::spec(0.0)),
            (&flexible, Representation::None, Cost::spec(0.1)),
            (&prim(), Representation::Box, Cost::estimated(0.1)),
            (&prim(), Representation::SurfaceMesh, Cost::estimated(0.1)),
            (&prim(), Representation::Unknown, Cost::estimated(0.1)),
        ] {
            assert_eq!(of_part(part, representation, None, &bullet), expected);
        }
        let ubode = Profile::load("opensim-ubode").unwrap();
        assert_eq!(of_part(&prim(), Representation::Box, None, &ubode), Cost::measured(0.1));
        // 12 triangles on a square of 10 m, whose box is 1 cm thick: 0.0013 · 36 · 0.266 · (5² + 5² + 0.005²).
        let square = mesh(Some(8), &[], Some(12));
        let mut big = mesh_part();
        big.scale = DVec3::splat(10.0);
        let cost = of_part(&big, Representation::TriangleMesh, Some(&square), &ubode);
        close(cost.value().unwrap(), 0.622_440_6);
        assert_eq!(cost.basis(), Basis::Measured);
        for (part, expected) in [(&none, 0.0), (&flexible, 0.1)] {
            assert_eq!(of_part(part, Representation::None, None, &ubode), Cost::spec(expected));
        }
    }

    #[test]
    fn ubode_charges_its_shapes_and_a_tenth_if_it_fails() {
        let ubode = Profile::load("opensim-ubode").unwrap();
        let mut big = mesh_part();
        big.scale = DVec3::splat(10.0);
        let cost = |representation, mesh: &MeshFacts| of_part(&big, representation, Some(mesh), &ubode);
        // A cube of 10 m: 12 triangles, 0.0013 · 36 · 0.266 · (5² + 5² + 5²).
        let cube = mesh(Some(8), &[8, 8, 4, 3, 2], None);
        let base = cost(Representation::BaseHull, &cube);
        close(base.value().unwrap(), 0.933_66);
        assert_eq!(base.basis(), Basis::Measured);
        // 12 + 12 + 4 + 1 triangles; two points give none.
        let hulls = cost(Representation::Decomposition, &cube);
        close(hulls.value().unwrap(), 0.933_66 / 12.0 * 29.0);
        assert_eq!(hulls.basis(), Basis::Spec, "none was compared");
        let small = of_part(&mesh_part(), Representation::BaseHull, Some(&cube), &ubode);
        assert_eq!(small, Cost::measured(0.1), "the least");
        for hulls in [mesh(Some(2), &[2], None), mesh(None, &[1], None)] {
            for representation in [Representation::BaseHull, Representation::Decomposition] {
                assert_eq!(cost(representation, &hulls).exact(), Some(0.1));
            }
        }
        let mut beta = cube.clone();
        beta.blocks = vec![Block { name: "decomposition".into(), offset: 0, size: 1, inflated: None }];
        for representation in [Representation::BaseHull, Representation::Decomposition] {
            assert_eq!(cost(representation, &beta).exact(), Some(0.1), "ubODE does not know this name");
        }
        let mut hulls_fail = cube;
        hulls_fail.convex.as_mut().unwrap().built_hulls = Some(Built::FAILED);
        close(cost(Representation::Decomposition, &hulls_fail).value().unwrap(), 0.933_66);
    }

    #[test]
    fn shapes_that_ubode_may_not_build_cost_a_tenth_at_least() {
        let ubode = Profile::load("opensim-ubode").unwrap();
        let mut damaged = mesh(Some(8), &[8], None);
        damaged.convex.as_mut().unwrap().built_base = None;
        let cost =
            |representation, mesh: Option<&MeshFacts>| of_part(&mesh_part(), representation, mesh, &ubode);
        let at_least = |reason| Cost::at_least(0.1, reason);
        assert_eq!(cost(Representation::BaseHull, Some(&damaged)), at_least(NotEvaluated::IndexCountUnknown));
        damaged.convex = None;
        damaged.blocks = vec![Block { name: "physics_convex".into(), offset: 0, size: 1, inflated: None }];
        assert_eq!(cost(Representation::BaseHull, Some(&damaged)), at_least(NotEvaluated::ConvexUnreadable));
        damaged.blocks.clear();
        assert_eq!(
            cost(Representation::BaseHull, Some(&damaged)),
            Cost::measured(0.1),
            "no block at all fails"
        );
        assert_eq!(cost(Representation::Unknown, None), at_least(NotEvaluated::MeshMissing));
        let mut sculpt = curved(5, 32);
        sculpt.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(9), kind: 1 });
        let missing = of_part(&sculpt, Representation::SurfaceMesh, None, &ubode);
        assert_eq!(missing, at_least(NotEvaluated::SculptMissing));
        assert_eq!((missing.value(), missing.exact()), (Some(0.1), None));
    }

    #[test]
    fn points_that_no_triangle_uses_do_not_widen_the_box() {
        let mut square = mesh(Some(8), &[], Some(12)).physics_mesh.unwrap();
        let built = physics_mesh_built(&square);
        assert_eq!(built, Built { triangles: 12, size: DVec3::new(1.0, 1.0, 0.001) });
        square.submeshes[0].points.push([65_535; 3]);
        square.submeshes[0].triangles.push([0, 1, 1]);
        assert_eq!(physics_mesh_built(&square), built, "neither does a triangle of two corners");
    }

    #[test]
    fn factors_scale_estimates_of_ubode_above_the_least_cost() {
        let scaled = |cost, factor| scaled_estimate(cost, factor).value().unwrap();
        assert_eq!([0.4, 0.3, 0.1].map(|cost| scaled(Cost::estimated(cost), 0.5)), [0.2, 0.15, 0.1]);
        assert_eq!(scaled(Cost::estimated(0.1), 2.0), 0.1, "how far below the least it is, is not known");
        assert_eq!(scaled(Cost::spec(0.4), 0.5), 0.4);
    }
}
