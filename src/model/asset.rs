//! Writes a mesh asset: viewer, `llmodel.cpp` `writeModel`, `writeModelToStream` and `Decomposition::asLLSD`.

use crate::scene::{Face, Skin, Vertex};
use glam::{Mat4, Vec2, Vec3};
use hullmark_format::{
    llsd_writer::{
        Field, array, asset_of_streams, binary, boolean, map, real, string, triples, vector, zlib,
    },
    mesh::LODS,
};

/// Fewer vertices are no face.
const LEAST_VERTICES: usize = 3;
/// Ends the influences of a vertex that has fewer than four.
const END: u8 = 255;
/// What rounding to `f32` moves a coordinate by at most.
const ROUNDING: f32 = 1e-6;
const MOST_INFLUENCES: usize = 4;

/// The content of a mesh asset. Positions are within the cube from −0.5 to 0.5.
#[derive(Debug, Default)]
pub(crate) struct Asset<'a> {
    /// Levels of detail, lowest first.
    pub(crate) levels: [&'a [Face]; 4],
    /// Size of the part in metres. `None` for an asset like those of uploaders from before 2023.
    pub(crate) size: Option<Vec3>,
    pub(crate) physics: Physics,
    pub(crate) steps: Steps,
    /// The joints that the weights name.
    pub(crate) skin: Option<&'a Skin>,
}

/// How a number becomes a step between 0 and 65,535.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Steps {
    /// The fraction is cut, as the uploader does.
    #[default]
    Cut,
    /// The number was a step before, so it is rounded.
    Rounded,
}

impl Steps {
    /// Returns the step of a number from 0 to 1. One that is not finite becomes 0.
    fn of(self, part: f32) -> u16 {
        let step = part * 65_535.0;
        match self {
            Self::Cut => step as u16,
            Self::Rounded => step.round() as u16,
        }
    }
}

/// The physics shapes of a part.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Physics {
    /// Points of the base hull.
    pub(crate) base: Vec<Vec3>,
    /// Points of each hull of the decomposition.
    pub(crate) hulls: Vec<Vec<Vec3>>,
    /// The physics mesh. The uploader leaves it out of an asset with hulls.
    pub(crate) triangles: Vec<Face>,
}

/// Returns the bytes of the asset, and those of the blocks of its levels.
pub(crate) fn write(asset: &Asset<'_>) -> (Vec<u8>, [u64; 4]) {
    let mut blocks: Vec<Field<'_>> = Vec::new();
    if let Some(skin) = asset.skin {
        blocks.push(("skin", zlib(&of_skin(skin))));
    }
    if let Some(convex) = of_hulls(&asset.physics, asset.steps) {
        blocks.push(("physics_convex", zlib(&convex)));
    }
    let mut sizes = [0; 4];
    for ((name, faces), size) in LODS.into_iter().zip(asset.levels).zip(&mut sizes) {
        let block = zlib(&of_faces(faces, asset, asset.skin.is_some()));
        *size = block.len() as u64;
        blocks.push((name, block));
    }
    if asset.physics.hulls.is_empty() && !asset.physics.triangles.is_empty() {
        blocks.push(("physics_mesh", zlib(&of_faces(&asset.physics.triangles, asset, false))));
    }
    (asset_of_streams(&blocks, &[]), sizes)
}

/// Writes the faces of a level, with one domain for all of them.
fn of_faces(faces: &[Face], asset: &Asset<'_>, is_rigged: bool) -> Vec<u8> {
    let steps = asset.steps;
    let positions = faces.iter().flat_map(|face| &face.vertices).map(|vertex| vertex.position);
    let bounds = bounds3(positions);
    let face = |face: &Face| {
        let (min, max) = domain(face, bounds);
        if face.vertices.len() < LEAST_VERTICES {
            return map(&[("NoGeometry", boolean(true))]);
        }
        let uvs = || face.vertices.iter().map(|vertex| vertex.uv);
        let (min_uv, max_uv) = bounds2(uvs());
        let normals: Vec<[u16; 3]> = face.vertices.iter().map(normal).collect();
        let positions: Vec<[u16; 3]> =
            face.vertices.iter().map(|vertex| quantized(vertex.position, min, max, steps)).collect();
        let coordinates = uvs().flat_map(|uv| {
            let stored = (uv - min_uv) / (max_uv - min_uv);
            [steps.of(stored.x), steps.of(stored.y)].map(u16::to_le_bytes).concat()
        });
        let triangles: Vec<[u16; 3]> =
            face.triangles.iter().map(|triangle| triangle.map(|corner| corner as u16)).collect();
        let mut fields: Vec<Field<'_>> = vec![
            ("Normal", triples(&normals)),
            ("Position", triples(&positions)),
            ("PositionDomain", map(&[("Max", vector3(max)), ("Min", vector3(min))])),
            ("TexCoord0", binary(coordinates.collect::<Vec<_>>())),
            ("TexCoord0Domain", map(&[("Max", vector2(max_uv)), ("Min", vector2(min_uv))])),
            ("TriangleList", triples(&triangles)),
        ];
        if let Some(size) = asset.size {
            fields.insert(1, ("NormalizedScale", vector3(size)));
        }
        if is_rigged {
            fields.push(("Weights", binary(weights(face))));
        }
        map(&fields)
    };
    array(&faces.iter().map(face).collect::<Vec<_>>())
}

fn weights(face: &Face) -> Vec<u8> {
    let mut list = Vec::new();
    for at in 0..face.vertices.len() {
        let influences = face.influences.get(at).map(Vec::as_slice).unwrap_or_default();
        let influences = influences.iter().filter(|(joint, _)| *joint < u16::from(END)).take(MOST_INFLUENCES);
        let mut count = 0;
        for (joint, weight) in influences {
            list.push(*joint as u8);
            list.extend(((weight * 65_535.0) as u16).to_le_bytes());
            count += 1;
        }
        if count < MOST_INFLUENCES {
            list.push(END);
        }
    }
    list
}

fn of_hulls(physics: &Physics, steps: Steps) -> Option<Vec<u8>> {
    let points = || physics.hulls.iter().flatten().chain(&physics.base).copied();
    points().next()?;
    let (min, max) = bounds3(points());
    let list = |points: &[Vec3]| {
        triples(&points.iter().map(|&point| quantized(point, min, max, steps)).collect::<Vec<_>>())
    };
    let mut fields: Vec<Field<'_>> = Vec::new();
    if !physics.base.is_empty() {
        fields.push(("BoundingVerts", list(&physics.base)));
    }
    if !physics.hulls.is_empty() {
        // A hull of 256 points is written as 0.
        let sizes: Vec<u8> = physics.hulls.iter().map(|hull| hull.len() as u8).collect();
        fields.push(("HullList", binary(sizes)));
    }
    fields.push(("Max", vector3(max)));
    fields.push(("Min", vector3(min)));
    if !physics.hulls.is_empty() {
        fields.push(("Positions", list(&physics.hulls.concat())));
    }
    Some(map(&fields))
}

fn of_skin(skin: &Skin) -> Vec<u8> {
    let matrix = |matrix: &Mat4| array(&matrix.to_cols_array().map(|part| real(part.into())));
    map(&[
        ("bind_shape_matrix", matrix(&skin.bind_shape)),
        ("inverse_bind_matrix", array(&skin.inverse_bind.iter().map(matrix).collect::<Vec<_>>())),
        ("joint_names", array(&skin.joints.iter().map(string).collect::<Vec<_>>())),
    ])
}

/// Stores a position in its domain. A flat side has the value 0.
fn quantized(position: Vec3, min: Vec3, max: Vec3, steps: Steps) -> [u16; 3] {
    ((position - min) / (max - min)).to_array().map(|part| steps.of(part))
}

fn normal(vertex: &Vertex) -> [u16; 3] {
    ((vertex.normal + 1.0) * 0.5).to_array().map(|part| Steps::Cut.of(part))
}

/// Returns the domain of a face in a level with these bounds. One that `inspect --glb` noted is taken if it differs by at
/// most a step.
fn domain(face: &Face, bounds: (Vec3, Vec3)) -> (Vec3, Vec3) {
    let (min, max) = bounds;
    let step = (max - min) / 65_535.0 + ROUNDING;
    let is_near = |a: Vec3, b: Vec3| (a - b).abs().cmple(step).all();
    let noted = face.domain.filter(|&[least, most]| is_near(least, min) && is_near(most, max));
    noted.map_or(bounds, |[least, most]| (least, most))
}

fn bounds3(mut points: impl Iterator<Item = Vec3>) -> (Vec3, Vec3) {
    let first = points.next().unwrap_or_default();
    points.fold((first, first), |(min, max), point| (min.min(point), max.max(point)))
}

fn bounds2(mut points: impl Iterator<Item = Vec2>) -> (Vec2, Vec2) {
    let first = points.next().unwrap_or_default();
    points.fold((first, first), |(min, max), point| (min.min(point), max.max(point)))
}

fn vector3(vector_of: Vec3) -> Vec<u8> {
    vector(vector_of.as_dvec3().to_array())
}

fn vector2(vector_of: Vec2) -> Vec<u8> {
    array(&vector_of.as_dvec2().to_array().map(real))
}
