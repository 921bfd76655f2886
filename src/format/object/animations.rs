//! Reads `SOPAnims`, the animations that an animated object plays.

use crate::reference::{Reference, Use};
use uuid::Uuid;

/// Returns the animations; `None` if the list is cut short, and then OpenSim plays none.
///
/// The list is a count of two bytes, then for each animation: UUID, length of the name in one byte, name. As in
/// OpenSim, a nil UUID or an empty name ends the list.
pub fn references(mut bytes: &[u8]) -> Option<Vec<Reference>> {
    let rest = &mut bytes;
    let mut found = Vec::new();
    let Some(count) = rest.split_off(..2) else { return Some(found) };
    for _ in 0..u16::from_le_bytes([count[0], count[1]]) {
        let animation = Uuid::from_slice(rest.split_off(..16)?).ok()?;
        let length = *rest.split_off_first()?;
        let name = rest.split_off(..usize::from(length))?;
        if animation.is_nil() || name.is_empty() {
            break;
        }
        found.push(Use::Animation.reference(animation));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_to_its_count() {
        let one = |byte: u8, name: &[u8]| [&[byte; 16][..], &[name.len() as u8], name].concat();
        let list = [&[2, 0][..], &one(1, b"walk"), &one(2, b"run"), &one(3, b"not counted")].concat();
        let expected = [1, 2].map(|byte| Use::Animation.reference(Uuid::from_bytes([byte; 16])));
        assert_eq!(references(&list), Some(expected.to_vec()));
        let ended = [&[3, 0][..], &one(1, b"walk"), &one(2, b""), &one(3, b"run")].concat();
        assert_eq!(references(&ended), Some(expected[..1].to_vec()));
        for empty in [&[][..], &[0], &[0, 0]] {
            assert_eq!(references(empty), Some(vec![]));
        }
        let last = list.len() - one(3, b"not counted").len();
        for cut in 2..last {
            assert_eq!(references(&list[..cut]), None, "{cut}");
        }
    }
}
