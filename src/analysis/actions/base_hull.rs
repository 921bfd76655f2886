//! Base hulls that do not enclose their mesh. A prim with the physics shape Convex Hull collides as its base hull.

use glam::DVec3;
use hullmark_ledger::facts::{HullSource, MeshFacts};

/// Least distance in metres that people notice.
const NOTICED_M: f64 = 0.05;

/// What a base hull lacks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BaseHullFault {
    /// It has no volume: its points are in one plane.
    Flat,
    /// The mesh extends beyond it by up to this distance in metres.
    Gap(f64),
}

impl BaseHullFault {
    /// Returns the fault of the base hull of a mesh at this scale in metres. `None` if it encloses the mesh, and if that
    /// is unknown.
    pub fn find(mesh: &MeshFacts, scale: DVec3) -> Option<Self> {
        let convex = mesh.convex.as_ref()?;
        if convex.base.as_ref()?.rank < 3 {
            return Some(Self::Flat);
        }
        let hulls = convex.hulls.iter().filter_map(|hull| hull.outside_base).map(f64::from);
        let source = mesh.source_hull.filter(|hull| hull.source == HullSource::PhysicsMesh);
        let physics = source.and_then(|hull| hull.wrap).map(|wrap| wrap.worst_distance.0);
        let outside = hulls.chain(physics).fold(0.0, f64::max) * scale.max_element();
        (outside > NOTICED_M).then_some(Self::Gap(outside))
    }
}
