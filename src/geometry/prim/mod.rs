//! The surface of a prim, as created by the viewer's volume generator.
//!
//! A profile (a polygon, perhaps cut, perhaps with a hole) is swept along a path (a line or a circle, perhaps cut and
//! twisted). Each step of the path has a copy of the profile. Walls connect the steps, and caps close the ends. Points,
//! their order, the triangles and their diagonals are the viewer's. Computation is in f64, and corners are counted, not
//! summed up. Three things differ:
//!
//! - triangles without area, as at the poles of a sphere, are omitted;
//! - gaps left by the viewer are closed ([`Surface::filled`]): a half circle's flat side off the axis, cuts
//!   below 1 %, ends that almost meet;
//! - a wall that begins or ends within 1e-4 of a corner begins or ends there.
//!
//! For any parameters, a surface has at most 194 × 52 + 2 points, all of them finite.

mod cap;
mod form;
mod outline;
mod path;
#[cfg(test)]
mod tests;

pub use form::{Hole, PathKind, Profile, VolumeParams};

use super::{
    level_of_detail::Detail,
    surface::{Builder, Surface},
};
use cap::{Cap, End};
use outline::Outline;
use path::Path;
use std::f64::consts::FRAC_1_SQRT_2;

/// Maximum number of points of a surface: 194 steps of four twisted revolutions, each with the 52 points of a hollow
/// circle. The centres of two caps are added.
#[cfg(test)]
pub const MOST_POINTS: usize = 194 * 52 + 2;
/// Divisions of a straight wall per unit of detail.
const SPLITS: f64 = 0.66;

/// Creates the surface of a prim in the unit cube, before the part's scale.
pub fn surface(form: &VolumeParams, detail: Detail) -> Surface {
    build(form, detail).finish()
}

/// Returns the distance of a polygon's corners from its centre. Polygons with few sides fill the box about as well as a
/// circle does.
fn reach(sides: u32) -> f64 {
    match sides {
        0..=2 => 1.0,
        4 => FRAC_1_SQRT_2,
        5 => 0.53,
        6 => 0.525,
        _ => 0.5,
    }
}

/// Returns the number of divisions of straight walls, which reduce the distortion of light and texture. Straight prims
/// with a scaled end have none.
fn splits(form: &VolumeParams, detail: f64) -> u32 {
    let straight = !matches!(form.profile, Profile::Circle | Profile::HalfCircle) && form.hole == Hole::Same;
    let scaled = form.scale.to_array() != [1.0; 2];
    if form.path == PathKind::Line && scaled && straight { 0 } else { (detail * SPLITS) as u32 }
}

/// Whether the caps are grids. Only a whole box has them.
fn has_grids(form: &VolumeParams, outline: &Outline) -> bool {
    (form.profile, form.hole, form.path) == (Profile::Square, Hole::Same, PathKind::Line)
        && !outline.hollow
        && outline.ring
        && (form.path_begin, form.path_end) == (0.0, 1.0)
}

fn build(form: &VolumeParams, detail: Detail) -> Builder {
    let (form, detail) = (form.clamped(), detail.factor());
    let split = splits(&form, detail);
    let path = Path::new(&form, detail, split);
    let outline = Outline::new(&form, detail, split);
    let points = path.frames.len() * outline.points.len();
    let mut builder =
        Builder::with_room(points + 2 * outline.points.len(), 2 * points + 2 * outline.points.len());
    walls(&path, &outline, &mut builder);
    caps(&form, &path, &outline, split, &mut builder);
    builder
}

/// Adds the points of all steps, and the walls between them.
fn walls(path: &Path, outline: &Outline, builder: &mut Builder) {
    let width = outline.points.len() as u32;
    for frame in &path.frames {
        for &point in &outline.points {
            builder.point(frame.place(point));
        }
    }
    for step in 0..path.frames.len() as u32 - 1 {
        let (here, there) = (step * width, (step + 1) * width);
        for edge in outline.edges() {
            let corners = [here + edge.from, here + edge.to, there + edge.to, there + edge.from];
            builder.quad(corners, edge.drawn);
        }
    }
}

/// Adds the caps at both ends, unless the path is a closed ring.
fn caps(form: &VolumeParams, path: &Path, outline: &Outline, split: u32, builder: &mut Builder) {
    if !path.open && path.returns() {
        return;
    }
    let last = (path.frames.len() - 1) * outline.points.len();
    for (first, end) in [(0, End::Begin), (last as u32, End::End)] {
        let cap = Cap { outline, first, end, drawn: path.open };
        if has_grids(form, outline) {
            cap.grid(split + 1, builder);
        } else {
            cap.close(builder);
        }
    }
}
