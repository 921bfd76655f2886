//! `history.csv`: one row for each region of a run. Runs append to it.

use super::columns;
use crate::{
    table::{Cell, Column, Table},
    trend::HistoryRow,
};
use hullmark_finding::Severity;

/// The table.
#[derive(Debug)]
pub struct History;

impl Table for History {
    type Row<'a> = &'a HistoryRow;
    const NAME: &'static str = "history";
    const ABOUT: &'static str = "One row for each region and run. Runs with `--ledgers` or `--history` append to it; no run removes a row.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    History:
    #[compared] TIME = "time", row => &row.time, "Time of the run, UTC.";
    #[compared] TARGET = "target", row => &row.target, "Target of the run.";
    #[compared] ARCHIVE = "archive", row => &row.archive, "Path of the input.";
    REGION = "region", row => &row.region, "Name of the region.";
    #[compared] IDENTITY = "identity", row => &row.identity, "Key that matches the region across runs, as in `regions`.";
    #[compared] OBJECTS = "objects", row => row.objects, "Number of linksets.";
    "parts", row => row.parts, "Number of prims.";
    #[compared] SCRIPTS = "scripts", row => row.scripts, "Number of scripts in all prims.";
    #[compared] LAND_IMPACT = "land_impact", row => row.land_impact, "Sum of the land impacts.", #[compared] LAND_IMPACT_BASIS: "Basis of `land_impact`.";
    "capacity", row => row.capacity, "Land impact that the region can hold. Empty if no target was chosen.";
    "physics_cost", row => row.physics_cost, "Sum of the physics costs.", "Basis of `physics_cost`.";
    #[compared] BLOCKERS = "blockers", row => row.findings.get(Severity::Blocker), "Number of blockers about its objects; in an archive of one region, all of the archive. Waived ones do not count.";
    #[compared] ERRORS = "errors", row => row.findings.get(Severity::Error), "Number of errors.";
    #[compared] WARNINGS = "warnings", row => row.findings.get(Severity::Warning), "Number of warnings.";
    #[compared] INFO = "info", row => row.findings.get(Severity::Info), "Number of findings for information.";
}
