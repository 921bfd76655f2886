//! `findings`: one row for each finding.

use super::{columns, hex};
use crate::{
    diff::BaselineStatus,
    findings::ReportedFinding,
    table::{Cell, Column, Table},
};
use glam::DVec3;
use hullmark_analysis::{
    Measured,
    asset_uses::{Used, User},
};
use hullmark_finding::Finding;
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ItemFacts, ObjectFacts, Role};
use hullmark_rules::{
    catalogue::{self, Reader},
    waivers::Waiver,
};
use uuid::Uuid;

/// The table.
#[derive(Debug)]
pub struct Findings;

/// A reported finding with its input.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its input.
    pub measured: &'a Measured<'a>,
    /// The finding.
    pub reported: &'a ReportedFinding<'a>,
}

impl<'a> Row<'a> {
    pub fn root(&self) -> Option<&'a Part> {
        self.reported.object.and_then(|object| object.linkset.parts.first())
    }

    fn item(&self) -> Option<&'a ItemFacts> {
        let nested = self.reported.object.and_then(|object| object.asset);
        nested.or(self.reported.finding.place.asset).and_then(|asset| self.measured.item_of(asset))
    }

    pub fn item_owner(&self) -> Option<Uuid> {
        let inventory = self.measured.ledger.inventory_of(&self.reported.finding.place.entry);
        inventory.map(|facts| facts.owner).or_else(|| self.item()?.item.owner)
    }

    /// Returns the uses of its asset, if the finding is about one in use.
    fn uses(&self) -> Option<&'a Used<'a>> {
        self.measured.uses.get(&self.reported.finding.place.asset?)
    }

    /// Returns the object of the finding, else the first one that uses its asset.
    fn user_object(&self) -> Option<&'a ObjectFacts> {
        let user = || match self.uses()?.first {
            User::Part(object, _) => Some(object),
            User::Text(_) | User::Item(_) | User::Entry(_) => None,
        };
        self.reported.object.or_else(user)
    }

    pub fn user(&self) -> Option<&'a Part> {
        self.user_object()?.linkset.parts.first()
    }

    fn position(&self) -> Option<DVec3> {
        self.user_object().filter(|object| object.role != Role::Nested)?;
        self.user().map(|root| root.group_position)
    }

    /// Returns the number of the region of its object, else of the land that it is about.
    pub fn region_number(&self) -> Option<usize> {
        let of_object = || self.user_object()?.region.map(|number| number as usize);
        of_object().or(self.reported.land)
    }

    fn region(&self) -> Option<&'a str> {
        self.measured.ledger.regions.get(self.region_number()?).map(|region| region.name.as_str())
    }
}

impl Table for Findings {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "findings";
    const ABOUT: &'static str = "One row for each finding, the most serious of each input first, then by `weight`. With `--baseline`, new findings come first, then worse ones. Equal findings about one thing share a row, and `count` says how many.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Findings:
    #[compared] SEVERITY = "severity", row => row.reported.severity.name(), "Severity for the target: `blocker`, `error`, `warning` or `info`.";
    TARGET = "target", row => target(row), "Whose rule it is: the description of the target. Without a chosen target, `OpenSimulator`, which loads the input, or `published rules`. Empty for rules about the audit, its runs, and copies (RUN, HIS, XAR).";
    #[compared] CODE = "code", row => row.reported.finding.code.name(), "Code of the rule.";
    TITLE = "title", row => catalogue::rule(row.reported.finding.code).title, "Title of the rule.";
    #[compared] MESSAGE = "message", row => Cell::show(catalogue::message(row.reported.finding)), "What is wrong, with measured value and limit.";
    ADVICE = "advice", row => catalogue::advice(row.reported.finding, Reader::Operator, row.measured.profile), "What to do.";
    #[compared] COUNT = "count", row => row.reported.count, "Number of findings in this row. The other columns describe the first.";
    #[compared] MEASURED = "measured", row => row.reported.finding.measured, "Measured value.";
    #[compared] LIMIT = "limit", row => row.reported.finding.limit, "Limit.";
    "unit", row => unit(row.reported.finding), "Unit of both.";
    #[compared] ARCHIVE = "archive", row => &row.measured.ledger.input, "Path of the input. Empty for a finding about the run.";
    #[compared] ENTRY = "entry", row => &row.reported.finding.place.entry, "Entry of the archive, or file.";
    #[compared] OBJECT_UUID = "object_uuid", row => row.reported.finding.place.object, "UUID of the root prim.";
    #[compared] OBJECT_NAME = "object_name", row => row.user().map(|root| root.name.as_str()), "Name of the object; for a finding about an asset, of the first object that uses it.";
    "owner_uuid", row => row.user().map(|root| root.owner), "Owner of that object.";
    "item", row => row.item().map(|facts| facts.entry.as_str()), "Path of the first inventory item that has the nested object or the asset, in an IAR or in a evaluated inventory.";
    "item_owner_uuid", row => row.item_owner(), "Owner of that item, or of the inventory that the finding is about.";
    #[compared] REGION = "region", row => row.region(), "Name of the region of that object, if it is rezzed; else of the land that the finding is about.";
    POSITION_X_M = "position_x_m", row => row.position().map(|at| at.x), "Position of that object from the west border, metres. Empty if it is not rezzed.";
    POSITION_Y_M = "position_y_m", row => row.position().map(|at| at.y), "Position from the south border, metres.";
    "position_z_m", row => row.position().map(|at| at.z), "Height, metres.";
    "part_uuid", row => row.reported.finding.place.part, "UUID of the prim.";
    "link_number", row => row.reported.finding.place.link_number, "Link number of the prim.";
    "asset_uuid", row => row.reported.finding.place.asset, "UUID of the asset.";
    "asset_uses", row => row.uses().map(|used| used.count), "Number of uses of the asset in objects, items, texts and land.";
    "within", row => &*row.reported.finding.place.within, "Block of the mesh, element of the document, or the other profile or archive.";
    "index", row => row.reported.finding.place.index, "Number of the hull or submesh, from 0.";
    "offset", row => row.reported.finding.place.offset, "Byte offset in the entry or in the inflated block.";
    BASELINE_STATUS = "baseline_status", row => row.reported.baseline_status.map(BaselineStatus::name), "Status against `--baseline`: `new`, `worse`, `known` or `not_compared`. Not compared: the earlier run did not cover the archive or did not read it to its end, or a newer archive has its path. Empty without a baseline.";
    "also_at", row => Cell::show(row.reported.also_at()), "Locations of the other findings in this row, each with its measured value in brackets if it differs.";
    #[compared] WAIVED_UNTIL = "waived_until", row => row.reported.waived().map(Waiver::until), "Last day of the waiver. Waived findings come last and count in no other number.";
    WAIVED_BY = "waived_by", row => row.reported.waived().map(|waiver| &waiver.who), "Person responsible for the waiver.";
    WAIVED_REASON = "waived_reason", row => row.reported.waived().map(|waiver| &waiver.reason), "Reason of the waiver.";
    #[compared] FINGERPRINT = "fingerprint", row => hex(row.reported.fingerprint), "Key that matches the finding across runs: a hash of rule, region, subject (object, prim, asset or entry) and aspect.";
    #[compared] CONTENT_FINGERPRINT = "content_fingerprint", row => hex(row.reported.content_fingerprint), "Like `fingerprint`, with the content of the object in place of its UUID. It matches a finding if the UUID changed, as after a load.";
    WEIGHT = "weight", row => row.reported.finding.weight, "Weight that orders findings of one severity: land impact over a capacity, uses of an asset, or land impact of the object. A finding that stops the load weighs as much as all objects. On grids that count prims, land impact means prims.";
}

/// Names the target of a rule. `None` for a rule that holds on any target.
fn target<'a>(row: &Row<'a>) -> Option<&'a str> {
    let code = row.reported.finding.code;
    let holds_anywhere = matches!(&code.name()[..3], "RUN" | "HIS" | "XAR");
    (!holds_anywhere).then(|| row.measured.profile.target_of(code))
}

/// Returns the unit, if there is a number.
fn unit(finding: &Finding) -> Option<&'static str> {
    (finding.measured.is_some() || finding.limit.is_some()).then_some(catalogue::rule(finding.code).unit)
}
