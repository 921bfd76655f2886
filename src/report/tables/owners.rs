//! `owners`: one row for each owner over all inputs.

use super::columns;
use crate::{
    run_tables::owners::Row,
    table::{Cell, Column, Percent, Table},
};
use hullmark_finding::Severity;
use hullmark_rules::catalogue;

/// The table.
#[derive(Debug)]
pub struct Owners;

impl Table for Owners {
    /// What an owner has.
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "owners";
    const ABOUT: &'static str = "One row for each owner over all inputs. Owners of objects with blockers and errors come \
        first, then those with most losses, then the heaviest. Findings about objects count.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Owners:
    "owner_uuid", row => row.uuid, "Owner.";
    "name", row => row.name, "Name in the list of users (`--users`).";
    "worst_severity", row => row.owner.worst.map(|(severity, ..)| severity.name()), "Severity of the worst finding.";
    "worst_finding", row => row.owner.worst.map(|(.., code)| catalogue::rule(code).title), "Title of the rule of that finding; of equal severity, the one with the greatest weight.";
    "lost_assets", row => row.lost, "Number of lost assets that the objects use, as in `missing`. An asset that several inputs lack counts for each of them. Empty in a report of some regions.";
    "objects", row => row.owner.objects, "Number of linksets, without those in inventories.";
    "parts", row => row.owner.parts, "Number of prims of these linksets.";
    "land_impact", row => row.owner.land_impact, "Sum of their land impacts.", "Basis of `land_impact`.";
    "objects_in_inventories", row => row.owner.in_inventories, "Number of linksets in inventories. They have no land impact until they are rezzed.";
    "parcels", row => row.owner.parcels, "Number of parcels.";
    "area_m2", row => row.owner.area_m2, "Area of these parcels, m².";
    "percent_of_land", row => (row.land_m2 > 0.0).then(|| Percent(100.0 * row.owner.area_m2 / row.land_m2)), "The same in percent of the area of all regions of the report.";
    "blockers", row => row.owner.findings.get(Severity::Blocker), "Number of findings of severity blocker about objects of this owner.";
    "errors", row => row.owner.findings.get(Severity::Error), "Number of findings of severity error.";
    "warnings", row => row.owner.findings.get(Severity::Warning), "Number of findings of severity warning.";
    "info", row => row.owner.findings.get(Severity::Info), "Number of findings of severity info.";
}
