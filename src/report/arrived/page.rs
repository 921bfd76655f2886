//! The numbers of a comparison, with the first examples.

use super::{Outcome, Verified, text::first_line};
use crate::tables::asset_arrivals;
use hullmark_analysis::asset_uses::User;
use hullmark_finding::Code;
use hullmark_format::object::Part;
use hullmark_ledger::Ledger;
use hullmark_verify::{
    Arrival, AssetArrival, Change, Found, Gap, ItemArrival, Land, LandArrival, ParcelArrival, Setting,
    Status, Terrain, Thing, Verification,
};
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};
use uuid::Uuid;

/// Version of the layout of the page as JSON.
const FORMAT: u32 = 1;
/// Number of examples of a change, and of lost objects on the page.
const EXAMPLES: usize = 5;
/// Number of lost objects and of assets on the page. The tables have all.
const LOST: usize = 50;

/// The page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Page {
    /// Version of this layout.
    pub format: u32,
    pub verdict: Verdict,
    /// The first line of the page, with the verdict in numbers.
    pub first_line: String,
    /// Paths of the inputs before and after the move.
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub objects: Counts,
    /// Objects by what changed about them.
    pub changes: BTreeMap<Change, Changed>,
    /// Objects whose owner differs, by the owners before and after, the most numerous first.
    pub owners: Vec<OwnerChange>,
    /// The first lost objects.
    pub lost: Vec<LostObject>,
    /// Their places in that list.
    #[serde(skip)]
    kinds: HashMap<Kind, usize>,
    pub assets: AssetCounts,
    pub items: ItemCounts,
    /// Regions before the move.
    pub regions: Vec<Region>,
    /// Number of regions that only the side after the move has. Their objects are not compared.
    pub other_regions: u64,
    /// How the losses compare with what was announced. Absent without a target.
    pub announced: Option<AnnouncedCounts>,
    /// What was not read, so that nothing is proven about it.
    pub gaps: Vec<Gap>,
}

/// What lost objects share that have one line: content, owner, region, announcement.
type Kind = (u64, Uuid, String, Option<Outcome>);

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All is there and equal.
    Arrived,
    /// All is there, and something differs.
    Changed,
    /// Something is lost.
    Lost,
    /// A side was not read to its end.
    NotProven,
}

/// Numbers of objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Objects before the move.
    pub before: u64,
    /// Objects that are there, changed or not.
    pub arrived: u64,
    /// Objects that are there and differ.
    pub changed: u64,
    pub lost: u64,
    /// Objects that are there and lost a part, an item or the state of a script.
    pub incomplete: u64,
    /// Objects that only the side after the move has.
    pub new: u64,
    /// Objects of either side that may be in what was not read.
    pub not_evaluated: u64,
}

/// Numbers of assets that were in use and that the side before the move had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssetCounts {
    pub before: u64,
    pub arrived: u64,
    /// Those that are there with other content.
    pub other_content: u64,
    pub lost: u64,
    pub not_evaluated: u64,
    /// Assets in use that the side before the move lacked.
    pub lacked_before: u64,
    /// The first missing assets, then the first with other content.
    pub examples: Vec<AssetExample>,
}

/// An asset that is missing or has other content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssetExample {
    pub asset: Uuid,
    /// Kind of its first use.
    pub kind: &'static str,
    /// Number of uses before the move.
    pub uses: u64,
    /// Name of the first object or item that uses it, else the entry.
    pub first: String,
    /// Sizes in bytes before and after the move.
    pub bytes: [Option<u64>; 2],
}

/// Numbers of inventory items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ItemCounts {
    pub before: u64,
    /// Items that are there, changed or not.
    pub arrived: u64,
    /// Items in another folder, with another name or another asset.
    pub changed: u64,
    pub lost: u64,
    /// Items that only the side after the move has, in folders of both.
    pub new: u64,
    pub not_evaluated: u64,
    /// The first lost items, then the first changed ones.
    pub examples: Vec<ItemExample>,
}

/// An item that is lost or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ItemExample {
    pub status: Status,
    /// Its folders and its name, with slashes between.
    pub path: String,
    /// What differs: `folder`, `name` or `asset`.
    pub changes: Vec<&'static str>,
}

/// How often something changed.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changed {
    /// Number of objects.
    pub objects: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// An object with a change.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Example {
    pub object_name: String,
    pub region: String,
    /// Position before the move, metres.
    pub position_m: Option<[f64; 3]>,
    /// The change in words.
    pub detail: String,
}

/// Objects that went from one owner to another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnerChange {
    pub before: Uuid,
    pub after: Uuid,
    pub objects: u64,
}

/// A lost object, or several with equal content in one region.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostObject {
    pub object_name: String,
    pub owner: Uuid,
    pub region: String,
    /// Number of equal lost objects, with this one.
    pub objects: u64,
    /// Position of the first before the move, metres. Absent if equal objects lost their places.
    pub position_m: Option<[f64; 3]>,
    /// Number of objects with equal content before the move, and of those that arrived.
    pub equal: Option<[u64; 2]>,
    pub announcement: Option<Outcome>,
    /// Rules that announced it.
    pub announced_by: Vec<Code>,
}

/// A region.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Region {
    pub status: Status,
    /// Its name before and after the move, or its UUID without one.
    pub before: String,
    pub after: Option<String>,
    pub terrain: Terrain,
    pub settings: Vec<Setting>,
    pub parcels: ParcelCounts,
}

/// Numbers of parcels.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParcelCounts {
    pub before: u64,
    pub lost: u64,
    pub changed: u64,
    pub new: u64,
    /// What changed about any of them.
    pub changes: BTreeSet<&'static str>,
}

/// Numbers of losses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnnouncedCounts {
    pub as_announced: u64,
    pub unannounced: u64,
    pub arrived_anyway: u64,
}

impl AnnouncedCounts {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::AsAnnounced => self.as_announced += 1,
            Outcome::Unannounced => self.unannounced += 1,
            Outcome::ArrivedAnyway => self.arrived_anyway += 1,
        }
    }
}

impl Page {
    /// Sums up a comparison.
    pub fn new(verified: &Verified<'_>) -> Self {
        let Verification { before, after, objects, assets, lands, items, gaps } = &verified.verification;
        let paths = |ledgers: &[&Ledger]| ledgers.iter().map(|ledger| ledger.input.clone()).collect();
        let mut page = Self {
            format: FORMAT,
            verdict: Verdict::Arrived,
            first_line: String::new(),
            before: paths(&before.ledgers),
            after: paths(&after.ledgers),
            objects: Counts::default(),
            changes: BTreeMap::new(),
            owners: owners(objects),
            lost: Vec::new(),
            kinds: HashMap::new(),
            assets: asset_counts(assets),
            items: item_counts(items),
            regions: lands.iter().filter(|land| land.before.is_some()).map(region).collect(),
            other_regions: lands.iter().filter(|land| land.before.is_none()).count() as u64,
            announced: verified.announced.as_ref().map(|_| AnnouncedCounts::default()),
            gaps: gaps.clone(),
        };
        objects.iter().for_each(|arrival| page.add(verified, arrival));
        for asset in assets.iter().filter(|asset| asset.found == Found::Missing) {
            let outcome = asset_arrivals::announcement(verified, asset);
            page.announced.iter_mut().zip(outcome).for_each(|(counts, outcome)| counts.add(outcome));
        }
        page.verdict = page.judge(lands);
        page.first_line = first_line(&page);
        page
    }

    fn add(&mut self, verified: &Verified<'_>, arrival: &Arrival<'_>) {
        let counts = &mut self.objects;
        counts.before += u64::from(arrival.before.is_some());
        match arrival.status {
            Status::Arrived => counts.arrived += 1,
            Status::Changed => (counts.arrived, counts.changed) = (counts.arrived + 1, counts.changed + 1),
            Status::Lost => counts.lost += 1,
            Status::New => counts.new += 1,
            Status::NotEvaluated => counts.not_evaluated += 1,
        }
        counts.incomplete += u64::from(arrival.status == Status::Changed && arrival.has_loss());
        let (codes, outcome) = verified.of_object(arrival);
        self.announced.iter_mut().zip(outcome).for_each(|(counts, outcome)| counts.add(outcome));
        for (change, detail) in &arrival.changes {
            let changed = self.changes.entry(*change).or_default();
            changed.objects += 1;
            if changed.examples.len() < EXAMPLES {
                changed.examples.push(Example {
                    object_name: name(arrival),
                    region: region_name(arrival),
                    position_m: position(arrival),
                    detail: detail.first.clone(),
                });
            }
        }
        if arrival.status == Status::Lost {
            self.add_lost(arrival, outcome, codes);
        }
    }

    /// Lists a lost object, with those that are equal.
    fn add_lost(&mut self, arrival: &Arrival<'_>, outcome: Option<Outcome>, codes: BTreeSet<Code>) {
        let owner = root(arrival).map_or(Uuid::nil(), |root| root.owner);
        let kind = (arrival.content, owner, region_name(arrival), outcome);
        if let Some(first) = self.kinds.get(&kind) {
            self.lost[*first].objects += 1;
            return;
        }
        if self.lost.len() == LOST {
            return;
        }
        self.kinds.insert(kind, self.lost.len());
        self.lost.push(LostObject {
            object_name: name(arrival),
            owner,
            region: region_name(arrival),
            objects: 1,
            position_m: position(arrival),
            equal: arrival.equal,
            announcement: outcome,
            announced_by: codes.into_iter().collect(),
        });
    }

    fn judge(&self, lands: &[LandArrival<'_>]) -> Verdict {
        let of_land = |land: &LandArrival<'_>| {
            let has_loss = land.status == Status::Lost
                || land.terrain == Terrain::Lost
                || land.parcels.iter().any(|parcel| parcel.status == Status::Lost);
            match (has_loss, land.status) {
                (true, _) => Verdict::Lost,
                (false, Status::Arrived | Status::New) => Verdict::Arrived,
                (false, _) => Verdict::Changed,
            }
        };
        let of_land = lands.iter().map(of_land).max().unwrap_or(Verdict::Arrived);
        let is_unknown = lands.iter().any(|land| land.terrain == Terrain::NotCompared);
        let lost = self.objects.lost + self.objects.incomplete + self.assets.lost + self.items.lost;
        let own = match () {
            () if !self.gaps.is_empty() || is_unknown => Verdict::NotProven,
            () if lost > 0 => Verdict::Lost,
            () if self.objects.changed + self.assets.other_content + self.items.changed > 0 => {
                Verdict::Changed
            }
            () => Verdict::Arrived,
        };
        own.max(of_land)
    }
}

fn root<'a>(arrival: &Arrival<'a>) -> Option<&'a Part> {
    arrival.before.as_ref().or(arrival.after.as_ref())?.root()
}

fn name(arrival: &Arrival<'_>) -> String {
    root(arrival).map_or_else(String::new, |root| root.name.clone())
}

fn region_name(arrival: &Arrival<'_>) -> String {
    let thing = arrival.before.as_ref().or(arrival.after.as_ref());
    thing.and_then(Thing::region).map_or_else(String::new, |region| region.name.clone())
}

fn position(arrival: &Arrival<'_>) -> Option<[f64; 3]> {
    let root = root(arrival).filter(|_| arrival.is_placed)?;
    Some(root.group_position).filter(|place| place.is_finite()).map(|place| place.to_array())
}

/// Counts the objects of each change of owners.
fn owners(objects: &[Arrival<'_>]) -> Vec<OwnerChange> {
    let mut counts: BTreeMap<(Uuid, Uuid), u64> = BTreeMap::new();
    for arrival in objects.iter().filter(|arrival| arrival.changes.contains_key(&Change::Owner)) {
        let owner = |thing: &Option<Thing<'_>>| Some(thing.as_ref()?.root()?.owner);
        if let (Some(before), Some(after)) = (owner(&arrival.before), owner(&arrival.after)) {
            *counts.entry((before, after)).or_default() += 1;
        }
    }
    let change = |((before, after), objects)| OwnerChange { before, after, objects };
    let mut owners: Vec<OwnerChange> = counts.into_iter().map(change).collect();
    owners.sort_by_key(|change| (Reverse(change.objects), change.before, change.after));
    owners
}

fn asset_counts(assets: &[AssetArrival<'_>]) -> AssetCounts {
    let mut counts = AssetCounts::default();
    for asset in assets {
        let is_lacked = asset.found == Found::LackedBefore;
        counts.before += u64::from(!is_lacked);
        counts.lacked_before += u64::from(is_lacked);
        counts.other_content += u64::from(asset.found == Found::OtherContent);
        match asset.found.status() {
            Status::Lost => counts.lost += 1,
            Status::NotEvaluated => counts.not_evaluated += 1,
            _ => counts.arrived += u64::from(!is_lacked),
        }
        if matches!(asset.found, Found::Missing | Found::OtherContent) && counts.examples.len() < LOST {
            counts.examples.push(AssetExample {
                asset: asset.asset,
                kind: asset.kind,
                uses: asset.uses,
                first: user(asset),
                bytes: asset.bytes,
            });
        }
    }
    counts
}

/// Names the first user of an asset.
fn user(asset: &AssetArrival<'_>) -> String {
    match asset.first {
        User::Part(object, _) => {
            object.linkset.parts.first().map_or_else(String::new, |root| root.name.clone())
        }
        User::Item(entry) | User::Entry(entry) => entry.to_owned(),
        User::Text(text) => text.entry.to_string(),
    }
}

fn item_counts(items: &[ItemArrival<'_>]) -> ItemCounts {
    let mut counts = ItemCounts::default();
    for item in items {
        counts.before += u64::from(item.before.is_some());
        match item.status {
            Status::Arrived => counts.arrived += 1,
            Status::Changed => (counts.arrived, counts.changed) = (counts.arrived + 1, counts.changed + 1),
            Status::Lost => counts.lost += 1,
            Status::New => counts.new += 1,
            Status::NotEvaluated => counts.not_evaluated += 1,
        }
        let is_shown = matches!(item.status, Status::Lost | Status::Changed) && counts.examples.len() < LOST;
        if let Some(before) = item.before.as_ref().filter(|_| is_shown) {
            counts.examples.push(ItemExample {
                status: item.status,
                path: before
                    .folder
                    .iter()
                    .copied()
                    .chain([before.facts.item.name.as_str()])
                    .collect::<Vec<_>>()
                    .join("/"),
                changes: item.changes.clone(),
            });
        }
    }
    counts
}

fn region(land: &LandArrival<'_>) -> Region {
    // A region without a name is known by its UUID.
    let name = |land: &Option<Land<'_>>| {
        let facts = land.as_ref()?.facts;
        let uuid = || facts.uuid.map_or_else(|| "region without a name".into(), |uuid| uuid.to_string());
        Some(Some(facts.name.clone()).filter(|name| !name.is_empty()).unwrap_or_else(uuid))
    };
    let count = |status: Status| land.parcels.iter().filter(|parcel| parcel.status == status).count() as u64;
    let changes = |parcel: &ParcelArrival<'_>| parcel.changes.clone();
    Region {
        status: land.status,
        before: name(&land.before).unwrap_or_default(),
        after: name(&land.after),
        terrain: land.terrain,
        settings: land.settings.clone(),
        parcels: ParcelCounts {
            before: land.parcels_before,
            lost: count(Status::Lost),
            changed: count(Status::Changed),
            new: count(Status::New),
            changes: land.parcels.iter().flat_map(changes).collect(),
        },
    }
}
