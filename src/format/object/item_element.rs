//! The `TaskInventory` element: what lies in a part.

use super::{
    Item,
    diagnostics::Report,
    fields::Fields,
    values::{self, Masks},
};
use crate::format::xml::{Result, Xml};

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

/// What is done with an element of an item. In reports its name stands behind that of the item.
enum Take {
    Uuid(&'static str, fn(&mut Item) -> &mut uuid::Uuid),
    Int(&'static str, fn(&mut Item) -> &mut i32),
    Mask(&'static str, fn(&mut Masks) -> &mut Option<u32>),
    Name,
    CreatorData,
    Pass,
}

use Take::{CreatorData, Int, Mask, Name, Pass, Uuid};

/// In the order in which OpenSim writes them.
const FIELDS: [(&str, Take); 24] = [
    ("AssetID", Uuid("TaskInventoryItem/AssetID", |item| &mut item.asset)),
    ("BasePermissions", Mask("TaskInventoryItem/BasePermissions", |masks| &mut masks.base)),
    ("CreationDate", Pass),
    ("CreatorID", Uuid("TaskInventoryItem/CreatorID", |item| &mut item.creator)),
    ("CreatorData", CreatorData),
    ("Description", Pass),
    ("EveryonePermissions", Mask("TaskInventoryItem/EveryonePermissions", |masks| &mut masks.everyone)),
    ("Flags", Pass),
    ("GroupID", Pass),
    ("GroupPermissions", Pass),
    ("InvType", Int("TaskInventoryItem/InvType", |item| &mut item.inventory_type)),
    ("ItemID", Uuid("TaskInventoryItem/ItemID", |item| &mut item.uuid)),
    ("OldItemID", Pass),
    ("LastOwnerID", Pass),
    ("Name", Name),
    ("NextPermissions", Mask("TaskInventoryItem/NextPermissions", |masks| &mut masks.next_owner)),
    ("OwnerID", Uuid("TaskInventoryItem/OwnerID", |item| &mut item.owner)),
    ("CurrentPermissions", Mask("TaskInventoryItem/CurrentPermissions", |masks| &mut masks.owner)),
    ("ParentID", Pass),
    ("ParentPartID", Pass),
    ("PermsGranter", Pass),
    ("PermsMask", Pass),
    ("Type", Int("TaskInventoryItem/Type", |item| &mut item.asset_type)),
    ("OwnerChanged", Pass),
];

fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<Item> {
    let mut item = Item::default();
    let mut masks = Masks::default();
    let mut fields = Fields::new(&FIELDS);
    while let Some(child) = xml.child()? {
        match fields.find(child.name()).map_or(&Pass, |(_, take)| take) {
            Uuid(name, place) => report.keep(name, values::uuid(xml)?, place(&mut item)),
            Int(name, place) => report.keep(name, values::int(xml)?, place(&mut item)),
            Mask(name, place) => *place(&mut masks) = report.good(name, values::bits(xml)?),
            Name => item.name = xml.name()?,
            CreatorData => item.creator_data = !xml.text()?.trim_ascii().is_empty(),
            Pass => xml.skip()?,
        }
    }
    item.permissions = masks.complete();
    Ok(item)
}
