//! Normals and texture coordinates of a face. Nothing is evaluated from them: they are for pictures.
//!
//! The layout follows the viewer's `LLVolume::unpackVolumeFacesInternal`. A list that does not fit its face is ignored.

use super::{Submesh, weights};
use crate::llsd::{Map, Value};
use hullmark_geometry::quantized::triples;

/// Adds the normals and texture coordinates to the faces of a level.
pub(super) fn add(faces: &mut [Submesh], level: &Value<'_>) {
    for (face, value) in faces.iter_mut().zip(level.as_array().unwrap_or_default()) {
        if let Some(map) = value.as_map() {
            face.normals = normals(map, face.positions.len());
            face.texture_coordinates = texture_coordinates(map, face.positions.len());
            face.influences = weights::influences(map, face.positions.len());
            face.states_size = map.has("NormalizedScale");
        }
    }
}

/// Returns the normals of a face, quantized between −1 and 1. Empty unless there is one for each vertex.
fn normals(map: &Map<'_>, vertices: usize) -> Vec<[u16; 3]> {
    let bytes = map.get("Normal").and_then(Value::as_binary).unwrap_or_default();
    if bytes.len() == 6 * vertices { triples(bytes).collect() } else { Vec::new() }
}

/// Returns the texture coordinates of a face. Empty unless there is a finite pair for each vertex.
fn texture_coordinates(map: &Map<'_>, vertices: usize) -> Vec<[f32; 2]> {
    read_texture_coordinates(map, vertices).unwrap_or_default()
}

fn read_texture_coordinates(map: &Map<'_>, vertices: usize) -> Option<Vec<[f32; 2]>> {
    let domain = map.get("TexCoord0Domain")?.as_map()?;
    let (low, high) = (corner(domain, "Min")?, corner(domain, "Max")?);
    let bytes = map.get("TexCoord0")?.as_binary()?;
    if bytes.len() != 4 * vertices {
        return None;
    }
    let (pairs, _) = bytes.as_chunks::<4>();
    let decode = |part: f64, axis: usize| (part / 65_535.0 * (high[axis] - low[axis]) + low[axis]) as f32;
    let coordinates = pairs.iter().map(|&[a, b, c, d]| {
        let pair = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])].map(f64::from);
        let [u, v] = [decode(pair[0], 0), decode(pair[1], 1)];
        (u.is_finite() && v.is_finite()).then_some([u, v])
    });
    coordinates.collect()
}

fn corner(domain: &Map<'_>, key: &str) -> Option<[f64; 2]> {
    let [u, v, ..] = domain.get(key)?.as_array()? else { return None };
    Some([u.as_f64()?, v.as_f64()?])
}

#[cfg(test)]
mod tests {
    use crate::mesh::{build, decode};
    use hullmark_settings::limits::Limits;

    /// Decodes a mesh whose highest level has one face with these lists and four positions.
    fn face(lists: &[build::Field<'_>]) -> crate::mesh::Submesh {
        let triangles = build::triples(&[[0, 1, 2]]);
        let mut fields = vec![("Position", build::triples(&build::CORNERS)), ("TriangleList", triangles)];
        fields.extend(lists.iter().cloned());
        let bytes = build::asset(&build::blocks_with("high_lod", build::array(&[build::map(&fields)])));
        let (mesh, _) = decode(&bytes, &Limits::default());
        mesh.lods[3].clone().unwrap().remove(0)
    }

    #[test]
    fn normals_and_texture_coordinates_are_those_of_the_vertices() {
        let up = [32_768, 32_768, 65_535];
        let corner = |values: [f64; 2]| build::array(&values.map(build::real));
        let domain = build::map(&[("Min", corner([-1.0, 0.0])), ("Max", corner([3.0, 2.0]))]);
        let pairs: Vec<u8> = [[0u16, 0], [65_535, 65_535], [0, 65_535], [13_107, 0]]
            .iter()
            .flatten()
            .flat_map(|part| part.to_le_bytes())
            .collect();
        let read = face(&[
            ("Normal", build::triples(&[up; 4])),
            ("TexCoord0Domain", domain.clone()),
            ("TexCoord0", build::binary(&pairs)),
        ]);
        assert_eq!(read.normals, [up; 4]);
        assert_eq!(read.texture_coordinates, [[-1.0, 0.0], [3.0, 2.0], [-1.0, 2.0], [-0.2, 0.0]]);
        let short = face(&[
            ("Normal", build::triples(&[up; 3])),
            ("TexCoord0Domain", domain),
            ("TexCoord0", build::binary(&pairs[..12])),
        ]);
        assert_eq!((short.normals.len(), short.texture_coordinates.len()), (0, 0));
        assert_eq!(face(&[("TexCoord0", build::binary(&pairs))]).texture_coordinates.len(), 0);
    }
}
