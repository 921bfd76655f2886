//! `regions`: one row for each region.

use super::columns;
use crate::{
    analysis::{Measured, RegionMeasures},
    ledger::{facts::RegionFacts, identity},
    report::table::{Cell, Column, Percent, Table},
};

/// The table.
#[derive(Debug)]
pub struct Regions;

impl Table for Regions {
    /// A region with its sums.
    type Row<'a> = (&'a Measured<'a>, &'a RegionFacts, &'a RegionMeasures);
    const NAME: &'static str = "regions";
    const ABOUT: &'static str = "One row for each region. Sums are over the linksets that stand in it.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Regions:
    #[compared] ARCHIVE = "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    #[compared] HOME = "home", (measured, region, _) => Cell::show(identity::of_region(measured.ledger, region)), "What tells it again in another night: its UUID, else its name, else the file's name with `#` for dates.";
    #[compared] REGION = "region", (_, region, _) => &region.name, "Name of the region.";
    #[compared] REGION_UUID = "region_uuid", (_, region, _) => region.uuid, "Its UUID, as archive.xml states it.";
    FOLDER = "folder", (_, region, _) => &region.folder, "Its folder in an archive of several regions.";
    SIZE_X_M = "size_x_m", (_, region, _) => region.size[0], "East-west side; 256 where the archive states none.";
    SIZE_Y_M = "size_y_m", (_, region, _) => region.size[1], "North-south side; 256 where the archive states none.";
    "parcels", (_, region, _) => region.parcels.len(), "Parcels.";
    #[compared] OBJECTS = "objects", (.., sums) => sums.total.objects, "Linksets.";
    #[compared] PARTS = "parts", (.., sums) => sums.total.parts, "Prims.";
    #[compared] SCRIPTS = "scripts", (.., sums) => sums.total.scripts, "Scripts in contents.";
    #[compared] PHYSICS_COST = "physics_cost", (.., sums) => sums.total.physics_cost, "Sum of the physics costs of linksets under new accounting.", #[compared] PHYSICS_COST_BASIS: "What that sum rests on.";
    #[compared] STREAMING_COST = "streaming_cost", (.., sums) => sums.total.streaming_cost, "Sum of the streaming costs.", #[compared] STREAMING_COST_BASIS: "What that sum rests on.";
    #[compared] SERVER_WEIGHT = "server_weight", (.., sums) => sums.total.server_weight, "Sum of the server weights.", "What that sum rests on.";
    "region_resource_cost", (.., sums) => sums.total.region_resource_cost, "Sum of the region resource costs.", "What that sum rests on.";
    #[compared] LAND_IMPACT = "land_impact", (.., sums) => sums.total.land_impact, "Sum of the land impacts.", #[compared] LAND_IMPACT_BASIS: "What that sum rests on.";
    CAPACITY = "capacity", (.., sums) => sums.capacity, "Land impact that the region holds, by the profile.";
    PERCENT_USED = "percent_used", (.., sums) => sums.total.land_impact.value().map(|impact| Percent(100.0 * impact / sums.capacity)), "Land impact as a share of the capacity.";
    "parts_per_m2", (_, region, sums) => sums.total.parts as f64 / region.size.map(f64::from).iter().product::<f64>(), "Prims for each square metre.";
    "meshes", (.., sums) => sums.meshes.assets, "Different meshes that its linksets show, as far as the export has them.";
    "meshes_bytes", (.., sums) => sums.meshes.bytes, "Size of those together, compressed.";
    "meshes_with_physics", (.., sums) => sums.meshes.with_physics_mesh, "How many of those have a physics mesh.";
    "object_bonus", (_, region, _) => region.settings.as_ref().and_then(|settings| settings.object_bonus), "Factor on the capacity of parcels, from the settings.";
    "terrain_bytes", (_, region, _) => region.terrain.as_ref().map(|terrain| terrain.bytes), "Size of the terrain file; empty where there is none.";
}
