//! Corners of polygons become vertices and triangles of faces.

use crate::{
    charge,
    scene::{Face, Vertex},
    weld,
};
use glam::Vec3;
use hullmark_format::defect::ModelDefect;
use hullmark_util::work::Work;
use std::collections::HashMap;

/// Normals are equal if no coordinate differs by as much (`F_APPROXIMATELY_ZERO` of `LLVector4a::equals3`).
const NORMAL_TOLERANCE: f32 = 0.000_01;

/// Units of work for the comparison of two normals.
const COMPARISON: u64 = 4;

/// Which corners become one vertex. Positions and texture coordinates are equal in both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Those with nearly the same normal. The first one counts (`LLVolumeFace::VertexMapData::operator==`).
    Near,
    /// Those with the same normal (`LLVolumeFace::VertexData::operator<`).
    Equal,
}

/// A face in the making.
pub(super) struct Corners {
    sharing: Sharing,
    pub(super) vertices: Vec<Vertex>,
    pub(super) indices: Vec<u32>,
    /// The first and the last vertex with a position and texture coordinates.
    known: HashMap<[u32; 5], (u32, u32)>,
    /// For each vertex, the next one with the same position and texture coordinates.
    next: Vec<Option<u32>>,
}

impl Corners {
    pub(super) fn new(sharing: Sharing) -> Self {
        Self { sharing, vertices: Vec::new(), indices: Vec::new(), known: HashMap::new(), next: Vec::new() }
    }

    /// Returns the number of the first vertex that equals this corner.
    ///
    /// # Errors [`ModelDefect::OverLimit`]: a position can have thousands of normals.
    pub(super) fn find(&self, corner: &Vertex, work: &mut Work) -> Result<Option<u32>, ModelDefect> {
        let mut at = self.known.get(&key(corner)).map(|(first, _)| *first);
        while let Some(number) = at {
            charge(work, COMPARISON)?;
            if self.same(self.vertices[number as usize].normal, corner.normal) {
                return Ok(Some(number));
            }
            at = self.next[number as usize];
        }
        Ok(None)
    }

    fn same(&self, a: Vec3, b: Vec3) -> bool {
        match self.sharing {
            Sharing::Near => (a - b).abs().cmplt(Vec3::splat(NORMAL_TOLERANCE)).all(),
            Sharing::Equal => a == b,
        }
    }

    /// Adds a vertex and returns its number.
    pub(super) fn add(&mut self, corner: Vertex) -> u32 {
        let number = self.vertices.len() as u32;
        self.vertices.push(corner);
        self.next.push(None);
        let (_, last) = self.known.entry(key(&corner)).or_insert((number, number));
        if *last != number {
            self.next[*last as usize] = Some(number);
            *last = number;
        }
        number
    }

    /// Returns the number of the vertex that equals this corner. A new one is added.
    ///
    /// # Errors See [`Corners::find`].
    pub(super) fn share(&mut self, corner: Vertex, work: &mut Work) -> Result<u32, ModelDefect> {
        let found = self.find(&corner, work)?;
        Ok(found.unwrap_or_else(|| self.add(corner)))
    }

    /// Returns the face, and begins the next one.
    ///
    /// # Errors [`ModelDefect::LeftOut`] for a face that the viewer refuses with its model (`validate_face`).
    pub(super) fn finish(&mut self, material: &str) -> Result<Face, ModelDefect> {
        let Self { vertices, indices, .. } = std::mem::replace(self, Self::new(self.sharing));
        let (triangles, rest) = indices.as_chunks::<3>();
        let is_outside = indices.iter().any(|&index| index as usize >= vertices.len());
        if triangles.is_empty() || !rest.is_empty() || is_outside {
            return Err(ModelDefect::LeftOut { what: "a geometry with an incomplete face".into() });
        }
        Ok(Face {
            material: material.to_owned(),
            vertices: vertices.into_iter().map(with_unit_normal).collect(),
            triangles: triangles.to_vec(),
            ..Face::default()
        })
    }
}

/// Normals that have length 1 in the digits of the file keep their rounding.
fn with_unit_normal(mut vertex: Vertex) -> Vertex {
    if !vertex.normal.is_normalized() {
        vertex.normal = vertex.normal.normalize_or_zero();
    }
    vertex
}

/// Returns a key that is equal for equal positions and texture coordinates. Both zeros are one number.
fn key(corner: &Vertex) -> [u32; 5] {
    let [x, y, z] = corner.position.to_array();
    weld::key([x, y, z, corner.uv.x, corner.uv.y])
}
