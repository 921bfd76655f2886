//! Sheet Owners: land impact and findings of each owner.

use super::{Rows, row_order::large_first, spool::Spool};
use crate::{
    table::{Column, Table},
    tables::{column, findings::key as finding, objects::key as object},
};
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::Role;
use hullmark_rules::catalogue;
use rust_xlsxwriter::XlsxError;
use std::{cmp::Reverse, collections::BTreeMap};
use uuid::Uuid;

/// Sums of one owner.
#[derive(Default)]
pub(super) struct Owner {
    objects: u64,
    parts: u64,
    land_impact: Option<f64>,
    unknown: u64,
    in_inventories: u64,
    /// Number of findings by severity, the worst first.
    findings: [u64; Severity::WORST_FIRST.len()],
    /// The worst finding, by severity, then by weight.
    worst: Option<(Severity, f64, Code)>,
}

/// Adds the rows of the sheet to an empty spool.
pub(super) fn rows(objects: &mut Rows, findings: &mut Rows, to: &mut Spool) -> Result<(), XlsxError> {
    for (uuid, owner) in &owners(objects, findings)? {
        let row = (*uuid, owner);
        let cells: Vec<_> = Owners::COLUMNS.iter().map(|column| (column.get)(&row)).collect();
        to.push(&cells)?;
    }
    Ok(())
}

/// The table. No other format has it.
pub(super) struct Owners;

impl Table for Owners {
    type Row<'a> = (Uuid, &'a Owner);
    const NAME: &'static str = "owners";
    const ABOUT: &'static str = "One row for each owner of objects over all inputs, the greatest land impact first. Findings about objects count.";
    const COLUMNS: &'static [Column<Self>] = &[
        column!("owner_uuid", (uuid, _) => *uuid, "Owner."),
        column!("objects", (_, owner) => owner.objects, "Number of linksets, without those in inventories."),
        column!("parts", (_, owner) => owner.parts, "Number of prims of these linksets."),
        column!("land_impact", (_, owner) => owner.land_impact, "Sum of their known land impacts."),
        column!("land_impact_unknown", (_, owner) => owner.unknown, "Number of linksets with unknown land impact. If there are any, the sum is a lower bound."),
        column!("objects_in_inventories", (_, owner) => owner.in_inventories, "Number of linksets in inventories. They have no land impact until they are rezzed."),
        column!("worst_severity", (_, owner) => owner.worst.map(|(severity, ..)| severity.name()), "Severity of the worst finding."),
        column!("worst_finding", (_, owner) => owner.worst.map(|(.., code)| catalogue::rule(code).title), "Title of the rule of that finding; of equal severity, the one with the greatest weight."),
        column!("blockers", (_, owner) => owner.findings[0], "Number of findings of severity blocker about objects of this owner."),
        column!("errors", (_, owner) => owner.findings[1], "Number of findings of severity error."),
        column!("warnings", (_, owner) => owner.findings[2], "Number of findings of severity warning."),
        column!("info", (_, owner) => owner.findings[3], "Number of findings of severity info."),
    ];
}

/// Returns the owners, from the rows of objects and findings, the heaviest first.
fn owners(objects: &mut Rows, findings: &mut Rows) -> Result<Vec<(Uuid, Owner)>, XlsxError> {
    let mut owners: BTreeMap<Uuid, Owner> = BTreeMap::new();

    objects.spool.each(|_, row| {
        let Some(owner) = object::OWNER_UUID.uuid(row) else { return Ok(()) };
        let owner = owners.entry(owner).or_default();
        if object::ROLE.text(row) == Role::Nested.name() {
            owner.in_inventories += 1;
            return Ok(());
        }
        owner.objects += 1;
        owner.parts += object::PARTS.count(row);
        match object::LAND_IMPACT.number(row) {
            Some(more) => *owner.land_impact.get_or_insert(0.0) += more,
            None => owner.unknown += 1,
        }
        Ok(())
    })?;

    findings.spool.each(|_, row| {
        if !finding::WAIVED_UNTIL.text(row).is_empty() {
            return Ok(());
        }
        let Some(owner) = finding::OWNER_UUID.uuid(row) else { return Ok(()) };
        let Some(severity) = Severity::named(finding::SEVERITY.text(row)) else { return Ok(()) };
        let Some(code) = Code::parse(finding::CODE.text(row)) else { return Ok(()) };
        let owner = owners.entry(owner).or_default();
        for (count, of) in owner.findings.iter_mut().zip(Severity::WORST_FIRST) {
            if of == severity {
                *count += finding::COUNT.count(row);
            }
        }
        let weight = finding::WEIGHT.number(row).unwrap_or(0.0);
        if owner.worst.is_none_or(|(worst, most, _)| (severity, weight) > (worst, most)) {
            owner.worst = Some((severity, weight, code));
        }
        Ok(())
    })?;

    let mut owners: Vec<(Uuid, Owner)> = owners.into_iter().collect();
    // The sort is stable: of equal owners, the one with the lower UUID stays first.
    owners.sort_by_key(|(_, owner)| {
        (large_first(owner.land_impact), Reverse(owner.worst.map(|(severity, ..)| severity)))
    });
    Ok(owners)
}
