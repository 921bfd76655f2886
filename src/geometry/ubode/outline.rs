//! The outline that is swept along the path: its corners, and the triangles that close an end.

use super::path::Turn;
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Distance of the corners of a square from its centre; other outlines have a half.
const SQUARE_REACH: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Angles that differ by less count as equal when a cap is triangulated, in turns.
const SAME_ANGLE: f32 = 1e-6;
/// An outline that leaves less than this is cut.
const WHOLE: f32 = 0.9999;
/// A hollow up to this has no inner wall, but its cap has a hole.
const LEAST_HOLLOW: f32 = 0.001;

#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Number of sides of the whole outline.
    pub sides: usize,
    /// Number of sides of its hole.
    pub hollow_sides: usize,
    /// Beginning and end, in turns.
    pub begin: f32,
    pub end: f32,
    /// Size of the hole, as stored in the part.
    pub hollow: f32,
    pub circular: bool,
}

pub(super) struct Outline {
    /// The corners: the centre first if caps are fans, then the outer ones, then those of the hole in reverse.
    pub points: Vec<Vec3>,
    pub cap: Vec<[u32; 3]>,
    /// Number of outer corners.
    outer: usize,
    /// Number of corners of the hole.
    inner: usize,
    /// Whether the outline is cut, so that the walls include the cut.
    cut: bool,
    walled: bool,
}

/// A corner on the unit circle, or on the chord between two.
#[derive(Clone, Copy)]
struct Corner {
    /// The angle, in turns.
    at: f32,
    x: f32,
    y: f32,
}

impl Outline {
    /// Creates the outline; `None` if the engine fails.
    pub fn new(form: &Form) -> Option<Self> {
        let cut = form.end - form.begin < WHOLE;
        let (hollow, turn) = fitted(form);
        let outer = corners(form.sides, form.begin, form.end, cut)?;
        let reach = if form.sides == 4 { SQUARE_REACH } else { 0.5 };
        let place =
            |corner: &Corner, size: f32| Vec3::new(corner.x * reach * size, corner.y * reach * size, 0.0);
        // A whole polygon needs no centre.
        let plain = form.sides < 5 && hollow <= 0.0 && !cut;
        let mut points = Vec::new();
        if hollow <= 0.0 && !plain {
            points.push(Vec3::ZERO);
        }
        points.extend(outer.iter().map(|corner| place(corner, 1.0)));
        let mut inner = Vec::new();
        if hollow > 0.0 {
            inner = corners(form.hollow_sides, form.begin, form.end, cut)?;
            points.extend(inner.iter().rev().map(|corner| place(corner, hollow)));
        }
        let cap = match (hollow > 0.0, plain) {
            (true, _) => ring(&outer, &inner, cut),
            (false, true) => fan_of_corners(form.sides),
            (false, false) => fan_of_centre(outer.len(), cut),
        };
        if let Some(turn) = turn {
            points.iter_mut().for_each(|point| *point = turn.apply(*point));
        }
        let walled = form.hollow > LEAST_HOLLOW;
        Some(Self { points, cap, outer: outer.len(), inner: inner.len(), cut, walled })
    }

    /// Returns the rings of corners that form walls along the path, as first corner and number.
    pub fn rings(&self) -> Vec<(usize, usize)> {
        if self.cut {
            return vec![(0, self.points.len())];
        }
        // The centre of a fan is not part of a wall.
        let first = usize::from(self.points.len() > 5 && !self.walled);
        let mut rings = vec![(first, self.outer)];
        if self.walled {
            rings.push((first + self.outer, self.inner));
        }
        rings
    }
}

/// Returns the size of the hole adapted to the outline, and the rotation of the outline.
fn fitted(form: &Form) -> (f32, Option<Turn>) {
    let square_hole = form.hollow_sides == 4;
    let limited = if square_hole && (form.sides == 3 || form.circular && form.sides > 4) {
        form.hollow.min(0.7)
    } else {
        form.hollow
    };
    let hollow = match form.sides {
        3 if square_hole => limited * 0.707,
        3 => limited * 0.5,
        4 if !square_hole => limited * 0.707,
        4 => limited,
        _ if square_hole && form.circular => limited / 0.7,
        24 if square_hole => limited * 1.414,
        _ => limited,
    };
    let angle = match (form.circular, form.sides) {
        (true, 4) => Some(0.25 * PI),
        (true, _) => Some(PI),
        (false, 4) => Some(1.25 * PI),
        (false, _) => None,
    };
    (hollow, angle.map(Turn::about_z))
}

/// Returns the corners of a regular polygon from `begin` to `end`, in turns. A cut through a side ends on that side.
fn corners(sides: usize, begin: f32, end: f32, cut: bool) -> Option<Vec<Corner>> {
    let (begin, end) = (begin * TAU * (0.5 / PI), end * TAU * (0.5 / PI));
    if end <= begin {
        return None;
    }
    let first = (begin * sides as f32) as usize;
    if !cut {
        return Some((first..sides).map(|step| corner(step, sides)).collect());
    }
    let mut last = if end < 1.0 { (end * sides as f32) as usize + 1 } else { sides };
    last += usize::from(last == first);
    if last > sides {
        return None;
    }
    let mut corners: Vec<Corner> = (first..=last).map(|step| corner(step, sides)).collect();
    if begin > 0.0 {
        corners[0] = between(begin, *corners.first()?, *corners.get(1)?);
    }
    if end < 1.0 {
        let last = corners.len() - 1;
        corners[last] = between(end, *corners.get(last.checked_sub(1)?)?, corners[last]);
    }
    Some(corners)
}

/// Returns a corner of a regular polygon.
fn corner(step: usize, sides: usize) -> Corner {
    let (sin, cos) = (std::f64::consts::TAU * step as f64 / sides as f64).sin_cos();
    // Corners on an axis are exactly on it.
    let exact = |number: f64| if number.abs() < 1e-9 { 0.0 } else { number as f32 };
    Corner { at: step as f32 / sides as f32, x: exact(cos), y: exact(sin) }
}

/// Returns the point of a side at an angle, as if the angle grew evenly along the side.
fn between(at: f32, from: Corner, to: Corner) -> Corner {
    let part = (at - from.at) / (to.at - from.at);
    Corner { at, x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) }
}

/// Returns the cap of a triangle or square.
fn fan_of_corners(sides: usize) -> Vec<[u32; 3]> {
    if sides == 3 { vec![[0, 1, 2]] } else { vec![[0, 1, 2], [0, 2, 3]] }
}

/// Returns a cap around the centre.
fn fan_of_centre(corners: usize, cut: bool) -> Vec<[u32; 3]> {
    let corners = corners as u32;
    let closing = (!cut).then_some([0, corners, 1]);
    (1..corners).map(|corner| [0, corner, corner + 1]).chain(closing).collect()
}

/// Returns a cap with a hole: triangles between the two rings of corners, with the inner one in reverse.
fn ring(outer: &[Corner], inner: &[Corner], cut: bool) -> Vec<[u32; 3]> {
    match outer.len().cmp(&inner.len()) {
        std::cmp::Ordering::Equal => even_ring(outer.len() as u32, cut),
        std::cmp::Ordering::Less => ring_with_more_inside(outer, inner, cut),
        std::cmp::Ordering::Greater => ring_with_more_outside(outer, inner, cut),
    }
}

/// Returns two triangles for each side of two rings with equal numbers of corners.
fn even_ring(corners: u32, cut: bool) -> Vec<[u32; 3]> {
    let all = 2 * corners;
    let mut cap = Vec::new();
    for here in 0..corners - 1 {
        cap.extend([[here, here + 1, all - here - 1], [here + 1, all - here - 2, all - here - 1]]);
    }
    if !cut {
        cap.extend([[corners - 1, 0, corners], [0, all - 1, corners]]);
    }
    cap
}

/// Whether the next corner of the other ring is at least as near as the previous one.
fn passed(next: f32, here: f32, before: f32) -> bool {
    next - here < here - before + SAME_ANGLE
}

/// Returns a triangle for each corner of the hole, and one for each side of the outline that is passed.
fn ring_with_more_inside(outer: &[Corner], inner: &[Corner], cut: bool) -> Vec<[u32; 3]> {
    let all = (outer.len() + inner.len()) as u32;
    let last = outer.len() - 1;
    let mut cap = Vec::new();
    let (mut side, mut done) = (0, inner.len());
    for (step, corner) in inner.iter().enumerate() {
        let back = all - step as u32;
        if side < last {
            if passed(outer[side + 1].at, corner.at, outer[side].at) {
                cap.push([back - 1, side as u32, side as u32 + 1]);
                side += 1;
            }
        } else if passed(1.0, corner.at, outer[side].at) {
            done = step;
            break;
        }
        cap.push([side as u32, back - 2, back - 1]);
    }
    if cut {
        return cap;
    }
    let first_inner = outer.len() as u32;
    if done == inner.len() {
        cap.push([first_inner, last as u32, 0]);
    } else {
        // The loop ended here, so the last side of the outline is passed.
        cap.push([all - done as u32 - 1, last as u32, 0]);
        cap.extend((done..inner.len() - 1).map(|step| [0, all - step as u32 - 2, all - step as u32 - 1]));
    }
    cap.push([0, all - 1, first_inner]);
    cap
}

/// Returns a triangle for each corner of the outline, and one for each side of the hole that is passed.
fn ring_with_more_outside(outer: &[Corner], inner: &[Corner], cut: bool) -> Vec<[u32; 3]> {
    let all = (outer.len() + inner.len()) as u32;
    let last = inner.len() - 1;
    let mut cap = Vec::new();
    let mut side = 0;
    for (step, corner) in outer.iter().enumerate() {
        let (here, back) = (step as u32, all - side as u32);
        if side < last && passed(inner[side + 1].at, corner.at, inner[side].at) {
            cap.push([here, back - 2, back - 1]);
            side += 1;
        }
        cap.push([all - side as u32 - 1, here, here + 1]);
    }
    if !cut {
        let (end, first_inner) = (outer.len() - 1, all - last as u32 - 1);
        if passed(inner[0].at, outer[end].at, inner[last].at) {
            cap.push([0, all - 1, first_inner]);
        }
        cap.push([first_inner, end as u32, 0]);
    }
    cap
}
