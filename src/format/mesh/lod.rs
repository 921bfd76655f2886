//! Levels of detail and the physics mesh: arrays of submeshes.

use super::{LODS, Submesh, diagnostics::Notes, domain};
use crate::{
    finding::{Code, Finding},
    format::llsd::{Map, Value},
    geometry::quantized::{Domain, triples},
};

/// Vertices that indices of 16 bits can name, less the one that readers keep for themselves.
const MOST_VERTICES: usize = 65_535;

/// Bytes of a point, and of a triangle.
const TRIPLE: usize = 6;

/// Reads the submeshes of a level of detail or physics mesh, at most so many.
pub(super) fn read(
    value: &Value<'_>,
    within: &'static str,
    most: usize,
    notes: &mut Notes,
) -> Option<Vec<Submesh>> {
    let finding = |code| Finding::new(code).within(within);
    let Some(faces) = value.as_array() else {
        let detail = format!("{}, where an array of submeshes should be", value.kind());
        notes.find(finding(Code::MSH015).detail(detail));
        return None;
    };
    if faces.is_empty() {
        notes.find(finding(Code::MSH015).detail("an array without submeshes, which viewers refuse"));
    }
    if faces.len() > most {
        notes.find(
            finding(Code::ARC012)
                .measured(faces.len() as f64)
                .limit(most as f64)
                .detail(format!("{within} has too many submeshes, and the others are left out")),
        );
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
    fn finding(&self, code: Code) -> Finding {
        Finding::new(code).within(self.within).index(self.index)
    }

    fn read(&mut self, value: &Value<'_>) -> Submesh {
        let mut submesh =
            Submesh { empty: false, domain: Domain::UNIT, positions: Vec::new(), triangles: Vec::new() };
        let Some(map) = value.as_map() else {
            let detail = format!("submesh {} is {}, where a map should be", self.index, value.kind());
            self.notes.find(self.finding(Code::MSH015).detail(detail).aspect("submesh"));
            return submesh;
        };
        // To every reader the key says it, whatever its value.
        submesh.empty = map.has("NoGeometry");
        if submesh.empty {
            self.notes.odd("no-geometry");
            return submesh;
        }
        submesh.positions = self.positions(map);
        submesh.triangles = self.triangles(map);
        submesh.domain = domain::read_submesh(map, self.within, self.index, self.notes);
        self.check_indices(&submesh);
        submesh
    }

    /// The bytes of `key`, which a submesh with geometry must have.
    fn bytes<'a>(&mut self, map: &Map<'a>, key: &'static str) -> &'a [u8] {
        let value = map.get(key);
        if let Some(bytes) = value.and_then(Value::as_binary) {
            return bytes;
        }
        let index = self.index;
        let detail = match value {
            Some(value) => {
                format!("{key} of submesh {index} is {}, where binary data should be", value.kind())
            }
            None => format!("submesh {index} has no {key} and is not marked NoGeometry"),
        };
        self.notes.find(self.finding(Code::MSH015).detail(detail).aspect(key));
        &[]
    }

    fn positions(&mut self, map: &Map<'_>) -> Vec<[u16; 3]> {
        let bytes = self.bytes(map, "Position");
        if !bytes.len().is_multiple_of(TRIPLE) {
            let detail = format!("Position of submesh {}", self.index);
            self.notes.find(self.finding(Code::HUL004).detail(detail).measured(bytes.len() as f64));
        }
        let positions: Vec<_> = triples(bytes).collect();
        if positions.len() > MOST_VERTICES {
            let (count, index, within) = (positions.len(), self.index, self.within);
            let detail =
                format!("submesh {index} of {within} has {count} vertices; indices reach {MOST_VERTICES}");
            let finding = self
                .finding(Code::MSH016)
                .aspect("vertices")
                .measured(count as f64)
                .limit(MOST_VERTICES as f64);
            self.notes.find(finding.detail(detail));
        }
        positions
    }

    fn triangles(&mut self, map: &Map<'_>) -> Vec<[u16; 3]> {
        let bytes = self.bytes(map, "TriangleList");
        if !bytes.len().is_multiple_of(TRIPLE) {
            let detail = format!(
                "TriangleList of submesh {} is {} bytes, not whole triangles of {TRIPLE}; viewers drop the rest, \
                 ubODE reads past it",
                self.index,
                bytes.len()
            );
            let finding = self.finding(Code::MSH015).detail(detail).measured(bytes.len() as f64);
            self.notes.find(finding.aspect("TriangleList"));
        } else if bytes.is_empty() && map.has("TriangleList") {
            let detail = format!(
                "submesh {} of {} has no triangles and is not marked NoGeometry",
                self.index, self.within
            );
            self.notes.find(self.finding(Code::MSH016).detail(detail).aspect("no triangles"));
        }
        triples(bytes).collect()
    }

    /// Viewers do not look when they load a mesh; they did when it was uploaded.
    fn check_indices(&mut self, submesh: &Submesh) {
        let vertices = submesh.positions.len();
        let outside =
            submesh.triangles.iter().flatten().filter(|&&index| usize::from(index) >= vertices).count();
        if outside > 0 {
            self.notes.find(self.finding(Code::MSH006).measured(outside as f64).limit(vertices as f64));
        }
    }
}

/// Checks the levels of detail against each other. `has` tells whether the header lists a block, which may be
/// there and unreadable.
pub(super) fn check_levels(
    lods: &[Option<Vec<Submesh>>; 4],
    has: impl Fn(&str) -> bool,
    is_missing_marker: bool,
    notes: &mut Notes,
) {
    let [_, _, _, high] = LODS;
    if !has(high) && !is_missing_marker {
        notes.find(Finding::new(Code::MSH004).within(high).detail("the header does not list it"));
    }
    for pair in LODS.windows(2) {
        let (lower, upper) = (pair[0], pair[1]);
        if has(lower) && !has(upper) && upper != high {
            let detail = format!("{lower} is there and {upper} is not, which it depends on");
            notes.find(Finding::new(Code::MSH016).within(lower).detail(detail).aspect("upper level"));
        }
    }
    // Faces are matched by number, so every level has as many as the highest that can be read.
    let mut readable =
        LODS.into_iter().zip(lods).rev().filter_map(|(name, lod)| Some((name, lod.as_ref()?.len())));
    let Some((reference, faces)) = readable.next() else { return };
    for (name, count) in readable.filter(|&(_, count)| count != faces) {
        notes.find(
            Finding::new(Code::MSH016)
                .within(name)
                .aspect("submeshes")
                .measured(count as f64)
                .limit(faces as f64)
                .detail(format!("{name} has {count} submeshes and {reference} has {faces}")),
        );
    }
}
