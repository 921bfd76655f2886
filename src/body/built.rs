//! Meshes that OpenSimulator's ubODE builds for parts, once for each form.

use super::{Body, Known, form, remembered, stitch};
use crate::{
    cost::Reason,
    deadline::Deadline,
    facts::{SculptFacts, TriangleMesh, physics_mesh_built},
    format::object::{Part, Sculpt, Shape},
    geometry::{
        sculpt::Stitch,
        ubode::{self, Bitmap, Built, Solid},
    },
    work::{Stopped, Work},
};
use std::ptr;

/// Units of work that one form may take: some hundred times what a hollow and twisted ring takes.
const MOST_WORK: u64 = 1 << 28;

/// What is known of the meshes that ubODE builds.
#[derive(Debug, Default)]
pub(super) struct Engine {
    /// Of a form, and whether as a hull.
    forms: Known<(Shape, bool), Built>,
    /// Of a physics mesh, by where it is in memory.
    meshes: Known<usize, Built>,
}

impl Body<'_> {
    /// The mesh that ubODE builds for a prim or sculpt, or the hull of it.
    pub fn built_surface(&self, part: &Part, convex: bool) -> Result<Built, Reason> {
        let key = (form(part), convex);
        remembered(&self.surfaces.engine.forms, key, Reason::TooManyTriangles, || {
            let work = &mut Work::new(MOST_WORK, Deadline::default());
            let built = match part.shape.sculpt {
                None => ubode::prim(&Solid::from(&part.shape), convex, work),
                Some(kind) => self.built_sculpt(kind, convex, work)?,
            };
            Ok(built.ok())
        })
    }

    /// The mesh that ubODE builds of a physics mesh.
    pub fn built_triangles(&self) -> Result<Built, Reason> {
        let mesh = self.mesh.ok_or(Reason::MeshMissing)?;
        let triangles = mesh.physics_mesh.as_ref().ok_or(Reason::PhysicsMeshUnreadable)?;
        let key = ptr::from_ref::<TriangleMesh>(triangles) as usize;
        let build = || Ok(Some(physics_mesh_built(triangles)));
        remembered(&self.surfaces.engine.meshes, key, Reason::PhysicsMeshEmpty, build)
    }

    /// A sculpt of unknown kind is a plane there, and one without a map is nothing.
    fn built_sculpt(
        &self,
        kind: Sculpt,
        convex: bool,
        work: &mut Work,
    ) -> Result<Result<Built, Stopped>, Reason> {
        if kind.asset.is_nil() {
            return Ok(Ok(Built::FAILED));
        }
        let facts = self.sculpt.ok_or(Reason::SculptMissing)?;
        let map = bitmap(facts).ok_or(Reason::SculptBroken)?;
        Ok(ubode::sculpt(map, stitch(kind).unwrap_or(Stitch::Plane), kind.kind & 128 != 0, convex, work))
    }
}

/// The pixels of a map, its rows from the top.
fn bitmap(map: &SculptFacts) -> Option<Bitmap<'_>> {
    let pixels = map.pixels()?;
    let (rgb, _) = pixels.rgb.as_chunks::<3>();
    Some(Bitmap { width: pixels.width, height: pixels.height, rgb })
}
