//! The objects that use the assets that an input lacks, and their owners.

use hullmark_analysis::{Measured, asset_uses};
use hullmark_ledger::facts::Content;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter,
};
use uuid::Uuid;

/// Numbers of objects that use lacking assets. A text in an object uses assets, too.
#[derive(Debug, Default)]
pub struct Users {
    /// Objects that use each asset, lost or not.
    pub by_asset: HashMap<Uuid, u64>,
    /// Objects that use lost assets of each kind.
    pub by_kind: HashMap<&'static str, u64>,
    /// Lost assets of each kind that an object uses, by its number in the input.
    pub lost_of_objects: HashMap<usize, BTreeMap<&'static str, u64>>,
    /// Lost assets that the objects of each owner use.
    pub lost_of_owners: BTreeMap<Uuid, u64>,
}

impl Users {
    /// Counts the users of assets with their kinds. The flag of an asset is true if it is lost.
    pub(super) fn of(measured: &Measured<'_>, assets: &BTreeMap<Uuid, (&'static str, bool)>) -> Self {
        let mut users = Self::default();
        if assets.is_empty() {
            return users;
        }
        let texts = texts(measured, assets);
        let named = |asset| texts.get(&asset).into_iter().flatten().copied();
        let mut lost_of_owners: BTreeMap<Uuid, HashSet<Uuid>> = BTreeMap::new();
        for (number, object) in measured.ledger.objects.iter().enumerate() {
            let used = asset_uses::of_object(object).flat_map(|asset| iter::once(asset).chain(named(asset)));
            let used: BTreeSet<Uuid> = used.filter(|asset| assets.contains_key(asset)).collect();
            if used.is_empty() {
                continue;
            }
            used.iter().for_each(|asset| *users.by_asset.entry(*asset).or_default() += 1);
            let lost = used.iter().filter_map(|asset| assets.get_key_value(asset));
            let lost: Vec<(Uuid, &'static str)> =
                lost.filter(|(_, (_, is_lost))| *is_lost).map(|(asset, (kind, _))| (*asset, *kind)).collect();
            let mut kinds: BTreeMap<&'static str, u64> = BTreeMap::new();
            lost.iter().for_each(|(_, kind)| *kinds.entry(kind).or_default() += 1);
            kinds.keys().for_each(|kind| *users.by_kind.entry(kind).or_default() += 1);
            if !kinds.is_empty() {
                users.lost_of_objects.insert(number, kinds);
            }
            if let Some(root) = object.linkset.parts.first().filter(|root| !root.owner.is_nil()) {
                lost_of_owners.entry(root.owner).or_default().extend(lost.iter().map(|(asset, _)| asset));
            }
        }
        let counts = lost_of_owners.into_iter().map(|(owner, lost)| (owner, lost.len() as u64));
        users.lost_of_owners = counts.filter(|(_, lost)| *lost > 0).collect();
        users
    }
}

/// Returns the lacking assets that each text names.
fn texts(measured: &Measured<'_>, assets: &BTreeMap<Uuid, (&'static str, bool)>) -> HashMap<Uuid, Vec<Uuid>> {
    let mut texts: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    for asset in &measured.ledger.assets {
        if let (Some(uuid), Content::Text(text)) = (asset.uuid(), &asset.content) {
            let lacking = text.references.iter().filter(|named| assets.contains_key(named));
            let lacking: Vec<Uuid> = lacking.copied().collect();
            if !lacking.is_empty() {
                texts.insert(uuid, lacking);
            }
        }
    }
    texts
}
