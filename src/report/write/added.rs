//! What one input adds to the sums of a run, and these sums.

use crate::{
    row_filter::Met,
    run_tables::People,
    summary::{Summary, Sums},
    trend::HistoryRow,
};
use hullmark_rules::waivers::{Seen, Uses, Waivers};
use serde::{Deserialize, Serialize};

/// What one input adds to the sums of a run. Any thread makes it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Added {
    /// Its numbers, and the first of its lists.
    pub sums: Sums,
    /// Its owners and creators.
    pub people: People,
    /// The waivers that concern it, by their indices.
    pub waivers: Vec<(usize, Seen)>,
    /// The record of the filter.
    pub met: Met,
    /// Its rows for the history.
    pub days: Vec<HistoryRow>,
}

/// The sums of a run so far.
pub(super) struct RunSums<'s, 'w> {
    pub(super) summary: &'s mut Summary,
    pub(super) uses: Uses<'w>,
    pub(super) people: People,
    pub(super) met: Met,
}

impl<'s, 'w> RunSums<'s, 'w> {
    pub(super) fn new(summary: &'s mut Summary, waivers: &'w Waivers) -> Self {
        Self { summary, uses: Uses::new(waivers), people: People::default(), met: Met::default() }
    }

    /// Adds the next input, in the order of the report.
    pub(super) fn add(&mut self, added: Added) {
        let Added { sums, people, waivers, met, days } = added;
        self.summary.sums().join(sums);
        self.people.join(people);
        self.uses.join(waivers);
        self.met.join(met);
        if let Some(run) = &mut self.summary.run {
            run.add(days);
        }
    }
}
