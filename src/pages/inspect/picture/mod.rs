//! The hulls of a mesh as a picture: from three sides and obliquely, all at the same scale, with a legend.
//!
//! [`picture`](crate::picture) makes a body of each hull and projects it, and [`svg`] writes the picture.

mod svg;

use super::mesh::MeshView;
use crate::picture::solid::Body;
use glam::DVec3;
use hullmark_format::mesh::Mesh;
use hullmark_settings::profile::Hulls;

/// Maximum number of drawn hulls. With more, the picture would show nothing.
const DRAWN: usize = 512;

/// The content of the picture, in metres.
struct Picture<'a> {
    name: &'a str,
    scale: DVec3,
    base: Option<Body>,
    /// The drawn hulls of the decomposition.
    hulls: Vec<Body>,
    /// Number of all hulls.
    all: usize,
    limits: &'a Hulls,
}

/// Returns the picture as SVG. `None` if there is nothing to draw, or if a number of the domain is not finite.
pub fn draw(mesh: &Mesh, view: &MeshView, limits: &Hulls) -> Option<String> {
    let convex = mesh.convex.as_ref()?;
    let (name, scale) = (view.name.as_str(), DVec3::from_array(view.scale_m));
    let body = |points: &[[u16; 3]]| Body::new(points, &convex.domain, scale);
    let base = match convex.base.as_deref() {
        Some(points) if !points.is_empty() => {
            let over = points.len() > limits.max_vertices as usize;
            Some(Body { over, ..body(points)? })
        }
        _ => None,
    };
    let hulls = convex.hulls().enumerate().filter(|(_, points)| !points.is_empty()).take(DRAWN);
    let hulls = hulls.map(|(number, points)| {
        let over = points.len() > limits.max_vertices as usize || number >= limits.max_hulls as usize;
        Some(Body { number: Some(number), over, ..body(points)? })
    });
    let hulls: Vec<Body> = hulls.collect::<Option<_>>()?;
    let all = convex.hulls().count();
    (base.is_some() || !hulls.is_empty())
        .then(|| svg::svg(&Picture { name, scale, base, hulls, all, limits }))
}
