//! Which physics shape a part gets, and why.
//!
//! [`classify`] determines the *kind* of shape from the form and size of a part, as the viewer and Second Life's
//! simulator do. [`representation`] determines the collision geometry, which depends on the target grid. For meshes it
//! depends on the blocks of the asset, and on Second Life also on whether the linkset moves.

mod blocks;
mod convex;
mod second_life;
mod size;
#[cfg(test)]
pub mod tests;
mod types;
mod ubode;

pub use blocks::{decomposition_hulls, has_decomposition, physics_triangles};
pub use blocks::{lists_convex, lists_physics_mesh, names_convex_as_before_release};
pub use convex::same_solid;
pub use second_life::classify;
pub use size::{collision_scale, is_plain_box};
pub use types::{Class, Kind, Motion, Representation, ShapeType};

use hullmark_format::object::Part;
use hullmark_geometry::curve;
use hullmark_ledger::facts::MeshFacts;
use hullmark_settings::profile::{PhysicsModel, Profile};

/// Value of a whole path, profile or hollow in steps.
const WHOLE: i32 = 50_000;

/// Whether a part is a tree or grass: `PCode` 95, 111 or 255.
pub fn is_plant(part: &Part) -> bool {
    matches!(part.shape.pcode, 95 | 111 | 255)
}

/// Whether a part bends. Both engines use the path and not the flexible entry of the extra parameters. The two differ
/// on thousands of real parts.
pub fn is_flexible(part: &Part) -> bool {
    part.shape.path_curve == curve::FLEXIBLE
}

/// Returns the root of a linkset after OpenSimulator loaded it, if its shape type is None there.
///
/// No root may have the type None: a mesh becomes Convex, anything else Prim. A mesh type with mirror or inversion does
/// not count as a mesh (`SceneObjectPart.DefaultPhysicsShapeType`).
pub fn opensim_root(root: &Part) -> Option<Part> {
    let shape_type = if root.shape.is_opensim_mesh() { 2 } else { 0 };
    let without = ShapeType::from_part(root) == ShapeType::None;
    without.then(|| Part { physics_shape_type: Some(shape_type), ..root.clone() })
}

/// Returns the shape that collides for this part on the target grid, at rest or dynamic.
///
/// In BulletSim all parts cost the same; the shape returned for it is that of Second Life.
pub fn representation(
    part: &Part,
    mesh: Option<&MeshFacts>,
    motion: Motion,
    profile: &Profile,
) -> Representation {
    if part.is_unknown() {
        return Representation::Unknown;
    }
    // ubODE does not treat plants differently: their parameters determine the shape.
    if is_plant(part) && profile.physics.model != PhysicsModel::OpensimUbode {
        return Representation::NotApplicable;
    }
    if is_flexible(part) || ShapeType::from_part(part) == ShapeType::None {
        return Representation::None;
    }
    match profile.physics.model {
        PhysicsModel::OpensimUbode => ubode::representation(part, mesh),
        PhysicsModel::SecondLife | PhysicsModel::OpensimBulletsim => {
            second_life::representation(part, mesh, motion, profile)
        }
    }
}
