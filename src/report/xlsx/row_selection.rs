//! Selects the objects of a sheet, if there are more than fit.

use super::{Rows, spool::Spool};
use crate::{finding::Severity, report::tables::objects::key};
use rust_xlsxwriter::XlsxError;

/// The numbers of the selected objects, in order. `None` if all are selected.
pub(super) struct RowSelection(Option<Vec<u64>>);

impl RowSelection {
    /// Selects `room` objects: those with an error or blocker, then the heaviest. Holds at most twice as many.
    pub(super) fn new(objects: &mut Rows, room: u64) -> Result<Self, XlsxError> {
        if objects.spool.rows() <= room {
            return Ok(Self(None));
        }
        let over = [Severity::Blocker.name(), Severity::Error.name()];
        let mut chosen: Vec<(bool, f64, u64)> = Vec::new();
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let keep_best = |chosen: &mut Vec<(bool, f64, u64)>| {
            chosen.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
            chosen.truncate(room);
        };
        objects.spool.each(|number, row| {
            let land_impact = key::LAND_IMPACT.number(row).filter(|value| !value.is_nan()).unwrap_or(-1.0);
            chosen.push((over.contains(&key::WORST_SEVERITY.text(row)), land_impact, number));
            if chosen.len() > room.saturating_mul(2) {
                keep_best(&mut chosen);
            }
            Ok(())
        })?;
        keep_best(&mut chosen);
        let mut numbers: Vec<u64> = chosen.into_iter().map(|(_, _, number)| number).collect();
        numbers.sort_unstable();
        Ok(Self(Some(numbers)))
    }

    /// Returns the row of an object on the sheet, from 0. `None` if the object is not on the sheet.
    pub(super) fn row(&self, number: u64) -> Option<u64> {
        match &self.0 {
            None => Some(number),
            Some(chosen) => chosen.binary_search(&number).ok().map(|row| row as u64),
        }
    }

    /// Number of objects on the sheet.
    pub(super) fn shown(&self, objects: &Spool) -> u64 {
        self.0.as_ref().map_or(objects.rows(), |chosen| chosen.len() as u64)
    }
}
