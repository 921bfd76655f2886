//! The `TaskInventory` element: the inventory of a prim.

use super::{
    Item,
    diagnostics::Report,
    values::{self, Masks},
};
use crate::xml::{Result, Xml};

/// Reads the innermost open element.
pub(super) fn read_all(xml: &mut Xml<'_>, report: &mut Report) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    while let Some(child) = xml.child()? {
        match child.name() {
            "TaskInventoryItem" if report.takes_item() => items.push(read(xml, report)?),
            _ => xml.skip()?,
        }
    }
    items.shrink_to_fit();
    Ok(items)
}

/// Reads an item. Reports name its fields as `TaskInventoryItem/Field`.
fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<Item> {
    let mut item = Item::default();
    let mut masks = Masks::default();
    while let Some(child) = xml.child()? {
        match child.name() {
            "AssetID" => report.keep("TaskInventoryItem/AssetID", values::uuid(xml)?, &mut item.asset),
            "BasePermissions" => {
                masks.base = report.good("TaskInventoryItem/BasePermissions", values::bits(xml)?);
            }
            "CreatorID" => report.keep("TaskInventoryItem/CreatorID", values::uuid(xml)?, &mut item.creator),
            "EveryonePermissions" => {
                masks.everyone = report.good("TaskInventoryItem/EveryonePermissions", values::bits(xml)?);
            }
            "InvType" => {
                report.keep("TaskInventoryItem/InvType", values::int(xml)?, &mut item.inventory_type);
            }
            "ItemID" => report.keep("TaskInventoryItem/ItemID", values::uuid(xml)?, &mut item.uuid),
            "NextPermissions" => {
                masks.next_owner = report.good("TaskInventoryItem/NextPermissions", values::bits(xml)?);
            }
            "OwnerID" => report.keep("TaskInventoryItem/OwnerID", values::uuid(xml)?, &mut item.owner),
            "CurrentPermissions" => {
                masks.owner = report.good("TaskInventoryItem/CurrentPermissions", values::bits(xml)?);
            }
            "Type" => report.keep("TaskInventoryItem/Type", values::int(xml)?, &mut item.asset_type),
            "Name" => item.name = xml.name()?,
            "CreatorData" => item.creator_data = !xml.text()?.trim_ascii().is_empty(),
            _ => xml.skip()?,
        }
    }
    item.permissions = masks.complete();
    Ok(item)
}
