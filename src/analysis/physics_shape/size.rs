//! Which parts count as small or whole for their size, and which forms are therefore box, sphere or cylinder
//! (`llphysicsshapebuilderutil.cpp`, `determinePhysicsShape`).

use super::{Class, Kind, WHOLE};
use glam::DVec3;
use hullmark_format::object::{Part, Shape};
use hullmark_geometry::curve;

/// The collision margin, in metres.
const MARGIN_M: f64 = 0.1;
/// A side below this is small, in metres.
const SMALL_SIDE_M: f64 = 2.0 * MARGIN_M;
/// A part with one small side is a thin panel if the mean of its sides is above this, in metres.
const PANEL_MEAN_M: f64 = 3.0;
/// Maximum cut of path or profile for a part that counts as whole. This and the next four are divided by the mean of
/// the sides in metres.
const CUT: f64 = 0.05;
const HOLLOW: f64 = 0.10;
const SHEAR: f64 = 0.05;
const TAPER: f64 = 0.05;
const TWIST: f64 = 0.09;

/// Returns the size at which a prim's triangles collide: the small side of a large thin panel is raised to the margin
/// (`determinePhysicsShape`).
///
/// This size does not affect the kind or any other cost. Hulls cost the same at any size, and so thin a mesh collides
/// as hulls.
pub fn collision_scale(part: &Part) -> DVec3 {
    let form = Form::new(part);
    if form.small == 1 && form.mean > PANEL_MEAN_M {
        part.scale.max(DVec3::splat(MARGIN_M))
    } else {
        part.scale
    }
}

/// Whether a part is a box because of its form, and not only because it is small.
pub fn is_plain_box(part: &Part) -> bool {
    let of_box = (part.shape.profile_curve, part.shape.path_curve) == (curve::SQUARE, curve::LINE);
    of_box && Form::new(part).implicit().is_some()
}

/// The form of a part, compared with the thresholds of its size.
pub(super) struct Form {
    pub(super) shape: Shape,
    sides: [f64; 3],
    /// Mean of the sides, in metres.
    mean: f64,
    pub(super) small: usize,
    pub(super) path_whole: bool,
    pub(super) profile_whole: bool,
}

impl Form {
    pub(super) fn new(part: &Part) -> Self {
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

    /// Whether a number counts as 0 for a part of this size.
    fn negligible(&self, number: f64, threshold: f64) -> bool {
        number.abs() <= threshold / self.mean
    }

    fn simple(&self) -> bool {
        self.shape.sculpted().is_none()
            && self.negligible(fraction(self.shape.profile_hollow), HOLLOW)
            && self.negligible(shear(self.shape.path_shear_x), SHEAR)
            && self.negligible(shear(self.shape.path_shear_y), SHEAR)
    }

    /// Returns box, sphere or cylinder for a simple form with a whole profile. The complete curve bytes are compared: a
    /// form with the bits of a hole is not implicit, even if its hollow is 0.
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
        // The taper of the volume, not the scale of its end, which shapes the hole of a curve.
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

    /// A path cut only shortens a cylinder, and a twist has no effect.
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

fn fraction(raw: u16) -> f64 {
    f64::from(raw) / f64::from(WHOLE)
}

/// Converts a raw shear: a signed byte stored as unsigned.
fn shear(raw: u8) -> f64 {
    f64::from(raw.cast_signed()) * 0.01
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics_shape::tests::{curved, kind, prim};

    #[test]
    fn kinds_by_form_and_size() {
        type Change = fn(&mut Part);
        let table: [(u8, u8, Change, Kind, &str); 26] = [
            (1, 16, |_| (), Kind::Box, "a box"),
            (5, 32, |_| (), Kind::Sphere, "a sphere"),
            (0, 16, |_| (), Kind::Cylinder, "a cylinder"),
            (3, 16, |_| (), Kind::PrimConvex, "a prism"),
            (0, 32, |_| (), Kind::PrimMesh, "a torus"),
            (1, 32, |_| (), Kind::PrimMesh, "a tube"),
            (3, 32, |_| (), Kind::PrimMesh, "a ring"),
            (5, 32, |it| it.scale.z = 1.1, Kind::PrimConvex, "an egg"),
            (0, 16, |it| it.scale.x = 1.1, Kind::PrimConvex, "an oval"),
            (1 | 16, 16, |_| (), Kind::PrimConvex, "the bits of a hole count even without a hole"),
            (5 | 32, 32, |_| (), Kind::PrimConvex, "the same"),
            (1, 16, |it| it.shape.profile_hollow = 5_000, Kind::Box, "the threshold at 1 m is 0.1"),
            (1, 16, |it| (it.shape.profile_hollow, it.scale.z) = (5_000, 1.03), Kind::PrimMesh, "above"),
            (1, 16, |it| it.shape.path_begin = 10_000, Kind::Box, "a path cut only shortens it"),
            (0, 16, |it| it.shape.path_begin = 10_000, Kind::Cylinder, "the same"),
            (5, 32, |it| it.shape.path_begin = 10_000, Kind::PrimMesh, "but not a sphere"),
            (1, 16, |it| it.shape.path_twist = 10, Kind::PrimMesh, "twisted"),
            (
                1,
                16,
                |it| (it.shape.path_twist, it.shape.path_twist_begin) = (10, 10),
                Kind::PrimConvex,
                "turned",
            ),
            (0, 16, |it| it.shape.path_twist = 10, Kind::Cylinder, "a twist does not show"),
            (1, 16, |it| it.shape.path_shear_x = 251, Kind::Box, "-0.05 is the threshold at 1 m"),
            (1, 16, |it| it.shape.path_shear_x = 250, Kind::PrimConvex, "sheared"),
            (0, 32, |it| it.scale = DVec3::splat(0.19), Kind::Box, "all sides are small"),
            (0, 32, |it| it.scale = DVec3::new(0.19, 0.19, 1.0), Kind::PrimConvex, "not straight"),
            (0, 16, |it| it.scale = DVec3::new(0.1, 0.1, 5.0), Kind::Box, "a rod"),
            (5, 32, |it| it.scale = DVec3::new(0.1, 0.1, 0.5), Kind::Box, "a narrow egg"),
            (0, 32, |it| it.physics_shape_type = Some(2), Kind::UserConvex, "asked for"),
        ];
        for (profile, path, change, expected, why) in table {
            let mut part = curved(profile, path);
            change(&mut part);
            assert_eq!(kind(&part), expected, "{why}");
        }
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
