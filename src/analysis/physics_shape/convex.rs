//! Which prims are convex, and which of their representations are equal.

use super::{Representation, WHOLE};
use hullmark_format::object::{Part, Shape};
use hullmark_geometry::curve;

/// Maximum length of a profile that is a convex wedge even if it is hollow: 1/8, for a half circle 1/4.
const WEDGE: i32 = WHOLE / 8;

/// Whether two representations of a part describe the same solid. For a convex prim a box, sphere or cylinder, the hull
/// of its surface, and its triangles have the same size.
pub fn same_solid(part: &Part, one: Representation, other: Representation) -> bool {
    use Representation::{Box, Cylinder, Sphere, SurfaceHull, SurfaceMesh};
    let own_form =
        |representation| matches!(representation, Box | Sphere | Cylinder | SurfaceHull | SurfaceMesh);
    one == other || (is_convex(part.shape) && own_form(one) && own_form(other))
}

/// Whether a volume is convex according to its parameters (`llvolume.cpp`, `LLVolumeParams::isConvex`). False for
/// everything with a sculpt or mesh asset. Lengths are compared as the file's own integers, hence exactly.
pub(super) fn is_convex(shape: Shape) -> bool {
    if shape.sculpted().is_some() {
        return false;
    }
    let length = |begin: u16, end: u16| WHOLE - i32::from(begin) - i32::from(end);
    let path = length(shape.path_begin, shape.path_end);
    let profile = length(shape.profile_begin, shape.profile_end);
    let line = shape.path_curve == curve::LINE;
    let half_circle = shape.profile_curve & curve::PROFILE_MASK == curve::HALF_CIRCLE;
    let solid = shape.profile_hollow == 0;
    let short_path = 9 * path <= WHOLE;

    let twisted = shape.path_twist != shape.path_twist_begin;
    if !short_path && (twisted || (!solid && !line)) {
        return false;
    }
    let wedge = if half_circle { 2 * WEDGE } else { WEDGE };
    let same_hole = solid || shape.profile_curve & curve::HOLE_MASK == 0;
    let convex_profile =
        (solid && (profile == WHOLE || 2 * profile <= WHOLE)) || (profile <= wedge && same_hole);
    if !convex_profile {
        return false;
    }
    if line {
        return true;
    }
    if 2 * path > WHOLE && path < WHOLE {
        return false;
    }
    half_circle || short_path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics_shape::tests::{curved, mesh_part, prim};

    #[test]
    fn convexity_of_parameters() {
        let convex = |change: fn(&mut Shape)| {
            let mut shape = curved(1, 16).shape;
            change(&mut shape);
            is_convex(shape)
        };
        assert!(convex(|_| ()));
        assert!(!convex(|s| s.profile_hollow = 1));
        assert!(convex(|s| s.profile_end = 25_000));
        assert!(!convex(|s| s.profile_end = 24_999));
        assert!(convex(|s| (s.profile_end, s.profile_hollow) = (43_750, 25_000)), "a wedge, same hole");
        assert!(!convex(|s| (s.profile_end, s.profile_hollow, s.profile_curve) = (43_750, 25_000, 17)));
        assert!(convex(|s| (s.profile_end, s.profile_hollow, s.profile_curve) = (37_500, 25_000, 5)));
        assert!(!convex(|s| s.path_twist = 1));
        assert!(convex(|s| (s.path_twist, s.path_begin) = (1, 44_445)), "shorter than a ninth");
        assert!(!convex(|s| (s.path_twist, s.path_begin) = (1, 44_444)));
        assert!(!convex(|s| s.path_curve = 32), "a tube");
        assert!(convex(|s| (s.path_curve, s.path_begin) = (32, 44_445)), "a slice of a tube");
        assert!(convex(|s| (s.path_curve, s.profile_curve) = (32, 5)), "a sphere");
        assert!(!convex(|s| (s.path_curve, s.profile_curve, s.path_begin) = (32, 5, 1)));
        assert!(convex(|s| (s.path_curve, s.profile_curve, s.path_begin) = (32, 5, 25_000)));
        let half_sphere = Shape { path_begin: 12_500, path_end: 12_500, ..curved(5, 32).shape };
        assert!(is_convex(half_sphere), "0.75 less 0.25 is 0.5 in 32-bit numbers, too");
    }

    #[test]
    fn a_convex_prim_is_one_solid_however_it_is_described() {
        use Representation::{Box, Cylinder, Decomposition, SurfaceHull, SurfaceMesh, TriangleMesh};
        let (cylinder, mut hollow) = (curved(0, 16), prim());
        hollow.shape.profile_hollow = 20_000;
        assert!(same_solid(&cylinder, Cylinder, SurfaceMesh));
        assert!(!same_solid(&hollow, SurfaceHull, SurfaceMesh));
        assert!(same_solid(&mesh_part(), TriangleMesh, TriangleMesh));
        assert!(!same_solid(&mesh_part(), Decomposition, TriangleMesh));
        assert!(!same_solid(&mesh_part(), Box, TriangleMesh));
    }
}
