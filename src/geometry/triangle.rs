//! Measures of one triangle, in metres.

use glam::DVec3;

/// Area in m²: half the cross product of two edges.
pub fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// Length of the longest edge, metres.
pub fn longest_edge([a, b, c]: [DVec3; 3]) -> f64 {
    (b - a).length().max((c - b).length()).max((a - c).length())
}

/// Width, metres: the smaller side of the tightest rectangle around the triangle (*Mesh/Mesh physics*).
///
/// The rectangles that are flush with an edge of an acute triangle all have the same area, so the smallest
/// width is the one across the longest edge: `2 · area / longest edge`. Zero for a degenerate triangle, NaN
/// where a corner is not finite.
pub fn width(corners: [DVec3; 3]) -> f64 {
    let longest = longest_edge(corners);
    if longest == 0.0 { 0.0 } else { 2.0 * area(corners) / longest }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_is_not_a_number_stays_none() {
        assert!(width([O, DVec3::NAN, DVec3::X]).is_nan());
        assert!(width([DVec3::NAN; 3]).is_nan());
    }
}
