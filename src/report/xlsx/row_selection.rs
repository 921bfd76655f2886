//! Which objects a sheet shows, where there are more than it has room for.

use super::{Rows, spool::Spool};
use crate::{
    finding::Severity,
    report::{table::Cell, tables::objects::key},
};
use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    io,
};

/// The numbers of the chosen objects, in order; none where all are.
pub(super) struct Choice(Option<Vec<u64>>);

/// The more it is worth to be shown the greater: over a limit, heavy, early.
#[derive(PartialEq)]
struct Worth {
    over: bool,
    land_impact: f64,
    number: Reverse<u64>,
}

impl Eq for Worth {}

impl Ord for Worth {
    fn cmp(&self, other: &Self) -> Ordering {
        let heavier = || self.land_impact.total_cmp(&other.land_impact);
        self.over.cmp(&other.over).then_with(heavier).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Choice {
    /// Chooses so many objects: those over a limit, then the heaviest. Of them only that much is held.
    pub(super) fn of(objects: &mut Rows, room: u64) -> io::Result<Self> {
        if objects.spool.rows() <= room {
            return Ok(Self(None));
        }
        let over = [Severity::Blocker.name(), Severity::Error.name()];
        // The least worth on top, to be thrown out.
        let mut chosen = BinaryHeap::new();
        objects.spool.each(|number, row| {
            chosen.push(Reverse(Worth {
                over: over.contains(&key::WORST_SEVERITY.text(row)),
                land_impact: key::LAND_IMPACT.number(row).filter(|value| !value.is_nan()).unwrap_or(-1.0),
                number: Reverse(number),
            }));
            if chosen.len() as u64 > room {
                chosen.pop();
            }
            Ok(())
        })?;
        let mut numbers: Vec<u64> = chosen.into_iter().map(|Reverse(worth)| worth.number.0).collect();
        numbers.sort_unstable();
        Ok(Self(Some(numbers)))
    }

    /// In which row of the table an object is shown, from 0.
    pub(super) fn row(&self, number: u64) -> Option<u64> {
        match &self.0 {
            None => Some(number),
            Some(chosen) => chosen.binary_search(&number).ok().map(|row| row as u64),
        }
    }

    /// How many of the objects are shown.
    pub(super) fn shown(&self, objects: &Spool) -> u64 {
        self.0.as_ref().map_or(objects.rows(), |chosen| chosen.len() as u64)
    }

    /// The objects that are shown, one by one.
    pub(super) fn each(
        &self,
        objects: &mut Spool,
        mut then: impl FnMut(&[Cell<'_>]) -> io::Result<()>,
    ) -> io::Result<()> {
        objects.each(|number, row| match self.row(number) {
            Some(_) => then(row),
            None => Ok(()),
        })
    }
}
