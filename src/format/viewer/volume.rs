//! The volume of a prim: numbers of viewers, and the packed integers of simulators.
//!
//! A simulator sends integers, and the viewer divides them by the steps below (`llvolumemessage.cpp`). Exports have the
//! quotients. So packing gives the exact integers back.

use crate::object::Shape;
use hullmark_geometry::curve;

/// Step of cuts and of the hollow.
const CUT: f64 = 0.000_02;
/// A whole path, profile or hollow, in steps.
const WHOLE: f64 = 50_000.0;
/// Step of scale, shear, twist, taper, skew and radius offset.
const HUNDREDTH: f64 = 0.01;
const REVOLUTIONS: f64 = 0.015;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Volume {
    pub path: u8,
    /// Start and end of the path, 0 to 1.
    pub path_cut: [f64; 2],
    /// Size of the end, or of the hole.
    pub scale: [f64; 2],
    pub shear: [f64; 2],
    /// Twist at the start and at the end, as a part of its maximum.
    pub twist: [f64; 2],
    pub radius_offset: f64,
    pub taper: [f64; 2],
    /// Revolutions, 1 to 4.
    pub revolutions: f64,
    pub skew: f64,
    pub profile: u8,
    /// Start and end of the profile, 0 to 1.
    pub profile_cut: [f64; 2],
    /// Hollow, 0 to 1.
    pub hollow: f64,
}

/// Creates a box.
impl Default for Volume {
    fn default() -> Self {
        Self {
            path: curve::LINE,
            path_cut: [0.0, 1.0],
            scale: [1.0; 2],
            shear: [0.0; 2],
            twist: [0.0; 2],
            radius_offset: 0.0,
            taper: [0.0; 2],
            revolutions: 1.0,
            skew: 0.0,
            profile: curve::SQUARE,
            profile_cut: [0.0, 1.0],
            hollow: 0.0,
        }
    }
}

impl Volume {
    /// Returns the shape with the integers of a simulator. Numbers out of range are clamped, as viewers clamp them.
    pub fn pack(&self) -> Shape {
        // Conversion to an integer clamps.
        let cut = |value: f64| (value / CUT).round() as u16;
        let end = |value: f64| (WHOLE - (value / CUT).round()) as u16;
        let signed = |value: f64| (value / HUNDREDTH).round() as i8;
        let scale = |value: f64| (200.0 - (value / HUNDREDTH).round()) as u8;
        let [[shear_x, shear_y], [taper_x, taper_y]] = [self.shear, self.taper].map(|pair| pair.map(signed));
        let [twist_begin, twist] = self.twist.map(signed);
        Shape {
            profile_curve: self.profile,
            path_curve: self.path,
            path_begin: cut(self.path_cut[0]),
            path_end: end(self.path_cut[1]),
            profile_begin: cut(self.profile_cut[0]),
            profile_end: end(self.profile_cut[1]),
            profile_hollow: cut(self.hollow),
            path_scale_x: scale(self.scale[0]),
            path_scale_y: scale(self.scale[1]),
            path_shear_x: shear_x as u8,
            path_shear_y: shear_y as u8,
            path_skew: signed(self.skew),
            path_twist: twist,
            path_twist_begin: twist_begin,
            path_radius_offset: signed(self.radius_offset),
            path_taper_x: taper_x,
            path_taper_y: taper_y,
            path_revolutions: ((self.revolutions - 1.0) / REVOLUTIONS).round() as u8,
            ..Shape::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers that a viewer shows for a shape: 32-bit floats, as it computes them.
    fn unpacked(shape: &Shape) -> Volume {
        let begin = |steps: u16| f64::from(f32::from(steps) * 0.000_02);
        let end = |steps: u16| f64::from((50_000.0 - f32::from(steps)) * 0.000_02);
        let signed = |steps: i8| f64::from(f32::from(steps) * 0.01);
        let scale = |steps: u8| f64::from((200.0 - f32::from(steps)) * 0.01);
        Volume {
            path: shape.path_curve,
            path_cut: [begin(shape.path_begin), end(shape.path_end)],
            scale: [scale(shape.path_scale_x), scale(shape.path_scale_y)],
            shear: [shape.path_shear_x, shape.path_shear_y].map(|steps| signed(steps as i8)),
            twist: [shape.path_twist_begin, shape.path_twist].map(signed),
            radius_offset: signed(shape.path_radius_offset),
            taper: [shape.path_taper_x, shape.path_taper_y].map(signed),
            revolutions: f64::from(f32::from(shape.path_revolutions) * 0.015 + 1.0),
            skew: signed(shape.path_skew),
            profile: shape.profile_curve,
            profile_cut: [begin(shape.profile_begin), end(shape.profile_end)],
            hollow: begin(shape.profile_hollow),
        }
    }

    #[test]
    fn every_packed_number_survives_a_viewer() {
        for steps in 0..=u16::MAX {
            // The end of a cut has no more steps than the whole.
            let ends = steps.min(50_000);
            let [byte, other] = steps.to_le_bytes();
            let (signed, other_signed) = (byte as i8, other as i8);
            let shape = Shape {
                profile_curve: byte,
                path_curve: other,
                path_begin: steps,
                path_end: ends,
                profile_begin: 50_000 - ends,
                profile_end: ends,
                profile_hollow: steps,
                path_scale_x: byte,
                path_scale_y: other,
                path_shear_x: other,
                path_shear_y: byte,
                path_skew: signed,
                path_twist: other_signed,
                path_twist_begin: signed,
                path_radius_offset: other_signed,
                path_taper_x: signed,
                path_taper_y: other_signed,
                path_revolutions: byte,
                ..Shape::default()
            };
            assert_eq!(unpacked(&shape).pack(), shape, "{steps}");
        }
    }

    #[test]
    fn a_default_volume_is_a_box_and_wild_numbers_are_clamped() {
        assert_eq!(Volume::default().pack(), Shape::default());
        let wild = Volume { hollow: 1e9, skew: -7.0, scale: [f64::NAN, -1e9], ..Volume::default() }.pack();
        assert_eq!((wild.profile_hollow, wild.path_skew), (u16::MAX, i8::MIN));
        assert_eq!((wild.path_scale_x, wild.path_scale_y), (0, 255));
    }
}
