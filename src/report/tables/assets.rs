//! `assets`: one row for each asset that an input has.

use super::columns;
use crate::{
    first_user::FirstUser,
    table::{Cell, Column, Table},
};
use hullmark_analysis::{Measured, asset_uses::kind_of_suffix};
use hullmark_ledger::facts::AssetFacts;
use uuid::Uuid;

/// The table.
#[derive(Debug)]
pub struct Assets;

/// An asset of an input.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its input.
    pub measured: &'a Measured<'a>,
    /// Its facts.
    pub asset: &'a AssetFacts,
    /// Its first user. `None` if nothing in the input uses it.
    pub by: Option<FirstUser<'a>>,
}

impl Row<'_> {
    fn uuid(&self) -> Uuid {
        self.asset.uuid().unwrap_or_default()
    }
}

impl Table for Assets {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "assets";
    const ABOUT: &'static str = "One row for each asset that an input has, with `--list-assets`. Filter `uses` for 0 to find \
        unused ones, and `content_hash` for equal ones.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Assets:
    "archive", row => &row.measured.ledger.input, "Path of the input.";
    "asset_uuid", row => row.asset.uuid(), "UUID of the asset, from its name. Empty without one.";
    "kind", row => row.asset.suffix().map(kind_of_suffix), "Kind of the asset by its name: `texture`, `mesh`, `animation` and so on.";
    "entry", row => Cell::show(&row.asset.entry), "Entry of the archive, or file.";
    "bytes", row => row.asset.bytes, "Size, bytes.";
    "content_hash", row => row.asset.content_hash.map(|hash| Cell::show(format_args!("{:032x}", hash.number()))), "xxh3-128 of its bytes. Empty if not all of them were read.";
    "uses", row => row.by.map_or(0, |by| by.used.count), "Number of its uses in objects, items, texts and land of the same input.";
    "used_by", row => row.by.map(|by| by.kind()), "First user: `object`, `object in an inventory`, `inventory item`, `text` or `land`.";
    "object_name", row => row.by.and_then(|by| by.root()).map(|root| root.name.as_str()), "Name of the object that uses it first.";
    "container_name", row => row.by.and_then(|by| by.container()).map(|root| root.name.as_str()), "Name of the object in a region that contains it, if it is an object in an inventory.";
    "object_uuid", row => row.by.and_then(|by| by.root()).map(|root| root.uuid), "UUID of the root prim.";
    "owner_uuid", row => row.by.and_then(|by| by.owner(row.measured, row.uuid())), "Owner of the object or the item.";
    "region", row => row.by.and_then(|by| by.region(row.measured)).map(|region| region.name.as_str()), "Name of the region of the first user, or of the object that contains it.";
    "item", row => row.by.and_then(|by| by.item(row.measured, row.uuid())).map(|facts| facts.entry.as_str()), "Path of the first inventory item that has the asset or the object.";
}
