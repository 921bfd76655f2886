//! The triangles of physics meshes at the scales of parts, measured once for each mesh and scale, up to a limit.
//!
//! No formula gives the width of a triangle at another scale, so each triangle is measured. The limit is needed because
//! a few bytes can hold a mesh of millions of triangles. A few more bytes hold 1,000 parts that use it at 1,000 scales.

use super::{Known, Triangles, remembered};
use crate::not_evaluated::NotEvaluated;
use glam::DVec3;
use hullmark_ledger::facts::TriangleMesh;
use std::{
    collections::{HashMap, HashSet},
    ptr,
};

/// Address of a physics mesh in memory, and a scale.
type Key = (usize, [u64; 3]);

/// Cached figures of physics meshes at the scales of parts.
#[derive(Debug, Default)]
pub(super) struct Scaled {
    known: Known<Key, Triangles>,
    /// Meshes and scales beyond the limit.
    refused: HashSet<Key>,
    /// Number of triangles at additional scales, and their limit.
    wanted: u64,
    most: u64,
}

fn address(mesh: &TriangleMesh) -> usize {
    ptr::from_ref(mesh) as usize
}

fn key(mesh: &TriangleMesh, scale: DVec3) -> Key {
    (address(mesh), scale.to_array().map(f64::to_bits))
}

/// Units of work to measure a mesh once.
fn steps(mesh: &TriangleMesh) -> u64 {
    mesh.submeshes.iter().map(|face| 1 + face.triangles.len() as u64).sum()
}

impl Scaled {
    /// Limits the triangles that are measured for these uses of meshes, in their order. The first scale of each mesh is
    /// always measured, because that takes no longer than to read the mesh.
    pub(super) fn limited<'a>(
        uses: impl Iterator<Item = (&'a TriangleMesh, DVec3)> + Clone,
        most: u64,
    ) -> Self {
        let mut limited = Self { most, ..Self::default() };
        let mut sizes: HashMap<usize, u64> = HashMap::new();
        let mut size = |mesh: &TriangleMesh| *sizes.entry(address(mesh)).or_insert_with(|| steps(mesh));
        // Most exports are far below the limit. Then equal uses need not be found.
        if uses.clone().map(|(mesh, _)| size(mesh)).sum::<u64>() <= most {
            return limited;
        }
        let (mut meshes, mut scales) = (HashSet::new(), HashSet::new());
        for (mesh, scale) in uses {
            let key = key(mesh, scale);
            if scales.insert(key) && !meshes.insert(key.0) {
                limited.wanted += size(mesh);
                if limited.wanted > most {
                    limited.refused.insert(key);
                }
            }
        }
        limited
    }

    /// Returns the number of triangles at additional scales, and its limit; `None` if the limit is not exceeded.
    pub(super) fn over_limit(&self) -> Option<(u64, u64)> {
        (self.wanted > self.most).then_some((self.wanted, self.most))
    }

    pub(super) fn triangles(&self, mesh: &TriangleMesh, scale: DVec3) -> Result<Triangles, NotEvaluated> {
        let key = key(mesh, scale);
        if self.refused.contains(&key) {
            return Err(NotEvaluated::TooManyTriangles);
        }
        remembered(&self.known, key, NotEvaluated::PhysicsMeshEmpty, || Ok(Triangles::of_mesh(mesh, scale)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_geometry::quantized::Domain;
    use hullmark_ledger::facts::TriangleSubmesh;

    fn mesh(triangles: usize) -> TriangleMesh {
        let face = TriangleSubmesh {
            domain: Domain::UNIT,
            points: vec![[0; 3], [65_535, 0, 0], [0, 65_535, 0]],
            triangles: vec![[0, 1, 2]; triangles],
        };
        TriangleMesh { submeshes: vec![face] }
    }

    #[test]
    fn further_scales_count_in_their_order() {
        let (small, large) = (mesh(9), mesh(99));
        let at = |scale| DVec3::new(scale, 1.0, 1.0);
        let uses = [(&large, 1.0), (&small, 1.0), (&small, 2.0), (&large, 1.0), (&large, 2.0), (&small, 3.0)];
        let measured = |most: u64| {
            let scaled = Scaled::limited(uses.iter().map(|&(mesh, scale)| (mesh, at(scale))), most);
            let refused = uses.map(|(mesh, scale)| match scaled.triangles(mesh, at(scale)) {
                Ok(found) => found.count == 0,
                Err(reason) => reason == NotEvaluated::TooManyTriangles,
            });
            (refused, scaled.over_limit())
        };
        // One more unit of work for each submesh: 10 for the small mesh, 100 for the large one.
        assert_eq!(measured(120), ([false; 6], None));
        assert_eq!(measured(119), ([false, false, false, false, false, true], Some((120, 119))));
        assert_eq!(measured(10), ([false, false, false, false, true, true], Some((120, 10))));
        assert_eq!(measured(0), ([false, false, true, false, true, true], Some((120, 0))));
    }
}
