//! An object of a region as an item of an inventory.

use super::form::Member;
use crate::mend::{in_inventory_layout, plain_texts};
use hullmark_format::object::{Part, Permissions};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_util::stable_hash::hashed_uuid;
use quick_xml::escape::escape;
use uuid::Uuid;

/// Type of objects, and of their items.
const OBJECT: u8 = 6;

/// Masks of a prim that states none: `PermissionMask.All` of OpenSim.
const ALL: u32 = 0x7FFF_FFFF;

/// Characters of a name in a path. File systems allow 255 bytes.
const NAMED: usize = 40;

/// Returns the item and its asset. `None` if the document is no object that a loader reads.
///
/// An inventory has objects in the older layout. Permissions are those that `InventoryAccessModule.AddPermissions` of
/// OpenSim gives an object that its owner takes: all prims must have them.
pub(super) fn of_object(bytes: &[u8], object: &ObjectFacts) -> Option<Vec<Member>> {
    let root = object.linkset.parts.first()?;
    let document = in_inventory_layout(bytes)?;
    let asset = hashed_uuid(&document);
    let id = hashed_uuid(&(asset.as_bytes(), "item"));
    let masks = |part: &Part| part.permissions.unwrap_or_else(|| Permissions::from([ALL, ALL, 0, ALL]));
    let all = object.linkset.parts.iter().map(masks).fold(ALL, |all, masks| all & masks.base & masks.owner);
    let of_root = masks(root);
    let [created, description] = plain_texts(&document, ["CreationDate", "Description"]);
    let name = if root.name.trim().is_empty() { "Object" } else { &root.name };
    let fields = [
        ("Name", name.to_owned()),
        ("ID", id.to_string()),
        ("InvType", OBJECT.to_string()),
        ("CreatorUUID", root.creator.to_string()),
        ("CreationDate", created.parse().unwrap_or(0_i32).to_string()),
        ("Owner", root.owner.to_string()),
        ("Description", description),
        ("AssetType", OBJECT.to_string()),
        ("AssetID", asset.to_string()),
        ("SaleType", "0".into()),
        ("SalePrice", "0".into()),
        ("BasePermissions", all.to_string()),
        ("CurrentPermissions", all.to_string()),
        ("EveryOnePermissions", (all & of_root.everyone).to_string()),
        ("NextPermissions", (all & of_root.next_owner).to_string()),
        ("Flags", "0".into()),
        ("GroupID", Uuid::nil().to_string()),
        ("GroupOwned", "False".into()),
    ];
    let lines: String =
        fields.iter().map(|(field, text)| format!("  <{field}>{}</{field}>\n", escape(text))).collect();
    let item =
        format!("<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<InventoryItem>\n{lines}</InventoryItem>");
    Some(vec![
        (format!("inventory/{}__{id}.xml", in_path(name)), item.into_bytes()),
        (format!("assets/{asset}_object.xml"), document),
    ])
}

/// Returns a name for a path: that of the item is in its XML.
fn in_path(name: &str) -> String {
    // Names of members are ASCII in OpenSim.
    let plain = |c: char| if c.is_ascii_alphanumeric() || " ()-_.,".contains(c) { c } else { '_' };
    name.chars().map(plain).take(NAMED).collect()
}
