//! The points of hulls. Only pictures need them, so an input keeps those of few meshes.

use super::{ConvexFacts, HullFacts, MeshFacts, packed};
use hullmark_format::mesh::Convex;
use hullmark_geometry::quantized::Domain;
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, mem};

/// Maximum number of meshes of an input whose points are kept, and of these points.
const MESHES: usize = 50;
const POINTS: usize = 65_536;

/// The points of a convex block. The sizes of its hulls are in [`HullFacts`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HullPoints {
    /// Box into which the points are decoded.
    pub domain: Domain,
    /// Points of the base hull; empty without one.
    #[serde(with = "packed")]
    pub base: Vec<[u16; 3]>,
    /// Points of the decomposition, hull after hull.
    #[serde(with = "packed")]
    hulls: Vec<[u16; 3]>,
}

impl HullPoints {
    /// Takes the points of a convex block. `None` without points, if there are too many, or if a number of the domain
    /// is not finite.
    pub fn new(convex: &Convex) -> Option<Self> {
        let sizes = [convex.base.as_ref(), convex.positions.as_ref()];
        let points: usize = sizes.into_iter().flatten().map(Vec::len).sum();
        let domain = convex.domain;
        if points > POINTS || !(domain.min.is_finite() && domain.max.is_finite()) {
            return None;
        }
        let base = convex.base.clone().unwrap_or_default();
        let points = Self { domain, base, hulls: convex.hulls().flatten().copied().collect() };
        (points.count() > 0).then_some(points)
    }

    fn count(&self) -> usize {
        self.base.len() + self.hulls.len()
    }

    /// Bytes of the points on the heap.
    pub(super) fn beyond(&self) -> usize {
        size_of_val(&*self.base) + size_of_val(&*self.hulls)
    }

    /// Returns the points of each hull of the decomposition. Anybody may have edited the ledger file, so points that
    /// are missing are left out.
    pub fn split<'a>(&'a self, hulls: &'a [HullFacts]) -> impl Iterator<Item = &'a [[u16; 3]]> {
        let mut rest = &*self.hulls;
        hulls.iter().map(move |hull| {
            let (hull, tail) = rest.split_at((hull.points as usize).min(rest.len()));
            rest = tail;
            hull
        })
    }
}

/// Keeps the points of the meshes that have the most, and drops those of all others.
///
/// A hull costs more with each point, so these are the heaviest hulls of the input. Of meshes with equal numbers, the
/// names of the entries decide.
pub fn keep_most(meshes: &mut [MeshFacts]) {
    let points = |convex: &mut ConvexFacts| mem::take(&mut convex.points);
    let all = meshes.iter_mut().filter_map(|mesh| Some((&*mesh.entry, mesh.convex.as_mut()?)));
    let mut all: Vec<_> = all.filter_map(|(entry, convex)| Some((entry, points(convex)?, convex))).collect();
    all.sort_by_key(|(entry, points, _)| (Reverse(points.count()), *entry));
    let mut room = POINTS;
    let mut kept = 0;
    for (_, points, convex) in all {
        if kept < MESHES && points.count() <= room {
            room -= points.count();
            kept += 1;
            convex.points = Some(points);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::mesh::Mesh;
    use hullmark_util::work::Work;

    /// Returns the facts of a mesh with a decomposition of two hulls, the second with this many points.
    fn mesh(entry: &str, points: usize) -> MeshFacts {
        let position = |number: usize| [(number % 5) as u16, (number % 5).pow(2) as u16, 7];
        let convex = Convex {
            domain: Domain::UNIT,
            base: Some(vec![[1; 3]; 3]),
            hull_sizes: Some(vec![4, points as u32]),
            positions: Some((0..4 + points).map(position).collect()),
        };
        let mesh = Mesh { convex: Some(convex), ..Mesh::default() };
        MeshFacts::new(entry.into(), None, b"", &mesh, &mut Work::unlimited())
    }

    fn kept(meshes: &[MeshFacts]) -> Vec<&str> {
        let has = |mesh: &&MeshFacts| mesh.convex.as_ref().unwrap().points.is_some();
        meshes.iter().filter(has).map(|mesh| &*mesh.entry).collect()
    }

    #[test]
    fn points_survive_a_ledger_and_split_into_their_hulls() {
        let facts = mesh("a", 5);
        let json = serde_json::to_string(&facts).unwrap();
        let read: MeshFacts = serde_json::from_str(&json).unwrap();
        assert_eq!(read, facts);
        let convex = read.convex.unwrap();
        let points = convex.points.unwrap();
        let sizes: Vec<usize> = points.split(&convex.hulls).map(<[_]>::len).collect();
        assert_eq!((points.base.len(), sizes), (3, vec![4, 5]));
        assert_eq!(points.split(&convex.hulls).nth(1).unwrap()[0], [4, 16, 7]);
    }

    #[test]
    fn the_meshes_with_the_most_points_keep_them() {
        let mut meshes: Vec<_> = (0..MESHES + 2).map(|number| mesh(&format!("m{number:02}"), 9)).collect();
        meshes.reverse();
        meshes.push(mesh("z", 10));
        keep_most(&mut meshes);
        let mut expected: Vec<String> = (0..MESHES - 1).rev().map(|number| format!("m{number:02}")).collect();
        expected.push("z".into());
        assert_eq!(kept(&meshes), expected);
    }

    #[test]
    fn a_mesh_without_room_leaves_it_to_smaller_ones() {
        let mut meshes = [mesh("a", 30_000), mesh("b", 40_000), mesh("c", 20_000), mesh("d", 70_000)];
        keep_most(&mut meshes);
        assert_eq!(kept(&meshes), ["b", "c"]);
    }
}
