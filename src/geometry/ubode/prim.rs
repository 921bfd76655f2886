//! A prim: its outline swept along its path.

use super::{
    Built, Mesh, hull_of_cloud,
    outline::{Form, Outline},
    path::{Circle, Line, Step, twist},
};
use crate::util::work::{Stopped, Work};

/// The numbers of a prim as its document states them; nothing is clamped yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Solid {
    /// `ProfileCurve`: the outline in the lower half, the hole in the upper half.
    pub profile_curve: u8,
    /// `PathCurve`.
    pub path_curve: u8,
    /// Cuts and hollow, in steps of 2e-5: begin and end of the path, of the profile, and the hollow.
    pub path_cut: [u16; 2],
    /// The same of the profile.
    pub profile_cut: [u16; 2],
    /// How much is hollow.
    pub hollow: u16,
    /// Scale of the end, or of the section.
    pub scale: [u8; 2],
    /// Shear, a signed byte stored as unsigned.
    pub shear: [u8; 2],
    /// Twist of the beginning and the end.
    pub twist: [i8; 2],
    /// Taper.
    pub taper: [i8; 2],
    /// Radius offset.
    pub radius: i8,
    /// Revolutions above 1.
    pub revolutions: u8,
    /// Skew.
    pub skew: i8,
}

/// A step of begin, end and hollow.
const CUT_STEP: f32 = 2e-5;
/// What a cut leaves at least of an outline, and the least of its end.
const LEAST_LENGTH: f32 = 0.02;
/// The most that is hollow.
const MOST_HOLLOW: f32 = 0.95;
/// Sides of circles.
const ROUND: usize = 24;
/// Vertices of the hull of a prim or sculpt.
const MOST_VERTICES: u32 = 256;

const STRAIGHT: u8 = 16;
const FLEXIBLE: u8 = 128;
const HALF_CIRCLE: u8 = 5;

/// The mesh of a prim, or the hull of it. A hull that cannot be built leaves the mesh.
///
/// # Errors
/// Where the work does not suffice.
pub fn prim(solid: &Solid, convex: bool, work: &mut Work) -> Result<Built, Stopped> {
    let Some(mesh) = mesh(solid, convex) else { return Ok(Built::FAILED) };
    finished(mesh, convex, work)
}

/// The figures of a mesh, or of its hull.
pub(super) fn finished(mesh: Mesh, convex: bool, work: &mut Work) -> Result<Built, Stopped> {
    work.charge((mesh.points.len() + mesh.triangles.len()) as u64)?;
    if mesh.points.len() < 3 {
        return Ok(Built::FAILED);
    }
    let hull = if convex { hull_of_cloud(&mesh.points, MOST_VERTICES, work)? } else { None };
    Ok(Built::from_mesh(&hull.unwrap_or(mesh)))
}

/// The mesh of a prim before it is cleaned up; `None` where the engine fails.
fn mesh(solid: &Solid, convex: bool) -> Option<Mesh> {
    let outline = Outline::new(&outline_form(solid, convex))?;
    let (steps, capped) = path(solid);
    let mut mesh = Mesh::default();
    let width = outline.points.len();
    for (number, step) in steps.iter().enumerate() {
        let first = mesh.points.len();
        mesh.points.extend(outline.points.iter().map(|&point| step.place(point)));
        // A path of a single step has both of its caps there.
        let ends = usize::from(number == 0) + usize::from(number + 1 == steps.len());
        if capped && !step.is_flat() {
            for _ in 0..ends {
                let shifted = |triangle: &[u32; 3]| triangle.map(|corner| corner + first as u32);
                mesh.triangles.extend(outline.cap.iter().map(shifted));
            }
        }
        if number > 0 {
            for (begin, count) in outline.rings() {
                walls(first + begin, count, width, &mut mesh);
            }
        }
    }
    Some(mesh)
}

/// Two triangles for each side of a ring, between this step and the one before.
fn walls(first: usize, count: usize, width: usize, mesh: &mut Mesh) {
    for side in 0..count {
        let (here, next) = ((first + side) as u32, (first + (side + 1) % count) as u32);
        let below = width as u32;
        mesh.triangles.extend([[here, here - below, next], [next, here - below, next - below]]);
    }
}

/// The outline. A profile or hole that does not exist is a square or none of its own. A hull has no holes.
fn outline_form(solid: &Solid, convex: bool) -> Form {
    let profile = profile(solid.profile_curve);
    let begin = f32::from(solid.profile_cut[0]) * CUT_STEP;
    let end = (1.0 - f32::from(solid.profile_cut[1]) * CUT_STEP).max(LEAST_LENGTH);
    let begin = if begin >= end { end - LEAST_LENGTH } else { begin };
    // Half a circle is the second half of a whole one.
    let (begin, end) =
        if profile == HALF_CIRCLE { (0.5 * begin + 0.5, 0.5 * end + 0.5) } else { (begin, end) };
    let sides = match profile {
        2..=4 => 3,
        0 | HALF_CIRCLE => ROUND,
        _ => 4,
    };
    let hollow_sides = match solid.profile_curve >> 4 {
        1 => ROUND,
        2 => 4,
        3 if profile == HALF_CIRCLE => 6,
        3 => 3,
        _ => sides,
    };
    let hollow = if convex { 0.0 } else { (f32::from(solid.hollow) * CUT_STEP).min(MOST_HOLLOW) };
    let circular = !matches!(solid.path_curve, STRAIGHT | FLEXIBLE);
    Form { sides, hollow_sides, begin: begin.max(0.0), end, hollow, circular }
}

/// The number of the profile; a square where there is no such profile.
fn profile(curve: u8) -> u8 {
    let profile = curve & 0x0f;
    if profile > HALF_CIRCLE { 1 } else { profile }
}

/// The steps of the path, and whether its ends are closed by caps.
fn path(solid: &Solid) -> (Vec<Step>, bool) {
    let hundredth = |raw: i8| 0.01 * f32::from(raw);
    let begin = f32::from(solid.path_cut[0]) * CUT_STEP;
    let end = 1.0 - f32::from(solid.path_cut[1]) * CUT_STEP;
    let shear = solid.shear.map(|raw| f32::from(raw.cast_signed()) * 0.01);
    if matches!(solid.path_curve, STRAIGHT | FLEXIBLE) {
        let [twist_begin, twist_end] = solid.twist.map(|raw| twist(raw, 0.01));
        let taper = solid.scale.map(|raw| (f32::from(raw) - 100.0) * 0.01);
        return (Line { begin, end, twist_begin, twist_end, shear, taper }.steps(), true);
    }
    let [width, height] = solid.scale.map(|raw| (200.0 - f32::from(raw)) * 0.01);
    let sphere = profile(solid.profile_curve) == HALF_CIRCLE;
    let circle = Circle {
        begin,
        end,
        revolutions: 1.0 + 0.015 * f32::from(solid.revolutions),
        twist: twist(solid.twist[0], 0.02),
        shear,
        taper: solid.taper.map(hundredth),
        section: [width, if sphere { height.clamp(0.01, 1.0) } else { height }],
        skew: hundredth(solid.skew),
        radius: hundredth(solid.radius),
    };
    (circle.steps(), !circle.is_closed())
}
