//! Joins facts with their measures: one input, ready for rules and tables.

pub mod actions;
pub mod asset_uses;
pub mod assets;
pub mod calibrate;
pub mod cost;
pub mod duplicates;
#[cfg(test)]
mod index_tests;
pub mod land;
pub mod linkability;
pub mod measure;
pub(crate) mod not_evaluated;
pub mod physics_shape;
pub mod regroup;
pub mod whereabouts;

use crate::{
    asset_uses::Uses,
    assets::Assets,
    measure::{MeshMeasures, ObjectMeasures, measure_mesh, measure_object},
};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ItemFacts, ObjectFacts},
};
use hullmark_settings::{
    config::{FINDINGS_PER_CODE, SCALED_TRIANGLES},
    profile::{Named, Profile},
    simulator::limits::LimitKey,
};
use hullmark_util::{
    all_threads::{self, Shares},
    timings::Stage,
};
use land::measure_regions;
pub use land::{CELL_M, load};
pub use land::{LandMeasures, ParcelMeasures, RegionMeasures};
use std::collections::HashMap;
use uuid::Uuid;

/// One input with all values that follow from its facts for a target grid.
#[derive(Debug)]
pub struct Measured<'a> {
    pub ledger: &'a Ledger,
    pub profile: &'a Profile,
    /// Measures of `ledger.objects`, in the same order.
    pub objects: Vec<ObjectMeasures>,
    /// Measures of `ledger.meshes`, in the same order.
    pub meshes: Vec<MeshMeasures>,
    /// Number of parts that use each of `ledger.meshes`.
    pub mesh_users: Vec<u64>,
    /// Sums over `ledger.regions`, in the same order.
    pub regions: Vec<RegionMeasures>,
    /// Measures of the same objects under additional profiles, if requested.
    pub others: Vec<Other<'a>>,
    pub assets: Assets<'a>,
    pub uses: Uses<'a>,
    /// The first inventory item of each asset.
    pub items: HashMap<Uuid, &'a ItemFacts>,
    pub findings_per_code: usize,
    /// The profiles of `ledger.regions` whose simulator has other limits than `profile`, in the same order.
    pub region_profiles: Vec<Option<Profile>>,
}

/// The objects of an input under an additional profile.
#[derive(Debug)]
pub struct Other<'a> {
    pub named: &'a Named,
    /// Measures of the ledger's objects, in the same order.
    pub objects: Vec<ObjectMeasures>,
    /// Minimum difference of land impact that is worth a finding, relative to the greater one.
    pub cost_difference: f64,
}

impl<'a> Measured<'a> {
    pub fn new(ledger: &'a Ledger, profile: &'a Profile) -> Self {
        Self::with(ledger, profile, Assets::from_ledgers([ledger]).limited(&ledger.objects, SCALED_TRIANGLES))
    }

    /// Computes every measure of an input. Assets that it lacks are looked up in stores, and the number of measured
    /// triangles is limited: see [`Assets::limited`].
    pub fn backed_by(
        ledger: &'a Ledger,
        profile: &'a Profile,
        stores: &'a Assets<'a>,
        scaled_triangles: u64,
    ) -> Self {
        let assets = Assets::from_ledgers([ledger]).backed_by(stores);
        Self::with(ledger, profile, assets.limited(&ledger.objects, scaled_triangles))
    }

    fn with(ledger: &'a Ledger, profile: &'a Profile, assets: Assets<'a>) -> Self {
        let region_profiles = region_profiles(ledger, profile);
        let objects = measure_objects(ledger, &assets, profile, &region_profiles);
        let regions = measure_regions(ledger, &objects, &assets, profile, &region_profiles);
        let mut users: HashMap<Uuid, u64> = HashMap::new();
        for uuid in ledger.objects.iter().flat_map(|object| &object.linkset.parts).filter_map(Part::mesh) {
            *users.entry(uuid).or_default() += 1;
        }
        // Of two meshes with one UUID the first is used.
        let mesh_users =
            ledger.meshes.iter().map(|mesh| mesh.uuid.and_then(|uuid| users.remove(&uuid)).unwrap_or(0));
        let mesh_users = mesh_users.collect();
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
            uses: asset_uses::collect(ledger),
            items: asset_uses::first_items(ledger),
            findings_per_code: FINDINGS_PER_CODE,
            region_profiles,
        }
    }

    /// Adds measures of the objects under another profile.
    pub fn with_profile(mut self, named: &'a Named, cost_difference: f64) -> Self {
        let own = region_profiles(self.ledger, &named.profile);
        let objects = measure_objects(self.ledger, &self.assets, &named.profile, &own);
        self.others.push(Other { named, objects, cost_difference });
        self
    }

    pub fn item_of(&self, asset: Uuid) -> Option<&'a ItemFacts> {
        self.items.get(&asset).copied()
    }

    /// Returns the profile for an object: that of its region, which may have limits of its own.
    pub fn profile_of(&self, object: &ObjectFacts) -> &Profile {
        self.profile_in(object.region.map(|region| region as usize))
    }

    /// Returns the profile of a region, by its index in the ledger.
    pub fn profile_in(&self, region: Option<usize>) -> &Profile {
        own_profile(&self.region_profiles, region).unwrap_or(self.profile)
    }

    /// Returns the setting of a simulator that has the limit of a region. `None` if the limit is that of the profile.
    pub fn source_of_limit(&self, region: Option<usize>, key: LimitKey) -> Option<&'a str> {
        own_profile(&self.region_profiles, region)?;
        let facts = self.ledger.regions.get(region?)?;
        facts.limits.get(key).map(|limit| limit.from.as_str())
    }

    pub fn objects(&self) -> impl Iterator<Item = (&'a ObjectFacts, &ObjectMeasures)> {
        self.ledger.objects.iter().zip(&self.objects)
    }
}

/// Returns the profile of each region of an input. `None` if the region has no limits of its own.
fn region_profiles(ledger: &Ledger, profile: &Profile) -> Vec<Option<Profile>> {
    ledger.regions.iter().map(|region| region.limits.profile(profile)).collect()
}

fn own_profile(own: &[Option<Profile>], region: Option<usize>) -> Option<&Profile> {
    own.get(region?)?.as_ref()
}

/// Measures all objects, in their order. A large input uses all threads, because it may be the only one.
fn measure_objects(
    ledger: &Ledger,
    assets: &Assets<'_>,
    profile: &Profile,
    own: &[Option<Profile>],
) -> Vec<ObjectMeasures> {
    all_threads::map(Stage::Cost, Shares::OF_SMALL, &ledger.objects, |object| {
        let region = object.region.map(|region| region as usize);
        measure_object(object, assets, own_profile(own, region).unwrap_or(profile))
    })
}
