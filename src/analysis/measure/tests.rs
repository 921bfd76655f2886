//! Linksets and meshes to measure, for tests here and elsewhere.

use super::{ObjectMeasures, measure_object};
use crate::{assets::Assets, cost::Cost, physics_shape::tests::mesh_part};
use hullmark_format::{
    mesh::{Block, LODS},
    object::{Linkset, Part},
};
use hullmark_ledger::facts::{MeshFacts, ObjectFacts};
use hullmark_settings::profile::Profile;

pub fn object(parts: Vec<Part>) -> ObjectFacts {
    ObjectFacts::rezzed(Linkset { parts, document_in_link_order: true, ..Linkset::default() })
}

pub fn on(grid: &str, parts: Vec<Part>, mesh: Option<&MeshFacts>) -> ObjectMeasures {
    let mesh = mesh.map(|mesh| MeshFacts { uuid: mesh_part().mesh(), ..mesh.clone() });
    measure_object(&object(parts), &Assets::new(&mesh, []), &Profile::load(grid).unwrap())
}

/// Measures a linkset of these parts in Second Life, without assets.
pub fn measured(parts: Vec<Part>) -> ObjectMeasures {
    on("second-life", parts, None)
}

/// Measures a linkset of these parts in Second Life, with this mesh.
pub fn with_mesh(parts: Vec<Part>, mesh: &MeshFacts) -> ObjectMeasures {
    on("second-life", parts, Some(mesh))
}

/// Returns a mesh whose levels of detail have these sizes, lowest first.
pub fn sized(sizes: [i64; 4], mut mesh: MeshFacts) -> MeshFacts {
    let block = |(name, size): (&str, i64)| Block { name: name.into(), offset: 0, size, inflated: None };
    mesh.blocks = LODS.into_iter().zip(sizes).map(block).collect();
    mesh
}

/// Asserts that a cost has this value, with a tolerance of 10⁻⁶.
pub fn close(a: Cost, b: f64) {
    assert!(a.value().is_some_and(|a| (a - b).abs() <= 1e-6), "{a:?} is not {b}");
}
