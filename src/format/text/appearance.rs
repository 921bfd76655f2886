//! Saved appearances: LLSD as XML that a script saves as a notecard (`osAgentSaveAppearance`, `osNpcSaveAppearance`),
//! and that makes an NPC (O `AvatarAppearance.PackForNotecard`).

use crate::{
    defect::DocumentType,
    object::texture_entry::TextureEntry,
    reference::Use,
    xml::{Result, SMALL_DOCUMENT_DEPTH, Source, Step, Xml, parse_uuid},
};
use hullmark_util::base64;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Depth of the keys of the map that is the document.
const KEYS: usize = 3;

/// Number of types of wearables that are body parts: shape, skin, hair and eyes. The others are clothing.
const BODY_PARTS: usize = 4;

/// The UUIDs of a saved appearance.
#[derive(Debug, Default)]
pub(super) struct Appearance {
    pub(super) assets: BTreeMap<Uuid, Use>,
    /// Items of an inventory and keys of a cache, which name no asset.
    pub(super) others: BTreeSet<Uuid>,
}

/// Reads the text of a notecard, with or without the brace behind it. `None` if it is no saved appearance, or one that
/// no simulator reads.
pub(super) fn decode(text: &[u8]) -> Option<Appearance> {
    let end = text.iter().rposition(|&byte| byte == b'>')?;
    let text = text[..=end].trim_ascii_start();
    if !text.starts_with(b"<llsd") && !text.starts_with(b"<?xml") {
        return None;
    }
    let source = Source::new(text, DocumentType::Llsd);
    read(&mut Xml::new(&source, SMALL_DOCUMENT_DEPTH)).ok().flatten()
}

/// Reads a map of sections. Each value inside a section is known by the key before it.
fn read(xml: &mut Xml<'_>) -> Result<Option<Appearance>> {
    let mut appearance = Appearance::default();
    let (mut section, mut key) = (String::new(), String::new());
    let (mut wearable_type, mut is_appearance) = (0, false);
    loop {
        match xml.step()? {
            Step::Open(element) => match (element.name(), xml.depth()) {
                ("key", KEYS) => {
                    (section, key) = (xml.text()?.into_owned(), String::new());
                    wearable_type = 0;
                    is_appearance |= matches!(&*section, "wearables" | "wrbls8");
                }
                ("key", _) => key = xml.text()?.into_owned(),
                ("uuid", _) => {
                    let Some(uuid) = parse_uuid(&xml.text()?) else { continue };
                    match use_in(&section, &key, wearable_type) {
                        Some(what) => _ = appearance.assets.insert(uuid, what),
                        None => _ = appearance.others.insert(uuid),
                    }
                }
                ("binary", KEYS) if section == "te8" => appearance.add_textures(&xml.text()?),
                _ => {}
            },
            // Each type of wearable has an array of them.
            Step::Close if xml.depth() == KEYS => wearable_type += 1,
            Step::End => return Ok(is_appearance.then_some(appearance)),
            _ => {}
        }
    }
}

/// Returns the use of a UUID; `None` if it names no asset.
fn use_in(section: &str, key: &str, wearable_type: usize) -> Option<Use> {
    match (section, key) {
        ("textures", _) | ("bakedcache" | "bc8", "textureid") => Some(Use::Texture),
        ("wearables" | "wrbls8", "asset") if wearable_type < BODY_PARTS => Some(Use::BodyPart),
        ("wearables" | "wrbls8", "asset") => Some(Use::Clothing),
        ("attachments", "asset") => Some(Use::Attachment),
        _ => None,
    }
}

impl Appearance {
    /// Adds the textures of a texture entry in base64.
    fn add_textures(&mut self, text: &str) {
        let entry = base64::decode(text).and_then(|bytes| TextureEntry::decode(&bytes));
        let textures = entry.iter().flat_map(|entry| entry.textures.of_all());
        self.assets.extend(textures.map(|texture| (texture, Use::Texture)));
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};

    fn worn(number: u128) -> String {
        let (item, asset) = (uuid(100 + number), uuid(number));
        format!("<map><key>item</key><uuid>{item}</uuid><key>asset</key><uuid>{asset}</uuid></map>")
    }

    fn saved(sections: &str) -> String {
        format!("<llsd><map><key>height</key><real>1.77</real>{sections}</map></llsd>")
    }

    #[test]
    fn assets_have_a_use_and_items_have_none() {
        let texture = |number: u128| format!("<uuid>{}</uuid>", uuid(number));
        let wearables = ["", &worn(1), "", "", &[worn(4), worn(5)].concat()];
        let wearables: String = wearables.iter().map(|worn| format!("<array>{worn}</array>\n ")).collect();
        let text = saved(&format!(
            "<key>wearables</key>\n<array>\n{wearables}</array>\n<key>textures</key><array>{}<uuid />{}</array>\
             <key>visualparams</key><binary>AAAA</binary>\
             <key>bakedcache</key><array><map><key>textureindex</key><integer>8</integer><key>cacheid</key>{}\
             <key>textureid</key>{}</map></array>\
             <key>attachments</key><array><map><key>point</key><integer>5</integer><key>item</key>{}\
             <key>asset</key>{}</map></array>",
            texture(10),
            texture(11),
            texture(110),
            texture(12),
            texture(120),
            texture(20)
        ));
        let read = decode(format!("{text}}}\n").as_bytes()).unwrap();
        let textures = [10, 11, 12].map(|number| (uuid(number), Use::Texture));
        let wearables = [(uuid(1), Use::BodyPart), (uuid(4), Use::Clothing), (uuid(5), Use::Clothing)];
        let expected = wearables.into_iter().chain(textures).chain([(uuid(20), Use::Attachment)]);
        assert_eq!(read.assets.into_iter().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert_eq!(read.others, [101, 104, 105, 110, 120].map(uuid).into());
    }

    #[test]
    fn textures_may_be_packed() {
        // One texture for all faces, another for the second, and the nine other properties.
        let mut entry = [&uuid(1).as_bytes()[..], &[2], uuid(2).as_bytes(), &[0]].concat();
        for size in [4, 4, 4, 2, 2, 2, 1, 1, 1] {
            entry.resize(entry.len() + size + 1, 0);
        }
        let packed = ::base64::Engine::encode(&::base64::prelude::BASE64_STANDARD, entry);
        let sections = format!("<key>wrbls8</key><array/><key>te8</key><binary>{packed}</binary>");
        let read = decode(saved(&sections).as_bytes()).unwrap();
        assert_eq!(read.assets, [1, 2].map(|number| (uuid(number), Use::Texture)).into());
    }

    #[test]
    fn other_texts_save_no_appearance() {
        let wearables = format!("<key>wearables</key><array><array>{}</array></array>", worn(1));
        let text = saved(&wearables);
        assert!(decode(text.as_bytes()).is_some());
        for other in [
            text.replace("wearables", "shoes"),
            text.replace("</map></llsd>", "</llsd>"),
            format!("Look: {text}"),
            format!("{}{}", "<llsd>".repeat(70), "</llsd>".repeat(70)),
            "}".into(),
        ] {
            assert!(decode(other.as_bytes()).is_none(), "{other}");
        }
    }
}
