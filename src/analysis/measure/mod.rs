//! Facts of objects and meshes into the numbers of a row.
//!
//! Nothing is judged here and nothing decoded. What each number is called in the reports, and what it holds, is
//! said at its field.
//!
//! | file | measures |
//! |---|---|
//! | `linkset` | one linkset, from its parts |
//! | `accounting` | how a linkset is charged |
//! | `part` | one part, in its linkset |
//! | `collision` | what collides for a part, and what that costs |
//! | `mesh` | one mesh asset, at unit scale or a scale of one's choice |

mod accounting;
mod collision;
mod linkset;
mod mesh;
mod part;
#[cfg(test)]
pub(crate) mod tests;

pub use accounting::Accounting;
pub use collision::Collision;
pub(crate) use collision::collision;
pub(crate) use linkset::measure_parts;
pub use linkset::{ObjectMeasures, measure_object};
pub use mesh::{MeshAtScale, MeshMeasures, Thresholds, measure_mesh, measure_mesh_at};
pub use part::PartMeasures;

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
