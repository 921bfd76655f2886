//! The physics data of a mesh asset, by its blocks.

use super::Representation;
use hullmark_ledger::facts::MeshFacts;

/// Returns the number of hulls in a mesh's decomposition: 0 if there is none, `None` if its convex block or header is
/// unreadable.
pub fn decomposition_hulls(mesh: &MeshFacts) -> Option<u32> {
    match &mesh.convex {
        Some(convex) => Some(u32::try_from(convex.hulls.len()).unwrap_or(u32::MAX)),
        None if lists_convex(mesh) || mesh.blocks.is_empty() => None,
        None => Some(0),
    }
}

/// Whether a mesh has a usable decomposition: hulls with points. The viewer's overlay only checks whether a
/// decomposition record is loaded, which is wrong; the server checks for hulls.
pub fn has_decomposition(mesh: &MeshFacts) -> bool {
    decomposition_hulls(mesh).is_some_and(|hulls| hulls > 0)
}

/// Returns the number of triangles in a mesh's physics mesh; `None` if it is missing or unreadable.
pub fn physics_triangles(mesh: &MeshFacts) -> Option<u64> {
    let mesh = mesh.physics_mesh.as_ref()?;
    Some(mesh.submeshes.iter().map(|face| face.triangles.len() as u64).sum())
}

/// Returns the physics mesh, or `otherwise` if the asset has none. An unreadable physics mesh, or one without
/// triangles, is unknown: no source states what a server does with it.
pub(super) fn triangles_or(mesh: &MeshFacts, otherwise: Representation) -> Representation {
    match physics_triangles(mesh) {
        Some(0) => Representation::Unknown,
        Some(_) => Representation::TriangleMesh,
        None if lists_physics_mesh(mesh) || mesh.blocks.is_empty() => Representation::Unknown,
        None => otherwise,
    }
}

/// Whether the header lists a convex block, under either of its names.
pub fn lists_convex(mesh: &MeshFacts) -> bool {
    lists(mesh, &["physics_convex", "decomposition"])
}

/// Whether the header lists a convex block only under the name from before the release of meshes. ubODE does not use
/// that name.
pub fn names_convex_as_before_release(mesh: &MeshFacts) -> bool {
    lists(mesh, &["decomposition"]) && !lists(mesh, &["physics_convex"])
}

/// Whether the header lists a physics mesh, under either of its names.
pub fn lists_physics_mesh(mesh: &MeshFacts) -> bool {
    lists(mesh, &["physics_mesh", "physics_shape"])
}

/// Whether the header of a mesh lists one of these blocks. A block of size 0 counts as missing.
fn lists(mesh: &MeshFacts, names: &[&str]) -> bool {
    mesh.blocks.iter().any(|block| block.size > 0 && names.contains(&block.name.as_str()))
}
