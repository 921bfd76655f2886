//! `ParticleSystem`: the particles that a part emits.

use crate::reference::{Reference, Use};
use uuid::Uuid;

/// Bytes of a system without glow and blending: 68 of the source, 18 of the particles.
const PLAIN_BYTES: usize = 86;
/// Maximum bytes of a system with both.
const MOST_BYTES: usize = 98;
/// The size of the source, which precedes a longer system.
const SOURCE_BYTES: [u8; 4] = 68_u32.to_le_bytes();
/// Position of the texture in the source.
const TEXTURE: usize = 36;

/// Returns the texture of the particles; `None` if the bytes are not a particle system. A part without bytes emits
/// nothing, and nil is a texture built into every viewer.
pub fn texture(bytes: &[u8]) -> Option<Option<Reference>> {
    let source = match bytes.len() {
        0 => return Some(None),
        PLAIN_BYTES => bytes,
        size if (PLAIN_BYTES..=MOST_BYTES).contains(&size) => bytes.strip_prefix(&SOURCE_BYTES)?,
        _ => return None,
    };
    let texture = Uuid::from_slice(source.get(TEXTURE..TEXTURE + 16)?).ok()?;
    Some(Use::Particle.unless_nil(texture))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_their_texture() {
        let plain: Vec<u8> = (0..86).collect();
        let expected = Some(Use::Particle.reference(Uuid::from_bytes(std::array::from_fn(|i| 36 + i as u8))));
        assert_eq!(texture(&plain), Some(expected));
        let longer = [&[68, 0, 0, 0][..], &plain[..68], &[20, 0, 0, 0], &plain[66..]].concat();
        assert_eq!((longer.len(), texture(&longer)), (96, Some(expected)));
    }

    #[test]
    fn nothing_and_nonsense() {
        assert_eq!(texture(&[]), Some(None));
        assert_eq!(texture(&[0; 86]), Some(None));
        for size in [1, 85, 87, 96, 99] {
            assert_eq!(texture(&vec![7; size]), None, "{size}");
        }
    }
}
