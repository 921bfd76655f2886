//! Models that `inspect --glb` writes of real meshes become the same meshes again.

use crate::support::shared;
use flate2::read::GzDecoder;
use glam::DVec3;
use hullmark_analysis::cost::streaming::{by_radius, bytes_of_upload, level_bytes};
use hullmark_format::mesh::{self, Mesh, Submesh};
use hullmark_ledger::facts::{MeshFacts, ModelPart};
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

/// The points of each hull.
fn hulls(mesh: &Mesh) -> Vec<usize> {
    mesh.convex.iter().flat_map(|convex| convex.hulls().map(<[_]>::len).collect::<Vec<_>>()).collect()
}

/// Size of the part, in metres.
const SIZE: DVec3 = DVec3::new(2.0, 1.0, 3.0);

#[test]
fn a_mesh_that_is_written_as_a_model_comes_back() {
    let Some(shared) = shared() else { return };
    let (limits, profile) = (Limits::default(), Profile::load("second-life").unwrap());
    let (mut all, mut narrow) = (0, 0);
    for archive in ["franzinha-no-textures.oar", "ElfEars.iar"] {
        for (name, bytes) in meshes(&shared.join("data").join(archive)) {
            let (mesh, _) = mesh::decode(&bytes, &limits);
            let before = facts(&bytes, &mesh);
            let view = MeshView::new(&before, SIZE, &profile, Vec::new());
            let model = glb(&mesh, &view).unwrap();
            let file = File { name: "chair.glb", bytes: &model };
            let (upload, _) = Model { file, beside: &[] }.upload(&limits, &mut Work::unlimited());
            let [part] = upload.parts.as_slice() else { panic!("{name}: {} parts", upload.parts.len()) };
            let (again, _) = mesh::decode(&part.asset, &limits);
            let after = facts(&part.asset, &again);
            // A few meshes do not fill the box of their prim.
            assert!(part.size.cmple(SIZE + 1e-4).all(), "{name}: {}", part.size);
            for (level, faces) in mesh.lods.iter().enumerate() {
                assert_eq!(triangles(faces.as_ref()), triangles(again.lods[level].as_ref()), "{name}");
            }
            assert_eq!(
                triangles(mesh.physics_mesh.as_ref()),
                triangles(again.physics_mesh.as_ref()),
                "{name}"
            );
            assert_eq!(hulls(&mesh), hulls(&again), "{name}");
            assert_eq!((before.joints, &name), (after.joints, &name));
            let cost = |facts: &MeshFacts| by_radius(level_bytes(facts), SIZE, &profile.streaming).unwrap();
            let ratio = cost(&after) / cost(&before);
            all += 1;
            assert!((ratio - 1.0).abs() <= 0.02, "{name}: {ratio}");
            let model = ModelPart {
                name: part.name.clone(),
                size: part.size,
                origins: part.origins,
                generated: part.generated,
            };
            let after = MeshFacts { model: Some(model.into()), ..after };
            let range = bytes_of_upload(&after).unwrap();
            let [least, most] = range.map(|bytes| by_radius(bytes, SIZE, &profile.streaming).unwrap());
            assert!((least..=most).contains(&cost(&before)), "{name}: {least} to {most}");
            narrow += usize::from(most <= 1.1 * least);
        }
    }
    assert!(narrow * 100 >= all * 60, "{narrow} of {all} have a range of a tenth");
    assert!(all > 1_000, "{all}");
}
