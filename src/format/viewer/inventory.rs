//! Items in the contents of prims, as viewers write them (`llinventory.cpp`).

use super::prim::{integer, text, uuid};
use crate::{
    llsd::{Map, Value},
    object::{Item, Permissions},
};
use uuid::Uuid;

/// Names of asset types in viewers (`llassettype.cpp`).
const ASSET_TYPES: [(&str, i32); 23] = [
    ("texture", 0),
    ("sound", 1),
    ("callcard", 2),
    ("landmark", 3),
    ("script", 4),
    ("clothing", 5),
    ("object", 6),
    ("notecard", 7),
    ("category", 8),
    ("lsltext", 10),
    ("lslbyte", 11),
    ("txtr_tga", 12),
    ("bodypart", 13),
    ("snd_wav", 17),
    ("img_tga", 18),
    ("jpeg", 19),
    ("animatn", 20),
    ("gesture", 21),
    ("simstate", 22),
    ("mesh", 49),
    ("settings", 56),
    ("material", 57),
    ("gltf", 58),
];

/// Names of inventory types in viewers (`llinventorytype.cpp`).
const INVENTORY_TYPES: [(&str, i32); 15] = [
    ("texture", 0),
    ("sound", 1),
    ("callcard", 2),
    ("landmark", 3),
    ("object", 6),
    ("notecard", 7),
    ("script", 10),
    ("snapshot", 15),
    ("attach", 17),
    ("wearable", 18),
    ("animation", 19),
    ("gesture", 20),
    ("mesh", 22),
    ("settings", 25),
    ("material", 26),
];

/// Viewers combine the asset of an item with this UUID if its owner may not see it (`llinventory.cpp`, `MAGIC_ID`).
const SHADOW: Uuid = Uuid::from_u128(0x3c11_5e51_04f4_523c_9fa6_98af_f103_4730);

/// Returns the number of an asset type; −1 for an unknown name.
pub(super) fn asset_type(value: Option<&Value<'_>>) -> i32 {
    number(value, &ASSET_TYPES)
}

fn number(value: Option<&Value<'_>>, names: &[(&str, i32)]) -> i32 {
    if let Some(number) = integer(value) {
        return i32::try_from(number).unwrap_or(-1);
    }
    let name = text(value);
    names.iter().find(|(known, _)| *known == name).map_or(-1, |&(_, number)| number)
}

pub(super) fn item(map: &Map<'_>) -> Item {
    let permissions = map.get("permissions").and_then(Value::as_map);
    let of = |key: &str| permissions.and_then(|map| map.get(key));
    let shadow =
        uuid(map.get("shadow_id")).map(|shadow| Uuid::from_u128(shadow.as_u128() ^ SHADOW.as_u128()));
    Item {
        uuid: uuid(map.get("item_id")).unwrap_or_default(),
        name: text(map.get("name")),
        asset: uuid(map.get("asset_id")).or(shadow).unwrap_or_default(),
        asset_type: asset_type(map.get("type")),
        inventory_type: number(map.get("inv_type"), &INVENTORY_TYPES),
        owner: uuid(of("owner_id")).unwrap_or_default(),
        creator: uuid(of("creator_id")).unwrap_or_default(),
        creator_data: false,
        permissions: masks(["base_mask", "owner_mask", "everyone_mask", "next_owner_mask"].map(of)),
    }
}

/// Reads masks, which are signed numbers or four bytes. `None` unless all are there.
pub(super) fn masks(masks: [Option<&Value<'_>>; 4]) -> Option<Permissions> {
    let [base, owner, everyone, next_owner] = masks.map(bits);
    Some(Permissions { base: base?, owner: owner?, everyone: everyone?, next_owner: next_owner? })
}

/// Reads 32 bits: four bytes, the highest first, or a signed number.
pub(super) fn bits(value: Option<&Value<'_>>) -> Option<u32> {
    if let Some(bytes) = value.and_then(Value::as_binary) {
        return bytes.first_chunk().filter(|_| bytes.len() == 4).map(|bytes| u32::from_be_bytes(*bytes));
    }
    let number = integer(value)?;
    u32::try_from(number).ok().or_else(|| i32::try_from(number).ok().map(|number| number as u32))
}
