//! Sheet Owners: land impact and findings of each owner.

use super::{row_order::large_first, spool::Spool};
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::Role;
use hullmark_report::{
    column,
    counts::SeverityCounts,
    findings::ReportedFinding,
    packed_rows::pack,
    table::{Column, Table},
    tables::{findings, objects},
};
use hullmark_rules::catalogue;
use std::{cmp::Reverse, collections::BTreeMap, io};
use uuid::Uuid;

/// Sums of one owner.
#[derive(Default)]
pub(super) struct Owner {
    objects: u64,
    parts: u64,
    land_impact: Option<f64>,
    unknown: u64,
    in_inventories: u64,
    findings: SeverityCounts,
    /// The worst finding, by severity, then by weight.
    worst: Option<(Severity, f64, Code)>,
}

impl Owner {
    pub(super) fn add_object(&mut self, role: Role, parts: u64, land_impact: Option<f64>) {
        if role == Role::Nested {
            self.in_inventories += 1;
            return;
        }
        self.objects += 1;
        self.parts += parts;
        match land_impact {
            Some(more) => *self.land_impact.get_or_insert(0.0) += more,
            None => self.unknown += 1,
        }
    }

    pub(super) fn add_finding(&mut self, severity: Severity, count: u64, weight: f64, code: Code) {
        self.findings.add(severity, count);
        if self.worst.is_none_or(|(worst, most, _)| (severity, weight) > (worst, most)) {
            self.worst = Some((severity, weight, code));
        }
    }
}

/// The sums of all owners.
#[derive(Default)]
pub(super) struct Sums(BTreeMap<Uuid, Owner>);

impl Sums {
    /// Adds an object, if it has an owner.
    pub(super) fn add_object(&mut self, row: &objects::Row<'_>) {
        let parts = &row.object.linkset.parts;
        if let Some(owner) = parts.first().map(|root| root.owner).filter(|owner| !owner.is_nil()) {
            let owner = self.owner(owner);
            owner.add_object(row.object.role, parts.len() as u64, row.measures.land_impact.value());
        }
    }

    /// Adds a finding about an object with an owner, if it is not waived.
    pub(super) fn add_finding(&mut self, row: &findings::Row<'_>) {
        let ReportedFinding { severity, finding, count, .. } = row.reported;
        let owner = row.root().map(|root| root.owner).filter(|owner| !owner.is_nil());
        if let Some(owner) = owner.filter(|_| row.reported.waived().is_none()) {
            self.owner(owner).add_finding(*severity, *count, finding.weight, finding.code);
        }
    }

    pub(super) fn owner(&mut self, owner: Uuid) -> &mut Owner {
        self.0.entry(owner).or_default()
    }

    /// Adds the rows of the sheet to an empty spool, the heaviest first.
    pub(super) fn rows(self, to: &mut Spool) -> io::Result<()> {
        let mut owners: Vec<(Uuid, Owner)> = self.0.into_iter().collect();
        // The sort is stable: of equal owners, the one with the lower UUID stays first.
        owners.sort_by_key(|(_, owner)| {
            (large_first(owner.land_impact), Reverse(owner.worst.map(|(severity, ..)| severity)))
        });
        let mut packed = Vec::new();
        for (uuid, owner) in &owners {
            let row = (*uuid, owner);
            let cells: Vec<_> = Owners::COLUMNS.iter().map(|column| (column.get)(&row)).collect();
            packed.clear();
            pack(&cells, &mut packed);
            to.push(&packed, None)?;
        }
        Ok(())
    }
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
        column!("blockers", (_, owner) => owner.findings.get(Severity::Blocker), "Number of findings of severity blocker about objects of this owner."),
        column!("errors", (_, owner) => owner.findings.get(Severity::Error), "Number of findings of severity error."),
        column!("warnings", (_, owner) => owner.findings.get(Severity::Warning), "Number of findings of severity warning."),
        column!("info", (_, owner) => owner.findings.get(Severity::Info), "Number of findings of severity info."),
    ];
}
