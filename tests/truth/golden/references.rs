//! References to sounds, particles and textures, against a plain search in the text.

use super::study;
use base64::{Engine, prelude::BASE64_STANDARD};
use hullmark_format::{
    object::Part,
    reference::{Reference, Use},
};
use hullmark_source::{self as source, Item, Kind, ReadRequest, Visitor};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Sounds, particles and default textures of all objects, against a plain search for their elements in the text.
#[test]
fn references_agree_with_the_text() {
    let Some(study) = study() else { return };
    let mut total = 0;
    for ledger in &study.ledgers {
        let input = study.inputs.iter().find(|input| input.name == ledger.input).unwrap();
        let mut text = TextVisitor::default();
        source::read(input, &ReadRequest::new(&study.limits), &mut text);
        let parts = || ledger.objects.iter().flat_map(|object| &object.linkset.parts);
        let mut ours = BTreeMap::new();
        for reference in parts().flat_map(|part| &part.references) {
            if matches!(reference.what, Use::Sound | Use::CollisionSound | Use::Particle) {
                *ours.entry(*reference).or_default() += 1;
            }
        }
        assert_eq!(ours, text.references, "{}", ledger.input);
        let has_texture =
            |part: &&Part| part.references.iter().any(|reference| reference.what == Use::Texture);
        assert_eq!(parts().filter(has_texture).count(), text.default_textures, "{}", ledger.input);
        total += text.default_textures;
    }
    assert!(total > 20_000, "only {total} parts have textures");
}

/// Searches the text of objects for elements.
#[derive(Default)]
struct TextVisitor {
    references: BTreeMap<Reference, usize>,
    default_textures: usize,
}

impl Visitor for TextVisitor {
    fn item(&mut self, item: Item) {
        if !matches!(item.kind, Kind::Object | Kind::NestedObject) {
            return;
        }
        let text = String::from_utf8_lossy(&item.bytes);
        let values = |tag: &str| -> Vec<String> {
            let [start, end] = [format!("<{tag}>"), format!("</{tag}>")];
            text.split(&start).skip(1).map(|piece| piece.split(&end).next().unwrap().into()).collect()
        };
        let mut add = |reference: Reference| *self.references.entry(reference).or_default() += 1;
        for (tag, what) in [("CollisionSound", Use::CollisionSound), ("SoundID", Use::Sound)] {
            for value in values(tag) {
                let sound: Uuid = value.split(['<', '>']).find_map(|piece| piece.parse().ok()).unwrap();
                if !sound.is_nil() && !sound.is_max() {
                    add(what.reference(sound));
                }
            }
        }
        for value in values("ParticleSystem") {
            let bytes = BASE64_STANDARD.decode(value.split_whitespace().collect::<String>()).unwrap();
            let texture = if bytes.len() == 86 { bytes.get(36..52) } else { bytes.get(40..56) };
            if let Some(texture) = texture.map(|id| Uuid::from_slice(id).unwrap()).filter(|id| !id.is_nil()) {
                add(Use::Particle.reference(texture));
            }
        }
        self.default_textures += values("TextureEntry").len();
    }
}
