//! The `TaskInventory` element: what lies in a part.

use super::{
    Item,
    report::Report,
    value::{self, Masks},
};
use crate::format::xml::{Result, Xml};

/// Reads the innermost open element.
pub(super) fn read_all(xml: &mut Xml<'_>, report: &mut Report) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    while let Some(child) = xml.child()? {
        match child.name() {
            "TaskInventoryItem" => items.push(read(xml, report)?),
            _ => xml.skip()?,
        }
    }
    Ok(items)
}

fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<Item> {
    let mut item = Item::default();
    let mut masks = Masks::default();
    while let Some(child) = xml.child()? {
        match child.name() {
            "Name" => item.name = xml.text()?.into_owned(),
            "ItemID" => report.keep("TaskInventoryItem/ItemID", value::uuid(xml)?, &mut item.uuid),
            "AssetID" => report.keep("TaskInventoryItem/AssetID", value::uuid(xml)?, &mut item.asset),
            "OwnerID" => report.keep("TaskInventoryItem/OwnerID", value::uuid(xml)?, &mut item.owner),
            "CreatorID" => report.keep("TaskInventoryItem/CreatorID", value::uuid(xml)?, &mut item.creator),
            "CreatorData" => item.creator_data = !xml.text()?.trim_ascii().is_empty(),
            "Type" => report.keep("TaskInventoryItem/Type", value::int(xml)?, &mut item.asset_type),
            "InvType" => {
                report.keep("TaskInventoryItem/InvType", value::int(xml)?, &mut item.inventory_type);
            }
            "BasePermissions" => {
                masks.base = report.good("TaskInventoryItem/BasePermissions", value::bits(xml)?);
            }
            "CurrentPermissions" => {
                masks.owner = report.good("TaskInventoryItem/CurrentPermissions", value::bits(xml)?);
            }
            "EveryonePermissions" => {
                masks.everyone = report.good("TaskInventoryItem/EveryonePermissions", value::bits(xml)?);
            }
            "NextPermissions" => {
                masks.next_owner = report.good("TaskInventoryItem/NextPermissions", value::bits(xml)?);
            }
            _ => xml.skip()?,
        }
    }
    item.permissions = masks.complete();
    Ok(item)
}
