//! `TextureEntry`: the textures and materials on the faces of a part.
//!
//! Eleven properties follow each other: texture, color, repeats and offsets in both directions, rotation, surface bits,
//! media bits, glow, and material. Each is a value for all faces, then exceptions: a bit field of faces, and their
//! value. An empty field ends the exceptions.
//!
//! The end of the data also ends them, because writers omit the last empty field. Older ones omit the material.

use super::Shape;
use crate::reference::{Reference, Use};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Bytes of a texture or a material.
const UUID_BYTES: usize = 16;

/// Bytes of the properties between color and material.
const OTHER_BYTES: [usize; 8] = [4, 4, 2, 2, 2, 1, 1, 1];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextureEntry {
    /// The texture of each face; nil for a blank face.
    pub textures: Faces,
    /// The color of each face.
    pub colors: FaceColors,
    /// The material of each face; nil for a face without one.
    pub materials: Faces,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faces {
    /// The value of faces without an exception.
    pub default: Uuid,
    /// Bit fields of faces, lowest bit first, and their values; later entries override earlier ones.
    pub exceptions: Vec<(u64, Uuid)>,
}

/// The colors of the faces of a part: red, green, blue and opacity, each 0 to 255.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaceColors {
    /// The color of faces without an exception.
    pub default: [u8; 4],
    /// Bit fields of faces, lowest bit first, and their colors; later entries override earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<(u64, [u8; 4])>,
}

/// Creates the colors of a part that states none: opaque white.
impl Default for FaceColors {
    fn default() -> Self {
        Self { default: [u8::MAX; 4], exceptions: Vec::new() }
    }
}

impl FaceColors {
    /// Returns the color of the face with this index, from 0.
    pub fn face(&self, face: u32) -> [u8; 4] {
        let bit = 1_u64.checked_shl(face).unwrap_or(0);
        let exception = self.exceptions.iter().rev().find(|(faces, _)| faces & bit != 0);
        exception.map_or(self.default, |&(_, color)| color)
    }

    /// Returns the color that most faces of a part with this shape have. Of equally frequent ones, the first face decides.
    pub fn most_frequent(&self, shape: &Shape) -> [u8; 4] {
        let colors: Vec<[u8; 4]> = (0..most_faces(shape)).map(|face| self.face(face)).collect();
        let count = |color: &[u8; 4]| colors.iter().filter(|other| *other == color).count();
        // The last of equal maxima would be returned.
        colors.iter().rev().max_by_key(|color| count(color)).copied().unwrap_or(self.default)
    }

    /// Removes exceptions of faces that a part with this shape lacks.
    pub fn of_shape(mut self, shape: &Shape) -> Self {
        let known = 1_u64.checked_shl(most_faces(shape)).map_or(u64::MAX, |bit| bit - 1);
        self.exceptions.retain(|(faces, _)| faces & known != 0);
        self.exceptions.shrink_to_fit();
        self
    }
}

impl Faces {
    /// Returns the value of the face with this index, from 0.
    #[cfg(any(test, feature = "testing"))]
    pub fn face(&self, face: u32) -> Uuid {
        let bit = 1_u64.checked_shl(face).unwrap_or(0);
        let exception = self.exceptions.iter().rev().find(|(faces, _)| faces & bit != 0);
        exception.map_or(self.default, |&(_, value)| value)
    }

    /// Returns the values of all faces, and the default, even if no face uses it.
    pub fn of_all(&self) -> impl Iterator<Item = Uuid> {
        self.first(u64::BITS)
    }

    /// Returns the default, even if no face uses it, and the values of the first `count` faces.
    fn first(&self, count: u32) -> impl Iterator<Item = Uuid> {
        let known = 1_u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1);
        let exceptions = self.exceptions.iter().filter(move |(faces, _)| faces & known != 0);
        std::iter::once(self.default).chain(exceptions.map(|&(_, value)| value))
    }
}

impl TextureEntry {
    /// Decodes the element's bytes; `None` if they are cut short. Engines then treat all faces as blank.
    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let rest = &mut bytes;
        let textures = faces(rest)?;
        let colors = colors(rest)?;
        for size in OTHER_BYTES {
            property(rest, size, |_, _| ())?;
        }
        let materials = if rest.is_empty() { Faces::default() } else { faces(rest)? };
        Some(Self { textures, colors, materials })
    }

    /// Returns the references of a part with this shape. Faces keep their texture if a change of shape removes them,
    /// and textures of removed faces are not exported.
    pub fn references(&self, shape: &Shape) -> impl Iterator<Item = Reference> {
        let count = most_faces(shape);
        let textures = self.textures.first(count).map(|texture| Use::Texture.reference(texture));
        textures.chain(self.materials.first(count).filter_map(|material| Use::Material.unless_nil(material)))
    }
}

fn faces(rest: &mut &[u8]) -> Option<Faces> {
    let mut read = Faces::default();
    property(rest, UUID_BYTES, |faces, value| {
        let value = Uuid::from_slice(value).unwrap_or_default();
        match faces {
            Some(faces) => read.exceptions.push((faces, value)),
            None => read.default = value,
        }
    })?;
    Some(read)
}

/// Reads colors, whose bytes are stored as 255 minus the value: the viewer's `LLPrimitive::parseTEMessage` and
/// `ReadColorFromBytes` of LibreMetaverse.
fn colors(rest: &mut &[u8]) -> Option<FaceColors> {
    let mut read = FaceColors::default();
    property(rest, size_of_val(&read.default), |faces, value| {
        let mut color = [u8::MAX; 4];
        color.iter_mut().zip(value).for_each(|(part, stored)| *part = u8::MAX - stored);
        match faces {
            Some(faces) => read.exceptions.push((faces, color)),
            None => read.default = color,
        }
    })?;
    Some(read)
}

/// Reads a property with values of `size` bytes. Passes each value with its faces to `take`; the first is that of all
/// faces.
fn property(rest: &mut &[u8], size: usize, mut take: impl FnMut(Option<u64>, &[u8])) -> Option<()> {
    take(None, rest.split_off(..size)?);
    while !rest.is_empty() {
        match face_bits(rest)? {
            0 => break,
            faces => take(Some(faces), rest.split_off(..size)?),
        }
    }
    Some(())
}

/// Reads a bit field with seven bits in each byte, the highest first. The eighth bit marks that another byte follows.
fn face_bits(rest: &mut &[u8]) -> Option<u64> {
    let mut bits = 0;
    loop {
        let byte = *rest.split_off_first()?;
        bits = bits << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some(bits);
        }
    }
}

/// Returns the maximum number of faces of a part with this shape. Sides that a cut removes are included. For a mesh
/// only the asset has the number.
fn most_faces(shape: &Shape) -> u32 {
    const LINE: [u8; 2] = [16, 128];
    match shape.sculpted() {
        Some(sculpt) if (1..=4).contains(&sculpt.base_kind()) => return 1,
        Some(_) => return u64::BITS,
        None => {}
    }
    let sides = match shape.profile_curve & 0x0F {
        1 => 4,
        2..=4 => 3,
        _ => 1,
    };
    let hollow = shape.profile_hollow > 0;
    let half_circle = shape.profile_curve & 0x0F == 5;
    let cut = shape.profile_begin > 0 || shape.profile_end > 0 || half_circle && hollow;
    let open = LINE.contains(&shape.path_curve)
        || shape.path_begin > 0
        || shape.path_end > 0
        || shape.path_skew != 0
        || shape.path_taper_x != 0
        || shape.path_taper_y != 0
        || shape.path_radius_offset != 0
        || shape.path_revolutions > 0
        || shape.path_twist != shape.path_twist_begin;
    sides + u32::from(hollow) + 2 * u32::from(cut) + 2 * u32::from(open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Sculpt;

    /// Returns a value of 16 equal bytes.
    fn id(byte: u8) -> [u8; 16] {
        [byte; 16]
    }

    fn uuid(byte: u8) -> Uuid {
        Uuid::from_bytes(id(byte))
    }

    #[test]
    fn colors_are_stored_inverted_and_most_faces_decide() {
        let stored =
            [&[0_u8, 255, 55, 155][..], &[0x06], &[254, 254, 254, 0], &[0x40], &[9; 4], &[0]].concat();
        let rest: Vec<u8> = OTHER_BYTES.into_iter().flat_map(|size| vec![0; size + 1]).collect();
        let read = TextureEntry::decode(&[&id(1)[..], &[0], &stored, &rest].concat()).unwrap().colors;
        assert_eq!(read.face(0), [255, 0, 200, 100]);
        assert_eq!([1, 2].map(|face| read.face(face)), [[1, 1, 1, 255]; 2]);
        assert_eq!(read.face(6), [246; 4]);
        let of = |profile_curve| Shape { profile_curve, ..Shape::default() };
        // A cube has six faces, a cylinder three. Two are exceptions.
        assert_eq!([1, 0].map(|curve| read.most_frequent(&of(curve))), [[255, 0, 200, 100], [1, 1, 1, 255]]);
        assert_eq!(read.of_shape(&of(1)).exceptions, [(0x06, [1, 1, 1, 255])]);
        assert_eq!(FaceColors::default().face(70), [255; 4]);
    }

    /// Returns the properties between texture and material, with one exception: the rotation of face 1.
    fn others() -> Vec<u8> {
        let mut bytes = Vec::new();
        for (number, size) in [4, 4, 4, 2, 2, 2, 1, 1, 1].into_iter().enumerate() {
            bytes.extend(vec![0xAA; size]);
            if number == 5 {
                bytes.extend([0x02, 0xBB, 0xBB]);
            }
            bytes.push(0);
        }
        bytes
    }

    #[test]
    fn faces_and_their_exceptions() {
        let textures = [&id(1)[..], &[0x05], &id(2), &[0x04], &id(3), &[0]].concat();
        let materials = [&id(0)[..], &[0x08], &id(7), &[0]].concat();
        let read = TextureEntry::decode(&[textures, others(), materials].concat()).unwrap();
        assert_eq!(read.textures.default, uuid(1));
        assert_eq!(read.textures.exceptions, [(0b101, uuid(2)), (0b100, uuid(3))]);
        let on = |face| (read.textures.face(face), read.materials.face(face));
        assert_eq!(on(0), (uuid(2), Uuid::nil()));
        assert_eq!(on(1), (uuid(1), Uuid::nil()));
        assert_eq!(on(2), (uuid(3), Uuid::nil()), "the later exception wins");
        assert_eq!(on(3), (uuid(1), uuid(7)));
        assert_eq!(on(64), (uuid(1), Uuid::nil()));
    }

    #[test]
    fn more_than_seven_faces_take_more_than_a_byte() {
        // Face 8 alone is bit 8: two bits in the first byte, seven in the second.
        for (field, faces) in [
            (&[0x82, 0x00][..], 1 << 8),
            (&[0x81, 0x01], 1 << 7 | 1),
            (&[0x80, 0x01], 1),
            (&[0x81, 0x80, 0x80, 0x80, 0x00], 1 << 28),
        ] {
            let entry = [&id(1)[..], field, &id(2), &[0], &others(), &id(0)].concat();
            let read = TextureEntry::decode(&entry).unwrap();
            assert_eq!(read.textures.exceptions, [(faces, uuid(2))], "{field:?}");
        }
    }

    #[test]
    fn the_end_may_be_left_out() {
        let whole = [&id(1)[..], &[0], &others(), &id(7), &[0]].concat();
        let old = whole.len() - 17;
        let read = |end: usize| TextureEntry::decode(&whole[..end]);
        assert_eq!(read(whole.len()), read(whole.len() - 1), "the last empty field");
        assert_eq!(read(whole.len()).unwrap().materials.default, uuid(7));
        // An old writer: no material, with and without the empty field after glow.
        assert_eq!(read(old).unwrap().materials, Faces::default());
        assert_eq!(read(old), read(old - 1));
        for cut in (0..old - 1).chain(old + 1..whole.len() - 1) {
            assert_eq!(read(cut), None, "{cut}");
        }
    }

    #[test]
    fn cut_exceptions_are_refused() {
        let start = id(1);
        for field in [&[0x01][..], &[0x81], &[0x01, 0, 0], &[0x81, 0x80]] {
            assert_eq!(TextureEntry::decode(&[&start[..], field].concat()), None, "{field:?}");
        }
    }

    #[test]
    fn faces_that_a_form_lacks_are_left_out() {
        let exceptions = (0..9).map(|face| (1 << face, uuid(10 + face))).collect();
        let entry =
            TextureEntry { textures: Faces { default: uuid(1), exceptions }, ..TextureEntry::default() };
        let count = |shape: Shape| entry.references(&shape).count() - 1;
        let prim = |profile_curve, path_curve| Shape { profile_curve, path_curve, ..Shape::default() };
        let [cube, cylinder, prism] = [prim(1, 16), prim(0, 16), prim(3, 16)];
        assert_eq!([cube, cylinder, prism].map(count), [6, 3, 5]);
        let [ball, torus, tube, ring] = [prim(5, 32), prim(0, 32), prim(1, 32), prim(3, 32)];
        assert_eq!([ball, torus, tube, ring].map(count), [1, 1, 4, 3]);
        assert_eq!(count(Shape { profile_hollow: 1, profile_begin: 1, ..cube }), 9);
        assert_eq!(count(Shape { profile_hollow: 1, ..ball }), 4);
        assert_eq!(count(Shape { path_twist: 1, ..torus }), 3);
        let sculpted = |kind| Shape { sculpt: Some(Sculpt { asset: uuid(1), kind }), ..ball };
        assert_eq!([65, 69].map(|kind| count(sculpted(kind))), [1, 9]);
    }
}
