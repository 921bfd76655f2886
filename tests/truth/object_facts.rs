//! Facts about a part, from XML made for the test.

use crate::support::object::{Face, Prim, texture_entry, uuid, xml2};
use hullmark_format::{
    object::{self, Part, texture_entry::TextureEntry},
    reference::{Reference, Use},
};
use hullmark_settings::limits::Limits;
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Generates one of a few values, so that faces share them. 0 is nil.
fn few(kind: u128) -> impl Strategy<Value = Uuid> {
    (0..4_u128).prop_map(move |number| Uuid::from_u128(number * kind))
}

fn face() -> impl Strategy<Value = Face> {
    (few(1), 0..3_u32, 0..3_u8, few(1000)).prop_map(|(texture, colour, glow, material)| Face {
        texture,
        colour,
        glow,
        material,
    })
}

fn only_part(prim: Prim) -> Part {
    let (mut document, findings) = object::decode(xml2(&[prim]).as_bytes(), &Limits::default());
    assert_eq!(findings, []);
    document.linksets.remove(0).parts.remove(0)
}

/// Returns the references that these faces contain.
fn named(faces: &[Face]) -> BTreeSet<Reference> {
    let textures = faces.iter().map(|face| Use::Texture.reference(face.texture));
    textures.chain(faces.iter().filter_map(|face| Use::Material.unless_nil(face.material))).collect()
}

proptest! {
    #[test]
    fn faces_are_read_as_they_were_written(faces in vec(face(), 1..=45), with_materials in any::<bool>()) {
        let read = TextureEntry::decode(&texture_entry(&faces, with_materials)).unwrap();
        for (number, face) in (0..).zip(&faces) {
            prop_assert_eq!(read.textures.face(number), face.texture);
            prop_assert_eq!(read.materials.face(number), if with_materials { face.material } else { Uuid::nil() });
        }
    }

    /// The asset of a mesh decides its number of faces, so all of them count. A box has six.
    #[test]
    fn a_part_refers_to_the_assets_on_its_faces(faces in vec(face(), 1..=12)) {
        let prim = Prim { faces: faces.clone(), ..Prim::new("Box", 1) };
        let mesh = Prim { mesh: Some(uuid(1, 1)), ..prim.clone() };
        let references: Vec<_> = named(&faces).into_iter().collect();
        prop_assert_eq!(only_part(mesh).references, references);
        // The last face is the default, which counts for every form.
        let visible: Vec<Face> = faces.iter().take(6).chain(faces.last()).copied().collect();
        let references: Vec<_> = named(&visible).into_iter().collect();
        prop_assert_eq!(only_part(prim).references, references);
    }
}
