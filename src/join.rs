//! Facts joined with their measures: one input, ready to be judged and written.

use crate::{
    body::Assets,
    cost::Cost,
    facts::{ObjectFacts, ParcelFacts, RegionFacts, Role},
    format::object::Part,
    history::Past,
    ledger::Ledger,
    measure::{MeshMeasures, ObjectMeasures, measure_mesh, measure_object},
    profile::{Named, Profile},
    timings::{Stage, within},
    users::Users,
    uses::{self, Uses},
};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// Side of a cell of a parcel's bitmap, metres.
pub(crate) const CELL_M: f64 = 4.0;

/// Objects that one thread measures at a time.
const SHARE: usize = 64;

/// One input with all that follows from its facts for a target grid.
#[derive(Debug)]
pub struct Case<'a> {
    /// The facts.
    pub ledger: &'a Ledger,
    /// The target grid.
    pub profile: &'a Profile,
    /// Measures of `ledger.objects`, in the same order.
    pub objects: Vec<ObjectMeasures>,
    /// Measures of `ledger.meshes`, in the same order.
    pub meshes: Vec<MeshMeasures>,
    /// How many parts use each of `ledger.meshes`.
    pub mesh_users: Vec<u64>,
    /// Sums over `ledger.regions`, in the same order.
    pub regions: Vec<RegionMeasures>,
    /// The same objects by further profiles, where they were asked for.
    pub others: Vec<Other<'a>>,
    /// The input's assets, and those of the stores behind them.
    pub assets: Assets<'a>,
    /// What the input uses of assets.
    pub uses: Uses<'a>,
    /// Whom the target grid knows, where that was told.
    pub users: Option<&'a Users>,
    /// What came before it, where a report looks back.
    pub past: Option<&'a Past<'a>>,
}

/// The objects of an input by another profile than the one that judges.
#[derive(Debug)]
pub struct Other<'a> {
    /// The profile.
    pub named: &'a Named,
    /// Measures of the ledger's objects, in the same order.
    pub objects: Vec<ObjectMeasures>,
    /// By what share of the greater one land impact must differ to be worth a finding.
    pub cost_difference: f64,
}

/// Sums over the objects that stand in one region.
#[derive(Debug)]
pub struct RegionMeasures {
    /// All of it.
    pub total: LandMeasures,
    /// The linksets that stand in it: their numbers in the ledger.
    pub standing: Vec<usize>,
    /// The different meshes that they show.
    pub meshes: RegionMeshes,
    /// Objects the region holds, by the profile.
    pub capacity: f64,
    /// Its parcels, in the order of the facts.
    pub parcels: Vec<ParcelMeasures>,
}

/// The different meshes of a region, as far as the input has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegionMeshes {
    /// How many.
    pub assets: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// How many have a physics mesh.
    pub with_physics_mesh: u64,
}

impl RegionMeshes {
    /// Of these objects. Attachments that stand in an export count too: nothing tells them for sure.
    fn of<'o>(objects: impl Iterator<Item = &'o ObjectFacts>, assets: &Assets<'_>) -> Self {
        let parts = objects.flat_map(|object| &object.linkset.parts);
        let different: BTreeSet<Uuid> = parts.filter_map(Part::mesh).collect();
        different.into_iter().filter_map(|uuid| assets.mesh(uuid)).fold(Self::default(), |sum, mesh| Self {
            assets: sum.assets + 1,
            bytes: sum.bytes + mesh.bytes,
            with_physics_mesh: sum.with_physics_mesh + u64::from(mesh.physics_mesh.is_some()),
        })
    }
}

/// Sums over the objects that stand on one parcel.
#[derive(Debug)]
pub struct ParcelMeasures {
    /// All of it.
    pub total: LandMeasures,
    /// The linksets that stand on it: their numbers in the ledger.
    pub standing: Vec<usize>,
    /// m², from the bitmap; from the file's own statement where there is no bitmap.
    pub area: Option<f64>,
    /// Objects the parcel holds.
    pub capacity: Option<f64>,
}

/// Sums over objects.
#[derive(Debug)]
pub struct LandMeasures {
    /// Linksets.
    pub objects: u64,
    /// Prims.
    pub parts: u64,
    /// Scripts.
    pub scripts: u64,
    /// Of their physics costs.
    pub physics_cost: Cost,
    /// Of their streaming costs.
    pub streaming_cost: Cost,
    /// Of their server weights.
    pub server_weight: Cost,
    /// Of their region resource costs.
    pub region_resource_cost: Cost,
    /// Of their land impacts.
    pub land_impact: Cost,
}

impl<'a> Case<'a> {
    /// Computes every measure of an input.
    pub fn new(ledger: &'a Ledger, profile: &'a Profile) -> Self {
        Self::with(ledger, profile, Assets::of([ledger]))
    }

    /// The same, with the assets that it lacks looked for in stores.
    pub fn backed_by(ledger: &'a Ledger, profile: &'a Profile, stores: &'a Assets<'a>) -> Self {
        Self::with(ledger, profile, Assets::of([ledger]).backed_by(stores))
    }

    fn with(ledger: &'a Ledger, profile: &'a Profile, assets: Assets<'a>) -> Self {
        let objects = measure_objects(ledger, &assets, profile);
        let mut users: HashMap<Uuid, u64> = HashMap::new();
        for uuid in ledger.objects.iter().flat_map(|object| &object.linkset.parts).filter_map(Part::mesh) {
            *users.entry(uuid).or_default() += 1;
        }
        // Of two meshes with one UUID the first is the one that is used.
        let mesh_users =
            ledger.meshes.iter().map(|mesh| mesh.uuid.and_then(|uuid| users.remove(&uuid)).unwrap_or(0));
        let mesh_users = mesh_users.collect();
        let regions = ledger.regions.iter().enumerate();
        let regions =
            regions.map(|(number, facts)| measure_region(number, facts, ledger, &objects, &assets, profile));
        let regions = regions.collect();
        let meshes = ledger.meshes.iter().map(|mesh| measure_mesh(mesh, profile)).collect();
        Self {
            ledger,
            profile,
            objects,
            meshes,
            mesh_users,
            regions,
            others: Vec::new(),
            assets,
            uses: uses::of(ledger),
            users: None,
            past: None,
        }
    }

    /// The same with the objects measured by a further profile too.
    pub fn beside(mut self, named: &'a Named, cost_difference: f64) -> Self {
        let objects = measure_objects(self.ledger, &self.assets, &named.profile);
        self.others.push(Other { named, objects, cost_difference });
        self
    }

    /// The same for a target grid that knows these people.
    pub fn knowing(mut self, users: Option<&'a Users>) -> Self {
        self.users = users;
        self
    }

    /// The same with what came before it.
    pub fn after(mut self, past: Option<&'a Past<'a>>) -> Self {
        self.past = past;
        self
    }

    /// Every object with its measures.
    pub fn objects(&self) -> impl Iterator<Item = (&'a ObjectFacts, &ObjectMeasures)> {
        self.ledger.objects.iter().zip(&self.objects)
    }
}

/// Measures of all objects, in their order. Those of a large input are shared out, since it may be the only one.
fn measure_objects(ledger: &Ledger, assets: &Assets<'_>, profile: &Profile) -> Vec<ObjectMeasures> {
    let measure = |objects: &[ObjectFacts]| {
        let one = |object| measure_object(object, assets, profile);
        within(Stage::Cost, || objects.iter().map(one).collect::<Vec<_>>())
    };
    if ledger.objects.len() <= SHARE {
        return measure(&ledger.objects);
    }
    within(Stage::Waiting, || ledger.objects.par_chunks(SHARE).flat_map_iter(measure).collect())
}

fn measure_region(
    number: usize,
    facts: &RegionFacts,
    ledger: &Ledger,
    measures: &[ObjectMeasures],
    assets: &Assets<'_>,
    profile: &Profile,
) -> RegionMeasures {
    let stands_here = |object: &ObjectFacts| {
        object.role == Role::Rezzed && object.region.is_some_and(|region| region as usize == number)
    };
    let objects = &ledger.objects;
    let here: Vec<usize> = (0..objects.len()).filter(|&number| stands_here(&objects[number])).collect();
    let sum = |standing: &[usize]| {
        sum(&standing.iter().map(|&number| (&objects[number], &measures[number])).collect::<Vec<_>>())
    };
    let capacity = f64::from(profile.land.object_capacity);
    let parcels = facts.parcels.iter().map(|parcel| {
        let on_it = |&number: &usize| covers(parcel, root_position(&objects[number]));
        let standing: Vec<usize> = here.iter().copied().filter(on_it).collect();
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
        meshes: RegionMeshes::of(here.iter().map(|&number| &objects[number]), assets),
        standing: here,
        capacity,
    }
}

/// Where an object stands: its root's place in the region, metres.
fn root_position(object: &ObjectFacts) -> DVec3 {
    object.linkset.parts.first().map_or(DVec3::NAN, |root| root.group_position)
}

/// Whether a parcel's bitmap has the cell in which this point lies. Bitmaps are square, one bit a cell, lowest
/// bit first, eastward then northward.
fn covers(parcel: &ParcelFacts, point: DVec3) -> bool {
    let bitmap = &parcel.parcel.bitmap;
    let side = (bitmap.len() as f64 * 8.0).sqrt();
    let (x, y) = ((point.x / CELL_M).floor(), (point.y / CELL_M).floor());
    // NaN and what lies outside the region are on no parcel.
    if !(x >= 0.0 && x < side && y >= 0.0 && y < side) {
        return false;
    }
    let cell = y as usize * side as usize + x as usize;
    bitmap.get(cell / 8).is_some_and(|byte| byte & 1 << (cell % 8) != 0)
}

fn area(parcel: &ParcelFacts) -> Option<f64> {
    let cells: u32 = parcel.parcel.bitmap.iter().map(|byte| byte.count_ones()).sum();
    match cells {
        0 => parcel.parcel.area,
        cells => Some(CELL_M * CELL_M * f64::from(cells)),
    }
}

/// `min(trunc(area × capacity × bonus / region's area + 0.5), capacity)`: OpenSim's `LandObject`.
fn parcel_capacity(area: f64, region: &RegionFacts, capacity: f64) -> f64 {
    let bonus = region.settings.as_ref().and_then(|settings| settings.object_bonus).unwrap_or(1.0);
    let [east, north] = region.size.map(f64::from);
    (area * capacity * bonus / (east * north) + 0.5).trunc().min(capacity)
}

fn sum(objects: &[(&ObjectFacts, &ObjectMeasures)]) -> LandMeasures {
    let cost =
        |get: fn(&ObjectMeasures) -> Cost| Cost::sum(objects.iter().map(|(_, measures)| get(measures)));
    let count = |get: fn(&ObjectFacts) -> usize| objects.iter().map(|(object, _)| get(object) as u64).sum();
    LandMeasures {
        objects: count(|_| 1),
        parts: count(|object| object.linkset.parts.len()),
        scripts: count(|object| object.linkset.parts.iter().map(|part| part.scripts().count()).sum()),
        physics_cost: cost(|measures| measures.physics_cost),
        streaming_cost: cost(|measures| measures.streaming_cost),
        server_weight: cost(|measures| measures.server_weight),
        region_resource_cost: cost(|measures| measures.region_resource_cost),
        land_impact: cost(|measures| measures.land_impact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::region::{Parcel, Settings};

    fn parcel(bitmap: Vec<u8>) -> ParcelFacts {
        ParcelFacts { entry: String::new(), parcel: Parcel { bitmap, area: Some(99.0), ..Parcel::default() } }
    }

    #[test]
    fn a_point_lies_on_the_parcel_that_has_its_cell() {
        // 16 × 16 cells; the one at (9, 2) is bit 41.
        let mut bitmap = vec![0; 32];
        bitmap[5] = 0b10;
        let parcel = parcel(bitmap);
        let on = |x, y| covers(&parcel, DVec3::new(x, y, 0.0));
        assert!(on(36.0, 8.0) && on(39.999, 11.999));
        assert!(!on(40.0, 8.0) && !on(36.0, 12.0) && !on(-1.0, 8.0) && !on(f64::NAN, 8.0) && !on(64.0, 0.0));
        assert_eq!(area(&parcel), Some(16.0));
    }

    #[test]
    fn a_parcel_holds_its_share_of_the_region_and_never_more_than_all() {
        let mut region = RegionFacts {
            name: String::new(),
            uuid: None,
            folder: String::new(),
            size: [256, 256],
            size_stated: true,
            settings: None,
            parcels: Vec::new(),
            terrain: None,
        };
        assert_eq!(parcel_capacity(32_768.0, &region, 15_000.0), 7_500.0);
        assert_eq!(parcel_capacity(512.0, &region, 15_000.0), 117.0);
        region.settings = Some(Settings { object_bonus: Some(3.0), ..Settings::default() });
        assert_eq!(parcel_capacity(32_768.0, &region, 15_000.0), 15_000.0);
    }
}
