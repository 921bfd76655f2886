//! Turns facts of objects and meshes into the numbers of a row.
//!
//! No finding is evaluated and nothing is decoded here. Each field documents its name in the reports and its content.

mod accounting;
mod collision;
mod linkset;
mod mesh;
mod part;
#[cfg(test)]
pub mod tests;

pub use accounting::{Accounting, Governing, has_pbr_material};
pub use collision::{Collision, collision};
pub use linkset::{ObjectMeasures, centres, land_impact, measure_object, measure_parts, prims};
pub use mesh::{MeshAtScale, MeshMeasures, Thresholds, measure_mesh, measure_mesh_at};
pub use part::PartMeasures;

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
