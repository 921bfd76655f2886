//! `DynAttrs`: the materials of a part, in the format used before materials were assets.
//!
//! The element holds a map in XML LLSD. Each of its materials has an `ID`, to which faces refer, and maps.

use crate::{
    reference::{Reference, Use},
    xml::{Result, Step, Xml, parse_uuid},
};
use std::collections::BTreeSet;
use uuid::Uuid;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct OwnMaterials {
    /// The ids by which faces refer to these materials. They are not assets.
    pub ids: BTreeSet<Uuid>,
    pub references: Vec<Reference>,
}

/// Bytes of a key that are compared. All known ones are shorter.
const KEY: usize = 64;

/// Reads the innermost open element. Keys are matched by name at any depth.
pub fn read(xml: &mut Xml<'_>) -> Result<OwnMaterials> {
    let mut materials = OwnMaterials::default();
    let outside = xml.depth() - 1;
    let mut key = String::new();
    while xml.depth() > outside {
        let Step::Open(element) = xml.step()? else { continue };
        match element.name() {
            "key" => key = xml.start(KEY)?,
            "uuid" | "string" => {
                let value = parse_uuid(&xml.text()?).unwrap_or_default();
                match key.as_str() {
                    "ID" => _ = materials.ids.insert(value),
                    "NormMap" => materials.references.extend(Use::NormalMap.unless_nil(value)),
                    "SpecMap" => materials.references.extend(Use::SpecularMap.unless_nil(value)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(materials)
}
