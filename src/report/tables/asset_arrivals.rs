//! `asset_arrivals`: one row for each asset that was in use before a move.

use super::columns;
use crate::{
    arrived::{Outcome, Verified},
    table::{Column, Table},
};
use hullmark_analysis::asset_uses::User;
use hullmark_format::object::Part;
use hullmark_ledger::facts::RegionFacts;
use hullmark_verify::{AssetArrival, Found, Status};

/// The table.
#[derive(Debug)]
pub struct AssetArrivals;

/// An asset with the comparison that it belongs to.
pub type Row<'a> = (&'a Verified<'a>, &'a AssetArrival<'a>);

impl Table for AssetArrivals {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "asset_arrivals";
    const ABOUT: &'static str = "One row for each asset that was in use before a move. Written by `verify`. Missing assets come first.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    AssetArrivals:
    STATUS = "status", (_, asset) => asset.found.status().name(), "`lost`, `changed` or `arrived`; `not_evaluated` if it was not found and something was not read.";
    "found", (_, asset) => asset.found.name(), "`missing`, `other_content`, `equal`, or `not_found`. `rewritten`: a loader changed only owners and creators of an object. `lacked_before`: the side before the move lacked it. `not_compared`: one side has no hash.";
    "kind", (_, asset) => asset.kind, "Kind of its first use.";
    "asset_uuid", (_, asset) => asset.asset, "UUID of the asset.";
    "uses", (_, asset) => asset.uses, "Number of uses before the move.";
    "announcement", (verified, asset) => announcement(verified, asset).map(Outcome::name), "With `--target`: `as_announced` or `unannounced`. Empty if it is there.";
    "object_name", (_, asset) => root(asset).map(|root| root.name.as_str()), "Name of the first object that uses it.";
    "owner_uuid", (_, asset) => root(asset).map(|root| root.owner), "Owner of that object.";
    "region", (_, asset) => region(asset).map(|region| region.name.as_str()), "Region of that object.";
    "bytes", (_, asset) => asset.bytes[0], "Size before the move, bytes.";
    "bytes_after", (_, asset) => asset.bytes[1], "Size after the move, bytes.";
    "archive", (_, asset) => asset.ledger.input.as_str(), "Path of the input of the first user.";
}

/// Returns the root of the first object that uses an asset.
pub fn root<'a>(asset: &AssetArrival<'a>) -> Option<&'a Part> {
    let User::Part(object, _) = asset.first else { return None };
    object.linkset.parts.first()
}

fn region<'a>(asset: &AssetArrival<'a>) -> Option<&'a RegionFacts> {
    let User::Part(object, _) = asset.first else { return None };
    asset.ledger.regions.get(object.region? as usize)
}

/// Returns whether the loss of an asset was announced. `None` without a target, and if it is there.
pub fn announcement(verified: &Verified<'_>, asset: &AssetArrival<'_>) -> Option<Outcome> {
    let announced = verified.announced.as_ref()?;
    let is_lost = asset.found.status() == Status::Lost || asset.found == Found::LackedBefore;
    is_lost.then(|| match announced.loses_asset(&asset.ledger.input, asset.asset) {
        true => Outcome::AsAnnounced,
        false => Outcome::Unannounced,
    })
}
