//! A primitive as a face.

use super::{DOMAIN, Z_UP, document::Document, extras};
use crate::{
    Reading,
    scene::{Face, Influences, Purpose, Vertex},
    weld::Welder,
};
use glam::{Mat3, Mat4, Vec2, Vec3};
use gltf::json::{
    Accessor, Index,
    mesh::{Mode, Primitive, Semantic},
    validation::Checked,
};
use hullmark_format::defect::ModelDefect;

/// Units of work for a corner of a triangle.
const CORNER: u64 = 64;

/// The transform of a node into the axes of the grid.
pub(super) struct Transform {
    positions: Mat4,
    normals: Mat3,
    /// Whether it turns geometry inside out.
    is_mirrored: bool,
}

impl Transform {
    pub(super) fn new(node: Mat4) -> Self {
        let positions = Z_UP * node;
        let normals = Mat3::from_mat4(positions).inverse().transpose();
        Self { positions, normals, is_mirrored: positions.determinant() < 0.0 }
    }

    /// Returns the corners of a triangle. A mirror turns it over.
    fn turned(&self, [a, b, c]: [u32; 3]) -> [u32; 3] {
        if self.is_mirrored { [a, c, b] } else { [a, b, c] }
    }
}

/// Reads a primitive. Equal corners become one vertex, in the order of their first use
/// (`primitive.cpp` `MikktMesh::write`, `llvolume.cpp` `LLVolumeFace::remap`). One that `inspect --glb` wrote keeps its
/// vertices.
pub(super) fn face(
    document: &Document<'_>,
    primitive: &Primitive,
    transform: &Transform,
    purpose: Option<Purpose>,
    reading: &mut Reading<'_>,
) -> Result<Face, ModelDefect> {
    let attributes = Attributes::read(document, primitive)?;
    if purpose == Some(Purpose::Hulls) {
        return points(&attributes, transform, reading);
    }
    let triangles = triangles(document, primitive, attributes.positions.len())?;
    reading.charge_triangles(triangles.len(), CORNER)?;
    let mut face = Face {
        material: material(document, primitive),
        domain: purpose.and_then(|_| domain(extras(&primitive.extras).get(DOMAIN)?)),
        ..Face::default()
    };
    if purpose.is_some() && !attributes.normals.is_empty() {
        for corner in 0..attributes.positions.len() {
            face.vertices.push(attributes.vertex(corner, None, transform));
            face.influences.extend(attributes.influences(corner));
        }
        face.triangles = triangles.into_iter().map(|triangle| transform.turned(triangle)).collect();
        return finite(face);
    }
    let mut welder = Welder::with_room(attributes.positions.len());
    for [a, b, c] in triangles {
        let flat = attributes.normals.is_empty().then(|| attributes.flat_normal([a, b, c]));
        face.triangles.push(transform.turned([a, b, c]).map(|corner| {
            let corner = corner as usize;
            let vertex = attributes.vertex(corner, flat, transform);
            let number = welder.number(vertex);
            if number as usize == face.vertices.len() {
                face.vertices.push(vertex);
                face.influences.extend(attributes.influences(corner));
            }
            number
        }));
    }
    finite(face)
}

fn finite(face: Face) -> Result<Face, ModelDefect> {
    let is_finite = face.vertices.iter().all(|vertex| vertex.position.is_finite());
    if is_finite { Ok(face) } else { Err(ModelDefect::NotFinite) }
}

/// Returns the two corners of a domain.
fn domain(noted: &serde_json::Value) -> Option<[Vec3; 2]> {
    let corners: [[f64; 3]; 2] = serde_json::from_value(noted.clone()).ok()?;
    Some(corners.map(|corner| Vec3::from_array(corner.map(|part| part as f32))))
}

/// Returns all vertices of a hull, also those inside of it.
fn points(
    attributes: &Attributes,
    transform: &Transform,
    reading: &mut Reading<'_>,
) -> Result<Face, ModelDefect> {
    reading.charge_triangles(attributes.positions.len(), CORNER)?;
    let flat = Some(Vec3::ZERO);
    let vertices = (0..attributes.positions.len()).map(|corner| attributes.vertex(corner, flat, transform));
    finite(Face { vertices: vertices.collect(), ..Face::default() })
}

/// The attributes of a primitive. A list that it lacks is empty.
struct Attributes {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

impl Attributes {
    fn read(document: &Document<'_>, primitive: &Primitive) -> Result<Self, ModelDefect> {
        let accessor = |semantic: Semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
        fn read<T>(
            accessor: Option<Index<Accessor>>,
            values: impl Fn(Index<Accessor>) -> Result<Vec<T>, ModelDefect>,
        ) -> Result<Vec<T>, ModelDefect> {
            accessor.map_or(Ok(Vec::new()), values)
        }
        let mut attributes = Self {
            positions: read(accessor(Semantic::Positions), |at| document.floats(at))?,
            normals: read(accessor(Semantic::Normals), |at| document.floats(at))?,
            uvs: read(accessor(Semantic::TexCoords(0)), |at| document.floats(at))?,
            joints: read(accessor(Semantic::Joints(0)), |at| document.joints(at))?,
            weights: read(accessor(Semantic::Weights(0)), |at| document.floats(at))?,
        };
        // A list of another length belongs to other vertices.
        let count = attributes.positions.len();
        fn keep<T>(list: &mut Vec<T>, count: usize) {
            if list.len() != count {
                list.clear();
            }
        }
        keep(&mut attributes.normals, count);
        keep(&mut attributes.uvs, count);
        keep(&mut attributes.joints, count);
        keep(&mut attributes.weights, count);
        Ok(attributes)
    }

    fn vertex(&self, corner: usize, flat: Option<Vec3>, transform: &Transform) -> Vertex {
        let normal = flat.unwrap_or_else(|| Vec3::from_array(self.normals[corner]));
        // v grows downwards in the file. The whole number that is missing repeats the texture.
        let uv = self.uvs.get(corner).map_or(Vec2::ZERO, |&[u, v]| Vec2::new(u, -v));
        Vertex {
            position: transform.positions.transform_point3(Vec3::from_array(self.positions[corner])),
            normal: (transform.normals * normal).normalize_or_zero(),
            uv: if uv.is_finite() { uv } else { Vec2::ZERO },
        }
    }

    /// Returns the normal of a triangle, which its corners get where the file has none.
    fn flat_normal(&self, corners: [u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|corner| Vec3::from_array(self.positions[corner as usize]));
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// Returns the influences of a vertex of a rigged mesh: those with a weight, the heaviest first.
    fn influences(&self, corner: usize) -> Option<Influences> {
        let (joints, weights) = (self.joints.get(corner)?, self.weights.get(corner)?);
        let pairs = joints.iter().copied().zip(weights.iter().copied());
        let mut influences: Influences = pairs.filter(|(_, weight)| *weight > 0.0).collect();
        influences.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Some(influences)
    }
}

/// Returns the triangles of a primitive. All their indices are within its vertices.
fn triangles(
    document: &Document<'_>,
    primitive: &Primitive,
    vertices: usize,
) -> Result<Vec<[u32; 3]>, ModelDefect> {
    let corners = match primitive.indices {
        Some(indices) => document.indices(indices)?,
        None => (0..vertices as u32).collect(),
    };
    if corners.iter().any(|&corner| corner as usize >= vertices) {
        return Err(ModelDefect::IndicesOutside);
    }
    Ok(match primitive.mode {
        Checked::Valid(Mode::Triangles) => corners.as_chunks::<3>().0.to_vec(),
        Checked::Valid(Mode::TriangleStrip) => {
            let turned = |(at, three): (usize, &[u32])| match at % 2 {
                0 => [three[0], three[1], three[2]],
                _ => [three[1], three[0], three[2]],
            };
            corners.windows(3).enumerate().map(turned).collect()
        }
        Checked::Valid(Mode::TriangleFan) => {
            let (first, rest) = corners.split_first().unwrap_or((&0, &[]));
            rest.windows(2).map(|pair| [*first, pair[0], pair[1]]).collect()
        }
        Checked::Valid(mode) => {
            return Err(ModelDefect::NotTriangles { mode: format!("{mode:?}").to_lowercase() });
        }
        Checked::Invalid => return Err(ModelDefect::NotTriangles { mode: "unknown".into() }),
    })
}

/// Returns the name of the material, as the loader names those without one.
fn material(document: &Document<'_>, primitive: &Primitive) -> String {
    let Some(index) = primitive.material else { return "mat_default".into() };
    let name = document.root.get(index).and_then(|material| material.name.clone());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("mat{}", index.value()))
}
