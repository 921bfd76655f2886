//! The physics shape of a part, and its cost.

use crate::{
    assets::{Body, Triangles},
    cost::{Cost, physics},
    physics_shape::{self, Class, Motion, Representation},
};
use hullmark_format::object::Part;
use hullmark_settings::profile::{PhysicsModel, Profile};

/// The physics shape of a part, and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// Kind of the physics shape, and the reason.
    pub class: Class,
    /// Shape that collides while the linkset is at rest.
    pub representation: Representation,
    /// Shape that collides while the linkset is physical or moving.
    pub representation_dynamic: Representation,
    /// Physics cost at rest, under new accounting.
    pub physics_cost: Cost,
    /// Physics cost while physical. In Second Life it excludes the penalty, which applies to the linkset. In
    /// OpenSimulator it includes the part's own penalty.
    pub physics_cost_dynamic: Cost,
    /// Number of triangles that collide at rest; `None` if the shape has none. Under ubODE hulls have triangles, too.
    pub triangle_count: Option<u64>,
    /// Widths of the triangles; `None` if the engine's costs do not depend on widths.
    pub triangles: Option<Triangles>,
    /// Number of vertices of the single hull that collides at rest; `None` for other shapes.
    pub hull_vertices: Option<u32>,
}

impl Collision {
    /// Returns why this shape collides, as text for a person, if the part has a mesh.
    pub fn reason(&self) -> &'static str {
        let asked_for_hull = self.class.kind == physics_shape::Kind::UserConvex;
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
            (Representation::BaseHull, _) if self.class.kind == physics_shape::Kind::UserMesh => {
                "it has neither decomposition nor physics mesh, so its base hull is used"
            }
            (Representation::Unknown, _) if !asked_for_hull => {
                "a block that decides what collides cannot be read, or is empty"
            }
            _ => self.class.reason,
        }
    }
}

/// Computes the physics shape of a part, and its cost.
pub fn collision(part: &Part, body: &Body<'_>, profile: &Profile) -> Collision {
    let mesh = body.mesh;
    let representation = physics_shape::representation(part, mesh, Motion::Static, profile);
    let representation_dynamic = physics_shape::representation(part, mesh, Motion::Dynamic, profile);
    let cost = |representation| {
        let cost = physics::of_part(part, representation, body, profile);
        // OpenSimulator uses Prim if a mesh states no shape type. For Second Life this is an assumption.
        let assumed = part.mesh().is_some() && part.physics_shape_type.is_none();
        if assumed && profile.physics.model == PhysicsModel::SecondLife { cost.assumed() } else { cost }
    };
    let physics_cost = cost(representation);
    // Most parts have the same shape at rest and in motion, so its triangles are only measured once.
    let dynamic =
        if representation_dynamic == representation { physics_cost } else { cost(representation_dynamic) };
    let (triangle_count, triangles) = colliding_triangles(part, representation, body, profile);
    Collision {
        class: physics_shape::classify(part, mesh, profile),
        representation,
        representation_dynamic,
        physics_cost,
        physics_cost_dynamic: with_own_penalty(part, dynamic, profile),
        triangle_count,
        triangles,
        hull_vertices: match representation {
            Representation::BaseHull => mesh.and_then(|mesh| physics::base_hull_vertices(mesh).ok()),
            // ubODE's hulls have other vertices, and only their triangles are counted.
            Representation::SurfaceHull if profile.physics.model != PhysicsModel::OpensimUbode => {
                physics::surface_hull(part, body).ok().map(|hull| hull.vertices)
            }
            _ => None,
        },
    }
}

/// Returns the number of colliding triangles and their widths. ubODE builds its own meshes, so they have no widths.
fn colliding_triangles(
    part: &Part,
    representation: Representation,
    body: &Body<'_>,
    profile: &Profile,
) -> (Option<u64>, Option<Triangles>) {
    if profile.physics.model == PhysicsModel::OpensimUbode {
        let built = physics::ubode_built(part, representation, body).and_then(Result::ok);
        return (built.filter(|built| !built.failed()).map(|built| built.triangles.into()), None);
    }
    let triangles = match representation {
        Representation::TriangleMesh => body.physics_triangles(part.scale, profile.physics.model).ok(),
        Representation::SurfaceMesh => physics::surface_triangles(part, body).ok(),
        _ => None,
    };
    (triangles.map(|triangles| triangles.count), triangles)
}

/// Applies OpenSimulator's penalty, which depends on the size of each physical part.
fn with_own_penalty(part: &Part, cost: Cost, profile: &Profile) -> Cost {
    match profile.physics.model {
        PhysicsModel::SecondLife => cost,
        PhysicsModel::OpensimUbode | PhysicsModel::OpensimBulletsim => {
            cost.map(|cost| cost * physics::opensim_part_penalty(part.scale))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assets::Surfaces,
        physics_shape::tests::{mesh, mesh_part},
    };
    use glam::DVec3;
    use hullmark_ledger::facts::MeshFacts;

    fn reason(side: f64, shape_type: u8, mesh: Option<&MeshFacts>, profile: &str) -> &'static str {
        let part = Part { scale: DVec3::splat(side), physics_shape_type: Some(shape_type), ..mesh_part() };
        let body = Body { mesh, sculpt: None, surfaces: &Surfaces::default() };
        collision(&part, &body, &Profile::load(profile).unwrap()).reason()
    }

    #[test]
    fn reasons_follow_the_blocks_of_the_mesh() {
        let (hulls, bare) = (mesh(Some(8), &[8], None), mesh(Some(8), &[], None));
        let (triangles, empty) = (mesh(Some(8), &[], Some(12)), mesh(Some(8), &[], Some(0)));
        let of = |side, shape_type, mesh| reason(side, shape_type, mesh, "second-life");
        assert!(of(1.0, 0, Some(&hulls)).starts_with("it has a decomposition"));
        assert!(of(1.0, 0, Some(&triangles)).ends_with("so its triangles collide only at rest"));
        assert!(reason(1.0, 0, Some(&triangles), "opensim-ubode").ends_with("at rest and in motion"));
        assert!(of(1.0, 0, Some(&bare)).starts_with("it has neither"));
        assert!(of(1.0, 0, Some(&empty)).starts_with("a block that decides"));
        assert!(of(0.4, 0, Some(&triangles)).contains("a side under the limit"));
        assert_eq!(of(1.0, 2, Some(&triangles)), "its shape type is Convex Hull");
    }
}
