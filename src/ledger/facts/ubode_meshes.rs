//! Properties of the mesh that OpenSimulator's ubODE builds from a mesh asset. They do not depend on the size of a
//! part.

use crate::facts::TriangleMesh;
use glam::Vec3;
use hullmark_format::mesh::Convex;
use hullmark_geometry::{
    quantized::Domain,
    ubode::{Built, Mesh, hull},
};
use hullmark_util::work::{Stopped, Work};

/// Builds the base hull as ubODE does; `None` if the work limit is reached, or the domain is not finite.
pub(super) fn base_hull(convex: &Convex, work: &mut Work) -> Option<Built> {
    let points = convex.base.as_deref().unwrap_or_default();
    let mut mesh = Mesh::default();
    add_hull(points, &convex.domain, &mut mesh, work).ok()?;
    known(Built::from_mesh(&mesh), &convex.domain)
}

/// Builds the decomposition as ubODE does: all of its hulls in one mesh. The mesh is empty if the sizes of the hulls do
/// not add up to the number of stored points.
pub(super) fn decomposition(convex: &Convex, work: &mut Work) -> Option<Built> {
    let stated: u64 = convex.hull_sizes.iter().flatten().map(|&size| u64::from(size)).sum();
    let stored = convex.positions.as_ref().map_or(0, Vec::len) as u64;
    let mut mesh = Mesh::default();
    if stated == stored {
        for points in convex.hulls() {
            add_hull(points, &convex.domain, &mut mesh, work).ok()?;
        }
    }
    known(Built::from_mesh(&mesh), &convex.domain)
}

/// Builds a physics mesh as ubODE does.
pub fn physics_mesh(mesh: &TriangleMesh) -> Built {
    Built::from_triangles(mesh.submeshes.iter().flat_map(|face| {
        let corner = |index: u16| Some(point(&face.domain, *face.points.get(usize::from(index))?));
        face.triangles.iter().filter_map(move |&[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]))
    }))
}

/// Adds a hull: nothing for fewer than three points, one triangle for three, else the convex hull if it can be built.
fn add_hull(points: &[[u16; 3]], domain: &Domain, mesh: &mut Mesh, work: &mut Work) -> Result<(), Stopped> {
    if points.len() < 3 {
        return Ok(());
    }
    let points: Vec<Vec3> = points.iter().map(|&quantised| point(domain, quantised)).collect();
    let triangles = if points.len() == 3 { Some(vec![[0, 1, 2]]) } else { hull(&points, None, work)? };
    if let Some(triangles) = triangles {
        let first = mesh.points.len() as u32;
        mesh.triangles.extend(triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        mesh.points.extend(points);
    }
    Ok(())
}

/// Decodes a point in f32, as ubODE does.
fn point(domain: &Domain, quantised: [u16; 3]) -> Vec3 {
    let (min, max) = (domain.min.as_vec3(), domain.max.as_vec3());
    let step = (max - min) * (1.0 / 65_535.0);
    Vec3::from_array(quantised.map(f32::from)) * step + min
}

fn known(built: Built, domain: &Domain) -> Option<Built> {
    let is_known =
        domain.min.as_vec3().is_finite() && domain.max.as_vec3().is_finite() && built.size.is_finite();
    is_known.then_some(built)
}
