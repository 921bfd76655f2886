//! Oriented boxes, and the axis-aligned box around many of them.

use glam::{DMat3, DQuat, DVec3};

/// A box with its own axes. All lengths are in metres, in the axes of the space in which the box is placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    pub centre: DVec3,
    /// The rotation, as a unit quaternion.
    pub rotation: DQuat,
    pub scale: DVec3,
}

/// An axis-aligned box, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub min: DVec3,
    pub max: DVec3,
}

impl OrientedBox {
    /// Returns the tightest axis-aligned box around this box.
    pub fn bounds(&self) -> Bounds {
        let turn = DMat3::from_quat(self.rotation);
        let half = self.scale.abs() / 2.0;
        let reach = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
        Bounds { min: self.centre - reach, max: self.centre + reach }
    }
}

impl Bounds {
    /// Returns the axis-aligned box around all of these boxes; `None` without boxes, or if one is not finite.
    pub fn around(boxes: impl IntoIterator<Item = OrientedBox>) -> Option<Self> {
        let mut whole: Option<Self> = None;
        for one in boxes {
            let one = one.bounds();
            if !(one.min.is_finite() && one.max.is_finite()) {
                return None;
            }
            let sum = whole.unwrap_or(one);
            whole = Some(Self { min: sum.min.min(one.min), max: sum.max.max(one.max) });
        }
        whole
    }

    /// Returns the sides, in metres.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// Returns the mean area of the faces in m²: `(xy + yz + zx) / 3` of the sides. It is the `A` in the penalty for
    /// physical linksets (*Mesh/Mesh physics*).
    pub fn mean_face_area(&self) -> f64 {
        let DVec3 { x, y, z } = self.size();
        (x * y + y * z + z * x) / 3.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_4, SQRT_2};

    fn cube(centre: DVec3, rotation: DQuat) -> OrientedBox {
        OrientedBox { centre, rotation, scale: DVec3::ONE }
    }

    #[test]
    fn mean_face_area_of_the_specification() {
        let of = |max| Bounds { min: DVec3::ZERO, max }.mean_face_area();
        assert!((of(DVec3::new(3.0, 4.0, 5.0)) - 47.0 / 3.0).abs() < 1e-15);
        assert_eq!(of(DVec3::splat(10.0)), 100.0);
    }

    #[test]
    fn a_turned_cube_needs_a_wider_box() {
        let bounds = cube(DVec3::Z, DQuat::from_rotation_z(FRAC_PI_4)).bounds();
        assert!((bounds.size() - DVec3::new(SQRT_2, SQRT_2, 1.0)).length() < 1e-15);
        assert!((bounds.min.z - 0.5).abs() < 1e-15);
    }

    #[test]
    fn the_box_around_two_reaches_from_one_to_the_other() {
        let boxes = [cube(DVec3::ZERO, DQuat::IDENTITY), cube(DVec3::X * 4.0, DQuat::IDENTITY)];
        let bounds = Bounds::around(boxes).unwrap();
        assert_eq!(bounds.size(), DVec3::new(5.0, 1.0, 1.0));
        assert_eq!(bounds.mean_face_area(), 11.0 / 3.0);
    }

    #[test]
    fn empty_and_non_finite_sets_have_no_box() {
        assert_eq!(Bounds::around([]), None);
        let lost = cube(DVec3::new(f64::NAN, 0.0, 0.0), DQuat::IDENTITY);
        assert_eq!(Bounds::around([cube(DVec3::ZERO, DQuat::IDENTITY), lost]), None);
    }

    #[test]
    fn a_negative_size_is_as_large_as_a_positive_one() {
        let mut mirrored = cube(DVec3::ZERO, DQuat::IDENTITY);
        mirrored.scale.x = -1.0;
        assert_eq!(mirrored.bounds().size(), DVec3::ONE);
    }
}
