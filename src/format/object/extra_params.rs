//! `ExtraParams`: a packed list in base64, in the format used before each parameter had its own element.

use super::Sculpt;
use crate::reference::{Reference, Use};
use hullmark_util::base64;
use uuid::Uuid;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ExtraParams {
    pub flexi: bool,
    pub sculpt: Option<Sculpt>,
    pub animesh: bool,
    /// Textures that a light projects, and PBR materials.
    pub references: Vec<Reference>,
}

const FLEXI: u16 = 0x10;
const SCULPT: u16 = 0x30;
const PROJECTOR: u16 = 0x40;
const MESH_FLAGS: u16 = 0x70;
const RENDER_MATERIALS: u16 = 0x80;

/// Decodes the element's text; `None` if it is not base64 or is cut short. No engine accepts it then.
pub fn decode(text: &str) -> Option<ExtraParams> {
    let text = text.trim_ascii();
    // Nearly all prims have no parameters.
    if text.is_empty() || text == "AA==" {
        return Some(ExtraParams::default());
    }
    unpack(&base64::decode(text)?)
}

/// Unpacks a count, and that many of: identifier, length, data.
pub fn unpack(bytes: &[u8]) -> Option<ExtraParams> {
    let (&count, mut rest) = bytes.split_first()?;
    let mut extra = ExtraParams::default();
    for _ in 0..count {
        let (id, length) = (rest.get(..2)?, rest.get(2..6)?);
        let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
        let end = length.checked_add(6)?;
        extra.take(u16::from_le_bytes([id[0], id[1]]), rest.get(6..end)?);
        rest = &rest[end..];
    }
    Some(extra)
}

impl ExtraParams {
    fn take(&mut self, id: u16, data: &[u8]) {
        match (id, data) {
            (FLEXI, _) => self.flexi = true,
            (SCULPT, [id @ .., kind]) => {
                self.sculpt = Uuid::from_slice(id).ok().map(|asset| Sculpt { asset, kind: *kind });
            }
            (MESH_FLAGS, [flags, ..]) => self.animesh = flags & 1 == 1,
            (PROJECTOR, _) => self.refer(Use::Projector, data.get(..16)),
            // A count, and that many of: face, material.
            (RENDER_MATERIALS, [count, entries @ ..]) => {
                for entry in entries.chunks_exact(17).take((*count).into()) {
                    self.refer(Use::RenderMaterial, entry.get(1..));
                }
            }
            _ => {}
        }
    }

    fn refer(&mut self, what: Use, id: Option<&[u8]>) {
        let asset = id.and_then(|id| Uuid::from_slice(id).ok()).unwrap_or_default();
        self.references.extend(what.unless_nil(asset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::base64::{Engine, prelude::BASE64_STANDARD};

    fn packed(params: &[(u16, &[u8])]) -> String {
        let mut bytes = vec![params.len() as u8];
        for (id, data) in params {
            bytes.extend(id.to_le_bytes());
            bytes.extend((data.len() as u32).to_le_bytes());
            bytes.extend(*data);
        }
        BASE64_STANDARD.encode(bytes)
    }

    #[test]
    fn sculpt_flexi_and_animesh_are_found_between_others() {
        let mut sculpt = [7; 17];
        sculpt[16] = 5;
        let text = packed(&[(0x20, &[0; 16]), (0x30, &sculpt), (0x70, &[1, 0, 0, 0]), (0x10, &[0; 4])]);
        let expected = Sculpt { asset: Uuid::from_bytes([7; 16]), kind: 5 };
        let read = ExtraParams { flexi: true, sculpt: Some(expected), animesh: true, references: vec![] };
        assert_eq!(decode(&text), Some(read));
        assert_eq!(decode("AA=="), Some(ExtraParams::default()));
        assert_eq!(decode(""), Some(ExtraParams::default()));
    }

    #[test]
    fn projectors_and_materials_are_references() {
        let materials = [&[2, 0][..], &[1; 16], &[3], &[2; 16], &[4], &[9; 16]].concat();
        let text = packed(&[(0x40, &[8; 28]), (0x80, &materials), (0x40, &[0; 28]), (0x80, &[])]);
        let expected = [(Use::Projector, 8), (Use::RenderMaterial, 1), (Use::RenderMaterial, 2)];
        let expected = expected.map(|(what, byte)| what.reference(Uuid::from_bytes([byte; 16])));
        assert_eq!(decode(&text).unwrap().references, expected);
    }

    #[test]
    fn cut_or_forged_lists_are_refused() {
        let whole = BASE64_STANDARD.decode(packed(&[(0x30, &[7; 17])])).unwrap();
        for cut in 0..whole.len() {
            assert_eq!(unpack(&whole[..cut]), None);
        }
        assert_eq!(unpack(&[1, 0x30, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0]), None);
        assert_eq!(decode("not base64"), None);
    }
}
