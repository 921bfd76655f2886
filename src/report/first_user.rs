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

/// Maximum number of objects inside each other.
const LEVELS: usize = 8;

/// The uses of an asset, with the place of the first.
#[derive(Debug, Clone, Copy)]
pub struct FirstUser<'a> {
    pub used: &'a Used<'a>,
    region: Option<u32>,
    /// The object in a region or in a file that contains it, if it is an object in an inventory.
    container: Option<&'a ObjectFacts>,
}

impl<'a> FirstUser<'a> {
    /// Finds the place of the first user. `lands` has the regions of the input, from [`regions_by_entry`].
    pub fn new(measured: &'a Measured<'a>, used: &'a Used<'a>, lands: &HashMap<&str, u32>) -> Self {
        let container = match used.first {
            User::Part(object, _) => container(measured, object),
            _ => None,
        };
        let region = match used.first {
            User::Part(object, _) => container.unwrap_or(object).region,
            User::Entry(entry) => lands.get(entry).copied(),
            User::Text(_) | User::Item(_) => None,
        };
        Self { used, region, container }
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

    /// Returns the root of the object that contains it, if it is an object in an inventory.
    pub fn container(&self) -> Option<&'a Part> {
        self.container?.linkset.parts.first()
    }

    /// Returns the position of the object or of its container, if that is rezzed.
    pub fn position(&self) -> Option<[f64; 3]> {
        let object = self.container.or(self.object()).filter(|object| object.role == Role::Rezzed)?;
        let root = object.linkset.parts.first()?;
        Some(root.group_position).filter(|at| at.is_finite()).map(|at| at.to_array())
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

/// Returns the object outside of inventories that contains an object in an inventory. `None` for other objects, and if
/// no object contains it.
pub fn container<'a>(measured: &'a Measured<'a>, object: &'a ObjectFacts) -> Option<&'a ObjectFacts> {
    let mut inner = object;
    for _ in 0..LEVELS {
        if inner.role != Role::Nested {
            break;
        }
        let User::Part(outer, _) = measured.uses.get(&inner.asset?)?.first else { return None };
        inner = outer;
    }
    Some(inner).filter(|outer| outer.role != Role::Nested && !std::ptr::eq(*outer, object))
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
