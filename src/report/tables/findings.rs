//! `findings`: one row for each finding.

use super::column;
use crate::{
    facts::ObjectFacts,
    finding::{Finding, Severity},
    join::Case,
    report::table::{Cell, Column, Table},
};
use xxhash_rust::xxh3::xxh3_64;

/// The table.
#[derive(Debug)]
pub struct Findings;

/// A finding with its severity for the target grid and the object that it is about.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its input.
    pub case: &'a Case<'a>,
    /// The finding.
    pub finding: &'a Finding,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about, where it is an object.
    pub object: Option<&'a ObjectFacts>,
}

impl Row<'_> {
    /// Tells the same finding again in another night: the code and the place, not the numbers.
    pub fn fingerprint(&self) -> String {
        let place = &self.finding.place;
        let words = format!(
            "{}\n{}\n{}\n{:?}\n{:?}\n{:?}\n{}\n{:?}",
            self.finding.code,
            self.case.ledger.input,
            place.entry,
            place.object,
            place.part,
            place.asset,
            place.within,
            place.index
        );
        format!("{:016x}", xxh3_64(words.as_bytes()))
    }
}

impl<'a> Row<'a> {
    fn root(&self) -> Option<&'a crate::format::object::Part> {
        self.object.and_then(|object| object.linkset.parts.first())
    }
}

impl Table for Findings {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "findings";
    const ABOUT: &'static str = "One row for each finding; within an input the worst first.";
    const COLUMNS: &'static [Column<Self>] = &[
        column!("severity", row => row.severity.name(), "`blocker`, `error`, `warning` or `info`, for the target grid."),
        column!("code", row => row.finding.code.name(), "Code of the rule."),
        column!("title", row => row.finding.code.rule().title, "What the rule is about."),
        column!("message", row => Cell::show(row.finding.message()), "What was found."),
        column!("measured", row => row.finding.measured, "What was measured."),
        column!("limit", row => row.finding.limit, "What it was measured against."),
        column!("unit", row => unit(row.finding), "Unit of both."),
        column!("archive", row => &row.case.ledger.input, "Path of the input."),
        column!("entry", row => &row.finding.place.entry, "Entry of the archive, or file."),
        column!("object_uuid", row => row.finding.place.object, "UUID of the object's root."),
        column!("object_name", row => row.root().map(|root| root.name.as_str()), "Name of the object."),
        column!("owner_uuid", row => row.root().map(|root| root.owner), "Who owns the object."),
        column!("position_x_m", row => row.root().map(|root| root.group_position.x), "Where the object stands, from the west border."),
        column!("position_y_m", row => row.root().map(|root| root.group_position.y), "From the south border."),
        column!("position_z_m", row => row.root().map(|root| root.group_position.z), "Height."),
        column!("part_uuid", row => row.finding.place.part, "UUID of the prim."),
        column!("link_number", row => row.finding.place.link_number, "Link number of the prim."),
        column!("asset_uuid", row => row.finding.place.asset, "UUID of the asset."),
        column!("within", row => &*row.finding.place.within, "Block of the mesh, element of the document, or the other profile or archive."),
        column!("index", row => row.finding.place.index, "Number of the hull or submesh, from 0."),
        column!("offset", row => row.finding.place.offset, "Byte in the entry, or in the inflated block."),
        column!("advice", row => row.finding.code.rule().fix, "What to do about it."),
        column!("fingerprint", row => Cell::show(row.fingerprint()), "The same for the same finding in another run."),
    ];
}

/// The unit, where there is a number.
fn unit(finding: &Finding) -> Option<&'static str> {
    (finding.measured.is_some() || finding.limit.is_some()).then_some(finding.code.rule().unit)
}
