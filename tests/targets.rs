//! Rules whose limits the target sets: the same exports judged for grids with other limits.

use crate::support::{
    audit_for,
    llsd::Llsd,
    mesh::{MeshFile, cube_corners, submesh},
    read_csv, repository,
};
use hullmark::profile::Profile;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What a finding says: severity, measured value, limit, message.
type Told = (String, String, String, String);

/// The findings of this code in a file, for this target.
fn found(profile: &Profile, file: &Path, code: &str) -> Vec<Told> {
    let out = tempfile::tempdir().unwrap();
    audit_for(profile, &[file.to_owned()], out.path(), 1);
    let told = |row: &BTreeMap<String, String>| {
        (row["severity"].clone(), row["measured"].clone(), row["limit"].clone(), row["message"].clone())
    };
    read_csv(&out.path().join("findings.csv")).iter().filter(|row| row["code"] == code).map(told).collect()
}

fn sample(name: &str) -> PathBuf {
    repository().join("sample_data").join(name)
}

fn numbers(told: &[Told]) -> Vec<(&str, &str)> {
    told.iter().map(|(_, measured, limit, _)| (measured.as_str(), limit.as_str())).collect()
}

#[test]
fn opensim_stops_what_is_large_or_has_too_many_parts() {
    let ship = sample("objects/physical-ship-with-a-mast-of-70-metres.xml");
    assert_eq!(found(&Profile::default(), &ship, "PHY004"), []);
    for name in ["opensim-ubode", "opensim-bulletsim"] {
        let mut profile = Profile::load(name).unwrap();
        let large = found(&profile, &ship, "PHY004");
        assert_eq!(numbers(&large), [("70", "64")]);
        assert!(large[0].3.ends_with("link 2, 3"), "{large:?}");
        assert_eq!(found(&profile, &ship, "PHY005"), []);
        profile.physics.max_physical_parts = 3;
        assert_eq!(found(&profile, &ship, "PHY005"), []);
        profile.physics.max_physical_parts = 2;
        assert_eq!(numbers(&found(&profile, &ship, "PHY005")), [("3", "2")]);
        profile.physics.max_physical_side_m = 70.0;
        assert_eq!(found(&profile, &ship, "PHY004"), [], "a side as long as the limit is not above it");
    }
}

#[test]
fn linkset_prims_of_opensim_is_a_warning() {
    let many = sample("objects/linkset-of-256-prims.xml");
    let mut profile = Profile::load("opensim-ubode").unwrap();
    assert_eq!(found(&profile, &many, "LNK002"), []);
    profile.linkability.max_prims = 200;
    let told = found(&profile, &many, "LNK002");
    assert_eq!(numbers(&told), [("256", "200")]);
    assert_eq!(told[0].0, "warning");
}

#[test]
fn opensim_counts_prims_and_second_life_land_impact() {
    let full = sample("regions/full-parcels.oar");
    let mut opensim = Profile::load("opensim-bulletsim").unwrap();
    // A cell of 16 m² holds 22500 / 4096 = 5 prims; the first owner has two of them.
    opensim.land.object_capacity = 22_500;
    assert_eq!(found(&opensim, &full, "CST001"), []);
    assert_eq!(numbers(&found(&opensim, &full, "REG001")), [("6", "5")]);
    opensim.land.object_capacity = 13;
    let region: Vec<_> = found(&opensim, &full, "REG001");
    assert_eq!(numbers(&region).last(), Some(&("14", "13")), "{region:?}");
    assert!(found(&opensim, &full, "CST002").is_empty() && found(&opensim, &full, "PHY009").is_empty());

    let balloon = sample("objects/physical-balloon.xml");
    let mut second_life = Profile::default();
    assert_eq!(found(&second_life, &balloon, "CST001"), []);
    second_life.land.max_object_impact = 20.0;
    assert_eq!(numbers(&found(&second_life, &balloon, "CST001")), [("24", "20")]);
}

#[test]
fn meshes_have_limits_of_their_own() {
    let region = sample("regions/clean-region.oar");
    let bytes = MeshFile::cube().encode().len() as f64;
    let mut profile = Profile::default();
    (profile.meshes.max_bytes, profile.meshes.max_region_bytes) = (bytes, bytes);
    assert_eq!(found(&profile, &region, "MSH007"), []);
    (profile.meshes.max_bytes, profile.meshes.max_region_bytes) = (bytes - 1.0, bytes - 2.0);
    let told = found(&profile, &region, "MSH007");
    let size = bytes.to_string();
    let limits = [(bytes - 1.0).to_string(), (bytes - 2.0).to_string()];
    assert_eq!(numbers(&told), [(&*size, &*limits[0]), (&*size, &*limits[1])]);
}

#[test]
fn ubode_warns_of_a_physics_mesh_of_64_000_indices() {
    let folder = tempfile::tempdir().unwrap();
    let of = |triangles: usize| {
        let face = submesh(&cube_corners(), &vec![[0, 1, 2]; triangles]);
        let mesh = MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![face]));
        let path = folder.path().join(format!("{triangles}.llmesh"));
        fs::write(&path, mesh.encode()).unwrap();
        path
    };
    let ubode = Profile::load("opensim-ubode").unwrap();
    assert_eq!(found(&ubode, &of(21_333), "MSH008"), []);
    assert_eq!(numbers(&found(&ubode, &of(21_334), "MSH008")), [("64002", "64000")]);
    assert_eq!(found(&Profile::default(), &of(21_334), "MSH008"), []);
}
