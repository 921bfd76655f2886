//! Inventory items of an IAR.

use super::{
    defect::{Defect, DocumentType},
    loader,
    xml::{Result, SMALL_DOCUMENT_DEPTH, SMALL_DOCUMENT_ROWS, Source, Xml, XmlFault, excerpt, parse_uuid},
};
use hullmark_finding::Capped;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An item, read from `inventory/…/<name>__<uuid>.xml`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InventoryItem {
    pub name: String,
    /// `ID`: UUID of the item; nil if missing.
    pub uuid: Uuid,
    /// UUID of the asset; nil if missing.
    pub asset: Uuid,
    /// `AssetType`: 6 for an object, 49 for a mesh.
    pub asset_type: i32,
    /// `InvType`.
    pub inventory_type: i32,
    /// UUID of the creator; `None` if the archive names a person in words (`ospa:n=…`) or nobody.
    pub creator: Option<Uuid>,
    pub owner: Option<Uuid>,
}

/// Decodes an item; `None` if it cannot be read. A field that cannot be read is nil or 0.
pub fn decode(bytes: &[u8]) -> (Option<InventoryItem>, Vec<Defect>) {
    let source = Source::new(bytes, DocumentType::InventoryItem);
    let mut xml = Xml::new(&source, SMALL_DOCUMENT_DEPTH);
    let mut fields = Capped::new(SMALL_DOCUMENT_ROWS);
    let result = read(&mut xml, &mut fields);
    let mut defects: Vec<Defect> = fields.finish();
    let stop = loader::item::stops(bytes);
    match result {
        Ok(item) => {
            defects.extend(stop);
            (Some(item), defects)
        }
        Err(fault) => {
            defects.push(stop.unwrap_or_else(|| fault.defect(DocumentType::InventoryItem, 0)));
            (None, defects)
        }
    }
}

fn read(xml: &mut Xml<'_>, defects: &mut Capped<Defect>) -> Result<InventoryItem> {
    let root = xml.root()?;
    if root.name() != "InventoryItem" {
        return Err(xml.fault(XmlFault::OtherRoot { found: excerpt(root.name()), expected: None }));
    }
    let mut item = InventoryItem::default();
    while let Some(child) = xml.child()? {
        let name = child.name();
        match name {
            "Name" => item.name = xml.name()?,
            "ID" => item.uuid = xml.value(name, defects, parse_uuid)?.unwrap_or_default(),
            "AssetID" => item.asset = xml.value(name, defects, parse_uuid)?.unwrap_or_default(),
            "AssetType" => item.asset_type = xml.value(name, defects, parse_int)?.unwrap_or_default(),
            "InvType" => item.inventory_type = xml.value(name, defects, parse_int)?.unwrap_or_default(),
            "CreatorUUID" | "CreatorID" => item.creator = parse_uuid(&xml.text()?).or(item.creator),
            "Owner" => item.owner = parse_uuid(&xml.text()?),
            _ => xml.skip()?,
        }
    }
    xml.finish()?;
    Ok(item)
}

fn parse_int(text: &str) -> Option<i32> {
    text.trim_ascii().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::{DefectKind, DocumentDefect};

    const ITEM: &str = "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<InventoryItem><Name>Ears &amp; more</Name>\
        <ID>57be92cc-e49f-4f02-b9d6-b32c52f0b82f</ID><InvType>6</InvType><CreatorUUID>ospa:n=Ai Austin</CreatorUUID>\
        <Owner>e858df02-a860-4b92-937a-2b87e4ebcd6d</Owner><AssetType>6</AssetType>\
        <AssetID>9a66041f-5424-4b66-94d7-5429ec5ee47b</AssetID><GroupOwned>False</GroupOwned></InventoryItem>";

    #[test]
    fn an_item() {
        let expected = InventoryItem {
            name: "Ears & more".into(),
            uuid: "57be92cc-e49f-4f02-b9d6-b32c52f0b82f".parse().unwrap(),
            asset: "9a66041f-5424-4b66-94d7-5429ec5ee47b".parse().unwrap(),
            asset_type: 6,
            inventory_type: 6,
            creator: None,
            owner: Some("e858df02-a860-4b92-937a-2b87e4ebcd6d".parse().unwrap()),
        };
        assert_eq!(decode(ITEM.as_bytes()), (Some(expected), vec![]));
        let creator = "a6dacf01-4636-4bb9-8a97-30609438af9d";
        let (item, _) = decode(ITEM.replace("ospa:n=Ai Austin", creator).as_bytes());
        assert_eq!(item.unwrap().creator, Some(creator.parse().unwrap()));
    }

    #[test]
    fn items_that_cannot_be_read() {
        let (item, defects) = decode(ITEM.replace("<AssetType>6<", "<AssetType>six<").as_bytes());
        let kind = DocumentDefect::Field { of: DocumentType::InventoryItem, text: "six".into() };
        assert_eq!((item.unwrap().asset_type, defects), (0, vec![Defect::new(kind).within("AssetType")]));
        for bad in [&ITEM[..200], "", "<InventoryFolder/>"] {
            let (item, defects) = decode(bad.as_bytes());
            let is_stop = matches!(
                &defects[0].kind,
                DefectKind::Document(DocumentDefect::IllFormed { .. } | DocumentDefect::ItemStops { .. })
            );
            assert!(is_stop, "{defects:?}");
            assert_eq!((item, defects.len()), (None, 1));
        }
    }
}
