//! Builds a prim: its outline swept along its path.

use super::{
    Built, Mesh, hull_of_cloud,
    outline::{Form, Outline},
    path::{Circle, Line, Step, twist},
};
use crate::curve::{FLEXIBLE, HALF_CIRCLE, LINE, PROFILE_MASK, SQUARE};
use hullmark_util::work::{Stopped, Work};

/// The numbers of a prim as stored in its document, without clamping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Solid {
    /// `ProfileCurve`: the outline in the lower nibble, the hole in the upper one.
    pub profile_curve: u8,
    /// `PathCurve`.
    pub path_curve: u8,
    /// Cuts at the beginning and the end of the path, in steps of 2e-5.
    pub path_cut: [u16; 2],
    /// Cuts at the beginning and the end of the profile, in steps of 2e-5.
    pub profile_cut: [u16; 2],
    /// The hollow part, in steps of 2e-5.
    pub hollow: u16,
    pub scale: [u8; 2],
    /// Shear, as signed bytes stored as unsigned.
    pub shear: [u8; 2],
    pub twist: [i8; 2],
    pub taper: [i8; 2],
    pub radius: i8,
    /// Revolutions above 1.
    pub revolutions: u8,
    pub skew: i8,
}

const CUT_STEP: f32 = 2e-5;
/// Minimum length that a cut leaves of an outline, and minimum of its end.
const LEAST_LENGTH: f32 = 0.02;
/// Maximum hollow part.
const MOST_HOLLOW: f32 = 0.95;
/// Number of sides of circles.
const ROUND: usize = 24;
/// Maximum number of vertices of the hull of a prim or sculpt.
const MOST_VERTICES: u32 = 256;

/// Builds the mesh of a prim, or its hull. If the hull cannot be built, the mesh is used.
pub fn prim(solid: &Solid, convex: bool, work: &mut Work) -> Result<Built, Stopped> {
    let Some(mesh) = mesh(solid, convex) else { return Ok(Built::FAILED) };
    finished(mesh, convex, work)
}

/// Returns the figures of a mesh, or of its hull.
pub(super) fn finished(mesh: Mesh, convex: bool, work: &mut Work) -> Result<Built, Stopped> {
    work.charge((mesh.points.len() + mesh.triangles.len()) as u64)?;
    if mesh.points.len() < 3 {
        return Ok(Built::FAILED);
    }
    let hull = if convex { hull_of_cloud(&mesh.points, MOST_VERTICES, work)? } else { None };
    Ok(Built::from_mesh(&hull.unwrap_or(mesh)))
}

/// Returns the mesh of a prim before the cleanup; `None` if the engine fails.
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

/// Adds two triangles for each side of a ring, between this step and the previous one.
fn walls(first: usize, count: usize, width: usize, mesh: &mut Mesh) {
    for side in 0..count {
        let (here, next) = ((first + side) as u32, (first + (side + 1) % count) as u32);
        let below = width as u32;
        mesh.triangles.extend([[here, here - below, next], [next, here - below, next - below]]);
    }
}

/// Returns the parameters of the outline. An unknown profile is a square, and an unknown hole has the sides of the
/// outline. A hull has no holes.
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
    let circular = !matches!(solid.path_curve, LINE | FLEXIBLE);
    Form { sides, hollow_sides, begin: begin.max(0.0), end, hollow, circular }
}

/// Returns the number of the profile; that of a square if it is unknown.
fn profile(curve: u8) -> u8 {
    let profile = curve & PROFILE_MASK;
    if profile > HALF_CIRCLE { SQUARE } else { profile }
}

/// Returns the steps of the path, and whether caps close its ends.
fn path(solid: &Solid) -> (Vec<Step>, bool) {
    let hundredth = |raw: i8| 0.01 * f32::from(raw);
    let begin = f32::from(solid.path_cut[0]) * CUT_STEP;
    let end = 1.0 - f32::from(solid.path_cut[1]) * CUT_STEP;
    let shear = solid.shear.map(|raw| f32::from(raw.cast_signed()) * 0.01);
    if matches!(solid.path_curve, LINE | FLEXIBLE) {
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
