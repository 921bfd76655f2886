//! Sums over the objects in each region and on each parcel.

use crate::{
    assets::Assets,
    cost::{Basis, Cost, NotEvaluated},
    measure::ObjectMeasures,
};
use glam::DVec3;
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, ParcelFacts, RegionFacts, Role, TerrainFacts},
};
use hullmark_settings::profile::{Counted, LandModel, Profile};
use hullmark_util::number_text::{counted, thousands};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// Side of a cell in a parcel's bitmap, in metres.
pub const CELL_M: f64 = 4.0;

/// Sums over the objects in one region.
#[derive(Debug)]
pub struct RegionMeasures {
    /// Sums over all its objects.
    pub total: LandMeasures,
    /// Indices in the ledger of the linksets in the region.
    pub standing: Vec<usize>,
    /// The distinct meshes that these linksets use.
    pub meshes: RegionMeshes,
    /// Maximum load of the region, from the profile.
    pub capacity: f64,
    /// Parcels in the order of the facts.
    pub parcels: Vec<ParcelMeasures>,
}

/// The distinct meshes of a region, as far as the input has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegionMeshes {
    pub assets: u64,
    pub bytes: u64,
    /// Number of meshes with a physics mesh.
    pub with_physics_mesh: u64,
}

impl RegionMeshes {
    /// Collects the meshes of these objects. Attachments in an export count too, because they cannot be identified
    /// reliably.
    fn new<'o>(objects: impl Iterator<Item = &'o ObjectFacts>, assets: &Assets<'_>) -> Self {
        let parts = objects.flat_map(|object| &object.linkset.parts);
        let different: BTreeSet<Uuid> = parts.filter_map(Part::mesh).collect();
        different.into_iter().filter_map(|uuid| assets.mesh(uuid)).fold(Self::default(), |sum, mesh| Self {
            assets: sum.assets + 1,
            bytes: sum.bytes + mesh.bytes,
            with_physics_mesh: sum.with_physics_mesh + u64::from(mesh.physics_mesh.is_some()),
        })
    }
}

/// Sums over the objects on one parcel.
#[derive(Debug)]
pub struct ParcelMeasures {
    /// Sums over all its objects.
    pub total: LandMeasures,
    /// Indices in the ledger of the linksets on the parcel.
    pub standing: Vec<usize>,
    /// Area in m² from the bitmap, or from the file's own value if there is no bitmap.
    pub area: Option<f64>,
    /// Maximum load of the parcel; `None` if the area is unknown.
    pub capacity: Option<f64>,
}

/// Sums over objects.
#[derive(Debug)]
pub struct LandMeasures {
    pub objects: u64,
    pub parts: u64,
    /// Number of scripts; `None` if contents were not read.
    pub scripts: Option<u64>,
    pub physics_cost: Cost,
    pub streaming_cost: Cost,
    pub server_weight: Cost,
    pub region_resource_cost: Cost,
    pub land_impact: Cost,
    /// What fills the land: land impact, or prims on grids that count these.
    pub load: Cost,
}

pub(super) fn measure_regions(
    ledger: &Ledger,
    measures: &[ObjectMeasures],
    assets: &Assets<'_>,
    profile: &Profile,
    own: &[Option<Profile>],
) -> Vec<RegionMeasures> {
    let mut standing: Vec<Vec<usize>> = vec![Vec::new(); ledger.regions.len()];
    for (number, object) in
        ledger.objects.iter().enumerate().filter(|(_, object)| object.role == Role::Rezzed)
    {
        if let Some(here) = object.region.and_then(|region| standing.get_mut(region as usize)) {
            here.push(number);
        }
    }
    let regions = ledger.regions.iter().zip(standing).zip(own);
    let measure = |((facts, here), own): ((&RegionFacts, Vec<usize>), &Option<Profile>)| {
        measure_region(facts, here, ledger, measures, assets, own.as_ref().unwrap_or(profile))
    };
    regions.map(measure).collect()
}

fn measure_region(
    facts: &RegionFacts,
    here: Vec<usize>,
    ledger: &Ledger,
    measures: &[ObjectMeasures],
    assets: &Assets<'_>,
    profile: &Profile,
) -> RegionMeasures {
    let objects = &ledger.objects;
    let sum = |standing: &[usize]| {
        let standing = standing.iter().map(|&number| (&objects[number], &measures[number]));
        sum(&standing.collect::<Vec<_>>(), facts.objects_unread, profile)
    };
    let capacity = f64::from(profile.land.object_capacity);
    let places = here.iter().map(|&number| (number, root_position(&objects[number])));
    let parcels = facts.parcels.iter().zip(on_parcels(&facts.parcels, places)).map(|(parcel, standing)| {
        let area = area(parcel);
        ParcelMeasures {
            total: sum(&standing),
            standing,
            area,
            capacity: area.map(|area| parcel_capacity(area, facts, capacity)),
        }
    });
    RegionMeasures {
        parcels: parcels.collect(),
        total: sum(&here),
        meshes: RegionMeshes::new(here.iter().map(|&number| &objects[number]), assets),
        standing: here,
        capacity,
    }
}

fn root_position(object: &ObjectFacts) -> DVec3 {
    object.linkset.parts.first().map_or(DVec3::NAN, |root| root.group_position)
}

/// Returns the things on each parcel, in the order of the things.
///
/// Each thing is on one parcel. If parcels overlap, the one that is loaded last has the land (OpenSim's
/// `LandManagementModule`, `AddLandObject`). So the result has at most as many entries as there are things, regardless
/// of the number of parcels.
pub fn on_parcels(parcels: &[ParcelFacts], things: impl Iterator<Item = (usize, DVec3)>) -> Vec<Vec<usize>> {
    let mut free: HashMap<Cell, Vec<usize>> = HashMap::new();
    for (number, place) in things {
        if let Some(cell) = cell(place) {
            free.entry(cell).or_default().push(number);
        }
    }
    let take = |parcel: &ParcelFacts| {
        let bitmap = Bitmap(&parcel.parcel.bitmap);
        let mut standing: Vec<usize> = match bitmap.count() < free.len() as u64 {
            true => bitmap.cells().filter_map(|cell| free.remove(&cell)).flatten().collect(),
            false => {
                free.extract_if(|&cell, _| bitmap.has(cell)).flat_map(|(_, standing)| standing).collect()
            }
        };
        standing.sort_unstable();
        standing
    };
    let mut standing: Vec<_> = parcels.iter().rev().map(take).collect();
    standing.reverse();
    standing
}

/// A cell of a region, counted eastward and northward.
pub type Cell = (usize, usize);

/// Returns the cell that contains a point; `None` for NaN and for points west or south of the region.
pub fn cell(place: DVec3) -> Option<Cell> {
    let (x, y) = ((place.x / CELL_M).floor(), (place.y / CELL_M).floor());
    (x >= 0.0 && y >= 0.0).then_some((x as usize, y as usize))
}

/// Sides of the smallest region, in metres.
pub const SMALLEST_M: [u32; 2] = [256, 256];

/// The longest side of a megaregion, in metres: eight regions.
const LARGEST_M: u32 = 2048;

/// If fewer than one object in this many is outside, they are strays.
const STRAYS: usize = 10;

/// Returns the sides in metres of the region that holds these objects, if its size is not stated.
pub fn size_by_places(roots: impl Iterator<Item = DVec3>) -> [u32; 2] {
    let (mut size, mut objects, mut outside) = (SMALLEST_M, 0, 0);
    for at in roots {
        objects += 1;
        // Objects further out, or below zero, are strays.
        let at = at.truncate();
        let is_near = at.min_element() >= 0.0 && at.max_element() < f64::from(LARGEST_M);
        if !is_near {
            continue;
        }
        let [east, north] = [at.x, at.y].map(|metres| (metres as u32 / SMALLEST_M[0] + 1) * SMALLEST_M[0]);
        size = [size[0].max(east), size[1].max(north)];
        outside += usize::from([east, north] != SMALLEST_M);
    }
    let are_many = outside > 1 && outside * STRAYS >= objects;
    if are_many { size } else { SMALLEST_M }
}

/// The cells of a parcel: a square with one bit each, lowest bit first, eastward then northward.
pub struct Bitmap<'a>(pub &'a [u8]);

impl Bitmap<'_> {
    /// Number of cells along each side.
    pub fn side(&self) -> usize {
        (self.0.len() * 8).isqrt()
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|byte| u64::from(byte.count_ones())).sum()
    }

    /// Whether the parcel has a cell.
    pub fn has(&self, (x, y): Cell) -> bool {
        let side = self.side();
        let bit = || y * side + x;
        x < side && y < side && self.0.get(bit() / 8).is_some_and(|byte| byte & 1 << (bit() % 8) != 0)
    }

    /// Returns the cells of the parcel: eastward, northward.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let side = self.side().max(1);
        let bytes = self.0.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let bits = bytes.flat_map(|(at, byte)| {
            (0..8).filter(move |bit| byte & 1 << bit != 0).map(move |bit| at * 8 + bit)
        });
        bits.map(move |bit| (bit % side, bit / side)).take_while(move |(_, y)| *y < side)
    }
}

fn area(parcel: &ParcelFacts) -> Option<f64> {
    match Bitmap(&parcel.parcel.bitmap).count() {
        0 => parcel.parcel.area.map(f64::from),
        cells => Some(CELL_M * CELL_M * cells as f64),
    }
}

/// Returns `min(trunc(area × capacity × bonus / region's area + 0.5), capacity)`, as OpenSim's `LandObject` does.
fn parcel_capacity(area: f64, region: &RegionFacts, capacity: f64) -> f64 {
    let bonus = region.settings.as_ref().and_then(|settings| settings.object_bonus).map_or(1.0, f64::from);
    let [east, north] = region.size.map(f64::from);
    (area * capacity * bonus / (east * north) + 0.5).trunc().min(capacity)
}

/// Returns what these linksets fill of their land, in the unit of the profile.
pub fn load<'m>(
    objects: impl IntoIterator<Item = (&'m ObjectFacts, &'m ObjectMeasures)>,
    profile: &Profile,
) -> Cost {
    match profile.land.counted {
        Counted::LandImpact => land_impact(objects.into_iter().map(|(_, measures)| measures), profile),
        Counted::Prims => {
            let lasting = objects.into_iter().filter(|(_, measures)| !measures.temporary);
            Cost::spec(lasting.map(|(object, _)| object.linkset.parts.len() as f64).sum())
        }
    }
}

/// Returns the sum of the linksets' land impact. OpenSimulator does not count temporary linksets
/// (`PrimCountModule.AddObject`). For Second Life no source states this, so they count there, and the sum is an
/// estimate.
fn land_impact<'m>(objects: impl Iterator<Item = &'m ObjectMeasures>, profile: &Profile) -> Cost {
    let count = |measures: &ObjectMeasures| match profile.land.model {
        LandModel::Opensim if measures.temporary => Cost::spec(0.0),
        LandModel::SecondLife if measures.temporary => measures.land_impact.at_best(Basis::Estimated),
        LandModel::SecondLife | LandModel::Opensim => measures.land_impact,
    };
    Cost::sum(objects.map(count))
}

/// Returns the sums over objects. `are_unread`: further ones may be in rows that were not read.
fn sum(objects: &[(&ObjectFacts, &ObjectMeasures)], are_unread: bool, profile: &Profile) -> LandMeasures {
    let unread = || are_unread.then_some(Cost::not_evaluated(NotEvaluated::RowsUnread));
    let cost = |get: fn(&ObjectMeasures) -> Cost| {
        Cost::sum(objects.iter().map(|(_, measures)| get(measures)).chain(unread()))
    };
    let scripts = objects.iter().map(|(_, measures)| measures.scripts.map(u64::from)).sum::<Option<u64>>();
    let with_unread = |known: Cost| match unread() {
        Some(unread) if objects.is_empty() => unread,
        unread => Cost::sum([known].into_iter().chain(unread)),
    };
    let count = |get: fn(&ObjectFacts) -> usize| objects.iter().map(|(object, _)| get(object) as u64).sum();
    LandMeasures {
        objects: count(|_| 1),
        parts: count(|object| object.linkset.parts.len()),
        scripts: scripts.filter(|_| !are_unread),
        physics_cost: cost(|measures| measures.physics_cost),
        streaming_cost: cost(|measures| measures.streaming_cost),
        server_weight: cost(|measures| measures.server_weight),
        region_resource_cost: cost(|measures| measures.region_resource_cost),
        land_impact: with_unread(land_impact(objects.iter().map(|(_, measures)| *measures), profile)),
        load: with_unread(load(objects.iter().copied(), profile)),
    }
}

/// Number of heights along each side of the smallest terrain that OpenSim reads.
const LEAST_SIDE: u64 = 256;

/// Why OpenSim cannot read a terrain, and the least number of bytes if there are too few. `None` if it can.
pub fn terrain_stops_the_load(terrain: &TerrainFacts) -> Option<(Option<u64>, String)> {
    let ending = terrain.entry.rsplit_once('.').map_or("", |(_, ending)| ending);
    // Heights of four bytes, or thirteen channels of one byte, of which the last eleven may be missing.
    let least = match ending {
        "r32" | "f32" => 4 * LEAST_SIDE * LEAST_SIDE,
        "raw" => 13 * LEAST_SIDE * LEAST_SIDE - 11,
        "ter" => 0,
        "jpg" | "jpeg" => return Some((None, "JPEG, which OpenSim writes but does not read".into())),
        "png" | "bmp" | "gif" | "tif" | "tiff" => {
            let why = format!("its start or end is not that of a {ending} file");
            return terrain.broken_image.then_some((None, why));
        }
        _ => return Some((None, "its file name extension is not a terrain format of OpenSim".into())),
    };
    let why = || format!("{}, at least {} needed", counted(terrain.bytes, "byte"), thousands(least));
    (terrain.bytes < least).then(|| (Some(least), why()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::region::{Parcel, Settings};
    use hullmark_util::json_number::Number;

    fn parcel(bitmap: Vec<u8>) -> ParcelFacts {
        ParcelFacts {
            order: 0,
            entry: String::new(),
            parcel: Parcel { bitmap, area: Some(Number(99.0)), ..Parcel::default() },
        }
    }

    fn on(parcels: &[ParcelFacts], places: &[[f64; 2]]) -> Vec<Vec<usize>> {
        let places = places.iter().map(|&[x, y]| DVec3::new(x, y, 0.0));
        on_parcels(parcels, places.enumerate())
    }

    #[test]
    fn a_point_lies_on_the_parcel_that_has_its_cell() {
        // 16 × 16 cells; the one at (9, 2) is bit 41.
        let mut bitmap = vec![0; 32];
        bitmap[5] = 0b10;
        let parcels = [parcel(bitmap)];
        let parcel = &parcels[0];
        let on = |x, y| on(&parcels, &[[x, y]]) == [[0]];
        assert!(on(36.0, 8.0) && on(39.999, 11.999));
        assert!(!on(40.0, 8.0) && !on(36.0, 12.0) && !on(-1.0, 8.0) && !on(f64::NAN, 8.0) && !on(64.0, 0.0));
        assert_eq!(area(parcel), Some(16.0));
    }

    /// Both methods, by cells and by lookup, give the same result. `on_parcels` uses the one with less work.
    #[test]
    fn land_that_two_parcels_claim_is_the_lasts() {
        let west = |x: usize| parcel((0..32).map(|byte| if byte % 2 == x { 0xff } else { 0 }).collect());
        let all = || parcel(vec![0xff; 32]);
        let few = [[33.0, 5.0], [1.0, 1.0], [63.9, 63.9], [2.0, 3.0]];
        assert_eq!(on(&[west(1), all(), west(0)], &few), [vec![], vec![0, 2], vec![1, 3]]);
        let many: Vec<[f64; 2]> =
            (0..256).map(|n| [f64::from(n % 16) * 4.0, f64::from(n / 16) * 4.0]).collect();
        let [third, second, first] = &on(&[all(), west(0), west(1)], &many)[..] else {
            panic!("three parcels")
        };
        assert!(first.iter().all(|n| n % 16 >= 8) && second.iter().all(|n| n % 16 < 8) && third.is_empty());
        assert_eq!((first.len(), second.len(), first.is_sorted()), (128, 128, true));
        // At most 16 of 24 bits form a square.
        assert_eq!(on(&[parcel(vec![0, 0, 0xff])], &many), [[0; 0]]);
    }

    #[test]
    fn a_parcel_holds_its_share_of_the_region_and_never_more_than_all() {
        let mut region = RegionFacts::of_folder("");
        assert_eq!(parcel_capacity(32_768.0, &region, 15_000.0), 7_500.0);
        assert_eq!(parcel_capacity(512.0, &region, 15_000.0), 117.0);
        region.settings = Some(Settings { object_bonus: Some(Number(3.0)), ..Settings::default() });
        assert_eq!(parcel_capacity(32_768.0, &region, 15_000.0), 15_000.0);
    }
}
