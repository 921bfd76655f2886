//! The assets that objects and land need, at any depth.

use hullmark_analysis::asset_uses;
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, Content, ObjectFacts, RegionFacts},
};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// Returns the UUIDs of all assets that these objects and regions use, and of those that these assets use in turn.
pub(crate) fn needed<'a>(
    ledger: &'a Ledger,
    objects: &[&'a ObjectFacts],
    regions: &[&'a RegionFacts],
) -> BTreeSet<Uuid> {
    let mut inside: HashMap<Uuid, Vec<&ObjectFacts>> = HashMap::new();
    for object in &ledger.objects {
        if let Some(asset) = object.asset {
            inside.entry(asset).or_default().push(object);
        }
    }
    let texts: HashMap<Uuid, &AssetFacts> =
        ledger.assets.iter().filter_map(|asset| Some((asset.uuid()?, asset))).collect();
    let mut found = BTreeSet::new();
    let mut open: Vec<Uuid> = objects.iter().flat_map(|object| of_object(object)).collect();
    open.extend(regions.iter().flat_map(|region| of_land(region)));
    while let Some(asset) = open.pop() {
        if asset.is_nil() || !found.insert(asset) {
            continue;
        }
        let nested = inside.get(&asset).into_iter().flatten();
        open.extend(nested.flat_map(|object| of_object(object)));
        if let Some(Content::Text(text)) = texts.get(&asset).map(|asset| &asset.content) {
            open.extend(&text.references);
        }
    }
    found
}

/// Returns the assets of an object, also those that it may use: of items of any type, and of a sculpt that may be none.
fn of_object(object: &ObjectFacts) -> impl Iterator<Item = Uuid> {
    let possible = object.linkset.parts.iter().flat_map(|part| {
        part.possible_sculpt_map().into_iter().chain(part.inventory.iter().map(|item| item.asset))
    });
    asset_uses::of_object(object).chain(possible)
}

fn of_land(region: &RegionFacts) -> impl Iterator<Item = Uuid> {
    let settings = region.settings.iter().flat_map(|settings| &settings.references);
    let parcels = region.parcels.iter().flat_map(|facts| &facts.parcel.references);
    settings.chain(parcels).map(|reference| reference.asset)
}
