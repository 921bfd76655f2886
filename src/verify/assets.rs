//! What became of the assets that were in use before the move.

use crate::{
    Status,
    content::{Content, Numbers},
};
use hullmark_analysis::{
    asset_uses::{self, User},
    assets::Assets,
};
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, ContentHash, ObjectFacts},
};
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

named! {
    /// How an asset compares with the one before the move.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum Found {
        /// It is missing.
        Missing = "missing",
        /// It was not found, and something was not read that may have it.
        NotFound = "not_found",
        /// It is there with other content.
        OtherContent = "other_content",
        /// It is there. One side has no hash of its content.
        NotCompared = "not_compared",
        /// An object whose owners and creators a loader changed. All else is equal.
        Rewritten = "rewritten",
        /// It is there and equal.
        Equal = "equal",
        /// The side before the move lacked it, too.
        LackedBefore = "lacked_before",
    }
}

impl Found {
    /// Returns what became of the asset.
    pub fn status(self) -> Status {
        match self {
            Self::Missing => Status::Lost,
            Self::NotFound => Status::NotEvaluated,
            Self::OtherContent => Status::Changed,
            Self::NotCompared | Self::Rewritten | Self::Equal | Self::LackedBefore => Status::Arrived,
        }
    }
}

/// An asset that was in use before the move.
#[derive(Debug, Clone, Copy)]
pub struct AssetArrival<'a> {
    pub asset: Uuid,
    /// Kind of its first use.
    pub kind: &'static str,
    pub found: Found,
    /// Number of uses before the move.
    pub uses: u64,
    /// The input of its first user, and that user.
    pub ledger: &'a Ledger,
    pub first: User<'a>,
    /// Sizes in bytes before and after the move.
    pub bytes: [Option<u64>; 2],
}

/// The assets of the inputs and stores of a side.
struct Shelf<'a> {
    of_uuid: HashMap<Uuid, &'a AssetFacts>,
    /// Objects in assets, by the asset.
    nested: HashMap<Uuid, Vec<&'a ObjectFacts>>,
    assets: Assets<'a>,
}

impl<'a> Shelf<'a> {
    fn new(ledgers: &[&'a Ledger]) -> Self {
        let mut shelf = Self {
            of_uuid: HashMap::new(),
            nested: HashMap::new(),
            assets: Assets::from_ledgers(ledgers.iter().copied()),
        };
        for ledger in ledgers {
            for asset in &ledger.assets {
                if let Some(uuid) = asset.uuid() {
                    shelf.of_uuid.entry(uuid).or_insert(asset);
                }
            }
            for object in &ledger.objects {
                if let Some(asset) = object.asset {
                    shelf.nested.entry(asset).or_default().push(object);
                }
            }
        }
        shelf
    }

    fn hash(&self, asset: Uuid) -> Option<ContentHash> {
        self.of_uuid.get(&asset)?.content_hash
    }
}

/// Compares the assets that these inputs use. Both sides have their stores.
pub(crate) fn assets<'a>(
    before: &[&'a Ledger],
    before_stores: &[&'a Ledger],
    after: &[&'a Ledger],
) -> Vec<AssetArrival<'a>> {
    let mut used: BTreeMap<Uuid, AssetArrival<'a>> = BTreeMap::new();
    for ledger in before {
        for (asset, of) in asset_uses::collect(ledger) {
            let arrival = used.entry(asset).or_insert(AssetArrival {
                asset,
                kind: of.kind,
                found: Found::Missing,
                uses: 0,
                ledger,
                first: of.first,
                bytes: [None; 2],
            });
            arrival.uses += u64::from(of.count);
        }
    }
    let all: Vec<&Ledger> = before.iter().chain(before_stores).copied().collect();
    let shelves = [Shelf::new(&all), Shelf::new(after)];
    let size = |side: usize, asset: Uuid| shelves[side].of_uuid.get(&asset).map(|asset| asset.bytes);
    let mut arrivals: Vec<AssetArrival<'a>> = used
        .into_values()
        .map(|arrival| AssetArrival {
            found: found(&shelves, arrival.asset),
            bytes: [size(0, arrival.asset), size(1, arrival.asset)],
            ..arrival
        })
        .collect();
    arrivals
        .sort_by_key(|arrival| (arrival.found, arrival.kind, std::cmp::Reverse(arrival.uses), arrival.asset));
    arrivals
}

fn found([before, after]: &[Shelf<'_>; 2], asset: Uuid) -> Found {
    match (before.assets.has(asset), after.assets.has(asset)) {
        (false, _) => Found::LackedBefore,
        (true, false) => Found::Missing,
        (true, true) => match (before.hash(asset), after.hash(asset)) {
            (Some(one), Some(other)) if one == other => Found::Equal,
            (Some(_), Some(_)) if are_equal_objects(before, after, asset) => Found::Rewritten,
            (Some(_), Some(_)) => Found::OtherContent,
            _ => Found::NotCompared,
        },
    }
}

/// Whether the objects in an asset have the same content on both sides.
fn are_equal_objects(before: &Shelf<'_>, after: &Shelf<'_>, asset: Uuid) -> bool {
    let (Some(one), Some(other)) = (before.nested.get(&asset), after.nested.get(&asset)) else {
        return false;
    };
    let numbers = Numbers::of(one.iter().chain(other).copied());
    let keys = |objects: &[&ObjectFacts]| {
        let mut keys: Vec<u64> = objects.iter().map(|object| Content::new(object, &numbers).whole).collect();
        keys.sort_unstable();
        keys
    };
    keys(one) == keys(other)
}
