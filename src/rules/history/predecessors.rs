//! Predecessors of an archive, and their content that is still missing.

use super::{
    Archive, HistoryConfig,
    losses::{self, Fallen},
};
use crate::ledger::summary::LedgerSummary;
use std::ptr;

/// What an archive is compared with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Earlier {
    /// The whole ones before it, the oldest first: of its series, and what its own file was.
    pub before: Vec<Archive>,
    /// The newest of the same in the earlier night.
    pub baseline: Option<Archive>,
}

/// What is gone since an earlier archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Fall<'a> {
    /// Since when.
    pub since: &'a Archive,
    /// Of what too much is gone.
    pub fallen: Vec<Fallen>,
}

impl<'a> Fall<'a> {
    /// What is gone, where that is much. What follows from assets that became none is told of their last archive
    /// elsewhere.
    fn since(
        since: &'a Archive,
        now: &LedgerSummary,
        with_assets: Option<&Archive>,
        config: &HistoryConfig,
    ) -> Option<Self> {
        let is_told = with_assets.is_some_and(|told| ptr::eq(told, since));
        let fallen = losses::fallen(&since.brief, now, is_told, config);
        (!fallen.is_empty()).then_some(Self { since, fallen })
    }
}

impl Earlier {
    /// Whether there is nothing to compare with.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.baseline.is_none()
    }

    /// What is gone since each of those that stand, the latest first: each fall is told for itself, so that none hides
    /// another. The earlier night adds the one of which those that stand know nothing.
    pub fn falls(&self, now: &LedgerSummary, config: &HistoryConfig) -> Vec<Fall<'_>> {
        let with_assets = self.with_assets(now, config);
        let fall = |since| Fall::since(since, now, with_assets, config);
        let mut falls: Vec<Fall<'_>> = self.standing(config).into_iter().rev().filter_map(fall).collect();
        if let Some(baseline) = &self.baseline {
            let told = falls.iter().map(|fall| fall.since).chain(with_assets);
            let mut others = told.filter(|told| !ptr::eq(*told, baseline));
            if others.all(|told| has_fallen(baseline, told, config)) {
                falls.extend(fall(baseline));
            }
        }
        falls
    }

    /// The last that had assets, where they became none while objects stayed.
    pub fn with_assets(&self, now: &LedgerSummary, config: &HistoryConfig) -> Option<&Archive> {
        let last = self.before.iter().rposition(|old| old.brief.assets > 0);
        let kept = last.filter(|last| {
            let later: Vec<&LedgerSummary> =
                self.before[last + 1..].iter().map(|old| &old.brief).chain([now]).collect();
            losses::is_without_assets(&self.before[*last].brief, &later, config)
        });
        let baseline = self.baseline.as_ref();
        let baseline = baseline.filter(|old| losses::is_without_assets(&old.brief, &[now], config));
        kept.map(|last| &self.before[last]).or(baseline)
    }

    /// Those before it that no later one has replaced, the oldest first. Only one that has not fallen from it does: a
    /// thing that has fallen is told of while it stays so, and one that shrinks little by little is not.
    fn standing(&self, config: &HistoryConfig) -> Vec<&Archive> {
        let mut standing: Vec<&Archive> = Vec::new();
        for later in &self.before {
            standing.retain(|old| has_fallen(old, later, config));
            standing.push(later);
        }
        standing
    }
}

/// Whether too much of anything is gone.
fn has_fallen(old: &Archive, new: &Archive, config: &HistoryConfig) -> bool {
    !losses::fallen(&old.brief, &new.brief, false, config).is_empty()
}
