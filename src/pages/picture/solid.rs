//! A hull as a body in metres.

use glam::DVec3;
use hullmark_geometry::{hull::Hull, quantized::Domain};

/// A hull in metres.
pub struct Body {
    /// Its index in the decomposition. `None` for the base hull.
    pub number: Option<usize>,
    /// Number of stored points.
    pub points: usize,
    pub volume_m3: f64,
    /// Whether it exceeds a limit.
    pub over: bool,
    /// Its corners.
    pub corners: Vec<DVec3>,
    pub facets: Vec<Facet>,
}

/// A flat face. It has no outside if the hull is not a solid.
pub struct Facet {
    pub corners: Vec<DVec3>,
    pub outside: Option<DVec3>,
}

impl Body {
    /// Creates the hull of points at this scale. `None` if a corner is not finite.
    pub fn new(points: &[[u16; 3]], domain: &Domain, scale: DVec3) -> Option<Self> {
        let hull = Hull::in_domain(points, domain);
        let place = |&index: &usize| domain.point(points[index]) * scale;
        let corners: Vec<DVec3> = hull.vertices.iter().map(place).collect();
        if !corners.iter().all(|corner| corner.is_finite()) {
            return None;
        }
        let centre = mean(&corners);
        let facets = hull.facets().into_iter().map(|facet| {
            let corners: Vec<DVec3> = facet.iter().map(place).collect();
            let outside = (hull.rank == 3).then(|| {
                let normal = normal(&corners);
                // A domain with reversed axes turns the hull inside out.
                if normal.dot(mean(&corners) - centre) < 0.0 { -normal } else { normal }
            });
            Facet { corners, outside }
        });
        let facets = facets.collect();
        let volume_m3 = hull.volume(domain) * scale.x * scale.y * scale.z;
        Some(Self { number: None, points: points.len(), volume_m3, over: false, corners, facets })
    }
}

pub fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// Returns the normal of any flat polygon, by Newell's method.
fn normal(corners: &[DVec3]) -> DVec3 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(from, to)| from.cross(*to)).sum::<DVec3>().normalize_or_zero()
}
