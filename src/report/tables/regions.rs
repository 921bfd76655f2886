//! `regions`: one row for each region.

use super::columns;
use crate::{
    preflight::Verdict,
    region_status::RegionStatus,
    table::{Cell, Column, Percent, Table},
};
use hullmark_analysis::{Measured, RegionMeasures};
use hullmark_finding::Severity;
use hullmark_ledger::{facts::RegionFacts, identity};
use hullmark_rules::catalogue;

/// The table.
#[derive(Debug)]
pub struct Regions;

impl Table for Regions {
    /// A region with its sums and its status.
    type Row<'a> = (&'a Measured<'a>, &'a RegionFacts, &'a RegionMeasures, &'a RegionStatus);
    const NAME: &'static str = "regions";
    const ABOUT: &'static str = "One row for each region. Sums include the linksets rezzed in it.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Regions:
    #[compared] ARCHIVE = "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    #[compared] IDENTITY = "identity", (measured, region, ..) => Cell::show(identity::of_region(measured.ledger, region)), "Key that matches the region across runs: its UUID, else its name, else the file name with `#` for dates.";
    #[compared] REGION = "region", (_, region, ..) => &region.name, "Name of the region.";
    #[compared] REGION_UUID = "region_uuid", (_, region, ..) => region.uuid, "UUID in archive.xml.";
    "folder", (_, region, ..) => &region.folder, "Folder of the region in an archive of several regions.";
    SIZE_X_M = "size_x_m", (_, region, ..) => region.size[0], "East-west side, metres; 256 if the archive states none.";
    SIZE_Y_M = "size_y_m", (_, region, ..) => region.size[1], "North-south side, metres; 256 if the archive states none.";
    "parcels", (_, region, ..) => region.parcels.len(), "Number of parcels.";
    #[compared] OBJECTS = "objects", (_, _, sums, _) => sums.total.objects, "Number of linksets.";
    #[compared] PARTS = "parts", (_, _, sums, _) => sums.total.parts, "Number of prims.";
    #[compared] SCRIPTS = "scripts", (_, _, sums, _) => sums.total.scripts, "Number of scripts in all prims.";
    #[compared] PHYSICS_COST = "physics_cost", (_, _, sums, _) => sums.total.physics_cost, "Sum of the physics costs of linksets under new accounting.", #[compared] PHYSICS_COST_BASIS: "Basis of `physics_cost`.";
    #[compared] STREAMING_COST = "streaming_cost", (_, _, sums, _) => sums.total.streaming_cost, "Sum of the download weights (streaming costs).", #[compared] STREAMING_COST_BASIS: "Basis of `streaming_cost`.";
    #[compared] SERVER_WEIGHT = "server_weight", (_, _, sums, _) => sums.total.server_weight, "Sum of the server weights.", "Basis of `server_weight`.";
    "region_resource_cost", (_, _, sums, _) => sums.total.region_resource_cost, "Sum of the region resource costs.", "Basis of `region_resource_cost`.";
    #[compared] LAND_IMPACT = "land_impact", (_, _, sums, _) => sums.total.land_impact, "Sum of the land impacts.", #[compared] LAND_IMPACT_BASIS: "Basis of `land_impact`.";
    COUNTED = "counted", (measured, ..) => measured.profile.land.counted.name(), "What fills the region: `land impact`, or `prims` on grids that count these.";
    LOAD = "load", (_, _, sums, _) => sums.total.load, "How much of this is in the region. OpenSimulator does not count prims of temporary objects.", LOAD_BASIS: "Basis of `load`.";
    CAPACITY = "capacity", (_, _, sums, _) => sums.capacity, "How much of this the region can hold under the target's profile.";
    PERCENT_USED = "percent_used", (_, _, sums, _) => sums.total.load.value().map(|load| Percent(100.0 * load / sums.capacity)), "Load in percent of the capacity: prims, or land impact.";
    "parts_per_m2", (_, region, sums, _) => sums.total.parts as f64 / region.size.map(f64::from).iter().product::<f64>(), "Number of prims per m².";
    "meshes", (_, _, sums, _) => sums.meshes.assets, "Number of different meshes of its linksets that the export contains.";
    "meshes_bytes", (_, _, sums, _) => sums.meshes.bytes, "Compressed size of these meshes, bytes.";
    "meshes_with_physics", (_, _, sums, _) => sums.meshes.with_physics_mesh, "Number of these meshes with a physics mesh.";
    "object_bonus", (_, region, ..) => region.settings.as_ref().and_then(|settings| settings.object_bonus).map(f64::from), "Factor on the capacity of parcels, from the region settings.";
    "terrain_bytes", (_, region, ..) => region.terrain.as_ref().map(|terrain| terrain.bytes), "Size of the terrain file, bytes. Empty without one.";
    VERDICT = "verdict", (.., status) => status.verdict.map(Verdict::words), "Verdict on loading its archive: `NO-GO`, `GO WITH LOSSES`, `GO, AS FAR AS IT WAS READ` or `GO`. Empty in a report with a filter.";
    "blockers", (.., status) => status.findings.get(Severity::Blocker), "Number of findings of severity blocker about its objects and land, as in `findings`; in an archive of one region, all of the archive. Waived ones do not count.";
    "errors", (.., status) => status.findings.get(Severity::Error), "Number of such findings of severity error.";
    "warnings", (.., status) => status.findings.get(Severity::Warning), "Number of such findings of severity warning.";
    FINDINGS = "findings", (.., status) => status.findings.all(), "Number of such findings of all severities.";
    "lost", (.., status) => status.lost, "Number of lost items; in an archive of several regions, of missing assets whose first user is in this one.";
    "new_findings", (.., status) => status.new, "Number of findings that are new or worse than in the earlier run. Empty without a baseline.";
    WORST_SEVERITY = "worst_severity", (.., status) => status.findings.worst().map(Severity::name), "Severity of the worst finding.";
    "worst_code", (.., status) => status.worst.map(|(.., code)| code.name()), "Rule of the worst finding.";
    "worst_finding", (.., status) => status.worst.map(|(.., code)| catalogue::rule(code).title), "Title of this rule.";
}
