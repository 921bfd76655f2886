//! Measures the work on an asset, and decides when to abandon it.
//!
//! Work is counted in *units* of about a nanosecond of a usual processor: a byte inflated, or a point compared with a
//! plane. Units depend only on the bytes of the asset, so a budget ends at the same place on every machine. A
//! [`Deadline`] does not, and its result is incomplete.

use crate::deadline::{Deadline, Over};

/// Units between two checks of the deadline: some milliseconds.
const LOOK: u64 = 1 << 22;

#[derive(Debug)]
pub struct Work {
    done: u64,
    most: u64,
    /// Number of units at the next check of the deadline.
    look: u64,
    deadline: Deadline,
    over: Option<Over>,
}

/// Work must stop: the budget is used up, or the deadline is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl Work {
    /// Creates a budget of `most` units with a deadline.
    pub fn new(most: u64, deadline: Deadline) -> Self {
        Self { done: 0, most, look: LOOK, deadline, over: None }
    }

    /// Creates an unlimited budget.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, Deadline::default())
    }

    /// Charges units of work, before or after it is done.
    ///
    /// # Errors [`Stopped`] from the charge on that exceeds the budget, or after the deadline. Later charges are not
    /// counted.
    pub fn charge(&mut self, units: u64) -> Result<(), Stopped> {
        if self.is_stopped() {
            return Err(Stopped);
        }
        self.done = self.done.saturating_add(units);
        if self.done >= self.look {
            self.look = self.done.saturating_add(LOOK);
            self.over = self.deadline.over();
        }
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Returns the charged units. If the budget is used up, they exceed it by less than one charge.
    pub fn done(&self) -> u64 {
        self.done
    }

    pub fn is_spent(&self) -> bool {
        self.done > self.most
    }

    /// Returns the deadline's reason, if it is over.
    pub fn over(&self) -> Option<Over> {
        self.over
    }

    fn is_stopped(&self) -> bool {
        self.is_spent() || self.over.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_budget_is_spent_at_the_same_unit_regardless_of_later_work() {
        let mut work = Work::new(10, Deadline::default());
        assert_eq!([work.charge(4), work.charge(6)], [Ok(()); 2]);
        assert!(!work.is_spent());
        assert_eq!([work.charge(5), work.charge(7)], [Err(Stopped); 2]);
        assert_eq!((work.done(), work.is_spent(), work.over()), (15, true, None));
        let mut work = Work::unlimited();
        assert_eq!([work.charge(u64::MAX), work.charge(u64::MAX)], [Ok(()); 2]);
    }

    #[test]
    fn a_deadline_is_seen_within_some_units() {
        let over = Duration::ZERO;
        let mut work = Work::new(u64::MAX, Deadline::after(Some(over)));
        let charges = (0..).take_while(|_| work.charge(LOOK / 8).is_ok()).count();
        assert_eq!((charges, work.is_spent(), work.over()), (7, false, Some(Over::Time(over))));
    }
}
