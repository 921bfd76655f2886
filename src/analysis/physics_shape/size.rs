//! What is small or whole for a part of its size, and which forms are therefore box, sphere or cylinder
//! (`llphysicsshapebuilderutil.cpp`, `determinePhysicsShape`).

use super::{Class, Kind, WHOLE, curve};
use crate::format::object::{Part, Shape};
use glam::DVec3;

/// The collision margin, metres.
const MARGIN_M: f64 = 0.1;
/// A side below this is small, metres.
const SMALL_SIDE_M: f64 = 2.0 * MARGIN_M;
/// Above this mean of its sides a part with one small side is a thin panel, metres.
const PANEL_MEAN_M: f64 = 3.0;
/// How much of path or profile may be cut for the part to count as whole. This and the next four are divided
/// by the mean of the sides in metres.
const CUT: f64 = 0.05;
const HOLLOW: f64 = 0.10;
const SHEAR: f64 = 0.05;
const TAPER: f64 = 0.05;
const TWIST: f64 = 0.09;

/// The size at which a prim's triangles collide: the small side of a large thin panel is raised to the margin
/// (`determinePhysicsShape`). It decides no kind, and no other cost depends on it: hulls cost the same at any size, and
/// a mesh so thin collides as hulls.
pub fn collision_scale(part: &Part) -> DVec3 {
    let form = Form::of(part);
    if form.small == 1 && form.mean > PANEL_MEAN_M {
        part.scale.max(DVec3::splat(MARGIN_M))
    } else {
        part.scale
    }
}

/// Whether a part is a box by its form, and not only because it is small.
pub fn is_plain_box(part: &Part) -> bool {
    let of_box = (part.shape.profile_curve, part.shape.path_curve) == (curve::SQUARE, curve::LINE);
    of_box && Form::of(part).implicit().is_some()
}

/// A part's form against the thresholds of its size.
pub(super) struct Form {
    pub(super) shape: Shape,
    sides: [f64; 3],
    /// Mean of the sides, metres.
    mean: f64,
    /// How many sides are small.
    pub(super) small: usize,
    pub(super) path_whole: bool,
    pub(super) profile_whole: bool,
}

impl Form {
    pub(super) fn of(part: &Part) -> Self {
        let shape = part.shape;
        let sides = part.scale.to_array();
        let mean = (sides[0] + sides[1] + sides[2]) / 3.0;
        let whole =
            |begin: u16, end: u16| fraction(begin) <= CUT / mean && 1.0 - fraction(end) >= 1.0 - CUT / mean;
        Self {
            shape,
            sides,
            mean,
            small: sides.iter().filter(|&&side| side < SMALL_SIDE_M).count(),
            path_whole: whole(shape.path_begin, shape.path_end),
            profile_whole: whole(shape.profile_begin, shape.profile_end),
        }
    }

    /// Whether a number is 0 as far as a part of this size goes.
    fn negligible(&self, number: f64, threshold: f64) -> bool {
        number.abs() <= threshold / self.mean
    }

    fn simple(&self) -> bool {
        self.shape.sculpted().is_none()
            && self.negligible(fraction(self.shape.profile_hollow), HOLLOW)
            && self.negligible(shear(self.shape.path_shear_x), SHEAR)
            && self.negligible(shear(self.shape.path_shear_y), SHEAR)
    }

    /// Box, sphere or cylinder of a simple form with a whole profile. The curve bytes are compared whole: the
    /// bits of a hole keep a form from being implicit even where its hollow is 0.
    pub(super) fn implicit(&self) -> Option<Class> {
        if !(self.simple() && self.profile_whole) {
            return None;
        }
        match (self.shape.profile_curve, self.shape.path_curve) {
            (curve::SQUARE, curve::LINE) => self.as_box(),
            (curve::HALF_CIRCLE, curve::CIRCLE_PATH) => self.as_sphere(),
            (curve::CIRCLE, curve::LINE) => self.as_cylinder(),
            _ => None,
        }
    }

    /// A path cut only shortens a box.
    fn as_box(&self) -> Option<Class> {
        (self.untapered() && self.untwisted())
            .then_some(Class { kind: Kind::Box, reason: "it is a plain box" })
    }

    fn as_sphere(&self) -> Option<Class> {
        let [x, y, z] = self.sides;
        // The volume's taper, not the scale of its end: that one shapes the hole of a curve.
        let taper = f64::from(self.shape.path_taper_x) * 0.01;
        if !(self.path_whole && self.negligible(taper, TAPER) && self.untwisted()) {
            None
        } else if x == z && y == z {
            Some(Class { kind: Kind::Sphere, reason: "it is a plain sphere with equal sides" })
        } else if self.small > 1 {
            Some(Class { kind: Kind::Box, reason: "it is a narrow sphere: two sides are under 0.2 m" })
        } else {
            None
        }
    }

    /// A path cut only shortens a cylinder, and a twist does not show.
    fn as_cylinder(&self) -> Option<Class> {
        if !(self.sides[0] == self.sides[1] && self.untapered()) {
            None
        } else if self.small > 1 {
            Some(Class { kind: Kind::Box, reason: "it is a narrow cylinder: two sides are under 0.2 m" })
        } else {
            Some(Class { kind: Kind::Cylinder, reason: "it is a plain round cylinder" })
        }
    }

    fn untapered(&self) -> bool {
        // 100 is a scale of 1: the raw number is 200 − 100 × scale.
        let off = |raw: u8| (100.0 - f64::from(raw)) * 0.01;
        self.negligible(off(self.shape.path_scale_x), TAPER)
            && self.negligible(off(self.shape.path_scale_y), TAPER)
    }

    fn untwisted(&self) -> bool {
        self.negligible(f64::from(self.shape.path_twist) * 0.01, TWIST)
            && self.negligible(f64::from(self.shape.path_twist_begin) * 0.01, TWIST)
    }
}

/// A raw begin, end or hollow as a part of the whole.
fn fraction(raw: u16) -> f64 {
    f64::from(raw) / f64::from(WHOLE)
}

/// A raw shear: a signed byte stored as unsigned.
fn shear(raw: u8) -> f64 {
    f64::from(raw.cast_signed()) * 0.01
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::physics_shape::tests::{curved, kind, prim};

    #[test]
    fn plain_forms_are_implicit() {
        assert_eq!(kind(&prim()), Kind::Box);
        assert_eq!(kind(&curved(5, 32)), Kind::Sphere);
        assert_eq!(kind(&curved(0, 16)), Kind::Cylinder);
        assert_eq!(kind(&curved(3, 16)), Kind::PrimConvex);
        for (profile, path) in [(0, 32), (1, 32), (3, 32)] {
            assert_eq!(kind(&curved(profile, path)), Kind::PrimMesh, "{profile}/{path}");
        }
    }

    #[test]
    fn unequal_sides_make_hulls() {
        let mut egg = curved(5, 32);
        egg.scale.z = 1.1;
        assert_eq!(kind(&egg), Kind::PrimConvex);
        let mut oval = curved(0, 16);
        oval.scale.x = 1.1;
        assert_eq!(kind(&oval), Kind::PrimConvex);
    }

    #[test]
    fn bits_of_a_hole_count_even_without_a_hole() {
        let holed = curved(1 | 16, 16);
        assert_eq!(kind(&holed), Kind::PrimConvex);
        assert_eq!(kind(&curved(5 | 32, 32)), Kind::PrimConvex);
    }

    #[test]
    fn thresholds_shrink_with_size() {
        let mut part = prim();
        part.shape.profile_hollow = 5_000;
        part.scale = DVec3::ONE;
        assert_eq!(kind(&part), Kind::Box, "a hollow of 0.1 is exactly the threshold at 1 m");
        part.scale = DVec3::splat(1.01);
        assert_eq!(kind(&part), Kind::PrimMesh);
    }

    #[test]
    fn a_path_cut_shortens_boxes_and_cylinders_but_not_spheres() {
        for (profile, path, expected) in
            [(1, 16, Kind::Box), (0, 16, Kind::Cylinder), (5, 32, Kind::PrimMesh)]
        {
            let mut part = curved(profile, path);
            part.shape.path_begin = 10_000;
            assert_eq!(kind(&part), expected);
        }
    }

    #[test]
    fn twist_keeps_boxes_from_being_boxes_and_does_not_show_on_cylinders() {
        let mut part = curved(1, 16);
        part.shape.path_twist = 10;
        assert_eq!(kind(&part), Kind::PrimMesh);
        part.shape.path_twist_begin = 10;
        assert_eq!(kind(&part), Kind::PrimConvex, "the same twist at both ends turns it and is convex");
        part.shape.profile_curve = 0;
        part.shape.path_twist_begin = 0;
        assert_eq!(kind(&part), Kind::Cylinder);
    }

    #[test]
    fn shear_is_a_signed_byte() {
        let mut part = curved(1, 16);
        part.shape.path_shear_x = 251;
        assert_eq!(kind(&part), Kind::Box, "−0.05 is the threshold at 1 m");
        part.shape.path_shear_x = 250;
        assert_eq!(kind(&part), Kind::PrimConvex);
    }

    #[test]
    fn the_thin_side_of_a_large_panel_is_raised() {
        let raised = |sides| {
            let mut part = prim();
            part.scale = DVec3::from_array(sides);
            collision_scale(&part).to_array()
        };
        assert_eq!(raised([10.0, 10.0, 0.01]), [10.0, 10.0, 0.1]);
        assert_eq!(raised([10.0, 10.0, 0.15]), [10.0, 10.0, 0.15]);
        assert_eq!(raised([4.0, 4.0, 0.01]), [4.0, 4.0, 0.01], "not large");
        assert_eq!(raised([40.0, 0.01, 0.01]), [40.0, 0.01, 0.01], "two thin sides are none");
    }
}
