//! The order of the rows of a sheet, and the rows that fit.

use super::Rows;
use hullmark_finding::Severity;
use hullmark_ledger::facts::Role;
use hullmark_report::spool::{Offset, Spool};
use hullmark_report::{
    diff::BaselineStatus,
    table::Cell,
    tables::{findings::key as finding, objects::key as object},
};
use rust_xlsxwriter::XlsxError;
use std::cmp::Reverse;

/// Returns the keys and offsets of the `room` rows with the least keys, the least first. Equal rows keep their order.
/// Holds at most twice as many.
pub(super) fn first<K: Ord>(
    spool: &mut Spool,
    room: u64,
    key: impl Fn(&[Cell<'_>]) -> K,
) -> Result<Vec<(K, Offset)>, XlsxError> {
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    let mut kept: Vec<(K, Offset)> = Vec::new();
    spool.each(|offset, row| {
        kept.push((key(row), offset));
        if kept.len() > room.saturating_mul(2) {
            kept.sort_unstable();
            kept.truncate(room);
        }
        Ok(())
    })?;
    kept.sort_unstable();
    kept.truncate(room);
    Ok(kept)
}

/// A key that puts large numbers first, and unknown ones last.
pub(super) fn large_first(number: Option<f64>) -> Reverse<i64> {
    // Numbers from 0 have the order of their bits.
    let known = number.filter(|number| !number.is_nan());
    Reverse(known.map_or(-1, |number| number.max(0.0).to_bits() as i64))
}

/// A key that sorts findings: waived ones last, then new ones first, then by severity and weight.
pub(super) fn of_finding(row: &[Cell<'_>]) -> (bool, u8, Reverse<Option<Severity>>, Reverse<i64>) {
    let status = finding::BASELINE_STATUS.text(row);
    let statuses = BaselineStatus::ALL.map(BaselineStatus::name);
    (
        !finding::WAIVED_UNTIL.text(row).is_empty(),
        statuses.iter().position(|name| *name == status).unwrap_or(statuses.len()) as u8,
        Reverse(Severity::named(finding::SEVERITY.text(row))),
        large_first(finding::WEIGHT.number(row)),
    )
}

/// The objects of the sheet, the heaviest first.
pub(super) struct ObjectOrder {
    /// Offsets in the order of the sheet.
    pub(super) offsets: Vec<Offset>,
    /// Offsets with their rows on the sheet, from 0, sorted by offset.
    rows: Vec<(Offset, u32)>,
}

impl ObjectOrder {
    /// Selects `room` objects: those with an error or blocker, then the heaviest. Sorts them by land impact; objects in
    /// inventories come last.
    pub(super) fn new(objects: &mut Rows, room: u64) -> Result<Self, XlsxError> {
        let mut chosen = first(&mut objects.spool, room, |row| {
            let is_over = Severity::named(object::WORST_SEVERITY.text(row)) >= Some(Severity::Error);
            let is_nested = object::ROLE.text(row) == Role::Nested.name();
            (Reverse(is_over), is_nested, large_first(object::LAND_IMPACT.number(row)))
        })?;
        chosen.sort_unstable_by_key(|&((_, is_nested, weight), offset)| (is_nested, weight, offset));
        let offsets: Vec<Offset> = chosen.into_iter().map(|(_, offset)| offset).collect();
        let mut rows: Vec<(Offset, u32)> = offsets.iter().copied().zip(0..).collect();
        rows.sort_unstable();
        Ok(Self { offsets, rows })
    }

    /// Returns the row of an object on the sheet, from 0. `None` if the object is not on the sheet.
    pub(super) fn row(&self, object: Offset) -> Option<u32> {
        let place = self.rows.binary_search_by_key(&object, |&(offset, _)| offset).ok()?;
        Some(self.rows[place].1)
    }
}
