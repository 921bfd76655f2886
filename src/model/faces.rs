//! The faces of a part within the limits of a mesh asset.

use crate::scene::{Face, Vertex};
use std::collections::HashMap;

/// Most faces of a mesh: viewer, `llmodel.h` `MAX_MODEL_FACES`.
pub(crate) const MOST_FACES: usize = 8;
/// Vertices from which on the loader splits a face: viewer, `llgltfloader.cpp` `VERTEX_LIMIT`.
pub(crate) const SPLIT_AT: usize = 65_525;

/// Splits a face with too many vertices, in the order of its triangles.
pub(crate) fn split(face: Face) -> Vec<Face> {
    if face.vertices.len() < SPLIT_AT {
        return vec![face];
    }
    let start = || Face { material: face.material.clone(), ..Face::default() };
    let (mut done, mut current, mut numbers) = (Vec::new(), start(), HashMap::new());
    for triangle in &face.triangles {
        let corners = triangle.map(|corner| {
            *numbers.entry(corner).or_insert_with(|| {
                current.vertices.push(face.vertices[corner as usize]);
                current.influences.extend(face.influences.get(corner as usize).cloned());
                current.vertices.len() as u32 - 1
            })
        });
        current.triangles.push(corners);
        if current.vertices.len() >= SPLIT_AT {
            done.push(std::mem::replace(&mut current, start()));
            numbers.clear();
        }
    }
    if !current.triangles.is_empty() {
        done.push(current);
    }
    done
}

/// Sorts faces by the names of their materials, without regard to case, as the uploader does.
pub(crate) fn sort(faces: &mut [Face]) {
    faces.sort_by_cached_key(|face| face.material.to_ascii_lowercase());
}

/// Puts the faces of a level into the order of the materials of the highest level. A material that the level lacks gets
/// an empty face. Returns the first material that the highest level lacks, and leaves its face out.
///
/// Viewer, `llmodel.cpp` `matchMaterialOrder`.
pub(crate) fn match_materials(faces: Vec<Face>, high: &[Face]) -> (Vec<Face>, Option<String>) {
    let mut by_material: HashMap<String, Vec<Face>> = HashMap::new();
    for face in faces.into_iter().rev() {
        by_material.entry(face.material.clone()).or_default().push(face);
    }
    let mut matched: Vec<Face> = Vec::with_capacity(high.len());
    for wanted in high {
        let found = by_material.get_mut(&wanted.material).and_then(Vec::pop);
        matched.push(found.unwrap_or_else(|| empty(&wanted.material)));
    }
    let strange = by_material.into_iter().filter(|(_, faces)| !faces.is_empty()).map(|(name, _)| name).min();
    (matched, strange)
}

/// Returns a face without geometry: a triangle of one vertex, which is stored as `NoGeometry`.
pub(crate) fn empty(material: &str) -> Face {
    Face {
        material: material.into(),
        vertices: vec![Vertex::default()],
        triangles: vec![[0; 3]],
        ..Face::default()
    }
}
