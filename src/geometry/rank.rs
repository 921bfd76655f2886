//! The dimension of a set of points, computed exactly on the file's own integers.
//!
//! Decoding scales each axis by its own factor, which changes no rank. The exception is a domain that is flat on an
//! axis. Then all points have one coordinate there, for any values in the file.

use super::quantized::Domain;
use glam::I64Vec3;

/// Returns the distinct points, sorted, with 0 on every axis on which `domain` is flat.
pub fn unique(points: &[[u16; 3]], domain: &Domain) -> Vec<[u16; 3]> {
    let flat = domain.min.cmpeq(domain.max);
    let mut unique: Vec<[u16; 3]> = points
        .iter()
        .map(|&[x, y, z]| {
            [if flat.x { 0 } else { x }, if flat.y { 0 } else { y }, if flat.z { 0 } else { z }]
        })
        .collect();
    unique.sort_unstable();
    unique.dedup();
    unique
}

/// Returns the dimension of the points: 0 for at most one, 1 for a line, 2 for a plane, 3 for a solid.
///
/// Differences fit in 17 bits, cross products in 35 and triple products in 53, so `i64` holds all of them.
pub fn dimension(points: &[[u16; 3]]) -> u8 {
    let mut points = points.iter().map(|&[x, y, z]| I64Vec3::new(x.into(), y.into(), z.into()));
    let Some(origin) = points.next() else { return 0 };
    let mut edges = points.map(|point| point - origin);
    let Some(line) = edges.find(|&edge| edge != I64Vec3::ZERO) else { return 0 };
    let Some(normal) = edges.by_ref().map(|edge| line.cross(edge)).find(|&cross| cross != I64Vec3::ZERO)
    else {
        return 1;
    };
    if edges.any(|edge| normal.dot(edge) != 0) { 3 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    const FAR: u16 = u16::MAX;

    #[test]
    fn ranks_are_exact_at_the_ends_of_the_range() {
        assert_eq!(dimension(&[]), 0);
        assert_eq!(dimension(&[[7; 3], [7; 3]]), 0);
        assert_eq!(dimension(&[[0; 3], [FAR; 3], [1; 3]]), 1);
        assert_eq!(dimension(&[[0; 3], [FAR; 3], [FAR, FAR, FAR - 1], [1, 1, 0]]), 2);
        assert_eq!(dimension(&[[0; 3], [FAR; 3], [FAR, FAR, FAR - 1], [FAR - 1, FAR, FAR]]), 3);
        assert_eq!(dimension(&[[FAR, 0, 0], [0, FAR, 0], [0, 0, FAR], [FAR, FAR, FAR]]), 3);
    }

    #[test]
    fn a_flat_axis_merges_points() {
        let domain = Domain { max: DVec3::new(-0.5, 0.5, 0.5), ..Domain::UNIT };
        assert_eq!(unique(&[[9, 1, 1], [3, 1, 1], [0, 0, 2]], &domain), [[0, 0, 2], [0, 1, 1]]);
        assert_eq!(unique(&[[9, 1, 1], [3, 1, 1]], &Domain::UNIT).len(), 2);
    }
}
