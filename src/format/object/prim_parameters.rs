//! Converts a part's stored parameters to the form that [`geometry`](hullmark_geometry) builds.

use crate::object::Shape;
use glam::DVec2;
use hullmark_geometry::{
    prim::{Hole, PathKind, Profile, VolumeParams},
    ubode::Solid,
};

/// Step of begin, end and hollow.
const CUT_STEP: f64 = 2e-5;
/// Step of most other numbers.
const STEP: f64 = 0.01;
/// Step of the revolutions above 1.
const REVOLUTION_STEP: f64 = 0.015;

/// Decodes the parameters without clamping them. As in OpenSimulator, an unknown profile is a square, and an unknown
/// hole has the form of the profile. An unknown path is a line, and so is a flexible path at rest.
impl From<&Shape> for VolumeParams {
    fn from(shape: &Shape) -> Self {
        let cut = |raw: u16| f64::from(raw) * CUT_STEP;
        let step = |raw: i8| f64::from(raw) * STEP;
        // Shears are signed bytes that are stored as unsigned.
        let shear = |raw: u8| step(raw.cast_signed());
        let scale = |raw: u8| (200.0 - f64::from(raw)) * STEP;
        Self {
            profile: profile(shape.profile_curve),
            hole: hole(shape.profile_curve),
            path: path(shape.path_curve),
            profile_begin: cut(shape.profile_begin),
            profile_end: 1.0 - cut(shape.profile_end),
            hollow: cut(shape.profile_hollow),
            path_begin: cut(shape.path_begin),
            path_end: 1.0 - cut(shape.path_end),
            scale: DVec2::new(scale(shape.path_scale_x), scale(shape.path_scale_y)),
            shear: DVec2::new(shear(shape.path_shear_x), shear(shape.path_shear_y)),
            twist_begin: step(shape.path_twist_begin),
            twist_end: step(shape.path_twist),
            taper: DVec2::new(step(shape.path_taper_x), step(shape.path_taper_y)),
            radius_offset: step(shape.path_radius_offset),
            revolutions: 1.0 + f64::from(shape.path_revolutions) * REVOLUTION_STEP,
            skew: step(shape.path_skew),
        }
    }
}

/// Copies the raw numbers, because ubODE's mesher reads them in its own way.
impl From<&Shape> for Solid {
    fn from(shape: &Shape) -> Self {
        Self {
            profile_curve: shape.profile_curve,
            path_curve: shape.path_curve,
            path_cut: [shape.path_begin, shape.path_end],
            profile_cut: [shape.profile_begin, shape.profile_end],
            hollow: shape.profile_hollow,
            scale: [shape.path_scale_x, shape.path_scale_y],
            shear: [shape.path_shear_x, shape.path_shear_y],
            twist: [shape.path_twist_begin, shape.path_twist],
            taper: [shape.path_taper_x, shape.path_taper_y],
            radius: shape.path_radius_offset,
            revolutions: shape.path_revolutions,
            skew: shape.path_skew,
        }
    }
}

fn profile(curve: u8) -> Profile {
    match curve & 0x0f {
        0 => Profile::Circle,
        2 => Profile::Isosceles,
        3 => Profile::Equilateral,
        4 => Profile::Right,
        5 => Profile::HalfCircle,
        _ => Profile::Square,
    }
}

fn hole(curve: u8) -> Hole {
    match curve >> 4 {
        1 => Hole::Circle,
        2 => Hole::Square,
        3 => Hole::Triangle,
        _ => Hole::Same,
    }
}

fn path(curve: u8) -> PathKind {
    match curve >> 4 {
        2 => PathKind::Circle,
        3 => PathKind::ZigZag,
        4 => PathKind::Bent,
        _ => PathKind::Line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_numbers_become_plain_ones() {
        assert_eq!(VolumeParams::from(&Shape::default()), VolumeParams::BOX);
        let shape = Shape {
            profile_curve: 0x25,
            path_curve: 32,
            path_begin: 10_000,
            path_end: 12_500,
            profile_begin: 50_000,
            profile_hollow: 47_500,
            path_scale_x: 175,
            path_scale_y: 0,
            path_shear_x: 206,
            path_shear_y: 50,
            path_skew: -95,
            path_twist: 100,
            path_twist_begin: -100,
            path_radius_offset: -50,
            path_taper_x: 100,
            path_revolutions: 200,
            ..Shape::default()
        };
        let form = VolumeParams::from(&shape);
        assert_eq!(
            (form.profile, form.hole, form.path),
            (Profile::HalfCircle, Hole::Square, PathKind::Circle)
        );
        let numbers = [
            (form.path_begin, 0.2),
            (form.path_end, 0.75),
            (form.profile_begin, 1.0),
            (form.hollow, 0.95),
            (form.scale.x, 0.25),
            (form.scale.y, 2.0),
            (form.shear.x, -0.5),
            (form.shear.y, 0.5),
            (form.skew, -0.95),
            (form.twist_end, 1.0),
            (form.twist_begin, -1.0),
            (form.radius_offset, -0.5),
            (form.taper.x, 1.0),
            (form.revolutions, 4.0),
        ];
        for (number, expected) in numbers {
            assert!((number - expected).abs() < 1e-12, "{number} {expected}");
        }
    }

    #[test]
    fn curves_that_do_not_exist_are_plain() {
        let of = |profile_curve, path_curve| {
            let form = VolumeParams::from(&Shape { profile_curve, path_curve, ..Shape::default() });
            (form.profile, form.hole, form.path)
        };
        assert_eq!(of(0xff, 0xff), (Profile::Square, Hole::Same, PathKind::Line));
        assert_eq!(of(0x36, 0x80), (Profile::Square, Hole::Triangle, PathKind::Line));
    }
}
