//! The ends of a prim.

use super::outline::Outline;
use crate::surface::Builder;
use glam::{DVec2, DVec3};

/// Twice the area of a triangle whose corners lie on a line, up to rounding.
const ON_EDGE: f64 = 1e-9;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The beginning of the path, which faces backwards.
    Begin,
    End,
}

/// An end to close. The points of its step begin at `first`.
pub(super) struct Cap<'a> {
    pub outline: &'a Outline,
    pub first: u32,
    pub end: End,
    /// Whether the viewer also creates the cap.
    pub drawn: bool,
}

impl Cap<'_> {
    /// Adds the triangles for a hollow, cut or whole profile.
    pub fn close(&self, builder: &mut Builder) {
        if self.outline.hollow {
            self.zip(builder);
        } else if self.outline.open {
            self.fan(builder);
        } else {
            self.wheel(builder);
        }
    }

    /// Adds the cap of a whole box: `parts` squares along each side, each with a diagonal.
    pub fn grid(&self, parts: u32, builder: &mut Builder) {
        let corner = |number: u32| builder.points()[(self.first + number * parts) as usize];
        let (origin, along, across) = (corner(0), corner(1) - corner(0), corner(3) - corner(0));
        let part = |step: u32| f64::from(step) / f64::from(parts);
        let start = builder.points().len() as u32;
        for a in 0..=parts {
            for b in 0..=parts {
                builder.point(origin + along * part(a) + across * part(b));
            }
        }
        for a in 0..parts {
            for b in 0..parts {
                let at = |a: u32, b: u32| start + a * (parts + 1) + b;
                self.add([at(a, b), at(a + 1, b), at(a + 1, b + 1)], self.drawn, builder);
                self.add([at(a, b), at(a + 1, b + 1), at(a, b + 1)], self.drawn, builder);
            }
        }
    }

    fn count(&self) -> u32 {
        self.outline.points.len() as u32
    }

    /// Adds a triangle that is counter-clockwise in the profile.
    fn add(&self, [a, b, c]: [u32; 3], drawn: bool, builder: &mut Builder) {
        builder.triangle(if self.end == End::End { [a, b, c] } else { [a, c, b] }, drawn);
    }

    /// Closes a cut profile: triangles around its last point, which is the centre.
    fn fan(&self, builder: &mut Builder) {
        let centre = self.count() - 1;
        for from in 0..centre - 1 {
            self.add([centre, from, from + 1].map(|corner| self.first + corner), self.drawn, builder);
        }
    }

    /// Closes a whole profile: triangles around the middle of its bounding box.
    fn wheel(&self, builder: &mut Builder) {
        let points = &builder.points()[self.first as usize..(self.first + self.count()) as usize];
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let hub = builder.point((low + high) / 2.0);
        // If the points include the centre of a half circle, the viewer also closes the flat side.
        let has_centre = self.outline.points.len() > self.outline.outer;
        for edge in self.outline.edges() {
            let drawn = self.drawn && (edge.drawn || has_centre);
            self.add([hub, self.first + edge.from, self.first + edge.to], drawn, builder);
        }
    }

    /// Closes a hollow profile: a strip between the outside, from its beginning, and the hole, from its end.
    ///
    /// If both can advance, the viewer advances on the outside, unless the new triangle would cover the next point of
    /// the hole. That point often lies on its edge. Then the viewer's rounding decides, and may create triangles
    /// without area. Here the hole advances.
    fn zip(&self, builder: &mut Builder) {
        let (points, border) = (&self.outline.points, self.outline.outer);
        let (mut outer, mut inner) = (0, points.len() - 1);
        while inner - outer > 1 {
            let on_outside = inner == border
                || (outer + 1 < border
                    && takes_outside([points[outer], points[outer + 1]], [points[inner], points[inner - 1]]));
            let third = if on_outside { outer + 1 } else { inner - 1 };
            self.add([outer, third, inner].map(|corner| self.first + corner as u32), self.drawn, builder);
            if on_outside { outer += 1 } else { inner -= 1 }
        }
    }
}

/// Returns twice the area of a triangle, above 0 if it is counter-clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Whether the strip advances on the outside. Each side is given by its current and its next point.
fn takes_outside(outer: [DVec2; 2], inner: [DVec2; 2]) -> bool {
    let outside = turn(outer[0], outer[1], inner[0]) >= 0.0 && turn(inner[0], outer[1], inner[1]) > ON_EDGE;
    let inside = turn(inner[0], outer[0], inner[1]) >= 0.0 && turn(outer[0], inner[1], outer[1]) >= 0.0;
    outside && (!inside || outer[0].distance_squared(outer[1]) < inner[0].distance_squared(inner[1]))
}
