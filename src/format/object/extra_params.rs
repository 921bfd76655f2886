//! `ExtraParams`: a packed list in base64, from the time before each parameter had an element of its own.

use super::Sculpt;
use base64::{Engine, prelude::BASE64_STANDARD};
use uuid::Uuid;

/// What we need of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ExtraParams {
    pub(super) flexi: bool,
    pub(super) sculpt: Option<Sculpt>,
    pub(super) animesh: bool,
}

const FLEXI: u16 = 0x10;
const SCULPT: u16 = 0x30;
const MESH_FLAGS: u16 = 0x70;

/// Decodes the element's text. `None` where it is not base64 or is cut short: no engine takes it then.
pub(super) fn decode(text: &str) -> Option<ExtraParams> {
    let text = text.trim_ascii();
    // Nearly all prims have none.
    if text.is_empty() || text == "AA==" {
        return Some(ExtraParams::default());
    }
    unpack(&BASE64_STANDARD.decode(text).ok()?)
}

/// A count, and that many of: identifier, length, data.
fn unpack(bytes: &[u8]) -> Option<ExtraParams> {
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
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(decode(&text), Some(ExtraParams { flexi: true, sculpt: Some(expected), animesh: true }));
        assert_eq!(decode("AA=="), Some(ExtraParams::default()));
        assert_eq!(decode(""), Some(ExtraParams::default()));
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
