//! The assets that objects and land need, at any depth.

use hullmark_analysis::asset_uses;
use hullmark_format::member::{self, Kind};
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, Content, ItemFacts, ObjectFacts, RegionFacts, Role, Status},
};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// What assets use in turn: objects in inventories, and texts.
#[derive(Debug, Clone)]
pub(crate) struct Uses<'a> {
    inside: HashMap<Uuid, Vec<&'a ObjectFacts>>,
    assets: HashMap<Uuid, &'a AssetFacts>,
}

impl<'a> Uses<'a> {
    /// Collects the assets of these ledgers.
    pub(crate) fn new(ledgers: &[&'a Ledger]) -> Self {
        let mut inside: HashMap<Uuid, Vec<&ObjectFacts>> = HashMap::new();
        for object in ledgers.iter().flat_map(|ledger| &ledger.objects) {
            if let Some(asset) = object.asset {
                inside.entry(asset).or_default().push(object);
            }
        }
        let assets = ledgers.iter().flat_map(|ledger| &ledger.assets);
        Self { inside, assets: assets.filter_map(|asset| Some((asset.uuid()?, asset))).collect() }
    }

    /// Returns the UUIDs of all assets that these objects, regions and items use, at any depth.
    pub(crate) fn of(
        &self,
        objects: &[&ObjectFacts],
        regions: &[&RegionFacts],
        items: &[ItemFacts],
    ) -> BTreeSet<Uuid> {
        let mut found = BTreeSet::new();
        let mut open: Vec<Uuid> = objects.iter().flat_map(|object| of_object(object)).collect();
        open.extend(regions.iter().flat_map(|region| of_land(region)));
        open.extend(items.iter().map(|item| item.item.asset));
        while let Some(asset) = open.pop() {
            if asset.is_nil() || !found.insert(asset) {
                continue;
            }
            let nested = self.inside.get(&asset).into_iter().flatten();
            open.extend(nested.flat_map(|object| of_object(object)));
            if let Some(Content::Text(text)) = self.assets.get(&asset).map(|asset| &asset.content) {
                open.extend(&text.references);
            }
        }
        found
    }

    /// Returns those of these assets that no ledger has.
    pub(crate) fn missing(&self, needed: &BTreeSet<Uuid>) -> BTreeSet<Uuid> {
        needed.iter().filter(|asset| !self.assets.contains_key(*asset)).copied().collect()
    }
}

/// Returns the assets of an object, also those that it may use: of items of any type, and of a sculpt that may be none.
pub(crate) fn of_object(object: &ObjectFacts) -> impl Iterator<Item = Uuid> {
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

/// Returns the assets that an archive uses, at any depth. The ledgers have assets.
pub(crate) fn all_needed(ledger: &Ledger, ledgers: &[&Ledger]) -> BTreeSet<Uuid> {
    let objects: Vec<&ObjectFacts> =
        ledger.objects.iter().filter(|object| object.role != Role::Nested).collect();
    let regions: Vec<&RegionFacts> = ledger.regions.iter().collect();
    Uses::new(ledgers).of(&objects, &regions, &ledger.items)
}

/// Returns the assets that an archive uses, at any depth, and lacks.
pub fn missing_assets(ledger: &Ledger) -> BTreeSet<Uuid> {
    Uses::new(&[ledger]).missing(&all_needed(ledger, &[ledger]))
}

/// Returns the assets that an archive uses, and those that its texts may mean.
pub(crate) fn all_used(ledger: &Ledger) -> BTreeSet<Uuid> {
    let mut used = all_needed(ledger, &[ledger]);
    for asset in &ledger.assets {
        if let Content::Text(text) = &asset.content {
            used.extend(&text.mentions);
        }
    }
    used
}

/// Whether an asset that nothing seems to use is surely unused: all that may name one was read.
pub fn knows_all_uses(ledger: &Ledger) -> bool {
    let is_unread = |asset: &AssetFacts| matches!(asset.content, Content::NotEvaluated(_));
    let names_assets = |entry: &str| {
        matches!(member::classify(entry).kind, Kind::Object | Kind::NestedObject | Kind::InventoryItem)
    };
    ledger.status == Status::Complete
        && !ledger.assets.iter().any(is_unread)
        && !ledger.defects.iter().any(|defect| names_assets(&defect.place.entry))
}
