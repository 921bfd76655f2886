//! Outlines of the ground above a height, as SVG paths.

use std::{collections::BTreeMap, fmt::Write};

/// Units of a path along each side of the region.
pub(super) const UNITS: f64 = 256.0;

/// Heights on a square, eastward, then northward. Unknown heights are below all others.
#[derive(Debug, Clone)]
pub(super) struct Heights {
    pub(super) side: usize,
    pub(super) heights: Vec<f64>,
}

impl Heights {
    /// Returns the outline of all ground that is at least this high. East is right and north is up, from 0 to
    /// [`UNITS`].
    pub(super) fn outline(&self, level: f64) -> String {
        let mut path = String::new();
        let mut next = self.segments(level);
        while let Some((start, mut edge)) = next.pop_first() {
            let mut ring = vec![self.crossing(start, level)];
            // An outline leaves each edge that it enters, so a ring ends at its start.
            while edge != start {
                ring.push(self.crossing(edge, level));
                let Some(following) = next.remove(&edge) else { break };
                edge = following;
            }
            write_ring(&mut path, ring);
        }
        path
    }

    /// Returns heights with half as many samples along each side: the means of the known ones.
    pub(super) fn halved(&self) -> Self {
        let side = (self.side / 2).max(1);
        let mean = |at: usize| {
            let [x, y] = [2 * (at % side), 2 * (at / side)];
            let four = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
            let known = four.map(|(x, y)| self.at(x, y)).into_iter().filter(|height| height.is_finite());
            let known: Vec<f64> = known.collect();
            match known.len() {
                0 => f64::NEG_INFINITY,
                count => known.iter().sum::<f64>() / count as f64,
            }
        };
        Self { side, heights: (0..side * side).map(mean).collect() }
    }

    fn at(&self, x: usize, y: usize) -> f64 {
        let [x, y] = [x, y].map(|at| at.min(self.side.saturating_sub(1)));
        self.heights.get(y * self.side + x).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// Number of points along each side: the samples, the borders of the region, and a ring outside of it.
    fn points(&self) -> usize {
        self.side + 4
    }

    /// Returns the height of a point. The borders have the height of the next sample.
    fn point(&self, x: usize, y: usize) -> f64 {
        let last = self.points() - 1;
        match [x, y].iter().any(|&at| at == 0 || at == last) {
            true => f64::NEG_INFINITY,
            false => self.at(x.saturating_sub(2), y.saturating_sub(2)),
        }
    }

    /// Returns the place of a point along a side. Points outside of the region are on its border.
    fn place(&self, at: usize) -> f64 {
        let cells = at as f64 - 1.5;
        (cells * UNITS / self.side as f64).clamp(0.0, UNITS)
    }

    /// Returns the edges that the outline crosses, each with the following one. The ground above is on the left.
    ///
    /// An edge leads from a point eastward (even numbers) or northward (odd numbers).
    fn segments(&self, level: f64) -> BTreeMap<usize, usize> {
        let points = self.points();
        let edge = |x: usize, y: usize, north: bool| 2 * (y * points + x) + usize::from(north);
        let mut next = BTreeMap::new();
        let row = |y: usize| (0..points).map(|x| self.point(x, y) >= level).collect::<Vec<bool>>();
        let mut south = row(0);
        for y in 0..points - 1 {
            let north = row(y + 1);
            for x in 0..points - 1 {
                // Counterclockwise. Each edge follows the corner of its number.
                let above = [south[x], south[x + 1], north[x + 1], north[x]];
                if above.iter().all(|&corner| corner == above[0]) {
                    continue;
                }
                let edges =
                    [edge(x, y, false), edge(x + 1, y, true), edge(x, y + 1, false), edge(x, y, true)];
                for leaves in (0..4).filter(|&corner| above[corner] && !above[(corner + 1) % 4]) {
                    // Back along the corners above, to the edge where they begin.
                    let begins = (0..4).map(|back| (leaves + 4 - back) % 4).find(|&corner| !above[corner]);
                    next.extend(begins.map(|enters| (edges[leaves], edges[enters])));
                }
            }
            south = north;
        }
        next
    }

    /// Returns the point of an edge at this level.
    fn crossing(&self, edge: usize, level: f64) -> [i32; 2] {
        let (point, north) = (edge / 2, edge % 2);
        let [x, y] = [point % self.points(), point / self.points()];
        let (to_x, to_y) = (x + 1 - north, y + north);
        let (from, to) = (self.point(x, y), self.point(to_x, to_y));
        let share = match (from.is_finite(), to.is_finite()) {
            (true, true) => (level - from) / (to - from),
            (from, _) => f64::from(u8::from(!from)),
        };
        let between = |from: usize, to: usize| {
            let [from, to] = [from, to].map(|at| self.place(at));
            (from + share * (to - from)).round() as i32
        };
        [between(x, to_x), between(y, to_y)]
    }
}

/// Writes a closed ring, without points on a straight line.
fn write_ring(path: &mut String, ring: Vec<[i32; 2]>) {
    let mut corners: Vec<[i32; 2]> = Vec::new();
    for point in ring {
        while let [.., before, last] = corners[..]
            && is_straight(before, last, point)
        {
            corners.pop();
        }
        if corners.last() != Some(&point) {
            corners.push(point);
        }
    }
    // The ring may begin on a straight line, too.
    while let [first, .., before, last] = corners[..]
        && (first == last || is_straight(before, last, first))
    {
        corners.pop();
    }
    while let [first, second, .., last] = corners[..]
        && is_straight(last, first, second)
    {
        corners.remove(0);
    }
    let [first, _, _, ..] = corners[..] else { return };
    let mut from = first;
    let _ = write!(path, "M{} {}l", from[0], from[1]);
    for point in corners.into_iter().skip(1) {
        let [x, y] = [point[0] - from[0], point[1] - from[1]];
        // A minus separates, too.
        let blank = |number: i32| if number < 0 { "" } else { " " };
        let _ = write!(path, "{}{x}{}{y}", blank(x), blank(y));
        from = point;
    }
    path.push('z');
}

fn is_straight(a: [i32; 2], b: [i32; 2], c: [i32; 2]) -> bool {
    (b[0] - a[0]) * (c[1] - b[1]) == (b[1] - a[1]) * (c[0] - b[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(side: usize, height: impl Fn(usize, usize) -> f64) -> Heights {
        Heights { side, heights: (0..side * side).map(|at| height(at % side, at / side)).collect() }
    }

    #[test]
    fn ground_that_is_all_above_fills_the_region() {
        assert_eq!(heights(64, |_, _| 21.0).outline(20.0), "M0 0l 256 0 0 256-256 0z");
        assert_eq!(heights(64, |_, _| 19.0).outline(20.0), "");
        assert_eq!(heights(0, |_, _| 0.0).outline(20.0), "");
    }

    #[test]
    fn the_outline_is_between_the_samples() {
        // It rises 1 m each 16 units. The west border is at the height of the first sample.
        let slope = heights(16, |x, _| x as f64);
        assert_eq!(slope.outline(7.5), "M256 0l 0 256-128 0 0-256z");
        // One sample above: a diamond that reaches half way to the next samples, 8 units.
        let hill = heights(16, |x, y| if (x, y) == (7, 7) { 2.0 } else { 0.0 });
        assert_eq!(hill.outline(1.0), "M120 112l 8 8-8 8-8-8z");
        let hole = heights(16, |x, y| if (x, y) == (7, 7) { 0.0 } else { 2.0 });
        assert_eq!(hole.outline(1.0).matches('z').count(), 2, "the border, and the hole in it");
    }

    #[test]
    fn unknown_heights_are_outside_of_each_outline() {
        let known = heights(4, |x, _| if x == 0 { f64::NEG_INFINITY } else { 5.0 });
        assert_eq!(known.outline(5.0), "M96 0l 160 0 0 256-160 0z");
        assert_eq!(known.halved().heights, [5.0; 4]);
    }

    #[test]
    fn opposite_corners_stay_apart() {
        let saddle = heights(2, |x, y| if x == y { 2.0 } else { 0.0 });
        assert_eq!(saddle.outline(1.0).matches('z').count(), 2);
    }
}
