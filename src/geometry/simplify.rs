//! Reduces triangles by joining the ends of edges.
//!
//! Each vertex has a quadric: the sum of the squared distances to the planes around it, weighted by their areas. The
//! method is that of Garland and Heckbert, *Surface Simplification Using Quadric Error Metrics*, 1997. In each pass, the edges with the
//! least errors are joined, none of them next to another. A vertex moves to the other end of its edge, so all results
//! are vertices of the input.

use glam::DVec3;
use std::collections::HashMap;

/// Weight of the planes that hold open borders in place, compared with those of triangles.
const BORDER: f64 = 10.0;
/// How far the errors of one pass may exceed the error that would suffice if all edges could be joined.
const DEARER: f64 = 1.5;
/// Most passes. Usual shapes take fewer than twenty.
const MOST_PASSES: usize = 64;
/// A position with more triangles around it stays. This bounds the work on a fan.
const MOST_AROUND: usize = 64;

/// A corner of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Corner {
    /// Index of its position.
    pub position: u32,
    /// The caller's number for its other attributes.
    pub attributes: u32,
}

/// Returns at most `target` of the triangles, or as few as their shape allows. A corner that moves takes the attributes
/// of the end of its edge where its triangle has that edge, and keeps its own elsewhere.
pub fn simplify(positions: &[DVec3], mut triangles: Vec<[Corner; 3]>, target: usize) -> Vec<[Corner; 3]> {
    triangles.retain(|triangle| !is_collapsed(triangle));
    let mut quadrics = quadrics(positions, &triangles);
    for _ in 0..MOST_PASSES {
        let Some(surplus) = triangles.len().checked_sub(target).filter(|&surplus| surplus > 0) else { break };
        let joins = joins(positions, &triangles, &quadrics, surplus);
        if joins.is_empty() {
            break;
        }
        for (&from, &to) in &joins {
            let moved = quadrics[from as usize];
            quadrics[to as usize].add(&moved);
        }
        for triangle in &mut triangles {
            let before = *triangle;
            for corner in triangle.iter_mut() {
                if let Some(&to) = joins.get(&corner.position) {
                    let there = before.iter().find(|other| other.position == to);
                    corner.attributes = there.map_or(corner.attributes, |there| there.attributes);
                    corner.position = to;
                }
            }
        }
        triangles.retain(|triangle| !is_collapsed(triangle));
    }
    triangles
}

fn is_collapsed([a, b, c]: &[Corner; 3]) -> bool {
    a.position == b.position || b.position == c.position || c.position == a.position
}

/// Returns the moves of one pass, from a position to another: the cheapest ones that remove about this many triangles.
fn joins(
    positions: &[DVec3],
    triangles: &[[Corner; 3]],
    quadrics: &[Quadric],
    surplus: usize,
) -> HashMap<u32, u32> {
    let around = Around::new(positions.len(), triangles);
    let cost = |from: u32, to: u32| {
        let mut both = quadrics[from as usize];
        both.add(&quadrics[to as usize]);
        both.error(positions[to as usize])
    };
    let can_move = |from: u32| around.of(from).len() <= MOST_AROUND;
    let mut edges: Vec<(f64, u32, u32)> = undirected(triangles)
        .into_iter()
        .filter_map(|[a, b]| {
            let there = can_move(a).then(|| (cost(a, b), a, b));
            let back = can_move(b).then(|| (cost(b, a), b, a));
            match (there, back) {
                (Some(there), Some(back)) => Some(if back.0 < there.0 { back } else { there }),
                (there, back) => there.or(back),
            }
        })
        .collect();
    edges.sort_by(|(a, a_from, a_to), (b, b_from, b_to)| {
        a.total_cmp(b).then((a_from, a_to).cmp(&(b_from, b_to)))
    });
    // A join removes about two triangles. Later passes find cheaper edges than the dearest of this one.
    let dearest = edges.get(surplus / 2).map_or(f64::INFINITY, |(cost, ..)| cost * DEARER);
    let (mut joins, mut touched, mut removed) = (HashMap::new(), vec![false; positions.len()], 0);
    for (cost, from, to) in edges {
        if removed >= surplus || cost > dearest && !joins.is_empty() {
            break;
        }
        let neighbours = || around.of(from).iter().flat_map(|&at| triangles[at as usize]);
        let is_free = !touched[to as usize] && neighbours().all(|corner| !touched[corner.position as usize]);
        if !is_free || turns_over(positions, triangles, around.of(from), from, to) {
            continue;
        }
        removed += around.of(from).iter().filter(|&&at| has(&triangles[at as usize], to)).count();
        neighbours().for_each(|corner| touched[corner.position as usize] = true);
        joins.insert(from, to);
    }
    joins
}

fn ends([a, b, c]: &[Corner; 3]) -> [[u32; 2]; 3] {
    [[a.position, b.position], [b.position, c.position], [c.position, a.position]]
}

fn has(triangle: &[Corner; 3], position: u32) -> bool {
    triangle.iter().any(|corner| corner.position == position)
}

/// Returns each edge once, with the lower position first, sorted.
fn undirected(triangles: &[[Corner; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(ends).map(|[from, to]| [from.min(to), from.max(to)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Whether a triangle that stays would face the other way.
fn turns_over(positions: &[DVec3], triangles: &[[Corner; 3]], around: &[u32], from: u32, to: u32) -> bool {
    around.iter().map(|&at| &triangles[at as usize]).filter(|triangle| !has(triangle, to)).any(|triangle| {
        let corners = triangle.map(|corner| positions[corner.position as usize]);
        let moved = triangle
            .map(|corner| positions[if corner.position == from { to } else { corner.position } as usize]);
        let (before, after) = (normal(corners), normal(moved));
        before.dot(after) <= 0.25 * before.length() * after.length()
    })
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// The triangles around each position.
struct Around {
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Around {
    fn new(positions: usize, triangles: &[[Corner; 3]]) -> Self {
        let mut starts = vec![0; positions + 1];
        for corner in triangles.iter().flatten() {
            starts[corner.position as usize + 1] += 1;
        }
        for at in 0..positions {
            starts[at + 1] += starts[at];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![0; triangles.len() * 3]);
        for (at, triangle) in triangles.iter().enumerate() {
            for corner in triangle {
                let slot = &mut next[corner.position as usize];
                sorted[*slot as usize] = at as u32;
                *slot += 1;
            }
        }
        Self { starts, triangles: sorted }
    }

    fn of(&self, position: u32) -> &[u32] {
        let position = position as usize;
        &self.triangles[self.starts[position] as usize..self.starts[position + 1] as usize]
    }
}

/// A sum of squared distances to planes, each with a weight.
#[derive(Debug, Clone, Copy, Default)]
struct Quadric {
    /// Products of the normals: xx, xy, xz, yy, yz, zz.
    products: [f64; 6],
    linear: DVec3,
    constant: f64,
}

impl Quadric {
    /// The plane through a point with this normal of length 1.
    fn of_plane(normal: DVec3, point: DVec3, weight: f64) -> Self {
        let distance = -normal.dot(point);
        let DVec3 { x, y, z } = normal;
        Self {
            products: [x * x, x * y, x * z, y * y, y * z, z * z].map(|product| product * weight),
            linear: normal * distance * weight,
            constant: distance * distance * weight,
        }
    }

    fn add(&mut self, other: &Self) {
        self.products.iter_mut().zip(other.products).for_each(|(sum, part)| *sum += part);
        self.linear += other.linear;
        self.constant += other.constant;
    }

    fn error(&self, DVec3 { x, y, z }: DVec3) -> f64 {
        let [xx, xy, xz, yy, yz, zz] = self.products;
        let squares = xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z);
        squares + 2.0 * self.linear.dot(DVec3::new(x, y, z)) + self.constant
    }
}

/// Returns the quadric of each position: of the triangles around it, and of the borders through it.
fn quadrics(positions: &[DVec3], triangles: &[[Corner; 3]]) -> Vec<Quadric> {
    let mut quadrics = vec![Quadric::default(); positions.len()];
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(ends).collect();
    edges.sort_unstable();
    for triangle in triangles {
        let corners = triangle.map(|corner| positions[corner.position as usize]);
        let (area, facing) = (normal(corners).length(), normal(corners).normalize_or_zero());
        let plane = Quadric::of_plane(facing, corners[0], area);
        triangle.iter().for_each(|corner| quadrics[corner.position as usize].add(&plane));
        for [from, to] in ends(triangle) {
            if edges.binary_search(&[to, from]).is_ok() {
                continue;
            }
            let edge = positions[to as usize] - positions[from as usize];
            let across = edge.cross(facing).normalize_or_zero();
            let plane = Quadric::of_plane(across, positions[from as usize], BORDER * edge.length_squared());
            quadrics[from as usize].add(&plane);
            quadrics[to as usize].add(&plane);
        }
    }
    quadrics
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of `side` × `side` cells in the plane z = 0, its corners at whole numbers.
    fn grid(side: u32, height: impl Fn(u32, u32) -> f64) -> (Vec<DVec3>, Vec<[Corner; 3]>) {
        let place = |x: u32, y: u32| y * (side + 1) + x;
        let positions = (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y)));
        let positions =
            positions.map(|(x, y)| DVec3::new(x.into(), y.into(), height(x, y))).collect::<Vec<_>>();
        let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let triangles = cells.flat_map(|(x, y)| {
            let [a, b, c, d] = [place(x, y), place(x + 1, y), place(x + 1, y + 1), place(x, y + 1)]
                .map(|position| Corner { position, attributes: position });
            [[a, b, c], [a, c, d]]
        });
        (positions, triangles.collect())
    }

    fn area(positions: &[DVec3], triangles: &[[Corner; 3]]) -> f64 {
        let area =
            |triangle: &[Corner; 3]| normal(triangle.map(|c| positions[c.position as usize])).length() / 2.0;
        triangles.iter().map(area).sum()
    }

    #[test]
    fn a_plane_keeps_its_outline_with_few_triangles() {
        let (positions, triangles) = grid(16, |_, _| 0.0);
        assert_eq!(triangles.len(), 512);
        for target in [256, 56, 10] {
            let few = simplify(&positions, triangles.clone(), target);
            assert!(few.len() <= target, "{} for {target}", few.len());
            assert!((area(&positions, &few) - 256.0).abs() < 1e-9, "{}", area(&positions, &few));
        }
    }

    #[test]
    fn a_peak_stays_while_plain_ground_goes() {
        let (positions, triangles) = grid(8, |x, y| if (x, y) == (4, 4) { 3.0 } else { 0.0 });
        let few = simplify(&positions, triangles, 30);
        let top =
            few.iter().flatten().map(|corner| positions[corner.position as usize].z).fold(0.0, f64::max);
        assert_eq!((top, few.len() <= 30), (3.0, true));
    }

    #[test]
    fn a_solid_does_not_fall_apart() {
        // A box of eight corners cannot lose any without turning a side over.
        let corners: Vec<DVec3> =
            (0..8).map(|at| DVec3::new((at & 1).into(), (at >> 1 & 1).into(), (at >> 2).into())).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| {
            [[a, b, c], [a, c, d]]
                .map(|triangle: [u32; 3]| triangle.map(|position| Corner { position, attributes: position }))
        });
        let few = simplify(&corners, triangles.collect(), 4);
        assert!(few.len() >= 4 && few.len() <= 12, "{}", few.len());
        assert!(simplify(&corners, Vec::new(), 4).is_empty());
    }

    #[test]
    fn the_result_does_not_depend_on_the_run() {
        let (positions, triangles) = grid(12, |x, y| f64::from(x * y % 7) / 3.0);
        let first = simplify(&positions, triangles.clone(), 60);
        assert!((0..4).all(|_| simplify(&positions, triangles.clone(), 60) == first));
    }
}
