//! Collision meshes as ubODE's mesher builds them (OpenSimulator 0.9.2.2, `ubODEMeshmerizer`).
//!
//! The physics cost follows from two figures of the built mesh: the number of remaining triangles, and their box. The
//! mesher builds in the unit cube and scales afterwards, so both figures depend on the shape and not on the size of a
//! part. All arithmetic is in f32, as in the mesher, because coinciding corners decide which triangles remain.

mod farthest;
mod hull;
mod outline;
mod path;
mod prim;
mod sculpt;
#[cfg(test)]
mod tests;

pub use hull::{hull, hull_of_cloud};
pub use prim::{Solid, prim};
pub(super) use sculpt::samples;
pub use sculpt::{reduced, sculpt};

use glam::{DVec3, Vec3};
use hullmark_util::json_number;
use serde::{Deserialize, Serialize};

/// Decimals to which corners are rounded before they are compared.
const DECIMALS: f64 = 1e6;
/// Minimum side of the box around a mesh: half of it is at least half a millimetre.
const LEAST_SIDE: f64 = 0.001;
/// Minimum side of a part that is scaled, in metres.
const LEAST_SCALE: f64 = 0.01;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Built {
    /// Triangles with three different corners; 0 if the engine fails to build the mesh.
    pub triangles: u32,
    /// Sides of the box around these triangles, in the unit cube.
    #[serde(with = "json_number::vector")]
    pub size: DVec3,
}

/// Corners and triangles before they are cleaned up.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    pub points: Vec<Vec3>,
    /// Triangles, each as three indices of corners.
    pub triangles: Vec<[u32; 3]>,
}

impl Built {
    /// A mesh that the engine fails to build, so that nothing collides.
    pub const FAILED: Self = Self { triangles: 0, size: DVec3::ZERO };

    /// Rounds the corners to six decimals and drops triangles with two equal corners. The engine also merges equal
    /// corners, which changes neither figure.
    pub fn from_mesh(mesh: &Mesh) -> Self {
        let corners = |&triangle: &[u32; 3]| {
            let corner = |index: u32| mesh.points.get(index as usize).map(|&point| rounded(point, DECIMALS));
            let [a, b, c] = triangle.map(corner);
            Some([a?, b?, c?])
        };
        Self::from_corners(mesh.triangles.iter().filter_map(corners))
    }

    /// Computes the figures of triangles with rounded corners.
    fn from_corners(triangles: impl Iterator<Item = [Vec3; 3]>) -> Self {
        let (mut count, mut low, mut high) = (0, Vec3::MAX, Vec3::MIN);
        for corners @ [a, b, c] in triangles {
            if a == b || a == c || b == c {
                continue;
            }
            count += 1;
            for corner in corners {
                // In this order, NaN coordinates are ignored.
                (low, high) = (corner.min(low), corner.max(high));
            }
        }
        let size = (high - low).as_dvec3().max(DVec3::splat(LEAST_SIDE));
        if count == 0 { Self::FAILED } else { Self { triangles: count, size } }
    }

    /// Computes the figures of triangles given by their corners.
    pub fn from_triangles(triangles: impl Iterator<Item = [Vec3; 3]>) -> Self {
        Self::from_corners(triangles.map(|corners| corners.map(|corner| rounded(corner, DECIMALS))))
    }

    pub fn failed(&self) -> bool {
        self.triangles == 0
    }

    /// Returns the number of triangle indices.
    pub fn indices(&self) -> f64 {
        3.0 * f64::from(self.triangles)
    }

    /// Returns the sides of the box at a part's scale, in metres.
    pub fn size_at(&self, scale: DVec3) -> DVec3 {
        // Not `DVec3::max`, which would turn NaN into the minimum side.
        let at_least = |side: f64, least: f64| if side < least { least } else { side };
        let side = |unit: f64, scale: f64| at_least(unit * at_least(scale, LEAST_SCALE), LEAST_SIDE);
        DVec3::new(side(self.size.x, scale.x), side(self.size.y, scale.y), side(self.size.z, scale.z))
    }
}

/// Rounds every coordinate, with halves to the even digit.
fn rounded(point: Vec3, decimals: f64) -> Vec3 {
    point.map(|number| ((f64::from(number) * decimals).round_ties_even() / decimals) as f32)
}
