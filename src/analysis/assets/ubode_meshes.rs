//! The meshes that OpenSimulator's ubODE builds for parts, one for each shape.

use super::{Body, Known, form, remembered};
use crate::not_evaluated::NotEvaluated;
use hullmark_format::object::{Part, Sculpt, Shape};
use hullmark_geometry::{
    sculpt::Stitch,
    ubode::{self, Built, Solid},
};
use hullmark_ledger::facts::{TriangleMesh, physics_mesh_built};
use hullmark_util::{
    deadline::Deadline,
    work::{Stopped, Work},
};
use std::ptr;

/// Maximum units of work for one shape: some 100 times the work for a hollow and twisted ring.
const MOST_WORK: u64 = 1 << 28;

#[derive(Debug, Default)]
pub(super) struct Engine {
    /// By shape, and whether the mesh is a hull.
    forms: Known<(Shape, bool), Built>,
    /// By the address of the physics mesh in memory.
    meshes: Known<usize, Built>,
}

impl Body<'_> {
    /// Returns the mesh that ubODE builds for a prim or sculpt, or its hull.
    pub fn built_surface(&self, part: &Part, convex: bool) -> Result<Built, NotEvaluated> {
        let key = (form(part), convex);
        remembered(&self.surfaces.engine.forms, key, NotEvaluated::TooManyTriangles, || {
            let work = &mut Work::new(MOST_WORK, Deadline::default());
            let built = match part.shape.sculpt {
                None => ubode::prim(&Solid::from(&part.shape), convex, work),
                Some(kind) => self.built_sculpt(kind, convex, work)?,
            };
            Ok(built.ok())
        })
    }

    /// Returns the mesh that ubODE builds from a physics mesh.
    pub fn built_triangles(&self) -> Result<Built, NotEvaluated> {
        let mesh = self.mesh_or_missing()?;
        let triangles = mesh.opensim_physics_mesh().ok_or(NotEvaluated::PhysicsMeshUnreadable)?;
        let key = ptr::from_ref::<TriangleMesh>(triangles) as usize;
        let build = || Ok(Some(physics_mesh_built(triangles)));
        remembered(&self.surfaces.engine.meshes, key, NotEvaluated::PhysicsMeshEmpty, build)
    }

    /// Builds a sculpt. ubODE makes a plane of a sculpt of unknown kind, and nothing of one without a map.
    fn built_sculpt(
        &self,
        kind: Sculpt,
        convex: bool,
        work: &mut Work,
    ) -> Result<Result<Built, Stopped>, NotEvaluated> {
        if kind.asset.is_nil() {
            return Ok(Ok(Built::FAILED));
        }
        let facts = self.sculpt.ok_or(NotEvaluated::SculptMissing)?;
        let map = facts.opensim_pixels().ok_or(NotEvaluated::SculptBroken)?.bitmap();
        Ok(ubode::sculpt(&map, engine_stitch(kind), kind.kind & 128 != 0, convex, work))
    }
}

/// Returns how ubODE stitches a map: a type that `SculptType` does not name is a plane.
fn engine_stitch(kind: Sculpt) -> Stitch {
    match kind.kind & 0x3f {
        1 => Stitch::Sphere,
        2 => Stitch::Torus,
        4 => Stitch::Cylinder,
        _ => Stitch::Plane,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assets::Surfaces,
        cost::physics,
        physics_shape::{
            Representation,
            tests::{curved, sculpt_map},
        },
    };
    use hullmark_settings::profile::Profile;
    use uuid::Uuid;

    #[test]
    fn sculpts_of_unknown_kind_are_planes_and_those_without_a_map_nothing() {
        let surfaces = Surfaces::default();
        let rgb: Vec<u8> = (0..64u8).flat_map(|y| (0..64).flat_map(move |x| [4 * x, 4 * y, x ^ y])).collect();
        let map = sculpt_map(64, &rgb);
        let body = Body { mesh: None, sculpt: Some(&map), surfaces: &surfaces };
        let sculpt = |asset, kind| {
            let mut part = curved(5, 32);
            part.shape.sculpt = Some(Sculpt { asset, kind });
            part
        };
        let built = |part: &Part| body.built_surface(part, false).map(|built| built.triangles);
        assert_eq!(built(&sculpt(map.uuid, 3)), Ok(2048));
        assert_eq!(built(&sculpt(map.uuid, 7)), Ok(2048));
        assert_eq!(built(&sculpt(Uuid::nil(), 1)), Ok(0));
        let nothing = Body { sculpt: None, ..body };
        assert_eq!(nothing.built_surface(&sculpt(map.uuid, 2), false), Err(NotEvaluated::SculptMissing));
        let ubode = Profile::load("opensim-ubode").unwrap();
        let basis = |kind| {
            physics::of_part(&sculpt(map.uuid, kind), Representation::SurfaceMesh, &body, &ubode)
                .basis()
                .name()
        };
        assert_eq!([basis(1), basis(3)], ["measured", "spec"], "only spheres were compared");
    }
}
