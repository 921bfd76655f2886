//! The assets in use that an input lacks or that nobody can use, each with its first user.

use crate::preflight::Lacking;
use hullmark_analysis::{
    Measured,
    asset_uses::{self, Used, User},
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, RegionFacts, Role};
use hullmark_rules::families::reference::is_there;
use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};
use uuid::Uuid;

/// An asset that objects, items, texts or land use and the target will lack.
#[derive(Debug, Clone)]
pub struct MissingAsset<'a> {
    pub asset: Uuid,
    /// Its kind, by its use.
    pub kind: &'static str,
    /// Why it is missing.
    pub state: &'static str,
    /// Number of objects that use it.
    pub objects: u64,
    pub used: Used<'a>,
    /// The region of its first user. `None` for a user outside of regions.
    pub region: Option<&'a RegionFacts>,
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

    /// Returns the position of the first user, if it is rezzed.
    pub fn position(&self) -> Option<[f64; 3]> {
        self.object().filter(|object| object.role == Role::Rezzed)?;
        self.root().map(|root| root.group_position).filter(|at| at.is_finite()).map(|at| at.to_array())
    }
}

/// Lists the missing assets of an input, those of most objects first.
pub fn list<'a>(measured: &Measured<'a>, lacking: &Lacking) -> Vec<MissingAsset<'a>> {
    if lacking.assets.is_empty() {
        return Vec::new();
    }
    let mut users: HashMap<Uuid, u64> = HashMap::new();
    for object in &measured.ledger.objects {
        let used: BTreeSet<Uuid> =
            asset_uses::of_object(object).filter(|asset| lacking.assets.contains_key(asset)).collect();
        used.into_iter().for_each(|asset| *users.entry(asset).or_default() += 1);
    }
    let asset = |(&asset, &(kind, is_lost)): (&Uuid, &(&'static str, bool))| {
        let used = *measured.uses.get(&asset)?;
        let state = match (is_lost, is_there(measured, asset)) {
            (false, _) => "in --assets",
            (true, false) => "missing",
            (true, true) => "unusable",
        };
        let objects = users.get(&asset).copied().unwrap_or_default();
        Some(MissingAsset { asset, kind, state, objects, used, region: region_of(measured, used.first) })
    };
    let mut list: Vec<MissingAsset<'a>> = lacking.assets.iter().filter_map(asset).collect();
    list.sort_by_key(|missing| (Reverse((missing.objects, missing.used.count)), missing.kind, missing.asset));
    list
}

fn region_of<'a>(measured: &Measured<'a>, user: User<'a>) -> Option<&'a RegionFacts> {
    let regions = &measured.ledger.regions;
    match user {
        User::Part(object, _) => regions.get(object.region? as usize),
        User::Entry(entry) => {
            let is_of = |region: &&RegionFacts| {
                region.folder == entry || region.parcels.iter().any(|parcel| parcel.entry == entry)
            };
            regions.iter().find(is_of)
        }
        User::Text(_) | User::Item(_) => None,
    }
}
