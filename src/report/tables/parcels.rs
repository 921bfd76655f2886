//! `parcels`: one row for each parcel.

use super::columns;
use crate::table::{Cell, Column, Percent, Table};
use hullmark_analysis::{Measured, ParcelMeasures};
use hullmark_ledger::facts::{ParcelFacts, RegionFacts};

/// The table.
#[derive(Debug)]
pub struct Parcels;

impl Table for Parcels {
    /// A parcel with its region and its sums.
    type Row<'a> = (&'a Measured<'a>, &'a RegionFacts, &'a ParcelFacts, &'a ParcelMeasures);
    const NAME: &'static str = "parcels";
    const ABOUT: &'static str = "One row for each parcel. Sums include the linksets whose root prim is on a cell of its \
                                 bitmap. A cell of two parcels belongs to the one loaded last.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Parcels:
    "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    "entry", (_, _, parcel, _) => &parcel.entry, "Entry of the archive.";
    "region", (_, region, ..) => &region.name, "Name of the region.";
    "parcel", (_, _, parcel, _) => &parcel.parcel.name, "Name of the parcel.";
    "parcel_uuid", (_, _, parcel, _) => parcel.parcel.uuid, "Global UUID of the parcel.";
    "owner_uuid", (_, _, parcel, _) => parcel.parcel.owner, "Owner.";
    "group_owned", (_, _, parcel, _) => parcel.parcel.group_owned, "Whether a group owns it.";
    "area_m2", (.., sums) => sums.area, "Area from the bitmap, m²; without a bitmap, the stated area.";
    "stated_area_m2", (_, _, parcel, _) => parcel.parcel.area.map(f64::from), "Area that the file states, m².";
    "objects", (.., sums) => sums.total.objects, "Number of linksets.";
    "parts", (.., sums) => sums.total.parts, "Number of prims.";
    "scripts", (.., sums) => sums.total.scripts, "Number of scripts in all prims.";
    "land_impact", (.., sums) => sums.total.land_impact, "Sum of the land impacts.", "Basis of `land_impact`.";
    "physics_cost", (.., sums) => sums.total.physics_cost, "Sum of the physics costs of linksets under new accounting.", "Basis of `physics_cost`.";
    "region_resource_cost", (.., sums) => sums.total.region_resource_cost, "Sum of the region resource costs (RRC of the specification).", "Basis of `region_resource_cost`.";
    "capacity", (.., sums) => sums.capacity, "What the parcel can hold, as `counted` in `regions`: its share of the region, with the object bonus.";
    PERCENT_USED = "percent_used", (.., sums) => share(sums).map(Percent), "Load in percent of the capacity: prims, or land impact.";
    "over_capacity", (.., sums) => share(sums).map(|percent| percent > 100.0), "Whether the load exceeds the capacity. Parcels of one owner in a region share their capacity: CST001 and REG001 find owners that exceed it in total.";
}

fn share(sums: &ParcelMeasures) -> Option<f64> {
    let capacity = sums.capacity.filter(|&capacity| capacity > 0.0)?;
    Some(100.0 * sums.total.load.value()? / capacity)
}
