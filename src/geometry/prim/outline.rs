//! The profile: the outline that is swept along the path.

use super::form::{Hole, Profile, VolumeParams};
use glam::DVec2;
use std::f64::consts::TAU;

/// Sides of a circle at detail 1.
const CIRCLE_SIDES: f64 = 6.0;
/// The viewer treats a profile with at least this part of the circle as uncut.
const WHOLE: f64 = 0.99;
/// A cut within this distance of a corner, in sides, is at the corner.
const AT_CORNER: f64 = 1e-4;
/// Maximum difference between two ways to compute a number.
const NOISE: f64 = 1e-9;
/// Squares and triangles rest on a side: an eighth of a turn back from the corner after the next.
const SQUARE_TURN: f64 = -0.375;
const HALF_TURN: f64 = 0.5;

/// The corners of a profile. They run counter-clockwise around the outside, then back around the hole. Without a hole,
/// a cut profile closes over its centre.
pub(super) struct Outline {
    pub points: Vec<DVec2>,
    /// Number of points on the outside.
    pub outer: usize,
    pub hollow: bool,
    /// Whether the viewer detects a cut and creates walls there.
    pub open: bool,
    /// Whether the outside ends at its beginning.
    pub ring: bool,
}

pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    /// Whether the viewer creates a wall here.
    pub drawn: bool,
}

impl Outline {
    /// Creates the outline of clamped parameters at this factor of detail. `split` is the number of divisions of a
    /// straight side.
    pub fn new(form: &VolumeParams, detail: f64, split: u32) -> Self {
        let hollow = form.hollow > 0.0;
        let outside = Polygon::outside(form, detail, split);
        let left = form.profile_end - form.profile_begin;
        let half = form.profile == Profile::HalfCircle;
        let cut = left * outside.turn < WHOLE;
        let mut points = Vec::with_capacity(64);
        outside.walk(form, 1.0, &mut points);
        let outer = points.len();
        if hollow {
            let (hole, size) = Polygon::hole(form, outside, detail, split);
            hole.walk(form, size, &mut points);
            points[outer..].reverse();
        } else if cut {
            points.push(DVec2::ZERO);
        }
        // The flat side of a whole half circle is the axis of a sphere and needs no wall.
        let open = cut && !(half && !hollow && left >= 1.0);
        Self { points, outer, hollow, open, ring: !half && left > 1.0 - NOISE }
    }

    /// Returns the edges in order. A ring has none at the seams, where its ends meet.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        let all = self.points.len();
        (0..all).filter_map(move |from| {
            let seam = from + 1 == self.outer || from + 1 == all;
            let (from, to) = (from as u32, ((from + 1) % all) as u32);
            (!(seam && self.ring)).then_some(Edge { from, to, drawn: !seam || self.open })
        })
    }
}

/// Part of a regular polygon, or the same number of sides on half of one.
#[derive(Clone, Copy)]
struct Polygon {
    sides: u32,
    /// Position of the beginning, in turns.
    start: f64,
    turn: f64,
    /// Number of divisions of a side.
    split: u32,
}

impl Polygon {
    fn outside(form: &VolumeParams, detail: f64, split: u32) -> Self {
        // The sides of a circle with a square hole match the corners of the hole.
        let square_hole = form.hollow > 0.0 && form.hole == Hole::Square;
        let round = |sides: f64, fit: f64| {
            if square_hole { ((sides / fit).ceil() * fit) as u32 } else { sides as u32 }
        };
        match form.profile {
            Profile::Square => Self { sides: 4, start: SQUARE_TURN, turn: 1.0, split },
            Profile::Isosceles | Profile::Equilateral | Profile::Right => {
                Self { sides: 3, start: 0.0, turn: 1.0, split }
            }
            Profile::Circle => {
                Self { sides: round(CIRCLE_SIDES * detail, 4.0), start: 0.0, turn: 1.0, split: 0 }
            }
            Profile::HalfCircle => {
                let sides = round(CIRCLE_SIDES * detail * 0.5, 2.0);
                Self { sides, start: HALF_TURN, turn: 0.5, split: 0 }
            }
        }
    }

    /// Returns the hole in this outside, and its size. It begins where the outside does.
    fn hole(form: &VolumeParams, outside: Self, detail: f64, split: u32) -> (Self, f64) {
        let half = form.profile == Profile::HalfCircle;
        let round = matches!(form.profile, Profile::Circle | Profile::HalfCircle);
        let straight = |sides: u32| Self { sides, split, ..outside };
        let hole = match form.hole {
            Hole::Same => outside,
            Hole::Circle if round => outside,
            Hole::Circle => Self { sides: (CIRCLE_SIDES * detail) as u32, split: 0, ..outside },
            Hole::Square => straight(if half { 2 } else { 4 }),
            Hole::Triangle => straight(3),
        };
        // The hollow is a part of the bounding box, of which a triangle fills half.
        let size = if round || form.profile == Profile::Square { form.hollow } else { form.hollow / 2.0 };
        (hole, size)
    }

    /// Adds the corners between the beginning and the end of the profile. Points between corners are on the side.
    fn walk(&self, form: &VolumeParams, size: f64, points: &mut Vec<DVec2>) {
        let sides = f64::from(self.sides);
        let first = (form.profile_begin * sides + AT_CORNER).floor();
        let (begin, end) = ((form.profile_begin * sides).max(first), form.profile_end * sides);
        let end = if end - end.floor() <= AT_CORNER { end.floor() } else { end };
        let mut last = self.at(begin) * size;
        points.push(last);
        let corners = (first as u32 + 1..).map(f64::from).take_while(|&corner| corner < end);
        for place in corners.chain([end]) {
            let next = self.at(place) * size;
            let parts = f64::from(self.split + 1);
            points.extend((1..=self.split).map(|part| last.lerp(next, f64::from(part) / parts)));
            points.push(next);
            last = next;
        }
    }

    /// Returns the point after this many sides.
    fn at(&self, sides: f64) -> DVec2 {
        let corner = |number: f64| {
            let turns = number / f64::from(self.sides) * self.turn + self.start;
            DVec2::from_angle(TAU * turns) * super::reach((f64::from(self.sides) / self.turn).round() as u32)
        };
        let before = sides.floor();
        if sides == before {
            corner(before)
        } else {
            corner(before).lerp(corner(before + 1.0), sides - before)
        }
    }
}
