//! The path: position and orientation of the profile at each step.

use super::form::{PathKind, VolumeParams};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// Steps of a circle at detail 1.
const CIRCLE_STEPS: f64 = 6.0;
/// Additional steps for a whole turn of twist, for each unit of detail above one half.
const TWIST_STEPS: f64 = 3.5;
const BENT_POINTS: u32 = 5;
/// Differences up to this do not open a ring.
const SAME: f64 = 0.001;
/// Maximum difference between two ways to compute a number.
const NOISE: f64 = 1e-9;
/// A step shorter than this part of a whole one is omitted.
const SHORTEST_STEP: f64 = 1e-6;

/// The origin and the axes of the profile at one step.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    origin: DVec3,
    x: DVec3,
    y: DVec3,
}

impl Frame {
    /// Returns a point of the profile at this step.
    pub fn place(&self, point: DVec2) -> DVec3 {
        self.origin + self.x * point.x + self.y * point.y
    }

    /// Scales the profile, rotates it about z and then about x, and moves it.
    fn new(origin: DVec3, scale: DVec2, about_z: f64, about_x: f64) -> Self {
        let (sin, cos) = about_z.sin_cos();
        let (lift, ahead) = about_x.sin_cos();
        let turn = |x: f64, y: f64| DVec3::new(x, y * ahead, y * lift);
        Self { origin, x: turn(cos, sin) * scale.x, y: turn(-sin, cos) * scale.y }
    }

    fn coincides(&self, other: &Self) -> bool {
        let near = |a: DVec3, b: DVec3| a.abs_diff_eq(b, NOISE);
        near(self.origin, other.origin) && near(self.x, other.x) && near(self.y, other.y)
    }
}

pub(super) struct Path {
    pub frames: Vec<Frame>,
    /// Whether the viewer closes the ends with caps.
    pub open: bool,
}

impl Path {
    /// Creates the path of clamped parameters at this factor of detail. `split` is the number of divisions of a wall.
    pub fn new(form: &VolumeParams, detail: f64, split: u32) -> Self {
        let mut path = match form.path {
            PathKind::Line => line(form, detail, split),
            PathKind::Circle => circle(form, ring_steps(form, detail)),
            PathKind::ZigZag => zig_zag(form, detail),
            PathKind::Bent => bent(form),
        };
        path.open |= form.twist_begin != form.twist_end;
        path
    }

    /// Whether the last step equals the first.
    pub fn returns(&self) -> bool {
        match self.frames.as_slice() {
            [first, .., last] => first.coincides(last),
            _ => true,
        }
    }
}

fn lerp(from: f64, to: f64, t: f64) -> f64 {
    from + (to - from) * t
}

/// Rounds down, tolerating noise.
fn whole(number: f64) -> u32 {
    (number + NOISE).floor() as u32
}

fn twist_steps(form: &VolumeParams, detail: f64) -> f64 {
    (form.twist_begin - form.twist_end).abs() * TWIST_STEPS * (detail - 0.5)
}

/// Returns the steps of a ring. Each revolution has an integer number of them.
fn ring_steps(form: &VolumeParams, detail: f64) -> u32 {
    let each = whole(CIRCLE_STEPS * detail + twist_steps(form, detail));
    whole(f64::from(each) * form.revolutions)
}

fn line(form: &VolumeParams, detail: f64, split: u32) -> Path {
    let steps = (whole(twist_steps(form, detail)) + 1).max(split + 1);
    let start = (DVec2::splat(2.0) - form.scale).min(DVec2::ONE);
    let end = form.scale.min(DVec2::ONE);
    let frame = |step: u32| {
        let t = lerp(form.path_begin, form.path_end, f64::from(step) / f64::from(steps));
        let twist = PI * lerp(form.twist_begin, form.twist_end, t);
        Frame::new((form.shear * t).extend(t - 0.5), start.lerp(end, t), twist, 0.0)
    };
    Path { frames: (0..=steps).map(frame).collect(), open: true }
}

/// Values at the beginning and the end of a ring.
struct Ring {
    radius: [f64; 2],
    scale: [DVec2; 2],
}

impl Ring {
    fn new(form: &VolumeParams, steps: u32) -> Self {
        let section = form.scale * DVec2::new(1.0 - form.skew.abs(), 1.0);
        // A taper above 0 reduces the end, one below 0 the beginning.
        let (begin, end) = ((form.taper + 1.0).min(DVec2::ONE), (DVec2::ONE - form.taper).min(DVec2::ONE));
        let radius = super::reach(steps) * (1.0 - form.scale.y);
        let offset = form.radius_offset;
        Self {
            radius: [radius * (1.0 + offset.min(0.0)), radius * (1.0 - offset.max(0.0))],
            scale: [section * begin, section * end],
        }
    }

    /// Whether beginning and end differ. The taper is compared without the size of the section.
    fn is_spiral(&self, form: &VolumeParams) -> bool {
        form.skew.abs() > SAME
            || form.taper.abs().max_element() > SAME
            || (self.radius[1] - self.radius[0]).abs() > SAME
    }

    fn frame(&self, form: &VolumeParams, t: f64) -> Frame {
        let angle = TAU * form.revolutions * t;
        let radius = lerp(self.radius[0], self.radius[1], t);
        let (ahead, lift) = (angle.cos() * radius, angle.sin() * radius);
        let aside = lerp(-form.skew, form.skew, t) * 0.5;
        let origin = DVec3::new(form.shear.x * lift + aside, ahead + form.shear.y * lift, lift);
        // Half a turn: the beginning of the profile faces away from the axis.
        let twist = TAU * lerp(form.twist_begin, form.twist_end, t) - PI;
        Frame::new(origin, self.scale[0].lerp(self.scale[1], t), twist, angle)
    }
}

fn circle(form: &VolumeParams, steps: u32) -> Path {
    let ring = Ring::new(form, steps);
    let frame = |t: f64| ring.frame(form, t);
    let sides = f64::from(steps);
    // The steps in between are those of the whole ring, regardless of the cut.
    let first = whole(form.path_begin * sides + SHORTEST_STEP) + 1;
    let between = (first..).map(f64::from).take_while(|step| *step < form.path_end * sides - SHORTEST_STEP);
    let mut frames = Vec::with_capacity(steps as usize + 2);
    frames.push(frame(form.path_begin));
    frames.extend(between.map(|step| frame(step / sides)));
    frames.push(frame(form.path_end));
    let cut = form.path_end - form.path_begin < 1.0;
    Path { frames, open: cut || ring.is_spiral(form) }
}

fn zig_zag(form: &VolumeParams, detail: f64) -> Path {
    let mut path = circle(form, whole(CIRCLE_STEPS * detail));
    for (step, frame) in path.frames.iter_mut().enumerate() {
        frame.origin.x = if step % 2 == 0 { 0.5 } else { -0.5 };
    }
    path
}

fn bent(form: &VolumeParams) -> Path {
    let frame = |step: u32| {
        let t = f64::from(step) / f64::from(BENT_POINTS - 1);
        let angle = PI * form.twist_end * t;
        let origin = DVec3::new(0.0, -angle.sin() * 0.5 * t, lerp(-0.5, angle.cos() * 0.5, t));
        Frame::new(origin, DVec2::ONE.lerp(form.scale, t), 0.0, angle)
    };
    Path { frames: (0..BENT_POINTS).map(frame).collect(), open: true }
}
