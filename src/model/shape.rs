//! A level as the uploader stores it: moved and scaled into the cube from −0.5 to 0.5.

use crate::scene::Face;
use glam::Vec3;

/// Below this, the uploader takes a side for flat (`llmath.h` `F_APPROXIMATELY_ZERO`).
const FLAT: f32 = 0.000_01;

/// The box of the faces of a level, in the units of their vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) center: Vec3,
    /// Sides. A flat side counts as 1.
    pub(crate) size: Vec3,
}

impl Extent {
    /// Returns the box of the vertices. `None` without vertices.
    ///
    /// Viewer, `llmodel.cpp` `normalizeVolumeFacesAndWeights`.
    pub(crate) fn of(faces: &[Face]) -> Option<Self> {
        let mut positions = faces.iter().flat_map(|face| &face.vertices).map(|vertex| vertex.position);
        let first = positions.next()?;
        let (min, max) =
            positions.fold((first, first), |(min, max), position| (min.min(position), max.max(position)));
        let side = |side: f32| if side.abs() < FLAT { 1.0 } else { side };
        let size = max - min;
        Some(Self { center: (min + max) * 0.5, size: Vec3::new(side(size.x), side(size.y), side(size.z)) })
    }

    /// Moves faces into the cube.
    pub(crate) fn normalize(&self, faces: &mut [Face]) {
        let scale = Vec3::ONE / self.size;
        for vertex in faces.iter_mut().flat_map(|face| &mut face.vertices) {
            vertex.position = (vertex.position - self.center) * scale;
            vertex.normal = (vertex.normal * self.size).normalize_or_zero();
        }
    }
}
