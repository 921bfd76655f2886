//! The first user of an asset: an object, an item, a text or land.

use hullmark_analysis::{
    Measured,
    asset_uses::{Used, User},
};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ItemFacts, ObjectFacts, RegionFacts, Role},
};
use std::collections::HashMap;
use uuid::Uuid;

/// The uses of an asset, with the place of the first.
#[derive(Debug, Clone, Copy)]
pub struct FirstUser<'a> {
    pub used: &'a Used<'a>,
    region: Option<u32>,
}

impl<'a> FirstUser<'a> {
    /// Finds the region of the first user. `lands` has the regions of the input, from [`regions_by_entry`].
    pub fn new(used: &'a Used<'a>, lands: &HashMap<&str, u32>) -> Self {
        let region = match used.first {
            User::Part(object, _) => object.region,
            User::Entry(entry) => lands.get(entry).copied(),
            User::Text(_) | User::Item(_) => None,
        };
        Self { used, region }
    }

    /// Returns the root, if it is an object.
    pub fn root(&self) -> Option<&'a Part> {
        self.object()?.linkset.parts.first()
    }

    /// Returns the object, if it is one.
    pub fn object(&self) -> Option<&'a ObjectFacts> {
        match self.used.first {
            User::Part(object, _) => Some(object),
            _ => None,
        }
    }

    /// Returns the prim that uses the asset, if it is no root.
    pub fn child(&self) -> Option<&'a Part> {
        match self.used.first {
            User::Part(_, part) => Some(part).filter(|part| part.link_number > 1),
            _ => None,
        }
    }

    /// Names its kind.
    pub fn kind(&self) -> &'static str {
        match self.used.first {
            User::Part(object, _) if object.role == Role::Nested => "object in an inventory",
            User::Part(..) => "object",
            User::Text(_) => "text",
            User::Item(_) => "inventory item",
            User::Entry(_) => "land",
        }
    }

    /// Returns the number of its region.
    pub fn region_number(&self) -> Option<u32> {
        self.region
    }

    /// Returns its region. `None` outside of regions.
    pub fn region(&self, measured: &Measured<'a>) -> Option<&'a RegionFacts> {
        measured.ledger.regions.get(self.region? as usize)
    }

    /// Returns its position, if it is rezzed.
    pub fn position(&self) -> Option<[f64; 3]> {
        self.object().filter(|object| object.role == Role::Rezzed)?;
        self.root().map(|root| root.group_position).filter(|at| at.is_finite()).map(|at| at.to_array())
    }

    /// Returns the first inventory item that has the object, or the asset itself.
    pub fn item(&self, measured: &Measured<'a>, asset: Uuid) -> Option<&'a ItemFacts> {
        let nested = self.object().and_then(|object| object.asset);
        measured.item_of(nested.unwrap_or(asset))
    }

    /// Returns its owner, or that of the item.
    pub fn owner(&self, measured: &Measured<'a>, asset: Uuid) -> Option<Uuid> {
        let root = self.root().map(|root| root.owner).filter(|owner| !owner.is_nil());
        root.or_else(|| self.item(measured, asset)?.item.owner)
    }
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
