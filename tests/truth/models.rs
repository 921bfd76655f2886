//! Models that `inspect --glb` writes of real meshes become the same meshes again.

use crate::support::shared;
use flate2::read::GzDecoder;
use glam::DVec3;
use hullmark_analysis::cost::streaming::{by_radius, level_bytes};
use hullmark_format::mesh::{self, Mesh, Submesh};
use hullmark_ledger::facts::MeshFacts;
use hullmark_model::{File, Model};
use hullmark_pages::{gltf::glb, inspect::mesh::MeshView};
use hullmark_settings::{limits::Limits, profile::Profile};
use hullmark_util::work::Work;
use std::{collections::BTreeMap, io::Read};
use tar::Archive;

/// Returns the mesh assets of an archive, each once.
fn meshes(archive: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let file = std::fs::File::open(archive).unwrap();
    let mut archive = Archive::new(GzDecoder::new(file));
    let mut meshes = BTreeMap::new();
    for member in archive.entries().unwrap() {
        let mut member = member.unwrap();
        let name = member.path().unwrap().to_string_lossy().into_owned();
        if name.ends_with("_mesh.llmesh") {
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            meshes.insert(name.rsplit('/').next().unwrap().into(), bytes);
        }
    }
    meshes
}

fn facts(bytes: &[u8], mesh: &Mesh) -> MeshFacts {
    MeshFacts::new("chair.llmesh".into(), None, bytes, mesh, &mut Work::unlimited())
}

/// Returns the number of triangles of the faces that have any.
fn triangles(faces: Option<&Vec<Submesh>>) -> Vec<usize> {
    let faces = faces.into_iter().flatten().map(|face| face.triangles.len());
    faces.filter(|&triangles| triangles > 0).collect()
}

#[test]
fn a_mesh_that_is_written_as_a_model_comes_back() {
    let Some(shared) = shared() else { return };
    let (limits, profile) = (Limits::default(), Profile::load("second-life").unwrap());
    let mut all = 0;
    for archive in ["franzinha-no-textures.oar", "ElfEars.iar"] {
        for (name, bytes) in meshes(&shared.join("data").join(archive)) {
            let (mesh, _) = mesh::decode(&bytes, &limits);
            let before = facts(&bytes, &mesh);
            let view = MeshView::new(&before, DVec3::new(2.0, 1.0, 3.0), &profile, Vec::new());
            let Ok(model) = glb(&mesh, &view) else {
                println!("{name} not drawn");
                continue;
            };
            let file = File { name: "chair.glb", bytes: &model };
            let (upload, defects) = Model { file, beside: &[] }.upload(&limits, &mut Work::unlimited());
            let Some(part) = upload.parts.first() else {
                println!("{name} {defects:?}");
                continue;
            };
            let (again, _) = mesh::decode(&part.asset, &limits);
            let after = facts(&part.asset, &again);
            all += 1;
            let same: Vec<bool> = (0..4)
                .map(|l| triangles(mesh.lods[l].as_ref()) == triangles(again.lods[l].as_ref()))
                .collect();
            let verts = |m: &Mesh| -> Vec<usize> {
                m.lods.iter().map(|l| l.iter().flatten().map(|f| f.positions.len()).sum()).collect()
            };
            let hulls = |m: &Mesh| -> Vec<usize> {
                m.convex.iter().flat_map(|c| c.hulls().map(<[_]>::len).collect::<Vec<_>>()).collect()
            };
            let cost =
                |f: &MeshFacts| by_radius(level_bytes(f), DVec3::new(2.0, 1.0, 3.0), &profile.streaming);
            println!(
                "{name} same {same:?} phys {} hulls {} verts {:?} {:?} bytes {:?} {:?} cost {:?} parts {} {:?}",
                triangles(mesh.physics_mesh.as_ref()) == triangles(again.physics_mesh.as_ref()),
                hulls(&mesh) == hulls(&again),
                verts(&mesh),
                verts(&again),
                level_bytes(&before),
                level_bytes(&after),
                cost(&after).zip(cost(&before)).map(|(a, b)| a / b),
                upload.parts.len(),
                defects.iter().map(|d| &d.kind).collect::<Vec<_>>()
            );
        }
    }
    panic!("{all}");
}
