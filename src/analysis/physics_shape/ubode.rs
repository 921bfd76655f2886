//! The physics shape in ubODE (`ODEMeshWorker.cs` `needsMeshing`, `ODEPrim.cs` `CreateGeom`). Tiny parts and plain
//! boxes and spheres need no mesh. For a mesh asset its triangles precede its decomposition. Motion has no effect.

use super::{Representation, ShapeType, blocks::decomposition_hulls};
use hullmark_format::object::{Part, Shape};
use hullmark_geometry::curve;
use hullmark_ledger::facts::MeshFacts;

/// Maximum side in metres of a part for which no mesh is built (`mesh_min_size`).
const MIN_MESH_M: f32 = 0.1;

/// Returns the shape that collides for a part that may collide, at rest and in motion.
pub(super) fn representation(part: &Part, mesh: Option<&MeshFacts>) -> Representation {
    let convex = ShapeType::from_part(part) == ShapeType::Convex;
    let ball = is_ball(part);
    if part.scale.as_vec3().max_element() <= MIN_MESH_M
        || (part.shape.sculpt.is_none() && is_plain(part, convex))
    {
        return if ball { Representation::Sphere } else { Representation::Box };
    }
    if part.mesh().is_none() {
        return if convex { Representation::SurfaceHull } else { Representation::SurfaceMesh };
    }
    // A mesh whose type has mirror or inversion is read as a sculpt map, which fails.
    if part.shape.sculpt.is_some_and(|sculpt| sculpt.kind != 5) {
        return Representation::None;
    }
    let Some(mesh) = mesh else {
        return if convex { Representation::BaseHull } else { Representation::Unknown };
    };
    if convex {
        return Representation::BaseHull;
    }
    let hulls = match decomposition_hulls(mesh) {
        None => Representation::Unknown,
        Some(0) => Representation::BaseHull,
        Some(_) => Representation::Decomposition,
    };
    match mesh.opensim_physics_mesh() {
        Some(_) => Representation::TriangleMesh,
        // A listed block without bytes gives no mesh: the hulls are not tried.
        None => match mesh.opensim_physics_block() {
            Some(block) if block.size <= 0 => Representation::None,
            None if !mesh.blocks.is_empty() => hulls,
            _ => Representation::Unknown,
        },
    }
}

/// Whether the prim is a sphere in ubODE: a half circle along a circle, with sides that are equal as 32-bit numbers.
fn is_ball(part: &Part) -> bool {
    let path_curve = part.shape.path_curve;
    let sides = part.scale.as_vec3();
    profile(part.shape) == curve::HALF_CIRCLE
        && path_curve == curve::CIRCLE_PATH
        && sides.x == sides.y
        && sides.y == sides.z
}

/// Whether ubODE builds no mesh for a prim: an unmodified box or ball, and any prim without the changes and forms that
/// it checks. For a hull a hole does not matter. ubODE does not check for the taper of an otherwise plain box.
fn is_plain(part: &Part, convex: bool) -> bool {
    let shape = part.shape;
    let hollow = shape.profile_hollow != 0 && !convex;
    let cut = [shape.path_begin, shape.path_end, shape.profile_begin, shape.profile_end] != [0; 4];
    let twisted = [shape.path_twist, shape.path_twist_begin] != [0; 2];
    let scaled = [shape.path_scale_x, shape.path_scale_y] != [100; 2];
    let sheared = [shape.path_shear_x, shape.path_shear_y] != [0; 2];
    let tapered = [shape.path_taper_x, shape.path_taper_y] != [0; 2];
    let changed = hollow || cut || twisted || scaled || sheared;
    let ball = is_ball(part) && !tapered;
    !changed && (ball || !has_meshed_form(shape))
}

/// Whether profile and path alone make ubODE build a mesh, regardless of the hole.
fn has_meshed_form(shape: Shape) -> bool {
    matches!(
        (profile(shape), shape.path_curve),
        (curve::CIRCLE | curve::EQUILATERAL, curve::LINE | curve::CIRCLE_PATH)
            | (curve::SQUARE, curve::CIRCLE_PATH)
            | (curve::HALF_CIRCLE, curve::CIRCLE_PATH | curve::CIRCLE_PATH_2)
    )
}

/// Returns the profile, or a square if the value is no profile.
fn profile(shape: Shape) -> u8 {
    let profile = shape.profile_curve & curve::PROFILE_MASK;
    if profile > curve::HALF_CIRCLE { curve::SQUARE } else { profile }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics_shape::{
        Motion, representation,
        tests::{curved, mesh, mesh_part, prim},
    };
    use glam::DVec3;
    use hullmark_format::{mesh::Block, object::Sculpt};
    use hullmark_settings::profile::Profile;
    use uuid::Uuid;

    fn shape(part: &Part, mesh: Option<&MeshFacts>) -> Representation {
        let [still, moving] = [Motion::Static, Motion::Dynamic]
            .map(|motion| representation(part, mesh, motion, &Profile::load("opensim-ubode").unwrap()));
        assert_eq!(still, moving);
        still
    }

    #[test]
    fn ubode_prefers_triangles_and_keeps_tiny_parts_simple() {
        let both = mesh(Some(8), &[8], Some(12));
        let mut part = mesh_part();
        assert_eq!(shape(&part, Some(&both)), Representation::TriangleMesh);
        assert_eq!(shape(&part, Some(&mesh(Some(8), &[8], None))), Representation::Decomposition);
        part.physics_shape_type = Some(2);
        assert_eq!(shape(&part, Some(&both)), Representation::BaseHull);
        part.scale = DVec3::splat(0.1);
        assert_eq!(shape(&part, Some(&both)), Representation::Box);
        assert_eq!(shape(&prim(), None), Representation::Box);
        assert_eq!(shape(&curved(5, 32), None), Representation::Sphere);
        assert_eq!(shape(&curved(0, 16), None), Representation::SurfaceMesh);
        let mut hollow = prim();
        hollow.shape.profile_hollow = 20_000;
        assert_eq!(shape(&hollow, None), Representation::SurfaceMesh);
        hollow.physics_shape_type = Some(2);
        assert_eq!(shape(&hollow, None), Representation::Box);
    }

    #[test]
    fn ubode_takes_the_physics_block_by_its_name() {
        let shape_of = |mesh: &MeshFacts| shape(&mesh_part(), Some(mesh));
        let block = |name: &str, size| Block { name: name.into(), offset: 0, size, inflated: None };
        let listed = |blocks: Vec<Block>, triangles| MeshFacts { blocks, ..mesh(Some(8), &[8], triangles) };
        assert_eq!(shape_of(&listed(vec![block("physics_mesh", 0)], None)), Representation::None);
        // The old name comes first, and the new name is not tried if it fails.
        let both = vec![block("physics_mesh", 9), block("physics_shape", 9)];
        assert_eq!(shape_of(&listed(both, Some(12))), Representation::Unknown);
        assert_eq!(
            shape_of(&listed(vec![block("physics_shape", 9)], Some(12))),
            Representation::TriangleMesh
        );
        assert_eq!(shape_of(&listed(vec![block("lowest_lod", 9)], None)), Representation::Decomposition);
    }

    #[test]
    fn ubode_compares_sides_as_32_bit_numbers() {
        let ball = Part { scale: DVec3::new(1.0, 1.0, 1.000_000_01), ..curved(5, 32) };
        assert_eq!(shape(&ball, None), Representation::Sphere);
        let tiny = Part { scale: DVec3::splat(0.100_000_001), ..mesh_part() };
        assert_eq!(shape(&tiny, None), Representation::Box);
    }

    #[test]
    fn ubode_asks_no_type_of_a_sculpt() {
        let mut part = prim();
        part.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(1), kind: 0 });
        assert_eq!(shape(&part, None), Representation::SurfaceMesh);
        assert_eq!(representation(&part, None, Motion::Static, &Profile::default()), Representation::Box);
    }

    #[test]
    fn ubode_looks_for_some_changes_and_forms_and_overlooks_others() {
        let shape_of = |part: &Part| shape(part, None);
        let changed = |change: fn(&mut Shape)| {
            let mut part = prim();
            change(&mut part.shape);
            shape_of(&part)
        };
        assert_eq!(changed(|shape| shape.path_twist = 1), Representation::SurfaceMesh);
        assert_eq!(changed(|shape| shape.path_shear_x = 1), Representation::SurfaceMesh);
        assert_eq!(changed(|shape| shape.path_taper_x = 50), Representation::Box, "overlooked");
        for (profile_curve, path_curve, expected) in [
            (2, 16, Representation::Box),
            (3, 16, Representation::SurfaceMesh),
            (4, 16, Representation::Box),
            (5, 16, Representation::Box),
            (7, 16, Representation::Box),
            (1, 32, Representation::SurfaceMesh),
            (1, 48, Representation::Box),
            (5, 48, Representation::SurfaceMesh),
        ] {
            assert_eq!(
                shape_of(&curved(profile_curve, path_curve)),
                expected,
                "{profile_curve} {path_curve}"
            );
        }
        let mut egg = curved(5, 32);
        egg.scale.z = 2.0;
        assert_eq!(shape_of(&egg), Representation::SurfaceMesh);
        let mut tree = curved(0, 16);
        tree.shape.pcode = 255;
        assert_eq!(shape_of(&tree), Representation::SurfaceMesh, "ubODE knows no trees");
    }

    #[test]
    fn a_mesh_with_mirror_or_inversion_is_no_mesh_to_opensim() {
        let both = mesh(Some(8), &[8], Some(12));
        for (kind, expected) in [(5, Representation::TriangleMesh), (5 | 64, Representation::None)] {
            let mut part = mesh_part();
            part.shape.sculpt.as_mut().unwrap().kind = kind;
            assert_eq!(shape(&part, Some(&both)), expected);
        }
    }
}
