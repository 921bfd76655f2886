//! The path: position, rotation and scale of the outline at each step.

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Steps of a whole revolution.
const STEPS: f32 = 24.0;
/// Steps of a straight path per radian of its twist.
const STEPS_PER_TWIST: f64 = 3.66;
/// A twist up to this adds no steps, in radians.
const LEAST_TWIST: f32 = 0.01;
/// A taper up to this does not change a ring.
const LEAST_TAPER: f32 = 0.01;
/// Decimals to which a scaled outline is rounded.
const DECIMALS: f64 = 1e5;

/// A rotation, as a quaternion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

impl Turn {
    /// Returns sine and cosine of the half angle. The engine takes the positive root for the sine, so it rotates by the
    /// absolute value of the angle.
    fn half(angle: f32) -> (f32, f32) {
        let cos = f64::from(angle * 0.5).cos();
        (((1.0 - cos * cos).sqrt()) as f32, cos as f32)
    }

    /// Creates a rotation around the z axis, by an angle in radians.
    pub fn about_z(angle: f32) -> Self {
        let (z, w) = Self::half(angle);
        Self { x: 0.0, y: 0.0, z, w }
    }

    fn about_x(angle: f32) -> Self {
        let (x, w) = Self::half(angle);
        Self { x, y: 0.0, z: 0.0, w }
    }

    /// Returns the rotation `other` followed by this one.
    fn after(self, other: Self) -> Self {
        let (p, q) = (self, other);
        Self {
            x: p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            y: p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
            z: p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
            w: p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
        }
    }

    pub fn apply(self, point: Vec3) -> Vec3 {
        let Self { x, y, z, w } = self;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let rows = [
            [1.0 - yy - zz, xy - wz, xz + wy],
            [xy + wz, 1.0 - xx - zz, yz - wx],
            [xz - wy, yz + wx, 1.0 - xx - yy],
        ];
        Vec3::from_array(rows.map(|[a, b, c]| point.x * a + point.y * b + point.z * c))
    }
}

pub(super) struct Step {
    position: Vec3,
    turn: Turn,
    scale: [f32; 2],
}

impl Step {
    /// Returns a point of the outline at this step.
    pub fn place(&self, point: Vec3) -> Vec3 {
        let round = |number: f32| ((f64::from(number) * DECIMALS).round_ties_even() / DECIMALS) as f32;
        let [x, y] = self.scale;
        let scaled = Vec3::new(round(point.x * x), round(point.y * y), point.z);
        self.turn.apply(scaled) + self.position
    }

    /// Whether the outline has shrunk to a line or a point, which has no cap.
    pub fn is_flat(&self) -> bool {
        self.scale.contains(&0.0)
    }
}

pub(super) struct Line {
    pub begin: f32,
    pub end: f32,
    pub twist_begin: f32,
    pub twist_end: f32,
    pub shear: [f32; 2],
    pub taper: [f32; 2],
}

impl Line {
    pub fn steps(&self) -> Vec<Step> {
        let twist = self.twist_end - self.twist_begin;
        // Counted twice: by the caller of the path and by the path.
        let more =
            if twist.abs() > LEAST_TWIST { (f64::from(twist.abs()) * STEPS_PER_TWIST) as u32 } else { 0 };
        let count = 1 + 2 * more;
        let taper = self.taper.map(whole_taper);
        let length = self.end - self.begin;
        let stride = length / count as f32;
        let part = stride * 0.999_999;
        let aside = self.shear.map(|shear| shear * length / count as f32);
        let (mut at, mut z) = (self.begin, -0.5 + self.begin);
        let [mut x, mut y] = self.shear.map(|shear| shear * self.begin);
        let mut steps = Vec::new();
        for step in 0..=count {
            steps.push(Step {
                position: Vec3::new(x, y, z),
                turn: Turn::about_z(self.twist_begin + twist * at),
                scale: taper.map(|taper| tapered(1.0, taper, at, 0.0)),
            });
            (at, x, y, z) = (at + part, x + aside[0], y + aside[1], z + stride);
            if step < count && at > self.end {
                break;
            }
        }
        steps
    }
}

pub(super) struct Circle {
    pub begin: f32,
    pub end: f32,
    pub revolutions: f32,
    /// Twist in radians. The engine reads that of the beginning also for the end.
    pub twist: f32,
    pub shear: [f32; 2],
    pub taper: [f32; 2],
    pub section: [f32; 2],
    pub skew: f32,
    pub radius: f32,
}

impl Circle {
    /// Whether the ends meet, so that there are no caps.
    pub fn is_closed(&self) -> bool {
        self.begin == 0.0
            && self.end == 1.0
            && self.taper == [0.0; 2]
            && self.skew == 0.0
            && self.radius == 0.0
    }

    pub fn steps(&self) -> Vec<Step> {
        let stride = TAU / STEPS;
        let first = TAU * self.begin * self.revolutions - self.shear[1] * 0.9;
        let last = TAU * self.end * self.revolutions - self.shear[1] * 0.9;
        let (mut step, mut angle) = ((first / stride) as i32, first);
        let mut steps = Vec::new();
        loop {
            steps.push(self.step(angle, (angle - first) / (last - first)));
            if f64::from(angle) >= f64::from(last) - 0.01 {
                return steps;
            }
            step += 1;
            angle = (stride * step as f32).min(last);
        }
    }

    /// Returns the step at an angle; `way` is its fraction of the path.
    fn step(&self, angle: f32, way: f32) -> Step {
        let at = angle / (TAU * self.revolutions);
        let [width, height] = self.section;
        let taper = self.taper.map(whole_taper);
        let scale = [
            tapered((1.0 - self.skew.abs()) * width, taper[0], at, LEAST_TAPER),
            tapered(height, taper[1], at, LEAST_TAPER),
        ];
        let radius = self.radius;
        let shrunk = if radius > 0.001 {
            1.0 - radius * at
        } else if radius < 0.001 {
            1.0 + radius * (1.0 - at)
        } else {
            1.0
        };
        let distance = 0.5 - height * 0.5;
        let [shear_x, shear_y] = self.shear;
        let skew_begin = self.begin * 2.0 * self.skew - self.skew;
        let skewed = self.skew * 2.0 * (self.end - self.begin) * way;
        let x = 0.5 * (skew_begin + skewed) + angle.sin() * (shear_x * (0.25 + 0.5 * (0.5 - height)));
        let y = (1.0 + shear_y.abs() * 0.25) * angle.cos() * distance * shrunk;
        let z = (angle + shear_y).sin() * distance * shrunk;
        let around = Turn::about_x(angle + shear_y);
        let turn = if self.twist == 0.0 { around } else { around.after(Turn::about_z(self.twist)) };
        Step { position: Vec3::new(x, y, z), turn, scale }
    }
}

/// Rounds a nearly whole taper to a whole one.
fn whole_taper(taper: f32) -> f32 {
    if taper.abs() > 0.9999 { taper.signum() } else { taper }
}

/// Returns a size under a taper at a fraction of the path. Above 0 it shrinks towards the end, below 0 towards the
/// beginning.
fn tapered(size: f32, taper: f32, at: f32, least: f32) -> f32 {
    if taper > least {
        size * (1.0 - at * taper)
    } else if taper < -least {
        size * (1.0 + (1.0 - at) * taper)
    } else {
        size
    }
}

/// Converts a twist to radians; `whole` is its unit in half turns.
pub(super) fn twist(raw: i8, whole: f32) -> f32 {
    f32::from(raw) * (PI * whole)
}
