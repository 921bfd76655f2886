//! `missing`: one row for each asset in use that an input lacks or that nobody can use.

use super::columns;
use crate::{
    missing::MissingAsset,
    table::{Cell, Column, Table},
};
use hullmark_analysis::Measured;

/// The table.
#[derive(Debug)]
pub struct Missing;

impl Table for Missing {
    /// A missing asset of an input, and another input that has it.
    type Row<'a> = (&'a Measured<'a>, &'a MissingAsset<'a>, &'a str);
    const NAME: &'static str = "missing";
    const ABOUT: &'static str = "One row for each asset in use that its input lacks or that nobody can use, with its \
        first user. Those of most objects come first. An input that was cut short proves \
        nothing, so it has no rows of missing assets.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Missing:
    ARCHIVE = "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    "kind", (_, missing, _) => missing.kind, "Kind of the asset by its use: `texture`, `mesh`, `animation` and so on.";
    ASSET_UUID = "asset_uuid", (_, missing, _) => missing.asset, "UUID of the asset.";
    "state", (_, missing, _) => missing.state, "`missing`: the input lacks it. `unusable`: it is damaged. `in --assets`: the input lacks it, and a folder of `--assets` has it.";
    ELSEWHERE = "elsewhere", (.., elsewhere) => *elsewhere, "Path of the first other input that was read to its end and has the asset. Name it with `--assets`.";
    OBJECTS = "objects", (_, missing, _) => missing.objects, "Number of objects that use it, also in inventories.";
    "uses", (_, missing, _) => missing.by.used.count, "Number of its uses in objects, items, texts and land.";
    "used_by", (_, missing, _) => missing.by.kind(), "First user: `object`, `object in an inventory`, `inventory item`, `text` or `land`.";
    "object_name", (_, missing, _) => missing.by.root().map(|root| root.name.as_str()), "Name of the object that uses it first.";
    "within", (_, missing, _) => missing.by.child().map(|part| part.name.as_str()), "Name of the child prim that uses it. Empty for the root prim.";
    "link_number", (_, missing, _) => missing.by.child().map(|part| part.link_number), "Link number of the child prim.";
    "container_name", (_, missing, _) => missing.by.container().map(|root| root.name.as_str()), "Name of the object in a region that contains it, if it is an object in an inventory.";
    "object_uuid", (_, missing, _) => missing.by.root().map(|root| root.uuid), "UUID of the root prim.";
    "owner_uuid", (measured, missing, _) => missing.by.owner(measured, missing.asset), "Owner of the object or the item.";
    "region", (measured, missing, _) => missing.by.region(measured).map(|region| region.name.as_str()), "Name of the region of the first user, or of the object that contains it.";
    "position_x_m", (_, missing, _) => missing.by.position().map(|at| at[0]), "Position of the object or of its container from the west border, metres. Empty if that is not rezzed.";
    "position_y_m", (_, missing, _) => missing.by.position().map(|at| at[1]), "Position from the south border, metres.";
    "position_z_m", (_, missing, _) => missing.by.position().map(|at| at[2]), "Height, metres.";
    "item", (measured, missing, _) => missing.by.item(measured, missing.asset).map(|facts| facts.entry.as_str()), "Path of the first inventory item that has the asset or the object.";
    "entry", (_, missing, _) => Cell::show(missing.by.used.first.place().entry), "Entry of the first user.";
}
