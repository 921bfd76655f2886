//! `parcels`: one row for each parcel.

use super::columns;
use crate::{
    analysis::{Measured, ParcelMeasures},
    ledger::facts::{ParcelFacts, RegionFacts},
    report::table::{Cell, Column, Percent, Table},
};

/// The table.
#[derive(Debug)]
pub struct Parcels;

impl Table for Parcels {
    /// A parcel with its region and its sums.
    type Row<'a> = (&'a Measured<'a>, &'a RegionFacts, &'a ParcelFacts, &'a ParcelMeasures);
    const NAME: &'static str = "parcels";
    const ABOUT: &'static str = "One row for each parcel. Sums are over the linksets whose root stands on a cell of its \
                                 bitmap; a cell that two parcels claim is that of the one that is loaded last.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Parcels:
    "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    ENTRY = "entry", (_, _, parcel, _) => &parcel.entry, "Entry of the archive.";
    REGION = "region", (_, region, ..) => &region.name, "Name of its region.";
    PARCEL = "parcel", (_, _, parcel, _) => &parcel.parcel.name, "Name of the parcel.";
    "parcel_uuid", (_, _, parcel, _) => parcel.parcel.uuid, "Its global UUID.";
    OWNER_UUID = "owner_uuid", (_, _, parcel, _) => parcel.parcel.owner, "Who owns it.";
    "group_owned", (_, _, parcel, _) => parcel.parcel.group_owned, "Whether a group owns it.";
    "area_m2", (.., sums) => sums.area, "From the bitmap; from the file's statement where there is none.";
    "area_stated_m2", (_, _, parcel, _) => parcel.parcel.area, "As the file states it.";
    "objects", (.., sums) => sums.total.objects, "Linksets.";
    PARTS = "parts", (.., sums) => sums.total.parts, "Prims.";
    "scripts", (.., sums) => sums.total.scripts, "Scripts in contents.";
    LAND_IMPACT = "land_impact", (.., sums) => sums.total.land_impact, "Sum of the land impacts.", LAND_IMPACT_BASIS: "What that sum rests on.";
    "physics_cost", (.., sums) => sums.total.physics_cost, "Sum of the physics costs of linksets under new accounting.", "What that sum rests on.";
    "region_resource_cost", (.., sums) => sums.total.region_resource_cost, "RRC of the specification: sum of the region resource costs.", "What that sum rests on.";
    "capacity", (.., sums) => sums.capacity, "Land impact that the parcel holds: its share of the region's, with the object bonus.";
    PERCENT_USED = "percent_used", (.., sums) => share(sums).map(Percent), "Land impact as a share of the capacity.";
    "over", (.., sums) => share(sums).map(|percent| percent > 100.0), "Whether it holds more than its share. Parcels of one owner in a region lend each other theirs: CST001 tells where all together hold too much.";
}

fn share(sums: &ParcelMeasures) -> Option<f64> {
    let capacity = sums.capacity.filter(|&capacity| capacity > 0.0)?;
    Some(100.0 * sums.total.land_impact.value()? / capacity)
}
