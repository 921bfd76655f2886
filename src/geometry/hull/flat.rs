//! Hulls of points that do not span a solid.

use super::exact::{Plane, Point, cross, difference};
use crate::polygon;

/// A polygon, a segment, a point or an empty set.
pub struct Flat {
    pub rank: u8,
    /// The extreme points, in order around the plane's normal.
    pub outline: Vec<usize>,
    /// The plane; `None` unless it is a polygon.
    pub plane: Option<Plane>,
}

/// Returns the hull of distinct points in one plane, sorted by coordinates.
pub fn build(sites: &[Point]) -> Flat {
    let (Some(&first), Some(&last)) = (sites.first(), sites.last()) else {
        return Flat { rank: 0, outline: Vec::new(), plane: None };
    };
    if sites.len() == 1 {
        return Flat { rank: 0, outline: vec![0], plane: None };
    }
    // The first and the last of sorted points on a line are its ends.
    let line = difference(last, first);
    let normals = sites.iter().map(|&site| cross(line, difference(site, first)));
    let Some(normal) = normals.into_iter().find(|&normal| normal != [0; 3]) else {
        return Flat { rank: 1, outline: vec![0, sites.len() - 1], plane: None };
    };
    outlined(sites, normal)
}

/// Projects the polygon along the axis nearest to the normal, which preserves its vertices.
fn outlined(sites: &[Point], normal: Point) -> Flat {
    let axis = (0..3).max_by_key(|&axis| normal[axis].abs()).unwrap_or(2);
    let seen = |site: usize| (sites[site][(axis + 1) % 3], sites[site][(axis + 2) % 3]);
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_unstable_by_key(|&site| seen(site));
    let outline = polygon::around(&order, |a, b, c| {
        let (a, b, c) = (seen(a), seen(b), seen(c));
        (b.0 - a.0) * (c.1 - a.1) <= (b.1 - a.1) * (c.0 - a.0)
    });
    let plane = Plane::through([sites[outline[0]], sites[outline[1]], sites[outline[2]]]).reduced();
    Flat { rank: 2, outline, plane: Some(plane) }
}
