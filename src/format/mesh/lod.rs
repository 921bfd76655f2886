//! Levels of detail and the physics mesh: arrays of submeshes.

use super::{LODS, Submesh, diagnostics::Notes, domain, weights};
use crate::{
    defect::{Defect, MeshDefect},
    llsd::{Map, Value},
};
use hullmark_geometry::quantized::triples;

/// Maximum number of vertices with 16-bit indices. Readers reserve one index.
const MOST_VERTICES: usize = 65_535;

/// Bytes of a point, and of a triangle.
const TRIPLE: usize = 6;

/// Reads at most `most` submeshes of a level of detail or physics mesh.
pub(super) fn read(
    value: &Value<'_>,
    within: &'static str,
    most: usize,
    notes: &mut Notes,
) -> Option<Vec<Submesh>> {
    let defect = |kind: MeshDefect| Defect::new(kind).within(within);
    let Some(faces) = value.as_array() else {
        notes.find(defect(MeshDefect::LevelNotArray { found: value.kind().into() }));
        return None;
    };
    if faces.is_empty() {
        notes.find(defect(MeshDefect::EmptyLevel));
    }
    if faces.len() > most {
        let too_many = defect(MeshDefect::TooManySubmeshes);
        notes.find(too_many.measured(faces.len() as f64).limit(most as f64));
    }
    let faces = faces.iter().take(most).enumerate();
    Some(faces.map(|(index, face)| Face { within, index, notes }.read(face)).collect())
}

/// One submesh being read.
struct Face<'n> {
    within: &'static str,
    index: usize,
    notes: &'n mut Notes,
}

impl Face<'_> {
    fn defect(&self, kind: MeshDefect) -> Defect {
        Defect::new(kind).within(self.within).index(self.index)
    }

    fn read(&mut self, value: &Value<'_>) -> Submesh {
        let mut submesh = Submesh::default();
        let Some(map) = value.as_map() else {
            self.notes.find(self.defect(MeshDefect::SubmeshNotMap { found: value.kind().into() }));
            return submesh;
        };
        // Readers check only for the key and ignore its value.
        submesh.empty = map.has("NoGeometry");
        if submesh.empty {
            self.notes.odd("no-geometry");
            return submesh;
        }
        submesh.positions = self.positions(map);
        submesh.triangles = self.triangles(map);
        submesh.domain = domain::read_submesh(map, self.within, self.index, self.notes);
        submesh.weights = weights::read(map, submesh.positions.len());
        self.check_indices(&submesh);
        submesh
    }

    /// Returns the bytes of `key`, which every submesh with geometry needs.
    fn bytes<'a>(&mut self, map: &Map<'a>, key: &'static str) -> &'a [u8] {
        let value = map.get(key);
        if let Some(bytes) = value.and_then(Value::as_binary) {
            return bytes;
        }
        let list = key.into();
        self.notes.find(self.defect(match value {
            Some(value) => MeshDefect::SubmeshListNotBinary { list, found: value.kind().into() },
            None => MeshDefect::SubmeshListMissing { list },
        }));
        &[]
    }

    fn positions(&mut self, map: &Map<'_>) -> Vec<[u16; 3]> {
        let bytes = self.bytes(map, "Position");
        if !bytes.len().is_multiple_of(TRIPLE) {
            self.notes.find(self.defect(MeshDefect::UnevenPositions).measured(bytes.len() as f64));
        }
        let positions: Vec<_> = triples(bytes).collect();
        if positions.len() > MOST_VERTICES {
            let defect = self.defect(MeshDefect::TooManyVertices).measured(positions.len() as f64);
            self.notes.find(defect.limit(MOST_VERTICES as f64));
        }
        positions
    }

    fn triangles(&mut self, map: &Map<'_>) -> Vec<[u16; 3]> {
        let bytes = self.bytes(map, "TriangleList");
        if !bytes.len().is_multiple_of(TRIPLE) {
            self.notes.find(self.defect(MeshDefect::UnevenTriangles).measured(bytes.len() as f64));
        } else if bytes.is_empty() && map.has("TriangleList") {
            self.notes.find(self.defect(MeshDefect::NoTriangles));
        }
        triples(bytes).collect()
    }

    /// Checks the indices. Viewers check them only when a mesh is uploaded, not when they load it.
    fn check_indices(&mut self, submesh: &Submesh) {
        let vertices = submesh.positions.len();
        let outside =
            submesh.triangles.iter().flatten().filter(|&&index| usize::from(index) >= vertices).count();
        if outside > 0 {
            let defect = self.defect(MeshDefect::IndicesOutside).measured(outside as f64);
            self.notes.find(defect.limit(vertices as f64));
        }
    }
}

/// Checks the levels of detail against each other. `has` returns whether the header lists a block, even if it is
/// unreadable.
pub(super) fn check_levels(
    lods: &[Option<Vec<Submesh>>; 4],
    has: impl Fn(&str) -> bool,
    is_missing_marker: bool,
    notes: &mut Notes,
) {
    let [_, _, _, high] = LODS;
    if !has(high) && !is_missing_marker {
        notes.find(Defect::new(MeshDefect::HighestLevelMissing).within(high));
    }
    for pair in LODS.windows(2) {
        let (lower, upper) = (pair[0], pair[1]);
        if has(lower) && !has(upper) && upper != high {
            notes.find(Defect::new(MeshDefect::UpperLevelMissing { upper: upper.into() }).within(lower));
        }
    }
    // Faces are matched by number, so every level needs as many as the reference, the highest level that can be read.
    let mut readable =
        LODS.into_iter().zip(lods).rev().filter_map(|(name, lod)| Some((name, lod.as_ref()?.len())));
    let Some((reference, faces)) = readable.next() else { return };
    for (name, count) in readable.filter(|&(_, count)| count != faces) {
        let defect =
            Defect::new(MeshDefect::SubmeshCountsDiffer { reference: reference.into() }).within(name);
        notes.find(defect.measured(count as f64).limit(faces as f64));
    }
}
