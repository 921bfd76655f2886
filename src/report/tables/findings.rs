//! `findings`: one row for each finding.

use super::columns;
use crate::{
    analysis::Measured,
    finding::Finding,
    report::{
        diff::BaselineStatus,
        findings::ReportedFinding,
        table::{Cell, Column, Table},
    },
    rules::{catalogue, waivers::Waiver},
};

/// The table.
#[derive(Debug)]
pub struct Findings;

/// A finding as it is told.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its input.
    pub measured: &'a Measured<'a>,
    /// The finding.
    pub told: &'a ReportedFinding<'a>,
}

impl<'a> Row<'a> {
    fn root(&self) -> Option<&'a crate::format::object::Part> {
        self.told.object.and_then(|object| object.linkset.parts.first())
    }

    fn region(&self) -> Option<&'a str> {
        let number = self.told.object?.region? as usize;
        self.measured.ledger.regions.get(number).map(|region| region.name.as_str())
    }
}

impl Table for Findings {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "findings";
    const ABOUT: &'static str = "One row for each finding; within an input the worst first; with a `--baseline` what is new first, then what got worse, each the worst first. Findings of one rule about the same thing that say the same, numbers aside, are one row, which counts them.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Findings:
    #[compared] SEVERITY = "severity", row => row.told.severity.name(), "`blocker`, `error`, `warning` or `info`, for the target grid.";
    #[compared] CODE = "code", row => row.told.finding.code.name(), "Code of the rule.";
    NEWS = "news", row => row.told.news.map(BaselineStatus::name), "Beside the night of `--baseline`: `new`, `worse`, `known`, or `not_compared` (that night did not cover the archive or read it to its end, or the archive is an older one of its path). Empty without one.";
    TITLE = "title", row => catalogue::rule(row.told.finding.code).title, "What the rule is about.";
    #[compared] MESSAGE = "message", row => Cell::show(catalogue::message(row.told.finding)), "What was found.";
    #[compared] COUNT = "count", row => row.told.count, "How many findings it stands for; the rest of the row is of the first.";
    "also_at", row => Cell::show(row.told.also_at()), "Where each of the others is, and in brackets what it measured, where that differs.";
    #[compared] MEASURED = "measured", row => row.told.finding.measured, "What was measured.";
    #[compared] LIMIT = "limit", row => row.told.finding.limit, "What it was measured against.";
    "unit", row => unit(row.told.finding), "Unit of both.";
    #[compared] ARCHIVE = "archive", row => &row.measured.ledger.input, "Path of the input; empty where it is about the run itself.";
    #[compared] ENTRY = "entry", row => &row.told.finding.place.entry, "Entry of the archive, or file.";
    #[compared] OBJECT_UUID = "object_uuid", row => row.told.finding.place.object, "UUID of the object's root.";
    #[compared] OBJECT_NAME = "object_name", row => row.root().map(|root| root.name.as_str()), "Name of the object.";
    OWNER_UUID = "owner_uuid", row => row.root().map(|root| root.owner), "Who owns the object.";
    #[compared] REGION = "region", row => row.region(), "Name of the region that the object stands in.";
    POSITION_X_M = "position_x_m", row => row.root().map(|root| root.group_position.x), "Where the object stands, from the west border.";
    POSITION_Y_M = "position_y_m", row => row.root().map(|root| root.group_position.y), "From the south border.";
    "position_z_m", row => row.root().map(|root| root.group_position.z), "Height.";
    "part_uuid", row => row.told.finding.place.part, "UUID of the prim.";
    "link_number", row => row.told.finding.place.link_number, "Link number of the prim.";
    ASSET_UUID = "asset_uuid", row => row.told.finding.place.asset, "UUID of the asset.";
    "within", row => &*row.told.finding.place.within, "Block of the mesh, element of the document, or the other profile or archive.";
    "index", row => row.told.finding.place.index, "Number of the hull or submesh, from 0.";
    "offset", row => row.told.finding.place.offset, "Byte in the entry, or in the inflated block.";
    ADVICE = "advice", row => catalogue::rule(row.told.finding.code).fix, "What to do about it.";
    #[compared] WAIVED_UNTIL = "waived_until", row => row.told.waived().map(Waiver::until), "Until when it is waived, the day included. What is waived stands last and counts nowhere else.";
    WAIVED_BY = "waived_by", row => row.told.waived().map(|waiver| &waiver.who), "Who answers for that.";
    WAIVED_BECAUSE = "waived_because", row => row.told.waived().map(|waiver| &waiver.reason), "Why it is waived.";
    #[compared] FINGERPRINT = "fingerprint", row => hex(row.told.fingerprint), "The same for the same finding in another night: of the rule, the region, the object, part, asset or entry, and which of several things the rule says of that.";
    #[compared] OLD_FINGERPRINT = "old_fingerprint", row => row.told.old_fingerprint.map(hex), "The fingerprint that earlier versions gave to this finding and to others; empty where it is still the same.";
}

/// A fingerprint, as people copy it.
fn hex(fingerprint: u64) -> Cell<'static> {
    Cell::show(format_args!("{fingerprint:016x}"))
}

/// The unit, where there is a number.
fn unit(finding: &Finding) -> Option<&'static str> {
    (finding.measured.is_some() || finding.limit.is_some()).then_some(catalogue::rule(finding.code).unit)
}
