//! Materials: legacy ones, which OpenSim stores as LLSD, and PBR ones, which are glTF in LLSD.

use super::{Text, uuids};
use crate::{
    defect::DocumentType,
    llsd::{self, Value},
    xml::{SMALL_DOCUMENT_DEPTH, Source, Step, Xml, parse_uuid},
};
use serde::Deserialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Maximum nesting of values in a material; genuine ones need four.
const DEPTH: usize = 32;

/// Reads a legacy material: a map with `NormMap` and `SpecMap`. Every UUID in it is a texture and so a reference
/// (`UuidGatherer.RecordMaterialAssetUuids`).
pub(super) fn decode_legacy(bytes: &[u8]) -> Result<Text, String> {
    let mut references = BTreeSet::new();
    match llsd::parse(bytes, DEPTH) {
        Ok(document) => uuids::in_llsd(&document.value, &mut references),
        Err(_) if bytes.starts_with(b"<") => uuid_elements(bytes, &mut references)?,
        Err(error) => return Err(error.to_string()),
    }
    Ok(Text::new(references, BTreeSet::new()))
}

/// Collects the UUIDs of an LLSD document in XML.
fn uuid_elements(bytes: &[u8], found: &mut BTreeSet<Uuid>) -> Result<(), String> {
    let source = Source::new(bytes, DocumentType::Llsd);
    let mut xml = Xml::new(&source, SMALL_DOCUMENT_DEPTH);
    loop {
        match xml.step().map_err(|fault| fault.what.to_string())? {
            Step::Open(element) if element.name() == "uuid" => {
                let text = xml.text().map_err(|fault| fault.what.to_string())?;
                found.extend(parse_uuid(&text));
            }
            Step::End => return Ok(()),
            _ => {}
        }
    }
}

/// Reads a PBR material: `data` in an LLSD map is glTF, and its images name textures (V `llgltfmaterial.cpp`). Other
/// text is read as OpenSim reads it: its UUIDs are mentions.
pub(super) fn decode_gltf(bytes: &[u8]) -> Result<Text, String> {
    let document = match llsd::parse(bytes, DEPTH) {
        Ok(document) => document,
        Err(_) if is_text(bytes) => return Ok(Text::new(BTreeSet::new(), uuids::in_text(bytes))),
        Err(error) => return Err(error.to_string()),
    };
    let data = document.value.as_map().and_then(|map| map.get("data"));
    let Some(data) = data.and_then(Value::as_string) else { return Err("it has no text `data`".into()) };
    let material: Gltf =
        serde_json::from_slice(data).map_err(|error| format!("its glTF is damaged: {error}"))?;
    let names = material.images.iter().filter_map(|image| image.uri.as_deref());
    Ok(Text::new(names.filter_map(parse_uuid).collect(), BTreeSet::new()))
}

/// The part of a glTF document that is read.
#[derive(Deserialize)]
struct Gltf {
    #[serde(default)]
    images: Vec<GltfImage>,
}

#[derive(Deserialize)]
struct GltfImage {
    uri: Option<String>,
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.trim_end_matches('\0').contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};

    fn llsd(key: &str, value: &[u8]) -> Vec<u8> {
        let mut bytes = b"<? LLSD/Binary ?>\n{\0\0\0\x01k".to_vec();
        bytes.extend((key.len() as u32).to_be_bytes());
        bytes.extend(key.as_bytes());
        bytes.extend(value);
        bytes.push(b'}');
        bytes
    }

    fn string(text: &str) -> Vec<u8> {
        [b"s", &(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat()
    }

    #[test]
    fn legacy_materials_name_textures_in_xml_and_in_binary() {
        let (normal, specular) = (uuid(1), uuid(2));
        let xml = format!(
            "<?xml version=\"1.0\"?><llsd><map><key>NormMap</key><uuid>{normal}</uuid><key>SpecMap</key>\
             <uuid>{specular}</uuid><key>Empty</key><uuid /><key>SpecExp</key><integer>51</integer></map></llsd>"
        );
        assert_eq!(decode_legacy(xml.as_bytes()).unwrap().references, [normal, specular]);
        let binary = llsd("NormMap", &[b"u", &normal.as_bytes()[..]].concat());
        assert_eq!(decode_legacy(&binary).unwrap().references, [normal]);
        assert!(decode_legacy(b"<llsd><map>").is_err() && decode_legacy(b"NormMap").is_err());
    }

    #[test]
    fn the_images_of_gltf_are_references() {
        let (base, normal) = (uuid(1), uuid(2));
        let gltf = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"images\":[{{\"uri\":\"{base}\"}},{{\"uri\":\"{normal}\"}},\
             {{\"bufferView\":0}}],\"materials\":[{{}}]}}"
        );
        assert_eq!(decode_gltf(&llsd("data", &string(&gltf))).unwrap().references, [base, normal]);
        assert_eq!(decode_gltf(&llsd("data", &string("{}"))), Ok(Text::default()));
    }

    #[test]
    fn a_damaged_material_is_named_and_another_notation_is_only_searched() {
        let why = |bytes: &[u8]| decode_gltf(bytes).unwrap_err();
        assert_eq!(why(&llsd("data", b"i\0\0\0\x01")), "it has no text `data`");
        assert!(why(&llsd("data", &string("{\"images\":1}"))).starts_with("its glTF is damaged: "));
        assert!(why(b"\x01\xff").contains("no value starts"));
        let notation = format!("{{'data':'{{\"images\":[{{\"uri\":\"{}\"}}]}}'}}", uuid(3));
        let read = decode_gltf(notation.as_bytes()).unwrap();
        assert_eq!((read.references, read.mentions), (vec![], vec![uuid(3)]));
    }
}
