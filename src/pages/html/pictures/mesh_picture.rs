//! The picture of one mesh: its hulls as bodies, and the triangles of its physics mesh as lines.

use super::wires::{self, Pixel};
use crate::picture::{
    colour::{of_hull, shaded},
    solid::{Body, mean},
    view::View,
};
use glam::{DVec2, DVec3};
use hullmark_analysis::assets::SLIVER_M;
use hullmark_geometry::triangle;
use hullmark_ledger::facts::{ConvexFacts, TriangleMesh};
use std::fmt::Write;

/// Width and height of a picture, and the margin around a drawing. A screen shows half of it.
pub(super) const SIZE: [f64; 2] = [440.0, 360.0];
const MARGIN: f64 = 12.0;
/// Maximum length of the drawing of hulls if there are triangles, of all thin triangles, and of everything, in bytes.
const HULLS: usize = 4_000;
const THIN: usize = 2_000;
const ALL: usize = 7_500;

/// A drawn mesh.
#[derive(Debug)]
pub(super) struct Drawing {
    /// The content of its SVG.
    pub(super) svg: String,
    /// Number of triangles of the physics mesh; `None` without one.
    pub(super) triangles: Option<u64>,
    /// Number of these that are narrower than a sliver.
    pub(super) thin: u64,
    /// Number of drawn hulls of the decomposition.
    pub(super) hulls: usize,
}

/// Whether a mesh has points at the scale of a prim, and all are finite.
pub(super) fn can_be_drawn(
    convex: Option<&ConvexFacts>,
    physics: Option<&TriangleMesh>,
    scale: DVec3,
) -> bool {
    let hulls = convex.and_then(|convex| Some((convex.points.as_ref()?, &convex.hulls)));
    let hulls = hulls.into_iter().flat_map(|(points, sizes)| {
        let all = points.base.iter().chain(points.split(sizes).flatten());
        all.map(|&point| points.domain.point(point) * scale)
    });
    let triangles = physics.into_iter().flat_map(|mesh| triangles(mesh, scale).flatten());
    View::oblique().bounds(hulls.chain(triangles)).is_some()
}

/// Draws a mesh at the scale of a prim. `None` if it cannot be drawn.
pub(super) fn draw(
    convex: Option<&ConvexFacts>,
    physics: Option<&TriangleMesh>,
    scale: DVec3,
) -> Option<Drawing> {
    let physics = physics.filter(|mesh| triangles(mesh, scale).next().is_some());
    let (base, hulls) = bodies(convex, scale)?;
    let corners = base.iter().chain(&hulls).flat_map(|body| body.corners.iter().copied());
    let corners = corners.chain(physics.into_iter().flat_map(|mesh| triangles(mesh, scale).flatten()));
    let sheet = Sheet::new(corners)?;

    let mut svg = String::new();
    // The base hull represents a mesh without a decomposition and without triangles.
    let (shown, around) = match (hulls.as_slice(), physics) {
        ([], None) => (base.as_slice(), None),
        (hulls, _) => (hulls, base.first()),
    };
    let drawn = sheet.draw_hulls(&mut svg, shown, if physics.is_some() { HULLS } else { ALL });
    if let Some(base) = around {
        let outline = sheet.outline(&sheet.view.silhouette(base));
        let _ = write!(svg, "<path class=\"base\" d=\"{outline}\"/>");
    }
    let (mut count, mut thin) = (0_u64, 0_u64);
    if let Some(mesh) = physics {
        let (mut red, mut others) = (Vec::new(), Vec::new());
        for corners in triangles(mesh, scale) {
            count += 1;
            if triangle::width(corners) < SLIVER_M {
                thin += 1;
                // A thin triangle looks like its longest edge.
                red.push(sheet.longest(corners));
            } else {
                others.extend(sheet.edges(corners));
            }
        }
        let red = wires::path(red, THIN, true);
        let room = ALL.saturating_sub(svg.len() + red.len());
        let wires = wires::path(others, room, false);
        for (class, path) in [("wire", wires), ("thin", red)] {
            if !path.is_empty() {
                let _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
            }
        }
    }
    let hulls = if hulls.is_empty() { 0 } else { drawn };
    Some(Drawing { svg, triangles: physics.map(|_| count), thin, hulls })
}

/// Returns the base hull and the hulls of the decomposition, as far as their points are kept. `None` if a corner is not
/// finite.
fn bodies(convex: Option<&ConvexFacts>, scale: DVec3) -> Option<(Vec<Body>, Vec<Body>)> {
    let Some((convex, points)) = convex.and_then(|convex| Some((convex, convex.points.as_ref()?))) else {
        return Some((Vec::new(), Vec::new()));
    };
    let domain = &points.domain;
    let body = |points: &[[u16; 3]]| Body::new(points, domain, scale);
    let base = if points.base.is_empty() { Vec::new() } else { vec![body(&points.base)?] };
    let hulls = points.split(&convex.hulls).enumerate().filter(|(_, points)| !points.is_empty());
    let hulls = hulls.map(|(number, points)| Some(Body { number: Some(number), ..body(points)? }));
    Some((base, hulls.collect::<Option<_>>()?))
}

/// Returns the triangles of a physics mesh at this scale. Anybody may have edited the ledger file, so indices without a
/// point are left out.
fn triangles(mesh: &TriangleMesh, scale: DVec3) -> impl Iterator<Item = [DVec3; 3]> {
    mesh.submeshes.iter().flat_map(move |face| {
        let corner = move |index: u16| Some(face.domain.point(*face.points.get(usize::from(index))?) * scale);
        face.triangles.iter().filter_map(move |&[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]))
    })
}

/// The sheet of a drawing: the oblique view of a box, as large as fits.
struct Sheet {
    view: View,
    middle: DVec2,
    /// Pixels per metre.
    zoom: f64,
}

impl Sheet {
    /// Creates a sheet for these points. `None` without points, or if one is not finite.
    fn new(points: impl Iterator<Item = DVec3>) -> Option<Self> {
        let view = View::oblique();
        let [low, high] = view.bounds(points)?;
        let size = (high - low).max(DVec2::splat(1e-9));
        let zoom = ((DVec2::from_array(SIZE) - 2.0 * MARGIN) / size).min_element();
        Some(Self { view, middle: (low + high) / 2.0, zoom })
    }

    fn pixel(&self, point: DVec2) -> Pixel {
        let from_middle = (point - self.middle) * self.zoom;
        let at = DVec2::from_array(SIZE) / 2.0 + DVec2::new(from_middle.x, -from_middle.y);
        at.to_array().map(|part| part.round() as i16)
    }

    fn edges(&self, corners: [DVec3; 3]) -> [[Pixel; 2]; 3] {
        let [a, b, c] = corners.map(|corner| self.pixel(self.view.project(corner)));
        [[a, b], [b, c], [c, a]]
    }

    /// Returns the longest edge of a triangle.
    fn longest(&self, [a, b, c]: [DVec3; 3]) -> [Pixel; 2] {
        let edges = [[a, b], [b, c], [c, a]];
        let length = |[from, to]: &[DVec3; 2]| from.distance_squared(*to);
        let longest = edges.into_iter().max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or([a, b]);
        longest.map(|corner| self.pixel(self.view.project(corner)))
    }

    /// Returns a closed path.
    fn outline(&self, points: &[DVec2]) -> String {
        let mut path = String::new();
        for (at, letter) in points.iter().zip(std::iter::once('M').chain(std::iter::repeat('L'))) {
            let [x, y] = self.pixel(*at);
            let _ = write!(path, "{letter}{x} {y}");
        }
        path + "z"
    }

    /// Draws faces of hulls. If there are too many, draws the outlines of as many hulls as fit, the largest first.
    /// Returns the number of drawn hulls.
    fn draw_hulls(&self, svg: &mut String, hulls: &[Body], most: usize) -> usize {
        if hulls.is_empty() {
            return 0;
        }
        let path = |points: &[DVec2], number, light| {
            format!("<path fill=\"{}\" d=\"{}\"/>", shaded(of_hull(number), light), self.outline(points))
        };
        let all: Vec<&Body> = hulls.iter().collect();
        let faces = self.view.faces(&all);
        let faces = faces.iter().map(|face| path(&face.outline, hulls[face.body].number, face.shade()));
        let faces: String = faces.collect();
        let (drawn, content) = if faces.len() <= most {
            (hulls.len(), faces)
        } else {
            let mut largest = all;
            largest.sort_by(|a, b| b.volume_m3.total_cmp(&a.volume_m3));
            let mut length = 0;
            let outlines = largest.into_iter().map(|body| {
                let depth = mean(&body.corners).dot(self.view.near);
                (depth, path(&self.view.silhouette(body), body.number, 0.9))
            });
            let mut outlines: Vec<_> = outlines
                .take_while(|(_, path)| {
                    length += path.len();
                    length <= most
                })
                .collect();
            outlines.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            (outlines.len(), outlines.into_iter().map(|(_, path)| path).collect())
        };
        let _ = write!(svg, "<g class=\"hulls\">{content}</g>");
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::mesh::Convex;
    use hullmark_geometry::quantized::Domain;
    use hullmark_ledger::facts::TriangleSubmesh;
    use hullmark_util::work::Work;

    /// Returns a physics mesh: a corner of a wall, and a triangle of 52 / 65535 of the height.
    fn triangles() -> TriangleMesh {
        let points = vec![[0, 0, 0], [65_535, 0, 0], [0, 52, 0], [0, 65_535, 0]];
        let face = TriangleSubmesh { domain: Domain::UNIT, points, triangles: vec![[0, 1, 2], [0, 1, 3]] };
        TriangleMesh { submeshes: vec![face] }
    }

    /// Returns a block with this many cubes in a row.
    fn cubes(count: u16) -> ConvexFacts {
        let corner =
            |cube: u16, bits: u16| [40 * cube + 20 * (bits & 1), 20 * (bits >> 1 & 1), 20 * (bits >> 2)];
        let points = (0..count).flat_map(|cube| (0..8).map(move |bits| corner(cube, bits)));
        let convex = Convex {
            domain: Domain::UNIT,
            base: None,
            hull_sizes: Some(vec![8; count.into()]),
            positions: Some(points.collect()),
        };
        ConvexFacts::new(&convex, None, &mut Work::unlimited())
    }

    #[test]
    fn the_scale_decides_which_triangles_are_thin() {
        let red = |side| {
            let drawing = draw(None, Some(&triangles()), DVec3::splat(side)).unwrap();
            (drawing.triangles, drawing.thin, drawing.svg.contains("class=\"thin\""))
        };
        assert_eq!(red(1.0), (Some(2), 1, true));
        assert_eq!(red(2.0), (Some(2), 0, false));
    }

    #[test]
    fn hulls_are_faces_or_outlines_if_there_are_many() {
        let of = |count| {
            let drawing = draw(Some(&cubes(count)), None, DVec3::ONE).unwrap();
            assert!(drawing.svg.len() < 8_000, "{}", drawing.svg.len());
            (drawing.hulls, drawing.svg.matches("<path").count())
        };
        assert_eq!(of(3), (3, 9), "three faces of each");
        assert_eq!(of(90), (90, 90));
        let (hulls, paths) = of(256);
        assert!(hulls == paths && (100..256).contains(&hulls), "{hulls}");
    }

    #[test]
    fn a_mesh_without_a_finite_point_has_no_picture() {
        let none = |mesh: Option<&TriangleMesh>, scale| {
            let scale = DVec3::splat(scale);
            let is_drawn = draw(None, mesh, scale).is_some();
            assert_eq!(can_be_drawn(None, mesh, scale), is_drawn);
            !is_drawn
        };
        assert!(none(Some(&triangles()), f64::NAN) && none(Some(&triangles()), f64::INFINITY));
        assert!(none(Some(&TriangleMesh::default()), 1.0) && none(None, 1.0));
        assert!(!none(Some(&triangles()), 0.0));
        let mut edited = triangles();
        edited.submeshes[0].triangles.push([0, 1, 9]);
        assert_eq!(draw(None, Some(&edited), DVec3::ONE).unwrap().triangles, Some(2));
    }

    #[test]
    fn a_large_mesh_stays_small() {
        let mut mesh = triangles();
        let face = &mut mesh.submeshes[0];
        face.points = (0..60_000_u32).map(|at| [at, at * 7, at * at].map(|part| part as u16)).collect();
        face.triangles = (0..59_998).map(|at| [at, at + 1, at + 2]).collect();
        let drawing = draw(Some(&cubes(256)), Some(&mesh), DVec3::ONE).unwrap();
        assert!((5_000..8_000).contains(&drawing.svg.len()), "{}", drawing.svg.len());
        assert_eq!(drawing.triangles, Some(59_998));
    }
}
