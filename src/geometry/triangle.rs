//! Measures of one triangle, in metres.

use glam::{DVec3, Vec3};

/// For viewers, a triangle at half size is degenerate if the square of twice its area is below this.
const DEGENERATE: f32 = 1e-7;
/// Factor on that limit if no edge is more than ten times as long as another.
const EVEN_EDGES: f32 = 1e-4;

/// Returns the area in m²: half the cross product of two edges.
pub fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// Returns the length of the longest edge, in metres.
pub fn longest_edge([a, b, c]: [DVec3; 3]) -> f64 {
    (b - a).length().max((c - b).length()).max((a - c).length())
}

/// Returns the width in metres: the shorter side of the tightest rectangle around the triangle (*Mesh/Mesh physics*).
///
/// For an acute triangle, the rectangles flush with an edge all have the same area. So the smallest width is the one
/// across the longest edge: `2 · area / longest edge`. Zero for a degenerate triangle, NaN if a corner is not finite.
pub fn width(corners: [DVec3; 3]) -> f64 {
    let longest = longest_edge(corners);
    if longest == 0.0 { 0.0 } else { 2.0 * area(corners) / longest }
}

/// Whether a viewer's uploader treats a triangle as degenerate (V `llmodel.cpp`, `ll_is_degenerate`). The corners are
/// in the unit cube. Like the viewer, this halves them first and computes in 32-bit floats.
pub fn is_degenerate(corners: [DVec3; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| corner.as_vec3() * 0.5);
    let edges = [a - b, a - c, c - b].map(Vec3::length_squared);
    let [shortest, longest] =
        [edges.into_iter().fold(f32::INFINITY, f32::min), edges.into_iter().fold(0.0, f32::max)];
    let least = if longest <= 100.0 * shortest { DEGENERATE * EVEN_EDGES } else { DEGENERATE };
    let doubled_area =
        |corner: Vec3, one: Vec3, other: Vec3| (corner - one).cross(corner - other).length_squared();
    if doubled_area(a, b, c) < least || doubled_area(b, a, c) < least {
        return true;
    }
    let (one, other) = (a - b, c - b);
    one.length_squared() * other.length_squared() - one.dot(other) * one.dot(other) == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewers_refuse_nearly_flat_triangles() {
        let of = |width: f64, length: f64| {
            is_degenerate([O, DVec3::X * length, DVec3::new(length / 2.0, width, 0.0)])
        };
        // Edges of similar length: 1e-11 is the minimum square of twice the area, at half size.
        assert!(!of(0.01, 0.01) && !of(2e-3, 8e-3) && of(1e-3, 8e-3));
        // One edge is more than ten times as long as another.
        let sliver = |width: f64| is_degenerate([O, DVec3::X * 0.5, DVec3::new(0.5, width, 0.0)]);
        assert!(sliver(0.002) && !sliver(0.003));
        assert!(is_degenerate([O; 3]) && is_degenerate([O, DVec3::X, DVec3::X * 0.25]));
    }

    const O: DVec3 = DVec3::ZERO;

    #[test]
    fn right_triangle_of_legs_one_half() {
        let corners = [O, DVec3::X * 0.5, DVec3::Y * 0.5];
        assert_eq!(area(corners), 0.125);
        assert!((longest_edge(corners) - 0.5f64.sqrt()).abs() < 1e-15);
        assert!((width(corners) - 0.353_553_390_593).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_corners_does_not_matter() {
        let [a, b, c] = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 0.0, 1.0), DVec3::new(0.5, 7.0, 2.0)];
        let expected = width([a, b, c]);
        for corners in [[b, c, a], [c, a, b], [c, b, a], [a, c, b]] {
            assert!((width(corners) - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn degenerate_triangles_have_no_width() {
        assert_eq!(width([O, O, O]), 0.0);
        assert_eq!(width([O, DVec3::X, O]), 0.0);
        assert_eq!(width([O, DVec3::X, DVec3::X * 3.0]), 0.0);
    }

    #[test]
    fn nan_stays_none() {
        assert!(width([O, DVec3::NAN, DVec3::X]).is_nan());
        assert!(width([DVec3::NAN; 3]).is_nan());
    }
}
