//! What each owner has, and what is wrong with it.

use super::{Rows, sheet::Sheet, tables::about, wrong};
use crate::{
    finding::Severity,
    ledger::facts::Role,
    report::{
        table::{Cell, ColumnHead, Head, Kind},
        tables::{findings::key as finding, objects::key as object},
    },
};
use rust_xlsxwriter::Worksheet;
use std::{collections::BTreeMap, io};
use uuid::Uuid;

/// What one owner has.
#[derive(Default)]
struct Owner {
    objects: u64,
    parts: u64,
    land_impact: Option<f64>,
    unknown: u64,
    in_inventories: u64,
    findings: [u64; Severity::WORST_FIRST.len()],
}

/// Writes the sheet.
pub(super) fn write(
    sheet: &mut Worksheet,
    objects: &mut Rows,
    findings: &mut Rows,
    room: u64,
) -> io::Result<()> {
    let head = head();
    let owners = owners(objects, findings)?;
    let all = owners.len() as u64;
    let mut sheet = Sheet::of(sheet, &head, &about(&head, all.min(room), all)).map_err(wrong)?;
    for (uuid, owner) in owners.iter().take(usize::try_from(room).unwrap_or(usize::MAX)) {
        sheet.row(&row(*uuid, owner), &[]).map_err(wrong)?;
    }
    sheet.finish().map_err(wrong)
}

/// The head of the table.
fn head() -> Head {
    let column = |(name, kind, about): (&'static str, Kind, &'static str)| ColumnHead {
        name: name.into(),
        about,
        kind,
    };
    let columns = [
        ("owner_uuid", Kind::Uuid, "Who owns it."),
        ("objects", Kind::Int, "Linksets, those in inventories left out."),
        ("parts", Kind::Int, "Prims of those linksets."),
        ("land_impact", Kind::Real, "Sum of their land impacts, as far as they are known."),
        (
            "land_impact_unknown",
            Kind::Int,
            "How many of them have no known land impact, so that the sum is a lower bound.",
        ),
        (
            "objects_in_inventories",
            Kind::Int,
            "Linksets that lie in inventories: they weigh nothing until they are rezzed.",
        ),
        ("blockers", Kind::Int, "Findings of severity blocker about objects of this owner."),
        ("errors", Kind::Int, "Findings of severity error."),
        ("warnings", Kind::Int, "Findings of severity warning."),
        ("infos", Kind::Int, "Findings of severity info."),
    ];
    let about = "One row for each owner of objects over all inputs, the heaviest first. Findings count where they are about an object.";
    Head { name: "owners", about, columns: columns.map(column).into() }
}

/// Who owns objects, from the rows of objects and findings, the heaviest first.
fn owners(objects: &mut Rows, findings: &mut Rows) -> io::Result<Vec<(Uuid, Owner)>> {
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
        let found = finding::SEVERITY.text(row);
        let place = Severity::WORST_FIRST.iter().position(|severity| severity.name() == found);
        if let Some(place) = place {
            owners.entry(owner).or_default().findings[place] += finding::COUNT.count(row);
        }
        Ok(())
    })?;

    let mut owners: Vec<(Uuid, Owner)> = owners.into_iter().collect();
    let weight = |owner: &Owner| owner.land_impact.unwrap_or(-1.0);
    // Stable: of equals the one with the lower UUID stays first.
    owners.sort_by(|(_, a), (_, b)| weight(b).total_cmp(&weight(a)));
    Ok(owners)
}

/// One row.
fn row(uuid: Uuid, owner: &Owner) -> Vec<Cell<'static>> {
    let mut cells = vec![
        Cell::from(uuid),
        Cell::from(owner.objects),
        Cell::from(owner.parts),
        Cell::from(owner.land_impact),
        Cell::from(owner.unknown),
        Cell::from(owner.in_inventories),
    ];
    cells.extend(owner.findings.map(Cell::from));
    cells
}
