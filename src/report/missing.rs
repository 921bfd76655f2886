//! The assets in use that an input lacks or that nobody can use, each with its first user.

use crate::preflight::Lacking;
use hullmark_analysis::{
    Measured,
    asset_uses::{Used, User},
};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, RegionFacts, Role},
};
use hullmark_rules::families::reference::is_there;
use std::{cmp::Reverse, collections::HashMap};
use uuid::Uuid;

/// An asset that objects, items, texts or land use and the target will lack.
#[derive(Debug, Clone)]
pub struct MissingAsset<'a> {
    pub asset: Uuid,
    /// Its kind, by its use.
    pub kind: &'static str,
    /// Why it is missing.
    pub state: &'static str,
    /// Whether the target will not have it.
    pub is_lost: bool,
    /// Number of objects that use it.
    pub objects: u64,
    pub used: &'a Used<'a>,
    /// Number of the region of its first user.
    region: Option<u32>,
}

impl<'a> MissingAsset<'a> {
    /// Returns the root of the first user, if that is an object.
    pub fn root(&self) -> Option<&'a Part> {
        self.object()?.linkset.parts.first()
    }

    /// Returns the first user, if that is an object.
    pub fn object(&self) -> Option<&'a ObjectFacts> {
        match self.used.first {
            User::Part(object, _) => Some(object),
            _ => None,
        }
    }

    /// Returns the prim that uses it, if it is no root.
    pub fn child(&self) -> Option<&'a Part> {
        match self.used.first {
            User::Part(_, part) => Some(part).filter(|part| part.link_number > 1),
            _ => None,
        }
    }

    /// Says what its first user is.
    pub fn user(&self) -> &'static str {
        match self.used.first {
            User::Part(object, _) if object.role == Role::Nested => "object in an inventory",
            User::Part(..) => "object",
            User::Text(_) => "text",
            User::Item(_) => "inventory item",
            User::Entry(_) => "land",
        }
    }

    /// Returns the number of the region of the first user.
    pub fn region_number(&self) -> Option<u32> {
        self.region
    }

    /// Returns the region of the first user. `None` for a user outside of regions.
    pub fn region(&self, measured: &Measured<'a>) -> Option<&'a RegionFacts> {
        measured.ledger.regions.get(self.region? as usize)
    }

    /// Returns the position of the first user, if it is rezzed.
    pub fn position(&self) -> Option<[f64; 3]> {
        self.object().filter(|object| object.role == Role::Rezzed)?;
        self.root().map(|root| root.group_position).filter(|at| at.is_finite()).map(|at| at.to_array())
    }
}

/// Lists the missing assets of an input, those of most objects first.
pub fn list<'a>(measured: &'a Measured<'a>, lacking: &Lacking) -> Vec<MissingAsset<'a>> {
    if lacking.assets.is_empty() {
        return Vec::new();
    }
    let lands = regions_by_entry(measured.ledger);
    let asset = |(&asset, &(kind, is_lost)): (&Uuid, &(&'static str, bool))| {
        let used = measured.uses.get(&asset)?;
        let state = match (is_lost, is_there(measured, asset)) {
            (false, _) => "in --assets",
            (true, false) => "missing",
            (true, true) => "unusable",
        };
        let objects = lacking.users.by_asset.get(&asset).copied().unwrap_or_default();
        let region = match used.first {
            User::Part(object, _) => object.region,
            User::Entry(entry) => lands.get(entry).copied(),
            User::Text(_) | User::Item(_) => None,
        };
        Some(MissingAsset { asset, kind, state, is_lost, objects, used, region })
    };
    let mut list: Vec<MissingAsset<'a>> = lacking.assets.iter().filter_map(asset).collect();
    list.sort_by_key(|missing| (Reverse((missing.objects, missing.used.count)), missing.kind, missing.asset));
    list
}

/// Returns the numbers of the regions by the entries of their settings and parcels.
pub fn regions_by_entry(ledger: &Ledger) -> HashMap<&str, u32> {
    let mut lands = HashMap::new();
    for (region, number) in ledger.regions.iter().zip(0..) {
        lands.entry(region.folder.as_str()).or_insert(number);
        region.parcels.iter().for_each(|parcel| _ = lands.entry(parcel.entry.as_str()).or_insert(number));
    }
    lands
}
