//! Levels that a model lacks, as the uploader generates them.
//!
//! Viewer, `llmodelpreview.cpp` `genMeshOptimizerLODs`: each level has a third of the triangles of the next better one.
//! The uploader takes a result with up to 1.8 times as many, and a coarse method may fall short by 1.4 times. No two
//! programs remove the same edges, so the bytes of a generated level are a range.

use crate::{
    scene::{Face, Influences, Vertex},
    weld::{Points, key},
};
use glam::DVec3;
use hullmark_geometry::simplify::{Corner, simplify};
use std::{collections::HashMap, iter};

/// Triangles of a level for one of the next lower level.
const DECIMATION: f64 = 3.0;
/// How far the number of triangles may be above and below the wanted one.
pub(crate) const ABOVE: f64 = 1.8;
pub(crate) const BELOW: f64 = 1.4;

/// Returns the faces of a level, 0 for the lowest, made of those of the highest. A face without a triangle is empty.
pub(crate) fn coarser(faces: &[Face], level: usize) -> Vec<Face> {
    let mut points = Points::default();
    // The attributes of a corner are those of a vertex of a face.
    let mut vertices: Vec<(usize, Vertex)> = Vec::new();
    let mut triangles = Vec::new();
    for (at, face) in faces.iter().enumerate() {
        let first = vertices.len() as u32;
        vertices.extend(face.vertices.iter().map(|&vertex| (at, vertex)));
        let places: Vec<u32> = face.vertices.iter().map(|vertex| points.number(vertex.position)).collect();
        let corner = |corner: u32| Corner { position: places[corner as usize], attributes: first + corner };
        triangles.extend(face.triangles.iter().map(|triangle| triangle.map(corner)));
    }
    let positions: Vec<DVec3> = points.positions.iter().map(|position| position.as_dvec3()).collect();
    let mut attempts =
        targets(triangles.len(), level).map(|target| simplify(&positions, triangles.clone(), target));
    // The uploader takes the model itself where nothing would be left.
    let Some(kept) = attempts.find(|kept| !kept.is_empty()) else { return faces.to_vec() };
    let mut coarse: Vec<Face> =
        faces.iter().map(|face| Face { material: face.material.clone(), ..Face::default() }).collect();
    let mut new = HashMap::new();
    let influences = influences(faces);
    for triangle in kept {
        // A corner may have taken attributes of another face. The face of a triangle is that of most corners.
        let of = triangle.map(|corner| vertices[corner.attributes as usize].0);
        let face = if of[1] == of[2] { of[1] } else { of[0] };
        let corners = triangle.map(|corner| {
            *new.entry((face, corner)).or_insert_with(|| {
                let position = points.positions[corner.position as usize];
                let target = &mut coarse[face];
                target.vertices.push(Vertex { position, ..vertices[corner.attributes as usize].1 });
                let influences = influences.get(&key(position.to_array()));
                target.influences.extend(influences.map(|influences| (*influences).clone()));
                target.vertices.len() as u32 - 1
            })
        });
        coarse[face].triangles.push(corners);
    }
    for face in &mut coarse {
        if face.triangles.is_empty() {
            *face = crate::faces::empty(&face.material);
        }
    }
    coarse
}

/// Returns the influences of joints by position, as the viewer keeps them.
fn influences(faces: &[Face]) -> HashMap<[u32; 3], &Influences> {
    let pairs = faces.iter().flat_map(|face| face.vertices.iter().zip(&face.influences));
    pairs.map(|(vertex, influences)| (key(vertex.position.to_array()), influences)).collect()
}

/// Returns the numbers of triangles that the uploader tries, one after the other, until something is left.
fn targets(high: usize, level: usize) -> impl Iterator<Item = usize> {
    let decimator = DECIMATION.powi(3 - level as i32);
    let smaller = iter::successors(Some(decimator), |last| Some(last / DECIMATION.sqrt()));
    smaller
        .take_while(|decimator| *decimator > 1.01)
        .map(move |decimator| ((high as f64 / decimator) as usize).max(1))
}
