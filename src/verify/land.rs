//! What became of the land: terrain, settings and parcels of each region.

use crate::{
    Status, Unread,
    regions::Regions,
    side::{Land, Side},
};
use glam::DVec3;
use hullmark_format::region::{Estate, Parcel, Settings};
use hullmark_ledger::facts::{ParcelFacts, TerrainFacts};
use hullmark_util::{json_number::Number, number_text::plain};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// Two roundings of a height differ by at most this, in metres. A database keeps centimetres.
const HEIGHT_M: f64 = 0.011;

/// A region before and after the move.
#[derive(Debug, Clone)]
pub struct LandArrival<'a> {
    pub status: Status,
    pub before: Option<Land<'a>>,
    pub after: Option<Land<'a>>,
    pub terrain: Terrain,
    /// Settings that differ.
    pub settings: Vec<Setting>,
    /// Parcels that are lost, changed or new. Others arrived.
    pub parcels: Vec<ParcelArrival<'a>>,
    /// Number of parcels before the move.
    pub parcels_before: u64,
}

/// The difference of two terrains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "terrain")]
pub enum Terrain {
    /// The region had none, so nothing can be lost.
    None,
    Equal,
    /// The means of the cells of at most 64 × 64 differ.
    Differs {
        greatest_m: f64,
        mean_m: f64,
    },
    /// The terrain is missing.
    Lost,
    /// It has another size, or no heights that can be read.
    NotCompared,
}

/// A setting of a region that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    pub name: &'static str,
    pub before: String,
    pub after: String,
}

/// A parcel before and after the move.
#[derive(Debug, Clone)]
pub struct ParcelArrival<'a> {
    pub status: Status,
    pub before: Option<&'a Parcel>,
    pub after: Option<&'a Parcel>,
    /// What differs: `name`, `owner`, `group`, `area`, `flags`, `landing`, `environment` or `pictures`.
    pub changes: Vec<&'static str>,
}

/// Compares the land of each region. Regions without a pair are lost or new. `telehubs` has for the UUID of each object
/// before the move the one after it.
pub(crate) fn lands<'a>(
    before: &Side<'a>,
    after: &Side<'a>,
    regions: &Regions,
    telehubs: &HashMap<Uuid, Uuid>,
    unread: Unread,
) -> Vec<LandArrival<'a>> {
    let estates = [before, after].map(Estates::new);
    let mut arrivals = Vec::new();
    for (land, there) in before.lands.iter().zip(&regions.after) {
        arrivals.push(match there {
            Some(there) => compare(*land, after.lands[*there], telehubs, &estates, unread),
            None => LandArrival { before: Some(*land), ..alone(Status::Lost, land) },
        });
    }
    let new = after.lands.iter().enumerate().filter(|(land, _)| !regions.is_taken(*land));
    arrivals.extend(new.map(|(_, land)| LandArrival { after: Some(*land), ..alone(Status::New, land) }));
    for land in &mut arrivals {
        land.status = unread.instead_of(land.status);
        land.parcels.iter_mut().for_each(|parcel| parcel.status = unread.instead_of(parcel.status));
        if land.terrain == Terrain::Lost && unread.after {
            land.terrain = Terrain::NotCompared;
        }
    }
    arrivals
}

fn alone<'a>(status: Status, land: &Land<'a>) -> LandArrival<'a> {
    let is_lost = status == Status::Lost;
    let parcel = |facts: &'a ParcelFacts| ParcelArrival {
        status,
        before: Some(&facts.parcel),
        after: None,
        changes: Vec::new(),
    };
    // What another region of the new grid has is no concern of the move.
    let parcels = land.facts.parcels.iter().filter(|_| is_lost);
    LandArrival {
        status,
        before: None,
        after: None,
        terrain: if is_lost && land.facts.terrain.is_some() { Terrain::Lost } else { Terrain::None },
        settings: Vec::new(),
        parcels_before: parcels.clone().count() as u64,
        parcels: parcels.map(parcel).collect(),
    }
}

fn compare<'a>(
    before: Land<'a>,
    after: Land<'a>,
    telehubs: &HashMap<Uuid, Uuid>,
    estates: &[Estates<'_>; 2],
    unread: Unread,
) -> LandArrival<'a> {
    let terrain = terrain(before.facts.terrain.as_ref(), after.facts.terrain.as_ref());
    let mut settings = match (&before.facts.settings, &after.facts.settings) {
        (Some(one), Some(other)) => settings(one, other, telehubs),
        // The file may be in what was not read.
        (Some(_), None) if unread.after => Vec::new(),
        (Some(_), None) => {
            vec![Setting { name: "settings", before: "present".into(), after: "missing".into() }]
        }
        (None, _) => Vec::new(),
    };
    if let Some(estate) = estates[0].of(&before) {
        match estates[1].of(&after) {
            Some(other) => settings.extend(estate_changes(estate, other)),
            // An archive has no estates, and what was not read may have one.
            None if estates[1].0.is_empty() || unread.after => {}
            None => settings.push(Setting {
                name: "estate",
                before: quoted(&estate.name),
                after: "missing".into(),
            }),
        }
    }
    let parcels = parcels(&before.facts.parcels, &after.facts.parcels);
    let is_known = |parcel: &ParcelArrival<'_>| unread.instead_of(parcel.status) == parcel.status;
    let differs = !settings.is_empty()
        || matches!(terrain, Terrain::Differs { .. })
        || (terrain == Terrain::Lost && !unread.after)
        || parcels.iter().any(is_known);
    let is_equal = matches!(terrain, Terrain::Equal | Terrain::None) && parcels.is_empty();
    let status = match (differs, is_equal) {
        (true, _) => Status::Changed,
        (false, true) => Status::Arrived,
        (false, false) => Status::NotEvaluated,
    };
    LandArrival {
        status,
        before: Some(before),
        after: Some(after),
        terrain,
        settings,
        parcels,
        parcels_before: before.facts.parcels.len() as u64,
    }
}

fn terrain(before: Option<&TerrainFacts>, after: Option<&TerrainFacts>) -> Terrain {
    let Some(before) = before else { return Terrain::None };
    let Some(after) = after else { return Terrain::Lost };
    let (Some(one), Some(other)) = (&before.grid, &after.grid) else { return Terrain::NotCompared };
    let (Some(heights), Some(heights_after)) = (before.heights, after.heights) else {
        return Terrain::NotCompared;
    };
    if one.cells.len() != other.cells.len()
        || heights.samples != heights_after.samples
        || heights.not_finite != heights_after.not_finite
    {
        return Terrain::NotCompared;
    }
    let cells = one.heights().zip(other.heights());
    let differences: Vec<f64> = cells.filter_map(|(one, other)| Some((one? - other?).abs())).collect();
    // A single spike hardly changes the mean of its cell.
    let ends = [(heights.min, heights_after.min), (heights.max, heights_after.max)];
    let ends = ends.into_iter().filter_map(|(one, other)| Some((f64::from(one?) - f64::from(other?)).abs()));
    let greatest = differences.iter().copied().chain(ends).fold(0.0, f64::max);
    if greatest <= HEIGHT_M {
        return Terrain::Equal;
    }
    let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    Terrain::Differs { greatest_m: greatest, mean_m: mean }
}

fn settings(one: &Settings, other: &Settings, telehubs: &HashMap<Uuid, Uuid>) -> Vec<Setting> {
    let mut differ = Vec::new();
    let mut add = |name, before: Option<String>, after: Option<String>| {
        // A setting that is not stated keeps the value of the region.
        if let Some(before) = before
            && after.as_ref() != Some(&before)
        {
            differ.push(Setting { name, before, after: after.unwrap_or_else(|| "missing".into()) });
        }
    };
    let number = |number: Option<Number>| number.map(|number| plain((f64::from(number) * 1e4).round() / 1e4));
    let whole = |number: Option<i64>| number.map(|number| number.to_string());
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    add("object_bonus", number(one.object_bonus), number(other.object_bonus));
    add("agent_limit", whole(one.agent_limit), whole(other.agent_limit));
    add("maturity", whole(one.maturity), whole(other.maturity));
    add("disable_physics", flag(one.disable_physics), flag(other.disable_physics));
    add("disable_scripts", flag(one.disable_scripts), flag(other.disable_scripts));
    add("disable_collisions", flag(one.disable_collisions), flag(other.disable_collisions));
    add("water_height", number(one.water_height), number(other.water_height));
    let telehub = one.telehub.map(|hub| telehubs.get(&hub).copied().unwrap_or(hub));
    let uuid = |uuid: Option<Uuid>| uuid.map(|uuid| uuid.to_string());
    add("telehub", uuid(telehub), uuid(other.telehub));
    let points = |points: u32| Some(points.to_string()).filter(|_| one.spawn_points > 0);
    add("spawn_points", points(one.spawn_points), points(other.spawn_points));
    add("environment", one.environment.then(|| "own".into()), other.environment.then(|| "own".into()));
    let textures = |settings: &Settings| {
        let names: Vec<String> =
            settings.references.iter().map(|texture| texture.asset.to_string()).collect();
        Some(names.join(" ")).filter(|names| !names.is_empty())
    };
    add("ground_textures", textures(one), textures(other));
    differ
}

/// The estates of a side by the UUIDs of their regions.
struct Estates<'a>(HashMap<Uuid, &'a Estate>);

impl<'a> Estates<'a> {
    fn new(side: &Side<'a>) -> Self {
        let estates = side.ledgers.iter().flat_map(|ledger| &ledger.estates);
        Self(estates.flat_map(|estate| estate.regions.iter().map(move |region| (*region, estate))).collect())
    }

    fn of(&self, land: &Land<'_>) -> Option<&'a Estate> {
        self.0.get(&land.facts.uuid?).copied()
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Returns what differs between the estates of a region.
fn estate_changes(one: &Estate, other: &Estate) -> Vec<Setting> {
    let access = |public: Option<bool>| public.map_or_else(|| "missing".into(), |public| public.to_string());
    let mut differ = vec![
        ("estate", quoted(&one.name), quoted(&other.name)),
        ("estate_owner", one.owner.to_string(), other.owner.to_string()),
    ];
    if one.public.is_some() {
        differ.push(("estate_public", access(one.public), access(other.public)));
    }
    let people = [
        ("estate_managers", &one.managers, &other.managers),
        ("estate_users", &one.users, &other.users),
        ("estate_groups", &one.groups, &other.groups),
        ("estate_bans", &one.bans, &other.bans),
    ];
    for (name, one, other) in people.into_iter().filter(|(_, one, other)| one != other) {
        let kept = one.intersection(other).count();
        let after = match (one.len() - kept, other.len() - kept) {
            (0, _) => other.len().to_string(),
            (_, 0) => format!("{kept} of them"),
            (_, more) => format!("{kept} of them and {more} more"),
        };
        differ.push((name, one.len().to_string(), after));
    }
    let differ = differ.into_iter().filter(|(_, before, after)| before != after);
    differ.map(|(name, before, after)| Setting { name, before, after }).collect()
}

/// Pairs parcels by UUID, then by their land, then by name. Returns those that did not arrive as they were.
fn parcels<'a>(before: &'a [ParcelFacts], after: &'a [ParcelFacts]) -> Vec<ParcelArrival<'a>> {
    let mut free: BTreeSet<usize> = (0..after.len()).collect();
    let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
    let same: [fn(&Parcel, &Parcel) -> bool; 3] = [
        |one, other| one.uuid.is_some() && one.uuid == other.uuid,
        |one, other| !one.bitmap.is_empty() && one.bitmap == other.bitmap,
        |one, other| !one.name.is_empty() && one.name == other.name,
    ];
    for is_same in same {
        for (number, facts) in before.iter().enumerate() {
            if pairs.contains_key(&number) {
                continue;
            }
            let found = free.iter().copied().find(|&other| is_same(&facts.parcel, &after[other].parcel));
            if let Some(found) = found {
                free.remove(&found);
                pairs.insert(number, found);
            }
        }
    }
    let mut arrivals = Vec::new();
    for (number, facts) in before.iter().enumerate() {
        let found = pairs.get(&number).map(|found| &after[*found].parcel);
        let changes = found.map_or_else(Vec::new, |found| parcel_changes(&facts.parcel, found));
        let status = match found {
            None => Status::Lost,
            Some(_) if changes.is_empty() => continue,
            Some(_) => Status::Changed,
        };
        arrivals.push(ParcelArrival { status, before: Some(&facts.parcel), after: found, changes });
    }
    arrivals.extend(free.into_iter().map(|number| ParcelArrival {
        status: Status::New,
        before: None,
        after: Some(&after[number].parcel),
        changes: Vec::new(),
    }));
    arrivals
}

fn parcel_changes(one: &Parcel, other: &Parcel) -> Vec<&'static str> {
    let is_near = |one: Option<DVec3>, other: Option<DVec3>| match (one, other) {
        (Some(one), Some(other)) => one.distance(other) < 0.01,
        (one, _) => one.is_none(),
    };
    [
        ("name", one.name != other.name),
        ("owner", one.owner != other.owner),
        ("group", one.group != other.group || one.group_owned != other.group_owned),
        ("area", one.bitmap != other.bitmap),
        ("flags", one.flags.is_some() && one.flags != other.flags),
        ("landing", !is_near(one.landing, other.landing)),
        ("environment", one.environment && !other.environment),
        ("pictures", one.references != other.references),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}
