//! Projects bodies to a side: flat shapes, the farthest first.

use super::solid::{Body, mean};
use glam::{DVec2, DVec3};
use hullmark_geometry::polygon;

/// A direction of view, without perspective.
pub struct View {
    pub title: &'static str,
    /// The direction to the right in the picture.
    pub right: DVec3,
    /// The direction upwards in the picture.
    pub up: DVec3,
    /// The direction towards the viewer.
    pub near: DVec3,
    /// Names of the axes to the right and upwards. `None` for an oblique view.
    pub axes: Option<[&'static str; 2]>,
}

/// Returns the directions of view, in the order of the panels. x points east, y north, z up.
pub(crate) fn views() -> [View; 4] {
    let straight = |title, right, up, near, axes| View { title, right, up, near, axes: Some(axes) };
    [
        straight("Front, from the south", DVec3::X, DVec3::Z, DVec3::NEG_Y, ["x", "z"]),
        straight("Side, from the east", DVec3::Y, DVec3::Z, DVec3::X, ["y", "z"]),
        straight("Top", DVec3::X, DVec3::Y, DVec3::Z, ["x", "y"]),
        View::oblique(),
    ]
}

/// A projected face.
pub struct Face {
    /// Index of its body.
    pub body: usize,
    pub outline: Vec<DVec2>,
    /// Amount of light on it, 0 to 1.
    light: f64,
    depth: f64,
}

impl Face {
    /// Returns the brightness of its color: shade keeps most of it.
    pub fn shade(&self) -> f64 {
        0.62 + 0.38 * self.light
    }
}

impl View {
    /// Returns the oblique view, which shows three sides.
    pub(crate) fn oblique() -> Self {
        let near = DVec3::new(0.5, -0.8, 0.5).normalize();
        let right = DVec3::Z.cross(near).normalize();
        Self { title: "From the south-east and above", right, up: near.cross(right), near, axes: None }
    }

    pub fn project(&self, point: DVec3) -> DVec2 {
        DVec2::new(point.dot(self.right), point.dot(self.up))
    }

    /// Returns the faces of bodies that are turned towards the viewer, the farthest first.
    pub fn faces(&self, bodies: &[&Body]) -> Vec<Face> {
        // Light comes over the left shoulder of the viewer.
        let sun = (self.near + 0.6 * self.up - 0.4 * self.right).normalize();
        let mut faces = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            for facet in &body.facets {
                if facet.outside.is_some_and(|outside| outside.dot(self.near) < 1e-9) {
                    continue;
                }
                faces.push(Face {
                    body: number,
                    outline: facet.corners.iter().map(|&corner| self.project(corner)).collect(),
                    light: facet.outside.map_or(1.0, |outside| outside.dot(sun).max(0.0)),
                    depth: mean(&facet.corners).dot(self.near),
                });
            }
        }
        // The sort is stable, so equal depths keep the order of the file.
        faces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        faces
    }

    /// Returns the outline of a body.
    pub(crate) fn silhouette(&self, body: &Body) -> Vec<DVec2> {
        let mut points: Vec<DVec2> = body.corners.iter().map(|&corner| self.project(corner)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        polygon::around(&points, |a, b, point| (b - a).perp_dot(point - a) <= 0.0)
    }

    /// Returns the lower left and upper right corner of points. `None` without points, or if one is not finite.
    pub fn bounds(&self, points: impl Iterator<Item = DVec3>) -> Option<[DVec2; 2]> {
        let mut bounds: Option<[DVec2; 2]> = None;
        for point in points {
            let point = self.project(point);
            let [low, high] = bounds.unwrap_or([point; 2]);
            if !point.is_finite() {
                return None;
            }
            bounds = Some([low.min(point), high.max(point)]);
        }
        bounds
    }
}

/// Returns a visible point of a body: the middle of its largest face whose middle is not hidden. Segments and points
/// hide nothing. `None` if every middle is hidden.
pub fn seen(faces: &[Face], body: usize) -> Option<DVec2> {
    let own = faces.iter().enumerate().filter(|(_, face)| face.body == body);
    let middles = own.map(|(number, face)| (number, middle(&face.outline), area(&face.outline)));
    let free =
        middles.filter(|&(number, at, _)| !faces[number + 1..].iter().any(|face| holds(&face.outline, at)));
    // Of equal faces, the first wins.
    free.reduce(|best, next| if next.2 > best.2 { next } else { best }).map(|(_, at, _)| at)
}

pub fn middle(outline: &[DVec2]) -> DVec2 {
    outline.iter().sum::<DVec2>() / outline.len().max(1) as f64
}

/// Returns the sides of an outline, each with its two ends.
fn sides(outline: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    outline.iter().copied().zip(outline.iter().copied().cycle().skip(1))
}

fn area(outline: &[DVec2]) -> f64 {
    sides(outline).map(|(from, to)| from.perp_dot(to)).sum::<f64>().abs() / 2.0
}

/// Whether a point is inside a convex outline.
fn holds(outline: &[DVec2], point: DVec2) -> bool {
    let mut turns = sides(outline).map(|(from, to)| (to - from).perp_dot(point - from));
    let first = turns.next().unwrap_or(0.0);
    outline.len() > 2 && turns.all(|turn| turn * first > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_geometry::quantized::Domain;

    fn cube(scale: DVec3) -> Body {
        let corner = |bits: u16, bit: u16| if bits & bit == 0 { 0 } else { u16::MAX };
        let points: Vec<_> = (0..8).map(|i| [corner(i, 1), corner(i, 2), corner(i, 4)]).collect();
        Body::new(&points, &Domain::UNIT, scale).unwrap()
    }

    #[test]
    fn a_box_has_one_face_to_each_side_and_three_to_a_corner() {
        let body = cube(DVec3::new(4.0, 2.0, 1.0));
        assert!((body.volume_m3 - 8.0).abs() < 1e-9);
        let seen: Vec<usize> = views().iter().map(|view| view.faces(&[&body]).len()).collect();
        assert_eq!(seen, [1, 1, 1, 3]);
        let around: Vec<usize> = views().iter().map(|view| view.silhouette(&body).len()).collect();
        assert_eq!(around, [4, 4, 4, 6]);
        let sizes = views().map(|view| {
            let [low, high] = view.bounds(body.corners.iter().copied()).unwrap();
            high - low
        });
        assert_eq!(sizes[..3], [DVec2::new(4.0, 1.0), DVec2::new(2.0, 1.0), DVec2::new(4.0, 2.0)]);
    }

    #[test]
    fn near_faces_come_last() {
        let (near, far) = (cube(DVec3::ONE), cube(DVec3::splat(0.1)));
        let depths: Vec<usize> = views()[0].faces(&[&near, &far]).iter().map(|face| face.body).collect();
        assert_eq!(depths, [1, 0], "the face of the greater one is nearer");
    }

    #[test]
    fn a_name_is_at_the_visible_place_of_its_body() {
        let (near, far) = (cube(DVec3::ONE), cube(DVec3::splat(0.1)));
        let faces = views()[0].faces(&[&near, &far]);
        assert_eq!(seen(&faces, 0), Some(DVec2::ZERO));
        assert_eq!(seen(&faces, 1), None);
    }

    #[test]
    fn axes_are_right_handed() {
        for view in views() {
            assert!((view.right.cross(view.up) - view.near).length() < 1e-12, "{}", view.title);
        }
    }
}
