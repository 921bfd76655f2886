//! The physics data of a mesh asset, by its blocks.

use super::Representation;
use crate::ledger::facts::MeshFacts;

/// Hulls of a mesh's decomposition: 0 without one, absent where its convex block, or its header, cannot be read.
pub fn decomposition_hulls(mesh: &MeshFacts) -> Option<u32> {
    match &mesh.convex {
        Some(convex) => Some(u32::try_from(convex.hulls.len()).unwrap_or(u32::MAX)),
        None if lists_convex(mesh) || mesh.blocks.is_empty() => None,
        None => Some(0),
    }
}

/// Whether a mesh has a decomposition that is used: hulls with points. The viewer's overlay only asks whether a
/// decomposition record is loaded, which is wrong; the server asks for hulls.
pub fn has_decomposition(mesh: &MeshFacts) -> bool {
    decomposition_hulls(mesh).is_some_and(|hulls| hulls > 0)
}

/// Triangles of a mesh's physics mesh; absent where there is none or it cannot be read.
pub fn physics_triangles(mesh: &MeshFacts) -> Option<u64> {
    let mesh = mesh.physics_mesh.as_ref()?;
    Some(mesh.submeshes.iter().map(|face| face.triangles.len() as u64).sum())
}

/// The physics mesh, or what stands in where the asset has none. A physics mesh that cannot be read or has no
/// triangle is neither: no source says what a server does with it, so it is unknown.
pub(super) fn triangles_or(mesh: &MeshFacts, otherwise: Representation) -> Representation {
    match physics_triangles(mesh) {
        Some(0) => Representation::Unknown,
        Some(_) => Representation::TriangleMesh,
        None if lists_physics_mesh(mesh) || mesh.blocks.is_empty() => Representation::Unknown,
        None => otherwise,
    }
}

/// Whether the header lists a convex block, under either of its names.
pub(crate) fn lists_convex(mesh: &MeshFacts) -> bool {
    lists(mesh, &["physics_convex", "decomposition"])
}

/// Whether the header lists a convex block only under the name that it had before meshes were released. ubODE does not
/// know that name.
pub(crate) fn names_convex_as_before_release(mesh: &MeshFacts) -> bool {
    lists(mesh, &["decomposition"]) && !lists(mesh, &["physics_convex"])
}

/// Whether the header lists a physics mesh, under either of its names.
pub(crate) fn lists_physics_mesh(mesh: &MeshFacts) -> bool {
    lists(mesh, &["physics_mesh", "physics_shape"])
}

/// Whether the header of a mesh lists one of these blocks. A size of 0 means that it is not there.
fn lists(mesh: &MeshFacts, names: &[&str]) -> bool {
    mesh.blocks.iter().any(|block| block.size > 0 && names.contains(&block.name.as_str()))
}
