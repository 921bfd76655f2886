//! Archives whose findings need a comparison: each one alone is sound.

use super::{File, REGION, SECOND_REGION, asset, mesh_uuid, object};
use crate::support::{
    archive::{Archive, control},
    llsd::Llsd,
    mesh::MeshFile,
    object::Prim,
};

/// Returns a region and a copy of it from the database. They have the same objects. One mesh and one sound were changed
/// under their UUIDs, and one mesh was uploaded again.
pub(super) fn all() -> Vec<File> {
    // A date that no reader uses makes meshes that differ and look alike.
    let mesh = |day: i32| MeshFile::cube().entry("day", Llsd::Int(day)).encode();
    let tree = Prim { mesh: Some(mesh_uuid(80)), physics_shape_type: Some(2), ..Prim::new("Tree", 80) };
    let rock = Prim { mesh: Some(mesh_uuid(81)), physics_shape_type: Some(2), ..Prim::new("Rock", 81) };
    let region = |id: &str| {
        [&tree, &rock].into_iter().fold(Archive::new(&control(id, "256,256")), |archive, prim| {
            let (path, xml) = object(prim);
            archive.add(&path, xml)
        })
    };
    let original =
        region(REGION).add(&asset(80, "mesh.llmesh"), mesh(1)).add(&asset(81, "mesh.llmesh"), mesh(2));
    let original = original.add(&asset(83, "sound.ogg"), ogg("rain"));
    let copy = region(SECOND_REGION)
        .add(&asset(80, "mesh.llmesh"), mesh(3))
        .add(&asset(81, "mesh.llmesh"), mesh(2))
        .add(&asset(82, "mesh.llmesh"), mesh(2))
        .add(&asset(83, "sound.ogg"), ogg("wind"));
    vec![("original.oar".into(), original.gzip()), ("sql-copy.oar".into(), copy.gzip())]
}

/// Returns a page of an Ogg stream with these bytes.
fn ogg(content: &str) -> Vec<u8> {
    [&b"OggS\0\x06"[..], &[0; 20], &[1, content.len() as u8], content.as_bytes()].concat()
}
