//! A surface of triangles, and its builder.

use super::{triangle, weld::Welder};
use glam::DVec3;

/// A narrower triangle counts as a line and is omitted. In units of the part.
const THINNEST: f64 = 1e-9;

/// Triangles over distinct points, in the unit cube of a part before its scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// The corners, each once; all are in use.
    pub points: Vec<DVec3>,
    /// Triangles as indices of points, counter-clockwise from outside, without those that have no area.
    pub triangles: Vec<[u32; 3]>,
    /// Number of triangles at the end of the list that only close gaps left by the viewer.
    pub filled: usize,
}

impl Surface {
    /// Returns the triangles that the viewer also creates.
    pub fn drawn(&self) -> &[[u32; 3]] {
        &self.triangles[..self.triangles.len() - self.filled]
    }

    pub fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|number| self.points[number as usize])
    }

    /// Returns the enclosed volume: positive if the surface is closed and faces outward.
    #[cfg(test)]
    pub fn volume(&self) -> f64 {
        let six_fold = |&numbers: &[u32; 3]| {
            let [a, b, c] = self.corners(numbers);
            a.dot(b.cross(c))
        };
        self.triangles.iter().map(six_fold).sum::<f64>() / 6.0
    }

    /// Returns the area of all triangles, in units of the cube.
    #[cfg(test)]
    pub fn area(&self) -> f64 {
        area(&self.points, &self.triangles)
    }
}

fn area<'t>(points: &[DVec3], triangles: impl IntoIterator<Item = &'t [u32; 3]>) -> f64 {
    let corners = |numbers: &[u32; 3]| numbers.map(|number| points[number as usize]);
    // The sum of nothing would be −0.
    triangles.into_iter().map(corners).map(triangle::area).fold(0.0, |sum, area| sum + area)
}

/// A surface under construction. Points may coincide, and triangles may be lines.
#[derive(Default)]
pub(super) struct Builder {
    points: Vec<DVec3>,
    drawn: Vec<[u32; 3]>,
    filled: Vec<[u32; 3]>,
}

impl Builder {
    /// Creates a builder with this capacity.
    pub fn with_room(points: usize, triangles: usize) -> Self {
        Self { points: Vec::with_capacity(points), drawn: Vec::with_capacity(triangles), filled: Vec::new() }
    }

    /// Adds a point and returns its index.
    pub fn point(&mut self, point: DVec3) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    /// Returns the points so far.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Adds a triangle. `drawn` is whether the viewer also creates it.
    pub fn triangle(&mut self, corners: [u32; 3], drawn: bool) {
        if drawn { self.drawn.push(corners) } else { self.filled.push(corners) }
    }

    /// Adds the two triangles of a quad, split from its first to its third corner.
    pub fn quad(&mut self, [a, b, c, d]: [u32; 4], drawn: bool) {
        self.triangle([a, c, d], drawn);
        self.triangle([a, b, c], drawn);
    }

    /// Returns the area of all triangles, in units of the cube.
    pub fn area(&self) -> f64 {
        area(&self.points, self.drawn.iter().chain(&self.filled))
    }

    /// Merges equal points, and removes triangles without area.
    pub fn finish(self) -> Surface {
        let mut surface = self.weld();
        let Surface { points, triangles, filled } = &mut surface;
        let wide =
            |numbers: &[u32; 3]| triangle::width(numbers.map(|number| points[number as usize])) > THINNEST;
        let drawn = triangles.len() - *filled;
        *filled = triangles[drawn..].iter().filter(|numbers| wide(numbers)).count();
        triangles.retain(wide);
        drop_unused(points, triangles);
        surface
    }

    /// Merges equal points. Triangles with a repeated corner are removed, but lines are kept, so that each edge has its
    /// opposite.
    pub fn weld(self) -> Surface {
        let mut welder = Welder::with_room(self.points.len());
        let numbers: Vec<u32> = self.points.iter().map(|&point| welder.number(point)).collect();
        let renumber = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| numbers[corner as usize]);
            (a != b && b != c && c != a).then_some([a, b, c])
        };
        let mut triangles: Vec<[u32; 3]> = self.drawn.iter().filter_map(renumber).collect();
        let drawn = triangles.len();
        triangles.extend(self.filled.iter().filter_map(renumber));
        let filled = triangles.len() - drawn;
        Surface { points: welder.into_points(), triangles, filled }
    }
}

fn drop_unused(points: &mut Vec<DVec3>, triangles: &mut [[u32; 3]]) {
    const UNUSED: u32 = u32::MAX;
    let mut numbers = vec![UNUSED; points.len()];
    triangles.iter().flatten().for_each(|&corner| numbers[corner as usize] = 0);
    let mut kept = 0;
    for old in 0..points.len() {
        if numbers[old] != UNUSED {
            numbers[old] = kept;
            points[kept as usize] = points[old];
            kept += 1;
        }
    }
    points.truncate(kept as usize);
    triangles.iter_mut().flatten().for_each(|corner| *corner = numbers[*corner as usize]);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Returns the maximum count of a directed edge; `None` unless each edge occurs as often as its opposite.
    pub fn closed(triangles: &[[u32; 3]]) -> Option<u32> {
        let mut edges: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        for &[a, b, c] in triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.entry((from, to)).or_default().0 += 1;
                edges.entry((to, from)).or_default().1 += 1;
            }
        }
        edges.values().try_fold(0, |most, &(there, back)| (there == back).then_some(most.max(there)))
    }

    #[test]
    fn lines_and_unused_points_are_left_out() {
        let mut builder = Builder::with_room(5, 2);
        for point in [DVec3::splat(9.0), DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X * 0.5] {
            builder.point(point);
        }
        builder.triangle([1, 2, 3], true);
        builder.triangle([1, 2, 4], false);
        let surface = builder.finish();
        assert_eq!((surface.points.len(), surface.filled), (3, 0));
        assert_eq!(surface.drawn(), [[0, 1, 2]]);
        assert_eq!(surface.area(), 0.5);
    }
}
