//! The hulls of a mesh as a picture: from three sides and obliquely, all in one scale, with a legend.
//!
//! [`solid`] makes a body of each hull, [`view`] shows bodies from a side, [`svg`] writes what is seen.

mod solid;
mod svg;
mod view;

use crate::{format::mesh::Convex, settings::profile::Hulls};
use glam::DVec3;
use solid::Body;

/// Hulls that are drawn. More are a flaw in a mesh that nobody could see through.
const DRAWN: usize = 512;

/// Everything that is drawn, in metres.
struct Picture<'a> {
    name: &'a str,
    scale: DVec3,
    base: Option<Body>,
    /// The hulls of the decomposition, as far as they are drawn.
    hulls: Vec<Body>,
    /// How many there are.
    all: usize,
    limits: &'a Hulls,
}

/// The picture as SVG; nothing where there is nothing to draw, or its domain is not of finite numbers.
pub(super) fn draw(name: &str, convex: &Convex, scale: DVec3, limits: &Hulls) -> Option<String> {
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
